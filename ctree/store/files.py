"""Model files as text: read whole, written whole or not at all."""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from ctree.errors import ModelError


def read_text(file: str) -> str:
    """The text of a file; one that cannot be read is a `ModelError`."""
    try:
        with open(file, "rb") as stream:
            return stream.read().decode("utf-8-sig")
    except FileNotFoundError:
        raise ModelError(f"{file}: there is no such file") from None
    except IsADirectoryError:
        raise ModelError(f"{file}: this is a directory, not a model") from None
    except UnicodeDecodeError as error:
        raise ModelError(f"{file}: not a model: byte {error.start + 1} is not UTF-8 text") from None
    except (OSError, ValueError) as error:
        raise ModelError(f"{file}: the file cannot be read ({_reason(error)})") from None


def write_atomically(file: str, text: str) -> None:
    """Replace a file by one with this text, in one step, so that nobody ever sees half of it."""
    # A character that UTF-8 lacks, half of a pair, becomes \\udXXX, which is JSON's way to write it too.
    content = text.encode("utf-8", "backslashreplace")
    try:
        file_itself = os.path.realpath(file)
        if os.path.exists(file_itself) and not os.path.isfile(file_itself):
            with open(file, "wb") as stream:  # a pipe or a device; a directory is refused by the system
                stream.write(content)
        else:
            _replace(file_itself, content)
    except (OSError, ValueError) as error:
        raise ModelError(f"{file}: the file cannot be written ({_reason(error)})") from None


def _replace(file: str, content: bytes) -> None:
    mode = stat.S_IMODE(os.stat(file).st_mode) if os.path.exists(file) else None
    temporary = f"{file}.{os.getpid()}.tmp"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        if mode is not None:
            os.chmod(temporary, mode)
        os.replace(temporary, file)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _reason(error: Exception) -> str:
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)
