"""How much longer a fit takes with 5 % of the values unknown than with none, for every method.

    python benchmarks/unknown.py                       # 100,000 rows, both kinds of data
    python benchmarks/unknown.py --rows 1000000 --repeats 1 --only bic-stop,release8 --data rounded

Processor seconds of one thread, the least of several repeats in turns; fits include pruning, unless the name says not.
"""

from __future__ import annotations

import argparse
import gc
import time
from collections.abc import Callable
from typing import Any

import mixed
import numpy as np
import rounded

import ctree
from ctree.learners.probability.classifier import APPROACHES

TABLES: dict[str, Callable[[int], Any]] = {"mixed": mixed.mixed_table, "rounded": rounded.rounded_table}
VALUES = {"mixed": mixed.N_VALUES, "rounded": rounded.N_VALUES}


def methods() -> dict[str, Callable[[], Any]]:
    """A new learner of each kind, by name."""
    found: dict[str, Callable[[], Any]] = {
        "release8": lambda: ctree.C45Classifier(n_jobs=1),
        "release8, growing": lambda: ctree.C45Classifier(n_jobs=1, prune=False),
        "j48": lambda: ctree.C45Classifier(n_jobs=1, variant="j48"),
        "j48, growing": lambda: ctree.C45Classifier(n_jobs=1, variant="j48", prune=False),
        "bayesian": lambda: ctree.BayesianTreeClassifier(n_jobs=1),
    }
    for approach in APPROACHES:
        found[approach] = lambda approach=approach: ctree.ProbabilityTreeClassifier(approach=approach, n_jobs=1)  # type: ignore[misc]
    return found


def dataset(kind: str, n: int, unknown: float) -> ctree.Dataset:
    """Ten continuous and ten discrete attributes; cells are made unknown at random."""
    X, y = TABLES[kind](n)
    if unknown:
        X[np.random.default_rng(1).random(X.shape) < unknown] = np.nan
    sizes = VALUES[kind]
    continuous = X.shape[1] - len(sizes)
    attributes = [ctree.Attribute(f"x{j}", ctree.Kind.CONTINUOUS) for j in range(continuous)]
    columns: list[Any] = [X[:, j].copy() for j in range(continuous)]
    for j, size in enumerate(sizes):
        attributes.append(ctree.Attribute(f"d{j}", ctree.Kind.DISCRETE, tuple(f"v{v}" for v in range(size))))
        column = X[:, continuous + j]
        columns.append(np.where(np.isnan(column), -1, column).astype(np.int32))
    return ctree.Dataset(ctree.Schema(tuple(attributes), tuple(f"c{c}" for c in range(3))), columns, y)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--unknown", type=float, default=0.05, help="share of unknown values")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--data", default="mixed,rounded")
    parser.add_argument("--only", default="", help="methods, separated by commas")
    args = parser.parse_args()
    learners = {name: new for name, new in methods().items() if not args.only or name in args.only.split(",")}
    print(f"{args.rows:,} rows, CPU seconds with none and {100 * args.unknown:g} % unknown")
    for kind in args.data.split(","):
        tables = [dataset(kind, args.rows, share) for share in (0.0, args.unknown)]
        for name, new in learners.items():
            least = [float("inf")] * 2
            for _ in range(args.repeats):
                for k, data in enumerate(tables):
                    gc.collect()
                    start = time.process_time()
                    new().fit(data)
                    least[k] = min(least[k], time.process_time() - start)
            print(f"{kind:8}{name:20}{least[0]:9.3f}{least[1]:9.3f}{least[1] / least[0]:8.2f}", flush=True)


if __name__ == "__main__":
    main()
