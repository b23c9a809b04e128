"""Fierens, Ramon, Blockeel and Bruynooghe 2005, Tables 3 to 6: approaches to probability trees."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ctree.data.dataset import Column, Dataset
from ctree.data.schema import Attribute, Schema
from ctree.evaluate.comparison import Comparison
from ctree.evaluate.papers.lab import Lab, warning_notes
from ctree.evaluate.papers.report import Finding, Report, Section, beside, headed
from ctree.evaluate.protocols import StratifiedFolds
from ctree.evaluate.tables import measure_table
from ctree.learners.probability.classifier import ProbabilityTreeClassifier

TITLE = (
    "D. Fierens, J. Ramon, H. Blockeel, M. Bruynooghe. A comparison of approaches for learning probability trees. "
    "ECML, 2005, and its report"
)
EXPERIMENTS = ("skew", "tests")
METHODS = {
    "C4.4": "c4.4",
    "C4.5": "c4.5",
    "MDLs": "mdl-stop",
    "MDLp": "mdl-prune",
    "BICs": "bic-stop",
    "BICp": "bic-prune",
    "Chi": "chi2",
}
"""The report's names for the methods here."""
AUC: Mapping[str, tuple[float, ...]] = {
    "audiology": (98.8, 98.7, 75.3, 75.6, 80.9, 81.2, 97.4),
    "pendigits": (99.5, 99.4, 98.7, 98.7, 98.9, 98.9, 99.4),
    "primary-tumor": (71.5, 73.3, 65.8, 67.7, 67.9, 67.5, 72.7),
    "vote": (98.6, 96.5, 97.4, 97.7, 98.3, 98.4, 98.5),
    "yeast": (75.8, 79.6, 78.3, 78.3, 78.3, 78.3, 79.1),
}
LEAVES: Mapping[str, tuple[int, ...]] = {
    "audiology": (24, 24, 2, 2, 3, 3, 18),
    "pendigits": (254, 214, 36, 36, 42, 42, 126),
    "primary-tumor": (129, 79, 2, 2, 2, 2, 5),
    "vote": (21, 6, 3, 3, 6, 6, 6),
    "yeast": (447, 123, 6, 6, 6, 6, 23),
}
SKEWS = (1.0, 0.8, 0.65, 0.5)
"""How many cases of a class there are for each one of the class before."""
THRESHOLDS: tuple[int | None, ...] = (1, 3, 7, 15, 31, 63, None)
"""How many thresholds an attribute has in the experiment on the number of tests; None is all."""
REPORT_THRESHOLDS = 15
"""The number with which the trees on pendigits, of all seven approaches, are as large as in the report."""


def run(lab: Lab) -> Report:
    """Reproduce the experiments."""
    if lab.experiment == "skew":
        return _skew(lab)
    if lab.experiment == "tests":
        return _tests(lab)
    return _tables(lab)


def _learners(thresholds: int | None = None) -> dict[str, ProbabilityTreeClassifier]:
    return {
        name: ProbabilityTreeClassifier(approach=approach, max_thresholds=thresholds)
        for name, approach in METHODS.items()
    }


def _tables(lab: Lab) -> Report:
    sets = {
        name: with_unknown_as_value(data)
        for name, data in lab.sets([name for name in AUC if not (lab.quick and name == "pendigits")]).items()
    }
    result = lab.compare(sets, _learners(REPORT_THRESHOLDS), StratifiedFolds(10, 1))
    auc, leaves = 100 * result.means("auc"), result.means("leaves")
    likelihood = result.means("log-likelihood")
    report = Report(TITLE, result.protocol, lab.found, lab.lacking)
    rows = []
    for i, name in enumerate(sets):
        for j, method in enumerate(METHODS):
            measured = [*beside(AUC[name][j], float(auc[i, j]), 1), *beside(LEAVES[name][j], float(leaves[i, j]), 0)]
            rows.append([name, method, *measured, f"{likelihood[i, j]:.3f}"])
    columns = ["set", "method", *headed("expected AUC, %", "leaves"), "log-likelihood, ours"]
    report.sections.append(Section("Expected AUC and size", columns, rows, labels=2))
    report.sections.append(_wins(result))
    report.findings += _findings(result, sets)
    report.notes += [
        "The report does not tell what is done about unknown values. Its learner, Tilde, is a relational one, whose "
        "queries fail on what is not there; so here an unknown value is one more value. In fractions, as our learners "
        "do it by themselves, C4.4 would have seven times the report's leaves on vote.",
        f"Which thresholds Tilde tries on numbers is not recorded. Ours are {REPORT_THRESHOLDS} for each attribute, "
        "between bins of as many cases: with that number the trees on pendigits are as large as the report's, whatever "
        "the approach, and it was chosen for that. On yeast MDL, BIC and Chi then agree as well. With all thresholds "
        "C4.4 has 198 leaves on pendigits; `--experiment tests` shows how much it matters.",
        "yeast: the report's C4.5 prunes far more than ours, and than Quinlan's: with this criterion, all thresholds "
        "and branches of one case, our release 8 leaves 320 to 330 leaves of 460. About 123 leaves need a confidence "
        "of 0.07 in place of 0.25, or at least 3 cases in a branch; the AUC is then 78, still below the report's. That "
        "is also why BIC ranks as well as C4.5 here and not in the report. On the other sets the same pruning takes "
        "away about as much as in the report.",
        "primary-tumor has unknown values in three of every five cases. If they are imputed, C4.4, C4.5 and Chi have "
        "71.9, 74.1 and 71.8 %, closer to the report, but BIC 61.4 %, which is farther off.",
        "audiology: the report's unpruned tree has as many leaves as there are classes, 24, and ranks nearly without "
        "error. On the public set that is out of reach: with unknown values as one more value, in fractions or "
        "imputed, 1 to 5 cases in a branch, each leaf estimate, tests with many branches, and the AUC of all folds "
        "pooled, C4.4 has between 89.5 and 94.8 %; without the classes of fewer than 15 cases it has 96.1 %, but then "
        "BIC has as much. So the report's cases are likely to be others, or described by other attributes.",
        "In audiology many classes have one or two cases, so its AUC depends on how classes count that a fold lacks.",
        "Wins and losses are by the plain paired t-test over the folds, as in the report. It takes the folds for "
        "independent and so finds too many differences.",
        *warning_notes(result),
    ]
    report.details += [measure_table(result, m, "C4.5", test="paired") for m in ("auc", "log-likelihood", "leaves")]
    return report


def _wins(result: Comparison) -> Section:
    """Wins, ties and losses of each method against each other one."""
    rows = []
    for method in METHODS:
        totals = result.verdict("auc", method, test="paired").totals
        rows.append([method, *("" if o == method else str(t) for o, t in zip(METHODS, totals, strict=True))])
    title = (
        "Expected AUC: wins/ties/losses of the method above each column against that of the row (paired t-test, 5 %)"
    )
    return Section(title, ["", *METHODS], rows)


def _findings(result: Comparison, sets: Mapping[str, Dataset]) -> list[Finding]:
    places = {name: j for j, name in enumerate(METHODS)}
    auc, leaves = 100 * result.means("auc"), result.means("leaves")
    lean = [places[name] for name in ("MDLs", "MDLp", "BICs", "BICp")]
    findings = [
        Finding(
            "MDL and BIC trees are a small part of C4.4's (at most a third of its leaves)",
            bool((leaves[:, lean].max(axis=1) <= leaves[:, places["C4.4"]] / 3).all()),
            ", ".join(
                f"{name} {row[lean].max():.0f} of {row[places['C4.4']]:.0f}"
                for name, row in zip(sets, leaves, strict=True)
            ),
        ),
        Finding(
            "BIC ranks at least as well as MDL (within half a point)",
            bool((auc[:, places["BICs"]] >= auc[:, places["MDLs"]] - 0.5).all()),
        ),
    ]
    for i, (name, data) in enumerate(sets.items()):
        best = max(auc[i, places["C4.4"]], auc[i, places["C4.5"]])
        gap = float(best - auc[i, places["BICp"]])
        if data.schema.n_classes == 2:
            text = f"with two classes BIC ranks as well as C4.4 and C4.5 (within a point): {name}"
            findings.append(Finding(text, gap <= 1.0, f"{-gap:+.1f}"))
    many = [i for i, data in enumerate(sets.values()) if data.schema.n_classes > 5]
    if many:
        best = auc[np.ix_(many, [places["C4.4"], places["C4.5"]])].max(axis=1)
        gaps = best - auc[many, places["BICp"]]
        findings.append(
            Finding(
                "with many classes the better of C4.4 and C4.5 ranks better than BIC",
                bool((gaps > 0).all()),
                ", ".join(f"{list(sets)[i]} {g:+.1f}" for i, g in zip(many, gaps, strict=True)),
            )
        )
    return findings


