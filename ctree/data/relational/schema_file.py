"""The schema of linked tables as JSON: `schema.json`, and the same object within saved models."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NoReturn

from ctree.data.fields import Fields, checked, shown_json
from ctree.data.files.text_file import BOM, read_utf8
from ctree.data.relational.json_lines import EntryLines, about
from ctree.data.relational.schema import (
    ForeignKey,
    RelationalSchema,
    Table,
    TableColumn,
    column_kind,
    single_column,
)
from ctree.data.schema import Label
from ctree.errors import DataError, ParameterError
from ctree.wording import abbreviated, shortened

FORMAT = "ctree-relational"
VERSION = 1


def read_schema(file: str) -> tuple[RelationalSchema, dict[str, str]]:
    """The schema that a file declares, and the file of each table as it is named there."""
    text = read_utf8(file).removeprefix(BOM).decode("utf-8")
    content = _parsed(text, file)

    def error(message: str) -> DataError:
        # Fields name the place first of all.
        place = re.search("'([^']*)'", message)
        return DataError(message, file, None if place is None else EntryLines(text).of_place(place.group(1)))

    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise error(f'this is no schema of linked tables: it should be an object with "format": "{FORMAT}"')
    fields = Fields(content, error=error)
    version = fields.get("version", int)
    if version > VERSION:
        line = EntryLines(text).line(("version",))
        raise DataError(f"version {shown_json(version)} is later than {VERSION}, which this ctree reads", file, line)
    if version < 1:
        raise error(f"'version' should be {VERSION}, not {shown_json(version)}")
    try:
        return schema_from_fields(fields), _files(fields.object("tables"))
    except DataError as problem:
        if problem.file is not None:
            raise
        line = EntryLines(text).line(getattr(problem, "entry", ()))
        raise DataError(str(problem), file, line) from None
    except ParameterError as problem:
        line = _line_in_bias(content, str(problem), EntryLines(text))
        raise DataError(str(problem), file, line) from None


def _line_in_bias(content: dict[str, Any], message: str, lines: EntryLines) -> int | None:
    """The line of the link or constant that a message names."""
    for what in ("links", "constants"):
        for name in content["bias"].get(what) or ():
            if message.startswith((f"{what} names {shortened(name)}", f"{what}['{abbreviated(name)}']")):
                return lines.line(("bias", what, name))
    return None


def schema_from_fields(fields: Fields) -> RelationalSchema:
    """The schema that a JSON object declares. What is wrong with it is an error of the fields, or a `DataError`."""
    tables = fields.object("tables")
    target = fields.object("target")
    bias = fields.object("bias") if "bias" in fields else Fields({})
    return RelationalSchema(
        tuple(_table(name, tables.object(name)) for name in tables),
        tuple(_foreign_key(number, entry, fields) for number, entry in enumerate(_list(fields, "foreign_keys"))),
        target.get("table", str),
        None if _missing(target, "column") else target.get("column", str),
        tuple(_label(label, target) for label in _list(target, "classes")),
        tuple(_entries(bias, "links")),
        tuple(_entries(bias, "constants")),
        "" if _missing(fields, "name") else fields.get("name", str),
    )


def schema_to_dict(schema: RelationalSchema, files: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The schema as a JSON object, with the files of its tables if there are any."""
    target: dict[str, Any] = {"table": schema.target}
    if schema.class_column is not None:
        target["column"] = schema.class_column
    if schema.class_column is not None or schema.classes:
        target["classes"] = list(schema.classes)
    result: dict[str, Any] = {"name": schema.name} if schema.name else {}
    result |= {"target": target, "tables": {}}
    for table in schema.tables:
        entry: dict[str, Any] = {} if files is None else {"file": files[table.name]}
        entry["key"] = table.key
        if table.symmetric is not None:
            entry["symmetric"] = list(table.symmetric)
        result["tables"][table.name] = {**entry, "columns": {c.name: c.kind.value for c in table.columns}}
    result["foreign_keys"] = [
        {"table": key.table, "column": key.column, "references": key.references} for key in schema.foreign_keys
    ]
    if schema.links or schema.constants:
        result["bias"] = {"links": dict(schema.links), "constants": dict(schema.constants)}
    return result


def _parsed(text: str, file: str) -> object:
    def refuse(name: str) -> NoReturn:
        raise DataError(f"this is not JSON: {name} is no value", file)

    def without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for i, name in enumerate(names) if name in names[:i])
            raise DataError(f"the name '{abbreviated(twice)}' occurs twice in one object", file)
        return found

    try:
        return json.loads(text, parse_constant=refuse, object_pairs_hook=without_repetition)
    except json.JSONDecodeError as error:
        raise DataError(f"this is not JSON (column {error.colno}: {error.msg})", file, error.lineno) from None
    except RecursionError:
        raise DataError("this is no schema of linked tables: it is nested too deeply", file) from None
    except ValueError as error:
        if isinstance(error, DataError):
            raise
        raise DataError("the file has a number of too many digits", file) from None


def _table(name: str, fields: Fields) -> Table:
    what = f"the key of table '{abbreviated(name)}'"
    columns = fields.object("columns")
    symmetric = None if _missing(fields, "symmetric") else fields.get("symmetric", list)
    if symmetric is not None and (len(symmetric) != 2 or not all(isinstance(end, str) for end in symmetric)):
        raise fields.error(f"'{fields.place_of('symmetric')}' should list two columns")
    made = []
    for column in columns:
        with about("tables", name, "columns", column):
            made.append(TableColumn(column, column_kind(name, column, columns.value(column))))
    with about("tables", name, "key"):
        key = None if _missing(fields, "key") else single_column(fields.value("key"), what)
        return Table(name, tuple(made), key, None if symmetric is None else (symmetric[0], symmetric[1]))


def _foreign_key(number: int, value: object, parent: Fields) -> ForeignKey:
    entry = Fields(value, parent.place_of("foreign_keys"), parent.error)
    table = entry.get("table", str)
    with about("foreign_keys", number, "column"):
        column = single_column(entry.value("column"), f"a foreign key of table '{abbreviated(table)}'")
    return ForeignKey(table, column, entry.get("references", str))


def _label(value: object, target: Fields) -> Label:
    if not isinstance(value, str | int | float | bool):
        raise target.error(f"'{target.place_of('classes')}' has {shown_json(value)}, which is no class")
    return value


def _files(tables: Fields) -> dict[str, str]:
    files = {}
    for name in tables:
        table = tables.object(name)
        if _missing(table, "file"):
            raise tables.error(f"table '{abbreviated(name)}' names no file")
        files[name] = checked(table.value("file"), str, table.place_of("file"), tables.error)
    return files


def _missing(fields: Fields, name: str) -> bool:
    return name not in fields or fields.value(name) is None


def _list(fields: Fields, name: str) -> list[Any]:
    return [] if _missing(fields, name) else list(fields.get(name, list))


def _entries(fields: Fields, name: str) -> list[tuple[str, Any]]:
    if _missing(fields, name):
        return []
    entries = fields.object(name)
    return [(key, entries.value(key)) for key in entries]
