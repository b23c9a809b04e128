"""What the parameters of a committee from a table of cases come to."""

from __future__ import annotations

import math
from numbers import Integral
from typing import Any

from ctree.data.dataset import Dataset
from ctree.data.schema import Kind
from ctree.errors import ParameterError
from ctree.learners.base.monotone import check_for_boosting
from ctree.learners.committee.domains import TREES, WHOLE

MEMBERS = {"bagging": 100, "forest": 100, "boosting": 50}
"""How many members there are by default."""


def default_learner(method: str) -> Any:
    """What learns the members if nothing else is given, as the registry has it for the command, too."""
    from ctree.learners.registry import COMMITTEES

    return COMMITTEES[method].of_usual().make({}).learner


def n_chosen(max_attributes: Any, data: Dataset) -> int:
    """How many of the attributes a node is offered; 0 for all.

    Examples
    --------
    >>> import ctree
    >>> golf = ctree.load_golf()
    >>> [n_chosen(most, golf) for most in ("sqrt", "log2", 3, 0.5, None)]
    [2, 2, 3, 2, 0]
    """
    n = sum(attribute.kind is not Kind.IGNORE for attribute in data.schema)
    if max_attributes is None or n == 0:
        return 0
    if max_attributes == "sqrt":
        return max(1, math.isqrt(n))
    if max_attributes == "log2":
        return max(1, int(math.log2(n)))
    if not isinstance(max_attributes, Integral):
        return max(1, int(max_attributes * n))
    return min(int(max_attributes), n)


def voting_of(voting: str | None, learner: Any) -> str:
    """What the votes of boosted members count; if nothing is said, as much as their leaves can tell."""
    if voting is not None:
        return voting
    return "error" if type(learner).__name__ in WHOLE else "both"


def check_member(learner: Any, method: str, voting: str | None) -> None:
    """Refuse a learner that cannot be a member of such a committee."""
    name = type(learner).__name__
    if getattr(learner, "winnow", False):
        raise ParameterError(
            "the members of a committee have the same attributes: set winnow of the committee, not that of its learner"
        )
    if method == "boosting":
        check_for_boosting(learner)
    if method == "forest" and name not in TREES:
        raise ParameterError(
            f"a forest offers the nodes of its trees attributes at random, which {name} does not know: choose one of "
            f"{', '.join(TREES)}, or method='bagging'"
        )
    if method == "boosting" and voting in ("confidence", "both") and name in WHOLE:
        raise ParameterError(
            f"voting='{voting}' goes by the weights in the leaves of trees, and {name} has none: choose voting='error'"
        )
