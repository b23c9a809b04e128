"""A learner that only declares itself and is listed in the registry: everything else follows."""

from __future__ import annotations

import json
import sys
from types import ModuleType
from typing import Any, Self

import numpy as np
import pytest

import ctree
from ctree.cli.main import main
from ctree.data.dataset import Dataset
from ctree.data.fields import Fields
from ctree.data.schema import Schema
from ctree.domains.numeric import Number
from ctree.errors import ModelError, ParameterError
from ctree.evaluate.candidates import parsed_candidates
from ctree.learners import registry
from ctree.learners.base.classifier import Classifier, Floats
from ctree.learners.base.parameters import fitted, parameter
from ctree.tree.fields import matrix_of


class MajorityClassifier(Classifier):
    """Gives every case the frequencies of the classes.

    Examples
    --------
    >>> 1 + 1
    2
    """

    smoothing: float = parameter(1.0, Number(least=0), "What is added to the count of every class. Laplace's is 1.")
    counts_: Floats = fitted("array (classes,)", "The weight of the cases of each class.")

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        self._check_parameters()
        data = self._training_cases(X, y, sample_weight)
        counts = np.bincount(data.classes, data.weights, data.schema.n_classes).astype(np.float64)
        self._become(data.schema, counts_=counts)
        return self

    def to_text(self) -> str:
        return f"counts: {self.counts_.tolist()}"

    def size_text(self) -> str:
        return f"{len(self.counts_)} counts"

    def summary(self) -> dict[str, Any]:
        return {"counts": self.counts_.tolist()}

    def _probabilities(self, data: Dataset) -> Floats:
        smoothed = self.counts_ + self.smoothing
        return np.tile(smoothed / smoothed.sum(), (data.n_cases, 1))

    def _fitted_fields(self) -> dict[str, Any]:
        return {"counts": self.counts_.tolist()}

    def _restore(self, fields: Fields, schema: Schema) -> None:
        self.counts_ = matrix_of([fields.get("counts", list)], schema.n_classes, "counts")[0]


@pytest.fixture(autouse=True)
def listed(monkeypatch):
    module = ModuleType("majority")
    module.MajorityClassifier = MajorityClassifier
    monkeypatch.setitem(sys.modules, "majority", module)
    monkeypatch.setitem(registry.LEARNERS, "MajorityClassifier", "majority")
    monkeypatch.setitem(registry.METHODS, "majority", registry.Method("MajorityClassifier", "the class frequencies"))


def test_its_constructor_and_docstring_follow_from_the_declaration():
    assert MajorityClassifier(smoothing=2).get_params() == {
        "smoothing": 2,
        "categorical_features": None,
        "class_weight": None,
        "costs": None,
        "unseen": "unknown",
    }
    with pytest.raises(TypeError, match="unexpected keyword argument 'smooth'"):
        MajorityClassifier(smooth=2)
    sections = MajorityClassifier.__doc__.split("\n\n")
    assert sections[1].startswith(
        "Parameters\n----------\nsmoothing : float, default=1.0\n    What is added to the count of every class."
    )
    assert sections[2].startswith("Attributes\n----------\ncounts_ : array (classes,)\n    The weight of the cases")
    assert sections[3].startswith("Examples")


def test_its_parameter_is_checked():
    with pytest.raises(ParameterError, match="smoothing must be a number at least 0, not -1"):
        MajorityClassifier(smoothing=-1).fit(ctree.load_golf())


def test_it_is_saved_and_loaded(tmp_path):
    golf = ctree.load_golf()
    model = MajorityClassifier(smoothing=0.5).fit(golf)
    ctree.save(model, tmp_path / "model.json")
    loaded = ctree.load(tmp_path / "model.json")
    assert loaded.smoothing == 0.5
    assert (loaded.predict_proba(golf) == model.predict_proba(golf)).all()
    content = json.loads((tmp_path / "model.json").read_text())
    content["parameters"]["smoothing"] = "much"
    (tmp_path / "model.json").write_text(json.dumps(content))
    with pytest.raises(ModelError, match=r"'parameters\.smoothing' should be a number at least 0, not 'much'"):
        ctree.load(tmp_path / "model.json")


def test_the_command_learns_it(capsys):
    assert main(["learn", "examples/golf", "--method", "majority", "--smoothing", "3"]) == 0
    out = capsys.readouterr().out
    assert "counts: [9.0, 5.0]" in out
    assert "Size:      2 counts" in out
    assert main(["learn", "examples/golf", "--smoothing", "3"]) == 2
    assert "--smoothing is not an option of --method c4.5, but of majority" in capsys.readouterr().err
    assert main(["learn", "--method", "majority", "--help"]) == 0
    assert "what is added to the count of every class (default: 1)" in " ".join(capsys.readouterr().out.split())
    assert main(["learn", "examples/golf", "--method", "majority", "--smoothing", "-1"]) == 2
    assert "argument --smoothing: it should be a number at least 0, not '-1'" in capsys.readouterr().err


def test_a_comparison_takes_it_by_the_same_name_and_with_the_same_error():
    (candidate,) = parsed_candidates("majority(smoothing=3)")
    assert repr(candidate.learner) == "MajorityClassifier(smoothing=3)"
    with pytest.raises(ParameterError, match="smoothing must be a number at least 0, not -1"):
        parsed_candidates("majority(smoothing=-1)")
    with pytest.raises(ParameterError, match="has no parameter 'depth'; it has smoothing"):
        parsed_candidates("majority(depth=1)")


def test_every_learner_has_a_name_for_headings():
    assert set(registry.TITLES) == {*registry.LEARNERS, *registry.RELATIONAL_LEARNERS} - {"MajorityClassifier"}
    assert registry.heading_of(MajorityClassifier()) == "MajorityClassifier"
