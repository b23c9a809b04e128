"""Fits beyond memory: the same trees, what they take, and what other programs take, each in a process of its own.

    python benchmarks/scale.py DIR                      # 10 million rows, all parts
    python benchmarks/scale.py DIR --only limit,peers --rows 1000000 --kind mixed
    python benchmarks/scale.py DIR --only same --sets 300

DIR gets the Parquet files, some gigabytes of them. Of peers, those that are installed are run: scikit-learn, xgboost
from external memory, Spark MLlib. The limit of memory is that of a control group, which root may make; the page cache
counts. Seconds are those of processors, reading included; `time` says what the clock said.

- limit: a fit from files under a limit of 1 GB beside one with all cases in memory, which must give the same model
- peers: the same files learned from by others
- linear: from a million rows to twenty
- rates: rows a second that one thread codes, and counts at 1, 16 and 128 nodes
- dask: one worker and two
- hard: 10,000 columns (8 GB) under 3 GB; a column of a million values and a file with 99 % of the rows under the limit
- same: random sets in random parts, every learner, beside memory
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import scale_tables
from limited import Taken, run

JOBS = str(Path(__file__).with_name("scale_jobs.py"))
PARTS = ("limit", "peers", "linear", "rates", "dask", "hard", "same")
LIMIT = 1 << 30
METHODS = ("bic-stop", "mdl-prune", "c4.4", "c4.5")
MEMORY = "400MB"
"""What a fit under the limit is given: the interpreter, libraries and files that are read come on top."""
WIDE_LIMIT = 3 << 30
WIDE_MEMORY = "2GB"
"""For 10,000 columns: a case takes 80 kB, and with less memory the counts of one node at a time fit."""
ALL = "100GB"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the files are put")
    parser.add_argument("--only", default=",".join(PARTS), help="parts, by default %(default)s")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--kind", action="append", choices=tuple(scale_tables.TABLES), help="by default both")
    parser.add_argument("--method", action="append", help=f"of ours; by default {', '.join(METHODS)}")
    parser.add_argument("--sets", type=int, default=300, help="random sets of the part same")
    args = parser.parse_args()
    args.kind = args.kind or list(scale_tables.TABLES)
    args.method = args.method or list(METHODS)
    args.folder.mkdir(parents=True, exist_ok=True)
    for part in args.only.split(","):
        print(f"\n== {part}", flush=True)
        SHOWN[part](args)


def fit(files: str, method: str, memory: str, *, limit: int | None = None, ignore: Sequence[str] = ()) -> Taken:
    """A fit of ours."""
    words = [JOBS, "ctree", files, "--method", method, "--memory", memory]
    for name in ignore:
        words += ["--ignore", name]
    return run(words, limit=limit)


def limit(args: argparse.Namespace) -> None:
    """All cases in memory, and a fit from files under the limit."""
    heads = ("rows", "method", "in memory s", "MB", "limit s", "MB", "time", "ratio", "same", "passes", "opened")
    rows = []
    for kind in args.kind:
        files = scale_tables.files(args.folder, kind, args.rows)
        for method in args.method:
            memory, disk = fit(files, method, ALL), fit(files, method, MEMORY, limit=LIMIT)
            rows.append([kind, method, *_compared(memory, disk)])
            _show(heads, rows[-1:], first=len(rows) == 1)


def _compared(memory: Taken, disk: Taken) -> list[Any]:
    if disk.status or memory.status:
        return [_seconds(memory), _megabytes(memory), _seconds(disk), _megabytes(disk), "failed"]
    passes = sum(disk.told["passes"].values())
    return [
        _seconds(memory),
        _megabytes(memory),
        _seconds(disk),
        _megabytes(disk),
        f"{disk.seconds:.1f}",
        f"{disk.cpu / memory.cpu:.2f}",
        "yes" if memory.told["model"] == disk.told["model"] else "NO",
        passes,
        f"{disk.told['opened_share']:.3%}",
    ]


def peers(args: argparse.Namespace) -> None:
    """Other programs, one tree of depth 10 or one round."""
    installed = [name for name, module in PEERS.items() if find_spec(module) is not None]
    for name in PEERS.keys() - set(installed):
        print(f"{name} is not installed")
    heads = ("rows", "program", "s", "MB", "time", "leaves", "of ours")
    first = True
    for kind in args.kind:
        files = scale_tables.files(args.folder, kind, args.rows)
        ours = fit(files, "bic-stop", MEMORY, limit=LIMIT)
        taken = {"ctree bic-stop, 1 GB": ours}
        taken |= {name: run([JOBS, name, files], timeout=4 * 3600) for name in installed}
        for name, one in taken.items():
            row = [kind, name, _seconds(one), _megabytes(one), f"{one.seconds:.1f}", one.told.get("leaves", "failed")]
            _show(heads, [[*row, f"{one.cpu / ours.cpu:.2f}"]], first=first)
            first = False


PEERS = {"sklearn": "sklearn", "xgboost": "xgboost", "spark": "pyspark"}


def linear(args: argparse.Namespace) -> None:
    """More and more rows: seconds for a million."""
    heads = ("rows", "method", "million", "s", "s a million", "of the first", "MB")
    sizes = [n for n in (1, 5, 10, 20) if n * 1_000_000 <= 2 * args.rows]
    first = True
    for kind in args.kind:
        for method in args.method:
            least = None
            for n in sizes:
                one = fit(scale_tables.files(args.folder, kind, n * 1_000_000), method, MEMORY, limit=LIMIT)
                least = least or one.cpu / n
                row = [kind, method, n, _seconds(one), f"{one.cpu / n:.2f}", f"{one.cpu / n / least:.2f}"]
                _show(heads, [[*row, _megabytes(one)]], first=first)
                first = False


def rates(args: argparse.Namespace) -> None:
    """Rows a second of one thread."""
    heads = ("rows", "coding", *(f"counting, {n} nodes" for n in (1, 16, 128)))
    for number, kind in enumerate(args.kind):
        one = run([JOBS, "rates", scale_tables.files(args.folder, kind, args.rows), "--memory", "1GB"])
        counting = [f"{rate / 1e6:.1f} M" for rate in one.told["counting"].values()]
        _show(heads, [[kind, f"{one.told['coding'] / 1e6:.2f} M", *counting]], first=number == 0)


def dask(args: argparse.Namespace) -> None:
    """One worker and two."""
    if find_spec("distributed") is None:
        print("dask is not installed")
        return
    program = str(Path(__file__).with_name("scale_dask.py"))
    words = ["--cases", str(min(args.rows, 5_000_000)), "--files", "32", "--repeats", "1", "--memory", "1GB"]
    subprocess.run([sys.executable, program, *words], check=True)


def hard(args: argparse.Namespace) -> None:
    """What could take more than the limit, or very long."""
    heads = ("files", "method", "in memory s", "MB", "limit s", "MB", "time", "ratio", "same", "passes", "opened")
    made = {
        "10,000 columns": (scale_tables.wide(args.folder), WIDE_MEMORY, WIDE_LIMIT),
        "a million values": (scale_tables.many_values(args.folder), MEMORY, LIMIT),
        "uneven files": (scale_tables.uneven(args.folder), MEMORY, LIMIT),
    }
    first = True
    for name, (files, given, most) in made.items():
        for method in (one for one in args.method if one in ("bic-stop", "c4.5")):
            memory, disk = fit(files, method, ALL), fit(files, method, given, limit=most)
            _show(heads, [[name, method, *_compared(memory, disk)]], first=first)
            first = False


def same(args: argparse.Namespace) -> None:
    """Random sets beside memory."""
    import scale_same

    scale_same.compare(args.sets)


SHOWN = {part: globals()[part] for part in PARTS}


def _seconds(one: Taken) -> str:
    return f"{one.cpu:.1f}"


def _megabytes(one: Taken) -> int:
    return round(one.peak / (1 << 20))


def _show(heads: Sequence[str], rows: Iterable[Sequence[Any]], *, first: bool) -> None:
    if first:
        print("| " + " | ".join(heads) + " |")
        print("|" + "---|" * len(heads))
    for row in rows:
        print("| " + " | ".join(map(str, row)) + " |", flush=True)


if __name__ == "__main__":
    main()
