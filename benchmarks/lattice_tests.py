"""Which tests a search for the least error is given: 4 bins of equal frequency, or thresholds where the classes change.

    python benchmarks/lattice_tests.py DIRECTORY [--depths 2 3] [--folds 10] [--limit 20] [set ...]

DIRECTORY has the sets as C4.5 files. For each set and depth: the number of tests, the training errors of the best tree,
the errors of cross-validation (stratified folds, the same for both), and the CPU time of a fit. An asterisk says that a
fit was stopped by the limit of time.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import ctree
from ctree.data.dataset import Dataset
from ctree.evaluate.protocols import StratifiedFolds

SETS = (
    *("anneal", "australian", "autos", "balance-scale", "breast-w", "colic", "credit-a", "credit-g", "diabetes"),
    *("glass", "heart-c", "hepatitis", "ionosphere", "iris", "labor", "sonar", "vehicle", "vowel", "wine", "yeast"),
)
BINS: tuple[int | str, ...] = (4, "boundaries")


class Outcome(NamedTuple):
    """What the tests come to."""

    tests: int
    errors: int
    fold_errors: int
    seconds: float
    optimal: bool


def fitted(data: Dataset, depth: int, bins: int | str, limit: float) -> Any:
    model = ctree.OptimalTreeClassifier(max_depth=depth, bins=bins, time_limit=limit)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(data)


def outcome(data: Dataset, depth: int, bins: int | str, folds: int, limit: float) -> Outcome:
    began = time.process_time()
    model = fitted(data, depth, bins, limit)
    seconds = time.process_time() - began
    wrong = 0
    assert data.classes is not None
    for split in StratifiedFolds(folds, 1).series(data.classes)[0].splits:
        fold = fitted(data.take(split.train), depth, bins, limit)
        cases = data.take(split.test)
        wrong += int((fold.predict_codes(cases) != cases.classes).sum())
    return Outcome(len(model.tests_), int(model.objective_), wrong, seconds, model.optimal_)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--depths", type=int, nargs="+", default=[2, 3])
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--limit", type=float, default=20.0)
    args = parser.parse_args()
    for depth in args.depths:
        totals = np.zeros((2, 2))
        print(
            f"depth {depth}\n\n| set | cases | tests | training errors | errors in folds | seconds |\n"
            "|---|--:|--:|--:|--:|--:|"
        )
        for name in args.sets:
            data = ctree.read_c45(args.directory / name)
            both = [outcome(data, depth, bins, args.folds, args.limit) for bins in BINS]
            totals += [[o.errors, o.fold_errors] for o in both]
            cells = [
                " / ".join(str(o.tests) for o in both),
                " / ".join(f"{o.errors}{'' if o.optimal else '*'}" for o in both),
                " / ".join(str(o.fold_errors) for o in both),
                " / ".join(f"{o.seconds:.2f}" for o in both),
            ]
            print(f"| {name} | {data.n_cases} | {' | '.join(cells)} |", flush=True)
        sums = [" / ".join(f"{n:.0f}" for n in column) for column in totals.T]
        print(f"| all | | | {sums[0]} | {sums[1]} | |\n")


if __name__ == "__main__":
    main()
