"""The report of reproduced experiments: the paper's figures beside ours, and whether its conclusions hold."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ctree.evaluate.tables import MeasureTable

NOTHING = "."
ERRORS = 2.0
"""How many standard errors a difference must have to decide a conclusion: about the level of 5 %."""
RULE = (
    "Where differences are given with their standard errors (±), a conclusion holds if every one is as it says by more "
    "than two standard errors, does not hold if one is the other way by as much, and otherwise is not decided."
)


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


class Difference(NamedTuple):
    """A mean difference and its standard error, NaN where there is none."""

    mean: float
    error: float

    def shown(self, digits: int = 3) -> str:
        """As in a report.

        Examples
        --------
        >>> Difference(0.0214, 0.008).shown()
        '+0.021 ± 0.008'
        """
        error = "?" if math.isnan(self.error) else f"{self.error:.{digits}f}"
        return f"{self.mean:+.{digits}f} ± {error}"

    def exceeds(self, mark: float = 0.0) -> bool | None:
        """Whether it is greater than this; None where it is within two standard errors of it.

        Examples
        --------
        >>> Difference(0.5, 0.2).exceeds(), Difference(0.5, 0.3).exceeds(), Difference(0.5, 0.2).exceeds(1.0)
        (True, None, False)
        """
        gap = self.mean - mark
        if math.isnan(self.error) or not abs(gap) > ERRORS * self.error:
            return None
        return gap > 0


def over_sets(differences: npt.ArrayLike) -> Difference:
    """The mean of differences that are independent, such as those on several data sets.

    Examples
    --------
    >>> over_sets([1.0, 2.0, 3.0]).shown()
    '+2.000 ± 0.577'
    """
    return _difference(differences, 0.0)


def over_splits(differences: npt.ArrayLike, test_ratio: float) -> Difference:
    """The mean of differences on splits of one data set, whose training cases overlap.

    The variance s² of k of them is multiplied by 1/k + n_test/n_train, as in
    `ctree.evaluate.significance.corrected_t`.

    Parameters
    ----------
    differences : array (splits,)
    test_ratio : float
        Test cases per training case: 1/9 for ten folds.

    Examples
    --------
    >>> over_splits([1.0, 2.0, 3.0], 1 / 9).shown()
    '+2.000 ± 0.667'
    """
    return _difference(differences, test_ratio)


def average_over_sets(scores: npt.ArrayLike, test_ratios: npt.ArrayLike) -> Difference:
    """The mean over data sets of the means over their splits, with the standard error that comes from the splits.

    The data sets are taken as given: another choice of sets is not part of the error.

    Parameters
    ----------
    scores : array (sets, splits)
    test_ratios : array (sets,)
        As for `over_splits`.

    Examples
    --------
    >>> average_over_sets([[1.0, 2.0, 3.0], [5.0, 5.0, 5.0]], [1 / 9, 1 / 9]).shown()
    '+3.500 ± 0.333'
    """
    table = np.asarray(scores, dtype=np.float64)
    each = [over_splits(row, float(ratio)) for row, ratio in zip(table, np.ravel(test_ratios), strict=True)]
    return Difference(
        float(np.mean([d.mean for d in each])), math.sqrt(sum(d.error**2 for d in each)) / max(len(each), 1)
    )


def _difference(differences: npt.ArrayLike, more: float) -> Difference:
    values = np.asarray(differences, dtype=np.float64).ravel()
    values = values[np.isfinite(values)]
    if len(values) < 2:
        return Difference(float(values[0]) if len(values) else math.nan, math.nan)
    return Difference(float(values.mean()), math.sqrt((1 / len(values) + more) * float(values.var(ddof=1))))


@dataclass(frozen=True)
class Finding:
    """A conclusion of the paper, and whether it holds here.

    Parameters
    ----------
    text : str
    holds : bool or None
        None where our results do not decide it.
    detail : str
        Our figures.
    by_error : bool
        Whether it was decided by standard errors.
    """

    text: str
    holds: bool | None
    detail: str = ""
    by_error: bool = False

    @classmethod
    def of_differences(
        cls, text: str, differences: Mapping[str, Difference], mark: float = 0.0, digits: int = 3
    ) -> Finding:
        """A conclusion that says that each of these differences is greater than a mark.

        It holds where every one exceeds it by more than two standard errors, does not where one falls below it by as
        much, and otherwise is not decided.

        Parameters
        ----------
        text : str
        differences : mapping of str to Difference
            Each with what it is of.
        mark : float
            Negative where the conclusion is "at most so much worse".
        digits : int
            How many digits of the differences are shown.

        Examples
        --------
        >>> gains = {"a": Difference(0.3, 0.1), "b": Difference(0.1, 0.1)}
        >>> print(Finding.of_differences("it gains", gains, digits=1))
        not decided: it gains (a +0.3 ± 0.1, b +0.1 ± 0.1)
        """
        each = [difference.exceeds(mark) for difference in differences.values()]
        holds = False if False in each else None if None in each else bool(each) or None
        detail = ", ".join(f"{name} {d.shown(digits)}".strip() for name, d in differences.items())
        return cls(text, holds, detail, by_error=True)

    def __str__(self) -> str:
        detail = f" ({self.detail})" if self.detail else ""
        verdict = {True: "holds", False: "DOES NOT HOLD", None: "not decided"}[self.holds]
        return f"{verdict}: {self.text}{detail}"


class Figure(NamedTuple):
    """A figure of the paper beside ours.

    Parameters
    ----------
    kind : str
        What is measured.
    published, ours : float
    error : float
        The standard error of ours.
    deviation : float or None
        The deviation that the paper states.
    reading : str
        By which reading of the paper ours is found, where that is not the plain one.
    """

    kind: str
    published: float
    ours: float
    error: float
    deviation: float | None = None
    reading: str = ""

    @property
    def agrees(self) -> bool:
        """Whether it is within the paper's deviation of ours or, if it states none, within our standard error."""
        return abs(self.published - self.ours) <= (self.error if self.deviation is None else self.deviation)


