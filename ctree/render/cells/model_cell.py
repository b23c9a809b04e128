"""Learners in a notebook: their parameters, and after a fit the model."""

from __future__ import annotations

import inspect
from html import escape
from typing import Any

from ctree.errors import CtreeError
from ctree.learners.base.estimator import SklearnEstimator, sklearn_diagram
from ctree.render.cells.cell import cell, table, told
from ctree.render.cells.rules_cell import RULES_SEARCHED, rules_body
from ctree.render.cells.tree_cell import searched, tree_body
from ctree.tree.relational_tree import RelationalTree
from ctree.tree.rule_list import RuleList
from ctree.tree.tree import Tree
from ctree.wording import shortened

MOST_LINES = 60
"""Of a model's text that are shown."""
LONGEST_LINE = 300


def model_cell(model: SklearnEstimator) -> str:
    """Scikit-learn's picture of the parameters where it is in use, else a table of them; then the model."""
    diagram = sklearn_diagram(model)
    if not model.__sklearn_is_fitted__():
        return diagram or cell(type(model).__name__, "not fitted", _parameters(model))
    body, words = _fitted(model)
    shown = cell(type(model).__name__, _size(model), body if diagram else _parameters(model) + body, words)
    return f"<div>{diagram}{shown}</div>" if diagram else shown


def _parameters(model: SklearnEstimator) -> str:
    """The parameters: those that were changed at a glance, all of them when unfolded."""
    values = model.get_params(deep=False)
    defaults = inspect.signature(type(model).__init__).parameters
    rows = [["parameter", "value", "default"]]
    for name, value in values.items():
        text, usual = told(shortened(value, 200), 200), told(shortened(defaults[name].default, 80))
        rows.append([told(name), f"<b>{text}</b>" if text != usual else text, usual])
    return f"<details><summary>{told(repr(model), 300)}</summary>{table(rows)}</details>"


def _fitted(model: Any) -> tuple[str, str]:
    """The model as HTML, and what can be searched for in it."""
    rules = getattr(model, "rules_", None)
    if isinstance(rules, RuleList):
        return rules_body(rules.rules, rules.default, rules.schema.classes), RULES_SEARCHED
    tree = getattr(model, "tree_", None)
    if isinstance(tree, Tree | RelationalTree):
        weights = model._interface().weights if isinstance(tree, Tree) else None
        return tree_body(tree, weights), searched(tree)
    try:
        lines = model._cell_text().splitlines()
    except CtreeError:  # such as that of a sample of which no trees were kept
        return "", ""
    if not lines:
        return "", ""
    kept = [line[:LONGEST_LINE] for line in lines[:MOST_LINES]]
    if len(lines) > MOST_LINES:
        kept.append(f"… {len(lines) - MOST_LINES:,} more lines: to_text() has all")
    text = "\n".join(kept).encode("utf-8", "replace").decode("utf-8")
    return f"<details><summary>The model as text</summary><pre>{escape(text)}</pre></details>", ""


def _size(model: Any) -> str:
    try:
        return str(model._cell_note())
    except CtreeError:
        return ""
