"""Where commands write: never to what they read, and over other files that exist only with `--force`.

Every command names what it reads and what it writes to `check_outputs` before it does anything. A file that exists is
replaced only if it is empty or of the kind that the command writes there, which its first or its last bytes tell. Cases
and exported programs have nothing that tells them from other people's, so these are never replaced without `--force`.
"""

from __future__ import annotations

import argparse
import os
import re
import stat
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ctree.data.files.writing import STANDARD_STREAMS
from ctree.errors import DataError, ParameterError
from ctree.wording import abbreviated_path

PARQUET = (".parquet", ".pq")
ENDS = 4096
"""So many bytes at either end of a file are looked at."""


class Kind(NamedTuple):
    """What is written to a file.

    Parameters
    ----------
    what : str
        What it is called in messages.
    sign : bytes or None
        A pattern of the first bytes, or of the last ones, of every such file; None if there is none.
    """

    what: str
    sign: bytes | None = None

    def is_in(self, path: str) -> bool:
        """Whether a file is of this kind, by its ends."""
        if self.sign is None:
            return False
        try:
            with open(path, "rb") as file:
                start = file.read(ENDS)
                file.seek(max(os.path.getsize(path) - ENDS, 0))
                end = file.read(ENDS)
        except OSError:
            return False
        pattern = re.compile(self.sign, re.DOTALL)
        return any(pattern.match(part) is not None for part in (start, end))


class Output(NamedTuple):
    """A file to be written, or None where nothing is."""

    path: str | None
    kind: Kind


MODEL = Kind("model", rb'\s*\{\s*"format"\s*:\s*"ctree-model"')
CHECKPOINT = Kind("checkpoint", rb'\{"what": "ctree checkpoint"')
PREDICTIONS = Kind(
    "predictions", rb'(case|example|key),prediction,"?p\(|\{"(case|example|key)": [^\n]*?, "prediction": '
)
VERDICTS = Kind("verdicts", rb"case,prediction,consistency,standard_error,verdict,actual\r?\n")
ITEMSETS = Kind("itemsets", rb'items,support(,"?n\(|\r?\n)|\{"items": \[.*?\], "support": ')
PAGE = Kind("page", rb'<!doctype html>.*?<meta name="generator" content="ctree">')
PICTURE = Kind(
    "picture",
    rb"\x89PNG.*?Software\x00ctree, with|.*/Creator \(ctree, with|%!PS.*?%%Creator: ctree, with|<\?xml.*?ctree, with",
)
CASES = Kind("cases")
PROGRAM = Kind("program")


def picture_output(path: str | None) -> Output:
    """A picture, by the name that its file will have."""
    if path is not None and not os.path.splitext(path)[1].removeprefix("."):
        from ctree.render.plots.figures import picture_file

        path, _ = picture_file(path)
    return Output(path, PICTURE)


def add_force(group: argparse._ActionsContainer, unasked: bool = True) -> None:
    """The option to replace whatever is there; what the command itself wrote is replaced `unasked`, or not."""
    only = "only one that is empty, or that this command wrote" if unasked else "only one that is empty"
    group.add_argument("--force", action="store_true", help=f"replace a file that exists (default: {only})")


def check_outputs(
    outputs: Sequence[Output], inputs: Iterable[str | None], force: bool, also: Iterable[str | None] = ()
) -> None:
    """Refuse outputs that must not, or cannot, be written, before any time is spent.

    Parameters
    ----------
    outputs : sequence of Output
        What is to be written.
    inputs : iterable of str or None
        The files that are read, whether they are there or not.
    force : bool
        Whether files of other kinds may be replaced.
    also : iterable of str or None
        Files that are read and may be replaced all the same, as a run that goes on.
    """
    read = [path for path in inputs if path is not None]
    carried_on = [path for path in also if path is not None]
    written: list[str] = []
    for path, kind in outputs:
        if path is None:
            continue
        if not path:
            raise ParameterError(f"the name of the file for the {kind.what} is empty")
        _refuse_own_input(path, read)
        if any(_is_same(path, other) for other in written):
            raise ParameterError(f"{abbreviated_path(path)}: two results cannot be written to the same file")
        written.append(path)
        if path.lower().endswith(PARQUET):
            raise ParameterError(
                f"{abbreviated_path(path)}: this would be taken for a Parquet file with cases; choose another suffix"
            )
        if kind is PICTURE:
            from ctree.render.plots.figures import picture_file

            picture_file(path)  # an error if there are no pictures, or none of this format
        _refuse_place(path, kind)
        if not (force or any(_is_same(path, other) for other in carried_on)):
            _refuse_other_kind(path, kind)


def _refuse_own_input(path: str, read: Sequence[str]) -> None:
    for other in read:
        if _is_same(path, other):
            known = "" if path == other else f", as '{abbreviated_path(other, 80)}'"
            raise ParameterError(
                f"{abbreviated_path(path)}: this file is read by the same command{known}; write to another one"
            )


def _refuse_place(path: str, kind: Kind) -> None:
    folder = os.path.dirname(path) or "."
    why = None
    if os.path.isdir(path):
        why = "this is a directory"
    elif not os.path.isdir(folder):
        why = f"there is no directory '{abbreviated_path(folder, 80)}'"
    if why is not None:
        raise DataError(f"the {kind.what} cannot be written there, as {why}", path)


def _refuse_other_kind(path: str, kind: Kind) -> None:
    if path in STANDARD_STREAMS:
        return
    try:
        found = os.stat(path)
    except (OSError, ValueError):  # not there yet, or whoever writes will say what is wrong with it
        return
    if not stat.S_ISREG(found.st_mode) or found.st_size == 0 or kind.is_in(path):
        return
    other = "" if kind.sign is None else f", and holds no {kind.what} of ctree"
    raise DataError(f"the file exists already{other}; --force overwrites it", path)


def _is_same(one: str, other: str) -> bool:
    """Whether two paths are one file, by whatever name or link, be it there or not."""
    try:
        first, second = os.stat(one), os.stat(other)
    except (OSError, ValueError):
        return _real(one) == _real(other)
    return stat.S_ISREG(first.st_mode) and os.path.samestat(first, second)


def _real(path: str) -> str:
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):  # no path at all
        return path
