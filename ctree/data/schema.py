"""What the columns of a table mean: attributes with their kind and values, and the classes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from ctree.errors import DataError

Label = str | int | float | bool
"""A discrete value or a class, as the person wrote it."""


class Kind(Enum):
    """What an attribute's values are.

    Examples
    --------
    >>> from ctree import Kind
    >>> Kind("continuous") is Kind.CONTINUOUS
    True
    """

    DISCRETE = "discrete"
    CONTINUOUS = "continuous"
    IGNORE = "ignore"


@dataclass(frozen=True)
class Attribute:
    """One column of the cases.

    Parameters
    ----------
    name : str
    kind : Kind
    values : tuple of labels
        The discrete values in order; the code of a value is its place here. Empty for other kinds.

    Examples
    --------
    >>> from ctree import Attribute, Kind
    >>> outlook = Attribute("outlook", Kind.DISCRETE, ("sunny", "overcast", "rain"))
    >>> outlook.is_discrete, outlook.values.index("rain")
    (True, 2)
    """

    name: str
    kind: Kind
    values: tuple[Label, ...] = ()

    def __post_init__(self) -> None:
        if self.kind is not Kind.DISCRETE and self.values:
            raise DataError(f"attribute '{self.name}' is {self.kind.value} and so cannot list values")
        if len(set(self.values)) != len(self.values):
            twice = next(v for i, v in enumerate(self.values) if v in self.values[:i])
            raise DataError(f"attribute '{self.name}' lists the value '{twice}' twice")

    @property
    def is_discrete(self) -> bool:
        return self.kind is Kind.DISCRETE

    @property
    def is_continuous(self) -> bool:
        return self.kind is Kind.CONTINUOUS


@dataclass(frozen=True)
class Schema:
    """The attributes and classes of a data set, shared by every model learned from it.

    Examples
    --------
    >>> from ctree import Attribute, Kind, Schema
    >>> schema = Schema((Attribute("windy", Kind.DISCRETE, ("true", "false")),), ("Play", "Don't Play"))
    >>> schema.classes[1], schema.index("windy")
    ("Don't Play", 0)
    """

    attributes: tuple[Attribute, ...]
    classes: tuple[Label, ...]

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for attribute in self.attributes:
            if attribute.name in seen:
                raise DataError(f"two attributes are called '{attribute.name}'")
            seen.add(attribute.name)
        if len(set(self.classes)) != len(self.classes):
            twice = next(c for i, c in enumerate(self.classes) if c in self.classes[:i])
            raise DataError(f"the class '{twice}' is listed twice")

    def __len__(self) -> int:
        return len(self.attributes)

    def __iter__(self) -> Iterator[Attribute]:
        return iter(self.attributes)

    def __getitem__(self, index: int) -> Attribute:
        return self.attributes[index]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(a.name for a in self.attributes)

    @property
    def n_classes(self) -> int:
        return len(self.classes)

    def index(self, name: str) -> int:
        """The place of the attribute called `name`."""
        for i, attribute in enumerate(self.attributes):
            if attribute.name == name:
                return i
        raise DataError(f"there is no attribute '{name}'; the attributes are {', '.join(self.names)}")
