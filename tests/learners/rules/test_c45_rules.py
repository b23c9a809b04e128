"""C45RulesClassifier: the same rules as the naive version, and as a person uses them."""

import os
import pickle
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.printed_tree import shown_nodes
from support.problems import GOLF, as_nodes, growing_options, grown, problems, random_problem
from support.rule_facts import facts_of, naive_facts

import ctree
from ctree.errors import DataError, ModelError, NotFittedError, ParameterError
from ctree.learners.rules.classifier import C45RulesClassifier
from ctree.learners.rules.code_length import RuleBits
from ctree.learners.rules.selection import Conditions, extract_rules
from ctree.tree.rule_list import RuleList
from ctree.tree.rules import Condition, Rule


@pytest.fixture(scope="module")
def golf():
    return ctree.read_c45("examples/golf")


@pytest.fixture(scope="module")
def model(golf):
    return C45RulesClassifier().fit(golf)


def learner_options(options, **parameters):
    return {
        "min_cases": options.get("min_cases", 2),
        "criterion": "gain" if options.get("gain_only") else "gain-ratio",
        "group_values": options.get("group_values", False),
        **parameters,
    }


def naive_on_the_same_tree(problem, options, **parameters):
    return naive_facts(problem, as_nodes(problem, grown(problem, **options)[0]), **parameters)


class TestAgainstTheNaiveVersion:
    @given(
        problems(),
        growing_options,
        st.sampled_from([25, 25, 1, 60, 100]),
        st.sampled_from([1.0, 1.0, 0.01, 0.3, 7.0, 1000.0]),
        st.sampled_from([None, None, 1, 50]),
    )
    @settings(deadline=None, max_examples=200)
    def test_rules_order_default_and_uses_are_the_same(self, problem, options, confidence, redundancy, fisher):
        expected = naive_on_the_same_tree(problem, options, confidence=confidence, redundancy=redundancy, fisher=fisher)
        significance = None if fisher is None else fisher / 100
        parameters = {"confidence": confidence / 100, "redundancy": redundancy, "significance": significance}
        assert facts_of(problem.dataset(), learner_options(options, **parameters)) == expected

    @pytest.mark.parametrize("unknown", [0.0, 0.1])
    @pytest.mark.parametrize("options", [{}, {"gain_only": True}, {"group_values": True}, {"min_cases": 1}], ids=str)
    def test_more_rules_than_all_sets_can_be_tried_of(self, options, unknown):
        problem = random_problem(7, 400, 3, [0, 0, 4, 10, 2, 0], unknown, noise=0.3)
        expected = naive_on_the_same_tree(problem, options)
        assert facts_of(problem.dataset(), learner_options(options)) == expected

    def test_rules_are_dropped_one_at_a_time(self):
        dropped = 0
        for seed in range(12):
            problem = random_problem(seed, 150, 3, [0, 3, 2, 0], 0.1, noise=0.4)
            expected = naive_on_the_same_tree(problem, {"min_cases": 1}, redundancy=50.0)
            assert facts_of(problem.dataset(), {"min_cases": 1, "redundancy": 50.0}) == expected
            dropped += len(expected[2]) - 1
        assert dropped > 1


class TestGolf:
    def test_bits_of_the_rules(self):
        data = GOLF.dataset()
        bits = RuleBits(data, 1.0, True)
        tree = ctree.C45Classifier(prune=False).fit(data).tree_
        candidates = extract_rules(tree, GOLF.table(), bits)
        assert [len(c.rule(Conditions(tree))) for c in candidates] == [2, 1, 2, 2]
        assert [c.bits for c in candidates] == pytest.approx([7.9505, 3.4715, 6.3508, 6.3508], abs=5e-5)

    def test_rules_in_order(self, model):
        assert [rule.number for rule in model.rules_] == [2, 4, 1, 3]
        assert [rule.prediction for rule in model.rules_] == ["Play", "Play", "Don't Play", "Don't Play"]
        assert [rule.error for rule in model.rules_] == pytest.approx([0.2929, 0.3700, 0.3700, 0.5000], abs=5e-5)
        assert [(rule.cases, rule.errors) for rule in model.rules_] == [(4, 0), (3, 0), (3, 0), (2, 0)]
        assert model.default_ == model.rules_.default == "Play"
        assert model.tree_.n_nodes == 8

    def test_rules_are_data(self, model):
        rule = model.rules_[2]
        assert rule.conditions == (Condition("outlook", values=("sunny",)), Condition("humidity", above=75.0))
        assert [c.kind for c in rule.conditions] == [ctree.Kind.DISCRETE, ctree.Kind.CONTINUOUS]
        assert [c.threshold for c in rule.conditions] == [None, 75]
        assert rule.confidence == 1 - rule.error
        with pytest.raises(AttributeError):
            rule.error = 0.0

    def test_text(self, model):
        text = str(model.rules_)
        assert text.startswith("Rule 2:\n    outlook = overcast\n    ->  class Play  [70.7%]\n\nRule 4:")
        assert text.endswith("\n\nDefault class: Play")
        assert repr(model.rules_) == "<RuleList: 4 rules, default Play>"


