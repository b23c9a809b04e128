"""How fast files become coded parts: 10 columns of numbers, 10 of few values, 3 classes, from Parquet.

    python benchmarks/scale_coding.py --cases 10000000 --jobs 1

Prints the rows a second of CPU time and of the clock, with decoding, the sample and the writing of the codes, and how
much memory the process had at most. `--decode` adds how long pyarrow takes to read the files alone.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import ctree

AT_ONCE = 1_000_000


def write_files(folder: Path, n: int, row_group: int) -> None:
    """Files of a million cases each."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for number, start in enumerate(range(0, n, AT_ONCE)):
        rng = np.random.default_rng(number)
        size = min(AT_ONCE, n - start)
        columns = {f"x{j}": rng.normal(size=size) for j in range(10)}
        columns |= {f"d{j}": rng.integers(0, j + 2, size).astype(np.int8) for j in range(10)}
        columns["label"] = rng.integers(0, 3, size).astype(np.int8)
        pq.write_table(pa.table(columns), folder / f"{number:04}.parquet", row_group_size=row_group)


def timed(what: str, n: int, work: Callable[[], None]) -> None:
    """Do some work and print how many rows a second that was."""
    clock, cpu = time.perf_counter(), time.process_time()
    work()
    clock, cpu = time.perf_counter() - clock, time.process_time() - cpu
    print(
        f"{what:24} {n / cpu / 1e6:6.2f} M rows/s of CPU  {n / clock / 1e6:6.2f} M rows/s  ({cpu:.2f} s, {clock:.2f} s)"
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--cases", type=int, default=2_000_000)
    options.add_argument("--row-group", type=int, default=250_000)
    options.add_argument("--jobs", type=int, default=1)
    options.add_argument("--memory", default="2GB")
    options.add_argument("--repeats", type=int, default=3)
    options.add_argument("--decode", action="store_true")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write_files(Path(folder), given.cases, given.row_group)
        files = sorted(Path(folder).glob("*.parquet"))
        size = sum(file.stat().st_size for file in files)
        print(f"{given.cases:,} cases, {len(files)} files, {size / given.cases:.0f} bytes a case")

        def decode() -> None:
            import pyarrow.parquet as pq

            for file in files:
                with pq.ParquetFile(file, pre_buffer=False) as opened:
                    for i in range(opened.num_row_groups):
                        opened.read_row_group(i, use_threads=False)

        def code() -> None:
            discrete = [f"d{j}" for j in range(10)]
            ctree.scan_parquet(
                folder, "label", categorical_features=discrete, n_jobs=given.jobs, memory=given.memory
            ).close()

        for _ in range(given.repeats):
            if given.decode:
                timed("decoding alone", given.cases, decode)
            timed(f"coding, {given.jobs} thread(s)", given.cases, code)
    print(f"at most {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
