"""Charts drawn with matplotlib, in the one style that they have."""

from __future__ import annotations

import os
from typing import Any

from ctree.render.charts.chart import Chart, Series, log_ticks, number_text, thinned, ticks
from ctree.render.charts.style import BAND_OPACITY, GRID_OPACITY, LINE_WIDTH
from ctree.render.labels import clipped
from ctree.render.plots.figures import new_figure, saved

File = str | os.PathLike[str] | None
"""Where a picture is saved, if it is."""

MARKS = {"circle": "o", "square": "s", "triangle": "^", "diamond": "D", "down": "v", "plus": "P"}


def draw(chart: Chart, ax: Any = None, file: File = None) -> Any:
    """Draw a chart on axes of matplotlib's, or on new ones, and save the picture if there is a file; the axes."""
    if ax is None:
        height = 1.2 + 0.3 * len(chart.y_names) if chart.y_names else 4.4
        ax = new_figure(6.0, max(height, 2.4)).subplots()
    for series in chart.series:
        _draw_series(ax, series, bool(chart.y_names))
    _draw_axes(ax, chart)
    legend = ax.legend(fontsize=9, framealpha=0.85, handlelength=3.2) if any(s.label for s in chart.series) else None
    # a dollar in a name is no formula
    for text in (ax.title, *ax.get_yticklabels(), ax.xaxis.label, *(legend.get_texts() if legend else ())):
        text.set_parse_math(False)
    saved(ax.figure, file)
    return ax


def _draw_axes(ax: Any, chart: Chart) -> None:
    ax.set_title(chart.title, fontsize=11, loc="left")
    ax.set_xlabel(chart.x_title)
    low, high = chart.x_range
    if chart.x_log:
        ax.set_xscale("log")
        ax.minorticks_off()
    ax.set_xlim(low, high)
    places = log_ticks(low, high) if chart.x_log else ticks(low, high)
    ax.set_xticks(places, [number_text(value, chart.x_form) for value in places])
    if chart.y_names:
        ax.set_ylim(len(chart.y_names) - 0.5, -0.5)
        ax.set_yticks(range(len(chart.y_names)), [clipped(name) for name in chart.y_names])
    else:
        ax.set_ylabel(chart.y_title)
        ax.set_ylim(*chart.y_range)
        places = ticks(*chart.y_range)
        ax.set_yticks(places, [number_text(value, chart.y_form) for value in places])
    ax.grid(axis="x" if chart.y_names else "both", color="black", alpha=GRID_OPACITY, linewidth=0.8)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def _draw_series(ax: Any, series: Series, sideways: bool) -> None:
    style = series.drawn
    if style.colour == "currentColor":
        style = style._replace(colour="black")
    # matplotlib leaves out what begins with an underscore
    label = f" {series.label}" if series.label.startswith("_") else series.label or None
    rows = thinned(series.x, series.y) if series.kind == "line" else slice(None)
    x, y = series.x[rows], series.y[rows]
    low = None if series.low is None else series.low[rows]
    high = None if series.high is None else series.high[rows]
    if series.kind == "bars":
        ax.barh(y, x, height=0.64, color=style.colour, label=label)
        if low is not None:
            ax.hlines(y, low, high, color="black", linewidth=1.2)
        return
    if low is not None and high is not None:
        if series.band:
            ax.fill_between(x, low, high, color=style.colour, alpha=BAND_OPACITY, linewidth=0)
        elif sideways:
            ax.hlines(y, low, high, color=style.colour, linewidth=1.2)
        else:
            ax.vlines(x, low, high, color=style.colour, linewidth=1.2)
    joined = series.kind == "line"
    dashes: Any = (0, style.dashes) if style.dashes else "-"
    ax.plot(
        x,
        y,
        color=style.colour,
        linestyle=dashes if joined else "none",
        linewidth=LINE_WIDTH if series.style >= 0 else 1.2,
        marker=MARKS[style.mark] if series.marks or not joined else None,
        markersize=5,
        label=label,
        clip_on=not (series.marks or not joined),  # marks at the edge are shown whole
    )
