"""Aggregates of linked rows: how many refer to a row, and figures of a column of theirs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ctree.data.relational.data import RelationalData
from ctree.data.relational.schema import ColumnKind, RelationalSchema
from ctree.data.relational.values import recoded
from ctree.data.tables.levels import Codes
from ctree.tree.relational_tables import ColumnPlaces
from ctree_ext.base.node_arrays import Floats

AGGREGATES = ("count", "min", "max", "mean", "mode", "share", "nunique")


class Aggregate(NamedTuple):
    """A figure of all rows that refer to a row.

    Parameters
    ----------
    name : str
        One of `AGGREGATES`.
    link : int
        The foreign key by which they refer to it.
    path : tuple of int
        Links that lead from them upwards, to the rows whose column it is.
    column : int
        The place of the column among all; -1 for a count.
    code : int
        Of the value whose share is meant, else -1.
    """

    name: str
    link: int
    path: tuple[int, ...] = ()
    column: int = -1
    code: int = -1

    @property
    def is_discrete(self) -> bool:
        """Whether it is one of the values of its column, not a number."""
        return self.name == "mode"

    @property
    def directions(self) -> int:
        """The thresholds that are tried: that some row is small, or great, is asked without aggregates already."""
        return {"min": 2, "max": 1, "mode": 3}.get(self.name, 0)


class AggregateColumns:
    """Aggregates as columns: the figure of each row that others refer to.

    Parameters
    ----------
    data : RelationalData
        With the columns and links of a model, but with values that it may not know.
    values : mapping
        The values of discrete columns that the model knows.
    """

    def __init__(self, data: RelationalData, values: Mapping[str, Sequence[str]]) -> None:
        self.data = data
        self.values = values
        self._names = ColumnPlaces(data.schema).names
        self._last: tuple[Aggregate | None, Grouped | None] = None, None

    def column(self, aggregate: Aggregate) -> Floats | Codes:
        """Of each row its figure: a number, NaN if unknown, or the code of a value, -1 if unknown."""
        if aggregate.name == "count":
            return np.diff(self.data.down(aggregate.link)[0]).astype(np.float64)
        table, name = self._names[aggregate.column]
        grouped = self._grouped(aggregate)
        if self.data.schema.table(table).column(name).kind is ColumnKind.CONTINUOUS:
            return _of_numbers(aggregate.name, grouped)
        if aggregate.name == "share":
            return grouped.share(aggregate.code)
        return _of_codes(aggregate.name, grouped, len(self.values[f"{table}.{name}"]))

    def _grouped(self, aggregate: Aggregate) -> Grouped:
        """The known cells that aggregates of one column are of; those of the last column are kept."""
        what = aggregate._replace(name="", code=-1)
        before, grouped = self._last
        if grouped is None or before != what:
            self._last = None, None  # so that there are not two
            grouped = self._new_grouped(aggregate)
            self._last = what, grouped
        return grouped

    def _new_grouped(self, aggregate: Aggregate) -> Grouped:
        start, rows = self.data.down(aggregate.link)
        sizes = np.diff(start)
        for link in aggregate.path:
            up = self.data.up(link)
            rows = np.where(rows >= 0, up[rows], -1) if len(up) else np.full(len(rows), -1, dtype=np.int32)
        table, name = self._names[aggregate.column]
        cells: Any
        if self.data.schema.table(table).column(name).kind is ColumnKind.CONTINUOUS:
            cells = self.data.seen[self.data.schema.index(table)].column(name)
            is_known = ~np.isnan(cells)
        else:
            cells = self.codes(table, name)
            is_known = cells >= 0
        known = rows >= 0
        known[known] = is_known[rows[known]]
        return Grouped(cells[rows[known]], np.repeat(np.arange(len(sizes)), sizes)[known], len(sizes))

    def codes(self, table: str, name: str) -> Codes:
        """The codes of a discrete column, where values that the model does not know have codes beyond the others."""
        known = self.values[f"{table}.{name}"]
        seen = self.data.seen[self.data.schema.index(table)]
        cells, labels = seen.column(name), seen.values[seen.schema.index(name)]
        assert cells is not None
        return recoded(
            cells.astype(np.int32, copy=False), labels, [*known, *sorted(frozenset(labels).difference(known))]
        )

    def kept_column(self, aggregate: Aggregate) -> Floats | Codes:
        """The same, made once for all trees that compare this aggregate."""
        known: tuple[str, ...] = ()
        if aggregate.name in ("mode", "share"):
            known = tuple(self.values[".".join(self._names[aggregate.column])])
        if aggregate.name == "share":
            known = (known[aggregate.code],)
        key = "aggregate", aggregate._replace(code=-1), known
        return self.data.kept.get(key, lambda: self.column(aggregate))  # type: ignore[no-any-return]


class Grouped:
    """Known cells of linked rows, with the row that each is linked to, in its order.

    Parameters
    ----------
    cells : array
        Numbers or codes.
    group : array of int
        Of each cell the row.
    n : int
        How many rows there are.
    """

    def __init__(self, cells: npt.NDArray[Any], group: npt.NDArray[np.intp], n: int) -> None:
        self.cells = cells
        self.group = group
        self.n = n

    @cached_property
    def _by_code(self) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        """How many cells each row has; the rows of the cells in the order of codes, and where each code starts."""
        order = np.argsort(self.cells, kind="stable")
        start = np.concatenate([[0], np.cumsum(np.bincount(self.cells))])
        return np.bincount(self.group, minlength=self.n), self.group[order], start

    def share(self, code: int) -> Floats:
        """Of each row the share of a code among its cells; NaN if there are none."""
        sizes, group, start = self._by_code
        among = group[start[code] : start[code + 1]] if code + 1 < len(start) else group[:0]
        result = np.where(sizes > 0, 0.0, np.nan)
        rows, times = np.unique(among, return_counts=True)
        result[rows] = times / sizes[rows]
        return np.asarray(result)


def _of_numbers(name: str, grouped: Grouped) -> Floats:
    """The least, the greatest or the mean number of each group; NaN for an empty one."""
    result = np.full(grouped.n, np.nan)
    if not len(grouped.cells):
        return result
    starts = np.flatnonzero(np.diff(grouped.group, prepend=-1))
    filled = grouped.group[starts]
    if name == "mean":
        ends = [*starts[1:].tolist(), len(grouped.cells)]
        listed = grouped.cells.tolist()
        result[filled] = [_mean(listed[begin:end]) for begin, end in zip(starts.tolist(), ends, strict=True)]
    else:
        result[filled] = (np.minimum if name == "min" else np.maximum).reduceat(grouped.cells, starts)
    return result


def _mean(numbers: list[float]) -> float:
    """The mean of numbers whose sum is rounded once, so that their order does not show."""
    try:
        return math.fsum(numbers) / len(numbers)
    except OverflowError:  # the sum is no number, though the mean is one
        return math.fsum([number / 2.0**64 for number in numbers]) / len(numbers) * 2.0**64


def _of_codes(name: str, grouped: Grouped, n_values: int) -> Floats | Codes:
    """How many codes there are in each group, or the most frequent one, the first of equals; -1 if it has no value."""
    n_codes = int(grouped.cells.max(initial=-1)) + 1
    pairs, times = np.unique(grouped.group * n_codes + grouped.cells, return_counts=True)
    group, code = np.divmod(pairs, max(n_codes, 1))
    if name == "nunique":
        return np.bincount(group, minlength=grouped.n).astype(np.float64)
    order = np.lexsort((code, -times, group))
    result = np.full(grouped.n, -1, dtype=np.int32)
    first = order[np.flatnonzero(np.diff(group[order], prepend=-1))]
    result[group[first]] = np.where(code[first] < n_values, code[first], -1)
    return result


def aggregate_text(
    aggregate: Aggregate, term: str, schema: RelationalSchema, values: Mapping[str, Sequence[str]]
) -> str:
    """An aggregate as ``mean(atom(molecule=X0).charge)``."""
    key = schema.foreign_keys[aggregate.link]
    rows = f"{key.table}({key.column}={term})"
    if aggregate.column < 0:
        return f"{aggregate.name}({rows})"
    table, name = ColumnPlaces(schema).names[aggregate.column]
    column = ".".join([rows, *(schema.foreign_keys[link].column for link in aggregate.path), name])
    if aggregate.name == "share":
        return f"share({column} = {values[f'{table}.{name}'][aggregate.code]})"
    return f"{aggregate.name}({column})"


def plain_aggregate(
    aggregate: Aggregate, schema: RelationalSchema, values: Mapping[str, Sequence[str]]
) -> dict[str, object]:
    """An aggregate as plain data."""
    key = schema.foreign_keys[aggregate.link]
    result: dict[str, object] = {
        "aggregate": aggregate.name,
        "table": key.table,
        "by": key.column,
        "path": [schema.foreign_keys[link].column for link in aggregate.path],
        "column": None,
    }
    if aggregate.column >= 0:
        table, name = ColumnPlaces(schema).names[aggregate.column]
        result["column"] = name
        if aggregate.name == "share":
            result["of_value"] = values[f"{table}.{name}"][aggregate.code]
    return result
