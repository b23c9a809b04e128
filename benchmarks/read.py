"""How fast case files are read: makes a `.data` file of about 50 MB and times `read_c45` beside `pandas.read_csv`.

Run as `python benchmarks/read.py [megabytes]`.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import ctree

COLOURS = np.array(["red", "green", "blue", "ultramarine", "yellow", "black", "white", "?"])


def make_file(stem: Path, megabytes: float, digits: int | None) -> int:
    """Write cases of six numbers, with so many decimals or all of them, and six discrete values; its size in bytes."""
    rng = np.random.default_rng(0)
    numbers = "".join(f"x{i}: continuous.\n" for i in range(6))
    colours = "".join(f"c{i}: {', '.join(COLOURS[:-1])}.\n" for i in range(6))
    stem.with_suffix(".names").write_text("no, yes.\n\n" + numbers + colours)
    block = 20_000
    with stem.with_suffix(".data").open("w") as file:
        while file.tell() < megabytes * 1e6:
            columns = [[str(x) for x in rng.normal(scale=100, size=block).tolist()] for _ in range(6)]
            if digits is not None:
                columns = [[f"{float(x):.{digits}f}" for x in column] for column in columns]
            columns += [COLOURS[rng.integers(len(COLOURS), size=block)].tolist() for _ in range(6)]
            columns.append(np.array(["no", "yes"])[rng.integers(2, size=block)].tolist())
            file.writelines(",".join(case) + "\n" for case in zip(*columns, strict=True))
    return stem.with_suffix(".data").stat().st_size


def best_time(work: Callable[[], object], repeats: int = 3) -> float:
    """The least of a few times, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def pandas_reader(file: Path) -> Callable[[], object] | None:
    """A call that reads the file with pandas, coded as categories; None where pandas is absent."""
    try:
        import pandas as pd
    except ImportError:
        return None
    types = {i: "float64" if i < 6 else "category" for i in range(13)}
    return lambda: pd.read_csv(file, header=None, dtype=types, na_values="?")


def main() -> None:
    """Print megabytes per second for short numbers (3 decimals) and for full ones (up to 17 digits)."""
    megabytes = float(sys.argv[1]) if len(sys.argv) > 1 else 50.0
    with tempfile.TemporaryDirectory() as folder:
        for title, digits in (("3 decimals", 3), ("all digits", None)):
            stem = Path(folder, "cases")
            size = make_file(stem, megabytes, digits) / 1e6
            seconds = best_time(lambda stem=stem: ctree.read_c45(stem))
            print(f"{title}: {size:5.1f} MB   ctree.read_c45 {size / seconds:6.1f} MB/s", end="")
            pandas = pandas_reader(stem.with_suffix(".data"))
            if pandas is not None:
                print(f"   pandas.read_csv {size / best_time(pandas):6.1f} MB/s", end="")
            print()


if __name__ == "__main__":
    main()
