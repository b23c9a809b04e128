"""Fierens, Ramon, Blockeel and Bruynooghe 2005, Tables 2 to 7 and Figures 3 to 7: approaches to probability trees."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ctree.data.dataset import Dataset
from ctree.evaluate.comparison import Comparison
from ctree.evaluate.papers.fierens2005.controlled import CONTROLLED
from ctree.evaluate.papers.fierens2005.figures import (
    AUC,
    AUC_DEVIATIONS,
    LEAF_DEVIATIONS,
    LEAVES,
    MARKS,
    METHODS,
    ROOT_TESTS,
    SECONDS,
)
from ctree.evaluate.papers.fierens2005.notes import TABLE_NOTES, TIME_NOTES
from ctree.evaluate.papers.fierens2005.setting import (
    TITLE,
    ReportFolds,
    gap,
    learners,
    stacked,
    with_class_among_attributes,
)
from ctree.evaluate.papers.lab import Lab, warning_notes
from ctree.evaluate.papers.report import (
    NOTHING,
    Difference,
    Figure,
    Finding,
    Report,
    Section,
    agreement,
    beside,
    headed,
    over_sets,
)
from ctree.evaluate.papers.unknown_values import with_unknown_as_no, with_unknown_as_value
from ctree.evaluate.tables import measure_table
from ctree.learners.probability.classifier import ProbabilityTreeClassifier
from ctree_ext.base.elementary import log2

EXPERIMENTS = ("times", *CONTROLLED)
THRESHOLDS: Mapping[str, int] = {"pendigits": 10, "yeast": 7}
"""Thresholds of equal width for each number: those that make the tests of the root as many as in the report."""
WITH_CLASS = "audiology and its class"
"""What is in the report under the name of audiology, by all that its figures show."""
SIGNS = {1: "+", 0: "=", -1: "-"}
LEAN = ("MDLs", "MDLp", "BICs", "BICp")


class Entry(NamedTuple):
    """A row of the tables: the report's set, the cases, and the number of thresholds."""

    published: str
    data: Dataset
    thresholds: int | None


def run(lab: Lab) -> Report:
    """Reproduce the experiments."""
    if lab.experiment == "times":
        return _times(lab)
    return CONTROLLED[lab.experiment](lab) if lab.experiment else _tables(lab)


def _entries(lab: Lab, with_class: bool) -> dict[str, Entry]:
    """The report's sets that there are, encoded as it seems to have encoded them."""
    result = {}
    for name, data in lab.sets([name for name in AUC if not (lab.quick and name == "pendigits")]).items():
        data = with_unknown_as_no(data) if name == "vote" else with_unknown_as_value(data)
        result[name] = Entry(name, data, THRESHOLDS.get(name))
        if name == "audiology" and with_class:
            result[WITH_CLASS] = Entry(name, with_class_among_attributes(data), None)
    return result


def _tables(lab: Lab) -> Report:
    entries = _entries(lab, with_class=True)
    parts = {name: lab.compare({name: e.data}, learners(e.thresholds), ReportFolds()) for name, e in entries.items()}
    result = stacked(list(parts.values()))
    report = Report(TITLE, result.protocol, lab.found, lab.lacking)
    report.sections += [_root_tests(entries), _figures_section(result, entries)]
    report.sections += [_marks(result, entries, reference) for reference in MARKS]
    report.figures += [figure for name in lab.found for figure in _figures(result, name, name)]
    report.findings += _findings(result, entries)
    if WITH_CLASS in entries:
        (line,) = agreement(_figures(result, WITH_CLASS, "audiology"))
        report.notes.append(f"{WITH_CLASS}: {line}.")
    report.notes += [*TABLE_NOTES, *warning_notes(result)]
    plain = stacked([parts[name] for name in lab.found])
    report.details += [measure_table(plain, m, "C4.5", test="paired") for m in ("auc", "log-likelihood", "leaves")]
    return report


def _root_tests(entries: Mapping[str, Entry]) -> Section:
    rows = []
    for name, entry in entries.items():
        model = learners(entry.thresholds)["MDLs"].fit(entry.data)
        ours = int(model._numbers_of_tests(entry.data, None, None)[0])
        sizes = [str(entry.data.n_cases), str(entry.data.schema.n_classes)]
        rows.append([name, *sizes, *beside(ROOT_TESTS[entry.published], float(ours) if ours else np.nan, 0)])
    return Section("Tests that the root is chosen from (Table 2)", ["set", "cases", "classes", *headed("tests")], rows)


def _deviations(result: Comparison, measure: str) -> np.ndarray:
    return np.asarray(np.nanstd(result.scores[measure], axis=2, ddof=1))


def _figures(result: Comparison, row: str, published: str) -> list[Figure]:
    """The report's figures of a set beside ours, which are rounded as they are."""
    i = result.rows.index(row)
    counts = np.isfinite(result.scores["auc"][i, 0]).sum()
    figures = []
    for kind, measure, scale, digits, means, spreads in (
        ("expected AUC", "auc", 100, 1, AUC, AUC_DEVIATIONS),
        ("leaves", "leaves", 1, 0, LEAVES, LEAF_DEVIATIONS),
    ):
        ours, spread = scale * result.means(measure)[i], scale * _deviations(result, measure)[i]
        for j in range(len(METHODS)):
            figures.append(
                Figure(
                    kind,
                    means[published][j],
                    round(float(ours[j]), digits),
                    float(spread[j] / np.sqrt(counts)),
                    spreads[published][j] + 1e-9,
                )
            )
    return figures


def _figures_section(result: Comparison, entries: Mapping[str, Entry]) -> Section:
    auc, leaves = 100 * result.means("auc"), result.means("leaves")
    auc_spread, leaf_spread = 100 * _deviations(result, "auc"), _deviations(result, "leaves")
    likelihood = result.means("log-likelihood")
    rows = []
    for i, (name, entry) in enumerate(entries.items()):
        for j, method in enumerate(METHODS):
            cells = [name, method]
            for digits, published, spread, ours, our_spread in (
                (1, AUC, AUC_DEVIATIONS, auc[i, j], auc_spread[i, j]),
                (0, LEAVES, LEAF_DEVIATIONS, leaves[i, j], leaf_spread[i, j]),
            ):
                three = beside(published[entry.published][j], float(ours), digits)
                three[0] += f" ± {spread[entry.published][j]:.{digits}f}"
                three[1] += f" ± {our_spread:.{digits}f}"
                cells += three
            rows.append([*cells, f"{likelihood[i, j]:.3f}"])
    columns = ["set", "method", *headed("expected AUC, %", "leaves"), "log-likelihood, ours"]
    return Section("Expected AUC and size, with standard deviations over the folds", columns, rows, labels=2)


def _marks(result: Comparison, entries: Mapping[str, Entry], reference: str) -> Section:
    """Whose AUC is significantly better or worse than the reference's, in the report and here."""
    outcomes = result.verdict("auc", reference, test="paired").outcomes
    rows, same, total = [], 0, 0
    for i, (name, entry) in enumerate(entries.items()):
        theirs = MARKS[reference][entry.published]
        ours = "".join("." if m == reference else SIGNS[int(o)] for m, o in zip(METHODS, outcomes[i], strict=True))
        rows.append([name, *("" if t == "." else f"{t} {o}" for t, o in zip(theirs, ours, strict=True))])
        if name == entry.published:
            same += sum(t == o for t, o in zip(theirs, ours, strict=True)) - 1
            total += len(METHODS) - 1
    title = (
        f"Expected AUC better (+) or worse (-) than that of {reference}, or neither (=), in the report and here "
        f"(paired t-test, 5 %): {same} of {total} alike without the class among the tests"
    )
    return Section(title, ["set", *METHODS], rows)


def _findings(result: Comparison, entries: Mapping[str, Entry]) -> list[Finding]:
    places = [i for i, (name, entry) in enumerate(entries.items()) if name == entry.published]
    names = list(entries)
    leaves = result.means("leaves")
    lean, full = [result.learners.index(m) for m in LEAN], result.learners.index("C4.4")
    findings = [
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
        if entries[names[i]].data.schema.n_classes == 2:
            findings.append(
                Finding.of_differences(
                    f"with two classes BIC ranks as well as C4.4 and C4.5 (within a point): {names[i]}",
                    {f"less {other}": gap(result, i, "BICp", other) for other in ("C4.4", "C4.5")},
                    mark=-1.0,
                    digits=1,
                )
            )
    many = {names[i]: _best_less_bic(result, i) for i in places if entries[names[i]].data.schema.n_classes > 5}
    if many:
        text = "with many classes the better of C4.4 and C4.5 ranks better than BIC"
        findings.append(Finding.of_differences(text, many, digits=1))
    return findings


def _best_less_bic(result: Comparison, row: int) -> Difference:
    return max((gap(result, row, method, "BICp") for method in ("C4.4", "C4.5")), key=lambda d: d.mean)


def _times(lab: Lab) -> Report:
    entries = _entries(lab, with_class=False)
    protocol = f"one tree from the training cases of the first fold; {ReportFolds().describe()}"
    report = Report(f"{TITLE}. Time to build a tree, as in Table 7", protocol, lab.found, lab.lacking)
    ours = np.array([[_seconds(model, e.data) for model in learners(e.thresholds).values()] for e in entries.values()])
    theirs = np.array([SECONDS[name] for name in entries])
    methods = list(METHODS)
    full = methods.index("C4.4")
    rows = []
    for i, name in enumerate(entries):
        for j, method in enumerate(methods):
            cells = [f"{theirs[i, j]:.1f}", f"{1000 * ours[i, j]:.1f}"]
            shares = [NOTHING if j == full else f"{x[i, j] / x[i, full]:.2f}" for x in (theirs, ours)]
            rows.append([name, method, *cells, *shares])
    columns = ["set", "method", "time: paper, s", "time: ours, ms", "of C4.4's: paper", "of C4.4's: ours"]
    report.sections.append(Section("Time for a single tree", columns, rows, labels=2))
    saved = log2(ours[:, [full]] / ours)
    for some, text in (
        (("MDLs", "BICs", "Chi"), "the approaches that stop take less time than C4.4"),
        (("MDLp", "BICp"), "the approaches that grow and prune by MDL or BIC take less time than C4.4"),
    ):
        halvings = {m: over_sets(saved[:, methods.index(m)]) for m in some}
        report.findings.append(Finding.of_differences(f"{text} (halvings, over the sets)", halvings, digits=1))
    report.notes += TIME_NOTES
    return report


def _seconds(model: ProbabilityTreeClassifier, data: Dataset, repeats: int = 5) -> float:
    """The processor time of a fit, the least of several."""
    assert data.classes is not None
    train = data.take(ReportFolds().series(data.classes)[0].splits[0].train)
    times = []
    for _ in range(repeats):
        start = time.process_time()
        model.fit(train)
        times.append(time.process_time() - start)
    return min(times)
