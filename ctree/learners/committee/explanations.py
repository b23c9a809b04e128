"""What the members of a committee ask on the path of a case, and what they vote for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.learners.base.tree_classifier import TreeClassifier
from ctree.tree.explain.ensemble import EnsembleExplanation
from ctree.tree.rules import Condition

Floats = npt.NDArray[np.float64]

LEAST = 0.01
"""A condition that fewer of the members have on the path of a case is left out."""


def explain_by_members(
    members: Sequence[Any],
    votes: Floats,
    data: Dataset,
    probabilities: Floats,
    shares: Floats,
    chosen: npt.NDArray[np.intp],
) -> list[EnsembleExplanation]:
    """Why a committee gives each case its class.

    Parameters
    ----------
    members : sequence of learner
        Fitted.
    votes : array (members,)
        What the vote of each counts.
    data : Dataset
    probabilities, shares : array (cases, classes)
        What the committee says of them, and the shares of votes that the classes have.
    chosen : array (cases,)
        The places of the classes that they are given.
    """
    labels = data.schema.classes
    made: list[Counter[Condition]] = [Counter() for _ in range(data.n_cases)]
    asked: list[Counter[str]] = [Counter() for _ in range(data.n_cases)]
    for member, vote in zip(members, (votes / votes.sum()).tolist(), strict=True):
        for case, conditions in enumerate(_conditions(member, data)):
            for condition in conditions:
                made[case][condition] += vote
            for name in dict.fromkeys(condition.attribute for condition in conditions):
                asked[case][name] += vote
    return [
        EnsembleExplanation(
            labels[int(chosen[case])],
            dict(zip(labels, probabilities[case].tolist(), strict=True)),
            dict(zip(labels, shares[case].tolist(), strict=True)),
            {name: float(share) for name, share in asked[case].most_common()},
            tuple((condition, float(share)) for condition, share in made[case].most_common() if share >= LEAST),
            len(members),
        )
        for case in range(data.n_cases)
    ]


def _conditions(member: Any, data: Dataset) -> list[tuple[Condition, ...]]:
    """What a member asks of each case: the conditions of its leaf, or of the rule that applies; none of the default."""
    if not isinstance(member, TreeClassifier):
        rules = member.rules_
        return [rules[place].conditions if place >= 0 else () for place in rules.apply(data).tolist()]
    leaves = member.tree_.apply(member._tree_cases(data)).tolist()
    of_leaf = member.tree_.leaf_rules(member._interface().bin_cuts(), set(leaves))
    return [of_leaf[leaf].conditions for leaf in leaves]
