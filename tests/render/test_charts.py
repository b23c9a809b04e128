"""Charts by matplotlib and as SVG: the same numbers in both, legible, and for those who see few colours."""

from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import ctree
from ctree.errors import CtreeError, ModelError, ParameterError
from ctree.evaluate.curves.roc import roc_curve
from ctree.evaluate.scored import scored
from ctree.render.charts.chart import Chart, line, ticks, up_to_ticks
from ctree.render.charts.ranking import roc_chart
from ctree.render.charts.style import REFERENCE, STYLES
from ctree.render.charts.svg import svg_chart
from ctree.render.colours import class_colours

pytest.importorskip("matplotlib")

SVG = "{http://www.w3.org/2000/svg}"

# Machado, Oliveira, Fernandes: A physiologically-based model for simulation of color vision deficiency, 2009.
SEEN = {
    "without red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "without green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "without blue": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
    "all colours": np.eye(3),
}


@pytest.fixture(scope="module")
def golf():
    return ctree.load_golf()


@pytest.fixture(scope="module")
def iris():
    return ctree.load_iris()


@pytest.fixture(scope="module")
def model(iris):
    return ctree.C45Classifier(min_cases=5).fit(iris)


def lab(colour, seen):
    """A colour as somebody sees it, in CIELAB."""
    parts = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    light = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    light = np.clip(np.array(seen) @ light, 0, 1)
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ light
    f = [t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in xyz / np.array([0.9505, 1, 1.089])]
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("seen", SEEN.values(), ids=SEEN.keys())
def test_colours_can_be_told_apart(seen):
    for one, other in itertools.combinations(STYLES, 2):
        assert np.linalg.norm(lab(one.colour, seen) - lab(other.colour, seen)) > 15, (one, other)


@pytest.mark.parametrize("seen", SEEN.values(), ids=SEEN.keys())
def test_colours_of_the_first_classes_can_be_told_apart(seen):
    for one, other in itertools.combinations(class_colours(4), 2):
        assert np.linalg.norm(lab(one, seen) - lab(other, seen)) > 15, (one, other)


@pytest.mark.parametrize("n_classes", [2, 5, 26])
def test_curves_have_the_colours_of_their_classes(n_classes):
    rng = np.random.default_rng(1)
    codes = rng.integers(0, n_classes, 400)
    labels = [f"c{c:02}" for c in codes]
    model = ctree.C45Classifier(min_cases=20).fit(codes[:, None] + rng.normal(0, 1.0, (400, 1)), labels)
    X = codes[:, None] + rng.normal(0, 1.0, (400, 1))
    shown = [labels[int(np.flatnonzero(codes == c)[0])] for c in (1, 0)]
    expected = [class_colours(n_classes)[c] for c in (1, 0)] if n_classes <= 10 else [s.colour for s in STYLES[:2]]
    for plot in (ctree.plot.roc, ctree.plot.gains, ctree.plot.lift, ctree.plot.cost, ctree.plot.calibration):
        axes = plot(model, X, labels, classes=shown)
        assert [one.get_color() for one in axes.get_lines() if one.get_color() != REFERENCE.colour] == expected


def test_axes_end_at_ticks():
    rng = np.random.default_rng(2)
    for _ in range(300):
        low = float(rng.choice([0.0, -1.0])) * 10 ** rng.uniform(-6, 4)
        high = 10 ** rng.uniform(-6, 4)
        wider = up_to_ticks(low, high)
        places = ticks(*wider)
        assert wider[0] <= low + 1e-9 * abs(low)
        assert wider[1] >= high * (1 - 1e-9)
        assert np.allclose([places[0], places[-1]], wider, rtol=1e-9, atol=1e-12)
        assert 2 <= len(places) <= 7


def test_lines_differ_without_colours_too():
    assert len({style.dashes for style in STYLES}) == len(STYLES)
    assert len({style.mark for style in STYLES}) == len(STYLES)


PLOTS = {
    "calibration": lambda m, d, **o: ctree.plot.calibration(m, d, groups=4, **o),
    "roc": lambda m, d, **o: ctree.plot.roc(m, d, **o),
    "lift": lambda m, d, **o: ctree.plot.lift(m, d, **o),
    "gains": lambda m, d, **o: ctree.plot.gains(m, d, **o),
    "cost": lambda m, d, **o: ctree.plot.cost(m, d, **o),
    "learning": lambda m, d, **o: ctree.plot.learning(m, d, repeats=2, sizes=[8, 100], **o),
    "importance": lambda m, d, **o: ctree.plot.importance(m, d, repeats=2, **o),
    "importance of a tree": lambda m, d, **o: ctree.plot.importance(m, **o),
    "dependence": lambda m, d, **o: ctree.plot.dependence(m, d, "petal_width", **o),
    "pruning": lambda m, d, **o: ctree.plot.pruning(m, d, **o),
}


