"""What predictions rest on: the importance of attributes, and the cases that were wrong with their explanations."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.relational.data import RelationalData
from ctree.data.schema import Kind, Label
from ctree.evaluate.curves.importance import importances_of
from ctree.render.charts.models import importance_chart, permutation_chart
from ctree.render.labels import clipped, with_signs
from ctree.render.report.markup import Markup, Section, counted, element, hint, joined, paragraph, percent, section
from ctree.render.report.model_section import clipped_line
from ctree.render.report.subject import Subject
from ctree.tree.importances import importances
from ctree.tree.tree import Tree

SHUFFLED_CASES = 2000
"""Among so many cases values are shuffled; more would take long and tell little more."""

MOST_SHUFFLED = 40
REPEATS = 5
MOST_BARS = 15
MOST_VALUES = 12
MOST_LINES = 24


def importance_section(subject: Subject) -> Section:
    """Which attributes the model relies on."""
    names, shares = _own_shares(subject)
    charts: list[object] = []
    if subject.data is not None:
        cases = subject.cases.evenly(SHUFFLED_CASES)
        used = [a.name for a in subject.data.schema if a.kind is not Kind.IGNORE]
        if shares is not None:  # others change nothing
            used = [names[i] for i in np.argsort(-shares, kind="stable") if shares[i] > 0]
        if used:
            found = importances_of(subject.model, cases, "accuracy", REPEATS, used[:MOST_SHUFFLED])
            among = (
                f"among {cases.n_cases:,} of the cases" if cases.n_cases < subject.cases.n_cases else "among the cases"
            )
            caption = f"How much accuracy is lost if the values of an attribute are shuffled {among}, {REPEATS} times."
            charts.append(subject.chart(permutation_chart(found, most=MOST_BARS), caption))
    if shares is not None and shares.any():
        caption = "The share of each attribute in what the tests of the tree told about the classes in training."
        used_shares = shares > 0
        kept = [name for name, is_used in zip(names, used_shares, strict=True) if is_used]
        charts.append(subject.chart(importance_chart(kept, shares[used_shares], most=MOST_BARS), caption))
    if not charts:
        return section("importance", "What it relies on", paragraph("The model asks for no attribute."))
    note = "Of attributes that say the same, each may seem unimportant by itself."
    return section("importance", "What it relies on", hint(note), element("div", *charts, class_="charts"))


def _own_shares(subject: Subject) -> tuple[list[str], npt.NDArray[np.float64] | None]:
    """The importances that the model itself has."""
    model = subject.model
    if isinstance(model, Tree):
        return list(model.schema.names), importances(model, model.schema)
    shares = getattr(model, "feature_importances_", None)
    if shares is None:
        return list(getattr(model.schema_, "names", ())), None
    names = getattr(model, "feature_importance_names_", None)
    return list(model.schema_.names if names is None else names), np.asarray(shares)


def wrong_section(subject: Subject) -> Section | None:
    """Cases that were wrong, the surest first, with their values and why they were given their class."""
    cases = subject.cases
    wrong = np.flatnonzero(cases.wrong)
    title = "Where it was wrong"
    if not len(wrong):
        return section("wrong", title, paragraph(f"No {subject.noun} is predicted wrong."))
    if subject.examples < 1:
        return None
    rows = np.arange(cases.n_cases)[wrong]
    surplus = cases.probabilities[rows, cases.predicted[rows]] - cases.probabilities[rows, cases.codes[rows]]
    chosen = rows[np.argsort(-surplus, kind="stable")[: subject.examples]]
    whole: Any = subject.data if subject.data is not None else subject.X.take(cases.rows)
    explained = subject.model.explain(whole.take(chosen))
    reasons = explained if isinstance(explained, list) else [explained]
    told = [_article(subject, int(row), reason) for row, reason in zip(chosen.tolist(), reasons, strict=True)]
    words = f"{counted(len(wrong), subject.noun)} {'was' if len(wrong) == 1 else 'were'} predicted wrong."
    if len(wrong) > len(chosen):
        words += f" The {len(chosen)} in which the model was surest of the wrong class:"
    return section("wrong", title, paragraph(words), *told)


def _article(subject: Subject, row: int, reason: Any) -> Markup:
    cases = subject.cases
    is_, given = int(cases.codes[row]), int(cases.predicted[row])
    p_is, p_given = float(cases.probabilities[row, is_]), float(cases.probabilities[row, given])
    names = cases.class_texts
    heading = element(
        "h3",
        f"{_number(subject, row)} is ",
        element("strong", clipped(names[is_], 40)),
        ", predicted ",
        element("strong", clipped(names[given], 40)),
    )
    chances = f"{clipped(names[given], 40)} had {percent(p_given)}, {clipped(names[is_], 40)} {percent(p_is)}."
    lines = with_signs(reason.to_text()).splitlines()
    shown = [clipped_line(line) for line in lines[:MOST_LINES]]
    if len(lines) > MOST_LINES:
        shown.append(f"… and {len(lines) - MOST_LINES} more lines")
    why = element("pre", "\n".join(shown), tabindex="0")
    return element("article", heading, paragraph(chances), _values(subject, row), why, class_="wrong-case")


def _number(subject: Subject, row: int) -> str:
    place = int(subject.cases.rows[row])
    if isinstance(subject.X, RelationalData) and subject.X.keys is not None:
        return f"Example {clipped(str(subject.X.keys[place]), 40)}"
    names = None if subject.data is None else subject.data.case_names
    if names is not None and names[row] is not None:
        return f"{subject.noun.capitalize()} {clipped(str(names[row]), 40)}"
    return f"{subject.noun.capitalize()} {place + 1:,}"


def _values(subject: Subject, row: int) -> Markup:
    """What the case is like: the attributes that count most, if there are many."""
    data = subject.data
    if data is None:
        return Markup("")
    used = [i for i, a in enumerate(data.schema) if a.kind is not Kind.IGNORE]
    if len(used) > MOST_VALUES:
        _, shares = _own_shares(subject)
        if shares is not None:
            used = sorted(used, key=lambda i: (-shares[i], i))
        used = sorted(used[:MOST_VALUES])
    pairs = (
        joined((element("dt", clipped(data.schema[i].name, 40)), " ", element("dd", _value_text(data.value(row, i)))))
        for i in used
    )
    return element("dl", *(element("div", pair) for pair in pairs), class_="values")


def _value_text(value: Label | None) -> str:
    if value is None:
        return "unknown"
    return f"{value:.6g}" if isinstance(value, float) else clipped(str(value), 40)
