"""Cases of a source that are changed on the way of each pass: weighed by class, or with unknown values filled in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.impute import Filler
from ctree.data.schema import Schema
from ctree.scale.coded_part import CodedPart
from ctree.scale.coded_source import CodedSource
from ctree.scale.coding import Numbers
from ctree.scale.column_coders import narrowest
from ctree.scale.engines.changed import Change, ChangedEngine
from ctree.scale.gathering import least_of_codes, numbers_of_codes
from ctree.scale.source import Bins
from ctree.scale.unit import unit_of_weights, whole_units
from ctree_ext.base.node_arrays import Floats
from ctree_ext.scale.binning import MOST_BINS


@dataclass(frozen=True)
class _Coding:
    schema: Schema
    bins: list[Bins | None]
    class_counts: Numbers
    unknown: Numbers


def _changed(source: CodedSource, change: Change, coding: _Coding, unit: float | None) -> CodedSource:
    result = CodedSource(source.parts, coding, ChangedEngine(source.engine, change), source.memory, unit)
    result.passes = source.passes
    return result


# Weights by class


@dataclass(frozen=True)
class _ByClass:
    """Multiplies the weights of cases by a factor of their class. Cases that weigh nothing then are left out."""

    factors: Floats
    unit: float
    """Of the weights before."""
    new_unit: float

    def __call__(self, part: CodedPart) -> CodedPart:
        part = _of_classes(part, self.factors > 0)
        weights = self.factors[part.classes]
        if part.weights is not None:
            weights *= part.weights * self.unit
        return replace(part, weights=whole_units(weights, self.new_unit).astype(np.int64))


@dataclass(frozen=True)
class _OfClasses:
    """The cases of some classes."""

    which: npt.NDArray[np.bool_]

    def __call__(self, part: CodedPart) -> CodedPart:
        return _of_classes(part, self.which)


def _of_classes(part: CodedPart, which: npt.NDArray[np.bool_]) -> CodedPart:
    rows = which[part.classes]
    if rows.all():
        return part

    def taken(arrays: Sequence[npt.NDArray[Any] | None]) -> tuple[npt.NDArray[Any] | None, ...]:
        return tuple(None if array is None else array[rows] for array in arrays)

    weights = None if part.weights is None else part.weights[rows]
    return CodedPart(int(rows.sum()), taken(part.codes), taken(part.numbers), part.classes[rows], weights)


@dataclass(frozen=True)
class _Seen:
    """What cases have: the ends of bins, how many values are unknown, and the least weight of each class."""

    ends: tuple[Floats | None, ...]
    unknown: Numbers
    least: Numbers


@dataclass(frozen=True)
class _See:
    """Looks through parts."""

    numbers: tuple[Floats | None, ...]
    """Of each continuous attribute the number of each code, needed where numbers are not kept."""
    n_classes: int
    change: Change

    def __call__(self, parts: Iterable[CodedPart]) -> _Seen:
        ends = [None if table is None else _no_ends(len(table) - 1) for table in self.numbers]
        unknown = np.zeros(len(ends), dtype=np.int64)
        least = np.full(self.n_classes, np.iinfo(np.int64).max)
        for part in map(self.change, parts):
            if part.weights is not None:
                np.minimum.at(least, part.classes, part.weights)
            for a, codes in enumerate(part.codes):
                if codes is None:
                    continue
                known = codes > 0
                unknown[a] += part.n - int(np.count_nonzero(known))
                found, table, numbers = ends[a], self.numbers[a], part.numbers[a]
                if found is not None and table is not None:
                    places, values = codes[known].astype(np.int64) - 1, (table[codes] if numbers is None else numbers)
                    np.minimum.at(found[0], places, values[known] + 0.0)
                    np.maximum.at(found[1], places, values[known] + 0.0)
        return _Seen(tuple(ends), unknown, least)


def _no_ends(n_bins: int) -> Floats:
    return np.repeat([[np.inf], [-np.inf]], n_bins, axis=1)


def _all_seen(some: Sequence[_Seen]) -> _Seen:
    ends: list[Floats | None] = []
    for found in zip(*(one.ends for one in some), strict=True):
        filled = [one for one in found if one is not None]
        lower, upper = ([one[side] for one in filled] for side in (0, 1))
        ends.append(np.array([np.minimum.reduce(lower), np.maximum.reduce(upper)]) if filled else None)
    return _Seen(
        tuple(ends),
        np.sum([one.unknown for one in some], axis=0, dtype=np.int64),
        np.minimum.reduce([one.least for one in some]),
    )


def weighted_by_class(source: CodedSource, totals: Floats, factors: Floats) -> CodedSource:
    """The cases with their weights times a factor of their class; without those of a class whose factor is 0.

    One pass is made where cases have weights, or where some are left out.

    Parameters
    ----------
    totals : float64 array
        What the cases of each class weigh.
    factors : float64 array
    """
    kept = (factors > 0) & (source.class_counts > 0)
    coding = _Coding(source.schema, source.bins, np.where(kept, source.class_counts, 0), source.unknown)
    least = factors[kept].min(initial=np.inf)
    if source.weighted or not (kept | (source.class_counts == 0)).all():
        numbers = tuple(least_of_codes(bins) for bins in source.bins)
        task = _See(numbers, source.schema.n_classes, _OfClasses(kept))
        seen = source.each("class", task, _all_seen)
        bins = [
            None if old is None or ends is None else Bins(old.cuts, *ends)
            for old, ends in zip(source.bins, seen.ends, strict=True)
        ]
        coding = replace(coding, bins=bins, unknown=seen.unknown)
        if source.weighted:
            least = (seen.least[kept] * source.unit * factors[kept]).min(initial=np.inf)
    unit = unit_of_weights(float((totals * factors)[kept].sum()), float(least))
    return _changed(source, _ByClass(factors, source.unit, unit), coding, unit)


# Unknown values


@dataclass(frozen=True)
class _Fill:
    """Takes codes and numbers for those that are unknown.

    Parameters
    ----------
    codes : dict
        By attribute, the new code of each code, 0 for unknown first.
    numbers : dict
        By attribute whose numbers are kept, the number for unknown ones.
    made : dict
        By attribute whose numbers were not kept, but have to be now, the number of each code.
    """

    codes: dict[int, npt.NDArray[Any]]
    numbers: dict[int, float]
    made: dict[int, Floats]

    def __call__(self, part: CodedPart) -> CodedPart:
        codes, numbers = list(part.codes), list(part.numbers)
        for a, table in self.codes.items():
            old, known = codes[a], numbers[a]
            assert old is not None
            codes[a] = table[old]
            if a in self.made:
                numbers[a] = self.made[a][old]
            elif known is not None:
                numbers[a] = np.where(old == 0, self.numbers[a], known)
        return replace(part, codes=tuple(codes), numbers=tuple(numbers))


def filled(source: CodedSource, fillers: Sequence[Filler]) -> CodedSource:
    """The cases with something taken for the unknown values of attributes that have a filler."""
    bins, unknown = list(source.bins), source.unknown.copy()
    change = _Fill({}, {}, {})
    for a, filler in enumerate(fillers):
        if filler is None or not unknown[a]:
            continue
        old = bins[a]
        if old is None:
            n_values = len(source.schema[a].values)
            change.codes[a] = _table(n_values, int(filler) + 1)
        else:
            bins[a] = _with_number(old, float(filler), a, change)
        unknown[a] = 0
    coding = _Coding(source.schema, bins, source.class_counts, unknown)
    return _changed(source, change, coding, source.unit if source.weighted else None)


def _table(n_codes: int, of_unknown: int) -> npt.NDArray[Any]:
    """Codes as they are, but for unknown."""
    table = np.arange(n_codes + 1, dtype=narrowest(n_codes))
    table[0] = of_unknown
    return table


def _with_number(bins: Bins, number: float, attribute: int, change: _Fill) -> Bins:
    """The bins with one more number in them; in a bin of its own if all have one value."""
    number += 0.0  # not -0.0
    change.numbers[attribute] = number
    place = int(np.searchsorted(bins.cuts, number, side="left"))
    least, most = bins.least.copy(), bins.most.copy()
    one_value = bool((least >= most).all())
    if one_value and least[place] <= most[place] and least[place] != number and len(bins) < MOST_BINS:
        # below or above the one value of the bin
        below = number < least[place]
        cut = number if below else float(least[place])
        new = place if below else place + 1
        table = np.arange(len(bins) + 1)
        table[1 + new :] += 1
        table[0] = 1 + new
        change.codes[attribute] = table.astype(narrowest(len(bins) + 1))
        return Bins(np.insert(bins.cuts, place, cut), np.insert(least, new, number), np.insert(most, new, number))
    change.codes[attribute] = _table(len(bins), 1 + place)
    if one_value and least[place] <= most[place] and least[place] != number:
        numbers = numbers_of_codes(bins)
        assert numbers is not None
        numbers[0] = number
        change.made[attribute] = numbers
    least[place], most[place] = min(least[place], number), max(most[place], number)
    return Bins(bins.cuts, least, most)
