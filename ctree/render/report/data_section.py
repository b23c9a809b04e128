"""The data at a glance: kinds, values, unknown values, classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.relational.data import RelationalData
from ctree.data.schema import MOMENTS, Attribute, Kind
from ctree.render.charts.models import balance_chart
from ctree.render.charts.style import PLAIN_BARS, style_of
from ctree.render.labels import clipped
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

FIRST = 15
"""So many attributes are shown at once, or half as many more; the others when they are unfolded."""

MOST = 200
MOST_VALUES = 3
BARS = 16


def data_section(subject: Subject) -> Section:
    """What the cases are like."""
    cases = subject.cases
    told = [f"{counted(cases.n_cases, subject.noun)} with a class"]
    left_out = cases.n_given - cases.n_cases
    if left_out:
        told.append(f"{counted(left_out, subject.noun)} without one left out")
    if cases.weights is not None:
        told.append(f"a total weight of {amount(float(cases.weights.sum()))}")
    shares = cases.class_weights / cases.class_weights.sum()
    predicted = np.bincount(cases.predicted, cases.weights, len(cases.classes))
    chart = balance_chart(cases.class_texts, shares, predicted / predicted.sum())
    caption = f"How frequent the {counted(len(cases.classes), 'class')} are, and how frequently they are predicted."
    if len(cases.classes) > len(chart.y_names):
        caption += f" The most frequent {len(chart.y_names)} of them."
    if subject.data is not None:
        sentence, listed = _attributes(subject.data)
        told.append(sentence)
        rest = [element("div", subject.chart(chart, caption), class_="charts"), listed]
    else:
        assert isinstance(subject.X, RelationalData)
        described = element("pre", str(subject.X.describe()), tabindex="0")
        rest = [element("div", subject.chart(chart, caption), class_="charts"), described]
    return section("data", "The data at a glance", paragraph(f"{'; '.join(told)}."), *rest)


def _attributes(data: Dataset) -> tuple[str, Markup]:
    used = [i for i, a in enumerate(data.schema) if a.kind is not Kind.IGNORE]
    kinds = [data.schema[i].kind for i in used]
    rows = [_row(data.schema[i], data.columns[i]) for i in used[:MOST]]
    unknown = sum(_n_unknown(data.columns[i]) for i in used)
    cells = max(len(used) * data.n_cases, 1)
    told = [f"{kinds.count(kind)} {kind.value}" for kind in (Kind.DISCRETE, Kind.CONTINUOUS)]
    told += [f"{kinds.count(kind)} {kind.value}" for kind in (Kind.ORDERED, *MOMENTS) if kind in kinds]
    sentence = (
        f"{counted(len(used), 'attribute')} ({', '.join(told)}); {percent(unknown / cells)} of the values unknown"
    )
    heads = ("attribute", "kind", "unknown", "values", "distribution")
    first = FIRST if len(rows) > 1.5 * FIRST else len(rows)
    parts: list[object] = [table(heads, rows[:first], "Attributes", numbers=(2,), class_="attributes")]
    if len(rows) > first:
        more = counted(len(rows) - first, "more attribute")
        parts.append(details(more, table(heads, rows[first:], "More attributes", numbers=(2,), class_="attributes")))
    if len(used) > MOST:
        parts.append(hint(f"{len(used) - MOST} further attributes are not listed."))
    return sentence, joined(parts)


def _n_unknown(column: npt.NDArray[Any] | None) -> int:
    if column is None:
        return 0
    return int(np.count_nonzero(np.isnan(column) if column.dtype.kind == "f" else column < 0))


def _row(attribute: Attribute, column: npt.NDArray[Any] | None) -> tuple[object, ...]:
    assert column is not None
    unknown = _n_unknown(column)
    share = percent(unknown / max(len(column), 1)) if unknown else "–"
    name = element("span", clipped(attribute.name, 60), class_="name")
    kind = attribute.kind.value
    if attribute.is_discrete:
        counts = np.bincount(column[column >= 0], minlength=len(attribute.values))
        return name, kind, share, _values_text(attribute, counts), _bars(np.sort(counts)[::-1])
    known = column[~np.isnan(column)]
    if not known.size:
        return name, kind, share, "all unknown", ""
    if attribute.is_ordered:
        counts = np.bincount(known.astype(np.int64), minlength=len(attribute.values))
        return name, kind, share, _values_text(attribute, counts), _bars(counts)
    low, middle, high = np.quantile(known, [0, 0.5, 1])
    counts = np.histogram(known, bins=BARS)[0] if high > low else np.array([known.size])
    shown = [attribute.bound(float(x)) for x in (low, high, middle)]
    return name, kind, share, f"{shown[0]:.5g} to {shown[1]:.5g}, median {shown[2]:.5g}", _bars(counts)


def _values_text(attribute: Attribute, counts: npt.NDArray[np.int64]) -> str:
    order = np.argsort(-counts, kind="stable")[:MOST_VALUES]
    total = max(int(counts.sum()), 1)
    shown = ", ".join(f"{clipped(str(attribute.values[i]), 24)} {100 * counts[i] / total:.0f}%" for i in order)
    more = len(attribute.values) - len(order)
    return f"{shown}, {more} more" if more > 0 else shown


def _bars(counts: npt.NDArray[np.int64]) -> Markup:
    """A very small chart, which the words beside it say as well."""
    shown = counts[:BARS]
    top = max(int(shown.max(initial=1)), 1)
    wide = 6
    bars = "".join(
        f'<rect x="{wide * i}" y="{18 - 18 * n / top:.1f}" width="{wide - 1}" height="{18 * n / top:.1f}"/>'
        for i, n in enumerate(shown.tolist())
    )
    colour = style_of(PLAIN_BARS).colour
    return Markup(f'<svg class="spark" viewBox="0 0 {wide * BARS} 18" fill="{colour}" aria-hidden="true">{bars}</svg>')
