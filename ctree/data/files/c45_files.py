"""Data in C4.5's form, by stem: `golf` stands for `golf.names`, `golf.data` and `golf.test`."""

from __future__ import annotations

import os
from typing import Literal

import numpy as np

from ctree.data.dataset import Dataset
from ctree.data.files.c45_cases import Labels, Options, UnknownClass, check_choice, code_cases, read_cases
from ctree.data.files.c45_names import WEIGHT, NamesFile, escape, escape_all, names_text, parse_names, read_names
from ctree.data.files.text_file import abbreviated, path_text, read_utf8
from ctree.data.schema import Attribute, Kind, Schema
from ctree.errors import DataError

__all__ = ["read_c45", "read_cases", "read_names", "write_c45"]

Part = Literal["data", "test"]
SUFFIXES = (".names", ".data", ".test")


def read_c45(
    stem: str | os.PathLike[str],
    part: Part = "data",
    *,
    unknown_class: UnknownClass = "error",
    labels: Labels = "required",
) -> Dataset:
    """Read `stem.names` and `stem.data`, or `stem.test`.

    Parameters
    ----------
    stem : str or path
        The path without its suffix; one of the three files is taken for its stem.
    part : {"data", "test"}
        Both parts of one stem have the same schema: the values of a `discrete N` attribute, and N/A, are those of the
        `.data` file; others in the `.test` file are unknown.
    unknown_class : {"error", "drop", "keep"}
        What to do with a case whose class is `?`: refuse the file, skip the case, or keep it with class -1.
    labels : {"required", "optional"}
        With "optional" the cases may lack the class; the first case decides for all.

    Returns
    -------
    Dataset

    Raises
    ------
    DataError
        The first error, with its file and line.

    Notes
    -----
    The grammar is that of C4.5 release 8: tokens end at a comma, a colon, the end of the line, or a period before white
    space; white space around them is dropped and runs of spaces within them become one; `|` starts a comment; a
    backslash takes the special meaning from the next character. Where release 8 would misread a file, this does not:

    - a case is a line, so that a short or long one is an error (after a comma at the end of a line it goes on);
    - lines may end in CR LF, and the last one need not end;
    - a comma or colon after a period is still a delimiter, so that `5.,a` is two values;
    - ``\\?`` is a value, not unknown; -999 is a number, not unknown; a discrete attribute may have a single value;
    - `N/A` is a value of its own in a discrete attribute, and unknown in others;
    - numbers are decimal: hexadecimal ones, `nan` and `inf` are errors. Every error ends the reading.

    Of C5.0's files, `[ordered]` values, `date`, `time`, `timestamp`, `label` and `case weight` are known, too; see
    "Files". In fields of dates and times colons end nothing.

    The files are UTF-8, with or without a byte order mark.

    Examples
    --------
    >>> import ctree, tempfile, pathlib
    >>> stem = pathlib.Path(tempfile.mkdtemp(), "golf")
    >>> _ = stem.with_suffix(".names").write_text("Play, Don't Play.\\noutlook: sunny, rain.\\nhumidity: continuous.")
    >>> _ = stem.with_suffix(".data").write_text("sunny, 85, Don't Play\\nrain, ?, Play\\n")
    >>> data = ctree.read_c45(stem)
    >>> data
    <Dataset: 2 cases, 2 attributes, 2 classes>
    >>> data.value(0, 1), data.labels
    (85.0, ["Don't Play", 'Play'])
    """
    check_choice("part", part, ("data", "test"))
    stem = stem_of(stem)
    names = parse_names(stem + ".names")
    if part == "test":
        lenient = [limit > 0 for limit in names.limits]
        options = Options(unknown_class, labels, lenient=lenient, weight=names.weight)
        return code_cases(stem + ".test", _schema_of_data(stem, names), options)
    options = Options(unknown_class, labels, limits=names.limits, complete=True, weight=names.weight)
    return code_cases(stem + ".data", names.schema, options)


