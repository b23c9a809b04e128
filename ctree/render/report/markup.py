"""The few pieces of HTML that a report is made of. What comes from outside is escaped here, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape as escape_signs
from typing import NamedTuple

from ctree.evaluate.intervals import Interval
from ctree.wording import plural


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def escaped(text: object) -> Markup:
    """Anything as HTML that shows it as text; HTML stays as it is.

    Examples
    --------
    >>> escaped("a < b"), escaped(Markup("<b>a</b>"))
    ('a &lt; b', '<b>a</b>')
    """
    if isinstance(text, Markup):
        return text
    whole = str(text).encode("utf-8", "replace").decode("utf-8").replace("\0", "�")
    return Markup(escape_signs(whole))


def joined(parts: Iterable[object]) -> Markup:
    """Pieces one after the other."""
    return Markup("".join(escaped(part) for part in parts))


def element(tag: str, *content: object, **attributes: object) -> Markup:
    """An element; ``class_`` stands for the attribute `class`, and ``aria_label`` for `aria-label`.

    Examples
    --------
    >>> element("p", "1 < 2", class_="note")
    '<p class="note">1 &lt; 2</p>'
    """
    given = "".join(f' {name.rstrip("_").replace("_", "-")}="{escaped(value)}"' for name, value in attributes.items())
    return Markup(f"<{tag}{given}>{joined(content)}</{tag}>")


class Section(NamedTuple):
    """A part of the page, which the table of contents leads to.

    Attributes
    ----------
    name : str
        Its id.
    title : str
    markup : Markup
    """

    name: str
    title: str
    markup: Markup


def section(name: str, title: str, *content: object) -> Section:
    """A section with its heading."""
    heading = element("h2", title, id=f"{name}-title")
    return Section(name, title, element("section", heading, *content, id=name, aria_labelledby=f"{name}-title"))


def paragraph(*content: object) -> Markup:
    return element("p", *content)


def hint(*content: object) -> Markup:
    """How to read something."""
    return element("p", *content, class_="hint")


def warning(*content: object) -> Markup:
    """What a reader must not miss."""
    return element("p", element("strong", "Note: "), *content, class_="warning", role="note")


def table(
    heads: Sequence[object],
    rows: Iterable[Sequence[object]],
    caption: str,
    numbers: Sequence[int] = (),
    class_: str = "",
) -> Markup:
    """A table whose first column names its rows; `numbers` are the columns that are aligned as such."""
    right = set(numbers)

    def cell(place: int, content: object) -> Markup:
        style = {"class_": "number"} if place in right else {}
        return element("th", content, scope="row", **style) if place == 0 else element("td", content, **style)

    top = element(
        "tr",
        *(element("th", h, scope="col", **({"class_": "number"} if i in right else {})) for i, h in enumerate(heads)),
    )
    body = joined(element("tr", *(cell(i, c) for i, c in enumerate(row))) for row in rows)
    inner = element("table", element("caption", caption), element("thead", top), element("tbody", body))
    # wide tables scroll by themselves; those who use a keyboard can scroll them too
    return element("div", inner, class_=f"scroll {class_}".strip(), tabindex="0", role="region", aria_label=caption)


def figure(heading: str, picture: str, *caption: object) -> Markup:
    """A chart with its heading and what it says in words."""
    return element("figure", element("h3", heading), Markup(picture), element("figcaption", *caption))


def details(summary: object, *content: object) -> Markup:
    """What is folded on a screen, and open in print."""
    return element("details", element("summary", summary), *content)


def percent(share: float, digits: int = 1) -> str:
    """A share.

    Examples
    --------
    >>> percent(0.1234), percent(1.0)
    ('12.3%', '100.0%')
    """
    return f"{100 * share:.{digits}f}%"


def percents(interval: Interval) -> str:
    """A share with its interval.

    Examples
    --------
    >>> percents(Interval(0.1, 0.05, 0.2))
    '10.0% (5.0% to 20.0%)'
    """
    return f"{percent(interval.value)} ({percent(interval.low)} to {percent(interval.high)})"


def figures(interval: Interval, digits: int = 3) -> str:
    """A number with its interval."""
    if interval.high == float("inf"):
        return f"{interval.value:.{digits}f}"
    return f"{interval.value:.{digits}f} ({interval.low:.{digits}f} to {interval.high:.{digits}f})"


def counted(count: int, noun: str) -> str:
    """A number with its noun, large ones with commas.

    Examples
    --------
    >>> counted(12000, "case"), counted(1, "case"), counted(0, "class")
    ('12,000 cases', '1 case', 'no classes')
    """
    return plural(count, noun).replace(str(count), f"{count:,}", 1)


def amount(weight: float) -> str:
    """A number of cases, or their weight.

    Examples
    --------
    >>> amount(12000.0), amount(2.55)
    ('12,000', '2.5')
    """
    return f"{weight:,.0f}" if abs(weight - round(weight)) < 1e-9 * max(1.0, abs(weight)) else f"{weight:,.1f}"