@pytest.mark.parametrize("draw", PLOTS.values(), ids=PLOTS.keys())
def test_every_plot_says_what_it_is(draw, model, iris, tmp_path):
    from support.drawings import drawn

    axes = draw(model, iris, file=tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 5000
    assert axes.get_title(loc="left")
    assert axes.get_xlabel()
    assert axes.get_ylabel() or axes.get_yticklabels()
    renderer = drawn(axes.figure)
    texts = [axes.xaxis.label, axes.yaxis.label, axes.title, *axes.get_xticklabels(), *axes.get_yticklabels()]
    for text in filter(lambda text: text.get_text(), texts):
        box = text.get_window_extent(renderer)
        assert box.x0 >= -1, text
        assert box.x1 <= renderer.width + 1, text
    boxes = [label.get_window_extent(renderer) for label in axes.get_xticklabels()]
    assert all(b.x0 > a.x1 for a, b in itertools.pairwise(sorted(boxes, key=lambda box: box.x0)))


def test_axes_are_drawn_on_and_returned(model, iris):
    from matplotlib.figure import Figure

    axes = Figure().subplots()
    assert ctree.plot.roc(model, iris, ax=axes) is axes
    assert len(axes.lines) == 4


def test_the_plot_has_the_numbers_of_the_curve(model, iris):
    cases = scored(model, iris)
    curve = roc_curve(cases.codes == 1, cases.probabilities[:, 1])
    axes = ctree.plot.roc(model, iris, classes=["Iris-versicolor"])
    np.testing.assert_array_equal(axes.lines[1].get_xdata(), curve.false_alarms)
    np.testing.assert_array_equal(axes.lines[1].get_ydata(), curve.hits)
    assert f"area {curve.area.value:.3f}" in axes.get_legend().get_texts()[0].get_text()


def test_of_two_classes_the_rarer_is_shown(golf):
    axes = ctree.plot.calibration(ctree.NaiveBayesClassifier().fit(golf), golf)
    assert [text.get_text() for text in axes.get_legend().get_texts()][1:] == ["Don't Play"]


def test_strange_names_are_text():
    X, y = np.arange(8.0)[:, None] % 4, ["_hidden", "$x^2$", "<b>&", "_hidden"] * 2
    cases = ctree.from_arrays(X, y, feature_names=["$y_1$"])
    axes = ctree.plot.roc(ctree.NaiveBayesClassifier().fit(cases), cases)
    texts = axes.get_legend().get_texts()
    assert [re.split(":", text.get_text())[0].strip() for text in texts] == ["$x^2$", "<b>&", "_hidden"]
    assert not any(text.get_parse_math() for text in texts)


def test_svg_has_the_points_of_the_chart():
    """Along the axes, between the ticks with these numbers."""
    curve = roc_curve([True, True, False, True, False], [0.9, 0.8, 0.7, 0.6, 0.1])
    element = ET.fromstring(svg_chart(roc_chart({"<a&b>": curve}), "one"))
    texts = {text.text: text for text in element.iter(f"{SVG}text")}
    low = texts["0%"]
    assert any("<a&b>" in (text or "") for text in texts)
    assert element.find(f"{SVG}title").text == "ROC curve"
    assert "0.833" in element.find(f"{SVG}desc").text
    marks = {(t.text, t.get("text-anchor")): t for t in element.iter(f"{SVG}text")}
    x0, x1 = (float(marks[t, "middle"].get("x")) for t in ("0%", "100%"))
    y0, y1 = (float(marks[t, "end"].get("y")) - 4 for t in ("0%", "100%"))
    ways = [
        p.get("d")
        for p in element.iter(f"{SVG}path")
        if p.get("stroke") == STYLES[0].colour and "h24" not in p.get("d")
    ]
    points = [tuple(map(float, pair.split())) for pair in ways[0][1:].split("L")]
    expected = [(x0 + x * (x1 - x0), y0 + y * (y1 - y0)) for x, y in zip(curve.false_alarms, curve.hits, strict=True)]
    np.testing.assert_allclose(points, expected, atol=0.1)
    assert low is not None


def test_svg_of_names_without_end():
    bars = line("w" * 500, [0.5, -0.5], [0, 1], kind="bars", low=np.zeros(2), high=np.ones(2))
    chart = Chart("t", "x", "", (-1, 1), (0, 1), (bars,), y_names=("n" * 500, "\ud800\x00"))
    text = svg_chart(chart, "c")
    ET.fromstring(text)
    assert max(len(t.text) for t in ET.fromstring(text).iter(f"{SVG}text")) <= 60


def test_what_cannot_be_plotted_is_said(model, iris, golf):
    one_class = iris.take(iris.classes == 0)
    wrong = [
        (lambda: ctree.plot.roc(model, one_class), CtreeError, "nothing to tell apart"),
        (lambda: ctree.plot.roc(model, iris, classes=["rose"]), ParameterError, "no class 'rose'"),
        (lambda: ctree.plot.roc(model, iris, classes="rose"), ParameterError, "a list of classes"),
        (lambda: ctree.plot.calibration(model, iris, classes=[]), ParameterError, "1 to 6 classes"),
        (lambda: ctree.plot.learning(model, iris, measure="size"), ParameterError, "error, log-loss, brier"),
        (lambda: ctree.plot.importance(ctree.NaiveBayesClassifier().fit(golf)), ModelError, "give cases"),
        (lambda: ctree.plot.dependence(model, iris, "petal_width", classes=["x"]), ParameterError, "no class 'x'"),
    ]
    for call, error, message in wrong:
        with pytest.raises(error, match=message):
            call()
