"""Tables in memory and what a person says of them become a schema and sources."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from ctree.data.files.text_file import near_match
from ctree.data.relational.bias import check_constants, check_links
from ctree.data.relational.schema import (
    ColumnKind,
    ForeignKey,
    RelationalSchema,
    Table,
    TableColumn,
    column_kind,
    single_column,
)
from ctree.data.relational.sources import MemorySource, Source, memory_source
from ctree.data.relational.values import text_of
from ctree.data.schema import Label
from ctree.data.tables.numeric import is_numeric
from ctree.domains.plain import is_list
from ctree.errors import DataError, DataTypeError, NamingError, ParameterError
from ctree.wording import abbreviated, abbreviated_list, shortened


@dataclass(frozen=True)
class Declared:
    """What a person says of tables; the fields are the parameters of `RelationalData`."""

    target: tuple[str, str] | str
    keys: Mapping[str, str] | None = None
    foreign_keys: Mapping[str, str] | None = None
    symmetric: Mapping[str, Sequence[str]] | None = None
    kinds: Mapping[str, str] | None = None
    classes: Sequence[Label] | None = None
    links: Mapping[str, str] | None = None
    constants: Mapping[str, bool] | None = None
    name: str = ""


def declared_sources(tables: Mapping[str, Any], declared: Declared) -> tuple[RelationalSchema, dict[str, Source]]:
    """The schema of tables in memory, and where their rows are."""
    if not isinstance(tables, Mapping):
        raise DataTypeError(
            f"the tables are a {type(tables).__name__}, but should be a mapping from the names of tables to tables, "
            'such as {"molecule": ..., "atom": ...}'
        )
    for name in tables:
        if not isinstance(name, str):
            raise DataTypeError(f"a table is called {shortened(name)}, but names of tables should be text")
    target, class_name = target_of(declared.target)
    kinds = mapping_of(declared.kinds, "kinds")
    ignored = {name for name, kind in kinds.items() if kind in ("ignore", ColumnKind.IGNORE)}
    sources = {name: memory_source(name, table, _Within(name, ignored)) for name, table in tables.items()}
    keys = _keys(declared, sources)
    foreign = _foreign_keys(declared, sources)
    names = {
        f"{table}.{column}" for table, source in sources.items() for column in (*source.names, *source.table.left_out)
    }
    for name in kinds:
        if name not in names:
            raise ParameterError(f"kinds names {shortened(name)}, which is no column{near_match(str(name), names)}")
    linking = {(key.table, key.column) for key in foreign} | set(keys.items())
    made = []
    for name, source in sources.items():
        columns = []
        for j, column in enumerate(source.names):
            kind = kinds.get(f"{name}.{column}")
            if kind is not None:
                with _wrongly_named():
                    found = kind if isinstance(kind, ColumnKind) else column_kind(name, column, kind)
            elif (name, column) == (target, class_name):
                found = ColumnKind.CLASS
            else:
                found = ColumnKind.KEY if (name, column) in linking else _kind(source, j)
            columns.append(TableColumn(column, found))
        made.append(Table(name, tuple(columns), keys.get(name), _symmetric(declared, name)))
    for name in mapping_of(declared.symmetric, "symmetric"):
        _table(sources, name, "symmetric names")
    with _wrongly_named():
        schema = RelationalSchema(
            tuple(made), foreign, target, class_name, _classes(declared.classes), name=str(declared.name)
        )
    return with_bias(schema, declared.links, declared.constants), dict(sources)


@contextmanager
def _wrongly_named() -> Iterator[None]:
    """What a schema is found wrong with, where all that it says was given as parameters."""
    try:
        yield
    except DataError as problem:
        raise NamingError(str(problem)) from None


def with_bias(
    schema: RelationalSchema, links: Mapping[str, str] | None, constants: Mapping[str, bool] | None
) -> RelationalSchema:
    """The schema with these links and constants, where they are given, in place of its own."""
    from dataclasses import replace

    if links is not None:
        check_links(schema, links)
        schema = replace(schema, links=tuple(links.items()))
    if constants is not None:
        check_constants(schema, constants)
        schema = replace(schema, constants=tuple((name, bool(c)) for name, c in constants.items()))
    return schema


def target_of(target: object) -> tuple[str, str | None]:
    """The target table and its class column, if it is given."""
    if isinstance(target, str):
        return target, None
    if isinstance(target, tuple | list) and len(target) == 2 and all(isinstance(part, str) for part in target):
        return target[0], target[1]
    raise ParameterError(
        f"target must be the names of a table and of its class column, or only of a table, not {shortened(target)}"
    )


class _Within:
    """The columns of one table among full names such as ``"atom.type"``."""

    def __init__(self, table: str, names: Iterable[str]) -> None:
        self._table, self._names = table, frozenset(names)

    def __contains__(self, column: object) -> bool:
        return f"{self._table}.{column}" in self._names


def mapping_of(value: Any, what: str) -> Mapping[Any, Any]:
    """A mapping that a person gives; none is an empty one."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ParameterError(f"{what} must be a mapping, not {shortened(value)}")
    return value


