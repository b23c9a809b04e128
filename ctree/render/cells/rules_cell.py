"""Rules in a notebook."""

from __future__ import annotations

from collections.abc import Sequence

from ctree.data.schema import Label
from ctree.render.cells.cell import cell, dot, told
from ctree.render.colours import class_colours
from ctree.render.labels import format_cases, with_signs
from ctree.tree.rules import Rule
from ctree.wording import plural

MOST_RULES = 300
"""That are shown."""


def rules_cell(
    title: str, rules: Sequence[Rule], default: Label | None = None, classes: Sequence[Label] | None = None
) -> str:
    """Rules in the order in which they are tried, each with its conditions folded below its class."""
    body = rules_body(rules, default, classes)
    note = f"{plural(len(rules), 'rule')}" if len(rules) != 1 else ""
    return cell(title, note, body, RULES_SEARCHED if len(rules) > 1 else "")


RULES_SEARCHED = "condition or class"
"""What can be searched for in `rules_body`."""


def rules_body(rules: Sequence[Rule], default: Label | None = None, classes: Sequence[Label] | None = None) -> str:
    """The rules, and the class where none applies."""
    known = list(classes) if classes is not None else []
    colours = dict(zip(known, class_colours(len(known)), strict=True))
    parts = [_rule(rule, colours) for rule in rules[:MOST_RULES]]
    if len(rules) > MOST_RULES:
        parts.append(f"<p class='ctree-soft'>and {len(rules) - MOST_RULES:,} more rules, not shown; print has all</p>")
    if default is not None:
        spot = dot(colours[default]) if default in colours else ""
        parts.append(f"<p class='ctree-item'>otherwise {spot}<b>{told(default, 40)}</b></p>")
    return f"<div class='ctree-folding'>{''.join(parts)}</div>"


def _rule(rule: Rule, colours: dict[Label, str]) -> str:
    spot = dot(colours[rule.prediction]) if rule.prediction in colours else ""
    short = " and ".join(told(with_signs(condition), 60) for condition in rule.conditions[:3]) or "any case"
    short += " …" if len(rule.conditions) > 3 else ""
    figures = f"{100 * rule.confidence:.1f}%, {format_cases(rule.cases)} cases"
    conditions = "".join(f"<li>{told(with_signs(condition), 300)}</li>" for condition in rule.conditions)
    figures += "" if rule.lift is None or rule.lift != rule.lift else f", lift {rule.lift:.2f}"
    return (
        f"<details><summary class='ctree-item'>Rule {rule.number}: <span class='ctree-branch'>{short}</span> → {spot}"
        f"<b>{told(rule.prediction, 40)}</b> <span class='ctree-soft'>{figures}</span></summary>"
        f"<div class='ctree-below ctree-item'><ul>{conditions}</ul></div></details>"
    )
