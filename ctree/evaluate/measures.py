"""What is measured of a model on test cases: accuracy, kappa, costs, log-likelihood, Brier's score, AUC, size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ctree.errors import DataError, ParameterError
from ctree.tree.relational_tree import RelationalTree
from ctree.tree.tree import Tree
from ctree.wording import abbreviated, near_match
from ctree_ext.base.elementary import log

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]

MIN_PROBABILITY = float(np.finfo(np.float64).eps)
"""What a probability counts as at least, where its logarithm is taken; the same as in scikit-learn's ``log_loss``."""


class Measure(NamedTuple):
    """How a measure is called and shown.

    Parameters
    ----------
    title : str
    sign : int
        1 where more is better, -1 where less is, 0 where neither.
    scale : float
        What it is multiplied by to be shown: 100 for percent.
    digits : int
        How many digits after the point are shown.
    """

    title: str
    sign: int
    scale: float
    digits: int


MEASURES: Mapping[str, Measure] = {
    "accuracy": Measure("Accuracy, %", 1, 100.0, 2),
    "log-likelihood": Measure("Mean log-likelihood of the true class (natural logarithm)", 1, 1.0, 3),
    "zeros": Measure("Cases whose true class was given probability 0", -1, 1.0, 2),
    "brier": Measure("Brier score", -1, 1.0, 4),
    "auc": Measure("Expected AUC, %", 1, 100.0, 2),
    "kappa": Measure("Kappa", 1, 1.0, 3),
    "cost": Measure("Mean cost of a case", -1, 1.0, 3),
    "least-cost": Measure("Mean cost of a case if the class of least expected cost is predicted", -1, 1.0, 3),
    "nodes": Measure("Nodes", -1, 1.0, 1),
    "leaves": Measure("Leaves", -1, 1.0, 1),
    "depth": Measure("Depth", -1, 1.0, 1),
    "confident-correct": Measure("Confidently right, %", 1, 100.0, 1),
    "confident-incorrect": Measure("Confidently wrong, %", -1, 100.0, 1),
    "uncertain": Measure("Uncertain, %", -1, 100.0, 1),
    "acceptance": Measure("Accepted moves of Markov chains, %", 0, 100.0, 1),
    "fit-seconds": Measure("Seconds to fit", -1, 1.0, 4),
    "predict-seconds": Measure("Seconds to predict", -1, 1.0, 4),
}
"""The measures by the name that ``ctree compare --measure`` gives them."""


NEED_COSTS = ("cost", "least-cost")
"""The measures that there are only if it is known what errors cost."""


class LogLikelihood(NamedTuple):
    """The mean log-likelihood, and how many true classes had probability 0."""

    mean: float
    zeros: int


class ExpectedAUC(NamedTuple):
    """The expected AUC, and the codes of the classes that have none."""

    value: float
    skipped: tuple[int, ...]


class Size(NamedTuple):
    """The size of a tree; the mean of several."""

    nodes: float
    leaves: float
    depth: float


def check_measure(name: str) -> None:
    """Refuse what is not the name of a measure."""
    if name not in MEASURES:
        raise ParameterError(
            f"there is no measure '{abbreviated(name)}'{near_match(name, MEASURES)}; the measures are "
            f"{', '.join(MEASURES)}"
        )


