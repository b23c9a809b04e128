"""`ctree learn` by the methods over all trees, and `ctree mine`."""

from __future__ import annotations

import csv
import io
import json
import pathlib

import pytest

import ctree
from ctree.cli.time_limit import TimeLimit
from ctree_ext.base.interrupts import work_for

DL8_TEXT = """\
golf.data: 14 cases, 4 attributes (2 discrete, 2 continuous), 2 classes, no unknown values

outlook = rain:
|   windy = true: Don't Play (2.0)
|   windy = false: Play (3.0)
outlook in {sunny,overcast}:
|   humidity <= 79 : Play (5.0)
|   humidity > 79 : Don't Play (4.0/1.0)

Size:      7 nodes, 4 leaves, depth 2; errors 1
Proof:     the best of all trees of depth 2 or less with these tests: 19 thresholds of 2 attributes and 4 values of 2
Training:  1 error in 14 cases (7.1%)
"""


def test_the_tree_of_least_error(ctree_command):
    answer = ctree_command("learn", "golf", "--method", "dl8", "--max-depth", "2")
    assert (answer.status, answer.err) == (0, "")
    assert answer.out == DL8_TEXT


def test_the_most_probable_tree(ctree_command):
    answer = ctree_command("learn", "golf", "--method", "map", "--tree-prior", "uniform", "--min-cases", "2", "--json")
    facts = json.loads(answer.out)
    model = ctree.OptimalTreeClassifier(objective="posterior", tree_prior="uniform", min_cases=2)
    model.fit(ctree.read_c45("golf"))
    assert facts["tree"]["text"] == model.tree_.to_text()
    assert (facts["objective"], facts["bound"], facts["optimal"]) == (model.objective_, model.bound_, True)


def test_the_average(ctree_command):
    answer = ctree_command("learn", "golf", "--method", "bayes-optimal", "--max-depth", "3", "-o", "m.json")
    assert (answer.status, answer.err) == (0, "")
    assert "  outlook      0.7624  1.0856\n" in answer.out
    assert "3.42 leaves on average; ln of the evidence -9.921216" in answer.out
    predicted = ctree_command("predict", "m.json", "golf.data")
    rows = list(csv.DictReader(io.StringIO(predicted.out)))
    model = ctree.BayesOptimalClassifier(max_depth=3).fit(ctree.read_c45("golf"))
    given = [float(row["p(Play)"]) for row in rows]
    assert given == model.predict_proba(ctree.read_c45("golf"))[:, 0].tolist()
    facts = json.loads(ctree_command("learn", "golf", "--method", "bayes-optimal", "--max-depth", "3", "--json").out)
    assert facts["log_evidence"] == list(model.log_evidence_bounds_)
    assert list(facts["feature_inclusion"].values()) == model.feature_inclusion_.tolist()
    assert facts["complete"]


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (("--method", "naive-bayes", "--max-depth", "3"), 2, "--max-depth is not an option of --method naive-bayes"),
        (
            ("--method", "naive-bayes", "--bins", "all"),
            2,
            "argument --bins: it should be a whole number of at least 1, not 'all'",
        ),
        (("--method", "map", "--estimate", "laplace"), 2, "--estimate is not an option of --method map"),
        (("--method", "dl8", "--confidence", "0.1"), 2, "--confidence is not an option of --method dl8"),
        (
            ("--method", "map", "--gamma", "2"),
            2,
            "argument --gamma: it should be a number greater than 0 and less than 1, not '2'",
        ),
        (("--method", "map", "--min-cases", "15"), 2, "--min-cases is 15, but there are only 14 cases"),
        (
            ("--method", "dl8", "--bins", "binary"),
            1,
            "attribute 'outlook' has the value 'sunny', but with --bins binary",
        ),
        (
            ("--method", "dl8", "--max-depth", "x"),
            2,
            "argument --max-depth: it should be a whole number from 0 to 500 or none, not 'x'",
        ),
        (
            ("--method", "dl8", "--time-limit", "0"),
            2,
            "argument --time-limit: it should be a number greater than 0 or none, not '0'",
        ),
    ],
)
def test_wrong_options_are_named(words, status, message, ctree_command):
    answer = ctree_command("learn", "golf", *words)
    assert answer.status == status
    assert message in answer.err


