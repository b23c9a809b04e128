"""The whole of `ctree c4.5`: how soon it starts, what it takes on large files, and how long printing takes.

    python benchmarks/command.py [--cases 100000] [--repeats 5] [--peer PROGRAM]

Rounded data (`rounded.py`) are written as C4.5 files. Times are processor seconds of a process of its own, the least of
several repeats, and memory is the most that it had. PROGRAM is another command that takes ``-f STEM``, as C5.0 does; it
is run in turns with this one.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from rounded import CLASSES, DECIMALS, N_VALUES, rounded_table

import ctree
from ctree.render.text import tree_text

GOLF = Path(ctree.__file__).parent / "data" / "samples" / "golf"


def write_files(stem: Path, n: int, unknown: float = 0.0) -> None:
    """The names and the cases, of whose values such a share is unknown."""
    X, y = rounded_table(n, unknown=unknown)
    names = [", ".join(f"c{c}" for c in range(CLASSES)) + ".", ""]
    names += [f"x{j}: continuous." for j in range(len(DECIMALS))]
    names += [f"d{j}: {', '.join(f'v{v}' for v in range(k))}." for j, k in enumerate(N_VALUES)]
    stem.with_suffix(".names").write_text("\n".join(names) + "\n")
    columns = [np.char.mod(f"%.{d}f", X[:, j]).tolist() for j, d in enumerate(DECIMALS)]
    columns = [["?" if number == "nan" else number for number in column] for column in columns]
    columns += [["?" if v != v else f"v{int(v)}" for v in X[:, len(DECIMALS) + j]] for j in range(len(N_VALUES))]
    columns.append([f"c{c}" for c in y])
    with stem.with_suffix(".data").open("w") as file:
        file.writelines(",".join(case) + "\n" for case in zip(*columns, strict=True))


def run(*words: str) -> tuple[float, float]:
    """Processor seconds of a command, and the most memory it had, in MB."""
    with subprocess.Popen(words, stdout=subprocess.DEVNULL) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(words)} has failed")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def best(repeats: int, *commands: tuple[str, ...]) -> list[tuple[float, float]]:
    """The least of each, taken in turns."""
    rounds = [[run(*command) for command in commands] for _ in range(repeats)]
    return [(min(r[i][0] for r in rounds), min(r[i][1] for r in rounds)) for i in range(len(commands))]


def printing(stem: Path, repeats: int) -> None:
    model = ctree.C45Classifier().fit(ctree.read_c45(stem))
    for tree in (model.unpruned_tree_, model.tree_):
        times = []
        for _ in range(repeats):
            start = time.process_time()
            text = tree_text(tree)
            times.append(time.process_time() - start)
        print(f"  text of {text.count(chr(10)):9,} lines  {min(times):7.3f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--peer", metavar="PROGRAM")
    options = parser.parse_args()
    own = (sys.executable, "-m", "ctree")
    starts = {
        "python": (sys.executable, "-c", "pass"),
        "numpy": (sys.executable, "-c", "import numpy"),
        "ctree --version": (*own, "--version"),
        "ctree c4.5 --help": (*own, "c4.5", "--help"),
        "ctree c4.5 on golf": (*own, "c4.5", "-f", str(GOLF)),
        "ctree c4.5rules on golf": (*own, "c4.5rules", "-f", str(GOLF)),
    }
    for name, (seconds, memory) in zip(starts, best(2 * options.repeats, *starts.values()), strict=True):
        print(f"  {name:<24}{seconds:7.3f} s {memory:6.0f} MB")
    with tempfile.TemporaryDirectory() as folder:
        stem = Path(folder, "rounded")
        # In a process of its own: what a process has when it starts another one counts as memory of that one, too.
        with ProcessPoolExecutor(1, get_context("spawn")) as pool:
            pool.submit(write_files, stem, options.cases).result()
        programs = {f"ctree c4.5, {options.cases:,}": (*own, "c4.5", "-f", str(stem))}
        if options.peer:
            programs[f"{options.peer}, {options.cases:,}"] = (options.peer, "-f", str(stem))
        for name, (seconds, memory) in zip(programs, best(options.repeats, *programs.values()), strict=True):
            print(f"  {name:<24}{seconds:7.2f} s {memory:6.0f} MB")
        printing(stem, options.repeats)


if __name__ == "__main__":
    main()
