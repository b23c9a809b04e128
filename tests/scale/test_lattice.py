"""The learners over all trees, fitted to cases that do not fit: the models of memory, and of rows that are repeated."""

from __future__ import annotations

import numpy as np
import pytest

import ctree
from ctree.data import binary_tests
from ctree.data.binary_tests import BinaryTests
from ctree.data.dataset import Dataset
from ctree.data.schema import Attribute, Kind, Schema
from ctree.errors import DataError, ParameterError
from ctree.scale import answer_rows
from ctree.scale.answer_rows import binary_tests_of, rows_of
from ctree.scale.coded_dataset import coded_from_dataset
from tests.scale.random_sets import random_parts, random_set, with_unknown
from tests.scale.test_changed_sources import plain_zeros

BINS = [2, 4, 9, None]


def coded(rng, data, memory=1 << 24):
    source = coded_from_dataset(
        data, random_parts(rng, data.n_cases), int(rng.choice([1, 4, 60, 65_535])), memory=memory
    )
    source.collects = False
    return source


def random_cases(seed, *, few=False):
    """Cases with unknown values, some of them several times, and with whole weights."""
    rng = np.random.default_rng([seed, 51])
    data = plain_zeros(random_set(rng, n=int(rng.choice([8, 40, 90]))))
    if few:
        data = Dataset(
            Schema(data.schema.attributes[:3], data.schema.classes),
            data.columns[:3],
            data.classes,
            n_cases=data.n_cases,
        )
    data = with_unknown(rng, data, rate=0.2) if seed % 2 else data
    data = data.take(rng.integers(0, data.n_cases, data.n_cases))
    return rng, data.with_weights(rng.choice([1.0, 2.0, 5.0], data.n_cases)) if seed % 3 == 0 else data


def repeated(data):
    """Each case as often as it weighs."""
    if data.weights is None:
        return data
    return data.take(np.repeat(np.arange(data.n_cases), data.weights.astype(int))).with_weights(None)


@pytest.mark.parametrize("bins", BINS)
@pytest.mark.parametrize("seed", range(15))
def test_the_tests_are_those_of_memory(seed, bins):
    rng, data = random_cases(seed)
    assert binary_tests_of(coded(rng, data), bins) == BinaryTests.in_bins(repeated(data), bins)


@pytest.mark.parametrize("grid", [5, 1000])
@pytest.mark.parametrize("seed", range(15))
def test_the_tests_at_boundaries_are_those_of_memory(seed, grid, monkeypatch):
    for module in (answer_rows, binary_tests):
        monkeypatch.setattr(module, "GRID", grid)
    rng, data = random_cases(seed)
    min_cases = int(rng.choice([1, 3]))
    expected = BinaryTests.at_boundaries(repeated(data), min_cases)
    assert binary_tests_of(coded(rng, data), "boundaries", min_cases) == expected


@pytest.mark.parametrize("seed", range(15))
def test_rows_are_those_of_the_cases(seed):
    rng, data = random_cases(seed)
    whole = repeated(data)
    tests = BinaryTests.in_bins(whole, 4)
    rows = rows_of(coded(rng, data), tests)
    columns, classes = rows.columns(len(tests))
    assert len({key.tobytes() for key in rows.keys}) == len(rows.counts)
    expected = sorted(
        (*bits, c) for bits, c in zip(tests.columns(whole).T.tolist(), whole.classes.tolist(), strict=True)
    )
    assert sorted((*bits, c) for bits, c in zip(columns.T.tolist(), classes.tolist(), strict=True)) == expected


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(
    "learner",
    [
        ctree.BayesOptimalClassifier(max_depth=2),
        ctree.BayesOptimalClassifier(max_depth=3, tree_prior="uniform", min_cases=3, bins=2),
        ctree.OptimalTreeClassifier(max_depth=2),
        ctree.OptimalTreeClassifier(max_depth=2, objective="posterior", bins=6),
        ctree.OptimalTreeClassifier(max_depth=3, min_cases=4, bins=2),
    ],
    ids=repr,
)
def test_models_are_those_of_memory(learner, seed):
    rng, data = random_cases(seed, few=True)
    if learner.min_cases > data.n_cases or data.schema.n_classes > 12:
        data = data.take(data.classes < 12)
        if data.n_cases < learner.min_cases:
            return
    expected = type(learner)(**learner.get_params()).fit(data)
    found = type(learner)(**learner.get_params()).fit(coded(rng, data))
    assert repr(found._to_fields()) == repr(expected._to_fields())
    np.testing.assert_array_equal(found.predict_proba(data), expected.predict_proba(data))
    again = type(learner)(**learner.get_params()).fit(repeated(data))
    assert repr(found._to_fields()) == repr(again._to_fields())


