"""`ctree report`."""

from __future__ import annotations

import pathlib
import re
import shutil

import numpy as np
import pytest

import ctree


def written(name):
    return pathlib.Path(name).read_text("utf-8")


def test_a_page_is_written(ctree_command, golf_model):
    answer = ctree_command("report", golf_model, "golf.data", "-o", "golf.html", "--title", "When to play")
    assert (answer.status, answer.out, answer.err) == (0, "", "golf.html: written\n")
    page = written("golf.html")
    assert "<h1>When to play</h1>" in page
    assert "These seem to be the cases that the model was learned from" in page
    assert "Data: golf.data" in page
    assert ctree_command("report", golf_model, "golf.data", "--title", "When to play").out == page


def test_it_is_the_report_of_python(ctree_command, golf_model):
    sections = re.compile(r"<section id=.(?:data|tree|confusion|ranking).*?</section>", re.DOTALL)
    page = ctree_command("report", golf_model, "golf.data").out
    expected = ctree.report(ctree.load(golf_model), ctree.read_c45("golf"))
    assert sections.findall(page) == sections.findall(expected)
    assert len(sections.findall(page)) == 4
    assert "<h1>golf</h1>" in page


@pytest.mark.parametrize("form", ["csv", "arff", "parquet", "tree"])
def test_every_form_of_cases(ctree_command, golf_model, form):
    if form == "tree":
        ctree.save(ctree.load(golf_model).tree_, "tree.json")
        golf_model, data = "tree.json", "golf.data"
    else:
        data = f"golf.{form}"
        if form == "parquet":
            pytest.importorskip("pyarrow.parquet")
            pandas = pytest.importorskip("pandas")
            ctree_command("convert", "golf", "golf.csv")
            pandas.read_csv("golf.csv", dtype={"windy": str}).to_parquet(data)
        else:
            ctree_command("convert", "golf", data)
    answer = ctree_command("report", golf_model, data)
    assert answer.status == 0, answer.err
    assert "Of 14 cases, none is predicted wrong" in answer.out


def test_linked_tables(ctree_command, tmp_path):
    shutil.copytree(pathlib.Path(__file__).parents[2] / "examples" / "shop", "shop")
    assert ctree_command("learn", "--relational", "shop", "-o", "shop.json").status == 0
    answer = ctree_command("report", "shop.json", "shop")
    assert answer.status == 0, answer.err
    assert "24 examples with a class" in answer.out
    answer = ctree_command("report", "shop.json", "shop", "--class", "x")
    assert answer.err == "ctree: --class is not for linked tables, whose schema names the class\n"


def test_costs_curves_and_examples(ctree_command, golf_model):
    pathlib.Path("costs.csv").write_text("cost, predicted, actual\n3, Play, Don't Play\n\n0.5,Don't Play,Play\n")
    ctree_command("learn", "golf", "--min-cases", "6", "-o", "small.json")
    options = ["--costs", "costs.csv", "--curve", "Play", "--examples", "2"]
    page = ctree_command("report", "small.json", "golf.data", *options).out
    assert page.count("<h3>Case ") == 2
    model, golf = ctree.load("small.json"), ctree.read_c45("golf")
    costs = {("Don't Play", "Play"): 3, ("Play", "Don't Play"): 0.5}
    mean = np.mean([costs.get(pair, 0) for pair in zip(golf.labels, model.predict(golf), strict=True)])
    assert f'the class that the model predicts</th><td class="number">{mean:.3f} (' in page
    assert "Play: area" in page
    assert "Don&#x27;t Play: area" not in page


WRONG = [
    (["golf.json", "nothing.data"], "nothing.data: there is no such file"),
    (["golf.json", "golf.names"], "golf.names: a .names file has no cases"),
    (["nothing.json", "golf.data"], "nothing.json: there is no such file"),
    (["golf.json", "golf.data", "-o", "golf.data"], "golf.data: this file is read by the same command"),
    (["golf.json", "golf.data", "-o", "costs.csv", "--costs", "costs.csv"], "costs.csv: this file is read"),
    (["golf.json", "golf.data", "--curve", "rose"], "there is no class 'rose'"),
    (["golf.json", "golf.data", "--costs", "head.csv"], "head.csv:1: the columns should be actual, predicted, cost"),
    (["golf.json", "golf.data", "--costs", "cells.csv"], "cells.csv:2: there should be 3 cells, not 2"),
    (["golf.json", "golf.data", "--costs", "number.csv"], "number.csv:2: a cost should be a number from 0 on, not 'x'"),
    (["golf.json", "golf.data", "--costs", "twice.csv"], "twice.csv:3: there is a cost for the same two classes"),
    (["golf.json", "golf.data", "--costs", "empty.csv"], "empty.csv: the file is empty"),
    (["golf.json", "golf.data", "--costs", "class.csv"], "the costs name a class 'Rest'"),
    (["golf.json", "no-class.csv"], "no-class.csv: no column besides the attributes has the classes of the model"),
    (["golf.json", "unknown.cases"], "unknown.cases: no case has a class"),
]
USAGE = ("is read by the same command", "this file is read", "there is no class")
FILES = {
    "costs.csv": "actual,predicted,cost\n",
    "head.csv": "a,b,c\n",
    "cells.csv": "actual,predicted,cost\nPlay,1\n",
    "number.csv": "actual,predicted,cost\nPlay,Don't Play,x\n",
    "twice.csv": "actual,predicted,cost\nPlay,Don't Play,1\nPlay,Don't Play,2\n",
    "empty.csv": "\n",
    "class.csv": "actual,predicted,cost\nPlay,Rest,1\n",
    "no-class.csv": "outlook,temperature,humidity,windy\nsunny,70,70,true\n",
    "unknown.cases": "sunny,70,70,true,?\n",
}


@pytest.mark.parametrize(("words", "message"), WRONG, ids=[message for _, message in WRONG])
def test_what_is_wrong_is_said(ctree_command, golf_model, words, message):
    for name, text in FILES.items():
        pathlib.Path(name).write_text(text)
    answer = ctree_command("report", *words)
    assert answer.status == (2 if any(part in message for part in USAGE) else 1)
    assert answer.err.startswith("ctree: ")
    assert message in answer.err
    assert answer.out == ""
    assert not pathlib.Path("costs.csv").read_text().startswith("<")
