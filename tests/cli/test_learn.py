"""`ctree learn`."""

from __future__ import annotations

import json
import pathlib

import numpy as np
import pytest

import ctree
from ctree.cli.report import Result, confusion_text

GOLF_TEXT = """\
golf.data: 14 cases, 4 attributes (2 discrete, 2 continuous), 2 classes, no unknown values

outlook = overcast: Play (4.0/1.2)
outlook = sunny:
|   humidity <= 75 : Play (2.0/1.0)
|   humidity > 75 : Don't Play (3.0/1.1)
outlook = rain:
|   windy = true: Don't Play (2.0/1.0)
|   windy = false: Play (3.0/1.1)

Size:      8 nodes, 5 leaves, depth 2
Training:  0 errors in 14 cases (0.0%)
"""

TEST_CASES = """\
sunny,85,?,false,Don't Play
rain,70,96,false,Don't Play
overcast,64,65,true,Play
"""


@pytest.mark.parametrize("source", ["golf", "golf.names", "golf.data"])
def test_golf(source, ctree_command):
    answer = ctree_command("learn", source)
    assert (answer.status, answer.err) == (0, "")
    assert answer.out == GOLF_TEXT


def test_a_test_file_is_used_if_it_is_there(ctree_command):
    pathlib.Path("golf.test").write_text(TEST_CASES)
    answer = ctree_command("learn", "golf")
    assert answer.out == GOLF_TEXT + (
        "Test:      1 error in 3 cases (33.3%)\n"
        "\n"
        "Test cases by true class (row) and predicted class (column):\n"
        "\n"
        "            Play  Don't Play\n"
        "Play           1           .\n"
        "Don't Play     1           1\n"
    )


def test_facts_as_json(ctree_command):
    pathlib.Path("golf.test").write_text(TEST_CASES)
    answer = ctree_command("learn", "golf", "--json", "--min-cases", "3", "-o", "golf.json")
    assert answer.status == 0
    facts = json.loads(answer.out)
    assert facts["data"] == {
        "file": "golf.data", "cases": 14, "attributes": 4, "discrete": 2, "ordered": 0, "continuous": 2, "dates": 0,
        "ignored": 0, "unknown_values": 0, "classes": ["Play", "Don't Play"],
    }  # fmt: skip
    assert facts["method"] == "c4.5"
    assert facts["parameters"]["min_cases"] == 3
    model = ctree.load("golf.json")
    assert facts["tree"] == {
        "nodes": model.tree_.n_nodes, "leaves": model.tree_.n_leaves, "depth": model.tree_.depth,
        "text": model.tree_.to_text(),
    }  # fmt: skip
    assert facts["unpruned"]["nodes"] == model.unpruned_tree_.n_nodes
    assert facts["training"]["cases"] == 14
    assert np.sum(facts["training"]["confusion"]) == 14
    assert facts["test"]["file"] == "golf.test"
    assert facts["test"]["error_rate"] == facts["test"]["errors"] / 3
    assert facts["model"] == "golf.json"


