"""Parts that are damaged, trees that cannot be, and more than memory holds: an error, and nothing else."""

from __future__ import annotations

import os
import pickle
import signal
import threading
from dataclasses import replace

import numpy as np
import pytest
from support.scaled import random_cases

from ctree import Attribute, Dataset, Kind, Schema
from ctree.errors import DataError, ParameterError
from ctree.scale.coded_dataset import DatasetCoding, HeldPart, coded_from_dataset
from ctree.scale.coded_source import CodedSource
from ctree.scale.engines.local import LocalEngine
from ctree.scale.source import Opening
from ctree.scale.top_tree import TopTree
from ctree_ext.base.node_arrays import Test
from ctree_ext.scale.columns import Columns
from ctree_ext.scale.descent import Descent
from ctree_ext.scale.faults import PartError
from ctree_ext.scale.pick import bits_of_ranges
from ctree_ext.scale.tally import tally

SCHEMA = Schema(
    (Attribute("d", Kind.DISCRETE, ("u", "v", "w")), Attribute("x", Kind.CONTINUOUS)),
    ("no", "yes"),
)


def some_cases(n=100):
    rng = np.random.default_rng(0)
    return Dataset(SCHEMA, [rng.integers(0, 3, n), rng.normal(size=n)], rng.integers(0, 2, n))


def top_of(test=Test.VALUES, attribute=0, **kwargs):
    top = TopTree(2)
    top.add_leaf(np.zeros(2))
    top.divide(0, test, attribute, [np.zeros(2)] * (3 if test == Test.VALUES else 2), **kwargs)
    return top.routing()


def damaged(source, what):
    """The same source with one wrong byte in its second part."""
    part = source.parts[1].part
    if what == "class":
        classes = part.classes.copy()
        classes[7] = 2
        part = replace(part, classes=classes)
    else:
        column = part.codes[what].copy()
        column[7] = np.iinfo(column.dtype).max
        part = replace(part, codes=tuple(column if a == what else c for a, c in enumerate(part.codes)))
    source.parts[1] = HeldPart(part)
    return source


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("what", "told"), [(0, "attribute 'd'"), (1, "attribute 'x'"), ("class", "a coded class")])
def test_a_damaged_code_is_an_error_that_names_the_attribute(what, told, threads):
    source = damaged(coded_from_dataset(some_cases(), 3, 40, engine=LocalEngine(threads)), what)
    with pytest.raises(DataError, match=f"{told}.*damaged$"):
        source.count(top_of(), [1, 2])
    if what != 0:
        with pytest.raises(DataError, match=f"{told}.*damaged$"):
            source.open(top_of(), [Opening(1, 1, np.array([[0, 40]]))])
    if what != 1:
        with pytest.raises(DataError, match=f"{told}.*damaged$"):
            source.finish(top_of(), {1: 3}, lambda node, cases: cases)
    assert source.passes == []


def test_a_code_that_nobody_looks_at_is_no_error():
    source = damaged(coded_from_dataset(some_cases(), 3, 40), 0)
    root = TopTree(2)
    root.add_leaf(np.zeros(2))
    assert source.count(root.routing(), [0], [1]).classes.sum() == 100


def columns(**changed):
    arguments = {
        "n": 3,
        "codes": [np.array([1, 2, 3], dtype=np.uint8), np.array([1, 1, 2], dtype=np.uint16)],
        "numbers": [None, np.array([0.5, 1.5, 2.5])],
        "classes": np.array([0, 1, 0], dtype=np.uint8),
        "weights": None,
        "n_values": [3, 2],
        "n_classes": 2,
        "used": [0, 1],
    }
    return Columns(**{**arguments, **changed})


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"n": 4}, "a part of 4 cases has a column of 3"),
        ({"n": 2**31}, "a part has 2147483648 cases"),
        ({"numbers": [None, np.array([0.5])]}, "a part of 3 cases has a column of 1"),
        ({"weights": np.ones(2, dtype=np.int64)}, "a part of 3 cases has a column of 2"),
        ({"codes": [None, None]}, "there is no column of attribute 0"),
        ({"used": [2]}, "there is no column of attribute 2"),
        ({"used": [-1]}, "there is no column of attribute -1"),
        ({"n_classes": 0}, "there are 0 classes"),
        ({"n_values": [3]}, "not of the same attributes"),
        ({"n_values": [3, 2**31]}, "attribute 1 has 2147483648 values"),
        ({"classes": np.zeros(3, dtype=np.uint32)}, "uint8 or uint16"),
        ({"classes": np.zeros(3, dtype=np.int32)}, "uint8, uint16 or uint32"),
        ({"classes": np.zeros(6, dtype=np.uint8)[::2]}, "without gaps"),
        ({"classes": np.zeros(3, dtype=">u2")}, "uint8, uint16 or uint32"),
        ({"classes": np.frombuffer(bytes(7), np.uint16, 3, 1)}, "aligned"),
        ({"one": 0}, "one unit or more"),
    ],
)
def test_columns_that_do_not_fit(changed, told):
    with pytest.raises(ValueError, match=told):
        columns(**changed)


