"""What winnowing finds, beside the slow version."""

from __future__ import annotations

import json

import numpy as np
import pytest
from naive.winnowing import winnowed
from support.problems import random_problem

import ctree
from ctree.errors import DataError, ParameterError

LEARNERS = {
    "c4.5": ctree.C45Classifier,
    "j48": lambda: ctree.C45Classifier(variant="j48"),
    "laplace": lambda: ctree.C45Classifier(estimate="laplace", class_weight="balanced"),
    "probability": ctree.ProbabilityTreeClassifier,
    "bayesian": ctree.BayesianTreeClassifier,
    "rules": ctree.C45RulesClassifier,
    "naive-bayes": ctree.NaiveBayesClassifier,
    "forest": lambda: ctree.CommitteeClassifier(method="forest", members=4, random_state=3),
    "costly": lambda: ctree.C45Classifier(costs={("c0", "c1"): 4, ("c1", "c0"): 0.5}),
}


def some_cases(seed, n=80, unknown=0.1, weighed=False):
    data = random_problem(seed, n, 2, [0, 3, 0, 2, 4], unknown=unknown, noise=0.15).dataset()
    rng = np.random.default_rng(seed)
    return data.with_weights(rng.integers(1, 4, n).astype(float)) if weighed else data


def agree(found, expected):
    kept, rises, loss_all, loss_kept = expected
    assert list(found.kept) == kept
    assert found.to_dict()["rises"] == pytest.approx(rises, abs=1e-12)
    assert (found.loss_all, found.loss_kept) == pytest.approx((loss_all, loss_kept), abs=1e-12)


@pytest.mark.parametrize("by", ["refit", "unknown", "permute"])
@pytest.mark.parametrize("name", LEARNERS)
def test_as_the_slow_version(name, by):
    left_out = 0
    losses = ("log-loss", "brier", "error", *(["cost"] if name == "costly" else []))
    for seed, loss in enumerate(losses):
        data = some_cases(seed, weighed=seed % 2 == 1)
        found = ctree.winnow(data, estimator=LEARNERS[name](), loss=loss, by=by, random_state=seed)
        agree(found, winnowed(LEARNERS[name], data, loss, by, seed))
        left_out += len(found.left_out)
    assert left_out > 0


def test_one_of_those_that_stand_for_each_other_is_kept():
    # each of two that are much the same may be of no use beside the other, but without both there is nothing
    stayed = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        y = rng.integers(2, size=120)
        first, second = (np.where(rng.random(120) < 0.15, 1 - y, y).astype(str) for _ in range(2))
        data = ctree.from_arrays({"a": first, "b": second, "c": rng.random(120)}, y)
        make = ctree.ProbabilityTreeClassifier
        found = ctree.winnow(data, estimator=make(), random_state=seed)
        agree(found, winnowed(make, data, "log-loss", "refit", seed))
        stayed += any(use.kept and use.rise is not None and use.rise <= 0 for use in found.attributes)
        assert {"a", "b"} & set(found.kept)
    assert stayed > 0


def test_learned_without_is_unknown_to_naive_bayes():
    data = some_cases(5, unknown=0.0).take(np.arange(60))
    rises = [
        ctree.winnow(data, estimator=ctree.NaiveBayesClassifier(), by=by).to_dict()["rises"]
        for by in ("refit", "unknown")
    ]
    assert rises[0] == pytest.approx(rises[1], abs=1e-12)


def test_useful_attributes_of_a_wide_table():
    rng = np.random.default_rng(1)
    x = rng.random((600, 3000))
    y = np.where(x[:, 7] > 0.5, x[:, 70] > 0.5, x[:, 700] > 0.3)
    found = ctree.winnow(x, y)
    assert {"x7", "x70", "x700"} <= set(found.kept)
    assert len(found.kept) < 20


class TestReport:
    def test_the_same_seed_gives_the_same(self):
        data = some_cases(3)
        found = [ctree.winnow(data, random_state=seed) for seed in (4, 4, 5)]
        assert found[0] == found[1] != found[2]
        rng = np.random.default_rng(0)
        assert ctree.winnow(data, random_state=rng).seed != ctree.winnow(data, random_state=rng).seed

    def test_as_text_dict_frame_and_html(self):
        pytest.importorskip("pandas")
        iris = ctree.load_iris()
        found = ctree.winnow(iris, estimator=ctree.ProbabilityTreeClassifier())
        assert "petal_length" in str(found)
        assert "left out" in repr(found)
        assert json.loads(json.dumps(found.to_dict())) == found.to_dict()
        frame = found.to_frame()
        assert frame["attribute"].tolist()[0] == "petal_length"
        assert frame["kept"].sum() == len(found.kept)
        assert "<b>petal_length</b>" in found._repr_html_()

    def test_names_are_not_taken_for_tags(self):
        classes = np.arange(40) % 2
        for used, unused in (("<script>", "b"), ("b", "<script>")):
            page = ctree.winnow({used: classes, unused: np.arange(40) % 7}, classes)._repr_html_()
            assert "&lt;script&gt;" in page
            assert "<script>" not in page

    def test_many_attributes_are_not_all_shown(self):
        rng = np.random.default_rng(0)
        found = ctree.winnow(rng.random((60, 200)), rng.integers(2, size=60))
        assert len(str(found).splitlines()) < 30
        assert f"{sum(not use.used for use in found.attributes)} attributes not used: x0, x1" in str(found)
        by_all = ctree.winnow(rng.random((60, 50)), rng.integers(2, size=60), ctree.NaiveBayesClassifier())
        assert len(str(by_all).splitlines()) < 60
        assert "10 attributes more" in str(by_all)
        assert "10 attributes not shown" in by_all._repr_html_()

    def test_reduced_data_give_the_model_of_the_kept_attributes(self):
        data = some_cases(6)
        found = ctree.winnow(data)
        model = ctree.C45Classifier().fit(found.reduced(data))
        alone = ctree.C45Classifier().fit(data.drop(found.left_out))
        assert found.left_out
        assert model.to_text() == alone.to_text()
        assert model.predict_proba(data).tolist() == alone.predict_proba(data.drop(found.left_out)).tolist()


