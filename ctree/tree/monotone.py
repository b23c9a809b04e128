"""Probabilities of a tree of two classes that are monotone in some of its attributes.

At a node that tests such an attribute, no leaf below the branch of lower values may have a greater probability than any
leaf below the other, if the probability is to rise. Then it rises for any case, whatever else is known of it: a case
goes down one branch or, of unknown value, down several in parts that do not depend on the attribute, and what it gets
from either branch of the node is an average over leaves on that side.

Among all probabilities of which this is true, those of the least change are taken: the sum of squares, each weighed by
the cases of its leaf, is the least. This is isotonic regression in a partial order, made in the two ways in which
orders can be put together: one above the other, where the attribute is tested, or side by side, where another is. Side
by side, parts are solved one by one. Of two parts one above the other, given the bound between them, the answer is what
they have by themselves, cut off at the bound; and at the best bound as much is cut off on one side as on the other.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ctree_ext.base.node_arrays import Floats, NodeArrays, Test


def monotone_values(arrays: NodeArrays, values: Floats, weights: Floats, directions: Sequence[int]) -> Floats:
    """One number per node, changed as little as possible so as to be monotone.

    Parameters
    ----------
    arrays : NodeArrays
    values : array (nodes,)
        What leaves say, such as the probability of a class, and what other nodes would say if they were leaves.
    weights : array (nodes,)
        What a change counts; only that of leaves matters, and may be 0.
    directions : sequence of int
        Per attribute 1 where numbers have to rise with it, -1 where they have to fall, else 0.

    Returns
    -------
    array (nodes,)
        Of leaves the result, the same bits where nothing has to change. Any other node keeps its number if that is
        between those of its leaves, and else has the nearest of these, so that every pruning of the tree is monotone.

    Examples
    --------
    >>> stump = NodeArrays(
    ...     test=[1, 0, 0], attribute=[0, -1, -1], threshold=[2.5, 0, 0], first_branch=[1, -1, -1],
    ...     n_branches=[2, 0, 0], group_start=[-1, -1, -1], group=[], best=[0, 0, 1], cases=[4, 3, 1],
    ...     errors=[1, 1, 0], counts=[[2, 2], [1, 2], [1, 0]],
    ... )
    >>> monotone_values(stump, np.array([0.5, 0.75, 0.25]), stump.cases, [1]).tolist()
    [0.625, 0.625, 0.625]
    >>> monotone_values(stump, np.array([0.5, 0.75, 0.25]), stump.cases, [-1]).tolist()
    [0.5, 0.75, 0.25]
    """
    result = np.array(values, dtype=np.float64)
    leaves: list[npt.NDArray[np.intp]] = [np.array([node]) for node in range(len(arrays))]
    for node in range(len(arrays) - 1, -1, -1):
        n = int(arrays.n_branches[node])
        if n == 0:
            continue
        first = int(arrays.first_branch[node])
        direction = directions[arrays.attribute[node]] if arrays.test[node] == Test.THRESHOLD else 0
        if direction:
            below, above = (leaves[first], leaves[first + 1])[::direction]
            _separate(result, weights, below, above)
        leaves[node] = np.concatenate(leaves[first : first + n])
        leaves[first : first + n] = [leaves[node][:0]] * n
    low, high = extremes(arrays, result)
    inner = arrays.n_branches > 0
    result[inner] = np.clip(result[inner], low[inner], high[inner])
    return result


def extremes(arrays: NodeArrays, values: Floats) -> tuple[Floats, Floats]:
    """The least and the greatest number that a leaf below each node has."""
    low, high = np.array(values), np.array(values)
    for node in range(len(arrays) - 1, -1, -1):
        n, first = int(arrays.n_branches[node]), int(arrays.first_branch[node])
        if n:
            low[node], high[node] = low[first : first + n].min(), high[first : first + n].max()
    return low, high


def whole_shares(arrays: NodeArrays) -> Floats:
    """What the cases of each node weigh, so that those of its branches are as many as its own, but for the last bits.

    Where sums are rounded to 32 bits they are not quite: a case of unknown value would count a little more in one half
    of the tree than in the other.
    """
    cases = np.array(arrays.cases)
    for node in np.flatnonzero(arrays.n_branches > 0).tolist():
        branches = slice(arrays.first_branch[node], arrays.first_branch[node] + arrays.n_branches[node])
        total = cases[branches].sum()
        if total > 0 and total != cases[node]:
            cases[branches] *= cases[node] / total
    return cases


def _separate(values: Floats, weights: Floats, below: npt.NDArray[np.intp], above: npt.NDArray[np.intp]) -> None:
    """Have no number of the first leaves exceed one of the others."""
    bottom, top = values[below].max(), values[above].min()
    if bottom <= top:
        return
    bound = _bound(values[below], weights[below], values[above], weights[above])
    values[below] = np.minimum(values[below], bound)
    values[above] = np.maximum(values[above], bound)


def _bound(below: Floats, below_weights: Floats, above: Floats, above_weights: Floats) -> float:
    """Where what is cut off from the first is what is added to the others; in the middle, where that is a range."""
    places = np.unique(np.concatenate([below, above]))
    places = places[(places >= above.min()) & (places <= below.max())]
    # what is cut off at each place, less what is added: it falls from place to place, along straight lines
    surplus = _excess(below, below_weights, places) - _excess(-above, above_weights, -places)
    # rounding must not make it rise, nor change its sign at the ends
    surplus = np.minimum.accumulate(surplus)
    surplus[0], surplus[-1] = max(surplus[0], 0.0), min(surplus[-1], 0.0)
    left, right = int(np.count_nonzero(surplus > 0)) - 1, int(np.count_nonzero(surplus >= 0))
    if right - left > 1:
        return float((places[left + 1] + places[right - 1]) / 2)
    share = surplus[left] / (surplus[left] - surplus[right])
    return float(min(places[left] + share * (places[right] - places[left]), places[right]))


def _excess(values: Floats, weights: Floats, places: Floats) -> Floats:
    """By how much numbers exceed each place, all together."""
    order = np.argsort(values)
    values, weights = values[order], weights[order]
    from_here = np.searchsorted(values, places, side="right")
    weight = np.append(np.cumsum(weights[::-1])[::-1], 0.0)
    total = np.append(np.cumsum((weights * values)[::-1])[::-1], 0.0)
    return np.asarray(total[from_here] - weight[from_here] * places)
