"""Fierens, Ramon, Blockeel and Bruynooghe 2005, Tables 2 to 7 and Figures 3 to 7: approaches to probability trees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ctree.data.dataset import Dataset
from ctree.evaluate.papers.fierens2005 import relational, trains_figures
from ctree.evaluate.papers.fierens2005.controlled import CONTROLLED
from ctree.evaluate.papers.fierens2005.figures import MARKS, PLAIN, ROOT_TESTS
from ctree.evaluate.papers.fierens2005.notes import TABLE_NOTES, TIME_NOTES
from ctree.evaluate.papers.fierens2005.setting import (
    TITLE,
    ReportFolds,
    learners,
    stacked,
    with_class_among_attributes,
)
from ctree.evaluate.papers.fierens2005.tables import (
    figures,
    figures_section,
    findings,
    marks_section,
    seconds,
    times_findings,
    times_section,
)
from ctree.evaluate.papers.lab import Lab, warning_notes
from ctree.evaluate.papers.report import Report, Section, agreement, beside, headed
from ctree.evaluate.papers.unknown_values import with_unknown_as_no, with_unknown_as_value
from ctree.evaluate.tables import measure_table

FURTHER = {
    **CONTROLLED,
    "relational": relational.tables,
    "trains-examples": trains_figures.examples,
    "trains-skew": trains_figures.skew,
}
EXPERIMENTS = ("times", *FURTHER)
THRESHOLDS: Mapping[str, int] = {"pendigits": 10, "yeast": 7}
"""Thresholds of equal width for each number: those that make the tests of the root as many as in the report."""
WITH_CLASS = "audiology and its class"
"""What is in the report under the name of audiology, by all that its figures show."""


class Entry(NamedTuple):
    """A row of the tables: the report's set, the cases, and the number of thresholds."""

    published: str
    data: Dataset
    thresholds: int | None


def run(lab: Lab) -> Report:
    """Reproduce the experiments."""
    if lab.experiment == "times":
        return _times(lab)
    return FURTHER[lab.experiment](lab) if lab.experiment else _tables(lab)


def _entries(lab: Lab, with_class: bool) -> dict[str, Entry]:
    """The report's sets that there are, encoded as it seems to have encoded them."""
    result = {}
    for name, data in lab.sets([name for name in PLAIN if not (lab.quick and name == "pendigits")]).items():
        data = with_unknown_as_no(data) if name == "vote" else with_unknown_as_value(data)
        result[name] = Entry(name, data, THRESHOLDS.get(name))
        if name == "audiology" and with_class:
            result[WITH_CLASS] = Entry(name, with_class_among_attributes(data), None)
    return result


def _tables(lab: Lab) -> Report:
    entries = _entries(lab, with_class=True)
    parts = {name: lab.compare({name: e.data}, learners(e.thresholds), ReportFolds()) for name, e in entries.items()}
    result = stacked(list(parts.values()))
    published = {name: entry.published for name, entry in entries.items()}
    report = Report(TITLE, result.protocol, lab.found, lab.lacking)
    report.sections += [_root_tests(entries), figures_section(result, published)]
    which = " without the class among the tests"
    report.sections += [marks_section(result, published, reference, which) for reference in MARKS]
    report.figures += [figure for name in lab.found for figure in figures(result, name, name)]
    report.findings += findings(result, {name: entries[name].data.schema.n_classes for name in lab.found})
    if WITH_CLASS in entries:
        (line,) = agreement(figures(result, WITH_CLASS, "audiology"))
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


def _times(lab: Lab) -> Report:
    entries = _entries(lab, with_class=False)
    protocol = f"one tree from the training cases of the first fold; {ReportFolds().describe()}"
    report = Report(f"{TITLE}. Time to build a tree, as in Table 7", protocol, lab.found, lab.lacking)
    ours = np.array([seconds(list(learners(e.thresholds).values()), e.data) for e in entries.values()])
    report.sections.append(times_section({name: name for name in entries}, ours))
    report.findings += times_findings(ours)
    report.notes += TIME_NOTES
    return report
