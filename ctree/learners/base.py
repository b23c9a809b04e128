"""What all learners share: parameters in scikit-learn's spelling, data in any form, predictions."""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.frames import as_series, is_frame
from ctree.data.levels import RawColumn
from ctree.data.raw_columns import RawTable, raw_column, raw_table
from ctree.data.schema import Kind, Label, Schema
from ctree.data.tables import check_unseen, dataset_from_arrays, refuse_unseen
from ctree.data.textfile import near_match, shown_list
from ctree.errors import DataError, ParameterError
from ctree.learners.contract import Contract, conversion_warning, not_fitted

Floats = npt.NDArray[np.float64]
MOST_CASES = 1 << 24


class Classifier(Contract):
    """Parent of the learners: predictions from class probabilities.

    A learner takes its cases by ``_training_cases``, says ``_know(schema)`` when it is fitted, and answers
    ``_probabilities(dataset)``. Every learner has the parameters `categorical_features`, `class_weight` and `unseen`.

    Attributes
    ----------
    schema_ : Schema
        The attributes and classes.
    classes_ : array
        The classes, in the order of the columns of `predict_proba`.
    n_features_in_ : int
    feature_names_in_ : array of str
        The names of the attributes; not there if the cases came without names.
    """

    schema_: Schema
    classes_: npt.NDArray[Any]
    n_features_in_: int
    feature_names_in_: npt.NDArray[Any]

    categorical_features: Any
    class_weight: Any
    unseen: str

    def predict_proba(self, X: Any) -> Floats:
        """Class probabilities, one row a case, the columns in the order of ``classes_``."""
        return self._probabilities(self._cases(X))

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The most probable class of each case, the first of equals."""
        codes = self.predict_codes(X)
        return np.asarray(self.classes_[codes])

    def predict_codes(self, X: Any) -> npt.NDArray[np.intp]:
        """The places in ``classes_`` of the classes that `predict` gives."""
        return np.asarray(self.predict_proba(X).argmax(axis=1))

    def score(self, X: Any, y: Any = None, sample_weight: npt.ArrayLike | None = None) -> float:
        """The share of cases whose class is predicted right. With a `Dataset`, `y` is not needed."""
        if y is None:
            if not isinstance(X, Dataset) or X.classes is None:
                raise DataError("score needs the true classes: a Dataset that has them, or y")
            y = np.array([None if c < 0 else X.schema.classes[c] for c in X.classes.tolist()], dtype=object)
        right = self.predict(X) == np.asarray(y)
        return float(np.average(right, weights=None if sample_weight is None else np.asarray(sample_weight)))

    def _probabilities(self, data: Dataset) -> Floats:
        raise NotImplementedError

    def _check_fitted(self) -> None:
        if not hasattr(self, "schema_"):
            raise not_fitted(f"this {type(self).__name__} is not fitted yet: call fit first")

    def _know(self, schema: Schema) -> None:
        """Take the attributes and classes of the cases that the learner is fitted to."""
        self.schema_ = schema
        self.classes_ = label_array(schema.classes)
        self.n_features_in_ = len(schema)
        if schema.names == default_names(len(schema)):
            self.__dict__.pop("feature_names_in_", None)
        else:
            self.feature_names_in_ = np.array(schema.names, dtype=object)

    def _training_cases(
        self, X: Any, y: Any, sample_weight: npt.ArrayLike | None, unknown_class: bool = False
    ) -> Dataset:
        """The cases to learn from, each with its weight times that of its class."""
        check_unseen(self.unseen)
        if y is None and not isinstance(X, Dataset):
            raise DataError(
                f"{type(self).__name__} requires y to be passed, but the target y is None: fit needs the classes of "
                "the cases, or a Dataset that has them"
            )
        data = training_cases(X, y, sample_weight, self.categorical_features, unknown_class)
        weights = weights_by_class(data, self.class_weight)
        return data if weights is None else _weighted(data.with_weights(weights))

    def _cases(self, X: Any) -> Dataset:
        """Cases to predict, in the codes of the schema that the learner was fitted with."""
        self._check_fitted()
        check_unseen(self.unseen)
        if not isinstance(X, Dataset):
            return dataset_from_arrays(self._matched(raw_table(X)), schema=self.schema_, unseen=self.unseen)
        if X.schema is self.schema_ or X.schema.attributes == self.schema_.attributes:
            return X
        columns = {a.name: c for a, c in zip(X.schema, X.columns, strict=True)}
        recoded = [_recode(X.schema, self.schema_, i, columns, self.unseen) for i in range(len(self.schema_))]
        return Dataset(self.schema_, recoded, n_cases=X.n_cases)

    def _matched(self, table: RawTable) -> RawTable:
        """The table with its columns as the learner knows them: by name where both have names, else in order."""
        learner, known, width = type(self).__name__, self.schema_.names, len(table.columns)
        named = hasattr(self, "feature_names_in_")
        if table.names is not None and (named or set(table.names) == set(known)):
            extra = [name for name in table.names if name not in known]
            needed = [a.name for a in self.schema_ if a.kind is not Kind.IGNORE]
            missing = [name for name in needed if name not in table.names]
            if missing:
                hint = near_match(missing[0], extra) if len(missing) == 1 else ""
                raise DataError(f"X lacks {_columns(missing)}, which {learner} was fitted with{hint}")
            if extra:
                raise DataError(f"X has {_columns(extra)}, which {learner} was not fitted with: leave them out")
            return table
        if width != len(known):
            raise DataError(f"X has {width} features, but {learner} is expecting {len(known)} features as input")
        if named:
            warn(f"X does not have valid feature names, but {learner} was fitted with feature names")
        elif table.names is not None:
            warn(f"X has feature names, but {learner} was fitted without feature names")
        return RawTable(None, table.columns, table.discrete)


def default_names(n: int) -> tuple[str, ...]:
    """What attributes are called that have no names."""
    return tuple(f"x{j}" for j in range(n))


def label_array(labels: Sequence[Label]) -> npt.NDArray[Any]:
    """Labels as an array; as objects if text and numbers are among them, of which numpy would make text."""
    texts = {isinstance(label, str) for label in labels}
    return np.array(labels, dtype=object if len(texts) > 1 else None)


def warn(message: str | Warning) -> None:
    """A warning where ctree was called, not where it finds out."""
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_globals["__name__"].split(".")[0] == "ctree":
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level)


def _columns(names: Sequence[str]) -> str:
    quoted = shown_list([f"'{name}'" for name in names])
    return f"the column{'s' * (len(names) > 1)} {quoted}"


def training_cases(
    X: Any, y: Any, sample_weight: npt.ArrayLike | None, categorical_features: Any, unknown_class: bool = False
) -> Dataset:
    """The training cases, from a `Dataset` or from arrays: all with a positive weight, and all or some with a class."""
    if isinstance(X, Dataset):
        if y is not None:
            raise DataError("a Dataset brings its own classes: leave y out")
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
        raise DataError(f"case {case + 1} has no class; leave such cases out to learn from the others")
    return _weighted(data)


def _weighted(data: Dataset) -> Dataset:
    """The cases without those that weigh nothing."""
    if data.weights is not None and not np.isfinite(data.weights.sum()):
        raise DataError("the weights of the cases are too large: their sum is no number")
    if data.weights is not None and not (data.weights > 0).all():
        data = data.take(data.weights > 0)
        if data.n_cases == 0:
            raise DataError("no case has a weight greater than zero")
    return data


def class_labels(y: Any) -> Any:
    """The classes of cases, as one column; numbers with fractions are refused, as they are measured, not labels."""
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
    measured = next((x for x in _floats(column) if math.isfinite(x) and x != math.floor(x)), None)
    if measured is not None:
        raise DataError(
            f"Unknown label type: continuous. y has the value {measured:g}, which is no label of a class; make text of "
            "the numbers if they are labels, or classes of them if they are measured"
        )
    return column


def _floats(column: RawColumn) -> Iterable[float]:
    """The distinct numbers of a column that may have fractions."""
    if isinstance(column, list):
        return (x for x in column if isinstance(x, float))
    return np.unique(column).tolist()  # type: ignore[no-any-return]


def weight_array(sample_weight: Any) -> npt.NDArray[Any]:
    """The weights of the cases, of whatever library."""
    weights = np.asarray(sample_weight)
    try:
        return weights.astype(np.float64)
    except (TypeError, ValueError):
        raise DataError("sample_weight should hold numbers") from None


def weights_by_class(data: Dataset, class_weight: Any) -> npt.NDArray[np.float64] | None:
    """What each case weighs, times the weight of its class; None if the classes weigh the same."""
    if class_weight is None:
        return None
    assert data.classes is not None
    classes, labels = np.asarray(data.classes), data.schema.classes
    weights = np.ones(data.n_cases) if data.weights is None else np.asarray(data.weights)
    known = classes >= 0
    if isinstance(class_weight, str) and class_weight == "balanced":
        totals = np.bincount(classes[known], weights[known], len(labels))
        present = totals > 0
        factors = np.divide(totals.sum(), present.sum() * totals, out=np.ones(len(labels)), where=present)
    elif isinstance(class_weight, Mapping):
        factors = _given_factors(class_weight, [labels[c] for c in np.unique(classes[known])], labels)
    else:
        raise ParameterError(
            f"class_weight must be None, 'balanced' or a dict of classes to weights, not {class_weight!r}"
        )
    return np.asarray(np.where(known, weights * factors[classes], weights))


def _given_factors(
    class_weight: Mapping[Any, Any], present: Sequence[Label], labels: Sequence[Label]
) -> npt.NDArray[np.float64]:
    """The weight of each class as given, 1 for a class that is not named."""
    strange = [label for label in class_weight if label not in present]
    # A fold may lack a class. But where one is not named and a name has no class, that name is a slip of the pen.
    if strange and any(label not in class_weight for label in present):
        raise ParameterError(f"class_weight names {strange[0]!r}, but the classes are {shown_list(present)}")
    factors = np.array([class_weight.get(label, 1.0) for label in labels], dtype=object)
    for label, factor in zip(labels, factors, strict=True):
        if isinstance(factor, bool) or not isinstance(factor, Real) or not 0 <= float(factor) < np.inf:
            raise ParameterError(f"class_weight must give each class a number from 0 on, not {factor!r} to {label!r}")
    return factors.astype(np.float64)


def whole_cases(data: Dataset) -> Dataset:
    """Cases of weight 2 twice, and so on, for learners that count whole cases."""
    if data.weights is None:
        return data
    if (data.weights == 1).all():
        return data.with_weights(None)
    bad = np.flatnonzero(data.weights != np.floor(data.weights))
    if len(bad):
        case = int(bad[0])
        raise DataError(
            f"case {case + 1} has the weight {data.weights[case]:g}, but here weights have to be whole numbers: "
            "a case of weight 2 is two cases"
        )
    if data.weights.sum() > MOST_CASES:
        raise DataError(f"the weights add up to {data.weights.sum():g}, but at most {MOST_CASES} cases are possible")
    rows = np.repeat(np.arange(data.n_cases), data.weights.astype(np.int64))
    return data.take(rows).with_weights(None)


def _recode(
    source: Schema, target: Schema, index: int, columns: dict[str, Any], unseen: str
) -> npt.NDArray[Any] | None:
    """One column in the target's codes; values that the target does not know are unknown."""
    attribute = target[index]
    if attribute.name not in columns:
        raise DataError(f"the cases lack the attribute '{attribute.name}'")
    given = source[source.index(attribute.name)]
    column: npt.NDArray[Any] | None = columns[attribute.name]
    if attribute.kind != given.kind:
        raise DataError(
            f"attribute '{attribute.name}' is {given.kind.value} here but {attribute.kind.value} in the model"
        )
    if column is None or not attribute.is_discrete or attribute.values == given.values:
        return column
    codes = {value: code for code, value in enumerate(attribute.values)}
    table = np.array([codes.get(value, -1) for value in given.values] + [-1], dtype=np.int32)
    recoded = np.asarray(table[column])
    if unseen == "error":
        lost = column[(recoded < 0) & (column >= 0)]
        refuse_unseen(attribute, given.values[int(lost[0])] if lost.size else None)
    return recoded
