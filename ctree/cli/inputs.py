"""The cases that a subcommand is given: C4.5 files, `.csv`, `.tsv` or `.arff`, told by their suffix."""

from __future__ import annotations

import os
from typing import Literal

from ctree.cli.csv_options import is_csv
from ctree.cli.options import misuse
from ctree.cli.relational import refuse_linked
from ctree.cli.streams import warn
from ctree.data.dataset import Dataset
from ctree.data.files.c45_cases import Labels, UnknownClass
from ctree.data.files.c45_files import SUFFIXES, read_c45, read_cases, stem_of
from ctree.data.files.csv_kinds import AS_THEY_LOOK, Kinds
from ctree.data.files.csv_settings import CsvSettings
from ctree.data.schema import Schema
from ctree.errors import DataError
from ctree.wording import abbreviated_list, abbreviated_path

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
        from ctree.cli.csv_inputs import read_table  # here and below: what only files of one form need

        return read_table(path, class_name, kinds, unknown_class, settings)
    if settings != FOUND_OUT or kinds.ignored:
        raise misuse(
            "--delimiter, --decimal, --header, --unknown-values and --ignore are only for .csv and .tsv files", path
        )
    if form == "arff":
        from ctree.data.files.arff_files import read_arff

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
        from ctree.cli.csv_inputs import last_column

        return last_column(path, settings)
    if form == "arff":
        from ctree.cli.arff_inputs import arff_names

        return arff_names(path)[-1]
    return None


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
        from ctree.cli.csv_inputs import read_table_for_model

        data = read_table_for_model(path, schema, class_name, unknown_class, settings)
    else:
        from ctree.cli.arff_inputs import read_arff_for_model

        data = read_arff_for_model(path, schema, class_name, unknown_class)
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
