"""Bagging and boosting as in Quinlan's paper, against a plain loop."""

from __future__ import annotations

import numpy as np
import pytest
from support.problems import random_problem

import ctree
from ctree.evaluate.papers import quinlan1996
from ctree.evaluate.papers.lab import Lab


def test_quinlan_has_the_errors_of_a_plain_loop(tmp_path):
    for seed, name in enumerate(("lymph", "vote", "hypo")):  # the last by the paper's own name
        ctree.write_c45(random_problem(seed, 90, 3, [3, 0, 2, 0], 0.05).dataset(), str(tmp_path / name))
    report = quinlan1996.run(Lab(tmp_path, quick=True))
    assert report.found == ["hypothyroid", "lymph", "vote"]
    assert len(report.found) + len(report.lacking) == 27
    data = ctree.read_c45(str(tmp_path / "lymph"))
    (series,) = ctree.StratifiedFolds(folds=10, repeats=1).series(data.classes)
    assert report.sections[0].columns[:4] == ["set", "C4.5: paper", "C4.5: ours", "C4.5: difference"]
    table = {row[0]: row[1:] for row in report.sections[0].rows}
    ours = {name: [*cells[1:9:3], cells[9]] for name, cells in table.items()}
    for cell, learner in zip(ours["lymph"], quinlan1996.learners().values(), strict=True):
        right = [learner.fit(data.take(s.train)).score(data.take(s.test)) for s in series.splits]
        assert cell == f"{100 * (1 - np.mean(right)):.2f}"
    averages = np.array(ours.pop("average"), dtype=float)
    assert np.array(list(ours.values()), dtype=float).mean(axis=0) == pytest.approx(averages, abs=0.011)
    assert [table["lymph"][i] for i in (0, 3, 6)] == ["21.69", "20.41", "17.43"]
    assert report.figures == []  # one cross-validation has no deviation
    assert [finding.text.split()[0] for finding in report.findings] == ["bagging", *["boosting"] * 3, "votes"]


def test_the_figures_of_the_paper_add_up_to_its_averages_and_ratios():
    c45, bagged, boosted = np.array(list(quinlan1996.PUBLISHED.values())).T
    assert [round(float(column.mean()), 2) for column in (c45, bagged, boosted)] == [15.66, 14.11, 13.36]
    ratios = [float((above / below).mean()) for above, below in ((bagged, c45), (boosted, c45), (boosted, bagged))]
    assert ratios == pytest.approx([0.905, 0.847, 0.930], abs=0.001)
    assert [(bagged < c45).sum(), (boosted < c45).sum()] == [24, 21]


def test_a_figure_agrees_within_the_error_of_repeated_cross_validations(tmp_path):
    ctree.write_c45(random_problem(3, 60, 2, [3, 0], 0.0).dataset(), str(tmp_path / "vote"))
    report = quinlan1996.run(Lab(tmp_path))
    data, learner = ctree.read_c45(str(tmp_path / "vote")), ctree.C45Classifier()
    errors = []
    for series in ctree.StratifiedFolds(folds=10, repeats=10).series(data.classes):
        errors += [100 * (1 - learner.fit(data.take(s.train)).score(data.take(s.test))) for s in series.splits]
    means = np.array(errors).reshape(10, 10).mean(axis=1)
    figure = report.figures[0]
    assert (figure.kind, figure.published) == ("C4.5", 5.06)
    assert figure.ours == pytest.approx(means.mean())
    assert figure.error == pytest.approx(means.std(ddof=1) / np.sqrt(10))
