"""Splits: who learns, who is tested."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctree.errors import DataError, ParameterError
from ctree.evaluate.protocols import Holdout, LearningCurve, StratifiedFolds


@st.composite
def class_codes(draw, least=6):
    n = draw(st.integers(least, 80))
    return np.array(draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)), dtype=np.int32)


@settings(deadline=None)
@given(class_codes(), st.integers(2, 6), st.integers(1, 3), st.integers(0, 5))
def test_folds_part_the_cases_evenly_in_every_class(classes, folds, repeats, seed):
    (series,) = StratifiedFolds(folds, repeats, seed).series(classes)
    assert len(series.splits) == folds * repeats
    for repeat in range(repeats):
        splits = series.splits[repeat * folds : (repeat + 1) * folds]
        assert sorted(np.concatenate([s.test for s in splits]).tolist()) == list(range(len(classes)))
        for split in splits:
            assert sorted([*split.train.tolist(), *split.test.tolist()]) == list(range(len(classes)))
        for c in range(5):
            counts = [int((classes[s.test] == c).sum()) for s in splits]
            assert max(counts) - min(counts) <= 1
        sizes = [len(s.test) for s in splits]
        assert max(sizes) - min(sizes) <= 1


@settings(deadline=None)
@given(st.lists(st.integers(5, 30), min_size=1, max_size=4), st.integers(2, 5))
def test_folds_have_as_many_of_each_class_as_those_of_scikit_learn(counts, folds):
    selection = pytest.importorskip("sklearn.model_selection")
    classes = np.repeat(np.arange(len(counts)), counts).astype(np.int32)
    ours = StratifiedFolds(folds, 1).series(classes)[0].splits
    theirs = selection.StratifiedKFold(folds, shuffle=True, random_state=0).split(classes, classes)
    table = [np.bincount(classes[s.test], minlength=len(counts)).tolist() for s in ours]
    expected = [np.bincount(classes[test], minlength=len(counts)).tolist() for _, test in theirs]
    for c in range(len(counts)):
        assert sorted(row[c] for row in table) == sorted(row[c] for row in expected)


def test_a_seed_gives_the_same_folds_again_and_repeats_differ():
    classes = np.arange(40, dtype=np.int32) % 3
    first, again = (StratifiedFolds(5, 2, seed=7).series(classes)[0].splits for _ in range(2))
    assert all((a.test == b.test).all() for a, b in zip(first, again, strict=True))
    assert first[0].test.tolist() != first[5].test.tolist()
    other = StratifiedFolds(5, 2, seed=8).series(classes)[0].splits
    assert first[0].test.tolist() != other[0].test.tolist()


@settings(deadline=None)
@given(class_codes(), st.sampled_from([0.2, 0.3, 0.5]), st.booleans())
def test_holdout_parts_the_cases(classes, share, stratified):
    (series,) = Holdout(share, 3, stratified).series(classes)
    for split in series.splits:
        assert len(split.test) == round(share * len(classes))
        assert sorted([*split.train.tolist(), *split.test.tolist()]) == list(range(len(classes)))
        if stratified:
            for c in np.unique(classes):
                expected = share * (classes == c).sum()
                assert abs((classes[split.test] == c).sum() - expected) <= 2


def test_learning_curves_nest_and_keep_their_test_cases():
    classes = np.arange(100, dtype=np.int32) % 2
    small, large = LearningCurve((10, 40), repeats=3).series(classes)
    for a, b in zip(small.splits, large.splits, strict=True):
        assert set(a.train.tolist()) < set(b.train.tolist())
        assert a.test.tolist() == b.test.tolist()
        assert not set(b.train.tolist()) & set(b.test.tolist())
        assert np.bincount(classes[a.train]).tolist() == [5, 5]
    assert [s.suffix for s in (small, large)] == [" (10)", " (40)"]


def test_wrong_numbers_are_refused():
    for wrong in (lambda: StratifiedFolds(1), lambda: StratifiedFolds(2, 0), lambda: Holdout(1.0)):
        with pytest.raises(ParameterError):
            wrong()
    for wrong in (lambda: Holdout(0.5, 0), lambda: LearningCurve(()), lambda: LearningCurve((0,))):
        with pytest.raises(ParameterError):
            wrong()
    with pytest.raises(DataError, match="3 cases cannot make 5 folds"):
        StratifiedFolds(5).series(np.zeros(3, dtype=np.int32))
    with pytest.raises(DataError, match="too few"):
        Holdout(0.5).series(np.zeros(1, dtype=np.int32))
    with pytest.raises(DataError, match="smallest size"):
        LearningCurve((50,)).series(np.zeros(20, dtype=np.int32))
