"""How long a tree takes by a criterion of one's own: N·gain in Python, in Python for many tests at once, and in C.

    python benchmarks/criterion.py
    python benchmarks/criterion.py --rows 10000 --single    # also the function of one matrix, which is slow

Processor seconds of one thread, the least of several repeats in turns. All trees are the same, to the bit. Of the
function in C it also prints how often it is called, and how long as many calls take by themselves. It needs a C
compiler.
"""

from __future__ import annotations

import argparse
import ctypes
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from generators import GENERATORS
from scipy import LowLevelCallable

import ctree
from ctree import criteria

SOURCE = """
#include <math.h>

static double part(double x) { return x > 0 ? x * log2(x) : 0; }

static long calls = 0;

double n_gain(const double *counts, int n_branches, int n_classes, void *user_data) {
    double gain = 0, all = 0;
    calls++;
    for (int c = 0; c < n_classes; c++) {
        double of_class = 0;
        for (int b = 0; b < n_branches; b++) {
            gain += part(counts[b * n_classes + c]);
            of_class += counts[b * n_classes + c];
        }
        gain -= part(of_class);
        all += of_class;
    }
    for (int b = 0; b < n_branches; b++) {
        double size = 0;
        for (int c = 0; c < n_classes; c++)
            size += counts[b * n_classes + c];
        gain -= part(size);
    }
    gain += part(all);
    return gain < 1e-9 ? 0 : gain;
}

long n_calls(void) { return calls; }

/* The same number of calls without a search, each with other counts. */
double alone(long n, int n_classes) {
    double counts[2 * 64], sum = 0;
    double (*volatile function)(const double *, int, int, void *) = n_gain;
    for (long i = 0; i < n; i++) {
        for (int c = 0; c < 2 * n_classes; c++)
            counts[c] = 1 + (i * 7 + c * 13) % 997;
        sum += function(counts, 2, n_classes, 0);
    }
    return sum;
}
"""


def compiled() -> Any:
    """The source above, as a library."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "criterion.c").write_text(SOURCE)
        command = ["cc", "-O2", "-shared", "-fPIC", "-o", folder / "criterion.so", folder / "criterion.c", "-lm"]
        subprocess.run(command, check=True)
        library = ctypes.CDLL(str(folder / "criterion.so"))
    library.n_gain.restype = library.alone.restype = ctypes.c_double
    library.n_gain.argtypes = [ctypes.POINTER(ctypes.c_double), ctypes.c_int, ctypes.c_int, ctypes.c_void_p]
    library.alone.argtypes, library.n_calls.restype = [ctypes.c_long, ctypes.c_int], ctypes.c_long
    return library


def part(x: Any) -> Any:
    """What counts add, in bits."""
    return x * np.log2(np.where(x > 0, x, 1))


@criteria.stacked
def many(counts: Any) -> Any:
    """N times the gain of each test of a stack."""
    both = part(counts).sum(axis=(1, 2)) + part(counts.sum(axis=(1, 2)))
    gain = both - part(counts.sum(axis=2)).sum(axis=1) - part(counts.sum(axis=1)).sum(axis=1)
    return np.where(gain < 1e-9, 0, gain)


def one(counts: Any) -> float:
    """N times the gain of one test."""
    return float(many(counts[None])[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--min-cases", type=float, default=2)
    parser.add_argument("--single", action="store_true", help="also by a function of one matrix")
    args = parser.parse_args()
    library = compiled()
    functions: dict[str, Any] = {"built in": None, "in C": LowLevelCallable(library.n_gain), "many at once": many}
    if args.single:
        functions["one by one"] = one
    for kind, generator in GENERATORS.items():
        data = generator.data(args.rows)
        seconds = dict.fromkeys(functions, float("inf"))
        trees = {}
        before = library.n_calls()
        for _ in range(args.repeats):
            for name, criterion in functions.items():
                learner = ctree.ProbabilityTreeClassifier(criterion=criterion, min_cases=args.min_cases, n_jobs=1)
                start = time.process_time()
                trees[name] = learner.fit(data).tree_
                seconds[name] = min(seconds[name], time.process_time() - start)
        n_calls = (library.n_calls() - before) // args.repeats
        start = time.process_time()
        library.alone(n_calls, data.schema.n_classes)
        alone = time.process_time() - start
        same = all(tree.arrays == trees["built in"].arrays for tree in trees.values())
        size = f"{args.rows:,} rows, {trees['built in'].n_nodes:,} nodes"
        print(f"{kind}, {size}, {'the same' if same else 'DIFFERENT'} trees")
        for name, time_ in seconds.items():
            print(f"  {name:14s} {time_:7.2f} s {time_ / seconds['built in']:6.1f} times")
        print(f"  {n_calls:,} calls in C, which take {alone:.2f} s by themselves")


if __name__ == "__main__":
    main()
