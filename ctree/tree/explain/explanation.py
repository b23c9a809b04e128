"""Explanation: why a case is given its class, as text, as plain data and as HTML."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ctree.data.schema import Label
from ctree.data.worded import Worded
from ctree.tree.rules import Condition
from ctree.wording import abbreviated


@dataclass(frozen=True, repr=False)
class Explanation(ABC):
    """Why a case is given its class; each kind of model has a subclass of its own.

    Parameters
    ----------
    prediction : label
        The class that is predicted.
    probabilities : dict of label to float
        The probability of every class.
    expected_costs : dict of label to float, or None
        If the model has costs, what every class is expected to cost if it is predicted.
    case : str or None
        What the case is called, if it has a name (`Dataset.case_names`).

    Examples
    --------
    >>> import ctree
    >>> model = ctree.C45Classifier().fit(ctree.load_golf())
    >>> why = model.explain({"outlook": "overcast", "temperature": 70, "humidity": 90, "windy": "true"})
    >>> why.prediction, why.probability, why.probabilities
    ('Play', 1.0, {'Play': 1.0, "Don't Play": 0.0})
    >>> print(why)
    class Play [100.0%] by leaf 1:
        outlook = overcast
    >>> why.to_dict()["leaves"][0]["conditions"]
    [{'attribute': 'outlook', 'values': ['overcast'], 'value': 'overcast'}]
    """

    prediction: Label
    probabilities: dict[Label, float]
    case: str | None = field(default=None, kw_only=True)
    expected_costs: dict[Label, float] | None = field(default=None, kw_only=True)

    @property
    def verdict(self) -> str:
        """The predicted class with its probability and, if there are costs, with what it is expected to cost."""
        cost = ""
        if self.expected_costs is not None:
            cost = f", least expected cost {self.expected_costs[self.prediction]:.3g}"
        return f"class {self.prediction} [{percent(self.probability)}{cost}]"

    @property
    def probability(self) -> float:
        """The probability of the predicted class."""
        return self.probabilities[self.prediction]

    @abstractmethod
    def to_text(self) -> str:
        """The explanation as text."""

    @abstractmethod
    def _reasons(self) -> list[Reason]:
        """What led to the prediction, for `_repr_html_`."""

    @abstractmethod
    def _details(self) -> dict[str, Any]:
        """What `to_dict` says beside the prediction and the probabilities."""

    def __str__(self) -> str:
        return self.to_text() if self.case is None else f"{self.case}: {self.to_text()}"

    def to_dict(self) -> dict[str, Any]:
        """The explanation as plain data: dicts, lists, texts, numbers, booleans and None, as JSON has them."""
        named = {} if self.case is None else {"case": self.case}
        return named | {
            "prediction": plain(self.prediction),
            "probability": self.probability,
            "probabilities": by_label(self.probabilities),
            **({} if self.expected_costs is None else {"expected_costs": by_label(self.expected_costs)}),
            **self._details(),
        }

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: class {abbreviated(self.prediction)}, {percent(self.probability)}>"

    def _repr_html_(self) -> str:
        from ctree.render.cells.explanation_cell import explanation_cell

        return explanation_cell(self)


@dataclass(frozen=True)
class Reason:
    """A heading and the lines below it."""

    title: str
    lines: Sequence[str] = ()


def one_or_list(explanations: Sequence[Explanation], names: Sequence[str | None] | None = None) -> Any:
    """What `explain` returns: the explanation of a single case, or a list of them, with the names of the cases."""
    if names is not None:
        explanations = [replace(one, case=name) for one, name in zip(explanations, names, strict=True)]
    return explanations[0] if len(explanations) == 1 else list(explanations)


def percent(share: float) -> str:
    """A share in percent, with one decimal."""
    return f"{100 * share:.1f}%"


def value_text(value: Label) -> str:
    """A value of a case as text."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def plain(value: Label | None) -> Any:
    """A label or value as plain Python, which JSON can say; a date or an ordered value as text."""
    if isinstance(value, Worded):
        return value.word
    return value.item() if isinstance(value, np.generic) else value


def by_label(shares: dict[Label, float]) -> dict[str, float]:
    """Numbers by label, with text for keys, as JSON has them."""
    return {str(label): float(share) for label, share in shares.items()}


def condition_data(condition: Condition) -> dict[str, Any]:
    """A condition as plain data: the attribute, and its values or bounds."""
    bounds = {"above": condition.above, "at_most": condition.at_most}
    result: dict[str, Any] = {"attribute": condition.attribute}
    if condition.threshold is None:
        return result | {"values": [plain(value) for value in condition.values]}
    return result | {name: plain(bound) for name, bound in bounds.items() if bound is not None}