class TestBadInput:
    def test_too_few_cases(self):
        with pytest.raises(DataError, match="at least 2 in each, but there are only 3 cases"):
            ctree.winnow(ctree.load_golf()[:3])
        assert ctree.winnow(ctree.load_golf()[:4]).n_tested == 2

    def test_no_attribute_to_be_winnowed(self):
        data = ctree.load_golf()
        ignored = [ctree.Attribute(a.name, ctree.Kind.IGNORE) for a in data.schema]
        bare = data.replaced(ctree.Schema(tuple(ignored), data.schema.classes), [None] * 4)
        with pytest.raises(DataError, match="no attribute to be winnowed"):
            ctree.winnow(bare)

    def test_one_attribute(self):
        found = ctree.winnow({"a": np.arange(40) % 2}, np.arange(40) % 2)
        assert found.kept == ("a",)

    def test_all_are_kept_where_none_is_used(self):
        rng = np.random.default_rng(3)
        found = ctree.winnow(rng.random((40, 3)), np.arange(40) % 2, ctree.BayesianTreeClassifier())
        assert found.left_out == ()
        assert "asks for no attribute" in str(found)

    def test_one_class(self):
        found = ctree.winnow({"a": np.arange(10.0)}, ["only"] * 10)
        assert found.kept == ("a",)

    @pytest.mark.parametrize(
        "naming", [{"monotone": {"humidity": 1}}, {"not_below": {"humidity": ["windy"]}}, {"first_tests": ["windy"]}]
    )
    def test_parameters_that_name_attributes(self, naming):
        golf, parameter = ctree.load_golf(), next(iter(naming))
        with pytest.raises(ParameterError, match=f"without some attributes, which its {parameter} may name"):
            ctree.winnow(golf, estimator=ctree.C45Classifier(**naming))
        with pytest.raises(ParameterError, match="learn from the attributes that are kept"):
            ctree.C45Classifier(winnow=True, **naming).fit(golf)

    def test_wrong_parameters(self):
        golf = ctree.load_golf()
        with pytest.raises(ParameterError, match="loss must be 'log-loss', 'brier', 'error' or 'cost'"):
            ctree.winnow(golf, loss="accuracy")
        with pytest.raises(ParameterError, match="by must be"):
            ctree.winnow(golf, by="drop")
        with pytest.raises(ParameterError, match=r"estimator must be a learner of ctree .*, not 'c4.5'"):
            ctree.winnow(golf, estimator="c4.5")
        with pytest.raises(ParameterError, match="loss='cost' needs costs, and the C45Classifier has none"):
            ctree.winnow(golf, loss="cost")
        with pytest.raises(ParameterError, match="confidence"):
            ctree.winnow(golf, estimator=ctree.C45Classifier(confidence=7))

    def test_cases_of_unknown_class_take_no_part(self):
        data = some_cases(7)
        classes = np.array(data.classes)
        classes[::5] = -1
        some = ctree.Dataset(data.schema, data.columns, classes)
        known = np.flatnonzero(classes >= 0)
        found = ctree.winnow(some, estimator=ctree.C45Classifier(variant="j48"))
        assert found.n_learned + found.n_tested == len(known)

    def test_a_data_set_without_these_attributes(self):
        found = ctree.winnow(ctree.load_iris())
        with pytest.raises(DataError, match=r"petal_length|sepal_length"):
            found.reduced(ctree.load_golf())
        with pytest.raises(DataError, match="only a Dataset"):
            found.reduced([[1, 2]])


def test_progress_is_told():
    told = []
    ctree.winnow(ctree.load_iris(), estimator=ctree.ProbabilityTreeClassifier(), progress=told.append)
    assert [p.done for p in told] == list(range(1, len(told) + 1))
    assert told[-1].unit == "models"
    assert told[-1].total is not None
    assert told[-1].done <= told[-1].total
