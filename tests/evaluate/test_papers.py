"""The papers' experiments, on small made-up sets under the names of theirs."""

from __future__ import annotations

import re

import numpy as np
import pytest
from support.problems import random_problem

import ctree
from ctree.cli.main import main
from ctree.errors import DataError
from ctree.evaluate.papers import cano2008, cestnik1990, fierens2005, nijssen2008, schetinin
from ctree.evaluate.papers.lab import Lab, joined
from ctree.evaluate.papers.report import Finding, Report, Section, beside, headed
from ctree.evaluate.protocols import Holdout, StratifiedFolds

SHAPES = {
    "lymph": (4, [3, 0, 2]),
    "hepatitis": (2, [0, 2, 2]),
    "vote": (2, [2, 3, 2]),
    "yeast": (7, [0, 0]),
    "pendigits": (10, [0, 0, 0]),
    "tic-tac-toe": (2, [3, 3, 3]),
    "credit-g": (2, [0, 3]),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("data")
    for seed, (name, (n_classes, n_values)) in enumerate(SHAPES.items()):
        data = random_problem(seed, 120, n_classes, n_values, unknown=0.05).dataset()
        ctree.write_c45(data, str(place / name))
    return place


def test_three_cells():
    assert beside(85.5, 85.32, 1) == ["85.5", "85.3", "-0.2"]
    assert beside(-0.79, -0.6, 2) == ["-0.79", "-0.60", "+0.19"]
    assert beside(None, 1.0, 0) == [".", "1", "."]
    assert beside(1.0, float("nan"), 1) == ["1.0", ".", "."]
    assert headed("leaves") == ["leaves: paper", "leaves: ours", "leaves: difference"]


def test_a_report_in_both_forms():
    report = Report(
        "A paper",
        "a protocol",
        ["a"],
        ["b", "c"],
        [Section("Accuracy", ["set", *headed("x"), "y"], [["a", "1", "2", "+1", "3"]])],
        [Finding("it is so", True), Finding("it is not", False, "by 3")],
        ["a note"],
    )
    assert report.to_text().splitlines() == [
        "A paper",
        "",
        "Protocol: a protocol",
        "Data sets: 1: a",
        "Not found: 2: b, c",
        "",
        "Accuracy",
        "     x",
        "set  paper  ours  difference  y",
        "a        1     2          +1  3",
        "",
        "Conclusions of the paper",
        "- holds: it is so",
        "- DOES NOT HOLD: it is not (by 3)",
        "",
        "Notes",
        "- a note",
    ]
    lines = report.to_markdown().splitlines()
    assert "| set | x: paper | x: ours | x: difference | y |" in lines
    assert "|" not in lines[0]
    assert "- DOES NOT HOLD: it is not (by 3)" in lines


def test_cestnik_has_the_figures_of_a_plain_loop(folder):
    report = cestnik1990.run(Lab(folder))
    assert (report.found, report.lacking) == (["lymph", "hepatitis"], ["breast-cancer", "primary-tumor"])
    data = ctree.read_c45(str(folder / "lymph"))
    (series,) = Holdout(0.3, 10, stratified=False).series(data.classes)
    for column, (name, j) in enumerate(cestnik1990.COLUMNS.items()):
        if name not in cestnik1990.ESTIMATES:
            continue
        scores = [
            ctree.NaiveBayesClassifier(estimate=name).fit(data.take(s.train)).score(data.take(s.test))
            for s in series.splits
        ]
        published = cestnik1990.PUBLISHED["lymph"][j]
        cells = report.sections[0].rows[0][1 + 3 * column : 4 + 3 * column]
        assert cells == beside(published, 100 * np.mean(scores), 1)


@pytest.mark.parametrize("estimate", cestnik1990.ESTIMATES)
def test_classes_that_no_training_case_has_may_be_left_out(estimate):
    """As if they were not declared."""
    data = random_problem(3, 60, 4, [2, 3, 0], noise=0.5).dataset()
    some = data.take(np.isin(data.classes, [0, 2]))
    declared = ctree.Schema(tuple(some.schema), (some.schema.classes[0], some.schema.classes[2]))
    alone = ctree.Dataset(declared, some.columns, (some.classes == 2).astype(np.int32), n_cases=some.n_cases)
    model = cestnik1990.SeenClassesNaiveBayes(estimate=estimate).fit(some)
    expected = np.zeros((data.n_cases, 4))
    expected[:, [0, 2]] = (
        ctree.NaiveBayesClassifier(estimate=estimate)
        .fit(alone)
        .predict_proba(ctree.Dataset(declared, data.columns, n_cases=data.n_cases))
    )
    assert model.predict_proba(data) == pytest.approx(expected)


def test_cano_has_every_column_of_the_tables(folder):
    report = cano2008.run(Lab(folder, quick=True))
    assert report.found == ["hepatitis", "lymph", "vote"]
    (section,) = report.sections
    assert [row[1] for row in section.rows] == list(cano2008.ENTRIES)
    assert [row[2] for row in section.rows][:3] == ["85.50", "85.30", "85.56"]
    assert all(len(row) == len(section.columns) for row in section.rows)
    assert all(sum(map(int, row[-1].split("/"))) == 3 for row in section.rows[1:])
    assert len(report.details) == 3
    assert len(cano2008.SETS) == len(set(cano2008.SETS)) == 27


def test_fierens_in_three_experiments(folder):
    report = fierens2005.run(Lab(folder, quick=True))
    assert (report.found, report.lacking) == (["vote", "yeast"], ["audiology", "primary-tumor"])
    assert [row[:2] for row in report.sections[0].rows][6:8] == [["vote", "Chi"], ["yeast", "C4.4"]]
    skew = fierens2005.run(Lab(folder, quick=True, experiment="skew"))
    assert len(skew.sections[0].rows) == len(fierens2005.SKEWS)
    tests = fierens2005.run(Lab(folder, quick=True, experiment="tests"))
    for section in tests.sections:
        assert [row[0] for row in section.rows] == [str(2 * k) if k else "all" for k in fierens2005.THRESHOLDS]


def test_unknown_as_one_more_value(folder):
    data = ctree.read_c45(str(folder / "vote"))
    other = fierens2005.with_unknown_as_value(data)
    for before, after, a, b in zip(data.columns, other.columns, data.schema, other.schema, strict=True):
        assert (after >= 0).all()
        if (before < 0).any():
            assert b.values == (*a.values, "?")
            assert ((after == len(a.values)) == (before < 0)).all()
        else:
            assert a == b


def test_skewed_samples_have_the_shares_they_should(folder):
    problem = random_problem(0, 3000, 3, [0, 0], noise=1.0).dataset()
    sample = fierens2005._sample(problem, 0.5, 700, seed=0)
    assert np.bincount(sample.classes).tolist() == [400, 200, 100]


def test_test_cases_are_joined_where_a_paper_takes_all(folder, tmp_path):
    data = ctree.read_c45(str(folder / "vote"))
    both = joined(data, data.take(slice(0, 7)))
    assert both.n_cases == 127
    assert both.classes.tolist() == [*data.classes.tolist(), *data.classes[:7].tolist()]
    for name in ("names", "data"):
        (tmp_path / f"house-votes-84.{name}").write_bytes((folder / f"vote.{name}").read_bytes())
    (tmp_path / "house-votes-84.test").write_bytes((folder / "vote.data").read_bytes())
    lab = Lab(tmp_path)
    assert lab.sets(["vote"])["vote"].n_cases == 120  # by another of its names
    assert lab.sets(["vote"], whole=True)["vote"].n_cases == 240


def test_nijssen_holds_the_average_against_the_map_tree(folder):
    pytest.importorskip("ctree.learners.lattice.bayes_optimal")
    pytest.importorskip("ctree.learners.lattice.optimal_tree")
    report = nijssen2008.run(Lab(folder, quick=True))
    assert report.found == ["tic-tac-toe", "vote"]
    assert [len(section.rows) for section in report.sections] == [3, 3]
    assert len(report.findings) == 4


def test_schetinin_has_both_strategies(folder, monkeypatch):
    pytest.importorskip("ctree.learners.mcmc.classifier")
    monkeypatch.setattr(schetinin, "QUICK", {"burn_in": 200, "samples": 100})
    report = schetinin.run(Lab(folder, quick=True))
    assert (report.found, report.lacking) == (["XOR3 (made up)", "credit-g"], ["australian"])
    rows = report.sections[0].rows
    assert [row[1] for row in rows] == 2 * list(schetinin.STRATEGIES)
    assert [row[2] for row in rows if row[0] == "XOR3"] == [*(2 * ["11.3 ± 7.0"]), *(2 * ["3.4 ± 0.2"]), ".", "."]
    shares = [[float(row[c].split()[0]) for c in (7, 9, 11)] for row in rows]
    assert all(abs(sum(three) - 100) < 0.2 for three in shares)  # right, uncertain, wrong
    assert all(0 < float(row[13].split()[0]) < 100 for row in rows)
    assert [row[2][-4:] for row in report.sections[1].rows] == 8 * ["of 6"]


def test_xor3():
    data = schetinin.xor3()
    product = data.columns[0] * data.columns[1]
    assert ((product > 0) == (data.classes == 1)).all()
    assert data.n_cases == 1000


def test_the_true_model_of_xor3_is_nearly_always_right():
    # The error on new cases of thresholds in the middle of their gaps is 1.5 / n.
    accuracies = [schetinin.true_model_accuracy(schetinin.xor3(seed=s), StratifiedFolds(5, 1)) for s in range(40)]
    errors = 1 - np.array(accuracies)
    assert abs(errors.mean() - 1.5 / 800) < 4 * errors.std(ddof=1) / np.sqrt(40)


def test_the_command_prints_the_report_and_goes_on(folder, tmp_path, capsys):
    words = ["reproduce", "cestnik1990", "--data", str(folder), "--cache", str(tmp_path)]
    assert main(words) == 0
    first = capsys.readouterr()
    assert first.err == ""
    assert first.out.startswith("B. Cestnik.")
    assert re.search(r"^lymph +79\.0 ", first.out, re.MULTILINE)
    assert (tmp_path / "results.jsonl").read_bytes().count(b"\n") == 80
    assert main(words) == 0
    assert capsys.readouterr().out == first.out
    assert (tmp_path / "results.jsonl").read_bytes().count(b"\n") == 80
    assert main([*words, "--format", "markdown", "--details"]) == 0
    assert "| lymph | 79.0 |" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["cestnik1990", "--data", "nowhere"], "nowhere: there is no such directory"),
        (["cestnik1990", "--data", "."], "none of the paper's data sets was found: lymph, hepatitis"),
        (["cestnik1990", "--data", ".", "--experiment", "skew"], "cestnik1990 has none"),
        (["fierens2005", "--data", ".", "--experiment", "x"], "fierens2005 has skew, tests"),
        (["all", "--data", ".", "--experiment", "skew"], "needs one paper"),
    ],
)
def test_what_is_wrong_is_one_sentence(words, sentence, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["reproduce", *words, "--no-cache"]) == 1
    answer = capsys.readouterr()
    assert answer.err.count("\n") == 1
    assert sentence in answer.err


def test_none_of_the_sets(tmp_path):
    with pytest.raises(DataError, match="none of the paper's data sets"):
        Lab(tmp_path).sets(["iris"])
