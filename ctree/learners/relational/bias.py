"""Which tests a relational tree may ask, and in which order: the lists that the search goes through."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np

from ctree.data.bins import bin_codes, equal_frequency_cuts
from ctree.data.relational.bias import check_constants, check_links
from ctree.data.relational.data import RelationalData
from ctree.data.relational.links import Mask
from ctree.data.relational.schema import ColumnKind, RelationalSchema
from ctree.data.relational.values import recoded
from ctree.data.tables.levels import Codes, Floats
from ctree.errors import ParameterError
from ctree.tree.relational_aggregates import Aggregate, AggregateColumns
from ctree.tree.relational_tables import ColumnPlaces, linked_arrays
from ctree.wording import abbreviated
from ctree_ext.base.node_arrays import Ints
from ctree_ext.relational.language import Language

MAX_TERMS = 10_000
MAX_CELLS = 1 << 28
"""Figures of aggregates, each of some twelve bytes."""

Path = tuple[int, ...]
Coded = tuple[Codes, Floats | None, int, bool, int]
"""The codes of a column, the numbers of its levels, how many, and how they are tried; see `Language`."""


@dataclass(frozen=True)
class Bias:
    """Where queries may go, and what they compare with constants.

    Parameters
    ----------
    schema : RelationalSchema
    links : mapping, optional
        Directions of foreign keys, in place of those of the schema.
    constants : mapping, optional
        Whether columns are compared with constants, in place of what the schema says.
    forward : int
        How many links a term may follow upwards.
    """

    schema: RelationalSchema
    links: Mapping[str, str] | None = None
    constants: Mapping[str, bool] | None = None
    forward: int = 2

    def __post_init__(self) -> None:
        if self.links is not None:
            check_links(self.schema, self.links)
        if self.constants is not None:
            check_constants(self.schema, self.constants)

    def may_follow(self, link: int, direction: str) -> bool:
        """Whether a foreign key may be followed ``"up"`` or ``"down"``; never into the target table."""
        key = self.schema.foreign_keys[link]
        there = key.references if direction == "up" else key.table
        links = dict(self.schema.links) if self.links is None else self.links
        return there != self.schema.target and links.get(key.name, "both") in ("both", direction)

    def terms(self, by: int | None) -> list[Path]:
        """The paths of the terms of a variable that came by a link, None for X0: the shorter ones first."""
        keys = self.schema.foreign_keys
        start = self.schema.target if by is None else keys[by].table
        ups = [link for link in range(len(keys)) if self.may_follow(link, "up")]
        longest: list[Path] = [()]
        result = list(longest)
        for _ in range(self.forward):
            longest = [
                (*path, link)
                for path in longest
                for link in ups
                if keys[link].table == (keys[path[-1]].references if path else start) and (path or link != by)
            ]
            if not longest:
                break
            result += longest
            if len(result) > MAX_TERMS:
                raise ParameterError(
                    f"forward={self.forward} leads from table '{abbreviated(start)}' on more than {MAX_TERMS:,} ways: "
                    "lower it, or forbid some links upwards"
                )
        return result

    def steps(self, table: str) -> list[int]:
        """The links by which rows that refer to a row of a table are found; a symmetric table has one entrance."""
        return [
            link
            for link, key in enumerate(self.schema.foreign_keys)
            if key.references == table
            and self.may_follow(link, "down")
            and key.column in (self.schema.table(key.table).symmetric or (key.column,))[:1]
        ]

    def compared(self, table: str) -> list[str]:
        """The columns of a table that are compared with constants."""
        constants = dict(self.schema.constants) if self.constants is None else self.constants
        kinds = (ColumnKind.DISCRETE, ColumnKind.CONTINUOUS)
        columns = self.schema.table(table).columns
        return [c.name for c in columns if c.kind in kinds and constants.get(f"{table}.{c.name}", True)]

    def aggregates(self, table: str, names: Collection[str], values: Mapping[str, Sequence[str]]) -> list[Aggregate]:
        """The aggregates of the rows that refer to a row of a table, of those that are named."""
        places = ColumnPlaces(self.schema)
        result = []
        for link in self.steps(table) if names else ():
            result.append(Aggregate("count", link))
            for path in self.terms(link):
                there = self.schema.foreign_keys[path[-1]].references if path else self.schema.foreign_keys[link].table
                for column in self.compared(there):
                    place = places[f"{there}.{column}"]
                    if self.schema.table(there).column(column).kind is ColumnKind.CONTINUOUS:
                        result += [Aggregate(name, link, path, place) for name in ("min", "max", "mean")]
                    else:
                        n_values = len(values[f"{there}.{column}"])
                        result.append(Aggregate("mode", link, path, place))
                        result += [Aggregate("share", link, path, place, code) for code in range(n_values)]
                        result.append(Aggregate("nunique", link, path, place))
        return [aggregate for aggregate in result if aggregate.name in names]


class Tests(NamedTuple):
    """What a tree grows by: the tests that there are, the paths of their terms, their aggregates and their values."""

    language: Language
    path_start: Ints
    path_links: Ints
    aggregates: tuple[Aggregate, ...]
    values: Mapping[str, Sequence[str]]


def all_tests(
    data: RelationalData,
    bias: Bias,
    values: Mapping[str, Sequence[str]],
    thresholds: int | None,
    aggregates: Collection[str] = (),
) -> Tests:
    """The tests on these examples.

    Parameters
    ----------
    data : RelationalData
    bias : Bias
    values : mapping
        The values of discrete columns, `RelationalData.closure_values`.
    thresholds : int or None
        How many cuts of each continuous column there are, the same at all nodes; None for all numbers.
    aggregates : collection of str
        The names of those that are tried.
    """
    schema, closure = data.schema, data.closure()
    kinds = [bias.terms(None), *(bias.terms(link) for link in range(len(schema.foreign_keys)))]
    paths = list(dict.fromkeys(chain([()], *kinds)))
    number = {path: i for i, path in enumerate(paths)}
    path_start, path_links = flat(paths)
    term_start, term_path = flat([[number[path] for path in kind] for kind in kinds])
    places = ColumnPlaces(schema)
    columns = [[places[f"{table.name}.{column}"] for column in bias.compared(table.name)] for table in schema.tables]
    coded = _coded_columns(data, closure, columns, values, thresholds)
    tried = [bias.aggregates(table.name, aggregates, values) for table in schema.tables]
    more = [(t, aggregate) for t, listed in enumerate(tried) for aggregate in listed]
    _check_size(data, tried)
    made = AggregateColumns(data, values)
    added: list[tuple[int, Codes | Floats]] = []
    for t, aggregate in more:
        cells = made.column(aggregate)
        added.append((t, cells))
        coded.append(_coded_aggregate(aggregate, cells, closure[schema.table_names[t]], values, places))
    late_start, late = flat(
        [[len(places) + i for i, (t, _) in enumerate(more) if t == table] for table in range(len(tried))]
    )
    column_start, column_list = flat(columns)
    step_start, steps = flat([bias.steps(table.name) for table in schema.tables])
    codes = {place: entry[0] for place, entry in enumerate(coded[: len(places)]) if entry and entry[1] is None}
    tables = linked_arrays(data, path_start, path_links, set(steps.tolist()), codes, added)
    language = Language(
        tables,
        term_start,
        term_path,
        schema.index(schema.target),
        column_start,
        column_list,
        step_start,
        steps,
        late_start,
        late,
        coded,
    )
    return Tests(language, path_start, path_links, tuple(aggregate for _, aggregate in more), values)


def _check_size(data: RelationalData, tried: Sequence[Sequence[Aggregate]]) -> None:
    """Refuse aggregates that would take too much memory, as shares of very many values do."""
    cells = sum(table.n_rows * len(listed) for table, listed in zip(data.seen, tried, strict=True))
    if cells > MAX_CELLS:
        raise ParameterError(
            f"the aggregates would be {sum(map(len, tried)):,} columns with {cells:,} figures, more than "
            f"{MAX_CELLS:,}: name fewer of them, or leave out columns of many values by 'constants'"
        )


def _coded_columns(
    data: RelationalData,
    closure: Mapping[str, Mask],
    columns: Sequence[Sequence[int]],
    values: Mapping[str, Sequence[str]],
    thresholds: int | None,
) -> list[Coded | None]:
    """All columns as codes; None for those that are not compared."""
    names = ColumnPlaces(data.schema).names
    coded: list[Coded | None] = [None] * len(names)
    for table, listed in zip(data.seen, columns, strict=True):
        for place in listed:
            column = names[place][1]
            cells = table.column(column)
            assert cells is not None
            if table.schema.column(column).kind is ColumnKind.DISCRETE:
                known = values[".".join(names[place])]
                own = table.values[table.schema.index(column)]
                coded[place] = recoded(cells.astype(np.int32, copy=False), own, known), None, len(known), False, 0
            else:
                numbers = cells.astype(np.float64, copy=False)
                coded[place] = _levels(numbers, closure[table.schema.name], thresholds)
    return coded


def _coded_aggregate(
    aggregate: Aggregate, cells: Codes | Floats, mask: Mask, values: Mapping[str, Sequence[str]], places: ColumnPlaces
) -> Coded:
    """The figures of an aggregate as codes; it has no cuts."""
    if aggregate.is_discrete:
        n_values = len(values[".".join(places.names[aggregate.column])])
        return cells.astype(np.int32, copy=False), None, n_values, False, aggregate.directions
    codes, levels, n_levels, listed, _ = _levels(cells.astype(np.float64, copy=False), mask, None)
    return codes, levels, n_levels, listed, aggregate.directions


def _levels(numbers: Floats, mask: Mask, thresholds: int | None) -> Coded:
    """The numbers as codes of levels that are thresholds."""
    seen = numbers[mask]
    if thresholds is not None:
        cuts = equal_frequency_cuts(seen, thresholds + 1)
        codes = bin_codes(numbers, cuts)
        return codes, cuts, len(cuts), True, 0
    levels = np.unique(seen[~np.isnan(seen)] + 0.0)
    codes = np.searchsorted(levels, numbers).astype(np.int32)
    codes[~mask | np.isnan(numbers)] = -1
    return codes, levels, len(levels), False, 0


def flat(lists: Sequence[Sequence[int]]) -> tuple[Ints, Ints]:
    """Lists of numbers as one, and where each of them starts.

    Examples
    --------
    >>> [array.tolist() for array in flat([[], [3, 4], [5]])]
    [[0, 0, 2, 3], [3, 4, 5]]
    """
    start = np.cumsum([0, *(len(numbers) for numbers in lists)])
    return start.astype(np.int32), np.array([number for numbers in lists for number in numbers], dtype=np.int32)
