"""Passes over coded parts against passes over cases one by one."""

from __future__ import annotations

import os
import pickle
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import coded_passes as naive
from support.scaled import leaves_of, random_cases, random_partition, random_top

from ctree import Attribute, Dataset, Kind, Schema
from ctree.scale.coded_dataset import coded_from_dataset
from ctree.scale.coded_part import CodedPart
from ctree.scale.engines.engine import combined
from ctree.scale.engines.local import LocalEngine
from ctree.scale.source import Opening
from ctree.scale.top_tree import TopTree
from ctree_ext.base.node_arrays import Test


def units_of(source, data):
    """The weight of each case as a whole number of units."""
    one = round(1 / source.unit)
    if data.weights is None:
        return np.full(data.n_cases, one, dtype=np.int64)
    return np.maximum(np.rint(data.weights / source.unit), 1).astype(np.int64)


def expected_counts(source, data, routing, nodes, shifts):
    """Class counts, and for each attribute (nodes, rows, classes)."""
    C = data.schema.n_classes
    cases = naive.cases_at(data, routing, nodes, units_of(source, data))
    classes = np.array([naive.class_counts(data, cases[node], C) for node in nodes], dtype=object).reshape(-1, C)
    tables = []
    for a, attribute in enumerate(data.schema):
        if attribute.kind is Kind.IGNORE:
            tables.append(None)
            continue
        if attribute.is_discrete:
            n_rows, bin_of = 1 + len(attribute.values), int
        else:
            cuts, shift = source.bins[a].cuts.tolist(), shifts.get(a, 0)
            n_rows = 1 + len(range(0, len(cuts) + 1, 2**shift))

            def bin_of(x, cuts=cuts, shift=shift):
                return sum(cut < x for cut in cuts) >> shift

        tables.append(np.array([naive.value_counts(data, cases[node], a, bin_of, n_rows, C) for node in nodes]))
    return classes, tables


def assert_counts(found, expected):
    classes, tables = expected
    assert found.classes.dtype == np.int64
    assert found.classes.tolist() == classes.tolist()
    assert len(found.attributes) == len(tables)
    for one, other in zip(found.attributes, tables, strict=True):
        assert (one is None) == (other is None)
        if one is not None:
            assert one.dtype == np.int64
            assert one.tolist() == other.tolist()


KINDS = st.sampled_from(["none", "whole", "fractions", "large"])


@settings(max_examples=150)
@given(
    seed=st.integers(0, 2**32),
    n=st.integers(0, 60),
    tests=st.integers(0, 6),
    bins=st.sampled_from([1, 2, 5, 16, 256, 65_535]),
    unknown=st.sampled_from([0.0, 0.0, 0.3]),
    weights=KINDS,
    threads=st.integers(1, 3),
)
def test_counts_are_those_of_cases_one_by_one(seed, n, tests, bins, unknown, weights, threads):
    rng = np.random.default_rng(seed)
    data = random_cases(rng, n, unknown=unknown, weights=weights)
    routing = random_top(rng, data, tests)
    nodes = [node for node in leaves_of(routing) if rng.random() < 0.7]
    rng.shuffle(nodes)
    sample = rng.integers(0, n, 5) if n and rng.random() < 0.5 else None
    source = coded_from_dataset(
        data, random_partition(rng, n), bins, sample=sample, engine=LocalEngine(threads), memory=1 << 26
    )
    shifts = {a: int(rng.integers(0, 4)) for a, b in enumerate(source.bins) if b is not None and rng.random() < 0.5}
    assert_counts(source.count(routing, nodes, None, shifts), expected_counts(source, data, routing, nodes, shifts))


