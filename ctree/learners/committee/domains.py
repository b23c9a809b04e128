"""What the parameter `learner` of a committee may be."""

from __future__ import annotations

from typing import Any

from ctree.data.fields import Fields
from ctree.domains.domain import Domain
from ctree.learners.base.parameters import parameters_from_fields, plain_parameters
from ctree.learners.relational.classifier import RelationalTreeClassifier

KINDS = {"RelationalTreeClassifier": RelationalTreeClassifier}
"""The learners that committees can be made of."""


class TreeLearner(Domain):
    """A learner with its parameters; what it may have been fitted to before does not matter.

    Examples
    --------
    >>> TreeLearner().to_plain(RelationalTreeClassifier(method="bic-stop"))["parameters"]["method"]
    'bic-stop'
    """

    metavar = "LEARNER"

    def accepts(self, value: Any) -> bool:
        return type(value) in KINDS.values()

    def words(self) -> list[str]:
        return [f"a {kind}" for kind in KINDS]

    def type_text(self) -> str:
        return ", ".join(KINDS)

    def parse(self, text: str) -> Any:
        raise ValueError

    def to_plain(self, value: Any) -> Any:
        plain = plain_parameters(value._parameters, value.get_params(deep=False))
        plain.pop("data", None)  # a model is kept without the tables that it was learned from
        return {"kind": type(value).__name__, "parameters": plain}

    def from_plain(self, value: Any) -> Any:
        if not isinstance(value, dict) or value.get("kind") not in list(KINDS):
            return value
        fields = Fields(value, "parameters.learner")
        kind: Any = KINDS[fields.get("kind", str)]
        return kind(**parameters_from_fields(kind._parameters, fields.object("parameters"), kind.__name__))
