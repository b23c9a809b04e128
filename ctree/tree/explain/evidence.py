"""Evidence: what each attribute of a case says for its class, by naive Bayes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ctree.data.schema import Label
from ctree.tree.explain.explanation import Explanation, Reason, by_label, percent


@dataclass(frozen=True, repr=False)
class Evidence(Explanation):
    """Why a naive Bayes model gives a case its class.

    Parameters
    ----------
    prediction : label
        The most probable class.
    probabilities : dict of label to float
    prior : dict of label to float
        The probabilities of the classes before anything is known of the case.
    factors : dict of str to dict of label to float
        Per attribute whose value is known, by how much that value multiplies the chance of each class; 1 says nothing.
    values : dict of str to str
        The values of these attributes, or the bins that they fall into.

    Examples
    --------
    >>> import ctree
    >>> model = ctree.NaiveBayesClassifier().fit(ctree.load_golf())
    >>> print(model.explain({"outlook": "overcast", "temperature": None, "humidity": None, "windy": "true"}))
    class Play [82.6%], 62.5% before
          1.400 times by outlook = overcast
          0.850 times by windy = true
    """

    prior: dict[Label, float]
    factors: dict[str, dict[Label, float]]
    values: dict[str, str]

    def to_text(self) -> str:
        """The attributes by how much they speak for the predicted class."""
        heading = f"{self.verdict}, {percent(self.prior[self.prediction])} before"
        return "\n".join([heading, *(f"    {line}" for line in self._lines())])

    def _lines(self) -> list[str]:
        best = self.prediction
        return [
            f"{self.factors[name][best]:7.3f} times by {name} {self.values[name]}"
            for name in sorted(self.factors, key=lambda name: -self.factors[name][best])
        ]

    def _reasons(self) -> list[Reason]:
        return [Reason(f"{percent(self.prior[self.prediction])} before", self._lines())]

    def _details(self) -> dict[str, Any]:
        return {
            "prior": by_label(self.prior),
            "factors": {name: by_label(factors) for name, factors in self.factors.items()},
            "values": dict(self.values),
        }
