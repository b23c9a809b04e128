"""The experiments of Fierens and others, on small made-up sets under the names of theirs, and how they are prepared."""

from __future__ import annotations

import numpy as np
import pytest
from support.problems import random_problem

import ctree
from ctree.evaluate.papers.fierens2005 import experiments as fierens2005
from ctree.evaluate.papers.fierens2005.controlled import as_tests, one_against_others, with_attributes
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
from ctree.evaluate.papers.fierens2005.setting import (
    ReportFolds,
    change,
    gap,
    learners,
    sample,
    stacked,
    with_class_among_attributes,
    with_fewer_classes,
)
from ctree.evaluate.papers.lab import Lab
from ctree.evaluate.papers.unknown_values import with_unknown_as_no, with_unknown_as_value
from ctree.evaluate.protocols import StratifiedFolds

SHAPES = {
    "audiology": (5, [2, 3, 2], 120),
    "vote": (2, [2, 3, 2], 120),
    "yeast": (7, [0, 0], 520),
    "pendigits": (10, [0, 0, 0], 600),
    "soybean": (9, [2, 3, 4], 200),
    "letter": (10, [0, 0], 1500),
    "adult": (2, [0, 3], 1500),
    "credit-g": (2, [0, 3, 4, 0, 5, 6, 0, 7], 150),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("data")
    for seed, (name, (n_classes, n_values, n)) in enumerate(SHAPES.items()):
        data = random_problem(seed, n, n_classes, n_values, unknown=0.05).dataset()
        names = [str(c) for c in data.schema.classes]
        schema = ctree.Schema(tuple(data.schema), ("H", *names[1:]) if name == "letter" else tuple(names))
        ctree.write_c45(ctree.Dataset(schema, data.columns, data.classes), str(place / name))
    return place


def test_the_published_tables_are_complete():
    for table in (AUC, AUC_DEVIATIONS, LEAVES, LEAF_DEVIATIONS, SECONDS, *MARKS.values()):
        assert list(table) == list(ROOT_TESTS)
        assert {len(row) for row in table.values()} == {len(METHODS)}
    for reference, marks in MARKS.items():
        assert all(row.index(".") == list(METHODS).index(reference) for row in marks.values())


def test_tables(folder):
    report = fierens2005.run(Lab(folder, quick=True))
    assert (report.found, report.lacking) == (["audiology", "vote", "yeast"], ["primary-tumor"])
    tests, figures, *marks = report.sections
    assert [row[0] for row in tests.rows] == ["audiology", fierens2005.WITH_CLASS, "vote", "yeast"]
    assert [row[:2] for row in figures.rows][20:22] == [["vote", "Chi"], ["yeast", "C4.4"]]
    assert len(report.figures) == 3 * 2 * len(METHODS)  # not those with the class among the tests
    assert [len(section.rows) for section in marks] == [4, 4]
    assert all(len(row) == len(section.columns) for section in report.sections for row in section.rows)


def test_the_figures_are_those_of_a_plain_loop(folder):
    report = fierens2005.run(Lab(folder, quick=True))
    data = with_unknown_as_no(ctree.read_c45(str(folder / "vote")))
    (series,) = StratifiedFolds(3, 5, 1).series(data.classes)
    sizes = [
        ctree.ProbabilityTreeClassifier(approach="c4.5", subtree_raising=False)
        .fit(data.take(split.train))
        .tree_.n_leaves
        for split in series.splits
    ]
    (row,) = [row for row in report.sections[1].rows if row[:2] == ["vote", "C4.5"]]
    assert row[5:7] == ["6 ± 3", f"{np.mean(sizes):.0f} ± {np.std(sizes, ddof=1):.0f}"]


def test_times(folder):
    report = fierens2005.run(Lab(folder, quick=True, experiment="times"))
    assert [row[0] for row in report.sections[0].rows][:: len(METHODS)] == ["audiology", "vote", "yeast"]
    assert len(report.findings) == 2


@pytest.mark.parametrize(
    ("experiment", "rows"),
    [
        ("classes", ["soybean, 3", "soybean, 5", "soybean, 8", "soybean, 9"]),
        ("examples", ["letter, H or not (1000)"]),
        ("skew", [f"adult, {share}%" for share in (50, 70, 80, 90, 95, 98)]),
    ],
)
def test_controlled_experiments(folder, experiment, rows):
    report = fierens2005.run(Lab(folder, quick=True, experiment=experiment))
    assert [[row[0] for row in section.rows] for section in report.sections] == [rows, rows]
    assert report.findings
    assert report.notes


def test_fewer_tests_are_drawn_twice_and_all_of_them_once(folder):
    lab = Lab(folder, quick=True, experiment="tests")
    report = fierens2005.run(lab)
    data = as_tests(ctree.read_c45(str(folder / "credit-g")), thresholds=15)
    for section in report.sections:
        assert [row[0] for row in section.rows] == [f"credit-g, {n}" for n in (5, 10, 20, 40, len(data.schema))]
    (few,) = [row for row in report.sections[1].rows if row[0] == "credit-g, 10"]
    sizes = []
    for draw in (0, 1):
        drawn = with_attributes(data, np.sort(np.random.default_rng(draw).permutation(len(data.schema))[:10]).tolist())
        for split in StratifiedFolds(10, 1).series(data.classes)[0].splits:
            sizes.append(learners()["C4.4"].fit(drawn.take(split.train)).tree_.n_leaves)
    assert few[1] == f"{np.mean(sizes):.1f}"


def test_folds_below_and_from_500_cases():
    few, many = (ReportFolds().series(np.arange(n, dtype=np.int32) % 2)[0].splits for n in (499, 500))
    assert [len(split.test) for split in few] == 5 * [167, 166, 166]
    assert [len(split.test) for split in many] == 10 * [50]


def test_unknown_as_one_more_value(folder):
    data = ctree.read_c45(str(folder / "vote"))
    other = with_unknown_as_value(data)
    for before, after, a, b in zip(data.columns, other.columns, data.schema, other.schema, strict=True):
        assert (after >= 0).all()
        if (before < 0).any():
            assert b.values == (*a.values, "?")
            assert ((after == len(a.values)) == (before < 0)).all()
        else:
            assert a == b


def test_an_unknown_answer_is_a_no():
    data = ctree.from_arrays({"x": ["y", None, "n"], "z": ["a", "b", None]}, ["p", "q", "q"])
    other = with_unknown_as_no(data)
    assert [attribute.values for attribute in other.schema] == [("n", "y"), ("a", "b", "?")]
    assert [column.tolist() for column in other.columns] == [[1, 0, 0], [0, 1, 2]]


def test_with_its_class_a_tree_needs_no_other_test():
    data = with_class_among_attributes(random_problem(2, 90, 4, [0, 3], noise=1.0).dataset())
    tree = learners()["C4.4"].fit(data).tree_
    assert set(tree.attribute.tolist()) == {-1, 2}
    assert tree.n_leaves == 4


def test_the_two_least_frequent_classes_become_one():
    counts = {"a": 6, "b": 1, "c": 4, "d": 2, "e": 3}
    labels = [name for name, n in counts.items() for _ in range(n)]
    data = ctree.from_arrays({"x": list(range(len(labels)))}, labels)
    steps = [with_fewer_classes(data, n) for n in (5, 4, 3, 2)]
    found = [dict(zip(step.schema.classes, np.bincount(step.classes).tolist(), strict=True)) for step in steps]
    assert found == [
        counts,
        {"a": 6, "b+d": 3, "c": 4, "e": 3},
        {"a": 6, "b+d+e": 6, "c": 4},
        {"a+c": 10, "b+d+e": 6},
    ]


def test_samples_have_the_shares_they_should():
    data = random_problem(0, 3000, 3, [0, 0], noise=1.0).dataset()
    assert np.bincount(sample(data, [4, 2, 1], 700, seed=0).classes).tolist() == [400, 200, 100]
    assert np.bincount(sample(data, [1, 0, 0], 30, seed=0).classes).tolist() == [30, 2, 2]


def test_one_class_against_the_others(folder):
    data = ctree.read_c45(str(folder / "letter"))
    other = one_against_others(data, "H")
    assert other.labels == ["H" if label == "H" else "other" for label in data.labels]
    with pytest.raises(ctree.errors.DataError, match="no class 'Z'"):
        one_against_others(data, "Z")


def test_every_test_as_an_attribute():
    data = ctree.from_arrays(
        {"x": [0.0, 1.0, 4.0, None], "y": ["a", "b", "c", "a"], "z": ["n", "y", None, "n"]}, list("abab")
    )
    tests = as_tests(data, thresholds=3)
    assert tests.schema.names == ("x <= 1", "y = a", "y = b", "y = c", "z = n")
    assert [column.tolist() for column in tests.columns][:2] == [[1, 1, 0, 0], [1, 0, 0, 1]]
    assert with_attributes(tests, [1, 4]).schema.names == ("y = a", "z = n")


def test_stacked_comparisons_keep_every_score():
    sets = {str(n): random_problem(n, n, 2, [0, 3]).dataset() for n in (60, 90)}
    methods = {name: learners()[name] for name in ("C4.4", "BICs")}
    parts = [
        ctree.compare({"60": sets["60"]}, methods, protocol=StratifiedFolds(2, 1)),
        ctree.compare({"90": sets["90"]}, methods, protocol=StratifiedFolds(3, 1)),
    ]
    both = stacked(parts)
    assert both.rows == ["60", "90"]
    for i, part in enumerate(parts):
        for measure in ("auc", "leaves"):
            assert both.means(measure)[i].tolist() == part.means(measure)[0].tolist()
    first, second = (part.scores["leaves"][0, 0] for part in parts)
    assert gap(both, 1, "C4.4", "BICs", "leaves").mean == pytest.approx(
        np.mean(second - parts[1].scores["leaves"][0, 1])
    )
    moved = change(both, 0, 1, "C4.4", "leaves")
    assert moved.mean == pytest.approx(second.mean() - first.mean())
    errors = [(1 / 2 + 1) * first.var(ddof=1), (1 / 3 + 1 / 2) * second.var(ddof=1)]
    assert moved.error == pytest.approx(np.sqrt(sum(errors)))
