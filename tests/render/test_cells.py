"""What a notebook shows: well-formed, complete up to a size, for itself, and without a network."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
import warnings

import numpy as np
import pytest
from support.cells import Cell, rules_of
from support.printed_tree import shown_nodes

import ctree
from ctree import Attribute, Dataset, Kind, Schema
from ctree.render.cells import tree_cell as tree_cells
from ctree.render.cells.cell import style
from ctree.render.printed import MOST_NODES

pytestmark = pytest.mark.usefixtures("own_cells")

CASE = {"outlook": "sunny", "temperature": 70, "humidity": None, "windy": "true"}
HOSTILE = [
    '<script>alert("x")</script>',
    "a & b",
    "\"quoted\" 'too'",
    "</div></details>",
    "]]>",
    "two\nlines",
    "\ud800",
]


def quietly(make):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make()


def linked():
    return ctree.read_relational("examples/shop")


def sampled():
    return ctree.MCMCTreeClassifier(min_cases=1, samples=50, burn_in=20, chains=2, random_state=0).fit(
        ctree.load_golf()
    )


def compared():
    learners = {"c4.5": ctree.C45Classifier(), "naive <Bayes>": ctree.NaiveBayesClassifier()}
    sets = {"golf": ctree.load_golf(), "iris & co": ctree.load_iris()}
    return ctree.compare(sets, learners, protocol=ctree.StratifiedFolds(folds=2, repeats=2))


SHOWN = {
    "tree": lambda: ctree.C45Classifier().fit(ctree.load_golf()).tree_,
    "relational tree": lambda: ctree.RelationalTreeClassifier().fit(linked()).tree_,
    "one leaf": lambda: ctree.C45Classifier().fit([[1.0], [1.0]], ["a", "b"]).tree_,
    "learner that is not fitted": lambda: ctree.C45Classifier(min_cases=7),
    "c4.5": lambda: ctree.C45Classifier().fit(ctree.load_iris()),
    "rules": lambda: ctree.C45RulesClassifier().fit(ctree.load_golf()),
    "probability": lambda: ctree.ProbabilityTreeClassifier().fit(ctree.load_iris()),
    "bayesian": lambda: ctree.BayesianTreeClassifier().fit(ctree.load_iris()),
    "naive Bayes": lambda: ctree.NaiveBayesClassifier().fit(ctree.load_golf()),
    "all trees": lambda: ctree.BayesOptimalClassifier(max_depth=2).fit(ctree.load_golf()),
    "optimal": lambda: ctree.OptimalTreeClassifier(max_depth=2).fit(ctree.load_golf()),
    "sampled": sampled,
    "sampled, trees not kept": lambda: sampled().set_params(keep_trees=False).fit(ctree.load_golf()),
    "relational": lambda: ctree.RelationalTreeClassifier().fit(linked()),
    "bagged": lambda: ctree.BaggedTreesClassifier(members=3, random_state=0).fit(linked()),
    "explanation by a tree": lambda: ctree.C45Classifier().fit(ctree.load_golf()).explain(CASE),
    "explanation by a rule": lambda: ctree.C45RulesClassifier().fit(ctree.load_golf()).explain(CASE),
    "explanation by evidence": lambda: ctree.NaiveBayesClassifier().fit(ctree.load_golf()).explain(CASE),
    "explanation by itemsets": lambda: ctree.BayesOptimalClassifier(max_depth=2).fit(ctree.load_golf()).explain(CASE),
    "explanation by an ensemble": lambda: sampled().explain(CASE),
    "explanation by linked rows": lambda: ctree.RelationalTreeClassifier().fit(linked()).explain(linked().take([0])),
    "rule list": lambda: ctree.C45RulesClassifier().fit(ctree.load_golf()).rules_,
    "rule": lambda: ctree.C45Classifier().fit(ctree.load_golf()).to_rules()[0],
    "comparison": compared,
    "table of a measure": lambda: ctree.measure_table(compared(), "accuracy"),
    "envelope": lambda: ctree.uncertainty_envelope(sampled(), ctree.load_golf()),
    "envelope without classes": lambda: ctree.uncertainty_envelope(sampled(), [list(CASE.values())]),
}


@pytest.mark.parametrize("what", SHOWN)
def test_every_cell_is_well_formed_and_needs_nothing_else(what):
    shown = quietly(SHOWN[what])
    html = shown._repr_html_()
    cell = Cell(html)
    own = html[html.index("<div class='ctree-cell'>") :] if "ctree-cell" in html else ""
    assert not re.search(r"https?:|//[a-z]|@import|url\(|src=|href=", own)
    assert len(html) < 60_000 + (100_000 if "sk-" in html else 0)
    assert cell.text.strip()


@pytest.mark.parametrize("what", SHOWN)
def test_what_is_printed_has_no_arrays_and_is_short(what):
    shown = quietly(SHOWN[what])
    assert len(repr(shown)) < 400
    assert "array(" not in repr(shown) + str(shown)
    assert "object at 0x" not in repr(shown)


def test_the_style_is_for_cells_alone():
    selectors = rules_of(style())
    assert len(selectors) > 30
    assert all(".ctree-cell" in selector for selector in selectors), selectors


class TestTrees:
    def test_every_node_of_a_small_tree_is_there(self):
        tree = ctree.C45Classifier(estimate="laplace").fit(ctree.load_golf()).tree_
        cell = Cell(tree._repr_html_())
        assert "8 nodes, 5 leaves, depth 2" in cell.text
        assert len(cell.rows) == 8
        assert len(cell.having("details")) == 3
        assert [" ".join(row.split()) for row in cell.rows] == [
            "outlook0.625, 14 cases",
            "overcast Play0.833, 4 cases leaf 1",
            "sunny humidity0.571, 5 cases",
            "≤ 75 Play0.750, 2 cases leaf 2",
            "> 75 Don't Play0.800, 3 cases leaf 3",
            "rain windy0.571, 5 cases",
            "true Don't Play0.750, 2 cases leaf 4",
            "false Play0.800, 3 cases leaf 5",
        ]
        # the bar of each node is as its probabilities
        widths = re.findall(r"ctree-bar'>((?:<span[^>]*></span>)*)</span>", cell.html)
        order = shown_nodes(tree)
        for spans, node in zip(widths, order, strict=True):
            shares = [float(share) / 100 for share in re.findall(r"width:([\d.e-]+)%", spans)]
            assert np.allclose(shares, tree.probabilities[node], atol=1e-4)

    def test_the_weights_of_a_tree_that_averages_are_there(self):
        model = ctree.BayesianTreeClassifier().fit(ctree.load_iris())
        assert re.search(r"weight 0\.\d{3}", Cell(model._repr_html_()).text)

    def test_a_question_of_linked_tables_is_in_words(self):
        cell = Cell(SHOWN["relational tree"]()._repr_html_())
        assert "does the customer have an order (order 1) whose product has price > 90?" in cell.text
        assert any(row.startswith("yes ") for row in cell.rows)

    @pytest.mark.parametrize("limit", [1, 5, 20, 60, 500])
    def test_of_a_large_tree_the_first_nodes_are_shown_and_the_others_counted(self, limit, monkeypatch):
        monkeypatch.setattr(tree_cells, "MOST_NODES", limit)
        rng = np.random.default_rng(1)
        tree = ctree.ProbabilityTreeClassifier(approach="c4.4").fit(rng.random((500, 3)), rng.integers(0, 3, 500)).tree_
        assert 200 < tree.n_nodes <= 500
        cell = Cell(tree._repr_html_())
        shown = len(cell.rows)
        assert shown <= limit + 1
        assert shown >= min(limit - 1, tree.n_nodes)
        told = re.search(r"([\d,]+) of ([\d,]+) nodes are not shown", cell.text)
        if limit == 500:
            assert shown == tree.n_nodes
            assert told is None
        else:
            assert [int(n.replace(",", "")) for n in told.groups()] == [tree.n_nodes - shown, tree.n_nodes]
            # together with the leaves that are shown, those that are said to be below others are all
            below = [int(n.replace(",", "")) for n in re.findall(r"… ([\d,]+) leaves, not shown", cell.text)]
            inner = len(cell.having("details"))
            assert sum(below) + shown - inner - len(below) == tree.n_leaves

    def test_forty_thousand_nodes_make_no_large_cell(self):
        rng = np.random.default_rng(0)
        X, y = rng.random((60_000, 5)), rng.integers(0, 3, 60_000)
        model = ctree.ProbabilityTreeClassifier(approach="c4.4").fit(X, y)
        assert model.tree_.n_nodes > 40_000
        assert len(model.tree_._repr_html_()) < 400_000
        assert len(model._repr_mimebundle_()["text/html"]) < 500_000
        text = str(model.tree_)
        assert len(text.splitlines()) <= MOST_NODES + 1
        assert "nodes are left out: to_text() has all" in text

    def test_a_deep_tree_is_not_deeper_than_browsers_take(self):
        X = np.arange(3000)[:, None]
        tree = ctree.ProbabilityTreeClassifier(approach="c4.4").fit(X, np.arange(3000) % 2).tree_
        assert tree.depth > 1000
        cell = Cell(tree._repr_html_())
        assert cell.deepest < 400

    def test_a_test_of_thousands_of_values_shows_some_branches(self):
        values = tuple(f"v{i}" for i in range(3000))
        schema = Schema((Attribute("a", Kind.DISCRETE, values),), ("x", "y"))
        codes = np.tile(np.arange(3000), 2)
        tree = ctree.C45Classifier(prune=False, min_cases=1).fit(Dataset(schema, [codes], codes % 2)).tree_
        assert tree.n_nodes == 3001
        cell = Cell(tree._repr_html_())
        assert len(cell.rows) == 101
        assert "… and 2,900 more branches" in cell.text
        assert "2,900 of 3,001 nodes are not shown" in cell.text
        lines = str(tree).splitlines()
        assert len(lines) == MOST_NODES + 1
        assert lines[-1] == "… 2,800 more lines: to_text() has all"


class TestHostileNames:
    SCHEMA = Schema(
        tuple(
            Attribute(name, Kind.DISCRETE, tuple(f"{value}{i}" for i in range(2)))
            for name, value in zip(HOSTILE, reversed(HOSTILE), strict=True)
        ),
        tuple(HOSTILE[:4]),
    )

    def data(self):
        rng = np.random.default_rng(0)
        columns = [rng.integers(0, 2, 120).astype(np.int32) for _ in HOSTILE]
        return Dataset(self.SCHEMA, columns, columns[0] + 2 * columns[3])

    def test_names_are_texts_and_never_tags(self):
        data = self.data()
        plain = Cell(ctree.C45Classifier().fit(ctree.load_golf()).tree_._repr_html_())
        model = ctree.C45Classifier(min_cases=1).fit(data)
        rules = ctree.C45RulesClassifier().fit(data)
        shown = [model, model.tree_, rules.rules_, rules, model.explain(data[[0]]), model.to_rules()[0]]
        shown += [ctree.NaiveBayesClassifier().fit(data), ctree.NaiveBayesClassifier().fit(data).explain(data[[0]])]
        for one in shown:
            cell = Cell(one._repr_html_())
            cell.html.encode()
            assert HOSTILE[0] in cell.text or "alert" in cell.text
            assert not any("alert" in text for text in cell.programs)
            assert {tag for tag, _ in cell.elements} <= {tag for tag, _ in plain.elements} | {"table", "tr", "th", "td", "ul", "li", "pre", "code"}  # fmt: skip # noqa: E501

    def test_in_comparisons(self):
        cell = Cell(compared()._repr_html_())
        assert "naive <Bayes>" in cell.text
        assert "iris & co" in cell.text

    def test_names_of_a_million_signs_are_cut_off(self):
        data = ctree.from_arrays({"x" * 10**6: ["u" * 10**6, "v"] * 5}, ["c" * 10**6, "d"] * 5)
        model = ctree.C45Classifier().fit(data)
        for one in (model, model.tree_, model.explain(data[[0]]), ctree.C45RulesClassifier().fit(data).rules_):
            assert len(one._repr_html_()) < 60_000
            assert len(repr(one)) < 500


class TestPrinted:
    def test_a_small_tree_is_printed_whole(self):
        for what in ("tree", "relational tree", "one leaf"):
            tree = SHOWN[what]()
            assert str(tree) == tree.to_text()

    def test_levels_of_a_large_one_and_how_many_nodes_are_left_out(self):
        rng = np.random.default_rng(1)
        tree = ctree.ProbabilityTreeClassifier(approach="c4.4").fit(rng.random((500, 3)), rng.integers(0, 3, 500)).tree_
        *lines, last = str(tree).splitlines()
        depth = max(line.count("|   ") for line in lines) + 1
        assert "\n".join(lines) == tree.to_text(max_depth=depth)
        shown = sum(node.depth <= depth for node in tree)
        assert shown <= MOST_NODES < sum(node.depth <= depth + 1 for node in tree)
        assert last == f"… {tree.n_nodes - shown:,} of {tree.n_nodes:,} nodes are left out: to_text() has all"


def test_parameters_are_in_the_cell_without_scikit_learn():
    code = """
        import sys
        import ctree
        golf = ctree.load_golf()
        fresh = ctree.C45Classifier(min_cases=7)._repr_mimebundle_()
        assert fresh["text/plain"] == "C45Classifier(min_cases=7)"
        assert "not fitted" in fresh["text/html"]
        assert "<td>min_cases</td><td><b>7</b></td><td>2</td>" in fresh["text/html"], fresh["text/html"]
        assert "<td>criterion</td><td>" in fresh["text/html"]
        fitted = ctree.C45Classifier().fit(golf)._repr_html_()
        assert "8 nodes, 5 leaves, depth 2" in fitted and "<td>min_cases</td>" in fitted
        for cls in (ctree.C45RulesClassifier, ctree.NaiveBayesClassifier, ctree.OptimalTreeClassifier):
            assert "<td>class_weight</td>" in cls().fit(golf)._repr_html_()
        assert "sklearn" not in sys.modules and "matplotlib" not in sys.modules
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True)
