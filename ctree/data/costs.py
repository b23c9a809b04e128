"""What errors cost, by true and by predicted class, and the classes of least expected cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.schema import Label
from ctree.errors import DataError
from ctree.wording import abbreviated, abbreviated_list, near_match, shortened

Floats = npt.NDArray[np.float64]

MAX_COST = 1e100
"""Sums and products of costs stay within 64 bits."""

TIE = 1e-9
"""Expected costs that differ by less, as a share of the greatest cost, are equal: of such the first class is taken."""


def cost_matrix(costs: Any, classes: Sequence[Label]) -> Floats:
    """What it costs to give a case of the class of the row the class of the column.

    Parameters
    ----------
    costs : mapping of (true class, predicted class) to number, pandas DataFrame, or array (classes, classes)
        Errors that a mapping does not name cost 1. The rows of a frame or an array are the true classes, its columns
        the predicted ones: in a frame by their labels, in any order, in an array in the order of the classes.
    classes : sequence of labels

    Returns
    -------
    array (classes, classes)
        Finite numbers that are not negative, 0 on the diagonal; anything else is a `DataError`.

    Examples
    --------
    >>> cost_matrix({("ill", "well"): 10}, ["well", "ill"]).tolist()
    [[0.0, 1.0], [10.0, 0.0]]
    """
    file = getattr(costs, "file", None)
    if file is not None:
        try:
            return cost_matrix(dict(costs), classes)
        except DataError as error:
            raise DataError(str(error), file) from None
    if isinstance(costs, Mapping):
        matrix = _of_pairs(costs, classes)
    elif hasattr(type(costs), "columns"):
        matrix = _of_frame(costs, classes)
    else:
        matrix = _of_array(costs, len(classes))
    _check(matrix, classes)
    return matrix


def _check(matrix: Floats, classes: Sequence[Label]) -> None:
    """Refuse costs that cannot be."""
    for i in np.flatnonzero(np.diagonal(matrix) != 0).tolist():
        raise DataError(
            f"cases of the class '{abbreviated(classes[i])}' that are predicted right cost {matrix[i, i]:g}; they "
            "should cost 0"
        )
    for i, j in np.argwhere(~((matrix >= 0) & (matrix <= MAX_COST))).tolist():
        cost = matrix[i, j]
        wrong = "is negative" if cost < 0 else "is too large" if MAX_COST < cost < np.inf else "is not a finite number"
        raise DataError(
            f"the cost of predicting '{abbreviated(classes[j])}' where '{abbreviated(classes[i])}' is true {wrong}, "
            f"{cost:g}; it should be a number from 0 to {MAX_COST:g}"
        )
    if len(classes) > 1 and not matrix.any():
        raise DataError("all costs are 0, so that no error would matter; at least one should be greater")


def _number(value: Any) -> float:
    """A cost as a number."""
    try:
        if not isinstance(value, str | bytes | bool):
            return float(value)
    except (TypeError, ValueError, OverflowError):
        pass
    raise DataError(f"a cost is {shortened(value)}; it should be a number from 0 on")


def _of_pairs(costs: Mapping[Any, Any], classes: Sequence[Label]) -> Floats:
    places = {str(label): place for place, label in enumerate(classes)}
    matrix = 1.0 - np.eye(len(classes))
    for pair in costs:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise DataError(
                f"a key of the costs is {shortened(pair)}; it should be a pair of classes, the true and the predicted"
            )
    _check_known([label for pair in costs for label in pair], classes)
    for (true, predicted), cost in costs.items():
        if str(true) in places and str(predicted) in places:
            matrix[places[str(true)], places[str(predicted)]] = _number(cost)
    return matrix


def _of_frame(costs: Any, classes: Sequence[Label]) -> Floats:
    columns = [str(label) for label in costs.columns]
    rows = [str(label) for label in costs.index] if hasattr(costs, "index") else columns
    for what, labels in (("rows", rows), ("columns", columns)):
        twice = next((label for label in labels if labels.count(label) > 1), None)
        if twice is not None:
            raise DataError(f"the {what} of the costs have '{abbreviated(twice)}' twice")
        lacking = next((label for label in classes if str(label) not in labels), None)
        if lacking is not None:
            _check_known(labels, classes)
            raise DataError(f"the {what} of the costs lack the class '{abbreviated(lacking)}'")
    values = np.asarray(costs, dtype=object)
    places = [(rows.index(str(true)), columns.index(str(predicted))) for true in classes for predicted in classes]
    numbers = [_number(values[place]) for place in places]
    return np.array(numbers, dtype=np.float64).reshape(len(classes), len(classes))


def _of_array(costs: Any, n_classes: int) -> Floats:
    expected = f"a matrix of costs for {n_classes} classes should have shape {(n_classes, n_classes)}"
    try:
        values = np.array(costs, dtype=object)
    except ValueError:  # rows of different lengths, in some libraries
        raise DataError(f"{expected}, but its rows have different lengths") from None
    if values.shape != (n_classes, n_classes):
        raise DataError(f"{expected}, not {values.shape}")
    if getattr(getattr(costs, "dtype", None), "kind", "") in ("i", "u", "f"):
        return np.array(costs, dtype=np.float64)
    return np.array([[_number(cost) for cost in row] for row in values.tolist()], dtype=np.float64).reshape(
        n_classes, n_classes
    )


def _check_known(named: Sequence[Any], classes: Sequence[Label]) -> None:
    """Refuse a class that there is not, unless all that there are have been named: then a fold may lack it."""
    known = {str(label) for label in classes}
    strange = next((label for label in named if str(label) not in known), None)
    if strange is not None and known - {str(label) for label in named}:
        raise DataError(
            f"the costs name a class '{abbreviated(strange)}', not one of {abbreviated_list(classes)}"
            f"{near_match(strange, classes)}"
        )


def cost_by_class(matrix: Floats) -> Floats:
    """What an error on a case of each class costs: if this depends on the predicted class as well, the mean of these.

    Breiman and others (1984, section 4.4) weigh classes by the sums over the predicted classes, which is the same but
    for a factor.

    Examples
    --------
    >>> cost_by_class(np.array([[0.0, 1.0, 1.0], [5.0, 0.0, 5.0], [2.0, 4.0, 0.0]])).tolist()
    [1.0, 5.0, 3.0]
    """
    return np.asarray(matrix.sum(axis=1) / max(len(matrix) - 1, 1))


def worth(matrix: Floats, weighed: bool = False) -> Floats:
    """What predictions are worth, from 0 for the dearest error to 1 for what costs nothing: rows are true classes.

    The class of least expected cost is that of which the probabilities, times this, have most.

    Parameters
    ----------
    matrix : array (classes, classes)
        See `cost_matrix`.
    weighed : bool
        Whether the probabilities are of cases weighed by `cost_by_class`, which have this part of the costs already.

    Examples
    --------
    >>> worth(np.array([[0.0, 1.0], [4.0, 0.0]])).tolist()
    [[1.0, 0.75], [0.0, 1.0]]
    >>> worth(np.array([[0.0, 1.0], [4.0, 0.0]]), weighed=True).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    if weighed:
        by_class = cost_by_class(matrix)[:, None]
        matrix = np.divide(matrix, by_class, out=np.zeros_like(matrix), where=by_class > 0)
    most = matrix.max(initial=0.0)
    return np.asarray(1.0 - matrix / most if most > 0 else np.ones_like(matrix))
