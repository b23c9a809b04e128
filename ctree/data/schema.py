"""What the columns of a table mean: attributes with their kind and values, and the classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum

from ctree.data.worded import Worded
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
    ORDERED = "ordered"
    """Discrete values that have an order."""
    CONTINUOUS = "continuous"
    DATE = "date"
    TIME = "time"
    TIMESTAMP = "timestamp"
    IGNORE = "ignore"


@dataclass(frozen=True)
class Attribute:
    """One column of the cases.

    Parameters
    ----------
    name : str
    kind : Kind
    values : tuple of labels
        The values of a discrete or an ordered attribute, of the latter from the least to the greatest; the code of a
        value is its place here. Empty for other kinds.
    is_label : bool
        Whether an ignored attribute has what the cases are called, such as a number of a customer.

    Notes
    -----
    Tests of an ordered attribute are thresholds between two places of its order, such as ``size <= medium``. So are
    those of dates, times and timestamps: a date is the number of days since 1970-01-01, a time that of microseconds
    since midnight, a timestamp that of microseconds since 1970-01-01 00:00 UTC.

    Examples
    --------
    >>> from ctree import Attribute, Kind
    >>> outlook = Attribute("outlook", Kind.DISCRETE, ("sunny", "overcast", "rain"))
    >>> outlook.is_discrete, outlook.values.index("rain")
    (True, 2)
    >>> size = Attribute("size", Kind.ORDERED, ("small", "medium", "large"))
    >>> size.has_order, size.label(2), f"size <= {size.bound(1.5)}"
    (True, 'large', 'size <= medium')
    """

    name: str
    kind: Kind
    values: tuple[Label, ...] = ()
    is_label: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        if self.is_label and self.kind is not Kind.IGNORE:
            raise DataError(f"attribute '{abbreviated(self.name)}' is {self.kind.value} and so cannot name the cases")
        if not self.values:
            return
        if self.kind not in (Kind.DISCRETE, Kind.ORDERED):
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

    @property
    def is_ordered(self) -> bool:
        """Whether it has discrete values in an order."""
        return self.kind is Kind.ORDERED

    @property
    def is_moment(self) -> bool:
        """Whether its values are dates, times or timestamps."""
        return self.kind in MOMENTS

    @property
    def has_order(self) -> bool:
        """Whether its tests are thresholds: its column has numbers, which of ordered values are their places."""
        return self.kind is not Kind.DISCRETE and self.kind is not Kind.IGNORE

    def label(self, number: float) -> Label:
        """The value that a code, or a number of its column, stands for: a value of the list, a date as text, a number.

        Examples
        --------
        >>> from ctree import Attribute, Kind
        >>> Attribute("since", Kind.DATE).label(19783), Attribute("humidity", Kind.CONTINUOUS).label(70)
        ('2024-03-01', 70.0)
        """
        if self.values:
            return self.values[int(number)]
        shown = self.bound(number)
        return shown.word if isinstance(shown, Worded) else float(shown)

    def bound(self, threshold: float) -> float:
        """A threshold as a number that text shows by what is at most it: a value, a date, or itself.

        Examples
        --------
        >>> from ctree import Attribute, Kind
        >>> print(Attribute("since", Kind.DATE).bound(19783.5), Attribute("humidity", Kind.CONTINUOUS).bound(70.5))
        2024-03-01 70.5
        """
        word: str | None = None
        if self.kind is Kind.ORDERED and 0 <= threshold < len(self.values):
            word = str(self.values[int(threshold)])
        elif self.kind in MOMENTS:
            from ctree.data.dates import moment_text

            word = moment_text(self.kind, threshold)
        return threshold if word is None else Worded(threshold, word)


MOMENTS = (Kind.DATE, Kind.TIME, Kind.TIMESTAMP)
"""The kinds whose values are points in time."""


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
