"""Leaves against errors, from the largest tree to a single leaf: the path of cost-complexity pruning."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.errors import DataError, ModelError, ParameterError
from ctree.evaluate.intervals import LEVEL, wilson
from ctree.evaluate.protocols import StratifiedFolds
from ctree.evaluate.scored import scored
from ctree.learners.base.prunable_tree import PrunableTree

Floats = npt.NDArray[np.float64]

MOST = 60
"""So many trees are looked at, at most."""


class PruningPath(NamedTuple):
    """Trees that are best at some price of a leaf, each within the one before.

    Attributes
    ----------
    alphas : array
        The prices.
    leaves : array of int
        How many leaves each tree has.
    training : array
        Its errors on the training cases, as a share.
    tested : array or None
        Its errors on other cases; None if there were none.
    low, high : array or None
        Wilson's interval of these.
    folds : int or None
        In how many folds the training cases were divided to find them; None if they were other cases.
    own_leaves : int
        How many leaves the tree of the model itself has, as it was pruned.
    """

    alphas: Floats
    leaves: npt.NDArray[np.int64]
    training: Floats
    tested: Floats | None
    low: Floats | None
    high: Floats | None
    folds: int | None
    own_leaves: int

    def smallest_within(self, n_cases: float) -> int:
        """The place of the smallest tree whose errors are within one standard error of the least, for so many cases."""
        if self.tested is None:
            raise DataError("the trees of this path were not tested")
        best = float(self.tested.min())
        error = float(np.sqrt(best * (1 - best) / max(n_cases, 1.0)))
        return int(np.flatnonzero(self.tested <= best + error + 1e-12)[-1])


def pruning_path(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    folds: int | None = None,
    most: int = MOST,
    seed: int = 1,
    sample_weight: npt.ArrayLike | None = None,
    level: float = LEVEL,
) -> PruningPath:
    """How many errors the prunings of a grown tree make, from the largest to a single leaf.

    Parameters
    ----------
    model : C45Classifier or ProbabilityTreeClassifier
        It is fitted, and still has the tree as it was grown.
    X, y, sample_weight
        Cases with their classes: others than those of the fit, to test the trees on; or, with `folds`, those of the
        fit. Without any, there are only training errors.
    folds : int, optional
        Test by cross-validation: the learner learns anew without each fold, and its trees are pruned at the geometric
        means of the prices, as Breiman et al. do.
    most : int
        So many trees at most; of a longer path, trees whose leaves differ by about the same factor.
    seed : int
        How the cases are divided into folds.
    level : float
        Of the intervals.

    References
    ----------
    Breiman, Friedman, Olshen, Stone: Classification and regression trees. 1984. Section 3.4.

    Examples
    --------
    >>> import ctree
    >>> golf = ctree.load_golf()
    >>> found = pruning_path(ctree.C45Classifier(prune=False).fit(golf), golf)
    >>> found.leaves.tolist(), found.training.round(3).tolist(), found.tested.round(3).tolist()
    ([5, 1], [0.0, 0.357], [0.0, 0.357])
    """
    if not isinstance(model, PrunableTree):
        raise ModelError(f"a {type(model).__name__} keeps no grown tree that could be pruned")
    if most < 2:
        raise ParameterError(f"most must be at least 2, not {most}")
    path = model.cost_complexity_path()
    rows = _spread(path.leaves, most)
    alphas, leaves, training = path.alphas[rows], path.leaves[rows], path.errors[rows]
    own = model.tree_.n_leaves
    if X is None:
        if folds is not None:
            raise ParameterError("folds need the cases that the tree was grown from")
        return PruningPath(alphas, leaves, training, None, None, None, None, own)
    cases = scored(model, X, y, sample_weight)
    assert cases.data is not None
    if folds is None:
        wrong = _wrong(model, cases.data, alphas)
    else:
        # a tree that is best between two prices is best at their geometric mean
        between = np.sqrt(path.alphas * np.append(path.alphas[1:], np.inf))[rows]
        wrong = np.zeros((len(rows), cases.n_cases), dtype=bool)
        assert cases.data.classes is not None
        for split in StratifiedFolds(folds, repeats=1, seed=seed).series(cases.data.classes)[0].splits:
            again = type(model)(**model.get_params()).fit(cases.data.take(split.train))
            wrong[:, split.test] = _wrong(again, cases.data.take(split.test), between)
    tested = np.average(wrong, axis=1, weights=cases.weights)
    number = cases.n_cases if cases.weights is None else cases.weights.sum() ** 2 / (cases.weights**2).sum()
    low, high = wilson(tested, number, level)
    return PruningPath(alphas, leaves, training, tested, low, high, folds, own)


def _wrong(model: PrunableTree, data: Dataset, alphas: Floats) -> npt.NDArray[np.bool_]:
    """Which cases each pruning of a model gets wrong."""
    largest = np.finfo(np.float64).max
    trees = (model.pruned("cost-complexity", alpha=float(min(alpha, largest))) for alpha in alphas)
    return np.array([tree.predict_codes(data) != data.classes for tree in trees])


def _spread(leaves: npt.NDArray[np.int64], most: int) -> npt.NDArray[np.intp]:
    """The places of so many trees at most, among them the largest and the smallest."""
    if len(leaves) <= most:
        return np.arange(len(leaves))
    wanted = np.geomspace(leaves[0], leaves[-1], most)
    nearest = np.searchsorted(-leaves, -wanted)  # the first tree with so many leaves or fewer
    return np.unique(np.minimum(nearest, len(leaves) - 1))
