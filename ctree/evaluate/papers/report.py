"""The report of reproduced experiments: the paper's figures beside ours, and whether its conclusions hold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from ctree.evaluate.tables import MeasureTable

NOTHING = "."


@dataclass(frozen=True)
class Section:
    """A table.

    Parameters
    ----------
    title : str
    columns : sequence of str
        The heading of each column.
    rows : sequence of sequences of str
    labels : int
        Number of leading columns that hold text.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    labels: int = 1


@dataclass(frozen=True)
class Finding:
    """A conclusion of the paper, and whether it holds here."""

    text: str
    holds: bool
    detail: str = ""

    def __str__(self) -> str:
        detail = f" ({self.detail})" if self.detail else ""
        return f"{'holds' if self.holds else 'DOES NOT HOLD'}: {self.text}{detail}"


@dataclass
class Report:
    """A full report.

    Parameters
    ----------
    paper : str
        Authors, title, place.
    protocol : str
        What was done.
    found, lacking : list of str
        The data sets that were available, and those that were not.
    sections : list of Section
    findings : list of Finding
    notes : list of str
        What readers should know: where the protocol departs from the paper's, and why figures differ.
    details : list of MeasureTable
        Our own results in full.
    """

    paper: str
    protocol: str
    found: list[str] = field(default_factory=list)
    lacking: list[str] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    details: list[MeasureTable] = field(default_factory=list)

    def to_text(self, details: bool = False) -> str:
        """For a terminal."""
        lines = [self.paper, "", f"Protocol: {self.protocol}", f"Data sets: {_listed(self.found)}"]
        lines += [f"Not found: {_listed(self.lacking)}"] if self.lacking else []
        for section in self.sections:
            lines += ["", section.title, *_text_table(section)]
        if self.findings:
            lines += ["", "Conclusions of the paper", *(f"- {finding}" for finding in self.findings)]
        if self.notes:
            lines += ["", "Notes", *(f"- {note}" for note in self.notes)]
        if details:
            for table in self.details:
                lines += ["", table.to_text()]
        return "\n".join(lines)

    def to_markdown(self, details: bool = False) -> str:
        """For a page of documentation."""
        lines = [f"## {self.paper}", "", f"Protocol: {self.protocol}.", "", f"Data sets: {_listed(self.found)}."]
        lines += ["", f"Not found: {_listed(self.lacking)}."] if self.lacking else []
        for section in self.sections:
            lines += ["", f"**{section.title}**", "", *_markdown_table(section)]
        if self.findings:
            lines += ["", "Conclusions of the paper:", "", *(f"- {finding}" for finding in self.findings)]
        if self.notes:
            lines += ["", "Notes:", "", *(f"- {note}" for note in self.notes)]
        if details:
            for table in self.details:
                lines += ["", table.to_markdown()]
        return "\n".join(lines)


def beside(published: float | None, ours: float, digits: int) -> list[str]:
    """Three cells: the paper's figure, ours, the difference.

    Examples
    --------
    >>> beside(85.5, 85.32, 1), beside(None, 0.25, 2)
    (['85.5', '85.3', '-0.2'], ['.', '0.25', '.'])
    """
    shown = NOTHING if math.isnan(ours) else f"{ours:.{digits}f}"
    if published is None:
        return [NOTHING, shown, NOTHING]
    gap = NOTHING if math.isnan(ours) else f"{ours - published:+.{digits}f}"
    return [f"{published:.{digits}f}", shown, gap]


def headed(*names: str) -> list[str]:
    """The headings of such cells."""
    return [f"{name}: {what}" for name in names for what in ("paper", "ours", "difference")]


def _listed(names: Sequence[str]) -> str:
    return f"{len(names)}: {', '.join(names)}" if names else "none"


def _text_table(section: Section) -> list[str]:
    # a heading "measure: ours" takes two lines, so that columns stay narrow
    heads = [column.partition(": ") for column in section.columns]
    first = [name if colon else "" for name, colon, _ in heads]
    first = ["" if i and name == first[i - 1] else name for i, name in enumerate(first)]
    second = [what if colon else name for name, colon, what in heads]
    table = [second, *map(list, section.rows)]
    widths = [max(len(row[c]) for row in table) for c in range(len(second))]
    if any(first):
        starts = [c for c, name in enumerate(first) if name]
        for start, end in zip(starts, [*starts[1:], len(first)], strict=True):
            # the name of a measure stands above its own columns
            room = sum(widths[start:end]) + 2 * (end - start - 1)
            widths[start] += max(0, len(first[start]) - room)
    lines = [_text_line(row, widths, section.labels) for row in table]
    if any(first):
        line, position = "", 0
        for c, name in enumerate(first):
            if name:
                line = line.ljust(position) + name
            position += widths[c] + 2
        lines.insert(0, line.rstrip())
    return lines


def _text_line(row: Sequence[str], widths: list[int], labels: int) -> str:
    cells = [
        cell.ljust(w) if c < labels else cell.rjust(w) for c, (cell, w) in enumerate(zip(row, widths, strict=True))
    ]
    return "  ".join(cells).rstrip()


def _markdown_table(section: Section) -> list[str]:
    marks = ["---" if c < section.labels else "---:" for c in range(len(section.columns))]
    rows = [section.columns, marks, *section.rows]
    return ["| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in rows]
