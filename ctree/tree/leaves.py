"""What a leaf makes of its class counts: frequency, Laplace, m-estimate."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ctree.errors import ParameterError

Floats = npt.NDArray[np.float64]

ESTIMATES = ("frequency", "laplace", "m")


def leaf_probabilities(
    counts: Floats, best: npt.NDArray[np.int32], estimate: str = "frequency", m: float = 2.0
) -> Floats:
    """Class probabilities of every node from its class counts.

    Parameters
    ----------
    counts : array (nodes, classes)
        Class weights; the first row is the root, whose classes give the priors of the m-estimate.
    best : array (nodes,)
        The class of each node: all that a node without cases knows under ``"frequency"``.
    estimate : {"frequency", "laplace", "m"}
        With n cases, n_c of class c, out of C classes: n_c / n; (n_c + 1) / (n + C); (n_c + m p_c) / (n + m) where
        p_c = (N_c + 1) / (N + C) is the prior of the class by Laplace from all N cases.
    m : float
        Weight of the priors in the m-estimate.

    Examples
    --------
    >>> import numpy as np
    >>> counts, best = np.array([[9.0, 5.0], [3.0, 0.0]]), np.array([0, 0], dtype=np.int32)
    >>> leaf_probabilities(counts, best, "laplace")[1]
    array([0.8, 0.2])
    >>> leaf_probabilities(counts, best, "m", m=2.0)[1]
    array([0.85, 0.15])
    """
    n = counts.sum(axis=1, keepdims=True)
    n_classes = counts.shape[1]
    if estimate == "laplace":
        return np.asarray((counts + 1) / (n + n_classes))
    if estimate == "m":
        if not m > 0:
            raise ParameterError(f"m must be greater than 0, not {m}")
        priors = (counts[0] + 1) / (n[0] + n_classes)
        return np.asarray((counts + m * priors) / (n + m))
    if estimate != "frequency":
        raise ParameterError(f"leaves must be one of {', '.join(ESTIMATES)}, not '{estimate}'")
    result = counts / np.where(n > 0, n, 1.0)
    empty = np.flatnonzero(n[:, 0] <= 0)
    result[empty, best[empty]] = 1.0
    return np.asarray(result)
