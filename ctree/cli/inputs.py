"""The cases that a subcommand is given: C4.5 files, `.csv`, `.tsv` or `.arff`, told by their suffix."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from typing import Literal

import numpy as np
import numpy.typing as npt

from ctree.cli.csv_options import is_csv, telling
from ctree.cli.options import misuse, warn
from ctree.cli.relational import refuse_linked
from ctree.data.dataset import Dataset
from ctree.data.files.arff_files import read_arff
from ctree.data.files.c45_cases import Labels, UnknownClass
from ctree.data.files.c45_files import SUFFIXES, read_c45, read_cases, stem_of
from ctree.data.files.csv_cases import AS_THEY_LOOK, CsvCases
from ctree.data.files.csv_kinds import Kinds
from ctree.data.files.csv_layout import find_layout, head_of_file
from ctree.data.files.csv_remarks import tell
from ctree.data.files.csv_settings import CsvSettings
from ctree.data.files.text_file import BOM, abbreviated, abbreviated_list, read_utf8
from ctree.data.recode import recoded_columns, translated
from ctree.data.schema import Attribute, Label, Schema
from ctree.data.tables.levels import code_levels
from ctree.errors import DataError
from ctree.wording import abbreviated_path

Form = Literal["csv", "arff", "c4.5"]

FOUND_OUT = CsvSettings()

SPREADSHEETS = (".xlsx", ".xls", ".xlsm", ".xlsb", ".ods", ".numbers")


def suffix_of(path: str) -> str:
    return os.path.splitext(path)[1].lower()


def form_of(path: str) -> Form:
    """The form of a file, by its suffix; what is neither .csv, .tsv nor .arff is C4.5's."""
    return "csv" if is_csv(path) else "arff" if suffix_of(path) == ".arff" else "c4.5"


def refuse_spreadsheet(path: str) -> None:
    """An error about a file of a spreadsheet program, with what to do instead."""
    if suffix_of(path) in SPREADSHEETS:
        raise DataError(
            "a spreadsheet cannot be read: save it as a .csv file, or read it in Python by pandas.read_excel and give "
            "the frame to a learner",
            path,
        )


def files_of(source: str) -> list[str]:
    """The files that are read of a source."""
    if form_of(source) != "c4.5":
        return [source]
    stem = stem_of(source)
    return [stem + suffix for suffix in SUFFIXES if suffix != ".test" or source.endswith(".test")]


def read_source(
    path: str,
    class_name: str | None = None,
    kinds: Kinds = AS_THEY_LOOK,
    unknown_class: UnknownClass = "error",
    labels: Labels = "required",
    settings: CsvSettings = FOUND_OUT,
) -> Dataset:
    """Cases that bring their own schema; what a .csv file may not be taken for is said."""
    form = form_of(path)
    refuse_spreadsheet(path)
    if form == "c4.5" and not os.path.exists(stem_of(path) + ".names"):
        refuse_linked(path)
    told = {"--discrete": kinds.discrete, "--ordered": kinds.ordered, "--dates": kinds.dates}
    for option in (option for option, columns in told.items() if columns and form != "csv"):
        raise misuse(f"{option} is only for .csv files; others specify the kind of each attribute themselves", path)
    if form == "csv":
        with telling():
            table = CsvCases(path, settings)
            data = table.read(class_name, kinds, unknown_class)
            tell(table.remarks)
            return data
    if settings != FOUND_OUT or kinds.ignored:
        raise misuse(
            "--delimiter, --decimal, --header, --unknown-values and --ignore are only for .csv and .tsv files", path
        )
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


def class_name_of(path: str, settings: CsvSettings = FOUND_OUT) -> str | None:
    """The name of the last column of a .csv or .arff file that has been read before; None for C4.5 files."""
    form = form_of(path)
    if form == "csv":
        head, whole = head_of_file(path)
        return find_layout(head, whole, path, settings).used[-1]
    return _arff_names(path)[-1] if form == "arff" else None


def read_for_model(
    path: str,
    schema: Schema,
    class_name: str | None = None,
    unknown_class: UnknownClass = "keep",
    needed: bool = False,
    settings: CsvSettings = FOUND_OUT,
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
    settings : CsvSettings
        How a .csv file is read; what it does not say is found out from this file, whatever that of the model was like.
    """
    form = form_of(path)
    refuse_spreadsheet(path)
    if form == "c4.5":
        refuse_linked(path)
        if class_name is not None:
            raise misuse("--class is only for .csv and .arff files; in C4.5 files the class is the last field", path)
        return _read_c45_cases(path, schema, unknown_class, "required" if needed else "optional")
    if form == "csv":
        data = _read_csv(path, schema, class_name, unknown_class, settings)
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


def _read_csv(
    path: str, schema: Schema, class_name: str | None, unknown_class: UnknownClass, settings: CsvSettings
) -> Dataset:
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
