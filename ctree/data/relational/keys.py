"""Keys become row numbers."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.relational.schema import ForeignKey
from ctree.data.relational.sources import Source
from ctree.data.relational.values import key_texts
from ctree.data.tables.levels import Floats
from ctree.data.tables.raw_columns import raw_column
from ctree.domains.domain import Choice
from ctree.errors import DataConversionWarning, DataError
from ctree.wording import abbreviated, plural
from ctree_ext.io import coding

DANGLING = Choice("error", "unknown")
"""How to treat a foreign key that is the key of no row."""

UNKNOWN_ROW = -1


class KeyIndex:
    """The keys of a table, which are known and unique, and the row of each.

    Parameters
    ----------
    table : str
    texts : sequence of str
    """

    def __init__(self, table: str, texts: Sequence[str]) -> None:
        self.table = table
        self.texts = tuple(texts)
        self.rows: dict[Hashable, int] = dict(zip(self.texts, range(len(self.texts)), strict=True))


def read_keys(source: Source, table: str, column: str) -> KeyIndex:
    """The keys of a table, or an error about the first that is unknown or occurs a second time."""
    texts = _texts(source, column)
    known = [text for text in texts if text is not None]
    if len(known) < len(texts):
        raise source.error("the key is empty", texts.index(None))
    index = KeyIndex(table, known)
    if len(index.rows) < len(known):
        first: dict[str, int] = {}
        for row, text in enumerate(known):
            before = first.setdefault(text, row)
            if before != row:
                raise source.error(
                    f"the key '{abbreviated(text)}' of table '{abbreviated(table)}' occurs twice, "
                    f"first in {source.place(before)}",
                    row,
                )
    return index


def read_foreign_keys(source: Source, key: ForeignKey, index: KeyIndex, dangling: str) -> npt.NDArray[np.int32]:
    """The rows that a column of keys refers to, -1 where it is unknown."""
    column = source.column(key.column)
    if not isinstance(column, list) and coding.integer_range(column)[2]:
        rows, n_unknown = _rows_of_numbers(column, index)
    else:
        texts = _texts(source, key.column)
        rows, n_unknown = coding.code_objects(texts, index.rows), texts.count(None)
    lost = np.flatnonzero(rows < 0)
    if len(lost) > n_unknown:
        texts = _texts(source, key.column)
        dangle = [row for row in lost.tolist() if texts[row] is not None]
        _report(source, key, index, texts, dangle, dangling)
    return rows


def _rows_of_numbers(column: Floats, index: KeyIndex) -> tuple[npt.NDArray[np.int32], int]:
    """The rows that whole numbers refer to, -1 if none, and how many are unknown; each number becomes text once."""
    known = ~np.isnan(column)
    numbers, places = np.unique(column[known].astype(np.int64), return_inverse=True)
    rows = np.full(len(column), -1, dtype=np.int32)
    rows[known] = coding.code_objects(list(map(str, numbers.tolist())), index.rows)[places]
    return rows, len(column) - int(known.sum())


def places_of_keys(keys: Any, rows: Mapping[str, int], examples: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """The places of the examples that have these keys.

    Parameters
    ----------
    keys : array, list or column
    rows : mapping
        From all keys of the target table to their rows.
    examples : array of int32
        The rows of the examples.
    """
    known = np.full(len(rows) + 1, -1, dtype=np.int64)
    known[examples] = np.arange(len(examples))
    try:
        texts = key_texts(raw_column(keys, "keys"))
    except DataError as error:
        raise type(error)(f"the keys of the examples: {error}") from None
    places = known[np.array([-1 if text is None else rows.get(text, -1) for text in texts], dtype=np.int64)]
    if places.size and places.min() < 0:
        text = texts[place := int(np.argmin(places))]
        unknown = f"key {place + 1} of the examples is unknown"
        raise DataError(unknown if text is None else f"there is no example with the key '{abbreviated(text)}'")
    return places


def _texts(source: Source, column: str) -> list[Any]:
    try:
        return key_texts(source.column(column))
    except DataError as error:
        raise source.error(f"column '{abbreviated(column)}': {error}") from None


def _report(source: Source, key: ForeignKey, index: KeyIndex, texts: list[Any], lost: list[int], how: str) -> None:
    """Refuse keys of no row, or warn that they are taken for unknown."""
    column, table = abbreviated(key.column), abbreviated(index.table)
    text, n_known = abbreviated(texts[lost[0]]), len(texts) - texts.count(None)
    if len(lost) == n_known > 1 and index.texts:
        example = f"here it is '{text}', and a key is '{abbreviated(index.texts[0])}'"
        message = f"none of the {n_known} values of {column} is a key of table '{table}': {example}"
    elif how == "error":
        message = f"{column} is '{text}', and there is no such key in table '{table}'"
    else:
        are = "is no key" if len(lost) == 1 else "are no keys"
        message = f"{plural(len(lost), 'value')} of {column}, such as '{text}', {are} of table '{table}'"
    if how == "error":
        raise source.error(message, lost[0])
    message += f"; {'it is' if len(lost) == 1 else f'these {len(lost)} are'} taken for unknown"
    warnings.warn(str(source.error(message)), DataConversionWarning, stacklevel=2)