class TestPredictions:
    def test_the_first_rule_that_applies_decides(self, model, golf):
        assert model.score(golf) == 1
        assert model.rules_.apply(golf).tolist() == [2, 2, 0, 1, 1, 3, 0, 2, -1, 1, -1, 0, 0, 3]

    def test_the_class_of_the_rule_has_its_confidence(self, model, golf):
        p = model.predict_proba(golf)
        assert p[2, 0] == 1 - model.rules_[0].error
        assert p[0].tolist() == [model.rules_[2].error, 1 - model.rules_[2].error]

    def test_where_no_rule_applies_the_frequencies_of_the_uncovered_by_laplace(self, model, golf):
        assert model.predict_proba(golf)[8].tolist() == [3 / 4, 1 / 4]

    def test_other_classes_share_the_rest_by_their_cases(self):
        problem = random_problem(3, 300, 4, [0, 3, 0], noise=0.1)
        data = problem.dataset()
        model = C45RulesClassifier().fit(data)
        rows = model.rules_.apply(data)
        p = model.predict_proba(data)
        assert p.sum(axis=1) == pytest.approx(1)
        counts = np.bincount(problem.classes, minlength=4) + 1
        case = int(np.flatnonzero(rows >= 0)[0])
        code = data.schema.classes.index(model.rules_[rows[case]].prediction)
        others = [c for c in range(4) if c != code]
        assert p[case, others] / p[case, others].sum() == pytest.approx(counts[others] / counts[others].sum())

    def test_an_unknown_value_meets_no_condition(self, model):
        case = {"outlook": [None], "temperature": [70], "humidity": [80], "windy": ["true"]}
        assert model.rules_.apply(ctree.from_arrays(case, schema=model.schema_)).tolist() == [-1]
        assert model.predict(case).tolist() == ["Play"]

    def test_a_value_it_has_not_seen_is_unknown(self, model):
        assert model.predict({"outlook": ["fog"], "temperature": [70], "humidity": [80], "windy": ["true"]}) == ["Play"]

    def test_numbers_are_rounded_as_in_learning(self):
        # 0.1 and the 32-bit float next to it, which is greater
        X = [[0.1]] * 20 + [[0.2]] * 20
        model = C45RulesClassifier().fit(X, ["a"] * 20 + ["b"] * 20)
        cut = model.rules_[0].conditions[0].threshold
        assert cut == float(np.float32(0.1)) > 0.1
        assert model.predict([[cut], [0.1]]).tolist() == ["a", "a"]

    def test_a_rule_that_is_mostly_wrong_applies_to_nothing(self, golf):
        rules = [
            Rule(1, (Condition("windy", values=("true",)),), "Play", 0.71, 6, 3),
            Rule(2, (Condition("outlook", values=("sunny", "rain")),), "Don't Play", 0.7, 10, 5),
        ]
        listed = RuleList(golf.schema, rules, "Play", np.full((3, 2), 0.5))
        assert set(listed.apply(golf).tolist()) == {-1, 1}


class TestExplain:
    def test_the_rule_and_the_values_by_which_it_applies(self, model):
        case = {"outlook": "sunny", "temperature": 70, "humidity": 90, "windy": None}
        explanation = model.explain(case)
        assert explanation.rule is model.rules_[2]
        assert explanation.prediction == "Don't Play"
        assert explanation.probability == model.rules_[2].confidence
        assert explanation.values == ("sunny", 90.0)
        assert str(explanation) == (
            "class Don't Play [63.0%] by rule 1:\n    outlook = sunny\n    humidity > 75 (it is 90)"
        )

    @pytest.mark.parametrize(
        "case",
        [
            {"outlook": ["sunny"], "temperature": [70], "humidity": [90], "windy": [None]},
            ["sunny", 70, 90, None],
            [["sunny", 70, 90, None]],
            np.array(["sunny", 70, 90, None], dtype=object),
        ],
        ids=["columns", "values", "row", "array"],
    )
    @pytest.mark.filterwarnings("ignore:X does not have valid feature names")
    def test_a_case_in_any_form(self, model, case):
        assert model.explain(case).rule.number == 1

    def test_a_dataset_of_one_case(self, model, golf):
        assert model.explain(golf.take([2])).rule.number == 2

    def test_the_default(self, model):
        explanation = model.explain(["sunny", 70, 60, "false"])
        assert (explanation.rule, explanation.prediction, explanation.probability) == (None, "Play", 0.75)
        assert str(explanation) == "class Play [75.0%] by default, as no rule applies"

    def test_several_cases_give_a_list(self, model, golf):
        assert [explanation.rule for explanation in model.explain(golf)] == [
            None if at < 0 else model.rules_[at] for at in model.rules_.apply(golf)
        ]

    def test_groups_of_values(self):
        condition = Condition("outlook", values=("sunny", "rain"))
        assert str(condition) == "outlook in {sunny, rain}"


