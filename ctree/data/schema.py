"""What the columns of a table mean: attributes with their kind and values, and the classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from ctree.errors import DataError, NamingError
from ctree.wording import abbreviated, abbreviated_list, near_match

Label = str | int | float | bool
"""A discrete value or a class, as the person wrote it."""

MAX_DIGITS = 4000
"""A whole number of more digits cannot be a label: Python does not write those of more than 4,300."""


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
        if not self.values:
            return
        if self.kind is not Kind.DISCRETE:
            raise DataError(f"attribute '{abbreviated(self.name)}' is {self.kind.value} and so cannot list values")
        _check_digits(self.values, f"attribute '{abbreviated(self.name)}'")
        if len(set(self.values)) != len(self.values):
            twice = _first_twice(self.values)
            raise DataError(f"attribute '{abbreviated(self.name)}' lists the value '{abbreviated(twice)}' twice")

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
                raise DataError(f"two attributes are called '{abbreviated(attribute.name)}'")
            seen.add(attribute.name)
        _check_digits(self.classes, "the class")
        if len(set(self.classes)) != len(self.classes):
            twice = _first_twice(self.classes)
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
        raise NamingError(
            f"there is no attribute '{abbreviated(name)}'{near_match(name, self.names)}; the attributes are "
            f"{abbreviated_list(self.names)}"
        )


def _first_twice(labels: tuple[Label, ...]) -> Label:
    """The first of these labels that was there before, of which there is one."""
    seen: set[Label] = set()
    return next(label for label in labels if label in seen or seen.add(label))  # type: ignore[func-returns-value]


def label_texts(labels: Sequence[Label]) -> list[str]:
    """Labels as texts that differ: those that have the same text are written as Python writes them.

    Examples
    --------
    >>> label_texts(["a", 1, "1"]), label_texts([True, "True"])
    (['a', '1', "'1'"], ['True', "'True'"])
    """
    texts = [str(label) for label in labels]
    if len(set(texts)) == len(texts):
        return texts
    times = Counter(texts)
    texts = [text if times[text] == 1 else repr(label) for text, label in zip(texts, labels, strict=True)]
    return texts if len(set(texts)) == len(texts) else [repr(label) for label in labels]


def _check_digits(labels: Sequence[Label], what: str) -> None:
    most = MAX_DIGITS * 10 // 3  # bits, about
    if any(isinstance(label, int) and label.bit_length() > most for label in labels):
        raise DataError(f"{what} has a whole number of more than {MAX_DIGITS:,} digits, which cannot be a label")
