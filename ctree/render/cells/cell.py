"""A cell: a piece of HTML for a notebook, with all that it needs, which leaves the rest of the page as it is."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from html import escape
from typing import Any

from ctree.data.schema import Label
from ctree.render.colours import class_colours
from ctree.render.html import page_file
from ctree.render.labels import clipped

WIDEST = 80
"""Longer texts are cut off here."""
MOST_CLASSES = 12
"""In a legend."""
LEAST_SHARE = 0.004
"""Of a bar, below which nothing can be seen."""

DARK = (
    '[data-jp-theme-light="false"]',
    '[data-vscode-theme-kind*="dark"]',
    '[data-vscode-theme-kind="vscode-high-contrast"]',
    '[theme="dark"]',
    '[data-theme="dark"]',
)
"""What JupyterLab, VS Code, Colab and others say of a dark theme, on the page or on its body."""
LIGHT = (
    '[data-jp-theme-light="true"]',
    '[data-vscode-theme-kind*="light"]',
    '[theme="light"]',
    '[data-theme="light"]',
)
"""And of a light one, which holds whatever the system prefers."""


def told(text: Any, width: int = WIDEST) -> str:
    """A text for HTML: on one line, cut off where it is long, and nothing in it is taken for a tag.

    Examples
    --------
    >>> told("<b> & 'c'"), told("x" * 100, 5)
    ('&lt;b&gt; &amp; &#x27;c&#x27;', 'xxxx…')
    """
    return escape(clipped(str(text), width))


def cell(title: str, note: str, body: str, searched: str = "") -> str:
    """A cell with a heading.

    Parameters
    ----------
    title, note : str
        As text.
    body : str
        As HTML.
    searched : str
        What can be searched for, if anything can be.
    """
    heading = f"<p class='ctree-head'><b>{told(title)}</b> <span class='ctree-soft'>{told(note, 300)}</span></p>"
    tools = _tools(searched) if searched else ""
    program = f"<script>{{{page_file('cell.js')}}}</script>" if searched else ""
    return f"<div class='ctree-cell'><style>{style()}</style>{heading}{tools}{body}{program}</div>"


def _tools(searched: str) -> str:
    # shown by the program, without which it could do nothing
    return (
        "<div class='ctree-search' hidden>"
        f"<input type='search' placeholder='Search: {told(searched)}' aria-label='Search' autocomplete='off' "
        "spellcheck='false' data-lm-suppress-shortcuts='true'>"
        "<button type='button' value='unfold'>Unfold all</button><button type='button' value='fold'>Fold all</button>"
        "<span class='ctree-found ctree-soft' role='status'></span></div>"
    )


@cache
def style() -> str:
    """The style of all cells, for them alone: light or dark as the notebook is, or else as the system prefers."""
    light, dark = page_file("light.css"), f"color-scheme: dark;\n{page_file('dark.css')}"
    within = ", ".join(f"{sign} .ctree-cell" for sign in DARK)
    unless = "".join(f":not({sign} *)" for sign in LIGHT)
    return (
        f".ctree-cell {{\n{light}}}\n{page_file('cell.css')}{within} {{\n{dark}}}\n"
        f"@media (prefers-color-scheme: dark) {{\n.ctree-cell{unless} {{\n{dark}}}\n}}\n"
    )


def table(rows: Sequence[Sequence[str]], numbers: Sequence[int] = ()) -> str:
    """A table of HTML, whose first row are the headings; columns of these places hold numbers."""
    lines = []
    for i, row in enumerate(rows):
        kind = "td" if i else "th"
        names = [" class='ctree-number'" if j in numbers else "" for j in range(len(row))]
        lines.append("".join(f"<{kind}{name}>{text}</{kind}>" for name, text in zip(names, row, strict=True)))
    return "<table class='ctree-table'>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


def dot(colour: str) -> str:
    """A spot of a colour."""
    return f"<span class='ctree-dot' style='background:{colour}'></span>"


def legend(classes: Sequence[Label]) -> str:
    """The classes with their colours."""
    colours = class_colours(len(classes))
    shown = [f"<span>{dot(c)}{told(name, 40)}</span>" for name, c in zip(classes, colours, strict=True)][:MOST_CLASSES]
    if len(classes) > MOST_CLASSES:
        shown.append(f"<span class='ctree-soft'>and {len(classes) - MOST_CLASSES:,} more</span>")
    return f"<div class='ctree-legend'>{''.join(shown)}</div>"


def bar(shares: Sequence[float], colours: Sequence[str]) -> str:
    """Shares of 1 as a bar of colours."""
    parts = [
        f"<span style='width:{100 * share:.4g}%;background:{colour}'></span>"
        for share, colour in zip(shares, colours, strict=True)
        if share >= LEAST_SHARE
    ]
    return f"<span class='ctree-bar'>{''.join(parts)}</span>"
