"""Ordered values and dates: every learner learns from them what it learns from the same columns of numbers."""

import json

import numpy as np
import pytest
from support.orders import SIZES, as_numbers, orders

import ctree
from ctree import Attribute, Dataset, Kind, Schema
from ctree.errors import DataError, ModelError

pytestmark = pytest.mark.filterwarnings("ignore::ctree.learners.mcmc.convergence.ChainsDisagreeWarning")

LEARNERS = {
    "c4.5": lambda: ctree.C45Classifier(arithmetic="double"),
    "c4.5, unpruned": lambda: ctree.C45Classifier(arithmetic="double", prune=False, min_cases=1),
    "j48": lambda: ctree.C45Classifier(variant="j48"),
    "c4.5 groups": lambda: ctree.C45Classifier(arithmetic="double", group_values=True, soft_thresholds=True),
    "probability": lambda: ctree.ProbabilityTreeClassifier(),
    "probability, few thresholds": lambda: ctree.ProbabilityTreeClassifier(max_thresholds=4),
    "chi2": lambda: ctree.ProbabilityTreeClassifier(approach="chi2"),
    "bayesian": lambda: ctree.BayesianTreeClassifier(),
    "bayesian in bins": lambda: ctree.BayesianTreeClassifier(bins=3),
    "optimal": lambda: ctree.OptimalTreeClassifier(max_depth=3),
    "bayes-optimal": lambda: ctree.BayesOptimalClassifier(max_depth=2, bins=3),
    "mcmc": lambda: ctree.MCMCTreeClassifier(samples=50, burn_in=50, random_state=3),
}


def _table(case):
    return {name: [value] for name, value in case.items()}


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("seed", range(3))
def test_the_model_is_that_of_numbers(name, seed):
    data, others = orders(seed=seed), orders(seed=seed + 100, unknown=0.15)
    model, expected = LEARNERS[name]().fit(data), LEARNERS[name]().fit(as_numbers(data))
    assert np.array_equal(model.predict_proba(others), expected.predict_proba(as_numbers(others)))
    if hasattr(model, "tree_"):
        for array, wanted in zip(
            model.tree_.arrays.by_name().values(), expected.tree_.arrays.by_name().values(), strict=True
        ):
            assert np.array_equal(array, wanted)


@pytest.mark.parametrize("seed", range(5))
def test_release_8_learns_dates_and_orders_as_numbers_in_32_bits(seed):
    data, others = orders(seed=seed, moments=False), orders(seed=seed + 100, moments=False)
    model, expected = ctree.C45Classifier().fit(data), ctree.C45Classifier().fit(as_numbers(data))
    assert model.tree_.float32
    assert np.array_equal(model.tree_.threshold, expected.tree_.threshold)
    assert np.array_equal(model.predict_proba(others), expected.predict_proba(as_numbers(others)))


def test_times_are_reckoned_in_64_bits():
    model = ctree.C45Classifier().fit(orders())
    assert not model.tree_.float32
    rules = ctree.C45RulesClassifier().fit(orders())
    assert not rules.rules_.float32


@pytest.mark.parametrize("seed", range(3))
def test_rules_are_those_of_numbers(seed):
    data, others = orders(seed=seed, moments=False), orders(seed=seed + 100, moments=False)
    model = ctree.C45RulesClassifier().fit(data)
    expected = ctree.C45RulesClassifier().fit(as_numbers(data))
    assert len(model.rules_) == len(expected.rules_)
    for rule, wanted in zip(model.rules_, expected.rules_, strict=True):
        assert [(c.attribute, c.values, c.at_most, c.above) for c in rule.conditions] == [
            (c.attribute, c.values, c.at_most, c.above) for c in wanted.conditions
        ]
    assert np.array_equal(model.predict_proba(others), expected.predict_proba(as_numbers(others)))