class TestFit:
    def test_one_class_gives_no_rules(self):
        model = C45RulesClassifier().fit([[1.0], [2.0]], ["a", "a"])
        assert (len(model.rules_), model.default_, model.tree_.n_nodes) == (0, "a", 1)
        assert model.predict([[3.0]]).tolist() == ["a"]
        assert model.predict_proba([[3.0]]).tolist() == [[1.0]]
        assert str(model.rules_) == "Default class: a"
        assert model.explain([3.0]).rule is None

    def test_no_attribute_gives_no_rules(self):
        data = ctree.Dataset(ctree.Schema((), ("a", "b")), [], np.array([0, 1, 1], dtype=np.int32))
        model = C45RulesClassifier().fit(data)
        assert (len(model.rules_), model.default_) == (0, "b")

    def test_noise_gives_no_rules(self):
        rng = np.random.default_rng(0)
        model = C45RulesClassifier(confidence=0.001).fit(rng.random((60, 3)), rng.integers(2, size=60))
        assert len(model.rules_) == 0
        assert set(model.predict(rng.random((5, 3)))) == {model.default_}

    def test_arrays_and_datasets_give_the_same_rules(self, golf, model):
        columns = {a.name: [golf.value(i, k) for i in range(golf.n_cases)] for k, a in enumerate(golf.schema)}
        other = C45RulesClassifier().fit(columns, golf.labels)
        assert {str(rule).split("\n", 1)[1] for rule in other.rules_} == {
            str(rule).split("\n", 1)[1] for rule in model.rules_
        }

    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"confidence": 0}, "confidence must be a number greater than 0 and at most 1, not 0"),
            ({"confidence": float("nan")}, "confidence must be"),
            ({"redundancy": 0}, "redundancy must be a number at least 0.001 and at most 1000, not 0"),
            ({"significance": 1.5}, "significance must be a number greater than 0 and at most 1 or None, not 1.5"),
            ({"criterion": "gini"}, "criterion must be"),
            ({"min_cases": 0}, "min_cases must be"),
        ],
    )
    def test_wrong_parameters(self, golf, parameters, message):
        with pytest.raises(ParameterError, match=message):
            C45RulesClassifier(**parameters).fit(golf)

    def test_a_case_of_weight_two_is_two_cases(self, golf):
        weights = np.arange(14) % 4
        weighted = C45RulesClassifier().fit(golf.with_weights(weights))
        assert weighted.rules_ == C45RulesClassifier().fit(golf.take(np.repeat(np.arange(14), weights))).rules_

    def test_weights_have_to_be_whole(self, golf):
        with pytest.raises(DataError, match=r"case 2 has the weight 1.5, but this learner needs whole numbers"):
            C45RulesClassifier().fit([[1.0], [2.0]], [0, 1], sample_weight=[1, 1.5])

    def test_weights_of_one_are_none(self, golf, model):
        assert C45RulesClassifier().fit(golf.with_weights(np.ones(14))).rules_ == model.rules_

    def test_not_fitted(self):
        for call in (lambda m: m.predict([[1]]), lambda m: m.predict_proba([[1]]), lambda m: m.explain([1])):
            with pytest.raises(NotFittedError):
                call(C45RulesClassifier())

    def test_threads_change_nothing(self, golf, model):
        assert C45RulesClassifier(n_jobs=2).fit(golf).rules_ == model.rules_

    @pytest.mark.parametrize("weighted", [False, True])
    def test_threads_change_nothing_where_they_share_paths_and_climbs(self, weighted):
        data = random_problem(7, 600, 3, [0, 0, 4, 10, 2, 0], 0.05, noise=0.3).dataset()
        if weighted:
            data = data.with_weights(np.random.default_rng(7).integers(1, 4, size=600).astype(float))
        one = C45RulesClassifier().fit(data)
        assert one.tree_.n_leaves > 60  # so that there are more rules of a class than all sets can be tried of
        for n_jobs in (2, 3, 20):
            other = C45RulesClassifier(n_jobs=n_jobs).fit(data)
            assert other.rules_ == one.rules_
            assert other.selected_rules_ == one.selected_rules_

    def test_pickle(self, model, golf):
        other = pickle.loads(pickle.dumps(model))
        assert other.rules_ == model.rules_
        assert (other.predict_proba(golf) == model.predict_proba(golf)).all()


