"""What is said of a file or a column that may not be what it seems, in one line each, with how to change it."""

from __future__ import annotations

from collections.abc import Sequence

from ctree.errors import DataConversionWarning, DataError, warn
from ctree.wording import abbreviated, abbreviated_path, either

WAYS = {
    "class": ("class_name", "--class"),
    "dates": ("dates", "--dates"),
    "decimal": ("decimal", "--decimal"),
    "delimiter": ("delimiter", "--delimiter"),
    "discrete": ("categorical_features", "--discrete"),
    "header": ("header", "--header"),
    "ignore": ("ignore", "--ignore"),
    "unknown": ("unknown", "--unknown-values"),
}
"""What changes how a file is read: the parameter of `read_csv`, and the option of the commands."""

MOST = 12
"""Lines about one file."""


class CsvRemark(DataConversionWarning):
    """A line about a file or one of its columns.

    Parameters
    ----------
    file : str
    told : str
        What it was taken for.
    column : str, optional
    ways : sequence of str
        How to change it, keys of `WAYS`.
    """

    def __init__(self, file: str, told: str, column: str | None = None, ways: Sequence[str] = ()) -> None:
        self.file = file
        self.column = column
        self.ways = tuple(ways)
        about = "" if column is None else f"{abbreviated(column)}: "
        self._line = f"{abbreviated_path(file)}: {about}{told}"
        super().__init__(self._with([f"{WAYS[way][0]}=" for way in self.ways]))

    @property
    def for_command(self) -> str:
        """The same with options in the place of parameters."""
        return self._with([WAYS[way][1] for way in self.ways])

    def _with(self, ways: Sequence[str]) -> str:
        return f"{self._line}; to change that: {either(ways)}" if ways else self._line


class CsvError(DataError):
    """An error that another way of reading the file may cure.

    Parameters
    ----------
    told : str
        What is wrong, and what to do, up to the name of the parameter or option.
    way : str
        Which it is, a key of `WAYS`.
    file : str
    line : int, optional
    """

    def __init__(self, told: str, way: str, file: str, line: int | None = None) -> None:
        parameter, option = WAYS[way]
        super().__init__(f"{told} {parameter}=", file, line)
        self.for_command = str(DataError(f"{told} {option}", file, line))


def in_order(remarks: Sequence[CsvRemark], names: Sequence[str]) -> list[CsvRemark]:
    """Remarks on the file, then those on columns, in the order of these."""
    places = {name: place for place, name in enumerate(names)}
    return sorted(remarks, key=lambda one: -1 if one.column is None else places.get(one.column, len(names)))


def tell(remarks: Sequence[CsvRemark]) -> None:
    """Warn where ctree was called."""
    for remark in not_too_many(remarks):
        warn(remark)


def not_too_many(remarks: Sequence[CsvRemark]) -> list[CsvRemark]:
    """The first remarks, and one about the others if there are many."""
    if len(remarks) <= MOST:
        return list(remarks)
    rest = remarks[MOST - 1 :]
    names = dict.fromkeys(abbreviated(one.column, 20) for one in rest if one.column is not None)
    ways = dict.fromkeys(way for one in rest for way in one.ways)
    told = f"{len(rest):,} more such remarks, on {', '.join(list(names)[:3])}{', …' if len(names) > 3 else ''}"
    return [*remarks[: MOST - 1], CsvRemark(rest[0].file, told, ways=tuple(ways))]
