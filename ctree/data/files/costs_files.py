"""Files that say what errors cost: C5.0's `.costs` files, and CSV.

::

    | predicted class, true class: cost
    good, bad: 5
"""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Iterator
from typing import Any, NamedTuple

from ctree.data.files.c45_names import tokens_of
from ctree.data.files.text_file import BOM, abbreviated, path_text, read_utf8
from ctree.data.schema import Label
from ctree.errors import DataError

COLUMNS = ("actual", "predicted", "cost")
"""Of a CSV file, in any order."""


class FileCosts(dict[tuple[Label, Label], float]):
    """Costs that know which file they are from, for messages.

    Parameters
    ----------
    file : str
    """

    def __init__(self, file: str) -> None:
        super().__init__()
        self.file = file

    def __reduce__(self) -> tuple[Any, ...]:
        return FileCosts, (self.file,), None, None, iter(self.items())


class _Entry(NamedTuple):
    true: str
    predicted: str
    cost: str
    line: int


def read_costs(path: str | os.PathLike[str]) -> FileCosts:
    """Read what errors cost, for the parameter `costs` of learners and reports.

    Parameters
    ----------
    path : str or path
        A ``.costs`` file as of C5.0, with lines ``predicted class, true class: cost``, or a ``.csv`` file with the
        columns actual, predicted and cost.

    Returns
    -------
    dict of (true class, predicted class) to float
        Mind the order, which in the lines of C5.0 is the other one. Errors that the file does not name cost 1.

    Examples
    --------
    >>> import ctree, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "credit.costs")
    >>> _ = path.write_text("good, bad: 5    | to lend to a bad customer\\n")
    >>> ctree.read_costs(path)
    {('bad', 'good'): 5.0}
    """
    file = path_text(path)
    entries = _csv_entries(file) if os.path.splitext(file)[1].lower() == ".csv" else _entries(file)
    costs = FileCosts(file)
    for true, predicted, text, line in entries:
        cost = _number(text)
        if not 0 <= cost < math.inf:
            raise DataError(f"a cost should be a number from 0 on, not '{abbreviated(text)}'", file, line)
        if true == predicted and cost != 0:
            name = abbreviated(true)
            raise DataError(f"cases of '{name}' that are predicted right should cost 0, not {text}", file, line)
        if (true, predicted) in costs:
            raise DataError("there is a cost for the same two classes before", file, line)
        costs[true, predicted] = cost
    return costs


def _entries(file: str) -> Iterator[_Entry]:
    """The entries of a `.costs` file, which is spelled as `.names` files are."""
    tokens = list(tokens_of(read_utf8(file)))
    if not tokens:
        raise DataError("the file is empty; it should have lines 'predicted class, true class: cost'", file)
    for start in range(0, len(tokens), 3):
        entry = tokens[start : start + 3]
        if [token.delimiter for token in entry] != [",", ":", "."] or len({token.line for token in entry}) > 1:
            raise DataError("a line should be 'predicted class, true class: cost'", file, entry[0].line)
        predicted, true, cost = (token.text for token in entry)
        yield _Entry(true, predicted, cost, entry[0].line)


def _csv_entries(file: str) -> Iterator[_Entry]:
    text = read_utf8(file).removeprefix(BOM).decode("utf-8")
    rows = csv.reader(io.StringIO(text, newline=""), skipinitialspace=True)
    names: list[str] | None = None
    try:
        for row in rows:
            cells = [cell.strip() for cell in row]
            if not any(cells):
                continue
            if names is None:
                names = [cell.lower() for cell in cells]
                if sorted(names) != sorted(COLUMNS):
                    raise DataError(f"the columns should be {', '.join(COLUMNS)}", file, rows.line_num)
                continue
            if len(cells) != len(COLUMNS):
                raise DataError(f"there should be {len(COLUMNS)} cells, not {len(cells)}", file, rows.line_num)
            entry = dict(zip(names, cells, strict=True))
            yield _Entry(entry["actual"], entry["predicted"], entry["cost"], rows.line_num)
    except csv.Error as error:
        raise DataError(f"this is no CSV ({error})", file, rows.line_num) from None
    if names is None:
        raise DataError(f"the file is empty; it should have the columns {', '.join(COLUMNS)}", file)


def _number(text: str) -> float:
    """The number that a text stands for; NaN if it is none."""
    try:
        return float(text)
    except ValueError:
        return math.nan
