"""The exact average as a learner: equality with the listing of all trees, any data in, explanations, limits.

Longer than 400 lines because every method of the learner is held against the same listing, which is made here.
"""

import copy
import math
import pickle
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from naive.all_trees import WORKED, AllTrees, Problem
from naive.all_trees import Lattice as SlowLattice

import ctree
from ctree.errors import DataError, LimitWarning, NotFittedError, ParameterError
from ctree.learners.lattice.itemset_weights import LeafSearch
from ctree_ext.lattice.lattice import Lattice


def fitted(problem: Problem, **options) -> ctree.BayesOptimalClassifier:
    model = ctree.BayesOptimalClassifier(
        min_cases=problem.min_support,
        max_depth=problem.max_depth,
        tree_prior="chipman" if problem.prior == "size" else problem.prior,
        gamma=problem.gamma,
        delta=problem.delta,
        alpha=float(np.ravel(problem.alpha)[0]),
        bins="binary",
        **options,
    )
    return model.fit(np.array(problem.rows), np.array(problem.classes))


def random_problem(seed, columns=3):
    rng = np.random.default_rng(seed)
    n = 14
    rows = rng.integers(2, size=(n, columns))
    rows[0], rows[1] = 0, 1  # every column divides the cases
    classes = rng.integers(2, size=n)
    classes[:2] = 0, 1
    return Problem(
        rows.tolist(),
        classes.tolist(),
        2,
        min_support=1 + seed % 2,
        max_depth=[2, 3, None][seed % 3],
        prior=["size", "uniform"][seed // 2 % 2],
    )


def columns_of(model, conditions):
    """Conditions x_i <= 0 or > 0 as the items of the slow version."""
    return frozenset((int(c.attribute[1:]), int(c.above is not None)) for c in conditions)


def test_the_worked_example():
    model = fitted(WORKED)
    assert model.log_evidence_ == pytest.approx(-4.322237, abs=1e-6)
    given = model.predict_proba([[1, 1], [1, 0], [0, 1], [0, 0]])[:, 1]
    assert given == pytest.approx([0.735116, 0.682160, 0.517025, 0.418146], abs=1e-6)
    tree = model.most_probable_tree()
    assert (tree.n_leaves, tree.schema[int(tree.attribute[0])].name) == (2, "x0")
    best = ctree.OptimalTreeClassifier(objective="posterior", max_depth=2, bins="binary")
    best.fit(np.array(WORKED.rows), np.array(WORKED.classes))
    assert best.tree_ == tree
    assert math.exp(best.objective_ - model.log_evidence_) == pytest.approx(0.1835, abs=1e-4)
    rows, classes = np.array(WORKED.rows), np.array(WORKED.classes)
    uniform = ctree.BayesOptimalClassifier(max_depth=2, tree_prior="uniform", bins="binary").fit(rows, classes)
    assert math.exp(uniform.log_evidence_) == pytest.approx(0.122950, abs=1e-6)
    assert uniform.predict_proba([[1, 1]])[0, 1] == pytest.approx(0.743141, abs=1e-6)


@pytest.mark.parametrize("seed", range(60))
def test_leaf_marginals_and_explanations_are_those_of_the_listing(seed):
    problem = random_problem(seed)
    slow, model = AllTrees(problem), fitted(problem)
    leaves = {i: p for i, p in slow.leaf_marginals().items() if p >= 0.02}
    given = {columns_of(model, w.conditions): w.weight for w in model.leaf_marginals(0.02)}
    assert given == pytest.approx(leaves)
    x = [seed % 2, seed // 2 % 2, seed // 4 % 2]
    weights = {columns_of(model, w.conditions): w for w in model.explain([x], least=1e-9).itemsets}
    assert sum(w.weight for w in weights.values()) == pytest.approx(1, abs=1e-6)
    p = sum(w.weight * np.array(list(w.probabilities.values())) for w in weights.values())
    assert p == pytest.approx(slow.predict(x), abs=1e-6)
    for itemset, w in weights.items():
        assert w.weight == pytest.approx(slow.leaf_marginals()[itemset])
        assert tuple(w.class_counts.values()) == tuple(problem.node(itemset).counts)


def test_leaf_search_leaves_nothing_out():
    problem = random_problem(3, columns=4)
    problem = Problem(problem.rows, problem.classes, 2, max_depth=3)
    slow = SlowLattice(problem).leaf_marginals()
    model = fitted(problem)
    search = LeafSearch(model._lattice(), model.tests_, 3)
    for least in (0.2, 0.05, 0.01):
        found = {frozenset((t, 0 if passed else 1) for t, passed in i): w for i, w in search.leaves(least)}
        assert found == pytest.approx({i: p for i, p in slow.items() if p >= least})


@pytest.mark.parametrize("seed", range(4))
def test_larger_problems_against_the_slow_recursion(seed):
    rng = np.random.default_rng(seed)
    rows, classes = rng.integers(2, size=(70, 6)), rng.integers(3, size=70)
    problem = Problem(rows.tolist(), classes.tolist(), 3, min_support=2, max_depth=4)
    slow, model = SlowLattice(problem), fitted(problem)
    assert model.log_evidence_ == pytest.approx(slow.log_evidence)
    new = rng.integers(2, size=(8, 6))
    np.testing.assert_allclose(model.predict_proba(new), [slow.predict(x) for x in new.tolist()], rtol=1e-9)
    assert model.feature_inclusion_.tolist() == pytest.approx(slow.feature_inclusion())
    assert model.expected_tests_.tolist() == pytest.approx(slow.expected_tests())
    assert model.expected_leaves_ == pytest.approx(slow.expected_leaves())


@pytest.mark.slow
def test_sampled_trees_agree_with_the_marginals():
    problem = random_problem(0)
    slow, model = AllTrees(problem), fitted(problem)
    trees = model.sample_trees(4000, random_state=1)
    assert np.mean([t.n_leaves for t in trees]) == pytest.approx(slow.expected_leaves(), abs=0.06)
    for i, p in enumerate(slow.feature_inclusion()):
        assert np.mean([(t.attribute == i).any() for t in trees]) == pytest.approx(p, abs=0.03)
    x = model._cases([[1, 0, 1]])
    assert np.mean([t.predict_proba(x)[0] for t in trees], axis=0) == pytest.approx(slow.predict([1, 0, 1]), abs=0.02)
    assert [t.to_text() for t in model.sample_trees(5, random_state=2)] == [
        t.to_text() for t in model.sample_trees(5, random_state=2)
    ]


def test_any_data_in():
    """Continuous, discrete and unknown values; the explanations speak of the person's own."""
    golf = ctree.read_c45("examples/golf")
    model = ctree.BayesOptimalClassifier(max_depth=3, bins=None).fit(golf)
    assert {t.threshold for t in model.tests_.tests if t.attribute == golf.schema.index("temperature")} == {
        float(v) for v in sorted(set(golf.columns[golf.schema.index("temperature")].tolist()))[:-1]
    }
    names = {c.attribute for w in model.leaf_marginals(0.01) for c in w.conditions}
    assert names <= set(golf.schema.names)
    tree = model.sample_trees(1, random_state=3)[0]
    assert tree.schema is golf.schema
    np.testing.assert_allclose(model.predict_proba(golf).sum(axis=1), 1)


def test_unknown_values_are_the_most_frequent_or_the_median():
    X = {"a": ["x", None, "x", "y", "y", "x"], "b": [1.0, 2.0, None, 3.0, 9.0, 4.0]}
    filled = {"a": ["x", "x", "x", "y", "y", "x"], "b": [1.0, 2.0, 3.0, 3.0, 9.0, 4.0]}
    y = [0, 0, 1, 1, 1, 0]
    with_unknown = ctree.BayesOptimalClassifier(max_depth=2).fit(X, y)
    assert with_unknown.tests_.fill == (0, 3.0)
    codes = with_unknown.tests_.columns(with_unknown._cases(X))
    assert (codes == with_unknown.tests_.columns(with_unknown._cases(filled))).all()
    assert (with_unknown.predict_proba(X) == with_unknown.predict_proba(filled)).all()
    best = ctree.OptimalTreeClassifier(max_depth=2).fit(X, y)
    assert (best.predict_proba(X) == best.predict_proba(filled)).all()


def test_tests_of_one_attribute_share_a_chance():
    """Per feature, per test, and both at once for mixed data, against the slow version."""
    rng = np.random.default_rng(5)
    X = {"number": rng.integers(4, size=20).astype(float), "letter": rng.choice(list("abc"), size=20)}
    y = rng.integers(2, size=20)
    for test_prior, features in (
        ("per-feature", [0, 0, 0, 1, 1, 1]),
        ("per-test", None),
        ("auto", [0, 0, 0, 1, 2, 3]),
    ):
        model = ctree.BayesOptimalClassifier(max_depth=3, bins=None, test_prior=test_prior).fit(X, y)
        rows = model._columns.T.astype(int).tolist()
        slow = SlowLattice(Problem(rows, y.tolist(), 2, max_depth=3, features=features))
        assert model.log_evidence_ == pytest.approx(slow.log_evidence)
        np.testing.assert_allclose(model.predict_proba(X)[0], slow.predict(rows[0]), rtol=1e-9)


def test_a_weight_of_two_is_two_cases():
    rng = np.random.default_rng(0)
    X, y = rng.integers(2, size=(12, 3)), rng.integers(2, size=12)
    weights = rng.integers(0, 4, size=12)
    weighted = ctree.BayesOptimalClassifier(max_depth=2).fit(X, y, sample_weight=weights)
    repeated = ctree.BayesOptimalClassifier(max_depth=2).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert weighted.log_evidence_ == repeated.log_evidence_
    with pytest.raises(DataError, match=r"case 1 has the weight 0\.5, but this learner needs whole numbers as weights"):
        ctree.BayesOptimalClassifier().fit(X, y, sample_weight=np.full(12, 0.5))


@pytest.mark.parametrize("prior", ["chipman", "uniform"])
def test_a_stopped_search_brackets_the_evidence(prior):
    """The bracket holds whatever the number of states, and predictions are those of the trees that were added up."""
    rng = np.random.default_rng(1)
    X, y = rng.integers(2, size=(60, 8)), rng.integers(2, size=60)
    model = ctree.BayesOptimalClassifier(max_depth=4, tree_prior=prior, bins="binary").fit(X, y)
    last = -math.inf
    for states in (1, 3, 10, 30, 80):
        lattice = model._new_lattice(state_limit=states)
        low, high = lattice.search("evidence")
        assert lattice.stopped
        assert low < model.log_evidence_ < high
        assert low >= last
        last = low
        stopped = copy.copy(model)
        stopped._search, stopped.complete_, stopped.n_states_ = lattice, False, lattice.n_states
        stopped.complete_depth_ = 0
        p = stopped.predict_proba(X[:4])
        np.testing.assert_allclose(p.sum(axis=1), 1)
        weights = stopped.explain(X[:4], least=1e-10)[2].itemsets
        assert sum(w.weight for w in weights) == pytest.approx(1, abs=1e-5)
        shares = sum(w.weight * np.array(list(w.probabilities.values())) for w in weights)
        assert shares == pytest.approx(p[2], abs=1e-5)
        again = pickle.loads(pickle.dumps(stopped))
        assert (again._lattice().low, again._lattice().high) == (low, high)
        assert (again.predict_proba(X[:4]) == p).all()
        for objective in ("posterior", "errors"):
            low, high = model._new_lattice(state_limit=states).search(objective)
            best = model._new_lattice().search(objective)[0]
            assert low <= best <= high


def test_limits_are_kept_and_said():
    rng = np.random.default_rng(2)
    X, y = rng.integers(2, size=(300, 90)), rng.integers(2, size=300)
    model = ctree.BayesOptimalClassifier(max_depth=6, time_limit=0.3)
    with pytest.warns(LimitWarning, match=r"stopped by time_limit=0\.3: ln of the evidence is between"):
        model.fit(X, y)
    assert not model.complete_
    assert model.log_evidence_bounds_[0] < model.log_evidence_bounds_[1]
    best = ctree.OptimalTreeClassifier(max_depth=5, memory_limit=1 << 20)
    with pytest.warns(LimitWarning, match=r"stopped by memory_limit=1048576: the tree has \d+ errors, and no tree has"):
        best.fit(X, y)
    assert not best.optimal_
    assert best.objective_ == (best.predict(X) != y).sum() > best.bound_
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ctree.BayesOptimalClassifier(max_depth=2, time_limit=60).fit(X, y)


def test_progress_is_told_with_a_bracket():
    rng = np.random.default_rng(2)
    X, y = rng.integers(2, size=(300, 60)), rng.integers(2, size=300)
    limits = {"max_depth": 6, "time_limit": 0.7, "min_cases": 3}
    average = ctree.BayesOptimalClassifier(**limits)
    for model in (average, ctree.OptimalTreeClassifier(objective="posterior", **limits)):
        told = []
        with pytest.warns(LimitWarning):
            model.fit(X, y, progress=told.append)
        assert told
        for p in told:
            assert p.done >= p.figures["remembered"] - 6
            assert p.figures["remembered"] > 0
            assert p.figures["so far"] <= p.figures["bound"]
            assert (p.phase, p.total, p.unit) == ("searching", None, "states")
            assert p.rate > 0
        n = len(told)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if model is average:
                model.most_probable_tree()  # which searches again
        assert len(told) == n


def test_without_a_limit_of_depth_many_cases_do_not_end_the_process():
    X = np.arange(3000.0)[:, None]
    y = (np.arange(3000) * 7919 % 3001) % 2
    for objective in ("error", "posterior"):
        model = ctree.OptimalTreeClassifier(objective=objective, max_depth=None, bins=None, time_limit=0.5)
        start = time.process_time()
        with pytest.warns(LimitWarning):
            model.fit(X, y)
        assert time.process_time() - start < 6  # on the way back from hundreds of levels, what is left is not tried
        assert model.tree_.depth <= 500
    average = ctree.BayesOptimalClassifier(max_depth=None, bins=None, time_limit=0.5, memory_limit=1 << 24)
    with pytest.warns(LimitWarning, match="memory_limit"):
        average.fit(X, y)


def test_a_column_of_one_value_is_never_tested():
    X, y = np.array([[0, 5], [1, 5], [0, 5], [1, 5]]), [0, 1, 0, 1]
    model = ctree.BayesOptimalClassifier().fit(X, y)
    assert (model.feature_inclusion_ > 0).tolist() == [True, False]
    assert (model.expected_tests_ > 0).tolist() == [True, False]
    single = ctree.BayesOptimalClassifier().fit(X[:, 1:], y)
    assert len(single.tests_) == 0
    assert single.predict_proba([[5]]).tolist() == [[0.5, 0.5]]
    assert single.feature_inclusion_.tolist() == single.expected_tests_.tolist() == [0.0]
    assert ctree.OptimalTreeClassifier().fit(X[:, 1:], y).tree_.n_nodes == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_cases": 0}, "min_cases must be a whole number of at least 1, not 0"),
        ({"min_cases": 7}, "min_cases is 7, but there are only 6 cases"),
        ({"max_depth": -1}, "max_depth must be a whole number from 0 to 500 or None, not -1"),
        ({"max_depth": 501}, "max_depth must be a whole number from 0 to 500 or None, not 501"),
        ({"max_depth": 2.5}, "max_depth must be a whole number from 0 to 500 or None, not 2.5"),
        ({"time_limit": 0}, "time_limit must be a number greater than 0 or None, not 0"),
        ({"memory_limit": 10}, "memory_limit must be a whole number of at least 1048576 bytes or None, not 10"),
        ({"tree_prior": "flat"}, "tree_prior must be 'chipman' or 'uniform', not 'flat'"),
        ({"test_prior": "x"}, "test_prior must be 'auto', 'per-feature' or 'per-test', not 'x'"),
        ({"gamma": 1}, "gamma must be a number greater than 0 and less than 1, not 1"),
        ({"delta": -1}, "delta must be a number at least 0, not -1"),
        ({"alpha": 0}, "alpha must be a number at least 1e-06 and at most 1e+06, not 0"),
        ({"alpha": "1"}, "alpha must be a number at least 1e-06 and at most 1e+06, not '1'"),
        ({"bins": 1}, "bins must be a whole number of at least 2, None, 'boundaries' or 'binary', not 1"),
        ({"bins": True}, "bins must be a whole number of at least 2, None, 'boundaries' or 'binary', not True"),
        ({"bins": "bits"}, "bins must be a whole number of at least 2, None, 'boundaries' or 'binary', not 'bits'"),
    ],
)
def test_wrong_parameters_are_named(options, message):
    for learner in (ctree.BayesOptimalClassifier, ctree.OptimalTreeClassifier):
        with pytest.raises(ParameterError) as error:
            learner(**options).fit([[0], [1], [0], [1], [0], [1]], [0, 1, 0, 1, 1, 0])
        # with `bins="auto"` the tests depend on what is searched for, of which an average has no choice
        auto = learner is ctree.OptimalTreeClassifier
        assert str(error.value) == (message.replace("None, 'b", "None, 'auto', 'b") if auto else message)


