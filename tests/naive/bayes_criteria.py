"""Split criteria as functions of a count matrix: a row for each branch of the test, a column for each class.

Counts may be whole or real (weights, parts of cases). Only cases whose branch is known are in the matrix. Gains and
their thresholds are in bits; the Bayesian score is in nats.
"""

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import gammaln
from scipy.stats import chi2

Counts = Sequence[float]
Matrix = Sequence[Counts]


def information(counts: Counts) -> float:
    """Number of cases times the entropy of their classes, n·H, in bits.

    >>> information([4, 4]), information([5, 0]), information([])
    (8.0, 0.0, 0.0)
    """
    n = math.fsum(counts)
    return math.fsum(k * math.log2(n / k) for k in counts if k > 0)


def column_sums(matrix: Matrix) -> list[float]:
    """The class counts of the node that the test divides."""
    return [math.fsum(column) for column in zip(*matrix, strict=True)]


def total(matrix: Matrix) -> float:
    return math.fsum(math.fsum(row) for row in matrix)


def n_branches(matrix: Matrix) -> int:
    """Number of branches that have a case; the others cost no bits and no degrees of freedom."""
    return sum(math.fsum(row) > 0 for row in matrix)


def n_gain(matrix: Matrix) -> float:
    """The report's h: number of cases times information gain.

    >>> round(n_gain([[50, 10], [10, 30]]), 4)
    25.6426
    """
    return information(column_sums(matrix)) - math.fsum(information(row) for row in matrix)


def gain(matrix: Matrix, unknown: float = 0.0) -> float:
    """Information gained by a test, per case; nothing is learned of the `unknown` weight of cases.

    >>> gain([[2, 0], [0, 2]]), gain([[2, 0], [0, 2]], unknown=4)
    (1.0, 0.5)
    """
    cases = total(matrix) + unknown
    return n_gain(matrix) / cases if cases > 0 else 0.0


def split_info(matrix: Matrix, unknown: float = 0.0) -> float:
    """Entropy of the branches, where not to know the branch is one more.

    >>> split_info([[2, 0], [0, 2]]), split_info([[1, 1], [0, 2]], unknown=4)
    (1.0, 1.5)
    """
    cases = total(matrix) + unknown
    return information([*(math.fsum(row) for row in matrix), unknown]) / cases if cases > 0 else 0.0


def gain_ratio(matrix: Matrix, unknown: float = 0.0) -> float:
    """Gain by split info; 0 where the branch is sure beforehand.

    >>> gain_ratio([[2, 0], [0, 2]], unknown=4), gain_ratio([[2, 2], [0, 0]])
    (0.3333333333333333, 0.0)
    """
    info = split_info(matrix, unknown)
    return gain(matrix, unknown) / info if info > 0 else 0.0


def bic_threshold(n: float, n_classes: int, branches: int = 2) -> float:
    """What `n_gain` must reach by BIC; `n` is the size of the whole training set, not of the node.

    >>> round(bic_threshold(200, 2), 4)
    3.8219
    """
    return (branches - 1) * 0.5 * (n_classes - 1) * math.log2(n)


def mdl_threshold(n: float, n_classes: int, n_tests: int, branches: int = 2) -> float:
    """What `n_gain` must reach by MDL: also the choice of a test and the flag of each new node have to be told.

    >>> round(mdl_threshold(200, 2, 16), 4)
    9.8219

    So much shorter is the description of the data with this test (leaf against test with two leaves):

    >>> round(n_gain([[50, 10], [10, 30]]) - mdl_threshold(200, 2, 16), 4)
    15.8207
    """
    return bic_threshold(n, n_classes, branches) + math.log2(n_tests) + branches


def chi_square(matrix: Matrix) -> float:
    """Pearson's statistic of independence of branch and class; empty rows and columns add nothing.

    >>> chi_square([[10, 20], [20, 10]]), chi_square([[10, 20, 0], [20, 10, 0], [0, 0, 0]])
    (6.666666666666667, 6.666666666666667)
    """
    cases = total(matrix)
    sizes = [math.fsum(row) for row in matrix]
    classes = column_sums(matrix)
    return math.fsum(
        (matrix[b][c] - size * n / cases) ** 2 / (size * n / cases)
        for b, size in enumerate(sizes)
        for c, n in enumerate(classes)
        if size * n > 0
    )


def chi_square_cutoff(n_tests: int, n_classes: int, branches: int = 2, level: float = 0.1) -> float:
    """What `chi_square` must reach: the level is divided among all tests of the node (Bonferroni).

    >>> round(chi_square_cutoff(16, 2), 4), round(chi_square_cutoff(16, 10), 4)
    (7.4768, 22.9762)

    One class only is never to be divided:

    >>> chi_square_cutoff(16, 1)
    inf
    """
    degrees = (branches - 1) * (n_classes - 1)
    return float(chi2.isf(level / n_tests, degrees)) if degrees > 0 else math.inf


