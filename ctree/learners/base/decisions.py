"""How probabilities become predictions: the most probable class, or with costs that of least expected cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.costs import cost_by_class, cost_matrix, worth
from ctree.data.dataset import Dataset
from ctree.data.schema import Label
from ctree.errors import DataError, ModelError, ParameterError
from ctree.learners.base.estimator import SklearnEstimator
from ctree.learners.base.parameters import fitted
from ctree.learners.base.training import WeightsByCost, weighted, weights_by_class
from ctree.tree.interface import decided

Floats = npt.NDArray[np.float64]


class Decides(SklearnEstimator):
    """For learners that choose a class by its probability, or by costs if these were given."""

    costs_: Floats | None = fitted(
        "array (classes, classes) or None", "What errors cost, true classes by row, in the order of `classes_`."
    )
    _worth: Floats | None = fitted()
    _weighed: Floats | None = fitted()

    def expected_costs(self, X: Any) -> Floats:
        """What each prediction is expected to cost, one row a case, the columns in the order of ``classes_``.

        It is there for learners with `costs`; `predict` gives the class for which it is least. Where the cases were
        weighed by costs, the weights are taken out of the probabilities first.

        Examples
        --------
        >>> import ctree
        >>> golf = ctree.load_golf()
        >>> model = ctree.BayesianTreeClassifier(costs={("Don't Play", "Play"): 5}).fit(golf)
        >>> day = {"outlook": ["overcast"], "temperature": [75], "humidity": [70], "windy": ["false"]}
        >>> model.expected_costs(day).round(2).tolist(), model.predict(day).tolist()
        ([[1.22, 0.76]], ["Don't Play"])
        """
        model = self._as_it_is()
        probabilities = model.predict_proba(X)  # type: ignore[attr-defined]  # every learner has it
        if not isinstance(probabilities, np.ndarray):
            raise DataError("expected_costs takes cases in memory: compute the frame, or some of its cases, first")
        return model._costs_expected(probabilities)

    def _costs_expected(self, probabilities: Floats) -> Floats:
        costs = getattr(self, "costs_", None)
        if costs is None:
            raise ParameterError(f"this {type(self).__name__} was fitted without costs, and expects none")
        weighed = getattr(self, "_weighed", None)
        if weighed is not None:
            divided = np.divide(probabilities, weighed, out=np.zeros_like(probabilities), where=weighed > 0)
            totals = divided.sum(axis=1, keepdims=True)
            probabilities = np.divide(divided, totals, out=divided, where=totals > 0)
        return np.asarray(probabilities @ costs)

    def _with_costs(self, explanations: Sequence[Any]) -> Sequence[Any]:
        """Explanations that also tell what each class is expected to cost, if there are costs."""
        if not explanations or getattr(self, "costs_", None) is None:
            return explanations
        labels = list(explanations[0].probabilities)
        table = np.array([[one.probabilities[label] for label in labels] for one in explanations])
        rows = self._costs_expected(table).tolist()
        pairs = zip(explanations, rows, strict=True)
        return [replace(one, expected_costs=dict(zip(labels, row, strict=True))) for one, row in pairs]

    def _chosen(self, probabilities: Floats) -> npt.NDArray[np.intp]:
        """The places of the classes that cases of these probabilities are given."""
        return decided(probabilities, self._worths())

    def _worths(self) -> Floats | None:
        """What each prediction is worth, by true class, from 0 to 1; None without costs. See `ctree.data.costs`."""
        return getattr(self, "_worth", None)  # which models that were pickled before there were costs have not


def decided_by(costs: Any, class_weight: Any, classes: Sequence[Label]) -> dict[str, Floats | None]:
    """What a fitted learner decides by, by the names of the attributes that keep it."""
    if costs is None:
        return {"costs_": None, "_worth": None, "_weighed": None}
    matrix, weighed = cost_matrix(costs, classes), _by_costs(class_weight)
    by_class = cost_by_class(matrix) if weighed else None
    return {"costs_": matrix, "_worth": worth(matrix, weighed), "_weighed": by_class}


def saved_decisions(learner: Any, classes: Sequence[Label]) -> dict[str, Any]:
    """What a saved learner decides by."""
    try:
        return decided_by(learner.costs, learner.class_weight, classes)
    except DataError as error:
        raise ModelError(f"'parameters.costs' does not fit the classes: {error}") from None


def asked_weights(costs: Any, class_weight: Any, classes: Sequence[Label]) -> Any:
    """What cases are weighed by: `class_weight`, for which costs may stand. Costs that cannot be are refused."""
    matrix = None if costs is None else cost_matrix(costs, classes)
    if not _by_costs(class_weight):
        return class_weight
    if matrix is None:
        raise ParameterError("class_weight='costs' needs costs, and there are none")
    return WeightsByCost(cost_by_class(matrix))


def weighed_cases(learner: Any, data: Dataset) -> Dataset:
    """The cases that a learner is fitted to, each with its weight times that of its class."""
    class_weight = asked_weights(learner.costs, learner.class_weight, data.schema.classes)
    weights = weights_by_class(data, class_weight, learner.counts_cases)
    return data if weights is None else weighted(data.with_weights(weights))


def _by_costs(class_weight: Any) -> bool:
    return isinstance(class_weight, str) and class_weight == "costs"
