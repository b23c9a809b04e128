"""Parameters that are numbers."""

from __future__ import annotations

import math
import re
from numbers import Integral, Real
from typing import Any

from ctree.domains.domain import Domain
from ctree.domains.plain import is_list, is_plain

MAX_INTEGER = (1 << 63) - 1


class Number(Domain):
    """A finite number within bounds.

    Examples
    --------
    >>> Number(above=0, most=1).check("confidence", 2)
    Traceback (most recent call last):
    ...
    ctree.errors.ParameterError: confidence must be a number greater than 0 and at most 1, not 2
    """

    metavar = "X"

    def __init__(
        self,
        *,
        above: float = -math.inf,
        least: float = -math.inf,
        most: float = math.inf,
        below: float = math.inf,
    ) -> None:
        self.above, self.least, self.most, self.below = above, least, most, below

    def accepts(self, value: Any) -> bool:
        if not is_plain(value, Real):
            return False
        try:
            number = float(value)
        except OverflowError:  # a whole number of hundreds of digits
            return False
        return math.isfinite(number) and self.above < number <= self.most and self.least <= number < self.below

    def words(self) -> list[str]:
        bounds = [f"greater than {self.above:g}"] if self.above > -math.inf else []
        bounds += [f"at least {self.least:g}"] if self.least > -math.inf else []
        bounds += [f"at most {self.most:g}"] if self.most < math.inf else []
        bounds += [f"less than {self.below:g}"] if self.below < math.inf else []
        return [" ".join(["a number", " and ".join(bounds)]).strip()]

    def type_text(self) -> str:
        return "float"

    def to_plain(self, value: Any) -> Any:
        return int(value) if isinstance(value, Integral) else float(value)

    def parse(self, text: str) -> float:
        number = float(text)
        return int(number) if number.is_integer() and abs(number) < 1 << 53 else number


class Integer(Domain):
    """A whole number from a bound on.

    Examples
    --------
    >>> Integer(least=1).read("thin", "7")
    7
    """

    metavar = "N"

    def __init__(self, *, least: int, most: int = MAX_INTEGER) -> None:
        self.least, self.most = least, most

    def accepts(self, value: Any) -> bool:
        return is_plain(value, Integral) and self.least <= int(value) <= self.most

    def words(self) -> list[str]:
        if self.most < MAX_INTEGER:
            return [f"a whole number from {self.least} to {self.most}"]
        return [f"a whole number of at least {self.least}"]

    def type_text(self) -> str:
        return "int"

    def parse(self, text: str) -> int:
        return int(text)


class Memory(Integer):
    """A number of bytes, in text also as ``512MB`` or ``2GB``.

    Examples
    --------
    >>> Memory(least=1 << 20).read("memory_limit", "512MB")
    536870912
    """

    metavar = "SIZE"
    units = {"": 1, "b": 1, "kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30, "tb": 1 << 40}  # noqa: RUF012

    def words(self) -> list[str]:
        return [f"a whole number of at least {self.least} bytes"]

    def typed(self) -> list[str]:
        return [f"a size such as 500MB, at least {self.spelled(self.least)}"]

    def parse(self, text: str) -> int:
        found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt]?i?b|)", text.lower())
        if found is None:
            raise ValueError
        size = float(found[1]) * self.units[found[2].replace("i", "")]
        if math.isinf(size):
            raise ValueError
        return int(size)

    def spelled(self, value: Any) -> str:
        whole = next((unit for unit in ("gb", "mb", "kb") if value % self.units[unit] == 0), "")
        return f"{value // self.units[whole]}{whole.upper()}"


class Numbers(Domain):
    """A sequence of finite numbers within bounds.

    Examples
    --------
    >>> Numbers(least=0).read("moves", "0.1, 0.1, 0.2, 0.6")
    (0.1, 0.1, 0.2, 0.6)
    """

    metavar = "X,X,..."

    def __init__(self, *, least: float = -math.inf, most: float = math.inf) -> None:
        self.entry = Number(least=least, most=most)

    def accepts(self, value: Any) -> bool:
        if not is_list(value):
            return False
        return len(value) > 0 and all(self.entry.accepts(number) for number in value)

    def words(self) -> list[str]:
        bounds = self.entry.describe().removeprefix("a number").strip()
        return [f"a list of numbers {bounds}".strip()]

    def typed(self) -> list[str]:
        return [f"{self.words()[0].removeprefix('a list of ')}, with commas between them"]

    def type_text(self) -> str:
        return "sequence of float"

    def parse(self, text: str) -> tuple[float, ...]:
        return tuple(self.entry.parse(part.strip()) for part in text.strip("()[] ").split(","))

    def spelled(self, value: Any) -> str:
        return ",".join(f"{number:g}" for number in value)

    def to_plain(self, value: Any) -> Any:
        return [self.entry.to_plain(number) for number in value]

    def from_plain(self, value: Any) -> Any:
        return tuple(value) if isinstance(value, list) else value