def prior_sum(prior_weight: float | str, n_classes: int) -> float:
    """The sum S of the Dirichlet parameters; "classes" is as many as there are.

    >>> prior_sum(2, 5), prior_sum("classes", 5)
    (2.0, 5.0)
    """
    return float(n_classes) if prior_weight == "classes" else float(prior_weight)


def uniform_priors(n_classes: int, prior_weight: float | str = 2.0) -> list[float]:
    """Dirichlet parameters of a node; the same at every node, for S is not divided among the branches.

    >>> uniform_priors(4, 2)
    [0.5, 0.5, 0.5, 0.5]
    """
    return [prior_sum(prior_weight, n_classes) / n_classes] * n_classes


def nonuniform_priors(parent: Counts, prior_weight: float | str = 2.0) -> list[float]:
    """Dirichlet parameters of a node from the counts of its parent: classes that it lacks share those of one class.

    >>> nonuniform_priors([5, 3, 0, 0, 2], 5)
    [1.25, 1.25, 0.625, 0.625, 1.25]

    One class lacking makes no difference, nor does none:

    >>> nonuniform_priors([5, 3, 0, 2], 2) == nonuniform_priors([5, 3, 1, 2], 2) == uniform_priors(4, 2)
    True
    """
    S = prior_sum(prior_weight, len(parent))
    lacking = sum(n == 0 for n in parent)
    if lacking <= 1:
        return uniform_priors(len(parent), S)
    shares = len(parent) - lacking + 1
    return [S / shares if n > 0 else S / (shares * lacking) for n in parent]


def log_marginal(counts: Counts, priors: Counts) -> float:
    """ln m(n): chance of the classes of a leaf, in their order, with all distributions of classes averaged.

    >>> [round(math.exp(log_marginal(n, [1, 1])), 6) for n in ((2, 4), (0, 3), (2, 1), (1, 3), (1, 1), (0, 0))]
    [0.009524, 0.25, 0.083333, 0.05, 0.166667, 1.0]
    """
    n, a = np.asarray(counts, dtype=float), np.asarray(priors, dtype=float)
    return float(gammaln(a.sum()) - gammaln(a.sum() + n.sum()) + (gammaln(n + a) - gammaln(a)).sum())


def beta(counts: Counts | Matrix, prior_weight: float | str = 2.0, priors: Counts | None = None) -> float:
    """ln β: of a leaf, given its class counts; of a test, given its count matrix. `priors` are those of each leaf.

    The nodes of the worked tree, S = 2:

    >>> nodes = [6, 4], [6, 1], [0, 3], [5, 0], [1, 1]
    >>> [round(beta(node), 6) for node in nodes]
    [-7.745003, -4.025352, -1.386294, -1.791759, -1.791759]

    Branches without a case add nothing:

    >>> beta([[6, 1], [0, 3]]) == beta([[6, 1], [0, 0], [0, 3]])
    True
    """
    rows = np.atleast_2d(np.asarray(counts, dtype=float))
    priors = uniform_priors(rows.shape[1], prior_weight) if priors is None else priors
    return math.fsum(log_marginal(row, priors) for row in rows)


def log_bayes_factor(
    matrix: Matrix,
    prior_weight: float | str = 2.0,
    priors: Counts | None = None,
    branch_priors: Counts | None = None,
) -> float:
    """ln B of a test against a leaf; above 0 the test is better. With `nonuniform_priors` the branches have others.

    >>> round(log_bayes_factor([[6, 1], [0, 3]]), 6), round(log_bayes_factor([[5, 0], [1, 1]]), 6)
    (2.333357, 0.441833)
    >>> round(log_bayes_factor([[2500, 0], [0, 2500]]))
    3454

    With nonuniform priors the branches may know of lacking classes what the node did not, and then even a test of cases
    that are all of one class, or that has them all in one branch, is "better". Such tests must be ruled out:

    >>> before, after = nonuniform_priors([5, 5, 0]), nonuniform_priors([5, 0, 0])
    >>> round(log_bayes_factor([[3, 0, 0], [2, 0, 0]], 2, before, after), 4)
    0.1684
    >>> before, after = nonuniform_priors([4, 2, 1, 0]), nonuniform_priors([4, 2, 0, 0])
    >>> round(log_bayes_factor([[4, 2, 0, 0], [0, 0, 0, 0]], 2, before, after), 4)
    0.8971
    """
    return beta(matrix, prior_weight, branch_priors) - beta(column_sums(matrix), prior_weight, priors)


def log_bayes_factor_bdeu(matrix: Matrix, prior_weight: float, n_values: int) -> float:
    """The same with S divided among the declared values, which is not done here: their number would matter.

    >>> matrix = [[4, 0], [2, 6]]
    >>> [round(log_bayes_factor_bdeu(matrix, 2, n), 2) for n in (2, 4, 16)], round(log_bayes_factor(matrix, 2), 2)
    ([2.29, 2.13, 1.28], 2.25)
    """
    return beta(matrix, prior_weight / n_values) - beta(column_sums(matrix), prior_weight)
