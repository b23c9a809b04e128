"""What a chart shows, in numbers and words, whoever draws it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from ctree.render.charts.style import Style, style_of

Floats = npt.NDArray[np.float64]
Form = Literal["percent", "number", "count"]
MOST_POINTS = 400
"""Lines of more points are thinned: nobody sees more."""


@dataclass(frozen=True)
class Series:
    """Something that is drawn in one style.

    Parameters
    ----------
    label : str
        What the legend calls it; empty if it is not there.
    x, y : array
    low, high : array or None
        The ends of intervals: up and down, or to both sides where the places along y have names.
    style : int
        The place of its style; negative for one that no class has (`NEUTRAL`).
    colour : str
        In the place of that of its style, as ``#rrggbb``.
    kind : {"line", "dots", "bars"}
        Dots are not joined; bars lie, and go from 0 to x.
    band : bool
        Whether intervals are an area along the line instead of whiskers.
    marks : bool
        Whether a line has marks at its points.
    """

    label: str
    x: Floats
    y: Floats
    low: Floats | None = None
    high: Floats | None = None
    style: int = 0
    kind: Literal["line", "dots", "bars"] = "line"
    band: bool = False
    marks: bool = False
    colour: str = ""

    @property
    def drawn(self) -> Style:
        """How it is drawn."""
        style = style_of(self.style)
        return style._replace(colour=self.colour) if self.colour else style


@dataclass(frozen=True)
class Chart:
    """A chart.

    Parameters
    ----------
    title, x_title, y_title : str
    x_range, y_range : pair of float
    series : tuple of Series
        In the order in which they are drawn.
    x_form, y_form : {"percent", "number", "count"}
        How the numbers along an axis are written.
    x_log : bool
    y_names : tuple of str
        Names for the places 0, 1, 2, ... along y, from the top down, in the place of numbers.
    described : str
        What there is to see, for those who do not see it.
    """

    title: str
    x_title: str
    y_title: str
    x_range: tuple[float, float]
    y_range: tuple[float, float]
    series: tuple[Series, ...]
    x_form: Form = "number"
    y_form: Form = "number"
    x_log: bool = False
    y_names: tuple[str, ...] = field(default=())
    described: str = ""


def line(label: str, x: npt.ArrayLike, y: npt.ArrayLike, **more: object) -> Series:
    """A series from anything that is an array."""
    return Series(label, np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64), **more)  # type: ignore[arg-type]


def coloured(chart: Chart, colours: Sequence[str]) -> Chart:
    """A chart of classes, in the order of their styles, with these colours; without any as it is."""
    if not colours:
        return chart
    last = len(colours) - 1
    series = (replace(s, colour=colours[min(s.style, last)]) if s.style >= 0 else s for s in chart.series)
    return replace(chart, series=tuple(series))


def thinned(x: Floats, y: Floats, most: int = MOST_POINTS) -> npt.NDArray[np.intp]:
    """The places of so many points at most that the line through them looks the same: about evenly along it.

    Examples
    --------
    >>> thinned(np.arange(1000.0), np.zeros(1000), most=4).tolist()
    [0, 332, 665, 999]
    """
    if len(x) <= most:
        return np.arange(len(x))
    wide, high = (max(float(np.ptp(v)), 1e-300) for v in (x, y))
    way = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x) / wide, np.diff(y) / high))])
    return np.unique(np.searchsorted(way, np.linspace(0, way[-1], most), side="right").clip(1) - 1)


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers from one bound to the other, at most so many.

    Examples
    --------
    >>> ticks(0, 1), ticks(0, 0.37), ticks(3, 97, most=6)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [0.0, 0.1, 0.2, 0.3], [20.0, 40.0, 60.0, 80.0])
    """
    if not high > low:
        return [low]
    step = _step(low, high, most)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(k * step, 12) for k in range(first, last + 1)]


def _step(low: float, high: float, most: int) -> float:
    least = (high - low) / max(most - 1, 1)
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= least * (1 - 1e-9))


def up_to_ticks(low: float, high: float, most: int = 6) -> tuple[float, float]:
    """Bounds of an axis that holds these numbers, wide enough that it has a tick at each end.

    Examples
    --------
    >>> up_to_ticks(0, 0.85), up_to_ticks(-0.01, 0.37), up_to_ticks(0, 2.59)
    ((0.0, 1.0), (-0.1, 0.4), (0.0, 3.0))
    """
    while True:
        step = _step(low, high, most)
        wider = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
        if _step(*wider, most) == step:
            return round(wider[0], 12), round(wider[1], 12)
        low, high = wider


def log_ticks(low: float, high: float, most: int = 7) -> list[float]:
    """Round numbers for a scale of logarithms, at most so many.

    Examples
    --------
    >>> log_ticks(7, 3000), log_ticks(1, 40)
    ([10.0, 100.0, 1000.0], [1.0, 2.0, 5.0, 10.0, 20.0])
    """
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for factors in ((1, 2, 5), (1,)):
        found = [float(f * 10.0**p) for p in powers for f in factors if low <= f * 10.0**p <= high]
        if len(found) <= most:
            return found
    return found[:: math.ceil(len(found) / most)]


def number_text(value: float, form: Form) -> str:
    """A number along an axis.

    Examples
    --------
    >>> number_text(0.25, "percent"), number_text(12000, "count"), number_text(2.5, "number")
    ('25%', '12,000', '2.5')
    """
    if form == "percent":
        return f"{100 * value:.4g}%"
    if form == "count":
        return f"{value:,.10g}"
    return f"{value:.5g}"
