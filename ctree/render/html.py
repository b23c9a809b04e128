"""A tree as one page for a browser, with all that it needs."""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.schema import label_texts
from ctree.errors import DataError, ModelError
from ctree.render.colours import class_colours
from ctree.render.labels import check_depth
from ctree.render.view import TreeView, view_of
from ctree.tree.interface import TreeInterface
from ctree.tree.prunings import Prunings, errors_on, has_parts, prunings_of
from ctree.tree.tree import Test, Tree
from ctree.tree.validation import check_cases
from ctree.wording import plural


@dataclass(frozen=True)
class PageKind:
    """What differs between pages of trees of attributes and of linked tables.

    Parameters
    ----------
    name : str
        Of the file in `page/` that holds its side panel, and of its program.
    rows, cases, searched : str
        What the page calls its rows, the cases, and what can be searched for.
    programs : tuple of str
        The programs in `page/` that it runs, in this order.
    """

    name: str
    rows: str
    cases: str
    searched: str
    programs: tuple[str, ...]


CASE_PAGE = PageKind(
    "case",
    "test and branch",
    "cases",
    "attribute, value or class",
    ("model", "parts", "values", "case_tree", "form", "case", "prune", "page"),
)


def tree_page(
    tree: Tree,
    interface: TreeInterface | None = None,
    title: str = "Tree",
    subtitle: str = "",
    max_depth: int | None = None,
    test: Dataset | None = None,
    training: Sequence[float] | None = None,
) -> str:
    """The page of a tree that tests attributes.

    Parameters
    ----------
    tree : Tree
    interface : TreeInterface, optional
        How cases come to the tree; None if they come as they are.
    title, subtitle : str
    max_depth : int, optional
        How deep the tree is unfolded when the page opens. None: as deep as fits on a screen or two.
    test : Dataset, optional
        Cases with their classes, as the tree takes them: the page shows the errors of its prunings on them.
    training : sequence of float, optional
        The errors of its prunings on the training cases, if they were counted; else the leaves tell them.
    """
    check_depth(max_depth)
    if test is not None:
        check_cases(tree.schema, test)
        if test.classes is None or test.n_cases == 0 or (test.classes < 0).any():
            raise DataError("the cases to test on need a class each")
    interface = interface or TreeInterface(tree.schema)
    model = page_model(tree, interface) | {"prunings": _tested_prunings(tree, interface, test, training)}
    return page_text(CASE_PAGE, model, title, subtitle, max_depth)


def page_text(
    kind: PageKind,
    model: dict[str, Any],
    title: str,
    subtitle: str,
    max_depth: int | None,
    side: bool = True,
) -> str:
    """The text of a page: `page/page.html` with style, programs and model put in.

    Parameters
    ----------
    kind : PageKind
    model : dict
        What the page has to know of the tree.
    title, subtitle : str
    max_depth : int, optional
    side : bool
        Whether there is a case or an example to look at.
    """
    heading = html.escape(whole_signs(title))
    parts = {
        "head": page_head(heading, page_file("page.css")),
        "title": heading,
        "subtitle": html.escape(whole_signs(subtitle)),
        "kind": kind.name,
        "rows": kind.rows,
        "cases": kind.cases,
        "searched": kind.searched,
        "side": page_file(f"{kind.name}.html") if side else "",
        "programs": programs_text(kind.programs),
        "model": script_json(model | {"opening": max_depth}),
    }
    return filled_in("page.html", parts)


def page_head(title: str, style: str, scripts: bool = True) -> str:
    """What stands before the body of a page.

    Parameters
    ----------
    title : str
        As HTML.
    style : str
        What it looks like, besides its colours.
    scripts : bool
        Whether it has programs; a browser runs none in a page without.
    """
    allowed = "script-src 'unsafe-inline'; " if scripts else ""
    parts = {"title": title, "scripts": allowed, "colours": page_colours(), "style": style}
    return filled_in("head.html", parts)


def programs_text(names: Sequence[str]) -> str:
    """These programs of `page/`, for a page."""
    return "".join(f"<script>\n{page_file(f'{name}.js')}</script>\n" for name in names)


def filled_in(name: str, parts: Mapping[str, str]) -> str:
    """A file of `page/` with these parts in it."""
    # In one pass: what is put in is never looked at again.
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found.group(1)], page_file(name))


def page_file(name: str) -> str:
    """The text of a file in `page/`."""
    return files("ctree.render").joinpath("page", name).read_text("utf-8")


def page_colours() -> str:
    """The colours of a page, light or dark as the reader prefers."""
    light, dark = page_file("light.css"), page_file("dark.css")
    return (
        f":root {{\ncolor-scheme: light dark;\n{light}}}\n"
        f"@media (prefers-color-scheme: dark) {{\n:root {{\n{dark}}}\n}}\n"
    )


