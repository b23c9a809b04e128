"""What the catalogue of a database says of its tables becomes the parameters of `RelationalData`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ctree.data.files.text_file import near_match
from ctree.data.relational.alike import known_of
from ctree.data.relational.declared import mapping_of, target_of
from ctree.data.relational.schema import SINGLE_COLUMNS
from ctree.data.tables.raw_columns import RawTable
from ctree.domains.plain import is_list
from ctree.errors import DataError, NamingError, ParameterError
from ctree.wording import abbreviated, abbreviated_list, shortened

OPTIONS = frozenset(
    ("keys", "foreign_keys", "symmetric", "kinds", "classes", "links", "constants", "dangling", "unknown_class", "name")
)


@dataclass
class DatabaseTable:
    """What a catalogue says of a table.

    Parameters
    ----------
    name : str
    columns : list of str
    primary : list of str
        The columns of the primary key.
    foreign : list of tuples
        The columns of each foreign key, the table that it refers to, and the columns there; the latter are empty where
        they are the primary key.
    """

    name: str
    columns: list[str]
    primary: list[str] = field(default_factory=list)
    foreign: list[tuple[list[str], str, list[str]]] = field(default_factory=list)


class Catalogue:
    """The tables of a database that are to be read, and their keys.

    Parameters
    ----------
    tables : sequence of DatabaseTable
        Those that the database has.
    target : pair of str, or str
    options : mapping
        What the caller says besides; `tables` names those to read, in their order. With `like`, the schema of a model,
        the tables are read as that knows them, and the keys that the database declares do not matter.
    """

    def __init__(self, tables: Sequence[DatabaseTable], target: Any, options: Mapping[str, Any]) -> None:
        self._options = dict(options)
        like = self._options.pop("like", None)
        if like is not None:
            target, options_of_model = known_of(like, tables)
            self._options = {**options_of_model, **self._options}
            tables = [DatabaseTable(table.name, table.columns) for table in tables]
        chosen = self._options.pop("tables", None)
        for name in self._options:
            if name not in OPTIONS:
                raise TypeError(f"{shortened(name)} is no argument{near_match(name, OPTIONS)}")
        by_name = {table.name: table for table in tables}
        if chosen is not None and not (is_list(chosen) and all(isinstance(name, str) for name in chosen)):
            raise ParameterError(f"tables must be a list of names, not {shortened(chosen)}")
        self.target = target
        for name in [target_of(target)[0], *(chosen or ())]:
            if name not in by_name:
                known = abbreviated_list(list(by_name)) or "none"
                raise NamingError(
                    f"the database has no table '{abbreviated(name)}' (tables: {known}){near_match(name, by_name)}"
                )
        wanted = list(by_name) if chosen is None else list(dict.fromkeys(chosen))
        if target_of(target)[0] not in wanted:
            wanted.insert(0, target_of(target)[0])
        self.tables = [by_name[name] for name in wanted]
        self.kinds: Mapping[str, str] = mapping_of(self._options.get("kinds"), "kinds")
        names = {table.name for table in self.tables}
        self.foreign_keys: dict[str, str] = {}
        self.keys: dict[str, str] = {}
        for table in self.tables:
            for columns, references, there in table.foreign:
                if references in names:
                    self._refer(table, columns, by_name[references], there)
        for table in self.tables:
            if len(table.primary) == 1:
                self.keys.setdefault(table.name, table.primary[0])
        self.foreign_keys |= mapping_of(self._options.pop("foreign_keys", None), "foreign_keys")
        self.keys |= mapping_of(self._options.pop("keys", None), "keys")
        self._linked = self._reached(target_of(target)[0])

    def _reached(self, target: str) -> set[str]:
        """The tables that foreign keys connect with the target."""
        ends = [
            {table.name, references}
            for name, references in self.foreign_keys.items()
            for table in self.tables
            if isinstance(references, str) and name in {f"{table.name}.{column}" for column in table.columns}
        ]
        reached: set[str] = set()
        near = {target}
        while near:
            reached |= near
            near = {name for pair in ends if pair & reached for name in pair} - reached
        return reached

    def _refer(self, table: DatabaseTable, columns: list[str], other: DatabaseTable, there: list[str]) -> None:
        name = f"{table.name}.{columns[0]}"
        there = there or other.primary
        if len(columns) != 1 or len(there) != 1:
            raise DataError(
                f"a foreign key of table '{abbreviated(table.name)}' has the columns {abbreviated_list(columns)} and "
                f"refers to those of '{abbreviated(other.name)}', {abbreviated_list(there) or 'none'}; {SINGLE_COLUMNS}"
            )
        if self.keys.setdefault(other.name, there[0]) != there[0]:
            raise DataError(
                f"foreign keys refer to the columns '{abbreviated(self.keys[other.name])}' and "
                f"'{abbreviated(there[0])}' of table '{abbreviated(other.name)}', but a table can have only one key"
            )
        if name in self.foreign_keys:
            raise DataError(f"the foreign key '{abbreviated(name)}' refers to two tables; a column refers to one")
        self.foreign_keys[name] = other.name

    def columns(self, table: DatabaseTable) -> list[str]:
        """The columns of a table that are to be read."""
        return [column for column in table.columns if self.kinds.get(f"{table.name}.{column}") != "ignore"]

    def is_key(self, table: DatabaseTable, column: str) -> bool:
        """Whether a column is a key or a foreign key."""
        return self.keys.get(table.name) == column or f"{table.name}.{column}" in self.foreign_keys

    def parameters(self, read: Callable[[DatabaseTable], RawTable]) -> dict[str, Any]:
        """The parameters of `RelationalData`, with the content of the tables that are linked."""
        tables = {}
        for table in self.tables:
            columns = self.columns(table)
            left_out = [column for column in table.columns if column not in columns]
            if not columns:
                raise DataError(f"table '{abbreviated(table.name)}' has no columns that are not ignored")
            raw = read(table) if table.name in self._linked else _unread(columns)
            tables[table.name] = replace(raw, left_out=left_out)
        own = {"keys": self.keys, "foreign_keys": self.foreign_keys}
        return {**self._options, "tables": tables, "target": self.target, **own}


def _unread(columns: list[str]) -> RawTable:
    """A table that is not linked, and so not read."""
    return RawTable(columns, [[] for _ in columns], [None] * len(columns))


def quoted(name: str) -> str:
    """A name in SQL."""
    return '"' + name.replace('"', '""') + '"'
