"""Attribute-relation files (ARFF), read and written by liac-arff."""

from __future__ import annotations

import io
import os
import re
from itertools import zip_longest
from typing import Any

import numpy as np

from ctree.data.dataset import Column, Dataset
from ctree.data.files.c45_cases import LEAVE_OUT, UnknownClass, check_choice, without_unknown_classes
from ctree.data.files.text_file import BOM, abbreviated, path_text, read_utf8
from ctree.data.files.writing import write_text
from ctree.data.schema import Attribute, Kind, Schema
from ctree.data.tables.levels import code_levels
from ctree.errors import DataError, MissingExtraError, NamingError, missing
from ctree.wording import no_such

NUMERIC = ("NUMERIC", "REAL", "INTEGER")


def _liac_arff() -> Any:
    try:
        import arff
    except ImportError:
        raise missing("ARFF files need", "liac-arff", "arff") from None
    if not hasattr(arff, "ArffException"):
        raise MissingExtraError("ARFF files need liac-arff, but another package called arff is installed")
    return arff


def read_arff(
    path: str | os.PathLike[str], class_name: str | None = None, *, unknown_class: UnknownClass = "error"
) -> Dataset:
    """Read an ARFF file.

    Parameters
    ----------
    path : str or path
        A file of nominal and numeric attributes; those of type string or date are refused.
    class_name : str, optional
        The attribute that is the class, which must be nominal; the last one if None.
    unknown_class : {"error", "drop", "keep"}
        What to do with a case whose class is `?`: refuse the file, skip the case, or keep it with class -1.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> import ctree, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "golf.arff")
    >>> _ = path.write_text('''@relation golf
    ... @attribute humidity numeric
    ... @attribute play {yes, no}
    ... @data
    ... 85, no
    ... ?, yes''')
    >>> data = ctree.read_arff(path)
    >>> data.schema.classes, data.classes.tolist()
    (('yes', 'no'), [1, 0])
    """
    check_choice("unknown_class", unknown_class, ("error", "drop", "keep"))
    arff = _liac_arff()
    file = path_text(path)
    text = read_utf8(file).removeprefix(BOM).decode("utf-8")
    _check_declarations(text, file)
    try:
        content = arff.load(io.StringIO(text, newline=None))
    except arff.ArffException as error:
        line = error.line if isinstance(getattr(error, "line", None), int) and error.line > 0 else None
        raise DataError(f"the file is not ARFF ({_reason(error)})", file, line) from None
    except MemoryError:
        raise
    except Exception as error:  # liac-arff lets some of its own errors through on a damaged file
        raise DataError(f"the file is not ARFF ({abbreviated(error, 200)})", file) from None
    attributes = [_attribute(name, kind, file) for name, kind in content["attributes"]]
    label = _class_place(attributes, class_name, file)
    data = _dataset(attributes, label, content["data"], file)
    if unknown_class == "error" and data.classes is not None and data.classes.min() < 0:
        case = int(np.argmin(data.classes)) + 1
        told = f"the class '{abbreviated(attributes[label].name)}' of case {case} is unknown; {LEAVE_OUT}"
        raise DataError(told, file)
    return without_unknown_classes(data, file) if unknown_class == "drop" else data


def _reason(error: Exception) -> str:
    """What liac-arff says; its own text fails where the file has a % in what it quotes."""
    try:
        text = str(error)
    except (TypeError, ValueError):
        text = str(getattr(error, "message", type(error).__name__))
    return abbreviated(text, 200).rstrip(".")


_LIST = re.compile(r"""@attribute\S* (?:\s*)(?:".*"|'.*'|[^{}%,\s]*)\s+(\{.*)""", re.IGNORECASE)
_VALUE = re.compile(r"""\s*(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s,'"{}]*)\s*([,}])""")


def _check_declarations(text: str, file: str) -> None:
    """Refuse lists of values that are none: with these liac-arff takes time that doubles with each value."""
    for number, line in enumerate(io.StringIO(text, newline=None), 1):
        row = line.strip(" \r\n")
        if row.upper().startswith("@DATA"):
            return
        declared = _LIST.fullmatch(row)
        if declared is not None and not _is_list(declared[1]):
            raise DataError(
                "the values of an attribute should stand in braces, with commas between them, in quotes if they have "
                "blanks",
                file,
                number,
            )


def _is_list(text: str) -> bool:
    found = _VALUE.match(text, 1)
    while found is not None and found[1] == ",":
        found = _VALUE.match(text, found.end())
    return found is not None and found.end() == len(text)


def _attribute(name: str, kind: str | list[str], file: str) -> Attribute:
    try:
        if isinstance(kind, list):
            if None in kind:
                raise DataError(f"attribute '{abbreviated(name)}' lists ? or nothing, which is no value")
            return Attribute(name, Kind.DISCRETE, tuple(kind))
    except DataError as error:
        raise DataError(str(error), file) from None
    if kind.upper() not in NUMERIC:
        what = f"attribute '{abbreviated(name)}' is of type {abbreviated(kind.lower())}"
        raise DataError(f"{what}; it should be numeric or list its values", file)
    return Attribute(name, Kind.CONTINUOUS)


def _class_place(attributes: list[Attribute], class_name: str | None, file: str) -> int:
    names = [a.name for a in attributes]
    if not names:
        raise DataError("the file has no attributes", file)
    if class_name is not None and class_name not in names:
        raise NamingError(no_such("attribute", class_name, names), file)
    place = len(names) - 1 if class_name is None else names.index(class_name)
    if not attributes[place].is_discrete:
        message = (
            f"the class '{abbreviated(names[place])}' is numeric; it should list its values, or another be the class"
        )
        raise DataError(message, file)
    return place


