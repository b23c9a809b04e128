"""The report's tables beside ours: what its sets of one table and those of linked tables have in common."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.relational.data import RelationalData
from ctree.evaluate.comparison import Comparison
from ctree.evaluate.papers.fierens2005.figures import (
    AUC,
    AUC_DEVIATIONS,
    LEAF_DEVIATIONS,
    LEAVES,
    MARKS,
    METHODS,
    SECONDS,
)
from ctree.evaluate.papers.fierens2005.setting import ReportFolds, gap
from ctree.evaluate.papers.report import NOTHING, Difference, Figure, Finding, Section, beside, headed, over_sets
from ctree.learners.probability.classifier import ProbabilityTreeClassifier
from ctree.learners.relational.classifier import RelationalTreeClassifier
from ctree_ext.base.elementary import log2

SIGNS = {1: "+", 0: "=", -1: "-"}
LEAN = ("MDLs", "MDLp", "BICs", "BICp")


def _deviations(result: Comparison, measure: str) -> np.ndarray:
    return np.asarray(np.nanstd(result.scores[measure], axis=2, ddof=1))


def figures(result: Comparison, row: str, published: str) -> list[Figure]:
    """The report's figures of a set beside ours, which are rounded as they are."""
    i = result.rows.index(row)
    counts = np.isfinite(result.scores["auc"][i, 0]).sum()
    found = []
    for kind, measure, scale, digits, means, spreads in (
        ("expected AUC", "auc", 100, 1, AUC, AUC_DEVIATIONS),
        ("leaves", "leaves", 1, 0, LEAVES, LEAF_DEVIATIONS),
    ):
        ours, spread = scale * result.means(measure)[i], scale * _deviations(result, measure)[i]
        for j in range(len(METHODS)):
            found.append(
                Figure(
                    kind,
                    means[published][j],
                    round(float(ours[j]), digits),
                    float(spread[j] / np.sqrt(counts)),
                    spreads[published][j] + 1e-9,
                )
            )
    return found


def figures_section(result: Comparison, published: Mapping[str, str]) -> Section:
    """Expected AUC and leaves of all methods; `published` has the report's name of the set of each row."""
    auc, leaves = 100 * result.means("auc"), result.means("leaves")
    auc_spread, leaf_spread = 100 * _deviations(result, "auc"), _deviations(result, "leaves")
    likelihood = result.means("log-likelihood")
    rows = []
    for i, (name, theirs) in enumerate(published.items()):
        for j, method in enumerate(METHODS):
            cells = [name, method]
            for digits, means, spread, ours, our_spread in (
                (1, AUC, AUC_DEVIATIONS, auc[i, j], auc_spread[i, j]),
                (0, LEAVES, LEAF_DEVIATIONS, leaves[i, j], leaf_spread[i, j]),
            ):
                three = beside(means[theirs][j], float(ours), digits)
                three[0] += f" ± {spread[theirs][j]:.{digits}f}"
                three[1] += f" ± {our_spread:.{digits}f}"
                cells += three
            rows.append([*cells, f"{likelihood[i, j]:.3f}"])
    columns = ["set", "method", *headed("expected AUC, %", "leaves"), "log-likelihood, ours"]
    return Section("Expected AUC and size, with standard deviations over the folds", columns, rows, labels=2)


def marks_section(result: Comparison, published: Mapping[str, str], reference: str, which: str = "") -> Section:
    """Whose AUC is significantly better or worse than the reference's; rows with the report's names are counted."""
    outcomes = result.verdict("auc", reference, test="paired").outcomes
    rows, same, total = [], 0, 0
    for i, (name, theirs) in enumerate(published.items()):
        marks = MARKS[reference][theirs]
        ours = "".join("." if m == reference else SIGNS[int(o)] for m, o in zip(METHODS, outcomes[i], strict=True))
        rows.append([name, *("" if t == "." else f"{t} {o}" for t, o in zip(marks, ours, strict=True))])
        if name == theirs:
            same += sum(t == o for t, o in zip(marks, ours, strict=True)) - 1
            total += len(METHODS) - 1
    title = (
        f"Expected AUC better (+) or worse (-) than that of {reference}, or neither (=), in the report and here "
        f"(paired t-test, 5 %): {same} of {total} alike{which}"
    )
    return Section(title, ["set", *METHODS], rows)


