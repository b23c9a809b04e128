"""ItemsetExplanation: the itemsets that carry the average over all trees for a case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ctree.data.schema import Label
from ctree.tree.explain.explanation import Explanation, Reason, by_label, condition_data, percent
from ctree.tree.rules import Condition

MAX_SHOWN = 10
"""So many itemsets are listed in the text; the data has all."""


@dataclass(frozen=True)
class WeightedItemset:
    """Conditions that are a leaf of a tree, and with what probability they are.

    Parameters
    ----------
    conditions : tuple of Condition
        In terms of the original attributes and values; empty for a tree that is a single leaf.
    weight : float
        The posterior probability that a tree has this leaf.
    class_counts : dict of label to int
        The training cases that meet the conditions.
    probabilities : dict of label to float
        What the leaf says.
    """

    conditions: tuple[Condition, ...]
    weight: float
    class_counts: dict[Label, int]
    probabilities: dict[Label, float]

    def __str__(self) -> str:
        best = max(self.probabilities, key=lambda label: self.probabilities[label])
        text = " and ".join(map(str, self.conditions)) or "any case"
        return f"{100 * self.weight:5.1f}%  {text}: {best} [{percent(self.probabilities[best])}]"

    def to_dict(self) -> dict[str, Any]:
        """The itemset as plain data."""
        return {
            "conditions": [condition_data(condition) for condition in self.conditions],
            "weight": self.weight,
            "class_counts": {str(label): int(count) for label, count in self.class_counts.items()},
            "probabilities": by_label(self.probabilities),
        }


@dataclass(frozen=True, repr=False)
class ItemsetExplanation(Explanation):
    """Why a case is given its class by the average over all trees.

    Parameters
    ----------
    prediction : label
    probabilities : dict of label to float
    itemsets : tuple of WeightedItemset
        Those that the case meets, by their weight in its prediction: the probability that they are its leaf. All
        weights add up to 1.
    least : float
        Itemsets of a smaller weight than this are left out.

    Examples
    --------
    >>> import ctree
    >>> model = ctree.BayesOptimalClassifier(max_depth=3).fit(ctree.load_golf())
    >>> day = {"outlook": "overcast", "temperature": 70, "humidity": 80, "windy": "true"}
    >>> print(model.explain(day, least=0.1))
    class Play [69.5%] by the average over all trees, most of all by
         19.8%  outlook = overcast: Play [83.3%]
         13.6%  any case: Play [62.5%]
    """

    itemsets: tuple[WeightedItemset, ...]
    least: float

    def to_text(self) -> str:
        """The itemsets with the greatest weights."""
        heading = f"{self.verdict} {self._reasons()[0].title}"
        lines = [f"    {itemset}" for itemset in self.itemsets[:MAX_SHOWN]]
        more = len(self.itemsets) - MAX_SHOWN
        return "\n".join(
            [heading, *lines, *([f"    and {more} more of at least {percent(self.least)}"] if more > 0 else [])]
        )

    def _reasons(self) -> list[Reason]:
        return [
            Reason("by the average over all trees, most of all by", [str(i).strip() for i in self.itemsets[:MAX_SHOWN]])
        ]

    def _details(self) -> dict[str, Any]:
        return {"itemsets": [itemset.to_dict() for itemset in self.itemsets], "least": self.least}
