"""The papers' experiments, on small made-up sets under the names of theirs."""

from __future__ import annotations

import re

import numpy as np
import pytest
from support.problems import random_problem

import ctree
from ctree.cli.main import main
from ctree.errors import DataError
from ctree.evaluate.papers import cestnik1990, schetinin
from ctree.evaluate.papers.cano2008 import experiments as cano2008
from ctree.evaluate.papers.lab import Lab, joined
from ctree.evaluate.papers.report import (
    RULE,
    Difference,
    Figure,
    Finding,
    Report,
    Section,
    agreement,
    average_over_sets,
    beside,
    headed,
    over_sets,
    over_splits,
)
from ctree.evaluate.protocols import Holdout, StratifiedFolds
from ctree.evaluate.significance import corrected_t, paired_t

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


def test_a_mean_difference_has_the_standard_error_of_its_t_test():
    rng = np.random.default_rng(0)
    values = rng.normal(0.3, 1.0, 20)
    for difference, test in (
        (over_sets(values), paired_t(values)),
        (over_splits(values, 1 / 9), corrected_t(values, 1 / 9)),
    ):
        assert difference.mean == pytest.approx(values.mean())
        assert difference.mean / difference.error == pytest.approx(test.t)
    with_gaps = np.append(values, np.nan)
    assert over_sets(with_gaps) == over_sets(values)
    assert np.isnan(over_sets([1.0]).error)
    assert np.isnan(over_sets([]).mean)
    other = rng.normal(0.1, 2.0, 20)
    both = average_over_sets([values, other], [1 / 9, 1 / 4])
    variances = [values.var(ddof=1) * (1 / 20 + 1 / 9), other.var(ddof=1) * (1 / 20 + 1 / 4)]
    assert both == pytest.approx(((values.mean() + other.mean()) / 2, np.sqrt(sum(variances)) / 2))


def test_a_conclusion_is_decided_only_beyond_two_standard_errors():
    clear, vague, other = Difference(0.3, 0.1), Difference(0.1, 0.1), Difference(-0.3, 0.1)
    alone = Difference(5.0, float("nan"))
    for differences, mark, holds in (
        ([clear], 0.0, True),
        ([clear, clear], 0.0, True),
        ([clear], 0.2, None),
        ([clear], 0.6, False),
        ([clear, vague], 0.0, None),
        ([clear, vague, other], 0.0, False),
        ([vague], -0.2, True),
        ([alone], 0.0, None),
        ([], 0.0, None),
    ):
        finding = Finding.of_differences("so", {str(i): d for i, d in enumerate(differences)}, mark)
        assert finding.holds is holds
    assert str(Finding.of_differences("it is so", {"x": alone, "": vague}, digits=1)) == (
        "not decided: it is so (x +5.0 ± ?, +0.1 ± 0.1)"
    )
    report = Report("A paper", "a protocol", findings=[Finding("it is so", True, "1 ± 2")])
    assert RULE not in report.to_text()
    report.findings.append(Finding.of_differences("it is", {"x": clear}))
    assert report.to_text().splitlines()[-1] == RULE
    assert RULE in report.to_markdown().splitlines()


def test_figures_agree_within_the_deviation_that_the_paper_states_or_else_our_error():
    figures = [
        Figure("accuracy", 80.0, 80.9, 1.0),
        Figure("accuracy", 80.0, 81.1, 1.0),
        Figure("accuracy", 80.0, 81.1, 1.0, deviation=2.0),
        Figure("leaves", 20.0, 25.0, 9.0, deviation=2.0),
        Figure("leaves", 20.0, float("nan"), 9.0),
    ]
    assert [f.agrees for f in figures] == [True, False, True, False, False]
    lines = [
        "1 of 2 figures within the deviation that the paper states: accuracy 1 of 1, leaves 0 of 1",
        "1 of 2 figures within one standard error of ours: accuracy 1 of 2",
    ]
    assert agreement(figures) == lines
    report = Report("A paper", "a protocol", figures=figures)
    assert report.to_text().splitlines()[-3:] == ["Agreement", *(f"- {line}" for line in lines)]
    assert report.to_markdown().splitlines()[-2:] == [f"- {line}" for line in lines]


def test_cestnik_has_the_figures_of_a_plain_loop(folder):
    report = cestnik1990.run(Lab(folder, quick=True))
    assert (report.found, report.lacking) == (["lymph", "hepatitis"], ["breast-cancer", "primary-tumor"])
    data = ctree.read_c45(str(folder / "lymph"))
    (series,) = Holdout(0.3, 20, stratified=False).series(data.classes)
    for column, (name, j) in enumerate(cestnik1990.COLUMNS.items()):
        if name not in cestnik1990.ESTIMATES:
            continue
        scores = 100 * np.array(
            [
                ctree.NaiveBayesClassifier(estimate=name).fit(data.take(s.train)).score(data.take(s.test))
                for s in series.splits
            ]
        )
        published = cestnik1990.PUBLISHED["lymph"][j]
        cells = report.sections[0].rows[0][1 + 3 * column : 4 + 3 * column]
        assert cells == beside(published, scores.mean(), 1)
        tens = sorted([scores[:10].mean(), scores[10:].mean()])
        spread = [f"{scores.mean():.1f} ± {scores.std(ddof=1):.1f}", *(f"{ten:.1f}" for ten in tens)]
        assert report.sections[1].rows[column][:6] == ["lymph", name, f"{published:.1f}", *spread]
        figure = next(f for f in report.figures if f.kind == name and f.published == published)
        assert (figure.ours, figure.error) == pytest.approx((scores.mean(), scores.std(ddof=1) / np.sqrt(10)))
    assert len(report.figures) == 8


def test_cestniks_laplace_predicts_the_same_with_his_denominators():
    """(n + 1) / (N + 2) for every class, though these do not add up to 1."""
    problem = random_problem(5, 80, 4, [2, 3, 4], unknown=0.1)
    data = problem.dataset()
    predicted = ctree.NaiveBayesClassifier(estimate="laplace").fit(data).predict_proba(data).argmax(axis=1)
    for case in range(data.n_cases):
        scores = []
        for c in range(4):
            prior = ((data.classes == c).sum() + 1) / (data.n_cases + 2)
            score = prior
            for column in data.columns:
                if column[case] >= 0:
                    same = column == column[case]
                    score *= ((same & (data.classes == c)).sum() + 1) / (same.sum() + 2) / prior
            scores.append(score)
        assert scores[predicted[case]] == pytest.approx(max(scores))


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
    averages, pairings = report.sections
    assert [row[1] for row in averages.rows] == list(cano2008.ENTRIES)
    assert [row[2] for row in averages.rows][:4] == ["85.50", "84.08", "85.30", "85.56"]
    for section in report.sections:
        assert all(len(row) == len(section.columns) for row in section.rows)
    assert len(pairings.rows) == 24
    assert all(sum(map(int, row[c].split("/"))) == 3 for row in pairings.rows for c in (4, 6, 7))
    assert not report.figures  # of other sets than the paper's 27
    assert len(report.details) == 3
    assert len(cano2008.SETS) == len(set(cano2008.SETS)) == 27


def test_cano_has_the_figures_of_a_plain_loop(folder):
    report = cano2008.run(Lab(folder, quick=True))
    learner = ctree.BayesianTreeClassifier(prior_weight=2.0, bins=None, averaging="none", uniform_prior=True)
    accuracy, likelihood, nodes = [], [], []
    for name in ("hepatitis", "lymph", "vote"):
        data = ctree.read_c45(str(folder / name))
        (series,) = StratifiedFolds(10, 1).series(data.classes)
        for split in series.splits:
            train, test = cano2008.PREPARATION.prepared(data.take(split.train), data.take(split.test))
            p = learner.fit(train).predict_proba(test)
            accuracy.append(100 * (p.argmax(axis=1) == test.classes).mean())
            likelihood.append(np.log(p[np.arange(test.n_cases), test.classes]).mean())
            nodes.append(learner.tree_.n_nodes)
    every = []
    for name in ("hepatitis", "lymph", "vote"):
        data = ctree.read_c45(str(folder / name))
        every.append(learner.fit(cano2008.PREPARATION.prepared(data, data)[0]).tree_.n_nodes)
    (row,) = (row for row in report.sections[0].rows if row[1] == "S=2")
    assert float(row[13]) == pytest.approx(np.mean(every), abs=0.06)
    ours = [np.mean(accuracy), np.mean(likelihood), np.mean(likelihood) / np.log(2), np.mean(nodes)]
    assert [float(row[c]) for c in (3, 6, 8, 11)] == pytest.approx(ours, abs=0.06)