def _dataset(attributes: list[Attribute], label: int, rows: list[list[Any]], file: str) -> Dataset:
    if not rows:
        raise DataError("the file has no cases", file)
    if len(attributes) == 1:
        raise DataError("the file has no attributes besides the class", file)
    coded: list[Column] = []
    for attribute, cells in zip(attributes, zip(*rows, strict=True), strict=True):
        if attribute.is_discrete:
            coded.append(code_levels(list(cells), attribute.values, attribute.name))
        else:
            coded.append(np.array(cells, dtype=np.float64))
    schema = Schema(tuple(attributes[:label] + attributes[label + 1 :]), attributes[label].values)
    try:
        return Dataset(schema, coded[:label] + coded[label + 1 :], coded[label])
    except DataError as error:
        raise DataError(str(error), file) from None


def write_arff(
    dataset: Dataset, path: str | os.PathLike[str], class_name: str = "class", *, relation: str = "data"
) -> None:
    """Write a data set as an ARFF file, its class as the last attribute.

    Parameters
    ----------
    dataset : Dataset
        With classes and without weights or dates. Ignored attributes are left out; labels are written as text. An
        ordered attribute lists its values in order, though a reader takes them for any others.
    path : str or path
    class_name : str
        The name of the last attribute.
    relation : str
        The name of the relation.

    Examples
    --------
    >>> import ctree, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "golf.arff")
    >>> ctree.write_arff(ctree.from_arrays({"humidity": [85, 71]}, ["no", "yes"]), path, "play")
    >>> ctree.read_arff(path)
    <Dataset: 2 cases, 1 attributes, 2 classes>
    """
    arff = _liac_arff()
    if dataset.weights is not None:
        raise DataError("the cases have weights, which ARFF files as written here cannot express")
    if dataset.classes is None:
        raise DataError("the cases have no classes, which an ARFF file needs")
    if not dataset.n_cases:
        raise DataError("there are no cases to write")
    attributes: list[tuple[str, Any]] = []
    columns: list[list[Any]] = []
    for attribute, column in zip(dataset.schema, dataset.columns, strict=True):
        if column is not None:
            if attribute.is_moment:
                raise DataError(
                    f"attribute '{abbreviated(attribute.name)}' is a {attribute.kind.value}, which ARFF files as "
                    "written here cannot express; C4.5 files and comma-separated ones can"
                )
            columns.append(_cells(attribute, column))
            attributes.append((attribute.name, "REAL" if attribute.is_continuous else _values(attribute)))
    label = Attribute(class_name, Kind.DISCRETE, dataset.schema.classes)
    attributes.append((class_name, _values(label)))
    columns.append(_cells(label, dataset.classes))
    for what in (relation, *(name for name, _ in attributes)):
        _check_text(what)
    content = {"relation": relation, "description": "", "attributes": attributes}
    _check_labels(arff, content)
    text = arff.dumps({**content, "data": list(map(list, zip(*columns, strict=True)))})
    write_text(path_text(path), text)


def _check_text(text: str) -> None:
    if re.search("[\r\n\ud800-\udfff]", text):  # liac-arff would end the line, and UTF-8 has no halves of pairs
        raise DataError(f"the name or value '{abbreviated(text)}' cannot be written as ARFF")


def _values(attribute: Attribute) -> list[str]:
    """The values of an attribute as text."""
    values = [str(v) for v in attribute.values]
    if not values:
        raise DataError(f"attribute '{abbreviated(attribute.name)}' has no values, which an ARFF file cannot express")
    if len(set(values)) != len(values):
        raise DataError(f"attribute '{abbreviated(attribute.name)}' has values that are the same as text")
    for value in values:
        _check_text(value)
    return values


def _check_labels(arff: Any, content: dict[str, Any]) -> None:
    """Refuse names and values that would not be read back as they are: write and read a row for each value."""
    attributes = content["attributes"]
    most = max(len(kind) for _, kind in attributes if isinstance(kind, list))
    rows = [[k[i % len(k)] if isinstance(k, list) else 0.0 for _, k in attributes] for i in range(most)]
    try:
        text = arff.dumps({**content, "data": rows})
        _check_declarations(text, "")
        back = arff.load(io.StringIO(text, newline=None))
    except MemoryError:
        raise
    except Exception as error:  # liac-arff lets some of its own errors through
        raise DataError(f"a name or value cannot be written as ARFF ({_reason(error)})") from None
    pairs = [
        (content["relation"], back["relation"]),
        *zip_longest([name for name, _ in attributes], [name for name, _ in back["attributes"]]),
    ]
    for (_, old), (_, new) in zip(attributes, back["attributes"], strict=False):
        pairs += zip_longest(old, new) if isinstance(old, list) and isinstance(new, list) else [(old, new)]
    for old, new in zip_longest(rows, back["data"]):
        pairs += zip_longest(old or [], new or [])
    for written, found in pairs:
        if written != found:
            raise DataError(f"the name or value '{abbreviated(written)}' cannot be written as ARFF")


def _cells(attribute: Attribute, column: Column) -> list[Any]:
    if attribute.kind is Kind.CONTINUOUS:
        return [None if x != x else x for x in column.tolist()]
    values = [*(str(v) for v in attribute.values), None]  # code -1 picks the last
    codes = np.where(np.isnan(column), -1, column).astype(np.int32) if attribute.is_ordered else column
    return [values[code] for code in codes.tolist()]
