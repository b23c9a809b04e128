"""Comparisons as pictures: a critical-difference diagram, and log-likelihood against accuracy."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ctree.evaluate.comparison import Comparison
from ctree.evaluate.measures import MEASURES
from ctree.evaluate.significance import Friedman
from ctree.render.plots.figures import new_figure, saved


def plot_comparison(
    comparison: Comparison,
    measure: str = "accuracy",
    *,
    significance: float = 0.05,
    file: str | os.PathLike[str] | None = None,
) -> Any:
    """The critical-difference diagram of a measure, where there are sets enough, and log-loss against accuracy.

    Parameters
    ----------
    comparison : Comparison
    measure : str
        What the diagram is of.
    significance : float
        Of Nemenyi's test.
    file : str or path, optional
        Where to save the picture; the suffix decides the format (``.png``, ``.pdf``, ``.svg``).

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> plot_comparison(comparison, "auc", file="comparison.png")  # doctest: +SKIP
    """
    result = comparison.friedman(measure, significance)
    n = len(comparison.learners)
    if result is None:
        figure = new_figure(7, 5)
        _draw_chart(figure.subplots(), comparison)
    else:
        height = 1.2 + 0.3 * ((n + 1) // 2)
        figure = new_figure(7, height + 5)
        above, below = figure.subplots(2, 1, height_ratios=[height, 5])
        draw_critical_differences(above, result, comparison.learners, MEASURES[measure].title)
        _draw_chart(below, comparison)
    return saved(figure, file)


def cliques(ranks: list[float], critical_difference: float) -> list[tuple[int, int]]:
    """The widest runs of sorted ranks that lie within the critical difference, as first and last place.

    Examples
    --------
    >>> cliques([1.0, 1.5, 2.2, 4.0], 1.0)
    [(0, 1), (1, 2)]
    """
    runs: list[tuple[int, int]] = []
    for first in range(len(ranks)):
        last = first
        while last + 1 < len(ranks) and ranks[last + 1] - ranks[first] <= critical_difference:
            last += 1
        if last > first and not (runs and runs[-1][1] >= last):
            runs.append((first, last))
    return runs


def draw_critical_differences(axes: Any, result: Friedman, learners: list[str], title: str) -> None:
    """Learners at their mean ranks, the best on the left; bars join those that do not differ significantly."""
    order = np.argsort(result.ranks, kind="stable")
    ranks = [float(result.ranks[i]) for i in order]
    n = len(ranks)
    half = (n + 1) // 2
    axes.set_xlim(0.4, n + 0.6)
    bars = cliques(ranks, result.critical_difference)
    top = -0.25 * len(bars) - 0.3
    axes.set_ylim(top - 0.5 * half - 0.1, 1.4)
    axes.axis("off")
    axes.hlines(0, 1, n, color="black")
    for tick in range(1, n + 1):
        axes.vlines(tick, 0, 0.12, color="black")
        axes.text(tick, 0.18, str(tick), ha="center", va="bottom")
    axes.hlines(0.9, 1, 1 + result.critical_difference, color="black", linewidth=2)
    axes.text(1, 1.0, f"critical difference {result.critical_difference:.2f}", va="bottom")
    axes.set_title(f"{title}: mean ranks on {result.n_sets} sets (Friedman p = {result.p:.2g})", fontsize=10)
    for place, (i, rank) in enumerate(zip(order.tolist(), ranks, strict=True)):
        left = place < half
        height = top - 0.5 * (place if left else n - 1 - place)
        edge = 0.9 if left else n + 0.1
        axes.plot([rank, rank, edge], [0, height, height], color="grey", linewidth=0.8)
        text = f"{learners[i]} ({rank:.2f})"
        axes.text(edge, height, text, ha="right" if left else "left", va="center", clip_on=False)
    for n_above, (first, last) in enumerate(bars):
        axes.hlines(-0.25 * (n_above + 1), ranks[first] - 0.04, ranks[last] + 0.04, color="black", linewidth=3)


def _draw_chart(axes: Any, comparison: Comparison) -> None:
    """Each learner's mean log-loss against its mean accuracy, over all sets."""
    accuracy = 100 * comparison.means("accuracy").mean(axis=0)
    loss = -comparison.means("log-likelihood").mean(axis=0)
    axes.set_xlabel("mean accuracy, %")
    axes.set_ylabel("mean log-loss (natural logarithm), less is better")
    axes.invert_yaxis()
    for name, x, y in zip(comparison.learners, accuracy, loss, strict=True):
        if np.isfinite(x) and np.isfinite(y):
            axes.plot(x, y, "o", label=name)
    missing = [n for n, y in zip(comparison.learners, loss, strict=True) if not np.isfinite(y)]
    if missing:
        axes.set_title(f"without probabilities: {', '.join(missing)}", fontsize=8)
    axes.legend(fontsize=8)
    axes.grid(alpha=0.3)
