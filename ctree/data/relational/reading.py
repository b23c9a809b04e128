"""Linked tables from files, and to files."""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ctree.data.files.c45_cases import Labels, UnknownClass, check_choice
from ctree.data.files.csv_files import checked_label
from ctree.data.files.safe_csv import CsvWriter
from ctree.data.files.text_file import path_text
from ctree.data.files.writing import write_together
from ctree.data.relational.data import RelationalData
from ctree.data.relational.examples import check_options, linked_examples
from ctree.data.relational.parquet_tables import parquet_table
from ctree.data.relational.schema import ColumnKind, RelationalSchema, Table
from ctree.data.relational.schema_file import FORMAT, VERSION, read_schema, schema_to_dict
from ctree.data.relational.sources import Source, file_source
from ctree.data.relational.tables import CodedTable
from ctree.data.relational.values import text_of
from ctree.domains.domain import Choice
from ctree.errors import DataError
from ctree.wording import abbreviated

SCHEMA = "schema.json"
FORMATS = Choice("csv", "parquet")


def read_relational(
    path: str | os.PathLike[str],
    *,
    dangling: str = "error",
    unknown_class: UnknownClass = "error",
    labels: Labels = "required",
) -> RelationalData:
    """Read linked tables.

    Parameters
    ----------
    path : str or path
        A `schema.json`, or the folder that it is in. It names the tables with their files, CSV or Parquet, their
        columns and keys, the foreign keys, the target table and its class column.
    dangling : {"error", "unknown"}
        What to do with a foreign key that is the key of no row: refuse it, or take it for unknown, with a warning.
    unknown_class : {"error", "drop", "keep"}
        What to do with an example whose class is unknown: refuse it, leave it out, or keep it with class -1.
    labels : {"required", "optional"}
        Whether the class column may be missing, as in examples to be predicted.

    Returns
    -------
    RelationalData

    Notes
    -----
    An empty cell of a CSV file is unknown, and white space around a cell is dropped. Keys and discrete values are text
    as it stands in the file.

    Examples
    --------
    >>> import ctree, tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "machine.csv").write_text("id,action\\n1,fix\\n2,ok\\n")
    >>> _ = (folder / "worn.csv").write_text("machine,part\\n1,gear\\n1,wheel\\n")
    >>> _ = (folder / "schema.json").write_text('''{"format": "ctree-relational", "version": 1,
    ...   "target": {"table": "machine", "column": "action"},
    ...   "tables": {"machine": {"file": "machine.csv", "key": "id", "columns": {"id": "key", "action": "class"}},
    ...              "worn": {"file": "worn.csv", "columns": {"machine": "key", "part": "discrete"}}},
    ...   "foreign_keys": [{"table": "worn", "column": "machine", "references": "machine"}]}''')
    >>> data = ctree.read_relational(folder)
    >>> data, data.keys, data.labels
    (<RelationalData: 2 examples, 2 tables, 1 foreign key, 2 classes>, ['1', '2'], ['fix', 'ok'])
    """
    check_options(dangling, unknown_class)
    check_choice("labels", labels, ("required", "optional"))
    file = path_text(path)
    file = os.path.join(file, SCHEMA) if os.path.isdir(file) else file
    schema, files = read_schema(file)
    if schema.class_column is None and labels == "required":
        raise DataError("the target names no class column, which should hold the class of each example", file)
    folder = os.path.dirname(file)
    linked = schema.without_unused()[0].tables
    sources = {table.name: file_source(os.path.join(folder, files[table.name]), table.names) for table in linked}
    if labels == "optional" and schema.class_column is not None:
        schema = _without_class(schema, sources[schema.target])
        unknown_class = "keep" if unknown_class == "error" else unknown_class
    tables, rows = linked_examples(schema, sources, dangling, unknown_class)
    return RelationalData._of(tables, rows)


def _without_class(schema: RelationalSchema, source: Source) -> RelationalSchema:
    """The schema without its class column if the file does not have it."""
    if schema.class_column in source.names:
        return schema
    target = schema.target_table
    columns = tuple(column for column in target.columns if column.kind is not ColumnKind.CLASS)
    tables = tuple(replace(t, columns=columns) if t.name == schema.target else t for t in schema.tables)
    return replace(schema, tables=tables, class_column=None, classes=())


