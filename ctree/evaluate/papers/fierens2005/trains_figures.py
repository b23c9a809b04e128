"""Figures 5 and 6 of Fierens and others' report: how many examples there are and how skewed, on trains made here."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ctree.evaluate.comparison import Comparison
from ctree.evaluate.papers.fierens2005.figures import METHODS
from ctree.evaluate.papers.fierens2005.notes import TRAINS_NOTES
from ctree.evaluate.papers.fierens2005.setting import TITLE, gap, relational_learners
from ctree.evaluate.papers.fierens2005.trains import trains
from ctree.evaluate.papers.lab import Lab
from ctree.evaluate.papers.report import Difference, Finding, Report, Section, over_sets
from ctree.evaluate.protocols import LearningCurve, StratifiedFolds

N_TRAINS = 25_000
SIZES = (500, 1_000, 3_000, 5_000, 10_000, 20_000)
SKEWS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98)
"""The share of trains that go east."""
CLOSE = ("MDLs", "MDLp", "BICs", "Chi")
DRAWS = 5


def examples(lab: Lab) -> Report:
    """Figure 5: training sets of growing size, tested on 5,000 trains."""
    sizes, n = (SIZES[:3], 5_000) if lab.quick else (SIZES, N_TRAINS)
    curve = LearningCurve(sizes, test_share=0.2, repeats=1)
    result = pooled(
        [lab.compare({"trains": trains(n, seed)}, relational_learners(forward=1), curve) for seed in _draws(lab)]
    )
    report = _report(result, "Number of examples, as in Figure 5")
    rows = {row.rpartition("(")[2].rstrip(")"): i for i, row in enumerate(result.rows)}
    most = len(result.rows) - 1
    report.findings += [
        Finding.of_differences(
            "C4.4 overfits whatever the number of examples: BICp less C4.4",
            {size: gap(result, i, "BICp", "C4.4") for size, i in rows.items()},
            digits=1,
        ),
        Finding.of_differences(
            "C4.4's trees are the largest whatever the number of examples: leaves less those of C4.5",
            {size: gap(result, i, "C4.4", "C4.5", "leaves") for size, i in rows.items()},
            digits=0,
        ),
        Finding.of_differences(
            "with most examples BICp does not rank better than MDL, BICs and Chi (by half a point)",
            {m: gap(result, most, m, "BICp") for m in CLOSE},
            mark=-0.5,
            digits=2,
        ),
        Finding.of_differences(
            "MDL, BICs and Chi are close to each other from 5,000 examples on (within a point): worst less best",
            {size: _spread(result, i) for size, i in rows.items() if int(size) >= SIZES[3]},
            mark=-1.0,
            digits=2,
        ),
    ]
    return report


def skew(lab: Lab) -> Report:
    """Figure 6: 3,000 trains, ever more of which go east."""
    n = 600 if lab.quick else 3_000
    folds = StratifiedFolds(10, 1)
    result = pooled(
        [
            lab.compare(
                {f"trains, {share:.0%} east": trains(n, seed, east=share) for share in SKEWS},
                relational_learners(forward=1),
                folds,
            )
            for seed in _draws(lab)
        ]
    )
    report = _report(result, "Skew of the classes, as in Figure 6")
    even, slight, some, more, rare = (SKEWS.index(share) for share in (0.5, 0.7, 0.8, 0.9, 0.98))
    others = [method for method in METHODS if method != "C4.5"]
    auc = 100 * result.scores["auc"]
    place = result.learners.index
    leaves = result.scores["leaves"][rare, place("C4.5")]
    report.findings += [
        Finding.of_differences(
            "all approaches rank better with 70 % in one class than with 50 %",
            {m: _change(auc[slight, place(m)], auc[even, place(m)]) for m in METHODS},
            digits=1,
        ),
        Finding.of_differences(
            "C4.5 loses from 80 to 90 %, and more than others: what it loses beyond them",
            {
                m: _change(
                    auc[some, place("C4.5")] - auc[more, place("C4.5")], auc[some, place(m)] - auc[more, place(m)]
                )
                for m in others
            },
            digits=1,
        ),
        Finding.of_differences(
            f"C4.5 is the least robust to skew: with {SKEWS[-1]:.0%} in one class, others less C4.5",
            {m: gap(result, rare, m, "C4.5") for m in others},
            digits=1,
        ),
        Finding(
            "with the greatest skew, C4.5 builds trees of a single leaf",
            bool((leaves == 1).all()),
            f"{leaves.mean():.1f} leaves on average",
        ),
    ]
    return report


def _draws(lab: Lab) -> range:
    """Seeds, each for trains of its own."""
    return range(1, 3 if lab.quick else 1 + DRAWS)


def pooled(parts: Sequence[Comparison]) -> Comparison:
    """Comparisons of the same rows on independent draws as one, in which a draw has a single score, its mean."""
    first = parts[0]
    scores = {}
    for measure in ("auc", "leaves"):
        scores[measure] = np.stack([part.means(measure) for part in parts], axis=2)
    protocol = f"{first.protocol}; {len(parts)} draws of all trains"
    return Comparison(first.rows, first.learners, scores, np.zeros(len(first.rows)), protocol, False)


def _change(first: npt.NDArray[np.float64], second: npt.NDArray[np.float64]) -> Difference:
    return over_sets(first - second)


def _spread(result: Comparison, row: int) -> Difference:
    """The difference between the worst and the best of the four that the report finds close, by their means."""
    means = {method: result.means("auc")[row, result.learners.index(method)] for method in CLOSE}
    return gap(result, row, min(means, key=lambda m: means[m]), max(means, key=lambda m: means[m]))


def _report(result: Comparison, what: str) -> Report:
    report = Report(f"{TITLE}. {what}", result.protocol, ["trains, made here"])
    for title, measure, scale, digits in (("Expected AUC, %", "auc", 100, 1), ("Leaves", "leaves", 1, 1)):
        means = scale * result.means(measure)
        rows = [[row, *(f"{v:.{digits}f}" for v in values)] for row, values in zip(result.rows, means, strict=True)]
        report.sections.append(Section(title, ["set", *METHODS], rows))
    report.notes += TRAINS_NOTES
    return report
