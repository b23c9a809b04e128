"""Costs: predictions of least expected cost, and growing with costs, by every learner."""

import json

import numpy as np
import pytest
from naive.costs import as_matrix, cheapest, expected_costs, weights_by_cost
from support.committees import shop
from support.costly import cases, costs_of, learner
from support.sklearn_learners import COUNTS_CASES, LEARNERS

import ctree
from ctree.errors import DataError, ModelError, ParameterError
from ctree.tree.prunings import errors_on, prunings_of

pytestmark = pytest.mark.filterwarnings("ignore::ctree.learners.mcmc.convergence.ChainsDisagreeWarning")
every_learner = pytest.mark.parametrize("name", LEARNERS)
TREES = [name for name, learner in LEARNERS.items() if hasattr(learner, "to_html")]


@every_learner
@pytest.mark.parametrize("seed", range(3))
def test_predictions_are_of_least_expected_cost(name, seed):
    data, test, costs = cases(seed), cases(seed + 100), costs_of(seed)
    plain, model = learner(name).fit(data), learner(name, costs=costs).fit(data)
    probabilities = model.predict_proba(test)
    assert (probabilities == plain.predict_proba(test)).all()
    rows = costs.tolist() if isinstance(costs, np.ndarray) else as_matrix(costs, data.schema.classes)
    assert model.costs_.tolist() == rows
    expected = [data.schema.classes[cheapest(p, rows)] for p in probabilities.tolist()]
    assert model.predict(test).tolist() == expected
    explained = model.explain(test)
    assert [e.prediction for e in explained] == expected
    table = np.array([[float(c) for c in expected_costs(p, rows)] for p in probabilities.tolist()])
    assert model.expected_costs(test) == pytest.approx(table, abs=1e-12)
    for one, costs_of_case in zip(explained, table.tolist(), strict=True):
        assert list(one.to_dict()["expected_costs"].values()) == pytest.approx(costs_of_case)
        assert f"least expected cost {min(costs_of_case):.3g}]" in str(one)
    with pytest.raises(ParameterError, match="was fitted without costs, and expects none"):
        plain.expected_costs(test)


@pytest.mark.parametrize("name", [name for name in LEARNERS if not isinstance(LEARNERS[name], COUNTS_CASES)])
def test_growing_with_costs_weighs_cases_as_ting_does(name):
    data, costs = cases(1), costs_of(1)
    # in the committees of the folds, of fewer cases, the last bit of a weight decides among equal tests
    settings = {"calibration_folds": None} if "boosting" in name else {}
    model = learner(name, costs=costs, class_weight="costs", **settings).fit(data)
    weighed = learner(name, **settings).fit(data.with_weights(weights_by_cost(data.classes.tolist(), costs.tolist())))
    assert model.predict_proba(data) == pytest.approx(weighed.predict_proba(data), abs=1e-9)
    divided = weighed.predict_proba(data) / costs.sum(axis=1)
    divided /= divided.sum(axis=1, keepdims=True)
    expected = [cheapest(p, costs.tolist(), 1e-7) for p in divided.tolist()]
    assert model.predict_codes(data).tolist() == expected
    assert model.expected_costs(data) == pytest.approx(divided @ costs)


@pytest.mark.parametrize("name", [name for name in LEARNERS if isinstance(LEARNERS[name], COUNTS_CASES)])
def test_learners_that_count_cases_repeat_them(name):
    data = cases(2)
    costs = {("bad", "good"): 3, ("bad", "fair"): 3, ("fair", "bad"): 2, ("fair", "good"): 2}
    model = learner(name, costs=costs, class_weight="costs").fit(data)
    times = np.array([1, 2, 3])[data.classes]
    repeated = learner(name).fit(data.take(np.repeat(np.arange(data.n_cases), times)))
    assert (model.predict_proba(data) == repeated.predict_proba(data)).all()
    with pytest.raises(ParameterError, match=r"'costs' gives cases of 'bad' the weight 2.5, .* leave it out"):
        learner(name, costs={("bad", "good"): 2.5, ("bad", "fair"): 2.5}, class_weight="costs").fit(data)


