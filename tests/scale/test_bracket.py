"""Scores and bounds from counts, against the score of each cut by itself."""

import numpy as np
import pytest

from ctree_ext.grow.split_scores import SplitScore, split_score
from ctree_ext.grow.stopping import StoppingRule
from ctree_ext.scale.bracket import ScoreBracket

MEASURES = ("n_gain", "chi_square", "bayes")


def bracket_of(rng, measure, n, n_classes, **settings):
    prior = float(rng.choice([1.0, 2.0, 120.0, 400.0]))
    more = {"prior_weight": prior, "nonuniform": bool(rng.random() < 0.5)}
    score = SplitScore(measure, n, n_classes, **more, **settings)
    whole = SplitScore(measure, n, n_classes, **more)
    return ScoreBracket(score, StoppingRule("never", n, n_classes), min_cases=1.0), whole


def random_counts(rng, n_classes):
    pieces = int(rng.integers(2, 12))
    counts = rng.integers(0, rng.choice([2, 4, 30]), (pieces, n_classes))
    counts[counts.sum(axis=1) == 0, 0] = 1
    return counts.astype(np.int64)


def score_of_cut(whole, low, counts, present_above):
    matrix = np.array([low, counts.sum(axis=0) - low], dtype=np.float64)
    return split_score(matrix, whole, present_above)


@pytest.mark.parametrize("measure", MEASURES)
def test_cuts_between_pieces_score_as_their_counts_do(measure):
    rng = np.random.default_rng(1)
    for _ in range(80):
        n_classes = int(rng.choice([2, 3, 8]))
        counts = random_counts(rng, n_classes)
        n = int(counts.sum())
        bracket, whole = bracket_of(rng, measure, n, n_classes, tabled=int(rng.choice([0, 5, n])))
        node = bracket.node(counts.sum(axis=0).astype(float), above := int(rng.integers(0, n_classes + 1)))
        scores = [score_of_cut(whole, low, counts, above) for low in np.cumsum(counts, axis=0)[:-1]]
        place, score = node.scan(counts, -np.inf)
        assert score == pytest.approx(max(scores), abs=1e-8)
        assert scores[place] == pytest.approx(max(scores), abs=1e-8)
        # the first of equals
        assert all(earlier < max(scores) - 1e-9 for earlier in scores[:place])
        assert node.scan(counts, max(scores) + 1e-6) == (-1, -np.inf)


@pytest.mark.parametrize("measure", MEASURES)
def test_no_cut_within_a_piece_scores_more_than_its_bound(measure):
    rng = np.random.default_rng(2)
    tight = 0
    for _ in range(50):
        n_classes = int(rng.choice([2, 3, 8]))
        counts = random_counts(rng, n_classes)
        n = int(counts.sum())
        bracket, whole = bracket_of(rng, measure, n, n_classes)
        node = bracket.node(counts.sum(axis=0).astype(float), 0)
        bounds = node.bounds(counts, np.ones(len(counts), dtype=np.uint8))
        lows = np.cumsum(counts, axis=0) - counts
        for piece, (low, bound) in enumerate(zip(lows, bounds, strict=True)):
            cases = rng.permutation(np.repeat(np.arange(n_classes), counts[piece]))
            for end in range(1, len(cases)):
                inside = low + np.bincount(cases[:end], minlength=n_classes)
                score = score_of_cut(whole, inside, counts, 0)
                assert score <= bound + 1e-9
                tight += score > bound - 0.5
            assert (bound == -np.inf) == (len(cases) < 2)
    assert tight > 25


def test_pieces_too_near_the_ends_have_no_cut():
    counts = np.array([[2, 2], [1, 2], [3, 3]])
    score = SplitScore("n_gain", 13, 2)
    node = ScoreBracket(score, StoppingRule("never", 13, 2), min_cases=6.0).node(counts.sum(axis=0).astype(float))
    assert node.least_weight == 6
    bounds = node.bounds(counts, np.ones(3, dtype=np.uint8))
    assert np.isfinite(bounds).tolist() == [False, True, False]
    assert node.scan(counts, -np.inf)[0] == 1


@pytest.mark.parametrize("measure", ["n_gain", "bayes"])
def test_what_tables_do_not_have_is_computed_to_the_bit(measure):
    rng = np.random.default_rng(4)
    for prior in (2.0, 150.0, 1e6):
        counts = rng.integers(0, 3_000, (6, 3)).astype(np.int64)
        n = int(counts.sum())
        nodes = [
            ScoreBracket(
                SplitScore(measure, n, 3, prior_weight=prior, tabled=tabled), StoppingRule("never", n, 3)
            ).node(counts.sum(axis=0).astype(float))
            for tabled in (n, 0, 100)
        ]
        assert len({node.scan(counts, -np.inf) for node in nodes}) == 1
        assert len({node.discrete(counts[:2].astype(float)) for node in nodes}) == 1


