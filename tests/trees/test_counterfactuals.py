"""The fewest changes for another class: as many as trying out all attributes finds, and they do what they say."""

from __future__ import annotations

import json
from itertools import combinations, product

import numpy as np
import pytest
from support.problems import random_problem

import ctree
from ctree import Dataset, Kind
from ctree.errors import ParameterError

LEARNERS = {
    "release 8": ctree.C45Classifier(prune=False),
    "release 8, pruned": ctree.C45Classifier(estimate="laplace"),
    "release 8, groups": ctree.C45Classifier(group_values=True, prune=False),
    "J48": ctree.C45Classifier(variant="j48", estimate="laplace", prune=False),
    "C4.4": ctree.ProbabilityTreeClassifier(max_thresholds=4),
    "Bayesian": ctree.BayesianTreeClassifier(bins=3, prior_weight=1),
    "Bayesian, imputed": ctree.BayesianTreeClassifier(unknown="impute", bins=None),
    "least errors": ctree.OptimalTreeClassifier(max_depth=3),
}


def problem(seed, n, unknown):
    return random_problem(seed, n, 3, [0, 3, 0, 2, None], unknown=unknown, noise=0.1).dataset()


def candidates(model):
    """Per attribute values that lead down every branch, in the codes of the schema."""
    tree, cuts = model.tree_, model._interface().bin_cuts()
    result = []
    for a, attribute in enumerate(model.schema_):
        if attribute.kind is Kind.IGNORE or a not in tree.attribute:
            result.append([])
        elif attribute.is_discrete:
            result.append(list(range(len(attribute.values))))
        else:
            at = cuts[a] if cuts[a] is not None else np.unique(tree.threshold[(tree.attribute == a) & (tree.test == 1)])
            result.append([*at.tolist(), at.max() + 1])
    return result


def changed(data, case, places, values):
    """A case with other values at these places, as many times as there are rows of values."""
    rows = data.take([case] * len(values))
    columns = [None if c is None else c.copy() for c in rows.columns]
    for i, place in enumerate(places):
        columns[place][:] = [row[i] for row in values]
    return Dataset(data.schema, columns, n_cases=len(values))


def answered(model, data):
    """Which cases the tree asks only for values that are known."""
    cases, tree = model._tree_cases(data), model.tree_
    path = tree.decision_path(cases).toarray() > 0
    result = path[:, [n for n in range(tree.n_nodes) if not tree.branches(n)]].sum(axis=1) == 1
    for case in range(len(data)):
        for node in np.flatnonzero(path[case]):
            if tree.branches(node):
                value = cases.columns[tree.attribute[node]][case]
                result[case] &= not (
                    np.isnan(value) or (value < 0 and tree.schema[int(tree.attribute[node])].is_discrete)
                )
    return result


def tried_out(model, data, case, accepts):
    """The least number of attributes that give such a class if they change, and each set of so many."""
    able = candidates(model)
    places = [a for a, values in enumerate(able) if values]
    for size in range(1, len(places) + 1):
        found = set()
        for chosen in combinations(places, size):
            other = changed(data, case, chosen, list(product(*(able[a] for a in chosen))))
            if (accepts(model.predict_codes(other)) & answered(model, other)).any():
                found.add(chosen)
        if found:
            return size, found
    return 0, set()


@pytest.mark.parametrize("unknown", [0.0, 0.25])
@pytest.mark.parametrize("name", LEARNERS)
def test_no_fewer_attributes_do_it(name, unknown):
    model = LEARNERS[name].fit(problem(1, 120, unknown / 2))
    names = list(model.schema_.names)
    assert model.tree_.n_leaves > 3
    data = problem(2, 12, unknown)
    codes = model.predict_codes(data)
    for to in (None, model.classes_[1]):
        answers = model.counterfactual(data, to)
        for case, what in enumerate(answers):
            assert what.prediction == model.classes_[codes[case]]
            if to is not None and what.prediction == to:
                assert what.ways == ()
                continue
            now = codes[case]
            accepts = (lambda c, now=now: c != now) if to is None else (lambda c: c == 1)
            fewest, sets = tried_out(model, data, case, accepts)
            assert what.n_changes == fewest
            told = [tuple(names.index(change.condition.attribute) for change in way.changes) for way in what.ways]
            assert set(told) == sets
            if fewest:
                takes_effect(model, data, case, what, names)


def takes_effect(model, data, case, what, names):
    """Every way gives the class and the probabilities that it says, and ends in its leaf."""
    for way in what.ways:
        places, values = [], []
        for change in way.changes:
            place, limit = names.index(change.condition.attribute), change.condition
            assert change.value == data.value(case, place)
            places.append(place)
            if limit.threshold is None:
                values.append(data.schema[place].values.index(limit.values[-1]))
            else:
                values.append(limit.at_most if limit.at_most is not None else limit.above + 0.001)
        other = changed(data, case, places, [values])
        assert model.predict(other)[0] == way.prediction
        assert list(way.probabilities.values()) == pytest.approx(model.predict_proba(other)[0].tolist())
        assert model.apply(other)[0] == way.leaf


def test_text_and_data_of_golf():
    model = ctree.C45Classifier().fit(ctree.load_golf())
    day = {"outlook": "rain", "temperature": 70, "humidity": None, "windy": None}
    what = model.counterfactual(day)
    assert str(what) == (
        "class Play [60.0%]; 1 change gives class Don't Play:\n    windy = true (it is unknown): Don't Play [100.0%]"
    )
    plain = json.loads(json.dumps(what.to_dict()))
    assert plain["n_changes"] == 1
    assert plain["ways"][0]["changes"] == [{"attribute": "windy", "values": ["true"], "value": None}]
    assert "windy = true" in what._repr_html_()
    assert model.tree_.counterfactual(day) == what
    assert len(model.counterfactual(ctree.load_golf())) == 14


def test_where_no_leaf_has_another_class():
    model = ctree.ProbabilityTreeClassifier(approach="mdl-stop").fit(ctree.load_golf())
    what = model.counterfactual({"outlook": "rain", "temperature": 70, "humidity": 70, "windy": "true"})
    assert (what.n_changes, what.ways) == (0, ())
    assert str(what) == "class Play [62.5%]; no change gives another one"


def test_a_class_that_the_model_does_not_have_is_refused():
    model = ctree.C45Classifier().fit(ctree.load_golf())
    with pytest.raises(ParameterError, match="to must be one of the classes of the model or None, not 'Stay'"):
        model.counterfactual({"outlook": "rain", "temperature": 70, "humidity": 70, "windy": "true"}, to="Stay")


def test_branches_that_no_case_comes_to_lead_nowhere():
    schema = ctree.Schema((ctree.Attribute("x", Kind.CONTINUOUS),), ("a", "b"))
    arrays = {
        "test": [1, 1, 0, 0, 0], "attribute": [0, 0, -1, -1, -1], "threshold": [5.0, 7.0, 0, 0, 0], "group": [],
        "first_branch": [1, 3, -1, -1, -1], "n_branches": [2, 2, 0, 0, 0], "group_start": [0] * 5,
        "best": [0, 0, 0, 0, 1], "cases": [4, 2, 2, 2, 0], "errors": [0] * 5,
        "counts": [[4, 0], [2, 0], [2, 0], [2, 0], [0, 0]],
        "probabilities": [[1, 0], [1, 0], [1, 0], [1, 0], [0, 1]],
    }  # fmt: skip
    assert ctree.Tree(schema, arrays).counterfactual({"x": 1.0}).ways == ()
