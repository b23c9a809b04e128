"""Files as bytes of UTF-8 text, and the words of messages about them."""

from __future__ import annotations

import os
from collections.abc import Callable

from ctree.errors import DataError
from ctree.wording import abbreviated as abbreviated
from ctree.wording import abbreviated_list as abbreviated_list
from ctree.wording import near_match as near_match
from ctree.wording import nearest as nearest

BOM = b"\xef\xbb\xbf"


def path_text(path: str | os.PathLike[str]) -> str:
    """A path as the person gave it."""
    return os.fsdecode(path)


def read_utf8(path: str, check: Callable[[bytes, str], None] | None = None) -> bytes:
    """The bytes of a file, which are known to be UTF-8 text; a wrong file is a `DataError`.

    Parameters
    ----------
    check : callable, optional
        Called with the bytes and the path before it is known that they are text.
    """
    try:
        with open(path, "rb") as file:
            text = file.read()
    except FileNotFoundError:
        raise DataError("there is no such file", path) from None
    except IsADirectoryError:
        raise DataError("this is a directory, not a file", path) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise DataError(f"the file cannot be read ({reason})", path) from None
    if check is not None:
        check(text, path)
    if not text.isascii():
        check_utf8(text, path)
    return text


def check_utf8(text: bytes, path: str) -> None:
    try:
        text.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"the byte 0x{text[error.start]:02x} is not UTF-8 text; save the file as UTF-8"
        raise DataError(message, path, line_of(text, error.start)) from None


def line_of(text: bytes, offset: int) -> int:
    """The line, from 1, on which a byte stands."""
    return text.count(b"\n", 0, offset) + 1
