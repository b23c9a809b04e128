"""Trees in Graphviz's language: read back by a parser of its own, and by Graphviz where it is installed."""

from __future__ import annotations

import re
import shutil
import subprocess

import numpy as np
import pytest
from hypothesis import given, settings
from support.dot_graphs import parsed
from support.printed_tree import shown_nodes
from support.problems import problems, random_problem

import ctree
from ctree import Attribute, Dataset, Kind, Schema
from ctree.errors import ParameterError
from ctree.render.dot import quoted
from ctree.render.labels import branch_labels, clipped, leaves_below, visible_nodes
from ctree.tree.tree import Test as What


@settings(max_examples=40, deadline=None)
@given(problems())
def test_the_graph_is_the_tree(problem):
    tree = ctree.C45Classifier(prune=False, group_values=True).fit(problem.dataset()).tree_
    nodes, edges = parsed(tree.to_dot())
    assert sorted(nodes) == list(range(tree.n_nodes))
    assert sorted(edges) == sorted((int(p), n) for n, p in enumerate(tree.parent) if p >= 0)
    for node in tree:
        first, second, *_ = nodes[node.index]["label"].split("\n")
        assert first == str(node.prediction if node.is_leaf else node.attribute.name)
        assert float(re.search(r"([\d.]+) cases?$", second).group(1)) == pytest.approx(node.cases, abs=0.0501)
        for branch, words in zip(node.branches, branch_labels(tree, node.index), strict=True):
            assert edges[node.index, branch.index]["label"].strip() == words.strip()


@settings(max_examples=40, deadline=None)
@given(problems())
def test_what_is_folded_is_counted(problem):
    tree = ctree.C45Classifier(prune=False, min_cases=1).fit(problem.dataset()).tree_
    for depth in range(tree.depth + 2):
        nodes, edges = parsed(tree.to_dot(depth))
        assert set(nodes) == {n.index for n in tree if n.depth <= depth}
        assert len(edges) == len(nodes) - 1
        hidden = 0
        for number, attributes in nodes.items():
            folded = tree[number].depth == depth and not tree[number].is_leaf
            assert ("dashed" in attributes["style"]) == folded
            if folded:
                hidden += int(re.search(r"… (\d+) leaves", attributes["label"]).group(1))
            elif tree[number].is_leaf:
                hidden += 1
        assert hidden == tree.n_leaves
        text = tree.to_text(depth)
        told = sum(int(n) for n in re.findall(r"\[(\d+) leaves\]", text))
        plain = len(re.findall(r"\(\d+\.\d(?:/\d+\.\d)?\)(?! \[)", text))
        assert told + plain == tree.n_leaves
    assert tree.to_text(tree.depth) == tree.to_text()


def test_weights_are_in_the_nodes_of_bayesian_trees():
    model = ctree.BayesianTreeClassifier().fit(ctree.read_c45("examples/golf"))
    nodes, _ = parsed(model.to_dot())
    assert all(f"weight {model.node_weights_[n]:.3f}" in nodes[n]["label"] for n in nodes)
    assert "weight" not in ctree.BayesianTreeClassifier(averaging="none").fit(ctree.read_c45("examples/golf")).to_dot()


def nasty_model():
    schema = Schema(
        (
            Attribute('say "yes"\\', Kind.DISCRETE, ("</a>", "\\N -> x", "new\nline;")),
            Attribute("{x|y}", Kind.CONTINUOUS),
        ),
        ('"]', "\\n", "<B>"),
    )
    rng = np.random.default_rng(0)
    codes, numbers = rng.integers(3, size=90), rng.random(90)
    return ctree.C45Classifier().fit(Dataset(schema, [codes, numbers], (codes + (numbers > 0.5)) % 3))


def test_names_are_quoted():
    model = nasty_model()
    nodes, edges = parsed(model.to_dot())
    names = {attributes["label"].split("\n")[0] for attributes in nodes.values()}
    assert {'"]', "\\n", "<B>", "{x|y}"} <= names
    assert {attributes["label"].strip() for attributes in edges.values()} >= {"</a>", "\\N -> x", "new line;"}


def test_one_class_alone_is_drawn():
    data = Dataset(Schema((Attribute("x", Kind.CONTINUOUS),), ("only",)), [[1.0, 2.0]], [0, 0])
    nodes, edges = parsed(ctree.C45Classifier().fit(data).to_dot())
    assert nodes[0]["label"] == "only\np = 1.000, 2 cases\nleaf 1"
    assert edges == {}


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_understands_it():
    for model in (nasty_model(), ctree.BayesianTreeClassifier().fit(ctree.read_c45("examples/golf"))):
        done = subprocess.run(["dot", "-Tplain"], input=model.to_dot(), capture_output=True, text=True, check=True)
        assert done.stderr == ""
        lines = done.stdout.splitlines()
        assert sum(line.startswith("node ") for line in lines) == model.tree_.n_nodes
        assert sum(line.startswith("edge ") for line in lines) == model.tree_.n_nodes - 1


@settings(max_examples=60, deadline=None)
@given(problems())
def test_leaves_are_counted_from_below(problem):
    tree = ctree.C45Classifier(prune=False, min_cases=1).fit(problem.dataset()).tree_
    below = leaves_below(tree)
    for node in tree:
        inside = [n for n in tree if node.index in {step.index for step in n.path}]
        assert below[node.index] == sum(n.is_leaf for n in inside)
    assert visible_nodes(tree, None) == shown_nodes(tree)


@pytest.mark.parametrize("depth", [-1, 1.5, "2", True])
def test_a_depth_that_is_none_is_refused(depth):
    tree = ctree.C45Classifier().fit(ctree.read_c45("examples/golf")).tree_
    for show in (tree.to_dot, tree.to_text, lambda depth: tree.to_html(max_depth=depth)):
        with pytest.raises(ParameterError, match="max_depth must be None or a whole number of at least 0"):
            show(depth)


def test_long_groups_name_what_fits():
    data = random_problem(3, 400, 3, [26, 0]).dataset()
    tree = ctree.C45Classifier(group_values=True, prune=False).fit(data).tree_
    grouped = [n.index for n in tree if n.test is What.GROUPS]
    assert grouped
    for node in grouped:
        for words, group in zip(branch_labels(tree, node), tree.groups(node), strict=True):
            assert len(words) <= 28
            named, _, more = words.partition(" +")
            named = named.split(", ")
            assert named == [f"v{v}" for v in group[: len(named)]]
            assert len(named) + int(more or 0) == len(group)


def test_clipping_keeps_one_line():
    assert clipped("a\tb\nc") == "a b c"
    assert clipped("x" * 50, 10) == "x" * 9 + "…"
    assert quoted("") == '""'
