"""Aggregates of linked rows: how many refer to a row, and figures of a column of theirs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

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

    def column(self, aggregate: Aggregate) -> Floats | Codes:
        """Of each row its figure: a number, NaN if unknown, or the code of a value, -1 if unknown."""
        start, rows = self.data.down(aggregate.link)
        sizes = np.diff(start)
        n = len(sizes)
        if aggregate.name == "count":
            return sizes.astype(np.float64)
        for link in aggregate.path:
            up = self.data.up(link)
            rows = np.where(rows >= 0, up[rows], -1) if len(up) else np.full(len(rows), -1, dtype=np.int32)
        group = np.repeat(np.arange(n), sizes)
        table, name = self._names[aggregate.column]
        if self.data.schema.table(table).column(name).kind is ColumnKind.CONTINUOUS:
            cells = self.data.seen[self.data.schema.index(table)].column(name)
            assert cells is not None
            known = rows >= 0
            known[known] = ~np.isnan(cells[rows[known]])
            return _of_numbers(aggregate.name, cells[rows[known]].astype(np.float64, copy=False), group[known], n)
        codes = self.codes(table, name)
        known = rows >= 0
        known[known] = codes[rows[known]] >= 0
        n_values = len(self.values[f"{table}.{name}"])
        return _of_codes(aggregate, codes[rows[known]], group[known], n, n_values)

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


def _of_numbers(name: str, numbers: Floats, group: npt.NDArray[np.intp], n: int) -> Floats:
    """The least, the greatest or the mean number of each group; NaN for an empty one."""
    result = np.full(n, np.nan)
    if not len(numbers):
        return result
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    filled = group[starts]
    if name == "mean":
        ends = [*starts[1:].tolist(), len(numbers)]
        listed = numbers.tolist()
        # Sums that are rounded once, so that the order of the rows does not show.
        pairs = zip(starts.tolist(), ends, strict=True)
        result[filled] = [math.fsum(listed[start:end]) / (end - start) for start, end in pairs]
    else:
        result[filled] = (np.minimum if name == "min" else np.maximum).reduceat(numbers, starts)
    return result


def _of_codes(aggregate: Aggregate, codes: Codes, group: npt.NDArray[np.intp], n: int, n_values: int) -> Floats | Codes:
    """How many values there are in each group, the share of one, or the most frequent, the first of equals."""
    if aggregate.name == "share":
        sizes = np.bincount(group, minlength=n)
        among = np.bincount(group[codes == aggregate.code], minlength=n)
        return np.asarray(np.divide(among, sizes, out=np.full(n, np.nan), where=sizes > 0))
    pairs, times = np.unique(np.stack([group, codes.astype(np.intp)]), axis=1, return_counts=True)
    if aggregate.name == "nunique":
        return np.bincount(pairs[0], minlength=n).astype(np.float64)
    order = np.lexsort((pairs[1], -times, pairs[0]))
    result = np.full(n, -1, dtype=np.int32)
    first = order[np.flatnonzero(np.diff(pairs[0][order], prepend=-1))]
    mode = pairs[1][first]
    result[pairs[0][first]] = np.where(mode < n_values, mode, -1)
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
