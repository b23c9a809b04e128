"""How wide texts are in a picture."""

from __future__ import annotations

from functools import cache
from typing import Any

SIZE = 9.0
"""Of most texts, in points."""


@cache
def _measuring() -> Any:
    from matplotlib.backends import backend_agg

    renderer: Any = backend_agg.RendererAgg
    return renderer(8, 8, 100)


@cache
def width_of(text: str, size: float = SIZE, bold: bool = False) -> float:
    """How wide a text is, in inches; of several lines the widest."""
    if "\n" in text:
        return max(width_of(line, size, bold) for line in text.split("\n"))
    from matplotlib.font_manager import FontProperties

    font = FontProperties(size=size, weight="bold" if bold else "normal")
    return float(_measuring().get_text_width_height_descent(text, font, False)[0]) / 100


def wrapped_words(text: str, width: float) -> list[str]:
    """A text in lines that are no wider than this, where words allow it."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and width_of(longer) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines
