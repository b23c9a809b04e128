"""Comparisons: shared splits, preparation within them, results on disk, tables."""

from __future__ import annotations

import csv
import io
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from support.problems import random_problem

import ctree
from ctree.errors import DataError, MissingExtraError, ParameterError
from ctree.evaluate import comparison as comparison_module
from ctree.evaluate.cache import CacheError, ResultCache, data_digest
from ctree.evaluate.candidates import Candidate, parsed_candidates
from ctree.evaluate.comparison import compare
from ctree.evaluate.preparation import Preparation
from ctree.evaluate.protocols import LearningCurve, StratifiedFolds
from ctree.evaluate.significance import corrected_t, friedman, paired_t
from ctree.evaluate.tables import csv_text, measure_table
from ctree.evaluate.trial import TrialError

PROTOCOL = StratifiedFolds(folds=3, repeats=2)
TIMES = ("fit-seconds", "predict-seconds")


@pytest.fixture(scope="module")
def sets():
    kinds = ([3, 0, 2], [0, 0, 4, 2], [2, 2, 0])
    return {f"set{i}": random_problem(i, 60, 3, k, unknown=0.1).dataset() for i, k in enumerate(kinds)}


@pytest.fixture
def learners():
    return {
        "c4.5": ctree.C45Classifier(estimate="laplace"),
        "frequency": ctree.C45Classifier(prune=False),
        "bayesian": ctree.BayesianTreeClassifier(),
        "naive Bayes": ctree.NaiveBayesClassifier(),
    }


@pytest.fixture
def result(sets, learners):
    return compare(sets, learners, protocol=PROTOCOL)


def test_a_comparison_says_in_a_line_what_it_is(result):
    begin = "<Comparison of c4.5, frequency, bayesian, naive Bayes on set0, set1, set2: accuracy, log-likelihood"
    assert repr(result).startswith(begin)
    assert "array" not in repr(result)


def same_scores(first, second):
    for name, values in first.scores.items():
        if name not in TIMES:
            np.testing.assert_array_equal(values, second.scores[name])


def test_scores_are_those_of_a_plain_loop(sets, learners, result):
    for i, data in enumerate(sets.values()):
        for run, split in enumerate(PROTOCOL.series(data.classes)[0].splits):
            train, test = data.take(split.train), data.take(split.test)
            for j, learner in enumerate(learners.values()):
                model = type(learner)(**learner.get_params()).fit(train)
                assert result.scores["accuracy"][i, j, run] == model.score(test)
                chosen = model.predict_proba(test)[np.arange(test.n_cases), test.classes]
                if (chosen > 0).all():
                    assert result.scores["log-likelihood"][i, j, run] == pytest.approx(np.log(chosen).mean())
                assert result.scores["zeros"][i, j, run] == (chosen == 0).sum()
                if hasattr(model, "tree_"):
                    assert result.scores["leaves"][i, j, run] == model.tree_.n_leaves
                else:
                    assert np.isnan(result.scores["leaves"][i, j, run])


def test_the_verdict_is_that_of_the_tests(result):
    for test, expected in (("corrected", lambda d: corrected_t(d, result.test_ratios[1])), ("paired", paired_t)):
        verdict = result.verdict("brier", "bayesian", test=test, significance=0.3)
        scores = result.scores["brier"][1]
        for j in (0, 1, 3):
            wanted = expected(scores[j] - scores[2])
            assert verdict.p[1, j] == wanted.p
            # less is better
            assert verdict.outcomes[1, j] == (-np.sign(wanted.mean) if wanted.p < 0.3 else 0)
        assert np.isnan(verdict.p[:, 2]).all()
        assert [sum(total) for total in verdict.totals] == [3, 3, 0, 3]


def test_test_ratios_are_means_over_the_splits(sets, result):
    splits = PROTOCOL.series(sets["set0"].classes)[0].splits
    assert result.test_ratios[0] == np.mean([len(s.test) / len(s.train) for s in splits])


def test_friedman_over_the_sets(result):
    expected = friedman(-np.round(result.means("brier"), 12))
    assert result.friedman("brier").ranks.tolist() == expected.ranks.tolist()


def test_preparation_looks_at_training_cases_only():
    schema = ctree.Schema(
        (ctree.Attribute("x", ctree.Kind.CONTINUOUS), ctree.Attribute("d", ctree.Kind.DISCRETE, ("a", "b"))), ("n", "y")
    )
    train = ctree.Dataset(schema, [[1.0, 2.0, 3.0, np.nan], [0, 1, 1, -1]], [0, 0, 1, 1])
    test = ctree.Dataset(schema, [[np.nan, 100.0], [-1, 0]], [0, 1])
    filled, tested = Preparation(impute=True).prepared(train, test)
    assert filled.columns[0].tolist() == [1, 2, 3, 2]
    assert (tested.columns[0].tolist(), tested.columns[1].tolist()) == ([2, 100], [1, 0])
    _, tested = Preparation(impute=True, bins=2).prepared(train, test)
    assert tested.schema[0].values == ("(-inf, 2]", "(2, inf)")
    assert tested.columns[0].tolist() == [0, 1]
    assert Preparation(True, 5).describe() == "unknown values imputed, numbers in 5 bins of equal frequency"


