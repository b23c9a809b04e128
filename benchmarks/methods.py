"""How long each method takes to fit, beside the growing phase of C4.5 on the same data in the same run.

python benchmarks/methods.py [--data mixed] [--cases 100000] [--unknown 0.05] [--jobs 1] [--repeats 5]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

from generators import GENERATORS

import ctree
from ctree.learners.base.kernels import case_table
from ctree.learners.probability.classifier import APPROACHES
from ctree_ext.base.node_arrays import NodeArrays


def main() -> None:
    """Measure all methods in turn, and print the least time of each and its ratio to growing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", choices=GENERATORS, default="mixed", help="kind of data")
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--unknown", type=float, default=0.0, help="share of unknown values")
    parser.add_argument("--jobs", type=int, default=1, help="threads")
    parser.add_argument("--repeats", type=int, default=5)
    args = parser.parse_args()
    data = GENERATORS[args.data].data(args.cases, unknown=args.unknown)
    c45 = ctree.C45Classifier(n_jobs=args.jobs)
    fits: dict[str, Callable[[], Any]] = {
        "C4.5, growing only": lambda: c45._grower(case_table(data, c45._is_single(data))).grow()
    }
    for approach in APPROACHES:
        fits[f"probability tree, {approach}"] = ctree.ProbabilityTreeClassifier(approach=approach, n_jobs=args.jobs).fit
    for name, parameters in {
        "Bayesian tree": {},
        "Bayesian tree, prior of each": {"threshold_prior": "each"},
        "Bayesian tree, 5 bins": {"bins": 5},
        "Bayesian tree, all prunings": {"averaging": "prunings"},
    }.items():
        fits[name] = ctree.BayesianTreeClassifier(n_jobs=args.jobs, **parameters).fit
    fits["naive Bayes"] = ctree.NaiveBayesClassifier().fit
    least, leaves = dict.fromkeys(fits, float("inf")), {}
    for round_ in range(args.repeats + 1):
        for name, fit in fits.items():
            start = time.perf_counter()
            model = fit() if name.startswith("C4.5") else fit(data)
            if round_:  # the first time imports what is used only then, as scipy's functions for chi-square
                least[name] = min(least[name], time.perf_counter() - start)
            leaves[name] = leaf_count(model)
    base = least["C4.5, growing only"]
    print(f"{args.cases} cases of {args.data} data, {100 * args.unknown:g}% unknown, {args.jobs} thread(s)")
    print(f"{'':30s}{'seconds':>9s}{'ratio':>8s}{'leaves':>9s}")
    for name, seconds in least.items():
        print(f"{name:30s}{seconds:9.3f}{seconds / base:8.2f}{leaves[name]:>9}")


def leaf_count(model: Any) -> str:
    """How many leaves were grown, before any are pruned."""
    if isinstance(model, NodeArrays):
        return str(int((model.n_branches == 0).sum()))
    tree = getattr(model, "unpruned_tree_", None) or getattr(model, "tree_", None)
    return "" if tree is None else str(tree.n_leaves)


if __name__ == "__main__":
    main()
