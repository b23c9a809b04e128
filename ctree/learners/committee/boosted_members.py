"""Members that learn from the errors of those before: AdaBoost.M1 as Quinlan has it, and SAMME.

All cases are learned from, each with a weight; the weights add up to the number of cases, or to what they weighed at
first. The error of a member is the
share of the weight that it predicts wrong. Then those that it predicts right lose weight by a factor, and the weights
are scaled to add up as before, so that the next member goes for the others. Folds of the cases are boosted at the same
time, for the calibration: what their members say of the cases out of the fold shows how much a share of votes is worth.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.learners.committee.bagged_members import progress_of
from ctree.learners.committee.calibration import best_slope, by_slope
from ctree.learners.committee.case_training import CaseTraining
from ctree.learners.committee.runs import fill
from ctree.learners.committee.votes import ballots
from ctree.progress import ProgressCallback

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]

LEAST_WEIGHT = 1e-50
"""What is left of the weight of a case that was always predicted right."""

NEARLY = 1e-12
"""An error so near to the one at which boosting ends is that: sums are rounded."""


@dataclass(frozen=True)
class Verdict:
    """What follows from the errors of a member.

    Parameters
    ----------
    error : float
        The share of the weight of the cases that it predicts wrong.
    vote : float
        What its votes count.
    counts : bool
        Whether it belongs to the committee.
    goes_on : bool
        Whether another member follows.
    """

    error: float
    vote: float
    counts: bool
    goes_on: bool


class BoostedWeights:
    """The weights of cases, as they change from member to member.

    Parameters
    ----------
    classes : array (cases,)
    start : array (cases,)
        What they weigh at first, 0 for cases that are not learned from.
    samme : bool
        SAMME instead of AdaBoost.M1, for as many classes as the cases have that weigh something.

    Examples
    --------
    >>> boosted = BoostedWeights(np.array([0, 0, 1, 1]), np.ones(4), False)
    >>> boosted.judge(np.array([0, 0, 1, 0]))
    Verdict(error=0.25, vote=1.0986122886681098, counts=True, goes_on=True)
    >>> boosted.weights.round(3).tolist()
    [0.667, 0.667, 0.667, 2.0]
    """

    def __init__(self, classes: npt.NDArray[Any], start: Floats, samme: bool) -> None:
        self._classes = classes
        # a class without cases is none that a guess could fall on
        self._others = max(len(np.unique(classes[start > 0])) - 1, 1) if samme else 1
        # sums of those that weigh something, so that they are the same bits as if the others were not there
        self._there = start > 0
        self._sum = float(start[self._there].sum())
        self._first = True
        self.weights = start

    def judge(self, predicted: Codes) -> Verdict:
        """Change the weights by what a member predicts of the cases."""
        right = predicted == self._classes
        error = float(self.weights[self._there & ~right].sum()) / float(self.weights[self._there].sum())
        others = float(self._others)
        worst = others / (others + 1)  # a guess among the classes; of two, or by M1, a half
        is_first, self._first = self._first, False
        if error >= worst - NEARLY:
            # the first is better than none
            return Verdict(error, 1.0 if is_first else 0.0, is_first, False)
        if error <= 0:
            # its vote would be infinite; it is that of half an error
            half = 0.5 / max(self._sum, 2.0)
            return Verdict(0.0, math.log((1 - half) / half * others), True, False)
        factor = error / (1 - error) / others
        weights = np.where(right & (self.weights > 0), np.maximum(self.weights * factor, LEAST_WEIGHT), self.weights)
        self.weights = self._scaled(weights)
        return Verdict(error, -math.log(factor), True, True)

    def _scaled(self, weights: Floats) -> Floats:
        return weights * (self._sum / float(weights[self._there].sum()))


class Series:
    """One committee in the making, of all cases or of those of some folds."""

    def __init__(self, training: CaseTraining, start: Floats, outside: Codes, samme: bool) -> None:
        self._weights = BoostedWeights(training.classes, start, samme)
        self.outside = outside
        self.ballots = np.zeros((len(outside), training.n_classes))
        self.members: list[Any] = []
        self.verdicts: list[Verdict] = []
        self.goes_on = True

    @property
    def weights(self) -> Floats:
        return self._weights.weights

    def take(self, member: Any, training: CaseTraining, voting: str, keep: bool) -> None:
        """Go on with another member."""
        verdict = self._weights.judge(member.predict_codes(training.data))
        self.goes_on = verdict.goes_on
        if not verdict.counts:
            return
        if len(self.outside):
            cases = training.data.take(self.outside).with_weights(None)
            self.ballots += ballots(member, verdict.vote, cases, voting)
        self.verdicts.append(verdict)
        if keep:
            self.members.append(member)


class BoostedMembers:
    """The members of a committee, one after the other.

    Parameters
    ----------
    training : CaseTraining
    wanted : int
        How many members there should be at most.
    before : sequence
        The first of them, which are there already.
    seed : int
    n_folds : int
        For the calibration; 0: none.
    samme : bool
        See `BoostedWeights`.
    voting : str
        See `ballots`.
    by_drawing : bool
        Draw cases by their weights, for a learner that needs whole ones.
    """

    def __init__(
        self,
        training: CaseTraining,
        wanted: int,
        before: Sequence[Any],
        *,
        seed: int,
        n_folds: int,
        samme: bool,
        voting: str,
        by_drawing: bool,
    ) -> None:
        self._training, self._wanted, self._before, self._seed = training, wanted, tuple(before), seed
        self._voting, self._by_drawing = voting, by_drawing
        data = training.data
        start = np.ones(data.n_cases) if data.weights is None else np.asarray(data.weights)
        self._start = start
        fold = folds(training.classes, n_folds, seed)
        self._series = [Series(training, start, np.empty(0, dtype=np.intp), samme)]
        for number in range(int(fold.max(initial=-1)) + 1):
            out = fold == number
            self._series.append(Series(training, np.where(out, 0.0, start), np.flatnonzero(out), samme))

    @property
    def members(self) -> tuple[Any, ...]:
        return tuple(self._series[0].members)

    @property
    def has_more(self) -> bool:
        """Whether any was added."""
        return len(self._series[0].members) > len(self._before)

    @property
    def verdicts(self) -> list[Verdict]:
        """Of each member."""
        return self._series[0].verdicts

    def grow(self, threads: int, told: ProgressCallback | None) -> None:
        """Go on until there are enough members or boosting ends; an exception leaves those that are done."""
        began, lead = time.monotonic(), self._series[0]

        def look() -> None:
            if told is not None:
                done = [_leaves(member) for member in list(lead.members)]
                rate = max(len(done) - len(self._before), 0) / max(time.monotonic() - began, 1e-9)
                told(progress_of(done, self._wanted, rate))

        for number in range(self._wanted):
            if not lead.goes_on:
                break
            active = [series for series in self._series if series.goes_on]
            found: list[Any] = [None] * len(active)
            fill(found, lambda place: self._go_on(active[place], number), threads, self._training.stop, look)  # noqa: B023
        look()

    def _go_on(self, series: Series, number: int) -> bool:
        """Add a member to a series."""
        leads, training = series is self._series[0], self._training
        if leads and number < len(self._before):
            member = self._before[number]
        else:
            weights = series.weights
            if self._by_drawing:
                key = (number,) if leads else (number, self._series.index(series))
                weights = drawn_by_weight(weights, self._seed, key)
            member = training.weighted_member(number, weights)
        series.take(member, training, self._voting, leads)
        return True

    def calibrated(self) -> tuple[float | None, Floats]:
        """The slope of the calibration, and the probabilities of the cases by the folds that they are not in.

        None and NaN where there are no folds, or not all of them have members.
        """
        training, proba = self._training, np.full((len(self._training), self._training.n_classes), np.nan)
        others = self._series[1:]
        if not others or not all(series.verdicts for series in others):
            return None, proba
        rows = np.concatenate([series.outside for series in others])
        votes = np.concatenate([series.ballots for series in others])
        shares = votes / votes.sum(axis=1, keepdims=True)
        slope = best_slope(shares, training.classes[rows], self._start[rows])
        proba[training.places[rows]] = by_slope(shares, slope)
        return slope, proba


def folds(classes: npt.NDArray[Any], n_folds: int, seed: int) -> Codes:
    """The fold of each case, from 0, every class spread evenly; -1 for all where there are too few cases.

    Examples
    --------
    >>> np.bincount(folds(np.array([0] * 6 + [1] * 3), 3, 1)).tolist()
    [3, 3, 3]
    """
    n = len(classes)
    if not n_folds or n < 2 * n_folds:
        return np.full(n, -1, dtype=np.intp)
    stream = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0, 0, 0)))
    order = stream.permutation(n)
    order = order[np.argsort(classes[order], kind="stable")]
    result = np.empty(n, dtype=np.intp)
    result[order] = np.arange(n) % n_folds
    return result


def drawn_by_weight(weights: Floats, seed: int, key: tuple[int, ...]) -> Floats:
    """How often each case is drawn, if as many are drawn as weigh something, each by its weight."""
    stream = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))
    drawn = stream.choice(len(weights), size=int(np.count_nonzero(weights)), p=weights / weights.sum())
    return np.bincount(drawn, minlength=len(weights)).astype(np.float64)


def _leaves(member: Any) -> int:
    return int(member.tree_.n_leaves)