def descent(nodes=(1, 2), **changed):
    arguments = {
        "test": np.array([Test.THRESHOLD, 0, 0], dtype=np.int8),
        "attribute": np.array([1, -1, -1], dtype=np.int32),
        "threshold": np.array([1.0, 0, 0]),
        "first_branch": np.array([1, -1, -1], dtype=np.int32),
        "n_branches": np.array([2, 0, 0], dtype=np.int32),
        "group_start": np.array([-1, -1, -1], dtype=np.int64),
        "group": np.empty(0, dtype=np.int32),
        "shares": np.ones(3),
        "limit": np.array([1, 0, 0], dtype=np.uint32),
        "mixed": np.array([0, 0, 0], dtype=np.uint8),
        "nodes": np.array(nodes, dtype=np.int32),
        "n_values": np.array([3, 2], dtype=np.int64),
    }
    return Descent(**{**arguments, **changed})


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"nodes": [3]}, "there is no node 3"),
        ({"nodes": [-1]}, "there is no node -1"),
        ({"nodes": [1, 1]}, "asked for twice"),
        ({"nodes": [0, 1]}, "node 0 is above another"),
        ({"test": np.array([4, 0, 0], dtype=np.int8)}, "no known kind"),
        ({"test": np.array([Test.VALUES, 0, 0], dtype=np.int8), "attribute": np.zeros(3, dtype=np.int32)}, "branches"),
        ({"test": np.array([Test.GROUPS, 0, 0], dtype=np.int8)}, "groups of node 0 are out of range"),
        (
            {
                "test": np.array([Test.GROUPS, 0, 0], dtype=np.int8),
                "group_start": np.array([0, -1, -1], dtype=np.int64),
                "group": np.array([0, 2], dtype=np.int32),
            },
            "a group of node 0 is out of range",
        ),
        ({"attribute": np.array([2, -1, -1], dtype=np.int32)}, "attribute of node 0"),
        ({"first_branch": np.array([0, -1, -1], dtype=np.int32)}, "branches of node 0 are out of range"),
        ({"first_branch": np.array([2, -1, -1], dtype=np.int32)}, "branches of node 0 are out of range"),
        ({"n_branches": np.array([2**31 - 1, 0, 0], dtype=np.int32)}, "branches of node 0 are out of range"),
        ({"shares": np.array([1, 1.5, 0])}, "share of node 1"),
        ({"shares": np.array([1, np.nan, 0])}, "share of node 1"),
        ({"shares": np.ones(2)}, "arrays of one length"),
    ],
)
def test_trees_that_cannot_be(changed, told):
    if isinstance(changed.get("nodes"), list):
        changed = {"nodes": np.array(changed["nodes"], dtype=np.int32)}
    with pytest.raises(ValueError, match=told):
        descent(**changed)


def test_a_tally_checks_what_it_is_given():
    classes = np.zeros((2, 2), dtype=np.int64)
    counts = np.zeros((4, 2, 2), dtype=np.int64)
    tally(columns(), descent(), [0], [0], classes, [counts])
    assert classes.tolist() == [[1, 1], [1, 0]]
    assert counts[1:].tolist() == [[[1, 0], [0, 0]], [[0, 1], [0, 0]], [[0, 0], [1, 0]]]
    for arguments, told in (
        (([0], [0], classes[:1], [counts]), "other slots"),
        (([0], [0], classes, [counts[:3]]), "4 rows and 2 slots"),
        (([0], [1], classes, [counts]), "3 rows and 2 slots"),
        (([0], [31], classes, [counts]), "cannot be joined"),
        (([2], [0], classes, [counts]), "no column of attribute 2"),
        (([0], [0, 0], classes, [counts]), "differ in length"),
    ):
        with pytest.raises(ValueError, match=told):
            tally(columns(), descent(), *arguments)
    with pytest.raises(ValueError, match="no column of attribute 1"):
        tally(columns(used=[0]), descent(), [0], [0], classes, [counts])
    mixed = descent(mixed=np.array([1, 0, 0], dtype=np.uint8))
    with pytest.raises(ValueError, match="no numbers of attribute 1"):
        tally(columns(numbers=[None, None]), mixed, [0], [0], classes, [counts])


def test_ranges_of_bins_that_there_are_not():
    assert bits_of_ranges([[0, 1], [2, 64]], 64).tolist() == [2 + 2**64 - 8, 1]
    for ranges in ([[0, 65]], [[-1, 3]], [[5, 3]]):
        with pytest.raises(ValueError, match="there are no bins"):
            bits_of_ranges(ranges, 64)


