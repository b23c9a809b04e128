"""Plots for the questions that people ask of a classifier, drawn with matplotlib.

Each function takes the axes to draw on (`ax`), or makes a figure of its own, and returns the axes; ``axes.figure`` is
the figure. With `file` the picture is saved. A class has the colour that it has in pictures of trees, unless there are
more than ten. The numbers behind them are computed by
``ctree.evaluate.curves``. For instance:

>>> import ctree
>>> golf = ctree.load_golf()
>>> axes = ctree.plot.roc(ctree.C45Classifier().fit(golf), golf, file="roc.png")  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.schema import Label
from ctree.errors import ModelError, ParameterError
from ctree.evaluate.curves.cost import cost_curve
from ctree.evaluate.curves.dependence import MAX_CASES, partial_dependence
from ctree.evaluate.curves.importance import permutation_importance
from ctree.evaluate.curves.learning import learning_curve
from ctree.evaluate.curves.lift import lift_curve
from ctree.evaluate.curves.pruning import pruning_path
from ctree.evaluate.curves.reliability import reliability
from ctree.evaluate.curves.roc import roc_curve
from ctree.evaluate.scored import ScoredCases, class_place, scored
from ctree.render.charts.chart import Chart, coloured
from ctree.render.charts.models import (
    MEASURE_NAMES,
    calibration_chart,
    dependence_chart,
    importance_chart,
    learning_chart,
    permutation_chart,
    pruning_chart,
)
from ctree.render.charts.ranking import cost_chart, gains_chart, lift_chart, roc_chart
from ctree.render.charts.style import STYLES
from ctree.render.colours import curve_colours
from ctree.render.plots.charts import File, draw
from ctree.render.plots.chosen import curves_of, of_classes, shown_classes

__all__ = ["calibration", "cost", "dependence", "gains", "importance", "learning", "lift", "pruning", "roc"]


def calibration(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    classes: Sequence[Label] | None = None,
    groups: int = 10,
    strategy: str = "uniform",
    sample_weight: npt.ArrayLike | None = None,
    ax: Any = None,
    file: File = None,
) -> Any:
    """Do probabilities mean what they say? The share of cases that had a class against its probability.

    Cases are put into groups by their probability; each point is a group, with Wilson's 95 % interval. Points on the
    diagonal are as they should be; below it, the model promises too much.

    Parameters
    ----------
    model : learner, Tree, or classifier of another package
    X, y, sample_weight
        Cases with their classes, others than those of the fit: a `Dataset` or `RelationalData` that has them, or a
        table and `y`.
    classes : sequence of labels, optional
        The classes to show. By default, of two classes the less frequent one, else the most frequent six.
    groups : int
    strategy : {"uniform", "quantile"}
        Stretches of probability of the same length, or groups of about the same weight.
    ax : matplotlib axes, optional
    file : str or path, optional
        Where to save the picture; the suffix decides the format (``.png``, ``.pdf``, ``.svg``).

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import ctree
    >>> iris = ctree.load_iris()
    >>> axes = ctree.plot.calibration(ctree.NaiveBayesClassifier().fit(iris), iris)  # doctest: +SKIP
    """
    cases = scored(model, X, y, sample_weight)
    chosen = shown_classes(cases, classes)
    points = {
        cases.class_texts[c]: reliability(
            cases.codes == c, np.clip(cases.probabilities[:, c], 0, 1), groups, cases.weights, strategy
        )
        for c in chosen
    }
    colours = curve_colours(chosen, len(cases.classes))
    return draw(coloured(calibration_chart(points), colours), ax, file)


@of_classes
def roc(cases: ScoredCases, chosen: list[int]) -> Chart:
    """How well does the model tell a class from the others? Cases found against false alarms, at every threshold.

    The legend has the area under each curve with its 95 % interval (DeLong); the band is Wilson's interval of the cases
    found, at each threshold by itself. Parameters are as in `calibration`; classes that no case has, or all have, have
    no curve.

    Examples
    --------
    >>> import ctree
    >>> iris = ctree.load_iris()
    >>> axes = ctree.plot.roc(ctree.C45Classifier().fit(iris), iris, classes=["Iris-virginica"])  # doctest: +SKIP
    """
    return roc_chart(curves_of(cases, chosen, roc_curve))


@of_classes
def lift(cases: ScoredCases, chosen: list[int]) -> Chart:
    """How many times more frequent is a class among the cases that most probably have it?

    With 95 % intervals (Wilson). Parameters are as in `calibration`.

    Examples
    --------
    >>> import ctree
    >>> iris = ctree.load_iris()
    >>> axes = ctree.plot.lift(ctree.C45Classifier().fit(iris), iris)  # doctest: +SKIP
    """
    return lift_chart(curves_of(cases, chosen, lift_curve))


@of_classes
def gains(cases: ScoredCases, chosen: list[int]) -> Chart:
    """Which share of a class is found if only some of the cases are looked at, the most probable first?

    Parameters are as in `calibration`.

    Examples
    --------
    >>> import ctree
    >>> iris = ctree.load_iris()
    >>> axes = ctree.plot.gains(ctree.C45Classifier().fit(iris), iris)  # doctest: +SKIP
    """
    return gains_chart(curves_of(cases, chosen, lift_curve))


@of_classes
def cost(cases: ScoredCases, chosen: list[int]) -> Chart:
    """What do errors cost, whatever a miss and a false alarm cost and however frequent the class will be?

    A cost curve of Drummond and Holte: along the bottom the share of the class in the cost if all cases were wrong, its
    frequency times the cost of a miss against the rest's; upwards the expected cost, at the best threshold for it and
    as the model predicts. Parameters are as in `calibration`.

    Examples
    --------
    >>> import ctree
    >>> iris = ctree.load_iris()
    >>> axes = ctree.plot.cost(ctree.C45Classifier().fit(iris), iris)  # doctest: +SKIP
    """
    curves = {
        cases.class_texts[c]: cost_curve(
            cases.codes == c, cases.probabilities[:, c], cases.weights, cases.predicted == c
        )
        for c in chosen
    }
    return cost_chart(curves)


def learning(
    learner: Any,
    X: Any,
    y: Any = None,
    *,
    sizes: Sequence[int] | None = None,
    repeats: int = 10,
    test_share: float = 0.3,
    measure: str = "error",
    seed: int = 1,
    ax: Any = None,
    file: File = None,
) -> Any:
    """Would more cases help? Errors on new cases and on the training cases, as there are more of these.

    Means over the repeats, with their 95 % intervals (Student).

    Parameters
    ----------
    learner : learner, or classifier of another package
        It need not be fitted.
    X, y
        Cases with their classes: a `Dataset` or `RelationalData` that has them, or a table and `y`.
    sizes, repeats, test_share, seed
        See `ctree.evaluate.curves.learning.learning_curve`.
    measure : {"error", "log-loss", "brier"}
    ax, file
        As in `calibration`.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import ctree
    >>> axes = ctree.plot.learning(ctree.C45Classifier(), ctree.load_iris(), repeats=5)  # doctest: +SKIP
    """
    if measure not in MEASURE_NAMES:
        raise ParameterError(f"measure must be one of {', '.join(MEASURE_NAMES)}, not {measure!r}")
    found = learning_curve(learner, X, y, sizes=sizes, repeats=repeats, test_share=test_share, seed=seed)
    if measure not in found.tested:
        raise ModelError(f"a {type(learner).__name__} gives no probabilities")
    return draw(learning_chart(found, measure), ax, file)


def importance(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    measure: str = "accuracy",
    repeats: int = 5,
    seed: int = 0,
    sample_weight: npt.ArrayLike | None = None,
    ax: Any = None,
    file: File = None,
) -> Any:
    """Which attributes does the model rely on?

    With cases, what predictions lose if the values of an attribute are shuffled among them, with the 95 % interval of
    the mean over the repeats (`ctree.evaluate.curves.importance.permutation_importance`). Without cases, the
    `feature_importances_` of a model that has them. At most 20 attributes are shown, and none that never matter.

    Parameters
    ----------
    model : learner
    X, y, sample_weight
        Cases with their classes, or nothing.
    measure : {"accuracy", "log-loss", "brier"}
    repeats, seed : int
    ax, file
        As in `calibration`.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import ctree
    >>> model = ctree.C45Classifier().fit(ctree.load_iris())
    >>> axes = ctree.plot.importance(model)  # doctest: +SKIP
    """
    if X is not None:
        options: dict[str, Any] = {"measure": measure, "repeats": repeats, "seed": seed, "sample_weight": sample_weight}
        return draw(permutation_chart(permutation_importance(model, X, y, **options), measure), ax, file)
    shares = getattr(model, "feature_importances_", None)
    if shares is None:
        raise ModelError(f"a {type(model).__name__} has no importances of its own: give cases to shuffle")
    names = getattr(model, "feature_importance_names_", None)
    return draw(importance_chart(list(model.schema_.names if names is None else names), shares), ax, file)


def dependence(
    model: Any,
    X: Any,
    attribute: str,
    *,
    classes: Sequence[Label] | None = None,
    values: Sequence[Label | None] | None = None,
    max_cases: int | None = MAX_CASES,
    sample_weight: npt.ArrayLike | None = None,
    ax: Any = None,
    file: File = None,
) -> Any:
    """What does the model make of an attribute, all else as it is? The mean probability of classes for each value.

    Parameters
    ----------
    model : learner or Tree
    X : Dataset or table
    attribute : str
    classes : sequence of labels, optional
        By default, of two classes the second, else up to six whose probability changes most.
    values, max_cases, sample_weight
        See `ctree.evaluate.curves.dependence.partial_dependence`.
    ax, file
        As in `calibration`.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import ctree
    >>> golf = ctree.load_golf()
    >>> axes = ctree.plot.dependence(ctree.C45Classifier().fit(golf), golf, "humidity")  # doctest: +SKIP
    """
    found = partial_dependence(model, X, attribute, values=values, max_cases=max_cases, sample_weight=sample_weight)
    labels = [str(label) for label in found.classes]
    if classes is None:
        varying = np.argsort(-np.ptp(found.probabilities, axis=0), kind="stable")
        codes = [1] if len(labels) == 2 else sorted(varying[: len(STYLES)].tolist())
    else:
        codes = [class_place(label, found.classes) for label in classes]
    chart = coloured(dependence_chart(found, codes, labels), curve_colours(codes, len(labels)))
    return draw(chart, ax, file)


def pruning(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    folds: int | None = None,
    seed: int = 1,
    sample_weight: npt.ArrayLike | None = None,
    ax: Any = None,
    file: File = None,
) -> Any:
    """How large should the tree be? Errors of its prunings against their leaves.

    The trees are those of minimal cost-complexity pruning, from the tree as it was grown to a single leaf, with
    Wilson's 95 % interval of their errors; a vertical line is at the size of the model's own tree.

    Parameters
    ----------
    model : C45Classifier or ProbabilityTreeClassifier
    X, y, sample_weight
        Cases to test on, others than those of the fit; or with `folds` those of the fit, for cross-validation.
    folds : int, optional
    seed : int
    ax, file
        As in `calibration`.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import ctree
    >>> iris = ctree.load_iris()
    >>> axes = ctree.plot.pruning(ctree.C45Classifier(prune=False).fit(iris), iris, folds=10)  # doctest: +SKIP
    """
    found = pruning_path(model, X, y, folds=folds, seed=seed, sample_weight=sample_weight)
    return draw(pruning_chart(found), ax, file)
