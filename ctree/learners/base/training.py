"""The cases that a learner is fitted to: their classes and weights, from whatever a person gives."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.files.text_file import abbreviated_list
from ctree.data.schema import Label
from ctree.data.tables.arrays import dataset_from_arrays
from ctree.data.tables.frames import as_series, is_frame
from ctree.data.tables.levels import RawColumn
from ctree.data.tables.raw_columns import raw_column, raw_table
from ctree.errors import DataError, ParameterError
from ctree.learners.base.estimator import conversion_warning, warn
from ctree.wording import abbreviated, near_match, shortened

MIN_WEIGHT, MAX_WEIGHT = 1e-100, 1e100
"""The least weight of a case and the greatest of all: squares, and products with logarithms, stay within 64 bits."""

MAX_CASES = 1 << 24
"""The most whole cases that weights may stand for."""


def training_cases(
    X: Any, y: Any, sample_weight: npt.ArrayLike | None, categorical_features: Any, unknown_class: bool = False
) -> Dataset:
    """The training cases, from a `Dataset` or from arrays: all with a positive weight, and all or some with a class."""
    if isinstance(X, Dataset):
        if y is not None:
            raise DataError("a Dataset has its own classes: leave out y")
        data = X if sample_weight is None else X.with_weights(sample_weight)
    else:
        if y is None:
            raise DataError("fit needs the classes y of the cases, or a Dataset that has them")
        weights = None if sample_weight is None else weight_array(sample_weight)
        y = class_labels(y)
        data = dataset_from_arrays(X, y, sample_weight=weights, categorical_features=categorical_features)
    if data.classes is None:
        raise DataError("the cases to learn from have no classes")
    if data.n_cases == 0:
        raise DataError(
            f"there are no cases to learn from: 0 sample(s) (shape=(0, {len(data.schema)})) while a minimum of 1 is "
            "required."
        )
    if (data.classes < 0).all() if unknown_class else (data.classes < 0).any():
        case = int(np.flatnonzero(data.classes < 0)[0])
        raise DataError(f"{data.case_text(case)} has no class; leave out such cases to learn from the others")
    return weighted(data)


def weighted(data: Dataset) -> Dataset:
    """The cases without those that weigh nothing."""
    if data.weights is None:
        return data
    check_total(data.weights)
    if not (data.weights > 0).all():
        data = data.take(data.weights > 0)
        if data.n_cases == 0:
            raise DataError("no case has a weight greater than zero")
    assert data.weights is not None
    if not data.weights.min() >= MIN_WEIGHT:
        case = int(data.weights.argmin())
        raise DataError(
            f"a case has the weight {data.weights[case]:g}, which is too little to compute with: it should be 0, or "
            f"at least {MIN_WEIGHT:g}"
        )
    return data


def too_light(data: Dataset, min_cases: float | None) -> str | None:
    """That weights are so small that no tree can have a test, though there would be cases for one; None if not.

    Weights are numbers of cases, and `min_cases` is one; those that were scaled to add up to 1, as by scikit-learn's
    AdaBoostClassifier, all together do not make a branch.

    Examples
    --------
    >>> import ctree
    >>> iris = ctree.load_iris()
    >>> too_light(iris.with_weights(np.full(150, 1 / 150)), 2).partition(",")[0]
    'the weights of the 150 cases add up to 1'
    """
    if data.weights is None or min_cases is None or data.n_cases < 2 * min_cases:
        return None
    total = float(data.weights.sum())
    if total >= 2 * min_cases * (1 - 1e-9):
        return None
    return (
        f"the weights of the {data.n_cases} cases add up to {total:g}, but a test takes 2 branches of "
        f"min_cases={min_cases:g} each, so the tree is one leaf: weights are numbers of cases, multiply them to "
        f"add up to {data.n_cases}; boosting with such weights is CommitteeClassifier(method='boosting')"
    )


def check_total(weights: npt.NDArray[np.float64]) -> None:
    """Refuse weights of cases whose sum is too large to compute with."""
    with np.errstate(over="ignore"):
        total = weights.sum()
    if not total <= MAX_WEIGHT:
        raise DataError(
            f"the weights of the cases are too large: their sum is {total:g}, but should be at most {MAX_WEIGHT:g}"
        )


def class_labels(y: Any) -> RawColumn | npt.NDArray[Any]:
    """The classes of cases, as one column; numbers with fractions are refused, as they are measured, not labels."""
    if isinstance(y, np.ndarray) and y.ndim == 1 and y.dtype.kind in "iubU":
        return y
    n_columns = 0
    if is_frame(y) and as_series(y) is None:
        table = raw_table(y)
        n_columns, column = len(table.columns), table.columns[0]
    else:
        if not isinstance(y, list | tuple) and as_series(y) is None:
            y = np.asarray(y)
            n_columns = y.shape[1] if y.ndim == 2 else 0
        column = raw_column(y[:, 0] if n_columns else y, "y")
    if n_columns > 1:
        raise DataError(f"y should be a 1d array: one class for each case, not {n_columns}")
    if n_columns == 1:
        message = "A column-vector y was passed when a 1d array was expected; its one column is taken for the classes"
        warn(conversion_warning(message))
    measured = _fractions(column)
    if measured:
        raise DataError(
            f"Unknown label type: continuous. y has the value {measured[0]:g}, which is not a class label; convert the "
            "numbers to text if they are labels, or to classes if they are measurements"
        )
    return column


def _fractions(column: RawColumn) -> list[float]:
    """The numbers of a column that are not whole; NaN and infinity are for others to judge."""
    if isinstance(column, list):
        return [x for x in column if isinstance(x, float) and math.isfinite(x) and not x.is_integer()]
    return column[np.isfinite(column) & (column != np.floor(column))].tolist()  # type: ignore[no-any-return]


def weight_array(sample_weight: Any) -> npt.NDArray[Any]:
    """The weights of the cases, of whatever library."""
    weights = np.asarray(sample_weight)
    try:
        return weights.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise DataError("sample_weight should hold numbers") from None


@dataclass(frozen=True, eq=False)
class WeightsByCost:
    """Weights of classes in proportion to what errors on them cost.

    Those of all cases together weigh what they weighed without (Ting: An instance-weighting method to induce
    cost-sensitive trees. IEEE Transactions on Knowledge and Data Engineering 14, 2002); for learners that count whole
    cases, those of the cheapest class weigh 1.

    Parameters
    ----------
    costs : array (classes,)
        See `ctree.data.costs.cost_by_class`.
    """

    costs: npt.NDArray[np.float64]

    def factors(self, totals: npt.NDArray[np.float64], whole: bool) -> npt.NDArray[np.float64]:
        """What the weights of the cases of each class, which are these in all, are multiplied by."""
        paid = self.costs[(self.costs > 0) & (totals > 0)]
        if paid.size == 0:
            raise DataError("no case has a weight greater than zero: errors on the classes that there are cost nothing")
        if whole:
            return np.asarray(self.costs / paid.min())
        relative = self.costs / self.costs.max()
        return np.asarray(relative * (totals.sum() / (relative @ totals)))


def weights_by_class(data: Dataset, class_weight: Any, whole: bool = False) -> npt.NDArray[np.float64] | None:
    """What each case weighs, times the weight of its class; None if the classes weigh the same.

    Parameters
    ----------
    data : Dataset
    class_weight : mapping, "balanced", WeightsByCost or None
    whole : bool
        Whether weights have to be whole numbers; those that a person gives are not looked at here.
    """
    if class_weight is None:
        return None
    assert data.classes is not None
    classes, labels = np.asarray(data.classes), data.schema.classes
    weights = np.ones(data.n_cases) if data.weights is None else np.asarray(data.weights)
    known = classes >= 0
    present = np.bincount(classes[known], minlength=len(labels)) > 0
    totals = np.asarray(np.bincount(classes[known], weights[known], len(labels)), dtype=np.float64)
    factors = class_factors(class_weight, totals, present, labels, whole)
    with np.errstate(over="ignore", under="ignore"):
        result = np.where(known, weights * factors[classes], weights)
    if np.isinf(result).any():
        raise DataError("the weights of the cases are too large: with that of its class, one is not finite")
    if whole and (result != np.floor(result)).any():
        refuse_fractions(class_weight, factors, totals, labels)
    return np.asarray(result)


def class_factors(
    class_weight: Any,
    totals: npt.NDArray[np.float64],
    present: npt.NDArray[np.bool_],
    labels: Sequence[Label],
    whole: bool = False,
) -> npt.NDArray[np.float64]:
    """What the weights of the cases of each class are multiplied by, given what these weigh and which classes occur."""
    if isinstance(class_weight, WeightsByCost):
        return class_weight.factors(totals, whole)
    if isinstance(class_weight, str) and class_weight == "balanced":
        some = totals > 0
        return np.asarray(np.divide(totals.sum(), some.sum() * totals, out=np.ones(len(labels)), where=some))
    if isinstance(class_weight, Mapping):
        return _given_factors(class_weight, [labels[c] for c in np.flatnonzero(present).tolist()], labels)
    raise ParameterError(
        f"class_weight must be None, 'balanced', 'costs' or a dict of classes to weights, not {shortened(class_weight)}"
    )


def refuse_fractions(
    class_weight: Any,
    factors: npt.NDArray[np.float64],
    totals: npt.NDArray[np.float64],
    labels: Sequence[Label],
) -> None:
    """Refuse weights that were asked for by a word and are not whole, and say what comes nearest."""
    if isinstance(class_weight, Mapping):
        return  # `whole_weights` shows the case
    by_cost = isinstance(class_weight, WeightsByCost)
    some = np.flatnonzero((totals > 0) & (factors > 0))
    odd = next((c for c in some.tolist() if factors[c] != np.floor(factors[c])), int(some[0]))
    word = "costs" if by_cost else "balanced"
    near = [f"{round(factors[c] / factors[some].min())} for '{abbreviated(labels[c])}'" for c in some.tolist()]
    instead = f"the nearest are {abbreviated_list(near)}"
    if by_cost:
        instead = "leave it out, as predictions go by the costs anyway"
    raise ParameterError(
        f"class_weight='{word}' gives cases of '{abbreviated(labels[odd])}' the weight {factors[odd]:g}, but this "
        f"learner counts cases and needs whole numbers as weights; {instead}"
    )


def _given_factors(
    class_weight: Mapping[Any, Any], present: Sequence[Label], labels: Sequence[Label]
) -> npt.NDArray[np.float64]:
    """The weight of each class as given, 1 for a class that is not named."""
    strange = [label for label in class_weight if label not in present]
    # A fold may lack a class. But where one is not named and a name has no class, that name is a slip of the pen.
    if strange and any(label not in class_weight for label in present):
        raise ParameterError(
            f"class_weight names {shortened(strange[0])}, but the classes are {abbreviated_list(present)}"
            f"{near_match(strange[0], present)}"
        )
    factors = np.array([class_weight.get(label, 1.0) for label in labels], dtype=object)
    for label, factor in zip(labels, factors, strict=True):
        if isinstance(factor, bool) or not isinstance(factor, Real) or not 0 <= float(factor) < np.inf:
            raise ParameterError(
                f"class_weight must give each class a weight of at least 0, not {shortened(factor)} to "
                f"{shortened(label)}"
            )
    return factors.astype(np.float64)


def whole_cases(data: Dataset) -> Dataset:
    """Cases of weight 2 twice, and so on, for learners that count whole cases."""
    return repeated(whole_weights(data))


def repeated(data: Dataset) -> Dataset:
    """Each case as often as its weight says, which is a whole number."""
    if data.weights is None:
        return data
    return data.take(np.repeat(np.arange(data.n_cases), data.weights.astype(np.int64))).with_weights(None)


def whole_weights(data: Dataset) -> Dataset:
    """The cases as they are, once it is clear that their weights are whole numbers; without weights if all are 1."""
    if data.weights is None:
        return data
    if (data.weights == 1).all():
        return data.with_weights(None)
    bad = np.flatnonzero(data.weights != np.floor(data.weights))
    if len(bad):
        case = int(bad[0])
        raise DataError(
            f"{data.case_text(case)} has the weight {data.weights[case]:g}, but this learner needs whole numbers as "
            "weights: a case of weight 2 is two cases"
        )
    if data.weights.sum() > MAX_CASES:
        raise DataError(f"the weights add up to {data.weights.sum():g}, but at most {MAX_CASES} cases are possible")
    return data