def test_learning_curves_have_a_row_for_every_size(sets, learners):
    curve = LearningCurve((10, 30), repeats=2)
    result = compare({"s": sets["set0"]}, learners, protocol=curve)
    assert result.rows == ["s (10)", "s (30)"]
    assert result.scores["accuracy"].shape == (2, 4, 2)
    assert result.friedman("accuracy") is None  # the rows are not independent


def test_results_on_disk_are_taken_and_nothing_changes(sets, learners, result, tmp_path, monkeypatch):
    first = compare(sets, learners, protocol=PROTOCOL, cache=ResultCache(tmp_path))
    same_scores(first, result)
    total = 3 * 4 * 6
    assert (first.reused, len(ResultCache(tmp_path))) == (0, total)

    def never(*args):
        raise AssertionError("it was to be taken from disk")

    monkeypatch.setattr(comparison_module, "run_trial", never)
    again = compare(sets, learners, protocol=PROTOCOL, cache=ResultCache(tmp_path))
    assert again.reused == total
    same_scores(again, result)
    np.testing.assert_array_equal(again.scores["fit-seconds"], first.scores["fit-seconds"])


def test_an_interrupted_comparison_goes_on(sets, learners, result, tmp_path):
    def stop(step):
        if step.done == 17:
            raise KeyboardInterrupt

    cache = ResultCache(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        compare(sets, learners, protocol=PROTOCOL, cache=cache, progress=stop)
    # and the last line was cut short
    file = tmp_path / "results.jsonl"
    file.write_bytes(file.read_bytes()[:-20])
    rest = compare(sets, learners, protocol=PROTOCOL, cache=ResultCache(tmp_path))
    assert rest.reused == 16
    same_scores(rest, result)
    assert len(ResultCache(tmp_path)) == 72


def test_another_learner_set_or_split_is_computed(sets, tmp_path):
    def reused(data, learner, **options):
        options = {"protocol": PROTOCOL, **options}
        return compare({"s": data}, {"l": learner}, cache=ResultCache(tmp_path), **options).reused

    data = sets["set0"]
    assert reused(data, ctree.C45Classifier()) == 0
    assert reused(data, ctree.C45Classifier()) == 6
    assert reused(data, ctree.C45Classifier(min_cases=3)) == 0
    assert reused(sets["set2"], ctree.C45Classifier()) == 0
    assert reused(data, ctree.C45Classifier(), preparation=Preparation(bins=3)) == 0
    assert reused(data, ctree.C45Classifier(), protocol=StratifiedFolds(3, 2, seed=2)) == 0
    # more repeats begin with the same
    assert reused(data, ctree.C45Classifier(), protocol=StratifiedFolds(3, 4)) == 6
    assert compare({"s": data}, {"l": ctree.C45Classifier()}, protocol=PROTOCOL,
                   cache=ResultCache(tmp_path, fresh=True)).reused == 0  # fmt: skip


def test_the_digest_sees_every_part_of_a_data_set(sets):
    data = sets["set0"]
    changed = data.classes.copy()
    changed[0] = (changed[0] + 1) % 3
    others = [
        ctree.Dataset(data.schema, data.columns, changed),
        data.with_weights(np.ones(data.n_cases)),
        data.take(slice(0, 59)),
        ctree.Dataset(data.schema, [*data.columns[:-1], np.zeros(60, dtype=np.int32)], data.classes),
    ]
    assert len({data_digest(d) for d in [data, *others]}) == 5


def test_several_processes_give_the_same(sets, learners, result, tmp_path):
    pytest.importorskip("joblib")
    few = {name: sets[name] for name in ("set0", "set1", "set2")}
    both = compare(few, learners, protocol=PROTOCOL, n_jobs=2, cache=ResultCache(tmp_path))
    same_scores(both, result)
    assert len(ResultCache(tmp_path)) == 72


def test_a_backend_that_gives_all_results_at_once(sets, learners, result, monkeypatch):
    joblib = pytest.importorskip("joblib")
    with joblib.parallel_config(backend="threading"):
        monkeypatch.setattr(type(joblib.parallel.get_active_backend()[0]), "supports_return_generator", False)
        monkeypatch.setattr(comparison_module, "run_trial", _quiet_trial)
        same_scores(compare(sets, learners, protocol=PROTOCOL, n_jobs=2), result)


def _quiet_trial(candidate, data, split, preparation, seed, place, costs):
    """`run_trial` without catching warnings, which threads share."""
    from ctree.evaluate.trial import Trial, _scores

    return Trial(_scores(candidate, data, split, preparation, seed, costs), [])


def test_without_joblib_there_is_a_sentence(sets, learners, monkeypatch):
    monkeypatch.setitem(sys.modules, "joblib", None)
    with pytest.raises(MissingExtraError, match="joblib"):
        compare(sets, learners, protocol=PROTOCOL, n_jobs=2)


KILLED = """
import sys
sys.path[:0] = {path!r}
import ctree
from support.problems import random_problem
from ctree.evaluate.cache import ResultCache
from ctree.evaluate.comparison import compare
from ctree.evaluate.candidates import parsed_candidates
from ctree.evaluate.protocols import StratifiedFolds
sets = {{f"s{{i}}": random_problem(i, 2000, 3, [3, 0, 0, 0]).dataset() for i in range(3)}}
learners = {{"a": ctree.C45Classifier(), "b": ctree.ProbabilityTreeClassifier()}}
done = compare(sets, learners, protocol=StratifiedFolds(5, 10), cache=ResultCache({folder!r}))
print(done.reused, repr(done.means("log-likelihood").tolist()))
"""


@pytest.mark.slow
def test_a_killed_process_loses_nothing(tmp_path):
    path = [os.getcwd(), str(pathlib.Path(__file__).parents[1])]
    command = [sys.executable, "-c", KILLED.format(path=path, folder=str(tmp_path / "killed"))]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    file = tmp_path / "killed" / "results.jsonl"
    limit = time.monotonic() + 60
    while time.monotonic() < limit and not (file.exists() and file.read_bytes().count(b"\n") >= 20):
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    kept = file.read_bytes().count(b"\n")
    assert 20 <= kept < 300
    reused, means = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split(" ", 1)
    assert int(reused) == kept
    whole = [sys.executable, "-c", KILLED.format(path=path, folder=str(tmp_path / "whole"))]
    assert subprocess.run(whole, check=True, capture_output=True, text=True).stdout == f"0 {means}"


class Grumbling:
    """Warns always, and fails on what it does not like."""

    def __init__(self, fails=False):
        self.fails = fails

    def get_params(self, deep=True):
        return {"fails": self.fails}

    def set_params(self, **params):
        return self

    def fit(self, X, y):
        import warnings

        warnings.warn("this will take long", stacklevel=1)
        if self.fails:
            raise ValueError("no more")

    def predict(self, X):
        return np.zeros(len(X), dtype=int)


def test_warnings_are_kept_and_failures_say_where(sets, tmp_path):
    one = {"set0": sets["set0"]}
    for _ in range(2):
        result = compare(one, {"g": Grumbling()}, protocol=PROTOCOL, cache=ResultCache(tmp_path))
        assert result.warnings == {("set0", "g"): {"this will take long": 6}}
    assert np.isnan(result.means("brier")).all()
    assert np.isfinite(result.means("accuracy")).all()
    with pytest.raises(TrialError, match="g failed on set0, split 1: no more"):
        compare(one, {"g": Grumbling(True)}, protocol=PROTOCOL)


def test_wrong_input_is_refused(sets, learners, result, tmp_path):
    with pytest.raises(ParameterError, match="no data set"):
        compare({}, learners)
    with pytest.raises(DataError, match="set0: the cases have no classes"):
        compare({"set0": ctree.Dataset(sets["set0"].schema, sets["set0"].columns)}, learners)
    with pytest.raises(ParameterError, match="n_jobs"):
        compare(sets, learners, protocol=PROTOCOL, n_jobs=0)
    with pytest.raises(ParameterError, match="no measure 'speed'; the measures are accuracy"):
        measure_table(result, "speed")
    with pytest.raises(ParameterError, match="'c5' is not among the learners"):
        measure_table(result, "accuracy", "c5")
    with pytest.raises(ParameterError, match="significance"):
        measure_table(result, "accuracy", significance=5)
    with pytest.raises(ParameterError, match="test must be"):
        measure_table(result, "accuracy", test="z")
    (tmp_path / "file").write_text("")
    with pytest.raises(CacheError, match="results cannot be saved there"):
        ResultCache(tmp_path / "file")


def test_tables_in_all_forms(result):
    table = measure_table(result, "log-likelihood", "bayesian", significance=0.2)
    means = result.means("log-likelihood")
    text = table.to_text().splitlines()
    assert text[1].split() == ["c4.5", "frequency", "bayesian", "naive", "Bayes"]
    assert [line.split()[0] for line in text[2:7]] == ["set0", "set1", "set2", "average", "win/tie/loss"]
    shown = text[2].replace("+", "").split()[1:]
    assert [float(cell.rstrip("-")) for cell in shown] == [round(v, 3) for v in means[0]]
    assert float(text[5].split()[1]) == round(means[:, 0].mean(), 3)
    assert any("true classes given probability 0" in line and "frequency" in line for line in text)
    assert any(line.startswith("Friedman: chi-square") for line in text)
    rows = list(csv.DictReader(io.StringIO(csv_text([table]))))
    assert len(rows) == 12
    assert float(rows[1]["mean"]) == means[0, 1]
    assert float(rows[1]["sd"]) == result.scores["log-likelihood"][0, 1].std(ddof=1)
    data = json.loads(json.dumps(table.to_dict(), allow_nan=False))
    assert data["averages"]["bayesian"] == pytest.approx(means[:, 2].mean())
    assert sum(data["wins_ties_losses"]["c4.5"]) == 3
    assert data["results"][2]["p"] is None
    markdown = table.to_markdown().splitlines()
    assert {line.count("|") for line in markdown[2:9]} == {6}
    latex = table.to_latex()
    assert latex.count(r"\\") == 6
    assert latex.count("&") == 4 * 6


SIGNS = {r"$\circ$": "better", r"$\bullet$": "worse", "--": "no such figure"}


@pytest.mark.parametrize("reference", ["bayesian", "frequency"])
@pytest.mark.parametrize("measure", ["accuracy", "log-likelihood", "leaves", "depth", "fit-seconds"])
@pytest.mark.parametrize("significance", [1e-9, 0.05, 0.5, 0.999])
def test_the_legend_of_latex_explains_the_signs_of_the_table_and_no_others(result, reference, measure, significance):
    table = measure_table(result, measure, reference, significance=significance)
    body, _, legend = table.to_latex().partition(r"\end{tabular}")
    assert not [line for line in legend.splitlines() if line.startswith("%")]  # it is part of the document
    assert legend.count("{") == legend.count("}")
    cells = [cell.strip() for line in body.splitlines() for cell in line.replace(r"\\", "").split("&")]
    used = {sign for sign in SIGNS for cell in cells if cell.endswith(sign)}
    assert {sign for sign in SIGNS if sign in legend} == used
    line = next((line for line in legend.splitlines() if "$" in line), "")
    assert [word for word in ("better", "worse") if word in line] == [
        word for sign, word in SIGNS.items() if sign in used and word in ("better", "worse")
    ]
    outcomes = set(table.verdict.outcomes.ravel().tolist()) if table.compares else set()
    assert (r"$\circ$" in used, r"$\bullet$" in used) == (1 in outcomes, -1 in outcomes)
    assert ("significantly" in legend) == table.compares
    if table.compares:
        assert f"than {reference} (" in legend or f"that of {reference} (" in legend


def test_names_that_latex_or_markdown_would_take_for_signs(sets):
    names = {"a_b|c&d%": ctree.C45Classifier(), "x": ctree.NaiveBayesClassifier()}
    table = measure_table(compare({"s_1": sets["set0"]}, names, protocol=PROTOCOL), "accuracy")
    assert r"a\_b|c\&d\%" in table.to_latex()
    assert r"a_b\|c&d%" in table.to_markdown()
    names = {r"a\b~c^d<e>f": ctree.C45Classifier(), "x": ctree.NaiveBayesClassifier()}
    table = measure_table(compare({"s": sets["set0"]}, names, protocol=PROTOCOL), "accuracy")
    escaped = r"a\textbackslash{}b\textasciitilde{}c\textasciicircum{}d\textless{}e\textgreater{}f"
    assert table.to_latex().count(escaped) == 2  # above the column and in the legend


def test_one_learner_alone_has_no_marks(sets):
    table = measure_table(compare(sets, [Candidate("c", ctree.C45Classifier())], protocol=PROTOCOL), "accuracy")
    assert "win/tie/loss" not in table.to_text()
    assert table.notes() == []


def test_a_learner_from_elsewhere_joins_by_object_and_by_name_alike(sets):
    ensemble = pytest.importorskip("sklearn.ensemble")
    by_object = compare(sets, {"forest": ensemble.RandomForestClassifier(5)}, protocol=PROTOCOL)
    named = parsed_candidates("forest=sklearn.ensemble:RandomForestClassifier(n_estimators=5)")
    by_name = compare(sets, named, protocol=PROTOCOL)
    assert by_name.learners == by_object.learners == ["forest"]
    for measure in ("accuracy", "log-likelihood", "brier", "auc"):
        assert np.isfinite(by_object.scores[measure]).all()
        assert (by_name.scores[measure] == by_object.scores[measure]).all()