def test_a_limit_is_said(ctree_command):
    rows = ["a,b,c,d,e,f,g,h,i,j,k,l,m,n,class"]
    state = 1
    for _ in range(400):
        bits = []
        for _ in range(15):
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            bits.append(str(state >> 40 & 1))
        rows.append(",".join(bits))
    pathlib.Path("random.csv").write_text("\n".join(rows) + "\n")
    answer = ctree_command(
        "learn", "random.csv", "--method", "bayes-optimal", "--max-depth", "none", "--time-limit", "0.2"
    )
    assert answer.status == 0
    assert "ctree: warning: the search was stopped by --time-limit 0.2, of which the search had 0." in answer.err
    assert " s: ln of the evidence is between" in answer.err
    assert "ln of the evidence between" in answer.out


def endless(*_args, **_options):
    work_for(10_000, 60.0)
    raise AssertionError("nobody has stopped this")


def test_what_follows_the_search_keeps_the_time_limit_too(ctree_command, monkeypatch):
    words = ("learn", "golf", "--method", "bayes-optimal", "--max-depth", "2", "--time-limit", "1")
    monkeypatch.setattr(ctree.BayesOptimalClassifier, "_probabilities", endless)
    answer = ctree_command(*words)
    assert answer.status == 0
    assert answer.err == (
        "ctree: warning: the time limit of 1 s was reached, so this is left out: the errors on the training cases\n"
    )
    assert "Training:" not in answer.out
    assert "leaves on average; ln of the evidence -" in answer.out  # what takes no time is there
    monkeypatch.setattr(ctree.BayesOptimalClassifier, "_marginals", property(endless))
    answer = ctree_command(*words, "-o", "m.json")
    assert answer.err == (
        "ctree: warning: the time limit of 1 s was reached, so this is left out: the errors on the training cases; "
        "the size of the trees; what the model looks like\n"
    )
    evidence = ctree.BayesOptimalClassifier(max_depth=2).fit(ctree.read_c45("golf")).log_evidence_
    assert answer.out.splitlines()[1:] == ["", f"Size:      ln of the evidence {evidence:.7g}", "Saved:     m.json"]
    facts = json.loads(ctree_command(*words, "--json").out)
    assert facts["left_out"] == ["the errors on the training cases", "what the model looks like"]
    assert (facts["training"], facts["complete"], facts["states"]) == (None, True, 1)


def test_ctrl_c_is_not_taken_for_the_limit():
    limit = TimeLimit(60.0)

    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        limit.within("something", interrupted)
    assert (limit.left_out, limit.sentence(), limit.within("more", lambda: 3)) == ([], None, 3)
    assert TimeLimit(None).search_time(0.5) is None
    assert 29 < limit.search_time(0.5) <= 30


def test_itemsets(ctree_command):
    answer = ctree_command("mine", "golf", "--min-support", "5", "--max-size", "2")
    assert answer.out.splitlines() == [
        "items,support,n(Play),n(Don't Play)",
        "outlook = sunny,5,2,3",
        "outlook = rain,5,3,2",
        "humidity > 70 and humidity <= 80,5,4,1",
        "windy = true,6,3,3",
        "windy = false,8,6,2",
    ]
    assert answer.err == "golf: 5 itemsets in 14 cases\n"
    ctree_command("mine", "golf", "--min-support", "20%", "--kind", "maximal", "--json", "-o", "out.json")
    lines = [json.loads(line) for line in pathlib.Path("out.json").read_text().splitlines()]
    sets = ctree.frequent_itemsets(ctree.read_c45("golf"), min_support=0.2, kind="maximal")
    assert [tuple(line["items"]) for line in lines] == sets.table()["items"]
    assert [sum(line["class_counts"].values()) for line in lines] == sets.support.tolist()


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (("--min-support", "1", "--limit", "10"), 2, "more than 10 itemsets have a support of at least 1"),
        (("--min-support", "99"), 2, "--min-support is 99, but there are only 14 cases"),
        (("--min-support", "x"), 2, "it should be a number of cases, or a percentage such as 10%, not 'x'"),
        (("--min-support", "101%"), 2, "it should be a number of cases, or a percentage such as 10%, not '101%'"),
        (("-o", "none/x.csv"), 1, "none/x.csv: the itemsets cannot be written there, as there is no directory 'none'"),
    ],
)
def test_wrong_options_of_mine_are_named(words, status, message, ctree_command):
    answer = ctree_command("mine", "golf", *words)
    assert answer.status == status
    assert message in answer.err
