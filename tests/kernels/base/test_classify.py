"""Classification in fractions against the naive version."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.release8_classify import classify as naive_classify
from support.problems import GOLF, Problem, as_nodes, growing_options, grown, problems, pruned, random_problem

from ctree import C45Classifier, Tree
from ctree.tree.leaves import leaf_probabilities
from ctree_ext.base.classify import Router


def tree_from(problem, arrays):
    probabilities = leaf_probabilities(arrays.counts, arrays.best)
    return Tree(problem.schema, arrays.replace(probabilities=probabilities), float32=True)


def with_holes(problem, seed, share):
    """The same cases with more values unknown."""
    rng = np.random.default_rng(seed)
    columns = [None if c is None else [None if rng.random() < share else x for x in c] for c in problem.columns]
    return Problem(columns, problem.n_values, problem.classes, problem.n_classes)


@given(problems(), growing_options, st.booleans(), st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.3, 1.0]))
@settings(deadline=None, max_examples=250)
def test_the_sums_over_leaves_are_the_naive_ones_to_the_last_bit(problem, options, prune, seed, holes):
    arrays = pruned(problem, **options) if prune else grown(problem, **options)[0]
    cases = with_holes(problem, seed, holes)
    sums = tree_from(problem, arrays).frequency_sums(cases.dataset())
    node = as_nodes(problem, arrays)
    assert sums.tolist() == [naive_classify(node, case, problem.n_classes) for case in cases.cases]


@given(problems(), growing_options, st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.3, 1.0]))
@settings(deadline=None, max_examples=100)
def test_probabilities_sum_to_one_and_are_nearly_the_sums(problem, options, seed, holes):
    tree = tree_from(problem, pruned(problem, **options))
    cases = with_holes(problem, seed, holes).dataset()
    probabilities = tree.predict_proba(cases)
    assert probabilities.sum(axis=1) == pytest.approx(1)
    assert (probabilities >= 0).all()
    sums = tree.frequency_sums(cases)
    np.testing.assert_allclose(probabilities, sums / sums.sum(axis=1, keepdims=True), atol=1e-5)


@given(problems(most_unknown=0.0), growing_options)
@settings(deadline=None, max_examples=60)
def test_training_cases_end_in_the_leaves_that_counted_them(problem, options):
    problem.columns = [None if c is None else [0 if x is None else x for x in c] for c in problem.columns]
    arrays, _ = grown(problem, **options)
    leaves = tree_from(problem, arrays).apply(problem.dataset())
    counts = np.zeros_like(arrays.counts)
    np.add.at(counts, (leaves, problem.classes), 1)
    leaf = arrays.test == 0
    assert (counts[leaf] == arrays.counts[leaf]).all()


def golf_with_unknown_outlook():
    outlook = list(GOLF.columns[0])
    outlook[11] = None
    return Problem([outlook, *GOLF.columns[1:]], GOLF.n_values, GOLF.classes, 2)


class TestGolf:
    def test_a_case_with_an_unknown_value_is_split_over_both_branches(self):
        problem = golf_with_unknown_outlook()
        tree = C45Classifier(prune=False).fit(problem.dataset()).tree_
        case = Problem([[0], [70.0], [None], [1]], GOLF.n_values, [0], 2).dataset()
        assert tree.predict_proba(case)[0].tolist() == pytest.approx([0.44, 0.56], abs=5e-3)
        exact = [2 / 5.384615 + (3.384615 / 5.384615) * (0.384615 / 3.384615), 3 / 5.384615]
        assert tree.predict_proba(case)[0].tolist() == pytest.approx(exact, abs=1e-6)

    def test_one_training_case_is_wrong(self):
        problem = golf_with_unknown_outlook()
        tree = C45Classifier(prune=False).fit(problem.dataset()).tree_
        predicted = tree.frequency_sums(problem.dataset()).argmax(axis=1)
        assert (predicted != np.array(problem.classes)).sum() == 1

    def test_all_values_unknown_give_the_class_frequencies(self):
        tree = C45Classifier(prune=False).fit(GOLF.dataset()).tree_
        case = Problem([[None]] * 4, GOLF.n_values, [0], 2).dataset()
        assert tree.predict_proba(case)[0].tolist() == pytest.approx([9 / 14, 5 / 14])

    def test_apply_gives_the_leaf_that_receives_most(self):
        tree = C45Classifier(prune=False).fit(GOLF.dataset()).tree_
        case = Problem([[0], [70.0], [None], [1]], GOLF.n_values, [0], 2).dataset()
        leaf = tree[int(tree.apply(case)[0])]
        assert (leaf.condition, leaf.cases) == ("a2 > 75", 3)


def test_an_empty_leaf_gives_its_whole_weight_to_its_class():
    problem = Problem([[0, 0, 0, 1, 1]], [3], [0, 0, 0, 1, 1], 2)
    tree = tree_from(problem, grown(problem, min_cases=1)[0])
    case = Problem([[2]], [3], [0], 2).dataset()
    assert tree.predict_proba(case).tolist() == [[1, 0]]


def test_numbers_are_rounded_to_32_bits_before_they_are_compared():
    problem = Problem([[0.1, 0.1, 0.1, 0.3, 0.3, 0.3]], [0], [0, 0, 0, 1, 1, 1], 2)
    tree = tree_from(problem, grown(problem)[0])
    just_above = Problem([[float(np.nextafter(0.1, 1))]], [0], [0], 2).dataset()
    assert tree.predict_proba(just_above).tolist() == [[1, 0]]


def test_a_router_needs_a_row_of_values_for_each_node():
    arrays, _ = grown(GOLF)
    with pytest.raises(ValueError, match="one row of values and one divisor per node"):
        Router(arrays, np.zeros((2, 2)), np.ones(2))


def test_several_threads_may_use_one_tree():
    problem = random_problem(5, 4000, 3, [0, 4, 0, 3], unknown=0.4)
    tree = C45Classifier().fit(problem.dataset()).tree_
    data = problem.dataset()
    expected = tree.predict_proba(data)
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(tree.predict_proba, [data] * 24):
            assert np.array_equal(found, expected)
