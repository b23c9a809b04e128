"""How the time to group the values of a discrete attribute grows with their number.

    python benchmarks/groups.py [values ...]

One attribute, five cases to a value, `C45Classifier(group_values=True)`. Two kinds of data: "random" has classes drawn
for each value with a chance of its own, "alike" gives all values the same counts, so that all pairs of values are
equally good and none can be ruled out; by gain they are joined until two groups are left.
"""

from __future__ import annotations

import sys
import time

import numpy as np
import numpy.typing as npt

import ctree

Column = npt.NDArray[np.int64]


def random_table(n_values: int, seed: int = 0) -> tuple[Column, Column]:
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(n_values), 5)
    return codes, (rng.random(len(codes)) < rng.random(n_values)[codes]).astype(np.int64)


def alike_table(n_values: int) -> tuple[Column, Column]:
    """Each value has two cases of one class and three of the other."""
    codes = np.repeat(np.arange(n_values), 5)
    return codes, np.tile([0, 0, 1, 1, 1], n_values)


def seconds(codes: Column, y: Column, criterion: str) -> float:
    X = np.char.add("v", codes.astype(str))[:, None]
    data = ctree.from_arrays(X, y)
    start = time.perf_counter()
    ctree.C45Classifier(group_values=True, criterion=criterion).fit(data)
    return time.perf_counter() - start


def main() -> None:
    sizes = [int(size) for size in sys.argv[1:]] or [50, 100, 250, 500, 1000]
    for name, table, criterion in (("random", random_table, "gain-ratio"), ("alike", alike_table, "gain")):
        for n_values in sizes:
            taken = seconds(*table(n_values), criterion)
            print(f"  {name:<8}{n_values:6d} values {taken:10.3f} s", flush=True)


if __name__ == "__main__":
    main()