def agreement(figures: Sequence[Figure], whose_error: str = "") -> list[str]:
    """How many of the paper's figures agree with ours, by kind, in a sentence for each rule.

    Parameters
    ----------
    figures : sequence of Figure
    whose_error : str
        What our standard error is of.

    Examples
    --------
    >>> agreement([Figure("accuracy", 80.0, 81.0, 1.5), Figure("leaves", 20.0, 30.0, 2.0)], "over the folds")
    ['1 of 2 figures within one standard error of ours (over the folds): accuracy 1 of 1, leaves 0 of 1']
    """
    error = f" ({whose_error})" if whose_error else ""
    rules = {True: "the deviation that the paper states", False: f"one standard error of ours{error}"}
    lines = []
    for reading in dict.fromkeys(f.reading for f in figures):
        for stated, rule in rules.items():
            known = [f for f in figures if f.reading == reading and not math.isnan(f.ours)]
            chosen = [f for f in known if (f.deviation is not None) == stated]
            if chosen:
                kinds = {f.kind: [other.agrees for other in chosen if other.kind == f.kind] for f in chosen}
                counts = ", ".join(f"{kind} {sum(own)} of {len(own)}" for kind, own in kinds.items())
                read = f", {reading}" if reading else ""
                lines.append(f"{sum(f.agrees for f in chosen)} of {len(chosen)} figures within {rule}{read}: {counts}")
    return lines


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
    figures : list of Figure
        Those of the paper that are counted in the line on how many agree.
    whose_error : str
        What the standard error of our figures is of.
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
    figures: list[Figure] = field(default_factory=list)
    whose_error: str = ""

    def to_text(self, details: bool = False) -> str:
        """For a terminal."""
        lines = [self.paper, "", f"Protocol: {self.protocol}", f"Data sets: {_listed(self.found)}"]
        lines += [f"Not found: {_listed(self.lacking)}"] if self.lacking else []
        for section in self.sections:
            lines += ["", section.title, *_text_table(section)]
        if self.figures:
            lines += ["", "Agreement", *(f"- {line}" for line in agreement(self.figures, self.whose_error))]
        if self.findings:
            lines += ["", "Conclusions of the paper", *(f"- {finding}" for finding in self.findings), *self._rule()]
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
        if self.figures:
            lines += ["", "Agreement:", "", *(f"- {line}" for line in agreement(self.figures, self.whose_error))]
        if self.findings:
            lines += ["", "Conclusions of the paper:", "", *(f"- {finding}" for finding in self.findings)]
            lines += ["", *rule] if (rule := self._rule()) else []
        if self.notes:
            lines += ["", "Notes:", "", *(f"- {note}" for note in self.notes)]
        if details:
            for table in self.details:
                lines += ["", table.to_markdown()]
        return "\n".join(lines)

    def _rule(self) -> list[str]:
        """How conclusions are decided by standard errors, where some are."""
        return [RULE] if any(finding.by_error for finding in self.findings) else []


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
