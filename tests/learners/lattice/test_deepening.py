"""A search that a limit of time stops is no worse than the deepest one that was finished in its pauses."""

import json
import pickle

import numpy as np
import pytest
from naive.all_trees import Lattice as SlowLattice
from naive.all_trees import Problem

import ctree
from ctree.errors import LimitWarning, ModelError
from ctree.learners.lattice.deepening import DeepeningSearch

STATES = 4


def cases(n=40, m=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(2, size=(n, m))
    return X, (X[:, 0] ^ X[:, 1] ^ (rng.random(n) < 0.2)).astype(int)


@pytest.fixture
def stopped_after(monkeypatch):
    """Searches of the greatest depth that stop early, after others up to a depth have been finished."""

    def use(depth, states=STATES):
        def run(self):
            while self._depth <= depth:
                assert self._search_deeper(60.0)
            self.full = self._new_lattice(state_limit=states, progress=None)
            self.low, self.high = self.full.search(self._objective)

        monkeypatch.setattr(DeepeningSearch, "run", run)

    return use


def slow(X, y, max_depth, **options):
    """All trees up to a depth, with the prior of deeper ones."""
    return SlowLattice(Problem(X.tolist(), y.tolist(), 2, max_depth=max_depth, cap="size", **options))


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("prior", ["chipman", "uniform"])
def test_the_average_is_that_of_all_trees_of_the_depth_that_was_finished(stopped_after, depth, prior, tmp_path):
    X, y = cases()
    exact = ctree.BayesOptimalClassifier(max_depth=4, tree_prior=prior, bins="binary").fit(X, y)
    assert (exact.complete_, exact.complete_depth_) == (True, 4)
    expected = slow(X, y, depth, prior="uniform" if prior == "uniform" else "size")
    model = ctree.BayesOptimalClassifier(max_depth=4, tree_prior=prior, bins="binary")
    stopped_after(depth)
    with pytest.warns(LimitWarning, match=rf"the average is over all trees of depth {depth} or less"):
        model.fit(X, y)
    assert (model.complete_, model.complete_depth_) == (False, depth)
    assert model.log_evidence_ == model.log_evidence_bounds_[0] == pytest.approx(expected.log_evidence, rel=1e-10)
    assert model.log_evidence_ <= exact.log_evidence_ <= model.log_evidence_bounds_[1]
    p = model.predict_proba(X[:6])
    for x, found in zip(X[:6].tolist(), p, strict=True):
        np.testing.assert_allclose(found, expected.predict(x), rtol=1e-9)
    np.testing.assert_allclose(model.feature_inclusion_, expected.test_inclusion(), atol=1e-10)
    assert model.expected_leaves_ == pytest.approx(expected.expected_leaves())
    weights = model.explain(X[:1], least=1e-10).itemsets
    assert sum(w.weight for w in weights) == pytest.approx(1, abs=1e-5)
    assert max(len(w.conditions) for w in weights) == depth
    assert max(tree.depth for tree in model.sample_trees(50, random_state=0)) == depth
    ctree.save(model, tmp_path / "m.json")
    for again in (pickle.loads(pickle.dumps(model)), ctree.load(tmp_path / "m.json")):
        assert (again.complete_depth_, again.log_evidence_bounds_) == (depth, model.log_evidence_bounds_)
        assert (again.predict_proba(X[:6]) == p).all()
        assert again._lattice().low == model.log_evidence_


def test_some_of_the_trees_are_given_where_they_are_more_than_all_of_less_depth(stopped_after, tmp_path):
    X, y = cases()
    model = ctree.BayesOptimalClassifier(max_depth=4, bins="binary")
    full = model._twin()
    full.fit(X, y)
    stopped_after(1, states=full.n_states_ - 1)
    with pytest.warns(LimitWarning, match="the average is over the trees found so far"):
        model.fit(X, y)
    assert (model.complete_, model.complete_depth_) == (False, 0)
    assert model.log_evidence_ > slow(X, y, 1).log_evidence
    ctree.save(model, tmp_path / "m.json")
    assert (ctree.load(tmp_path / "m.json").predict_proba(X) == model.predict_proba(X)).all()


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("objective", ["error", "posterior"])
def test_the_tree_is_no_worse_than_the_best_one_of_the_depth_that_was_finished(stopped_after, objective, depth):
    for seed in range(5):
        X, y = cases(seed=seed)
        options = {"objective": objective, "bins": "binary"}
        problem = Problem(X.tolist(), y.tolist(), 2, max_depth=4)
        # what the best tree of that depth, by its own prior, is worth among trees of depth 4
        shallow = SlowLattice(Problem(X.tolist(), y.tolist(), 2, max_depth=depth))
        model = ctree.OptimalTreeClassifier(max_depth=4, **options)
        stopped_after(depth, states=1)
        with pytest.warns(LimitWarning):
            model.fit(X, y)
        if objective == "error":
            assert model.objective_ == (model.predict(X) != y).sum() <= shallow.least_error()[0]
        else:
            assert model.objective_ >= worth(problem, shallow.most_probable()[1]) - 1e-9
            assert model.objective_ <= SlowLattice(problem).most_probable()[0] + 1e-9 <= model.bound_ + 2e-9


def worth(problem, tree, itemset=frozenset()):
    """ln of prior times likelihood of a tree."""
    node = problem.node(itemset)
    if tree is None:
        return node.log_v_leaf
    column, branches = tree
    below = [worth(problem, branch, itemset | {(column, value)}) for value, branch in enumerate(branches)]
    return node.log_splits[column] + sum(below)


def test_pauses_are_short_unless_a_sum_cannot_end(monkeypatch):
    """A tenth of the time that has passed, from a twentieth of the limit on; half of what is left if it is hopeless."""
    X, y = cases(200, 30)
    asked = []
    monkeypatch.setattr(DeepeningSearch, "_deepen", lambda self, seconds: asked.append(seconds))
    learner = ctree.BayesOptimalClassifier(max_depth=1, bins="binary").fit(X, y).set_params(max_depth=6)
    search = DeepeningSearch(learner._new_lattice, "evidence", 100.0)
    assert search._pause(1.0, 0.0) == 5.0
    assert asked == []
    search._least = 2.0
    assert search._pause(5.0, 0.1) == 20.0
    search._pauses = 0.5
    assert search._pause(20.0, 0.01) == 25.0
    assert asked == pytest.approx([0.5, 1.5])
    search._pause(25.0, 0.0)  # an eighth at most is done
    search._pause(50.0, 0.5)  # most of it
    assert asked[2:] == pytest.approx([37.5, 4.5])
    best = DeepeningSearch(learner._new_lattice, "errors", 100.0)
    best._pause(50.0, 0.0)
    assert asked[4:] == pytest.approx([5.0])
    search._depth = 6
    assert search._pause(60.0, 0.5) is None


def test_what_a_less_deep_search_keeps_counts_for_the_limit_of_memory():
    X, y = cases(400, 30)
    learner = ctree.BayesOptimalClassifier(max_depth=1, bins="binary").fit(X, y).set_params(max_depth=8)
    limit = 3_000_000
    search = DeepeningSearch(learner._new_lattice, "evidence", 100.0, limit)
    while search._search_deeper(100.0):
        pass
    kept = search.finished.n_bytes
    assert kept > 100_000
    search.run()
    assert search.full.reason == "memory"
    assert 0.4 * limit < search.full.n_bytes + kept <= limit


def test_time_that_is_spent_is_not_there_for_the_search():
    X, y = cases(400, 30)
    learner = ctree.BayesOptimalClassifier(max_depth=1, bins="binary").fit(X, y).set_params(max_depth=8)
    lattice = learner._new_lattice(time_limit=1000.0)
    lattice.search("evidence", spent=1000.0)
    assert lattice.reason == "time"
    search = DeepeningSearch(learner._new_lattice, "evidence", 1000.0)
    search._made = 400.0  # this and as much twice are over the limit
    search.run()
    assert search.full.reason == "time"


@pytest.mark.slow
def test_under_a_limit_of_time(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.integers(2, size=(500, 60)), rng.integers(2, size=500)
    model = ctree.BayesOptimalClassifier(max_depth=7, time_limit=0.4)
    with pytest.warns(LimitWarning):
        model.fit(X, y)
    assert model.complete_depth_ >= 1
    exact = model._new_lattice(max_depth=model.complete_depth_, truncated=True)
    assert exact.search("evidence")[0] == model.log_evidence_
    with pytest.warns(LimitWarning):
        tree = model.most_probable_tree()
    assert tree.n_leaves >= 1
    ctree.save(model, tmp_path / "m.json")
    assert (ctree.load(tmp_path / "m.json").predict_proba(X[:9]) == model.predict_proba(X[:9])).all()


@pytest.mark.parametrize("depth", [0, 4, 9, -1, 2.5, "2"])
def test_a_depth_that_cannot_be_is_refused(stopped_after, depth, tmp_path):
    X, y = cases()
    stopped_after(2)
    with pytest.warns(LimitWarning):
        model = ctree.BayesOptimalClassifier(max_depth=4, bins="binary").fit(X, y)
    path = tmp_path / "m.json"
    ctree.save(model, path)
    content = json.loads(path.read_text())
    assert content["complete_depth"] == 2
    path.write_text(json.dumps(content | {"complete_depth": depth}))
    with pytest.raises(ModelError, match="complete_depth"):
        ctree.load(path)
