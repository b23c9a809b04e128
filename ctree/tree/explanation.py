"""Why a tree gives a case its class: the way that the case takes, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ctree.data.dataset import Dataset
from ctree.data.schema import Label, Schema
from ctree.tree.routes import Floats, leaf_shares
from ctree.tree.rules import Condition, Rule
from ctree.tree.tree import Tree


@dataclass(frozen=True)
class Arrival:
    """A leaf that a case comes to, or a part of it.

    Parameters
    ----------
    leaf : int
        The number of the node.
    share : float
        How much of the case is there; the shares of all its leaves add up to 1.
    confidence : float
        The probability that the leaf gives the class which the case is given.
    rule : Rule
        The conditions on the way to the leaf, and its class.
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

    def lines(self) -> list[str]:
        """The conditions, each with the value of the case where that is not plain."""
        return [
            f"{condition}{_remark(condition, value, other)}"
            for condition, value, other in zip(self.rule.conditions, self.values, self.taken_as, strict=True)
        ]


@dataclass(frozen=True)
class TreeExplanation:
    """Why a case is given its class by a tree.

    Parameters
    ----------
    prediction : label
    confidence : float
        The probability that the tree gives this class.
    probabilities : dict
        Of every class.
    arrivals : tuple of Arrival
        The leaves that the case comes to, that with the greatest share first. There is one, unless a value is unknown
        that the tree asks for.

    Examples
    --------
    >>> import ctree
    >>> model = ctree.C45Classifier(estimate="laplace").fit(ctree.load_golf())
    >>> print(model.explain({"outlook": "sunny", "temperature": 70, "humidity": 90, "windy": None}))
    class Don't Play [80.0%] by leaf 5:
        outlook = sunny
        humidity > 75 (it is 90)
    >>> print(model.explain({"outlook": "sunny", "temperature": 70, "humidity": None, "windy": "true"}))
    class Don't Play [58.0%] by 2 leaves:
      60.0% of the case by leaf 5, where Don't Play has 80.0%:
        outlook = sunny
        humidity > 75 (it is unknown)
      40.0% of the case by leaf 4, where Don't Play has 25.0%:
        outlook = sunny
        humidity <= 75 (it is unknown)
    """

    prediction: Label
    confidence: float
    probabilities: dict[Label, float]
    arrivals: tuple[Arrival, ...]

    @property
    def rule(self) -> Rule:
        """That of the leaf with the greatest share."""
        return self.arrivals[0].rule

    @property
    def values(self) -> tuple[Label | None, ...]:
        """The values for the conditions of `rule`."""
        return self.arrivals[0].values

    def __str__(self) -> str:
        said = f"class {self.prediction} [{100 * self.confidence:.1f}%]"
        if len(self.arrivals) == 1:
            only = self.arrivals[0]
            colon = ":" if only.rule.conditions else ""
            return "\n".join([f"{said} by leaf {only.leaf}{colon}", *(f"    {line}" for line in only.lines())])
        lines = [f"{said} by {len(self.arrivals)} leaves:"]
        for arrival in self.arrivals:
            share = f"  {100 * arrival.share:.1f}% of the case by leaf {arrival.leaf}"
            lines.append(f"{share}, where {self.prediction} has {100 * arrival.confidence:.1f}%:")
            lines += [f"    {line}" for line in arrival.lines()]
        return "\n".join(lines)


def explain(
    tree: Tree,
    data: Dataset,
    *,
    seen: Dataset | None = None,
    prediction: int | None = None,
    cuts: Sequence[Floats | None] | None = None,
) -> TreeExplanation:
    """Why the one case of `data` is given its class.

    Parameters
    ----------
    tree : Tree
    data : Dataset
        One case, as the tree takes it.
    seen : Dataset, optional
        The same case as the person gave it, if that is another form: numbers for bins, unknown values not replaced.
    prediction : int, optional
        The code of the class that is given; by default the first of the most probable.
    cuts : sequence of array or None
        Per attribute that the tree has in bins their upper bounds, but the last.
    """
    probabilities = tree.predict_proba(data)[0]
    code = int(probabilities.argmax()) if prediction is None else prediction
    as_given = data if seen is None else seen
    rules = tree.leaf_rules(cuts)
    arrivals = []
    for leaf, share in leaf_shares(tree, data)[0]:
        rule = rules[leaf]
        places = [tree.schema.index(condition.attribute) for condition in rule.conditions]
        values = tuple(as_given.value(0, a) for a in places)
        # In bins the tree has no number any more; what was replaced by it is then told by the bin.
        taken_as = tuple(data.value(0, a) if value is None else None for a, value in zip(places, values, strict=True))
        arrivals.append(Arrival(leaf, share, float(tree.probabilities[leaf, code]), rule, values, taken_as))
    classes = tree.schema.classes
    return TreeExplanation(
        classes[code],
        float(probabilities[code]),
        dict(zip(classes, probabilities.tolist(), strict=True)),
        tuple(arrivals),
    )


def _remark(condition: Condition, value: Label | None, taken_as: Label | None) -> str:
    if value is None:
        return " (it is unknown)" if taken_as is None else f" (it is unknown, and taken to be {_shown(taken_as)})"
    if condition.threshold is None and len(condition.values) == 1:
        return ""
    return f" (it is {_shown(value)})"


def _shown(value: Label) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def importances(tree: Tree, schema: Schema) -> Floats:
    """Per attribute what its tests save of the entropy of the classes, in shares of all that the tree saves.

    A test saves n H of its node less that of its branches, with n the weight of their cases. Zeros for a tree that
    tests nothing.
    """
    counts = tree.class_counts
    total = counts.sum(axis=1, keepdims=True)
    shares = counts / np.where(total > 0, total, 1.0)
    bits = -(counts * np.log2(shares, out=np.zeros_like(shares), where=shares > 0)).sum(axis=1)
    below = np.bincount(tree.parent[1:], weights=bits[1:], minlength=tree.n_nodes)
    inner = tree.attribute >= 0
    # Fractions of cases with unknown values do not add up to the last bit, so that a useless test may seem to cost.
    saved = np.maximum(bits[inner] - below[inner], 0.0)
    result = np.bincount(tree.attribute[inner], weights=saved, minlength=len(schema)).astype(np.float64)
    whole = result.sum()
    return np.asarray(result / whole if whole > 0 else result)
