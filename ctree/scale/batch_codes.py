"""The codes of a batch of cases, column by column, and the coders that give them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.files.c45_cases import LEAVE_OUT
from ctree.data.scan.reader import Batch, Field, Floats, LocalLabels
from ctree.data.schema import Kind
from ctree.scale.column_coders import MOST_CLASSES, Codes, LabelCoder, NumberCoder
from ctree.wording import abbreviated
from ctree_ext.scale.binning import MOST_BINS

SAMPLE = 200_000
"""Cases that the cuts are chosen by, at least."""

FEWEST_BINS = 255
"""Of a column of many values, however many columns share the memory."""

BIN = 80
"""Bytes that a bin takes, about: its cut twice, its ends for each of a few threads, and entries of a table."""

Coder = LabelCoder | NumberCoder
Keep = npt.NDArray[np.bool_] | None
"""Which cases of a batch are kept; None for all."""


def class_coder(name: str) -> LabelCoder:
    """The coder of the classes."""
    return LabelCoder(f"the class '{abbreviated(name)}'", MOST_CLASSES)


def column_coders(fields: Sequence[Field], memory: int, most_bins: int = MOST_BINS) -> list[Coder | None]:
    """The coders of all other columns, with as many bins as the memory allows; None for one that is ignored."""
    n_continuous = sum(field.kind not in (Kind.DISCRETE, Kind.IGNORE) for field in fields)
    room = memory // (8 * max(n_continuous, 1) * BIN)
    n_bins = min(max(room, FEWEST_BINS), most_bins)
    return [_coder(field, n_bins) for field in fields]


def _coder(field: Field, n_bins: int) -> Coder | None:
    what = f"attribute '{abbreviated(field.name)}'"
    if field.kind is Kind.IGNORE:
        return None
    return LabelCoder(what) if field.kind is Kind.DISCRETE else NumberCoder(what, n_bins)


def coded_classes(
    coder: LabelCoder, batch: Batch, name: str, *, drop: bool, weights: Floats | None = None
) -> tuple[npt.NDArray[Any], Keep]:
    """The classes of the cases that are kept, from 0, and which these are: of a known class, and of some weight."""
    cells = batch.cells[name]
    assert isinstance(cells, LocalLabels)
    codes = coder.code(cells, batch.place)
    known = codes > 0
    one = codes.dtype.type(1)
    if not known.all() and not drop:
        raise batch.place.error(f"{coder.what} is unknown; {LEAVE_OUT}", int(np.argmin(known)))
    keep = known if weights is None else known & (weights > 0)
    return (codes - one, None) if keep.all() else (codes[keep] - one, keep)


def coded_column(coder: Coder, batch: Batch, name: str, keep: Keep) -> tuple[Codes, Floats | None, int]:
    """The codes of a column, its numbers if they are to be kept, and how many values are unknown.

    The codes of numbers are those of the last call of a thread only.
    """
    cells = batch.cells[name]
    if isinstance(coder, NumberCoder):
        assert not isinstance(cells, LocalLabels)
        return coder.code(cells if keep is None else cells[keep], batch.place)
    assert isinstance(cells, LocalLabels)
    codes = coder.code(cells, batch.place)
    codes = codes if keep is None else codes[keep]
    return codes, None, len(codes) - int(np.count_nonzero(codes))
