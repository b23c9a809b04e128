"""Frequent itemsets of a data set, in its own attributes and values."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.bins import bin_codes, equal_frequency_cuts
from ctree.data.dataset import Dataset
from ctree.data.schema import Label
from ctree.data.tables.arrays import dataset_from_arrays
from ctree.domains.domain import Choice
from ctree.domains.numeric import Integer
from ctree.errors import DataError, ParameterError
from ctree.tree.rules import Condition
from ctree.wording import shortened
from ctree_ext.lattice.itemsets import KINDS, Miner

Ints = npt.NDArray[np.int32]

ONES, ZEROS = ("1", 1), ("0", 0)
"""The values of an attribute that is an item by itself; True and False are 1 and 0."""


@dataclass(frozen=True)
class Item:
    """What a case has or has not: an attribute's value, or a number within bounds.

    Parameters
    ----------
    conditions : tuple of Condition
        One, or two for a number between two bounds; none for a number of any value.
    text : str
        As a person reads it.
    """

    conditions: tuple[Condition, ...]
    text: str

    def __str__(self) -> str:
        return self.text


class Itemsets:
    """Itemsets as arrays; `items` is of all of them, one after the other.

    Parameters
    ----------
    catalogue : tuple of Item
        All items; the itemsets have their numbers.
    start : array (itemsets + 1,)
        Where the items of each itemset begin.
    items : array
        The items of the first, of the second and so on, ascending.
    support : array (itemsets,)
        The cases that have all the items.
    class_counts : array (itemsets, classes)
        How many of them are of each class; one column without classes.
    classes : tuple of labels

    Examples
    --------
    >>> import ctree
    >>> sets = ctree.frequent_itemsets(ctree.load_golf(), min_support=5, max_size=2)
    >>> len(sets), int(sets.support.max()), sets.classes
    (5, 8, ('Play', "Don't Play"))
    >>> [str(item) for item in sets[1]], sets.class_counts[1].tolist()
    (['outlook = rain'], [3, 2])
    """

    def __init__(
        self,
        catalogue: tuple[Item, ...],
        start: npt.NDArray[np.int64],
        items: Ints,
        support: Ints,
        class_counts: Ints,
        classes: tuple[Label, ...],
    ) -> None:
        self.catalogue = catalogue
        self.start = start
        self.items = items
        self.support = support
        self.class_counts = class_counts
        self.classes = classes

    def __len__(self) -> int:
        return len(self.support)

    def __getitem__(self, index: int) -> tuple[Item, ...]:
        """The items of one itemset."""
        if not -len(self) <= index < len(self):
            raise IndexError(f"itemset {index} of {len(self)}")
        index %= len(self)
        return tuple(self.catalogue[i] for i in self.items[self.start[index] : self.start[index + 1]].tolist())

    def __iter__(self) -> Iterator[tuple[Item, ...]]:
        return (self[i] for i in range(len(self)))

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """How many items each has."""
        return np.diff(self.start)

    def table(self) -> dict[str, list[Any]]:
        """The itemsets as columns, as `pandas.DataFrame` takes them."""
        columns: dict[str, list[Any]] = {"items": [tuple(map(str, items)) for items in self]}
        columns["support"] = self.support.tolist()
        for c, label in enumerate(self.classes):
            columns[f"n({label})"] = self.class_counts[:, c].tolist()
        return columns

    def __repr__(self) -> str:
        return f"<Itemsets: {len(self)} itemsets of {len(self.catalogue)} items>"


def frequent_itemsets(
    data: Any,
    y: Any = None,
    *,
    min_support: float = 0.1,
    kind: str = "all",
    min_size: int = 1,
    max_size: int | None = None,
    negative: bool = False,
    bins: int = 4,
    limit: int = 10_000_000,
) -> Itemsets:
    """The itemsets that enough cases have, with how many of each class do.

    Parameters
    ----------
    data : Dataset or table
        An item is a value of a discrete attribute, or a bin of a continuous one. An attribute of 0 and 1 is an item by
        itself: a case has it or not. A case has no item of an attribute whose value is unknown.
    y : array-like, optional
        The classes of a table; without, there is one class of all cases.
    min_support : int or float
        A number of cases, or a share of them if it is less than 1.
    kind : {"all", "closed", "maximal"}
        All itemsets; those that no further item can be added to without losing a case; those that none can be added to
        without falling below `min_support`.
    min_size, max_size : int
        How many items; with `min_size` 0 also the itemset without items. They only hide: what is closed or maximal is
        so among itemsets of any size.
    negative : bool
        Whether it is also an item to lack one of 0 and 1.
    bins : int
        Bins of continuous attributes.
    limit : int
        If there are more, nothing is made of them. Beyond a million they are counted before there is room for them.

    Returns
    -------
    Itemsets

    Raises
    ------
    ParameterError
        Among others if there are more than `limit` itemsets.

    Examples
    --------
    >>> import ctree
    >>> rows = [[1, 1, 0], [1, 1, 1], [1, 0, 0]]
    >>> sets = ctree.frequent_itemsets(rows, min_support=2)
    >>> [(" ".join(map(str, items)), int(n)) for items, n in zip(sets, sets.support)]
    [('x0', 3), ('x1', 2), ('x0 x1', 2)]
    >>> len(ctree.frequent_itemsets(rows, min_support=2, kind="closed"))
    2
    """
    if isinstance(data, Dataset):
        if y is not None:
            raise DataError("a Dataset has its own classes: leave out y")
    else:
        data = dataset_from_arrays(data, y)
    Choice(*KINDS).check("kind", kind)
    classes, labels = _classes(data)
    least = _least_cases(min_support, data.n_cases)
    Integer(least=0).check("min_size", min_size)
    if max_size is not None:
        Integer(least=min_size).check("max_size", max_size)
    Integer(least=1).check("bins", bins)
    Integer(least=1).check("limit", limit)
    catalogue, columns = items_of(data, negative, bins)
    miner = Miner(columns, classes, max(len(labels), 1))
    found = miner.mine(kind, least, min_size, len(catalogue) if max_size is None else max_size, limit)
    if found is None:
        raise ParameterError(
            f"more than {limit} itemsets have a support of at least {least}: a larger min_support, a smaller "
            "max_size or kind='closed' gives fewer; limit allows for more"
        )
    return Itemsets(catalogue, *found, labels)


def items_of(data: Dataset, negative: bool, bins: int) -> tuple[tuple[Item, ...], npt.NDArray[np.uint8]]:
    """The items of a data set, and which cases have them, (items, cases)."""
    catalogue: list[Item] = []
    columns: list[npt.NDArray[np.bool_]] = []
    # Most columns are of 0 and 1: they are compared straight into the rows that are given back.
    rows, zeros = np.empty((len(data.schema), data.n_cases), dtype=np.bool_), np.empty(data.n_cases, dtype=np.bool_)
    for ones, attribute, column in zip(rows, data.schema, data.columns, strict=True):
        if column is None:
            continue
        name = attribute.name
        if attribute.is_discrete or attribute.is_ordered:
            single = len(attribute.values) > 0 and all(v in ONES + ZEROS for v in attribute.values)
            for code, value in enumerate(attribute.values):
                if single and not negative and value in ZEROS:
                    continue
                condition = Condition(name, values=(value,))
                alone = single and value in ONES
                catalogue.append(Item((condition,), name if alone else str(condition)))
                columns.append(np.asarray(column == code))
            continue
        numbers = np.asarray(column, dtype=np.float64)
        np.equal(numbers, 1, out=ones)
        np.equal(numbers, 0, out=zeros)
        others = data.n_cases - np.count_nonzero(ones) - np.count_nonzero(zeros)
        if others == 0 or others == np.count_nonzero(np.isnan(numbers)):
            catalogue.append(Item((Condition(name, above=0.0),), name))
            columns.append(ones)
            if negative:
                catalogue.append(Item((Condition(name, at_most=0.0),), f"{name} = 0"))
                columns.append(zeros.copy())
            continue
        cuts = equal_frequency_cuts(numbers, bins)
        codes = bin_codes(numbers, cuts)
        for code in range(len(cuts) + 1):
            bounds = [Condition(name, above=attribute.bound(float(cuts[code - 1])))] if code else []
            bounds += [Condition(name, at_most=attribute.bound(float(cuts[code])))] if code < len(cuts) else []
            text = " and ".join(map(str, bounds)) or f"{name} known"
            catalogue.append(Item(tuple(bounds), text))
            columns.append(np.asarray(codes == code))
    if len(columns) == len(rows) and all(column.base is rows for column in columns):
        return tuple(catalogue), rows.view(np.uint8)
    matrix = np.concatenate(columns) if columns else np.empty(0, dtype=np.bool_)
    return tuple(catalogue), matrix.view(np.uint8).reshape(len(columns), data.n_cases)


def _classes(data: Dataset) -> tuple[Ints, tuple[Label, ...]]:
    """The class of each case, and the labels; one class without a label where there are none."""
    if data.n_cases == 0:
        raise DataError("there are no cases to find itemsets in")
    if data.weights is not None and not (data.weights == 1).all():
        raise DataError("itemsets are counted in cases, which cannot have weights here")
    if data.classes is None:
        return np.zeros(data.n_cases, dtype=np.int32), ()
    if (data.classes < 0).any():
        case = int(np.flatnonzero(data.classes < 0)[0])
        raise DataError(f"case {case + 1} has no class; leave such cases out")
    return np.array(data.classes, dtype=np.int32), data.schema.classes


def _least_cases(min_support: Any, n_cases: int) -> int:
    support: Any = math.nan if isinstance(min_support, bool) or not isinstance(min_support, Real) else min_support
    if not 0 < support < math.inf:
        raise ParameterError(
            f"min_support must be a number of cases, or a share less than 1, not {shortened(min_support)}"
        )
    if support > n_cases:  # it may be more than a float holds
        raise ParameterError(f"min_support is {shortened(min_support)}, but there are only {n_cases} cases")
    value = float(support)
    least = math.ceil(value * n_cases - 1e-9) if value < 1 else int(value)
    if value >= 1 and value != least:
        raise ParameterError(f"min_support must be a whole number of cases, or a share less than 1, not {min_support}")
    return max(least, 1)