def write_relational(
    data: RelationalData, folder: str | os.PathLike[str], *, format: str = "csv", safe: bool = False
) -> None:
    """Write linked tables to a folder: a `schema.json`, and a CSV or Parquet file for each table.

    Parameters
    ----------
    data : RelationalData
        Its target table is written with the examples only, in their order; other tables whole, but where they refer to
        a row of the target that is no example, the foreign key is empty. Columns that are ignored and tables that are
        not linked are not in it.
    folder : str or path
        It is made if it is not there. Files of the same names are replaced, when all new ones are complete.
    format : {"csv", "parquet"}
        Of the files of tables. In Parquet, which needs the extra ``parquet``, numbers are doubles, and keys, values
        and classes text; what CSV cannot say, such as empty text or white space around a value, is kept.
    safe : bool
        In CSV, whether values that a spreadsheet would run as a formula get an apostrophe in front. It is part of the
        value when the file is read back.

    Examples
    --------
    >>> import ctree, tempfile, pathlib
    >>> data = ctree.RelationalData(
    ...     {"machine": {"id": [1, 2], "action": ["fix", "ok"]}, "worn": {"machine": [1, 1], "part": ["gear", None]}},
    ...     target=("machine", "action"), keys={"machine": "id"}, foreign_keys={"worn.machine": "machine"})
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> ctree.write_relational(data, folder)
    >>> print((folder / "worn.csv").read_text(), end="")
    machine,part
    1,gear
    1,
    >>> ctree.read_relational(folder).describe() == data.describe()
    True
    """
    place = path_text(folder)
    FORMATS.check("format", format)
    if not isinstance(data, RelationalData):
        raise DataError(f"this is a {type(data).__name__}, but should be a RelationalData")
    if data.schema.target_table.key is not None and len(set(data.rows.tolist())) < len(data):
        raise DataError("an example is there twice, but its key must be unique in a file")
    files = _file_names(data.schema, format)
    header = {"format": FORMAT, "version": VERSION}
    texts: dict[str, str | bytes] = {}
    for table in data.tables:
        content = parquet_table(data, table) if format == "parquet" else _csv(data, table, safe)
        texts[os.path.join(place, files[table.schema.name])] = content
    schema = json.dumps({**header, **schema_to_dict(data.schema, files)}, indent=1, ensure_ascii=False)
    texts[os.path.join(place, SCHEMA)] = schema + "\n"
    try:
        os.makedirs(place, exist_ok=True)
    except OSError as error:
        raise DataError(f"the folder cannot be made ({error.strerror})", place) from None
    write_together(texts)


def _file_names(schema: RelationalSchema, ending: str) -> dict[str, str]:
    """A file for each table: called like it where that can be the name of a file."""
    names: dict[str, str] = {}
    used: set[str] = set()
    for number, table in enumerate(schema.table_names):
        name = table if re.fullmatch(r"[A-Za-z0-9_-]{1,100}", table) else f"table{number + 1}"
        while name.lower() in used:  # not all systems tell small letters from capitals
            name += "_"
        used.add(name.lower())
        names[table] = f"{name}.{ending}"
    return names


def _csv(data: RelationalData, table: CodedTable, safe: bool) -> str:
    text = io.StringIO()
    writer = CsvWriter(text, safe)
    names = table.schema.names
    for name in names:
        checked_label(name, f"the name of a column of table '{abbreviated(table.schema.name)}'", ("",))
    writer.row(names)
    writer.rows(zip(*(_cells(data, table, j) for j in range(len(names))), strict=True))
    content = text.getvalue()
    # a first name that begins with a byte order mark would lose it, were it the only one
    return "\ufeff" + content if content.startswith("\ufeff") else content


def _cells(data: RelationalData, table: CodedTable, place: int) -> list[str]:
    schema, column, coded = data.schema, table.schema.columns[place], table.columns[place]
    name = f"{table.schema.name}.{column.name}"
    rows: Any = data.rows if table.schema.name == schema.target else slice(None)
    if column.kind is ColumnKind.CONTINUOUS:
        assert coded is not None
        return ["" if x != x else repr(x) for x in coded[rows].tolist()]
    if column.name == table.schema.key:
        assert table.keys is not None
        keys = table.keys if isinstance(rows, slice) else [table.keys[row] for row in rows.tolist()]
        return _checked(keys, f"the key '{abbreviated(name)}'")
    if column.kind is ColumnKind.CLASS:
        labels = _checked([text_of(label) for label in schema.classes], "a class")
        return _picked(labels, data.classes)
    if column.kind is ColumnKind.DISCRETE:
        values = _checked(table.values[place], f"a value of '{abbreviated(name)}'")
        return _picked(values, None if coded is None else coded[rows])
    return _references(data, table.schema, column.name, coded, rows)


def _references(data: RelationalData, table: Table, column: str, coded: Any, rows: Any) -> list[str]:
    key = data.schema.foreign_key(table.name, column)
    assert key is not None
    keys = data.table(key.references).keys
    assert keys is not None
    if key.references == data.schema.target and len(data) < len(keys):
        examples = set(data.rows.tolist())  # others are not written
        keys = tuple(text if row in examples else "" for row, text in enumerate(keys))
    return _picked(keys, coded[rows])


def _picked(texts: Sequence[str], codes: Any) -> list[str]:
    cells = [*texts, ""]  # code -1 picks the last
    return [cells[code] for code in codes.tolist()]


def _checked(texts: Sequence[str], what: str) -> list[str]:
    return [checked_label(text, what, ("",)) for text in texts]
