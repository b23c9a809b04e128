"""Rules as data: conditions on attributes that all have to hold, and the class that follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ctree.data.schema import Kind, Label

if TYPE_CHECKING:
    from ctree.tree.tree import Tree


@dataclass(frozen=True)
class Condition:
    """What a rule demands of one attribute; an unknown value never meets it.

    Parameters
    ----------
    attribute : str
        The name of the attribute.
    values : tuple of labels
        The values that a discrete attribute may have.
    at_most, above : float, optional
        The bound of a continuous attribute, one of the two.

    Examples
    --------
    >>> import ctree
    >>> print(ctree.Condition("humidity", above=75), "|", ctree.Condition("outlook", values=("rain", "overcast")))
    humidity > 75 | outlook in {rain, overcast}
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
        """The bound, whichever side is meant."""
        return self.above if self.at_most is None else self.at_most

    def __str__(self) -> str:
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
        By which it is called, from 1.
    conditions : tuple of Condition
    prediction : label
        The class.
    error : float
        The rate of errors to be expected.
    cases : float
        The training cases that meet the conditions.
    errors : float
        How many of them are of another class; in the rules of a pruned tree, how many are expected to be.

    Examples
    --------
    >>> import ctree
    >>> model = ctree.C45RulesClassifier().fit(ctree.read_c45("examples/golf"))
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

    @property
    def confidence(self) -> float:
        """The share of cases for which the rule is expected to be right."""
        return 1.0 - self.error

    def __len__(self) -> int:
        return len(self.conditions)

    def __str__(self) -> str:
        lines = [f"Rule {self.number}:", *(f"    {condition}" for condition in self.conditions)]
        return "\n".join([*lines, f"    ->  class {self.prediction}  [{100 * self.confidence:.1f}%]"])


def conditions_of(tree: Tree, node: int) -> list[Condition]:
    """What leads from this node to each of its branches."""
    from ctree.tree.tree import Test

    test = tree.test[node]
    if test == Test.LEAF:
        return []
    attribute = tree.schema[int(tree.attribute[node])]
    if test == Test.THRESHOLD:
        cut = float(tree.threshold[node])
        return [Condition(attribute.name, at_most=cut), Condition(attribute.name, above=cut)]
    return [Condition(attribute.name, values=tuple(attribute.values[v] for v in group)) for group in tree.groups(node)]


def tree_rules(tree: Tree) -> tuple[Rule, ...]:
    """One rule for each leaf of a tree, from left to right."""
    rules: list[Rule] = []
    waiting: list[tuple[int, tuple[Condition, ...]]] = [(0, ())]
    while waiting:
        index, path = waiting.pop()
        node = tree[index]
        if node.is_leaf:
            error = 1.0 - node.probabilities[node.prediction]
            rules.append(Rule(len(rules) + 1, path, node.prediction, error, node.cases, node.errors))
        branches = zip(tree.branches(index), conditions_of(tree, index), strict=True)
        waiting.extend(reversed([(branch, (*path, condition)) for branch, condition in branches]))
    return tuple(rules)