def stem_of(stem: str | os.PathLike[str]) -> str:
    """The path without the suffix of a C4.5 file, if it has one."""
    text = path_text(stem)
    root, suffix = os.path.splitext(text)
    return root if suffix in SUFFIXES and not os.path.exists(text + ".names") else text


def _schema_of_data(stem: str, names: NamesFile) -> Schema:
    """The schema as the `.data` file completes it."""
    file = stem + ".data"
    # Without `discrete N` only N/A could be new; most files do not have it, and need not be there at all.
    if not any(names.limits) and (not os.path.exists(file) or b"N/A" not in read_utf8(file)):
        return names.schema
    options = Options("keep", "optional", limits=names.limits, complete=True)
    return code_cases(file, names.schema, options).schema


def write_c45(dataset: Dataset, stem: str | os.PathLike[str], part: Part = "data") -> None:
    """Write a data set as `stem.names` and `stem.data`, or as `stem.test` alone.

    Parameters
    ----------
    dataset : Dataset
        Labels that are not text are written as text. Weights need an ignored attribute that is called `case weight`.
    stem : str or path
    part : {"data", "test"}

    Notes
    -----
    `read_c45` gives back the same data, the numbers to the last bit. An unknown class is written `?`
    (``unknown_class="keep"`` reads it); cases without classes are written without (``labels="optional"``).

    Examples
    --------
    >>> import ctree, tempfile, pathlib
    >>> windy = ctree.Attribute("windy", ctree.Kind.DISCRETE, ("true", "false"))
    >>> data = ctree.Dataset(ctree.Schema((windy,), ("Play", "Don't Play")), [[0, 1]], [1, 0])
    >>> stem = pathlib.Path(tempfile.mkdtemp(), "wind")
    >>> ctree.write_c45(data, stem)
    >>> print(stem.with_suffix(".data").read_text(), end="")
    true,Don't Play
    false,Play
    """
    check_choice("part", part, ("data", "test"))
    stem = stem_of(stem)
    texts = {f"{stem}.{part}": cases_text(dataset)}
    if part == "data":
        texts = {f"{stem}.names": names_text(dataset.schema, dataset.weights is not None), **texts}
    from ctree.data.files.writing import write_together  # reading, which is what most commands do, goes without

    write_together(texts)


def cases_text(dataset: Dataset) -> str:
    """The text of the case file of a data set."""
    if dataset.weights is not None and not any(map(_is_weight, dataset.schema)):
        raise DataError(
            f"the cases have weights, which a C4.5 file cannot express without an ignored attribute '{WEIGHT}'"
        )
    if not dataset.n_cases:
        raise DataError("there are no cases to write")
    columns = [_column_text(dataset, i) for i in range(len(dataset.schema))]
    if dataset.classes is not None:
        columns.append(_coded_text(escape_all(dataset.schema.classes, "a class"), dataset.classes))
    return "\n".join(map(",".join, zip(*columns, strict=True))) + "\n"


def _is_weight(attribute: Attribute) -> bool:
    return attribute.name == WEIGHT and attribute.kind is Kind.IGNORE


def _column_text(dataset: Dataset, place: int) -> list[str]:
    """The fields of one attribute."""
    attribute, column = dataset.schema[place], dataset.columns[place]
    if column is None:
        if _is_weight(attribute) and dataset.weights is not None:
            return list(map(repr, dataset.weights.tolist()))
        if attribute.is_label and dataset.case_names is not None:
            return ["?" if name is None else escape(name, "a label") for name in dataset.case_names]
        return ["?"] * dataset.n_cases
    if attribute.kind is Kind.CONTINUOUS:
        return ["?" if x != x else repr(x) for x in column.tolist()]
    if attribute.is_moment:
        return ["?" if x != x else str(attribute.label(x)) for x in column.tolist()]
    codes = np.where(np.isnan(column), -1, column).astype(np.int32) if attribute.is_ordered else column
    return _coded_text(escape_all(attribute.values, f"a value of attribute '{abbreviated(attribute.name)}'"), codes)


def _coded_text(values: list[str], codes: np.ndarray) -> list[str]:
    values = [*values, "?"]  # which code -1 picks
    return [values[code] for code in codes.tolist()]
