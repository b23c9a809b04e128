"""C4.5 in 64 bits from a source: the same arrays, to the bit, as in memory."""

from dataclasses import replace

import numpy as np
import pytest

import ctree
from ctree.data.dataset import Dataset
from ctree.data.schema import Attribute, Kind, Schema
from ctree.errors import DataError, ParameterError
from ctree.learners.base.gain_settings import GainSettings
from ctree.learners.levels import error_pruning, growing, level_grower
from ctree.learners.levels.level_grower import LevelGrower
from ctree.scale.coded_dataset import coded_from_dataset
from tests.naive.memory_source import MemorySource
from tests.scale.random_sets import random_parts, random_set, with_unknown, with_weights

BINS = (1, 2, 16, 256, 65_535)


def assert_same(got, expected):
    for name, array in expected.by_name().items():
        np.testing.assert_array_equal(getattr(got, name), array, err_msg=name)
        assert getattr(got, name).dtype == array.dtype


def near_values(rng, data):
    """The cases with some of their numbers about as near to each other as no threshold can be between."""
    columns = []
    for column in data.columns:
        if column is not None and column.dtype == np.float64 and rng.random() < 0.7:
            column = np.round(column * 50) * rng.choice([4e-6, 1e-5, 1.1e-5])
        columns.append(column)
    return Dataset(data.schema, columns, data.classes)


def random_cases(rng):
    data = random_set(rng)
    return near_values(rng, data) if rng.random() < 0.3 else data


def random_gain_settings(rng, data):
    binary = bool(rng.random() < 0.3)
    return GainSettings(
        float(data.n_cases),
        min_cases=float(rng.choice([1, 2, 2.5, 5, 30])),
        gain_only=bool(rng.random() < 0.2),
        group_values=not binary and bool(rng.random() < 0.3),
        binary_splits=binary,
        mdl_correction=bool(rng.random() < 0.8),
    )


