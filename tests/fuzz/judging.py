"""What becomes of an input, and what counts as a finding."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ctree.errors import CtreeError

LONGEST_MESSAGE = 500
TOLERANCE = 1e-6
"""By how much probabilities may fail to add up to 1."""


class FindingError(AssertionError):
    """Something that must not happen."""


class VoidError(Exception):
    """An input that another library refuses before ctree sees it."""


@dataclass(frozen=True)
class Verdict:
    """What became of an input.

    Parameters
    ----------
    outcome : str
        ``"valid"`` if it was accepted, ``"refused"``, ``"void"``, or ``"finding"``.
    what : str
        The kind of finding, or of refusal.
    where : str
        The function of ctree where it happened.
    message : str
    """

    outcome: str
    what: str = ""
    where: str = ""
    message: str = ""

    def to_plain(self) -> dict[str, str]:
        return asdict(self)

    @property
    def signature(self) -> tuple[str, str]:
        """The same for findings that are likely to be the same fault."""
        return self.what, self.where


def judged(kind: Any, given: Any, folder: Path) -> Verdict:
    """Run an input and see what becomes of it."""
    try:
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            accepted = kind.run(given, folder)
    except CtreeError as error:
        try:
            check_message(str(error))
        except FindingError as finding:
            return Verdict("finding", str(finding), _place(error), str(error)[:2000])
        return Verdict("refused", type(error).__name__, _place(error), str(error))
    except VoidError as error:
        return Verdict("void", message=str(error))
    except MemoryError as error:
        if kind.MEMORY_MAY_RUN_OUT:
            return Verdict("refused", "MemoryError")
        return Verdict("finding", "MemoryError", _place(error), str(error))
    except FindingError as finding:
        return Verdict("finding", str(finding).splitlines()[0][:100], _place(finding), str(finding)[:2000])
    except Exception as error:
        text = "".join(traceback.format_exception(error))
        return Verdict("finding", type(error).__name__, _place(error), text[-2000:])
    for warning in heard:
        if issubclass(warning.category, RuntimeWarning):
            place = f"{_short(warning.filename)}:{warning.lineno}"
            return Verdict("finding", "RuntimeWarning", place, str(warning.message))
    return Verdict("valid" if accepted else "refused")


def check_message(message: str) -> None:
    """A message is one line that a person can read."""
    if "\n" in message:
        raise FindingError("a message with a raw newline")
    if len(message) > LONGEST_MESSAGE:
        raise FindingError(f"a message of over {LONGEST_MESSAGE} characters")


@contextmanager
def may_refuse() -> Iterator[None]:
    """A step that may be refused in a sentence, without the input being refused."""
    try:
        yield
    except CtreeError as error:
        check_message(str(error))


def check_probabilities(p: Any, n_cases: int, n_classes: int) -> None:
    """A distribution over the classes for each case."""
    if p.shape != (n_cases, n_classes):
        raise FindingError(f"probabilities of the shape {p.shape}")
    if np.isnan(p).any():
        raise FindingError("a probability that is NaN")
    if (p < 0).any():
        raise FindingError("a negative probability")
    if n_cases and np.abs(p.sum(axis=1) - 1).max() > TOLERANCE:
        raise FindingError("probabilities that do not add up to 1")


def check_same(p: Any, q: Any, what: str) -> None:
    """The same to the last bit."""
    if p.shape != q.shape or p.tobytes() != q.tobytes():
        raise FindingError(what)


def _place(error: BaseException) -> str:
    """The last function of ctree that an exception went through, or else of the fuzzer."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f for f in frames if "/ctree/" in f.filename or f.filename.startswith(("ctree", "/ctree"))]
    compiled = [f for f in frames if f.filename.endswith((".pyx", ".pxd"))]
    if not (ours or compiled or frames):
        return ""
    frame = (compiled or ours or frames)[-1]
    return f"{_short(frame.filename)} in {frame.name}"


def _short(filename: str) -> str:
    """A file by its place in the project."""
    for root in ("/ctree_ext/", "/ctree/", "/fuzz/"):
        if root in filename:
            return root[1:] + filename.rpartition(root)[2]
    return filename
