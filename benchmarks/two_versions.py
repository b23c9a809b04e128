"""The same work by two versions of ctree, in turns: large fits, unknown values, the whole command.

    python benchmarks/two_versions.py OLD/bin/python NEW/bin/python [--repeats 3] [--small]

Each is the Python of an environment in which that version is installed, not in place. Rounded data (`rounded.py`),
processor seconds of one thread in a process of its own, the least of several repeats; of commands also the most memory.
`--small` leaves a million rows out.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from command import run, write_files
from rounded import DECIMALS, rounded_table

FIT = """
import sys, time
import numpy as np
import ctree

table = np.load(sys.argv[1])
discrete = [False] * int(sys.argv[3]) + [True] * (table["X"].shape[1] - int(sys.argv[3]))
data = ctree.from_arrays(table["X"], table["y"], categorical_features=discrete)
learner = eval(sys.argv[2])
start = time.process_time()
learner.fit(data)
print(time.process_time() - start)
"""
C45 = "ctree.C45Classifier(n_jobs=1{})"
Work = Callable[[str], tuple[float, float | None]]


def fit(table: Path, learner: str) -> Work:
    """A fit by the version of a Python: its seconds."""

    def work(python: str) -> tuple[float, None]:
        words = [python, "-c", FIT, str(table), learner, str(len(DECIMALS))]
        done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=table.parent)
        return float(done.stdout), None

    return work


def command(*words: str) -> Work:
    """A command by the version of a Python: its seconds, and its memory in MB."""
    return lambda python: run(str(Path(python).parent / "ctree"), *words)


def write(folder: Path, n: int, unknown: float) -> None:
    """A table, the same with zeros of both signs, and C4.5 files."""
    X, y = rounded_table(n, unknown=unknown)
    np.savez(folder / "table.npz", X=X, y=y)
    X[:4, 0], X[4:8, 0] = -0.0, 0.0
    np.savez(folder / "zeros.npz", X=X, y=y)
    write_files(folder / "files", n, unknown)


def works(place: Path, n: int) -> dict[str, Work]:
    """What is measured with so many rows, by name."""
    result: dict[str, Work] = {}
    for unknown in (0.0, 0.05):
        folder = place / f"{n}-{unknown}"
        folder.mkdir()
        # by another process, as the memory of a command is counted from that of the one that starts it
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            pool.submit(write, folder, n, unknown).result()
        table, stem = folder / "table.npz", folder / "files"
        what = f"{n:,} rows" + (", 5 % unknown" if unknown else "")
        result[f"{what}: fit with pruning"] = fit(table, C45.format(""))
        if not unknown:
            result[f"{what}: the same, four of the cells -0.0"] = fit(folder / "zeros.npz", C45.format(""))
            if n <= 100_000:
                result[f"{what}: fit with groups of values"] = fit(table, C45.format(", group_values=True"))
        result[f"{what}: ctree c4.5"] = command("c4.5", "-f", str(stem))
        if n <= 100_000:
            result[f"{what}: ctree learn --method bic-stop"] = command("learn", str(stem), "--method", "bic-stop")
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", metavar="OLD/bin/python")
    parser.add_argument("new", metavar="NEW/bin/python")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--small", action="store_true")
    options = parser.parse_args()
    print(f"{'':58s}{'old':>9s}{'new':>9s}{'ratio':>8s}{'old MB':>8s}{'new MB':>8s}")
    for n in (100_000,) if options.small else (100_000, 1_000_000):
        with tempfile.TemporaryDirectory() as folder:
            for name, work in works(Path(folder), n).items():
                rounds = [[work(python) for python in (options.old, options.new)] for _ in range(options.repeats)]
                old, new = (min(some[i][0] for some in rounds) for i in (0, 1))
                memory = [min(some[i][1] or 0.0 for some in rounds) for i in (0, 1)]
                shown = "".join(f"{m:8.0f}" for m in memory) if any(memory) else ""
                print(f"{name:58s}{old:9.2f}{new:9.2f}{old / new:8.1f}{shown}", flush=True)


if __name__ == "__main__":
    main()