@pytest.mark.parametrize("seed", range(130))
def test_the_same_tree_as_in_memory(seed, monkeypatch):
    rng = np.random.default_rng([seed, 45])
    data = random_cases(rng)
    n = data.n_cases
    settings = random_gain_settings(rng, data)
    source = MemorySource(data, int(rng.choice(BINS)), random_parts(rng, n))
    monkeypatch.setattr(level_grower, "TABLED", int(rng.choice([0, 3, 1 << 20])))
    gather, budget = int(rng.choice([1, 7, max(1, n // 3), n])), int(rng.choice([1, 2_000, 1 << 26]))
    assert_same(LevelGrower(source, settings, gather=gather, budget=budget).grow(), settings.grow(data))


def random_learner(rng):
    binary, raising = bool(rng.random() < 0.3), bool(rng.random() < 0.8)
    confidence = float(rng.choice([0.01, 0.25, 0.5, 1.0]))
    if rng.random() < 0.3:
        return ctree.ProbabilityTreeClassifier(
            approach="c4.5",
            binary_splits=binary,
            subtree_raising=raising,
            confidence=confidence,
            max_thresholds=None if rng.random() < 0.7 else 3,
        )
    return ctree.C45Classifier(
        arithmetic="double",
        criterion="gain" if rng.random() < 0.3 else "gain-ratio",
        min_cases=float(rng.choice([1, 2, 2.5, 5])),
        group_values=not binary and bool(rng.random() < 0.3),
        binary_splits=binary,
        mdl_correction=bool(rng.random() < 0.8),
        actual_thresholds=bool(rng.random() < 0.8),
        collapse=bool(rng.random() < 0.7),
        prune=bool(rng.random() < 0.9),
        subtree_raising=raising,
        confidence=confidence,
    )


def fitted(learner, cases):
    return type(learner)(**learner.get_params()).fit(cases)


@pytest.mark.parametrize("seed", range(120))
def test_the_same_model_as_in_memory(seed, monkeypatch):
    rng = np.random.default_rng([seed, 46])
    data = random_cases(rng)
    n = data.n_cases
    learner = random_learner(rng)
    gather = int(rng.choice([1, 7, max(1, n // 3), n]))
    monkeypatch.setattr(growing, "gathered", lambda source: gather)
    if rng.random() < 0.3:
        source = coded_from_dataset(data, random_parts(rng, n), bins=int(rng.choice(BINS)))
        source.collects = False
    else:
        source = MemorySource(data, int(rng.choice(BINS)), random_parts(rng, n))
    in_memory, from_source = fitted(learner, data), fitted(learner, source)
    assert_same(from_source.unpruned_tree_.arrays, in_memory.unpruned_tree_.arrays)
    assert_same(from_source.tree_.arrays, in_memory.tree_.arrays)
    assert repr(from_source._to_fields()) == repr(in_memory._to_fields())


@pytest.mark.filterwarnings("ignore::ctree.errors.SmallWeightsWarning")
@pytest.mark.parametrize("seed", range(24))
def test_unknown_values_and_weights_do_not_depend_on_parts_or_bins(seed, monkeypatch):
    rng = np.random.default_rng([seed, 47])
    data = random_set(rng, n=int(rng.choice([5, 30, 100])))
    data = with_unknown(rng, data) if seed % 3 != 1 else data
    data = with_weights(rng, data) if seed % 3 != 0 else data
    gather = int(rng.choice([1, 7, 100]))
    monkeypatch.setattr(growing, "gathered", lambda source: gather)
    learner = ctree.C45Classifier(arithmetic="double", subtree_raising=seed % 3 == 1, prune=seed % 2 == 0)
    sources = [MemorySource(data, bins, random_parts(rng, data.n_cases)) for bins in (2, 300)]
    one, other = (fitted(learner, source) for source in sources)
    assert repr(one._to_fields()) == repr(other._to_fields())
    # what is at the root does not hang on sums of fractions being rounded
    in_memory = fitted(learner, data).unpruned_tree_.arrays
    np.testing.assert_allclose(one.unpruned_tree_.arrays.counts[0], in_memory.counts[0], rtol=1e-9)
    if seed % 3 == 0:
        for name in ("test", "attribute", "threshold", "n_branches"):
            assert getattr(one.unpruned_tree_.arrays, name)[0] == getattr(in_memory, name)[0]


def test_the_tree_does_not_depend_on_gathering_bins_or_parts(monkeypatch):
    rng = np.random.default_rng(11)
    data = random_set(np.random.default_rng(3), n=250)
    learner = ctree.C45Classifier(arithmetic="double")
    expected = fitted(learner, data)
    for bins in BINS:
        source = MemorySource(data, bins, random_parts(rng, 250))
        for gather in (1, 7, 83, 250):
            monkeypatch.setattr(growing, "gathered", lambda source, gather=gather: gather)
            assert_same(fitted(learner, source).tree_.arrays, expected.tree_.arrays)


def columns(classes, *numbers):
    schema = Schema(tuple(Attribute(f"x{k}", Kind.CONTINUOUS) for k in range(len(numbers))), ("a", "b"))
    return Dataset(schema, [np.asarray(x, dtype=np.float64) for x in numbers], np.asarray(classes, dtype=np.int32))


def test_numbers_that_decide_nothing_are_not_looked_at():
    rng = np.random.default_rng(1)
    n = 3_000
    signal, other = rng.normal(size=n), rng.normal(size=n)
    data = columns(np.where(rng.random(n) < 0.05, rng.random(n) < 0.5, signal > 0.3), signal, other)
    settings = GainSettings(float(n))
    grower = LevelGrower(MemorySource(data, 200), settings, gather=n - 1)
    assert_same(grower.grow(), settings.grow(data))
    # of the root: the two bins beside the cut, of fifteen cases each, and perhaps a few more
    assert 0 < grower.info.opened <= 100


def test_a_bin_edge_between_values_that_are_too_near_is_no_cut():
    # The edge of the bins separates the classes, but the values beside it are nearer than any threshold may be.
    values = [1.0, 2.0, 3.0, 3.000001, 4.0, 5.0]
    data = columns([0, 0, 0, 1, 1, 1], values)
    settings = GainSettings(6.0, min_cases=1.0)
    source = MemorySource(data, [[3.0]])
    tree = LevelGrower(source, settings, gather=1).grow()
    assert_same(tree, settings.grow(data))
    assert tree.threshold[0] != pytest.approx(3.0, abs=1e-3)


def test_nodes_of_the_top_are_replaced_by_their_largest_branch(monkeypatch):
    counted = []
    decide = error_pruning._TopPruner._decide

    def noted(self, level):
        raised = decide(self, level)
        counted.extend(raised)
        return raised

    monkeypatch.setattr(error_pruning._TopPruner, "_decide", noted)
    monkeypatch.setattr(growing, "gathered", lambda source: 20)
    parameters = {"criterion": "gain", "min_cases": 1, "mdl_correction": False, "collapse": False}
    learner = ctree.C45Classifier(arithmetic="double", **parameters)
    for seed in range(10):
        rng = np.random.default_rng(seed)
        hidden, noise = rng.random((2, 120))
        others = np.round(rng.random(120) * 8), np.round(rng.random(120) * 4)
        data = columns((hidden > 0.5) ^ (noise < 0.3), *others, hidden)
        expected, model = fitted(learner, data), fitted(learner, MemorySource(data, 16))
        assert_same(model.tree_.arrays, expected.tree_.arrays)
    assert len(counted) > 5


def test_thresholds_are_values_of_the_whole_set():
    rng = np.random.default_rng(2)
    data = columns(rng.integers(0, 2, 300), rng.normal(size=300), rng.normal(size=300))
    for bins in (3, 40, 65_535):
        source = coded_from_dataset(data, 4, bins=bins)
        limits = {a: np.sort(rng.normal(size=50)) for a in (0, 1)}
        limits[0][[0, -1]] = -100, 100
        found = source.last_up_to(limits)
        for a, numbers in limits.items():
            values = np.asarray(data.columns[a])
            expected = [values[values <= limit].max(initial=-np.inf) for limit in numbers]
            np.testing.assert_array_equal(found[a], expected)


def test_double_arithmetic_sees_what_32_bits_do_not():
    values = 2.0**24 + np.arange(8)
    data = columns(np.arange(8) >= 5, values)
    double = ctree.C45Classifier(arithmetic="double").fit(data)
    assert double.tree_.threshold[0] == values[4]
    assert not double.tree_.float32
    assert ctree.C45Classifier().fit(data).tree_.float32
    # 2^24 + 5 has no place of its own in 32 bits
    assert ctree.C45Classifier().fit(data).tree_.errors[0] > 0


def test_a_source_that_does_not_fit_is_learned_from_in_64_bits(monkeypatch):
    data = ctree.load_iris()
    monkeypatch.setattr(growing, "gathered", lambda source: 100)
    model = ctree.C45Classifier().fit(MemorySource(data))
    assert not model.tree_.float32
    assert_same(model.tree_.arrays, ctree.C45Classifier(arithmetic="double").fit(data).tree_.arrays)
    assert model.fit_info_["levels"] > 0
    assert model.fit_info_["prune_passes"] > 0


def test_what_a_source_cannot_do_is_said(monkeypatch):
    monkeypatch.setattr(growing, "gathered", lambda source: 10)
    source = MemorySource(ctree.load_iris())
    for parameters, what in (
        ({"prune": "reduced-error"}, "prune='reduced-error'"),
        ({"soft_thresholds": True}, "soft_thresholds=True"),
    ):
        with pytest.raises(ParameterError, match=f"{what} needs all cases in memory, and those of the source"):
            ctree.C45Classifier(**parameters).fit(source)
    unknown = MemorySource(with_unknown(np.random.default_rng(0), ctree.load_iris(), rate=0.5))
    assert not unknown.complete
    with pytest.raises(ParameterError, match="group_values=True with unknown values needs all cases in memory"):
        ctree.C45Classifier(group_values=True).fit(unknown)
    # found before any work is done
    assert not any(unknown.asked.values())
    with pytest.raises(DataError, match="a source has its own classes: leave out y"):
        ctree.C45Classifier().fit(source, [0])


def test_cases_that_change_between_passes_are_noticed():
    class Changing(MemorySource):
        def open(self, *args):
            return [replace(opened, counts=opened.counts + 1) for opened in super().open(*args)]

    data = columns(np.arange(50) % 2, np.arange(50.0))
    with pytest.raises(DataError, match="the cases are not the same in two passes over them"):
        LevelGrower(Changing(data, 2), GainSettings(50.0), gather=1).grow()


def test_ctrl_c_ends_pruning(monkeypatch):
    class Interrupted(MemorySource):
        def finish(self, routing, nodes, grow):
            if isinstance(grow, error_pruning.PruneSubtrees):
                raise KeyboardInterrupt
            return super().finish(routing, nodes, grow)

    monkeypatch.setattr(growing, "gathered", lambda source: 20)
    rng = np.random.default_rng(0)
    data = columns(rng.integers(0, 2, 200), rng.random(200), rng.random(200))
    with pytest.raises(KeyboardInterrupt):
        ctree.C45Classifier(arithmetic="double", collapse=False, mdl_correction=False).fit(Interrupted(data, 16))
