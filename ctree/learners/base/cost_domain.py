"""What the parameter `costs` may be, in Python, on the command line and in files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ctree.domains.domain import Domain
from ctree.domains.plain import is_list, plain
from ctree.errors import DataError, ParameterError
from ctree.wording import either

PAIRS, MATRIX = "errors", "matrix"
"""How costs stand in a file: a list of [true class, predicted class, cost], or a matrix without names."""


class CostMatrix(Domain):
    """None, or what errors cost; whether they fit the classes of the cases is seen in `fit`.

    Examples
    --------
    >>> CostMatrix().to_plain({("ill", "well"): 10})
    {'errors': [['ill', 'well', 10]]}
    """

    metavar = "none|FILE"

    def accepts(self, value: Any) -> bool:
        if isinstance(value, Mapping):
            return all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in value)
        return value is None or _is_frame(value) or is_list(value)

    def words(self) -> list[str]:
        return ["None", "a dict of (true class, predicted class) to cost", "a matrix of costs"]

    def typed(self) -> list[str]:
        return ["none", "a .costs or .csv file"]

    def type_text(self) -> str:
        return "None, dict, DataFrame or array (classes, classes)"

    def parse(self, text: str) -> Any:
        from ctree.data.files.costs_files import read_costs

        return None if text.lower() == "none" else read_costs(text)

    def read(self, name: str, text: str) -> Any:
        try:
            return self.parse(text.strip())
        except DataError as error:  # which says more than that it is none of the above
            raise ParameterError(f"{name} must be {either(self.typed())}: {error}") from None

    def read_typed(self, text: str) -> Any:
        try:
            return self.parse(text.strip())
        except DataError as error:
            raise ParameterError(str(error)) from None

    def spelled(self, value: Any) -> str:
        return "none" if value is None else str(self.to_plain(value))

    def to_plain(self, value: Any) -> Any:
        if value is None:
            return None
        if isinstance(value, Mapping):
            return {PAIRS: [[*map(plain, pair), plain(cost)] for pair, cost in value.items()]}
        if _is_frame(value):
            columns = list(value.columns)
            rows = list(value.index) if hasattr(value, "index") else columns
            numbers = plain(value.to_numpy())
            entries = [(true, said, numbers[i][j]) for i, true in enumerate(rows) for j, said in enumerate(columns)]
            return {PAIRS: [[plain(true), plain(said), cost] for true, said, cost in entries if true != said]}
        return {MATRIX: [plain(row) for row in value]}

    def from_plain(self, value: Any) -> Any:
        if isinstance(value, dict) and list(value) == [PAIRS]:
            entries = value[PAIRS]
            if isinstance(entries, list) and all(map(_is_entry, entries)):
                return {(true, predicted): cost for true, predicted, cost in entries}
        if isinstance(value, dict) and list(value) == [MATRIX]:
            return value[MATRIX]
        return None if value is None else NOT_COSTS


NOT_COSTS = object()
"""What stands for a field of a file that has no costs: nothing accepts it."""


def _is_frame(value: Any) -> bool:
    return hasattr(type(value), "columns")


def _is_entry(entry: Any) -> bool:
    """Whether this is a list of two labels and a cost, which `fit` looks at."""
    is_triple = isinstance(entry, list) and len(entry) == 3
    return is_triple and all(isinstance(label, str | int | float) for label in entry[:2])
