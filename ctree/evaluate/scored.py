"""Cases with their true classes and what a model says of them: what every plot and report starts from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.recode import recoded, translated
from ctree.data.relational.data import RelationalData
from ctree.data.schema import Label, label_texts
from ctree.data.tables.frames import lies_with
from ctree.data.tables.levels import code_levels, unseen_value
from ctree.errors import DataError, ModelError, ParameterError
from ctree.learners.base.classifier import Classifier
from ctree.learners.base.training import class_labels
from ctree.tree.tree import Tree
from ctree.wording import abbreviated, abbreviated_list

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class ScoredCases:
    """Cases whose class is known, with a model's probabilities and predictions.

    Parameters
    ----------
    classes : tuple of labels
    codes : array of int (cases,)
        The true classes, as places in `classes`.
    probabilities : array (cases, classes)
    predicted : array of int (cases,)
        The classes that the model predicts.
    weights : array (cases,) or None
    rows : array of int (cases,)
        Which of the cases that were given they are.
    n_given : int
        How many cases were given, those without a class among them.
    data : Dataset or None
        The cases themselves in the codes of the model, if it is one for tables of cases.
    """

    classes: tuple[Label, ...]
    codes: npt.NDArray[np.intp]
    probabilities: Floats
    predicted: npt.NDArray[np.intp]
    weights: Floats | None
    rows: npt.NDArray[np.intp]
    n_given: int
    data: Dataset | None

    @property
    def n_cases(self) -> int:
        return len(self.codes)

    @property
    def wrong(self) -> npt.NDArray[np.bool_]:
        """Which cases were given another class than their own."""
        return np.asarray(self.codes != self.predicted)

    @property
    def class_texts(self) -> list[str]:
        """The classes as texts that differ."""
        return label_texts(self.classes)

    @property
    def class_weights(self) -> Floats:
        """The weight of the cases of each class."""
        return np.bincount(self.codes, self.weights, len(self.classes)).astype(np.float64)

    def evenly(self, most: int) -> ScoredCases:
        """So many of the cases at most, evenly spaced."""
        if self.n_cases <= most:
            return self
        rows = np.unique(np.linspace(0, self.n_cases - 1, most).round().astype(np.intp))
        return ScoredCases(
            self.classes,
            self.codes[rows],
            self.probabilities[rows],
            self.predicted[rows],
            None if self.weights is None else self.weights[rows],
            self.rows[rows],
            self.n_given,
            None if self.data is None else self.data.take(rows),
        )

    def code_of(self, label: object) -> int:
        """The place of a class, given as it is or as text."""
        return class_place(label, self.classes)

    def two_sided(self) -> list[int]:
        """The classes that some cases have and others do not, by which cases can be ranked."""
        weights = self.class_weights
        return [c for c in range(len(self.classes)) if 0 < weights[c] < weights.sum()]


def class_place(label: object, classes: Sequence[Label]) -> int:
    """The place of a class, given as it is or as text.

    Examples
    --------
    >>> class_place("2", [1, 2]), class_place(2, [1, 2])
    (1, 1)
    """
    for named in ([*classes], [*label_texts(classes)]):
        if label in named:
            return [*named].index(label)
    known = abbreviated_list(classes)
    raise ParameterError(f"there is no class '{abbreviated(label)}'; the classes are {known}")


def scored(model: Any, X: Any, y: Any = None, sample_weight: npt.ArrayLike | None = None) -> ScoredCases:
    """Ask a model for the probabilities of cases whose classes are known; cases without a class are left out.

    Parameters
    ----------
    model : learner, Tree, or classifier of another package
        It is fitted. One of another package, which has ``predict``, ``predict_proba`` and ``classes_``, needs `y`.
    X : Dataset, table or RelationalData
        Anything that its ``predict`` takes.
    y : array, optional
        The true classes; not with data that have classes themselves.
    sample_weight : array, optional

    Examples
    --------
    >>> import ctree
    >>> golf = ctree.load_golf()
    >>> cases = scored(ctree.C45Classifier().fit(golf), golf)
    >>> cases.n_cases, int(cases.wrong.sum()), cases.classes
    (14, 0, ('Play', "Don't Play"))
    """
    if not hasattr(model, "predict_proba"):
        raise ModelError(f"a {type(model).__name__} gives no probabilities")
    if lies_with(X):
        raise DataError("a frame of a cluster cannot be shown as it is: compute it, or some of its cases, first")
    data: Dataset | None = None
    if isinstance(X, RelationalData):
        classes, codes, probabilities, predicted = _linked(model, X, y)
    elif isinstance(model, Classifier | Tree):
        schema = model.schema if isinstance(model, Tree) else _fitted(model).schema_
        data = _cases(model, X)
        classes, codes = schema.classes, _codes(X, y, schema.classes)
        _check_length(codes, data.n_cases)
        probabilities = model.predict_proba(data)
        predicted = probabilities.argmax(axis=1) if isinstance(model, Tree) else model.predict_codes(data)
    else:
        classes = tuple(np.asarray(model.classes_).tolist())
        codes = _codes(X, y, classes)
        probabilities = np.asarray(model.predict_proba(X), dtype=np.float64)
        predicted = code_levels(np.asarray(model.predict(X)).tolist(), classes, "the prediction")
    _check_length(codes, len(probabilities))
    weights = _weights(X, sample_weight, len(codes))
    known = codes >= 0 if weights is None else (codes >= 0) & (weights > 0)
    if not known.any():
        raise DataError("no case has a class: the true classes are needed")
    rows = np.flatnonzero(known)
    if len(rows) < len(codes):
        codes, probabilities, predicted = codes[rows], probabilities[rows], predicted[rows]
        weights = None if weights is None else weights[rows]
        data = None if data is None else data.take(rows)
    if data is not None:
        data = Dataset(data.schema, data.columns, codes.astype(np.int32), weights, n_cases=len(rows))
    return ScoredCases(
        tuple(classes),
        codes.astype(np.intp),
        probabilities,
        np.asarray(predicted, dtype=np.intp),
        weights,
        rows,
        len(known),
        data,
    )


def _fitted(model: Any) -> Any:
    model._check_fitted()
    return model


def _cases(model: Classifier | Tree, X: Any) -> Dataset:
    """The cases in the codes of a model."""
    if isinstance(model, Tree):
        if not isinstance(X, Dataset):
            raise DataError("a Tree takes its cases as a Dataset: give the learner, which takes tables as well")
        data = recoded(X, model.schema)
    else:
        data = model._cases(X)
    schema = model.schema if isinstance(model, Tree) else model.schema_
    return Dataset(schema, data.columns, n_cases=data.n_cases)


def _codes(X: Any, y: Any, classes: tuple[Label, ...]) -> npt.NDArray[np.int32]:
    """The true classes in the codes of a model."""
    if isinstance(X, Dataset):
        if y is not None:
            raise DataError("a Dataset has its own classes: leave out y")
        if X.classes is None:
            raise DataError("the cases have no classes: the true classes are needed")
        codes = translated(X.classes, X.schema.classes, classes)
        strange = np.flatnonzero((codes < 0) & (X.classes >= 0))
        value: object = X.schema.classes[int(X.classes[strange[0]])] if strange.size else None
    else:
        if y is None:
            raise DataError("the true classes are needed: give a Dataset that has them, or y")
        column = class_labels(y)
        labels = column.tolist() if isinstance(column, np.ndarray) else column
        codes = code_levels(labels, classes, "y")
        value = unseen_value(labels, codes)
    if value is not None:
        raise DataError(f"a case has the class '{abbreviated(value)}', not one of {abbreviated_list(classes)}")
    return np.asarray(codes, dtype=np.int32)


def _linked(model: Any, X: RelationalData, y: Any) -> tuple[Any, ...]:
    """Examples of linked tables."""
    if y is not None:
        raise DataError("a RelationalData has its own classes: leave out y")
    _fitted(model)
    classes = tuple(model.schema_.classes)
    codes = X.classes_among(classes)
    if codes is None:
        raise DataError("the examples have no classes: the true classes are needed")
    probabilities = model.predict_proba(X)
    return classes, codes, probabilities, model._chosen(probabilities)


def _weights(X: Any, sample_weight: npt.ArrayLike | None, n: int) -> Floats | None:
    given = sample_weight if sample_weight is not None else X.weights if isinstance(X, Dataset) else None
    if given is None:
        return None
    weights = np.asarray(given, dtype=np.float64)
    if weights.shape != (n,) or not np.isfinite(weights).all() or (n and weights.min() < 0):
        raise DataError(f"there should be {n} weights, finite numbers that are not negative")
    return weights


def _check_length(codes: npt.NDArray[np.int32], n: int) -> None:
    if len(codes) != n:
        raise DataError(f"there are {n} cases but {len(codes)} classes")
