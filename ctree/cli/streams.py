"""What commands say on standard error, and streams that nobody reads any more."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, TextIO

from ctree.errors import LONGEST
from ctree.wording import abbreviated, abbreviated_path

if TYPE_CHECKING:
    from ctree.data.schema import Attribute


def warn(message: str) -> None:
    say(f"ctree: warning: {message}")


def warn_of_value(path: str, attribute: Attribute, value: object) -> None:
    warn(
        f"{abbreviated_path(path)}: attribute '{abbreviated(attribute.name)}' has the value '{abbreviated(value)}', "
        "which the model does not know; it is taken as unknown"
    )


def say(message: str) -> None:
    """Write a line to standard error. Where nobody listens, the exit status has to do.

    Its end goes with it in one call: Ctrl-C could come between two, and its message would continue the line.
    """
    try:
        sys.stderr.write(abbreviated(message, LONGEST) + "\n")
        sys.stderr.flush()
    except OSError:
        let_go_of(sys.stderr)


def let_go_of(stream: TextIO) -> None:
    """What could not be written cannot be written later either, when Python closes the stream."""
    with suppress(OSError, ValueError):  # a stream that is not a file needs no such thing
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
