"""Case files of C4.5 (`.data`, `.test`): one case a line, its values in order, then its class.

::

    sunny, 85, 85, false, Don't Play
    rain, 71, ?, true, Don't Play      | humidity is unknown

A case ends with its line, except that after a comma at the end of a line it goes on in the next. `?` is an unknown
value. `N/A` is one more value of a discrete attribute, and unknown in others.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.files.text_file import abbreviated, abbreviated_list, line_of, near_match, path_text, read_utf8
from ctree.data.schema import Attribute, Kind, Label, Schema
from ctree.errors import DataError, ParameterError
from ctree.wording import shortened
from ctree_ext.io import case_file as casefile

MANY = 1 << 30
"""More values than there can be cases to tell apart."""

UnknownClass = Literal["error", "drop", "keep"]
Labels = Literal["required", "optional"]
NewValues = Literal["error", "unknown"]


@dataclass(frozen=True)
class Options:
    """How lenient the reader is; the fields are the keyword arguments of `read_cases`, and two of its own.

    Parameters
    ----------
    limits : sequence of int
        For each attribute the most values to collect from the file, 0 where the schema has them all.
    lenient : sequence of bool
        For each attribute whether a value that the schema does not have is unknown instead of wrong.
    complete : bool
        Whether the file completes the schema: with new values within the limits, and with N/A.
    weight : int or None
        The place of the attribute that has the weights of the cases.
    """

    unknown_class: UnknownClass = "error"
    labels: Labels = "required"
    limits: Sequence[int] = ()
    lenient: Sequence[bool] = ()
    complete: bool = False
    weight: int | None = None

    def __post_init__(self) -> None:
        check_choice("unknown_class", self.unknown_class, ("error", "drop", "keep"))
        check_choice("labels", self.labels, ("required", "optional"))


def check_choice(parameter: str, given: object, choices: Sequence[str]) -> None:
    """Refuse a parameter that is none of its few possible values."""
    if given not in choices:
        raise ParameterError(f"{parameter} is {shortened(given)}, but should be one of {', '.join(map(repr, choices))}")


def read_cases(
    path: str | os.PathLike[str],
    schema: Schema,
    *,
    unknown_class: UnknownClass = "error",
    labels: Labels = "required",
    new_values: NewValues = "error",
) -> Dataset:
    """Read a case file whose schema is known, such as that of a model.

    Parameters
    ----------
    path : str or path
        A file in the form of a `.data` file, of any name.
    schema : Schema
    unknown_class : {"error", "drop", "keep"}
        What to do with a case whose class is `?`: refuse the file, skip the case, or keep it with class -1.
    labels : {"required", "optional"}
        With "optional" the cases may lack the class; the first case decides for all. `classes` is then None.
    new_values : {"error", "unknown"}
        Whether a discrete value that the schema does not have is an error, or unknown like `?`.

    Returns
    -------
    Dataset

    Raises
    ------
    DataError
        The first error in the file, with its line.

    Examples
    --------
    >>> import ctree, tempfile, pathlib
    >>> windy = ctree.Attribute("windy", ctree.Kind.DISCRETE, ("true", "false"))
    >>> path = pathlib.Path(tempfile.mkdtemp(), "new.cases")
    >>> _ = path.write_text("true\\n?\\n")
    >>> data = ctree.read_cases(path, ctree.Schema((windy,), ("Play", "Don't Play")), labels="optional")
    >>> data.columns[0].tolist(), data.classes
    ([0, -1], None)
    """
    check_choice("new_values", new_values, ("error", "unknown"))
    lenient = (new_values == "unknown",) * len(schema)
    return code_cases(path_text(path), schema, Options(unknown_class, labels, lenient=lenient))


def code_cases(file: str, schema: Schema, options: Options) -> Dataset:
    """Read a case file; the schema of the result has the values that the file added."""
    text = read_utf8(file)
    plain = {i for i, attribute in enumerate(schema) if attribute.is_moment}
    labelled = options.labels == "required" or casefile.count_fields(text, len(schema) + 1, plain) > len(schema)
    cases = parse_cases(text, schema, options, file, labelled=labelled)
    if not cases.n_cases:
        raise DataError("the file has no cases", file)
    columns = list(cases.columns)
    classes = columns.pop() if labelled else None
    schema = completed(schema, cases) if options.complete else schema
    weights = None if options.weight is None else _weights(np.asarray(columns[options.weight]), file)
    names = _case_names(schema, cases)
    data = Dataset(schema, columns, classes, weights, n_cases=cases.n_cases, case_names=names)
    return without_unknown_classes(data, file) if options.unknown_class == "drop" else data


def parse_cases(
    text: bytes, schema: Schema, options: Options, file: str, *, labelled: bool = True, first_line: int = 1
) -> casefile.CaseFile:
    """The cases of a text, which stands in a file from a line on; the first error in it is a `DataError`."""
    cases = casefile.CaseFile(
        text,
        _modes(schema, options) + [casefile.CLASS] * labelled,
        [_as_bytes(a.values) for a in schema] + [_as_bytes(schema.classes)] * labelled,
        [MANY if a.is_label else limit for a, limit in zip(schema, options.limits or [0] * len(schema), strict=True)]
        + [0],
        options.complete,
        options.unknown_class != "error",
    )
    cases.read()
    if cases.problem != casefile.FINE:
        # The kernel has added the values before the problem: the messages list them.
        known = completed(schema, cases)
        message = _complaint(known, cases, labelled, options)
        raise DataError(message, file, line_of(text, cases.offset) + first_line - 1)
    for i, attribute in enumerate(schema):
        if attribute.is_ordered:
            codes = cases.columns[i]
            assert codes is not None
            cases.columns[i] = _places(codes, len(attribute.values))
    return cases


def _places(codes: npt.NDArray[Any], n_values: int) -> npt.NDArray[np.float64]:
    """The places of ordered values, NaN where they are unknown, or N/A, which has none."""
    return np.where((codes < 0) | (codes >= n_values), np.nan, codes)


def _weights(column: npt.NDArray[Any], file: str) -> npt.NDArray[np.float64]:
    """The weights of the cases, which are all known and not negative."""
    wrong = np.flatnonzero(~(column >= 0))
    if wrong.size:
        value = column[wrong[0]]
        shown = "unknown" if np.isnan(value) else f"{value:g}"
        raise DataError(f"the weight of case {wrong[0] + 1} is {shown}, but should be a number of at least 0", file)
    return column


def _case_names(schema: Schema, cases: casefile.CaseFile) -> list[str | None] | None:
    """What the cases are called, if an attribute says so."""
    for i, attribute in enumerate(schema):
        codes = cases.columns[i]
        if attribute.is_label and codes is not None:
            texts = [*(text.decode() for text in cases.new_values(i, 0)), None]
            return [texts[code] for code in codes.tolist()]
    return None


def _as_bytes(labels: Sequence[Label]) -> list[bytes]:
    return [str(label).encode("utf-8", "surrogatepass") for label in labels]


def _modes(schema: Schema, options: Options) -> list[int]:
    """What the kernel is to do with the field of each attribute."""
    modes = []
    for i, attribute in enumerate(schema):
        if attribute.is_label:
            modes.append(casefile.OPEN)
        elif attribute.kind is Kind.CONTINUOUS or i == options.weight:
            modes.append(casefile.NUMBER)
        elif attribute.kind is Kind.IGNORE:
            modes.append(casefile.IGNORED)
        elif attribute.is_moment:
            modes.append({Kind.DATE: casefile.DATE, Kind.TIME: casefile.TIME}.get(attribute.kind, casefile.TIMESTAMP))
        elif options.lenient and options.lenient[i]:
            modes.append(casefile.LENIENT)
        elif options.limits and options.limits[i]:
            modes.append(casefile.OPEN)
        else:
            modes.append(casefile.CLOSED)
    return modes


def completed(schema: Schema, cases: casefile.CaseFile) -> Schema:
    """The schema with the values that a file added."""
    attributes: list[Attribute] = []
    for i, attribute in enumerate(schema):
        new = cases.new_values(i, len(attribute.values)) if attribute.is_discrete else []
        values = (*attribute.values, *(v.decode() for v in new))
        attributes.append(replace(attribute, values=values) if new else attribute)
    return Schema(tuple(attributes), schema.classes)


LEAVE_OUT = "unknown_class='drop' leaves such cases out"
"""What to do about cases without a class."""


def without_unknown_classes(data: Dataset, file: str) -> Dataset:
    if data.classes is None or data.classes.min() >= 0:
        return data
    known = data.take(np.flatnonzero(data.classes >= 0))
    if not known.n_cases:
        raise DataError("the class of every case is unknown", file)
    return known


def _complaint(schema: Schema, cases: casefile.CaseFile, labelled: bool, options: Options) -> str:
    """One sentence about the first problem of a file: what stands there, and what would be right."""
    problem, value = cases.problem, cases.token.decode("utf-8", "replace")
    n_fields = len(schema) + labelled
    attribute = schema[cases.field] if cases.field < len(schema) else None
    fields = f"{n_fields} fields ({_number(len(schema), 'attribute')}{' and the class' if labelled else ''})"
    place = "the class" if attribute is None else f"attribute '{abbreviated(attribute.name)}'"
    if problem == casefile.SHORT:
        return f"the case ends after {cases.field} of its {fields}; {place} has no value"
    if problem == casefile.LONG:
        return f"the case has more than {fields}; the first extra one is '{abbreviated(value)}'"
    if problem == casefile.EMPTY:
        cure = "name one of the classes" if attribute is None else "write ? if it is unknown"
        return f"{place} has no value before its comma; {cure}"
    if problem == casefile.NO_CLASS:
        return f"the class is unknown (?), but should be one of {abbreviated_list(schema.classes)}"
    if problem == casefile.NO_SUCH_CLASS:
        hint = near_match(value, schema.classes)
        return f"the class is '{abbreviated(value)}', which is not one of {abbreviated_list(schema.classes)}{hint}"
    assert attribute is not None
    start = f"{place} has the value '{abbreviated(value)}', which is"
    if problem == casefile.NOT_A_MOMENT:
        from ctree.data.dates import not_a_date

        return not_a_date(attribute.kind, attribute.name, value)
    if problem == casefile.NOT_A_NUMBER:
        return f"{start} {_no_number(value)}"
    if problem == casefile.NOT_FINITE:
        return f"{start} too large for a number"
    if problem == casefile.TOO_MANY:
        limit = options.limits[cases.field]
        return f"{start} one more than the {_number(limit, 'value')} it may have, {abbreviated_list(attribute.values)}"
    if not attribute.values:
        return f"{start} not listed: the attribute has no values at all"
    listed = f"{abbreviated_list(attribute.values)}{near_match(value, attribute.values)}"
    return f"{start} not {'in the order' if attribute.is_ordered else 'one of'} {listed}"


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _no_number(value: str) -> str:
    """What is wrong with a value as a number; other programs take more things for one."""
    word = value.lstrip("+-").lower()
    if word in ("inf", "infinity"):
        return "not a finite number"
    return "not a number" + ("; write ? if it is unknown" if word in ("nan", "na", "null", "none") else "")
