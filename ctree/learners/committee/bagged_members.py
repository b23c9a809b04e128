"""Members that learn from bags: drawn, grown in threads, and asked about what is out of their bags."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ctree.learners.committee.bags import Times, bag
from ctree.learners.committee.out_of_bag import OutOfBag
from ctree.learners.committee.runs import fill
from ctree.progress import Progress, ProgressCallback

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]


class Training(Protocol):
    """What the members of a committee share: all that they learn from."""

    places: Places
    """Of the examples that weigh something."""

    @property
    def n_classes(self) -> int: ...

    def __len__(self) -> int: ...

    def times(self, drawn: Times) -> Times:
        """How often each given example is in a bag that was drawn of those that weigh something."""
        ...

    def numbered_member(self, number: int, times: Times) -> Any:
        """The learner, fitted to a bag. Several threads may call it; `stop` ends it by an InterruptedError."""
        ...

    def says(self, member: Any, places: Places) -> Floats:
        """The class probabilities of examples by a member."""
        ...

    def stop(self) -> None:
        """Ask all that is at work to end."""
        ...


class BaggedMembers:
    """The members of a committee, each in its place as soon as it is there.

    Parameters
    ----------
    training : Training
    seed : int
        See `bag`.
    share : float
        How many examples are drawn for each member, as a share of all.
    wanted : int
        How many members there should be.
    before : sequence
        The first of them, which are there already.
    """

    def __init__(self, training: Training, seed: int, share: float, wanted: int, before: Sequence[Any] = ()) -> None:
        self._training, self._seed, self._share, self._before = training, seed, share, tuple(before)
        self._found: list[Any] = [None] * wanted
        self.said = OutOfBag(len(training), training.n_classes)

    @property
    def members(self) -> tuple[Any, ...]:
        """Those from the first to the last before one that is missing."""
        return tuple(self._found[: self.said.n_members])

    @property
    def has_more(self) -> bool:
        """Whether any was added."""
        return self.said.n_members > len(self._before)

    def grow(self, threads: int, told: ProgressCallback | None) -> None:
        """Grow those that are missing; an exception that ends it leaves those that are done."""
        began = time.monotonic()
        look = None if told is None else lambda: told(self._progress(time.monotonic() - began))
        fill(self._found, self._grown, threads, self._training.stop, look)
        if look is not None:
            look()

    def _grown(self, number: int) -> Any:
        training = self._training
        times = training.times(bag(self._seed, number, len(training.places), self._share))
        member = self._before[number] if number < len(self._before) else training.numbered_member(number, times)
        outside = np.flatnonzero(times == 0)
        self.said.add(number, outside, training.says(member, outside))
        return member

    def _progress(self, seconds: float) -> Progress:
        leaves = [member.tree_.n_leaves for member in self._found if member is not None]
        rate = max(len(leaves) - len(self._before), 0) / max(seconds, 1e-9)
        return progress_of(leaves, len(self._found), rate)


def progress_of(leaves: Sequence[int], wanted: int, rate: float) -> Progress:
    """How far a committee is whose members have so many leaves."""
    figures = {"leaves": float(np.mean(leaves))} if leaves else {}
    return Progress("growing", len(leaves), wanted, rate, "trees", figures)
