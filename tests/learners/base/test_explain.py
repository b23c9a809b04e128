"""`explain` of every learner: one case in any form, several at once, and the same kind of result."""

import json
import warnings
from collections import Counter

import numpy as np
import pytest

import ctree
from ctree.errors import DataError, NotFittedError, ParameterError

LEARNERS = {
    "c4.5": ctree.C45Classifier(),
    "j48": ctree.C45Classifier(variant="j48"),
    "rules": ctree.C45RulesClassifier(),
    "probability": ctree.ProbabilityTreeClassifier(),
    "bayesian": ctree.BayesianTreeClassifier(bins=3),
    "optimal": ctree.OptimalTreeClassifier(max_depth=2),
    "bayes-optimal": ctree.BayesOptimalClassifier(max_depth=2),
    "naive-bayes": ctree.NaiveBayesClassifier(),
    "mcmc": ctree.MCMCTreeClassifier(min_cases=1, burn_in=1000, samples=50, chains=2, random_state=0),
}
KINDS = {
    "c4.5": ctree.TreeExplanation,
    "j48": ctree.TreeExplanation,
    "rules": ctree.RuleExplanation,
    "probability": ctree.TreeExplanation,
    "bayesian": ctree.TreeExplanation,
    "optimal": ctree.TreeExplanation,
    "bayes-optimal": ctree.ItemsetExplanation,
    "naive-bayes": ctree.Evidence,
    "mcmc": ctree.EnsembleExplanation,
}
DAY = {"outlook": "sunny", "temperature": 70.0, "humidity": 90.0, "windy": None}


@pytest.fixture(scope="module")
def golf():
    return ctree.read_c45("examples/golf")


def quietly_fitted(learner, *cases):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that chains of so few draws disagree
        return learner.fit(*cases)


@pytest.fixture(scope="module", params=LEARNERS)
def fitted(request, golf):
    return request.param, quietly_fitted(LEARNERS[request.param], golf)


def of_pandas(case):
    pd = pytest.importorskip("pandas")
    return pd.DataFrame({name: [value] for name, value in case.items()})


def of_polars(case):
    pl = pytest.importorskip("polars")
    return pl.DataFrame({name: [value] for name, value in case.items()})


ONE_CASE = {
    "dict of scalars": lambda case, schema: case,
    "dict in another order": lambda case, schema: dict(reversed(case.items())),
    "list": lambda case, schema: list(case.values()),
    "tuple": lambda case, schema: tuple(case.values()),
    "list of a row": lambda case, schema: [list(case.values())],
    "Series": lambda case, schema: of_pandas(case).iloc[0],
    "Series without names": lambda case, schema: of_pandas(case).iloc[0].reset_index(drop=True),
    "pandas frame": lambda case, schema: of_pandas(case),
    "polars frame": lambda case, schema: of_polars(case),
    "dict of lists": lambda case, schema: {name: [value] for name, value in case.items()},
    "dict of arrays": lambda case, schema: {name: np.array([value], dtype=object) for name, value in case.items()},
    "1-d array": lambda case, schema: np.array(list(case.values()), dtype=object),
    "2-d array": lambda case, schema: np.array([list(case.values())], dtype=object),
    "Dataset": lambda case, schema: ctree.from_arrays({n: [v] for n, v in case.items()}, schema=schema),
}


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("form", ONE_CASE)
def test_one_case_in_any_form(fitted, form):
    name, model = fitted
    why = model.explain(ONE_CASE[form](DAY, model.schema_))
    assert type(why) is KINDS[name]
    assert why == model.explain(DAY)


def test_it_says_what_is_predicted(fitted, golf):
    _, model = fitted
    explanations = model.explain(golf)
    assert len(explanations) == 14
    assert [why.prediction for why in explanations] == model.predict(golf).tolist()
    for why, p in zip(explanations, model.predict_proba(golf), strict=True):
        assert isinstance(why, ctree.Explanation)
        assert list(why.probabilities) == model.classes_.tolist()
        assert list(why.probabilities.values()) == pytest.approx(p.tolist(), abs=1e-15)
        assert why.probability == why.probabilities[why.prediction]
    assert explanations[3] == model.explain(golf.take([3]))
    assert model.explain(golf.take([])) == []


def test_several_cases_as_a_table(fitted):
    _, model = fitted
    table = {name: [value, value] for name, value in DAY.items()}
    assert model.explain(table) == [model.explain(DAY)] * 2


def test_text_and_plain_data(fitted):
    _, model = fitted
    why = model.explain(DAY)
    assert str(why) == why.to_text()
    assert why.to_text().startswith(f"class {why.prediction} [{100 * why.probability:.1f}%]")
    data = why.to_dict()
    assert json.loads(json.dumps(data)) == data
    assert (data["prediction"], data["probability"]) == (why.prediction, why.probability)
    assert data["probabilities"] == why.probabilities


def test_html_is_escaped(fitted):
    _, learner = fitted
    model = type(learner)(**learner.get_params())
    table = {"<x>": ["<a>", "&b"] * 10, "y": list(range(20))}
    quietly_fitted(model, table, ["<i>", "b"] * 10)
    html = model.explain({"<x>": "<a>", "y": 3})._repr_html_()
    assert "&lt;i&gt;" in html
    for raw in ("<i>", "<a>", "<x>", "&b"):
        assert raw not in html
    assert Counter(html)["<"] == Counter(html)[">"]


