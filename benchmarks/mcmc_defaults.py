"""The sampler's defaults on many sets: which proposals are available and accepted, and whether the chains agree.

    python benchmarks/mcmc_defaults.py FOLDER [NAME ...] [--option name=value ...]

FOLDER has the data in C4.5's form, and a folder `binary` with 0/1 sets, class first, separated by blanks; those up to
--most cases are taken (1,000), or only those named (`binary/vote` for one of the 0/1 sets). Per set one line:

    cases, classes, tests; steps of a chain; seconds of CPU;
    R-hat of the traces (the worst: log-likelihood, log-posterior, leaves, depth), and of predictions for the training
    cases, all classes (the worst, and the share above 1.05); the fewest effective draws of both;
    the largest difference of a prediction between a chain and all of them ("apart"), and its mean over cases;
    per move the share of steps, of proposals that were not available, and of those accepted.

At the end the number of sets where the worst R-hat is below 1.05, and those with a warning.
"""

from __future__ import annotations

import argparse
import ast
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from mcmc import binary_set

import ctree
from ctree.learners.mcmc.convergence import effective_size, split_r_hat

WORST = 1.05


def sets(folder: Path, names: list[str], most: int) -> dict[str, ctree.Dataset]:
    """The sets of the folder by name, smallest first."""
    found: dict[str, ctree.Dataset] = {}
    for path in sorted(folder.glob("*.names")):
        if not names or path.stem in names:
            found[path.stem] = ctree.read_c45(path.with_suffix(""))
    for path in sorted((folder / "binary").glob("*.txt")):
        if not names or f"binary/{path.stem}" in names:
            found[f"binary/{path.stem}"] = binary_set(path)
    some = {name: data for name, data in found.items() if names or data.n_cases <= most}
    return dict(sorted(some.items(), key=lambda item: item[1].n_cases))


def measured(data: ctree.Dataset, options: dict[str, Any]) -> dict[str, Any]:
    """What the chains did, and how far they agree."""
    start = time.process_time()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = ctree.MCMCTreeClassifier(**{"random_state": 0, **options}).fit(data)
    seconds = time.process_time() - start
    draws = model._draws(data)
    every = max(1, draws[0].shape[1] // 500)
    r_hats = np.concatenate([split_r_hat(d[:, ::every]).ravel() for d in draws])
    means = np.stack([d.mean(axis=1) for d in draws])  # (classes, chains, cases)
    apart = abs(means - means.mean(axis=1, keepdims=True)).max(axis=(0, 1))
    sizes = [effective_size(d[:, ::every, :: max(1, data.n_cases // 50)]).min() for d in draws]
    moves: dict[str, list[int]] = {}
    for of_chain in model.moves_:
        for move, counts in of_chain.items():
            sums = moves.setdefault(move, [0, 0, 0])
            for i, name in enumerate(("proposed", "invalid", "accepted")):
                sums[i] += counts[name]
    return {
        "seconds": seconds,
        "steps": sum(model._records[0].state[name] for name in ("burnt_steps", "drawn_steps")),
        "tests": len(model._levels),
        "leaves": float(model.traces_["leaves"].mean()),
        "traces": max(model.r_hat_.values()),
        "size": min(model.effective_size_.values()),
        "predictions": float(r_hats.max()),
        "share": float((r_hats > WORST).mean()),
        "prediction_size": float(min(sizes)),
        "apart": float(apart.max()),
        "mean_apart": float(apart.mean()),
        "moves": moves,
        "warnings": [str(warning.message) for warning in caught],
    }


def line(name: str, data: ctree.Dataset, found: dict[str, Any]) -> str:
    moves = []
    for move, (proposed, invalid, accepted) in found["moves"].items():
        if proposed:
            moves.append(f"{move} {100 * invalid / proposed:.0f}/{100 * accepted / proposed:.0f}")
    proposed, invalid, _ = np.sum([counts for move, counts in found["moves"].items() if move != "exchange"], axis=0)
    return (
        f"{name:<26}{data.n_cases:>5}{data.schema.n_classes:>3}{found['tests']:>6}{found['leaves']:>6.1f}"
        f"{found['steps'] / 1000:>7.0f}k{found['seconds']:>6.1f}s  traces{found['traces']:>6.2f}{found['size']:>7.0f}"
        f"  predictions{found['predictions']:>6.2f} {100 * found['share']:>3.0f}%{found['prediction_size']:>6.0f}"
        f"  apart {found['apart']:.3f} {found['mean_apart']:.3f}  not available {100 * invalid / proposed:.0f}%: "
        + ", ".join(moves)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--most", type=int, default=1000, help="cases of a set")
    parser.add_argument("--option", action="append", default=[], help="a parameter of the learner, as name=value")
    args = parser.parse_args()
    options = {}
    for option in args.option:
        name, _, value = option.partition("=")
        options[name] = ast.literal_eval(value)
    results = {}
    for name, data in sets(args.folder, args.names, args.most).items():
        results[name] = measured(data, options)
        print(line(name, data, results[name]), flush=True)
    good = [max(found["traces"], found["predictions"]) <= WORST for found in results.values()]
    well = [found["predictions"] <= WORST for found in results.values()]
    warned = [bool(found["warnings"]) for found in results.values()]
    print(
        f"{len(results)} sets: R-hat of traces and predictions at most {WORST} in {sum(good)}, of predictions in "
        f"{sum(well)}; a warning in {sum(warned)}; {sum(found['seconds'] for found in results.values()):.0f} s of CPU"
    )


if __name__ == "__main__":
    main()