@settings(max_examples=100)
@given(
    seed=st.integers(0, 2**32),
    n=st.integers(0, 60),
    tests=st.integers(0, 5),
    bins=st.sampled_from([1, 3, 16, 65_535]),
    unknown=st.sampled_from([0.0, 0.3]),
    weights=KINDS,
    memory=st.sampled_from([1 << 26, 400, 3_000]),
    near=st.sampled_from([0.0, 0.3, 2.0]),
)
def test_open_bins_have_the_numbers_of_cases_one_by_one(seed, n, tests, bins, unknown, weights, memory, near):
    rng = np.random.default_rng(seed)
    data = random_cases(rng, n, unknown=unknown, weights=weights)
    routing = random_top(rng, data, tests)
    source = coded_from_dataset(
        data, random_partition(rng, n), bins, engine=LocalEngine(int(rng.integers(1, 3))), memory=memory
    )
    leaves = leaves_of(routing)
    cases = naive.cases_at(data, routing, leaves, units_of(source, data))
    wanted, expected = [], []
    for a, of in enumerate(source.bins):
        if of is None:
            continue
        for node in rng.choice(leaves, 2):
            ends = np.unique(rng.integers(0, len(of) + 1, 4))
            ranges = ends[: len(ends) // 2 * 2].reshape(-1, 2)
            if rng.random() < 0.5:
                ranges = np.column_stack([ends[:-1], ends[1:]])

            cuts = of.cuts.tolist()

            def range_of(x, ranges=ranges, cuts=cuts):
                place = sum(cut < x for cut in cuts)
                return next((k for k, (first, end) in enumerate(ranges) if first <= place < end), None)

            wanted.append(Opening(int(node), a, ranges))
            numbers = naive.numbers_in(
                data, cases[int(node)], a, lambda x, f=range_of: f(x) is not None, data.schema.n_classes
            )
            expected.append(naive.together(numbers, near, range_of))
    largest = max((len(numbers) for numbers in expected), default=0)
    if largest * 30 * data.schema.n_classes > memory // 2 // source.engine.at_once:
        return  # there is a test of what is too much
    found = source.open(routing, wanted, near)
    assert [list(zip(o.values.tolist(), o.most.tolist(), o.counts.tolist(), strict=True)) for o in found] == expected


def the_cases(node, cases):
    return cases


@settings(max_examples=100)
@given(
    seed=st.integers(0, 2**32),
    n=st.integers(0, 60),
    tests=st.integers(0, 5),
    bins=st.sampled_from([1, 3, 65_535]),
    unknown=st.sampled_from([0.0, 0.3]),
    weights=KINDS,
    memory=st.sampled_from([1 << 26, 20_000]),
)
def test_nodes_are_finished_with_their_cases(seed, n, tests, bins, unknown, weights, memory):
    rng = np.random.default_rng(seed)
    data = random_cases(rng, n, unknown=unknown, weights=weights)
    routing = random_top(rng, data, tests)
    partition = random_partition(rng, n)
    source = coded_from_dataset(data, partition, bins, engine=LocalEngine(int(rng.integers(1, 4))), memory=memory)
    nodes = leaves_of(routing)
    units = units_of(source, data)
    cases = naive.cases_at(data, routing, nodes, units)
    # whoever asks knows the sizes only where every case is in one place
    sizes = {node: len(cases[node]) if source.unit == 1 else -1 for node in nodes}
    found = source.finish(routing, sizes, the_cases)
    assert list(found) == nodes
    place = {row: i for i, row in enumerate(np.concatenate(partition).tolist())}
    for node in nodes:
        rows = sorted(cases[node], key=lambda pair: place[pair[0]])
        expected = data.take([row for row, _ in rows])
        weights_there = [weight * source.unit for _, weight in rows]
        got = found[node]
        assert got.schema is data.schema
        for one, other in zip(got.columns, expected.columns, strict=True):
            np.testing.assert_array_equal(one, other)
        assert got.classes.tolist() == expected.classes.tolist()
        ones = [1.0] * len(rows) if got.weights is None else got.weights.tolist()
        assert ones == weights_there
    np.testing.assert_array_equal(
        source.collect().classes if n * source.bytes_per_case <= memory else data.classes[list(place)],
        data.classes[list(place)],
    )


def test_collected_cases_are_the_data():
    rng = np.random.default_rng(5)
    data = random_cases(rng, 300, unknown=0.2, weights="whole")
    for bins in (3, 65_535):
        got = coded_from_dataset(data, 4, bins, engine=LocalEngine(2)).collect()
        for one, other in zip(got.columns, data.columns, strict=True):
            np.testing.assert_array_equal(one, other)
        assert got.classes.tolist() == data.classes.tolist()
        assert got.weights.tolist() == data.weights.tolist()


@pytest.mark.parametrize(("n_classes", "n_values"), [(300, 300), (2, 70_000), (256, 255), (257, 256), (1, 1)])
def test_many_classes_and_values(n_classes, n_values):
    rng = np.random.default_rng(n_classes)
    n = 5_000
    schema = Schema(
        (Attribute("d", Kind.DISCRETE, tuple(range(n_values))), Attribute("x", Kind.CONTINUOUS)),
        tuple(range(n_classes)),
    )
    data = Dataset(schema, [rng.integers(-1, n_values, n), rng.normal(size=n)], rng.integers(0, n_classes, n))
    top = TopTree(n_classes)
    nothing = np.zeros(n_classes)
    top.add_leaf(nothing)
    low, high = top.divide(0, Test.THRESHOLD, 1, [nothing] * 2, threshold=0.3)
    source = coded_from_dataset(data, 3, 400, engine=LocalEngine(2))
    found = source.count(top.routing(), [high, low])
    above = data.columns[1] > 0.3
    one = round(1 / source.unit)
    for slot, rows in enumerate((above, ~above)):
        table = np.zeros((1 + n_values, n_classes), dtype=np.int64)
        np.add.at(table, (data.columns[0][rows] + 1, data.classes[rows]), one)
        assert np.array_equal(found.attributes[0][slot], table)
        assert np.array_equal(found.classes[slot], np.bincount(data.classes[rows], minlength=n_classes) * one)


@pytest.mark.parametrize("unknown", [False, True])
@pytest.mark.parametrize("n_values", [3, 200, 300, 70_000])
def test_parts_of_more_cases_than_a_batch(unknown, n_values):
    """Blocks of 65,536 cases, batches of 2**20: 1.2 million in one part, most of which go nowhere or nearly none."""
    rng = np.random.default_rng(n_values)
    n = 1_200_000
    schema = Schema(
        (Attribute("d", Kind.DISCRETE, tuple(range(n_values))), Attribute("x", Kind.CONTINUOUS)), ("no", "yes", "maybe")
    )
    x = rng.integers(0, 1000, n).astype(float)
    if unknown:
        x[70_000:70_100] = np.nan  # in one block, so that others have no fractions
    data = Dataset(schema, [rng.integers(0, n_values, n), x], rng.integers(0, 3, n))
    source = coded_from_dataset(data, 1)
    one = round(1 / source.unit)
    for threshold in (900.0, 100.0, 2000.0):
        top = TopTree(3)
        top.add_leaf(np.zeros(3))
        low, high = top.divide(0, Test.THRESHOLD, 1, [np.zeros(3)] * 2, threshold=threshold, shares=[0.25, 0.75])
        for nodes in ([low], [high], [high, low]):
            found = source.count(top.routing(), nodes, [0])
            for slot, node in enumerate(nodes):
                weights = np.where(x <= threshold, one if node == low else 0, one if node == high else 0)
                weights[np.isnan(x)] = one // 4 if node == low else one // 4 * 3
                table = np.zeros((1 + n_values, 3), dtype=np.int64)
                np.add.at(table, (data.columns[0] + 1, data.classes), weights)
                assert np.array_equal(found.attributes[0][slot], table)
                assert np.array_equal(found.classes[slot], table.sum(axis=0))


def test_counts_beyond_32_bits():
    schema = Schema((Attribute("d", Kind.DISCRETE, ("u", "v")),), ("no", "yes"))
    data = Dataset(schema, [[0, 0, 1]], [0, 0, 1], [2.0**40, 2.0**40, 2.0**59])
    source = coded_from_dataset(data, 2)
    top = TopTree(2)
    top.add_leaf(np.zeros(2))
    found = source.count(top.routing(), [0])
    assert [c * source.unit for c in found.classes[0].tolist()] == [2.0**41, 2.0**59]
    assert (found.attributes[0][0, 1:] * source.unit).tolist() == [[2.0**41, 0], [0, 2.0**59]]


def test_results_do_not_depend_on_parts_order_or_threads():
    rng = np.random.default_rng(11)
    data = random_cases(rng, 3_000, unknown=0.1, weights="fractions")
    routing = random_top(rng, data, 5)
    leaves = leaves_of(routing)
    first = None
    for _ in range(6):
        source = coded_from_dataset(
            data, random_partition(rng, 3_000), 64, engine=LocalEngine(int(rng.integers(1, 5))), memory=1 << 28
        )
        counts = source.count(routing, leaves)
        wanted = [
            Opening(node, a, np.array([[0, len(b)]]))
            for node in leaves
            for a, b in enumerate(source.bins)
            if b is not None
        ]
        result = pickle.dumps((counts, source.open(routing, wanted)))
        first = first or result
        assert result == first


def test_less_memory_means_more_passes_and_the_same_counts():
    rng = np.random.default_rng(3)
    data = random_cases(rng, 500, n_classes=3)
    routing = random_top(rng, data, 4)
    leaves = leaves_of(routing)
    plenty = coded_from_dataset(data, 3, 64)
    expected = plenty.count(routing, leaves)
    assert len(plenty.passes) == 1
    scarce = coded_from_dataset(data, 3, 64, memory=8 * 5_000)
    found = scarce.count(routing, leaves)
    assert len(scarce.passes) > len(data.schema) / 2
    assert np.array_equal(found.classes, expected.classes)
    for one, other in zip(found.attributes, expected.attributes, strict=True):
        assert one is other is None or np.array_equal(one, other)
    assert {one.kind for one in scarce.passes} == {"count"}
    assert {one.n_cases for one in scarce.passes} == {500}


@dataclass(frozen=True)
class MappedPart:
    """A part whose arrays are files, mapped to memory and read-only."""

    folder: str
    n: int

    def load(self):
        def arrays(kind):
            names = [f"{self.folder}/{kind}{a}.npy" for a in range(2)]
            return tuple(np.load(name, mmap_mode="r") if os.path.exists(name) else None for name in names)

        codes, numbers, classes, weights = map(arrays, ("codes", "numbers", "classes", "weights"))
        return CodedPart(self.n, codes, numbers, classes[0], weights[0])


@pytest.mark.parametrize("weights", [None, "some"])
def test_parts_in_files_count_as_those_in_memory(tmp_path, weights):
    rng = np.random.default_rng(2)
    schema = Schema((Attribute("d", Kind.DISCRETE, tuple("abc")), Attribute("x", Kind.CONTINUOUS)), ("no", "yes"))
    data = Dataset(schema, [rng.integers(-1, 3, 900), rng.normal(size=900)], rng.integers(0, 2, 900))
    data = data.with_weights(None if weights is None else rng.random(900) + 0.1)
    held = coded_from_dataset(data, 3, 20)
    mapped = []
    for number, loader in enumerate(held.parts):
        folder = tmp_path / str(number)
        folder.mkdir()
        part = loader.load()
        given = {"codes": part.codes, "numbers": part.numbers, "classes": [part.classes], "weights": [part.weights]}
        for kind, columns in given.items():
            for a, column in enumerate(columns):
                if column is not None:
                    np.save(folder / f"{kind}{a}.npy", column)
        mapped.append(MappedPart(str(folder), part.n))
    routing = random_top(rng, data, 3)
    leaves = leaves_of(routing)
    wanted = [Opening(node, 1, np.array([[3, 9]])) for node in leaves]
    before = pickle.dumps((held.count(routing, leaves), held.open(routing, wanted)))
    cases = held.finish(routing, dict.fromkeys(leaves, 900), the_cases)
    held.parts = mapped
    held.engine = LocalEngine(2)
    assert pickle.dumps((held.count(routing, leaves), held.open(routing, wanted))) == before
    for node, one in held.finish(routing, dict.fromkeys(leaves, 900), the_cases).items():
        for column, other in zip(one.columns, cases[node].columns, strict=True):
            np.testing.assert_array_equal(column, other)
        np.testing.assert_array_equal(one.weights, cases[node].weights)


def test_tasks_go_from_process_to_process():
    """Whatever an engine is given is the same after a pickle."""

    class Elsewhere(LocalEngine):
        def each(self, task, parts, *, combine):
            results = [pickle.loads(pickle.dumps(task))([part.load()]) for part in pickle.loads(pickle.dumps(parts))]
            return combined([pickle.loads(pickle.dumps(one)) for one in results], pickle.loads(pickle.dumps(combine)))

        def by_key(self, split, work, parts, keys, *, room):
            split, work = pickle.loads(pickle.dumps((split, work)))
            pieces = pickle.loads(pickle.dumps([split(part.load()) for part in parts]))
            return {key: work(key, [one[place] for one in pieces]) for place, key in enumerate(keys)}

    rng = np.random.default_rng(8)
    data = random_cases(rng, 400, unknown=0.1, weights="whole")
    routing = random_top(rng, data, 4)
    leaves = leaves_of(routing)
    results = []
    for engine in (LocalEngine(2), Elsewhere(1)):
        source = coded_from_dataset(data, 5, 30, engine=engine)
        wanted = [
            Opening(node, a, np.array([[1, len(b)]]))
            for node in leaves
            for a, b in enumerate(source.bins)
            if b is not None
        ]
        sizes = source.finish(routing, dict.fromkeys(leaves, 0), total_of_cases)
        found = source.count(routing, leaves), source.open(routing, wanted), source.distinct(routing, wanted), sizes
        results.append(pickle.dumps(found))
    assert results[0] == results[1]


def total_of_cases(node, cases):
    return node, len(cases), None if cases.weights is None else cases.weights.sum()