def test_values_other_than_binary_are_named():
    with pytest.raises(
        DataError, match="attribute 'x0' has the value 2 in case 3, but with bins='binary' all are 0 or 1"
    ):
        ctree.BayesOptimalClassifier(bins="binary").fit([[0], [1], [2]], [0, 1, 1])
    with pytest.raises(DataError, match="attribute 'a' has the value 'maybe', but with bins='binary'"):
        ctree.OptimalTreeClassifier(bins="binary").fit({"a": ["0", "1", "maybe"]}, [0, 1, 1])


def test_wrong_calls_are_named():
    model = ctree.BayesOptimalClassifier(max_depth=1)
    with pytest.raises(NotFittedError):
        _ = model.feature_inclusion_
    model.fit([[0], [1]], [0, 1])
    with pytest.raises(ParameterError, match="k must be a whole number of at least 0, not -1"):
        model.sample_trees(-1)
    with pytest.raises(ParameterError, match="least must be a number greater than 0 and at most 1, not 0"):
        model.leaf_marginals(0)
    with pytest.raises(ParameterError, match="objective must be 'error' or 'posterior', not 'auc'"):
        ctree.OptimalTreeClassifier(objective="auc").fit([[0], [1]], [0, 1])


@pytest.mark.parametrize(
    "learner", [ctree.BayesOptimalClassifier(max_depth=3), ctree.OptimalTreeClassifier(max_depth=3)]
)
def test_saved_models_predict_the_same(learner, tmp_path):
    golf = ctree.read_c45("examples/golf")
    model = learner.fit(golf)
    ctree.save(model, tmp_path / "m.json")
    loaded = ctree.load(tmp_path / "m.json")
    assert loaded.get_params() == model.get_params()
    assert (loaded.predict_proba(golf) == model.predict_proba(golf)).all()
    if isinstance(model, ctree.BayesOptimalClassifier):
        assert loaded.log_evidence_bounds_ == model.log_evidence_bounds_
        assert (loaded.feature_inclusion_ == model.feature_inclusion_).all()
        assert loaded.explain(golf) == model.explain(golf)
    else:
        assert (loaded.tree_, loaded.objective_, loaded.optimal_) == (model.tree_, model.objective_, model.optimal_)


