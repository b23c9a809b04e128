"""The model in words, as a tree and as rules."""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.errors import CtreeError
from ctree.render.colours import class_colours
from ctree.render.labels import clipped, format_cases, leaves_below, with_signs
from ctree.render.report.markup import (
    Markup,
    Section,
    amount,
    counted,
    details,
    element,
    hint,
    joined,
    paragraph,
    percent,
    section,
    table,
)
from ctree.render.report.subject import Subject
from ctree.render.view import TreeView, view_of
from ctree.tree.rules import Rule
from ctree.tree.tree import Test, Tree

MOST_ROWS = 48
"""So many nodes of a tree are shown: those with the most training cases."""

FIRST_RULES = 10
"""So many rules are shown at once, or half as many more; the others when they are unfolded."""

MOST_RULES = 30
MOST_LINES = 60
MOST_LEGEND = 12


def model_section(subject: Subject) -> Section:
    """What the model is, and what it was learned from."""
    model = subject.model
    words = [_size_sentence(model)]
    counts = subject.training_counts
    if counts is not None:
        words.append(f" It was learned from {amount(float(counts.sum()))} {subject.noun}s.")
    origins = [element("li", f"{name}: {place}") for name, place in subject.origins.items()]
    listed = element("ul", *origins, class_="origins") if origins else ""
    shown = element("p", element("code", clipped(repr(model), 400)))
    return section("model", "The model", paragraph(*words), shown, listed)


def _size_sentence(model: Any) -> str:
    if isinstance(model, Tree):
        return f"A tree: {counted(model.n_nodes, 'node')}, {counted(model.n_leaves, 'leaf')}, depth {model.depth}."
    first = (type(model).__doc__ or type(model).__name__).strip().splitlines()[0].rstrip(".")
    return f"{first}. Its size: {model.size_text()}."


def tree_section(subject: Subject) -> Section | None:
    """The tree, folded where it is large; of models without one, their text."""
    tree = subject.tree
    if hasattr(subject.model, "rules_"):
        return None  # they have a section of their own
    if tree is None:
        try:
            lines = subject.model.to_text().splitlines()
        except (CtreeError, NotImplementedError):
            return None
        more = [hint(f"{len(lines) - MOST_LINES} more lines are left out.")] if len(lines) > MOST_LINES else []
        text = "\n".join(clipped_line(with_signs(line)) for line in lines[:MOST_LINES])
        return section("inside", "What it consists of", element("pre", text, tabindex="0"), *more)
    view = view_of(tree)
    shown = _unfolded(view)
    below = leaves_below(tree)
    words = []
    if not subject.is_the_tree:
        words.append(paragraph("The model averages many trees. This is the most probable of them."))
    hidden = tree.n_nodes - len(shown)
    told = f"Each line has the number of training {view.noun}s and, as a bar, the probabilities of the classes."
    if hidden:
        told += f" Shown are the nodes with the most {view.noun}s; {counted(hidden, 'node')} are folded."
    colours = class_colours(len(view.classes))
    legend = ""
    if len(view.classes) <= MOST_LEGEND:
        entries = (element("li", _dot(colour), text) for colour, text in zip(colours, view.class_texts(), strict=True))
        legend = element("ul", *entries, class_="legend", aria_label="Classes")
    drawn = element("ul", _node(view, 0, "", shown, below, colours), class_="tree")
    return section("tree", "The tree", *words, hint(told), legend, element("div", drawn, class_="scroll", tabindex="0"))


def clipped_line(line: str) -> str:
    """A line as it is, unless it is very long."""
    return line if len(line) <= 160 else line[:159] + "…"


def _unfolded(view: TreeView) -> set[int]:
    """The nodes to show, with all branches of those that are unfolded: the largest first, until there is no room."""
    shown = {0}
    queue = [(-float(view.cases[0]), 0)]
    while queue:
        _, node = heapq.heappop(queue)
        branches = view.branches(node)
        if not len(branches) or len(shown) + len(branches) > MOST_ROWS:
            continue
        shown.update(branches)
        for branch in branches:
            heapq.heappush(queue, (-float(view.cases[branch]), branch))
    return shown


def _dot(colour: str) -> Markup:
    return element("span", class_="dot", style=f"background:{colour}")


def _node(
    view: TreeView, node: int, label: str, shown: set[int], below: npt.NDArray[np.int64], colours: list[str]
) -> Markup:
    """A node and what is shown below it; a stack, as trees may be deeper than Python's own."""
    parts: list[str] = []
    todo: list[tuple[int, str] | str] = [(node, label)]
    while todo:
        entry = todo.pop()
        if isinstance(entry, str):
            parts.append(entry)
            continue
        place, text = entry
        branches = view.branches(place)
        open_ = len(branches) > 0 and branches[0] in shown
        parts.append("<li>" + _row(view, place, text, open_, below, colours))
        if open_:
            parts.append("<ul>")
            names = dict(zip(branches, _conditions(view, place), strict=True))
            todo.append("</ul></li>")
            todo.extend((branch, names[branch]) for branch in reversed(view.shown_branches(place)))
        else:
            parts.append("</li>")
    return Markup("".join(parts))


