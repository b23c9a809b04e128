"""What tests gain by counts: against the definition, and bounds against all cuts that they speak of."""

import math

import numpy as np
import pytest

from ctree.learners.levels.number_gains import NumberGains
from ctree.learners.levels.pieces import Pieces
from ctree.scale.source import Bins
from ctree_ext.base.node_arrays import NodeArrays
from ctree_ext.prune.counted import expected_errors, prune_by_counts
from ctree_ext.prune.error_estimate import pessimistic_errors
from ctree_ext.scale.gain_bracket import GainBracket


def entropy(counts):
    total = sum(counts)
    return -sum(n / total * math.log2(n / total) for n in counts if n > 0)


def gain(low, high, unknown=0.0):
    """The information gained by a cut, times the share of cases whose value is known."""
    both, known = low + high, float(low.sum() + high.sum())
    after = low.sum() / known * entropy(low) + high.sum() / known * entropy(high)
    return (entropy(both) - after) * known / (known + unknown)


@pytest.mark.parametrize("seed", range(20))
def test_gains_and_bounds(seed):
    rng = np.random.default_rng(seed)
    n_classes, n = int(rng.choice([2, 3, 7])), int(rng.choice([6, 40, 200]))
    unknown = float(rng.choice([0, 3]))
    classes = rng.integers(0, n_classes, n)
    bracket = GainBracket(n_classes, tabled=int(rng.choice([0, 10, 1_000])), min_cases=1.0)
    ends = np.unique(np.append(rng.integers(1, n, 4), n))
    starts = np.append(0, ends[:-1])
    one_hot = np.eye(n_classes)[classes]
    counts = np.array([one_hot[s:e].sum(axis=0) for s, e in zip(starts, ends, strict=True)])
    cuts = np.ones(len(ends) - 1, dtype=np.uint8)
    gains = bracket.gains(counts, cuts, n + unknown)
    expected = [gain(one_hot[:e].sum(axis=0), one_hot[e:].sum(axis=0), unknown) for e in ends[:-1]]
    np.testing.assert_allclose(gains, expected, atol=1e-12)
    bounds = bracket.bounds(counts, np.ones(len(ends), dtype=np.uint8), n + unknown)
    for start, end, bound in zip(starts, ends, bounds, strict=True):
        for cut in range(max(start, 1), min(end, n - 1) + 1):
            assert gain(one_hot[:cut].sum(axis=0), one_hot[cut:].sum(axis=0), unknown) <= bound + 1e-12


def random_pieces(rng, values, classes, n_classes):
    """Numbers in bins of several values, some of them opened already by being alone."""
    distinct = np.unique(values)
    cuts = np.sort(rng.choice(distinct, size=min(len(distinct) - 1, int(rng.integers(1, 6))), replace=False))
    codes = np.searchsorted(cuts, values, side="left")
    least, most = np.full(len(cuts) + 1, np.inf), np.full(len(cuts) + 1, -np.inf)
    np.minimum.at(least, codes, values)
    np.maximum.at(most, codes, values)
    counts = np.zeros((len(cuts) + 1, n_classes), dtype=np.int64)
    np.add.at(counts, (codes, classes), 1)
    return Pieces(Bins(cuts, least, most), 0, counts, 2, near=1e-5)


@pytest.mark.parametrize("seed", range(40))
def test_what_is_said_of_the_best_threshold_is_true(seed):
    rng = np.random.default_rng(seed)
    n, n_classes = int(rng.choice([10, 60])), 2
    values = np.round(rng.normal(size=n), int(rng.choice([1, 3]))) * rng.choice([1.0, 4e-6, 1e-5, 1e-4])
    classes = (values + rng.normal(size=n) * np.abs(values).max() * 0.3 > 0).astype(int)
    if len(np.unique(values)) < 3:
        return
    gains = NumberGains(
        GainBracket(n_classes, min_cases=2.0), random_pieces(rng, values, classes, n_classes), 1.0, float(n)
    )
    order = np.argsort(values, kind="stable")
    x, one_hot = values[order], np.eye(n_classes)[classes[order]]
    cuts = [i for i in range(2, n - 1) if x[i - 1] + 1e-5 < x[i]]
    best = max((gain(one_hot[:i].sum(axis=0), one_hot[i:].sum(axis=0)) for i in cuts), default=-1.0)
    found = best - (math.log2(len(cuts)) / n if cuts else 0.0)
    if found > 1e-9:
        assert gains.possible
        assert gains.least <= found + 1e-9
        assert found <= gains.most + 1e-9
    elif found < -1e-9:
        assert not gains.certain


def test_errors_by_counts():
    # the root has three branches, of which one has no cases
    tree = NodeArrays(
        test=[2, 0, 0, 0], attribute=[0, -1, -1, -1], threshold=np.zeros(4), first_branch=[1, -1, -1, -1],
        n_branches=[3, 0, 0, 0], group_start=[-1] * 4, group=[], best=[0, 0, 1, 0], cases=[20, 12, 8, 0],
        errors=[8, 1, 1, 0], counts=[[12, 8], [11, 1], [1, 7], [0, 0]], n_tests=np.zeros(4),
    )  # fmt: skip
    leaves, trees = expected_errors(tree, np.array(tree.counts), 0.25)
    assert leaves[0] == pytest.approx(pessimistic_errors(20, 8, 0.25))
    assert trees[0] == pytest.approx(pessimistic_errors(12, 1, 0.25) + pessimistic_errors(8, 1, 0.25))
    # other cases in the same branches may make another class the best
    leaves, _ = expected_errors(tree, np.array([[12.0, 14], [11, 12], [1, 2], [0, 0]]), 0.25)
    assert leaves[1] == pytest.approx(pessimistic_errors(23, 11, 0.25))
    kept = prune_by_counts(tree, 2, 0.25)
    assert len(kept) == 4
    assert kept.errors[0] == pytest.approx(trees[0])
    worse = tree.replace(counts=[[12, 8], [8, 4], [4, 4], [0, 0]], best=[0, 0, 0, 0])
    assert len(prune_by_counts(worse, 2, 0.25)) == 1
