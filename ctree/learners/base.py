"""What all learners share: parameters in scikit-learn's spelling, data in any form, predictions."""

from __future__ import annotations

import inspect
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.schema import Schema
from ctree.data.tables import dataset_from_arrays
from ctree.errors import DataError, NotFittedError, ParameterError

Floats = npt.NDArray[np.float64]


class Classifier:
    """Parent of the learners: parameters, and predictions from class probabilities.

    A learner sets ``schema_`` and ``classes_`` when it is fitted and answers ``_probabilities(dataset)``.
    """

    schema_: Schema
    classes_: npt.NDArray[Any]

    @classmethod
    def _parameter_names(cls) -> list[str]:
        return [p for p in inspect.signature(cls.__init__).parameters if p != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name."""
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name."""
        names = self._parameter_names()
        for name, value in params.items():
            if name not in names:
                raise ParameterError(f"{type(self).__name__} has no parameter '{name}'; it has {', '.join(names)}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        signature = inspect.signature(type(self).__init__).parameters
        given = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if value is not signature[name].default and value != signature[name].default
        ]
        return f"{type(self).__name__}({', '.join(given)})"

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

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn wants to know of an estimator; only it ever asks."""
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(),
            input_tags=InputTags(allow_nan=True, categorical=True, string=True),
        )

    def _probabilities(self, data: Dataset) -> Floats:
        raise NotImplementedError

    def _check_fitted(self) -> None:
        if not hasattr(self, "schema_"):
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet: call fit first")

    def _cases(self, X: Any) -> Dataset:
        """Cases to predict, in the codes of the schema that the learner was fitted with."""
        self._check_fitted()
        if not isinstance(X, Dataset):
            return dataset_from_arrays(X, schema=self.schema_)
        if X.schema is self.schema_ or X.schema.attributes == self.schema_.attributes:
            return X
        columns = {a.name: c for a, c in zip(X.schema, X.columns, strict=True)}
        return Dataset(self.schema_, [_recode(X.schema, self.schema_, i, columns) for i in range(len(self.schema_))],
                       n_cases=X.n_cases)  # fmt: skip


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
        data = dataset_from_arrays(X, y, sample_weight=sample_weight, categorical_features=categorical_features)
    if data.classes is None:
        raise DataError("the cases to learn from have no classes")
    if data.n_cases == 0:
        raise DataError("there are no cases to learn from")
    if (data.classes < 0).all() if unknown_class else (data.classes < 0).any():
        case = int(np.flatnonzero(data.classes < 0)[0])
        raise DataError(f"case {case + 1} has no class; leave such cases out to learn from the others")
    if data.weights is not None and not np.isfinite(data.weights.sum()):
        raise DataError("the weights of the cases are too large: their sum is no number")
    if data.weights is not None and not (data.weights > 0).all():
        data = data.take(data.weights > 0)
        if data.n_cases == 0:
            raise DataError("no case has a weight greater than 0")
    return data


def _recode(source: Schema, target: Schema, index: int, columns: dict[str, Any]) -> npt.NDArray[Any] | None:
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
    return np.asarray(table[column])
