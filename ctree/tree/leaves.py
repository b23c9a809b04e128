"""Estimates of class probabilities from class counts: frequency, Laplace, m-estimate, Dirichlet, m-branch."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.errors import ParameterError
from ctree_ext.base.node_arrays import Floats, Places, levels

MANY_CLASSES = 8  # from here on numpy adds up rows as fast, and in another order

ESTIMATES = ("frequency", "laplace", "m", "dirichlet", "m-branch")


def leaf_probabilities(
    counts: Floats,
    best: npt.NDArray[np.int32] | None = None,
    estimate: str = "frequency",
    m: float = 2.0,
    *,
    parent: npt.ArrayLike | None = None,
    prior_weight: float | str = 2.0,
    alphas: npt.ArrayLike | None = None,
) -> Floats:
    """Class probabilities of every node from its class counts.

    Parameters
    ----------
    counts : array (nodes, classes)
        Class weights; the first row is the root, whose classes give the priors of the m-estimate.
    best : array (nodes,) or None
        For ``"frequency"``: the class of each node, of which one without cases is then sure, as in C4.5. None: such a
        node has the frequencies of its nearest ancestor with cases; where none has any, all classes are equal.
    estimate : {"frequency", "laplace", "m", "dirichlet", "m-branch"}
        With n cases, n_c of class c, out of C classes: n_c / n; (n_c + 1) / (n + C); (n_c + m p_c) / (n + m) where
        p_c = (N_c + 1) / (N + C) is the prior of the class by Laplace from all N cases; (n_c + α_c) / (n + Σ α);
        m-estimates from the root down, where p_c is the estimate of the parent, 1 / C at the root.
    m : float
        Weight of the priors in the m-estimate and in m-branch.
    parent : array (nodes,) or None
        For ``"m-branch"``, and for ``"frequency"`` without `best`: the parent of every node, numbered level by level.
        What stands there for the root does not matter. See `NodeArrays.parents`.
    prior_weight : float or "classes"
        For ``"dirichlet"``: the sum of the α of a node, equal for all classes; ``"classes"`` is as many as there are.
    alphas : array (nodes, classes) or (classes,), optional
        The α themselves, in place of `prior_weight`. See `ctree.tree.averages.node_alphas`.

    Examples
    --------
    >>> import numpy as np
    >>> counts, parent = np.array([[9.0, 5.0], [3.0, 0.0], [0.0, 0.0]]), [-1, 0, 1]
    >>> for estimate in ESTIMATES:
    ...     print(estimate, leaf_probabilities(counts, estimate=estimate, parent=parent)[1:].round(3).tolist())
    frequency [[1.0, 0.0], [1.0, 0.0]]
    laplace [[0.8, 0.2], [0.5, 0.5]]
    m [[0.85, 0.15], [0.625, 0.375]]
    dirichlet [[0.8, 0.2], [0.5, 0.5]]
    m-branch [[0.85, 0.15], [0.85, 0.15]]
    """
    n = _totals(counts)
    n_classes = counts.shape[1]
    if estimate == "frequency":
        return _frequencies(counts, n, best, parent)
    if estimate == "laplace":
        return np.asarray((counts + 1) / (n + n_classes))
    if estimate == "m":
        m = _checked_m(m)
        priors = (counts[0] + 1) / (n[0] + n_classes)
        return np.asarray((counts + m * priors) / (n + m))
    if estimate == "dirichlet":
        if alphas is None:
            S = prior_sum(prior_weight, n_classes)
            return np.asarray((counts + S / n_classes) / (n + S))
        a = checked_alphas(alphas, counts)
        return np.asarray((counts + a) / (n + a.sum(axis=-1, keepdims=True)))
    if estimate == "m-branch":
        m = _checked_m(m)
        if parent is None:
            raise ParameterError("m-branch needs the parent of every node")
        return _m_branch(counts, n, m, checked_parents(parent, len(counts)))
    raise ParameterError(f"leaves must be one of {', '.join(ESTIMATES)}, not '{estimate}'")


def _totals(counts: Floats) -> Floats:
    """The sum of each row, (nodes, 1). Column by column, as numpy takes several times as long for many short rows."""
    if counts.shape[1] >= MANY_CLASSES:
        return np.asarray(counts.sum(axis=1, keepdims=True))
    result = counts[:, :1].copy()
    for c in range(1, counts.shape[1]):
        result += counts[:, c : c + 1]
    return result


def _frequencies(counts: Floats, n: Floats, best: npt.NDArray[np.int32] | None, parent: npt.ArrayLike | None) -> Floats:
    empty = n[:, 0] <= 0
    some = np.where(empty, 1.0, n[:, 0])
    result = np.empty(counts.shape)
    for c in range(counts.shape[1]):
        np.divide(counts[:, c], some, out=result[:, c])
    if best is not None:
        result[empty, best[empty]] = 1.0
        return np.asarray(result)
    if parent is None:
        raise ParameterError("frequency needs the parent of every node, or its class, for those without cases")
    above = checked_parents(parent, len(counts))
    if empty.any():
        # Where each node has its frequencies from: itself, or where its parent has them from.
        source = np.arange(len(counts))
        for level in levels(above):
            source[level] = np.where(empty[level], source[above[level]], source[level])
        result[empty[source]] = 1 / counts.shape[1]
        result = result[source]
    return np.asarray(result)


def _m_branch(counts: Floats, n: Floats, m: float, parent: Places) -> Floats:
    result = np.empty(counts.shape)
    result[0] = (counts[0] + m / counts.shape[1]) / (n[0] + m)
    for level in levels(parent):
        result[level] = (counts[level] + m * result[parent[level]]) / (n[level] + m)
    return result


def prior_sum(prior_weight: float | str, n_classes: int) -> float:
    """The sum of the Dirichlet parameters of a node that `prior_weight` stands for.

    Examples
    --------
    >>> prior_sum(2, 5), prior_sum("classes", 5)
    (2.0, 5.0)
    """
    value: Any = prior_weight
    if isinstance(value, str) and value == "classes":
        return float(n_classes)
    if not (isinstance(value, Real) and 0 < float(value) < math.inf):
        raise ParameterError(f"prior_weight must be a number greater than 0 or 'classes', not {value!r}")
    return float(value)


def checked_parents(parent: npt.ArrayLike, n_nodes: int) -> Places:
    """The parents of so many nodes as numbers of nodes, -1 for the root."""
    result = np.array(parent, dtype=np.intp)
    if result.shape != (n_nodes,):
        raise ParameterError(f"there are {n_nodes} nodes but parents of shape {result.shape}")
    result[0] = -1
    below = result[1:]
    if (below < 0).any() or (below > np.arange(n_nodes - 1)).any() or (below[1:] < below[:-1]).any():
        raise ParameterError("nodes must be numbered level by level from the root, so that parents never decrease")
    return result


def checked_alphas(alphas: npt.ArrayLike, counts: Floats) -> Floats:
    """Dirichlet parameters for these counts: a row for each node, or one for all."""
    result = np.asarray(alphas, dtype=np.float64)
    if result.shape not in (counts.shape, counts.shape[1:]):
        raise ParameterError(f"alphas must have the shape {counts.shape} of the counts, not {result.shape}")
    if not ((result > 0) & (result < math.inf)).all():
        raise ParameterError("alphas must be greater than 0")
    return result


def _checked_m(m: float) -> float:
    if not m > 0:
        raise ParameterError(f"m must be greater than 0, not {m}")
    if m == math.inf:
        raise ParameterError("m must be finite")
    return float(m)  # a whole number beyond 64 bits would make arrays of objects
