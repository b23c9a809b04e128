"""The cases that a subcommand is given: C4.5 files, `.csv` or `.arff`, told by their suffix."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from typing import Literal

import numpy as np
import numpy.typing as npt

from ctree.cli.options import misuse, warn
from ctree.cli.relational import refuse_linked
from ctree.data.dataset import Dataset
from ctree.data.files.arff_files import read_arff
from ctree.data.files.c45_cases import Labels, UnknownClass
from ctree.data.files.c45_files import SUFFIXES, read_c45, read_cases, stem_of
from ctree.data.files.csv_files import UNKNOWN, read_csv
from ctree.data.files.text_file import BOM, abbreviated, abbreviated_list, read_utf8
from ctree.data.recode import recoded_columns, translated
from ctree.data.schema import Attribute, Label, Schema
from ctree.data.tables.levels import code_levels
from ctree.errors import DataError
from ctree.wording import abbreviated_path

Form = Literal["csv", "arff", "c4.5"]


def suffix_of(path: str) -> str:
    return os.path.splitext(path)[1].lower()


def form_of(path: str) -> Form:
    """The form of a file, by its suffix; what is neither .csv nor .arff is C4.5's."""
    suffix = suffix_of(path)
    return "csv" if suffix == ".csv" else "arff" if suffix == ".arff" else "c4.5"


def files_of(source: str) -> list[str]:
    """The files that are read of a source."""
    if form_of(source) != "c4.5":
        return [source]
    stem = stem_of(source)
    return [stem + suffix for suffix in SUFFIXES if suffix != ".test" or source.endswith(".test")]


def read_source(
    path: str,
    class_name: str | None = None,
    discrete: Sequence[str] = (),
    unknown_class: UnknownClass = "error",
    labels: Labels = "required",
) -> Dataset:
    """Cases that bring their own schema."""
    form = form_of(path)
    if form == "c4.5" and not os.path.exists(stem_of(path) + ".names"):
        refuse_linked(path)
    if discrete and form != "csv":
        raise misuse("--discrete is only for .csv files; others specify the kind of each attribute themselves", path)
    if form == "csv":
        return read_csv(path, class_name, categorical_features=discrete, unknown_class=unknown_class)
    if form == "arff":
        return read_arff(path, class_name, unknown_class=unknown_class)
    stem = stem_of(path)
    if os.path.isdir(path) and not os.path.exists(stem + ".names"):
        raise DataError("this is a directory, not a file with cases", path)
    if class_name is not None:
        raise misuse("--class is only for .csv and .arff files; in C4.5 files the class is the last field", path)
    if os.path.isfile(path) and not path.endswith(SUFFIXES) and not os.path.exists(stem + ".names"):
        raise DataError("the file should end in .csv or .arff, or be C4.5's: a stem with .names and .data", path)
    if not os.path.exists(stem + ".names"):
        found = [s for s in (".csv", ".arff") if os.path.exists(stem + s)]
        hint = f" (did you mean '{abbreviated_path(stem + found[0])}'?)" if found else ""
        raise DataError(f"there is no such file{hint}", stem + ".names")
    return read_c45(stem, "test" if path.endswith(".test") else "data", unknown_class=unknown_class, labels=labels)


def class_name_of(path: str) -> str | None:
    """The name of the last column of a .csv or .arff file that has been read before; None for C4.5 files."""
    form = form_of(path)
    if form == "csv":
        return _csv_rows(path)[0][-1]
    return _arff_names(path)[-1] if form == "arff" else None


def read_for_model(
    path: str, schema: Schema, class_name: str | None = None, unknown_class: UnknownClass = "keep", needed: bool = False
) -> Dataset:
    """Cases in the codes of a model's schema; a value that the model does not know is unknown, with a warning.

    Parameters
    ----------
    path : str
    schema : Schema
    class_name : str, optional
        The column of the class; if None, the last that is not an attribute of the model and holds its classes.
    unknown_class : {"error", "drop", "keep"}
    needed : bool
        Whether the cases must have classes.
    """
    form = form_of(path)
    if form == "c4.5":
        refuse_linked(path)
        if class_name is not None:
            raise misuse("--class is only for .csv and .arff files; in C4.5 files the class is the last field", path)
        return _read_c45_cases(path, schema, unknown_class, "required" if needed else "optional")
    if form == "csv":
        data = _read_csv(path, schema, class_name, unknown_class)
    else:
        data = _read_arff(path, schema, class_name, unknown_class)
    if needed and data.classes is None:
        message = f"no column besides the attributes has the classes of the model, {abbreviated_list(schema.classes)}"
        raise DataError(message, path)
    return data


