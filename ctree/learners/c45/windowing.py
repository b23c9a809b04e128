"""Windowing: grow from a part of the cases, add those it gets wrong, and again; the best of several trials."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.learners.c45.classifier import C45Classifier
from ctree.learners.c45.release8 import release8_predictions, tidied
from ctree.tree.tree import Tree
from ctree_ext.base.glibc_random import units
from ctree_ext.base.node_arrays import NodeArrays
from ctree_ext.prune.release8 import Pruner


class GlibcRandom:
    """The generator behind glibc's ``random()``, never seeded, from which release 8 draws.

    >>> draws = GlibcRandom()
    >>> draws.next31(), draws.next31()
    (1804289383, 846930886)
    """

    def __init__(self, seed: int = 1) -> None:
        state = [seed]
        for _ in range(30):
            state.append(16807 * state[-1] % 2147483647)
        for i in range(31, 344):
            state.append(state[i - 31] if i < 34 else (state[i - 31] + state[i - 3]) & 0xFFFFFFFF)
        self._state = state[-31:]

    def next31(self) -> int:
        value = (self._state[0] + self._state[28]) & 0xFFFFFFFF
        self._state = [*self._state[1:], value]
        return value >> 1

    def next_unit(self) -> float:
        """The next number in [0, 1)."""
        return self.next31() / 2147483648.0

    def units(self, n: int) -> npt.NDArray[np.float64]:
        """The next n numbers in [0, 1).

        >>> one, other = GlibcRandom(), GlibcRandom()
        >>> one.units(100).tolist() == [other.next_unit() for _ in range(100)], one.next31() == other.next31()
        (True, True)
        """
        numbers, state = units(np.array(self._state, dtype=np.uint32), n)
        self._state = state.tolist()
        return numbers


@dataclass(frozen=True)
class Cycle:
    """One tree of a trial: how large its window was and how it did."""

    window: int
    size: int
    window_errors: int
    other_cases: int
    other_errors: int


@dataclass(frozen=True)
class Trial:
    """The best tree of one trial, as grown and as pruned with all cases."""

    cycles: tuple[Cycle, ...]
    grown: Tree
    pruned: Tree

    @property
    def estimated_errors(self) -> float:
        return float(self.pruned.errors[0])


def default_window(n_cases: int) -> int:
    """A fifth of the cases, at least twice their square root."""
    return int(max(2 * np.sqrt(n_cases), n_cases // 5))


def run_trials(
    learner: C45Classifier, data: Dataset, trials: int = 10, window: int | None = None, increment: int | None = None
) -> Iterator[Trial]:
    """Grow a tree by windowing, several times, from windows drawn with release 8's own random numbers.

    Parameters
    ----------
    learner : C45Classifier
        Its parameters are used; it is not fitted.
    data : Dataset
    trials : int
    window : int, optional
        Cases in the first window; by default a fifth of all, at least twice the square root of their number.
    increment : int, optional
        Cases that are added at most, unless half of the exceptions are more; by default a fifth of the window.
    """
    window = default_window(data.n_cases) if window is None else window
    increment = max(window // 5, 1) if increment is None else increment
    windower = _Windower(learner, data)
    for _ in range(trials):
        yield windower.trial(min(window, data.n_cases), increment)


def best_trial(trials: list[Trial]) -> int:
    """The trial whose pruned tree has the least estimated errors, the first of equals."""
    return min(range(len(trials)), key=lambda t: trials[t].estimated_errors)


class _Windower:
    def __init__(self, learner: C45Classifier, data: Dataset) -> None:
        self.learner = learner
        self.data = data
        self.single = learner._is_single(data)
        self.table = learner._table(data, self.single)
        self.grower = learner._grower(self.table, keep_order=True)
        self.draws = GlibcRandom()
        assert data.classes is not None
        self.classes = data.classes
        self.order = list(range(data.n_cases))

    def trial(self, window: int, increment: int) -> Trial:
        self.shuffle()
        self.form_window(window)
        cycles: list[Cycle] = []
        best: NodeArrays | None = None
        least = None
        while True:
            rows = np.array(self.order[:window], dtype=np.int32)
            grown = self.learner._grown(self.data.schema, self.grower, rows, self.single)
            # The original has one list of cases: growing and pruning reorder it, and the next window starts from that.
            assert self.grower.order is not None
            self.order[:window] = self.grower.order.tolist()
            tree = self.learner._tree_in(self.data.schema, grown, self.single)
            wrong = release8_predictions(tree, self.data) != self.classes
            others = np.array(self.order[window:], dtype=np.int64)
            exceptions = [int(row) for row in others[wrong[others]]]
            # the original rounds the window's errors, which may be fractions
            window_errors = int(grown.errors[0] + 0.5)
            cycles.append(Cycle(window, len(tree), window_errors, len(others), len(exceptions)))
            total = window_errors + len(exceptions)
            if least is None or total < least:
                least, best = total, grown
            if not exceptions:
                break
            self.move_behind_window(window, wrong)
            window = min(window + max(min(len(exceptions), increment), len(exceptions) // 2), self.data.n_cases)
        assert best is not None
        pruner = Pruner(self.table, confidence=self.learner.confidence, keep_order=True)
        pruned = pruner.prune(best, np.array(self.order, dtype=np.int32))
        assert pruner.order is not None
        self.order = pruner.order.tolist()
        if self.learner.group_values:
            pruned = tidied(self.data.schema, pruned)
        trees = [self.learner._tree_in(self.data.schema, arrays, self.single) for arrays in (best, pruned)]
        return Trial(tuple(cycles), *trees)

    def shuffle(self) -> None:
        n = len(self.order)
        for k in range(n):
            other = k + int((n - k) * self.draws.next_unit())
            self.order[k], self.order[other] = self.order[other], self.order[k]

    def form_window(self, window: int) -> None:
        """Bring the classes to the front in numbers as equal as they allow."""
        place = 0
        for cls, wanted in enumerate(self.targets(window)):
            at = place
            while wanted > 0:
                if self.classes[self.order[at]] == cls:
                    self.order[at], self.order[place] = self.order[place], self.order[at]
                    place += 1
                    wanted -= 1
                at += 1

    def targets(self, window: int) -> list[int]:
        counts = np.bincount(self.classes, minlength=self.data.schema.n_classes).tolist()
        targets = [0] * len(counts)
        left = set(range(len(counts)))
        while left:
            cls = min(left, key=lambda c: (counts[c], c))
            targets[cls] = min(counts[cls], window // len(left))
            window -= targets[cls]
            left.remove(cls)
        return targets

    def move_behind_window(self, window: int, wrong: npt.NDArray[np.bool_]) -> None:
        place = window
        for at in range(window, len(self.order)):
            if wrong[self.order[at]]:
                self.order[at], self.order[place] = self.order[place], self.order[at]
                place += 1
