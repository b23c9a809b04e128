"""Cases of a source as answers to tests: each different row of answers once, with how many cases have it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.binary_tests import BinaryTests, Bytes, middle_place
from ctree.data.boundaries import GRID, ClassTable, class_tables, most_thresholds
from ctree.data.dataset import Dataset
from ctree.data.schema import Kind
from ctree.data.zero_one import check_binary_values
from ctree.errors import DataError
from ctree.scale.coded_source import CodedSource
from ctree.scale.packing import megabytes
from ctree.scale.quantiles import frequency_cuts, numbers_of
from ctree.scale.source import Bins, Numbers
from ctree.scale.top_tree import root_routing
from ctree.wording import abbreviated
from ctree_ext.base.node_arrays import Floats

CLASS = 4
"""Bytes of a class in a row."""


def binary_tests_of(source: CodedSource, bins: int | str | None, min_cases: int = 1) -> BinaryTests:
    """What `BinaryTests.in_bins` gives for the cases of a source, or, with ``"boundaries"``, `at_boundaries`."""
    if bins == "binary":
        _check_binary(source)
    every = bins is None or bins == "binary"
    counted: list[tuple[npt.NDArray[Any], npt.NDArray[Any]] | None] = [None] * len(source.schema)
    discrete = [a for a, attribute in enumerate(source.schema) if attribute.is_discrete]
    tables = source.count(root_routing(source.schema.n_classes), [0], discrete).attributes if discrete else []
    for a in discrete:
        table = tables[a]
        assert table is not None
        by_value = table[0, 1:].sum(axis=1)
        values = np.flatnonzero(by_value)
        counted[a] = values, by_value[values]

    def needed(_: Bins, sizes: Numbers) -> Numbers:
        return np.arange(len(sizes)) if every else np.array([middle_place(sizes, True)])

    for a, (numbers, sizes) in enumerate(numbers_of(source, needed)):
        if numbers is not None and sizes is not None:
            counted[a] = numbers, sizes
            if bins == "binary":
                _check_zero_or_one(source, a, numbers)
    cuts: list[Floats | None] = [None] * len(source.schema)
    if bins is not None and not isinstance(bins, str):
        cuts = frequency_cuts(source, int(bins))
    elif bins == "boundaries":
        cuts = _boundary_cuts(source, counted, min_cases)
    return BinaryTests.of_counts(source.schema, counted, cuts)


def _boundary_cuts(
    source: CodedSource, counted: Sequence[tuple[npt.NDArray[Any], npt.NDArray[Any]] | None], min_cases: int
) -> list[Floats | None]:
    """The thresholds of each continuous attribute, by one more pass; `counted` has the numbers around the median."""
    bounds = frequency_cuts(source, GRID)
    tables = source.by_parts(_TablesOfPart(bounds), _tables_together)
    assert tables is not None  # there are cases
    result: list[Floats | None] = []
    for cuts, table, found in zip(bounds, tables, counted, strict=True):
        if cuts is None or table is None or found is None:
            result.append(None)
            continue
        values, sizes = found
        fill = float(values[middle_place(sizes, True)]) if len(values) else 0.0
        result.append(np.array(table.cuts(cuts, most_thresholds(source.schema), min_cases, fill)))
    return result


@dataclass(frozen=True)
class _TablesOfPart:
    """How the classes of the cases of a part lie between the bounds of each attribute."""

    bounds: list[Floats | None]

    def __call__(self, cases: Dataset) -> list[ClassTable | None]:
        return class_tables(cases, self.bounds)


def _tables_together(some: Sequence[list[ClassTable | None]]) -> list[ClassTable | None]:
    return [None if of_one[0] is None else reduce(add, of_one) for of_one in zip(*some, strict=True)]


def _check_binary(source: CodedSource) -> None:
    """Refuse attributes with other values than 0 and 1, as far as bins tell."""
    for a, (attribute, bins) in enumerate(zip(source.schema, source.bins, strict=True)):
        if attribute.kind is Kind.DISCRETE:
            check_binary_values(attribute)
        elif bins is not None:
            filled = bins.least <= bins.most
            _check_zero_or_one(source, a, np.concatenate([bins.least[filled], bins.most[filled]]))


def _check_zero_or_one(source: CodedSource, attribute: int, numbers: Floats) -> None:
    bad = numbers[(numbers != 0) & (numbers != 1)]
    if len(bad):
        raise DataError(
            f"attribute '{abbreviated(source.schema[attribute].name)}' has the value {float(bad[0]):g}, but with "
            "bins='binary' all are 0 or 1"
        )


@dataclass(frozen=True)
class AnswerRows:
    """Different rows, in order.

    Parameters
    ----------
    keys : uint8 array (rows, bytes)
        The tests that are passed, a bit each, and the class, in four bytes.
    counts : int64 array (rows,)
        How many cases there are.
    """

    keys: Bytes
    counts: Numbers

    @property
    def n_cases(self) -> int:
        return int(self.counts.sum())

    def columns(self, n_tests: int) -> tuple[Bytes, npt.NDArray[np.int32]]:
        """1 where a case passes a test, (tests, cases), with every case by itself, and the classes of cases."""
        columns = np.empty((n_tests, self.n_cases), dtype=np.uint8)
        for test, column in enumerate(columns):
            bits = self.keys[:, test >> 3] >> (7 - (test & 7)) & 1
            column[:] = np.repeat(bits, self.counts)
        classes = np.ascontiguousarray(self.keys[:, -CLASS:]).view(">i4").reshape(-1).astype(np.int32)
        return columns, np.repeat(classes, self.counts)


@dataclass(frozen=True)
class _RowsOfPart:
    """The different rows of the cases of a part."""

    tests: BinaryTests
    together: _Together

    def __call__(self, cases: Dataset) -> AnswerRows:
        assert cases.classes is not None
        counts = np.ones(cases.n_cases, dtype=np.int64)
        if cases.weights is not None:
            bad = np.flatnonzero(cases.weights != np.floor(cases.weights))
            if len(bad):
                raise DataError(
                    f"a case has the weight {cases.weights[bad[0]]:g}, but this learner needs whole numbers as "
                    "weights: a case of weight 2 is two cases"
                )
            counts = cases.weights.astype(np.int64)
        packed = np.packbits(self.tests.columns(cases), axis=0).T
        classes = np.asarray(cases.classes, dtype=">i4").view(np.uint8).reshape(-1, CLASS)
        return self.together([AnswerRows(np.concatenate([packed, classes], axis=1), counts)])


@dataclass(frozen=True)
class _Together:
    """Rows of several parts as one, each once.

    Parameters
    ----------
    most : int
        Bytes that they may take.
    """

    most: int

    def __call__(self, some: Sequence[AnswerRows]) -> AnswerRows:
        keys = np.ascontiguousarray(np.concatenate([rows.keys for rows in some]))
        width = keys.shape[1]
        # as texts of one length they are compared in one step
        distinct, places = np.unique(keys.view(f"S{width}").reshape(-1), return_inverse=True)
        counts = np.zeros(len(distinct), dtype=np.int64)
        np.add.at(counts, places.reshape(-1), np.concatenate([rows.counts for rows in some]))
        if distinct.nbytes + counts.nbytes > self.most:
            raise DataError(
                f"the cases answer the tests in more than {len(distinct):,} different ways, too many for "
                f"{megabytes(self.most)} of memory: scan them with more memory, ignore columns, or take fewer bins"
            )
        return AnswerRows(distinct.view(np.uint8).reshape(-1, width), counts)


def rows_of(source: CodedSource, tests: BinaryTests) -> AnswerRows:
    """The different rows of all cases, by one pass; a quarter of the memory has to hold them."""
    together = _Together(source.memory // 4)
    found = source.by_parts(_RowsOfPart(tests, together), together)
    assert found is not None  # there are cases
    return found
