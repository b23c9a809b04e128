"""Which classes a plot shows, and their curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ctree.data.schema import Label
from ctree.errors import DataError, ParameterError
from ctree.evaluate.scored import ScoredCases
from ctree.render.charts.style import STYLES


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


def curves_of(cases: ScoredCases, classes: Sequence[Label] | None, curve: Any) -> dict[str, Any]:
    """The curve of each class that is shown, by its name."""
    chosen = rankable(cases, shown_classes(cases, classes))
    return {cases.class_texts[c]: curve(cases.codes == c, cases.probabilities[:, c], cases.weights) for c in chosen}