def zero_one(rng, n=200):
    attributes = (Attribute("x", Kind.CONTINUOUS), Attribute("flag", Kind.DISCRETE, (False, True)))
    columns = [rng.integers(0, 2, n).astype(np.float64), rng.integers(0, 2, n).astype(np.int32)]
    return Dataset(Schema(attributes, ("a", "b")), columns, rng.integers(0, 2, n).astype(np.int32))


def test_attributes_of_zero_and_one():
    rng = np.random.default_rng(2)
    data = zero_one(rng)
    source = coded(rng, data)
    assert binary_tests_of(source, "binary") == BinaryTests.in_bins(data, "binary")
    model = ctree.OptimalTreeClassifier(bins="binary").fit(source)
    assert repr(model._to_fields()) == repr(ctree.OptimalTreeClassifier(bins="binary").fit(data)._to_fields())
    half = Dataset(data.schema, [np.where(np.arange(200) == 7, 0.5, data.columns[0]), data.columns[1]], data.classes)
    for bins in (1, 65_535):
        source = coded_from_dataset(half, 2, bins)
        source.collects = False
        with pytest.raises(DataError, match=r"attribute 'x' has the value 0\.5, but with bins='binary' all are 0 or 1"):
            ctree.OptimalTreeClassifier(bins="binary").fit(source)
    with pytest.raises(DataError, match=r"attribute 'outlook' has the value '.*', but with bins='binary'"):
        ctree.OptimalTreeClassifier(bins="binary").fit(coded(rng, ctree.load_golf()))


def test_class_weights():
    rng = np.random.default_rng(6)
    data = ctree.load_golf()
    for weights in ({"Play": 3}, {"Play": 2, "Don't Play": 0}):
        learner = ctree.BayesOptimalClassifier(class_weight=weights, max_depth=2)
        expected = repr(learner.fit(data)._to_fields())
        assert repr(learner.fit(coded(rng, data))._to_fields()) == expected
    with pytest.raises(DataError, match="this learner needs whole numbers as weights"):
        ctree.BayesOptimalClassifier(class_weight={"Play": 1.5}).fit(coded(rng, data))


def test_what_does_not_fit_is_said(monkeypatch):
    rng = np.random.default_rng(8)
    data = zero_one(rng, 20_000)
    source = coded(rng, data, memory=1 << 20)
    with pytest.raises(
        DataError, match=r"answers of all cases to 2 tests in memory, and those of 20,000 take 1,320,000"
    ):
        ctree.OptimalTreeClassifier().fit(source)
    with pytest.raises(ParameterError, match="min_cases is 30000, but there are only 20000 cases"):
        ctree.OptimalTreeClassifier(min_cases=30_000).fit(source)
    with pytest.raises(DataError, match="this learner needs whole numbers as weights"):
        ctree.OptimalTreeClassifier().fit(coded(rng, data.with_weights(np.full(20_000, 0.5))))
    heavy = coded(rng, data.with_weights(np.full(20_000, 1000.0)))
    with pytest.raises(DataError, match="those of 20,000,000 are too many cases"):
        ctree.OptimalTreeClassifier().fit(heavy)
    many = plain_zeros(random_set(rng, n=300))
    monkeypatch.setattr(answer_rows._Together, "__init__", lambda self, most: object.__setattr__(self, "most", 100))
    with pytest.raises(DataError, match=r"the cases answer the tests in more than .* different ways"):
        ctree.OptimalTreeClassifier(bins=50).fit(coded(rng, many))


def test_a_frame_of_dask():
    pd = pytest.importorskip("pandas")
    dask = pytest.importorskip("dask")
    frames = pytest.importorskip("dask.dataframe")
    rng = np.random.default_rng(3)
    table = pd.DataFrame({"x": rng.normal(size=90), "k": rng.choice(["a", "b", "c"], 90)})
    table["y"] = np.where(table["x"] + rng.normal(size=90) > 0, "yes", "no")
    expected = ctree.BayesOptimalClassifier(max_depth=2).fit(table[["x", "k"]], table["y"])
    with dask.config.set(scheduler="synchronous"):
        with ctree.scan_dask(frames.from_pandas(table, npartitions=4), "y") as cases:
            cases.collects = False
            found = ctree.BayesOptimalClassifier(max_depth=2).fit(cases)
        one = ctree.BayesOptimalClassifier(max_depth=2).fit(frames.from_pandas(table, npartitions=4), y="y")
    assert repr(found._to_fields()) == repr(one._to_fields()) == repr(expected._to_fields())