def _table(sources: Mapping[str, Source], name: object, what: str) -> str:
    if not isinstance(name, str) or name not in sources:
        known = abbreviated_list(list(sources))
        raise NamingError(f"{what} {shortened(name)}, but the tables are {known}{near_match(str(name), sources)}")
    return name


def _keys(declared: Declared, sources: Mapping[str, Source]) -> dict[str, str]:
    keys = {}
    for name, column in mapping_of(declared.keys, "keys").items():
        if column is not None:
            table = _table(sources, name, "keys names the table")
            keys[table] = single_column(column, f"the key of table '{abbreviated(table)}'")
    return keys


def _foreign_keys(declared: Declared, sources: Mapping[str, Source]) -> tuple[ForeignKey, ...]:
    columns = {f"{table}.{column}": (table, column) for table in sources for column in sources[table].names}
    result = []
    for name, references in mapping_of(declared.foreign_keys, "foreign_keys").items():
        if isinstance(name, tuple | list):
            single_column(name[1:] if len(name) == 2 else name, "a foreign key")
            name = ".".join(map(str, name))
        if name not in columns:
            table = str(name).split(".")[0]
            if table in sources:
                source = sources[table]
                with _wrongly_named():
                    raise source.without(str(name)[len(table) + 1 :])
            raise NamingError(
                f"foreign_keys names {shortened(name)}, which is no column{near_match(str(name), columns)}"
            )
        _table(sources, references, f"the foreign key '{abbreviated(name)}' refers to")
        result.append(ForeignKey(*columns[name], references))
    return tuple(result)


def _symmetric(declared: Declared, table: str) -> tuple[str, str] | None:
    ends = mapping_of(declared.symmetric, "symmetric").get(table)
    if ends is None:
        return None
    if not is_list(ends) or len(ends) != 2 or not all(isinstance(end, str) for end in ends):
        raise ParameterError(f"symmetric['{abbreviated(table)}'] must name two columns, not {shortened(ends)}")
    return ends[0], ends[1]


def _kind(source: MemorySource, place: int) -> ColumnKind:
    told = source.table.told[place]  # an order of values, if there is one, is of no account in linked tables
    discrete = not is_numeric(source.table.columns[place]) if told is None else bool(told)
    return ColumnKind.DISCRETE if discrete else ColumnKind.CONTINUOUS


def _classes(classes: Sequence[Label] | None) -> tuple[Label, ...]:
    if classes is None:
        return ()
    if not is_list(classes) or not len(classes):
        raise ParameterError(f"classes must be a list of classes, not {shortened(classes)}")
    for label in classes:
        try:
            text_of(label)
        except DataError as error:
            raise ParameterError(f"classes must be a list of classes, but {error}") from None
    return tuple(c.item() if isinstance(c, np.generic) and not isinstance(c, str) else c for c in classes)
