"""Comma-separated files with a header row."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Container, Sequence
from typing import Any

import numpy as np

from ctree.data.dataset import Column, Dataset
from ctree.data.files.c45_cases import UnknownClass, check_choice, without_unknown_classes
from ctree.data.files.csv_table import CsvTable
from ctree.data.files.safe_csv import CsvWriter
from ctree.data.files.text_file import abbreviated, abbreviated_list, near_match, path_text
from ctree.data.files.writing import write_text
from ctree.data.schema import Attribute, Kind, Label, Schema
from ctree.data.tables.levels import code_levels, find_levels
from ctree.errors import DataError, NamingError

UNKNOWN = frozenset(("", "?", "NA", "NaN", "nan"))
"""The cells that stand for an unknown value."""

LONGEST = 1 << 17
"""The longest cell that Python's reader of such files takes."""


def read_csv(
    path: str | os.PathLike[str],
    class_name: str | None = None,
    *,
    delimiter: str = ",",
    categorical_features: Sequence[str] = (),
    schema: Schema | None = None,
    unknown_class: UnknownClass = "error",
) -> Dataset:
    """Read a comma-separated file.

    Parameters
    ----------
    path : str or path
        Its first row has the names of the columns. White space around a cell is dropped; `?`, `NA`, `NaN` and nothing
        at all are unknown.
    class_name : str, optional
        The column of the class; the last one if None.
    delimiter : str
    categorical_features : sequence of str
        Numeric columns to treat as discrete. Others are continuous if every known value is a number, else
        discrete, with the values in sorted order.
    schema : Schema, optional
        That of a model, for which the file is coded: its columns are found by name, values that it does not have are
        unknown, and there are classes only if `class_name` is given.
    unknown_class : {"error", "drop", "keep"}
        What to do with a case whose class is unknown: refuse the file, skip the case, or keep it with class -1.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> import ctree, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "golf.csv")
    >>> _ = path.write_text("outlook,humidity,play\\nsunny,85,no\\nrain,?,yes\\n")
    >>> data = ctree.read_csv(path)
    >>> data.schema.names, data.schema.classes, data.value(0, 1)
    (('outlook', 'humidity'), ('no', 'yes'), 85.0)
    """
    check_choice("unknown_class", unknown_class, ("error", "drop", "keep"))
    table = _Table(path_text(path), delimiter)
    label = class_name if class_name is not None or schema is not None else table.names[-1]
    if label is not None:
        table.place(label, NamingError)
    for name in categorical_features:
        table.place(name, NamingError)
    columns: Sequence[Column | None]
    if schema is None:
        names = [name for name in table.names if name != label]
        pairs = [table.infer(name, name in categorical_features) for name in names]
        attributes, columns = [a for a, _ in pairs], [c for _, c in pairs]
    else:
        attributes = list(schema.attributes)
        columns = [table.code(attribute) for attribute in attributes]
    classes: tuple[Label, ...] = () if schema is None else schema.classes
    codes = None
    if label is not None:
        classes, codes = table.classes(label, None if schema is None else classes, unknown_class == "error")
    data = Dataset(Schema(tuple(attributes), classes), columns, codes, n_cases=table.n_rows)
    return without_unknown_classes(data, table.file) if unknown_class == "drop" else data


class _Table(CsvTable):
    """The cells of a file as attributes and classes."""

    def __init__(self, file: str, delimiter: str) -> None:
        super().__init__(file, delimiter)
        if not self.n_rows:
            raise DataError("the file has no cases", file)

    def cells(self, name: str) -> list[str | None]:
        """The cells of a column, None where the value is unknown."""
        return [None if cell in UNKNOWN else cell for cell in self.column(name)]

    def infer(self, name: str, categorical: bool) -> tuple[Attribute, Column]:
        """An attribute of the kind that its cells suggest, and its coded column."""
        cells = self.cells(name)
        if not categorical:
            try:
                numbers = [math.nan if c is None else float(c) for c in cells]
            except ValueError:
                pass
            else:
                if "_" not in "".join(c for c in cells if c is not None):
                    return Attribute(name, Kind.CONTINUOUS), self._finite(name, numbers)
        levels, codes = find_levels(cells, f"attribute '{abbreviated(name)}'")
        return Attribute(name, Kind.DISCRETE, levels), codes

    def code(self, attribute: Attribute) -> Column | None:
        """The column of a known attribute."""
        if attribute.kind is Kind.IGNORE:
            return None
        cells = self.cells(attribute.name)
        if attribute.is_discrete:
            return code_levels(cells, attribute.values, f"attribute '{abbreviated(attribute.name)}'")
        numbers = []
        for row, cell in enumerate(cells):
            try:
                numbers.append(math.nan if cell is None else float(cell))
            except ValueError:
                name, value = abbreviated(attribute.name), abbreviated(cell)
                message = f"attribute '{name}' has the value '{value}', which is not a number"
                raise DataError(message, self.file, self.line(row)) from None
        return self._finite(attribute.name, numbers)

    def _finite(self, name: str, numbers: list[float]) -> np.ndarray[Any, np.dtype[np.float64]]:
        column = np.array(numbers)
        if np.isinf(column).any():
            line = self.line(int(np.argmax(np.isinf(column))))
            raise DataError(f"attribute '{abbreviated(name)}' has an infinite value", self.file, line)
        return column

    def classes(
        self, name: str, known: Sequence[Label] | None, needed: bool
    ) -> tuple[tuple[Label, ...], np.ndarray[Any, np.dtype[np.int32]]]:
        """The classes, sorted if they are not known yet, and that of each case."""
        cells = self.cells(name)
        if known is None:
            levels, codes = find_levels(cells, f"the class '{abbreviated(name)}'")
        else:
            levels, codes = tuple(known), code_levels(cells, known, f"the class '{abbreviated(name)}'")
        for i in np.flatnonzero(codes < 0).tolist():
            if cells[i] is not None:
                message = f"the class is '{abbreviated(cells[i])}', which is not one of {abbreviated_list(levels)}"
                raise DataError(message + near_match(str(cells[i]), levels), self.file, self.line(i))
            if needed:
                raise DataError(f"the class '{abbreviated(name)}' is unknown", self.file, self.line(i))
        return levels, codes


