"""The links between coded tables as arrays: up, down, and what is connected with what."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from ctree.data.relational.kept import Kept
from ctree.data.relational.tables import CodedTable, LinkedTables, frozen
from ctree.data.tables.levels import Codes
from ctree.imports import whole_module

Mask = npt.NDArray[np.bool_]


class Links:
    """The tables as queries see them, with indexes that are built when they are first needed.

    Every row of a symmetric table is seen twice: as it is, and with its two ends exchanged.

    Parameters
    ----------
    tables : LinkedTables
    """

    def __init__(self, tables: LinkedTables) -> None:
        self.tables = tables
        self._schema = tables.schema
        self._down: dict[int, tuple[Codes, Codes]] = {}
        self.kept = Kept()

    @cached_property
    def seen(self) -> tuple[CodedTable, ...]:
        """The tables in the order of the schema, symmetric ones with twice their rows."""
        return tuple(t if t.schema.symmetric is None else t.doubled() for t in self.tables.tables)

    def up(self, link: int) -> Codes:
        """For each row of a foreign key's table, as it is seen, the row that it refers to; -1 if that is unknown."""
        key = self._schema.foreign_keys[link]
        column = self.seen[self._schema.index(key.table)].column(key.column)
        assert column is not None
        return column  # type: ignore[return-value]

    def down(self, link: int) -> tuple[Codes, Codes]:
        """The rows, as they are seen, that refer to each row.

        Returns
        -------
        start : array of int32
            One entry more than the table that the foreign key refers to has rows.
        rows : array of int32
            ``rows[start[i]:start[i + 1]]`` refer to row i, in ascending order.
        """
        if link not in self._down:
            up = self.up(link)
            n_rows = self.tables.tables[self._schema.index(self._schema.foreign_keys[link].references)].n_rows
            start = np.zeros(n_rows + 1, dtype=np.int32)
            np.cumsum(np.bincount(up[up >= 0], minlength=n_rows), out=start[1:])
            rows = np.argsort(up, kind="stable")[len(up) - int(start[-1]) :]  # the unknown ones come first
            self._down[link] = frozen(start), frozen(rows.astype(np.int32))
        return self._down[link]

    @cached_property
    def components(self) -> tuple[int, tuple[Codes, ...]]:
        """How many sets of rows are connected by foreign keys, whatever their direction, and for each row its set.

        Rows of the target table and their links do not count, as nothing is reached through them. The tables are in
        the order of the schema, with each row once; the entry of the target is empty.
        """
        sparse, csgraph = whole_module("scipy.sparse"), whole_module("scipy.sparse.csgraph")
        schema, tables = self._schema, self.tables.tables
        sizes = [0 if t.schema.name == schema.target else t.n_rows for t in tables]
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        ends: list[npt.NDArray[np.int64]] = [np.empty((2, 0), dtype=np.int64)]
        for key in schema.foreign_keys:
            if schema.target not in (key.table, key.references):
                here, there = schema.index(key.table), schema.index(key.references)
                column = tables[here].column(key.column)
                assert column is not None
                rows = np.flatnonzero(column >= 0)
                ends.append(np.array([rows + offsets[here], column[rows] + offsets[there]], dtype=np.int64))
        n_rows = int(offsets[-1])
        small = n_rows <= np.iinfo(np.int32).max  # as the search for components prefers them
        one, other = np.concatenate(ends, axis=1).astype(np.int32 if small else np.int64)
        graph = sparse.coo_array((np.ones(len(one), dtype=np.bool_), (one, other)), shape=(n_rows, n_rows))
        number, labels = csgraph.connected_components(graph, directed=False) if n_rows else (0, np.empty(0))
        split = np.split(labels.astype(np.int32), offsets[1:-1])
        return int(number), tuple(frozen(part) for part in split)

    def closure(self, examples: Codes) -> tuple[Mask, ...]:
        """For each table which of its rows, as they are seen, can be reached from these rows of the target.

        Foreign keys are followed in both directions, but never into the target table, of which only the examples are
        in the closure.
        """
        schema, tables = self._schema, self.tables.tables
        number, labels = self.components
        target = schema.index(schema.target)
        chosen = np.zeros(tables[target].n_rows, dtype=np.bool_)
        chosen[examples] = True
        touched = np.zeros(number, dtype=np.bool_)
        for key in schema.foreign_keys:
            here, there = schema.index(key.table), schema.index(key.references)
            if (here == target) == (there == target):
                continue
            rows = tables[here].column(key.column)
            assert rows is not None
            known = rows >= 0
            if here == target:
                touched[labels[there][rows[known & chosen]]] = True
            else:
                known[known] = chosen[rows[known]]
                touched[labels[here][known]] = True
        masks = [chosen if t == target else touched[labels[t]] for t in range(len(tables))]
        return tuple(
            mask if table.schema.symmetric is None else np.concatenate([mask, mask])
            for mask, table in zip(masks, tables, strict=True)
        )
