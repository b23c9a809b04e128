"""Linked tables as the kernels of relational trees take them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ctree.data.relational.data import RelationalData
from ctree.data.relational.schema import RelationalSchema
from ctree.data.tables.levels import Codes, Floats
from ctree_ext.base.node_arrays import Ints
from ctree_ext.relational.linked import LinkedArrays


class ColumnPlaces:
    """All columns of a schema in a row: the place of each, by its full name, and back.

    Parameters
    ----------
    schema : RelationalSchema
    """

    def __init__(self, schema: RelationalSchema) -> None:
        self.names = [(table.name, column) for table in schema.tables for column in table.names]
        self._places = {f"{table}.{column}": place for place, (table, column) in enumerate(self.names)}

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, name: str) -> int:
        return self._places[name]


def linked_arrays(
    data: RelationalData,
    path_start: Ints,
    path_links: Ints,
    downwards: Collection[int],
    codes: Mapping[int, Codes] | None = None,
    more: Sequence[tuple[int, Codes | Floats]] = (),
) -> LinkedArrays:
    """The tables as queries see them.

    Parameters
    ----------
    data : RelationalData
    path_start, path_links : arrays of int32
        The paths of links upwards that will be followed.
    downwards : collection of int
        The links that will be followed downwards.
    codes : mapping, optional
        Columns, by their place, that have other codes than in the data.
    more : sequence of pairs
        Columns that follow those of the data, each after the place of its table.
    """
    schema = data.schema
    links = []
    for link, key in enumerate(schema.foreign_keys):
        start, rows = data.down(link) if link in downwards else (None, None)
        links.append((schema.index(key.table), schema.index(key.references), data.up(link), start, rows))
    columns: list[tuple[int, Any]] = [(t, column) for t, table in enumerate(data.seen) for column in table.columns]
    for place, other in (codes or {}).items():
        columns[place] = columns[place][0], other
    columns += more
    n_rows = np.array([table.n_rows for table in data.seen], dtype=np.int32)
    return LinkedArrays(n_rows, links, columns, path_start, path_links)


class KeptArrays(NamedTuple):
    """Tables for routing examples, and the links in them that can be followed downwards."""

    arrays: LinkedArrays
    downwards: frozenset[int]


def kept_arrays(data: RelationalData, path_start: Ints, path_links: Ints, downwards: frozenset[int]) -> LinkedArrays:
    """The tables as queries see them, with their own codes; they are made once for all trees with the same paths."""
    key = "arrays", path_start.tobytes(), path_links.tobytes()
    kept: KeptArrays | None = data.kept.find(key)
    if kept is None or not downwards <= kept.downwards:
        # Of another tree's links some are kept as well, so that trees do not take turns in making them.
        wanted = downwards if kept is None else downwards | kept.downwards
        kept = data.kept.put(key, KeptArrays(linked_arrays(data, path_start, path_links, wanted), wanted))
    return kept.arrays
