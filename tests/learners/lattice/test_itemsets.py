"""Itemsets in the attributes and values of a data set."""

import numpy as np
import pytest
from naive import all_trees

import ctree
from ctree.errors import DataError, ParameterError


def test_binary_tables_against_the_definition():
    rng = np.random.default_rng(0)
    rows, y = rng.integers(2, size=(40, 5)), rng.integers(3, size=40)
    for kind in ("all", "closed", "maximal"):
        for negative in (False, True):
            sets = ctree.frequent_itemsets(rows, y, min_support=6, kind=kind, negative=negative)
            slow = {"all": all_trees.frequent_itemsets, "closed": all_trees.closed_itemsets}.get(
                kind, all_trees.maximal_itemsets
            )(rows.tolist(), y.tolist(), 3, 6, negative=negative)
            given = {
                frozenset(
                    (int(c.attribute[1:]), int(c.above is not None)) for item in items for c in item.conditions
                ): (
                    int(n),
                    tuple(counts),
                )
                for items, n, counts in zip(sets, sets.support, sets.class_counts.tolist(), strict=True)
            }
            assert given == {itemset: (c.support, tuple(c.counts)) for itemset, c in slow.items()}


def test_items_are_values_and_bins():
    golf = ctree.read_c45("examples/golf")
    sets = ctree.frequent_itemsets(golf, min_support=1, max_size=1)
    texts = [str(items[0]) for items in sets]
    assert {"outlook = sunny", "windy = false", "windy = true", "humidity > 70 and humidity <= 80"} <= set(texts)
    assert sets.class_counts.sum(axis=1).tolist() == sets.support.tolist()
    table = sets.table()
    assert list(table) == ["items", "support", "n(Play)", "n(Don't Play)"]
    assert table["items"][texts.index("outlook = overcast")] == ("outlook = overcast",)
    assert table["n(Play)"][texts.index("outlook = overcast")] == 4


def test_a_case_has_no_item_of_an_unknown_value():
    sets = ctree.frequent_itemsets({"a": ["x", None, "x"], "b": [1.0, 2.5, None]}, min_support=1, max_size=1, bins=1)
    assert {str(items[0]): int(n) for items, n in zip(sets, sets.support, strict=True)} == {"a = x": 2, "b known": 2}


def test_without_classes_there_is_one_count():
    sets = ctree.frequent_itemsets([[1, 1], [1, 0]], min_support=0.5)
    assert sets.classes == ()
    assert sets.class_counts.shape == (3, 1)
    assert sets.sizes.tolist() == [1, 1, 2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_support": 0}, "min_support must be a number of cases, or a share less than 1, not 0"),
        ({"min_support": 1.5}, "min_support must be a whole number of cases, or a share less than 1, not 1.5"),
        ({"min_support": 4}, "min_support is 4, but there are only 3 cases"),
        ({"kind": "free"}, "kind must be 'all', 'closed' or 'maximal', not 'free'"),
        ({"min_size": -1}, "min_size must be a whole number of at least 0, not -1"),
        ({"min_size": 2, "max_size": 1}, "max_size must be a whole number of at least 2, not 1"),
        ({"limit": 0}, "limit must be a whole number of at least 1, not 0"),
    ],
)
def test_wrong_parameters_are_named(options, message):
    with pytest.raises(ParameterError) as error:
        ctree.frequent_itemsets([[1, 0], [1, 1], [0, 1]], **options)
    assert str(error.value) == message


def test_a_blow_up_is_refused():
    with pytest.raises(
        ParameterError, match=r"more than 1000 itemsets have a support of at least 1: a larger min_support"
    ):
        ctree.frequent_itemsets(np.ones((3, 60), dtype=int), min_support=1, limit=1000)
    assert len(ctree.frequent_itemsets(np.ones((3, 60), dtype=int), min_support=1, kind="closed", limit=1000)) == 1


def test_wrong_data_are_named():
    with pytest.raises(DataError, match="there are no cases"):
        ctree.frequent_itemsets(np.empty((0, 2)), min_support=1)
    golf = ctree.read_c45("examples/golf")
    with pytest.raises(DataError, match="cannot have weights"):
        ctree.frequent_itemsets(golf.with_weights(np.full(14, 2.0)))
    with pytest.raises(DataError, match="leave out y"):
        ctree.frequent_itemsets(golf, [0] * 14)
    with pytest.raises(IndexError):
        ctree.frequent_itemsets(golf)[10_000]
