"""Queries that have more answers in new tables than a place in memory has a number: an error, and no crash."""

import numpy as np
import pytest

import ctree


def tables(owners, makers, sizes, classes):
    return ctree.RelationalData(
        {
            "e": {"id": np.arange(len(classes)), "class": classes},
            "p": {"of": owners, "maker": makers, "size": np.array(sizes, dtype=float)},
            "m": {"id": np.arange(max(makers) + 1)},
        },
        target=("e", "class"),
        keys={"e": "id", "m": "id"},
        foreign_keys={"p.of": "e", "p.maker": "m"},
    )


def test_more_rows_than_32_bits_can_count():
    # A part of a maker who makes a large part, too, tells the classes apart.
    small = tables([0, 1, 2, 3, 4], [0, 0, 1, 1, 0], [1, 2, 3, 4, 9], list("aabba"))
    model = ctree.RelationalTreeClassifier(lookahead=1, constants={"p.size": True}).fit(small)
    assert "X2 in p(maker=X1.maker)" in model.to_text("logic")
    assert model.predict(small).tolist() == list("aabba")
    n = 50_000
    large = tables(np.zeros(n, dtype=int), np.zeros(n, dtype=int), np.zeros(n), ["a"])
    with pytest.raises(MemoryError, match="the answers of a query have too many rows"):
        model.predict(large)
    assert model.predict(small).tolist() == list("aabba")
