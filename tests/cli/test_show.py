"""`ctree show`: the tree of a model in four forms."""

from __future__ import annotations

import json
import pathlib
import re

import numpy as np
import pytest

import ctree


def test_text_is_the_default(golf_model, ctree_command):
    answer = ctree_command("show", golf_model)
    assert answer.status == 0
    assert answer.out == ctree.load(golf_model).tree_.to_text() + "\n"
    assert answer.err == ""
    folded = ctree_command("show", golf_model, "--max-depth", "1")
    assert folded.out.splitlines() == [
        "outlook = overcast: Play (4.0/1.2)",
        "outlook = sunny: Don't Play (5.0/2.1) [2 leaves]",
        "outlook = rain: Play (5.0/2.1) [2 leaves]",
    ]


def test_dot_goes_to_standard_output(golf_model, ctree_command):
    answer = ctree_command("show", golf_model, "--dot", "--max-depth", "0")
    assert answer.status == 0
    assert answer.out == ctree.load(golf_model).to_dot(0) + "\n"


def test_a_page_is_written(golf_model, ctree_command):
    answer = ctree_command("show", golf_model, "--html", "golf.html")
    assert (answer.status, answer.out, answer.err) == (0, "", "")
    text = pathlib.Path("golf.html").read_text("utf-8")
    assert text == ctree.load(golf_model).to_html("golf")


def test_a_picture_is_written(golf_model, ctree_command):
    pytest.importorskip("matplotlib")
    assert ctree_command("show", golf_model, "--plot", "golf.svg", "--max-depth", "1").status == 0
    assert pathlib.Path("golf.svg").read_text("utf-8").startswith("<?xml")
    answer = ctree_command("show", golf_model, "--plot", "golf.xyz")
    assert answer.status == 2
    assert answer.err.startswith("ctree: golf.xyz: the picture cannot be written (")