def test_what_is_asked_of_a_source_has_to_be_there():
    source = coded_from_dataset(some_cases(), 2)
    with pytest.raises(ValueError, match="attribute 0 has no bins"):
        source.open(top_of(), [Opening(1, 0, np.array([[0, 1]]))])
    with pytest.raises(ValueError, match="attribute 0 are discrete"):
        source.count(top_of(), [1], None, {0: 1})
    with pytest.raises(ValueError, match="has no thresholds"):
        source.count(top_of(Test.THRESHOLD, 0), [1])
    coding = DatasetCoding(source.schema, source.bins, np.array([60, 40]), np.zeros(2, dtype=np.int64))
    for unit in (0.3, 2.0, 0.0, float("nan")):
        with pytest.raises(ParameterError, match="power of two"):
            CodedSource(source.parts, coding, source.engine, 1 << 20, unit)


def test_too_little_memory_is_said_before_the_pass():
    source = coded_from_dataset(some_cases(), 2, memory=300)
    with pytest.raises(DataError, match=r"a node has 100 cases, .* there is room for 7$"):
        source.finish(top_of(), {1: 100}, lambda node, cases: cases)
    with pytest.raises(DataError, match=r"100 cases take .* do not fit"):
        source.collect()
    with pytest.raises(DataError, match="the counts of attribute 'x' take"):
        source.count(top_of(), [1, 2])
    assert source.passes == []
    with pytest.raises(DataError, match="attribute 'x' has more than 5 numbers in bins"):
        source.open(top_of(), [Opening(1, 1, np.array([[0, len(source.bins[1])]]))])


def test_fractions_that_are_too_many_name_the_attribute():
    n = 3_000
    values = tuple(range(2_000))
    schema = Schema((Attribute("many", Kind.DISCRETE, values), SCHEMA[1]), ("no", "yes"))
    data = Dataset(schema, [np.full(n, -1), np.zeros(n)], np.zeros(n, dtype=int))
    top = TopTree(2)
    top.add_leaf(np.zeros(2))
    top.divide(0, Test.VALUES, 0, [np.zeros(2)] * 2_000, shares=[1 / 2_000] * 2_000)
    with pytest.raises(DataError, match="'many' is unknown in so many cases"):
        coded_from_dataset(data, 1).count(top.routing(), [5])


def test_errors_of_parts_survive_the_way_between_processes():
    error = pickle.loads(pickle.dumps(PartError("code", 3)))
    assert (error.what, error.attribute) == ("code", 3)


def test_cases_of_unknown_class_or_too_much_weight_are_refused():
    data = some_cases(3)
    with pytest.raises(DataError, match="classes"):
        coded_from_dataset(Dataset(SCHEMA, data.columns, [0, 1, -1]))
    with pytest.raises(DataError, match="the weights add up to"):
        coded_from_dataset(data.with_weights([1, 1, 2.0**61]))
    with pytest.raises(ValueError, match="every row once"):
        coded_from_dataset(data, [[0, 1], [1, 2]])
    with pytest.raises(ValueError, match="0 bins"):
        coded_from_dataset(data, 1, 0)


def test_cases_that_count_nothing_are_left_out():
    data = some_cases(5).with_weights([1, 0, 2, 0, 1])
    source = coded_from_dataset(data, [[4, 3], [1, 2], [0]], 2, sample=[0, 1, 2])
    assert source.n_cases == 3
    assert source.collect().columns[1].tolist() == data.columns[1][[4, 2, 0]].tolist()


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("method", ["count", "distinct", "by_parts", "finish"])
def test_ctrl_c_in_a_long_pass(threads, method):
    """The same parts again and again: a pass that would take minutes."""
    source = coded_from_dataset(some_cases(200_000), 2, engine=LocalEngine(threads), memory=1 << 30)
    source.parts *= 20_000
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    calls = {
        "count": lambda: source.count(top_of(), [1, 2, 3]),
        "distinct": lambda: source.distinct(top_of(), [Opening(1, 1, np.array([[0, 100]]))]),
        "by_parts": lambda: source.by_parts(len, sum),
        "finish": lambda: source.finish(top_of(), {1: 1}, lambda node, cases: len(cases)),
    }
    with pytest.raises(KeyboardInterrupt):
        calls[method]()
    timer.join()
    source.parts = source.parts[:2]
    assert source.count(top_of(), [1, 2, 3]).classes.sum() == 200_000
    assert source.by_parts(len, sum) == 200_000


def test_random_cases_have_every_kind():
    """What the other tests rely on."""
    rng = np.random.default_rng(0)
    kinds = {a.kind for _ in range(20) for a in random_cases(rng, 3).schema}
    assert kinds == {Kind.DISCRETE, Kind.CONTINUOUS, Kind.IGNORE}  # as kernels see them: others are numbers, too
