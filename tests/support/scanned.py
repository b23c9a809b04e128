"""What coded parts say, read back by definition: codes to values, bins by comparison with every cut."""

from __future__ import annotations

import numpy as np

import ctree
from ctree.data.schema import Kind


def check_parts(cases: ctree.ScannedCases, data: ctree.Dataset, most_bins: int = 65_535) -> None:
    """Coded parts are those of a data set, case by case and to the last bit."""
    assert cases.schema == data.schema
    told = [[(type(v), v) for v in labels] for labels in (*(a.values for a in cases.schema), cases.schema.classes)]
    assert told == [
        [(type(v), v) for v in labels] for labels in (*(a.values for a in data.schema), data.schema.classes)
    ]
    parts = [part.load() for part in cases.parts]
    assert cases.n_cases == len(cases) == data.n_cases == sum(part.n for part in parts)
    classes = np.concatenate([part.classes for part in parts])
    assert {part.classes.dtype for part in parts} == {np.dtype(np.uint8 if data.schema.n_classes <= 256 else np.uint16)}
    np.testing.assert_array_equal(classes, data.classes)
    np.testing.assert_array_equal(cases.class_counts, np.bincount(data.classes, minlength=data.schema.n_classes))
    unknown = []
    for j, attribute in enumerate(data.schema):
        column = data.columns[j]
        if attribute.kind is Kind.IGNORE:
            assert all(part.codes[j] is None and part.numbers[j] is None for part in parts)
            unknown.append(0)
            continue
        codes = np.concatenate([part.codes[j] for part in parts])
        n_codes = len(attribute.values) if attribute.is_discrete else len(cases.bins[j])
        narrowest = np.uint8 if n_codes < 256 else np.uint16 if n_codes < 65536 else np.uint32
        assert {part.codes[j].dtype for part in parts} == {np.dtype(narrowest)}
        unknown.append(int((codes == 0).sum()))
        if attribute.is_discrete:
            assert cases.bins[j] is None
            assert all(part.numbers[j] is None for part in parts)
            np.testing.assert_array_equal(codes.astype(np.int64) - 1, column)
        else:
            check_numbers(cases.bins[j], codes.astype(np.int64), [part.numbers[j] for part in parts], column, most_bins)
    np.testing.assert_array_equal(cases.unknown, unknown)
    assert cases.complete == (not any(unknown))


def check_numbers(bins, codes, numbers, column, most_bins) -> None:
    """The bins of a continuous attribute hold what they should."""
    known = ~np.isnan(column)
    np.testing.assert_array_equal(codes > 0, known)
    assert len(bins) == len(bins.cuts) + 1 == len(bins.most)
    assert (np.diff(bins.cuts) > 0).all()
    x, b = column[known], codes[known] - 1
    below = np.concatenate([[-np.inf], bins.cuts])[b]
    up_to = np.concatenate([bins.cuts, [np.inf]])[b]
    assert (below < x).all()
    assert (x <= up_to).all()
    for bin_ in range(len(bins)) if len(bins) < 300 else np.unique(b)[:300]:
        here = x[b == bin_]
        assert bins.least[bin_] == (here.min() if len(here) else np.inf)
        assert bins.most[bin_] == (here.max() if len(here) else -np.inf)
    several = (bins.least < bins.most).any()
    if len(np.unique(x)) <= most_bins:
        assert not several
    assert {part is None for part in numbers} == {not several}
    if several:
        kept = np.concatenate(numbers)
        np.testing.assert_array_equal(kept.view(np.int64)[known], (column + 0.0).view(np.int64)[known])
        assert np.isnan(kept[~known]).all()
    else:
        np.testing.assert_array_equal(bins.least[b], x)
