"""How large linked tables are, how they are linked, and what is unknown."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ctree.data.describe import aligned
from ctree.data.relational.schema import ColumnKind
from ctree.data.relational.tables import CodedTable, LinkedTables
from ctree.data.schema import label_texts
from ctree.data.tables.levels import Codes
from ctree.wording import abbreviated, abbreviated_list, plural


@dataclass(frozen=True)
class TableDescription:
    """One table: its rows, its key, its columns besides, and how many values are unknown in which of them."""

    name: str
    rows: int
    key: str | None
    columns: int
    unknown: dict[str, int]


@dataclass(frozen=True)
class LinkDescription:
    """One foreign key.

    Parameters
    ----------
    name : str
        ``"atom.molecule"``.
    references : str
        The table that it refers to.
    mean, most : float and int
        How many rows refer to a row of that table, among which are rows that none refers to. Of the target table, only
        the examples count.
    none : int
        How many rows of that table no row refers to.
    unknown : int
        How many rows do not refer to any.
    """

    name: str
    references: str
    mean: float
    most: int
    none: int
    unknown: int


@dataclass(frozen=True, repr=False)
class Description:
    """What `RelationalData.describe` returns; as text, it is a page to read.

    Parameters
    ----------
    target : str
        The table of the examples.
    examples : int
    classes : dict
        From classes, as text, to the number of their examples.
    unknown_classes : int
    without_linked_rows : int
        How many examples no row refers to and which refer to none.
    tables : tuple of TableDescription
    links : tuple of LinkDescription
    unlinked : tuple of str
        The tables that were left out, as no foreign keys connect them with the target.

    Examples
    --------
    >>> import ctree
    >>> data = ctree.RelationalData(
    ...     {"machine": {"id": [1, 2, 3], "action": ["fix", "ok", "fix"]},
    ...      "worn": {"machine": [1, 1, 3], "part": ["gear", "wheel", None]}},
    ...     target=("machine", "action"), keys={"machine": "id"}, foreign_keys={"worn.machine": "machine"})
    >>> print(data.describe())
    3 examples in table 'machine': fix 2, ok 1
    1 example without linked rows
    <BLANKLINE>
    table    rows  key  columns  unknown values
    machine     3  id         1               -
    worn        3  -          2          part 1
    <BLANKLINE>
    link          refers to  rows per row: mean  max  none  unknown
    worn.machine  machine                  1.00    2     1        0
    """

    target: str
    examples: int
    classes: dict[str, int]
    unknown_classes: int
    without_linked_rows: int
    tables: tuple[TableDescription, ...]
    links: tuple[LinkDescription, ...]
    unlinked: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The same in the types of JSON."""
        return asdict(self) | {"unlinked": list(self.unlinked)}

    def __str__(self) -> str:
        counts = ", ".join(f"{abbreviated(name, 30)} {count}" for name, count in self.classes.items())
        counts += f", unknown {self.unknown_classes}" if self.unknown_classes else ""
        parts = [
            f"{plural(self.examples, 'example')} in table '{abbreviated(self.target)}'{': ' if counts else ''}{counts}"
        ]
        if self.without_linked_rows and self.links:
            parts.append(f"{plural(self.without_linked_rows, 'example')} without linked rows")
        if self.unlinked:
            parts.append(f"not linked, and left out: {abbreviated_list(self.unlinked)}")
        rows = [("table", "rows", "key", "columns", "unknown values")]
        for table in self.tables:
            unknown = abbreviated_list([f"{name} {count}" for name, count in table.unknown.items()])
            key = "-" if table.key is None else abbreviated(table.key, 30)
            rows.append((abbreviated(table.name, 30), str(table.rows), key, str(table.columns), unknown or "-"))
        parts += ["", *aligned(rows, "<><>>")]
        if self.links:
            rows = [("link", "refers to", "rows per row: mean", "max", "none", "unknown")]  # type: ignore[list-item]
            for link in self.links:
                numbers = (f"{link.mean:.2f}", str(link.most), str(link.none), str(link.unknown))
                rows.append((abbreviated(link.name), abbreviated(link.references, 30), *numbers))  # type: ignore[arg-type]
            parts += ["", *aligned(rows, "<<>>>>")]
        return "\n".join(parts)

    def __repr__(self) -> str:
        return str(self)


def describe(tables: LinkedTables, examples: Codes) -> Description:
    """Describe coded tables, whose target has these rows as examples."""
    schema = tables.schema
    classes = tables.classes
    codes = np.empty(0, dtype=np.int32) if classes is None else classes[examples]
    counts = np.bincount(codes[codes >= 0], minlength=schema.n_classes).tolist()
    linked = np.zeros(tables.tables[schema.index(schema.target)].n_rows, dtype=np.bool_)
    links = []
    for key in schema.foreign_keys:
        rows = tables.tables[schema.index(key.table)].column(key.column)
        assert rows is not None
        n_rows = tables.tables[schema.index(key.references)].n_rows
        fan_out = np.bincount(rows[rows >= 0], minlength=n_rows)
        if key.references == schema.target and key.table != schema.target:
            linked |= fan_out > 0
        elif key.table == schema.target and key.references != schema.target:
            linked |= rows >= 0
        fan_out = fan_out[examples] if key.references == schema.target else fan_out
        rows = rows[examples] if key.table == schema.target else rows
        links.append(
            LinkDescription(
                key.name,
                key.references,
                float(fan_out.mean()) if fan_out.size else 0.0,
                int(fan_out.max(initial=0)),
                int((fan_out == 0).sum()),
                int((rows < 0).sum()),
            )
        )
    return Description(
        schema.target,
        len(examples),
        dict(zip(label_texts(schema.classes), counts, strict=True)),
        int((codes < 0).sum()),
        int((~linked[examples]).sum()),
        tuple(_table(table) for table in tables.tables),
        tuple(links),
        tables.unlinked,
    )


def _table(table: CodedTable) -> TableDescription:
    unknown = {}
    for column, cells in zip(table.schema.columns, table.columns, strict=True):
        if cells is not None and column.kind is not ColumnKind.KEY:
            number = int((np.isnan(cells) if cells.dtype.kind == "f" else cells == -1).sum())
            if number:
                unknown[column.name] = number
    others = [c for c in table.schema.columns if c.name != table.schema.key]
    return TableDescription(table.schema.name, table.n_rows, table.schema.key, len(others), unknown)