def test_two_classes_grown_with_costs_predict_the_greater_weight():
    golf = ctree.load_golf()
    for costs in ({("Don't Play", "Play"): 3}, {("Don't Play", "Play"): 0.25, ("Play", "Don't Play"): 2}):
        model = ctree.BayesianTreeClassifier(costs=costs, class_weight="costs").fit(golf)
        assert model.predict_codes(golf).tolist() == model.predict_proba(golf).argmax(axis=1).tolist()


@every_learner
def test_saved_models_keep_their_costs(name, tmp_path):
    pandas = pytest.importorskip("pandas")
    data = cases(3)
    classes = list(data.schema.classes)
    for costs in (costs_of(3), costs_of(4), pandas.DataFrame(costs_of(3), classes, classes)):
        model = learner(name, costs=costs).fit(data)
        ctree.save(model, tmp_path / "model.json")
        loaded = ctree.load(tmp_path / "model.json")
        assert (loaded.costs_ == model.costs_).all()
        assert (loaded.predict(data) == model.predict(data)).all()
        assert loaded.to_text() == model.to_text()


def test_files_from_before_there_were_costs(tmp_path):
    data, file = cases(3), tmp_path / "model.json"
    ctree.save(ctree.C45Classifier().fit(data), file)
    fields = json.loads(file.read_text())
    del fields["parameters"]["costs"]
    file.write_text(json.dumps(fields))
    loaded = ctree.load(file)
    assert loaded.costs is None
    assert loaded.costs_ is None


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ({"errors": [["good", "bda", 2]]}, "'parameters.costs' does not fit the classes: the costs name a class 'bda'"),
        ({"matrix": [[0, 1], [1, 0]]}, "does not fit the classes: a matrix of costs for 3 classes"),
        ({"errors": [["good", 2]]}, "parameters.costs' should be None, a dict"),
        ({"errors": [["good", "bad", None]]}, "does not fit the classes: a cost is None"),
        ([[0, 1], [1, 0]], "parameters.costs' should be None, a dict"),
        ("much", "parameters.costs' should be None, a dict"),
    ],
)
def test_wrong_costs_in_files(costs, message, tmp_path):
    file = tmp_path / "model.json"
    ctree.save(ctree.C45Classifier().fit(cases(3)), file)
    fields = json.loads(file.read_text())
    fields["parameters"]["costs"] = costs
    file.write_text(json.dumps(fields))
    with pytest.raises(ModelError, match=message):
        ctree.load(file)


@every_learner
def test_wrong_costs_are_refused_before_anything_is_learned(name):
    data = cases(3)
    made = learner(name, costs={("good", "bda"): 2})
    with pytest.raises(DataError, match=r"'bda', not one of good, fair, bad .did you mean 'bad'"):
        made.fit(data)
    with pytest.raises(ParameterError, match=r"costs must be None, a dict of .* or a matrix"):
        made.set_params(costs="much").fit(data)
    with pytest.raises(ParameterError, match="class_weight='costs' needs costs"):
        made.set_params(costs=None, class_weight="costs").fit(data)
    assert not hasattr(made, "classes_")


class TestTrees:
    """What shows a tree says what it predicts."""

    @pytest.mark.parametrize("name", TREES)
    @pytest.mark.parametrize("seed", range(3))
    def test_the_class_of_a_leaf_is_what_it_predicts(self, name, seed):
        model = learner(name, costs=costs_of(seed)).fit(cases(seed))
        tree, rows = model.tree_, model.costs_.tolist()
        for node in range(tree.n_nodes):
            assert tree.best[node] == cheapest(tree.probabilities[node].tolist(), rows)
        plain = learner(name).fit(cases(seed)).tree_
        for leaf in np.flatnonzero(tree.arrays.n_branches == 0):
            if tree.best[leaf] == plain.best[leaf]:
                assert tree.errors[leaf] == plain.errors[leaf]
            else:
                wrong = tree.cases[leaf] - tree.class_counts[leaf, tree.best[leaf]]
                assert tree.errors[leaf] >= wrong - 1e-9

    @pytest.mark.parametrize("name", TREES)
    def test_prunings_count_the_errors_of_what_they_predict(self, name):
        data, costs = cases(5), costs_of(5)
        model = learner(name, costs=costs).fit(data)
        interface, given = model._interface(), model._test_cases(data)
        counted = errors_on(prunings_of(model.tree_, interface), model.tree_, interface, given)
        assert counted[0] == (model.predict_codes(data) != data.classes).sum()

    @pytest.mark.parametrize("name", TREES)
    def test_counterfactuals_lead_to_another_prediction(self, name):
        data = cases(6, unknown=0)
        model = learner(name, costs=costs_of(6)).fit(data)
        found = model.counterfactual(data.take(range(5)))
        assert [one.prediction for one in found] == model.predict(data.take(range(5))).tolist()
        for one in found:
            assert all(way.prediction != one.prediction for way in one.ways)

    @pytest.mark.parametrize("method", ["cost-complexity", "reduced-error", "bic", "error-based"])
    def test_pruned_trees_go_by_the_same_costs(self, method):
        data = cases(7)
        model = ctree.C45Classifier(prune=False, costs=costs_of(7)).fit(data)
        given = () if method in ("cost-complexity", "bic") else (data,)
        settings = {"alpha": 0.01} if method == "cost-complexity" else {}
        pruned = model.pruned(method, *given, **settings)
        rows = model.costs_.tolist()
        expected = [cheapest(p, rows) for p in pruned.predict_proba(data).tolist()]
        assert pruned.predict_codes(data).tolist() == expected
        assert [cheapest(p, rows) for p in pruned.tree_.probabilities.tolist()] == pruned.tree_.best.tolist()


