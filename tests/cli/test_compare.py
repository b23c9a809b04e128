"""`ctree compare`."""

from __future__ import annotations

import csv
import io
import json
import pathlib

import numpy as np
import pytest

import ctree
from ctree.cli.main import main
from ctree.evaluate import comparison
from ctree.evaluate.comparison import compare
from ctree.evaluate.protocols import StratifiedFolds
from ctree.learners.registry import METHODS

SMALL = ("--folds", "2", "--repeats", "2")


@pytest.fixture(autouse=True)
def cache_here(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_the_table_has_the_figures_of_compare(ctree_command):
    answer = ctree_command("compare", "golf", "--method", "c4.5,nb=naive-bayes(m=1)", *SMALL, "--measure", "accuracy")
    assert (answer.status, answer.err) == (0, "")
    learners = {"c4.5": ctree.C45Classifier(), "nb": ctree.NaiveBayesClassifier(m=1)}
    means = compare({"golf": ctree.read_c45("golf")}, learners, protocol=StratifiedFolds(2, 2)).means("accuracy")
    lines = answer.out.splitlines()
    assert lines[0] == "2 times 2-fold stratified cross-validation, seed 1"
    assert lines[2:5] == [
        "Accuracy, %",
        "               c4.5      nb",
        f"golf          {100 * means[0, 0]:.2f}   {100 * means[0, 1]:.2f}",
    ]


@pytest.mark.parametrize("method", METHODS)
def test_every_method_of_learn_takes_part(method, ctree_command):
    small = {"mcmc": "mcmc(burn_in=50, samples=50)"}
    answer = ctree_command("compare", "golf", "--method", small.get(method, method), *SMALL, "--format", "json")
    assert answer.status == 0, answer.err
    facts = json.loads(answer.out)
    assert facts["splits"] == 4
    assert facts["measures"][0]["results"][0]["mean"] is not None


def test_scikit_learn_takes_part_by_name(ctree_command):
    pytest.importorskip("sklearn")
    methods = "c4.5,sklearn.tree:DecisionTreeClassifier(max_depth=2)"
    answer = ctree_command("compare", "golf", "--method", methods, *SMALL, "--format", "csv", "--measure", "leaves")
    assert answer.status == 0, answer.err
    rows = list(csv.DictReader(io.StringIO(answer.out)))
    assert [row["learner"] for row in rows] == ["c4.5", "DecisionTreeClassifier(max_depth=2)"]
    assert float(rows[1]["mean"]) <= 4


def test_results_are_kept_and_used(ctree_command, tmp_path, monkeypatch):
    words = ("compare", "golf", "--method", "c4.5,c4.4", *SMALL)
    first = ctree_command(*words)
    assert (tmp_path / "cache" / "ctree" / "results.jsonl").exists()
    with monkeypatch.context() as patch:
        patch.setattr(comparison, "run_trial", None)  # nothing may be computed
        assert ctree_command(*words).out == first.out
    assert ctree_command(*words, "--cache", "elsewhere").out == first.out
    assert pathlib.Path("elsewhere/results.jsonl").read_bytes().count(b"\n") == 8
    assert ctree_command(*words, "--no-cache").out == first.out
    assert ctree_command(*words, "--fresh", "--cache", "elsewhere").out == first.out
    assert pathlib.Path("elsewhere/results.jsonl").read_bytes().count(b"\n") == 16


def test_an_interrupted_comparison_says_that_it_can_go_on(ctree_command, monkeypatch):
    real = comparison.run_trial
    calls = []

    def stopping(*arguments):
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(comparison, "run_trial", stopping)
    words = ("compare", "golf", "--method", "c4.5,c4.4", *SMALL, "--cache", "kept")
    answer = ctree_command(*words)
    assert answer.status == 130
    assert "interrupted; 3 results in kept/results.jsonl, and the same command goes on" in answer.err
    monkeypatch.setattr(comparison, "run_trial", real)
    assert ctree_command(*words).out == ctree_command(*words, "--fresh").out


def test_csv_files_with_their_class_and_numbers_that_are_names(ctree_command):
    assert ctree_command("convert", "golf", "golf.csv", "--class", "play").status == 0
    words = ("compare", "golf.csv", "--method", "c4.5", *SMALL, "--measure", "nodes", "--format", "json")
    means = []
    for more in ((), ("--discrete", "temperature,humidity"), ("--class", "windy")):
        answer = ctree_command(*words, *more)
        assert answer.status == 0, answer.err
        means.append(json.loads(answer.out)["measures"][0]["results"][0]["mean"])
    assert len(set(means)) == 3


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_is_shown_on_a_terminal_only(ctree_command, monkeypatch):
    answer = ctree_command("compare", "golf", "--method", "c4.5", *SMALL)
    assert answer.err == ""
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    assert main(["compare", "golf", "--method", "c4.5", *SMALL, "--seed", "2"]) == 0
    shown = terminal.getvalue().split("\r\x1b[K")
    assert shown[1].startswith("[")
    assert ", c4.5 on golf, " in shown[-2]
    assert shown[-1] == ""


def test_holdout_and_learning_curves(ctree_command):
    answer = ctree_command("compare", "golf", "--method", "c4.5", "--holdout", "0.3", "--repeats", "3")
    assert answer.out.startswith("3 stratified random splits 70/30 into training and test cases, seed 1\n")
    answer = ctree_command("compare", "golf", "--method", "c4.5", "--curve", "4,8", "--repeats", "3")
    assert [line.split("  ")[0] for line in answer.out.splitlines()[4:6]] == ["golf (4)", "golf (8)"]


def test_preparation_is_told(ctree_command):
    answer = ctree_command("compare", "golf", "--method", "c4.5", *SMALL, "--impute", "--bins", "3")
    assert answer.out.splitlines()[0].endswith("unknown values imputed, numbers in 3 bins of equal frequency")


def test_several_files_of_one_name(ctree_command, tmp_path):
    (tmp_path / "other").mkdir()
    for suffix in (".names", ".data"):
        (tmp_path / "other" / f"golf{suffix}").write_text((tmp_path / f"golf{suffix}").read_text())
    answer = ctree_command("compare", "golf.names", "other/golf", "--method", "c4.5", *SMALL)
    assert [line.split()[0] for line in answer.out.splitlines()[4:6]] == ["golf", "other/golf"]


@pytest.mark.parametrize(
    ("words", "status", "sentence"),
    [
        (["--method", "c5"], 2, "there is no method 'c5'"),
        (["--measure", "speed"], 2, "there is no measure 'speed'; the measures are accuracy"),
        (["--reference", "c4.4", "--method", "c4.5"], 2, "'c4.4' is not among the methods, c4.5"),
        (["--folds", "20"], 1, "golf: 14 cases cannot make 20 folds"),
        (["--folds", "2", "--holdout", "0.3"], 2, "--folds is for cross-validation"),
        (["--no-cache", "--fresh"], 2, "--no-cache cannot be combined"),
        (["--plot", "nowhere/plot.png"], 1, "there is no directory 'nowhere'"),
        (["--curve", "100"], 1, "smallest size"),
        (["golf"], 2, "given twice"),
        (["nothing"], 1, "there is no such file"),
    ],
)
def test_what_is_wrong_is_one_sentence(words, status, sentence, ctree_command):
    answer = ctree_command("compare", "golf", *words)
    assert (answer.status, answer.out) == (status, "")
    assert answer.err.count("\n") == 1
    assert sentence in answer.err


def test_a_class_that_is_unknown_can_be_left_out(ctree_command):
    with open("golf.data", "a") as file:
        file.write("sunny, 70, 70, true, ?\n")
    assert ctree_command("compare", "golf", "--method", "c4.5", *SMALL).status == 1
    assert ctree_command("compare", "golf", "--method", "c4.5", *SMALL, "--unknown-class", "drop").status == 0


def test_warnings_of_learners_are_shown(ctree_command, tmp_path, monkeypatch):
    (tmp_path / "grumbling.py").write_text(
        "import warnings\n"
        "class Grumbling:\n"
        "    def fit(self, X, y): warnings.warn('this will take long')\n"
        "    def predict(self, X): return [0] * len(X)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    answer = ctree_command("compare", "golf", "--method", "c4.5,grumbling:Grumbling", *SMALL)
    assert answer.err == "ctree: warning: Grumbling on golf, 4 splits: this will take long\n"
    assert np.isfinite(float(answer.out.splitlines()[4].split()[2]))
