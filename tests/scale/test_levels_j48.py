"""J48 from a source: the same arrays, to the bit, as in memory."""

import numpy as np
import pytest

import ctree
from ctree.data.dataset import Dataset
from ctree.data.schema import Attribute, Kind, Schema
from ctree.errors import ParameterError
from ctree.learners.base.gain_settings import GainSettings
from ctree.learners.levels import error_pruning, error_rules, growing, level_grower
from ctree.learners.levels.level_grower import LevelGrower
from ctree.scale.coded_dataset import coded_from_dataset
from ctree_ext.base.node_arrays import NodeArrays
from ctree_ext.prune.j48_estimate import pessimistic_errors as j48_pessimistic_errors
from tests.naive.memory_source import MemorySource
from tests.scale.random_sets import random_parts, random_set, with_unknown
from tests.scale.test_levels_c45 import assert_same, columns, fitted, near_values

BINS = (1, 2, 16, 256, 65_535)


def random_cases(rng, n=None):
    """Complete cases without -0.0, which a source takes for 0.0."""
    data = random_set(rng, n)
    data = near_values(rng, data) if rng.random() < 0.3 else data
    return Dataset(data.schema, [None if c is None else c + c.dtype.type(0) for c in data.columns], data.classes)


def random_gain_settings(rng, data):
    return GainSettings(
        float(data.n_cases),
        min_cases=float(rng.choice([0.5, 1, 2, 2.5, 5, 26, 30])),
        binary_splits=bool(rng.random() < 0.3),
        mdl_correction=bool(rng.random() < 0.7),
        j48=True,
    )


def random_learner(rng):
    return ctree.C45Classifier(
        variant="j48",
        min_cases=float(rng.choice([1, 2, 2.5, 5])),
        binary_splits=bool(rng.random() < 0.3),
        mdl_correction=bool(rng.random() < 0.7),
        actual_thresholds=bool(rng.random() < 0.8),
        collapse=bool(rng.random() < 0.7),
        prune=bool(rng.random() < 0.9),
        subtree_raising=bool(rng.random() < 0.8),
        confidence=float(rng.choice([1e-9, 0.01, 0.25, 0.5, 0.9])),
        estimate=str(rng.choice(["frequency", "laplace"])),
    )