@every_learner
def test_a_consultation_names_the_prediction_first(name):
    data = cases(8)
    model = learner(name, costs=costs_of(8)).fit(data)
    for case in range(4):
        asked = model.consultation()
        while asked.question is not None:
            value = data.value(case, data.schema.index(asked.question.name))
            asked.answer("?" if value is None else str(value))
        assert asked.certainties()[0].label == model.predict(data.take([case]))[0]


def test_rules_say_where_costs_make_another_class_of_them():
    golf = ctree.load_golf()
    text = ctree.C45RulesClassifier(costs={("Don't Play", "Play"): 5}).fit(golf).to_text()
    note = "By the costs, rule 2 predicts Don't Play; rule 4 predicts Don't Play; the default predicts Don't Play."
    assert text.endswith(note)
    text = ctree.C45RulesClassifier(costs={("Don't Play", "Play"): 1}).fit(golf).to_text()
    assert text.endswith("By the costs, no class is another.")


class TestLinkedTables:
    COSTS = ({("yes", "no"): 9}, [[0, 4], [1, 0]])

    @pytest.mark.parametrize("costs", COSTS)
    @pytest.mark.parametrize("bagged", [False, True])
    def test_predictions_are_of_least_expected_cost(self, costs, bagged, tmp_path):
        data = shop()

        def made(**settings):
            tree = ctree.RelationalTreeClassifier(method="bic-stop", **settings)
            return ctree.BaggedTreesClassifier(learner=tree, members=5, random_state=1) if bagged else tree

        plain, model = made().fit(data), made(costs=costs).fit(data)
        probabilities = model.predict_proba(data)
        assert (probabilities == plain.predict_proba(data)).all()
        rows = model.costs_.tolist()
        expected = [cheapest(p, rows) for p in probabilities.tolist()]
        assert model.predict_codes(data).tolist() == expected
        assert [e.prediction for e in model.explain(data)] == model.predict(data).tolist()
        assert model.expected_costs(data) == pytest.approx(probabilities @ np.array(rows))
        assert "least expected cost" in str(model.explain(data)[0])
        ctree.save(model, tmp_path / "model.json")
        loaded = ctree.load(tmp_path / "model.json")
        assert (loaded.predict(data) == model.predict(data)).all()
        assert loaded.to_text() == model.to_text()
        if not bagged:
            assert model.tree_.best.tolist() == [cheapest(p, rows) for p in model.tree_.probabilities.tolist()]

    def test_growing_with_costs(self):
        data, costs = shop(), np.array([[0, 4], [1.0, 0]])
        model = ctree.RelationalTreeClassifier(costs=costs, class_weight="costs").fit(data)
        weights = weights_by_cost(data.classes.tolist(), costs.tolist())
        weighed = ctree.RelationalTreeClassifier().fit(data, sample_weight=weights)
        assert model.predict_proba(data) == pytest.approx(weighed.predict_proba(data), abs=1e-12)
        assert (model.predict(data) == weighed.predict(data)).all()
