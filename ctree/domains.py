"""What a parameter may be: its check, its spelling in a file and on the command line, its description.

A domain is used wherever a value comes in: ``Number(above=0).check("alpha", value)`` refuses a wrong one in one
sentence; ``read`` takes a text, ``to_plain`` and ``from_plain`` go to and from the types of JSON.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Set
from numbers import Integral, Real
from typing import Any

from ctree.errors import ParameterError
from ctree.wording import either, near_match, shortened, unquoted

MAX_INTEGER = (1 << 63) - 1

NO_SEQUENCES = (str, bytes, bytearray, memoryview, Mapping, Set)
"""What has a length and entries, but is no list of values in an order."""


class Domain:
    """The values that a parameter may have, `names` among them, one of which may be misspelt."""

    metavar = "VALUE"
    names: tuple[str, ...] = ()

    def accepts(self, value: Any) -> bool:
        """Whether a value is one of them."""
        raise NotImplementedError

    def words(self) -> list[str]:
        """The values in words, kind by kind."""
        raise NotImplementedError

    def describe(self) -> str:
        """The values in words, as in "must be ..."."""
        return either(self.words())

    def type_text(self) -> str:
        """The values as the head of an entry in a docstring says them."""
        return self.describe()

    def parse(self, text: str) -> Any:
        """The value that a text stands for; a ValueError if it has not the form of one."""
        raise NotImplementedError

    def spelled(self, value: Any) -> str:
        """A value as `parse` takes it."""
        return f"{value:g}" if isinstance(value, float) else str(value)

    def to_plain(self, value: Any) -> Any:
        """A value in the types of JSON."""
        return plain(value)

    def from_plain(self, value: Any) -> Any:
        """The value that `to_plain` gave, or whatever stands in its place: `check` is for the caller."""
        return value

    def check(self, name: str, value: Any) -> None:
        """Refuse a value that is not one of them."""
        if not self.accepts(value):
            raise self._refusal(name, value)

    def read(self, name: str, text: str) -> Any:
        """The value that a text stands for, or an error that says what would be right."""
        try:
            value = self.parse(text.strip())
        except ValueError:
            raise self._refusal(name, text) from None
        self.check(name, value)
        return value

    def _refusal(self, name: str, value: Any) -> ParameterError:
        entries = value if is_list(value) else [value]
        hints = [near_match(e, self.names, 0.8) for e in entries if isinstance(e, str) and e not in self.names]
        return ParameterError(f"{name} must be {self.describe()}, not {shortened(value)}{''.join(hints[:1])}")


class Flag(Domain):
    """True or False.

    Examples
    --------
    >>> Flag().read("prune", "no")
    False
    """

    metavar = "{yes,no}"
    spellings = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}  # noqa: RUF012

    def accepts(self, value: Any) -> bool:
        if isinstance(value, bool):
            return True
        return getattr(getattr(value, "dtype", None), "kind", "") == "b" and getattr(value, "shape", None) == ()

    def words(self) -> list[str]:
        return ["True", "False"]

    def type_text(self) -> str:
        return "bool"

    def parse(self, text: str) -> bool:
        if text.lower() not in self.spellings:
            raise ValueError
        return self.spellings[text.lower()]

    def spelled(self, value: Any) -> str:
        return "yes" if value else "no"


class Nothing(Domain):
    """None, where that means something."""

    metavar = "none"

    def accepts(self, value: Any) -> bool:
        return value is None

    def words(self) -> list[str]:
        return ["None"]

    def parse(self, text: str) -> None:
        if text.lower() != "none":
            raise ValueError

    def spelled(self, value: Any) -> str:
        return "none"


class Choice(Domain):
    """One of some names.

    Examples
    --------
    >>> Choice("gain-ratio", "gain").check("criterion", "gini")
    Traceback (most recent call last):
    ...
    ctree.errors.ParameterError: criterion must be 'gain-ratio' or 'gain', not 'gini'
    """

    def __init__(self, *names: str) -> None:
        self.names = names

    @property
    def metavar(self) -> str:  # type: ignore[override]
        return "{" + ",".join(self.names) + "}"

    def accepts(self, value: Any) -> bool:
        return isinstance(value, str) and value in self.names

    def words(self) -> list[str]:
        return [f"'{name}'" for name in self.names]

    def type_text(self) -> str:
        if len(self.names) == 1:
            return f'"{self.names[0]}"'
        return "{" + ", ".join(f'"{name}"' for name in self.names) + "}"

    def parse(self, text: str) -> str:
        return unquoted(text)


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

    metavar = "X,X"

    def __init__(self, *, least: float = -math.inf, most: float = math.inf) -> None:
        self.entry = Number(least=least, most=most)

    def accepts(self, value: Any) -> bool:
        if not is_list(value):
            return False
        return len(value) > 0 and all(self.entry.accepts(number) for number in value)

    def words(self) -> list[str]:
        bounds = self.entry.describe().removeprefix("a number").strip()
        return [f"a list of numbers {bounds}".strip()]

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


class AnyOf(Domain):
    """The values of several domains.

    Examples
    --------
    >>> bins = AnyOf(Integer(least=1), Nothing())
    >>> bins.read("bins", "none"), bins.read("bins", "5"), bins.describe()
    (None, 5, 'a whole number of at least 1 or None')
    """

    def __init__(self, *domains: Domain) -> None:
        self.domains = domains
        self.names = tuple(name for domain in domains for name in domain.names)

    @property
    def metavar(self) -> str:  # type: ignore[override]
        return "{" + ",".join(domain.metavar.strip("{}") for domain in self.domains) + "}"

    def accepts(self, value: Any) -> bool:
        return any(domain.accepts(value) for domain in self.domains)

    def words(self) -> list[str]:
        return [word for domain in self.domains for word in domain.words()]

    def type_text(self) -> str:
        return either([domain.type_text() for domain in self.domains])

    def parse(self, text: str) -> Any:
        found = []
        for domain in self.domains:
            try:
                found.append(domain.parse(text))
            except ValueError:
                continue
        for value in found:
            if self.accepts(value):
                return value
        if not found:
            raise ValueError
        return found[0]

    def spelled(self, value: Any) -> str:
        return next((d.spelled(value) for d in self.domains if d.accepts(value)), str(value))

    def to_plain(self, value: Any) -> Any:
        return next((d.to_plain(value) for d in self.domains if d.accepts(value)), plain(value))

    def from_plain(self, value: Any) -> Any:
        for domain in self.domains:
            result = domain.from_plain(value)
            if domain.accepts(result):
                return result
        return value


def is_list(value: Any) -> bool:
    """Whether a value has entries in an order, which are there as often as they are asked for.

    Examples
    --------
    >>> is_list((1, 2)), is_list(range(2)), is_list({1, 2}), is_list("ab"), is_list(iter([1, 2]))
    (True, True, False, False, False)
    """
    if isinstance(value, NO_SEQUENCES) or getattr(value, "shape", None) == ():
        return False
    return hasattr(value, "__len__") and hasattr(value, "__iter__")


def is_plain(value: Any, kind: Any) -> bool:
    """Whether a value is a number of a kind of `numbers` that arrays can be computed with: Python's own, or numpy's.

    Fractions are numbers as well, but make arrays of objects.

    Examples
    --------
    >>> from fractions import Fraction
    >>> is_plain(2, Real), is_plain(True, Real), is_plain(Fraction(1, 2), Real)
    (True, False, False)
    """
    is_number = isinstance(value, kind) and not isinstance(value, bool)
    return is_number and (isinstance(value, int | float) or hasattr(value, "dtype"))


def plain(value: Any) -> Any:
    """A value without numpy's types, tuples as lists."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    return [plain(entry) for entry in value] if isinstance(value, list | tuple) else value
