"""Rules against the tree that they are made of.

    python benchmarks/rules.py [--kind letters] [--cases 20000] [--repeats 5]

  letters     26 classes, 16 attributes of whole numbers from 0 to 15, as in the letter recognition data
  continuous  the same before it is rounded
  mixed       `mixed.py`, of which a tenth is noise: a leaf for every few cases
  rounded     `rounded.py`, likewise, with numbers of few decimals and values of which few are frequent

Times are processor seconds, the least of several repeats; those of the rules include growing the tree.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
import numpy.typing as npt
from mixed import mixed_dataset, mixed_table
from rounded import rounded_dataset, rounded_table

import ctree

CLASSES, ATTRIBUTES = 26, 16


def letters(n: int, whole: bool, seed: int = 0) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Each class has three typical forms, blurred, and rounded to a grid."""
    rng = np.random.default_rng(seed)
    forms = rng.uniform(2, 13, size=(CLASSES, 3, ATTRIBUTES))
    y = rng.integers(CLASSES, size=n)
    X = forms[y, rng.integers(3, size=n)] + rng.normal(scale=1.2, size=(n, ATTRIBUTES))
    return np.clip(np.round(X), 0, 15) if whole else X, y


def least_time(repeats: int, learner: Any, data: ctree.Dataset) -> float:
    times = []
    for _ in range(repeats):
        start = time.process_time()
        learner.fit(data)
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", choices=("letters", "continuous", "mixed", "rounded"), default="letters")
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    if options.kind == "mixed":
        data = mixed_dataset(*mixed_table(options.cases))
    elif options.kind == "rounded":
        data = rounded_dataset(*rounded_table(options.cases))
    else:
        data = ctree.from_arrays(*letters(options.cases, options.kind == "letters"))
    tree, rules = ctree.C45Classifier(), ctree.C45RulesClassifier()
    seconds = [least_time(options.repeats, learner, data) for learner in (tree, rules)]
    print(f"  tree   {seconds[0]:9.4f} s, {tree.unpruned_tree_.n_leaves} leaves")
    print(f"  rules  {seconds[1]:9.4f} s, {seconds[1] / seconds[0]:.1f} times, {len(rules.rules_)} rules")


if __name__ == "__main__":
    main()
