"""Bagging and boosting as in Quinlan's paper, against a plain loop."""

from __future__ import annotations

import numpy as np
import pytest
from support.problems import random_problem

import ctree
from ctree.evaluate.papers import quinlan1996
from ctree.evaluate.papers.lab import Lab


def test_quinlan_has_the_errors_of_a_plain_loop(tmp_path):
    for seed, name in enumerate(("lymph", "vote", "chess")):  # the last by the paper's own name
        ctree.write_c45(random_problem(seed, 90, 3, [3, 0, 2, 0], 0.05).dataset(), str(tmp_path / name))
    report = quinlan1996.run(Lab(tmp_path, quick=True))
    assert report.found == ["kr-vs-kp", "lymph", "vote"]
    assert len(report.found) + len(report.lacking) == 27
    data = ctree.read_c45(str(tmp_path / "lymph"))
    (series,) = ctree.StratifiedFolds(folds=10, repeats=1).series(data.classes)
    row = next(row for row in report.sections[0].rows if row[0] == "lymph")
    for cell, learner in zip(row[1:], quinlan1996.learners().values(), strict=True):
        right = [learner.fit(data.take(s.train)).score(data.take(s.test)) for s in series.splits]
        assert cell == f"{100 * (1 - np.mean(right)):.2f}"
    averages = [float(cell) for cell in report.sections[0].rows[-1][1:]]
    rows = [[float(cell) for cell in row[1:]] for row in report.sections[0].rows[:-1]]
    assert np.mean(rows, axis=0) == pytest.approx(averages, abs=0.011)
    assert [finding.text.split()[0] for finding in report.findings] == ["bagging", *["boosting"] * 3, "votes"]