def write_csv(dataset: Dataset, path: str | os.PathLike[str], class_name: str = "class", *, safe: bool = False) -> None:
    """Write a data set as a comma-separated file, its class in the last column.

    Parameters
    ----------
    dataset : Dataset
        Without weights. Ignored attributes are left out; unknown values are written `?`.
    path : str or path
    class_name : str
        The name of the last column.
    safe : bool
        Whether names and values that a spreadsheet would run as a formula, as they begin with ``=``, ``+``, ``-`` or
        ``@`` and are not numbers, get an apostrophe in front. It is part of the value when the file is read back.

    Notes
    -----
    Such a file does not say which columns are discrete, nor the order of their values: `read_csv` takes discrete
    values that are numbers for a continuous attribute unless it is told, and sorts the values.

    Examples
    --------
    >>> import ctree, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "golf.csv")
    >>> ctree.write_csv(ctree.from_arrays({"humidity": [85, 71]}, ["no", "yes"]), path, "play")
    >>> print(path.read_text(), end="")
    humidity,play
    85.0,no
    71.0,yes
    """
    import io

    if dataset.weights is not None:
        raise DataError("the cases have weights, which a comma-separated file cannot express")
    if not dataset.n_cases:
        raise DataError("there are no cases to write")
    names, columns = [], []
    for attribute, column in zip(dataset.schema, dataset.columns, strict=True):
        if column is not None:
            names.append(checked_label(attribute.name, "an attribute name"))
            columns.append(_cells(attribute, column))
    if dataset.classes is not None:
        if class_name in names:
            raise DataError(f"an attribute is called '{abbreviated(class_name)}' too; choose another class_name")
        names.append(checked_label(class_name, "the name of the class"))
        columns.append(_coded_cells(dataset.schema.classes, dataset.classes, "a class"))
    text = io.StringIO()
    writer = CsvWriter(text, safe)
    writer.row(names)
    writer.rows(zip(*columns, strict=True))
    content = text.getvalue()
    # a first name that begins with a byte order mark would lose it, were it the only one
    write_text(path_text(path), "\ufeff" + content if content.startswith("\ufeff") else content)


def _cells(attribute: Attribute, column: Column) -> list[str]:
    if attribute.kind is Kind.CONTINUOUS:
        return ["?" if x != x else repr(x) for x in column.tolist()]
    return _coded_cells(attribute.values, column, f"a value of attribute '{abbreviated(attribute.name)}'")


def _coded_cells(labels: Sequence[Label], codes: Column, what: str) -> list[str]:
    cells = [*(checked_label(label, what) for label in labels), "?"]  # code -1 picks the last
    if len(set(cells)) < len(cells):
        twice = next(cell for i, cell in enumerate(cells) if cell in cells[:i])
        raise DataError(
            f"{what} is '{abbreviated(twice)}' as text and so is another, which a comma-separated file cannot express"
        )
    return [cells[code] for code in codes.tolist()]


def checked_label(label: Label, what: str, unknown: Container[str] = UNKNOWN) -> str:
    """A label as text that is read back as it is."""
    text = str(label)
    if text in unknown or text != text.strip() or len(text) > LONGEST or re.search("[\0\r\ud800-\udfff]", text):
        raise DataError(f"{what} is '{abbreviated(text)}', which a comma-separated file cannot express")
    return text
