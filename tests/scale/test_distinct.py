"""Distinct numbers in bins of coded parts, against those of cases one by one."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import coded_passes as naive
from support.scaled import leaves_of, random_cases, random_partition, random_top

from ctree import Attribute, Dataset, Kind, Schema
from ctree.errors import DataError
from ctree.scale import distinct
from ctree.scale.coded_dataset import coded_from_dataset
from ctree.scale.distinct import BYTES_PER_NUMBER
from ctree.scale.engines.local import LocalEngine
from ctree.scale.source import Opening
from ctree.scale.top_tree import TopTree
from tests.scale.test_tally import KINDS, units_of


@settings(max_examples=100)
@given(
    seed=st.integers(0, 2**32),
    n=st.integers(0, 60),
    tests=st.integers(0, 5),
    bins=st.sampled_from([1, 3, 16, 65_535]),
    unknown=st.sampled_from([0.0, 0.3]),
    weights=KINDS,
    memory=st.sampled_from([1 << 26, 1_500, 6_000]),
    near=st.sampled_from([0.0, 0.3]),
)
def test_distinct_numbers_are_counted_one_by_one(seed, n, tests, bins, unknown, weights, memory, near):
    rng = np.random.default_rng(seed)
    data = random_cases(rng, n, unknown=unknown, weights=weights)
    routing = random_top(rng, data, tests)
    source = coded_from_dataset(
        data, random_partition(rng, n), bins, engine=LocalEngine(int(rng.integers(1, 3))), memory=memory
    )
    leaves = leaves_of(routing)
    cases = naive.cases_at(data, routing, leaves, units_of(source, data))
    wanted, expected, in_one_bin = [], [], 0
    for a, of in enumerate(source.bins):
        if of is None:
            continue
        for node in rng.choice(leaves, 2):
            ends = np.unique(rng.integers(0, len(of) + 1, 5))
            # ranges that touch are counted by themselves
            ranges = np.column_stack([ends[:-1], ends[1:]])
            known = [float(data.columns[a][row]) for row, _ in cases[int(node)] if not np.isnan(data.columns[a][row])]
            inside = [[] for _ in range(len(of))]
            for x in known:
                inside[sum(cut < x for cut in of.cuts.tolist())].append(x)
            in_one_bin = max([in_one_bin, *map(len, inside)])
            numbers = [[x for some in inside[first:end] for x in some] for first, end in ranges]
            wanted.append(Opening(int(node), a, ranges))
            expected.append([known_of(sorted(some), near) for some in numbers])
    if in_one_bin > memory // 2 // BYTES_PER_NUMBER:
        return  # there is a test of what is too much
    with mock.patch.object(distinct, "CHUNK", int(rng.choice([1, 2, 7, 1 << 16]))):
        found = source.distinct(routing, wanted, near)
    told = [list(zip(one.cases, one.values, one.least, one.most, strict=True)) for one in found]
    assert told == expected


def known_of(numbers, near):
    """How many there are, how many of them lie apart, the least and the greatest."""
    apart = sum(not any(y < x <= y + near for y in numbers) for x in set(numbers))
    return len(numbers), apart, min(numbers, default=np.inf), max(numbers, default=-np.inf)


def test_a_bin_of_too_many_numbers():
    data = Dataset(
        Schema((Attribute("much", Kind.CONTINUOUS),), ("a", "b")), [np.arange(100.0)], np.zeros(100, dtype=np.int32)
    )
    top = TopTree(2)
    top.add_leaf(np.zeros(2))
    source = coded_from_dataset(data, 3, 1, memory=2_000)
    with pytest.raises(DataError, match="attribute 'much' has more than 27 numbers in bins that have to be looked at"):
        source.distinct(top.routing(), [Opening(0, 0, np.array([[0, 1]]))])