def _conditions(view: TreeView, node: int) -> list[str]:
    """What leads to each branch of a node, in words that need no line above."""
    labels = view.branch_labels(node)
    if not isinstance(view.tree, Tree):
        return labels
    asked = view.question(node, 80, 3)[0]
    sign = "" if view.tree.test[node] == Test.THRESHOLD else "= "
    return [f"{asked} {sign}{label}" for label in labels]


def _row(
    view: TreeView, node: int, label: str, open_: bool, below: npt.NDArray[np.int64], colours: list[str]
) -> Markup:
    best = int(view.best[node])
    words: list[object] = [element("span", label, class_="branch"), " "] if label else []
    if open_ and not isinstance(view.tree, Tree):
        words.append(element("span", " ".join(view.question(node, 80, 3)), class_="asks"))
    elif open_:
        words.append("" if label else element("span", f"all {view.noun}s", class_="asks"))
    else:
        words.append(element("strong", _dot(colours[best]), clipped(str(view.classes[best]))))
        last = view.numbers[node] + int(below[node]) - 1
        told = f"leaf {last}" if view.is_leaf(node) else f"leaves {view.numbers[node]} to {last}, folded"
        words.append(element("span", f" {told}", class_="leaf-number"))
    probabilities = view.probabilities[node]
    told = f"{clipped(str(view.classes[best]))} {percent(float(probabilities[best]), 0)}"
    figures = (
        element("span", format_cases(float(view.cases[node])), class_="cases"),
        element(
            "span", class_="bar", style=f"background:{_gradient(probabilities, colours)}", role="img", aria_label=told
        ),
    )
    return element("div", element("span", *words, class_="words"), *figures, class_="row")


def _gradient(probabilities: npt.NDArray[np.float64], colours: list[str]) -> str:
    """Stretches of colour, as long as the probabilities of the classes, small ones left out."""
    stops, start = [], 0.0
    for share, colour in zip(probabilities.tolist(), colours, strict=True):
        if share > 0.004:
            end = min(100.0, start + 100 * share)
            stops.append(f"{colour} {start:.1f}% {end:.1f}%")
            start = end
    rest = f", var(--empty) {start:.1f}% 100%" if start < 99.9 else ""
    return f"linear-gradient(to right, {', '.join(stops)}{rest})" if stops else "var(--empty)"


def rules_section(subject: Subject) -> Section | None:
    """The rules, with how they do on these cases: those of a list of rules, or of the leaves of a tree."""
    data = subject.data
    if data is None:
        return None
    rules: list[Rule]
    if hasattr(subject.model, "rules_"):
        rules = list(subject.model.rules_)
        place = np.asarray(subject.model.rules_.apply(data))
        words = "The rules are tried in this order; the first one whose conditions all hold decides."
        ordered = True
    elif isinstance(subject.tree, Tree) and subject.is_the_tree and subject.tree.n_nodes > 1:
        leaves = list(subject.tree.leaf_rules())
        rules = list(subject.model.to_rules())
        at = np.full(subject.tree.n_nodes, -1)
        at[leaves] = np.arange(len(leaves))
        place = at[subject.model.apply(data) if subject.model is not subject.tree else subject.tree.apply(data)]
        words = (
            "One rule for each leaf; exactly one applies to each case. A case with unknown values counts where most of "
            "it ends."
        )
        ordered = False
    else:
        return None
    weights = np.ones(data.n_cases) if subject.cases.weights is None else subject.cases.weights
    known = place >= 0
    here = np.bincount(place[known], weights[known], len(rules))
    wrong = np.bincount(place[known], (weights * subject.cases.wrong)[known], len(rules))
    order = list(range(len(rules))) if ordered else np.argsort(-here, kind="stable").tolist()
    rows = [_rule_row(rules[i], float(here[i]), float(wrong[i])) for i in order[:MOST_RULES]]
    first = FIRST_RULES if len(rows) > 1.5 * FIRST_RULES else len(rows)
    heads = ("rule", "if", "then", "training cases", "confidence", "cases here", "wrong here")
    notes = []
    if len(rules) > MOST_RULES:
        kind = "first" if ordered else "most used here"
        notes.append(hint(f"The {MOST_RULES} {kind} of {len(rules)} rules."))
    if ordered:
        rest = weights[~known].sum()
        missed = (weights * subject.cases.wrong)[~known].sum()
        default = clipped(str(subject.model.default_))
        notes.append(
            paragraph(
                f"If no rule applies, the class is {default}: {amount(float(rest))} of the cases here, "
                f"{amount(float(missed))} of them wrong."
            )
        )
    listed: list[object] = [table(heads, rows[:first], "Rules", numbers=(3, 4, 5, 6), class_="rules")]
    if len(rows) > first:
        more = table(heads, rows[first:], "More rules", numbers=(3, 4, 5, 6), class_="rules")
        listed.append(details(counted(len(rows) - first, "more rule"), more))
    return section("rules", "Rules", hint(words), *listed, *notes)


def _rule_row(rule: Rule, here: float, wrong: float) -> tuple[object, ...]:
    conditions = joined(
        element("span", ("and " if i else "") + clipped(with_signs(condition), 90), class_="condition")
        for i, condition in enumerate(rule.conditions)
    )
    return (
        rule.number,
        conditions if rule.conditions else "always",
        element("strong", clipped(str(rule.prediction))),
        amount(rule.cases),
        percent(rule.confidence, 0),
        amount(here),
        f"{amount(wrong)} ({percent(wrong / here, 0)})" if here > 0 else "–",
    )
