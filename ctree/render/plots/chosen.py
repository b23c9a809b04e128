"""Which classes a plot shows, and plots of their curves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ctree.data.schema import Label
from ctree.errors import DataError, ParameterError
from ctree.evaluate.scored import ScoredCases, scored
from ctree.render.charts.chart import Chart, coloured
from ctree.render.charts.style import STYLES
from ctree.render.colours import curve_colours
from ctree.render.plots.charts import File, draw


def shown_classes(cases: ScoredCases, classes: Sequence[Label] | None) -> list[int]:
    """The classes to show: those that are asked for, else of two the less frequent one, else the most frequent six."""
    if classes is not None:
        if isinstance(classes, str):
            raise ParameterError("classes must be a list of classes, not a text")
        found = [cases.code_of(label) for label in classes]
        if not 0 < len(found) <= len(STYLES):
            raise ParameterError(f"a plot shows 1 to {len(STYLES)} classes, not {len(found)}")
        return found
    weights = cases.class_weights
    if len(weights) == 2:
        return [int(weights[1] <= weights[0])]
    order = np.argsort(-weights, kind="stable")
    return sorted(int(c) for c in order[: len(STYLES)] if weights[c] > 0)


def rankable(cases: ScoredCases, chosen: list[int]) -> list[int]:
    """Those of the classes that some cases have and some do not."""
    found = [c for c in chosen if c in cases.two_sided()]
    if not found:
        raise DataError("all cases have the same class, so that there is nothing to tell apart")
    return found


def curves_of(cases: ScoredCases, chosen: list[int], curve: Any) -> dict[str, Any]:
    """The curve of each of these classes, by its name."""
    return {cases.class_texts[c]: curve(cases.codes == c, cases.probabilities[:, c], cases.weights) for c in chosen}


class ClassPlot(Protocol):
    """A plot of curves of classes, each against the rest."""

    def __call__(
        self,
        model: Any,
        X: Any,
        y: Any = None,
        *,
        classes: Sequence[Label] | None = None,
        sample_weight: npt.ArrayLike | None = None,
        ax: Any = None,
        file: File = None,
    ) -> Any:
        """Draw it."""


def of_classes(chart_of: Callable[[ScoredCases, list[int]], Chart]) -> ClassPlot:
    """A plot, by what makes its chart of scored cases and of the classes that are shown."""

    def plot(
        model: Any,
        X: Any,
        y: Any = None,
        *,
        classes: Sequence[Label] | None = None,
        sample_weight: npt.ArrayLike | None = None,
        ax: Any = None,
        file: File = None,
    ) -> Any:
        cases = scored(model, X, y, sample_weight)
        chosen = rankable(cases, shown_classes(cases, classes))
        colours = curve_colours(chosen, len(cases.classes))
        return draw(coloured(chart_of(cases, chosen), colours), ax, file)

    for name in ("__module__", "__name__", "__qualname__", "__doc__"):  # not what it takes
        setattr(plot, name, getattr(chart_of, name))
    return plot
