"""Leaves have one number: in the printed tree, in explanations, rules, pictures, pages and reports."""

import re

import numpy as np
import pytest
from support.dot_graphs import parsed
from support.printed_tree import meets, printed_leaves, shown_nodes
from support.problems import random_problem

import ctree
from ctree.errors import ParameterError
from ctree.tree.shown_order import leaf_numbers

LEARNERS = {
    "golf": (ctree.load_golf, ctree.C45Classifier()),
    "iris": (ctree.load_iris, ctree.C45Classifier(prune=False, min_cases=1)),
    "groups": (
        lambda: random_problem(5, 300, 3, [0, 6, 4, 5], noise=0.2).dataset(),
        ctree.C45Classifier(group_values=True),
    ),
}


@pytest.fixture(params=LEARNERS)
def fitted(request):
    load, learner = LEARNERS[request.param]
    data = load()
    return data, ctree.C45Classifier(**learner.get_params()).fit(data)


def case_of(data, i):
    return {name: data.value(i, a) for a, name in enumerate(data.schema.names)}


def test_an_explanation_leads_to_the_line_of_the_printed_tree(fitted):
    data, model = fitted
    leaves = printed_leaves(model.to_text().replace("\n" + " " * 20, ""))
    assert len(leaves) == model.tree_.n_leaves
    for i in range(data.n_cases):
        case = case_of(data, i)
        said = model.explain(case)
        number = int(re.search(r"by leaf (\d+):", str(said))[1])
        conditions, label, *_ = leaves[number - 1]
        assert meets(conditions, case)
        assert label == said.prediction
        assert said.to_dict()["leaves"][0]["number"] == number
        assert said.arrivals[0].leaf == model.apply(data.take([i]))[0]


def test_rules_are_in_the_order_of_the_printed_tree(fitted):
    _, model = fitted
    leaves, rules = printed_leaves(model.to_text(numbered=True)), model.to_rules()
    assert [number for *_, number in leaves] == [rule.number for rule in rules] == list(range(1, len(rules) + 1))
    for rule, (conditions, label, cases, _) in zip(rules, leaves, strict=True):
        assert rule.prediction == label
        assert rule.cases == pytest.approx(cases, abs=0.05)
        assert {condition.attribute for condition in rule.conditions} == {attribute for attribute, *_ in conditions}


def test_pictures_follow_the_printed_tree(fitted):
    _, model = fitted
    order = [node for node in shown_nodes(model.tree_) if not model.tree_.branches(node)]
    nodes, _ = parsed(model.to_dot())
    assert [node for node in nodes if "leaf" in nodes[node]["label"]] == order
    assert [nodes[node]["label"].split("\n")[-1] for node in order] == [f"leaf {i + 1}" for i in range(len(order))]
    page = ctree.report(model, fitted[0])
    in_report = re.findall(r'leaf-number"> (leaf|leaves) (\d+)(?: to (\d+))?', page)
    ends = [(int(first), int(last or first)) for _, first, last in in_report]
    assert [first for first, _ in ends] == [1, *(last + 1 for _, last in ends[:-1])]
    assert ends[-1][1] == len(order)


def test_numbers_of_other_nodes_are_those_of_their_first_leaf():
    tree = ctree.C45Classifier(prune=False).fit(random_problem(3, 200, 3, [0, 3, 4]).dataset()).tree_
    numbers = leaf_numbers(tree)
    for node in range(tree.n_nodes):
        below = [n for n in shown_nodes(tree, node) if not tree.branches(n)]
        assert numbers[below].tolist() == list(range(numbers[node], numbers[node] + len(below)))
    assert np.unique(numbers[[n.index for n in tree if n.is_leaf]]).size == tree.n_leaves


def test_trees_of_linked_tables_are_numbered_as_printed():
    data = ctree.RelationalData(
        {
            "machine": {"id": ["a", "b", "c", "d", "e", "f"], "action": ["fix", "ok", "fix", "ok", "sell", "sell"]},
            "worn": {"machine": ["a", "c", "d", "e", "f"], "part": ["gear", "gear", "belt", "hull", "hull"]},
        },
        target=("machine", "action"),
        keys={"machine": "id"},
        foreign_keys={"worn.machine": "machine"},
    )
    model = ctree.RelationalTreeClassifier(method="c4.4", min_cases=1).fit(data)
    for form in ("words", "logic"):
        text = model.to_text(form, numbered=True)
        assert re.findall(r"\[leaf (\d+)\]", text) == [str(i + 1) for i in range(model.tree_.n_leaves)]
        assert re.sub(r" \[leaf \d+\]", "", text) == model.to_text(form)
    lines = [line for line in model.to_text(numbered=True).split("\n") if "[leaf" in line]
    for why in model.explain(data):
        number = int(re.search(r"by leaf (\d+)", str(why))[1])
        assert f" {why.prediction} " in re.sub(r"\W", " ", lines[number - 1])
        assert why.to_dict()["number"] == number
    with pytest.raises(ParameterError, match="numbered is for trees in words and in logic"):
        model.to_text("prolog", numbered=True)