def test_canos_figures_are_those_of_the_paper_and_again_by_our_reading(folder):
    result = cano2008._compared(Lab(folder, quick=True), Lab(folder).sets(["hepatitis", "lymph"]))
    sizes = {name: float(place) for place, name in enumerate(cano2008.ENTRIES)}
    figures = cano2008._figures(result, sizes)
    plain = [f for f in figures if not f.reading]
    assert [sum(f.kind == kind for f in plain) for kind in cano2008.MEASURES] == [14, 14, 8]
    read = {kind: [f for f in figures if f.reading and f.kind == kind] for kind in cano2008.MEASURES}
    for kind, others in read.items():
        assert [f.published for f in others] == [f.published for f in plain if f.kind == kind and kind != "accuracy"]
    assert read["nodes"][0].ours == sizes["C4.5"]
    means = result.means("log-likelihood").mean(axis=0)
    names = [name for name in cano2008.ENTRIES if not name.endswith("Laplace")]
    for name, figure in zip(names, read["log-likelihood"], strict=True):
        assert figure.ours == pytest.approx(means[result.learners.index(cano2008.laplace(name))] / np.log(2))
    errors = [
        over_splits(result.scores["log-likelihood"][row, 0], float(result.test_ratios[row])).error for row in range(2)
    ]
    assert next(f for f in plain if f.kind == "log-likelihood").error == pytest.approx(np.hypot(*errors) / 2)


def test_canos_variants(folder, tmp_path):
    whole = cano2008.run(Lab(folder, quick=True, experiment="whole"))
    assert whole.protocol.endswith("unknown values imputed, numbers in 5 bins of equal frequency, by all cases")
    assert [row[1] for row in whole.sections[0].rows] == list(cano2008.ENTRIES)
    labels = ["build wind float", "build wind non-float", "vehic wind float", "containers", "headlamps"]
    data = random_problem(3, 120, 5, [0, 0]).dataset()
    data = ctree.Dataset(ctree.Schema(data.schema.attributes, tuple(labels)), data.columns, data.classes)
    ctree.write_c45(data, str(tmp_path / "glass"))
    lab = Lab(tmp_path, quick=True, experiment="readings")
    report = cano2008.run(lab)
    (section,) = report.sections
    counts = np.bincount(data.classes)
    cases = [counts[:3].sum(), counts[:2].sum(), 120, 120]
    assert [row[:4] for row in section.rows[:-1]] == [
        ["glass-2", name, str(n), str(c)]
        for name, n, c in zip(("glass-2", *cano2008.READINGS["glass-2"]), cases, (2, 2, 2, 5), strict=True)
    ]
    assert section.rows[0][4] == section.rows[0][5]  # the average over one set
    float_glass = Lab(tmp_path).sets(["glass-2"])["glass-2"]
    assert float_glass.schema.classes == ("float", "non-float")
    assert np.bincount(float_glass.classes).tolist() == [counts[0] + counts[2], counts[1]]


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
    # Four differences, each with its standard error over the folds; the first is that of the sizes on XOR3.
    compared = [finding for finding in report.findings if finding.by_error]
    assert len(compared) == 4
    means = [float(row[3].split()[0]) for row in rows if row[0] == "XOR3" and row[1] in ("standard", "sweeping")]
    assert float(compared[0].detail.split()[1]) == pytest.approx(means[0] - means[1], abs=0.11)
    mean, error = (float(compared[0].detail.split()[i]) for i in (1, 3))
    assert compared[0].holds is (None if abs(mean) < 1.9 * error else mean > 0)


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
    words = ["reproduce", "cestnik1990", "--data", str(folder), "--quick", "--cache", str(tmp_path)]
    assert main(words) == 0
    first = capsys.readouterr()
    assert first.err == ""
    assert first.out.startswith("B. Cestnik.")
    assert re.search(r"^lymph +79\.0 ", first.out, re.MULTILINE)
    kept = (tmp_path / "results.jsonl").read_bytes()
    assert 160 < kept.count(b"\n") <= 320  # a stratified split may be a random one as well
    assert main(words) == 0
    assert capsys.readouterr().out == first.out
    assert (tmp_path / "results.jsonl").read_bytes() == kept
    assert main([*words, "--format", "markdown", "--details"]) == 0
    assert "| lymph | 79.0 |" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["cestnik1990", "--data", "nowhere"], "nowhere: there is no such directory"),
        (["cestnik1990", "--data", "."], "none of the paper's data sets was found: lymph, hepatitis"),
        (["cestnik1990", "--data", ".", "--experiment", "skew"], "cestnik1990 has none"),
        (["fierens2005", "--data", ".", "--experiment", "x"], "fierens2005 has times, classes, examples, skew, tests"),
        (["all", "--data", ".", "--experiment", "skew"], "needs one paper"),
    ],
)
def test_what_is_wrong_is_one_sentence(words, sentence, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["reproduce", *words, "--no-cache"]) == (2 if "--experiment" in words else 1)
    answer = capsys.readouterr()
    assert answer.err.count("\n") == 1
    assert sentence in answer.err


def test_none_of_the_sets(tmp_path):
    with pytest.raises(DataError, match="none of the paper's data sets"):
        Lab(tmp_path).sets(["iris"])
