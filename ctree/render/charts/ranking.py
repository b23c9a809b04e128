"""Charts of how well cases are ranked: ROC curves, gains, lift, and what errors cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ctree.evaluate.curves.cost import CostCurve
from ctree.evaluate.curves.lift import LiftCurve
from ctree.evaluate.curves.roc import RocCurve
from ctree.render.charts.chart import Chart, Series, line, thinned, up_to_ticks
from ctree.render.labels import clipped

UNIT = (0.0, 1.0)
MOST_BANDS = 2


def _named(label: str) -> str:
    return clipped(label, 32)


def _band(curve: RocCurve | LiftCurve, rows: Any, n_curves: int) -> dict[str, Any]:
    """The intervals of a curve; several bands over each other would hide the curves."""
    return {"low": curve.low[rows], "high": curve.high[rows], "band": True} if n_curves <= MOST_BANDS else {}


def roc_chart(curves: Mapping[str, RocCurve], title: str = "ROC curve") -> Chart:
    """The ROC curves of classes, each against the rest."""
    series: list[Series] = [line("", UNIT, UNIT, style=-1)]
    told = []
    for place, (label, curve) in enumerate(curves.items()):
        area = f"{_named(label)}: area {curve.area.value:.3f} ({curve.area.low:.3f} to {curve.area.high:.3f})"
        told.append(area)
        series.append(line(area, curve.false_alarms, curve.hits, style=place, **_band(curve, slice(None), len(curves))))
    return Chart(
        title,
        "cases of other classes that are taken for the class",
        "cases of the class found",
        UNIT,
        UNIT,
        tuple(series),
        "percent",
        "percent",
        described=f"Area under the curve, with its interval. {'; '.join(told)}.",
    )


def gains_chart(curves: Mapping[str, LiftCurve], title: str = "Gains") -> Chart:
    """What is found of classes among the cases that most probably have them."""
    series: list[Series] = [line("in no order", UNIT, UNIT, style=-1)]
    told = []
    for place, (label, curve) in enumerate(curves.items()):
        x, y = np.concatenate([[0.0], curve.chosen]), np.concatenate([[0.0], curve.found])
        told.append(f"among the first tenth of the cases are {100 * np.interp(0.1, x, y):.0f}% of {_named(label)}")
        series.append(line(_named(label), x, y, style=place))
    return Chart(
        title,
        "cases looked at, the most probable first",
        "cases of the class found",
        UNIT,
        UNIT,
        tuple(series),
        "percent",
        "percent",
        described=f"{'; '.join(told)}.".capitalize(),
    )


def lift_chart(curves: Mapping[str, LiftCurve], title: str = "Lift") -> Chart:
    """How many times more frequent classes are among the cases that most probably have them."""
    series: list[Series] = [line("", UNIT, (1.0, 1.0), style=-1)]
    told, highest = [], 1.2
    for place, (label, curve) in enumerate(curves.items()):
        rows = thinned(curve.chosen, curve.lift)
        # among very few cases the lift is anything, and its interval would be all that is seen
        steady = rows[curve.chosen[rows] >= min(0.01, float(curve.chosen[-1]))]
        highest = max(highest, float(curve.lift[steady].max(initial=1.0)))
        told.append(
            f"{_named(label)}: {float(curve.lift[0]):.2f} among the first {100 * curve.chosen[0]:.2g}% of cases"
        )
        series.append(
            line(
                _named(label),
                curve.chosen[rows],
                curve.lift[rows],
                style=place,
                marks=len(rows) <= 30 and len(curves) <= MOST_BANDS,
                **_band(curve, rows, len(curves)),
            )
        )
    _, top = up_to_ticks(0.0, highest)
    shown = tuple(_cut(one, top) for one in series)
    return Chart(
        title,
        "cases looked at, the most probable first",
        "times as frequent as among all cases",
        UNIT,
        (0.0, top),
        shown,
        "percent",
        described=f"{'; '.join(told)}.",
    )


def _cut(series: Series, top: float) -> Series:
    """A series that does not leave the chart."""
    high = None if series.high is None else np.minimum(series.high, top)
    low = None if series.low is None else np.minimum(series.low, top)
    return replace(series, y=np.minimum(series.y, top), low=low, high=high)


def cost_chart(curves: Mapping[str, CostCurve], title: str = "Cost curve") -> Chart:
    """What errors cost at the best threshold, for each mixture of frequencies and costs."""
    series: list[Series] = [line("without a model", (0, 0.5, 1), (0, 0.5, 0), style=-1)]
    highest, told = 0.5, []
    for place, (label, curve) in enumerate(curves.items()):
        series.append(
            line(f"{_named(label)}, at its best threshold", curve.probability_cost, curve.expected_cost, style=place)
        )
        worst = int(curve.expected_cost.argmax())
        told.append(
            f"{_named(label)} costs at most {100 * curve.expected_cost[worst]:.1f}% of the worst, where its share in "
            f"the cost is {100 * curve.probability_cost[worst]:.0f}%"
        )
        if not np.isnan(curve.misses) and len(curves) == 1:
            ends = (curve.false_alarms, curve.misses)
            highest = max(highest, *ends)
            series.append(line(f"{_named(label)}, as predicted", UNIT, ends, style=place + 1))
    return Chart(
        title,
        "share of the class in the cost, if all were wrong",
        "expected cost (all wrong: 100%)",
        UNIT,
        up_to_ticks(0.0, highest),
        tuple(series),
        "percent",
        "percent",
        described=f"{'; '.join(told)}.",
    )
