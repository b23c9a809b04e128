"""What was found out by winnowing, in a notebook."""

from __future__ import annotations

from ctree.learners.winnow.winnowing import MOST_ROWS, WORDS, Winnowing
from ctree.render.cells.cell import cell, table, told
from ctree.wording import plural


def winnowing_cell(found: Winnowing) -> str:
    """The attributes that are used, those without which most is lost first."""
    rows, shown = [["attribute", told(WORDS[found.by]), ""]], found.used()
    for a in shown[:MOST_ROWS]:
        name = told(a.name, 60)
        rows.append([f"<b>{name}</b>" if a.kept else name, f"{a.rise:+.4f}", "kept" if a.kept else "left out"])
    notes = [found.unused_text()]
    if len(shown) > MOST_ROWS:
        notes.insert(0, f"{plural(len(shown) - MOST_ROWS, 'attribute')} not shown; to_dict() has all")
    body = _lines([*found.trials_text().split("\n"), found.note]) + (table(rows, numbers=(1,)) if shown else "")
    return cell("Winnowing", found.size_text(), body + _lines(notes))


def _lines(texts: list[str]) -> str:
    return "".join(f"<p class='ctree-soft'>{told(text, 300)}</p>" for text in texts if text)
