"""Comparisons as tables: for a terminal, as CSV, Markdown, LaTeX, or data for JSON."""

from __future__ import annotations

import io
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.files.safe_csv import CsvWriter
from ctree.errors import ParameterError
from ctree.evaluate.comparison import Comparison, TestName, Verdict
from ctree.evaluate.measures import MEASURES, MIN_PROBABILITY, NEED_COSTS, Measure, check_measure
from ctree.evaluate.significance import Friedman
from ctree.wording import plural, shortened

Floats = npt.NDArray[np.float64]

MARKS = {1: "+", 0: " ", -1: "-"}
NOTHING = "."
"""What stands for a value that there is not."""
LATEX_MARKS = {1: r"$\circ$", 0: "", -1: r"$\bullet$"}
LATEX_NOTHING = "--"
LATEX_LETTERS = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
}
SPREAD = "standard deviation over the splits"
FORMATS = ("text", "markdown", "latex", "csv", "json")
TEST_WORDS = {
    "corrected": "corrected resampled t-test",
    "paired": "paired t-test over the splits, which assumes that they are independent",
}


@dataclass(frozen=True, repr=False)
class MeasureTable:
    """One measure of a comparison: a row per data set, a column per learner, then averages, wins, ties and losses.

    Parameters
    ----------
    name : str
        The measure.
    comparison : Comparison
    verdict : Verdict
    friedman : Friedman or None
    test : {"corrected", "paired"}
    significance : float
    deviations : bool
        Whether the standard deviations over the splits are shown.

    Examples
    --------
    >>> import ctree
    >>> from ctree.evaluate.comparison import compare
    >>> from ctree.evaluate.protocols import StratifiedFolds
    >>> golf = ctree.load_golf()
    >>> learners = {"c4.5": ctree.C45Classifier(), "naive Bayes": ctree.NaiveBayesClassifier()}
    >>> result = compare({"golf": golf}, learners, protocol=StratifiedFolds(folds=2, repeats=2))
    >>> print(measure_table(result, "leaves").to_text())
    Leaves
             c4.5  naive Bayes
    golf      1.8            .
    average   1.8            .
    """

    name: str
    comparison: Comparison
    verdict: Verdict
    friedman: Friedman | None
    test: TestName
    significance: float
    deviations: bool = False

    @property
    def measure(self) -> Measure:
        return MEASURES[self.name]

    def __repr__(self) -> str:
        rows, learners = len(self.comparison.rows), len(self.comparison.learners)
        return f"<MeasureTable: {self.name}, {plural(rows, 'row')}, {plural(learners, 'learner')}>"

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        from ctree.render.cells.evaluation_cells import measure_cell

        return measure_cell(self)

    @property
    def means(self) -> Floats:
        """The means as they are shown, scaled to percent where appropriate."""
        return self.comparison.means(self.name) * self.measure.scale

    @property
    def averages(self) -> Floats:
        """Over the rows; NaN for a learner that lacks one."""
        means = self.means
        return np.array([column.mean() if np.isfinite(column).all() else np.nan for column in means.T])

    @property
    def compares(self) -> bool:
        """Whether there is anything to compare with a reference."""
        return len(self.comparison.learners) > 1 and self.measure.sign != 0 and bool(np.isfinite(self.verdict.p).any())

    def notes(self) -> list[str]:
        """What a reader needs to know about the figures."""
        notes = []
        if self.compares:
            notes.append(f"+ and -: significantly better and worse than {self._reference_and_test()}")
        if self.deviations:
            notes.append(f"±: {SPREAD}")
        return [*notes, *self._further_notes()]

    def _reference_and_test(self) -> str:
        reference = self.comparison.learners[self.verdict.reference]
        return f"{reference} ({TEST_WORDS[self.test]}, two-sided, {100 * self.significance:g} %)"

    def _further_notes(self) -> list[str]:
        """Those that are not about signs."""
        notes = []
        learners = self.comparison.learners
        if self.friedman is not None:
            ranks = ", ".join(f"{n} {r:.2f}" for n, r in zip(learners, self.friedman.ranks, strict=True))
            notes.append(f"Friedman: chi-square {self.friedman.statistic:.2f}, p = {self.friedman.p:.3g}")
            notes.append(
                f"mean ranks: {ranks}; critical difference {self.friedman.critical_difference:.2f} "
                f"(Nemenyi, {100 * self.significance:g} %, {self.friedman.n_sets} sets)"
            )
        if self.name == "log-likelihood":
            notes += self._zeros()
        if self.name == "auc":
            notes += self._skipped()
        return notes

    def _zeros(self) -> list[str]:
        zeros = np.nansum(self.comparison.scores["zeros"], axis=(0, 2))
        found = [f"{n} {int(z)}" for n, z in zip(self.comparison.learners, zeros, strict=True) if z]
        if not found:
            return []
        least = f"{MIN_PROBABILITY:.1e}"
        return [f"true classes given probability 0, taken as {least}, in all splits: {', '.join(found)}"]

    def _skipped(self) -> list[str]:
        skipped = np.nan_to_num(self.comparison.scores["auc-skipped"]).max(axis=1)  # the same for all learners
        rows = [r for r, counts in zip(self.comparison.rows, skipped, strict=True) if counts.any()]
        return [f"classes without cases in a test set were skipped on {', '.join(rows)}"] if rows else []

    def cell(self, value: float) -> str:
        return NOTHING if math.isnan(value) else f"{value:.{self.measure.digits}f}"

    def spreads(self, sign: str = "±") -> list[list[str]]:
        """What is put behind each mean: its standard deviation, or nothing."""
        if not self.deviations:
            return [[""] * len(self.comparison.learners) for _ in self.comparison.rows]
        table = self.comparison.deviations(self.name) * self.measure.scale
        return [["" if math.isnan(v) else f" {sign} {self.cell(v)}" for v in row] for row in table]

    def to_text(self) -> str:
        """For a terminal."""
        learners, verdict = self.comparison.learners, self.verdict
        compares = self.compares
        mark = MARKS if compares else dict.fromkeys(MARKS, "")
        blank = mark[0]
        spreads = self.spreads()
        room = max((len(text) for row in spreads for text in row), default=0)
        table = [["", *(name + blank for name in learners)]]
        for label, means, outcomes, spread in zip(
            self.comparison.rows, self.means, verdict.outcomes, spreads, strict=True
        ):
            cells = [
                self.cell(v) + mark[int(o)] + s[:3] + s[3:].rjust(room - 3)
                for v, o, s in zip(means, outcomes, spread, strict=True)
            ]
            table.append([label, *cells])
        blank += " " * room
        table.append(["average", *(self.cell(v) + blank for v in self.averages)])
        if compares:
            table.append(["win/tie/loss", *(text + blank for text in self.totals())])
        widths = [max(len(row[c]) for row in table) for c in range(len(table[0]))]
        lines = [self.measure.title]
        for row in table:
            cells = [row[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True))]
            lines.append("  ".join(cells).rstrip())
        return "\n".join([*lines, *self.notes()])

    def totals(self) -> list[str]:
        """Wins, ties and losses of each learner as text."""
        reference = self.verdict.reference
        return [
            "" if place == reference else str(total) if sum(total) else NOTHING
            for place, total in enumerate(self.verdict.totals)
        ]

    def to_markdown(self) -> str:
        """A table of GitHub's Markdown."""
        lines = [f"**{self.measure.title}**", ""]
        lines.append("| set | " + " | ".join(_escaped(n, "|") for n in self.comparison.learners) + " |")
        lines.append("|---|" + "---:|" * len(self.comparison.learners))
        for label, means, outcomes, spread in zip(
            self.comparison.rows, self.means, self.verdict.outcomes, self.spreads(), strict=True
        ):
            figures = zip(means, outcomes, spread, strict=True)
            cells = [f"{self.cell(v)}{s} {MARKS[int(o)]}".rstrip() for v, o, s in figures]
            lines.append(f"| {_escaped(label, '|')} | " + " | ".join(cells) + " |")
        lines.append("| average | " + " | ".join(self.cell(v) for v in self.averages) + " |")
        if self.compares:
            lines.append("| win/tie/loss | " + " | ".join(self.totals()) + " |")
        return "\n".join([*lines, "", *(f"{note}." for note in self.notes())])

    def to_latex(self) -> str:
        """A LaTeX `tabular`, with the customary marks ∘ for better and • for worse, and the meaning of its signs."""
        marks = {outcome: rf"\,{sign}" if sign else "" for outcome, sign in LATEX_MARKS.items()}
        learners = self.comparison.learners
        lines = [r"\begin{tabular}{l" + "r" * len(learners) + "}", r"\hline"]
        lines.append(" & ".join(["", *map(_latex, learners)]) + r" \\ \hline")
        for label, means, outcomes, spread in zip(
            self.comparison.rows, self.means, self.verdict.outcomes, self.spreads(r"\pm"), strict=True
        ):
            cells = [self._math(v, s) + marks[int(o)] for v, o, s in zip(means, outcomes, spread, strict=True)]
            lines.append(" & ".join([_latex(label), *cells]) + r" \\")
        lines.append(r"\hline")
        lines.append(" & ".join(["average", *map(self._math, self.averages)]) + r" \\")
        if self.compares:
            totals = [LATEX_NOTHING if text == NOTHING else text for text in self.totals()]
            lines.append(" & ".join(["win/tie/loss", *totals]) + r" \\")
        lines += [r"\hline", r"\end{tabular}"]
        notes = [*self._latex_signs(), *map(_latex, self._further_notes())]
        notes += [rf"$\pm$: {SPREAD}"] if self.deviations else []
        if notes:
            lines += [r"\par\smallskip", r"{\footnotesize", *(rf"{note}.\par" for note in notes), "}"]
        return "\n".join([f"% {self.measure.title}", *lines])

    def _latex_signs(self) -> list[str]:
        """What the signs mean that are in the table, and none but these."""
        notes = []
        if self.compares:
            words = {1: "better", -1: "worse"}
            found = [outcome for outcome in words if (self.verdict.outcomes == outcome).any()]
            signs = " and ".join(LATEX_MARKS[outcome] for outcome in found)
            meaning = f"significantly {' and '.join(words[outcome] for outcome in found)} than"
            told = f"{signs}: {meaning}" if found else "No result is significantly better or worse than that of"
            notes.append(f"{told} {_latex(self._reference_and_test())}")
        if np.isnan(self.averages).any() or (self.compares and NOTHING in self.totals()):
            notes.append(f"{LATEX_NOTHING}: there is no such figure")
        return notes

    def _math(self, value: float, spread: str = "") -> str:
        return LATEX_NOTHING if math.isnan(value) else f"${self.cell(value)}{spread}$"

    def records(self) -> list[dict[str, Any]]:
        """A record for each row and learner; figures as measured, not scaled."""
        spread, deviations = self.comparison.scores[self.name], self.comparison.deviations(self.name)
        result = []
        means = self.comparison.means(self.name)
        for i, row in enumerate(self.comparison.rows):
            for j, learner in enumerate(self.comparison.learners):
                values = spread[i, j][np.isfinite(spread[i, j])]
                result.append(
                    {
                        "measure": self.name,
                        "set": row,
                        "learner": learner,
                        "mean": _number(means[i, j]),
                        "sd": _number(deviations[i, j]),
                        "splits": len(values),
                        "p": _number(self.verdict.p[i, j]),
                        "outcome": int(self.verdict.outcomes[i, j]),
                    }
                )
        return result

    def to_dict(self) -> dict[str, Any]:
        """All of it, for JSON."""
        learners = self.comparison.learners
        result: dict[str, Any] = {
            "measure": self.name,
            "reference": learners[self.verdict.reference],
            "test": self.test,
            "significance": self.significance,
            "averages": {n: _number(v / self.measure.scale) for n, v in zip(learners, self.averages, strict=True)},
            "wins_ties_losses": {n: list(t) for n, t in zip(learners, self.verdict.totals, strict=True)},
            "results": self.records(),
        }
        if self.friedman is not None:
            result["friedman"] = {
                "statistic": self.friedman.statistic,
                "p": self.friedman.p,
                "ranks": dict(zip(learners, self.friedman.ranks.tolist(), strict=True)),
                "critical_difference": self.friedman.critical_difference,
                "nemenyi_p": self.friedman.pairs.tolist(),
            }
        return result


