"""Comparisons and envelopes in a notebook."""

from __future__ import annotations

from ctree.evaluate.comparison import Comparison
from ctree.evaluate.envelope import Envelope, Shares
from ctree.evaluate.measures import MEASURES
from ctree.evaluate.tables import MeasureTable, measure_table
from ctree.render.cells.cell import bar, cell, table, told
from ctree.wording import plural

OPEN_MEASURES = 1
"""The tables of the first so many measures are unfolded."""
MOST_ROWS = 200
"""Of a table that are shown."""
MOST_LEARNERS = 30
"""Whose columns are shown."""

GOOD, BAD, UNSURE = "#2b9a66", "#c8403a", "#8b96a1"


def comparison_cell(result: Comparison) -> str:
    """A table for each measure that has figures, folded but for the first."""
    names = [name for name in MEASURES if name in result.scores and (result.scores[name] == result.scores[name]).any()]
    parts = [f"<p class='ctree-soft'>{told(result.protocol, 300)}</p>"]
    for place, name in enumerate(names):
        is_open = " open" if place < OPEN_MEASURES else ""
        title = told(MEASURES[name].title)
        parts.append(f"<details{is_open}><summary>{title}</summary>{_measure(measure_table(result, name))}</details>")
    warned = sum(sum(counts.values()) for counts in result.warnings.values())
    if warned:
        parts.append(f"<p class='ctree-soft'>{plural(warned, 'warning')}: see <code>warnings</code></p>")
    sizes = f"{plural(len(result.learners), 'learner')}, {plural(len(result.rows), 'row')}"
    return cell("Comparison", sizes, f"<div class='ctree-folding'>{''.join(parts)}</div>")


def measure_cell(result: MeasureTable) -> str:
    """The table of one measure."""
    return cell(result.measure.title, "", _measure(result))


def _measure(result: MeasureTable) -> str:
    learners = result.comparison.learners[:MOST_LEARNERS]
    marks = {1: " +", 0: "", -1: " −"} if result.compares else dict.fromkeys((1, 0, -1), "")
    rows = [["", *(told(name, 30) for name in learners)]]
    figures = list(zip(result.comparison.rows, result.means, result.verdict.outcomes, result.spreads(), strict=True))
    for label, means, outcomes, spreads in figures[:MOST_ROWS]:
        cells = [result.cell(v) + s + marks[int(o)] for v, o, s in zip(means, outcomes, spreads, strict=True)]
        rows.append([told(label, 60), *cells[:MOST_LEARNERS]])
    rows.append(["average", *(result.cell(v) for v in result.averages[:MOST_LEARNERS])])
    if result.compares:
        rows.append(["win/tie/loss", *result.totals()[:MOST_LEARNERS]])
    notes = [f"<p class='ctree-soft'>{told(note, 300)}</p>" for note in result.notes()]
    left = [(len(figures) - MOST_ROWS, "row"), (len(result.comparison.learners) - MOST_LEARNERS, "learner")]
    notes += [f"<p class='ctree-soft'>{plural(n, noun)} not shown; to_text() has all</p>" for n, noun in left if n > 0]
    return table(rows, numbers=range(1, len(rows[0]))) + "".join(notes)


def envelope_cell(envelope: Envelope) -> str:
    """The shares of cases, as a bar and as a table."""
    if envelope.targets is None:
        confident = envelope.confident_share
        shares, colours = {"confident": confident, "uncertain": 1.0 - confident}, [GOOD, UNSURE]
    else:
        found: Shares = envelope.shares()
        shares = {name.replace("_", " "): share for name, share in found._asdict().items()}
        colours = [GOOD, BAD, UNSURE]
    rows = [["cases", "", "share"]]
    for (name, share), colour in zip(shares.items(), colours, strict=True):
        rows.append([name, bar([share], [colour]), f"{100 * share:.1f}%"])
    note = f"confident: at least {100 * envelope.gamma0:g}% of the votes for one class"
    edge = f"<p class='ctree-soft'>within two standard errors of the bound: {100 * envelope.edge_share:.1f}%</p>"
    body = f"<p class='ctree-soft'>{told(note)}</p>{table(rows, numbers=[2])}{edge}"
    return cell("Envelope", plural(len(envelope.predictions), "case"), body)
