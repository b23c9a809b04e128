"""Soft thresholds: how far from each threshold its branches make hardly more errors than at it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.errors import DataError
from ctree.tree.tree import Test, Tree

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Rows = npt.NDArray[np.intp]

SLIGHTLY = 1e-6
"""A value that exceeds the threshold by so little still counts as below it."""


def softened(tree: Tree, data: Dataset) -> Tree:
    """The tree with bounds around each threshold, by the cases from which it was learned.

    Between the bounds a case is in both branches, the more in one the nearer it is to that bound. They are drawn where
    the errors of the two branches, the threshold being moved, exceed those at the threshold by one standard error.
    Predictions do not change; the text of the tree and `ctree.tree.consultation` show the difference.

    Parameters
    ----------
    tree : Tree
    data : Dataset
        With classes. A case that does not know the outcome of a test has no say below it.

    Examples
    --------
    >>> import ctree
    >>> golf = ctree.load_golf()
    >>> print(softened(ctree.C45Classifier().fit(golf).tree_, golf).to_text())
    outlook = overcast: Play (4.0/1.2)
    outlook = sunny:
    |   humidity <= 75 [70,80.155]: Play (2.0/1.0)
    |   humidity > 75 [70,80.155]: Don't Play (3.0/1.1)
    outlook = rain:
    |   windy = true: Don't Play (2.0/1.0)
    |   windy = false: Play (3.0/1.1)
    """
    classes = data.classes
    if classes is None:
        raise DataError("soft thresholds need cases with classes")
    weights = np.ones(len(data)) if data.weights is None else data.weights
    is_cut = tree.test == Test.THRESHOLD
    lower, upper = (np.where(is_cut, tree.threshold, 0.0) for _ in range(2))
    # A case that reaches a node has been sure of its way, so what the whole tree says of it is what its branch says.
    wrong = tree.frequency_sums(data).argmax(axis=1) != classes
    columns = _columns(tree, data)
    subtrees = _Subtrees(tree, columns)
    tested = [columns[a] for a in tree.attribute.tolist()]
    level = {0: np.flatnonzero(weights > 0)} if len(tree) > 1 else {}
    while level:
        branch_of = {node: _branches(tree, tested[node], node, rows) for node, rows in level.items()}
        cuts = {node: rows[branch_of[node] >= 0] for node, rows in level.items() if is_cut[node]}
        for node, elsewhere in _wrong_elsewhere(tree, subtrees, classes, cuts, branch_of).items():
            rows = cuts[node]
            below, here = branch_of[node][branch_of[node] >= 0] == 0, wrong[rows]
            first_wrong, second_wrong = np.where(below, here, elsewhere), np.where(below, elsewhere, here)
            values, cut = tested[node][rows], float(tree.threshold[node])
            lower[node], upper[node] = bounds(values, first_wrong, second_wrong, weights[rows], cut, tree.float32)
        level = {
            branch: rows[branch_of[node] == b]
            for node, rows in level.items()
            for b, branch in enumerate(tree.branches(node))
            if tree.test[branch] != Test.LEAF
        }
    return Tree(tree.schema, tree.arrays.replace(lower=lower, upper=upper), float32=tree.float32)


def _wrong_elsewhere(
    tree: Tree, subtrees: _Subtrees, classes: Ints, cuts: dict[int, Rows], branch_of: dict[int, Ints]
) -> dict[int, npt.NDArray[np.bool_]]:
    """For the thresholds of one level: whether each of their cases is misclassified by the branch it does not take."""
    if not cuts:
        return {}
    rows = np.concatenate(list(cuts.values()))
    taken = [branch_of[node] for node in cuts]
    others = [tree.branches(node).start + 1 - b[b >= 0] for node, b in zip(cuts, taken, strict=True)]
    wrong = subtrees.classes(rows, np.concatenate(others)) != classes[rows]
    ends = np.cumsum([len(at) for at in cuts.values()])[:-1]
    return dict(zip(cuts, np.split(wrong, ends), strict=True))


def bounds(
    values: Floats,
    first_wrong: npt.NDArray[np.bool_],
    second_wrong: npt.NDArray[np.bool_],
    weights: Floats,
    cut: float,
    single: bool = True,
) -> tuple[float, float]:
    """The bounds of one threshold.

    Parameters
    ----------
    values : array (cases,)
        The tested attribute of the cases there.
    first_wrong, second_wrong : array of bool (cases,)
        Whether each case is misclassified by the branch up to the threshold, and by the other.
    weights : array (cases,)
    cut : float
        The threshold.
    single : bool
        Compute in 32 bits, as release 8 does.

    Examples
    --------
    >>> import numpy as np
    >>> high = np.array([False, False, True, True, True])
    >>> lower, upper = bounds(np.array([70.0, 70, 85, 90, 95]), high, ~high, np.ones(5), 75.0)
    >>> round(lower, 4), round(upper, 4)
    (70.0, 80.155)
    """
    if len(values) == 0:  # no case knows; the threshold stays hard
        return cut, cut
    real: Any = np.float32 if single else np.float64
    order = np.argsort(values, kind="stable")
    values, weights = values[order], weights[order]
    last = np.flatnonzero(np.append(values[1:] != values[:-1], True))
    # errors[i]: those with the threshold at the i-th distinct value.
    difference = np.where(first_wrong[order], weights, 0.0) - np.where(second_wrong[order], weights, 0.0)
    all_second = float(weights[second_wrong[order]].sum())
    errors = (all_second + np.cumsum(difference)[last]).astype(real)
    base = real(all_second + float(difference[values <= cut + SLIGHTLY].sum()))
    n = float(weights.sum())
    limit = real(base + real(np.sqrt((float(base) + 0.5) * (n - float(base) + 0.5) / (n + 1))))
    most = np.finfo(real).max  # a number that 32 bits cannot hold is the largest that they can
    values = np.clip(values[last], -most, most).astype(real)
    a, b = values[:-1], values[1:]
    excess_a, excess_b = errors[:-1] - limit, errors[1:] - limit
    lower, upper = min(cut, float(values[0])), max(cut, float(values[-1]))
    falling = np.flatnonzero((excess_a > 0) & (excess_b <= 0) & (b <= cut))
    rising = np.flatnonzero((excess_a <= 0) & (excess_b > 0) & (b > cut))
    if len(falling):
        i = falling[0]
        lower = _between(b[i], a[i], limit - errors[i + 1], errors[i] - errors[i + 1])
    if len(rising):
        i = rising[-1]
        upper = max(cut, _between(a[i], b[i], limit - errors[i], errors[i + 1] - errors[i]))
    return lower, upper


def _between(start: Any, end: Any, part: Any, whole: Any) -> float:
    """The place that is as far on the way from `start` to `end` as `part` is of `whole`."""
    with np.errstate(over="ignore", invalid="ignore"):
        place = float(start + (end - start) * part / whole)
    return place if np.isfinite(place) else float(start)  # the way may be too long for 32 bits


def _columns(tree: Tree, data: Dataset) -> list[Any]:
    """The columns of the attributes that the tree tests, numbers rounded as the tree does."""
    columns: list[Any] = [None] * len(tree.schema)
    for attribute in set(tree.attribute.tolist()) - {-1}:
        columns[attribute] = column = data.columns[attribute]
        if tree.float32 and column is not None and tree.schema[attribute].has_order:
            with np.errstate(over="ignore"):
                columns[attribute] = column.astype(np.float32).astype(np.float64)
    return columns


def _branches(tree: Tree, column: Any, node: int, rows: Rows) -> Ints:
    """The branch that each case takes at a node, -1 where it does not tell."""
    if tree.test[node] == Test.THRESHOLD:
        values = column[rows]
        return np.where(np.isnan(values), -1, values > tree.threshold[node]).astype(np.int32)
    codes: Ints = column[rows]
    if tree.test[node] == Test.VALUES:
        return codes
    n_values = len(tree.schema[int(tree.attribute[node])].values)
    group = np.full(n_values + 1, -1, dtype=np.int32)  # the last is for unknown values
    for branch, members in enumerate(tree.groups(node)):
        group[list(members)] = branch
    return group[codes]


class _Subtrees:
    """Classifies cases by subtrees, each case by one of its own.

    The kernel begins at the root, so the tree gets a new root: a test with a branch for each node, on one more
    attribute that says where a case is to start.
    """

    def __init__(self, tree: Tree, columns: list[Any]) -> None:
        from ctree_ext.base.classify import Router

        self.tree = tree
        n, n_classes = len(tree), tree.schema.n_classes
        root = {"test": Test.VALUES, "attribute": len(tree.schema), "n_branches": n, "group_start": -1}
        named = tree.arrays.by_name()
        changed = {name: _with_first(array, root.get(name, 0)) for name, array in named.items() if name != "group"}
        first_branch = tree.arrays.first_branch
        changed["first_branch"] = np.append(1, np.where(first_branch < 0, -1, first_branch + 1))
        arrays = tree.arrays.replace(**changed)
        empty = arrays.cases <= 0
        values = np.where(empty[:, None], arrays.best[:, None] == np.arange(n_classes), arrays.counts)
        self.router = Router(arrays, values.astype(np.float64), np.where(empty, 1.0, arrays.cases), True)
        self.columns = columns
        self.n_values = [*(len(a.values) for a in tree.schema), n]

    def classes(self, rows: Rows, nodes: Ints) -> Ints:
        """The class of each of these cases by the subtree from its node."""
        from ctree_ext.base.cases import CaseTable

        columns = [*(None if c is None else c[rows] for c in self.columns), nodes.astype(np.int32)]
        table = CaseTable(columns, self.n_values, None, self.tree.schema.n_classes, None, self.tree.float32, len(rows))
        return np.asarray(self.router.distributions(table).argmax(axis=1), dtype=np.int32)


def _with_first(array: npt.NDArray[Any], entry: float) -> npt.NDArray[Any]:
    """The array with one entry, or row of entries, before its first."""
    first = np.full((1, *array.shape[1:]), entry, dtype=array.dtype)
    return np.ascontiguousarray(np.concatenate([first, array]))
