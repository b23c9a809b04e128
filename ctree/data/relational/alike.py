"""Which tables and columns of a database a model asks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ctree.data.relational.schema import ColumnKind, RelationalSchema
from ctree.errors import ParameterError
from ctree.wording import shortened

if TYPE_CHECKING:
    from ctree.data.relational.catalogue import DatabaseTable


def known_of(schema: RelationalSchema, tables: Sequence[DatabaseTable]) -> tuple[Any, dict[str, Any]]:
    """The target and the options by which the tables of a database are read as a model knows them.

    What the model knows and the database has is read, with the kinds, keys and links of the model; other columns and
    tables are left out. Whether anything is missing is seen when the model asks for it.

    Parameters
    ----------
    schema : RelationalSchema
        That of the model.
    tables : sequence of DatabaseTable
        Those that the database has.

    Returns
    -------
    target : str, or pair of str
        With the class column only if the database has it.
    options : dict
    """
    if not isinstance(schema, RelationalSchema):
        raise ParameterError(f"like must be a RelationalSchema, not {shortened(schema)}")
    columns = {table.name: table.columns for table in tables}
    # In the order of the model; one of which the database has only the name tells nothing.
    known = [table for table in schema.tables if not set(table.names).isdisjoint(columns.get(table.name, []))]
    keys = {table.name: table.key for table in known if table.key in columns[table.name]}
    links = [key for key in schema.foreign_keys if key.column in columns.get(key.table, []) and key.references in keys]
    ends = {(key.table, key.column) for key in links}
    kinds, symmetric = {}, {}
    for table in known:
        kind_of = {column.name: column.kind for column in table.columns}
        for column in columns[table.name]:
            kind = kind_of.get(column, ColumnKind.IGNORE)
            if kind is not ColumnKind.CLASS:  # which the target says
                kinds[f"{table.name}.{column}"] = kind.value
        if table.symmetric is not None and {(table.name, end) for end in table.symmetric} <= ends:
            symmetric[table.name] = table.symmetric
    target = schema.target, schema.class_column
    return target if schema.class_column in columns.get(schema.target, []) else schema.target, {
        "tables": [table.name for table in known],
        "kinds": kinds,
        "keys": keys,
        "symmetric": symmetric,
        "foreign_keys": {key.name: key.references for key in links},
    }
