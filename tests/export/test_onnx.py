"""Trees as ONNX: onnxruntime gives the class of the model and its probabilities in 32 bits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import exported
from support.chains import chain
from support.problems import problems, random_problem

import ctree
from ctree.cli.main import main
from ctree.errors import ModelError, ParameterError
from ctree.export.plan import plan_of

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

LEARNERS = [
    ctree.C45Classifier(min_cases=1),
    ctree.C45Classifier(group_values=True, min_cases=1, estimate="laplace"),
    ctree.C45Classifier(variant="j48"),
    ctree.ProbabilityTreeClassifier(binary_splits=False),
    ctree.BayesianTreeClassifier(bins=3, unknown="impute", prior_weight=1),
    ctree.OptimalTreeClassifier(max_depth=2),
]


def run(model, cases):
    """The labels and the probabilities."""
    data = ctree.to_onnx(model)
    onnx.checker.check_model(onnx.load_from_string(data), full_check=True)
    session = onnxruntime.InferenceSession(data)
    given = {}
    for entry in session.get_inputs():
        column = [case[entry.name] for case in cases]
        if entry.type == "tensor(double)":
            given[entry.name] = np.array([[np.nan if v is None else v] for v in column], dtype=np.float64)
        elif entry.type == "tensor(int64)":
            given[entry.name] = np.array([[-99 if v is None else int(v)] for v in column], dtype=np.int64)
        else:
            given[entry.name] = np.array([["?" if v is None else str(v)] for v in column], dtype=object)
    return session.run(["label", "probabilities"], given)


def needs_unknown(model, case):
    """Whether the tree asks for a value that the case does not have, question by question."""
    plan, node = plan_of(model), 0
    while (question := plan.questions[node]) is not None:
        entry, filler = plan.schema[question.attribute], plan.fillers[question.attribute]
        value = case[entry.name]
        if entry.is_discrete:
            code = filler if value is None else entry.values.index(value)
            branch = -1 if code is None else question.branch_of[code]
        else:
            number = filler if value is None else value
            branch = -1 if number is None else sum(number > cut for cut in question.cuts)
        if branch < 0:
            return True
        node = question.first + branch
    return False


@settings(max_examples=40, deadline=None)
@given(problems(), st.sampled_from(LEARNERS))
def test_the_model(problem, learner):
    data = problem.dataset()
    model = learner.fit(data)
    data = exported.together(data, exported.with_unknown(data, 0.3))
    cases = exported.cases_of(data)
    if not plan_of(model).attributes:
        with pytest.raises(ModelError, match="needs an input, but the tree asks for nothing"):
            ctree.to_onnx(model)
        return
    labels, shares = run(model, cases)
    expected, predicted = model.predict_proba(data).astype(np.float32), list(map(str, model.predict(data)))
    nothing = -(2**63) if labels.dtype.kind == "i" else ""
    for case, label, share, p, best in zip(cases, labels.tolist(), shares, expected, predicted, strict=True):
        if needs_unknown(model, case):
            assert label == nothing
            assert not share.any()
        else:
            assert str(label) == best
            assert share == pytest.approx(p, abs=1e-7)


def test_numbers_that_only_just_pass_a_threshold():
    X = np.array([[0.1], [0.2], [0.3], [0.4]])
    for model in (ctree.C45Classifier(prune=False), ctree.ProbabilityTreeClassifier()):
        model.fit(X, list("aabb"))
        cut = plan_of(model).questions[0].cuts[0]
        near = [cut, np.nextafter(cut, 1), np.nextafter(cut, -1)]
        assert run(model, [{"x0": x} for x in near])[0].tolist() == ["a", "b", "a"]


def test_labels_that_are_no_texts():
    X = {"n": [1, 2, 3] * 20, "b": [True, False] * 30, "m": ["1", "2", "2.5", "x"] * 15}
    y = [(n + b) % 3 for n, b in zip(X["n"], X["b"], strict=True)]
    data = ctree.from_arrays(X, y, categorical_features=["n", "b", "m"])
    model = ctree.ProbabilityTreeClassifier(binary_splits=False).fit(data)
    labels, shares = run(model, exported.cases_of(data))
    assert labels.dtype == np.int64
    assert labels.tolist() == model.predict(data).tolist() == y
    assert shares == pytest.approx(model.predict_proba(data), abs=1e-7)


def test_a_deep_tree():
    tree = chain(1500)
    cases = [{a.name: x for a in tree.schema} for x in (-1.0, 3.0, 700.0, 1499.5, 1e9)]
    data = ctree.Dataset(tree.schema, [np.array([case[a.name] for case in cases]) for a in tree.schema], n_cases=5)
    assert run(tree, cases)[1] == pytest.approx(tree.predict_proba(data), abs=1e-7)


class TestWhatIsRefused:
    def test_models_that_are_no_tree(self):
        golf = ctree.load_golf()
        for learner in (ctree.C45RulesClassifier(), ctree.NaiveBayesClassifier()):
            with pytest.raises(ParameterError, match=r"ONNX has no form for a .*; export it as SQL, PMML, Python or C"):
                ctree.to_onnx(learner.fit(golf))

    def test_classes_that_do_not_follow(self):
        with pytest.raises(ModelError, match=r"the ONNX of J48's variant .* would have no class"):
            ctree.to_onnx(ctree.C45Classifier(variant="j48", estimate="laplace").fit(ctree.load_golf()))

    def test_names(self):
        for name, message in (("", "does not allow empty names"), ("label", "from the output of that name")):
            model = ctree.C45Classifier(prune=False, min_cases=1).fit({name: [1.0, 2.0]}, ["a", "b"])
            with pytest.raises(ModelError, match=message):
                ctree.to_onnx(model)


def test_the_command(tmp_path, capsys):
    model = ctree.C45Classifier().fit(random_problem(3, 60, 2, [3, 0, 2]).dataset())
    path, out = str(tmp_path / "m.json"), tmp_path / "m.onnx"
    ctree.save(model, path)
    assert main(["export", path, "--to", "onnx"]) == 2
    assert "ONNX is no text: --output says which file to write it to" in capsys.readouterr().err
    assert main(["export", path, "--to", "onnx", "-o", str(out)]) == 0
    assert out.read_bytes() == model.to_onnx() == ctree.to_onnx(model)
