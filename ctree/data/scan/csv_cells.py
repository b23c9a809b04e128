"""Cells of comma-separated files, held by Arrow as text, as numbers and as discrete values."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from ctree.data.files.csv_numbers import PLAIN, Evidence, Style
from ctree.data.files.text_file import abbreviated
from ctree.data.scan.arrow_cells import labels
from ctree.data.scan.arrow_types import load_arrow
from ctree.data.scan.reader import Floats, LocalLabels, Place

Strip = Callable[[str], str]
"""From a cell as it was read to its text."""


def text_labels(column: Any, unknown: Collection[str], strip: Strip = str.strip) -> LocalLabels:
    """Cells as discrete values, without the white space around them."""
    found = labels(_one(column))
    texts = [None if value is None else strip(value) for value in found.values]
    return LocalLabels(found.indices, [None if text in unknown else text for text in texts])


def styled_numbers(
    column: Any, style: Style, unknown: Collection[str], strip: Strip = str.strip
) -> tuple[Floats, Evidence | None]:
    """Cells as numbers of a style, NaN where they are none.

    Returns
    -------
    numbers : array
    evidence : Evidence or None
        What the cells show; None if all are numbers of the style, plainly.
    """
    array = _one(column)
    quickly = None if style.affix or (style.mark == "." and not style.plain) else _cast(array, style.mark, unknown)
    if quickly is not None:
        return quickly, None
    found = text_labels(array, unknown, strip)
    evidence = Evidence()
    evidence.look_at(value for value in found.values if value is not None)
    table = np.full(len(found.values), np.nan)
    for i, value in enumerate(found.values):
        if value is not None:
            try:
                table[i] = style.number(value)
            except ValueError:
                table[i] = math.nan
    numbers: Floats = table[found.indices]
    return numbers, evidence


def _cast(array: Any, mark: str, unknown: Collection[str]) -> Floats | None:
    """Cells as Arrow takes them for numbers, where it does as Python would; None if some known cell is none."""
    arrow, compute = load_arrow(), load_arrow("pyarrow.compute")
    known = compute.if_else(compute.is_in(array, arrow.array(sorted(unknown))), None, array)
    if mark == ",":
        if compute.any(compute.match_substring(known, ".")).as_py():
            return None
        known = compute.replace_substring(known, ",", ".", max_replacements=1)
    try:
        numbers = compute.cast(known, arrow.float64())
    except arrow.ArrowInvalid:
        return None
    result = np.array(numbers.to_numpy(zero_copy_only=False))
    return None if np.isnan(result).sum() != numbers.null_count else result


def weights_of(column: Any, name: str, place: Place, unknown: Collection[str], strip: Strip = str.strip) -> Floats:
    """Cells as weights; one that is no number is an error."""
    numbers = _cast(_one(column), ".", unknown)
    if numbers is not None:
        return numbers
    cells = text_labels(column, unknown, strip)
    table = np.full(len(cells.values), np.nan)
    for i, cell in enumerate(cells.values):
        if cell is not None:
            try:
                table[i] = PLAIN.number(cell)
            except ValueError:
                row = int(np.argmax(cells.indices == i))
                told = f"the weight '{abbreviated(name)}' is '{abbreviated(cell)}', which is no number"
                raise place.error(told, row) from None
    found: Floats = table[cells.indices]
    return found


def _one(column: Any) -> Any:
    arrow = load_arrow()
    if isinstance(column, arrow.ChunkedArray):
        return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    return column
