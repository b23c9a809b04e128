"""Pictures of comparisons."""

from __future__ import annotations

import sys

import pytest
from support.problems import random_problem

import ctree
from ctree.errors import CtreeError, MissingExtraError
from ctree.evaluate.comparison import compare
from ctree.evaluate.protocols import StratifiedFolds
from ctree.render.plots.comparison import cliques, plot_comparison


@pytest.fixture(scope="module")
def result():
    sets = {f"s{i}": random_problem(i, 40, 2, [3, 0]).dataset() for i in range(3)}
    learners = {"a": ctree.C45Classifier(), "b": ctree.NaiveBayesClassifier(), "c": ctree.BayesianTreeClassifier()}
    return compare(sets, learners, protocol=StratifiedFolds(2, 2))


def test_cliques_are_the_widest_runs():
    assert cliques([1.0, 2.0, 3.0], 0.5) == []
    assert cliques([1.0, 2.0, 3.0], 1.0) == [(0, 1), (1, 2)]
    assert cliques([1.0, 2.0, 3.0], 5.0) == [(0, 2)]
    assert cliques([1.0, 1.0, 4.0, 4.5, 4.6], 0.7) == [(0, 1), (2, 4)]


def test_a_picture_has_every_learner(result, tmp_path):
    pytest.importorskip("matplotlib")
    file = tmp_path / "plot.svg"
    figure = plot_comparison(result, "brier", file=file)
    assert file.read_text().startswith("<?xml")
    assert len(result.plot("brier", file=file).axes) == len(figure.axes)
    diagram, chart = figure.axes
    texts = [text.get_text() for text in diagram.texts]
    ranks = result.friedman("brier").ranks
    assert [f"{n} ({r:.2f})" in texts for n, r in zip("abc", ranks, strict=True)] == [True] * 3
    points = {line.get_label(): (line.get_xdata()[0], line.get_ydata()[0]) for line in chart.lines}
    for place, name in enumerate("abc"):
        assert points[name] == pytest.approx(
            (100 * result.means("accuracy")[:, place].mean(), -result.means("log-likelihood")[:, place].mean())
        )


def test_wrong_places_and_missing_libraries_are_said(result, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "matplotlib.figure", None)
        with pytest.raises(MissingExtraError, match="matplotlib"):
            plot_comparison(result)
    pytest.importorskip("matplotlib")
    with pytest.raises(CtreeError, match="cannot be written"):
        plot_comparison(result, file=tmp_path / "plot.nothing")
