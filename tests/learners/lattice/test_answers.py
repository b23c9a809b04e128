"""What the average over all trees has answered is kept, within bounds, and not saved."""

import pickle
import threading
import warnings

import numpy as np
import pytest

import ctree
from ctree.errors import LimitWarning, ParameterError
from ctree.learners.lattice import answers
from ctree.progress import Progress
from ctree_ext.lattice.posterior import Posterior


@pytest.fixture
def asked(monkeypatch):
    """How many new cases each `Posterior` was asked for, of models whose polynomial would be too large."""
    counts = []
    monkeypatch.setattr(answers, "MAX_TERMS", 0)

    class Counted(Posterior):
        def __init__(self, lattice, columns, classes, others=None, attributes=None, progress=None):
            counts.append(others.shape[1])

    monkeypatch.setattr(answers, "Posterior", Counted)
    return counts


def sample(seed=0, n=60, m=6):
    rng = np.random.default_rng(seed)
    X = rng.integers(2, size=(n, m))
    return X, X[:, 0] ^ X[:, 1]


def model_of(X, y):
    return ctree.BayesOptimalClassifier(max_depth=3, bins="binary").fit(X, y)


def test_different_cases_are_worked_out_once(asked):
    X, y = sample()
    model = model_of(X, y)
    n_different = len(np.unique(X, axis=0))
    first = model.predict_proba(np.concatenate([X, X]))
    assert asked == [n_different]
    np.testing.assert_array_equal(model.predict_proba(X), first[:60])
    assert asked == [n_different]
    # those that were not there, and only those
    every = np.array(np.meshgrid(*[[0, 1]] * 6)).reshape(6, -1).T
    given = model.predict_proba(every)
    assert asked == [n_different, 64 - n_different]
    np.testing.assert_allclose(given, model_of(X, y).predict_proba(every), rtol=1e-13)


def test_answers_by_a_polynomial_are_those_without_one(monkeypatch):
    X, y = sample(3, 200, 8)
    every = np.array(np.meshgrid(*[[0, 1]] * 8)).reshape(8, -1).T
    model = model_of(X, y)
    given = model.predict_proba(every)
    # each by itself, and all at once: to the last bit
    np.testing.assert_array_equal(
        np.concatenate([model_of(X, y).predict_proba(every[i : i + 1]) for i in (0, 5)]), given[[0, 5]]
    )
    monkeypatch.setattr(answers, "MAX_TERMS", 0)
    np.testing.assert_allclose(given, model_of(X, y).predict_proba(every), rtol=1e-11)
    assert model._answers._polynomial.n_terms == 1 + 8 + 28 + 56


def test_a_sum_that_was_stopped_has_no_polynomial():
    X, y = sample(4, 100, 10)
    whole, stopped = model_of(X, y), model_of(X, y)
    stopped.complete_depth_ = 0  # as after a limit
    np.testing.assert_allclose(stopped.predict_proba(X), whole.predict_proba(X), rtol=1e-11)
    assert whole._answers._polynomial is not None
    assert stopped._answers._polynomial is None


def test_a_new_fit_forgets_the_answers():
    X, y = sample()
    model = model_of(X, y)
    before = model.predict_proba(X)
    model.fit(X, 1 - y)
    np.testing.assert_allclose(model.predict_proba(X), before[:, ::-1], rtol=1e-12)


def test_answers_are_not_part_of_a_saved_model():
    X, y = sample()
    model = model_of(X, y)
    size, text = len(pickle.dumps(model)), model._to_fields()
    given = model.predict_proba(X)
    assert len(pickle.dumps(model)) == size
    assert model._to_fields() == text
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), given)


def test_beyond_some_memory_it_begins_anew(monkeypatch, asked):
    X, y = sample()
    model = model_of(X, y)
    every = np.array(np.meshgrid(*[[0, 1]] * 6)).reshape(6, -1).T
    expected = model_of(X, y).predict_proba(every)
    asked.clear()
    monkeypatch.setattr(answers, "MAX_KEPT", 40 * (1 + 16 + answers.BYTES_PER_ANSWER))
    np.testing.assert_allclose(model.predict_proba(every[:30]), expected[:30], rtol=1e-13)
    np.testing.assert_allclose(model.predict_proba(every[20:]), expected[20:], rtol=1e-13)  # 34 more: too many
    np.testing.assert_allclose(model.predict_proba(every), expected, rtol=1e-13)
    assert asked == [30, 34, 30]


def test_threads_share_them():
    X, y = sample()
    model = model_of(X, y)
    every = np.array(np.meshgrid(*[[0, 1]] * 6)).reshape(6, -1).T
    expected = model_of(X, y).predict_proba(every)
    wrong = []

    def ask(seed):
        rng = np.random.default_rng(seed)
        for _ in range(30):
            some = rng.integers(64, size=int(rng.integers(1, 20)))
            if not np.allclose(model.predict_proba(every[some]), expected[some], rtol=1e-12, atol=0):
                wrong.append(some)

    threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_no_tests_and_no_cases():
    model = ctree.BayesOptimalClassifier().fit(np.zeros((4, 2)), [0, 0, 0, 1])
    np.testing.assert_allclose(model.predict_proba(np.zeros((3, 2))), [[4 / 6, 2 / 6]] * 3)
    X, y = sample()
    assert model_of(X, y).predict_proba(ctree.from_arrays(X).take(np.arange(0))).shape == (0, 2)


def test_how_far_predictions_are_is_told():
    rng = np.random.default_rng(2)
    X = rng.integers(2, size=(300, 30))
    model = ctree.BayesOptimalClassifier(bins="binary").fit(X, X[:, 0] ^ X[:, 1])
    new = rng.integers(2, size=(500, 30))
    seen: list[Progress] = []
    posterior = Posterior(
        model._lattice(), *model._training(), np.ascontiguousarray(new.T.astype(np.uint8)), None, seen.append
    )
    posterior.probabilities()
    assert all(0 <= share <= 1 for share in seen)
    assert seen == sorted(seen)
    with pytest.raises(ParameterError, match="progress must be a function"):
        model.predict_proba(new, progress=3)


def test_a_search_has_no_more_than_its_part_of_the_limit():
    rng = np.random.default_rng(1)
    X, y = rng.integers(2, size=(300, 60)), rng.integers(2, size=300)
    model = ctree.BayesOptimalClassifier(max_depth=6, time_limit=100, bins="binary")
    with pytest.warns(LimitWarning, match=r"time_limit=100, of which the search had 0\.1 s: ln of the evidence"):
        model.fit(X, y, search_time=0.1)
    with pytest.warns(LimitWarning, match=r"stopped by search_time=0\.1: "):
        ctree.OptimalTreeClassifier(objective="posterior", max_depth=6).fit(X, y, search_time=0.1)
    with (
        pytest.raises(ParameterError, match="search_time must be a number greater than 0, not 0"),
        warnings.catch_warnings(),
    ):
        model.fit(X, y, search_time=0)
