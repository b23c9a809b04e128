"""The public sets of Nijssen 2008, here small made-up ones under the same names."""

from __future__ import annotations

import pytest
from support.problems import random_problem

import ctree
from ctree.evaluate.papers.lab import Lab
from ctree.evaluate.papers.nijssen2008 import experiments as nijssen2008

SHAPES = {"vote": (2, [2, 3, 2]), "tic-tac-toe": (2, [3, 3, 3]), "credit-g": (2, [0, 3])}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("data")
    for seed, (name, (n_classes, n_values)) in enumerate(SHAPES.items()):
        data = random_problem(seed, 120, n_classes, n_values, unknown=0.05).dataset()
        ctree.write_c45(data, str(place / name))
    return place


def test_nijssen_holds_the_average_against_the_map_tree(folder):
    report = nijssen2008.run(Lab(folder, quick=True))
    assert report.found == ["tic-tac-toe", "vote"]
    assert [len(section.rows) for section in report.sections] == [3, 3]
    assert [row[:2] for row in report.sections[0].rows] == [
        ["tic-tac-toe", "depth 3, 5 cases"],
        ["vote", "depth 3, 5 cases"],
        ["average", ""],
    ]
    assert len(report.findings) == 7


def test_nijssen_takes_the_laxest_feasible_limits_of_each_set(folder, monkeypatch):
    limits = {"vote": nijssen2008.Limits(2, 15), "tic-tac-toe": nijssen2008.Limits(1, 50)}
    monkeypatch.setattr(nijssen2008, "LIMITS", limits)
    report = nijssen2008.run(Lab(folder))
    comparison = report.details[2].comparison
    assert comparison.rows == ["vote", "tic-tac-toe"]
    most = comparison.means("leaves")[:, comparison.learners.index("MAP, uniform")]
    assert 2 < most[0] <= 4
    assert most[1] <= 2


def test_nijssen_with_other_numbers_of_bins(folder, monkeypatch):
    monkeypatch.setattr(nijssen2008, "BIN_SETS", ("?", "diabetes", "credit-g"))
    report = nijssen2008.run(Lab(folder, quick=True, experiment="bins"))
    (section,) = report.sections
    assert report.found
    heads = [f"{name}, {bins} bins" for name in ("J48", "optimal, uniform") for bins in (2, 4, 6, 8)]
    assert section.columns == ["set", *heads[:4], "J48, numbers", *heads[4:]]
    assert len(report.findings) == 2
