"""Linked tables with examples: what relational learners learn from."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Rows
from ctree.data.files.c45_cases import UnknownClass
from ctree.data.relational.conform import check_values, codes_among, conform, fits
from ctree.data.relational.declared import Declared, declared_sources
from ctree.data.relational.describe import Description, describe
from ctree.data.relational.examples import linked_examples
from ctree.data.relational.kept import Kept
from ctree.data.relational.keys import places_of_keys
from ctree.data.relational.links import Links, Mask
from ctree.data.relational.schema import RelationalSchema
from ctree.data.relational.tables import CodedTable, LinkedTables, frozen, values_within
from ctree.data.schema import Label
from ctree.data.tables.levels import Codes
from ctree.errors import DataError
from ctree.wording import abbreviated, plural


class RelationalData:
    """Linked tables, one of which holds the examples and their class.

    Parameters
    ----------
    tables : mapping
        From the names of tables to the tables: DataFrames of pandas, polars, pyarrow, duckdb and others, or mappings
        from names of columns to columns. The order of tables and columns breaks ties between tests. None, NaN, NaT, NA
        and null are unknown.
    target : pair of str, or str
        The table of the examples, and the column of their class. Only the table if the classes are not known, as of
        examples to be predicted.
    keys : mapping, optional
        From names of tables to the column whose values are unique, by which other tables refer to a row.
    foreign_keys : mapping, optional
        From names of columns, ``"atom.molecule"``, to the table whose keys they hold.
    symmetric : mapping, optional
        From names of tables to two of their foreign keys: each row is a link without direction between two rows of one
        table, such as a bond between two atoms.
    kinds : mapping, optional
        From names of columns, ``"atom.type"``, to ``"discrete"``, ``"continuous"``, ``"key"`` or ``"ignore"``. Without
        it keys and foreign keys are keys, numbers continuous, and others discrete.
    classes : sequence of labels, optional
        In order. Without it they are those that there are: in the order of numbers if all are numerals, else as text.
    links : mapping, optional
        From names of foreign keys to the directions in which tests may follow them: ``"both"``, the default, ``"down"``
        to the rows that refer to a row, ``"up"`` to the row that one refers to, or ``"none"``.
    constants : mapping, optional
        From names of columns to whether tests compare them with constants, the default.
    dangling : {"error", "unknown"}
        What to do with a foreign key that is the key of no row: refuse it, or take it for unknown, with a warning.
    unknown_class : {"error", "drop", "keep"}
        What to do with an example whose class is unknown: refuse it, leave it out, or keep it with class -1.
    name : str

    Notes
    -----
    Keys are compared as text, after whole numbers have lost their point: 1, 1.0 and "1" are the same, "007" is another.
    Discrete values are text too, true and false in small letters. Tables that no foreign keys connect with the target
    are left out, with a warning. Nothing of an object changes once it is made, and threads may share it.

    Examples
    --------
    >>> import ctree
    >>> data = ctree.RelationalData(
    ...     {"machine": {"id": [1, 2, 3], "action": ["fix", "ok", "fix"]},
    ...      "worn": {"machine": [1, 1, 3], "part": ["gear", "wheel", "gear"]}},
    ...     target=("machine", "action"), keys={"machine": "id"}, foreign_keys={"worn.machine": "machine"})
    >>> data
    <RelationalData: 3 examples, 2 tables, 1 foreign key, 2 classes>
    >>> data.table("worn").values[1], data.table("worn").column("machine").tolist()
    (('gear', 'wheel'), [0, 0, 2])
    >>> start, rows = data.down(0)
    >>> rows[start[0]:start[1]].tolist()
    [0, 1]
    >>> data.take([2]).closure()["worn"].tolist()
    [False, False, True]
    """

    __slots__ = ("_links", "_rows", "_tables")

    _tables: LinkedTables
    _links: Links
    _rows: Codes

    def __init__(
        self,
        tables: Mapping[str, Any],
        *,
        target: tuple[str, str] | str,
        keys: Mapping[str, str] | None = None,
        foreign_keys: Mapping[str, str] | None = None,
        symmetric: Mapping[str, Sequence[str]] | None = None,
        kinds: Mapping[str, str] | None = None,
        classes: Sequence[Label] | None = None,
        links: Mapping[str, str] | None = None,
        constants: Mapping[str, bool] | None = None,
        dangling: str = "error",
        unknown_class: UnknownClass = "error",
        name: str = "",
    ) -> None:
        declared = Declared(target, keys, foreign_keys, symmetric, kinds, classes, links, constants, name)
        schema, sources = declared_sources(tables, declared)
        coded, rows = linked_examples(schema, sources, dangling, unknown_class)
        self._become(coded, Links(coded), rows)

    def _become(self, tables: LinkedTables, links: Links, rows: Codes) -> None:
        self._tables, self._links, self._rows = tables, links, frozen(rows)

    @classmethod
    def _of(cls, tables: LinkedTables, rows: Codes, links: Links | None = None) -> RelationalData:
        """Data of tables that are coded already."""
        data = cls.__new__(cls)
        data._become(tables, Links(tables) if links is None else links, rows)
        return data

    @classmethod
    def from_sqlite(
        cls, path: str | os.PathLike[str], *, target: tuple[str, str] | str | None = None, **options: Any
    ) -> RelationalData:
        """The tables of an SQLite database, with the keys and foreign keys that it declares.

        Parameters
        ----------
        path : str or path
            The file, which is only read; or a connection of `sqlite3`.
        target : pair of str, or str
        **options
            As of the class. `keys` and `foreign_keys` add to those of the database. With `tables`, a sequence of names,
            only these and the target are read, in this order, which breaks ties between tests; else it is that in
            which they were made. With `like`, the ``schema_`` of a model, what that knows is read in the way it knows
            it, the target too; examples to be predicted may have no class.

        Returns
        -------
        RelationalData

        Examples
        --------
        >>> import ctree, sqlite3
        >>> database = sqlite3.connect(":memory:")
        >>> _ = database.executescript('''
        ...     CREATE TABLE machine (id INTEGER PRIMARY KEY, action TEXT);
        ...     CREATE TABLE worn (machine INTEGER REFERENCES machine(id), part TEXT);
        ...     INSERT INTO machine VALUES (1, 'fix'), (2, 'ok');
        ...     INSERT INTO worn VALUES (1, 'gear'), (1, 'wheel');''')
        >>> ctree.RelationalData.from_sqlite(database, target=("machine", "action"))
        <RelationalData: 2 examples, 2 tables, 1 foreign key, 2 classes>
        """
        from ctree.data.relational.sqlite_tables import sqlite_tables

        return cls(**sqlite_tables(path, target, options))

    @classmethod
    def from_duckdb(
        cls, connection: Any, *, target: tuple[str, str] | str | None = None, **options: Any
    ) -> RelationalData:
        """The tables of a DuckDB database, with the keys and foreign keys that it declares.

        Parameters
        ----------
        connection : connection of duckdb, str or path
            Tables are those of its current schema. A file is only read, and needs the extra ``duckdb``.
        target : pair of str, or str
        **options
            As of `from_sqlite`, but without `tables` they are in the order of their names.

        Returns
        -------
        RelationalData
        """
        from ctree.data.relational.duckdb_tables import duckdb_tables

        return cls(**duckdb_tables(connection, target, options))

    @property
    def schema(self) -> RelationalSchema:
        """The tables, columns and links that queries can see, and the classes."""
        return self._tables.schema

    @property
    def tables(self) -> tuple[CodedTable, ...]:
        """The coded tables in the order of the schema, each row once."""
        return self._tables.tables

    @property
    def seen(self) -> tuple[CodedTable, ...]:
        """The coded tables as queries see them: after the rows of a symmetric table, the same with ends exchanged."""
        return self._links.seen

    @property
    def unlinked(self) -> tuple[str, ...]:
        """The tables that were left out, as no foreign keys connect them with the target."""
        return self._tables.unlinked

    @property
    def rows(self) -> Codes:
        """For each example its row of the target table."""
        return self._rows

    @property
    def classes(self) -> Codes | None:
        """The class code of each example, -1 where it is unknown; None if there are no classes."""
        return None if self._tables.classes is None else self._tables.classes[self._rows]

    @property
    def labels(self) -> list[Label | None]:
        """The class of each example as it was given; None where it is unknown."""
        codes = self.classes
        if codes is None:
            return [None] * len(self)
        return [None if code < 0 else self.schema.classes[code] for code in codes.tolist()]

    @property
    def keys(self) -> list[str] | None:
        """The key of each example as text; None if the target table has none."""
        keys = self.table(self.schema.target).keys
        return None if keys is None else [keys[row] for row in self._rows.tolist()]

    @property
    def n_examples(self) -> int:
        return len(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        schema = self.schema
        parts = [plural(len(self), "example"), plural(len(schema.tables), "table")]
        parts += [plural(len(schema.foreign_keys), "foreign key"), plural(schema.n_classes, "class")]
        return f"<RelationalData: {', '.join(parts)}>"

    def table(self, name: str) -> CodedTable:
        """A coded table by its name, each row once."""
        return self.tables[self.schema.index(self.schema.table(name).name)]

    def take(self, rows: Rows) -> RelationalData:
        """The examples at these places (indices, a boolean mask or a slice), with the same tables.

        Other rows of the target table stay in their table, but are not examples, and no query sees them.
        """
        try:
            places = rows if isinstance(rows, slice) else np.asarray(rows)
            if isinstance(places, np.ndarray) and not places.size:
                places = places.astype(np.int64)
            taken = np.atleast_1d(self._rows[places])
            if taken.ndim > 1:
                raise IndexError(f"they have the shape {taken.shape}")
        except (IndexError, TypeError, ValueError) as error:
            what = f"examples are taken by their places, a mask or a slice, and there are {len(self)}"
            raise DataError(f"{what} ({abbreviated(error, 150)})") from None
        return self._of(self._tables, taken, self._links)

    def without_classes(self) -> RelationalData:
        """The same examples, of which no classes are known."""
        return self._of(replace(self._tables, classes=None), self._rows, self._links)

    def places(self, keys: Any) -> npt.NDArray[np.int64]:
        """The places of the examples that have these keys.

        Parameters
        ----------
        keys : array, list or column of keys

        Returns
        -------
        array of int64
        """
        own = self.table(self.schema.target).keys
        if own is None:
            raise DataError(f"the target table '{abbreviated(self.schema.target)}' has no key")
        rows = self.kept.get("rows of keys", lambda: dict(zip(own, range(len(own)), strict=True)))
        return places_of_keys(keys, rows, self._rows)

    def up(self, link: int) -> Codes:
        """For each row of a foreign key's table, as queries see it, the row that it refers to; -1 if unknown.

        Parameters
        ----------
        link : int
            The place of the foreign key in the schema.

        Returns
        -------
        array of int32
        """
        return self._links.up(link)

    def down(self, link: int) -> tuple[Codes, Codes]:
        """The rows, as queries see them, that refer to each row of the table that a foreign key refers to.

        Parameters
        ----------
        link : int
            The place of the foreign key in the schema.

        Returns
        -------
        start, rows : arrays of int32
            ``rows[start[i]:start[i + 1]]`` refer to row i, in ascending order.
        """
        return self._links.down(link)

    def closure(self) -> dict[str, Mask]:
        """Which rows of each table, as queries see them, can be reached from the examples.

        Foreign keys are followed in both directions, whatever `links` says, but never into the target table: only the
        examples are in the closure of that.

        Returns
        -------
        dict
            From the names of tables to arrays of bool.
        """
        return dict(zip(self.schema.table_names, self._links.closure(self._rows), strict=True))

    def closure_values(self) -> dict[str, tuple[str, ...]]:
        """The values that rows in the closure have, of each discrete column, ``"atom.type"``, in their order.

        The order is that of these values alone: numerals among other text are in the order of text, but in that of
        numbers where the other text is out of reach.
        """
        return values_within(self.seen, self._links.closure(self._rows))

    def classes_among(self, classes: Sequence[Label]) -> Codes | None:
        """The place of the class of each example among these, -1 where it is unknown; another class is an error."""
        codes = codes_among(self._tables, classes)
        return None if codes is None else codes[self._rows]

    def describe(self) -> Description:
        """How large the tables are, how they are linked, and what is unknown; see `Description`."""
        return describe(self._tables, self._rows)

    def conformed(self, schema: RelationalSchema, *, needed: Sequence[str] | None = None) -> RelationalData:
        """The same examples in the form that a model knows: with its tables, columns and links.

        Parameters
        ----------
        schema : RelationalSchema
            That of the model.
        needed : sequence of str, optional
            The tables, columns and foreign keys that the model asks for, ``"atom"`` or ``"atom.type"``; all of them if
            None. Others may be missing: a table is then empty, a column unknown.

        Returns
        -------
        RelationalData
            Discrete columns have the values of these data, which the model need not know; classes are coded by those
            of the schema if there are any. The data themselves where they have the form already.
        """
        if fits(self._tables, schema):
            return self
        key = "conformed", schema, None if needed is None else tuple(needed)
        links: Links = self.kept.get(key, lambda: Links(conform(self._tables, schema, needed)))
        return self._of(links.tables, self._rows, links)

    def check_values(self, values: Mapping[str, Sequence[str]], *, needed: Sequence[str] | None = None) -> None:
        """Refuse discrete values that a model does not know, in rows that belong to the examples.

        Parameters
        ----------
        values : mapping
            From names of discrete columns, ``"atom.type"``, to the values that the model knows.
        needed : sequence of str, optional
            The columns that are looked at, among other names; all if None.
        """
        check_values(self._tables, values, needed, self.closure)

    def codes_of(self, table: str, column: str) -> dict[str, int]:
        """The code of each value of a discrete column."""
        values = self.table(table).values[self.schema.table(table).index(column)]
        found: dict[str, int] = self.kept.get(
            ("codes", table, column), lambda: {value: code for code, value in enumerate(values)}
        )
        return found

    @property
    def kept(self) -> Kept:
        """What was made of the tables, whichever examples are taken."""
        return self._links.kept
