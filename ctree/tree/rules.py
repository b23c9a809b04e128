"""Rules as data: conditions on attributes that all have to hold, and the class that follows."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ctree.data.schema import Kind, Label
from ctree.wording import abbreviated

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ctree.data.schema import Schema
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
        The bounds of a continuous attribute, one or both. Those of ordered values are places in the order, those of
        dates are days or microseconds, as in `Attribute`; `Attribute.bound` makes numbers of them that text shows as
        values and dates.

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
        """Whether it is about values or about bounds, as those of a continuous attribute."""
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


@dataclass(frozen=True, repr=False)
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

    def __repr__(self) -> str:
        conditions = abbreviated(" and ".join(map(str, self.conditions)) or "any case", 100)
        return f"<Rule {self.number}: {conditions} -> {abbreviated(self.prediction)} [{100 * self.confidence:.1f}%]>"

    def _repr_html_(self) -> str:
        from ctree.render.cells.rules_cell import rules_cell

        return rules_cell("Rule", [self])

    def __str__(self) -> str:
        lines = [f"Rule {self.number}:", *(f"    {condition}" for condition in self.conditions)]
        return "\n".join([*lines, f"    ->  class {self.prediction}  [{100 * self.confidence:.1f}%]"])


def conditions_of(tree: Tree, node: int, cuts: Cuts = None, given: Schema | None = None) -> list[Condition]:
    """What leads from this node to each of its branches; of attributes in bins, with their `cuts`, as bounds.

    The schema that is `given` has the attributes before they were put in bins, with the words for these bounds.
    """
    from ctree.tree.tree import Test

    test = tree.test[node]
    if test == Test.LEAF:
        return []
    attribute = tree.schema[int(tree.attribute[node])]
    if test == Test.THRESHOLD:
        cut = attribute.bound(float(tree.threshold[node]))
        return [Condition(attribute.name, at_most=cut), Condition(attribute.name, above=cut)]
    bounds = None if cuts is None else cuts[int(tree.attribute[node])]
    if bounds is not None:
        words = attribute if given is None else given[int(tree.attribute[node])]
        ends = [None, *map(words.bound, bounds.tolist()), None]
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
        result[condition.attribute] = condition if other is None else _both(other, condition)
    return tuple(result.values())


def _both(first: Condition, second: Condition) -> Condition:
    """Two conditions on one attribute as one."""
    at_most = [c.at_most for c in (first, second) if c.at_most is not None]
    above = [c.above for c in (first, second) if c.above is not None]
    allowed = set(second.values)
    values = tuple(v for v in first.values if v in allowed)
    return Condition(first.attribute, values, min(at_most, default=None), max(above, default=None))


def tree_rules(
    tree: Tree, cuts: Cuts = None, leaves: Container[int] | None = None, given: Schema | None = None
) -> dict[int, Rule]:
    """The rule of each leaf of a tree, in the order in which it is shown, or of these leaves only.

    There is one path, which grows and shrinks: to carry along one for each node would take the square of the depth.
    """
    from ctree.tree.shown_order import shown_branches

    rules: dict[int, Rule] = {}
    path: dict[str, Condition] = {}
    number = 0
    # a node with the condition that leads there; or the condition that its attribute had before, to go back to
    waiting: list[tuple[int, Condition | None] | tuple[str, Condition | None]] = [(0, None)]
    while waiting:
        place, condition = waiting.pop()
        if isinstance(place, str):
            if condition is None:
                del path[place]
            else:
                path[place] = condition
            continue
        if condition is not None:
            before = path.get(condition.attribute)
            path[condition.attribute] = condition if before is None else _both(before, condition)
            waiting.append((condition.attribute, before))
        if not len(tree.branches(place)):
            number += 1
            if leaves is None or place in leaves:
                rules[place] = _leaf_rule(tree, place, number, tuple(path.values()))
        leading = dict(zip(tree.branches(place), conditions_of(tree, place, cuts, given), strict=True))
        waiting.extend((branch, leading[branch]) for branch in reversed(shown_branches(tree, place)))
    return rules


def _leaf_rule(tree: Tree, leaf: int, number: int, conditions: tuple[Condition, ...]) -> Rule:
    code, total = int(tree.best[leaf]), float(tree.cases[0])
    confidence, cases = float(tree.probabilities[leaf, code]), float(tree.cases[leaf])
    of_class = float(tree.class_counts[0, code])
    return Rule(
        number,
        conditions,
        tree.schema.classes[code],
        1.0 - confidence,
        cases,
        float(tree.errors[leaf]),
        cases / total if total > 0 else math.nan,
        confidence * total / of_class if of_class > 0 else math.nan,
    )


def rules_frame(rules: Iterable[Rule], backend: Any) -> Any:
    """Rules as a DataFrame, a row each: ``"pandas"``, ``"polars"`` or ``"pyarrow"``."""
    from ctree.data.tables.made_frames import frame_of
    from ctree.errors import ParameterError

    if backend not in ("pandas", "polars", "pyarrow"):
        raise ParameterError(f"frame must be None, 'pandas', 'polars' or 'pyarrow', not {backend!r}")
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
    return frame_of(columns, backend)