def node_fields(view: TreeView) -> dict[str, Any]:
    """What pages of all kinds know of the nodes, in JSON's types. Numbers are the very same as in the tree."""
    branches = [view.branches(node) for node in range(view.tree.n_nodes)]
    return {
        "classes": label_texts(view.classes),
        "colours": class_colours(len(view.classes)),
        "first": [below.start if below else -1 for below in branches],
        "branches": [len(below) for below in branches],
        "numbers": view.numbers,
        "best": view.best.tolist(),
        "cases": view.cases.tolist(),
        "errors": view.errors.tolist(),
        "counts": _sparse(view.counts),
        "probabilities": _sparse(view.probabilities),
        "weights": None,
        "weighing": None,
        "prunings": None,
    }


def page_model(tree: Tree, interface: TreeInterface) -> dict[str, Any]:
    """What the page has to know of the tree to predict as its learner does."""
    threshold = np.where(tree.test == Test.THRESHOLD, tree.threshold, 0.0)
    model = node_fields(view_of(tree)) | {
        "attributes": [_attribute(tree, interface, a) for a in range(len(tree.schema))],
        "float32": tree.float32,
        "tie_tolerance": interface.tie_tolerance,
        "test": tree.test.tolist(),
        "attribute": tree.attribute.tolist(),
        "threshold": threshold.tolist(),
        "groups": {str(n): _group(tree, int(n)) for n in np.flatnonzero(tree.test == Test.GROUPS)},
        "votes": None if interface.votes is None else _sparse(interface.votes),
        "weights": None if interface.weights is None else interface.weights.tolist(),
        "weighing": interface.weighing,
        "bounds": None,
    }
    if tree.lower is not None and tree.upper is not None:
        model["bounds"] = [tree.lower.tolist(), tree.upper.tolist()]
    return model


def pruning_fields(
    nested: Prunings,
    cases: float,
    errors: npt.NDArray[np.float64] | None = None,
    tested: float = 0.0,
    in_parts: bool = False,
) -> dict[str, Any] | None:
    """The nested prunings of a tree of so many training cases; None for a tree that tests nothing.

    Parameters
    ----------
    nested : Prunings
    cases : float
    errors : array, optional
        Of each pruning on test cases.
    tested : float
        How many test cases there are.
    in_parts : bool
        Whether errors in training are about so many, as cases of unknown values are counted in parts.
    """
    if nested.number == 1:
        return None
    return {
        "from": nested.first.tolist(),
        "leaves": nested.leaves.tolist(),
        "training": _rounded(nested.training),
        "training_cases": cases,
        "in_parts": in_parts,
        "test": None if errors is None else _rounded(errors),
        "test_cases": tested,
    }


def _tested_prunings(
    tree: Tree, interface: TreeInterface, test: Dataset | None, training: Sequence[float] | None
) -> dict[str, Any] | None:
    nested, cases = prunings_of(tree, interface), float(tree.cases[0])
    in_parts = has_parts(tree) and training is None
    if training is not None:
        if len(training) != nested.number:
            raise ModelError(f"'training_errors' should have {plural(nested.number, 'number')}, not {len(training)}")
        nested = nested._replace(training=np.array(training))
    if test is None:
        return pruning_fields(nested, cases, in_parts=in_parts)
    tested = float(test.n_cases if test.weights is None else test.weights.sum())
    return pruning_fields(nested, cases, errors_on(nested, tree, interface, test), tested, in_parts)


def _rounded(numbers: npt.NDArray[np.float64]) -> list[float]:
    """Sums of weights, which few digits tell well enough."""
    return [float(f"{number:.10g}") for number in numbers.tolist()]


def _attribute(tree: Tree, interface: TreeInterface, index: int) -> dict[str, Any]:
    given = interface.schema[index]
    cuts = None if interface.cuts is None else interface.cuts[index]
    fill = None if interface.fill is None else interface.fill[index]
    return {
        "name": given.name,
        "kind": given.kind.value,
        "values": label_texts(tree.schema[index].values),
        "order": label_texts(given.values) if given.is_ordered else None,
        "cuts": None if cuts is None else cuts.tolist(),
        "fill": None if fill is None else float(fill),
    }


def _group(tree: Tree, node: int) -> list[int]:
    """The branch of each value, -1 for none."""
    start = int(tree.arrays.group_start[node])
    n_values = len(tree.schema[int(tree.attribute[node])].values)
    return [int(branch) for branch in tree.arrays.group[start : start + n_values]]


def _sparse(rows: npt.NDArray[np.float64]) -> list[list[float]]:
    """Each row as the number that most of it is, then the places and numbers of the others."""
    result = []
    for row in rows.tolist():
        usual = Counter(row).most_common(1)[0][0] if row else 0.0
        sparse = [usual]
        for place, number in enumerate(row):
            if number != usual:
                sparse += [place, number]
        result.append(sparse)
    return result


def script_json(value: Any) -> str:
    """JSON that can stand within ``<script>``, whatever the names are.

    Examples
    --------
    >>> print(script_json({"name": "</script>&"}))
    {"name":"\\u003c/script\\u003e\\u0026"}
    """
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def whole_signs(text: str) -> str:
    """A text that can be written as UTF-8: halves of pairs are replaced."""
    return text.encode("utf-8", "replace").decode("utf-8")
