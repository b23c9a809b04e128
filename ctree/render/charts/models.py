"""Charts of what a model is like: calibration, learning, importances, partial dependence, pruning, class balance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ctree.evaluate.curves.dependence import PartialDependence
from ctree.evaluate.curves.importance import Importances
from ctree.evaluate.curves.learning import LearningErrors
from ctree.evaluate.curves.pruning import PruningPath
from ctree.evaluate.curves.reliability import Reliability
from ctree.evaluate.intervals import Floats, mean_interval
from ctree.render.charts.chart import Chart, Series, line, number_text, up_to_ticks
from ctree.render.charts.style import PLAIN_BARS, PLAIN_MARKS
from ctree.render.labels import clipped
from ctree.wording import plural

UNIT = (0.0, 1.0)
MOST_BARS = 20
LOSS_NAMES = {"accuracy": "accuracy lost", "log-loss": "log-loss gained", "brier": "Brier score gained"}
MEASURE_NAMES = {"error": "errors", "log-loss": "log-loss", "brier": "Brier score"}


def calibration_chart(groups: Mapping[str, Reliability], title: str = "Calibration") -> Chart:
    """Probabilities against what came true."""
    series: list[Series] = [line("as they should be", UNIT, UNIT, style=-1)]
    told = []
    for place, (label, points) in enumerate(groups.items()):
        name = clipped(label, 32)
        series.append(
            line(name, points.given, points.observed, low=points.low, high=points.high, style=place, marks=True)
        )
        off = int(((points.low <= points.given) & (points.given <= points.high)).sum())
        told.append(
            f"{name}: in {off} of {len(points.given)} groups the probability is within the interval of the share"
        )
    return Chart(
        title,
        "probability given",
        "share that had the class",
        UNIT,
        UNIT,
        tuple(series),
        "percent",
        "percent",
        described=f"{'; '.join(told)}.",
    )


def learning_chart(errors: LearningErrors, measure: str = "error", title: str = "Learning curve") -> Chart:
    """What was measured at each number of training cases, with the interval of the mean."""
    series, top = [], 0.0
    told = ""
    for place, (name, tables) in enumerate((("new cases", errors.tested), ("training cases", errors.training))):
        table = tables[measure]
        means = [mean_interval(column) for column in table.T]
        middle = np.array([mean.value for mean in means])
        low, high = (np.array([getattr(mean, end) for mean in means]) for end in ("low", "high"))
        known = np.isfinite(low)
        low, high = np.where(known, np.maximum(low, 0.0), middle), np.where(known, high, middle)
        top = max(top, float(high.max()))
        series.append(line(name, errors.sizes, middle, low=low, high=high, band=True, style=place, marks=True))
        if place == 0:
            told = f"On new cases from {middle[0]:.3g} with {plural(int(errors.sizes[0]), 'training case')} to "
            told += f"{middle[-1]:.3g} with {int(errors.sizes[-1])}."
    first, last = float(errors.sizes[0]), float(errors.sizes[-1])
    return Chart(
        title,
        "training cases",
        MEASURE_NAMES[measure],
        (first * 0.92, max(last * 1.08, first * 1.2)),
        up_to_ticks(0.0, top if top > 0 else 1.0),
        tuple(series),
        "count",
        "percent" if measure == "error" else "number",
        x_log=True,
        described=told,
    )


def importance_chart(
    names: Sequence[str],
    values: Floats,
    low: Floats | None = None,
    high: Floats | None = None,
    what: str = "share in what the tests of the tree tell",
    title: str = "Importance of attributes",
    most: int = MOST_BARS,
) -> Chart:
    """Attributes by importance, the most important ones."""
    order = np.argsort(-values, kind="stable")[:most]
    ends = [values[order], *(part[order] for part in (low, high) if part is not None)]
    least, top = min(0.0, *(float(part.min()) for part in ends)), max(float(part.max()) for part in ends)
    top = top if top > least else least + 1.0
    series = Series(
        "",
        values[order],
        np.arange(len(order), dtype=np.float64),
        None if low is None else low[order],
        None if high is None else high[order],
        PLAIN_BARS,
        kind="bars",
    )
    told = "; ".join(f"{clipped(names[i], 40)} {number_text(float(values[i]), 'percent')}" for i in order[:5])
    return Chart(
        title,
        what,
        "",
        up_to_ticks(least, top),
        (0.0, 1.0),
        (series,),
        "percent",
        y_names=tuple(names[i] for i in order),
        described=f"{told}.",
    )


def permutation_chart(found: Importances, measure: str = "accuracy", most: int = MOST_BARS) -> Chart:
    """What shuffling costs, with the interval of the mean over the repeats; without attributes that never matter."""
    changed = np.count_nonzero(found.losses, axis=1) > 0
    if changed.any():  # the others are not asked for
        names = tuple(name for name, is_asked in zip(found.names, changed, strict=True) if is_asked)
        found = Importances(names, found.losses[changed], found.base)
    means = [mean_interval(row) for row in found.losses]
    low, high = (np.array([getattr(mean, end) for mean in means]) for end in ("low", "high"))
    known = np.isfinite(low)
    middle = found.means
    chart = importance_chart(
        found.names,
        middle,
        np.where(known, low, middle),
        np.where(known, high, middle),
        f"{LOSS_NAMES[measure]} if its values are shuffled",
        most=most,
    )
    if measure == "accuracy":
        return chart
    return Chart(**{**chart.__dict__, "x_form": "number"})


def dependence_chart(found: PartialDependence, codes: Sequence[int], labels: Sequence[str]) -> Chart:
    """Mean probabilities of classes for each value of an attribute."""
    title = f"Probability by {clipped(found.attribute, 40)}"
    axis = "mean probability of the class"
    numbers = [v for v in found.values if v is not None]
    axis_range = up_to_ticks(0.0, max(0.1, float(found.probabilities[:, list(codes)].max())))
    told = "; ".join(
        f"{clipped(labels[c], 32)} from {found.probabilities[:, c].min():.2f} to {found.probabilities[:, c].max():.2f}"
        for c in codes
    )
    told = f"Mean probabilities: {told}."
    if numbers and all(isinstance(v, float) for v in numbers):
        known = np.array([v is not None for v in found.values])
        x = np.array(numbers, dtype=np.float64)
        wide = float(np.ptp(x)) or max(abs(float(x[0])), 1.0)
        series = []
        for place, c in enumerate(codes):
            y = found.probabilities[known, c]
            series.append(line(clipped(labels[c], 32), x, y, style=place, marks=len(x) <= 12))
            if not known.all():
                level = found.probabilities[~known, c][0]
                ends = (x.min() - 0.02 * wide, x.max() + 0.02 * wide)
                series.append(line("value unknown" if place == 0 else "", ends, (level, level), style=-1))
        bounds = (float(x.min()) - 0.02 * wide, float(x.max()) + 0.02 * wide)
        return Chart(
            title,
            clipped(found.attribute, 40),
            axis,
            bounds,
            axis_range,
            tuple(series),
            "number",
            "percent",
            described=told,
        )
    places = np.arange(len(found.values), dtype=np.float64)
    rows = tuple(
        line(clipped(labels[c], 32), found.probabilities[:, c], places, style=place, kind="dots")
        for place, c in enumerate(codes)
    )
    names = tuple("(unknown)" if v is None else str(v) for v in found.values)
    return Chart(title, axis, "", axis_range, UNIT, rows, "percent", y_names=names, described=told)


def pruning_chart(path: PruningPath, title: str = "Pruning") -> Chart:
    """Errors of the prunings of a tree against their leaves."""
    series = [line("training cases", path.leaves, path.training, style=1, marks=True)]
    top = float(path.training.max())
    told = f"From {plural(int(path.leaves[0]), 'leaf')} to {plural(int(path.leaves[-1]), 'leaf')}."
    if path.tested is not None and path.low is not None and path.high is not None:
        name = "other cases" if path.folds is None else f"cross-validated, {path.folds} folds"
        series.insert(
            0, line(name, path.leaves, path.tested, low=path.low, high=path.high, band=True, style=0, marks=True)
        )
        top = max(top, float(path.high.max()))
        best = int(path.tested.argmin())
        told += f" Fewest errors, {100 * path.tested[best]:.1f}%, with {plural(int(path.leaves[best]), 'leaf')}."
    top = up_to_ticks(0.0, top if top > 0 else 1.0)[1]
    own = float(path.own_leaves)
    series.append(line("the tree of the model", (own, own), (0.0, top), style=-1))
    widest = max(float(path.leaves.max()), own)
    return Chart(
        title,
        "leaves",
        "errors",
        (0.92, max(1.08 * widest, 2.0)),
        (0.0, top),
        tuple(series),
        "count",
        "percent",
        x_log=True,
        described=told,
    )


def balance_chart(labels: Sequence[str], shares: Floats, predicted: Floats, most: int = MOST_BARS) -> Chart:
    """How frequent classes are, and how frequently they are predicted."""
    order = np.argsort(-shares, kind="stable")[:most]
    places = np.arange(len(order), dtype=np.float64)
    top = max(float(shares.max()), float(predicted.max()))
    series = (
        line("cases", shares[order], places, kind="bars", style=PLAIN_BARS),
        line("predicted", predicted[order], places, kind="dots", style=PLAIN_MARKS),
    )
    told = "; ".join(f"{clipped(labels[i], 40)} {100 * shares[i]:.1f}%" for i in order[:8])
    return Chart(
        "Classes",
        "share of all cases",
        "",
        up_to_ticks(0.0, top),
        UNIT,
        series,
        "percent",
        y_names=tuple(labels[i] for i in order),
        described=f"{told}.",
    )
