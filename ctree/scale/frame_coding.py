"""Pieces of a frame that lies elsewhere: what each has in it, and its cases in codes.

Every function depends on nothing but what it is given, so that it may run anywhere, or again. Those that `FrameTables`
call have a table or coded cases first, then the piece that it is, then what is the same for all pieces.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.files.text_file import abbreviated
from ctree.data.scan.arrow_cells import ArrowCells
from ctree.data.scan.arrow_types import load_arrow
from ctree.data.scan.reader import Floats, LocalLabels, Place
from ctree.data.schema import Kind
from ctree.data.tables.levels import find_levels
from ctree.errors import DataError, DataTypeError
from ctree.scale.batch_codes import Coder, coded_classes, coded_column
from ctree.scale.coded_part import CodedPart
from ctree.scale.column_coders import LabelCoder, NumberCoder
from ctree.scale.sized import Sized
from ctree.scale.weight_coder import WeightCoder

Numbers = npt.NDArray[np.int64]
Coders = dict[str, Coder | WeightCoder]
"""Of each column that is used, the class and the weights among them."""


BYTES = dict.fromkeys(Kind, 10) | {Kind.DISCRETE: 4, Kind.IGNORE: 0}
"""Of a value in codes, at most."""

PieceNumber = tuple[int, int]
"""Of some rows of a partition: its number, and how many of its rows are before these. By it pieces are in order."""


def partition(number: int) -> str:
    """What a partition is called in messages."""
    return f"partition {number}"


def _place(piece: PieceNumber) -> Place:
    return Place(partition(piece[0]), row=piece[1] + 1)


# What is there


def as_table(
    frame: Any,
    classes: Any,
    weights: Any,
    number: int,
    names: Mapping[Hashable, str],
    class_name: str,
    weight_name: str | None,
) -> Any:
    """The columns of a partition as a table of Arrow.

    Parameters
    ----------
    frame : pandas.DataFrame
    classes, weights : pandas.Series or None
        The classes and the weights, if they are not columns of it.
    number : int
        Of the partition.
    names : dict
        How each column is called, in the order that all partitions have them in.
    class_name, weight_name : str
    """
    there = list(frame.columns)
    for key in names:
        if key not in there:
            raise DataError(f"there is no column '{abbreviated(key)}', which the frame has", partition(number))
    for key in there:
        if key not in names:
            raise DataError(f"there is a column '{abbreviated(key)}', which the frame has not", partition(number))
    columns = {name: frame[key] for key, name in names.items()}
    for name, series, what in ((class_name, classes, "classes"), (weight_name, weights, "weights")):
        if series is not None and name is not None:
            if len(series) != len(frame):
                raise DataError(f"there are {len(frame):,} cases but {len(series):,} {what}", partition(number))
            columns[name] = series
    arrow = load_arrow()
    arrays = {}
    for name, column in columns.items():
        try:
            arrays[name] = arrow.array(column)
        except arrow.ArrowException:
            raise DataTypeError(
                f"column '{abbreviated(name)}' holds values of several types, or of one that is neither numbers nor "
                "labels; convert them to numbers or to text",
                partition(number),
            ) from None
    return arrow.table(arrays)


@dataclass(frozen=True)
class Shape:
    """How many cases pieces have, and of what types their columns are.

    Parameters
    ----------
    sizes : dict
        Of each piece.
    schemas : dict
        Each schema of Arrow with the first partition that has it.
    """

    sizes: dict[PieceNumber, int]
    schemas: dict[Any, int]


def shape(table: Any, piece: PieceNumber) -> Shape:
    """The shape of one piece."""
    return Shape({piece: table.num_rows}, {table.schema.remove_metadata(): piece[0]})


def shapes(found: Sequence[Shape]) -> Shape:
    """The shape of all."""
    sizes: dict[PieceNumber, int] = {}
    schemas: dict[Any, int] = {}
    for one in found:
        sizes |= one.sizes
        for schema, number in one.schemas.items():
            schemas[schema] = min(number, schemas.get(schema, number))
    return Shape(sizes, schemas)


def survey(
    table: Any, piece: PieceNumber, firsts: Mapping[PieceNumber, int], cells: ArrowCells, coders: Coders, step: int
) -> Coders:
    """The values of a piece, and every so many of its numbers.

    Parameters
    ----------
    firsts : dict
        How many cases there are before each piece.
    """
    found: Coders = {}
    place, first = _place(piece), firsts[piece]
    for name, coder in coders.items():
        batch = cells.batch(table.select([name]), [name], place)
        column, one = batch.cells[name], coder.fresh()
        if isinstance(one, NumberCoder):
            assert not isinstance(column, LocalLabels)
            one.learn(column[-first % step :: step])
        elif isinstance(one, WeightCoder):
            assert not isinstance(column, LocalLabels)
            one.learn(column, place)
        else:
            assert isinstance(column, LocalLabels)
            one.learn(column, place)
        found[name] = one
    return found


def merged(found: Sequence[Coders]) -> Coders:
    """What several pieces have in them."""
    result: Coders = {}
    for name, first in found[0].items():
        one = first.fresh()
        for others in found:
            one.absorb(others[name])  # type: ignore[arg-type]  # of one kind
        result[name] = one
    return result


def settle(coders: Coders, class_name: str) -> None:
    """Put values in order and choose cuts, when all pieces have been surveyed."""
    for name, coder in coders.items():
        if isinstance(coder, NumberCoder | WeightCoder):
            coder.settle()
        else:
            what = "the class" if name == class_name else "attribute"
            told = f"{what} '{abbreviated(name)}'"
            coder.settle(lambda values, told=told: find_levels(values, told)[0])  # type: ignore[misc]


# Codes


@dataclass(frozen=True)
class Coded(Sized):
    """What pieces have turned out to be while they were coded.

    Parameters
    ----------
    sizes : dict
        How many cases each piece has kept.
    numbers : dict of NumberCoder
        What the numbers are.
    classes : int64 array
        How many cases there are of each class.
    unknown : int64 array
        How many values are unknown, for each attribute.
    """

    sizes: dict[PieceNumber, int]
    numbers: Coders
    classes: Numbers
    unknown: Numbers


def all_coded(found: Sequence[Coded]) -> Coded:
    """What all pieces have turned out to be."""
    return Coded(
        {piece: n for one in found for piece, n in one.sizes.items()},
        merged([one.numbers for one in found]),
        np.sum([one.classes for one in found], axis=0),
        np.sum([one.unknown for one in found], axis=0),
    )


def code(
    table: Any, piece: PieceNumber, cells: ArrowCells, coders: Coders, class_name: str, drop: bool
) -> tuple[CodedPart, Coded]:
    """A piece in codes, and what it has turned out to be.

    Parameters
    ----------
    drop : bool
        Whether a case whose class is unknown is left out; else it is an error.
    """
    place = _place(piece)
    fresh = {name: coder.fresh() for name, coder in coders.items()}
    codes: list[npt.NDArray[Any] | None] = []
    numbers: list[Floats | None] = []
    unknown: list[int] = []
    target = fresh[class_name]
    assert isinstance(target, LabelCoder)
    weights, units = _weights(table, cells, fresh, place)
    classes, keep = coded_classes(
        target, cells.batch(table.select([class_name]), [class_name], place), class_name, drop=drop, weights=weights
    )
    for name, coder in fresh.items():
        if name != class_name and not isinstance(coder, WeightCoder):
            column, kept, n_unknown = coded_column(coder, cells.batch(table.select([name]), [name], place), name, keep)
            codes.append(column.copy())
            numbers.append(kept)
            unknown.append(n_unknown)
        if isinstance(coder, LabelCoder) and len(coder.values) > len(coders[name].values):  # type: ignore[union-attr]
            raise place.error(
                f"column '{abbreviated(name)}' has a value that it did not have before: the frame should give the same "
                "cases each time that it is computed"
            )
    classes = classes.astype(np.uint8 if len(target.values) <= 256 else np.uint16)
    units = units if units is None or keep is None else units[keep]
    part = CodedPart(len(classes), tuple(codes), tuple(numbers), classes, units)
    counts = np.bincount(classes, minlength=len(target.values)).astype(np.int64)
    seen: Coders = {name: coder for name, coder in fresh.items() if isinstance(coder, NumberCoder)}
    return part, Coded({piece: part.n}, seen, counts, np.array(unknown, dtype=np.int64))


def _weights(table: Any, cells: ArrowCells, coders: Coders, place: Place) -> tuple[Floats | None, Numbers | None]:
    """The weights of a piece, and in units; None if every case counts one."""
    for name, coder in coders.items():
        if isinstance(coder, WeightCoder):
            weights = cells.batch(table.select([name]), [name], place).cells[name]
            assert not isinstance(weights, LocalLabels)
            return weights, coder.code(weights)
    return None, None


def put_right(
    part: CodedPart, _: PieceNumber, names: Sequence[str], again: Coders, missing: Coders
) -> tuple[CodedPart, Coders]:
    """A piece whose numbers have the bins that all pieces together ask for, and what those it has again are.

    Parameters
    ----------
    names : sequence of str
        Of the attributes, in order.
    again : dict of NumberCoder
        Attributes that have bins of one value each, but others than were expected.
    missing : dict of NumberCoder
        Attributes of which every part has to keep its numbers.
    """
    codes, numbers = list(part.codes), list(part.numbers)
    seen: Coders = {}
    for j, name in enumerate(names):
        old, coder = codes[j], again.get(name, missing.get(name))
        if not isinstance(coder, NumberCoder) or old is None:
            continue
        if name in again:
            seen[name] = coder = coder.fresh()
            codes[j], numbers[j] = coder.again(old, numbers[j]).copy(), None
        elif numbers[j] is None:
            numbers[j] = coder.old_numbers(old)
    return replace(part, codes=tuple(codes), numbers=tuple(numbers)), seen
