"""An explanation in a notebook."""

from __future__ import annotations

from ctree.render.cells.cell import bar, cell, dot, table, told
from ctree.render.colours import class_colours
from ctree.render.labels import with_signs
from ctree.tree.explain.explanation import Explanation, percent

MOST_CLASSES = 10
"""That are shown, the most probable ones."""
MOST_LINES = 50
"""Of each reason that are shown."""
MOST_REASONS = 20
"""Beyond, they are not shown: a case of which much is unknown comes to many leaves."""


def explanation_cell(why: Explanation) -> str:
    """The class, the probabilities of the classes, and what led to them."""
    colours = class_colours(len(why.probabilities))
    found = list(zip(why.probabilities.items(), colours, strict=True))
    best = found if len(found) <= MOST_CLASSES else sorted(found, key=lambda entry: -entry[0][1])[:MOST_CLASSES]
    costs = why.expected_costs
    rows = [["class", "", "probability", *(["expected cost"] if costs is not None else [])]]
    for (label, p), c in best:
        cost = [] if costs is None else [f"{costs[label]:.3g}"]
        rows.append([f"{dot(c)}{told(label)}", bar([p], [c]), percent(p), *cost])
    parts = [table(rows, numbers=range(2, len(rows[0])))]
    if len(found) > len(best):
        parts.append(f"<p class='ctree-soft'>and {len(found) - len(best):,} classes that are less probable</p>")
    reasons = why._reasons()
    for reason in reasons[:MOST_REASONS]:
        lines = "".join(f"<li>{told(with_signs(line), 300)}</li>" for line in reason.lines[:MOST_LINES])
        if len(reason.lines) > MOST_LINES:
            lines += f"<li class='ctree-soft'>and {len(reason.lines) - MOST_LINES:,} more</li>"
        parts.append(f"<p>{told(reason.title, 300)}</p>" + (f"<ul>{lines}</ul>" if lines else ""))
    if len(reasons) > MOST_REASONS:
        left = len(reasons) - MOST_REASONS
        parts.append(f"<p class='ctree-soft'>and {left:,} more, which <code>to_text()</code> has</p>")
    return cell(f"class {why.prediction}, {percent(why.probability)}", type(why).__name__, "".join(parts))
