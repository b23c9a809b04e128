"""Whether probabilities can be trusted, how well cases are ranked, and what errors cost."""

from __future__ import annotations

import numpy as np

from ctree.evaluate.calibration import calibration_error, overconfidence
from ctree.evaluate.curves.cost import cost_curve, mean_costs
from ctree.evaluate.curves.lift import lift_curve
from ctree.evaluate.curves.reliability import reliability
from ctree.evaluate.curves.roc import roc_curve
from ctree.render.charts.models import calibration_chart
from ctree.render.charts.ranking import cost_chart, gains_chart, lift_chart, roc_chart
from ctree.render.labels import clipped
from ctree.render.report.markup import Section, counted, element, figures, hint, paragraph, percent, section, table
from ctree.render.report.subject import Subject

GROUPS = 10


def _which(subject: Subject) -> str:
    """Which classes are shown, where not all are."""
    classes = subject.cases.two_sided()
    if subject.shown is not None or len(classes) <= 2 or len(subject.curves) == len(classes):
        return ""
    return f" Shown are the {len(subject.curves)} of {counted(len(classes), 'class')} with the most errors."


def calibration_section(subject: Subject) -> Section:
    """Of the cases that were given 80 %, do 80 % have the class?"""
    cases = subject.cases
    error = calibration_error(cases.codes, cases.probabilities, GROUPS, cases.weights)
    z = overconfidence(cases.codes, cases.probabilities, cases.weights)
    if z > 2:
        verdict = "They promise too much: the model is more often wrong than its probabilities say."
    elif z < -2:
        verdict = "They promise too little: the model is more often right than its probabilities say."
    else:
        verdict = "As far as these cases can tell, they are neither too confident nor too cautious."
    words = (
        f"On average, probabilities and observed shares are {percent(error)} apart. {verdict} "
        f"(Spiegelhalter's z = {z:.2f}; beyond ±2 it is significant.)"
    )
    charts: list[object] = []
    if subject.curves:
        points = {
            cases.class_texts[c]: reliability(
                cases.codes == c, np.clip(cases.probabilities[:, c], 0.0, 1.0), GROUPS, cases.weights
            )
            for c in subject.curves
        }
        caption = (
            "Cases are grouped by their probability of a class. Each point is a group: what it was promised, and which "
            "share of it had the class, with its interval. On the diagonal, probabilities mean what they say; below "
            "it, they are too high." + _which(subject)
        )
        charts.append(element("div", subject.class_chart(calibration_chart(points), caption), class_="charts"))
    return section("calibration", "Can the probabilities be trusted?", paragraph(words), *charts)


def ranking_section(subject: Subject) -> Section:
    """How well the cases of a class are told from others."""
    cases = subject.cases
    if not subject.curves:
        return section("ranking", "Telling classes apart", paragraph("All cases have the same class."))
    names = {c: cases.class_texts[c] for c in subject.curves}
    roc = {names[c]: roc_curve(cases.codes == c, cases.probabilities[:, c], cases.weights) for c in names}
    lift = {names[c]: lift_curve(cases.codes == c, cases.probabilities[:, c], cases.weights) for c in names}
    of = "of the class" if len(names) > 1 else f"of {clipped(next(iter(names.values())))}"
    charts = (
        subject.class_chart(
            roc_chart(roc),
            "Each point is a threshold for the probability. The further up and left, the better; the diagonal is "
            "chance. The area is the probability that a case of the class is ranked before another one.",
        ),
        subject.class_chart(
            gains_chart(lift), f"Whoever looks at so many cases, the most probable first, finds so many {of}."
        ),
        subject.class_chart(
            lift_chart(lift), "How many times more frequent the class is among these cases than among all of them."
        ),
    )
    note = _which(subject)
    return section(
        "ranking",
        "Telling classes apart",
        *([hint(f"Each class against the rest.{note}")] if len(cases.two_sided()) > 2 else []),
        element("div", *charts, class_="charts"),
    )


def cost_section(subject: Subject) -> Section | None:
    """What errors cost, by given costs or for all that they could be."""
    cases = subject.cases
    parts: list[object] = []
    if subject.costs is not None:
        costs = mean_costs(cases.codes, cases.probabilities, cases.predicted, subject.costs, cases.weights)
        best = clipped(str(cases.classes[costs.constant_class]))
        rows = (
            ("the class that the model predicts", figures(costs.predicted)),
            ("the class of least expected cost, by its probabilities", figures(costs.least_expected)),
            (f"always {best}", f"{costs.constant:.3f}"),
        )
        parts.append(table(("each case is given", f"mean cost of a {subject.noun}"), rows, "Costs", numbers=(1,)))
        if len(cases.classes) <= 12:
            names = [clipped(text) for text in cases.class_texts]
            matrix = [(name, *(f"{x:g}" for x in row)) for name, row in zip(names, subject.costs.tolist(), strict=True)]
            heads = ("is ↓   predicted →", *names)
            parts.append(table(heads, matrix, "What errors cost", numbers=range(1, len(names) + 1)))
    if subject.curves:
        curves = {
            cases.class_texts[c]: cost_curve(
                cases.codes == c, cases.probabilities[:, c], cases.weights, cases.predicted == c
            )
            for c in subject.curves
        }
        caption = (
            "To the right, misses of the class are dearer or the class is more frequent; to the left, false alarms. "
            "The lower, the cheaper. Where the curve is no lower than the dashed line, the model is of no use: it is "
            "as cheap to treat all cases alike." + _which(subject)
        )
        parts.append(element("div", subject.class_chart(cost_chart(curves), caption), class_="charts"))
    return section("cost", "What errors cost", *parts) if parts else None
