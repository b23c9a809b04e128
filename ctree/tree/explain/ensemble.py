"""EnsembleExplanation: what the trees of an ensemble agree on for a case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ctree.data.schema import Label
from ctree.tree.explain.explanation import Explanation, Reason, by_label, condition_data
from ctree.tree.rules import Condition

MAX_SHOWN = 6
"""So many attributes and conditions are listed in the text; the data has all."""

CONFIDENT = 0.99
"""As in the Uncertainty Envelope: at least this share of the trees has to vote for one class."""


@dataclass(frozen=True, repr=False)
class EnsembleExplanation(Explanation):
    """Why a case is given its class by the average over many trees.

    Parameters
    ----------
    prediction : label
    probabilities : dict of label to float
        The mean over the trees.
    votes : dict of label to float
        The share of trees that give the case each class.
    attributes : dict of str to float
        The share of trees that test each attribute on the path of the case, the greatest first.
    conditions : tuple of (Condition, float)
        The tests on the path of the case, each with the share of trees that make it, the greatest first. None of
        relational trees, whose tests speak of rows that other tests have found.
    n_trees : int
        How many trees there are.

    Examples
    --------
    >>> import ctree
    >>> golf = ctree.load_golf()
    >>> model = ctree.MCMCTreeClassifier(min_cases=1, samples=500, random_state=1).fit(golf)
    >>> why = model.explain({"outlook": "overcast", "temperature": 70, "humidity": 65, "windy": "false"})
    >>> why.prediction, why.confident, next(iter(why.attributes))
    ('Play', True, 'outlook')
    """

    votes: dict[Label, float]
    attributes: dict[str, float]
    conditions: tuple[tuple[Condition, float], ...]
    n_trees: int

    @property
    def consistency(self) -> float:
        """The share of trees that vote for the class with the most votes."""
        return max(self.votes.values())

    @property
    def confident(self) -> bool:
        """Whether at least 99% of the trees vote for one class; see `ctree.uncertainty_envelope`."""
        # a share of votes that should be 0.99 may miss it by a bit
        return self.consistency >= CONFIDENT - 1e-12

    def to_text(self) -> str:
        """The votes, and what the trees ask most often on the path of the case."""
        lines = [f"{self.verdict} by the average over {self.n_trees} trees"]
        for reason in self._reasons():
            lines += [f"  {reason.title}:", *(f"    {line}" for line in reason.lines)]
        return "\n".join(lines)

    def _reasons(self) -> list[Reason]:
        verdict = "confident" if self.confident else f"uncertain, as fewer than {100 * CONFIDENT:g}% agree"
        reasons = [Reason(f"votes ({verdict})", [f"{100 * v:5.1f}%  {label}" for label, v in self.votes.items() if v])]
        for title, shares in (
            ("attributes tested on its path", [(str(name), share) for name, share in self.attributes.items()]),
            ("most frequent conditions on its path", [(str(c), share) for c, share in self.conditions]),
        ):
            lines = [f"{100 * share:5.1f}%  {what}" for what, share in shares[:MAX_SHOWN]]
            reasons += [Reason(title, lines)] if lines else []
        return reasons

    def _details(self) -> dict[str, Any]:
        return {
            "votes": by_label(self.votes),
            "confident": self.confident,
            "attributes": dict(self.attributes),
            "conditions": [{**condition_data(condition), "share": share} for condition, share in self.conditions],
            "n_trees": self.n_trees,
        }
