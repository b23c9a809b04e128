"""A colour for each class, the same in every picture."""

from __future__ import annotations

import colorsys
import math
from collections.abc import Sequence

FEW = (
    "#3572b0",
    "#e08214",
    "#2b9a66",
    "#c8403a",
    "#7d5bbe",
    "#8a6a4a",
    "#d266a6",
    "#66727e",
    "#a3a11c",
    "#1fa3b8",
)
"""For up to ten classes: also those who see few colours can tell the first ones apart."""

LIGHTNESS = (0.42, 0.66, 0.27)
"""For more: as many hues as are needed with three degrees of lightness."""


def class_colours(n_classes: int) -> list[str]:
    """A colour for each class, as ``#rrggbb``.

    Examples
    --------
    >>> class_colours(2), len(set(class_colours(26)))
    (['#3572b0', '#e08214'], 26)
    """
    if n_classes <= len(FEW):
        return list(FEW[:n_classes])
    n_hues = math.ceil(n_classes / len(LIGHTNESS))
    # Classes that follow each other get hues far apart: steps of about 3/8 of the circle that reach every hue.
    step = next(s for s in range(max(1, round(0.38 * n_hues)), n_hues + 2) if math.gcd(s, n_hues) == 1)
    result = []
    for c in range(n_classes):
        round_, place = divmod(c, n_hues)
        hue = (0.58 + (place * step % n_hues) / n_hues + round_ / (len(LIGHTNESS) * n_hues)) % 1.0
        result.append(_hex(*colorsys.hls_to_rgb(hue, LIGHTNESS[round_], 0.55)))
    return result


def curve_colours(chosen: Sequence[int], n_classes: int) -> list[str]:
    """The colours of the curves of these classes; none if the classes are so many that their colours are too alike.

    Examples
    --------
    >>> curve_colours([1], 2), curve_colours([1], 26)
    (['#e08214'], [])
    """
    return [FEW[c] for c in chosen] if n_classes <= len(FEW) else []


def paler(colour: str, share: float) -> str:
    """A colour with so much of it, and white for the rest.

    Examples
    --------
    >>> paler("#3572b0", 1.0), paler("#3572b0", 0.5), paler("#3572b0", 0.0)
    ('#3572b0', '#9ab8d8', '#ffffff')
    """
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return _hex(*(1 - share * (1 - part) for part in parts))


def _hex(red: float, green: float, blue: float) -> str:
    return "#" + "".join(f"{round(255 * part):02x}" for part in (red, green, blue))