def accuracy(targets: npt.ArrayLike, predictions: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> float:
    """The share of cases whose class is predicted right.

    Parameters
    ----------
    targets, predictions : array of int (cases,)
        True and predicted classes as codes.
    weights : array (cases,), optional

    Examples
    --------
    >>> accuracy([0, 1, 2, 1], [0, 1, 1, 1])
    0.75
    """
    right = np.asarray(targets) == np.asarray(predictions)
    if right.size == 0:
        raise DataError("there are no cases to evaluate")
    return float(np.average(right, weights=None if weights is None else np.asarray(weights)))


def kappa(targets: npt.ArrayLike, predictions: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> float:
    """Cohen's kappa: how much more predictions agree with the true classes than by chance, 1 for always.

    With a for the share of cases that are right, and e for the sum over the classes of the share of its cases times the
    share of its predictions, it is (a - e) / (1 - e); NaN where all cases have one class, and are given it.

    References
    ----------
    Cohen: A coefficient of agreement for nominal scales. Educational and Psychological Measurement 20, 1960.

    Examples
    --------
    >>> kappa([0, 0, 1, 1], [0, 0, 1, 0])
    0.5
    """
    right = accuracy(targets, predictions, weights)
    each = None if weights is None else np.asarray(weights, dtype=np.float64)
    first, second = np.asarray(targets, dtype=np.intp), np.asarray(predictions, dtype=np.intp)
    n_classes = int(max(first.max(), second.max())) + 1
    counts = [np.bincount(codes, each, n_classes) for codes in (first, second)]
    chance = float((counts[0] / counts[0].sum()) @ (counts[1] / counts[1].sum()))
    if counts[0].max() == counts[0].sum() and counts[1].max() == counts[1].sum() and right == 1:
        return float("nan")
    return (right - chance) / (1 - chance)


def mean_cost(
    targets: npt.ArrayLike, predictions: npt.ArrayLike, matrix: Floats, weights: npt.ArrayLike | None = None
) -> float:
    """What predictions cost on average.

    Parameters
    ----------
    targets, predictions : array of int (cases,)
        True and predicted classes as codes.
    matrix : array (classes, classes)
        See `ctree.data.costs.cost_matrix`.
    weights : array (cases,), optional

    Examples
    --------
    >>> mean_cost([0, 1, 1], [0, 0, 1], np.array([[0.0, 1.0], [6.0, 0.0]]))
    2.0
    """
    paid = matrix[np.asarray(targets, dtype=np.intp), np.asarray(predictions, dtype=np.intp)]
    if paid.size == 0:
        raise DataError("there are no cases to evaluate")
    return float(np.average(paid, weights=None if weights is None else np.asarray(weights)))


def log_likelihood(
    targets: npt.ArrayLike, probabilities: npt.ArrayLike, weights: npt.ArrayLike | None = None
) -> LogLikelihood:
    """The mean natural logarithm of the probability that was given to the true class.

    A probability of 0 would make it minus infinity. Such cases are counted, and for them, as for all others,
    probabilities are taken to be at least `MIN_PROBABILITY`, 2.2e-16, whose logarithm is -36.

    Examples
    --------
    >>> result = log_likelihood([0, 1, 1], [[0.5, 0.5], [0.2, 0.8], [1.0, 0.0]])
    >>> round(result.mean, 4), result.zeros
    (-12.32, 1)
    """
    codes, table = checked_predictions(targets, probabilities)
    given = table[np.arange(len(codes)), codes]
    logs = log(np.clip(given, MIN_PROBABILITY, 1.0))
    mean = float(np.average(logs, weights=None if weights is None else np.asarray(weights)))
    return LogLikelihood(mean, int(np.count_nonzero(given <= 0)))


def brier(targets: npt.ArrayLike, probabilities: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> float:
    """Brier's own score: the mean over cases of Σ_c (p_c - [c is true])², from 0, best, to 2.

    For two classes it is twice the figure that counts one of them only.

    Examples
    --------
    >>> round(brier([0, 1], [[0.8, 0.2], [0.4, 0.6]]), 9)
    0.2
    """
    codes, table = checked_predictions(targets, probabilities)
    truth = np.eye(table.shape[1])[codes]
    squares = ((table - truth) ** 2).sum(axis=1)
    return float(np.average(squares, weights=None if weights is None else np.asarray(weights)))


def expected_auc(
    targets: npt.ArrayLike, probabilities: npt.ArrayLike, weights: npt.ArrayLike | None = None
) -> ExpectedAUC:
    """The area under the ROC curve of each class against the rest, averaged by how frequent the classes are.

    A class that no case has, or all have, has no such curve; it is skipped and named. NaN if none is left.

    Examples
    --------
    >>> table = [[0.8, 0.2, 0.0], [0.6, 0.4, 0.0], [0.7, 0.3, 0.0], [0.1, 0.9, 0.0]]
    >>> expected_auc([0, 0, 1, 1], table)
    ExpectedAUC(value=0.75, skipped=(2,))
    """
    codes, table = checked_predictions(targets, probabilities)
    importance = np.ones(len(codes)) if weights is None else np.asarray(weights, dtype=np.float64)
    total, areas, skipped = 0.0, 0.0, []
    for c in range(table.shape[1]):
        own = codes == c
        inside, outside = float(importance[own].sum()), float(importance[~own].sum())
        if inside <= 0 or outside <= 0:
            skipped.append(c)
            continue
        total += inside
        areas += inside * _area(table[:, c], own, importance) / (inside * outside)
    return ExpectedAUC(areas / total if total else float("nan"), tuple(skipped))


def _area(scores: Floats, own: npt.NDArray[np.bool_], weights: Floats) -> float:
    """The weight of the pairs of a case inside and one outside in which the first has the higher score; ties half."""
    levels, places = np.unique(scores, return_inverse=True)
    inside = np.bincount(places, weights * own, len(levels))
    outside = np.bincount(places, weights * ~own, len(levels))
    below = np.cumsum(outside) - outside
    return float((inside * (below + outside / 2)).sum())


def tree_size(model: Any) -> Size | None:
    """How large the tree of a fitted model is; None for a model that is no tree.

    Takes the learners here that have one tree, scikit-learn's trees, and committees and sampled trees, of which it
    gives the mean.

    Examples
    --------
    >>> import ctree
    >>> tree_size(ctree.C45Classifier().fit(ctree.load_golf()))
    Size(nodes=8.0, leaves=5.0, depth=2.0)
    """
    if hasattr(model, "rules_"):  # they are made from a tree, but it is not what predicts
        return None
    tree: Any = getattr(model, "tree_", None)
    if isinstance(tree, Tree | RelationalTree):
        return Size(float(tree.n_nodes), float(tree.n_leaves), float(tree.depth))
    if hasattr(tree, "node_count") and hasattr(tree, "max_depth"):
        return Size(float(tree.node_count), float(tree.n_leaves), float(tree.max_depth))
    members = getattr(model, "members_", None)
    if isinstance(members, tuple) and members:
        sizes = [size for member in members if (size := tree_size(member)) is not None]
        return Size(*np.mean(sizes, axis=0).tolist()) if sizes else None
    traces = getattr(model, "traces_", None)
    if isinstance(traces, Mapping) and {"leaves", "depth"} <= set(traces):
        leaves = float(np.mean(traces["leaves"]))
        return Size(2 * leaves - 1, leaves, float(np.mean(traces["depth"])))  # they are binary
    return None


def checked_predictions(targets: npt.ArrayLike, probabilities: npt.ArrayLike) -> tuple[npt.NDArray[np.intp], Floats]:
    """True classes as codes, and the table of probabilities; a `DataError` if they are not what they should be."""
    codes = np.asarray(targets, dtype=np.intp)
    table = np.asarray(probabilities, dtype=np.float64)
    if codes.ndim != 1 or table.ndim != 2 or len(codes) != len(table):
        raise DataError(f"{codes.shape} true classes do not fit probabilities of shape {table.shape}")
    if codes.size == 0:
        raise DataError("there are no cases to evaluate")
    if codes.min() < 0 or codes.max() >= table.shape[1]:
        raise DataError(f"true classes should be codes from 0 to {table.shape[1] - 1}")
    if not np.isfinite(table).all():
        raise DataError("a probability is not a finite number")
    return codes, table
