"""Learners fitted to a source are what they are when fitted to the same cases in memory."""

import numpy as np
import pytest

import ctree
from ctree.data.bins import equal_frequency_cuts, equal_width_cuts
from ctree.errors import DataError, ParameterError
from ctree.learners.levels import growing
from ctree.scale.coded_dataset import coded_from_dataset
from ctree.scale.engines.local import LocalEngine
from ctree.scale.quantiles import frequency_cuts, width_cuts
from tests.naive.memory_source import MemorySource
from tests.scale.random_sets import random_parts, random_set, with_unknown, with_weights

LEARNERS = [
    *(
        ctree.ProbabilityTreeClassifier(approach=approach)
        for approach in ("c4.4", "bic-stop", "bic-prune", "mdl-stop", "mdl-prune", "chi2")
    ),
    ctree.ProbabilityTreeClassifier(approach="c4.5", subtree_raising=False),
    ctree.ProbabilityTreeClassifier(approach="mdl-prune", max_thresholds=3, binary_splits=False),
    ctree.ProbabilityTreeClassifier(approach="chi2", max_thresholds=10, threshold_spacing="width", significance=0.9),
    ctree.BayesianTreeClassifier(),
    ctree.BayesianTreeClassifier(threshold_prior="each", averaging="prunings"),
    ctree.BayesianTreeClassifier(bins=5),
    ctree.BayesianTreeClassifier(bins=400, averaging="none", prior_weight="classes"),
    ctree.NaiveBayesClassifier(),
    ctree.NaiveBayesClassifier(bins=1, estimate="laplace"),
    ctree.NaiveBayesClassifier(bins=400),
]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_the_same_model_as_in_memory(learner, seed, monkeypatch):
    rng = np.random.default_rng([seed, 77])
    data = random_set(rng)
    source = MemorySource(data, int(rng.choice([1, 2, 16, 256, 65_535])), random_parts(rng, data.n_cases))
    monkeypatch.setattr(growing, "gathered", lambda source: int(rng.choice([1, 7, 100])))
    in_memory, from_source = (type(learner)(**learner.get_params()).fit(cases) for cases in (data, source))
    assert repr(from_source._to_fields()) == repr(in_memory._to_fields())
    np.testing.assert_array_equal(from_source.predict_proba(data), in_memory.predict_proba(data))


def nearly_same(got, expected):
    """Plain data, with numbers that may differ by the last bits of sums."""
    if isinstance(expected, dict):
        return got.keys() == expected.keys() and all(nearly_same(got[name], expected[name]) for name in expected)
    if isinstance(expected, list | tuple):
        return len(got) == len(expected) and all(map(nearly_same, got, expected))
    return got == pytest.approx(expected, rel=1e-8, abs=1e-8) if isinstance(expected, float) else got == expected


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_unknown_values_and_weights(learner, seed, monkeypatch):
    rng = np.random.default_rng([seed, 78])
    data = random_set(rng, n=int(rng.choice([5, 30, 100])))
    if seed % 3 != 1:
        data = with_unknown(rng, data)
    if seed % 3 != 0:
        data = with_weights(rng, data)
    gather = int(rng.choice([1, 7, 100]))
    monkeypatch.setattr(growing, "gathered", lambda source: gather)
    sources = [MemorySource(data, bins, random_parts(rng, data.n_cases)) for bins in (2, 300)]
    in_memory, one, other = (type(learner)(**learner.get_params()).fit(cases) for cases in (data, *sources))
    assert nearly_same(one._to_fields(), in_memory._to_fields())
    # between parts and bins it is the same to the bit
    assert repr(one._to_fields()) == repr(other._to_fields())


@pytest.mark.parametrize("n_bins", [1, 2, 3, 7, 1_000])
def test_bounds_are_those_of_memory(n_bins):
    for seed in range(20):
        data = random_set(rng := np.random.default_rng([seed, n_bins]), n=int(rng.choice([3, 20, 80])))
        data = with_unknown(rng, data) if seed % 2 else data
        data = with_weights(rng, data) if seed % 4 > 1 else data
        for bins in (1, 5, 65_535):
            source = MemorySource(data, bins)
            for bounds, cuts in ((frequency_cuts, equal_frequency_cuts), (width_cuts, equal_width_cuts)):
                for attribute, column, got in zip(data.schema, data.columns, bounds(source, n_bins), strict=True):
                    assert (got is not None) == attribute.is_continuous
                    if got is not None:
                        more = (data.weights,) if cuts is equal_frequency_cuts else ()
                        np.testing.assert_array_equal(got, cuts(np.asarray(column), n_bins, *more))


