"""Linked tables in coded form, and how they become that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Column
from ctree.data.relational.keys import KeyIndex, read_foreign_keys, read_keys
from ctree.data.relational.schema import ColumnKind, RelationalSchema, Table
from ctree.data.relational.sources import Source
from ctree.data.relational.values import class_column, continuous_column, discrete_column, in_order
from ctree.data.tables.levels import Codes
from ctree.wording import abbreviated, plural

MAX_ROWS = (1 << 30) - 1
"""Row numbers are 32-bit integers, also where rows are seen twice."""

_T = TypeVar("_T", bound=np.generic)


@dataclass(frozen=True, eq=False, repr=False)
class CodedTable:
    """The rows of one table.

    Parameters
    ----------
    schema : Table
    n_rows : int
    columns : tuple
        In the order of the schema. Of a foreign key: int32, the rows of the other table, -1 for unknown. Discrete:
        int32, the places of values, -1 for unknown. Continuous: float64, NaN for unknown. The table's own key, unless
        it is a foreign key as well, and the class: None. All arrays are read-only.
    values : tuple
        For each column the values of a discrete one, in order; empty for others.
    keys : tuple of str, optional
        The key of each row.
    """

    schema: Table
    n_rows: int
    columns: tuple[Column | None, ...]
    values: tuple[tuple[str, ...], ...]
    keys: tuple[str, ...] | None = None

    def __repr__(self) -> str:
        parts = f"{plural(self.n_rows, 'row')}, {plural(len(self.columns), 'column')}"
        return f"<CodedTable '{abbreviated(self.schema.name)}': {parts}>"

    def column(self, name: str) -> Column | None:
        """A column by its name."""
        return self.columns[self.schema.index(name)]

    def doubled(self) -> CodedTable:
        """The rows, and after them the same rows with the two ends of a symmetric table exchanged."""
        assert self.schema.symmetric is not None
        first, second = map(self.schema.index, self.schema.symmetric)
        others = {first: self.columns[second], second: self.columns[first]}
        twice = [
            None if column is None else frozen(np.concatenate([column, others.get(j, column)]))
            for j, column in enumerate(self.columns)
        ]
        return replace(self, n_rows=2 * self.n_rows, columns=tuple(twice), keys=None)


@dataclass(frozen=True, eq=False)
class LinkedTables:
    """All tables of a schema.

    Parameters
    ----------
    schema : RelationalSchema
        With all classes.
    tables : tuple of CodedTable
        In the order of the schema.
    classes : array of int32, optional
        The class of each row of the target table, -1 where it is unknown.
    unlinked : tuple of str
        The tables that were left out.
    """

    schema: RelationalSchema
    tables: tuple[CodedTable, ...]
    classes: Codes | None
    unlinked: tuple[str, ...] = ()


def code_tables(
    schema: RelationalSchema, sources: Mapping[str, Source], dangling: str, unlinked: tuple[str, ...] = ()
) -> LinkedTables:
    """Code the rows of all tables.

    Parameters
    ----------
    schema : RelationalSchema
        Without what is not used.
    sources : mapping
        From the names of tables to their rows.
    dangling : {"error", "unknown"}
        How to treat a foreign key that is the key of no row.
    unlinked : tuple of str
    """
    for table in schema.tables:
        source = sources[table.name]
        for name in table.names:
            if name not in source.names:
                raise source.without(name)
        if source.n_rows > MAX_ROWS:
            raise source.error(f"table '{abbreviated(table.name)}' has {source.n_rows:,} rows, more than {MAX_ROWS:,}")
    if not sources[schema.target].n_rows:
        raise sources[schema.target].error("there are no examples")
    classes = None
    if schema.class_column is not None:
        labels, codes = class_column(sources[schema.target], schema.class_column, schema.classes)
        schema, classes = replace(schema, classes=labels), frozen(codes)
    keyed = [(table.name, table.key) for table in schema.tables if table.key is not None]
    keys = {table: read_keys(sources[table], table, key) for table, key in keyed}
    tables = tuple(_coded(schema, table, sources[table.name], keys, dangling) for table in schema.tables)
    return LinkedTables(schema, tables, classes, unlinked)


def _coded(
    schema: RelationalSchema, table: Table, source: Source, keys: Mapping[str, KeyIndex], dangling: str
) -> CodedTable:
    columns: list[Column | None] = []
    values: list[tuple[str, ...]] = []
    for column in table.columns:
        key = schema.foreign_key(table.name, column.name)
        coded: Column | None = None
        found: tuple[str, ...] = ()
        if key is not None:
            coded = read_foreign_keys(source, key, keys[key.references], dangling)
        elif column.kind is ColumnKind.DISCRETE:
            found, coded = discrete_column(source, column.name)
        elif column.kind is ColumnKind.CONTINUOUS:
            coded = continuous_column(source, column.name)
        columns.append(None if coded is None else frozen(coded))  # type: ignore[arg-type]
        values.append(found)
    texts = keys[table.name].texts if table.key is not None else None
    return CodedTable(table, source.n_rows, tuple(columns), tuple(values), texts)


def frozen(array: npt.NDArray[_T]) -> npt.NDArray[_T]:
    """The array, contiguous and read-only."""
    view = np.ascontiguousarray(array).view()
    view.flags.writeable = False
    return view


def values_within(tables: Iterable[CodedTable], masks: Iterable[npt.NDArray[np.bool_]]) -> dict[str, tuple[str, ...]]:
    """Of each discrete column, ``"atom.type"``, the values of the rows of its table that are asked for, in order."""
    found = {}
    for table, mask in zip(tables, masks, strict=True):
        for column, values, codes in zip(table.schema.columns, table.values, table.columns, strict=True):
            if column.kind is ColumnKind.DISCRETE and codes is not None:
                here = np.unique(codes[mask])
                name = f"{table.schema.name}.{column.name}"
                found[name] = tuple(in_order(values[int(code)] for code in here if code >= 0))
    return found
