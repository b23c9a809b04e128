"""All files that ctree writes are written here: whole, or not at all.

The content goes to a temporary file in the same directory, which takes the place of the old one in a single step when
it is complete and on the disk. So an interrupt, a full disk or a crash leaves the old file as it was. What is not a
regular file, a pipe or a device, is written directly.

Which failed calls are errors:

- Whatever fails before the old file is replaced is an error, and the old file stays: to open, write, flush, ``fsync``
  or close the new file, to give it the permissions of the old one, to open the directory. No file takes the place of
  another before its ``fsync`` and its ``close`` have succeeded, as only then its content is known to be on the disk.
- Once it has taken its place, an ``fsync`` of the directory sees its name to the disk. Where that fails, the new file
  is there and whole, but after a crash the old one might be there again: an error, too, which says so. Only where the
  system or the file system does not sync directories (`NO_SYNC_OF_FOLDERS`) it is passed over.
- Other failures take nothing from the file and are passed over: a lock that cannot be had, an owner who cannot be
  kept, leftovers that cannot be removed.

A process that is killed leaves its temporary file behind: ``.ctree-``, 16 hexadecimal digits and ``.tmp``. A living one
holds a lock on its own, so that the next process that writes to the directory can tell the two apart, whatever numbers
processes have: it removes those that are an hour old, belong to the same user and are held by nobody. Where the system
has no such locks, they stay.
"""

from __future__ import annotations

import errno
import io
import os
import re
import stat
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from types import ModuleType
from typing import IO, TextIO

from ctree.errors import CtreeError, DataError
from ctree.wording import abbreviated_path

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # not on this system
    fcntl = None

LEFTOVER = re.compile(r"\.ctree-[0-9a-f]{16}\.tmp")
OLD = 3600.0
"""Seconds after which a temporary file that nobody holds is a leftover."""

STANDARD_STREAMS = {"/dev/stdout": 1, "/dev/fd/1": 1, "/dev/stderr": 2, "/dev/fd/2": 2}
TAKES_NO_NEW_FILE = (errno.EACCES, errno.EPERM, errno.EROFS)
"""Why a directory may refuse a new file, though one that is there can be written to."""