def test_naive_bayes_counts_ordered_values_one_by_one():
    data = orders()
    places = data.columns[0]
    codes = np.where(np.isnan(places), -1, places).astype(np.int32)
    discrete = Schema((Attribute("size", Kind.DISCRETE, SIZES), *data.schema.attributes[1:]), data.schema.classes)
    expected = ctree.NaiveBayesClassifier().fit(Dataset(discrete, [codes, *data.columns[1:]], data.classes))
    model = ctree.NaiveBayesClassifier().fit(data)
    assert np.array_equal(model.counts_[0], expected.counts_[0])
    assert np.array_equal(
        model.predict_proba(data), expected.predict_proba(Dataset(discrete, [codes, *data.columns[1:]]))
    )
    assert "size = medium" in model.to_text()
    assert "day > 20" in model.to_text()


def test_a_model_knows_values_by_their_names_whatever_the_order_of_a_table():
    model = ctree.C45Classifier(min_cases=1).fit(orders())
    data = orders(seed=1, unknown=0.0)
    pytest.importorskip("pandas")
    frame = data.to_pandas()
    frame["size"] = frame["size"].cat.reorder_categories(SIZES[::-1])
    assert np.array_equal(model.predict_proba(frame.drop(columns="class")), model.predict_proba(data))
    frame["size"] = "gigantic"
    columns = [np.full(len(data), np.nan), *data.columns[1:]]
    unknown = model.predict_proba(Dataset(data.schema, columns))
    assert np.array_equal(model.predict_proba(frame.drop(columns="class")), unknown)
    with pytest.raises(DataError, match="attribute 'size' has the value 'gigantic', which is not one of tiny, small"):
        ctree.C45Classifier(unseen="error").fit(orders()).predict(frame.drop(columns="class"))


def test_a_model_of_days_takes_timestamps_and_texts():
    data = orders(moments=False, unknown=0.0)
    model = ctree.C45Classifier(min_cases=1).fit(data)
    case = data[3]
    expected = model.predict_proba(data[3:4])
    for day in (case["day"], case["day"].replace("-", "/"), f"{case['day']} 00:00"):
        assert np.array_equal(model.predict_proba(_table({**case, "day": day})), expected)
    moment = np.datetime64(case["day"]) + np.timedelta64(13, "h")
    assert np.array_equal(model.predict_proba(_table(case) | {"day": np.array([moment])}), expected)
    with pytest.raises(DataError, match="attribute 'day' has the value 'soon', which is no date such as 2024-03-31"):
        model.predict_proba(_table({**case, "day": "soon"}))
    with pytest.raises(DataError, match="it has a time of day, so the attribute may be a timestamp"):
        model.predict_proba(_table({**case, "day": "2024-03-31 12:00"}))


@pytest.mark.parametrize("learner", ["c4.5", "probability", "bayesian", "bayesian in bins", "bayes-optimal", "mcmc"])
def test_saved_models_are_the_same(learner, tmp_path):
    data = orders()
    model = LEARNERS[learner]().fit(data)
    ctree.save(model, tmp_path / "model.json")
    loaded = ctree.load(tmp_path / "model.json")
    assert loaded.schema_ == model.schema_
    assert np.array_equal(loaded.predict_proba(data), model.predict_proba(data))
    assert loaded.to_text() == model.to_text()


def test_saved_rules_say_the_same(tmp_path):
    model = ctree.C45RulesClassifier().fit(orders(moments=False))
    ctree.save(model, tmp_path / "rules.json")
    assert ctree.load(tmp_path / "rules.json").to_text() == model.to_text()
    assert " <= 20" in model.to_text() or " > 20" in model.to_text()


def test_what_stands_for_unknown_values_is_a_value():
    data = orders(unknown=0.2)
    model = ctree.BayesianTreeClassifier(unknown="impute").fit(data)
    size, day, *_ = model.fillers_
    known = data.columns[0][~np.isnan(data.columns[0])]
    assert size == np.bincount(known.astype(int)).argmax()
    assert day == np.floor(np.nanmean(data.columns[1]) + 0.5)
    assert "taken to be 20" in "".join(map(str, model.explain(data)))


