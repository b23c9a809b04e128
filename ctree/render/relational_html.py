"""A relational tree as one page for a browser, with examples to look at."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ctree.data.relational.data import RelationalData
from ctree.data.relational.schema import ColumnKind, TableColumn
from ctree.data.schema import label_texts
from ctree.errors import ParameterError
from ctree.render.html import PageKind, node_fields, page_text, pruning_fields
from ctree.render.labels import check_depth, clipped
from ctree.render.relational_text import question_parts
from ctree.render.view import view_of
from ctree.tree.explain.relational import FoundRow, explain_by_relational_tree
from ctree.tree.prunings import nested_prunings
from ctree.tree.relational_tree import RelationalTree

MOST_COLUMNS = 12
"""Of a row that is shown."""

MOST_EXAMPLES = 500
"""More would make the page large, and its list too long to pick from."""

EXAMPLE_PAGE = PageKind(
    "example",
    "answer and question",
    "examples",
    "column, value or class",
    ("model", "parts", "example", "prune", "page"),
)


def relational_page(
    tree: RelationalTree,
    examples: RelationalData | None = None,
    title: str = "Tree",
    subtitle: str = "",
    max_depth: int | None = None,
    unseen: str = "unknown",
) -> str:
    """The page of a tree that asks for linked rows.

    Parameters
    ----------
    tree : RelationalTree
    examples : RelationalData, optional
        Those that can be picked in the page, which then shows their way through the tree.
    title, subtitle : str
    max_depth : int, optional
        How deep the tree is unfolded when the page opens. None: as deep as fits on a screen or two.
    unseen : {"unknown", "error"}
        As of `RelationalTree.apply`.
    """
    check_depth(max_depth)
    shown = None if examples is None else _examples(tree, examples, unseen)
    view = view_of(tree)
    nested = nested_prunings(tree.arrays, view.best.astype(np.intp))
    model = node_fields(view) | {
        "prunings": pruning_fields(nested, float(view.cases[0])),
        "target": tree.schema.target,
        "questions": [None if test is None else question_parts(tree, node) for node, test in enumerate(tree.tests)],
        "examples": shown,
    }
    return page_text(EXAMPLE_PAGE, model, title, subtitle, max_depth, side=bool(shown))


def _examples(tree: RelationalTree, data: Any, unseen: str) -> list[list[Any]] | None:
    """Of each example its name, its leaf, its class as text, and the rows that answer each question on its way."""
    if not isinstance(data, RelationalData):
        raise ParameterError(f"examples must be a RelationalData or None, not {type(data).__name__}")
    if len(data) > MOST_EXAMPLES:
        raise ParameterError(
            f"a page shows at most {MOST_EXAMPLES} examples, not {len(data):,}: "
            "choose some, as data.take(range(100)) does"
        )
    names = data.keys or [f"row {row + 1}" for row in data.rows.tolist()]
    known = dict(zip(tree.schema.classes, label_texts(tree.schema.classes), strict=True))
    contents = _Contents(data)
    result: list[list[Any]] = []
    for name, label, why in zip(names, data.labels, explain_by_relational_tree(tree, data, unseen), strict=True):
        actual = None if label is None else known.get(label, str(label))
        rows = [[[row.name, row.key, contents.text(row)] for row in answered.rows] for answered in why.questions]
        result.append([name, why.leaf, actual, rows])
    return result or None


class _Contents:
    """What is in the rows of linked tables, in words."""

    def __init__(self, data: RelationalData) -> None:
        self.data = data
        self._places: dict[str, dict[str, int]] = {}

    def text(self, found: FoundRow) -> str:
        """The values of a row that are known, and the keys of rows that it refers to, but for the example's."""
        table = self.data.table(found.table)
        row = self._place(found)
        parts = []
        for column, values, cells in zip(table.schema.columns, table.values, table.columns, strict=True):
            if cells is not None:
                text = self._value(found.table, column, values, cells[row])
                parts += [] if text is None else [f"{clipped(column.name)} = {clipped(text)}"]
        return ", ".join(parts[:MOST_COLUMNS] + ["…"] * (len(parts) > MOST_COLUMNS))

    def _place(self, found: FoundRow) -> int:
        if isinstance(found.key, int):
            return found.key - 1
        if found.table not in self._places:
            keys = self.data.table(found.table).keys
            assert keys is not None
            self._places[found.table] = dict(zip(keys, range(len(keys)), strict=True))
        return self._places[found.table][found.key]

    def _value(self, table: str, column: TableColumn, values: tuple[str, ...], cell: Any) -> str | None:
        if column.kind is ColumnKind.CONTINUOUS:
            return None if math.isnan(cell) else f"{cell:g}"
        if cell < 0:
            return None
        if column.kind is ColumnKind.DISCRETE:
            return values[int(cell)]
        keys = (key for key in self.data.schema.foreign_keys if (key.table, key.column) == (table, column.name))
        other = next(keys).references
        known = self.data.table(other).keys
        return None if other == self.data.schema.target or known is None else known[int(cell)]
