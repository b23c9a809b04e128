"""What leaves make of their class counts."""

import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive import leaf_estimates as naive

import ctree
from ctree.errors import ModelError, ParameterError
from ctree.tree.leaves import ESTIMATES, leaf_probabilities, prior_sum
from ctree_ext.base.node_arrays import levels, parents

# A root of 1 and 5 cases, whose Laplace priors are (2/8, 6/8), and a leaf of three cases of the first class.
COUNTS = np.array([[1.0, 5.0], [3.0, 0.0]])
BEST = np.array([1, 0], dtype=np.int32)
PARENT = np.array([-1, 0])


@st.composite
def trees(draw, most_nodes: int = 30):
    """Parents of nodes in level order and class counts, some nodes being empty, the root seldom."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_nodes, n_classes = draw(st.integers(1, most_nodes)), draw(st.integers(1, 6))
    # A little above 0 makes a chain, much above it a bush.
    spread = draw(st.sampled_from([1, 3, most_nodes]))
    parent = np.sort([rng.integers(max(0, i - spread), i) for i in range(1, n_nodes)])
    counts = rng.integers(0, 9, (n_nodes, n_classes)) * draw(st.sampled_from([1.0, 0.3, 1e4]))
    counts *= rng.random(counts.shape) < draw(st.sampled_from([0.2, 0.7]))
    counts[rng.random(n_nodes) < draw(st.sampled_from([0.0, 0.3, 0.9]))] = 0
    return np.concatenate([[-1], parent]).astype(int), counts


def path_of(parent, node: int) -> list[int]:
    """The nodes from the root to this one."""
    path = [node]
    while path[-1] > 0:
        path.append(int(parent[path[-1]]))
    return path[::-1]


class TestWorkedNumbers:
    @pytest.mark.parametrize(
        ("estimate", "m", "expected"),
        [
            ("frequency", 2.0, [1.0, 0.0]),
            ("laplace", 2.0, [0.8, 0.2]),
            ("m", 2.0, [0.7, 0.3]),
            ("m", 1.0, [0.8125, 0.1875]),
            ("m", 1e9, [0.25, 0.75]),
            ("dirichlet", 2.0, [0.8, 0.2]),
        ],
    )
    def test_three_cases_of_one_class_under_priors_of_a_quarter_and_three(self, estimate, m, expected):
        assert leaf_probabilities(COUNTS, BEST, estimate, m)[1].tolist() == pytest.approx(expected)

    def test_the_priors_of_the_root(self):
        assert leaf_probabilities(COUNTS, BEST, "laplace")[0].tolist() == [0.25, 0.75]

    def test_m_branch_along_a_path(self):
        counts = np.array([[60.0, 40.0], [50.0, 10.0], [25.0, 0.0]])
        probabilities = leaf_probabilities(counts, estimate="m-branch", m=4, parent=[-1, 0, 1])
        assert probabilities[:, 0].round(5).tolist() == [0.59615, 0.81851, 0.97497]

    def test_the_priors_of_many_classes_sum_to_one(self):
        counts = np.array([[339 / 22] * 22, [0.0] * 22])
        assert leaf_probabilities(counts, estimate="m")[1].sum() == pytest.approx(1, abs=1e-14)
        # Cestnik's own do not.
        assert ((counts[0] + 1) / (339 + 2)).sum().round(3) == 1.059

    def test_dirichlet_with_a_parameter_for_each_class(self):
        counts = np.array([[5.0, 3.0, 0.0, 0.0, 2.0], [5.0, 0.0, 0.0, 0.0, 0.0]])
        alphas = [[1.0] * 5, [1.25, 1.25, 0.625, 0.625, 1.25]]
        one, all_nodes = (leaf_probabilities(counts, estimate="dirichlet", alphas=a)[1] for a in (alphas[1], alphas))
        assert one.tolist() == all_nodes.tolist() == [0.625, 0.125, 0.0625, 0.0625, 0.125]


class TestEmptyNodes:
    @pytest.mark.parametrize(
        ("estimate", "expected"),
        [
            ("frequency", [0, 1, 0]),
            ("laplace", [1 / 3] * 3),
            ("m", [2 / 9, 3 / 9, 4 / 9]),
            ("dirichlet", [1 / 3] * 3),
            ("m-branch", [5 / 24, 8 / 24, 11 / 24]),
        ],
    )
    def test_an_empty_leaf_that_knows_its_class(self, estimate, expected):
        counts = np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]])
        best = np.array([2, 1], dtype=np.int32)
        assert leaf_probabilities(counts, best, estimate, parent=PARENT)[1].tolist() == pytest.approx(expected)

    def test_by_frequency_the_nearest_ancestor_with_cases_speaks(self):
        counts = np.array([[1.0, 3.0], [1.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
        probabilities = leaf_probabilities(counts, parent=[-1, 0, 0, 1, 3])
        assert probabilities.tolist() == [[0.25, 0.75], [1, 0], [0.25, 0.75], [1, 0], [1, 0]]

    def test_without_any_cases_by_frequency_all_classes_are_equal(self):
        counts = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0]])
        assert leaf_probabilities(counts, parent=[-1, 0, 0]).tolist() == [[0.5, 0.5], [0.5, 0.5], [1, 0]]


@given(
    tree=trees(),
    estimate=st.sampled_from(ESTIMATES),
    m=st.sampled_from([0.1, 2.0, 50.0]),
    prior_weight=st.sampled_from([0.5, 2, 2.0, "classes"]),
    with_alphas=st.booleans(),
)
def test_every_node_has_the_estimate_of_the_naive_version(tree, estimate, m, prior_weight, with_alphas):
    parent, counts = tree
    alphas = np.random.default_rng(0).uniform(0.1, 3, counts.shape) if with_alphas else None
    probabilities = leaf_probabilities(
        counts, estimate=estimate, m=m, parent=parent, prior_weight=prior_weight, alphas=alphas
    )
    assert probabilities.shape == counts.shape
    assert (probabilities >= 0).all()
    assert np.abs(probabilities.sum(axis=1) - 1).max() < 1e-12
    for node in range(len(counts)):
        path = [counts[i].tolist() for i in path_of(parent, node)]
        if estimate == "frequency" and not np.any(path):
            continue  # of which the naive version says nothing
        expected = naive.estimate(
            path,
            estimate,
            m=m,
            prior_weight=prior_weight,
            alphas=None if alphas is None else alphas[node].tolist(),
        )
        assert probabilities[node].tolist() == pytest.approx(expected, rel=1e-12, abs=1e-14)


def test_the_names_are_those_of_the_naive_version():
    assert ESTIMATES == naive.NAMES


@given(tree=trees())
def test_with_its_class_an_empty_node_is_sure_of_it_and_others_have_the_same_frequencies(tree):
    parent, counts = tree
    best = counts.argmax(axis=1).astype(np.int32)
    sure, inherited = leaf_probabilities(counts, best), leaf_probabilities(counts, parent=parent)
    empty = counts.sum(axis=1) == 0
    assert sure[~empty].tolist() == inherited[~empty].tolist()
    assert (sure[empty, best[empty]] == 1).all()
    assert (sure.sum(axis=1)[empty] == 1).all()


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_a_long_chain_and_a_wide_tree(estimate):
    """Paths are not walked again from every node, and the root may have any number of branches."""
    n = 20_000
    counts = np.random.default_rng(0).integers(0, 2, (n, 3)).astype(float)
    for parent in (np.arange(n) - 1, np.array([-1] + [0] * (n - 1))):
        probabilities = leaf_probabilities(counts, estimate=estimate, parent=parent)
        assert np.abs(probabilities.sum(axis=1) - 1).max() < 1e-12
        path = [counts[i].tolist() for i in path_of(parent, n - 1)]
        assert probabilities[-1].tolist() == pytest.approx(naive.estimate(path, estimate), rel=1e-12)


class TestLevels:
    @given(tree=trees())
    def test_each_has_the_nodes_of_one_depth(self, tree):
        parent, _ = tree
        depths = np.array([len(path_of(parent, i)) - 1 for i in range(len(parent))])
        found = [list(range(level.start, level.stop)) for level in levels(parent)]
        assert found == [np.flatnonzero(depths == d).tolist() for d in range(1, depths.max() + 1)]

    @given(tree=trees())
    def test_parents_follow_from_the_number_of_branches(self, tree):
        parent, _ = tree
        assert parents(np.bincount(parent[1:], minlength=len(parent))).tolist() == parent.tolist()


class TestErrors:
    def test_unknown_estimates_are_refused(self):
        message = "leaves must be one of frequency, laplace, m, dirichlet, m-branch, not 'best'"
        with pytest.raises(ParameterError, match=f"^{message}$"):
            leaf_probabilities(COUNTS, BEST, "best")

    @pytest.mark.parametrize("estimate", ["m", "m-branch"])
    @pytest.mark.parametrize("m", [0.0, -1.0, float("nan")])
    def test_m_must_be_positive(self, estimate, m):
        with pytest.raises(ParameterError, match=rf"^m must be greater than 0, not {m}$"):
            leaf_probabilities(COUNTS, BEST, estimate, m, parent=PARENT)

    def test_m_must_be_finite(self):
        with pytest.raises(ParameterError, match=r"^m must be finite$"):
            leaf_probabilities(COUNTS, BEST, "m", float("inf"))

    @pytest.mark.parametrize("prior_weight", [0, -1.0, float("nan"), float("inf"), "class", None, [2.0]])
    def test_a_prior_weight_is_a_positive_number_or_the_number_of_classes(self, prior_weight):
        message = f"prior_weight must be a number greater than 0 or 'classes', not {prior_weight!r}"
        with pytest.raises(ParameterError, match=f"^{re.escape(message)}$"):
            leaf_probabilities(COUNTS, estimate="dirichlet", prior_weight=prior_weight)
        with pytest.raises(ParameterError, match=f"^{re.escape(message)}$"):
            prior_sum(prior_weight, 2)

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"estimate": "m-branch"}, "m-branch needs the parent of every node"),
            ({}, "frequency needs the parent of every node, or its class, for those without cases"),
            ({"parent": [-1]}, "there are 2 nodes but parents of shape (1,)"),
            ({"estimate": "dirichlet", "alphas": [1, 0]}, "alphas must be greater than 0"),
            ({"estimate": "dirichlet", "alphas": [1, np.inf]}, "alphas must be greater than 0"),
            (
                {"estimate": "dirichlet", "alphas": [1, 1, 1]},
                "alphas must have the shape (2, 2) of the counts, not (3,)",
            ),
        ],
    )
    def test_what_an_estimate_needs(self, arguments, message):
        with pytest.raises(ParameterError) as caught:
            leaf_probabilities(COUNTS, **arguments)
        assert str(caught.value) == message

    @pytest.mark.parametrize("parent", [[-1, 1, 0], [-1, -1, 0], [-1, 0, 2], [-1, 0, 0, 1, 0]])
    def test_nodes_are_numbered_level_by_level(self, parent):
        with pytest.raises(ParameterError, match=r"^nodes must be numbered level by level from the root"):
            leaf_probabilities(np.ones((len(parent), 2)), parent=parent)


@pytest.fixture(scope="module")
def golf():
    return ctree.read_c45("examples/golf")


class TestC45Classifier:
    @pytest.mark.parametrize("variant", ["release8", "j48"])
    @pytest.mark.parametrize(
        ("parameters", "expected"),
        [
            # four cases of one class, of nine and five in all
            ({"estimate": "frequency"}, 1.0),
            ({"estimate": "laplace"}, 5 / 6),
            ({"estimate": "m", "m": 4}, (4 + 4 * 10 / 16) / 8),
            ({"estimate": "dirichlet"}, 5 / 6),
            ({"estimate": "dirichlet", "prior_weight": 1}, 4.5 / 5),
            ({"estimate": "dirichlet", "prior_weight": "classes"}, 5 / 6),
            ({"estimate": "m-branch", "m": 4}, (4 + 4 * 11 / 18) / 8),
        ],
    )
    def test_estimates(self, golf, variant, parameters, expected):
        model = ctree.C45Classifier(variant=variant, **parameters).fit(golf)
        case = {"outlook": ["overcast"], "temperature": [70], "humidity": [70], "windy": ["true"]}
        assert model.predict_proba(case)[0, 0] == pytest.approx(expected, rel=1e-14)
        assert model.tree_.n_leaves == 5

    @pytest.mark.parametrize("leaves", ESTIMATES)
    def test_a_bad_prior_weight_is_refused_when_fitting(self, golf, leaves):
        message = r"^prior_weight must be a number at least 1e-200 and at most 1e\+15 or 'classes', not 0$"
        with pytest.raises(ParameterError, match=message):
            ctree.C45Classifier(estimate=leaves, prior_weight=0).fit(golf)

    @pytest.mark.parametrize(
        "parameters",
        [
            {"estimate": "dirichlet", "prior_weight": 3},
            {"estimate": "dirichlet", "prior_weight": 0.5},
            {"estimate": "dirichlet", "prior_weight": "classes"},
            {"estimate": "m-branch", "m": 3.5},
        ],
    )
    def test_saved_and_loaded(self, golf, tmp_path, parameters):
        model = ctree.C45Classifier(**parameters).fit(golf)
        ctree.save(model, tmp_path / "model.json")
        loaded = ctree.load(tmp_path / "model.json")
        assert loaded.get_params() == model.get_params()
        assert loaded.tree_ == model.tree_

    def test_a_model_saved_without_the_parameter_loads(self, golf, tmp_path):
        path = tmp_path / "model.json"
        ctree.save(ctree.C45Classifier(prior_weight=3.0).fit(golf), path)
        content = json.loads(path.read_text())
        assert content["parameters"].pop("prior_weight") == 3.0
        path.write_text(json.dumps(content))
        assert ctree.load(path).prior_weight == 2.0

    @pytest.mark.parametrize("value", ["many", True, None])
    def test_a_damaged_parameter_is_told(self, golf, tmp_path, value):
        path = tmp_path / "model.json"
        ctree.save(ctree.C45Classifier().fit(golf), path)
        content = json.loads(path.read_text())
        content["parameters"]["prior_weight"] = value
        path.write_text(json.dumps(content))
        with pytest.raises(
            ModelError,
            match=r"'parameters\.prior_weight' should be a number at least 1e-200 and at most 1e\+15 or 'classes'",
        ):
            ctree.load(path)