@pytest.mark.parametrize("seed", range(130))
def test_the_same_tree_as_in_memory(seed, monkeypatch):
    rng = np.random.default_rng([seed, 48])
    data = random_cases(rng)
    n = data.n_cases
    settings = random_gain_settings(rng, data)
    source = MemorySource(data, int(rng.choice(BINS)), random_parts(rng, n))
    monkeypatch.setattr(level_grower, "TABLED", int(rng.choice([0, 3, 1 << 20])))
    gather, budget = int(rng.choice([1, 7, max(1, n // 3), n])), int(rng.choice([1, 2_000, 1 << 26]))
    assert_same(LevelGrower(source, settings, gather=gather, budget=budget).grow(), settings.grow(data))


def random_source(rng, data):
    """The cases in parts, by one of two sources, neither of which is collected."""
    parts, bins = random_parts(rng, data.n_cases), int(rng.choice(BINS))
    return not_collected(data, parts, bins) if rng.random() < 0.5 else MemorySource(data, bins, parts)


def not_collected(data, parts, bins):
    source = coded_from_dataset(data, parts, bins=bins)
    source.collects = False
    return source


@pytest.mark.parametrize("seed", range(130))
def test_the_same_model_as_in_memory(seed, monkeypatch):
    rng = np.random.default_rng([seed, 49])
    data = random_cases(rng)
    learner = random_learner(rng)
    gather = int(rng.choice([1, 7, max(1, data.n_cases // 3), data.n_cases]))
    monkeypatch.setattr(growing, "gathered", lambda source: gather)
    in_memory, from_source = fitted(learner, data), fitted(learner, random_source(rng, data))
    assert_same(from_source.unpruned_tree_.arrays, in_memory.unpruned_tree_.arrays)
    assert_same(from_source.tree_.arrays, in_memory.tree_.arrays)
    assert repr(from_source._to_fields()) == repr(in_memory._to_fields())


def flat_cases(rng, n):
    """Cases of which many cuts, and several attributes, gain the same but for a millionth or so."""
    n_values = int(rng.choice([40, 200, 400]))
    size = n // n_values
    x = np.linspace(-1, 1, n_values)
    share = 0.5 + rng.choice([0.005, 0.02, 0.2]) * x + rng.choice([0, 0.02]) * np.sin(5 * x)
    ones = np.rint(share * size).astype(int)
    classes = (np.arange(size) >= size - ones[:, None]).ravel()
    numbers = []
    for _ in range(int(rng.integers(1, 5))):
        column = np.repeat(np.arange(float(n_values)), size)
        moved = rng.integers(0, len(column), int(rng.choice([0, 3, 20, 60])))
        column[moved] = np.clip(column[moved] + rng.integers(-n_values // 2, n_values // 2, len(moved)), 0, n_values)
        numbers.append(column)
    return columns(classes, *numbers)


@pytest.mark.parametrize("seed", range(40))
def test_tests_that_gain_nearly_the_same(seed):
    rng = np.random.default_rng([seed, 50])
    data = flat_cases(rng, int(rng.choice([4_000, 40_000])))
    n = data.n_cases
    settings = GainSettings(float(n), mdl_correction=bool(rng.random() < 0.5), j48=True)
    source = coded_from_dataset(data, random_parts(rng, n), bins=int(rng.choice([2, 16, 64, 65_535])))
    grower = LevelGrower(source, settings, gather=int(rng.choice([n // 8, n // 3, n - 1])))
    assert_same(grower.grow(), settings.grow(data))


@pytest.mark.parametrize("seed", range(36))
def test_unknown_values_do_not_depend_on_parts_or_bins(seed, monkeypatch):
    rng = np.random.default_rng([seed, 51])
    rate = float(rng.choice([0.02, 0.1, 0.3]))
    data = with_unknown(rng, random_cases(rng, n=int(rng.choice([20, 60, 150]))), rate)
    gather = int(rng.choice([1, 7, 50]))
    monkeypatch.setattr(growing, "gathered", lambda source: gather)
    learner = random_learner(rng)
    make = MemorySource if rng.random() < 0.5 else lambda data, bins, parts: not_collected(data, parts, bins)
    one, other = (fitted(learner, make(data, bins, random_parts(rng, data.n_cases))) for bins in (2, 300))
    assert repr(one._to_fields()) == repr(other._to_fields())
    # of these sets, none has two tests that are equal but for the last bits of sums
    in_memory = fitted(learner, data)
    for name in ("tree_", "unpruned_tree_"):
        assert_nearly_same(getattr(one, name).arrays, getattr(in_memory, name).arrays)


@pytest.mark.parametrize("seed", range(45))
def test_weights(seed, monkeypatch):
    """J48 goes by the number of known cases, not by their weight, where it asks whether an attribute has a cut."""
    rng = np.random.default_rng([seed, 77])
    data = random_cases(rng, n=int(rng.choice([20, 60, 150, 400])))
    rate = float(rng.choice([0, 0, 0.05, 0.3, 0.6]))
    data = with_unknown(rng, data, rate) if rate else data
    exact = seed % 3 < 2
    weights = ([0.25, 0.5, 1, 3, 20], [1, 2, 3, 4, 30], [0.1, 0.3, 1.7, 9, 11.3])[seed % 3]
    data = data.with_weights(rng.choice(np.array(weights, dtype=float), data.n_cases))
    learner, gather = random_learner(rng), int(rng.choice([1, 7, 50]))
    monkeypatch.setattr(growing, "gathered", lambda source: gather)
    one, other = (fitted(learner, random_source(rng, data)) for _ in range(2))
    assert repr(one._to_fields()) == repr(other._to_fields())
    in_memory = fitted(learner, data)
    same = assert_same if exact and not rate else assert_nearly_same
    for name in ("tree_", "unpruned_tree_"):
        same(getattr(one, name).arrays, getattr(in_memory, name).arrays)


def test_few_cases_of_great_weight_have_no_cut():
    # 10 known numbers that weigh 1,000: a cut needs 25 on either side, and so 50 cases
    data = columns([0] * 5 + [1] * 5, np.arange(10.0)).with_weights(np.full(10, 100.0))
    more = columns([0] * 25 + [1] * 25, np.arange(50.0)).with_weights(np.full(50, 100.0))
    for cases, n_nodes in ((data, 1), (more, 3)):
        settings = GainSettings(float(cases.n_cases), j48=True)
        arrays = LevelGrower(MemorySource(cases, 4), settings, gather=1).grow()
        assert len(arrays.test) == n_nodes
        assert_same(arrays, settings.grow(cases))


def assert_nearly_same(got, expected):
    """The same tree, but for the last bits of sums of fractions."""
    for array in ("test", "attribute", "threshold", "first_branch", "group", "best"):
        np.testing.assert_array_equal(getattr(got, array), getattr(expected, array))
    for array in ("counts", "cases", "errors"):
        np.testing.assert_allclose(getattr(got, array), getattr(expected, array), rtol=1e-9, atol=1e-9)


def test_the_tree_does_not_depend_on_gathering_bins_or_parts(monkeypatch):
    rng = np.random.default_rng(11)
    data = random_cases(np.random.default_rng(3), n=250)
    learner = ctree.C45Classifier(variant="j48")
    expected = fitted(learner, data)
    for bins in BINS:
        source = MemorySource(data, bins, random_parts(rng, 250))
        for gather in (1, 7, 83, 250):
            monkeypatch.setattr(growing, "gathered", lambda source, gather=gather: gather)
            assert_same(fitted(learner, source).tree_.arrays, expected.tree_.arrays)


@pytest.mark.parametrize("rate", [0.0, 0.05])
def test_nodes_of_the_top_are_replaced_by_their_largest_branch(monkeypatch, rate):
    counted = []
    decide = error_pruning._TopPruner._decide

    def noted(self, level):
        raised = decide(self, level)
        counted.extend(raised)
        return raised

    monkeypatch.setattr(error_pruning._TopPruner, "_decide", noted)
    monkeypatch.setattr(growing, "gathered", lambda source: 20)
    learner = ctree.C45Classifier(variant="j48", min_cases=1, mdl_correction=False, collapse=False)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        hidden, noise = rng.random((2, 150))
        others = np.round(rng.random(150) * 8), np.round(rng.random(150) * 4)
        data = columns((hidden > 0.5) ^ (noise < 0.3), *others, hidden)
        data = with_unknown(rng, data, rate) if rate else data
        expected, model = fitted(learner, data), fitted(learner, MemorySource(data, 16))
        if rate:
            assert_nearly_same(model.tree_.arrays, expected.tree_.arrays)
        else:
            assert_same(model.tree_.arrays, expected.tree_.arrays)
    assert len(counted) > 5


def test_a_leaf_without_cases_says_what_the_raised_node_above_it_does(monkeypatch):
    # Value e occurs nowhere. Its leaf has the class of the node above, which may be another after that node was raised.
    changed = []
    recounted = error_rules.J48Rules.recounted

    def noted(self, tree, counts):
        result = recounted(self, tree, counts)
        changed.append((result.best != tree.best)[counts.sum(axis=1) == 0].any())
        return result

    monkeypatch.setattr(error_rules.J48Rules, "recounted", noted)
    monkeypatch.setattr(growing, "gathered", lambda source: 8)
    numbers = [Attribute(f"x{k}", Kind.CONTINUOUS) for k in range(3)]
    schema = Schema((*numbers, Attribute("d", Kind.DISCRETE, tuple("abcde"))), ("a", "b"))
    learner = ctree.C45Classifier(variant="j48", min_cases=1, mdl_correction=False, collapse=False)
    for seed in range(20):
        rng = np.random.default_rng([seed, 52])
        d = rng.integers(0, 4, 60).astype(np.int32)
        classes = np.where(rng.random(60) < 0.6, rng.integers(0, 2, 60), d % 2).astype(np.int32)
        data = Dataset(schema, [*rng.random((3, 60)), d], classes)
        expected, model = fitted(learner, data), fitted(learner, MemorySource(data, 16))
        assert_same(model.tree_.arrays, expected.tree_.arrays)
    assert sum(changed) > 0


def test_expected_errors_are_those_of_the_specification():
    # at a confidence of a quarter: 6.7611 of 14 cases with 5 errors, 2.4757 of 16 with 1, 1.2378 of 6 with none
    tree = NodeArrays(
        test=[2, 0, 0, 0], attribute=[0, -1, -1, -1], threshold=np.zeros(4), first_branch=[1, -1, -1, -1],
        n_branches=[3, 0, 0, 0], group_start=[-1] * 4, group=[], best=[0, 0, 1, 0], cases=[20, 14, 6, 0],
        errors=[8, 5, 0, 0], counts=[[9, 11], [9, 5], [0, 6], [0, 0]], n_tests=np.zeros(4),
    )  # fmt: skip
    rules = error_rules.J48Rules(2, 0.25)
    assert rules.expected(tree) == pytest.approx(6.7611 + 1.2378, abs=1e-4)
    counts = np.array([[17.0, 5], [15, 1], [2, 4], [0, 0]])
    with_six = j48_pessimistic_errors(6, 2, 0.25)
    assert rules.expected_with(tree, counts) == pytest.approx(2.4757 + with_six, abs=1e-4)
    moved = rules.recounted(tree, counts)
    assert moved.best.tolist() == [0, 0, 1, 0]
    assert moved.errors.tolist() == [5, 1, 2, 0]
    assert moved.cases.tolist() == [22, 16, 6, 0]
    # the empty leaf has the class of the root, which is another with these counts
    other = rules.recounted(tree, counts[:, ::-1].copy())
    assert other.best.tolist() == [1, 1, 0, 1]
    # nine errors and a little as a leaf, and no more than eight with its branches
    assert len(rules.pruned_by_counts(tree)) == 4
    # as a leaf no more than a tenth worse
    assert len(rules.pruned_by_counts(tree.replace(counts=[[9, 11], [6, 8], [3, 3], [0, 0]]))) == 1
    assert rules.at_most(1.0 + 5e-7, 1.0)
    assert not rules.at_most(1.0 + 2e-6, 1.0)


def test_a_zero_gain_is_no_test():
    # exclusive or: release 8 divides by either attribute, J48 by none
    x, y = np.tile([0, 0, 1, 1], 25).astype(np.int32), np.tile([0, 1, 0, 1], 25).astype(np.int32)
    schema = Schema(tuple(Attribute(name, Kind.DISCRETE, ("n", "y")) for name in "xy"), ("a", "b"))
    data = Dataset(schema, [x, y], (x != y).astype(np.int32))
    for j48, n_nodes in ((True, 1), (False, 7)):
        settings = GainSettings(100.0, j48=j48)
        tree = LevelGrower(MemorySource(data, 16), settings, gather=1).grow()
        assert_same(tree, settings.grow(data))
        assert len(tree) == n_nodes


def test_a_side_of_25_cases_is_enough_whatever_a_branch_needs():
    # with 600 cases of two classes a cut needs 25 cases on either side, though a branch has 26 or more in release 8
    data = columns(np.arange(600) < 25, np.arange(600.0))
    source = MemorySource(data, 16)
    for j48, threshold in ((True, 24.5), (False, 25.5)):
        settings = GainSettings(600.0, min_cases=26.0, j48=j48)
        tree = LevelGrower(source, settings, gather=599).grow()
        assert_same(tree, settings.grow(data))
        assert tree.threshold[0] == threshold


def test_many_values_are_told_by_the_number_of_cases():
    rng = np.random.default_rng(1)
    data = random_cases(rng, n=60)
    for weight in (1.0, 5.0, 60.0, 1_000.0):
        settings = GainSettings(weight, j48=True)
        assert_same(LevelGrower(MemorySource(data, 16), settings, gather=1).grow(), settings.grow(data))


def test_a_fit_goes_on_from_a_checkpoint(tmp_path, monkeypatch):
    class Ends(MemorySource):
        def finish(self, routing, nodes, grow):
            raise KeyboardInterrupt

    monkeypatch.setattr(growing, "gathered", lambda source: 40)
    data, path = random_cases(np.random.default_rng(4), n=300), tmp_path / "top.json"
    learner = ctree.C45Classifier(variant="j48", mdl_correction=False)
    with pytest.raises(KeyboardInterrupt):
        learner.fit(Ends(data, 16), checkpoint=path)
    assert path.exists()
    with pytest.raises(ctree.errors.ModelError, match="other parameters"):
        ctree.C45Classifier(mdl_correction=False).fit(MemorySource(data, 16), checkpoint=path)
    learner.fit(MemorySource(data, 16), checkpoint=path)
    assert learner.fit_info_["resumed_levels"] > 0
    assert_same(learner.tree_.arrays, fitted(learner, data).tree_.arrays)


def test_what_a_source_cannot_do_is_said(monkeypatch):
    monkeypatch.setattr(growing, "gathered", lambda source: 10)
    iris = ctree.load_iris()
    for source, parameters, what in (
        (MemorySource(iris), {"prune": "reduced-error"}, "prune='reduced-error' needs all cases in memory"),
        (MemorySource(iris), {"soft_thresholds": True}, "soft_thresholds=True needs all cases in memory"),
    ):
        with pytest.raises(ParameterError, match=what):
            ctree.C45Classifier(variant="j48", **parameters).fit(source)
        assert not any(source.asked.values())
