"""TreeInterface: how cases are prepared for a tree, and how its answer becomes a prediction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ctree.data.costs import TIE
from ctree.data.schema import Schema

Floats = npt.NDArray[np.float64]


def first_best(votes: Floats, tolerance: float = 0.0) -> npt.NDArray[np.intp]:
    """Per row the first place that no later one exceeds by more than the tolerance.

    Examples
    --------
    >>> first_best(np.array([[0.3, 0.35, 0.35], [0.5, 0.5, 0.0]])).tolist()
    [1, 0]
    """
    if tolerance == 0.0:
        return np.asarray(votes.argmax(axis=1), dtype=np.intp)
    best = np.zeros(len(votes), dtype=np.intp)
    rows = np.arange(len(votes))
    for c in range(1, votes.shape[1]):
        best[votes[:, c] - votes[rows, best] > tolerance] = c
    return best


def decided(probabilities: Floats, worth: Floats | None) -> npt.NDArray[np.intp]:
    """Per row of probabilities the place of the class that is predicted: the greatest, or by costs.

    Parameters
    ----------
    probabilities : array (cases, classes)
    worth : array (classes, classes) or None
        See `ctree.data.costs.worth`; None without costs.

    Examples
    --------
    >>> from ctree.data.costs import worth
    >>> table, costs = np.array([[0.7, 0.3], [0.9, 0.1]]), np.array([[0.0, 1.0], [4.0, 0.0]])
    >>> decided(table, None).tolist(), decided(table, worth(costs)).tolist()
    ([0, 0], [1, 0])
    """
    if worth is None:
        return np.asarray(probabilities.argmax(axis=1))
    return first_best(probabilities @ worth, TIE)


class DecidedNodes:
    """For trees whose nodes predict by their probabilities, or by costs."""

    probabilities: Floats
    worth: Floats | None = None  # also of trees that were pickled before there were costs

    @cached_property
    def best(self) -> npt.NDArray[np.intp]:
        """The class that each node predicts, as a place in the classes."""
        return decided(self.probabilities, self.worth)


@dataclass(frozen=True)
class TreeInterface:
    """How a learner uses its tree, for pictures that do the same.

    Parameters
    ----------
    schema : Schema
        The attributes as a person gives them; in the tree those with cuts are discrete.
    fill : sequence, optional
        Per attribute what is taken for an unknown value, a code or a number; None for nothing.
    cuts : sequence, optional
        Per attribute the upper bounds of its bins but the last; None where the tree takes the values as they are.
    weights : array (nodes,), optional
        What the estimate of each node counts in an average.
    weighing : {"", "path", "prunings"}
        Which average that is; see `ctree.tree.averages`.
    tie_tolerance : float
        A class has to exceed those before it by more than this to be the prediction.
    votes : array (nodes, classes), optional
        What predictions go by, if not by the probabilities.
    worth : array (classes, classes), optional
        If predictions go by costs, what the probabilities are multiplied by to be `votes`; see `ctree.data.costs`.
    """

    schema: Schema
    fill: Sequence[float | int | None] | None = None
    cuts: Sequence[Floats | None] | None = None
    weights: Floats | None = None
    weighing: str = ""
    tie_tolerance: float = 0.0
    votes: Floats | None = None
    worth: Floats | None = None

    def bin_cuts(self) -> Sequence[Floats | None]:
        """`cuts` for every attribute, none of them if there are no bins."""
        return [None] * len(self.schema) if self.cuts is None else self.cuts

    def by_costs(self, probabilities: Floats, worth: Floats | None) -> TreeInterface:
        """The same of a tree whose nodes have these probabilities, with predictions by costs if there are any."""
        if worth is None:
            return self
        return replace(self, votes=probabilities @ worth, worth=worth, tie_tolerance=TIE)

    def fillers(self) -> Sequence[float | int | None]:
        """`fill` for every attribute, nothing if unknown values stay unknown."""
        return [None] * len(self.schema) if self.fill is None else self.fill
