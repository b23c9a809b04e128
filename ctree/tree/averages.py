"""Averages over the smaller trees within a tree: along a path, and over all prunings.

A tree is given by arrays with a row for each node, numbered level by level, and the parent of each (see
`NodeArrays.parents`). A node that is nobody's parent is a leaf. Each node has Dirichlet parameters α; of them
and of its class counts are made an estimate of its class probabilities, and m, how likely its classes are if it is not
divided. The averages weigh each smaller tree by the product of the m of its leaves. All products are taken in logs: one
good test of some thousand cases is more than the largest number of 64 bits.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ctree.errors import ParameterError
from ctree.imports import whole_module
from ctree.tree.leaves import checked_alphas, checked_parents, prior_sum
from ctree_ext.base.elementary import log
from ctree_ext.base.node_arrays import Floats, Places, levels


class PathAverages(NamedTuple):
    """Averages along the paths from the root to every node.

    Attributes
    ----------
    probabilities : array (nodes, classes)
        The average along the path that ends with this node.
    weights : array (nodes,)
        The weight of the node's own estimate in it; the average of its parent has the rest. So an ancestor has its own
        weight times 1 - weight of every node between it and the end, the end included.
    """

    probabilities: Floats
    weights: Floats


class PruningAverages(NamedTuple):
    """Averages over all prunings of a tree.

    Attributes
    ----------
    probabilities : array (nodes, classes)
        For a leaf, the average for the cases that reach it. For another node, that for a case which gets there and no
        further: as for a leaf, but the prunings that go on below the node have its estimate too.
    log_u : array (nodes,)
        ln u: how likely the classes of the cases below the node are, on the average over the prunings of its subtree.
    stop : array (nodes,)
        ρ: how probable it is, of the prunings that have this node, that it is a leaf; 1 for a leaf.
    """

    probabilities: Floats
    log_u: Floats
    stop: Floats


def node_alphas(
    counts: Floats, parent: npt.ArrayLike, prior_weight: float | str = 2.0, nonuniform: bool = False
) -> Floats:
    """Dirichlet parameters of every node.

    Parameters
    ----------
    counts : array (nodes, classes)
    parent : array (nodes,)
    prior_weight : float or "classes"
        S, their sum at each node; ``"classes"`` is as many as there are.
    nonuniform : bool
        Not the same for all classes: those that the node's parent has no case of share what one class would have. They
        matter from two such classes on. The root has none above it, and the same for all classes.

    Examples
    --------
    >>> import numpy as np
    >>> counts = np.array([[5.0, 3, 0, 0, 2], [5, 0, 0, 0, 0]])
    >>> node_alphas(counts, [-1, 0], 5, nonuniform=True).tolist()
    [[1.0, 1.0, 1.0, 1.0, 1.0], [1.25, 1.25, 0.625, 0.625, 1.25]]
    """
    n_classes = counts.shape[1]
    S = prior_sum(prior_weight, n_classes)
    result = np.full(counts.shape, S / n_classes)
    above = checked_parents(parent, len(counts))[1:]
    if not nonuniform:
        return result
    lacks = counts <= 0
    n_lacking = lacks.sum(axis=1, keepdims=True)
    shares = n_classes - n_lacking + 1
    # With one class lacking this is S / C for all; with none it would not sum to S.
    below = np.where(n_lacking > 1, S / np.where(lacks, shares * np.maximum(n_lacking, 1), shares), S / n_classes)
    result[1:] = below[above]
    return result


def log_marginals(counts: Floats, alphas: npt.ArrayLike) -> Floats:
    """ln m of every node: how likely its classes are, in their order, averaged over all distributions of classes.

    Parameters
    ----------
    counts : array (nodes, classes)
    alphas : array (nodes, classes) or (classes,)
        Dirichlet parameters.

    Examples
    --------
    >>> import numpy as np
    >>> log_marginals(np.array([[6.0, 4], [6, 1], [0, 0]]), [1, 1]).round(6).tolist()
    [-7.745003, -4.025352, 0.0]
    """
    gammaln = whole_module("scipy.special").gammaln  # takes a while, and most learners do without
    a = checked_alphas(alphas, counts)
    A = a.sum(axis=-1)
    return np.asarray(gammaln(A) - gammaln(A + counts.sum(axis=1)) + (gammaln(counts + a) - gammaln(a)).sum(axis=1))


def log_bayes_factors(log_m: Floats, parent: npt.ArrayLike) -> Floats:
    """ln B of every node: how much likelier the classes are with its test, its branches being leaves; 0 for a leaf.

    Examples
    --------
    >>> import numpy as np
    >>> log_bayes_factors(np.array([-7.745003, -4.025352, -1.386294]), [-1, 0, 0]).round(6).tolist()
    [2.333357, 0.0, 0.0]
    """
    above = checked_parents(parent, len(log_m))
    return np.where(_is_inner(above), _sums_of_branches(log_m, above) - log_m, 0.0)


def average_along_paths(
    estimates: Floats, log_m: Floats, parent: npt.ArrayLike, n_choices: npt.ArrayLike = 1
) -> PathAverages:
    """Bayesian model averaging along the path from the root to every node.

    The trees that have tests only along the path, down to some node of it, are weighed by their likelihood. With t_1 …
    t_p for the path, node t_i has the weight w_i = Π_{j<i} B_{t_j}, but for their sum. If a test was chosen among
    several that share the prior of one, its factor is divided by their number.

    Parameters
    ----------
    estimates : array (nodes, classes)
        Class probabilities of each node by itself.
    log_m : array (nodes,)
        As of `log_marginals`.
    parent : array (nodes,)
    n_choices : int or array (nodes,)
        Among how many tests that of a node was chosen.

    Examples
    --------
    >>> import numpy as np
    >>> counts, parent = np.array([[6.0, 4], [6, 1], [0, 3], [5, 0], [1, 1]]), [-1, 0, 0, 1, 1]
    >>> estimates, log_m = (counts + 1) / (counts + 1).sum(axis=1, keepdims=True), log_marginals(counts, [1, 1])
    >>> averages = average_along_paths(estimates, log_m, parent)
    >>> averages.probabilities[3].round(6).tolist(), averages.weights[3].round(6).tolist()
    ([0.817212, 0.182788], 0.586443)
    """
    expit = whole_module("scipy.special").expit
    above = _checked(estimates, log_m, parent)
    log_factors = log_bayes_factors(log_m, above) - _log_choices(n_choices, len(log_m))
    probabilities = estimates.astype(np.float64)
    weights = np.ones(len(log_m))
    # ln (w_1 + … + w_i) - ln w_i. It goes from node to node without the sums themselves, which would grow with the
    # path and leave few digits to what is added last.
    surplus = np.zeros(len(log_m))
    for level in levels(above):
        up = above[level]
        log_odds = log_factors[up] - surplus[up]
        surplus[level] = np.logaddexp(0.0, -log_odds)
        weights[level] = expit(log_odds)
        rest = expit(-log_odds)
        probabilities[level] = weights[level, None] * estimates[level] + rest[:, None] * probabilities[up]
    return PathAverages(probabilities, weights)


def average_over_prunings(
    estimates: Floats, log_m: Floats, parent: npt.ArrayLike, split_prior: float = 0.5, n_choices: npt.ArrayLike = 1
) -> PruningAverages:
    """The exact average over all trees that pruning can make of this one, each weighed by its prior and likelihood.

    Parameters
    ----------
    estimates : array (nodes, classes)
        Class probabilities of each node by itself.
    log_m : array (nodes,)
        As of `log_marginals`.
    parent : array (nodes,)
    split_prior : float
        s, between 0 and 1: the prior probability that a node with branches keeps them, if those above it do.
    n_choices : int or array (nodes,)
        k: among how many tests that of a node was chosen, if these share the prior.

    Notes
    -----
    From the leaves up, u = (1 - s) m + s / k Π u of the branches, where u = m for a leaf, and ρ = (1 - s) m / u. From
    the root down, each node adds its estimate, times its ρ and the 1 - ρ of all nodes above it.

    Examples
    --------
    >>> import numpy as np
    >>> counts, parent = np.array([[6.0, 4], [6, 1], [0, 3], [5, 0], [1, 1]]), [-1, 0, 0, 1, 1]
    >>> estimates, log_m = (counts + 1) / (counts + 1).sum(axis=1, keepdims=True), log_marginals(counts, [1, 1])
    >>> averages = average_over_prunings(estimates, log_m, parent)
    >>> averages.probabilities[3].round(6).tolist()
    [0.808964, 0.191036]
    """
    expit = whole_module("scipy.special").expit
    if not 0 < split_prior < 1:
        raise ParameterError(f"split_prior must be between 0 and 1, not {split_prior}")
    above = _checked(estimates, log_m, parent)
    inner, tree_levels = _is_inner(above), levels(above)
    log_stop, log_go = math.log1p(-split_prior), math.log(split_prior) - _log_choices(n_choices, len(log_m))
    log_u = log_m.astype(np.float64)
    stop = np.ones(len(log_m))
    for level in reversed(tree_levels):
        first, last = above[level.start], above[level.stop - 1]
        some = slice(first, last + 1)  # of the level above; there may be leaves between the parents
        as_leaf = log_stop + log_m[some]
        divided = log_go[some] + np.bincount(above[level] - first, weights=log_u[level])
        log_u[some] = np.where(inner[some], np.logaddexp(as_leaf, divided), log_m[some])
        stop[some] = np.where(inner[some], expit(as_leaf - divided), 1.0)
    go_on = np.ones(len(log_m))  # Π (1 - ρ) of the nodes above
    settled = np.zeros(estimates.shape)  # what these nodes have added
    for level in tree_levels:
        up = above[level]
        settled[level] = settled[up] + (go_on[up] * stop[up])[:, None] * estimates[up]
        go_on[level] = go_on[up] * (1 - stop[up])
    return PruningAverages(settled + go_on[:, None] * estimates, log_u, stop)


def _log_choices(n_choices: npt.ArrayLike, n_nodes: int) -> Floats:
    """The logarithm for every node; leaves, which chose nothing, may have 0."""
    choices = np.broadcast_to(np.asarray(n_choices, dtype=np.float64), (n_nodes,))
    return np.asarray(log(np.maximum(choices, 1.0)))


def _checked(estimates: Floats, log_m: Floats, parent: npt.ArrayLike) -> Places:
    if len(estimates) != len(log_m):
        raise ParameterError(f"there are estimates of {len(estimates)} nodes, but {len(log_m)} have a likelihood")
    return checked_parents(parent, len(log_m))


def _is_inner(parent: Places) -> npt.NDArray[np.bool_]:
    """Which nodes have branches."""
    result = np.zeros(len(parent), dtype=np.bool_)
    result[parent[1:]] = True
    return result


def _sums_of_branches(values: Floats, parent: Places) -> Floats:
    """Per node, the sum over its branches."""
    return np.bincount(parent[1:], weights=values[1:], minlength=len(parent)).astype(np.float64)