class TestExplanations:
    data = orders(moments=False)

    def test_words_in_text_and_data(self):
        model = ctree.C45Classifier(min_cases=1).fit(self.data)
        case = {"size": "large", "day": "2024-01-15", "number": 0, "colour": "red"}
        why = model.explain(case)
        for line in str(why).splitlines()[1:]:
            name, _, bound, *_ = line.split()
            if name == "size":
                assert bound in SIZES
                assert "(it is large)" in line
            if name == "day":
                assert np.datetime64(bound) > np.datetime64("2023-12-01")
                assert "(it is 2024-01-15)" in line
        for condition in why.to_dict()["leaves"][0]["conditions"]:
            assert all(not isinstance(part, float) for part in condition.values()) or condition["attribute"] == "number"

    def test_changes_lead_where_they_say(self):
        model = ctree.C45Classifier(min_cases=1).fit(self.data)
        for case in range(20):
            what = model.counterfactual(self.data[case : case + 1])
            for way in what.ways[:3]:
                changed = dict(self.data[case])
                for change in way.changes:
                    changed[change.condition.attribute] = self._meeting(change.condition)
                assert model.predict(_table(changed))[0] == way.prediction

    def _meeting(self, condition):
        if condition.values:
            return condition.values[0]
        attribute = self.data.schema[self.data.schema.index(condition.attribute)]
        number = condition.above + 1 if condition.at_most is None else condition.at_most
        return attribute.label(np.floor(number)) if not attribute.is_continuous else number


def test_consultations_take_values_and_dates():
    data = orders(moments=False)
    model = ctree.C45Classifier(min_cases=1).fit(data)
    asked = model.consultation()
    answers = {"size": "large", "day": "2024-01-15", "number": "0", "colour": "red"}
    while asked.question is not None:
        asked.answer(answers[asked.question.name])
    expected = model.predict_proba(_table({**answers, "number": 0.0}))[0]
    found = {one.label: one.cf for one in asked.certainties()}
    assert [found[c] for c in data.schema.classes] == pytest.approx(expected.tolist())


def test_an_order_of_probable_values_is_shared_by_the_branches():
    schema = Schema((Attribute("size", Kind.ORDERED, ("s", "m", "l")),), ("no", "yes"))
    model = ctree.C45Classifier(min_cases=1).fit(Dataset(schema, [[0, 1, 2, 2]], [0, 0, 1, 1]))
    asked = model.consultation()
    asked.answer("s: 0.25, l: 0.5")
    assert {one.label: one.cf for one in asked.certainties()} == pytest.approx({"no": 0.5, "yes": 0.5})
    with pytest.raises(DataError, match="'x' is not a value of 'size'; its values are s, m, l"):
        model.consultation().answer("x")


@pytest.mark.parametrize(
    ("learner", "change", "message"),
    [
        (
            "imputed",
            lambda model: model["fillers"].update(size=7.0),
            "'fillers.size' should be the place of a value, not 7.0",
        ),
        (
            "imputed",
            lambda model: model["fillers"].update(day=0.5),
            "'fillers.day' should be the whole number of a date, not 0.5",
        ),
        ("naive", lambda model: model["cuts"].update(size=[0.0]), "'cuts.size' should have the places of the ordered"),
        (
            "naive",
            lambda model: model["schema"]["attributes"][0].update(kind="date"),
            "is date and so cannot list values",
        ),
    ],
)
def test_damaged_models_are_refused_in_one_sentence(learner, change, message, tmp_path):
    made = {"imputed": ctree.BayesianTreeClassifier(unknown="impute"), "naive": ctree.NaiveBayesClassifier()}
    ctree.save(made[learner].fit(orders()), tmp_path / "model.json")
    content = json.loads((tmp_path / "model.json").read_text())
    change(content)
    (tmp_path / "model.json").write_text(json.dumps(content))
    with pytest.raises(ModelError, match=message):
        ctree.load(tmp_path / "model.json")
