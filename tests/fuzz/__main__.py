"""The command: a run of many inputs, or one input again."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from .kinds import KINDS
from .run import Run, Settings, summary
from .worker import MEGABYTES, SECONDS, Worker


def main() -> int:
    """Run as the options say; the exit status is 1 if anything was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Fuzz ctree.")
    parser.add_argument("--kind", action="append", choices=tuple(KINDS), help="only this kind; may be repeated")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=0, help="inputs over all kinds together")
    parser.add_argument("--start", type=int, default=0, help="the number of the first input of each kind")
    parser.add_argument("--minutes", type=float, default=1.0, help="how long, if there is no --count")
    parser.add_argument("--jobs", type=int, default=1, help="processes at once")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="write findings to this folder")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of the processor, for each input")
    parser.add_argument("--megabytes", type=int, default=MEGABYTES, help="of memory; 0 for no limit")
    parser.add_argument("--replay", type=int, metavar="N", help="run input N of --kind and --seed again")
    parser.add_argument("--file", type=Path, metavar="FILE", help="run an input that was kept")
    parser.add_argument("--refusals", action="store_true", help="also say what was refused most often, and where")
    parser.add_argument("--atheris", choices=tuple(KINDS), metavar="KIND", help="led by coverage, for --minutes")
    args = parser.parse_args()
    if args.atheris:
        from .by_coverage import run_atheris

        return run_atheris(args.atheris, args.minutes, args.keep)
    if args.file is not None or args.replay is not None:
        return _again(args)
    kinds = args.kind or list(KINDS)
    minutes = 0.0 if args.count else args.minutes
    settings = Settings(
        kinds, args.seed, args.count, args.start, minutes, args.jobs, args.keep, args.seconds, args.megabytes
    )
    run = Run(settings)
    try:
        run.go()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
    print(summary(run))
    if args.refusals:
        for kind, tally in run.tallies.items():
            for reason, n in tally.refusals.most_common(12):
                print(f"{kind}: {n} x {reason}")
    return 1 if run.found else 0


def _again(args: argparse.Namespace) -> int:
    """One input: what it is, and what becomes of it."""
    with Worker(args.seconds, args.megabytes) as worker:
        if args.file is not None:
            content = json.loads(args.file.read_text())
            kind, given = content["kind"], content["input"]
        else:
            (kind,) = args.kind or ["model"]
            given = worker.drawn(kind, args.seed, args.replay)
        print(json.dumps(given))
        verdict = worker.verdict(kind=kind, given=given)
    print("\n".join(f"{name}: {text}" for name, text in verdict.items() if text))
    return 1 if verdict["outcome"] == "finding" else 0


if __name__ == "__main__":
    sys.exit(main())
