"""Columns of drawn cases against a sort of what was drawn; random choices of attributes against those written out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.forest_choice import key_at, offered
from support.problems import random_problem

import ctree
from ctree.learners.base.drawn_cases import DrawnCases
from ctree_ext.grow.drawn_columns import DrawnColumns, SortedColumns, drawn_column
from ctree_ext.grow.sorting import sorted_column

values = st.one_of(
    st.floats(allow_infinity=False),
    st.sampled_from([0.0, 1.0, 1 + 1e-9, -1.0, 5e-324, 1e-40, 1e300, np.nan]),
    st.integers(-5, 5).map(float),
)
drawn = st.lists(st.tuples(values, st.integers(0, 3)), min_size=1, max_size=60).filter(lambda x: any(t for _, t in x))


@pytest.mark.parametrize("single", [True, False])
@given(pairs=drawn)
@settings(deadline=None, max_examples=300)
def test_a_drawn_column_is_that_of_a_sort(pairs, single):
    column, times = np.array([v for v, _ in pairs]) + 0.0, np.array([t for _, t in pairs], dtype=np.int32)
    for counts in (times, None):
        expected = sorted_column(column if counts is None else np.repeat(column, counts), single)
        for one, other in zip(drawn_column(column, counts, single), expected, strict=True):
            assert np.array_equal(one, other, equal_nan=True)


def test_what_does_not_fit_is_refused():
    columns = SortedColumns([np.arange(4.0)])
    with pytest.raises(ValueError, match="columns and times differ in length"):
        DrawnColumns(columns, np.ones(3, dtype=np.int32))
    with pytest.raises(ValueError, match="negative"):
        DrawnColumns(columns, np.array([1, -1, 0, 0], dtype=np.int32))


LEARNERS = [
    ctree.C45Classifier(),
    ctree.C45Classifier(arithmetic="double", group_values=True),
    ctree.C45Classifier(variant="j48", prune="reduced-error"),
    ctree.C45Classifier(binary_splits=True, soft_thresholds=True),
    ctree.ProbabilityTreeClassifier(approach="bic-prune"),
    ctree.ProbabilityTreeClassifier(max_thresholds=3),
    ctree.ProbabilityTreeClassifier(approach="chi2", binary_splits=False),
    ctree.BayesianTreeClassifier(),
    ctree.BayesianTreeClassifier(bins=3, unknown="impute"),
]


def drawn_set(seed, unknown):
    rng = np.random.default_rng(seed)
    sizes = [3, 0, 2, 0, None, 0, 300 if seed % 2 else 4]
    data = random_problem(seed, int(rng.integers(20, 200)), int(rng.integers(2, 5)), sizes, unknown).dataset()
    times = np.bincount(rng.integers(data.n_cases, size=data.n_cases), minlength=data.n_cases)
    return data, times, rng


def same_models(one, other):
    return one.tree_ == other.tree_ and getattr(one, "unpruned_tree_", 0) == getattr(other, "unpruned_tree_", 0)


@pytest.mark.parametrize("unknown", [0.0, 0.2])
@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_the_tree_of_drawn_cases_is_that_of_a_table_of_them(learner, unknown):
    for seed in range(12):
        data, times, rng = drawn_set(seed, unknown)
        columns = SortedColumns(data.columns)
        taken = data.take(np.repeat(np.arange(data.n_cases), times))
        first = learner.fit(DrawnCases.of(data, columns, times)).__dict__.copy()
        assert same_models(_with(learner, first), learner.fit(taken)), seed
        weights = rng.random(data.n_cases) * 3
        some = learner.fit(DrawnCases.of(data.with_weights(weights), columns)).__dict__.copy()
        assert same_models(_with(learner, some), learner.fit(data, sample_weight=weights)), seed
        there = np.where(times > 0, weights, 0.0)
        part = DrawnCases.of(data, columns, there > 0).with_weights(there[there > 0])
        rest = learner.fit(part).__dict__.copy()
        assert same_models(_with(learner, rest), learner.fit(data, sample_weight=there)), seed


def _with(learner, state):
    model = type(learner)()
    model.__dict__.update(state)
    return model


GROWN = [
    ctree.ProbabilityTreeClassifier(min_cases=1),
    ctree.ProbabilityTreeClassifier(binary_splits=False, approach="bic-stop"),
    ctree.C45Classifier(prune=False, collapse=False, actual_thresholds=False),
    ctree.C45Classifier(variant="j48", prune=False, collapse=False, actual_thresholds=False),
]


@pytest.mark.parametrize("learner", GROWN, ids=str)
@pytest.mark.parametrize("chosen", [1, 2, 4])
def test_a_node_has_the_best_test_of_those_it_is_offered(learner, chosen):
    """Node by node: the learner sees its cases with the attributes that the written out choice offers."""
    for seed in range(6):
        data = random_problem(seed, 80, 3, [3, 0, 0, None, 2, 0], 0.0).dataset()
        key = int(np.random.default_rng(seed).integers(2**63)) * 2 + 1
        model = learner.fit(DrawnCases.of(data, SortedColumns(data.columns), n_chosen=chosen, key=key))
        tree, grown = model.tree_, 0
        there = [a for a in range(6) if data.columns[a] is not None]
        for node, path, rows, tested in walk(tree, data):
            order = offered(there, key_at(key, path))
            expected = None
            for begin in range(0, len(order), chosen):
                expected = root_of(learner, data, rows, order[begin : begin + chosen], tested)
                if expected is not None:
                    break
            found = asked_at(tree, node)
            assert found == expected, (seed, path)
            grown += found is not None
        assert grown > 3 or "bic" in str(learner)


def asked_at(tree, node):
    if tree.arrays.n_branches[node] == 0:
        return None
    return int(tree.attribute[node]), int(tree.arrays.n_branches[node]), float(np.nan_to_num(tree.threshold[node]))


def walk(tree, data):
    """Every node with the branches on the way to it, its cases, and the attributes that are tested above."""
    open_nodes = [(0, [], np.arange(data.n_cases), [])]
    while open_nodes:
        node, path, rows, tested = open_nodes.pop()
        if len(rows):
            yield node, path, rows, tested
        if tree.arrays.n_branches[node]:
            apart = tree.decision_path(data.take(rows)).toarray()
            for branch in range(tree.arrays.n_branches[node]):
                child = int(tree.arrays.first_branch[node]) + branch
                below = rows[apart[:, child] > 0]
                open_nodes.append((child, [*path, branch], below, [*tested, int(tree.attribute[node])]))


def root_of(learner, data, rows, attributes, tested):
    """The test that the kernel finds for cases at a node below others, if it knows only some attributes."""
    from ctree.learners.base.kernels import case_table
    from ctree.learners.base.score_settings import ScoreSettings
    from ctree.learners.probability.classifier import APPROACHES
    from ctree_ext.grow.gain_ratio_grower import GainRatioGrower

    columns = [c if a in attributes else None for a, c in enumerate(data.columns)]
    ignored = [
        one if columns[a] is not None else ctree.Attribute(one.name, ctree.Kind.IGNORE)
        for a, one in enumerate(data.schema)
    ]
    part = ctree.Dataset(ctree.Schema(tuple(ignored), data.schema.classes), columns, data.classes).take(rows)
    if isinstance(learner, ctree.C45Classifier):
        j48 = learner.variant == "j48"
        grower = GainRatioGrower(
            case_table(part, not j48), min_cases=2.0, j48=j48, actual_thresholds=False, whole=float(data.n_cases)
        )
        arrays = grower.grow(tested=tested)
    else:
        approach = APPROACHES[learner.approach]
        made = ScoreSettings(
            approach.measure, approach.stopping, data.n_cases, float(data.n_cases), data.schema.n_classes,
            min_cases=learner.min_cases, binary_splits=learner.binary_splits, unit=1.0,
        )  # fmt: skip
        arrays = made.grow(part, tested=tested)
    if arrays.n_branches[0] == 0:
        return None
    return int(arrays.attribute[0]), int(arrays.n_branches[0]), float(np.nan_to_num(arrays.threshold[0]))


def test_threads_do_not_change_the_choices():
    data = random_problem(1, 3000, 3, [3, 0, 0, 2, 0], 0.0).dataset()
    columns = SortedColumns(data.columns)
    for learner in (ctree.C45Classifier(prune=False), ctree.ProbabilityTreeClassifier(approach="bic-stop")):
        trees = []
        for threads in (1, 2, 3):
            drawn_cases = DrawnCases.of(data, columns, n_chosen=2, key=77)
            trees.append(type(learner)(**{**learner.get_params(), "n_jobs": threads}).fit(drawn_cases).tree_)
        assert trees[0] == trees[1] == trees[2]
        assert trees[0] != learner.fit(data).tree_


def test_a_forest_of_unknown_values_is_grown_by_all_searches():
    data = random_problem(3, 2000, 3, [3, 0, 0, 2, 0], 0.1).dataset()
    c45 = [{}, {"arithmetic": "double"}, {"variant": "j48"}]
    others = [ctree.ProbabilityTreeClassifier(), ctree.BayesianTreeClassifier(threshold_prior="each")]
    for learner in [*(ctree.C45Classifier(prune=False, **one) for one in c45), *others]:
        cases = [DrawnCases.of(data, SortedColumns(data.columns), n_chosen=2, key=key) for key in (5, 5, 6)]
        one, same, other = (type(learner)(**learner.get_params()).fit(c).tree_ for c in cases)
        assert one == same
        assert one != other
