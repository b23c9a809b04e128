"""The command: a run over many sets, or one set again."""

from __future__ import annotations

import argparse

from .kinds import KINDS
from .run import run, told

SHOWN = 5
"""So many differences of a kind are told in full; of the others the number."""


def main() -> int:
    """Run as the options say; the exit status is 1 if anything differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.hunt", description="Kernels against slow versions.")
    parser.add_argument("--kind", action="append", choices=tuple(KINDS), help="only this kind; may be repeated")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=int, default=0, help="the number of the first set")
    parser.add_argument("--count", type=int, help="sets of each kind (default: 1000)")
    parser.add_argument("--minutes", type=float, help="how long for each kind, instead of --count")
    parser.add_argument("--replay", type=int, metavar="N", help="compare set N of --kind and --seed again")
    args = parser.parse_args()
    kinds = args.kind or list(KINDS)
    if args.replay is not None:
        for kind in kinds:
            print(told(kind, args.seed, args.replay))
        return 0
    seconds = None if args.minutes is None else 60 * args.minutes
    count = 1000 if args.count is None and seconds is None else args.count
    n_different = 0
    for kind in kinds:
        outcome = run(kind, args.seed, args.start, count, seconds)
        print(outcome, flush=True)
        for number in list(outcome.differences)[:SHOWN]:
            print(told(kind, args.seed, number), end="\n\n", flush=True)
        if len(outcome.differences) > SHOWN:
            print("further ones:", *list(outcome.differences)[SHOWN:])
        n_different += len(outcome.differences)
    return 1 if n_different else 0


if __name__ == "__main__":
    raise SystemExit(main())
