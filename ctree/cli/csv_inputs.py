"""The cases of .csv and .tsv files, for subcommands."""

from __future__ import annotations

import numpy as np

from ctree.cli.csv_options import telling
from ctree.cli.streams import warn_of_value
from ctree.data.dataset import Dataset
from ctree.data.files.c45_cases import UnknownClass
from ctree.data.files.csv_cases import CsvCases
from ctree.data.files.csv_kinds import Kinds
from ctree.data.files.csv_layout import find_layout, head_of_file
from ctree.data.files.csv_remarks import tell
from ctree.data.files.csv_settings import CsvSettings
from ctree.data.schema import Schema
from ctree.data.tables.levels import code_levels


def read_table(
    path: str, class_name: str | None, kinds: Kinds, unknown_class: UnknownClass, settings: CsvSettings
) -> Dataset:
    """Cases that bring their own schema; what the file may not be taken for is said."""
    with telling():
        table = CsvCases(path, settings)
        data = table.read(class_name, kinds, unknown_class)
        tell(table.remarks)
        return data


def last_column(path: str, settings: CsvSettings) -> str:
    """The name of the last column that is used."""
    head, whole = head_of_file(path)
    return find_layout(head, whole, path, settings).used[-1]


def read_table_for_model(
    path: str, schema: Schema, class_name: str | None, unknown_class: UnknownClass, settings: CsvSettings
) -> Dataset:
    """Cases in the codes of a model's schema; a value that it does not know is unknown, with a warning."""
    with telling():
        table = CsvCases(path, settings, schema.names)
        data = table.code(schema, class_name or _class_column(table, schema), unknown_class)
        tell(table.remarks)
    for attribute in schema:
        if attribute.is_discrete or attribute.is_ordered:
            cells = list(filter(None, dict.fromkeys(table.known_cells(attribute.name))))
            odd = np.flatnonzero(code_levels(list(cells), attribute.values, attribute.name) < 0)
            if odd.size:
                warn_of_value(path, attribute, cells[odd[0]])
    return data


def _class_column(table: CsvCases, schema: Schema) -> str | None:
    """The last column that is no attribute and has nothing but classes and unknowns, and one class at least."""
    for name in reversed([name for name in table.layout.used if name not in schema.names]):
        cells = list(filter(None, dict.fromkeys(table.known_cells(name))))
        if cells and code_levels(list(cells), schema.classes, name).min() >= 0:
            return name
    return None