def _sample(data: Dataset, ratio: float, n: int, seed: int) -> Dataset:
    """A sample in which each class has `ratio` times as many cases as the one before, as far as there are enough."""
    assert data.classes is not None
    rng = np.random.default_rng(seed)
    shares = ratio ** np.arange(data.schema.n_classes)
    rows = []
    for c, wanted in enumerate(np.rint(n * shares / shares.sum()).astype(int)):
        own = np.flatnonzero(data.classes == c)
        rows.append(rng.permutation(own)[: max(2, int(wanted))])
    return data.take(np.sort(np.concatenate(rows)))


def _skew(lab: Lab) -> Report:
    name = "pendigits"
    data = lab.sets([name], whole=True)[name]
    n = 600 if lab.quick else 2000
    sets = {f"{name}, {ratio:g}": _sample(data, ratio, n, seed=1) for ratio in SKEWS}
    result = lab.compare(sets, _learners(), StratifiedFolds(10, 1))
    report = Report(f"{TITLE}. Skew of the classes, as in Figure 6", result.protocol, lab.found, lab.lacking)
    auc = 100 * result.means("auc")
    rows = [[label, *(f"{v:.1f}" for v in row)] for label, row in zip(sets, auc, strict=True)]
    title = f"Expected AUC, %, of {n} cases, each class with so many times the cases of the one before"
    report.sections.append(Section(title, ["set", *METHODS], rows))
    c44, c45 = (list(METHODS).index(m) for m in ("C4.4", "C4.5"))
    first, last = (float(auc[i, c44] - auc[i, c45]) for i in (0, -1))
    report.findings.append(
        Finding(
            "with many classes, C4.4 is the better one if they are skewed, and C4.5 if they are not",
            first < 0 < last,
            f"C4.4 less C4.5: {first:+.2f} without skew, {last:+.2f} with most",
        )
    )
    report.notes.append("The report's figure is not quoted; this is an experiment in its style.")
    report.details.append(measure_table(result, "auc", "C4.5", test="paired"))
    return report


def _tests(lab: Lab) -> Report:
    sets = lab.sets(["yeast"] if lab.quick else ["yeast", "pendigits"])
    if "pendigits" in sets:
        sets["pendigits"] = _sample(sets["pendigits"], 1.0, 2000, seed=1)
    report = Report(f"{TITLE}. Number of tests, as in Figure 7", "", lab.found, lab.lacking)
    auc, leaves = {}, {}
    for k in THRESHOLDS:
        result = lab.compare(sets, _learners(thresholds=k), StratifiedFolds(10, 1))
        report.protocol = result.protocol
        auc[k], leaves[k] = 100 * result.means("auc"), result.means("leaves")
    for i, (name, data) in enumerate(sets.items()):
        n = sum(a.is_continuous for a in data.schema)
        for title, figures, digits in (("expected AUC, %", auc, 1), ("leaves", leaves, 0)):
            rows = [
                ["all" if k is None else str(k * n), *(f"{v:.{digits}f}" for v in figures[k][i])] for k in THRESHOLDS
            ]
            report.sections.append(Section(f"{name}: {title}, by the number of tests", ["tests", *METHODS], rows))
    report.notes += [
        "The report's figure is not quoted; this is an experiment in its style.",
        "MDL pays for every test that it chooses among, BIC does not.",
    ]
    return report


def with_unknown_as_value(data: Dataset) -> Dataset:
    """The cases with unknown discrete values replaced by a value of their own, ?."""
    attributes: list[Attribute] = []
    columns: list[Column | None] = []
    for attribute, column in zip(data.schema, data.columns, strict=True):
        if attribute.is_discrete and column is not None and (column < 0).any():
            columns.append(np.where(column < 0, np.int32(len(attribute.values)), column))
            attributes.append(Attribute(attribute.name, attribute.kind, (*attribute.values, "?")))
        else:
            columns.append(column)
            attributes.append(attribute)
    return Dataset(
        Schema(tuple(attributes), data.schema.classes), columns, data.classes, data.weights, n_cases=data.n_cases
    )
