"""Rules against the tree that they are made of, on letter-sized data made here.

    python benchmarks/rules.py

20,000 cases of 26 classes, 16 attributes of whole numbers from 0 to 15, as in the letter recognition data. Times are
the least of several repeats; those of the rules include growing the tree.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import numpy.typing as npt

import ctree

CASES, CLASSES, ATTRIBUTES = 20_000, 26, 16


def letters(seed: int = 0) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Each class has three typical forms, blurred and rounded to a grid."""
    rng = np.random.default_rng(seed)
    forms = rng.uniform(2, 13, size=(CLASSES, 3, ATTRIBUTES))
    y = rng.integers(CLASSES, size=CASES)
    X = forms[y, rng.integers(3, size=CASES)] + rng.normal(scale=1.2, size=(CASES, ATTRIBUTES))
    return np.clip(np.round(X), 0, 15), y


def least_time(repeats: int, learner: Any, data: ctree.Dataset) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        learner.fit(data)
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    data = ctree.from_arrays(*letters())
    tree, rules = ctree.C45Classifier(), ctree.C45RulesClassifier()
    for name, learner in (("tree", tree), ("rules", rules)):
        print(f"  {name:<8}{least_time(5, learner, data):9.4f} s")
    print(f"  {tree.unpruned_tree_.n_leaves} leaves, {len(rules.rules_)} rules")


if __name__ == "__main__":
    main()
