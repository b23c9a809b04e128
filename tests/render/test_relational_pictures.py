"""Relational trees as graphs and pictures: every node with its question, its branches and its figures."""

from __future__ import annotations

import re
import shutil
import subprocess

import numpy as np
import pytest
from support.dot_graphs import parsed
from support.drawings import check_legible, leaf_bars, texts
from support.expected_relational import data_of
from support.relational_problems import random_relational_problem

import ctree
from ctree.errors import NotFittedError, ParameterError
from ctree.render.labels import leaves_below, wrapped


def random_tree(seed, folder, **settings):
    data = data_of(random_relational_problem(seed), folder)
    settings = {"lookahead": 1, "aggregates": ("count", "share"), **settings}
    return ctree.RelationalTreeClassifier(**settings).fit(data)


def canonical(tree):
    """The nodes of the tree as plain data, level by level, with their depths."""
    nodes = [(tree.to_canonical(), 0)]
    for node, depth in nodes:
        if "yes" in node:
            nodes += [(node["yes"], depth + 1), (node["no"], depth + 1)]
    return nodes


def leaves_of(node):
    waiting, n = [node], 0
    while waiting:
        node = waiting.pop()
        n += "yes" not in node
        waiting += [node[answer] for answer in ("yes", "no") if answer in node]
    return n


@pytest.mark.parametrize("seed", range(4400, 4412))
def test_nodes_are_where_the_plain_form_has_them(seed, tmp_path):
    tree = random_tree(seed, tmp_path).tree_
    nodes = canonical(tree)
    assert [int(depth) for depth in tree.node_depth] == [depth for _, depth in nodes]
    assert tree.depth == max(depth for _, depth in nodes)
    assert leaves_below(tree).tolist() == [leaves_of(node) for node, _ in nodes]
    by_id = {id(node): number for number, (node, _) in enumerate(nodes)}
    for number, (node, _) in enumerate(nodes):
        below = [by_id[id(node[answer])] for answer in ("yes", "no") if answer in node]
        assert list(tree.branches(number)) == below
        assert [int(tree.parent[branch]) for branch in below] == [number] * len(below)
    assert tree.parent[0] == -1


@pytest.mark.parametrize("seed", range(4400, 4412))
def test_the_graph_is_the_tree(seed, tmp_path):
    tree = random_tree(seed, tmp_path).tree_
    nodes = canonical(tree)
    drawn, edges = parsed(tree.to_dot())
    assert sorted(drawn) == list(range(len(nodes)))
    for number, (node, _) in enumerate(nodes):
        rows = drawn[number]["label"].split("\n")
        n = sum(node["counts"])
        if "yes" in node:
            question = tree.question(number)
            assert rows[-1] == f"{n:,} example" + "s" * (n != 1)
            assert " ".join(rows[:-1]) == question or rows[-2].endswith("…")
            assert max(map(len, rows)) <= 36
            assert [edges[number, branch]["label"].strip() for branch in tree.branches(number)] == ["yes", "no"]
        else:
            best = int(tree.probabilities[number].argmax())
            assert rows[0] == str(tree.schema.classes[best])
            assert rows[1].endswith(f"p = {tree.probabilities[number, best]:.3f}, {n:,} example" + "s" * (n != 1))
    assert len(edges) == len(nodes) - 1


@pytest.mark.parametrize("depth", [0, 1, 2, 99])
def test_what_is_folded_is_counted(depth, tmp_path):
    model = random_tree(4406, tmp_path)
    tree = model.tree_
    assert tree.depth == 9
    nodes, edges = parsed(model.to_dot(depth))
    told = 0
    for number, attributes in nodes.items():
        folded = tree.node_depth[number] == depth and len(tree.branches(number)) > 0
        assert ("dashed" in attributes["style"]) == folded
        told += int(re.search(r"… (\d+) leaves", attributes["label"]).group(1)) if folded else 0
        told += len(tree.branches(number)) == 0
    assert told == tree.n_leaves
    assert len(edges) == len(nodes) - 1


def test_odd_names_and_long_values_are_drawn():
    names = ['say "yes"\\', "</a>\\N", "{x|y}\nnext", "w" * 3000]
    n = 24
    data = ctree.RelationalData(
        {
            names[0]: {"id": np.arange(n), "class": [names[i % 4] for i in range(n)]},
            names[1]: {"of": np.arange(n), names[2]: [f"{names[i % 4]} " * 3 for i in range(n)]},
        },
        target=(names[0], "class"),
        keys={names[0]: "id"},
        foreign_keys={f"{names[1]}.of": names[0]},
    )
    model = ctree.RelationalTreeClassifier().fit(data)
    nodes, _ = parsed(model.to_dot())
    assert len(nodes) == model.tree_.n_nodes > 5
    # A row of words that cannot be broken elsewhere is broken.
    assert max(len(row) for attributes in nodes.values() for row in attributes["label"].split("\n")) <= 36
    if shutil.which("dot") is not None:
        done = subprocess.run(["dot", "-Tplain"], input=model.to_dot(), capture_output=True, text=True, check=True)
        assert sum(line.startswith("node ") for line in done.stdout.splitlines()) == model.tree_.n_nodes
    pytest.importorskip("matplotlib")
    check_legible(model.plot())


