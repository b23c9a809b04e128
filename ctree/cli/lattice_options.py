"""The options of `ctree learn` for the methods over all trees, and what it prints of their models."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any

from ctree.cli.options import Group, number, plural, whole

LATTICE = {
    name: name
    for name in (
        *("min_support", "max_depth", "prior", "gamma", "delta", "alpha", "test_prior", "time_limit", "memory_limit"),
    )
}
"""The options that only these methods have, by the parameter of the learner that each sets."""

MEGABYTE = 1 << 20
MAX_LEAVES = 10


def add_lattice_options(group: Group) -> None:
    """Add the options of the methods over all trees; what is not given is left to the learner."""
    option = partial(group.add_argument, default=argparse.SUPPRESS)
    option("--min-support", type=whole(least=1), metavar="N", help="cases in every leaf (default: 1)")
    option("--max-depth", type=depth, metavar="N", help="tests one after the other, none for no limit (default: 4)")
    option("--prior", choices=("size", "uniform"), help="small trees are more likely, or all are alike (default: size)")
    option(
        "--gamma",
        type=number(above=0),
        metavar="G",
        help="with --prior size: a node of depth d is divided with probability G (1 + d)^-D (default: 0.8)",
    )
    option("--delta", type=number(), metavar="D", help="(default: 0.8)")
    option("--alpha", type=number(above=0), metavar="A", help="prior weight of a class (default: 1)")
    option(
        "--test-prior",
        type=test_prior,
        metavar="{auto,per-feature,per-test}",
        help="whether all tests of an attribute share the chance of one; auto: thresholds do (default: auto)",
    )
    option("--time-limit", type=number(above=0), metavar="S", help="seconds for the search")
    option(
        "--memory-limit",
        type=megabytes,
        metavar="MB",
        help="megabytes for what the search remembers (default: 1024)",
    )


def depth(text: str) -> int | None:
    """An option's type: a number of tests, or ``none``."""
    return None if text == "none" else whole(least=0)(text)


def megabytes(text: str) -> int:
    """An option's type: megabytes, as bytes."""
    return whole(least=1)(text) * MEGABYTE


def test_prior(text: str) -> str:
    """An option's type: which tests share the chance of one."""
    if text not in ("auto", "per-feature", "per-test"):
        raise argparse.ArgumentTypeError(f"it should be one of auto, per-feature, per-test, not '{text}'")
    return text.replace("-", "_")


def lattice_text(model: Any) -> tuple[str, str]:
    """A model over all trees, and its size."""
    if not hasattr(model, "log_evidence_"):
        tree = model.tree_
        size = f"{plural(tree.n_nodes, 'node')}, {plural(tree.n_leaves, 'leaf')}, depth {tree.depth}"
        what = "errors" if model.objective == "error" else "ln of prior times likelihood"
        proof = "proved to be the best" if model.optimal_ else f"not proved to be the best; bound {model.bound_:.7g}"
        return tree.to_text(), f"{size}; {what} {model.objective_:.7g}, {proof}"
    names, tests = by_name(model, model.feature_inclusion_), by_name(model, model.expected_tests_)
    width = max([len(name) for name in names], default=0)
    lines = ["Attributes by the probability that they are tested, and how often on average:", ""]
    for name in sorted(names, key=lambda name: -names[name]):
        lines.append(f"  {name:<{width}}  {names[name]:.4f}  {tests[name]:.4f}")
    lines += ["", "The most probable leaves:", ""]
    lines += [f"  {leaf}" for leaf in model.leaf_marginals(0.02)[:MAX_LEAVES]]
    low, high = model.log_evidence_bounds_
    evidence = f"ln of the evidence {low:.7g}"
    if not model.complete_:
        evidence = f"ln of the evidence between {low:.7g} and {high:.7g}"
    return "\n".join(lines), f"{model.expected_leaves_:.2f} leaves on average; {evidence}"


def by_name(model: Any, values: Any) -> dict[str, float]:
    """Numbers of the attributes that are not ignored, by name."""
    return {a.name: float(x) for a, x in zip(model.schema_, values, strict=True) if a.is_discrete or a.is_continuous}


def lattice_facts(model: Any) -> dict[str, Any]:
    """The same for a program; a bound that is infinite is null."""
    if not hasattr(model, "log_evidence_"):
        tree = model.tree_
        facts = {"nodes": tree.n_nodes, "leaves": tree.n_leaves, "depth": tree.depth, "text": tree.to_text()}
        bound = model.bound_ if abs(model.bound_) < 1e300 else None
        return {
            "tree": facts,
            "objective": model.objective_,
            "bound": bound,
            "optimal": model.optimal_,
            "states": model.n_states_,
        }
    low, high = model.log_evidence_bounds_
    return {
        "log_evidence": [low, high if abs(high) < 1e300 else None],
        "complete": model.complete_,
        "expected_leaves": model.expected_leaves_,
        "feature_inclusion": by_name(model, model.feature_inclusion_),
        "expected_tests": by_name(model, model.expected_tests_),
        "states": model.n_states_,
    }