@pytest.mark.parametrize(
    ("words", "parameters"),
    [
        ([], {}),
        (["--criterion", "gain"], {"criterion": "gain"}),
        (["--criterion", "gain-ratio"], {"criterion": "gain-ratio"}),
        (["--min-cases", "1.5"], {"min_cases": 1.5}),
        (["--confidence", "0.1"], {"confidence": 0.1}),
        (["--no-prune"], {"prune": False}),
        (["--group-values"], {"group_values": True}),
        (["--estimate", "laplace"], {"estimate": "laplace"}),
        (["--estimate", "m", "--m", "0.5"], {"estimate": "m", "m": 0.5}),
        (["-j", "-1"], {"n_jobs": -1}),
        (["--method", "c4.5"], {}),
    ],
    ids=str,
)
def test_every_option_reaches_the_learner(words, parameters, ctree_command):
    assert ctree_command("learn", "golf", "-o", "golf.json", *words).status == 0
    model = ctree.load("golf.json")
    assert model.get_params() == ctree.C45Classifier(**parameters).get_params()
    expected = ctree.C45Classifier(**parameters).fit(ctree.read_c45("golf"))
    assert model.tree_ == expected.tree_


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--method", "c4.4"], ctree.ProbabilityTreeClassifier(approach="c4.4")),
        (["--method", "mdl-stop", "--no-binary-splits"],
         ctree.ProbabilityTreeClassifier(approach="mdl-stop", binary_splits=False)),
        (["--method", "mdl-prune", "--max-thresholds", "3"],
         ctree.ProbabilityTreeClassifier(approach="mdl-prune", max_thresholds=3)),
        (["--method", "c4.4", "--max-thresholds", "3", "--threshold-spacing", "width"],
         ctree.ProbabilityTreeClassifier(approach="c4.4", max_thresholds=3, threshold_spacing="width")),
        (["--method", "bic-stop", "--min-cases", "3"],
         ctree.ProbabilityTreeClassifier(approach="bic-stop", min_cases=3)),
        (["--method", "bic-prune", "--estimate", "m-branch", "--m", "4"],
         ctree.ProbabilityTreeClassifier(approach="bic-prune", estimate="m-branch", m=4)),
        (["--method", "chi2", "--significance", "0.5"],
         ctree.ProbabilityTreeClassifier(approach="chi2", significance=0.5)),
        (["--method", "probability", "--approach", "c4.5", "--confidence", "0.5"],
         ctree.ProbabilityTreeClassifier(approach="c4.5", confidence=0.5)),
        (["--method", "probability", "--approach", "c4.5", "--no-subtree-raising"],
         ctree.ProbabilityTreeClassifier(approach="c4.5", subtree_raising=False)),
        (["--method", "bayesian"], ctree.BayesianTreeClassifier()),
        (["--method", "bayesian", "--averaging", "prunings", "--split-prior", "0.3", "--uniform-prior"],
         ctree.BayesianTreeClassifier(averaging="prunings", split_prior=0.3, uniform_prior=True)),
        (["--method", "bayesian", "--averaging", "none", "--bins", "none", "--prior-weight", "classes"],
         ctree.BayesianTreeClassifier(averaging="none", bins=None, prior_weight="classes")),
        (["--method", "bayesian", "--bins", "2", "--unknown", "impute", "--prior-weight", "1"],
         ctree.BayesianTreeClassifier(bins=2, unknown="impute", prior_weight=1)),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)  # fmt: skip
def test_every_method_is_that_of_its_learner(words, expected, ctree_command):
    answer = ctree_command("learn", "golf", "-o", "golf.json", *words)
    assert (answer.status, answer.err) == (0, "")
    model = ctree.load("golf.json")
    data = ctree.read_c45("golf")
    assert type(model) is type(expected)
    assert model.get_params() == expected.get_params()
    assert model.tree_ == expected.fit(data).tree_
    assert model.tree_.to_text() in answer.out
    predicted = ctree_command("predict", "golf.json", "golf.data", "--json").out.splitlines()
    first = json.loads(predicted[0])["probabilities"]
    assert list(first.values()) == expected.predict_proba(data)[0].tolist()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--averaging", "all"], "argument --averaging: it should be path, prunings or none, not 'all'"),
        (["--bins", "0"], "argument --bins: it should be a whole number of at least 1 or none, not '0'"),
        (
            ["--prior-weight", "0"],
            "argument --prior-weight: it should be a number at least 1e-200 and at most 1e+15 or classes, not '0'",
        ),
        (["--criterion", "gini"], "--criterion is not an option of --method bayesian, but of c4.5, c4.5rules"),
    ],
)
def test_wrong_values_of_options(words, message, ctree_command):
    answer = ctree_command("learn", "golf", "--method", "bayesian", *words)
    assert answer.status == 2
    assert message in answer.err


def test_naive_bayes_needs_bins(ctree_command):
    answer = ctree_command("learn", "golf", "--method", "naive-bayes", "--bins", "none")
    assert (answer.status, answer.err) == (
        2,
        "usage: ctree learn SOURCE [options]\n"
        "ctree learn: error: argument --bins: it should be a whole number of at least 1, not 'none'\n",
    )


@pytest.mark.parametrize("form", ["csv", "arff"])
@pytest.mark.parametrize("test_form", ["csv", "arff", "data"])
def test_other_forms_of_files(form, test_form, ctree_command):
    if "arff" in (form, test_form):
        pytest.importorskip("arff")
    for suffix in {form, test_form} - {"data"}:
        assert ctree_command("convert", "golf", f"golf.{suffix}").status == 0
    answer = ctree_command("learn", f"golf.{form}", "--test", f"golf.{test_form}")
    assert answer.status == 0
    assert "Size:      8 nodes, 5 leaves, depth 2" in answer.out
    assert "Test:      0 errors in 14 cases (0.0%)" in answer.out