def _read_c45_cases(path: str, schema: Schema, unknown_class: UnknownClass, labels: Labels) -> Dataset:
    if not os.path.exists(path):
        found = [path + s for s in (".data", ".test", ".cases", ".csv", ".arff") if os.path.exists(path + s)]
        hint = f" (did you mean '{abbreviated_path(found[-1])}'?)" if found else ""
        raise DataError(f"there is no such file{hint}", path)
    if path.endswith(".names"):
        raise DataError("a .names file has no cases; name the file that has them, such as .data or .test", path)
    try:
        return read_cases(path, schema, unknown_class=unknown_class, labels=labels)
    except DataError as error:
        if error.line is None:  # the file as a whole, not a value in it
            raise
        data = read_cases(path, schema, unknown_class=unknown_class, labels=labels, new_values="unknown")
        warn(f"{error}; it is taken as unknown, and so are others like it")
        return data


def _read_csv(path: str, schema: Schema, class_name: str | None, unknown_class: UnknownClass) -> Dataset:
    data = read_csv(path, class_name, schema=schema, unknown_class=unknown_class)
    rows = _csv_rows(path)
    columns = dict(zip(rows[0], zip(*rows[1:], strict=True), strict=True))
    for attribute, codes in zip(schema, data.columns, strict=True):
        if attribute.is_discrete and codes is not None and len(codes) == len(rows) - 1:
            cells = columns[attribute.name]
            odd = next((cells[i] for i in np.flatnonzero(codes < 0).tolist() if cells[i] not in UNKNOWN), None)
            if odd is not None:
                warn_of_value(path, attribute, odd)
    if class_name is None:
        name = _class_column(columns, schema)
        data = data if name is None else read_csv(path, name, schema=schema, unknown_class=unknown_class)
    return data


def _class_column(columns: dict[str, tuple[str, ...]], schema: Schema) -> str | None:
    """The last column that is no attribute and has nothing but classes and unknowns, and one class at least."""
    for name in reversed([name for name in columns if name not in schema.names]):
        cells = [cell for cell in dict.fromkeys(columns[name]) if cell not in UNKNOWN]
        if cells and code_levels(list(cells), schema.classes, name).min() >= 0:
            return name
    return None


def _csv_rows(path: str) -> list[list[str]]:
    """The cells of a file that `read_csv` has found right."""
    import csv
    import io

    text = read_utf8(path).removeprefix(BOM).decode("utf-8")
    return [[cell.strip() for cell in row] for row in csv.reader(io.StringIO(text, newline="")) if row]


def _arff_names(path: str) -> list[str]:
    """The attributes of a file, from its head."""
    import arff  # which read_arff has found, or will miss with a better message

    head = []
    for line in read_utf8(path).removeprefix(BOM).decode("utf-8").splitlines():
        head.append(line)
        if line.strip().lower().startswith("@data"):
            break
    return [name for name, _ in arff.loads("\n".join(head))["attributes"]]


def _read_arff(path: str, schema: Schema, class_name: str | None, unknown_class: UnknownClass) -> Dataset:
    data = read_arff(path, class_name, unknown_class=unknown_class)
    name = class_name or _arff_names(path)[-1]
    if name in schema.names:
        others = [n for n in _arff_names(path) if n not in schema.names]
        if not others:
            message = (
                f"the last attribute is '{abbreviated(name)}', an attribute of the model; add a class, if only of ?"
            )
            raise DataError(message, path)
        data = read_arff(path, others[-1], unknown_class=unknown_class)
    try:
        columns = recoded_columns(data, schema, partial(warn_of_value, path))
    except DataError as error:
        raise DataError(str(error), path) from None
    return Dataset(schema, columns, _recode_classes(path, data, schema.classes), n_cases=data.n_cases)


def _recode_classes(path: str, data: Dataset, classes: Sequence[Label]) -> npt.NDArray[np.int32]:
    assert data.classes is not None
    codes = translated(data.classes, data.schema.classes, classes)
    odd = np.flatnonzero((codes < 0) & (data.classes >= 0))
    if odd.size:
        label = data.schema.classes[int(data.classes[odd[0]])]
        raise DataError(
            f"case {odd[0] + 1} has the class '{abbreviated(label)}', not one of {abbreviated_list(classes)}", path
        )
    return codes


def warn_of_value(path: str, attribute: Attribute, value: object) -> None:
    warn(
        f"{abbreviated_path(path)}: attribute '{abbreviated(attribute.name)}' has the value '{abbreviated(value)}', "
        "which the model does not know; it is taken as unknown"
    )
