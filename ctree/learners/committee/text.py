"""A committee in words: how large its trees are, how good it is, and what its trees ask for."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ctree.wording import plural

MAX_SHOWN = 10
"""So many columns are listed in the text."""


def committee_text(
    leaves: Sequence[int], score: float, shares: Mapping[str, float], *, judged: str, columns: str, cases: str
) -> list[str]:
    """The lines of the text.

    Parameters
    ----------
    leaves : sequence of int
        How many each tree has.
    score : float
        The share of cases that are predicted right by members that were not learned from them; NaN if it is not known.
    shares : mapping of str to float
        The importances, the greatest first.
    judged, columns, cases : str
        What that is called: `out of bag`; what has importances; what is predicted.
    """
    lines = [plural(len(leaves), "tree")]
    lines.append(f"leaves: {np.mean(leaves):.1f} on average, from {min(leaves)} to {max(leaves)}")
    if not math.isnan(score):
        lines.append(f"right {judged}: {100 * score:.1f}% of the {cases}")
    if shares:
        shown = [f"{share:7.3f}  {name}" for name, share in list(shares.items())[:MAX_SHOWN]]
        others = len(shares) - len(shown)
        shown += [f"{'':7}  and {plural(others, 'other')}"] if others else []
        lines += ["", f"importances of {columns}:", *shown]
    return lines


def size_text(leaves: Sequence[int]) -> str:
    """How many trees there are, and how large on average."""
    return f"{plural(len(leaves), 'tree')}, {np.mean(leaves):.1f} leaves on average"


def summary(leaves: Sequence[int], score: float) -> dict[str, Any]:
    """The same as plain data."""
    return {
        "members": len(leaves),
        "leaves": {"mean": float(np.mean(leaves)), "least": min(leaves), "most": max(leaves)},
        "oob_score": None if math.isnan(score) else score,
    }
