"""The long run: `python -m tests.faults`, or only a part of it: `python -m tests.faults memory`.

For each learner and operation the table has the calls that an operation makes, how many of them were made to fail, how
often that was an error, how often the operation survived it with the same result, and by how many bytes the memory in
use has grown meanwhile. Whatever else happens is a finding, and the status is 1. The part `everything` is run only if
it is named: where numpy cannot get memory for its own objects, it may crash.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from . import injector, runs
from .sweep import Row, table


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description="Faults injected, and leaks.")
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help=f"any of {', '.join(runs.PARTS)} (default: all but everything)"
    )
    parser.add_argument("--every", type=int, default=100, help="how many of the first calls fail, each in its turn")
    parser.add_argument("--sampled", type=int, default=200, help="how many of the other calls")
    parser.add_argument("--rounds", type=int, default=1000, help="rounds of the search for leaks")
    parser.add_argument("--learner", action="append", help="only these learners")
    args = parser.parse_args()
    reason = injector.available()
    if reason is not None:
        parser.error(reason)
    unknown = [part for part in args.parts if part not in runs.PARTS]
    if unknown:
        parser.error(f"there is no part {unknown[0]!r}; the parts are {', '.join(runs.PARTS)}")
    found = 0
    with tempfile.TemporaryDirectory() as folder:
        library = injector.compiled(Path(folder))
        for part in args.parts or runs.STABLE:
            began = time.monotonic()
            settings = runs.Settings(args.every, args.sampled, args.rounds, args.learner)
            rows = runs.PARTS[part](library, settings)
            print(f"\n{part} ({runs.PARTS[part].__doc__}, {time.monotonic() - began:.0f} s)\n")
            print(table(rows) if rows and isinstance(rows[0], Row) else runs.leak_table(rows), flush=True)
            for row in rows:
                found += len(row.findings)
                for text in row.findings:
                    print(f"  {row.learner}, {row.operation}: {text}", flush=True)
    print(f"\n{found} findings" if found else "\nno findings")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