def measure_table(
    comparison: Comparison,
    measure: str,
    reference: str | None = None,
    *,
    test: TestName = "corrected",
    significance: float = 0.05,
    deviations: bool = False,
) -> MeasureTable:
    """The table of one measure, with marks for what is significantly better or worse than the reference.

    Parameters
    ----------
    comparison : Comparison
    measure : str
        One of `ctree.evaluate.measures.MEASURES`.
    reference : str, optional
        The learner that the others are compared with; by default the first.
    test : {"corrected", "paired"}
        The corrected resampled t-test of Nadeau and Bengio, or the plain one.
    significance : float
        The significance level.
    deviations : bool
        Whether texts show standard deviations over the splits beside the means.

    Returns
    -------
    MeasureTable
        With ``to_text``, ``to_markdown``, ``to_latex``, ``records`` and ``to_dict``.

    Examples
    --------
    >>> import ctree
    >>> golf = ctree.load_golf()
    >>> folds = ctree.StratifiedFolds(folds=2, repeats=2)
    >>> result = ctree.compare({"golf": golf}, {"c4.5": ctree.C45Classifier()}, protocol=folds)
    >>> ctree.measure_table(result, "leaves").averages.tolist()
    [1.75]
    """
    check_measure(measure)
    if test not in TEST_WORDS:
        raise ParameterError(f"test must be one of {', '.join(TEST_WORDS)}, not {shortened(test)}")
    if not 0 < significance < 1:
        raise ParameterError(f"significance must be greater than 0 and less than 1, not {significance}")
    if measure in NEED_COSTS and not comparison.costs:
        raise ParameterError(f"the measure '{measure}' needs to know what errors cost: give compare costs")
    verdict = comparison.verdict(measure, reference, test=test, significance=significance)
    ranks = comparison.friedman(measure, significance)
    return MeasureTable(measure, comparison, verdict, ranks, test, significance, deviations)


def csv_text(tables: list[MeasureTable], *, safe: bool = False) -> str:
    """The records of several measures as CSV; if `safe`, without what a spreadsheet would run as a formula."""
    records = [record for table in tables for record in table.records()]
    stream = io.StringIO()
    writer = CsvWriter(stream, safe)
    writer.row(records[0])
    writer.rows(record.values() for record in records)
    return stream.getvalue()


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _escaped(text: str, signs: str) -> str:
    return "".join("\\" + c if c in signs else c for c in text)


def _latex(text: str) -> str:
    return "".join(LATEX_LETTERS.get(c) or _escaped(c, "_&%$#{}") for c in text)
