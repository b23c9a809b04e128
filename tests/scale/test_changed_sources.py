"""Class weights and imputed values for cases that are gone through pass by pass: the models of memory."""

from __future__ import annotations

import pickle
from fractions import Fraction

import numpy as np
import pytest

import ctree
from ctree.data.dataset import Dataset
from ctree.data.impute import imputed, mode_or_mean
from ctree.errors import DataError, ModelError, ParameterError
from ctree.learners.levels import growing
from ctree.scale.changed_source import filled
from ctree.scale.coded_dataset import coded_from_dataset
from ctree.scale.fillers import modes_and_means
from ctree.scale.unit import unit_of_weights
from tests.scale.random_sets import random_parts, random_set, with_unknown, with_weights
from tests.scale.test_learners import nearly_same

LEARNERS = [
    ctree.ProbabilityTreeClassifier(approach="c4.4"),
    ctree.ProbabilityTreeClassifier(approach="bic-stop"),
    ctree.ProbabilityTreeClassifier(approach="mdl-prune"),
    ctree.ProbabilityTreeClassifier(approach="chi2", max_thresholds=5, threshold_spacing="width"),
    ctree.BayesianTreeClassifier(),
    ctree.BayesianTreeClassifier(bins=5),
    ctree.C45Classifier(arithmetic="double", subtree_raising=False),
    ctree.NaiveBayesClassifier(),
]


def plain_zeros(data):
    """Without -0.0, which no source has, and whose place in memory is up to the order of cases."""
    columns = [None if column is None else column + 0 for column in data.columns]
    return Dataset(data.schema, columns, data.classes, data.weights, n_cases=data.n_cases)


def coded(rng, data, memory=1 << 26):
    source = coded_from_dataset(
        data, random_parts(rng, data.n_cases), int(rng.choice([1, 4, 60, 65_535])), memory=memory
    )
    source.collects = False
    return source


def fitted(learner, cases, **more):
    return type(learner)(**{**learner.get_params(), **more}).fit(cases)._to_fields()


def same_model(one, other):
    one["parameters"] = other["parameters"] = None
    return repr(one) == repr(other)


# Class weights


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@pytest.mark.parametrize("seed", range(6))
def test_whole_class_weights(learner, seed, monkeypatch):
    rng = np.random.default_rng([seed, 41])
    data = plain_zeros(random_set(rng))
    monkeypatch.setattr(growing, "gathered", lambda source: int(rng.choice([1, 7, 100])))
    weights = {label: int(rng.integers(1, 4)) for label in data.schema.classes}
    if seed % 2:
        data = data.with_weights(rng.choice([1.0, 2.0, 5.0], data.n_cases))
    found = fitted(learner, coded(rng, data), class_weight=weights)
    assert repr(found) == repr(fitted(learner, data, class_weight=weights))
    # the weights of cases say the same
    factors = np.array([weights[label] for label in data.schema.classes], dtype=np.float64)[data.classes]
    product = factors if data.weights is None else factors * data.weights
    assert same_model(found, fitted(learner, data.with_weights(product)))


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_a_class_of_no_weight_is_left_out(learner, monkeypatch):
    monkeypatch.setattr(growing, "gathered", lambda source: 10)
    for seed in range(8):
        rng = np.random.default_rng([seed, 42])
        data = plain_zeros(random_set(rng, n=80))
        data = with_unknown(rng, data) if seed % 2 else data
        common = int(np.bincount(data.classes).argmax())
        weights = {label: 0 if c == common else 1 for c, label in enumerate(data.schema.classes)}
        if (data.classes == common).all():
            with pytest.raises(DataError, match="no case has a weight greater than zero"):
                fitted(learner, coded(rng, data), class_weight=weights)
            continue
        found = fitted(learner, coded(rng, data), class_weight=weights)
        if seed % 2 == 0:
            assert repr(found) == repr(fitted(learner, data, class_weight=weights))
        left = data.take(data.classes != common)
        assert same_model(found, fitted(learner, coded(rng, left.with_weights(np.ones(left.n_cases)))))


def test_class_weights_with_fractions(monkeypatch):
    fits = same = 0
    for seed in range(16):
        rng = np.random.default_rng([seed, 43])
        data = plain_zeros(random_set(rng, n=100))
        data = with_unknown(rng, data) if seed % 3 else data
        data = data.with_weights(rng.exponential(size=100)) if seed % 2 else data
        gathered = int(rng.choice([1, 20, 200]))
        monkeypatch.setattr(growing, "gathered", lambda source, gathered=gathered: gathered)
        chosen = {label: float(rng.exponential()) for label in data.schema.classes}
        for learner in LEARNERS:
            one, other = (fitted(learner, coded(rng, data), class_weight=chosen) for _ in range(2))
            assert repr(one) == repr(other)
            fits += 1
            same += nearly_same(one, fitted(learner, data, class_weight=chosen))
    assert same >= 0.99 * fits


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_balanced_classes(learner, monkeypatch):
    # All classes weigh the same then, so that much is equal but for the last bits: the weights have to be the same.
    for seed in range(6):
        rng = np.random.default_rng([seed, 47])
        data = plain_zeros(random_set(rng, n=100))
        counts = np.bincount(data.classes, minlength=data.schema.n_classes)
        present = counts > 0
        factors = np.where(present, 100 / (present.sum() * np.maximum(counts, 1)), 1.0)
        unit = unit_of_weights(float((counts * factors).sum()), float(factors[present].min()))
        rounded = data.with_weights([round(Fraction(factors[c]) / Fraction(unit)) * unit for c in data.classes])
        monkeypatch.setattr(growing, "gathered", lambda source, rng=rng: int(rng.choice([1, 20, 200])))
        found = fitted(learner, coded(rng, data), class_weight="balanced")
        expected = fitted(learner, rounded)
        expected["parameters"]["class_weight"] = found["parameters"]["class_weight"]
        assert nearly_same(found, expected)


