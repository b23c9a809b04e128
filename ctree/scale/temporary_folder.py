"""Temporary folders, removed by the next process if their own was ended before it could do so."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import stat
import sys
import tempfile

if sys.platform != "win32":
    import fcntl

LOCK = "lock"
"""A file in the folder that its process keeps locked. The system lets go of the lock however the process ends."""


class TemporaryFolder:
    """A new folder among the temporary files, marked as in use by this process.

    Folders with the same prefix whose processes are gone are removed first.

    Parameters
    ----------
    prefix : str
        How its name begins.
    """

    def __init__(self, prefix: str) -> None:
        _remove_left_overs(prefix)
        self.path = tempfile.mkdtemp(prefix=prefix)
        self._owner = os.getpid()
        self._lock = _locked(self.path)

    def remove(self) -> None:
        """Remove the folder with all that is in it, unless this is a process that was forked from its own."""
        if os.getpid() != self._owner:
            return
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _locked(path: str) -> int | None:
    """The descriptor of the lock in a folder; None where files cannot be locked, so that nobody takes it for left."""
    if sys.platform == "win32":
        return None
    # The file gets its name when it is locked, so that nobody finds it as that of a process that is gone.
    making = os.path.join(path, f".{secrets.token_hex(4)}")
    descriptor = None
    try:
        descriptor = os.open(making, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.rename(making, os.path.join(path, LOCK))
    except OSError:
        if descriptor is not None:
            os.close(descriptor)
        return None
    return descriptor


def _remove_left_overs(prefix: str) -> None:
    parent = tempfile.gettempdir()
    with contextlib.suppress(OSError):
        for name in os.listdir(parent):
            if name.startswith(prefix):
                _remove_if_left(os.path.join(parent, name))


def _remove_if_left(path: str) -> None:
    """Remove a folder of this user that has a lock which nobody holds."""
    if sys.platform == "win32":
        return
    with contextlib.suppress(OSError):
        told = os.lstat(path)
        if not stat.S_ISDIR(told.st_mode) or told.st_uid != os.getuid():
            return
        descriptor = os.open(os.path.join(path, LOCK), os.O_RDWR | os.O_NOFOLLOW)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(path, ignore_errors=True)
        finally:
            os.close(descriptor)
