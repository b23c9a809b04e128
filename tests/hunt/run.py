"""A run over many sets of a kind."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, field
from random import Random

from ctree.errors import SmallWeightsWarning

from .kinds import KINDS
from .sets import Set, draw_set
from .smaller import smaller


@dataclass
class Outcome:
    """How many sets of a kind were compared, which of them differ, and in what."""

    kind: str
    seed: int
    start: int
    count: int = 0
    seconds: float = 0.0
    differences: dict[int, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return (
            f"{self.kind}, seed {self.seed}: {self.count} sets from {self.start} on, {len(self.differences)} differ "
            f"({self.seconds:.0f} s)"
        )


def set_number(kind: str, seed: int, number: int) -> Set:
    """One set; it depends on nothing else."""
    return draw_set(Random(f"{kind} {seed} {number}"), kind)


def difference(kind: str, given: Set) -> str | None:
    """How the two sides differ; an exception on either is a difference too."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", SmallWeightsWarning)  # both sides make a leaf, as they should
            return KINDS[kind](given)
    except Exception as error:  # whatever it is, it is to be reported
        return f"{type(error).__name__}: {error}"


def run(kind: str, seed: int, start: int, count: int | None, seconds: float | None = None) -> Outcome:
    """Compare `count` sets from number `start` on, or as many as the time allows."""
    outcome = Outcome(kind, seed, start)
    begin = time.perf_counter()
    while (count is None or outcome.count < count) and (seconds is None or outcome.seconds < seconds):
        number = start + outcome.count
        what = difference(kind, set_number(kind, seed, number))
        if what is not None:
            outcome.differences[number] = what
        outcome.count += 1
        outcome.seconds = time.perf_counter() - begin
    return outcome


def told(kind: str, seed: int, number: int) -> str:
    """A set that differs, made smaller, and in what; or that it does not differ."""
    given = set_number(kind, seed, number)
    what = difference(kind, given)
    if what is None:
        return f"{given.text()}\n\n{kind} {number} of seed {seed}: no difference"
    small = smaller(given, lambda candidate: difference(kind, candidate) is not None)
    return f"{kind} {number} of seed {seed}: {what}\nmade smaller: {difference(kind, small)}\n{small.text()}"
