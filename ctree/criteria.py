"""Split criteria as functions of a count matrix: a row for each branch of the test, a column for each class.

They are the functions that the learners go by. Counts may be whole numbers or weights. Only cases whose branch is known
are in the matrix. Gains and their thresholds are in bits, the Bayesian score is in nats.

Examples
--------
>>> from ctree import criteria
>>> counts = [[50, 10], [10, 30]]  # 60 and 40 cases, of 200 in the training set, where 16 tests are possible
>>> round(criteria.n_gain(counts), 4)
25.6426
>>> round(criteria.bic_threshold(200, n_classes=2), 4), round(criteria.mdl_threshold(200, n_classes=2, n_tests=16), 4)
(3.8219, 9.8219)
>>> round(criteria.chi_square(counts), 4), round(criteria.chi_square_cutoff(16, n_classes=2), 4)
(34.0278, 7.4768)
>>> round(criteria.log_bayes_factor(counts), 4)
15.9773
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from ctree.domains.numeric import Integer, Number
from ctree.errors import ParameterError
from ctree.tree.leaves import prior_sum
from ctree_ext.grow import split_scores, stopping
from ctree_ext.grow.criteria import information_gain

Floats = npt.NDArray[np.float64]

Function = TypeVar("Function", bound=Callable[[Floats], Floats])


def gain(counts: npt.ArrayLike, unknown: float = 0.0) -> float:
    """The information that a test gains per case, in bits.

    `unknown` is the weight of the cases whose branch is unknown; they gain nothing.

    Examples
    --------
    >>> gain([[2, 0], [0, 2]]), gain([[2, 0], [0, 2]], unknown=4)
    (1.0, 0.5)
    """
    _check_unknown(unknown)
    cases = _matrix(counts).sum() + unknown
    return float(n_gain(counts) / cases) if cases > 0 else 0.0


def split_info(counts: npt.ArrayLike, unknown: float = 0.0) -> float:
    """The entropy of the branches, in bits; an unknown outcome counts as one more branch."""
    matrix = _matrix(counts)
    _check_unknown(unknown)
    return float(information_gain(matrix, float(unknown), single=False)[1]) if matrix.sum() > 0 else 0.0


def gain_ratio(counts: npt.ArrayLike, unknown: float = 0.0) -> float:
    """Gain divided by split info; 0 where all cases take one branch.

    Examples
    --------
    >>> round(gain_ratio([[2, 0], [0, 2]], unknown=4), 6)
    0.333333
    """
    info = split_info(counts, unknown)
    return gain(counts, unknown) / info if info > 0 else 0.0


def n_gain(counts: npt.ArrayLike) -> float:
    """The number of cases times information gain, in bits: h in Fierens et al."""
    matrix = _matrix(counts)
    return float(split_scores.split_score(matrix, split_scores.SplitScore("n_gain", 0, matrix.shape[1])))


def bic_threshold(n: float, n_classes: int, branches: int = 2) -> float:
    """The least `n_gain` that BIC accepts: ½ (C - 1) log2 N for each branch but one.

    `n` is the weight of the whole training set, not of the node.
    """
    Number(above=0).check("n", n)
    _check_sizes(n_classes=n_classes, branches=branches)
    return float(stopping.bic_threshold(n, n_classes, branches))


def mdl_threshold(n: float, n_classes: int, n_tests: int, branches: int = 2) -> float:
    """The least `n_gain` that MDL accepts.

    It is `bic_threshold` plus the bits to choose one of `n_tests` tests and to say of each new node whether it is a
    leaf.
    """
    Number(above=0).check("n", n)
    _check_sizes(n_classes=n_classes, n_tests=n_tests, branches=branches)
    return float(stopping.mdl_threshold(n, n_classes, n_tests, branches))


def chi_square(counts: npt.ArrayLike) -> float:
    """Pearson's statistic for the independence of branch and class."""
    matrix = _matrix(counts)
    return float(split_scores.split_score(matrix, split_scores.SplitScore("chi_square", 0, matrix.shape[1])))


def chi_square_cutoff(n_tests: int, n_classes: int, branches: int = 2, significance: float = 0.1) -> float:
    """The least `chi_square` that is significant for the best of `n_tests` tests (Bonferroni)."""
    Number(above=0, below=1).check("significance", significance)
    _check_sizes(n_classes=n_classes, n_tests=n_tests, branches=branches)
    return float(stopping.chi_square_cutoff(n_tests, n_classes, branches, significance))


