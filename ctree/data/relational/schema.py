"""What linked tables mean: their columns and keys, the links between them, and which column is the class."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from enum import Enum

from ctree.data.files.text_file import near_match
from ctree.data.relational.bias import check_constants, check_links
from ctree.data.relational.json_lines import about
from ctree.data.schema import Label, Schema
from ctree.errors import DataError
from ctree.wording import abbreviated, abbreviated_list, shortened

SINGLE_COLUMNS = "keys are single columns; join the columns into one"


class ColumnKind(Enum):
    """What a column of a table is for.

    Keys, the table's own and those of other tables, link rows and are never compared with constants.
    """

    KEY = "key"
    DISCRETE = "discrete"
    CONTINUOUS = "continuous"
    CLASS = "class"
    IGNORE = "ignore"


@dataclass(frozen=True)
class TableColumn:
    """One column of a table.

    Parameters
    ----------
    name : str
    kind : ColumnKind
    """

    name: str
    kind: ColumnKind


@dataclass(frozen=True)
class Table:
    """One of several linked tables.

    Parameters
    ----------
    name : str
    columns : tuple of TableColumn
        In an order that has a meaning: it breaks ties between tests.
    key : str, optional
        The column whose values are unique and known, by which other tables refer to a row.
    symmetric : pair of str, optional
        The two foreign keys between which each row is a link without direction.
    """

    name: str
    columns: tuple[TableColumn, ...]
    key: str | None = None
    symmetric: tuple[str, str] | None = None

    def __post_init__(self) -> None:
        twice = [name for name, times in Counter(self.names).items() if times > 1]
        if twice:
            raise DataError(f"two columns of table '{abbreviated(self.name)}' are called '{abbreviated(twice[0])}'")
        if self.key is not None and self.column(self.key, "the key").kind is not ColumnKind.KEY:
            raise _wrong_kind(self, self.key, "the key of its table", "key")

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def index(self, name: str) -> int:
        """The place of a column."""
        return self.names.index(name)

    def column(self, name: str, what: str = "a column") -> TableColumn:
        """A column by its name; an error says what it was to be."""
        for column in self.columns:
            if column.name == name:
                return column
        raise DataError(
            f"table '{abbreviated(self.name)}' has no column '{abbreviated(name)}', which is named as {what} "
            f"(columns: {abbreviated_list(self.names)}){near_match(str(name), self.names)}"
        )


@dataclass(frozen=True)
class ForeignKey:
    """A column whose values are keys of a table, or unknown.

    Parameters
    ----------
    table, column : str
        The column.
    references : str
        The table that it refers to.
    """

    table: str
    column: str
    references: str

    @property
    def name(self) -> str:
        return f"{self.table}.{self.column}"


@dataclass(frozen=True)
class RelationalSchema:
    """Linked tables, one of which holds the examples.

    Parameters
    ----------
    tables : tuple of Table
    foreign_keys : tuple of ForeignKey
        The order of tables, of columns and of foreign keys breaks ties between tests.
    target : str
        The table of the examples.
    class_column : str or None
        Their class; None where they have none.
    classes : tuple of labels
        In order. Empty where they are yet to be found in the data.
    links : tuple of pairs
        Names of foreign keys, ``"bond.atom1"``, each with the directions in which it may be followed: ``"both"``,
        ``"down"``, ``"up"`` or ``"none"``. Others may be followed in both.
    constants : tuple of pairs
        Names of columns, each with whether it is compared with constants. Others are, if they are discrete or
        continuous.
    name : str

    Examples
    --------
    >>> machine = Table("machine", (TableColumn("id", ColumnKind.KEY), TableColumn("action", ColumnKind.CLASS)), "id")
    >>> worn = Table("worn", (TableColumn("machine", ColumnKind.KEY), TableColumn("part", ColumnKind.DISCRETE)))
    >>> schema = RelationalSchema((machine, worn), (ForeignKey("worn", "machine", "machine"),), "machine", "action")
    >>> schema.table("worn").names, [link.name for link in schema.into("machine")]
    (('machine', 'part'), ['worn.machine'])
    """

    tables: tuple[Table, ...]
    foreign_keys: tuple[ForeignKey, ...]
    target: str
    class_column: str | None = None
    classes: tuple[Label, ...] = ()
    links: tuple[tuple[str, str], ...] = ()
    constants: tuple[tuple[str, bool], ...] = ()
    name: str = ""

    def __post_init__(self) -> None:
        for what, names in (("tables", self.table_names), ("columns", self.column_names)):
            twice = [name for name, times in Counter(names).items() if times > 1]
            if twice:
                raise DataError(f"two {what} are called '{abbreviated(twice[0])}'")
        with about("target"):
            self._check_target()
        seen: set[tuple[str, str]] = set()
        for number, key in enumerate(self.foreign_keys):
            with about("foreign_keys", number):
                self._check_foreign_key(key, seen)
        for table in self.tables:
            if table.symmetric is not None:
                with about("tables", table.name, "symmetric"):
                    self._check_symmetric(table, table.symmetric)
        with about("target", "classes"):
            Schema((), self.classes)  # its check of classes
        check_links(self, dict(self.links))
        check_constants(self, dict(self.constants))

    @property
    def table_names(self) -> tuple[str, ...]:
        return tuple(table.name for table in self.tables)

    @property
    def target_table(self) -> Table:
        return self.table(self.target)

    @property
    def n_classes(self) -> int:
        return len(self.classes)

    def index(self, name: str) -> int:
        """The place of a table."""
        return self.table_names.index(name)

    def table(self, name: str, what: str = "") -> Table:
        """A table by its name; an error says which it was to be."""
        for table in self.tables:
            if table.name == name:
                return table
        raise DataError(
            f"{what}there is no table '{abbreviated(name)}' (tables: {abbreviated_list(self.table_names)})"
            f"{near_match(str(name), self.table_names)}"
        )

    @property
    def column_names(self) -> tuple[str, ...]:
        """The full names, ``"atom.type"``, of all columns."""
        return tuple(f"{table.name}.{name}" for table in self.tables for name in table.names)

    def columns_by_name(self) -> dict[str, TableColumn]:
        """All columns by their full names."""
        columns = [column for table in self.tables for column in table.columns]
        return dict(zip(self.column_names, columns, strict=True))

    def foreign_key(self, table: str, column: str) -> ForeignKey | None:
        """The foreign key that a column is."""
        return next((key for key in self.foreign_keys if (key.table, key.column) == (table, column)), None)

    def out_of(self, table: str) -> tuple[ForeignKey, ...]:
        """The foreign keys of a table, by which steps go up from it."""
        return tuple(key for key in self.foreign_keys if key.table == table)

    def into(self, table: str) -> tuple[ForeignKey, ...]:
        """The foreign keys that refer to a table, by which steps go down from it."""
        return tuple(key for key in self.foreign_keys if key.references == table)

    def _check_target(self) -> None:
        target = self.table(self.target, "the target should be a table, but ")
        if target.symmetric is not None:
            name = abbreviated(self.target)
            raise DataError(f"the symmetric table '{name}' is the target, whose rows are examples and not links")
        if self.class_column is not None:
            with about("target", "column"):
                column = target.column(self.class_column, "the class")
            if column.kind is not ColumnKind.CLASS:
                raise _wrong_kind(target, column.name, "the class of the examples", "class")
        for table in self.tables:
            for column in table.columns:
                if column.kind is ColumnKind.CLASS and (table.name, column.name) != (self.target, self.class_column):
                    with about("tables", table.name, "columns", column.name):
                        raise DataError(self._second_class(table, column.name))

    def _second_class(self, table: Table, column: str) -> str:
        this = f"column '{abbreviated(column)}' of table '{abbreviated(table.name)}' is of kind 'class'"
        if self.class_column is None:
            return f"{this}, but the target names no class column"
        the_class = f"the class is column '{abbreviated(self.class_column)}' of table '{abbreviated(self.target)}'"
        return f"{this}, but {the_class}, and there is only one"

    def _check_foreign_key(self, key: ForeignKey, seen: set[tuple[str, str]]) -> None:
        """Refuse a foreign key that is none, or that is among those seen before."""
        name = f"the foreign key '{abbreviated(key.name)}'"
        table = self.table(key.table, f"{name} has no table: ")
        references = self.table(key.references, f"{name} refers to no table: ")
        if table.column(key.column, "a foreign key").kind is not ColumnKind.KEY:
            raise _wrong_kind(table, key.column, "a foreign key", "key")
        if (key.table, key.column) in seen:
            raise DataError(f"{name} is listed twice; a column refers to one table")
        seen.add((key.table, key.column))
        if references.key is None and references.name == self.target:
            target = abbreviated(self.target)
            raise DataError(
                f"the target table '{target}' needs a key, by which other tables refer to its rows: {name} does"
            )
        if references.key is None:
            raise DataError(f"{name} refers to table '{abbreviated(key.references)}', which has no key")
        if references.symmetric is not None:
            raise DataError(
                f"{name} refers to table '{abbreviated(key.references)}', which is symmetric; no foreign key may"
            )

    def _check_symmetric(self, table: Table, ends: tuple[str, str]) -> None:
        name = f"the symmetric table '{abbreviated(table.name)}'"
        if ends[0] == ends[1]:
            raise DataError(f"{name} names '{abbreviated(ends[0])}' as both of its ends")
        keys = []
        for end in ends:
            table.column(end, "an end of a symmetric table")
            key = self.foreign_key(table.name, end)
            if key is None:
                raise DataError(f"{name} names '{abbreviated(end)}' as one of its ends, but that is no foreign key")
            keys.append(key)
        if keys[0].references != keys[1].references:
            tables = " and ".join(f"'{abbreviated(key.references)}'" for key in keys)
            columns = " and ".join(f"'{abbreviated(end)}'" for end in ends)
            raise DataError(f"{name} has the ends {columns}, which refer to {tables}; they should refer to one table")

    def without_unused(self) -> tuple[RelationalSchema, tuple[str, ...]]:
        """The schema without what no query can see, and the names of the tables that were left out.

        Left out are tables that no foreign keys connect with the target, columns to be ignored, and columns of kind
        key that neither are the key of their table nor refer to another.
        """
        reached, fresh = {self.target}, True
        while fresh:
            ends = [{key.table, key.references} for key in self.foreign_keys]
            fresh = bool(near := {name for pair in ends if pair & reached for name in pair} - reached)
            reached |= near
        kept = RelationalSchema(
            tuple(replace(t, columns=self._used_columns(t)) for t in self.tables if t.name in reached),
            tuple(key for key in self.foreign_keys if key.table in reached),
            self.target,
            self.class_column,
            self.classes,
            name=self.name,
        )
        columns, links = kept.columns_by_name(), {key.name for key in kept.foreign_keys}
        return replace(
            kept,
            links=tuple(pair for pair in self.links if pair[0] in links),
            constants=tuple(pair for pair in self.constants if pair[0] in columns),
        ), tuple(name for name in self.table_names if name not in reached)

    def _used_columns(self, table: Table) -> tuple[TableColumn, ...]:
        links = {table.key, *(key.column for key in self.out_of(table.name))}
        kinds = (ColumnKind.DISCRETE, ColumnKind.CONTINUOUS, ColumnKind.CLASS)
        return tuple(c for c in table.columns if c.kind in kinds or c.name in links)


def column_kind(table: str, column: str, kind: object) -> ColumnKind:
    """The kind that a name stands for."""
    try:
        return ColumnKind(kind)
    except ValueError:
        kinds = [k.value for k in ColumnKind]
        raise DataError(
            f"column '{abbreviated(column)}' of table '{abbreviated(table)}' is of kind {shortened(kind)}; "
            f"the kinds are {', '.join(kinds)}{near_match(kind, kinds)}"
        ) from None


def single_column(value: object, what: str) -> str:
    """The name of a key's column, of which there is one."""
    if isinstance(value, list | tuple):
        if len(value) != 1:
            raise DataError(f"{what} is {shortened(list(value))}, but {SINGLE_COLUMNS}")
        value = value[0]
    if not isinstance(value, str):
        raise DataError(f"{what} is {shortened(value)}, but should be the name of a column")
    return value


def _wrong_kind(table: Table, column: str, what: str, right: str) -> DataError:
    kind = next(c.kind.value for c in table.columns if c.name == column)
    return DataError(
        f"column '{abbreviated(column)}' of table '{abbreviated(table.name)}' is named as {what}, but is of kind "
        f"'{kind}'; it should be of kind '{right}'"
    )
