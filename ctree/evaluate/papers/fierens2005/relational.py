"""Tables 2 to 7 of Fierens and others' report, of its sets of linked tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ctree.data.relational.data import RelationalData
from ctree.evaluate.papers.fierens2005.figures import LINKED, MARKS, METHODS, NOT_TO_BE_HAD, ROOT_TESTS
from ctree.evaluate.papers.fierens2005.notes import LINKED_NOTES
from ctree.evaluate.papers.fierens2005.setting import TITLE, ReportFolds, gap, relational_learners, stacked
from ctree.evaluate.papers.fierens2005.tables import (
    figures,
    figures_section,
    findings,
    marks_section,
    seconds,
    times_findings,
    times_section,
)
from ctree.evaluate.papers.fierens2005.trains import trains
from ctree.evaluate.papers.lab import Lab, warning_notes
from ctree.evaluate.papers.report import Finding, Report, Section, agreement, beside, headed
from ctree.evaluate.tables import measure_table
from ctree.learners.relational.classifier import RelationalTreeClassifier

STRUCTURE = ("atom", "bond")
"""What every set of molecules has, and the report's languages are likely to have."""
ONLY_STRUCTURE = ("carcinogenesis", "mutagenesis")
"""Sets that have other tables as well."""
MADE = "trains made here"
"""Always there, whatever the folder has."""
N_TRAINS = 25_000


class Entry(NamedTuple):
    """A row of the tables: the report's set, the examples, and the learners for them."""

    published: str
    data: RelationalData
    learners: dict[str, RelationalTreeClassifier]


def _entries(lab: Lab) -> dict[str, Entry]:
    result = {}
    for name, data in lab.linked_sets(LINKED).items():
        if name == "trains":
            result[f"{len(data):,} trains of the folder"] = Entry(name, data, relational_learners(forward=1))
        else:
            result[name] = Entry(name, data, relational_learners())
        if name in ONLY_STRUCTURE:
            result[f"{name}, atoms and bonds"] = Entry(name, data, only_structure(data))
    lab.lacking.extend(NOT_TO_BE_HAD)
    made = trains(2_000 if lab.quick else N_TRAINS, seed=1)
    result[MADE] = Entry("trains", made, relational_learners(forward=1))
    return result


def only_structure(data: RelationalData) -> dict[str, RelationalTreeClassifier]:
    """The learners with tests on atoms and bonds only."""
    schema = data.schema
    links = dict(schema.links) | {key.name: "none" for key in schema.foreign_keys if key.table not in STRUCTURE}
    own = schema.table(schema.target)
    compared = [column.name for column in own.columns if column.kind.value in ("discrete", "continuous")]
    constants = dict(schema.constants) | {f"{own.name}.{name}": False for name in compared}
    return relational_learners(links=links, constants=constants)


def tables(lab: Lab) -> Report:
    """Tables 2 to 7."""
    entries = _entries(lab)
    parts = {name: lab.compare({name: e.data}, e.learners, ReportFolds()) for name, e in entries.items()}
    result = stacked(list(parts.values()))
    published = {name: entry.published for name, entry in entries.items()}
    report = Report(f"{TITLE}. Sets of linked tables", result.protocol, lab.found, lab.lacking)
    report.sections += [_root_tests(entries), figures_section(result, published)]
    report.sections += [
        marks_section(result, published, reference, " on the report's sets, with all tables") for reference in MARKS
    ]
    ours = np.array([seconds(list(entry.learners.values()), entry.data, 3) for entry in entries.values()])
    report.sections.append(times_section(published, ours))
    report.figures += [figure for name in entries if name in lab.found for figure in figures(result, name, name)]
    for name, entry in entries.items():
        if name not in lab.found:
            (line,) = agreement(figures(result, name, entry.published))
            report.notes.append(f"{name}: {line}.")
    report.findings += [
        *findings(result, {name: entry.data.schema.n_classes for name, entry in entries.items()}),
        Finding.of_differences(
            "where classes are noisy, all rank better than C4.4 (on trains)",
            {m: gap(result, result.rows.index(MADE), m, "C4.4") for m in METHODS if m != "C4.4"},
            digits=1,
        ),
        *times_findings(ours),
    ]
    report.notes += [*LINKED_NOTES, *warning_notes(result)]
    report.details += [measure_table(result, m, "C4.5", test="paired") for m in ("auc", "log-likelihood", "leaves")]
    return report


def _root_tests(entries: Mapping[str, Entry]) -> Section:
    rows = []
    for name, entry in entries.items():
        tree = entry.learners["C4.4"].fit(entry.data).tree_
        sizes = [str(len(entry.data)), str(entry.data.schema.n_classes)]
        rows.append([name, *sizes, *beside(ROOT_TESTS[entry.published], float(tree.arrays.n_tests[0]), 0)])
    title = "Tests that the root is chosen from (Table 2)"
    return Section(title, ["set", "examples", "classes", *headed("tests")], rows)