def test_least_errors_and_its_tree_agree():
    rng = np.random.default_rng(3)
    X, y = rng.integers(5, size=(120, 4)), rng.integers(3, size=120)
    for depth in (1, 2, 3):
        for min_support in (1, 4):
            model = ctree.OptimalTreeClassifier(max_depth=depth, min_cases=min_support, bins=None).fit(X, y)
            assert model.optimal_
            assert (model.predict(X) != y).sum() == model.objective_ == model.tree_.errors[0]
            assert model.tree_.depth <= depth
            assert model.tree_.cases[model.tree_.test == 0].min() >= min_support


def test_threads_may_predict_with_one_model():
    rng = np.random.default_rng(0)
    X = rng.integers(2, size=(200, 12))
    y = (X[:, 0] ^ X[:, 1]) | (rng.random(200) < 0.1)
    model = ctree.BayesOptimalClassifier(max_depth=4, bins="binary").fit(X, y)
    new = rng.integers(2, size=(400, 12))
    alone = model.predict_proba(new)
    with ThreadPoolExecutor(2) as pool:
        for _ in range(3):
            halves = list(pool.map(model.predict_proba, [new[:200], new[200:]]))
            assert np.array_equal(np.concatenate(halves), alone)


@pytest.mark.parametrize("alpha", [1e3, 1e4, 1e6])
def test_large_alphas(alpha):
    # terms that leave the range of a number must not be left out of the sum
    rng = np.random.default_rng(1)
    X, y = (rng.random((300, 5)) < 0.9).astype(np.uint8), rng.integers(2, size=300).astype(np.int32)
    columns = np.ascontiguousarray(X.T)
    sums = [
        Lattice(columns, y, 2, max_depth=2, uniform=True, alpha=alpha, pairs=pairs).search("evidence")[0]
        for pairs in (True, False)
    ]
    assert sums[0] == pytest.approx(sums[1], abs=1e-9)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("seed", [119, 256])
def test_a_finished_search_is_a_proof(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 4))
    y = (X[:, 0] + rng.normal(size=60) > 0).astype(int)
    model = ctree.OptimalTreeClassifier(objective="posterior", max_depth=4, min_cases=3).fit(X, y)
    assert model.optimal_
    assert model.objective_ == model.bound_


@pytest.mark.parametrize("learner", [ctree.BayesOptimalClassifier, ctree.OptimalTreeClassifier])
def test_a_discrete_column_that_is_unknown_throughout_is_as_if_it_were_not_there(learner):
    x, y = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], list("xxyyxx")
    unknown = {"a": [None] * 6, "b": x}
    model = learner(max_depth=2, categorical_features=["a"]).fit(unknown, y)
    without = learner(max_depth=2).fit({"b": x}, y)
    np.testing.assert_array_equal(model.predict_proba(unknown), without.predict_proba({"b": x}))
