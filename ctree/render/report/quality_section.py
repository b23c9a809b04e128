"""How good the predictions are: errors, the confusion matrix, and figures for each class."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ctree.evaluate.curves.roc import roc_curve
from ctree.evaluate.intervals import Interval, mean_interval, share_interval
from ctree.evaluate.measures import MIN_PROBABILITY
from ctree.render.labels import clipped
from ctree.render.report.markup import (
    Markup,
    Section,
    amount,
    counted,
    element,
    figures,
    hint,
    paragraph,
    percent,
    percents,
    section,
    table,
    warning,
)
from ctree.render.report.subject import Subject
from ctree_ext.base.elementary import log

MOST_CLASSES = 30
"""Up to here the whole confusion matrix is shown, beyond it the largest confusions."""

MOST_CONFUSIONS = 20
SHORT = 6
"""Up to so many classes have their names above the columns of the matrix, unless these are long; others stand up."""

LETTERS = 60


def summary_section(subject: Subject) -> Section:
    """How good the model is, in a few sentences and figures."""
    cases = subject.cases
    error = share_interval(cases.wrong, cases.weights)
    shares = cases.class_weights / cases.class_weights.sum()
    usual = int(shares.argmax())
    n_wrong = int(cases.wrong.sum())
    number = "none is" if n_wrong == 0 else "1 is" if n_wrong == 1 else f"{n_wrong:,} are"
    words = (
        f"Of {counted(cases.n_cases, subject.noun)}, {number} predicted wrong: {percents(error)}. To predict "
        f"{clipped(str(cases.classes[usual]))} for all would be wrong for {percent(1 - float(shares[usual]))}."
    )
    notes = [paragraph(words), hint("Ranges are 95% intervals, here and below.")]
    if subject.looks_trained_on:
        notes.insert(
            0,
            warning(
                f"These seem to be the {subject.noun}s that the model was learned from. On new {subject.noun}s it will "
                "do worse than this page says."
            ),
        )
    elif subject.training_counts is None:
        notes.append(
            hint(
                f"If the model was learned from these {subject.noun}s, it will do worse on others than this page says."
            )
        )
    tiles = element("dl", *(_tile(*tile) for tile in _tiles(subject, error)), class_="tiles")
    return section("summary", "In short", *notes, tiles)


def _tiles(subject: Subject, error: Interval) -> list[tuple[str, str, str]]:
    cases = subject.cases
    rows = np.arange(cases.n_cases)
    given = cases.probabilities[rows, cases.codes]
    squares = (cases.probabilities**2).sum(axis=1) - 2 * given + 1
    brier = mean_interval(squares, cases.weights)
    loss = mean_interval(-log(np.clip(given, MIN_PROBABILITY, 1.0)), cases.weights)
    zeros = int(np.count_nonzero(given <= 0))
    found = [
        ("Errors", percent(error.value), f"{percent(error.low)} to {percent(error.high)}"),
        ("Brier score", f"{brier.value:.3f}", _ends(brier, "0 is best, 2 worst")),
        (
            "Log-loss",
            f"{loss.value:.3f}",
            _ends(loss, f"{counted(zeros, 'true class')} had probability 0" if zeros else "0 is best"),
        ),
    ]
    if subject.curves and len(cases.two_sided()) == 2:
        c = subject.curves[0]
        area = roc_curve(cases.codes == c, cases.probabilities[:, c], cases.weights).area
        found.append(("Area under ROC", f"{area.value:.3f}", _ends(area, "0.5 is chance")))
    return found


def _ends(interval: Interval, meaning: str) -> str:
    if interval.high == float("inf"):
        return meaning
    return f"{max(interval.low, 0.0):.3f} to {interval.high:.3f}; {meaning}"  # none of these is less than 0


def _tile(name: str, value: str, more: str) -> Markup:
    return element("div", element("dt", name), element("dd", value, class_="value"), element("dd", more))


def confusion_section(subject: Subject) -> Section:
    """Which classes are taken for which, and figures for each class."""
    cases = subject.cases
    k = len(cases.classes)
    counts = np.bincount(cases.codes * k + cases.predicted, cases.weights, k * k).reshape(k, k).astype(np.float64)
    seen = np.flatnonzero(counts.sum(axis=0) + counts.sum(axis=1))
    shown = _matrix(subject, counts, seen) if len(seen) <= MOST_CLASSES else _largest(subject, counts)
    return section("confusion", "Confusion matrix", shown, _by_class(subject, counts))


def _matrix(subject: Subject, counts: npt.NDArray[np.float64], seen: npt.NDArray[np.intp]) -> Markup:
    names = subject.cases.class_texts
    tall = len(seen) > SHORT or sum(min(len(names[c]), 24) for c in seen) > LETTERS
    heads = [element("th", "is ↓   predicted →", scope="col")]
    for c in seen:
        heads.append(
            element("th", element("span", clipped(names[c], 24)), scope="col", class_="tall" if tall else "number")
        )
    rows = []
    for a in seen:
        total = counts[a].sum()
        cells = [element("th", clipped(names[a], 40), scope="row")]
        for b in seen:
            share = counts[a, b] / total if total > 0 else 0.0
            text = amount(float(counts[a, b])) if counts[a, b] > 0 else "·"
            kind = "right" if a == b else "wrong"
            cells.append(element("td", text, class_=f"number {kind}", style=f"--share:{share:.3f}"))
        rows.append(element("tr", *cells))
    caption = f"{subject.noun.capitalize()}s by their class and the predicted one"
    inner = element(
        "table",
        element("caption", caption),
        element("thead", element("tr", *heads)),
        element("tbody", *rows),
        class_="matrix many" if len(seen) > 12 else "matrix",
    )
    return element("div", inner, class_="scroll", tabindex="0", role="region", aria_label=caption)


def _largest(subject: Subject, counts: npt.NDArray[np.float64]) -> Markup:
    names = subject.cases.class_texts
    wrong = counts.copy()
    np.fill_diagonal(wrong, 0)
    order = np.argsort(-wrong, axis=None, kind="stable")[:MOST_CONFUSIONS]
    rows = []
    for place in order:
        a, b = divmod(int(place), len(names))
        if wrong[a, b] > 0:
            total = counts[a].sum()
            share = percent(wrong[a, b] / total)
            rows.append((clipped(names[a], 40), clipped(names[b], 40), amount(float(wrong[a, b])), share))
    heads = ("is", "predicted", f"{subject.noun}s", "share of the class")
    return table(heads, rows, "The most frequent confusions", numbers=(2, 3))


def _by_class(subject: Subject, counts: npt.NDArray[np.float64]) -> Markup:
    cases = subject.cases
    able = set(cases.two_sided())
    order = np.argsort(-counts.sum(axis=1), kind="stable")[: 2 * MOST_CLASSES]
    rows = []
    for c in order.tolist():
        own, given = cases.codes == c, cases.predicted == c
        found = share_interval(given[own], _of(cases.weights, own)) if own.any() else None
        right = share_interval(own[given], _of(cases.weights, given)) if given.any() else None
        area = figures(roc_curve(own, cases.probabilities[:, c], cases.weights).area) if c in able else "–"
        rows.append(
            (
                clipped(cases.class_texts[c], 40),
                amount(float(counts[c].sum())),
                amount(float(counts[:, c].sum())),
                "–" if found is None else percents(found),
                "–" if right is None else percents(right),
                area,
            )
        )
    heads = (
        "class",
        f"{subject.noun}s",
        "predicted",
        "found (recall)",
        "right of predicted (precision)",
        "area under ROC",
    )
    parts = table(heads, rows, "Class by class", numbers=(1, 2, 3, 4, 5))
    rest = len(cases.classes) - len(rows)
    return Markup(parts + hint(f"{counted(rest, 'further class')} are not listed.")) if rest else parts


def _of(weights: npt.NDArray[np.float64] | None, rows: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64] | None:
    return None if weights is None else weights[rows]