@pytest.mark.parametrize("measure", MEASURES)
def test_weights_score_as_their_sums_do_and_stay_below_the_bound(measure):
    rng = np.random.default_rng(6)
    tight = 0
    for _ in range(150):
        n_classes = int(rng.choice([2, 3, 9]))
        weights = [rng.choice([0.125, 1.0, 2.5, 1e-6], (int(rng.integers(1, 9)), n_classes)) for _ in range(6)]
        weights = [piece * (rng.random(piece.shape) < 0.4) for piece in weights]
        weights = [piece for piece in weights if piece.sum() > 0]
        counts = np.array([piece.sum(axis=0) for piece in weights]).reshape(-1, n_classes)
        total = float(counts.sum())
        if total == 0:
            continue
        whole = SplitScore(measure, 100, n_classes, prior_weight=3.0, weight=total)
        rule = StoppingRule("never", total, n_classes)
        node = ScoreBracket(whole, rule, min_cases=1e-9).node(counts.sum(axis=0), 0, whole=False)
        scores = [score_of_cut(whole, low, counts, 0) for low in np.cumsum(counts, axis=0)[:-1]]
        place, score = node.scan_weights(counts, -np.inf)
        if len(counts) > 1:
            assert score == pytest.approx(max(scores), abs=1e-8)
            assert scores[place] == pytest.approx(max(scores), abs=1e-8)
        bounds = node.bounds_weights(counts, np.ones(len(counts), dtype=np.uint8))
        for piece, low, bound in zip(weights, np.cumsum(counts, axis=0) - counts, bounds, strict=True):
            for inside in np.cumsum(piece, axis=0)[:-1]:
                score = score_of_cut(whole, low + inside, counts, 0)
                assert score <= bound + 1e-8
                tight += score > bound - 0.5
    assert tight > 100


def many_counts(rng, n_classes):
    """Several blocks of pieces; the first class is more frequent below some place, if anywhere."""
    pieces = int(rng.integers(30, 300))
    counts = rng.integers(0, rng.choice([2, 5, 200]), (pieces, n_classes))
    counts[: int(rng.integers(pieces)), 0] *= int(rng.choice([1, 2, 8]))
    counts[counts.sum(axis=1) == 0, 1] = 1
    return counts.astype(np.int64)


@pytest.mark.parametrize("measure", MEASURES)
def test_blocks_are_passed_over_only_where_no_cut_can_be_the_best(measure):
    rng = np.random.default_rng(11)
    for _ in range(60):
        n_classes = int(rng.choice([2, 3, 8]))
        counts = many_counts(rng, n_classes)
        n = int(counts.sum())
        bracket, whole = bracket_of(rng, measure, n, n_classes, tabled=int(rng.choice([0, 5])))
        node = bracket.node(counts.sum(axis=0).astype(float), above := int(rng.integers(0, n_classes + 1)))
        scores = np.array([score_of_cut(whole, low, counts, above) for low in np.cumsum(counts, axis=0)[:-1]])
        floor = float(rng.choice([-np.inf, np.median(scores), scores.max() - 1e-3]))
        place, score = node.scan(counts, floor)
        assert scores[place] == pytest.approx(scores.max(), abs=1e-8)
        assert score == pytest.approx(scores.max(), abs=1e-7)
        assert (scores[:place] < scores.max() - 1e-9).all()
        # fewer pieces than a block has are looked at one by one
        few = slice(max(0, place - 3), place + 4)
        joined = np.vstack([counts[: few.start].sum(axis=0, keepdims=True), counts[few]])
        joined = np.vstack([joined, counts[few.stop :].sum(axis=0, keepdims=True)])
        joined = joined[joined.sum(axis=1) > 0]
        assert node.scan(joined, -np.inf)[1] == score


@pytest.mark.parametrize("measure", MEASURES)
def test_bounds_are_left_out_only_where_no_cut_reaches_what_is_asked_for(measure):
    rng = np.random.default_rng(12)
    left_out = kept = 0
    for _ in range(12):
        n_classes = int(rng.choice([2, 3, 8]))
        counts = many_counts(rng, n_classes)
        n = int(counts.sum())
        bracket, whole = bracket_of(rng, measure, n, n_classes)
        node = bracket.node(counts.sum(axis=0).astype(float), 0)
        closed = (rng.random(len(counts)) < 0.8).astype(np.uint8)
        every = node.bounds(counts, closed)
        reach = float(np.quantile(every[np.isfinite(every)], rng.choice([0.5, 0.9, 0.99])))
        bounds = node.bounds(counts, closed, reach)
        given = bounds > -np.inf
        assert np.array_equal(bounds[given], every[given])
        kept += int((bounds >= reach).sum())
        left_out += int((~given & np.isfinite(every)).sum())
        for piece in np.flatnonzero(~given & (closed == 1)):
            cases = rng.permutation(np.repeat(np.arange(n_classes), counts[piece]))
            low = counts[:piece].sum(axis=0)
            for end in range(1, len(cases)):
                inside = low + np.bincount(cases[:end], minlength=n_classes)
                assert score_of_cut(whole, inside, counts, 0) < reach + 1e-9
    assert kept > 10
    assert left_out > 50
