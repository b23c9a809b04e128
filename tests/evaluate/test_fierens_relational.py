"""The experiments of Fierens and others on linked tables: trains made here, and small sets with names of theirs."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import ctree
from ctree.errors import DataError
from ctree.evaluate.papers.fierens2005 import experiments as fierens2005
from ctree.evaluate.papers.fierens2005.figures import LINKED, METHODS, PLAIN, ROOT_TESTS
from ctree.evaluate.papers.fierens2005.relational import only_structure
from ctree.evaluate.papers.fierens2005.setting import relational_learners
from ctree.evaluate.papers.fierens2005.trains import LOADS, trains
from ctree.evaluate.papers.fierens2005.trains_figures import pooled
from ctree.evaluate.papers.lab import Lab
from ctree.evaluate.protocols import StratifiedFolds


def molecules(n: int = 40, seed: int = 0) -> ctree.RelationalData:
    rng = np.random.default_rng(seed)
    atoms = 5 * n
    owner = np.arange(atoms) % n
    element = np.array(["c", "n", "o"])[rng.integers(3, size=atoms)]
    pairs = [(i, int(rng.integers(5)) * n + i % n) for i in range(atoms)]
    return ctree.RelationalData(
        {
            "molecule": {
                "id": np.arange(n),
                "logp": rng.random(n),
                "class": np.array(["a", "b"])[rng.integers(2, size=n)],
            },
            "atom": {"id": np.arange(atoms), "molecule": owner, "element": element},
            "bond": {"atom1": [a for a, _ in pairs], "atom2": [b for _, b in pairs]},
            "alert": {"molecule": rng.integers(n, size=n), "name": np.array(["x", "y"])[rng.integers(2, size=n)]},
        },
        target=("molecule", "class"),
        keys={"molecule": "id", "atom": "id"},
        foreign_keys={
            "atom.molecule": "molecule",
            "bond.atom1": "atom",
            "bond.atom2": "atom",
            "alert.molecule": "molecule",
        },
        symmetric={"bond": ("atom1", "atom2")},
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("data")
    ctree.write_relational(molecules(), place / "mutagenesis")
    ctree.write_relational(trains(550, seed=3), place / "relational" / "trains")
    return place


def test_all_published_sets_are_of_one_kind():
    assert (*PLAIN, *LINKED) == tuple(ROOT_TESTS)


def test_tables(folder):
    report = fierens2005.run(Lab(folder, quick=True, experiment="relational"))
    assert report.found == ["mutagenesis", "trains"]
    assert report.lacking == ["biodegradability", "carcinogenesis", "diterpenes", "hiv"]
    names = ["mutagenesis", "mutagenesis, atoms and bonds", "550 trains of the folder", "trains made here"]
    tests, figures, *marks, times = report.sections
    assert [row[0] for row in tests.rows] == names
    assert [row[0] for row in figures.rows][:: len(METHODS)] == names
    assert [len(section.rows) for section in marks] == [4, 4]
    assert len(times.rows) == 4 * len(METHODS)
    assert len(report.figures) == 2 * len(METHODS)  # those of mutagenesis: the trains are not the report's
    assert all(len(row) == len(section.columns) for section in report.sections for row in section.rows)


def test_the_figures_are_those_of_a_plain_loop(folder):
    report = fierens2005.run(Lab(folder, quick=True, experiment="relational"))
    data = ctree.read_relational(folder / "mutagenesis")
    sizes = []
    for split in StratifiedFolds(3, 5, 1).series(data.classes)[0].splits:
        model = ctree.RelationalTreeClassifier(method="c4.5", thresholds=8).fit(data.take(split.train))
        sizes.append(model.tree_.n_leaves)
    (row,) = [row for row in report.sections[1].rows if row[:2] == ["mutagenesis", "C4.5"]]
    assert row[5:7] == ["9 ± 5", f"{np.mean(sizes):.0f} ± {np.std(sizes, ddof=1):.0f}"]


def test_tests_on_atoms_and_bonds_only():
    data = molecules()
    model = only_structure(data)["C4.4"].fit(data)
    assert "logp" not in model.tree_.to_text("logic")
    assert "alert" not in model.tree_.to_text("logic")
    assert "logp" in relational_learners()["C4.4"].fit(data).tree_.to_text("logic")


@pytest.mark.parametrize(
    ("experiment", "rows"),
    [
        ("trains-examples", ["trains (500)", "trains (1000)", "trains (3000)"]),
        ("trains-skew", [f"trains, {share}% east" for share in (50, 60, 70, 80, 90, 95, 98)]),
    ],
)
def test_curves(tmp_path, experiment, rows):
    report = fierens2005.run(Lab(tmp_path, quick=True, experiment=experiment))
    assert [[row[0] for row in section.rows] for section in report.sections] == [rows, rows]
    assert len(report.findings) == 4


def test_a_folder_without_linked_tables(tmp_path):
    with pytest.raises(DataError, match="none of the paper's data sets was found: biodegradability"):
        fierens2005.run(Lab(tmp_path, experiment="relational"))


def test_draws_are_pooled_by_their_means():
    learners = {name: relational_learners(forward=1)[name] for name in ("MDLs", "Chi")}
    parts = [ctree.compare({"t": trains(90, s)}, learners, protocol=StratifiedFolds(3, 1)) for s in (1, 2)]
    both = pooled(parts)
    for i, part in enumerate(parts):
        assert both.scores["auc"][:, :, i].tolist() == part.means("auc").tolist()


def test_trains_are_what_is_asked_for():
    data = trains(300, seed=5, east=0.8)
    assert np.bincount(data.classes).tolist() == [240, 60]
    assert data.labels == trains(300, seed=5, east=0.8).labels
    assert data.labels != trains(300, seed=6, east=0.8).labels
    car = data.table("car")
    in_front, train, position = (car.column(name) for name in ("in_front", "train", "position"))
    linked = in_front >= 0
    assert (linked == (position > 1)).all()
    assert (train[in_front[linked]] == train[linked]).all()
    assert (position[in_front[linked]] == position[linked] - 1).all()
    assert ((car.column("load") < 0) == (car.column("load_number") == 0)).all()


def test_without_noise_trains_follow_the_rule():
    data = trains(400, seed=2, noise=0.0)
    car = data.table("car")
    texts = {
        name: [None if code < 0 else car.values[car.schema.index(name)][code] for code in car.column(name)]
        for name in ("length", "roof", "wheels", "load")
    }
    assert set(texts["load"]) == {*LOADS, None}
    east = []
    for example in range(len(data)):
        rows = np.flatnonzero(car.column("train") == example).tolist()
        loads = [texts["load"][row] for row in rows]
        good = any(
            (texts["length"][row] == "short" and texts["roof"][row] != "none")
            or (texts["wheels"][row] == "3" and texts["load"][row] == "triangle")
            for row in rows
        )
        east.append(good and ("rectangle", "circle") not in list(pairwise(loads)))
    assert ["east" if e else "west" for e in east] == data.labels
