"""The time of a fit against the numbers of rows, attributes and classes, and the share of unknown values: a picture.

    python benchmarks/curves.py docs/static/curves.png
    python benchmarks/curves.py curves.png --most 100000     # a few minutes instead of half an hour

Rounded data (`rounded.py`), processor seconds of one thread, the least of several fits where they take less than a
second; pruning is included. What is not varied is 100,000 rows, 20 attributes, 3 classes, no value unknown. Attributes
beyond 20 are more of the same kinds, which the class does not depend on. scikit-learn's tree, by entropy, is grown as
far as ctree's and not pruned; it takes discrete values for numbers.
"""

from __future__ import annotations

import argparse
import gc
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from fit_peers import fit_sklearn
from mixed import coded
from rounded import CLASSES, DECIMALS, N_VALUES, rounded_table

import ctree
from ctree.render.charts.style import LINE_WIDTH, style_of
from ctree.render.plots.figures import new_figure, saved

ROWS, ATTRIBUTES = 100_000, len(DECIMALS) + len(N_VALUES)
VARIED: dict[str, Sequence[float]] = {
    "rows": (10_000, 31_600, 100_000, 316_000, 1_000_000, 2_000_000, 5_000_000),
    "attributes": (20, 40, 100, 200, 400),
    "unknown": (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3),
    "classes": (2, 3, 5, 10, 20, 50, 100),
}
LABELS = {"rows": "rows", "attributes": "attributes", "unknown": "share of unknown values", "classes": "classes"}
LEARNERS: dict[str, Callable[[], Any]] = {
    "C4.5, release 8": lambda: ctree.C45Classifier(n_jobs=1),
    "J48": lambda: ctree.C45Classifier(variant="j48", n_jobs=1),
    "bic-stop": lambda: ctree.ProbabilityTreeClassifier(approach="bic-stop", n_jobs=1),
    "c4.4": lambda: ctree.ProbabilityTreeClassifier(approach="c4.4", n_jobs=1),
}
PEER = "scikit-learn"
MARKS = {"circle": "o", "square": "s", "triangle": "^", "diamond": "D", "down": "v"}


def table(rows: int = ROWS, attributes: int = ATTRIBUTES, unknown: float = 0.0, classes: int = CLASSES) -> Any:
    """An ordinal-coded table, and its classes: continuous attributes first."""
    parts = [rounded_table(rows, seed=seed, classes=classes) for seed in range(-(-attributes // ATTRIBUTES))]
    n = len(DECIMALS)
    X = np.column_stack([*(X[:, :n] for X, _ in parts), *(X[:, n:] for X, _ in parts)])
    if unknown:
        X[np.random.default_rng(1).random(X.shape) < unknown] = np.nan
    return X, parts[0][1]


def dataset(X: Any, y: Any) -> ctree.Dataset:
    """The same as a data set."""
    copies = X.shape[1] // ATTRIBUTES
    return coded(X, y, copies * len(DECIMALS), copies * N_VALUES, int(y.max()) + 1)


def seconds(work: Callable[[], Any]) -> float:
    """Processor seconds, the least of up to five repeats."""
    least, spent = np.inf, 0.0
    while spent < 1.0 and not spent > 5 * least:
        gc.collect()
        start = time.process_time()
        work()
        took = time.process_time() - start
        least, spent = min(least, took), spent + took
    return float(least)


def _fit(make: Callable[[], Any], data: ctree.Dataset) -> Any:
    return make().fit(data)


def measured(what: str, values: Sequence[float], longest: float) -> dict[str, list[float]]:
    """By learner the seconds of each value; NaN once a fit has taken too long."""
    found: dict[str, list[float]] = {name: [] for name in (*LEARNERS, PEER)}
    for value in values:
        X, y = table(**{what: value if what == "unknown" else int(value)})
        data = dataset(X, y)
        works = {name: partial(_fit, make, data) for name, make in LEARNERS.items()}
        works[PEER] = partial(fit_sklearn, X, y)
        for name, work in works.items():
            before = found[name]
            too_long = bool(before) and not before[-1] < longest
            found[name].append(np.nan if too_long else seconds(work))
        print(f"{what} {value:>9g}  " + "  ".join(f"{name} {found[name][-1]:.3f}" for name in found), flush=True)
    return found


def draw(found: dict[str, dict[str, list[float]]], varied: dict[str, Sequence[float]], file: Path) -> None:
    """One panel for what is varied, a line for each learner."""
    figure = new_figure(9.6, 6.8)
    for panel, (what, values) in zip(figure.subplots(2, 2).flat, varied.items(), strict=True):
        for place, (name, times) in enumerate(found[what].items()):
            style = style_of(place)
            dashes = (0, style.dashes) if style.dashes else "-"
            panel.plot(
                values, times, color=style.colour, ls=dashes, lw=LINE_WIDTH, marker=MARKS[style.mark], ms=4, label=name
            )
        if what != "unknown":
            panel.set_xscale("log")
            panel.minorticks_off()
            panel.set_xticks(list(values), list(map(_short, values)))
        panel.set_yscale("log")
        panel.set_xlabel(LABELS[what])
        panel.set_ylabel("processor seconds")
        panel.grid(alpha=0.2)
    handles, labels = panel.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), frameon=False)
    saved(figure, file)


def _short(n: float) -> str:
    return f"{n / 1e6:g} M" if n >= 1_000_000 else f"{n / 1000:g} k" if n >= 10_000 else f"{n:g}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("picture", type=Path)
    parser.add_argument("--most", type=int, default=5_000_000, help="rows, at most")
    parser.add_argument("--longest", type=float, default=30.0, help="after a fit of so many seconds, none is longer")
    args = parser.parse_args()
    fit_sklearn(*table(rows=100))  # so that it is imported
    varied = {**VARIED, "rows": [n for n in VARIED["rows"] if n <= args.most]}
    found = {what: measured(what, values, args.longest) for what, values in varied.items()}
    draw(found, varied, args.picture)


if __name__ == "__main__":
    main()