@pytest.mark.parametrize("method", ["c4.4", "bayesian", "map", "dl8", "mcmc"])
@pytest.mark.filterwarnings("ignore::ctree.learners.mcmc.convergence.ChainsDisagreeWarning")
def test_every_method_with_a_tree_shows_it(method, ctree_command):
    few = ["--samples", "20", "--burn-in", "100"] if method == "mcmc" else []
    assert ctree_command("learn", "golf", "--method", method, "-o", "m.json", *few).status == 0
    model = ctree.load("m.json")
    tree = model.best_tree_ if method == "mcmc" else model.tree_
    assert ctree_command("show", "m.json").out == tree.to_text() + "\n"
    assert ctree_command("show", "m.json", "--html", "m.html").status == 0
    assert pathlib.Path("m.html").read_text("utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize("method", ["c4.5rules", "naive-bayes"])
def test_what_is_no_tree_is_shown_as_text(method, ctree_command):
    assert ctree_command("learn", "golf", "--method", method, "-o", "m.json").status == 0
    assert ctree_command("show", "m.json").out == ctree.load("m.json").to_text() + "\n"


def test_an_average_over_all_trees_shows_the_most_probable_one(ctree_command):
    assert ctree_command("learn", "golf", "--method", "bayes-optimal", "-o", "m.json").status == 0
    assert ctree_command("show", "m.json").out == ctree.load("m.json").most_probable_tree().to_text() + "\n"


def test_a_tree_alone_is_shown(ctree_command):
    tree = ctree.C45Classifier().fit(ctree.read_c45("golf")).tree_
    ctree.save(tree, "tree.json")
    assert ctree_command("show", "tree.json").out == tree.to_text() + "\n"


def test_what_has_no_tree_is_refused(golf_model, ctree_command):
    assert ctree_command("learn", "golf", "--method", "naive-bayes", "-o", "nb.json").status == 0
    for option in (["--dot"], ["--html", "x.html"], ["--plot", "x.png"], ["--max-depth", "2"]):
        answer = ctree_command("show", "nb.json", *option)
        assert (answer.status, answer.out) == (1, "")
        assert answer.err == "ctree: nb.json: a naive Bayes model has no tree that could be drawn, only a text\n"
    assert ctree_command("show", "missing.json").err == "ctree: missing.json: there is no such file\n"
    answer = ctree_command("show", golf_model, "--html", "no/where.html")
    assert answer.err.startswith("ctree: no/where.html: the page cannot be written there, as there is no ")
    assert ctree_command("show", golf_model, "--dot", "--html", "x.html").status == 2
    assert ctree_command("show", golf_model, "--max-depth", "-1").status == 2


def test_a_page_is_titled_and_tested(golf_model, ctree_command):
    assert ctree_command("show", golf_model, "--html", "a.html", "--test", "golf.data", "--title", "Days").status == 0
    model = ctree.load(golf_model)
    assert pathlib.Path("a.html").read_text("utf-8") == model.to_html("Days", test=ctree.read_c45("golf"))
    assert ctree_command("show", golf_model, "--html", "b.html", "--test", "golf.data").status == 0
    assert "<title>golf</title>" in pathlib.Path("b.html").read_text("utf-8")
    # A model knows what its cases were called, whatever its file is called; once it is fitted to others, no longer.
    assert ctree_command("learn", "golf", "-o", "model.json").status == 0
    assert ctree_command("show", "model.json", "--html", "c.html").status == 0
    assert "<title>golf</title>" in pathlib.Path("c.html").read_text("utf-8")
    again = ctree.load("model.json")
    assert "<title>golf</title>" in again.to_html()
    assert "<title>C4.5</title>" in again.fit(ctree.load_iris()).to_html()
    for option in ("--test", "--title"):
        answer = ctree_command("show", golf_model, option, "golf.data")
        assert answer.err == f"ctree: {option} is for the page, which --html writes\n"
    answer = ctree_command("show", golf_model, "--html", "golf.data", "--test", "golf.data")
    assert answer.err == "ctree: golf.data: this file is read by the same command; write to another one\n"
    pathlib.Path("none.data").write_text("sunny, 70, 70, true, ?\n")
    answer = ctree_command("show", golf_model, "--html", "c.html", "--test", "none.data")
    assert answer.status == 1
    assert answer.err == "ctree: none.data: the class of every case is unknown\n"


def test_leaves_can_be_numbered(ctree_command, golf_model):
    plain, numbered = ctree_command("show", golf_model).out, ctree_command("show", golf_model, "--numbers").out
    assert [line.split()[-1] for line in numbered.splitlines() if "[leaf" in line] == ["1]", "2]", "3]", "4]", "5]"]
    assert re.sub(r" \[leaf \d\]", "", numbered) == plain
    answer = ctree_command("show", golf_model, "--numbers", "--dot")
    assert answer.status == 2
    assert answer.err == "ctree: --numbers is for the text; pages and pictures always have the numbers of leaves\n"


def test_a_picture_is_titled(ctree_command, golf_model):
    pytest.importorskip("matplotlib")
    for options, title in (((), "golf"), (("--title", "Days"), "Days")):
        assert ctree_command("show", golf_model, "--plot", "days.svg", *options, "--force").status == 0
        assert f"<!-- {title} -->" in pathlib.Path("days.svg").read_text("utf-8")


def test_errors_in_training_are_those_that_learn_prints(ctree_command):
    rng = np.random.default_rng(5)
    rows = rng.integers(0, 3, (300, 3)).astype(str)
    classes = np.where(rng.random(300) < 0.2, "no", np.where(rows[:, 0] == rows[:, 1], "yes", "no"))
    rows[rng.random(rows.shape) < 0.2] = "?"
    with open("odd.data", "w") as file:
        file.writelines(",".join([*row, label]) + "\n" for row, label in zip(rows, classes, strict=True))
    pathlib.Path("odd.names").write_text("yes, no.\na: 0, 1, 2.\nb: 0, 1, 2.\nc: 0, 1, 2.\n")
    said = ctree_command("learn", "odd", "-o", "odd.json")
    errors = int(re.search(r"Training:  (\d+) errors", said.out)[1])
    model, data = ctree.load("odd.json"), ctree.read_c45("odd")

    def prunings(page):
        return json.loads(re.search(r'id="model"[^>]*>(.*?)</script>', page, re.DOTALL)[1])["prunings"]

    told = prunings(model.to_html())
    assert told["training"][0] == errors == sum(model.predict(data) != np.array(data.labels))
    assert told["training"] == prunings(model.to_html(test=data))["test"]
    assert not told["in_parts"]
    # Without the cases there are only the leaves, which have parts of them.
    fitted = ctree.C45Classifier().fit(data)
    assert prunings(fitted.to_html())["in_parts"]
    assert prunings(fitted.to_html())["training"][0] != errors
    assert prunings(model.pruned("cost-complexity", alpha=0.01).to_html())["in_parts"]
    assert not prunings(ctree.C45Classifier().fit(ctree.load_golf()).to_html())["in_parts"]
    again = json.loads(pathlib.Path("odd.json").read_text())
    pathlib.Path("wrong.json").write_text(json.dumps(again | {"training_errors": [1.0]}))
    answer = ctree_command("show", "wrong.json", "--html", "wrong.html")
    assert answer.status == 1
    assert "'training_errors' should have" in answer.err
