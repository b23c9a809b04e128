"""CodedSource: cases in coded parts, through which an engine makes passes."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.schema import Kind
from ctree.errors import DataError, ParameterError
from ctree.scale import distinct, last_values
from ctree.scale import opening as openings
from ctree.scale.coded_part import CodedPart
from ctree.scale.coding import Coding
from ctree.scale.count_blocks import CountBlock, count_blocks
from ctree.scale.counting import CountTask, add_up
from ctree.scale.engines.engine import Engine, PartLoader
from ctree.scale.fault_words import fault_in_words
from ctree.scale.gathering import SizeTask, Split, Work, numbers_of_codes
from ctree.scale.number_runs import Merge, opened
from ctree.scale.packing import megabytes, packed
from ctree.scale.part_results import CombineSome, OfCases, PartTask
from ctree.scale.passes import Pass
from ctree.scale.source import Bins, Counts, Distinct, Opened, Opening
from ctree.scale.top_tree import Routing, TopTree
from ctree.scale.unit import default_unit
from ctree.scale.way_down import WayDown, way_down
from ctree.wording import abbreviated
from ctree_ext.base.node_arrays import Floats
from ctree_ext.scale.faults import PartError
from ctree_ext.scale.pick import bits_of_ranges
from ctree_ext.scale.tally import rows_of_counts

Numbers = npt.NDArray[np.int64]
_R = TypeVar("_R")

GROWING = 2.35
"""How many times the memory of its columns a data set takes while a tree is grown from it."""


class CodedSource:
    """A `CaseSource` over coded parts, wherever they are.

    Parameters
    ----------
    parts : sequence of PartLoader
    coding : Coding
    engine : Engine
    memory : int
        Bytes that may be used: an eighth for the result of a pass, a quarter for those of all threads, half for the
        cases of nodes that are finished. What does not fit is done in several passes.
    unit : float, optional
        What 1 in the weights of parts stands for, a power of two up to 1; needed if parts have weights.

    Attributes
    ----------
    class_counts : int64 array
        How many cases each class has, whatever they weigh.
    unknown : int64 array
        How many values are unknown, for each attribute.
    collects : bool
        Whether learners may collect the cases where these fit into memory. Set it to False to have them go through
        the cases pass by pass; the model is the same.
    passes : list of Pass
        Those that were made so far.
    """

    collects: bool = True

    def __init__(
        self,
        parts: Sequence[PartLoader],
        coding: Coding,
        engine: Engine,
        memory: int,
        unit: float | None = None,
    ) -> None:
        self.parts = list(parts)
        self.schema = coding.schema
        self.bins = list(coding.bins)
        self.class_counts = coding.class_counts
        self.unknown = coding.unknown
        self.n_cases = int(coding.class_counts.sum())
        self.complete = not coding.unknown.any()
        self.unit = default_unit(self.n_cases, self.complete) if unit is None else unit
        if not 0 < self.unit <= 1 or math.frexp(self.unit)[0] != 0.5:
            raise ParameterError(f"unit={self.unit!r}, but it should be a power of two up to 1")
        self.engine = engine
        self.memory = memory
        self.n_workers = engine.at_once * engine.n_processes
        self.passes: list[Pass] = []
        self.weighted = unit is not None
        self._one = round(1 / self.unit)
        self._fractions = unit is not None or not self.complete
        self._unknown = tuple((coding.unknown > 0).tolist())

    # Counting

    def count(
        self,
        routing: Routing,
        nodes: Sequence[int],
        attributes: Sequence[int] | None = None,
        shifts: Mapping[int, int] | None = None,
    ) -> Counts:
        """Class counts at nodes, by values and by bins; those of an attribute in `shifts` in coarser bins.

        One pass where the counts fit an eighth of the memory, and those of all threads a quarter; else one for each
        block of attributes.
        """
        shifts = shifts or {}
        asked = range(len(self.schema)) if attributes is None else sorted(set(attributes))
        wanted = [a for a in asked if self.schema[a].kind is not Kind.IGNORE]
        for a in shifts.keys() & set(wanted):
            if self.schema[a].is_discrete and shifts[a]:
                raise ValueError(f"values of attribute {a} are discrete and have no coarser bins")
        n_rows = {a: rows_of_counts(self._n_values(a), shifts.get(a, 0)) for a in wanted}
        n_classes = self.schema.n_classes
        blocks = count_blocks(len(nodes), {a: 8 * n * n_classes for a, n in n_rows.items()}, self._room())
        self._check_blocks(blocks, n_rows)
        classes = np.zeros((len(nodes), n_classes), dtype=np.int64)
        counts: list[Numbers | None] = [None] * len(self.schema)
        for block in blocks:
            way = self._way(routing, nodes[block.first : block.end])
            task = CountTask(way, block.attributes, tuple(shifts.get(a, 0) for a in block.attributes))
            with self._pass("count"):
                result = self.engine.each(task, self.parts, combine=add_up)
            here = slice(block.first, block.end)
            classes[here] = result.classes
            for a, found in zip(block.attributes, result.counts, strict=True):
                by_node = np.ascontiguousarray(found.transpose(1, 0, 2))
                if len(by_node) == len(nodes):
                    counts[a] = by_node
                    continue
                table = counts[a]
                if table is None:
                    table = counts[a] = np.zeros((len(nodes), n_rows[a], n_classes), dtype=np.int64)
                table[here] = by_node
        return Counts(classes, counts)

    def _check_blocks(self, blocks: Sequence[CountBlock], n_rows: Mapping[int, int]) -> None:
        """A block that cannot be divided may be larger than it should be, but not as large as the memory."""
        for block in blocks:
            if block.n_bytes > self._most_room():
                rows = max(block.attributes, key=lambda a: n_rows[a])
                raise DataError(
                    f"the counts of attribute '{abbreviated(self.schema[rows].name)}' take {megabytes(block.n_bytes)} "
                    f"in each of {self.engine.at_once} threads, too much for {megabytes(self.memory)} of memory"
                )

    # Opening

    def open(self, routing: Routing, wanted: Sequence[Opening], near: float = 0.0) -> list[Opened]:
        """The numbers in some bins; those of a range that are not above the one before by more than `near` together.

        One pass if the cases there fit an eighth of the memory. If they do not, the pass only counts them, and others
        follow for as many openings at a time as fit.
        """
        most = max(1, self._room() // openings.BYTES_PER_CASE)
        result: list[Opened | None] = [None] * len(wanted)
        groups = [list(range(len(wanted)))] if wanted else []
        while groups:
            group = groups.pop()
            limit = most if len(group) > 1 else max(1, self._most_room() // openings.BYTES_PER_CASE)
            found = self._open_some(routing, [wanted[i] for i in group], near, limit)
            if found.run is not None:
                for i, one in zip(group, opened(found.run, len(group), self.schema.n_classes), strict=True):
                    result[i] = one
            elif len(group) > 1:
                groups += packed(dict(zip(group, found.sizes.tolist(), strict=True)), most)
            else:
                raise self._too_many(wanted[group[0]].attribute, limit)
        return [one for one in result if one is not None]

    def _open_some(self, routing: Routing, wanted: Sequence[Opening], near: float, most: int) -> openings.Picked:
        some = self._openings(routing, wanted)
        merge = Merge(near, self._ends(wanted) if near else ())
        with self._pass("open"):
            return self.engine.each(
                openings.OpenTask(some, merge, most), self.parts, combine=openings.Join(merge, most)
            )

    def _openings(self, routing: Routing, wanted: Sequence[Opening]) -> openings.Openings:
        nodes = sorted({opening.node for opening in wanted})
        places = {node: place for place, node in enumerate(nodes)}
        return openings.Openings(
            self._way(routing, nodes),
            np.array([places[opening.node] for opening in wanted], dtype=np.int32),
            np.array([opening.attribute for opening in wanted], dtype=np.int32),
            tuple(bits_of_ranges(opening.bins, len(self._bins_of(opening.attribute))) for opening in wanted),
            tuple(self._bins_of(opening.attribute).least for opening in wanted),
        )

    def _ends(self, wanted: Sequence[Opening]) -> tuple[Floats, ...]:
        """Of each opening the greatest number that each of its ranges may have."""
        return tuple(self._bins_of(opening.attribute).ends(opening.bins) for opening in wanted)

    def _bins_of(self, attribute: int) -> Bins:
        bins = self.bins[attribute]
        if bins is None:
            raise ValueError(f"attribute {attribute} has no bins")
        return bins

    # Counting distinct numbers

    def distinct(self, routing: Routing, wanted: Sequence[Opening], near: float = 0.0) -> list[Distinct]:
        """How many distinct numbers are in ranges of bins, above the one before by more than `near`.

        A pass counts the cases there; then those of as many openings as fit half of the memory are taken in a pass,
        and sorted where they are.
        """
        if not wanted:
            return []
        sizes = self._cases_in(routing, wanted)
        most = max(1, self.memory // 2 // distinct.BYTES_PER_NUMBER)
        result: list[Distinct | None] = [None] * len(wanted)
        small = {i: n for i, n in enumerate(sizes.tolist()) if n <= most}
        for group in packed(small, most):
            found = self._distinct_of(routing, [wanted[i] for i in group], sizes[group], near)
            for i, one in zip(group, found, strict=True):
                result[i] = one
        for i, n in enumerate(sizes.tolist()):
            if n > most:
                parts = distinct.halves(wanted[i])
                if parts is None:
                    raise self._too_many(wanted[i].attribute, most)
                result[i] = distinct.joined(wanted[i], self.distinct(routing, parts, near), near)
        return [one for one in result if one is not None]

    def _cases_in(self, routing: Routing, wanted: Sequence[Opening]) -> Numbers:
        """How many cases are in openings."""
        with self._pass("distinct"):
            task = distinct.SizesTask(self._openings(routing, wanted))
            return self.engine.each(task, self.parts, combine=_sum)

    def _distinct_of(self, routing: Routing, wanted: Sequence[Opening], sizes: Numbers, near: float) -> list[Distinct]:
        some = self._openings(routing, wanted)
        with self._pass("distinct"):
            found = self.engine.by_key(
                distinct.NumbersOfPart(some),
                distinct.CountDistinct(self._ends(wanted), near),
                self.parts,
                {i: distinct.BYTES_PER_NUMBER * n for i, n in enumerate(sizes.tolist())},
                room=self.memory // 2,
            )
        return [found[i] for i in range(len(wanted))]

    def _too_many(self, attribute: int, most: int) -> DataError:
        return DataError(
            f"attribute '{abbreviated(self.schema[attribute].name)}' has more than {most:,} numbers in bins that have "
            f"to be looked at, too many for {megabytes(self.memory)} of memory"
        )

    # Gathering

    @property
    def bytes_per_case(self) -> int:
        """What a case takes in a `Dataset`."""
        columns = sum(4 if a.is_discrete else 8 if a.has_order else 0 for a in self.schema)
        return columns + 4 + (8 if self._fractions else 0)

    @property
    def most_finished(self) -> int:
        """How many cases a node may have to be finished: as many as the memory has room for while a tree is grown."""
        return int(self.memory / (GROWING * self.bytes_per_case))

    def finish(self, routing: Routing, nodes: Mapping[int, int], grow: Callable[[int, Dataset], _R]) -> dict[int, _R]:
        """The subtrees of nodes, given how many cases each has, grown from all cases there by `grow(node, cases)`.

        The cases of some nodes, as many as fit half of the memory, are gathered in one pass, and their subtrees are
        grown by as many threads as the other half allows.
        """
        largest = max(nodes.values(), default=0)
        if largest > self.most_finished:
            raise DataError(
                f"a node has {largest:,} cases, for which {megabytes(self.memory)} of memory are too little: there is "
                f"room for {self.most_finished:,}"
            )
        numbers = tuple(numbers_of_codes(bins) for bins in self.bins)
        result: dict[int, _R] = {}
        room = self.memory // 2 * self.engine.n_processes
        for group in packed(nodes, max(1, room // self.bytes_per_case)):
            growing = {node: int(GROWING * self.bytes_per_case * nodes[node]) for node in group}
            with self._pass("finish"):
                result |= self.engine.by_key(
                    Split(self._way(routing, group), self._unknown),
                    Work(self.schema, numbers, self._one, grow),
                    self.parts,
                    growing,
                    room=self.memory // 2,
                )
        return {node: result[node] for node in nodes}

    def sizes(self, routing: Routing, nodes: Sequence[int]) -> dict[int, int]:
        """How many cases nodes have, or parts of cases; whatever they weigh."""
        with self._pass("size"):
            sizes = self.engine.each(SizeTask(self._way(routing, list(nodes))), self.parts, combine=_sum)
        return dict(zip(nodes, sizes.tolist(), strict=True))

    def known(self, routing: Routing, wanted: Sequence[tuple[int, int]]) -> list[int]:
        """How many cases of a node, or parts of cases, have a number of an attribute, for pairs of the two."""
        openings = [Opening(node, a, np.array([[0, len(self._bins_of(a))]])) for node, a in wanted]
        return self._cases_in(routing, openings).tolist() if openings else []

    @property
    def fits_memory(self) -> bool:
        """Whether learners collect the cases: there is room for them while a tree is grown."""
        return self.collects and self.n_cases <= self.most_finished

    def last_up_to(self, limits: Mapping[int, Floats]) -> dict[int, Floats]:
        """For each of some numbers of an attribute the greatest value of any case that is not above it, or -inf.

        One pass, or none where the bins tell.
        """
        known, task = last_values.planned(self.bins, limits)
        if not task.limits:
            return known
        with self._pass("last"):
            found = self.engine.each(task, self.parts, combine=last_values.greatest)
        return last_values.joined(known, found, task, limits)

    def collect(self) -> Dataset:
        """All cases, in memory."""
        if self.n_cases * self.bytes_per_case > self.memory:
            raise DataError(
                f"{self.n_cases:,} cases take {megabytes(self.n_cases * self.bytes_per_case)}, which do not fit into "
                f"{megabytes(self.memory)} of memory"
            )
        root = TopTree(self.schema.n_classes)
        root.add_leaf(np.zeros(self.schema.n_classes))
        numbers = tuple(numbers_of_codes(bins) for bins in self.bins)
        with self._pass("collect"):
            found = self.engine.by_key(
                Split(self._way(root.routing(), [0]), self._unknown),
                Work(self.schema, numbers, self._one, _the_cases),
                self.parts,
                {0: self.n_cases * self.bytes_per_case},
                room=self.memory,
            )
        return found[0]

    # Any other work

    def each(self, kind: str, task: Callable[[Iterable[CodedPart]], _R], combine: Callable[[Sequence[_R]], _R]) -> _R:
        """One pass of any kind: what tasks make of all parts, combined as `Engine.each` has it."""
        with self._pass(kind):
            return self.engine.each(task, self.parts, combine=combine)

    def by_parts(self, work: Callable[[Dataset], _R], combine: Callable[[Sequence[_R]], _R]) -> _R | None:
        """What a function makes of the cases of each part, in no order, combined: one pass; None if there are no parts.

        Both functions are picklable, and `combine` is associative.
        """
        numbers = tuple(numbers_of_codes(bins) for bins in self.bins)
        decoded = Work(self.schema, numbers, self._one, OfCases(work))
        with self._pass("parts"):
            return self.engine.each(PartTask(decoded, self._unknown, combine), self.parts, combine=CombineSome(combine))

    # What they have in common

    def _n_values(self, attribute: int) -> int:
        bins = self.bins[attribute]
        return len(self.schema[attribute].values) if bins is None else len(bins)

    def _room(self) -> int:
        """What the result of a task may take: an eighth of the memory, and all at once no more than a quarter."""
        return min(self.memory // 8, self.memory // 4 // self.engine.at_once)

    def _most_room(self) -> int:
        """What a result may take that cannot be divided."""
        return self.memory // 2 // self.engine.at_once

    def _way(self, routing: Routing, nodes: Sequence[int]) -> WayDown:
        return way_down(routing, nodes, self.schema, self.bins, one=self._one)

    @contextmanager
    def _pass(self, kind: str) -> Iterator[None]:
        """Note a pass, and say in words what kernels find wrong."""
        start = time.monotonic()
        try:
            yield
        except PartError as fault:
            raise DataError(fault_in_words(fault, self.schema)) from None
        self.passes.append(Pass(kind, self.n_cases, time.monotonic() - start))


def _sum(results: Sequence[Numbers]) -> Numbers:
    total: Numbers = np.sum(results, axis=0, dtype=np.int64)
    return total


def _the_cases(_: int, cases: Dataset) -> Dataset:
    return cases
