"""The check of a page of the documentation in a process of its own."""

from __future__ import annotations

import contextlib
import io
import sys
import warnings
from multiprocessing.connection import Connection
from pathlib import Path


def check_page(page: Path, options: tuple[str, ...], result: Connection) -> None:
    """Check a page as `python docs/pages.py` does, and send its status and what it prints."""
    import pages

    warnings.simplefilter("ignore")
    sys.argv = ["pages.py", "--quiet", *options, str(page)]
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        status = int(pages.main())
    result.send((status, printed.getvalue()))