NO_SYNC_OF_FOLDERS = frozenset(
    getattr(errno, name)
    for name in ("EINVAL", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EBADF", "EISDIR", "EACCES", "EPERM")
    if hasattr(errno, name)
)
"""What a system says that cannot open a directory to sync it, or a file system that cannot sync one."""

_swept: set[str] = set()


class _UnfinishedError(Exception):
    """What could not be done with one of several complete files, in words."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(message)
        self.path = path


def write_text(path: str, text: str, *, errors: str = "strict", error: type[CtreeError] = DataError) -> None:
    """Write a text as UTF-8, its newlines as they are; whatever goes wrong is an `error`."""
    write_together({path: text}, errors=errors, error=error)


def write_together(
    texts: Mapping[str, str | bytes], *, errors: str = "strict", error: type[CtreeError] = DataError
) -> None:
    """Write files that belong together, of text or bytes: none is replaced before all are complete."""
    files = [_File(path) for path in texts]
    path = ""
    try:
        for file, text in zip(files, texts.values(), strict=True):
            path = file.path
            file.open().write(text if isinstance(text, bytes) else text.encode("utf-8", errors))
            file.complete()
        _put_all(files)
    except BrokenPipeError:
        raise
    except (OSError, ValueError, _UnfinishedError) as problem:
        raise _refusal(path, problem, error) from None
    finally:
        _discard_all(files)


@contextmanager
def replacing(path: str, error: type[CtreeError] = DataError, what: str = "file") -> Iterator[IO[bytes]]:
    """A stream whose content takes the place of a file when the block ends, but not if it ends by an exception."""
    file = _File(path)
    try:
        yield file.open()
        file.complete()
        _put_all([file])
    except BrokenPipeError:
        raise
    except (OSError, ValueError, _UnfinishedError) as problem:
        if isinstance(problem, CtreeError):
            raise
        raise _refusal(path, problem, error, what) from None
    finally:
        _discard_all([file])


@contextmanager
def replacing_text(path: str, error: type[CtreeError] = DataError) -> Iterator[TextIO]:
    """The same for text: UTF-8, newlines as they are written, and half characters as ``\\udXXX``."""
    with replacing(path, error) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8", errors="backslashreplace", newline="")
        yield text
        text.flush()
        text.detach()


class _File:
    """A file on its way: opened, completed, put into its place; discarded if it does not come that far."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._target = ""
        self._old: os.stat_result | None = None
        self._stream: IO[bytes] | None = None
        self._temporary: str | None = None
        self._lock: int | None = None
        self._folder: int | None = None
        self._in_place = False

    def open(self) -> IO[bytes]:
        """The stream to write the content to."""
        number = STANDARD_STREAMS.get(self.path)
        if number is not None:
            (sys.stdout if number == 1 else sys.stderr).flush()
            self._stream = os.fdopen(os.dup(number), "wb")
            return self._stream
        with suppress(FileNotFoundError):
            self._old = os.stat(self.path)
        if self._old is not None and not stat.S_ISREG(self._old.st_mode):
            self._stream = open(self.path, "wb")  # noqa: SIM115 - a pipe or a device; a directory is refused
            return self._stream
        if self._old is not None and not os.access(self.path, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        self._target = os.path.realpath(self.path)
        folder = os.path.dirname(self._target)
        _sweep(folder)
        try:
            self._open_temporary(folder)
        except OSError as problem:
            if self._old is None or problem.errno not in TAKES_NO_NEW_FILE:
                raise
            self._in_place, self._stream = True, io.BytesIO()
        assert self._stream is not None
        return self._stream

    def _open_temporary(self, folder: str) -> None:
        # The name is known before the file is there, so that an interrupt at any moment finds it to remove.
        self._temporary = os.path.join(folder, f".ctree-{os.urandom(8).hex()}.tmp")
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        try:
            descriptor = os.open(self._temporary, flags, 0o666)
        except OSError:
            self._temporary = None
            raise
        self._stream = os.fdopen(descriptor, "w+b")
        if fcntl is not None:
            with suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def complete(self) -> None:
        """All is written: see it to the disk, with the owner and the permissions of the file that it replaces."""
        assert self._stream is not None
        self._stream.flush()
        if self._in_place:
            return
        if self._temporary is not None:
            os.fsync(self._stream.fileno())
            if self._old is not None:
                self._be_like(self._temporary, self._old)
            if fcntl is not None:
                self._lock = os.dup(self._stream.fileno())  # which keeps the lock until the file is in its place
        self._stream.close()
        if self._temporary is not None:
            self._folder = _opened_folder(os.path.dirname(self._target))

    def _be_like(self, path: str, old: os.stat_result) -> None:
        now = os.stat(path)
        if hasattr(os, "chown") and (now.st_uid, now.st_gid) != (old.st_uid, old.st_gid):
            with suppress(OSError):
                os.chown(path, old.st_uid, old.st_gid)
        os.chmod(path, stat.S_IMODE(old.st_mode))

    def put(self) -> None:
        """Put the file into its place; nothing if it is there already."""
        if self._in_place:
            assert self._stream is not None
            self._write_over(self._stream)
            self._in_place = False
        elif self._temporary is not None:
            try:
                os.replace(self._temporary, self._target)
            except FileNotFoundError:
                if os.path.exists(self._temporary):
                    raise
            except OSError as problem:
                if problem.errno != errno.EBUSY or self._old is None:
                    raise
                with open(self._temporary, "rb") as content:
                    self._write_over(content)  # a file that is a mount of its own, as containers have them
                return
            self._temporary = None

    def _write_over(self, content: IO[bytes]) -> None:
        import shutil  # which loads compression

        content.seek(0)
        with open(self._target, "wb") as file:
            shutil.copyfileobj(content, file)
            file.flush()
            os.fsync(file.fileno())

    def sync(self) -> None:
        """See to it that the new name is on the disk too, where the system can do that."""
        folder, self._folder = self._folder, None
        if folder is None:
            return
        try:
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        except OSError as problem:
            if problem.errno not in NO_SYNC_OF_FOLDERS:
                raise

    def discard(self) -> None:
        """Leave nothing behind that is not in its place."""
        temporary, self._temporary = self._temporary, None
        if temporary is not None:
            with suppress(OSError):
                os.unlink(temporary)
        if self._stream is not None:
            with suppress(OSError, ValueError):
                self._stream.close()
        for descriptor in (self._lock, self._folder):
            if descriptor is not None:
                with suppress(OSError):
                    os.close(descriptor)
        self._lock = self._folder = None


def _opened_folder(folder: str) -> int | None:
    """A directory to be synced; None where that cannot be done."""
    try:
        return os.open(folder, os.O_RDONLY)
    except OSError as problem:
        if problem.errno in NO_SYNC_OF_FOLDERS:
            return None
        raise


def _put_all(files: Sequence[_File]) -> None:
    """Put complete files into their places, then see their names to the disk."""
    try:
        for file in files:
            try:
                file.put()
            except OSError as problem:
                raise _UnfinishedError(file.path, f"cannot be written ({_reason(problem)})") from None
    except KeyboardInterrupt:
        for file in files:  # rather all than some
            file.put()
        raise
    for file in files:
        try:
            file.sync()
        except OSError as problem:
            message = f"was written, but a crash of the system could undo that ({_reason(problem)})"
            raise _UnfinishedError(file.path, message) from None


def _discard_all(files: Sequence[_File]) -> None:
    for file in files:
        file.discard()


def _refusal(path: str, problem: Exception, error: type[CtreeError], what: str = "file") -> CtreeError:
    path = problem.path if isinstance(problem, _UnfinishedError) else path
    rest = str(problem) if isinstance(problem, _UnfinishedError) else f"cannot be written ({_reason(problem)})"
    message = f"the {what} {rest}"
    return DataError(message, path) if error is DataError else error(f"{abbreviated_path(path)}: {message}")


def _reason(problem: Exception) -> str:
    return problem.strerror if isinstance(problem, OSError) and problem.strerror else str(problem)


def _sweep(folder: str) -> None:
    """Remove what killed processes have left in a directory; once a process, as a directory may be large."""
    if fcntl is None or folder in _swept:
        return
    _swept.add(folder)
    with suppress(OSError), os.scandir(folder) as entries:
        for name in [entry.name for entry in entries if LEFTOVER.fullmatch(entry.name)]:
            with suppress(OSError):
                _remove_leftover(os.path.join(folder, name))


def _remove_leftover(path: str) -> None:
    assert fcntl is not None
    descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        found = os.fstat(descriptor)
        if stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid() and time.time() - found.st_mtime > OLD:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # an OSError if somebody is still writing
            os.unlink(path)
    finally:
        os.close(descriptor)
