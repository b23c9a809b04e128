"""Rules as data: conditions on attributes that all have to hold, and the class that follows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ctree.data.schema import Kind, Label

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ctree.tree.tree import Tree

    Cuts = Sequence[npt.NDArray[np.float64] | None] | None


@dataclass(frozen=True)
class Condition:
    """What a rule requires of one attribute; an unknown value never meets it.

    Parameters
    ----------
    attribute : str
        The name of the attribute.
    values : tuple of labels
        The values that a discrete attribute may have.
    at_most, above : float, optional
        The bounds of a continuous attribute, one or both.

    Examples
    --------
    >>> import ctree
    >>> print(ctree.Condition("humidity", above=75), "|", ctree.Condition("outlook", values=("rain", "overcast")))
    humidity > 75 | outlook in {rain, overcast}
    >>> print(ctree.Condition("humidity", above=75, at_most=80))
    75 < humidity <= 80
    """

    attribute: str
    values: tuple[Label, ...] = ()
    at_most: float | None = None
    above: float | None = None

    @property
    def kind(self) -> Kind:
        """The kind of the attribute."""
        return Kind.DISCRETE if self.at_most is None and self.above is None else Kind.CONTINUOUS

    @property
    def threshold(self) -> float | None:
        """The bound, whichever side is meant; of two the upper one."""
        return self.above if self.at_most is None else self.at_most

    def __str__(self) -> str:
        if self.at_most is not None and self.above is not None:
            return f"{self.above:g} < {self.attribute} <= {self.at_most:g}"
        if self.at_most is not None:
            return f"{self.attribute} <= {self.at_most:g}"
        if self.above is not None:
            return f"{self.attribute} > {self.above:g}"
        if len(self.values) == 1:
            return f"{self.attribute} = {self.values[0]}"
        return f"{self.attribute} in {{{', '.join(map(str, self.values))}}}"


@dataclass(frozen=True)
class Rule:
    """Conditions that all have to hold, and the class that follows from them.

    Parameters
    ----------
    number : int
        Its number, from 1.
    conditions : tuple of Condition
    prediction : label
        The class.
    error : float
        The expected error rate.
    cases : float
        The training cases that meet the conditions.
    errors : float
        How many of them belong to another class; in the rules of a pruned tree, the expected number.
    support : float, optional
        The share of all training cases that meet the conditions; None if it was not computed.
    lift : float, optional
        How many times more frequent the class is expected to be here than among all training cases.

    Examples
    --------
    >>> import ctree
    >>> model = ctree.C45RulesClassifier().fit(ctree.load_golf())
    >>> print(model.rules_[1])
    Rule 4:
        outlook = rain
        windy = false
        ->  class Play  [63.0%]
    """

    number: int
    conditions: tuple[Condition, ...]
    prediction: Label
    error: float
    cases: float
    errors: float
    support: float | None = None
    lift: float | None = None

    @property
    def confidence(self) -> float:
        """The share of cases for which the rule is expected to be right."""
        return 1.0 - self.error

    def __len__(self) -> int:
        return len(self.conditions)

    def __str__(self) -> str:
        lines = [f"Rule {self.number}:", *(f"    {condition}" for condition in self.conditions)]
        return "\n".join([*lines, f"    ->  class {self.prediction}  [{100 * self.confidence:.1f}%]"])


def conditions_of(tree: Tree, node: int, cuts: Cuts = None) -> list[Condition]:
    """What leads from this node to each of its branches; of attributes in bins, with their `cuts`, as bounds."""
    from ctree.tree.tree import Test

    test = tree.test[node]
    if test == Test.LEAF:
        return []
    attribute = tree.schema[int(tree.attribute[node])]
    if test == Test.THRESHOLD:
        cut = float(tree.threshold[node])
        return [Condition(attribute.name, at_most=cut), Condition(attribute.name, above=cut)]
    bounds = None if cuts is None else cuts[int(tree.attribute[node])]
    if bounds is not None:
        ends = [None, *bounds.tolist(), None]
        # In a tree of bins the codes of a group follow each other.
        return [
            Condition(attribute.name, above=ends[min(group)], at_most=ends[max(group) + 1])
            for group in tree.groups(node)
        ]
    return [Condition(attribute.name, values=tuple(attribute.values[v] for v in group)) for group in tree.groups(node)]


def simplified(conditions: Iterable[Condition]) -> tuple[Condition, ...]:
    """The same conditions, one for each attribute: an interval, or the values that all of them allow.

    Examples
    --------
    >>> from ctree import Condition
    >>> a, b = Condition("humidity", above=70), Condition("humidity", at_most=80)
    >>> c, d = Condition("outlook", values=("sunny", "rain")), Condition("outlook", values=("rain", "overcast"))
    >>> [str(condition) for condition in simplified([a, c, b, d])]
    ['70 < humidity <= 80', 'outlook = rain']
    """
    result: dict[str, Condition] = {}
    for condition in conditions:
        other = result.get(condition.attribute)
        if other is None:
            result[condition.attribute] = condition
            continue
        at_most = [c.at_most for c in (other, condition) if c.at_most is not None]
        above = [c.above for c in (other, condition) if c.above is not None]
        result[condition.attribute] = Condition(
            condition.attribute,
            tuple(v for v in other.values if v in condition.values),
            min(at_most, default=None),
            max(above, default=None),
        )
    return tuple(result.values())


def tree_rules(tree: Tree, cuts: Cuts = None) -> dict[int, Rule]:
    """The rule of each leaf of a tree, from left to right."""
    rules: dict[int, Rule] = {}
    total = float(tree.cases[0])
    waiting: list[tuple[int, tuple[Condition, ...]]] = [(0, ())]
    while waiting:
        index, path = waiting.pop()
        if not len(tree.branches(index)):
            code = int(tree.best[index])
            confidence, cases = float(tree.probabilities[index, code]), float(tree.cases[index])
            of_class = float(tree.class_counts[0, code])
            rules[index] = Rule(
                len(rules) + 1,
                path,
                tree.schema.classes[code],
                1.0 - confidence,
                cases,
                float(tree.errors[index]),
                cases / total if total > 0 else math.nan,
                confidence * total / of_class if of_class > 0 else math.nan,
            )
        branches = zip(tree.branches(index), conditions_of(tree, index, cuts), strict=True)
        # a path is simplified step by step: a deep tree need not carry all of its conditions along
        waiting.extend(reversed([(branch, simplified((*path, condition))) for branch, condition in branches]))
    return rules


def rules_frame(rules: Iterable[Rule], backend: Any) -> Any:
    """Rules as a DataFrame, a row each, made by narwhals: ``"pandas"``, ``"polars"`` or ``"pyarrow"``."""
    from ctree.errors import MissingExtraError, ParameterError

    if backend not in ("pandas", "polars", "pyarrow"):
        raise ParameterError(f"frame must be None, 'pandas', 'polars' or 'pyarrow', not {backend!r}")
    try:
        import narwhals
    except ImportError:
        raise MissingExtraError("a DataFrame of rules needs narwhals: pip install 'ctree-learn[dataframe]'") from None
    listed = list(rules)
    columns: dict[str, list[Any]] = {
        "rule": [rule.number for rule in listed],
        "conditions": [" and ".join(map(str, rule.conditions)) for rule in listed],
        "class": [rule.prediction for rule in listed],
        "cases": [rule.cases for rule in listed],
        "errors": [rule.errors for rule in listed],
        "support": [rule.support for rule in listed],
        "confidence": [rule.confidence for rule in listed],
        "lift": [rule.lift for rule in listed],
    }
    try:
        return narwhals.from_dict(columns, backend=backend).to_native()
    except ImportError:
        raise MissingExtraError(f"this needs {backend}, which is not installed") from None
