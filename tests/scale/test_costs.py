"""Costs for cases that are gone through pass by pass, and for frames of other processes."""

from __future__ import annotations

import numpy as np
import pytest
from naive.costs import cheapest
from support.costly import cases, costs_of

import ctree
from ctree.errors import DataError, ParameterError
from ctree.scale.coded_dataset import coded_from_dataset

LEARNERS = [
    ctree.C45Classifier(arithmetic="double"),
    ctree.ProbabilityTreeClassifier(approach="bic-stop", estimate="laplace"),
    ctree.BayesianTreeClassifier(),
    ctree.NaiveBayesClassifier(),
    ctree.OptimalTreeClassifier(max_depth=2),
]


def made(learner, **more):
    return type(learner)(**{**learner.get_params(), **more})


def coded(data):
    source = coded_from_dataset(data, 4, 60)
    source.collects = False
    return source


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_the_model_is_that_of_memory(learner):
    data = cases(4, 200)
    costs = costs_of(4)
    found, expected = (made(learner, costs=costs).fit(X) for X in (coded(data), data))
    assert repr(found._to_fields()) == repr(expected._to_fields())
    rows = found.costs_.tolist()
    assert found.predict_codes(data).tolist() == [cheapest(p, rows) for p in found.predict_proba(data).tolist()]


@pytest.mark.parametrize("learner", LEARNERS[:-1], ids=repr)
def test_growing_with_costs(learner):
    data, costs = cases(4, 200, unknown=0), costs_of(1)
    found, expected = (made(learner, costs=costs, class_weight="costs").fit(X) for X in (coded(data), data))
    assert found.predict_proba(data) == pytest.approx(expected.predict_proba(data), abs=1e-6)
    assert (found.predict(data) == expected.predict(data)).all()


def test_learners_that_count_cases():
    data = cases(4, 200)
    whole = {("bad", "good"): 3, ("bad", "fair"): 3}
    learner = ctree.BayesOptimalClassifier(max_depth=2, costs=whole, class_weight="costs")
    expected = repr(learner.fit(data)._to_fields())
    assert repr(learner.fit(coded(data))._to_fields()) == expected
    for more, message in (
        ({"costs": {("bad", "good"): 2}}, r"'costs' gives cases of 'bad' the weight 1.5, .* leave it out"),
        (
            {"class_weight": "balanced"},
            r"'balanced' gives cases of 'good' .*; the nearest are 1 for 'good', 2 for 'fair'",
        ),
    ):
        with pytest.raises(ParameterError, match=message):
            made(learner, **more).fit(coded(data))
    with pytest.raises(DataError, match="the costs name a class 'bda'"):
        made(learner, costs={("bda", "good"): 2}).fit(coded(data))


def test_frames_of_dask():
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    data = cases(4, 200)
    table = data.to_pandas()
    label = table.columns[-1]
    costs = {("bad", "good"): 20, ("fair", "good"): 2.5}
    frame = dd.from_pandas(table, npartitions=3, sort=False)
    model = ctree.BayesianTreeClassifier(costs=costs).fit(frame, y=label)
    rows = table.drop(columns=label)
    said = model.predict(frame.drop(columns=label)).compute()
    assert isinstance(said, pd.Series)
    assert said.tolist() == model.predict(rows).tolist()
    assert said.tolist() != model.classes_[np.argmax(model.predict_proba(rows), axis=1)].tolist()
