"""Cases as answers to questions of yes or no: thresholds, and one value against the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ctree.data.bins import equal_frequency_cuts
from ctree.data.boundaries import GRID, class_tables, most_thresholds
from ctree.data.boundaries import middle as between
from ctree.data.dataset import Dataset
from ctree.data.impute import imputed
from ctree.data.schema import Attribute, Schema
from ctree.data.zero_one import check_binary, is_zero_or_one
from ctree.wording import plural

if TYPE_CHECKING:
    from ctree_ext.mcmc.test_grid import TestGrid

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int32]

NEARLY = 1 - 1e-12


@dataclass(frozen=True)
class BinaryTest:
    """One question: whether an attribute is at most a threshold, or has a value.

    Parameters
    ----------
    attribute : int
        Its place in the schema.
    value : int
        The code of the value, -1 for a threshold.
    threshold : float
    """

    attribute: int
    value: int = -1
    threshold: float = 0.0

    @property
    def is_threshold(self) -> bool:
        return self.value < 0


@dataclass(frozen=True)
class Levels:
    """The levels of one attribute that has tests.

    Parameters
    ----------
    attribute : int
    cuts : tuple of float
        Of a continuous attribute, the thresholds in order: level i is above i of them. Empty for a discrete one.
    codes : tuple of int
        Of a discrete attribute, the values that its cases have, of two perhaps only the first. Empty for a continuous
        one.
    fill : int
        The level of a case whose value is unknown: that of the middle one of the known numbers, or of the most frequent
        value.
    """

    attribute: int
    cuts: tuple[float, ...]
    codes: tuple[int, ...]
    fill: int

    @property
    def n_levels(self) -> int:
        return len(self.codes) or len(self.cuts) + 1

    @property
    def n_tests(self) -> int:
        """One for each cut, or for each value; of two values one test is enough."""
        return len(self.cuts) or (1 if len(self.codes) == 2 else len(self.codes))

    @property
    def is_ordered(self) -> bool:
        return bool(self.cuts)

    def tests(self) -> list[BinaryTest]:
        """Its tests, in order."""
        if self.is_ordered:
            return [BinaryTest(self.attribute, threshold=cut) for cut in self.cuts]
        return [BinaryTest(self.attribute, value=code) for code in self.codes[: self.n_tests]]

    def of(self, column: npt.NDArray[Any]) -> Ints:
        """The level of each case; a value that no case had has the level -1, which no test asks for."""
        if self.is_ordered:
            levels = np.searchsorted(np.array(self.cuts), column, side="left").astype(np.int32)
            return np.where(np.isnan(column), np.int32(self.fill), levels)
        table = np.full(max(int(column.max(initial=-1)), *self.codes) + 2, -1, dtype=np.int32)
        table[list(self.codes)] = np.arange(len(self.codes))
        table[-1] = self.fill
        return np.asarray(table[column])


@dataclass(frozen=True, repr=False)
class BinaryTests:
    """All tests of a data set, numbered attribute after attribute.

    Parameters
    ----------
    schema : Schema
    levels : tuple of Levels
        Those of the attributes that have a test at all, as in the schema.
    fill : tuple
        Per attribute the code or number that stands for an unknown value: the most frequent one, the median, both by
        weight; None for an ignored attribute.

    Examples
    --------
    >>> import ctree
    >>> golf = ctree.load_golf()
    >>> tests = BinaryTests.in_bins(golf, 4)
    >>> len(tests), [t.threshold for t in tests.tests if t.attribute == golf.schema.index("humidity")]
    (10, [70.0, 80.0, 90.0])
    >>> tests.columns(golf).shape
    (10, 14)
    """

    schema: Schema
    levels: tuple[Levels, ...]
    fill: tuple[float | int | None, ...]

    def __repr__(self) -> str:
        return f"<BinaryTests: {plural(len(self), 'test')} of {plural(len(self.levels), 'attribute')}>"

    @classmethod
    def in_bins(cls, data: Dataset, bins: int | str | None) -> BinaryTests:
        """The tests of these cases: thresholds between `bins` bins of about as many cases, by weight, or all that
        divide them (None), or none at all, since every attribute is 0 or 1 (``"binary"``)."""
        levels: list[Levels] = []
        fill: list[float | int | None] = []
        for a, column in enumerate(data.columns):
            if column is None:
                fill.append(None)
            elif bins == "binary" and data.weights is None and is_zero_or_one(data, a):
                # A quick way for what is most of the time spent here: columns of 0 and 1, all of them known.
                ones = np.count_nonzero(column)
                fill.append(float(len(column) - ones <= (len(column) - 1) // 2))
                if 0 < ones < len(column):
                    levels.append(Levels(a, (0.0,), (), int(len(column) - ones <= (len(column) - 1) // 2)))
            else:
                if bins == "binary":
                    check_binary(data, a)
                values, middle = _values(data, a)
                fill.append(_filling(data.schema, a, values, middle))
                if data.schema[a].has_order and bins is not None and not isinstance(bins, str):
                    numbers = np.asarray(column, dtype=np.float64)
                    cuts = equal_frequency_cuts(numbers, int(bins), data.weights).tolist()
                else:
                    cuts = values[:-1].tolist()
                levels += _levels(data.schema, a, values, middle, cuts)
        return cls(data.schema, tuple(levels), tuple(fill))

    @classmethod
    def at_boundaries(cls, data: Dataset, min_cases: int = 1) -> BinaryTests:
        """The tests of these cases, with thresholds where the classes change; see `chosen_places`."""
        most = most_thresholds(data.schema)
        bounds = [
            equal_frequency_cuts(np.asarray(column, dtype=np.float64), GRID, data.weights)
            if column is not None and attribute.has_order
            else None
            for attribute, column in zip(data.schema, data.columns, strict=True)
        ]
        levels: list[Levels] = []
        fill: list[float | int | None] = []
        for a, (cuts, table) in enumerate(zip(bounds, class_tables(data, bounds), strict=True)):
            if data.columns[a] is None:
                fill.append(None)
                continue
            values, middle = _values(data, a)
            fill.append(_filling(data.schema, a, values, middle))
            chosen = []
            if cuts is not None and table is not None:
                chosen = table.cuts(cuts, most, min_cases, float(fill[-1] or 0.0))
            levels += _levels(data.schema, a, values, middle, chosen)
        return cls(data.schema, tuple(levels), tuple(fill))

    @classmethod
    def of_cases(cls, data: Dataset) -> BinaryTests:
        """The tests that divide these cases, with thresholds in the middle between two values."""
        levels: list[Levels] = []
        fill: list[float | int | None] = []
        for a, column in enumerate(data.columns):
            if column is None:
                fill.append(None)
                continue
            values, middle = _values(data, a)
            fill.append(_filling(data.schema, a, values, middle))
            cuts = [between(low, high) for low, high in pairwise(values.tolist())]
            levels += _levels(data.schema, a, values, middle, cuts)
        return cls(data.schema, tuple(levels), tuple(fill))

    @classmethod
    def of_counts(
        cls,
        schema: Schema,
        counted: Sequence[tuple[npt.NDArray[Any], npt.NDArray[Any]] | None],
        cuts: Sequence[npt.NDArray[np.float64] | None],
    ) -> BinaryTests:
        """The tests of cases of which only values are known, ascending, and what the cases of each weigh.

        Thresholds are the cuts of an attribute, or all its values but the last if it has none. Where it has, values far
        from the median need not be there, if another stands for them.
        """
        levels: list[Levels] = []
        fill: list[float | int | None] = []
        for a, (found, bounds) in enumerate(zip(counted, cuts, strict=True)):
            if found is None:
                fill.append(None)
                continue
            values, middle = found[0], middle_place(found[1], schema[a].has_order)
            fill.append(_filling(schema, a, values, middle))
            levels += _levels(schema, a, values, middle, (values[:-1] if bounds is None else bounds).tolist())
        return cls(schema, tuple(levels), tuple(fill))

    @classmethod
    def of_levels(cls, schema: Schema, levels: Sequence[Levels]) -> BinaryTests:
        """The tests of these levels; an unknown value is any number of the level that stands for it."""
        fill: list[float | int | None] = [None if not (a.is_discrete or a.has_order) else 0 for a in schema]
        for entry in levels:
            if entry.is_ordered:
                fill[entry.attribute] = _number_of(schema[entry.attribute], entry.cuts, entry.fill)
            else:
                fill[entry.attribute] = entry.codes[entry.fill]
        return cls(schema, tuple(levels), tuple(fill))

    def __len__(self) -> int:
        return len(self.attribute)

    @cached_property
    def tests(self) -> tuple[BinaryTest, ...]:
        return tuple(test for entry in self.levels for test in entry.tests())

    @property
    def attributes(self) -> Ints:
        """The attribute of each test, by its place in the schema."""
        return np.array([entry.attribute for entry in self.levels], dtype=np.int32)[self.attribute]

    @cached_property
    def attribute(self) -> Ints:
        """The attribute of each test, by its place in `levels`."""
        return np.repeat(np.arange(len(self.levels)), [entry.n_tests for entry in self.levels]).astype(np.int32)

    @cached_property
    def level(self) -> Ints:
        """The level that each test asks for, or up to which."""
        return np.concatenate([[], *(np.arange(entry.n_tests) for entry in self.levels)]).astype(np.int32)

    @cached_property
    def ordered(self) -> npt.NDArray[np.bool_]:
        """Which attributes that have tests are continuous."""
        return np.array([entry.is_ordered for entry in self.levels], dtype=np.bool_)

    def groups(self, test_prior: str) -> npt.NDArray[np.int32] | None:
        """Which tests share the chance of one: none, those of one attribute, or the thresholds of one attribute."""
        if test_prior == "per-test":
            return None
        keys: list[Any] = [
            t.attribute if test_prior == "per-feature" or t.is_threshold else (t.attribute, t.value) for t in self.tests
        ]
        numbers = {key: i for i, key in enumerate(dict.fromkeys(keys))}
        return np.array([numbers[key] for key in keys], dtype=np.int32)

    @property
    def n_tests_of(self) -> list[int]:
        """How many tests each attribute has, by its place in `levels`."""
        return [entry.n_tests for entry in self.levels]

    def of(self, data: Dataset) -> Ints:
        """The levels of cases, (cases, attributes that have tests)."""
        result = np.zeros((data.n_cases, len(self.levels)), dtype=np.int32)
        for k, entry in enumerate(self.levels):
            column = data.columns[entry.attribute]
            assert column is not None
            result[:, k] = entry.of(column)
        return result

    def grid(self, data: Dataset) -> TestGrid:
        """The tests as bits of these cases."""
        from ctree_ext.mcmc.test_grid import TestGrid

        assert data.classes is not None
        levels = self.of(data)
        return TestGrid(
            [np.ascontiguousarray(levels[:, k]) for k in range(len(self.levels))],
            [entry.n_levels for entry in self.levels],
            self.ordered.tolist(),
            np.ascontiguousarray(data.classes),
            data.schema.n_classes,
            data.weights,
        )

    def columns(self, data: Dataset) -> Bytes:
        """1 where a case passes a test, (tests, cases); unknown values are filled in."""
        result = np.empty((len(self.tests), data.n_cases), dtype=np.uint8)
        columns = self.filled(data).columns
        for row, test in zip(result, self.tests, strict=True):
            column = columns[test.attribute]
            assert column is not None
            row[:] = column <= test.threshold if test.is_threshold else column == test.value
        return result

    def described(self) -> str:
        """How many there are of each kind.

        >>> import ctree
        >>> BinaryTests.in_bins(ctree.load_golf(), 4).described()
        '6 thresholds of 2 attributes and 4 values of 2'
        """
        kinds: list[tuple[int, str, int]] = []
        for word, ordered in (("threshold", True), ("value", False)):
            some = [entry.n_tests for entry in self.levels if entry.is_ordered == ordered]
            if some:
                kinds.append((sum(some), word, len(some)))
        told = [
            f"{plural(n, word)} of {plural(m, 'attribute') if i == 0 else m}" for i, (n, word, m) in enumerate(kinds)
        ]
        return " and ".join(told) or "no test"

    def filled(self, data: Dataset) -> Dataset:
        """The same cases with unknown values filled in, but for attributes of which no value is known."""
        pairs = zip(self.schema, self.fill, strict=True)
        return imputed(
            data, [None if (a.is_discrete or a.is_ordered) and not a.values else value for a, value in pairs]
        )


def _number_of(attribute: Attribute, cuts: Sequence[float], level: int) -> float:
    """A number of a level: the cut above it, or the next after the last; a whole one where all numbers are."""
    highest = level == len(cuts)
    if attribute.is_continuous:
        return float(np.nextafter(cuts[-1], np.inf)) if highest else cuts[level]
    return float(np.floor(cuts[-1]) + 1 if highest else np.floor(cuts[level]))


def _values(data: Dataset, attribute: int) -> tuple[npt.NDArray[Any], int]:
    """The known values of an attribute in order, and which of them is the median, or the most frequent, by weight."""
    column = data.columns[attribute]
    assert column is not None
    continuous = data.schema[attribute].has_order
    known = ~np.isnan(column) if continuous else column >= 0
    if data.weights is None:
        values, counts = np.unique(column[known], return_counts=True)
    else:
        values, places = np.unique(column[known], return_inverse=True)
        counts = np.bincount(places, data.weights[known])
    return values, middle_place(counts, continuous)


def middle_place(counts: npt.NDArray[Any], continuous: bool) -> int:
    """Which of some values is the median, or the most frequent, by what the cases of each weigh; 0 if there is none."""
    if len(counts) == 0:
        return 0
    # Sums of fractional weights may miss a half, or each other, by the last bits.
    if continuous:
        return int(np.searchsorted(np.cumsum(counts), counts.sum() / 2 * NEARLY))
    return int((counts >= counts.max() * NEARLY).argmax())


def _filling(schema: Schema, attribute: int, values: npt.NDArray[Any], middle: int) -> float | int:
    """What stands for an unknown value."""
    if len(values):
        return values[middle].item()  # type: ignore[no-any-return]
    return 0 if schema[attribute].is_discrete else 0.0


def _levels(schema: Schema, attribute: int, values: npt.NDArray[Any], middle: int, cuts: list[float]) -> list[Levels]:
    """The levels of an attribute, or none if there is nothing to test."""
    if schema[attribute].is_discrete:
        return [Levels(attribute, (), tuple(values.tolist()), middle)] if len(values) > 1 else []
    fill = int(np.searchsorted(cuts, values[middle], side="left")) if len(values) else 0
    return [Levels(attribute, tuple(cuts), (), fill)] if len(cuts) else []
