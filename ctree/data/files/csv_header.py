"""Whether the first row of a comma-separated file has the names of the columns or is a case."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from itertools import pairwise

from ctree.data.files.csv_numbers import NO_NUMBER, look
from ctree.data.files.csv_settings import CsvSettings

ENOUGH = 4
"""Rows below the first that it takes to tell by values that come again."""


class Answer(enum.Enum):
    """What the first row is."""

    NAMES = "names"
    CASE = "a case"
    DOUBT = "either"


def first_row_is_a_case(first: Sequence[str], columns: Sequence[Sequence[str]], settings: CsvSettings) -> Answer:
    """What the first row is, by the cells below.

    Parameters
    ----------
    first : sequence of str
        Its cells.
    columns : sequence of sequences of str
        The cells below, column by column.

    Notes
    -----
    A column of numbers speaks for a case if its first cell is a number too. Any other column does if its first cell
    occurs again below it, provided that its values come again at all. Whole numbers from 0
    or 1 on, or years in a row, are names, as programs and people number columns.
    """
    unknown = settings.unknown_numbers
    numbers: list[str] = []
    repeated = strange = 0
    for cell, column in zip(first, columns, strict=True):
        known = [other for other in column if other not in unknown]
        if not known or cell in unknown:
            continue
        if not any(look(other)[0] & NO_NUMBER for other in known):
            if look(cell)[0] & NO_NUMBER:
                return Answer.NAMES
            numbers.append(cell)
        elif cell in known:
            repeated += len(known) >= ENOUGH
        elif 2 * len(set(known)) <= len(known):
            strange += 1
    if not numbers and repeated < 2:
        return Answer.NAMES
    if repeated > 1 and len(set(first)) < len(first):  # names are different
        return Answer.CASE
    if not repeated and len(set(first)) == len(first):
        if _number_columns(numbers):
            return Answer.NAMES
        if strange or _increase(numbers):
            return Answer.DOUBT
    return Answer.CASE if not strange else Answer.DOUBT if numbers else Answer.NAMES


def _number_columns(cells: Sequence[str]) -> bool:
    """Whether these are whole numbers in a row, as a program gives them to columns from 0 or 1 on, or years."""
    numbers = _whole(cells)
    in_a_row = all(b == a + 1 for a, b in pairwise(numbers))
    return bool(numbers) and in_a_row and (numbers[0] in (0, 1) or 1500 < numbers[0] < 2500)


def _increase(cells: Sequence[str]) -> bool:
    numbers = _whole(cells)
    return len(numbers) > 1 and all(a < b for a, b in pairwise(numbers))


def _whole(cells: Sequence[str]) -> list[int]:
    """Cells as whole numbers; nothing if some are none."""
    return [int(cell) for cell in cells] if all(cell.isascii() and cell.isdigit() for cell in cells) else []
