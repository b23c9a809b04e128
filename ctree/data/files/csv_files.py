"""Comma-separated files with a header row."""

from __future__ import annotations

import os
import re
from collections.abc import Container, Mapping, Sequence

import numpy as np

from ctree.data.dataset import Column, Dataset
from ctree.data.files.c45_cases import UnknownClass, check_choice
from ctree.data.files.csv_cases import CsvCases
from ctree.data.files.csv_kinds import Kinds, orders_of
from ctree.data.files.csv_remarks import tell
from ctree.data.files.csv_settings import UNKNOWN, csv_settings
from ctree.data.files.safe_csv import CsvWriter
from ctree.data.files.text_file import abbreviated, path_text
from ctree.data.files.writing import write_text
from ctree.data.schema import Attribute, Kind, Label, Schema
from ctree.errors import DataError, NamingError

LONGEST = 1 << 17
"""The longest cell that Python's reader of such files takes."""


def read_csv(
    path: str | os.PathLike[str],
    class_name: str | None = None,
    *,
    delimiter: str | None = None,
    decimal: str | None = None,
    header: bool | None = None,
    unknown: Sequence[str] = (),
    categorical_features: Sequence[str] = (),
    ordered: Mapping[str, Sequence[str]] | None = None,
    dates: Sequence[str] = (),
    ignore: Sequence[str] = (),
    schema: Schema | None = None,
    unknown_class: UnknownClass = "error",
) -> Dataset:
    """Read a comma-separated file.

    Parameters
    ----------
    path : str or path
        White space around a cell is dropped; `?`, `NA`, `NaN`, `nan` and nothing at all are unknown, and among numbers
        other marks too, such as `null` and `-`.
    class_name : str, optional
        The column of the class; the last one if None.
    delimiter : str, optional
        What separates the columns. If None, the one of comma, semicolon, tab and vertical bar by which the first rows
        have as many cells each, a comma before others.
    decimal : {".", ","}, optional
        The decimal mark. If None, it is found out, column by column.
    header : bool, optional
        Whether the first row has the names of the columns. If None, it has unless it looks like the rows below; the
        columns are then called x1, x2, ...
    unknown : sequence of str
        Cells that stand for an unknown value besides those above, in every column.
    categorical_features : sequence of str
        Numeric columns to treat as discrete. Others are continuous if every known value is a number, else
        discrete, with the values in sorted order.
    ordered : mapping of str to sequences of str, optional
        Columns whose values have an order, each with all its values from the least to the greatest.
    dates : sequence of str
        Columns of dates (2024-03-31 or 2024/3/31), of times (13:45 or 13:45:00) or of timestamps (both, with a blank or
        T between them, and a time zone if there is one, by which they become UTC).
    ignore : sequence of str
        Columns to leave out.
    schema : Schema, optional
        That of a model, for which the file is coded: its columns are found by name, values that it does not have are
        unknown, and there are classes only if `class_name` is given.
    unknown_class : {"error", "drop", "keep"}
        What to do with a case whose class is unknown: refuse the file, skip the case, or keep it with class -1.

    Returns
    -------
    Dataset

    Warns
    -----
    DataConversionWarning
        Of each column that may not be what it was taken for, with the parameters that change it.

    Examples
    --------
    >>> import ctree, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "golf.csv")
    >>> _ = path.write_text("outlook;humidity;play\\nsunny;85,5;no\\nrain;?;yes\\n")
    >>> data = ctree.read_csv(path)
    >>> data.schema.names, data.schema.classes, data.value(0, 1)
    (('outlook', 'humidity'), ('no', 'yes'), 85.5)
    """
    check_choice("unknown_class", unknown_class, ("error", "drop", "keep"))
    settings = csv_settings(delimiter, decimal, header, unknown)
    table = CsvCases(path_text(path), settings, () if schema is None else schema.names)
    if schema is None:
        kinds = Kinds(tuple(categorical_features), orders_of(ordered), tuple(dates), tuple(ignore))
        data = table.read(class_name, kinds, unknown_class)
    else:
        for name in (*categorical_features, *(ordered or ()), *dates, *ignore):
            table.place(name, NamingError)
        data = table.code(schema, class_name, unknown_class)
    tell(table.remarks)
    return data


def write_csv(dataset: Dataset, path: str | os.PathLike[str], class_name: str = "class", *, safe: bool = False) -> None:
    """Write a data set as a comma-separated file, its class in the last column.

    Parameters
    ----------
    dataset : Dataset
        Without weights. Ignored attributes are left out; unknown values are written `?`.
    path : str or path
        Where it ends in `.tsv`, tabs separate the columns, else commas.
    class_name : str
        The name of the last column.
    safe : bool
        Whether names and values that a spreadsheet would run as a formula, as they begin with ``=``, ``+``, ``-`` or
        ``@`` and are not numbers, get an apostrophe in front. It is part of the value when the file is read back.

    Notes
    -----
    Such a file does not say which columns are discrete, nor the order of their values: `read_csv` takes discrete
    values that are numbers, or stand for unknown among numbers, for a continuous attribute unless it is told, and sorts
    the values. Nor does it say that the first row has the names, which matters where these look like values.

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
    writer = CsvWriter(text, safe, "\t" if path_text(path).lower().endswith(".tsv") else ",")
    writer.row(names)
    writer.rows(zip(*columns, strict=True))
    content = text.getvalue()
    # a first name that begins with a byte order mark would lose it, were it the only one
    write_text(path_text(path), "\ufeff" + content if content.startswith("\ufeff") else content)


def _cells(attribute: Attribute, column: Column) -> list[str]:
    if attribute.kind is Kind.CONTINUOUS:
        return ["?" if x != x else repr(x) for x in column.tolist()]
    if attribute.is_moment:
        return ["?" if x != x else str(attribute.label(x)) for x in column.tolist()]
    if attribute.is_ordered:
        column = np.where(np.isnan(column), -1, column).astype(np.int32)
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
