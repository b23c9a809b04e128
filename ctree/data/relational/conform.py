"""New tables in the form that a model knows."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

import numpy as np

from ctree.data.dataset import Column
from ctree.data.files.text_file import near_match
from ctree.data.relational.schema import ColumnKind, RelationalSchema, Table, TableColumn
from ctree.data.relational.tables import CodedTable, LinkedTables, frozen
from ctree.data.relational.values import recoded, text_of, texts_of
from ctree.data.schema import Label
from ctree.data.tables.arrays import UNSEEN
from ctree.data.tables.levels import Codes
from ctree.errors import DataError
from ctree.wording import abbreviated, abbreviated_list

UNSEEN_VALUE = -2
"""The code of a discrete value that a model does not know: none of its tests holds for it."""


class _All:
    """Where every table and column is needed."""

    def __contains__(self, name: object) -> bool:
        return True


def conform(
    data: LinkedTables,
    schema: RelationalSchema,
    values: Mapping[str, Sequence[str]],
    needed: Sequence[str] | None,
    unseen: str,
) -> LinkedTables:
    """Tables in the order, with the columns and by the codes of a model; see `RelationalData.conformed`."""
    UNSEEN.check("unseen", unseen)
    if data.schema.target != schema.target:
        ours, theirs = abbreviated(data.schema.target), abbreviated(schema.target)
        raise DataError(f"the examples are in table '{ours}', but the model was learned from examples in '{theirs}'")
    wanted: Container[str] = _All() if needed is None else frozenset(needed)
    tables = tuple(_table(data, schema, table, values, wanted, unseen) for table in schema.tables)
    return LinkedTables(schema, tables, codes_among(data, schema.classes), data.unlinked)


def _table(
    data: LinkedTables,
    schema: RelationalSchema,
    table: Table,
    values: Mapping[str, Sequence[str]],
    wanted: Container[str],
    unseen: str,
) -> CodedTable:
    names = data.schema.table_names
    if table.name not in names:
        if table.name in wanted:
            hint = near_match(table.name, names)
            raise DataError(f"there is no table '{abbreviated(table.name)}', which the model asks for{hint}")
        return _empty(schema, table, values)
    given = data.tables[names.index(table.name)]
    columns: list[Column | None] = []
    for column in table.columns:
        name = f"{table.name}.{column.name}"
        known = tuple(values.get(name, ()))
        if column.kind is ColumnKind.CLASS or (
            column.name == table.key and schema.foreign_key(table.name, column.name) is None
        ):
            columns.append(None)
            continue
        found = _column(data, schema, given, column, known, unseen)
        if found is None:
            if name in wanted:
                raise _missing(data, schema, given, column)
            found = _unknown(column, given.n_rows)
        columns.append(frozen(found))  # type: ignore[arg-type]
    return CodedTable(table, given.n_rows, tuple(columns), _values(table, values), given.keys)


def _column(
    data: LinkedTables,
    schema: RelationalSchema,
    given: CodedTable,
    column: TableColumn,
    known: Sequence[str],
    unseen: str,
) -> Column | None:
    """A column as the model has it; None if there is none of this name and kind."""
    if column.name not in given.schema.names:
        return None
    cells, own = given.column(column.name), given.schema.column(column.name)
    if column.kind is ColumnKind.KEY:
        ours = data.schema.foreign_key(given.schema.name, column.name)
        theirs = schema.foreign_key(given.schema.name, column.name)
        return cells if ours == theirs else None
    if cells is None or own.kind is ColumnKind.KEY:
        return None
    if column.kind is ColumnKind.CONTINUOUS:
        if own.kind is ColumnKind.CONTINUOUS or (cells < 0).all():
            return cells if own.kind is ColumnKind.CONTINUOUS else np.full(given.n_rows, np.nan)
        return None
    if own.kind is ColumnKind.DISCRETE:
        labels: Sequence[str] = given.values[given.schema.index(column.name)]
        codes: Codes = cells.astype(np.int32, copy=False)
    else:
        labels, codes = texts_of(cells.astype(np.float64, copy=False))
    result = recoded(codes, labels, known)
    if unseen == "error" and (result == UNSEEN_VALUE).any():
        row = int(np.argmax(result == UNSEEN_VALUE))
        raise DataError(
            f"table '{abbreviated(given.schema.name)}', row {row + 1}: {abbreviated(column.name)} is "
            f"'{abbreviated(labels[codes[row]])}', which is not one of {abbreviated_list(known)}; with "
            "unseen='unknown' it would equal none of them"
        )
    return result


def _missing(data: LinkedTables, schema: RelationalSchema, given: CodedTable, column: TableColumn) -> DataError:
    where, name = f"table '{abbreviated(given.schema.name)}'", abbreviated(column.name)
    if column.name not in given.schema.names:
        hint = near_match(column.name, given.schema.names)
        return DataError(f"{where} has no column '{name}', which the model asks for{hint}")
    theirs = schema.foreign_key(given.schema.name, column.name)
    ours = data.schema.foreign_key(given.schema.name, column.name)
    if theirs is not None:
        is_now = "does not refer to any" if ours is None else f"refers to '{abbreviated(ours.references)}'"
        in_model = f"in the model it refers to '{abbreviated(theirs.references)}'"
        return DataError(f"column '{name}' of {where} {is_now}, but {in_model}")
    kind = given.schema.column(column.name).kind.value
    return DataError(f"column '{name}' of {where} is {kind}, but {column.kind.value} in the model")


def _empty(schema: RelationalSchema, table: Table, values: Mapping[str, Sequence[str]]) -> CodedTable:
    """A table without rows."""
    links = {key.column for key in schema.out_of(table.name)}
    columns: list[Column | None] = []
    for column in table.columns:
        coded = column.kind in (ColumnKind.DISCRETE, ColumnKind.CONTINUOUS) or column.name in links
        columns.append(frozen(_unknown(column, 0)) if coded else None)  # type: ignore[arg-type]
    return CodedTable(table, 0, tuple(columns), _values(table, values), () if table.key is not None else None)


def _unknown(column: TableColumn, n_rows: int) -> Column:
    if column.kind is ColumnKind.CONTINUOUS:
        return np.full(n_rows, np.nan)
    return np.full(n_rows, -1, dtype=np.int32)


def _values(table: Table, values: Mapping[str, Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(values.get(f"{table.name}.{column.name}", ())) for column in table.columns)


def codes_among(data: LinkedTables, classes: Sequence[Label]) -> Codes | None:
    """The classes of the examples among those of a model; one that the model does not have is an error."""
    if data.classes is None:
        return None
    known: dict[str, int] = {text_of(label): code for code, label in enumerate(classes)}
    labels: tuple[Label, ...] = data.schema.classes
    strange = [label for label in labels if text_of(label) not in known]
    if strange:
        hint = near_match(str(strange[0]), known)
        raise DataError(
            f"the class '{abbreviated(strange[0])}' is not one of {abbreviated_list(classes)}, which the model "
            f"knows{hint}"
        )
    return frozen(np.array([*(known[text_of(label)] for label in labels), -1], dtype=np.int32)[data.classes])