def test_a_missing_or_strange_attribute_is_named(fitted):
    _, model = fitted
    with pytest.raises(DataError, match="X lacks the column 'windy'"):
        model.explain({name: value for name, value in DAY.items() if name != "windy"})
    with pytest.raises(DataError, match="X has the column 'mood'"):
        model.explain({**DAY, "mood": "good"})
    with pytest.raises(DataError, match=r"X has 2 features, but .* is expecting 4"):
        model.explain(["sunny", 70])


def test_it_needs_a_fit(fitted):
    _, model = fitted
    with pytest.raises(NotFittedError):
        type(model)().explain(DAY)


class TestTheTreeAndTheRulesThemselves:
    @pytest.mark.parametrize("form", ONE_CASE)
    @pytest.mark.parametrize("learner", ["c4.5", "rules"])
    def test_one_case_in_any_form(self, golf, learner, form):
        model = LEARNERS[learner].fit(golf)
        what = model.rules_ if learner == "rules" else model.tree_
        assert what.explain(ONE_CASE[form](DAY, golf.schema)) == model.explain(DAY)

    @pytest.mark.parametrize("learner", ["c4.5", "rules"])
    def test_several(self, golf, learner):
        model = LEARNERS[learner].fit(golf)
        what = model.rules_ if learner == "rules" else model.tree_
        assert what.explain(golf) == model.explain(golf)

    def test_a_data_set_of_another_schema_is_recoded(self, golf):
        tree = LEARNERS["c4.5"].fit(golf).tree_
        other = ctree.from_arrays({name: [value] for name, value in reversed(DAY.items()) if name != "windy"})
        with pytest.raises(DataError, match="the cases lack the attribute 'windy'"):
            tree.explain(other)
        other = ctree.from_arrays({n: [v] for n, v in reversed(DAY.items())}, categorical_features=["windy", "outlook"])
        assert tree.explain(other).prediction == "Don't Play"


class TestItemsets:
    def test_those_of_a_small_weight_are_left_out(self, golf):
        model = LEARNERS["bayes-optimal"].fit(golf)
        all_of_them, some = model.explain(DAY, least=1e-9), model.explain(DAY, least=0.05)
        assert sum(i.weight for i in all_of_them.itemsets) == pytest.approx(1, abs=1e-6)
        assert {i.conditions for i in some.itemsets} < {i.conditions for i in all_of_them.itemsets}
        assert all(i.weight >= 0.05 for i in some.itemsets)
        with pytest.raises(ParameterError, match="least must be a number greater than 0 and at most 1, not 0"):
            model.explain(DAY, least=0)


@pytest.fixture(scope="module")
def sampled(golf):
    learner = ctree.MCMCTreeClassifier(min_cases=1, burn_in=2000, samples=100, chains=2, random_state=3)
    return quietly_fitted(learner, golf)


class TestSampledTrees:
    def test_votes_are_those_of_the_envelope(self, sampled, golf):
        envelope = ctree.uncertainty_envelope(sampled, golf)
        for why, best, gamma, sure in zip(
            sampled.explain(golf), envelope.predictions, envelope.consistency, envelope.confident, strict=True
        ):
            assert why.votes[golf.schema.classes[best]] == pytest.approx(gamma) == why.consistency
            assert sum(why.votes.values()) == pytest.approx(1)
            assert why.confident == sure

    def test_shares_are_those_of_the_trees_walked_one_by_one(self, sampled, golf):
        trees = list(sampled.trees_)
        for case in (0, 5, 13):
            attributes, conditions = Counter(), Counter()
            for tree in trees:
                (leaf,) = tree.apply(golf.take([case]))
                path = tree[int(leaf)].path[1:]
                attributes.update({node.parent.attribute.name for node in path})
                conditions.update({node.condition for node in path})
            why = sampled.explain(golf.take([case]))
            assert why.n_trees == len(trees)
            assert why.attributes == pytest.approx({name: n / len(trees) for name, n in attributes.items()})
            told = {str(condition): share for condition, share in why.conditions}
            assert told == pytest.approx({c: n / len(trees) for c, n in conditions.items() if n / len(trees) >= 0.01})
            assert list(why.attributes.values()) == sorted(why.attributes.values(), reverse=True)

    def test_after_loading(self, sampled, golf, tmp_path):
        ctree.save(sampled, tmp_path / "model.json")
        assert ctree.load(tmp_path / "model.json").explain(golf) == sampled.explain(golf)


class TestWhatADataSetHasBeside:
    def test_an_extra_attribute_is_named(self, golf):
        model = LEARNERS["c4.5"].fit(golf)
        table = {name: [value] for name, value in DAY.items()} | {"mood": ["good"], "wind": [3]}
        data = ctree.from_arrays(table, categorical_features=["outlook", "windy", "mood"])
        message = "the cases have the attributes 'mood', 'wind', which the model does not have"
        with pytest.raises(DataError, match=message):
            model.predict(data)

    def test_one_that_is_ignored_does_not_matter(self, golf):
        model = LEARNERS["c4.5"].fit(golf)
        attributes = (*golf.schema.attributes, ctree.Attribute("remark", ctree.Kind.IGNORE))
        data = ctree.Dataset(ctree.Schema(attributes, golf.schema.classes), [*golf.columns, None], golf.classes)
        assert (model.predict_proba(data) == model.predict_proba(golf)).all()