def test_the_class_column_and_discrete_numbers_can_be_named(ctree_command):
    pathlib.Path("t.csv").write_text("y,code,x\n" + "a,1,5\nb,2,6\na,3,5\nb,2,7\n" * 3)
    answer = ctree_command("learn", "t.csv", "--class", "y", "--discrete", "code")
    assert answer.out.startswith("t.csv: 12 cases, 2 attributes (1 discrete, 1 continuous), 2 classes, no unknown")


def test_unknown_values_and_ignored_attributes_are_counted(ctree_command):
    pathlib.Path("u.names").write_text("a, b. x: continuous. y: p, q. id: ignore.")
    pathlib.Path("u.data").write_text("1,p,7,a\n?,?,8,b\n2,?,9,a\n")
    answer = ctree_command("learn", "u")
    line = "u.data: 3 cases, 2 attributes (1 discrete, 1 continuous; 1 ignored), 2 classes, 3 unknown values (50.0%)"
    assert answer.out.splitlines()[0] == line


def test_cases_of_unknown_class_can_be_left_out(ctree_command):
    pathlib.Path("golf.test").write_text("sunny,85,85,false,?\nsunny,85,85,false,Play\n")
    answer = ctree_command("learn", "golf")
    assert answer.status == 1
    assert answer.err == "ctree: golf.test:1: the class is unknown (?), but should be one of Play, Don't Play\n"
    answer = ctree_command("learn", "golf", "--unknown-class", "drop")
    assert "Test:      1 error in 1 case (100.0%)" in answer.out


WRONG = [
    (["nosuch"], 1, "nosuch.names: there is no such file"),
    (["nosuch.csv"], 1, "nosuch.csv: there is no such file"),
    (["."], 1, ".: this is a directory, not a file with cases"),
    (["notes.txt"], 1, "notes.txt: the file should end in .csv or .arff, or be C4.5's: a stem with .names and .data"),
    (["golf", "--class", "play"], 2,
     "golf: --class is only for .csv and .arff files; in C4.5 files the class is the last field"),
    (["golf", "--discrete", "x"], 2,
     "golf: --discrete is only for .csv files; others specify the kind of each attribute themselves"),
    (["golf", "--test", "nosuch"], 1, "nosuch: there is no such file"),
    (["golf", "-o", "no/m.json"], 1, "no/m.json: the model cannot be written there, as there is no directory 'no'"),
    (["golf", "-o", "."], 1, ".: the model cannot be written there, as this is a directory"),
    (["short"], 1,
     "short.data:1: the case ends after 1 of its 2 fields (1 attribute and the class); the class has no value"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "status", "message"), WRONG, ids=str)
def test_what_is_wrong_is_said_in_one_sentence(words, status, message, ctree_command):
    pathlib.Path("notes.txt").write_text("x")
    pathlib.Path("short.names").write_text("a, b. x: continuous.")
    pathlib.Path("short.data").write_text("1\n")
    answer = ctree_command("learn", *words)
    assert (answer.status, answer.out, answer.err) == (status, "", f"ctree: {message}\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--confidence", "25"],
            "argument --confidence: it should be a number greater than 0 and at most 1, not '25'",
        ),
        (["--min-cases", "x"], "argument --min-cases: it should be a number greater than 0, not 'x'"),
        (["--m", "nan"], "argument --m: it should be a number at least 1e-200 and at most 1e+15, not 'nan'"),
        (
            ["-j", "0"],
            "argument --jobs/-j/--n-jobs: it should be a number of threads up to 1000, -1 for all cores, not '0'",
        ),
    ],
    ids=str,
)
def test_wrong_options_are_wrong_usage(words, message, ctree_command):
    answer = ctree_command("learn", "golf", *words)
    assert (answer.status, answer.out) == (2, "")
    assert answer.err == f"usage: ctree learn SOURCE [options]\nctree learn: error: {message}\n"


def test_an_unknown_method_lists_the_right_ones(ctree_command):
    answer = ctree_command("learn", "golf", "--method", "c5")
    assert answer.status == 2
    assert "c5" in answer.err
    assert "c4.5" in answer.err


def test_a_confusion_matrix_with_long_names_is_headed_by_letters():
    names = tuple(f"a rather long name of a class, number {i}" for i in range(30))
    confusion = np.diag(np.arange(30)) + np.eye(30, k=1, dtype=int)
    lines = confusion_text(Result(names, confusion)).splitlines()
    assert len(lines) == 31
    assert lines[0].split()[:3] == ["a", "b", "c"]
    assert lines[0].split()[-1] == "ad"
    assert lines[1].startswith(" a  a rather long name of a class, …")
    assert len({len(line) for line in lines}) == 1