def test_a_fit_from_a_source_tells_how_it_went(monkeypatch):
    data = random_set(np.random.default_rng(5), n=200)
    monkeypatch.setattr(growing, "gathered", lambda source: 20)
    source = coded_from_dataset(data, 3, 16, engine=LocalEngine(2))
    source.collects = False
    model = ctree.ProbabilityTreeClassifier().fit(source)
    info = model.fit_info_
    assert info["engine"] == "local"
    assert info["cases"] == 200
    assert info["passes"] == {kind: [p.kind for p in source.passes].count(kind) for kind in info["passes"]}
    assert sum(info["passes"].values()) == len(source.passes) > 0
    assert info["levels"] >= 1
    # a node was divided at the top or is in a subtree
    assert info["finished_nodes"] + info["top_nodes"] - info["subtrees"] == model.unpruned_tree_.n_nodes
    assert 0 <= info["opened_share"] == info["opened"] / (200 * sum(a.is_continuous for a in data.schema))
    before = len(source.passes)
    again = ctree.NaiveBayesClassifier().fit(source).fit_info_
    assert sum(again["passes"].values()) == len(source.passes) - before
    assert ctree.ProbabilityTreeClassifier().fit(data).fit_info_ == {}
    assert ctree.NaiveBayesClassifier().fit(data).fit_info_ == {}


@pytest.mark.parametrize("learner", [*LEARNERS, ctree.C45Classifier(), ctree.C45Classifier(variant="j48")], ids=repr)
def test_cases_that_fit_are_collected(learner):
    data = with_unknown(np.random.default_rng(2), random_set(np.random.default_rng(2), n=100))
    # a source has no -0.0, which C4.5 might take for a threshold
    columns = [None if column is None else column + 0 for column in data.columns]
    data = ctree.Dataset(data.schema, columns, data.classes)
    source = coded_from_dataset(data, 3, 16)
    in_memory, from_source = (type(learner)(**learner.get_params()).fit(cases) for cases in (data, source))
    assert repr(from_source._to_fields()) == repr(in_memory._to_fields())
    assert [p.kind for p in source.passes] == ["collect"]
    assert from_source.fit_info_["engine"] == "memory"
    assert from_source.fit_info_["passes"] == {"collect": 1}
    # what may not be collected, or is too much, is not
    source.collects = False
    assert not source.fits_memory
    source.collects, source.memory = True, 1_000
    assert not source.fits_memory


def test_of_cases_that_fit_all_can_be_asked():
    source = coded_from_dataset(ctree.load_iris(), 2)
    ctree.ProbabilityTreeClassifier(class_weight="balanced").fit(source)
    ctree.ProbabilityTreeClassifier(approach="c4.5").fit(source)
    with pytest.raises(DataError, match="a source has its own classes: leave out y"):
        ctree.C45Classifier().fit(source, [0])


def test_what_a_source_cannot_do_is_said():
    source = MemorySource(ctree.load_iris())
    for learner in (ctree.C45RulesClassifier(), ctree.MCMCTreeClassifier(), ctree.BayesOptimalClassifier()):
        with pytest.raises(DataError, match="needs all cases in memory, and those of the source do not fit"):
            learner.fit(source)
    learner = ctree.ProbabilityTreeClassifier()
    with pytest.raises(DataError, match="a source has its own classes: leave out y"):
        learner.fit(source, [0])
    with pytest.raises(DataError, match="a source has its own weights: leave out sample_weight"):
        learner.fit(source, sample_weight=[1])
    with pytest.raises(ParameterError, match="class_weight is for cases in memory or in coded parts"):
        ctree.ProbabilityTreeClassifier(class_weight="balanced").fit(source)
    with pytest.raises(ParameterError, match="unknown='impute' is for cases in memory or in coded parts"):
        ctree.BayesianTreeClassifier(unknown="impute").fit(source)
    source.n_cases = 0
    with pytest.raises(DataError, match="the source is empty"):
        learner.fit(source)
