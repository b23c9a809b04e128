"""Whether differences are significant: t-tests on resampled results, Friedman and Nemenyi over data sets."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ctree.errors import DataError, ParameterError
from ctree.imports import whole_module
from ctree.wording import abbreviated_list

Floats = npt.NDArray[np.float64]


class TTest(NamedTuple):
    """A two-sided t-test of differences.

    Parameters
    ----------
    mean : float
        The mean difference.
    t : float
    p : float
    df : int
        Degrees of freedom.
    """

    mean: float
    t: float
    p: float
    df: int


class WinsTiesLosses(NamedTuple):
    """How many data sets are significantly better, neither, significantly worse."""

    wins: int
    ties: int
    losses: int

    def __str__(self) -> str:
        return f"{self.wins}/{self.ties}/{self.losses}"


class Friedman(NamedTuple):
    """Friedman's test over data sets, and Nemenyi's for each pair.

    Parameters
    ----------
    ranks : array (learners,)
        The mean rank of each learner; 1 is best.
    statistic : float
        Friedman's chi-square, corrected for ties.
    p : float
        Of the hypothesis that all learners do equally well.
    critical_difference : float
        Nemenyi: mean ranks that differ by less are not significantly different.
    pairs : array (learners, learners)
        Nemenyi's p of each pair.
    n_sets : int
    significance : float
    """

    ranks: Floats
    statistic: float
    p: float
    critical_difference: float
    pairs: Floats
    n_sets: int
    significance: float

    def __repr__(self) -> str:
        ranks = abbreviated_list([f"{rank:.2f}" for rank in self.ranks.tolist()])
        return f"<Friedman: chi-square {self.statistic:.2f}, p = {self.p:.3g}, mean ranks {ranks}>"


def corrected_t(differences: npt.ArrayLike, test_ratio: float) -> TTest:
    """The corrected resampled t-test of Nadeau and Bengio.

    The k differences come from training sets that overlap, so they vary less than independent ones would. Their
    variance s² is therefore multiplied by 1/k + n_test/n_train instead of 1/k.

    Parameters
    ----------
    differences : array (runs,)
        The difference between two learners on each split, of all folds of all repeats.
    test_ratio : float
        Test cases per training case; 1/9 for ten folds. If splits differ in this, the mean over them.

    Returns
    -------
    TTest
        Where all differences are the same, p is 1 if they are 0, and otherwise 0.

    References
    ----------
    Nadeau, Bengio: Inference for the generalization error. Machine Learning 52, 2003.

    Examples
    --------
    >>> differences = 0.012433 + 0.029009 * np.sqrt(99 / 100) * np.tile([-1, 1], 50)
    >>> test = corrected_t(differences, 1 / 9)
    >>> round(test.t, 4), round(test.p, 3), test.df
    (1.2315, 0.221, 99)
    """
    if not test_ratio > 0:
        raise ParameterError(f"test_ratio must be greater than 0, not {test_ratio}")
    values = _values(differences)
    return _t_test(values, 1 / len(values) + test_ratio)


def paired_t(differences: npt.ArrayLike) -> TTest:
    """The paired t-test as if the differences were independent, which those of resampled cases are not.

    It finds too many differences; for comparisons with papers that used it.

    Examples
    --------
    >>> test = paired_t([0.1, 0.3, 0.2, 0.0])
    >>> round(test.t, 4), test.df
    (2.3238, 3)
    """
    values = _values(differences)
    return _t_test(values, 1 / len(values))


def _values(differences: npt.ArrayLike) -> Floats:
    values = np.asarray(differences, dtype=np.float64).ravel()
    if len(values) < 2:
        raise DataError(f"a t-test needs at least 2 differences, not {len(values)}")
    if not np.isfinite(values).all():
        raise DataError("a difference is not a finite number")
    return values


def _t_test(values: Floats, factor: float) -> TTest:
    mean, df = float(values.mean()), len(values) - 1
    variance = float(values.var(ddof=1))
    # Equal differences may have a variance of the last bit.
    if variance <= (1e-14 * max(abs(float(values.max())), abs(float(values.min())))) ** 2:
        return TTest(mean, math.copysign(math.inf, mean) if mean else 0.0, 0.0 if mean else 1.0, df)
    t = mean / math.sqrt(factor * variance)
    return TTest(mean, t, float(2 * whole_module("scipy.stats").t.sf(abs(t), df)), df)


def friedman(scores: npt.ArrayLike, significance: float = 0.05) -> Friedman:
    """Friedman's test of learners over data sets, with Nemenyi's test of all pairs.

    Parameters
    ----------
    scores : array (data sets, learners)
        Greater is better.
    significance : float
        The level of significance of the critical difference.

    References
    ----------
    Demšar: Statistical comparisons of classifiers over multiple data sets. JMLR 7, 2006.

    Examples
    --------
    >>> result = friedman([[3, 2, 1], [6, 5, 4], [9, 8, 7], [3, 1, 2]])
    >>> result.ranks.tolist(), round(result.p, 4), round(result.critical_difference, 3)
    ([1.0, 2.25, 2.75], 0.0388, 1.657)
    """
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] < 2 or table.shape[0] < 2:
        raise DataError("Friedman's test needs at least 2 data sets and 2 learners")
    if not np.isfinite(table).all():
        raise DataError("a score is not a finite number")
    if not 0 < significance < 1:
        raise ParameterError(f"significance must be greater than 0 and less than 1, not {significance}")
    stats = whole_module("scipy.stats")
    n, k = table.shape
    each = stats.rankdata(-table, axis=1)
    ranks = np.asarray(each.mean(axis=0))
    statistic, p = _friedman_statistic(each)
    error = math.sqrt(k * (k + 1) / (6 * n))
    critical = float(stats.studentized_range.ppf(1 - significance, k, np.inf)) / math.sqrt(2) * error
    gaps = np.abs(ranks[:, None] - ranks[None, :]) / error * math.sqrt(2)
    pairs = np.asarray(stats.studentized_range.sf(gaps, k, np.inf))
    return Friedman(ranks, statistic, p, critical, np.clip(pairs, 0.0, 1.0), n, significance)


def _friedman_statistic(each: Floats) -> tuple[float, float]:
    if (each == each[0, 0]).all():  # all learners tie on all sets
        return 0.0, 1.0
    stats = whole_module("scipy.stats")
    if each.shape[1] > 2:
        result = stats.friedmanchisquare(*each.T)
        return float(result.statistic), float(result.pvalue)
    # scipy wants three learners; the formula does not
    n, k = each.shape
    ties = sum(float((counts**3 - counts).sum()) for counts in (np.unique(r, return_counts=True)[1] for r in each))
    raw = 12 * float((each.sum(axis=0) ** 2).sum()) / (n * k * (k + 1)) - 3 * n * (k + 1)
    statistic = raw / (1 - ties / (n * k * (k * k - 1)))
    return statistic, float(stats.chi2.sf(statistic, k - 1))
