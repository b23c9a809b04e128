"""The one style of all charts: colours that those who see few colours can tell apart, and dashes and marks as well."""

from __future__ import annotations

from typing import NamedTuple


class Style(NamedTuple):
    """How a series is drawn.

    Attributes
    ----------
    colour : str
        As ``#rrggbb``.
    dashes : tuple of float
        The lengths of dashes and gaps in widths of the line; empty for an unbroken one.
    mark : str
        The shape of its points.
    """

    colour: str
    dashes: tuple[float, ...]
    mark: str


STYLES = (
    Style("#0072b2", (), "circle"),
    Style("#e69f00", (5, 2), "square"),
    Style("#009e73", (1.2, 1.4), "triangle"),
    Style("#cc79a7", (6, 2, 1.2, 2), "diamond"),
    Style("#d55e00", (9, 3), "down"),
    Style("#56b4e9", (3, 1.2), "plus"),
)
"""For the series of a chart, in their order: the colours of Okabe and Ito without yellow and black."""

REFERENCE = Style("#7f868d", (3, 3), "circle")
"""For what the others are held against, such as a diagonal."""

PLAIN_BARS, PLAIN_MARKS = -2, -3

NEUTRAL = {-1: REFERENCE, PLAIN_BARS: Style("#7a8794", (), "square"), PLAIN_MARKS: Style("currentColor", (), "diamond")}
"""Styles that no class has: of references, of bars, and of marks upon these, in the colour of text."""

LINE_WIDTH = 1.9
MARK_SIZE = 3.6
BAND_OPACITY = 0.18
GRID_OPACITY = 0.16


def style_of(place: int) -> Style:
    """The style of the series at this place."""
    return NEUTRAL[place] if place < 0 else STYLES[place % len(STYLES)]