def beta(counts: npt.ArrayLike, prior_weight: float | str = 2.0, priors: npt.ArrayLike | None = None) -> float:
    """The Bayesian Dirichlet score ln β: how likely the classes are, all class distributions averaged.

    Parameters
    ----------
    counts : array (classes,) or (branches, classes)
        Of a leaf, or of the leaves below a test.
    prior_weight : float or "classes"
        The sum S of the Dirichlet parameters of each leaf; ``"classes"`` is the number of classes.
    priors : array (classes,) or None
        The parameters themselves, in place of S / C each.

    Examples
    --------
    >>> round(beta([6, 4]), 6), round(beta([[6, 1], [0, 3]]), 6)
    (-7.745003, -5.411646)
    """
    rows = np.atleast_2d(np.asarray(counts, dtype=np.float64))
    rows = _matrix(rows)
    alphas = _alphas(rows.shape[1], prior_weight, priors)
    return math.fsum(split_scores.log_marginal(row, alphas) for row in rows)


def log_bayes_factor(
    counts: npt.ArrayLike,
    prior_weight: float | str = 2.0,
    priors: npt.ArrayLike | None = None,
    branch_priors: npt.ArrayLike | None = None,
) -> float:
    """ln B of a test against a leaf: `beta` of the matrix less that of its column sums.

    Above 0 the test is likelier. `priors` are the Dirichlet parameters of the leaf, `branch_priors` those of the
    branches if they are others (see `nonuniform_priors`).
    """
    matrix = _matrix(counts)
    below = priors if branch_priors is None else branch_priors
    return beta(matrix, prior_weight, below) - beta(matrix.sum(axis=0), prior_weight, priors)


def nonuniform_priors(parent: npt.ArrayLike, prior_weight: float | str = 2.0) -> Floats:
    """Dirichlet parameters of a node by the class counts of its parent (Cano et al.).

    The classes that the parent lacks share the parameter of one class.

    Examples
    --------
    >>> nonuniform_priors([5, 3, 0, 0, 2], 5)
    array([1.25 , 1.25 , 0.625, 0.625, 1.25 ])
    """
    rows = _matrix(np.atleast_2d(np.asarray(parent, dtype=np.float64)))
    if len(rows) != 1:
        raise ParameterError(f"parent must be the class counts of one node, not of {len(rows)}")
    counts = rows[0]
    weight = prior_sum(prior_weight, len(counts))
    lacking = int(np.count_nonzero(counts == 0))
    if lacking <= 1:
        return np.full(len(counts), weight / len(counts))
    shares = len(counts) - lacking + 1
    return np.where(counts > 0, weight / shares, weight / (shares * lacking))


def stacked(criterion: Function) -> Function:
    """Mark a criterion of your own as one that takes many tests at once.

    It is then given a stack of matrices, an array (tests, branches, classes), and returns an array of one number for
    each test. Tests of the same number of branches come together, those of several attributes too. See the parameter
    `criterion` of `ProbabilityTreeClassifier`.

    Examples
    --------
    >>> import ctree
    >>> @stacked
    ... def certainty(counts):
    ...     return counts.max(axis=2).sum(axis=1)
    >>> ctree.ProbabilityTreeClassifier(criterion=certainty).fit(ctree.load_golf()).tree_.n_leaves
    5
    """
    criterion.stacked = True  # type: ignore[attr-defined]
    return criterion


def _matrix(counts: npt.ArrayLike) -> Floats:
    try:
        matrix = np.ascontiguousarray(counts, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError("counts must be a matrix of numbers, branches by classes") from None
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise ParameterError(f"counts must be a matrix of branches by classes, not of shape {matrix.shape}")
    if not (np.isfinite(matrix).all() and (matrix >= 0).all()):
        raise ParameterError("counts must be finite and not negative")
    return matrix


def _alphas(n_classes: int, prior_weight: float | str, priors: npt.ArrayLike | None) -> Floats:
    if priors is None:
        return np.full(n_classes, prior_sum(prior_weight, n_classes) / n_classes)
    alphas = np.ascontiguousarray(priors, dtype=np.float64)
    if alphas.shape != (n_classes,) or not (np.isfinite(alphas).all() and (alphas > 0).all()):
        raise ParameterError(f"priors must be {n_classes} numbers greater than 0, one per class")
    return alphas


def _check_sizes(**sizes: int) -> None:
    for name, size in sizes.items():
        Integer(least=1).check(name, size)


def _check_unknown(unknown: float) -> None:
    Number().check("unknown", unknown)
    if unknown < 0:
        raise ParameterError(f"unknown must be at least 0, not {unknown!r}")
