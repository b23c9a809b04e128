"""The options of `ctree learn` for the methods over all trees, and what it prints of their models."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ctree.cli.options import number, plural, whole

if TYPE_CHECKING:
    from ctree.learners.bayes_optimal import BayesOptimalClassifier
    from ctree.learners.lattice import LatticeClassifier

OPTIONS = (
    "min_support",
    "max_depth",
    "prior",
    "gamma",
    "delta",
    "alpha",
    "test_prior",
    "time_limit",
    "memory_limit",
)
"""The options that only these methods have."""

MEGABYTE = 1 << 20
MOST_LEAVES = 10


def bins(text: str) -> int | str:
    """An option's type: a number of bins, ``all`` or ``binary``."""
    return text if text in ("all", "binary") else whole(least=1)(text)


def depth(text: str) -> int | str:
    """An option's type: a number of tests, or ``none``."""
    return text if text == "none" else whole(least=0)(text)


def add_lattice_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the methods over all trees."""
    group = parser.add_argument_group("methods bayes-optimal, map and dl8")
    group.add_argument(
        "--min-support", type=whole(least=1), default=1, metavar="N", help="cases in every leaf (default: %(default)s)"
    )
    group.add_argument(
        "--max-depth",
        type=depth,
        default=4,
        metavar="N",
        help="tests one after the other, none for no limit (default: %(default)s)",
    )
    group.add_argument(
        "--prior",
        choices=("size", "uniform"),
        default="size",
        help="small trees are more likely, or all are alike (default: %(default)s)",
    )
    group.add_argument(
        "--gamma",
        type=number(above=0),
        default=0.8,
        metavar="G",
        help="with --prior size: a node of depth d is divided with probability G (1 + d)^-D (default: %(default)s)",
    )
    group.add_argument("--delta", type=number(), default=0.8, metavar="D", help="(default: %(default)s)")
    group.add_argument(
        "--alpha", type=number(above=0), default=1.0, metavar="A", help="prior weight of a class (default: %(default)s)"
    )
    group.add_argument(
        "--test-prior",
        choices=("auto", "per-feature", "per-test"),
        default="auto",
        help="whether all tests of an attribute share the chance of one; auto: thresholds do (default: %(default)s)",
    )
    group.add_argument("--time-limit", type=number(above=0), metavar="S", help="seconds for the search")
    group.add_argument(
        "--memory-limit",
        type=whole(least=1),
        default=1024,
        metavar="MB",
        help="megabytes for what the search remembers (default: %(default)s)",
    )


def lattice_parameters(args: argparse.Namespace) -> dict[str, Any]:
    """The parameters of the learners from the options."""
    return {
        "min_support": args.min_support,
        "max_depth": None if args.max_depth == "none" else args.max_depth,
        "prior": args.prior,
        "gamma": args.gamma,
        "delta": args.delta,
        "alpha": args.alpha,
        "test_prior": args.test_prior.replace("-", "_"),
        "bins": 4 if args.bins is None else None if args.bins == "all" else args.bins,
        "time_limit": args.time_limit,
        "memory_limit": args.memory_limit * MEGABYTE,
    }


def bayes_optimal(args: argparse.Namespace) -> BayesOptimalClassifier:
    from ctree.learners.bayes_optimal import BayesOptimalClassifier

    return BayesOptimalClassifier(**lattice_parameters(args))


def optimal_tree(objective: str) -> Callable[[argparse.Namespace], LatticeClassifier]:
    def made(args: argparse.Namespace) -> LatticeClassifier:
        from ctree.learners.optimal_tree import OptimalTreeClassifier

        return OptimalTreeClassifier(objective=objective, **lattice_parameters(args))

    return made


def show_progress(model: Any) -> None:
    """Say on standard error how far the search has come, if that is a terminal."""
    if not hasattr(model, "report_progress") or not sys.stderr.isatty():
        return
    start = time.monotonic()
    is_error = getattr(model, "objective", None) == "error"

    def said(states: int, kept: int, low: float, high: float) -> None:
        best = f"{-low:.0f} errors" if is_error else f"{low:.6g}"
        bound = f"{-high + 0:.0f}" if is_error else f"{high:.6g}"
        text = f"{time.monotonic() - start:6.1f} s: {states} states, {kept} remembered, so far {best}, bound {bound}"
        print(f"\r{text[:78]:<78}", end="", file=sys.stderr, flush=True)

    model.report_progress(said)


def end_progress(model: Any) -> None:
    """Clear the line."""
    if hasattr(model, "report_progress") and sys.stderr.isatty():
        print(f"\r{'':<78}\r", end="", file=sys.stderr, flush=True)


def lattice_text(model: Any) -> tuple[str, str]:
    """A model over all trees, and its size."""
    if not hasattr(model, "log_evidence_"):
        tree = model.tree_
        size = f"{plural(tree.n_nodes, 'node')}, {plural(tree.n_leaves, 'leaf')}, depth {tree.depth}"
        what = "errors" if model.objective == "error" else "ln of prior times likelihood"
        proof = "proved to be the best" if model.optimal_ else f"not proved to be the best; bound {model.bound_:.7g}"
        return tree.to_text(), f"{size}; {what} {model.objective_:.7g}, {proof}"
    names = model.feature_inclusion_
    width = max([len(name) for name in names], default=0)
    lines = ["Attributes by the probability that they are tested, and how often on average:", ""]
    tests = model.expected_tests_
    for name in sorted(names, key=lambda name: -names[name]):
        lines.append(f"  {name:<{width}}  {names[name]:.4f}  {tests[name]:.4f}")
    lines += ["", "The most probable leaves:", ""]
    lines += [f"  {leaf}" for leaf in model.leaf_marginals(0.02)[:MOST_LEAVES]]
    low, high = model.log_evidence_bounds_
    evidence = f"ln of the evidence {low:.7g}"
    if not model.complete_:
        evidence = f"ln of the evidence between {low:.7g} and {high:.7g}"
    return "\n".join(lines), f"{model.expected_leaves_:.2f} leaves on average; {evidence}"


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
        "feature_inclusion": model.feature_inclusion_,
        "expected_tests": model.expected_tests_,
        "states": model.n_states_,
    }