def test_a_confusion_matrix_leaves_out_classes_that_do_not_occur():
    confusion = np.array([[3, 0, 1], [0, 0, 0], [0, 0, 2]])
    assert confusion_text(Result(("a", "b", "c"), confusion)).splitlines() == ["   a  c", "a  3  1", "c  .  2"]


def test_of_very_many_classes_only_the_largest_confusions_are_shown():
    confusion = np.diag(np.full(50, 9))
    confusion[3, 4], confusion[10, 2] = 12, 5
    lines = confusion_text(Result(tuple(f"c{i}" for i in range(50)), confusion)).splitlines()
    assert lines == ["12  c3   taken for  c4", " 5  c10  taken for  c2"]


def test_rules_are_learned_saved_and_used(ctree_command):
    answer = ctree_command("learn", "golf", "--method", "c4.5rules", "-o", "rules.json")
    assert answer.status == 0
    assert "Rule 2:\n    outlook = overcast\n    ->  class Play  [70.7%]\n" in answer.out
    assert "Size:      4 rules, 7 conditions" in answer.out
    assert ctree_command("predict", "rules.json", "golf.data").status == 0
    answer = ctree_command("learn", "golf", "--method", "c4.5rules", "--binary-splits")
    assert (answer.status, answer.err) == (
        2,
        "ctree learn: error: --binary-splits is not an option of --method c4.5rules, but of c4.5, probability, c4.4, "
        "mdl-stop, mdl-prune, bic-stop, bic-prune, chi2\n",
    )


@pytest.mark.parametrize(
    "options", [["--variant", "j48"], ["--binary-splits"], ["--prune", "reduced-error"], ["--no-subtree-raising"]]
)
def test_options_of_j48(options, ctree_command):
    answer = ctree_command("learn", "golf", *options)
    assert answer.status == 0
    assert "Training:  " in answer.out


def test_naive_bayes_is_learned_saved_and_used(ctree_command):
    answer = ctree_command("learn", "golf", "--method", "naive-bayes", "--bins", "3", "-o", "bayes.json")
    assert answer.status == 0
    assert "outlook = sunny " in answer.out
    assert "Size:      4 attributes, 11 values\nTraining:  " in answer.out
    assert ctree_command("predict", "bayes.json", "golf.data").status == 0
    assert "outlook = sunny " in ctree_command("show", "bayes.json").out


@pytest.mark.parametrize(
    ("method", "option"),
    [
        ("naive-bayes", "--no-prune"),
        ("naive-bayes", "--group-values"),
        ("c4.5rules", "--soft-thresholds"),
        ("c4.5rules", "--estimate laplace"),
        ("c4.5", "--bins 4"),
        ("c4.5", "--redundancy 2"),
    ],
)
def test_an_option_of_another_method_is_refused(ctree_command, method, option):
    answer = ctree_command("learn", "golf", "--method", method, *option.split())
    assert answer.status == 2
    name = option.split()[0]
    assert answer.err.startswith(f"ctree learn: error: {name} is not an option of --method {method}, but of ")


def test_columns_with_other_separators_are_not_taken_for_one(ctree_command):
    pathlib.Path("semi.csv").write_text("a;b;class\n1;2;x\n2;1;y\n")
    answer = ctree_command("learn", "semi.csv")
    assert answer.out.startswith("semi.csv: 2 cases, 2 attributes (2 continuous), 2 classes, no unknown values\n")
    assert not answer.err
    pathlib.Path("tilde.csv").write_text("a~b~class\n1~2~x\n2~1~y\n")
    answer = ctree_command("learn", "tilde.csv")
    assert answer.status == 1
    assert answer.err == (
        "ctree: tilde.csv: the cases have a class but no attributes; --delimiter says what separates the columns of a "
        ".csv file\n"
    )
    assert ctree_command("learn", "tilde.csv", "--delimiter", "~").out.startswith("tilde.csv: 2 cases, 2 attributes")


def test_discrete_columns_may_be_named_one_by_one(ctree_command):
    pathlib.Path("n.csv").write_text("a,b,class\n1,1,x\n2,2,y\n1,3,x\n2,4,y\n")
    one = ctree_command("learn", "n.csv", "--discrete", "a,b").out
    assert ctree_command("learn", "n.csv", "--discrete", "a", "--discrete", "b").out == one
    assert "2 discrete" in one
