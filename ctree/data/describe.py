"""What is in a data set: its classes and attributes in figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Column, Dataset
from ctree.data.schema import MOMENTS, Attribute, Kind, label_texts
from ctree.wording import abbreviated, plural

MOST_ROWS = 40
"""Of classes and of attributes that are shown as text."""
MOST_VALUES = 3
"""Of the values of an attribute that are shown as text."""
WIDEST = 30
"""Longer names are cut off here."""


@dataclass(frozen=True)
class AttributeDescription:
    """One attribute.

    Parameters
    ----------
    name : str
    kind : {"continuous", "discrete", "ordered", "date", "time", "timestamp", "ignore"}
    unknown : int
        How many cases have an unknown value.
    distinct : int
        How many different values occur.
    values : dict
        Of a discrete or an ordered attribute: from its values, as text, to the number of cases that have them.
    least, median, greatest : float, str or None
        Of a continuous one with known values; of dates and times as text.
    """

    name: str
    kind: str
    unknown: int
    distinct: int
    values: dict[str, int]
    least: float | str | None = None
    median: float | str | None = None
    greatest: float | str | None = None


@dataclass(frozen=True, repr=False)
class DatasetDescription:
    """What `Dataset.describe` returns; as text, it is a page to read.

    Numbers of cases do not take weights into account; `weight` is their sum.

    Parameters
    ----------
    cases : int
    weight : float or None
        None if the cases have no weights.
    classes : dict
        From classes, as text, to the number of their cases; empty if the cases have none.
    unknown_classes : int
    attributes : tuple of AttributeDescription
    """

    cases: int
    weight: float | None
    classes: dict[str, int]
    unknown_classes: int
    attributes: tuple[AttributeDescription, ...]

    def to_dict(self) -> dict[str, Any]:
        """The same in the types of JSON."""
        return asdict(self) | {"attributes": [asdict(attribute) for attribute in self.attributes]}

    def __str__(self) -> str:
        kinds = Counter(attribute.kind for attribute in self.attributes)
        told = ", ".join(f"{kinds[kind]:,} {word}" for kind, word in KINDS.items() if kinds[kind])
        parts = [f"{plural(self.cases, 'case')}, {plural(len(self.attributes), 'attribute')} ({told})"]
        if self.weight is not None:
            parts[0] += f", weight {self.weight:.8g}"
        if self.classes:
            parts += ["", *aligned(self._class_rows(), "<>>")]
            parts += _more(len(self.classes), "class")
        rows = [("attribute", "kind", "unknown", "values")]
        for attribute in self.attributes[:MOST_ROWS]:
            share = _percent(attribute.unknown, self.cases) if attribute.unknown else "-"
            name, kind = abbreviated(attribute.name, WIDEST), KINDS[attribute.kind]
            rows.append((name, kind, share, _values_text(attribute, self.cases)))
        parts += ["", *aligned(rows, "<<><"), *_more(len(self.attributes), "attribute")]
        return "\n".join(parts)

    def __repr__(self) -> str:
        return str(self)

    def _class_rows(self) -> list[tuple[str, str, str]]:
        counts = list(self.classes.items())[:MOST_ROWS]
        rows = [(abbreviated(name, WIDEST), f"{n:,}", _percent(n, self.cases)) for name, n in counts]
        if self.unknown_classes:
            rows.append(("(unknown)", f"{self.unknown_classes:,}", _percent(self.unknown_classes, self.cases)))
        return [("class", "cases", "share"), *rows]


_SHOWN = (Kind.CONTINUOUS, Kind.DISCRETE, Kind.ORDERED, *MOMENTS)
KINDS = {kind.value: kind.value for kind in _SHOWN} | {Kind.IGNORE.value: "ignored"}
"""Words for the kinds of attributes."""


def description_of(data: Dataset) -> DatasetDescription:
    """Describe a data set."""
    classes, labels = data.classes, label_texts(data.schema.classes)
    counts = [] if classes is None else _counts(classes, len(labels))
    return DatasetDescription(
        data.n_cases,
        None if data.weights is None else float(data.weights.sum()),
        {} if classes is None else dict(zip(labels, counts, strict=True)),
        0 if classes is None else int((classes < 0).sum()),
        tuple(_attribute(a, c) for a, c in zip(data.schema, data.columns, strict=True)),
    )


def _attribute(attribute: Attribute, column: Column | None) -> AttributeDescription:
    if column is None:
        return AttributeDescription(attribute.name, Kind.IGNORE.value, 0, 0, {})
    name, kind = attribute.name, attribute.kind.value
    if attribute.is_discrete or attribute.is_ordered:
        codes = column if attribute.is_discrete else np.where(np.isnan(column), -1, column).astype(np.int32)
        counts = _counts(codes, len(attribute.values))
        values = dict(zip(label_texts(attribute.values), counts, strict=True))
        distinct = sum(n > 0 for n in counts)
        return AttributeDescription(name, kind, int((codes < 0).sum()), distinct, values)
    known = np.sort(column[~np.isnan(column)])
    unknown = len(column) - len(known)
    if not len(known):
        return AttributeDescription(name, kind, unknown, 0, {})
    distinct = 1 + int(np.count_nonzero(known[1:] != known[:-1]))
    low, high = known[(len(known) - 1) // 2], known[len(known) // 2]
    median = float(low / 2 + high / 2) if low != high else float(low)
    ends: list[Any] = [float(known[0]), median, float(known[-1])]
    if attribute.is_moment:
        ends = [str(attribute.bound(number)) for number in ends]
    return AttributeDescription(name, kind, unknown, distinct, {}, *ends)


def _counts(codes: npt.NDArray[Any], n_values: int) -> list[int]:
    counts: list[int] = np.bincount(codes[codes >= 0], minlength=n_values).tolist()
    return counts


def _values_text(attribute: AttributeDescription, cases: int) -> str:
    if attribute.kind == "ignore":
        return "-"
    if attribute.kind not in ("discrete", "ordered"):
        if attribute.least is None:
            return "all unknown"
        low, middle, high = (
            x if isinstance(x, str) else f"{x:.8g}" for x in (attribute.least, attribute.median, attribute.greatest)
        )
        ends = f"{low} to {high}, median {middle}"
        return f"{ends}, {attribute.distinct:,} different"
    known = max(cases - attribute.unknown, 1)
    common = sorted(attribute.values.items(), key=lambda item: -item[1])[:MOST_VALUES]
    shares = [f"{abbreviated(value, 20)} {100 * n / known:.0f}%" for value, n in common if n]
    rest = ", …" if attribute.distinct > len(shares) else ""
    return f"{len(attribute.values):,}: {', '.join(shares)}{rest}" if shares else f"{len(attribute.values):,}"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / max(whole, 1):.1f}%"


def _more(number: int, noun: str) -> list[str]:
    """That there are more than are shown."""
    if number <= MOST_ROWS:
        return []
    return [f"… and {number - MOST_ROWS:,} more {plural(2, noun)[2:]}, which to_dict() has"]


def aligned(rows: Sequence[Sequence[str]], sides: str) -> list[str]:
    """Rows of a table as lines, each column as wide as it has to be, to the left or to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    cells = [[f"{cell:{s}{w}}" for cell, s, w in zip(row, sides, widths, strict=True)] for row in rows]
    return ["  ".join(row).rstrip() for row in cells]
