"""Model files as text."""

from __future__ import annotations

from ctree.errors import ModelError
from ctree.wording import abbreviated_path


def read_text(file: str) -> str:
    """The text of a file; one that cannot be read is a `ModelError`."""
    shown = abbreviated_path(file)
    try:
        with open(file, "rb") as stream:
            return stream.read().decode("utf-8-sig")
    except FileNotFoundError:
        raise ModelError(f"{shown}: there is no such file") from None
    except IsADirectoryError:
        raise ModelError(f"{shown}: this is a directory, not a model") from None
    except UnicodeDecodeError as error:
        raise ModelError(f"{shown}: not a model: byte {error.start + 1} is not UTF-8 text") from None
    except (OSError, ValueError) as error:
        raise ModelError(f"{shown}: the file cannot be read ({_reason(error)})") from None


def _reason(error: Exception) -> str:
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)