def findings(result: Comparison, classes: Mapping[str, int]) -> list[Finding]:
    """The report's conclusions on these rows, each with its number of classes."""
    places = [result.rows.index(name) for name in classes]
    names = result.rows
    leaves = result.means("leaves")
    lean, full = [result.learners.index(m) for m in LEAN], result.learners.index("C4.4")
    found = [
        Finding(
            "MDL and BIC trees are a small part of C4.4's (at most a third of its leaves)",
            bool((leaves[places][:, lean].max(axis=1) <= leaves[places, full] / 3).all()),
            ", ".join(f"{names[i]} {leaves[i, lean].max():.0f} of {leaves[i, full]:.0f}" for i in places),
        ),
        Finding.of_differences(
            "BIC ranks at least as well as MDL (within half a point)",
            {names[i]: gap(result, i, "BICs", "MDLs") for i in places},
            mark=-0.5,
            digits=1,
        ),
    ]
    for i in places:
        if classes[names[i]] == 2:
            found.append(
                Finding.of_differences(
                    f"with two classes BIC ranks as well as C4.4 and C4.5 (within a point): {names[i]}",
                    {f"less {other}": gap(result, i, "BICp", other) for other in ("C4.4", "C4.5")},
                    mark=-1.0,
                    digits=1,
                )
            )
    many = {names[i]: _best_less_bic(result, i) for i in places if classes[names[i]] > 5}
    if many:
        text = "with many classes the better of C4.4 and C4.5 ranks better than BIC"
        found.append(Finding.of_differences(text, many, digits=1))
    return found


def _best_less_bic(result: Comparison, row: int) -> Difference:
    return max((gap(result, row, method, "BICp") for method in ("C4.4", "C4.5")), key=lambda d: d.mean)


def times_section(published: Mapping[str, str], ours: npt.NDArray[np.float64]) -> Section:
    """Table 7 beside our seconds, of which there is a row for each set."""
    methods = list(METHODS)
    full = methods.index("C4.4")
    rows = []
    for i, (name, theirs) in enumerate(published.items()):
        seconds = np.array(SECONDS[theirs])
        for j, method in enumerate(methods):
            cells = [f"{seconds[j]:.1f}", f"{1000 * ours[i, j]:.1f}"]
            shares = [NOTHING if j == full else f"{x[j] / x[full]:.2f}" for x in (seconds, ours[i])]
            rows.append([name, method, *cells, *shares])
    columns = ["set", "method", "time: paper, s", "time: ours, ms", "of C4.4's: paper", "of C4.4's: ours"]
    return Section("Time for a single tree", columns, rows, labels=2)


def times_findings(ours: npt.NDArray[np.float64]) -> list[Finding]:
    """Which approaches take less time than C4.4."""
    methods = list(METHODS)
    saved = log2(ours[:, [methods.index("C4.4")]] / ours)
    found = []
    for some, text in (
        (("MDLs", "BICs", "Chi"), "the approaches that stop take less time than C4.4"),
        (("MDLp", "BICp"), "the approaches that grow and prune by MDL or BIC take less time than C4.4"),
    ):
        halvings = {m: over_sets(saved[:, methods.index(m)]) for m in some}
        found.append(Finding.of_differences(f"{text} (halvings, over the sets)", halvings, digits=1))
    return found


def seconds(
    models: Sequence[ProbabilityTreeClassifier] | Sequence[RelationalTreeClassifier],
    data: Dataset | RelationalData,
    repeats: int = 5,
) -> list[float]:
    """The processor time of a fit of each model to the training cases of the first fold, the least of several."""
    assert data.classes is not None
    train = data.take(ReportFolds().series(data.classes)[0].splits[0].train)
    least = []
    for model in models:
        times = []
        for _ in range(repeats):
            start = time.process_time()
            model.fit(train)
            times.append(time.process_time() - start)
        least.append(min(times))
    return least
