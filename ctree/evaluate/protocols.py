"""How cases are split into training and test cases, in the same way for all learners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ctree.errors import DataError, ParameterError

Rows = npt.NDArray[np.int64]


class Split(NamedTuple):
    """Training and test cases, as indices into the data set."""

    train: Rows
    test: Rows

    @property
    def ratio(self) -> float:
        """Test cases per training case."""
        return len(self.test) / len(self.train)


class Series(NamedTuple):
    """Splits that are averaged, and what to add to the name of the data set for them."""

    suffix: str
    splits: list[Split]


class ResamplingProtocol(Protocol):
    """Anything that splits cases."""

    def series(self, classes: npt.NDArray[np.int32]) -> list[Series]:
        """The splits for cases of these classes."""

    def describe(self) -> str:
        """What is done, in a few words."""


@dataclass(frozen=True)
class StratifiedFolds:
    """Repeated stratified cross-validation.

    Each class is shuffled and dealt to the folds in turn, one class after the other without a new start. So no two
    folds differ by more than one case, in all and in any class.

    Parameters
    ----------
    folds : int
        At least 2.
    repeats : int
        The number of repetitions, each with different folds.
    seed : int

    Examples
    --------
    >>> import ctree, numpy as np
    >>> splits = ctree.StratifiedFolds(folds=2, repeats=1).series(np.array([0, 0, 0, 0, 1, 1]))[0].splits
    >>> [sorted(np.array([0, 0, 0, 0, 1, 1])[split.test].tolist()) for split in splits]
    [[0, 0, 1], [0, 0, 1]]
    """

    folds: int = 10
    repeats: int = 10
    seed: int = 1

    def __post_init__(self) -> None:
        if self.folds < 2:
            raise ParameterError(f"cross-validation needs at least 2 folds, not {self.folds}")
        if self.repeats < 1:
            raise ParameterError(f"repeats must be at least 1, not {self.repeats}")

    def series(self, classes: npt.NDArray[np.int32]) -> list[Series]:
        n = len(classes)
        if n < self.folds:
            raise DataError(f"{n} cases cannot make {self.folds} folds")
        splits = []
        for repeat in range(self.repeats):
            rng = np.random.default_rng([self.seed, repeat])
            shuffled = rng.permutation(n)
            dealt = shuffled[np.argsort(classes[shuffled], kind="stable")]
            fold_of = np.empty(n, dtype=np.int64)
            fold_of[dealt] = np.arange(n) % self.folds
            splits += [Split(np.flatnonzero(fold_of != f), np.flatnonzero(fold_of == f)) for f in range(self.folds)]
        return [Series("", splits)]

    def describe(self) -> str:
        times = "" if self.repeats == 1 else f"{self.repeats} times "
        return f"{times}{self.folds}-fold stratified cross-validation, seed {self.seed}"


@dataclass(frozen=True)
class Holdout:
    """Random splits into training and test cases.

    Parameters
    ----------
    test_share : float
        The share of test cases; rounded to whole cases, at least one.
    repeats : int
    stratified : bool
        Whether every class is divided in this proportion, as far as whole cases allow.
    seed : int

    Examples
    --------
    >>> import ctree, numpy as np
    >>> split = ctree.Holdout(test_share=0.3, repeats=1).series(np.zeros(10, dtype=np.int32))[0].splits[0]
    >>> len(split.train), len(split.test)
    (7, 3)
    """

    test_share: float = 0.3
    repeats: int = 10
    stratified: bool = True
    seed: int = 1

    def __post_init__(self) -> None:
        if not 0 < self.test_share < 1:
            raise ParameterError(
                f"the share of test cases must be greater than 0 and less than 1, not {self.test_share}"
            )
        if self.repeats < 1:
            raise ParameterError(f"repeats must be at least 1, not {self.repeats}")

    def series(self, classes: npt.NDArray[np.int32]) -> list[Series]:
        splits = []
        for order, n_test in self._orders(classes):
            splits.append(Split(np.sort(order[n_test:]), np.sort(order[:n_test])))
        return [Series("", splits)]

    def _orders(self, classes: npt.NDArray[np.int32]) -> list[tuple[Rows, int]]:
        """Per repeat the cases in random order, and how many of the first are to test on."""
        n = len(classes)
        n_test = max(1, round(self.test_share * n))
        if n_test >= n:
            raise DataError(f"{n} cases are too few to hold out {self.test_share:g} of them for testing")
        orders = []
        for repeat in range(self.repeats):
            rng = np.random.default_rng([self.seed, repeat])
            order = rng.permutation(n)
            if self.stratified:
                order = order[_spread(classes[order])]
            orders.append((order, n_test))
        return orders

    def describe(self) -> str:
        kind = "stratified random" if self.stratified else "random"
        share = f"{100 * (1 - self.test_share):g}/{100 * self.test_share:g}"
        return f"{self.repeats} {kind} splits {share} into training and test cases, seed {self.seed}"


@dataclass(frozen=True)
class LearningCurve:
    """Nested training sets of growing size, with the same test cases for all.

    Parameters
    ----------
    sizes : sequence of int
        The numbers of training cases. Sizes beyond those that are left for training are dropped.
    test_share : float
    repeats : int
    stratified : bool
    seed : int

    Examples
    --------
    >>> import ctree, numpy as np
    >>> curve = ctree.LearningCurve(sizes=(5, 10, 500), repeats=2).series(np.arange(100, dtype=np.int32) % 2)
    >>> [(series.suffix, len(series.splits), len(series.splits[0].train)) for series in curve]
    [(' (5)', 2, 5), (' (10)', 2, 10)]
    """

    sizes: Sequence[int]
    test_share: float = 0.3
    repeats: int = 10
    stratified: bool = True
    seed: int = 1

    def __post_init__(self) -> None:
        if not self.sizes or min(self.sizes) < 1:
            raise ParameterError("the sizes of a learning curve must be whole numbers of at least 1")

    def series(self, classes: npt.NDArray[np.int32]) -> list[Series]:
        holdout = Holdout(self.test_share, self.repeats, self.stratified, self.seed)
        orders = holdout._orders(classes)
        sizes = sorted({size for size in self.sizes if size <= len(classes) - orders[0][1]})
        if not sizes:
            raise DataError(f"{len(classes)} cases leave too few training cases for the smallest size of the curve")
        return [
            Series(
                f" ({size})",
                [Split(np.sort(order[n_test : n_test + size]), np.sort(order[:n_test])) for order, n_test in orders],
            )
            for size in sizes
        ]

    def describe(self) -> str:
        sizes = ", ".join(map(str, sorted(set(self.sizes))))
        tested = f"{100 * self.test_share:g} % for testing"
        times = "once" if self.repeats == 1 else f"{self.repeats} times"
        return f"training sets of {sizes} cases, {tested}, {times}, seed {self.seed}"


def _spread(classes: npt.NDArray[np.int32]) -> Rows:
    """An order in which any stretch from the start on has about the same share of every class."""
    n = len(classes)
    position = np.empty(n)
    for c in np.unique(classes):
        own = np.flatnonzero(classes == c)
        # the k-th of m cases belongs at (k + 1/2) / m of the way
        position[own] = (np.arange(len(own)) + 0.5) / len(own)
    return np.argsort(position, kind="stable").astype(np.int64)
