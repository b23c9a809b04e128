"""TreeExplanation: the path of a case through a tree, to one leaf or, with unknown values, to several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ctree.data.dataset import Dataset
from ctree.data.schema import Label
from ctree.tree.explain.explanation import Explanation, Reason, condition_data, percent, plain, value_text
from ctree.tree.routes import leaf_shares
from ctree.tree.rules import Condition, Rule
from ctree.tree.tree import Tree
from ctree_ext.base.node_arrays import Floats


@dataclass(frozen=True)
class Arrival:
    """A leaf that a case comes to, or a part of it.

    Parameters
    ----------
    leaf : int
        The node, as `apply` gives it.
    share : float
        How much of the case is there; the shares of all its leaves add up to 1.
    confidence : float
        The probability that the leaf gives the class which the case is given.
    rule : Rule
        The conditions on the path to the leaf, and its class.
    values : tuple
        The value that the case has for each condition; None where it is unknown.
    taken_as : tuple
        The value that stands for an unknown one, where the learner replaces such; else None.
    """

    leaf: int
    share: float
    confidence: float
    rule: Rule
    values: tuple[Label | None, ...]
    taken_as: tuple[Label | None, ...]

    @property
    def number(self) -> int:
        """The number of the leaf: that of its rule, from 1 in the order in which the tree is shown."""
        return self.rule.number

    def lines(self) -> list[str]:
        """The conditions, each with the value of the case where that is not plain."""
        return [
            f"{condition}{_remark(condition, value, other)}"
            for condition, value, other in zip(self.rule.conditions, self.values, self.taken_as, strict=True)
        ]

    def to_dict(self) -> dict[str, Any]:
        """The leaf as plain data."""
        conditions = []
        for condition, value, other in zip(self.rule.conditions, self.values, self.taken_as, strict=True):
            entry = {**condition_data(condition), "value": plain(value)}
            conditions.append(entry if other is None else {**entry, "taken_as": plain(other)})
        return {
            "leaf": self.leaf,
            "number": self.number,
            "share": self.share,
            "probability": self.confidence,
            "conditions": conditions,
        }


@dataclass(frozen=True, repr=False)
class TreeExplanation(Explanation):
    """Why a case is given its class by a tree.

    Parameters
    ----------
    prediction : label
    probabilities : dict of label to float
    arrivals : tuple of Arrival
        The leaves that the case comes to, that with the greatest share first. There is one, unless a value is unknown
        that the tree asks for.

    Notes
    -----
    The text names leaves by their numbers, which count them from the top of the printed tree, of its page and of its
    pictures; rule 3 of `to_rules` is that of leaf 3.

    Examples
    --------
    >>> import ctree
    >>> model = ctree.C45Classifier().fit(ctree.load_golf())
    >>> print(model.explain({"outlook": "sunny", "temperature": 70, "humidity": 90, "windy": None}))
    class Don't Play [100.0%] by leaf 3:
        outlook = sunny
        humidity > 75 (it is 90)
    >>> print(model.explain({"outlook": "sunny", "temperature": 70, "humidity": None, "windy": "true"}))
    class Don't Play [60.0%] by 2 leaves:
      60.0% of the case by leaf 3, where Don't Play has 100.0%:
        outlook = sunny
        humidity > 75 (it is unknown)
      40.0% of the case by leaf 2, where Don't Play has 0.0%:
        outlook = sunny
        humidity <= 75 (it is unknown)
    """

    arrivals: tuple[Arrival, ...]

    @property
    def rule(self) -> Rule:
        """That of the leaf with the greatest share."""
        return self.arrivals[0].rule

    @property
    def values(self) -> tuple[Label | None, ...]:
        """The values for the conditions of `rule`."""
        return self.arrivals[0].values

    def to_text(self) -> str:
        """The conditions on the path to the leaf, or to each of the leaves."""
        heading = self.verdict
        if len(self.arrivals) == 1:
            only = self.arrivals[0]
            colon = ":" if only.rule.conditions else ""
            return "\n".join([f"{heading} by leaf {only.number}{colon}", *(f"    {line}" for line in only.lines())])
        lines = [f"{heading} by {len(self.arrivals)} leaves:"]
        for reason in self._reasons():
            lines += [f"  {reason.title}:", *(f"    {line}" for line in reason.lines)]
        return "\n".join(lines)

    def _reasons(self) -> list[Reason]:
        if len(self.arrivals) == 1:
            return [Reason(f"by leaf {self.arrivals[0].number}", self.arrivals[0].lines())]
        return [
            Reason(
                f"{percent(arrival.share)} of the case by leaf {arrival.number}, "
                f"where {self.prediction} has {percent(arrival.confidence)}",
                arrival.lines(),
            )
            for arrival in self.arrivals
        ]

    def _details(self) -> dict[str, Any]:
        return {"leaves": [arrival.to_dict() for arrival in self.arrivals]}


def explain_by_tree(
    tree: Tree,
    data: Dataset,
    *,
    given: Dataset | None = None,
    predictions: Sequence[int] | None = None,
    cuts: Sequence[Floats | None] | None = None,
) -> list[TreeExplanation]:
    """Why each case of `data` is given its class.

    Parameters
    ----------
    tree : Tree
    data : Dataset
        The cases, as the tree takes them.
    given : Dataset, optional
        The same cases as they were given, if that is another form: numbers for bins, unknown values not replaced.
    predictions : sequence of int, optional
        The codes of the classes that are predicted; by default the first of the most probable.
    cuts : sequence of array or None
        Per attribute that the tree has in bins their upper bounds, but the last.
    """
    probabilities = tree.predict_proba(data)
    codes = probabilities.argmax(axis=1) if predictions is None else predictions
    as_given = data if given is None else given
    shares = leaf_shares(tree, data)
    rules = tree.leaf_rules(cuts, {leaf for leaves in shares for leaf, _ in leaves}, as_given.schema)
    place = {name: a for a, name in enumerate(tree.schema.names)}
    result = []
    for case, leaves in enumerate(shares):
        code, arrivals = int(codes[case]), []
        for leaf, share in leaves:
            rule = rules[leaf]
            places = [place[condition.attribute] for condition in rule.conditions]
            values = tuple(as_given.value(case, a) for a in places)
            # In bins the tree has no number any more; what was replaced by it is then told by the bin.
            taken_as = tuple(
                data.value(case, a) if value is None else None for a, value in zip(places, values, strict=True)
            )
            arrivals.append(Arrival(leaf, share, float(tree.probabilities[leaf, code]), rule, values, taken_as))
        by_class = dict(zip(tree.schema.classes, probabilities[case].tolist(), strict=True))
        result.append(TreeExplanation(tree.schema.classes[code], by_class, tuple(arrivals)))
    return result


def _remark(condition: Condition, value: Label | None, taken_as: Label | None) -> str:
    if value is None:
        return " (it is unknown)" if taken_as is None else f" (it is unknown, and taken to be {value_text(taken_as)})"
    if condition.threshold is None and len(condition.values) == 1:
        return ""
    return f" (it is {value_text(value)})"
