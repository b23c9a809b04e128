"""Random limits of trees, for learners and for the naive versions."""

from __future__ import annotations

import math

from hypothesis import strategies as st
from naive.limited_growth import Limits

from support.problems import Problem

settings_of_limits = st.fixed_dictionaries(
    {
        "max_depth": st.sampled_from([None, None, 0, 1, 2, 3]),
        "max_leaves": st.sampled_from([None, None, 1, 2, 3, 5, 8]),
        "min_gain": st.sampled_from([None, None, 0, 0.05, 0.2]),
        "pairs": st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=4),
    }
)


first_tests = st.lists(st.tuples(st.integers(0, 4), st.sampled_from([None, None, 0.35, 1.5])), min_size=1, max_size=3)


def with_first(problem: Problem, limits: dict, tests: list, own_thresholds: bool = True) -> dict:
    """The limits with tests that come first, as far as there are such attributes, and none that forbids them."""
    n = [None if column is None else values for column, values in zip(problem.columns, problem.n_values, strict=True)]
    fitting = [
        (a, None if n[a] else 0.5 if cut is None and not own_thresholds else cut)
        for a, cut in tests
        if a < len(n) and n[a] is not None
    ]
    return {**limits, "max_depth": None, "pairs": [], "first_tests": tuple(fitting)}


def parameters_of(problem: Problem, limits: dict) -> dict:
    """The parameters of a learner."""
    n = len(problem.columns)
    not_below: dict[str, list[str]] = {}
    for attribute, above in limits["pairs"]:
        if attribute < n and above < n:
            not_below.setdefault(f"a{attribute}", []).append(f"a{above}")
    plain = {name: limits[name] for name in ("max_depth", "max_leaves", "min_gain")}
    first = [f"a{a}" if cut is None else (f"a{a}", cut) for a, cut in limits.get("first_tests", ())]
    return {**plain, "not_below": not_below or None, "first_tests": first or None}


def naive_limits(limits: dict, kept: list[int] | None = None) -> Limits:
    """The same for the naive version, which may know only the attributes that are kept."""
    not_below: dict[int, set[int]] = {}
    for pair in limits["pairs"]:
        if kept is None or all(a in kept for a in pair):
            attribute, above = pair if kept is None else map(kept.index, pair)
            not_below.setdefault(attribute, set()).add(above)
    bounds = [
        (limits[name], none)
        for name, none in (("max_depth", math.inf), ("max_leaves", math.inf), ("min_gain", -math.inf))
    ]
    return Limits(
        *(none if value is None else value for value, none in bounds), not_below, limits.get("first_tests", ())
    )
