"""New tables in the form that a model knows."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence

import numpy as np

from ctree.data.dataset import Column
from ctree.data.files.text_file import near_match
from ctree.data.relational.links import Mask
from ctree.data.relational.schema import ColumnKind, RelationalSchema, Table, TableColumn
from ctree.data.relational.tables import CodedTable, LinkedTables, frozen
from ctree.data.relational.values import text_of, texts_of
from ctree.data.schema import Label
from ctree.data.tables.levels import Codes
from ctree.errors import DataError
from ctree.wording import abbreviated, abbreviated_list


class _All:
    """Where every table and column is needed."""

    def __contains__(self, name: object) -> bool:
        return True


def fits(data: LinkedTables, schema: RelationalSchema) -> bool:
    """Whether tables have the form that a model knows already."""
    ours = data.schema
    return ours is schema or (
        (ours.target, ours.tables, ours.foreign_keys) == (schema.target, schema.tables, schema.foreign_keys)
        and (data.classes is None or ours.classes == schema.classes)
    )


def conform(data: LinkedTables, schema: RelationalSchema, needed: Sequence[str] | None) -> LinkedTables:
    """Tables in the order and with the columns of a model; see `RelationalData.conformed`."""
    if data.schema.target != schema.target:
        ours, theirs = abbreviated(data.schema.target), abbreviated(schema.target)
        raise DataError(f"the examples are in table '{ours}', but the model was learned from examples in '{theirs}'")
    wanted: Container[str] = _All() if needed is None else frozenset(needed)
    tables = tuple(_table(data, schema, table, wanted) for table in schema.tables)
    return LinkedTables(schema, tables, codes_among(data, schema.classes), data.unlinked)


def _table(data: LinkedTables, schema: RelationalSchema, table: Table, wanted: Container[str]) -> CodedTable:
    names = data.schema.table_names
    if table.name not in names:
        if table.name in wanted:
            hint = near_match(table.name, names)
            raise DataError(f"there is no table '{abbreviated(table.name)}', which the model asks for{hint}")
        return _empty(schema, table)
    given = data.tables[names.index(table.name)]
    columns: list[Column | None] = []
    values: list[tuple[str, ...]] = []
    for column in table.columns:
        found: tuple[tuple[str, ...], Column] | None = None
        if column.kind is not ColumnKind.CLASS and (
            column.name != table.key or schema.foreign_key(table.name, column.name) is not None
        ):
            found = _column(data, schema, given, column)
            if found is None:
                if f"{table.name}.{column.name}" in wanted:
                    raise _missing(data, schema, given, column)
                found = (), _unknown(column, given.n_rows)
        columns.append(None if found is None else frozen(found[1]))  # type: ignore[arg-type]
        values.append(() if found is None else found[0])
    return CodedTable(table, given.n_rows, tuple(columns), tuple(values), given.keys)


def _column(
    data: LinkedTables, schema: RelationalSchema, given: CodedTable, column: TableColumn
) -> tuple[tuple[str, ...], Column] | None:
    """A column of the kind that it has in the model, with its values; None if there is none of this name and kind."""
    if column.name not in given.schema.names:
        return None
    cells, own = given.column(column.name), given.schema.column(column.name)
    if column.kind is ColumnKind.KEY:
        ours = data.schema.foreign_key(given.schema.name, column.name)
        theirs = schema.foreign_key(given.schema.name, column.name)
        return None if ours != theirs or cells is None else ((), cells)
    if cells is None or own.kind is ColumnKind.KEY:
        return None
    if column.kind is own.kind:
        return given.values[given.schema.index(column.name)], cells
    if column.kind is ColumnKind.CONTINUOUS:
        return ((), np.full(given.n_rows, np.nan)) if (cells < 0).all() else None
    labels, codes = texts_of(cells.astype(np.float64, copy=False))
    return tuple(labels), codes


def check_values(
    data: LinkedTables,
    values: Mapping[str, Sequence[str]],
    needed: Sequence[str] | None,
    reached: Callable[[], Mapping[str, Mask]],
) -> None:
    """Refuse values that a model does not know; see `RelationalData.check_values`.

    Parameters
    ----------
    data : LinkedTables
    values, needed
    reached : function
        It tells which rows of each table belong to the examples; only theirs are looked at.
    """
    wanted: Container[str] = _All() if needed is None else frozenset(needed)
    masks: Mapping[str, Mask] | None = None
    for table in data.tables:
        for column, labels, codes in zip(table.schema.columns, table.values, table.columns, strict=True):
            name = f"{table.schema.name}.{column.name}"
            if column.kind is not ColumnKind.DISCRETE or name not in wanted or codes is None:
                continue
            listed = tuple(values.get(name, ()))
            known = frozenset(listed)
            if known.issuperset(labels):
                continue
            masks = reached() if masks is None else masks
            strange = np.array([*(label not in known for label in labels), False])[codes]
            strange &= masks[table.schema.name][: table.n_rows]
            if strange.any():
                row = int(np.argmax(strange))
                raise DataError(
                    f"table '{abbreviated(table.schema.name)}', row {row + 1}: {abbreviated(column.name)} is "
                    f"'{abbreviated(labels[int(codes[row])])}', which is not one of {abbreviated_list(listed)}; with "
                    "unseen='unknown' it would equal none of them"
                )


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


def _empty(schema: RelationalSchema, table: Table) -> CodedTable:
    """A table without rows."""
    links = {key.column for key in schema.out_of(table.name)}
    columns: list[Column | None] = []
    for column in table.columns:
        coded = column.kind in (ColumnKind.DISCRETE, ColumnKind.CONTINUOUS) or column.name in links
        columns.append(frozen(_unknown(column, 0)) if coded else None)  # type: ignore[arg-type]
    values = ((),) * len(columns)
    return CodedTable(table, 0, tuple(columns), values, () if table.key is not None else None)


def _unknown(column: TableColumn, n_rows: int) -> Column:
    if column.kind is ColumnKind.CONTINUOUS:
        return np.full(n_rows, np.nan)
    return np.full(n_rows, -1, dtype=np.int32)


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