class TestRuleList:
    def test_rules_that_do_not_fit_the_schema_are_refused(self, golf):
        def listed(rule, default="Play", rows=2):
            return RuleList(golf.schema, [rule], default, np.full((rows, 2), 0.5))

        good = Rule(1, (Condition("windy", values=("true",)),), "Play", 0.1, 1, 0)
        assert len(listed(good)) == 1
        for condition, message in [
            (Condition("rain", values=("true",)), "attribute 'rain'"),
            (Condition("windy", at_most=1.0), "does not fit"),
            (Condition("humidity", values=("high",)), "does not fit"),
            (Condition("windy", values=("maybe",)), "a value that"),
        ]:
            with pytest.raises(ModelError, match=message):
                listed(Rule(1, (condition,), "Play", 0.1, 1, 0))
        with pytest.raises(ModelError, match="a class 'Stay'"):
            listed(good, "Stay")
        with pytest.raises(ModelError, match="need 2 rows"):
            listed(good, rows=3)


class TestTreeRules:
    def test_a_rule_for_every_leaf(self, golf):
        tree = ctree.C45Classifier().fit(golf).tree_
        rules = tree.to_rules()
        assert [rule.number for rule in rules] == [1, 2, 3, 4, 5]
        leaves = [tree[node] for node in shown_nodes(tree) if tree[node].is_leaf]
        assert [[str(c) for c in rule.conditions] for rule in rules] == [
            [node.condition for node in leaf.path[1:]] for leaf in leaves
        ]
        assert [rule.cases for rule in rules] == [4, 2, 3, 2, 3]
        assert [rule.prediction for rule in rules] == [leaf.prediction for leaf in leaves]
        assert [rule.errors for rule in rules] == [leaf.errors for leaf in leaves]
        assert [rule.confidence for rule in rules] == [1.0] * 5

    def test_a_tree_of_one_leaf_is_a_rule_without_conditions(self):
        tree = ctree.C45Classifier(estimate="laplace").fit([[1.0], [2.0], [3.0]], ["a", "a", "b"]).tree_
        (rule,) = tree.to_rules()
        assert (rule.conditions, rule.prediction, rule.confidence) == ((), "a", 3 / 5)

    def test_groups_of_values(self):
        problem = random_problem(5, 200, 2, [6, 0], noise=0.1)
        tree = ctree.C45Classifier(group_values=True).fit(problem.dataset()).tree_
        rules = tree.to_rules()
        assert any(len(c.values) > 1 for rule in rules for c in rule.conditions)
        leaves = [node for node in shown_nodes(tree) if tree[node].is_leaf]
        data = problem.dataset()
        listed = RuleList(data.schema, [Rule(r.number, r.conditions, r.prediction, 0.0, r.cases, 0) for r in rules],
                          "c0", np.full((len(rules) + 1, 2), 0.5), float32=True)  # fmt: skip
        assert [leaves[i] for i in listed.apply(data)] == tree.apply(data).tolist()


PROGRAM = """
import numpy as np
import ctree
from ctree.learners.rules.classifier import C45RulesClassifier

rng = np.random.default_rng(0)
X = rng.integers(0, 8, size=(50000, 12))
y = ((X[:, 0] * X[:, 1] + X[:, 2] + 2 * rng.normal(size=len(X))) // 6).astype(int)
data = ctree.from_arrays(X, y, categorical_features=list(range(12)))
print("fitting", flush=True)
try:
    while True:
        C45RulesClassifier(n_jobs=N_JOBS).fit(data)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals as POSIX has them")
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("seconds", [0.5, 2])
def test_learning_stops_when_interrupted(seconds, n_jobs):
    program = PROGRAM.replace("N_JOBS", str(n_jobs))
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "fitting\n"
            time.sleep(seconds)
            process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=20)
        finally:
            process.kill()
    assert (out, process.returncode) == ("interrupted\n", 0)
