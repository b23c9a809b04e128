"""How exactly limits are kept: the time of fits under `time_limit`, their memory under `memory_limit`.

    python benchmarks/limits.py                 # both tables
    python benchmarks/limits.py --only time

Every fit is a process of its own that first fits a handful of cases. Time is that of `fit` alone; memory is what the
fit adds to the process at its peak, above what it held with the data, which are coded already. Each problem would take
far longer, or far more, than its limit; a fit that ends before its limit says so. Beside a limit of memory there is one
of 20 seconds.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import ctree

TIMES = (0.5, 1.0, 2.0, 5.0)
MEGABYTES = (16, 64, 256)


def wide() -> tuple[Any, Any]:
    """15,000 tests: all thresholds of 15 attributes."""
    rng = np.random.default_rng(0)
    X = rng.random((1000, 15))
    return X, (X[:, 0] + 0.3 * rng.random(1000) > 0.6).astype(int)


def deep() -> tuple[Any, Any]:
    """40 attributes of 0 and 1, many small sets of cases."""
    rng = np.random.default_rng(1)
    X = (rng.random((800, 40)) < 0.5).astype(int)
    return X, (X[:, 0] ^ X[:, 1] ^ (rng.random(800) < 0.2)).astype(int)


def long() -> tuple[Any, Any]:
    """100,000 cases in four bins an attribute."""
    rng = np.random.default_rng(2)
    X = rng.random((100_000, 20))
    return X, (X[:, 0] + X[:, 1] + 0.3 * rng.random(100_000) > 1).astype(int)


PROBLEMS: dict[str, tuple[Callable[[], tuple[Any, Any]], dict[str, Any]]] = {
    "wide": (wide, {"max_depth": 3, "bins": None}),
    "deep": (deep, {"max_depth": 7, "bins": "binary"}),
    "long": (long, {"max_depth": 5}),
}
LEARNERS: dict[str, Callable[..., Any]] = {
    "bayes-optimal": ctree.BayesOptimalClassifier,
    "map": lambda **options: ctree.OptimalTreeClassifier(objective="posterior", **options),
    "dl8": ctree.OptimalTreeClassifier,
}


def peak() -> int:
    """The most memory that this process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def fit(learner: str, problem: str, limit: dict[str, Any]) -> None:
    """What a process of its own does: one fit, its facts as a line of JSON."""
    warnings.simplefilter("ignore")
    make, options = PROBLEMS[problem]
    X, y = make()
    LEARNERS[learner](**options | {"max_depth": 2}).fit(X[:50, :3], y[:50])
    data = ctree.from_arrays(X, y)
    model = LEARNERS[learner](**options, **limit)
    held, start = peak(), time.perf_counter()
    try:
        model.fit(data)
    except ctree.errors.ParameterError:  # the tests alone take more memory
        print(json.dumps({"refused": True}))
        return
    seconds = time.perf_counter() - start
    done = model.complete_ if learner == "bayes-optimal" else model.optimal_
    print(json.dumps({"seconds": seconds, "bytes": peak() - held, "done": bool(done)}))


def measured(learner: str, problem: str, limit: dict[str, Any]) -> dict[str, Any]:
    """The facts of such a process."""
    command = [sys.executable, __file__, "--fit", learner, problem, json.dumps(limit)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def table(title: str, limits: list[dict[str, Any]], cell: Callable[[dict[str, Any], dict[str, Any]], str]) -> None:
    """A line for each learner and problem, a column for each limit."""
    print(title)
    for learner in LEARNERS:
        for problem in PROBLEMS:
            cells = [cell(measured(learner, problem, limit), limit) for limit in limits]
            print(f"  {learner + ', ' + problem:<22}" + "".join(f"{text:>20}" for text in cells), flush=True)


def time_cell(facts: dict[str, Any], limit: dict[str, Any]) -> str:
    """Seconds, and their share of the limit."""
    return f"{facts['seconds']:.2f} s, {facts['seconds'] / limit['time_limit']:.2f}" + " (done)" * facts["done"]


def memory_cell(facts: dict[str, Any], limit: dict[str, Any]) -> str:
    """Megabytes, and their share of the limit."""
    if "refused" in facts:
        return "refused"
    return f"{facts['bytes'] / 1e6:.0f} MB, {facts['bytes'] / limit['memory_limit']:.2f}" + " (done)" * facts["done"]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=["time", "memory"])
    parser.add_argument("--fit", nargs=3, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.fit:
        fit(args.fit[0], args.fit[1], json.loads(args.fit[2]))
        return
    if args.only != "memory":
        limits: list[dict[str, Any]] = [{"time_limit": seconds} for seconds in TIMES]
        table("Time of a fit, and its share of time_limit = " + ", ".join(f"{t:g} s" for t in TIMES), limits, time_cell)
    if args.only != "time":
        limits = [{"memory_limit": size * 1_000_000, "time_limit": 20} for size in MEGABYTES]
        title = "Memory of a fit, and its share of memory_limit = " + ", ".join(f"{size} MB" for size in MEGABYTES)
        table(title, limits, memory_cell)


if __name__ == "__main__":
    main()
