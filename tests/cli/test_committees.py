"""Committees of trees of linked tables on the command line."""

from __future__ import annotations

import csv
import io
import pathlib

import numpy as np
import pytest
from support.relational_problems import random_relational_problem

import ctree


@pytest.fixture
def linked(ctree_command):
    """Linked tables in the folder `linked`, where the command runs."""
    random_relational_problem(1003).write(pathlib.Path("linked"))
    return ctree.read_relational("linked")


@pytest.fixture
def model(ctree_command, linked):
    words = ["learn", "--relational", "linked", "--committee", "bagging", "--members", "7", "--seed", "3"]
    answer = ctree_command(*words, "--method", "bic-prune", "--thresholds", "3", "-o", "model.json")
    assert answer.status == 0, answer.err
    assert "7 trees" in answer.out
    return "model.json"


def test_the_committee_is_that_of_python(ctree_command, linked, model):
    tree = ctree.RelationalTreeClassifier(method="bic-prune", thresholds=3)
    committee = ctree.BaggedTreesClassifier(learner=tree, members=7, random_state=3).fit(linked)
    rows = list(csv.DictReader(io.StringIO(ctree_command("predict", model, "--relational", "linked").out)))
    found = [[float(row[f"p({label})"]) for label in linked.schema.classes] for row in rows]
    assert np.array_equal(found, committee.predict_proba(linked))


def test_its_members_are_shown_one_by_one(ctree_command, model):
    loaded = ctree.load(model)
    assert ctree_command("show", model).out.strip() == loaded.to_text()
    for number in (0, 6):
        member = loaded.members_[number]
        words = ["show", model, "--member", str(number)]
        assert ctree_command(*words, "--form", "logic").out.strip() == member.to_text("logic")
        assert ctree_command(*words, "--dot").out.strip() == member.to_dot()


def test_it_is_exported_and_so_are_its_members(ctree_command, model):
    loaded = ctree.load(model)
    assert ctree_command("export", model, "--to", "sql").out.strip() == loaded.to_sql()
    words = ["export", model, "--to", "sql", "--dialect", "sqlite", "--member", "6"]
    assert ctree_command(*words).out.strip() == loaded.members_[6].to_sql("sqlite")


WRONG = {
    "no such member": (["show", "model.json", "--member", "7"], "there is no member 7, only 0 to 6"),
    "page of all": (["show", "model.json", "--html", "x.html"], "has many trees, and none that stands for all"),
    "text of a form": (["show", "model.json", "--form", "logic"], "has many trees, and none that stands for all"),
    "no such member to export": (["export", "model.json", "--to", "sql", "--member", "7"], "there is no member 7"),
    "member of a tree": (["show", "tree.json", "--member", "0"], "--member is for committees of trees, and tree.json"),
    "cases": (["learn", "linked", "--committee", "bagging"], "--relational"),
    "no committee": (["learn", "--relational", "linked", "--seed", "1"], "--seed is for committees, which need"),
    "compare": (
        ["compare", "--relational", "linked", "--method", "c4.4(committee=boosting)"],
        "there is no committee 'boosting', only bagging",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_cannot_be_done_is_said(what, ctree_command, linked, model):
    ctree.save(ctree.RelationalTreeClassifier().fit(linked), "tree.json")
    words, sentence = WRONG[what]
    answer = ctree_command(*words)
    assert answer.status != 0
    assert answer.out == ""
    assert sentence in answer.err
    assert len(answer.err.splitlines()) == 1


def test_compare(ctree_command, linked):
    method = "c4.4,many=c4.4(committee=bagging, members=4, thresholds=3)"
    words = ["compare", "--relational", "linked", "--folds", "2", "--repeats", "1", "--no-cache"]
    answer = ctree_command(*words, "--method", method, "--measure", "leaves,accuracy", "--format", "csv")
    assert answer.status == 0, answer.err
    assert "many" in answer.out
