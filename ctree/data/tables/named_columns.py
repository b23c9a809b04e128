"""Classes and weights that are columns of the table itself, given by their names."""

from __future__ import annotations

from typing import Any

from ctree.data.dataset import Dataset
from ctree.data.files.text_file import abbreviated
from ctree.data.tables.levels import RawColumn
from ctree.data.tables.raw_columns import PartOfTable, column_names, raw_table, read_once, refuse_moments
from ctree.errors import DataError
from ctree.wording import no_such


def by_name(X: Any, y: Any, sample_weight: Any = None) -> tuple[Any, Any, Any]:
    """The table, classes and weights: a name stands for that column, which the table is then without.

    Examples
    --------
    >>> days = {"outlook": ["sunny", "rain"], "play": ["no", "yes"], "times": [1, 2]}
    >>> X, y, weights = by_name(days, "play", "times")
    >>> column_names(X), y, weights
    (['outlook'], ['no', 'yes'], [1, 2])
    """
    given = {"y": y, "sample_weight": sample_weight}
    named = {what: value for what, value in given.items() if isinstance(value, str)}
    if not named:
        return X, y, sample_weight
    if isinstance(X, Dataset):
        what = "classes: leave out y" if "y" in named else "weights: see Dataset.with_weights"
        raise DataError(f"a Dataset has its own {what}")
    X = read_once(X)
    names = column_names(X)
    for what, name in named.items():
        _check_name(what, name, names)
    if len(set(named.values())) < len(named):
        raise DataError(f"y and sample_weight both name the column '{abbreviated(named['y'])}'")
    columns = {what: _column(X, name, names or []) for what, name in named.items()}
    rest = frozenset(named.values())
    if rest == set(names or ()):
        raise DataError("the table has no columns besides those that y and sample_weight name")
    return PartOfTable(X, rest), columns.get("y", y), columns.get("sample_weight", sample_weight)


def _check_name(what: str, name: str, names: list[str] | None) -> None:
    if names is None:
        raise DataError(
            f"{what} is '{abbreviated(name)}', the name of a column, but the columns of X have no names: give the "
            "column itself"
        )
    if name not in names:
        raise DataError(f"{what} is '{abbreviated(name)}', but {no_such('column', name, names)}")


def _column(X: Any, name: str, names: list[str]) -> RawColumn:
    """One column of a table; nothing is read of the others."""
    table = raw_table(X, frozenset(names) - {name})
    refuse_moments(table.told[0], f"'{abbreviated(name)}'")
    return table.columns[0]
