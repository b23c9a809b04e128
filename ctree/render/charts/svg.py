"""Charts as SVG that stands within a page: no library, no network, colours of the page for text and axes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from html import escape

import numpy as np

from ctree.render.charts.chart import Chart, Floats, Series, log_ticks, number_text, thinned, ticks
from ctree.render.charts.style import BAND_OPACITY, GRID_OPACITY, LINE_WIDTH, MARK_SIZE, Style
from ctree.render.labels import clipped

WIDTH = 460.0
HEIGHT = 300.0
"""Of the whole picture without its legend; it is scaled to the page."""

ROW = 22.0
"""The height of a place that has a name."""

LETTER = 7.5
"""How wide a letter is at most, on average; text is 12 high."""

LONGEST_NAME = 24
LONGEST_LABEL = 60


def svg_chart(chart: Chart, name: str) -> str:
    """A chart as an ``<svg>`` element.

    Parameters
    ----------
    chart : Chart
    name : str
        Letters and digits, another for each chart of a page; ids of its parts begin with it.
    """
    frame = _Frame(chart)
    parts = [*frame.axes(), *(part for series in chart.series for part in frame.drawn(series)), *frame.legend()]
    title = f'<title id="{name}-title">{escape(chart.title)}</title>'
    described = f'<desc id="{name}-desc">{escape(chart.described)}</desc>' if chart.described else ""
    told = f"{name}-title {name}-desc" if described else f"{name}-title"
    return (
        f'<svg class="chart" viewBox="0 0 {WIDTH:g} {frame.height:g}" role="img" aria-labelledby="{told}" '
        f'xmlns="http://www.w3.org/2000/svg" font-size="12">{title}{described}{"".join(parts)}</svg>'
    )


class _Frame:
    """Where the numbers of a chart lie in its picture."""

    def __init__(self, chart: Chart) -> None:
        self.chart = chart
        names = [clipped(name, LONGEST_NAME) for name in chart.y_names]
        self.names = names
        if names:
            self.left = min(max(map(len, names)) * LETTER + 14, WIDTH * 0.44)
            plot_height = len(names) * ROW
        else:
            self.left = 60.0
            plot_height = HEIGHT - 56.0
        self.top, self.right = 8.0, WIDTH - 20.0
        self.bottom = self.top + plot_height
        self.entries = self._entries()
        self.legend_top = self.bottom + 50.0
        self.height = self.legend_top + (max((row for row, _, _ in self.entries), default=-1) + 1) * 18.0
        self.x = self._scale(chart.x_range, self.left, self.right, chart.x_log)
        if names:
            self.y: Callable[[float], float] = lambda place: self.top + (place + 0.5) * ROW
        else:
            self.y = self._scale(chart.y_range, self.bottom, self.top, False)

    @staticmethod
    def _scale(bounds: tuple[float, float], start: float, end: float, log: bool) -> Callable[[float], float]:
        low, high = (math.log10(b) for b in bounds) if log else bounds
        wide = (high - low) or 1.0
        return lambda v: start + ((math.log10(v) if log else v) - low) / wide * (end - start)

    def axes(self) -> Iterable[str]:
        """The grid, its numbers and what they are."""
        chart = self.chart
        low, high = chart.x_range
        middle = (self.left + self.right) / 2
        for value in log_ticks(low, high) if chart.x_log else ticks(low, high):
            x = self.x(value)
            yield _grid(x, self.top, x, self.bottom)
            yield _text(x, self.bottom + 19, number_text(value, chart.x_form), "middle")
        if self.names:
            for place, name in enumerate(self.names):
                yield _text(self.left - 8, self.y(place) + 4, name, "end")
        else:
            for value in ticks(*chart.y_range):
                yield _grid(self.left, self.y(value), self.right, self.y(value))
                yield _text(self.left - 9, self.y(value) + 4, number_text(value, chart.y_form), "end")
            yield _text(13, (self.top + self.bottom) / 2, chart.y_title, "middle", turned=True)
        yield _text(middle, self.bottom + 38, chart.x_title, "middle")
        yield (
            f'<path d="M{self.left:.1f} {self.top:.1f}V{self.bottom:.1f}H{self.right:.1f}" fill="none" '
            'stroke="currentColor" stroke-opacity="0.6"/>'
        )

    def drawn(self, series: Series) -> Iterable[str]:
        """A series: its intervals, then its line, bars or marks."""
        style = series.drawn
        if series.kind == "bars":
            yield from self._bars(series, style)
            return
        rows = thinned(series.x, series.y) if series.kind == "line" else np.arange(len(series.x))
        points = [(self.x(x), self.y(y)) for x, y in zip(series.x[rows], series.y[rows], strict=True)]
        if series.low is not None and series.high is not None:
            if series.band:
                low = [(self.x(x), self.y(y)) for x, y in zip(series.x[rows], series.low[rows], strict=True)]
                high = [(self.x(x), self.y(y)) for x, y in zip(series.x[rows], series.high[rows], strict=True)]
                yield f'<path d="{_way([*high, *low[::-1]])}Z" fill="{style.colour}" fill-opacity="{BAND_OPACITY:g}"/>'
            else:
                yield from self._whiskers(series, style, series.low, series.high)
        if series.kind == "line":
            width = LINE_WIDTH if series.style >= 0 else 1.2
            dashes = " ".join(f"{width * part:g}" for part in style.dashes)
            dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
            yield (
                f'<path d="{_way(points)}" fill="none" stroke="{style.colour}" stroke-width="{width:g}"{dashed} '
                'stroke-linejoin="round"/>'
            )
        if series.kind == "dots" or series.marks:
            yield from (_mark(x, y, style) for x, y in points)

    def _bars(self, series: Series, style: Style) -> Iterable[str]:
        zero = self.x(0.0)
        for x, y in zip(series.x, series.y, strict=True):
            left, right = sorted((zero, self.x(x)))
            yield (
                f'<rect x="{left:.1f}" y="{self.y(y) - ROW * 0.32:.1f}" width="{right - left:.1f}" '
                f'height="{ROW * 0.64:.1f}" fill="{style.colour}"/>'
            )
        if series.low is not None and series.high is not None:
            for y, low, high in zip(series.y, series.low, series.high, strict=True):
                yield _whisker(self.x(low), self.y(y), self.x(high), self.y(y), "currentColor")

    def _whiskers(self, series: Series, style: Style, low: Floats, high: Floats) -> Iterable[str]:
        for x, y, a, b in zip(series.x, series.y, low, high, strict=True):
            if self.names:
                yield _whisker(self.x(a), self.y(y), self.x(b), self.y(y), style.colour)
            else:
                yield _whisker(self.x(x), self.y(a), self.x(x), self.y(b), style.colour)

    def _entries(self) -> list[tuple[int, float, Series]]:
        """The entries of the legend with their row and where they begin in it."""
        found = []
        row, x = 0, 8.0
        for series in self.chart.series:
            if series.label:
                wide = 34 + LETTER * min(len(series.label), LONGEST_LABEL)
                if x > 8.0 and x + wide > WIDTH:
                    row, x = row + 1, 8.0
                found.append((row, x, series))
                x += wide + 12
        return found

    def legend(self) -> Iterable[str]:
        """What the series are."""
        for row, x, series in self.entries:
            y = self.legend_top + row * 18.0 + 5
            style = series.drawn
            if series.kind == "bars":
                yield f'<rect x="{x:.1f}" y="{y - 5:.1f}" width="24" height="10" fill="{style.colour}"/>'
            elif series.kind == "line":
                width = LINE_WIDTH if series.style >= 0 else 1.2
                dashes = " ".join(f"{width * part:g}" for part in style.dashes)
                dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
                yield (f'<path d="M{x:.1f} {y:.1f}h24" stroke="{style.colour}" stroke-width="{width:g}"{dashed}/>')
            if series.kind == "dots" or series.marks:
                yield _mark(x + 12, y, style)
            yield _text(x + 30, y + 4, clipped(series.label, LONGEST_LABEL), "start")


def _way(points: list[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _grid(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="currentColor" stroke-opacity="{GRID_OPACITY:g}"/>'


def _whisker(x1: float, y1: float, x2: float, y2: float, colour: str) -> str:
    return f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="{colour}" stroke-width="1.2"/>'


def _text(x: float, y: float, text: str, anchor: str, turned: bool = False) -> str:
    way = f' transform="rotate(-90 {x:.1f} {y:.1f})"' if turned else ""
    shown = escape(text.encode("utf-8", "replace").decode("utf-8"))
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="currentColor"{way}>{shown}</text>'


def _mark(x: float, y: float, style: Style) -> str:
    r = MARK_SIZE
    if style.mark == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r:g}" fill="{style.colour}"/>'
    if style.mark == "plus":
        return f'<path d="M{x - r:.1f} {y:.1f}h{2 * r:g}M{x:.1f} {y - r:.1f}v{2 * r:g}" stroke="{style.colour}" stroke-width="2.4"/>'  # noqa: E501
    corners = {
        "square": ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
        "triangle": ((0, -1.2), (1.1, 0.8), (-1.1, 0.8)),
        "diamond": ((0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)),
        "down": ((0, 1.2), (1.1, -0.8), (-1.1, -0.8)),
    }[style.mark]
    return f'<path d="{_way([(x + r * a, y + r * b) for a, b in corners])}Z" fill="{style.colour}"/>'