@pytest.mark.parametrize("seed", [4418, 4426, 4438])
@pytest.mark.parametrize("max_depth", [None, 0, 1, 2])
def test_pictures_can_be_read(seed, max_depth, tmp_path):
    pytest.importorskip("matplotlib")
    model = random_tree(seed, tmp_path)
    tree = model.tree_
    figure = ctree.plot_tree(model, tmp_path / "tree.png", max_depth=max_depth)
    assert (tmp_path / "tree.png").stat().st_size > 3000
    check_legible(figure)
    words = [text.get_text() for text in texts(figure)]
    assert words[0] == "Relational tree"
    assert "examples" in words
    deepest = tree.depth if max_depth is None else max_depth
    shown = [node for node in range(tree.n_nodes) if tree.node_depth[node] <= deepest]
    ends = [node for node in shown if tree.node_depth[node] == deepest or not tree.branches(node)]
    assert len(leaf_bars(figure)) == len(ends)
    for node in set(shown) - set(ends):
        whole = f"{tree.question(node)} {tree.counts[node].sum():g}"
        assert any(" ".join(text.split()) == whole for text in words) or len(whole) > 3 * 50
    n_inner = len(shown) - len(ends)
    assert words.count("yes") >= n_inner
    assert words.count("no") >= n_inner


def test_a_tree_of_one_leaf_is_drawn(tmp_path):
    model = random_tree(4402, tmp_path, min_cases=1000)
    assert model.tree_.n_nodes == 1
    nodes, edges = parsed(model.tree_.to_dot())
    assert list(nodes) == [0]
    assert edges == {}
    assert leaves_below(model.tree_).tolist() == [1]
    pytest.importorskip("matplotlib")
    check_legible(model.tree_.plot())


def test_what_cannot_be_drawn_says_why(tmp_path):
    pytest.importorskip("matplotlib")
    tree = random_tree(4400, tmp_path).tree_
    for show in (tree.to_dot, lambda depth: tree.plot(max_depth=depth)):
        with pytest.raises(ParameterError, match="max_depth must be None or a whole number of at least 0"):
            show(-1)
    for show in (ctree.RelationalTreeClassifier().to_dot, ctree.RelationalTreeClassifier().plot):
        with pytest.raises(NotFittedError, match="call fit first"):
            show()


def test_rows_are_no_longer_than_they_may_be():
    assert wrapped("", 10, 2) == [""]
    assert wrapped("x" * 25, 10, 3) == ["x" * 10, "x" * 10, "x" * 5]
    assert wrapped("x" * 999, 10, 2) == ["x" * 10, "x" * 8 + " …"]
    assert wrapped("a\n\tb", 10, 1) == ["a b"]


@pytest.mark.parametrize("form", ["words", "logic"])
def test_text_is_folded_as_it_says(form, tmp_path):
    tree = random_tree(4418, tmp_path).tree_
    whole = tree.to_text(form).splitlines()
    # In which order the lines of nodes stand: each before what is below it, yes before no.
    order, waiting = [], [0]
    while waiting:
        order.append(waiting.pop())
        waiting += reversed(tree.branches(order[-1]))
    for depth in range(tree.depth + 2):
        lines = tree.to_text(form, depth).splitlines()
        shown = [node for node in order if tree.node_depth[node] <= depth]
        assert len(lines) == len(shown)
        told = 0
        for node, line in zip(shown, lines, strict=True):
            if tree.node_depth[node] == depth and tree.branches(node):
                told += int(re.search(r"[)\]] \[(\d+) leaves\]$", line).group(1))
                n = sum(tree.counts[node])
                assert f"({n:g} examples: " in line if form == "words" else str(int(max(tree.counts[node]))) in line
            else:
                told += not tree.branches(node)
                assert line == whole[order.index(node)]
        assert told == tree.n_leaves
    assert tree.to_text(form, tree.depth).splitlines() == whole


def test_a_depth_that_is_none_is_refused(tmp_path):
    tree = random_tree(4400, tmp_path).tree_
    for form in ("words", "logic"):
        with pytest.raises(ParameterError, match="max_depth must be None or a whole number of at least 0"):
            tree.to_text(form, 1.5)
    with pytest.raises(ParameterError, match="max_depth is for trees in words and in logic"):
        tree.to_text("prolog", 2)
