"""Trees grown level by level from a source: the same arrays, to the bit, as those grown in memory."""

from dataclasses import replace

import numpy as np
import pytest

import ctree
from ctree.data.dataset import Dataset
from ctree.data.schema import Attribute, Kind, Schema
from ctree.errors import DataError
from ctree.learners.base.score_settings import ScoreSettings
from ctree.learners.levels import level_grower
from ctree.learners.levels.level_grower import LevelGrower
from tests.naive.memory_source import MemorySource
from tests.scale.random_sets import RULES, random_parts, random_set, random_settings, with_unknown, with_weights

BINS = (1, 2, 16, 256, 65_535)


def assert_same(got, expected):
    for name, array in expected.by_name().items():
        np.testing.assert_array_equal(getattr(got, name), array, err_msg=name)
        assert getattr(got, name).dtype == array.dtype


@pytest.mark.parametrize("seed", range(16))
@pytest.mark.parametrize("rule", RULES)
def test_the_same_tree_as_in_memory(rule, seed, monkeypatch):
    rng = np.random.default_rng([seed, *rule.encode()])
    data = random_set(rng)
    n = data.n_cases
    settings = random_settings(rng, data, rule)
    source = MemorySource(data, int(rng.choice(BINS)), random_parts(rng, n))
    monkeypatch.setattr(level_grower, "TABLED", int(rng.choice([0, 3, 1 << 20])))
    gather, budget = int(rng.choice([1, 7, max(1, n // 3), n])), int(rng.choice([1, 2_000, 1 << 26]))
    workers = int(rng.choice([1, 2, 5]))
    grower = LevelGrower(source, settings, gather=gather, budget=budget, n_workers=workers)
    assert_same(grower.grow(), settings.grow(data))


@pytest.mark.parametrize("seed", range(9))
@pytest.mark.parametrize("rule", RULES)
def test_unknown_values_and_weights(rule, seed):
    rng = np.random.default_rng([seed, 9, *rule.encode()])
    data = random_set(rng, n=int(rng.choice([5, 30, 100])))
    data = with_unknown(rng, data) if seed % 3 != 1 else data
    data = with_weights(rng, data) if seed % 3 != 0 else data
    settings = random_settings(rng, data, rule)
    expected = settings.grow(data)
    gather = int(rng.choice([1, 7, data.n_cases // 3 + 1]))
    trees = []
    for bins in (1, 16, 65_535):
        source = MemorySource(data, bins, random_parts(rng, data.n_cases))
        trees.append(LevelGrower(source, settings, gather=gather, budget=int(rng.choice([1, 1 << 26]))).grow())
    for name, array in expected.by_name().items():
        # sums of fractions are made in another order
        if name in ("cases", "errors", "counts"):
            np.testing.assert_allclose(getattr(trees[0], name), array, rtol=1e-9, atol=1e-9, err_msg=name)
        elif name != "best":
            np.testing.assert_array_equal(getattr(trees[0], name), array, err_msg=name)
    for tree in trees[1:]:
        assert_same(tree, trees[0])


@pytest.mark.parametrize("rule", RULES)
def test_the_tree_does_not_depend_on_gathering_bins_or_parts(rule):
    rng = np.random.default_rng(11)
    data = random_set(np.random.default_rng(3), n=250)
    settings = random_settings(rng, data, rule)
    expected = settings.grow(data)
    for bins in BINS:
        source = MemorySource(data, bins, random_parts(rng, 250))
        for gather in (1, 7, 83, 250):
            assert_same(LevelGrower(source, settings, gather=gather).grow(), expected)


def test_workers_share_the_cases_evenly_whatever_the_first_tests_are():
    """A discrete attribute gives five nodes of as many cases to two workers, and then a large one and small ones."""
    rng = np.random.default_rng(5)
    for shares in ([0.2] * 5, [0.9, 0.05, 0.05], [0.4, 0.3, 0.3]):
        first = rng.choice(len(shares), size=2000, p=shares)
        X = np.column_stack([first, rng.random((2000, 3))])
        y = (rng.random(2000) < 0.1 + 0.8 * (first % 2)) ^ (X[:, 1] > 0.5)
        data = ctree.from_arrays(X, y, categorical_features=[0])
        settings = ScoreSettings("n_gain", "never", 2000, 2000.0, 2, min_cases=2.0)
        finished = []

        class Watched(MemorySource):
            def finish(self, routing, nodes, grow, finished=finished):
                finished.append(sorted(nodes.values(), reverse=True))
                return super().finish(routing, nodes, grow)

        grower = LevelGrower(Watched(data, 16, 3), settings, gather=1900, n_workers=2)
        assert_same(grower.grow(), settings.grow(data))
        done = [0, 0]
        for n in finished[0]:
            done[done.index(min(done))] += n
        assert max(done) <= 1.1 * sum(done) / 2


def test_what_cases_of_unknown_value_add_up_to_does_not_depend_on_the_number_of_workers():
    rng = np.random.default_rng(8)
    data = with_unknown(rng, random_set(rng, n=100))
    settings = random_settings(rng, data, next(iter(RULES)))
    trees = [LevelGrower(MemorySource(data, 16), settings, gather=40, n_workers=n).grow() for n in (1, 2, 7)]
    assert_same(trees[1], trees[0])
    assert_same(trees[2], trees[0])


def one_column(values, classes):
    schema = Schema((Attribute("x", Kind.CONTINUOUS),), ("a", "b"))
    return Dataset(schema, [np.array(values, dtype=np.float64)], np.array(classes, dtype=np.int32))


def test_the_only_case_of_a_node_in_a_bin_is_not_the_only_value_of_the_bin():
    # The bin (4, 8] has two values, of which the node on the left of the first test has one.
    data = one_column([1, 2, 3, 5, 8, 9, 10, 11, 12, 13], [0, 0, 0, 1, 0, 0, 0, 0, 0, 0])
    settings = ScoreSettings("n_gain", "never", 10, 10.0, 2, min_cases=1.0)
    source = MemorySource(data, [[4.0, 8.0]])
    assert_same(LevelGrower(source, settings, gather=1).grow(), settings.grow(data))


@pytest.mark.parametrize("seed", [16, 23, 51])
def test_a_subtree_knows_how_many_classes_are_above_it(seed):
    # With nonuniform priors the node above decides whether a test is likelier than a leaf; with these seeds it does.
    rng = np.random.default_rng([seed, 5])
    place = rng.random(40)
    classes = np.where(place < 0.5, rng.integers(0, 2, 40), rng.integers(1, 3, 40)).astype(np.int32)
    schema = Schema((Attribute("x", Kind.CONTINUOUS), Attribute("y", Kind.CONTINUOUS)), tuple("abcdefghijkl"))
    data = Dataset(schema, [place + rng.normal(size=40) * 0.05, rng.normal(size=40)], classes)
    settings = ScoreSettings("bayes", "bayes", 40, 40.0, 12, nonuniform=True, min_cases=1.0, prior_weight=1.0)
    assert_same(LevelGrower(MemorySource(data), settings, gather=39).grow(), settings.grow(data))


def test_bins_that_hold_nothing_of_interest_stay_closed():
    values = np.arange(400.0)
    data = one_column(values, (values >= 200).astype(int))
    settings = ScoreSettings("n_gain", "bic", 400, 400.0, 2)
    grower = LevelGrower(MemorySource(data, 40), settings, gather=1)
    assert_same(grower.grow(), settings.grow(data))
    # only the two bins beside the cut are looked at, of ten cases each or so
    assert 0 < grower.info.opened <= 30
    assert grower.info.open_passes == 1


def test_tests_are_counted_without_looking_at_all_numbers():
    rng = np.random.default_rng(3)
    settings = ScoreSettings("n_gain", "mdl", 400, 400.0, 2)
    for rounded in (False, True):
        values = rng.permutation(400) / 7.0
        values = np.round(values) if rounded else values
        data = one_column(values, (values + rng.normal(size=400) * 9 > 30).astype(int))
        grower = LevelGrower(MemorySource(data, 20), settings, gather=1)
        assert_same(grower.grow(), settings.grow(data))
        assert grower.info.levels > 1
        # where no number comes twice, it is enough to know that once
        assert grower.info.distinct_passes == 1 or rounded
        assert 2 * grower.info.opened < 400 * grower.info.levels


def test_where_bins_are_joined_the_tree_is_the_same():
    rng = np.random.default_rng(0)
    values = rng.normal(size=300)
    data = one_column(values, (values + rng.normal(size=300) > 0).astype(int))
    settings = ScoreSettings("n_gain", "bic", 300, 300.0, 2)
    source = MemorySource(data)
    wide, narrow = LevelGrower(source, settings, gather=1), LevelGrower(source, settings, gather=1, budget=1)
    assert_same(wide.grow(), settings.grow(data))
    assert_same(narrow.grow(), settings.grow(data))
    assert wide.info.opened == 0 < narrow.info.opened


def test_what_was_done_is_told():
    data = random_set(np.random.default_rng(5), n=200)
    settings = ScoreSettings("n_gain", "never", 200, 200.0, data.schema.n_classes)
    source = MemorySource(data, 16)
    told = []
    grower = LevelGrower(source, settings, gather=20, progress=told.append)
    grower.grow()
    info = grower.info
    assert source.asked == {kind: getattr(info, f"{kind}_passes") for kind in ("count", "open", "distinct", "finish")}
    assert info.subtrees == len(grower.small) > 0
    assert info.top_nodes == len(grower.top) > 1
    assert [told[0].figures["level"], told[0].figures["passes"]] == [0, 0]
    assert told[-1].phase == "finishing"
    # one report before each pass
    assert [report.figures["passes"] for report in told] == list(range(sum(source.asked.values())))
    assert info.levels == max(report.figures["level"] for report in told)


def test_cases_that_change_between_passes_are_noticed():
    class Changing(MemorySource):
        def open(self, *args):
            return [replace(opened, counts=opened.counts + 1) for opened in super().open(*args)]

    data = one_column(np.arange(50.0), np.arange(50) % 2)
    with pytest.raises(DataError, match="the cases are not the same in two passes over them"):
        LevelGrower(Changing(data, 2), ScoreSettings("n_gain", "never", 50, 50.0, 2), gather=1).grow()


def test_ctrl_c_ends_growing():
    class Interrupted(MemorySource):
        def open(self, *args):
            raise KeyboardInterrupt

    data = one_column(np.arange(50.0), np.arange(50) % 2)
    with pytest.raises(KeyboardInterrupt):
        LevelGrower(Interrupted(data, 2), ScoreSettings("n_gain", "never", 50, 50.0, 2), gather=1).grow()
