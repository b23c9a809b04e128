"""A relational tree as one page for a browser, with examples to look at."""

from __future__ import annotations

from typing import Any

from ctree.data.relational.data import RelationalData
from ctree.data.schema import label_texts
from ctree.errors import ParameterError
from ctree.render.html import PageKind, node_fields, page_text
from ctree.render.labels import check_depth
from ctree.render.relational_text import question_parts
from ctree.render.view import view_of
from ctree.tree.explain.relational import explain_by_relational_tree
from ctree.tree.relational_tree import RelationalTree

MOST_EXAMPLES = 500
"""More would make the page large, and its list too long to pick from."""

EXAMPLE_PAGE = PageKind("example", "answer and question", "examples", "column, value or class")


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
    model = node_fields(view_of(tree)) | {
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
    result: list[list[Any]] = []
    for name, label, why in zip(names, data.labels, explain_by_relational_tree(tree, data, unseen), strict=True):
        actual = None if label is None else known.get(label, str(label))
        rows = [[[row.name, row.key] for row in answered.rows] for answered in why.questions]
        result.append([name, why.leaf, actual, rows])
    return result or None
