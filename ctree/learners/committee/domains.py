"""What the parameter `learner` of a committee may be."""

from __future__ import annotations

from typing import Any

from ctree.data.fields import Fields
from ctree.domains.domain import Domain
from ctree.learners.base.parameters import parameters_from_fields, plain_parameters

RELATIONAL = ("RelationalTreeClassifier",)
"""The learners that committees from linked tables can be made of."""

TREES = ("C45Classifier", "ProbabilityTreeClassifier", "BayesianTreeClassifier")
"""Those from one table whose trees are grown from sorted columns, and can be offered attributes at random."""

WHOLE = ("C45RulesClassifier", "OptimalTreeClassifier")
"""Others from one table, which learn from whole cases."""

FROM_TABLES = TREES + WHOLE


class TreeLearner(Domain):
    """A learner with its parameters; what it may have been fitted to before does not matter.

    Parameters
    ----------
    kinds : tuple of str
        The classes that it may be of.

    Examples
    --------
    >>> from ctree import RelationalTreeClassifier
    >>> TreeLearner().to_plain(RelationalTreeClassifier(method="bic-stop"))["parameters"]["method"]
    'bic-stop'
    """

    metavar = "LEARNER"

    def __init__(self, kinds: tuple[str, ...] = RELATIONAL) -> None:
        self.kinds = kinds

    def accepts(self, value: Any) -> bool:
        return type(value).__name__ in self.kinds and type(value) is self._class(type(value).__name__)

    def words(self) -> list[str]:
        return [f"a{'n' if kind.startswith('O') else ''} {kind}" for kind in self.kinds]

    def type_text(self) -> str:
        return ", ".join(self.kinds)

    def parse(self, text: str) -> Any:
        raise ValueError

    def to_plain(self, value: Any) -> Any:
        plain = plain_parameters(value._parameters, value.get_params(deep=False))
        plain.pop("data", None)  # a model is kept without the tables that it was learned from
        return {"kind": type(value).__name__, "parameters": plain}

    def from_plain(self, value: Any) -> Any:
        if not isinstance(value, dict) or value.get("kind") not in self.kinds:
            return value
        fields = Fields(value, "parameters.learner")
        kind: Any = self._class(fields.get("kind", str))
        return kind(**parameters_from_fields(kind._parameters, fields.object("parameters"), kind.__name__))

    @staticmethod
    def _class(kind: str) -> Any:
        from ctree.learners.registry import learner_class  # which names them all, and imports one when it is asked for

        return learner_class(kind)
