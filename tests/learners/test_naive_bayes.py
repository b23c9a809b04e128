"""Naive Bayes against the naive version, and as a person uses it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.candidate_tests import Data, bin_of
from naive.candidate_tests import equal_frequency_cuts as naive_cuts
from naive.naive_bayes import NaiveBayes
from support.problems import problems

import ctree
from ctree import NaiveBayesClassifier
from ctree.data.bins import bin_codes, equal_frequency_cuts
from ctree.errors import DataError, NotFittedError, ParameterError

estimates = st.sampled_from(["frequency", "laplace", "m"])
settings_of = st.tuples(estimates, st.sampled_from([0.5, 2.0, 10.0]), st.integers(1, 6))


@pytest.fixture(scope="module")
def golf():
    return ctree.read_c45("examples/golf")


@given(problems(), settings_of, st.integers(0, 2**32 - 1), st.booleans())
@settings(deadline=None, max_examples=200)
def test_probabilities_and_factors_are_the_naive_ones(problem, chosen, seed, weighted):
    estimate, m, bins = chosen
    weights = None
    if weighted:
        weights = np.random.default_rng(seed).choice([0.5, 1.0, 3.0], size=len(problem.classes)).tolist()
    naive = NaiveBayes(Data(*problem.arguments, weights), estimate, m, bins)
    data = problem.dataset(weights)
    model = NaiveBayesClassifier(estimate=estimate, m=m, bins=bins).fit(data)
    assert model.class_counts_.tolist() == pytest.approx(naive.class_counts)
    for counts, expected in zip(model.counts_, naive.counts, strict=True):
        assert np.array_equal([] if counts is None else counts, expected)
    probabilities = model.predict_proba(data)
    assert probabilities.sum(axis=1) == pytest.approx(1.0, abs=1e-12)
    for case, values in enumerate(problem.cases):
        assert probabilities[case].tolist() == pytest.approx(naive.probabilities(values), abs=1e-9)
    evidence = model.explain(data.take([0]))
    expected = naive.factors(problem.cases[0])
    told = {f"a{k}": factor for k, factor in enumerate(expected) if factor is not None}
    assert evidence.factors.keys() == told.keys()
    for name, factor in told.items():
        assert list(evidence.factors[name].values()) == pytest.approx(factor)


@given(st.lists(st.one_of(st.none(), st.integers(-5, 5).map(float)), max_size=40), st.integers(1, 8))
def test_bins_are_the_naive_ones(column, bins):
    values = np.array([np.nan if x is None else x for x in column])
    cuts = equal_frequency_cuts(values, bins)
    assert cuts.tolist() == naive_cuts(column, bins)
    assert bin_codes(values, cuts).tolist() == [-1 if x is None else bin_of(x, cuts.tolist()) for x in column]


def test_the_m_estimate_of_the_specification():
    # Three cases of one class out of three, under priors of a quarter and three quarters: 0.7 with m = 2.
    data = ctree.from_arrays({"x": ["a"] * 3 + ["b"] * 3}, ["yes"] * 3 + ["no"] * 3)
    model = NaiveBayesClassifier().fit(data)
    model.class_counts_ = np.array([0.0, 2.0])[[1, 0]] if data.schema.classes[0] == "no" else np.array([0.0, 2.0])
    yes = list(data.schema.classes).index("yes")
    factor = model.explain({"x": ["a"]}).factors["x"]["yes"]
    assert factor * model._priors()[yes] == pytest.approx(0.7)


def test_learning_in_parts_gives_the_same_as_all_at_once(golf):
    whole = NaiveBayesClassifier().fit(golf)
    parts = NaiveBayesClassifier()
    # the bins are settled by the first cases, so continuous attributes are left out of the comparison
    parts.partial_fit(golf.take(np.arange(14) < 8)).partial_fit(golf.take(np.arange(14) >= 8))
    assert parts.class_counts_.tolist() == whole.class_counts_.tolist()
    for k in (0, 3):
        assert parts.counts_[k].tolist() == whole.counts_[k].tolist()
    table = {"x": ["a", "b", "a", "b"]}
    one = NaiveBayesClassifier().fit(table, [0, 1, 1, 1], sample_weight=[1.0, 2.0, 1.0, 0.5])
    other = NaiveBayesClassifier().partial_fit({"x": ["a", "b"]}, [0, 1], sample_weight=[1.0, 2.0])
    other.partial_fit({"x": ["a", "b"]}, [1, 1], sample_weight=[1.0, 0.5])
    assert other.predict_proba(table).tolist() == one.predict_proba(table).tolist()


def test_what_cannot_be_learned_in_parts(golf):
    model = NaiveBayesClassifier().partial_fit({"x": ["a", "b"]}, [0, 1])
    with pytest.raises(DataError, match="the class 2 was not among those of the first cases"):
        model.partial_fit({"x": ["a"]}, [2])
    with pytest.raises(DataError, match="there are 2 cases but 1 classes"):
        model.partial_fit({"x": ["a", "b"]}, [1])
    with pytest.raises(DataError, match="the cases lack the attribute 'x'"):
        model.partial_fit(golf)


def test_a_class_without_cases_and_a_value_without_cases(golf):
    schema = ctree.Schema(golf.schema.attributes, (*golf.schema.classes, "Rest"))
    data = ctree.Dataset(schema, golf.columns, golf.classes)
    for estimate in ("frequency", "laplace", "m"):
        probabilities = NaiveBayesClassifier(estimate=estimate).fit(data).predict_proba(golf)
        assert probabilities.shape == (14, 3)
        assert (probabilities[:, 2] == 0).all() == (estimate == "frequency")


def test_many_cases_do_not_underflow():
    rng = np.random.default_rng(0)
    X = rng.integers(2, size=(200, 3000)).astype(str)
    probabilities = NaiveBayesClassifier().fit(X, rng.integers(2, size=200)).predict_proba(X)
    assert np.isfinite(probabilities).all()
    assert probabilities.sum(axis=1) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"estimate": "best"}, "estimate must be 'm', 'laplace' or 'frequency', not 'best'"),
        ({"m": 0}, "m must be a number at least 1e-200 and at most 1e.15, not 0"),
        ({"bins": 0}, "bins must be a whole number of at least 1, not 0"),
    ],
)
def test_wrong_parameters(golf, parameters, message):
    with pytest.raises(ParameterError, match=message):
        NaiveBayesClassifier(**parameters).fit(golf)


def test_before_it_is_fitted():
    with pytest.raises(NotFittedError):
        NaiveBayesClassifier().predict([[1.0]])


def test_no_cases_one_class_and_nothing_known():
    with pytest.raises(DataError):
        NaiveBayesClassifier().fit(np.empty((0, 2)), [])
    model = NaiveBayesClassifier().fit([[1.0], [2.0]], ["a", "a"])
    assert model.predict([[5.0]]).tolist() == ["a"]
    model = NaiveBayesClassifier().fit([[np.nan], [np.nan]], ["a", "b"])
    assert model.predict_proba([[1.0]])[0].tolist() == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize("estimate", ["frequency", "laplace", "m"])
def test_saved_and_loaded(golf, estimate, tmp_path):
    model = NaiveBayesClassifier(estimate=estimate, bins=3).fit(golf)
    ctree.save(model, tmp_path / "bayes.json")
    loaded = ctree.load(tmp_path / "bayes.json")
    assert loaded.get_params() == model.get_params()
    assert loaded.predict_proba(golf).tolist() == model.predict_proba(golf).tolist()
    assert loaded.to_text() == model.to_text()


def test_the_text_shows_the_counts(golf):
    lines = NaiveBayesClassifier().fit(golf).to_text().splitlines()
    assert lines[0].split() == ["Play", "Don't", "Play"]
    assert lines[1].split() == ["all", "cases", "9", "5"]
    assert lines[2].split() == ["outlook", "=", "sunny", "2", "3"]
