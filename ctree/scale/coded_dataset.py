"""A Dataset in coded parts, in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.schema import Kind, Schema
from ctree.errors import DataError
from ctree.scale.coded_part import CodedPart
from ctree.scale.coded_source import CodedSource
from ctree.scale.column_coders import narrowest
from ctree.scale.engines.engine import Engine
from ctree.scale.engines.local import LocalEngine
from ctree.scale.source import Bins
from ctree.scale.unit import unit_of_weights, whole_units
from ctree_ext.base.node_arrays import Floats
from ctree_ext.scale.binning import MOST_BINS

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class HeldPart:
    """A part that is in memory."""

    part: CodedPart

    @property
    def n(self) -> int:
        """How many cases there are."""
        return self.part.n

    def load(self) -> CodedPart:
        """The cases."""
        return self.part


@dataclass(frozen=True)
class DatasetCoding:
    """What the parts of a data set have in common; see `Coding`."""

    schema: Schema
    bins: list[Bins | None]
    class_counts: Numbers
    unknown: Numbers


def coded_from_dataset(
    data: Dataset,
    partition: int | Sequence[npt.ArrayLike] = 1,
    bins: int = MOST_BINS,
    *,
    sample: npt.ArrayLike | None = None,
    engine: Engine | None = None,
    memory: int = 1 << 30,
) -> CodedSource:
    """The cases of a data set as a source.

    Parameters
    ----------
    data : Dataset
        With classes, all known.
    partition : int or sequence of int arrays
        How many parts, or the rows of each; there may be empty ones.
    bins : int
        The greatest number of bins. A column of no more distinct numbers has a bin for each.
    sample : int array, optional
        The rows by whose numbers other columns are cut; all if None.
    engine : Engine, optional
        By default one thread.
    memory : int

    Examples
    --------
    >>> import ctree
    >>> source = coded_from_dataset(ctree.load_iris(), partition=3, bins=16)
    >>> source.n_cases, source.complete, [part.n for part in source.parts], len(source.bins[0])
    (150, True, [50, 50, 50], 16)
    """
    if data.classes is None or (data.classes < 0).any():
        raise DataError("the cases have no classes, or not all of them are known")
    if not 1 <= bins <= MOST_BINS:
        raise ValueError(f"{bins} bins, but there can be 1 to {MOST_BINS}")
    places = np.arange(data.n_cases)
    rows = [
        np.asarray(part, dtype=np.intp)
        for part in (np.array_split(places, partition) if isinstance(partition, int) else partition)
    ]
    if not np.array_equal(np.sort(np.concatenate([np.empty(0, dtype=np.intp), *rows])), places):
        raise ValueError("a partition has every row once")
    weights, unit = (None, None) if data.weights is None else _units(data.weights)
    if weights is not None and not weights.all():
        # what counts nothing is left out
        places = np.cumsum(weights > 0) - 1
        left = [
            places[some[weights[some] > 0]] for some in (*rows, np.asarray(() if sample is None else sample, np.intp))
        ]
        sample = None if sample is None else left[-1]
        return coded_from_dataset(data.take(weights > 0), left[:-1], bins, sample=sample, engine=engine, memory=memory)
    codes: list[npt.NDArray[Any] | None] = []
    numbers: list[Floats | None] = []
    all_bins: list[Bins | None] = []
    unknown = np.zeros(len(data.schema), dtype=np.int64)
    for a, (attribute, column) in enumerate(zip(data.schema, data.columns, strict=True)):
        found: Bins | None = None
        coded: npt.NDArray[np.int64] | None = None
        kept: Floats | None = None
        if attribute.kind is Kind.DISCRETE and column is not None:
            coded = column.astype(np.int64) + 1
        elif column is not None:
            kept = np.asarray(column, dtype=np.float64) + 0.0  # -0.0 becomes 0.0
            found = bins_of(kept, bins, kept if sample is None else kept[np.asarray(sample, dtype=np.intp)])
            coded = np.where(np.isnan(kept), 0, np.searchsorted(found.cuts, kept, side="left") + 1)
            if (found.least >= found.most).all():
                kept = None
        if coded is not None:
            unknown[a] = (coded == 0).sum()
            size = len(attribute.values) if found is None else len(found)
            codes.append(coded.astype(narrowest(size)))
        else:
            codes.append(None)
        numbers.append(kept)
        all_bins.append(found)
    classes = data.classes.astype(narrowest(data.schema.n_classes - 1))
    parts = [
        HeldPart(
            CodedPart(
                len(some),
                tuple(None if c is None else c[some] for c in codes),
                tuple(None if x is None else x[some] for x in numbers),
                classes[some],
                None if weights is None else weights[some],
            )
        )
        for some in rows
    ]
    counts = np.bincount(data.classes, minlength=data.schema.n_classes).astype(np.int64)
    coding = DatasetCoding(data.schema, all_bins, counts, unknown)
    return CodedSource(parts, coding, LocalEngine() if engine is None else engine, memory, unit)


def bins_of(numbers: Floats, most: int, sample: Floats) -> Bins:
    """Bins of a column: of one value each if there are no more than so many, else with cuts from a sample."""
    known = numbers[~np.isnan(numbers)]
    distinct = np.unique(known)
    if len(distinct) <= most:
        cuts = distinct[:-1]
    else:
        drawn = np.unique(sample[~np.isnan(sample)])
        places = np.linspace(0, len(drawn) - 1, min(most, len(drawn)) + 1)[1:-1].astype(np.intp)
        cuts = np.unique(drawn[places]) if len(drawn) else drawn
    least = np.full(len(cuts) + 1, np.inf)
    most_of = np.full(len(cuts) + 1, -np.inf)
    places = np.searchsorted(cuts, distinct, side="left")
    np.minimum.at(least, places, distinct)
    np.maximum.at(most_of, places, distinct)
    return Bins(cuts, least, most_of)


def _units(weights: Floats) -> tuple[Numbers, float]:
    """Weights in units, and the unit."""
    unit = unit_of_weights(float(weights.sum()), float(np.min(weights, where=weights > 0, initial=np.inf)))
    return whole_units(weights, unit).astype(np.int64), unit