def test_class_weights_that_cannot_be():
    rng = np.random.default_rng(4)
    source = coded(rng, ctree.load_iris())
    for wrong, told in (
        ({"Iris-setosa": -1}, "a dict of classes to weights of at least 0, not {'Iris-setosa': -1}"),
        ({"setosa": 1}, "class_weight names 'setosa', but the classes are"),
        ("even", "must be None, 'balanced', 'costs' or a dict"),
    ):
        with pytest.raises(ParameterError, match=told):
            ctree.NaiveBayesClassifier(class_weight=wrong).fit(source)


def test_a_fit_that_was_ended_goes_on_with_the_same_class_weights_only(tmp_path, monkeypatch):
    monkeypatch.setattr(growing, "gathered", lambda source: 1)
    data = ctree.load_iris()
    one, other = ({"Iris-virginica": weight} for weight in (2, 3))
    file = tmp_path / "top.json"

    def fit(weights, progress=None):
        source = coded(np.random.default_rng(4), data)
        model = ctree.ProbabilityTreeClassifier(class_weight=weights)
        return model.fit(source, checkpoint=file, progress=progress)

    calls = []

    def stop(_):
        calls.append(file.exists())
        if sum(calls) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit(one, stop)
    with pytest.raises(ModelError, match="checkpoint"):
        fit(other)
    model = fit(one)
    assert model.fit_info_["resumed_levels"] > 0
    expected = ctree.ProbabilityTreeClassifier(class_weight=one).fit(data)
    assert repr(model._to_fields()) == repr(expected._to_fields())


# Imputed values


def with_odd_numbers(rng, data):
    """Some columns much larger and smaller, so that sums depend on the order."""
    columns = []
    for column in data.columns:
        if column is not None and column.dtype == np.float64:
            column = column * 10.0 ** rng.integers(-9, 9, data.n_cases) + rng.choice([0.0, 1e16, 1e-300])
        columns.append(column)
    return Dataset(data.schema, columns, data.classes, data.weights, n_cases=data.n_cases)


@pytest.mark.parametrize("seed", range(40))
def test_modes_and_means_are_those_of_memory(seed):
    rng = np.random.default_rng([seed, 44])
    data = with_unknown(rng, random_set(rng), rate=rng.choice([0.1, 0.9]))
    data = plain_zeros(with_odd_numbers(rng, data) if seed % 2 else data)
    data = data.with_weights(rng.choice([0.5, 1.0, 3.0], data.n_cases)) if seed % 3 == 0 else data
    found = modes_and_means(coded(rng, data))
    assert found == [mode_or_mean(data, a) for a in range(len(data.schema))]
    for a, filler in enumerate(found):
        if filler is not None and data.schema[a].is_continuous and data.weights is None:
            known = [Fraction(x) for x in data.columns[a].tolist() if x == x]
            assert filler == pytest.approx(float(sum(known) / len(known)), rel=3e-16, abs=0)


@pytest.mark.parametrize("seed", range(30))
def test_filled_cases_are_those_of_memory(seed):
    rng = np.random.default_rng([seed, 45])
    data = plain_zeros(with_unknown(rng, random_set(rng, n=60), rate=0.3))
    data = with_weights(rng, data) if seed % 2 else data
    fillers = [mode_or_mean(data, a) for a in range(len(data.schema))]
    source = coded_from_dataset(data, 3, int(rng.choice([1, 5, 65_535])))
    changed = filled(source, fillers)
    pickle.loads(pickle.dumps(changed.engine._change))
    got, expected = changed.collect(), imputed(data, fillers)
    for one, other in zip(got.columns, expected.columns, strict=True):
        np.testing.assert_array_equal(one, other)
    assert changed.complete == all((u == 0 or f is not None) for u, f in zip(source.unknown, fillers, strict=True))
    for a, bins in enumerate(changed.bins):
        if bins is not None:
            assert (np.diff(bins.cuts) > 0).all()
            known = expected.columns[a][~np.isnan(expected.columns[a])]
            places = np.searchsorted(bins.cuts, known, side="left")
            for place in range(len(bins)):
                here = known[places == place]
                assert bins.least[place] == here.min(initial=np.inf)
                assert bins.most[place] == here.max(initial=-np.inf)


def test_a_number_is_filled_in_where_no_bin_is_left(monkeypatch):
    from ctree.scale import changed_source

    rng = np.random.default_rng(1)
    data = plain_zeros(with_unknown(rng, random_set(rng, n=60), rate=0.3))
    monkeypatch.setattr(changed_source, "MOST_BINS", 2)
    fillers = [mode_or_mean(data, a) for a in range(len(data.schema))]
    got, expected = filled(coded_from_dataset(data, 2), fillers).collect(), imputed(data, fillers)
    for one, other in zip(got.columns, expected.columns, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("seed", range(24))
def test_bayesian_trees_with_imputed_values(seed, monkeypatch):
    rng = np.random.default_rng([seed, 46])
    data = plain_zeros(with_unknown(rng, random_set(rng), rate=0.3))
    data = data.with_weights(rng.choice([1.0, 2.0, 4.0], data.n_cases)) if seed % 3 == 0 else data
    monkeypatch.setattr(growing, "gathered", lambda source: int(rng.choice([1, 7, 100])))
    learner = ctree.BayesianTreeClassifier(
        unknown="impute",
        bins=[None, 5][seed % 2],
        class_weight=[None, dict.fromkeys(data.schema.classes, 3)][seed % 4 == 3],
    )
    assert repr(fitted(learner, coded(rng, data))) == repr(fitted(learner, data))
