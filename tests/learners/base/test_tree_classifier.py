"""The way of cases through a tree, its rules as data, and explanations, of every learner of one tree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.problems import problems, random_problem

import ctree
from ctree.errors import NotFittedError, ParameterError
from ctree.tree.rules import simplified

LEARNERS = [
    ctree.C45Classifier(),
    ctree.C45Classifier(variant="j48", estimate="laplace"),
    ctree.C45Classifier(group_values=True, min_cases=1),
    ctree.ProbabilityTreeClassifier(),
    ctree.ProbabilityTreeClassifier(binary_splits=False),
    ctree.BayesianTreeClassifier(),
    ctree.BayesianTreeClassifier(bins=3, unknown="impute", prior_weight=1),
    ctree.BayesianTreeClassifier(bins=None, averaging="prunings"),
    ctree.OptimalTreeClassifier(max_depth=2),
]

learners = st.sampled_from(LEARNERS)


@pytest.fixture
def golf():
    return ctree.read_c45("examples/golf")


def meets(data, case, condition):
    """Whether a case meets a condition; None where its value is unknown."""
    value = data.value(case, data.schema.index(condition.attribute))
    if value is None:
        return None
    if condition.values or (condition.at_most is None and condition.above is None):
        return value in condition.values
    return (condition.at_most is None or value <= condition.at_most) and (
        condition.above is None or value > condition.above
    )


class TestPaths:
    @settings(max_examples=60, deadline=None)
    @given(problems(), learners)
    def test_shares_in_the_leaves_make_the_probabilities(self, problem, learner):
        data = problem.dataset()
        model = learner.fit(data)
        path = model.decision_path(data)
        tree = model.tree_
        assert path.shape == (len(data), tree.n_nodes)
        assert (path.toarray()[:, 0] == 1).all()
        leaf = tree.attribute < 0
        mixed = path.toarray()[:, leaf] @ tree.probabilities[leaf]
        assert mixed / mixed.sum(axis=1, keepdims=True) == pytest.approx(model.predict_proba(data), abs=1e-9)
        # where nothing is unknown, the path ends with the leaf, and nothing else has a share
        whole = path.toarray()[:, leaf].max(axis=1) == 1
        ends = np.flatnonzero(leaf)[path.toarray()[:, leaf].argmax(axis=1)]
        assert (model.apply(data)[whole] == ends[whole]).all()
        most = path.toarray()[np.arange(len(data)), model.apply(data)]
        assert most == pytest.approx(path.toarray()[:, leaf].max(axis=1))

    def test_a_node_has_the_share_of_its_branches(self):
        data = random_problem(2, 100, 3, [0, 4, 3], unknown=0.2).dataset()
        model = ctree.ProbabilityTreeClassifier(binary_splits=False).fit(data)
        path = model.decision_path(data).toarray()
        for node in range(model.tree_.n_nodes):
            branches = list(model.tree_.branches(node))
            if branches:
                assert path[:, branches].sum(axis=1) == pytest.approx(path[:, node])

    def test_no_cases(self, golf):
        assert ctree.C45Classifier().fit(golf).decision_path(golf.take([])).shape == (0, 8)

    def test_not_before_the_fit(self, golf):
        for name, arguments in [("apply", (golf,)), ("decision_path", (golf,)), ("explain", ({},)), ("to_rules", ())]:
            with pytest.raises(NotFittedError):
                getattr(ctree.C45Classifier(), name)(*arguments)


class TestRules:
    @settings(max_examples=60, deadline=None)
    @given(problems(most_unknown=0.0), learners)
    def test_a_case_meets_the_rule_of_its_leaf_and_no_other(self, problem, learner):
        data = problem.dataset()
        model = learner.fit(data)
        rules = model.tree_.leaf_rules(model._interface().bin_cuts())
        assert tuple(rules.values()) == model.to_rules()
        rounded = [c if a.is_discrete or c is None else c.astype(np.float32).astype(np.float64)
                   for a, c in zip(data.schema, data.columns, strict=True)]  # fmt: skip
        seen = ctree.Dataset(data.schema, rounded, n_cases=len(data)) if model.tree_.float32 else data
        for case, leaf in enumerate(model.apply(data).tolist()):
            met = [n for n, rule in rules.items() if all(meets(seen, case, c) for c in rule.conditions)]
            assert met == [leaf]

    @settings(max_examples=30, deadline=None)
    @given(problems(), learners)
    def test_figures(self, problem, learner):
        data = problem.dataset()
        model = learner.fit(data)
        rules = model.to_rules()
        whole = len(data)
        assert sum(rule.support for rule in rules) == pytest.approx(1, abs=1e-5)
        for leaf, rule in model.tree_.leaf_rules(model._interface().bin_cuts()).items():
            code = data.schema.classes.index(rule.prediction)
            assert len({c.attribute for c in rule.conditions}) == len(rule.conditions)
            assert rule.support == pytest.approx(rule.cases / whole, rel=1e-6)
            assert rule.confidence == pytest.approx(model.tree_.probabilities[leaf, code])
            prior = model.tree_.class_counts[0, code] / whole
            if prior > 0:
                assert rule.lift == pytest.approx(rule.confidence / prior, rel=1e-6)

    def test_one_interval_for_an_attribute(self):
        X = np.arange(40.0)[:, None]
        y = ["a"] * 10 + ["b"] * 10 + ["a"] * 10 + ["c"] * 10
        rules = ctree.C45Classifier(prune=False).fit(X, y).to_rules()
        assert sorted(str(c) for rule in rules for c in rule.conditions) == [
            "19 < x0 <= 29", "9 < x0 <= 19", "x0 <= 9", "x0 > 29"
        ]  # fmt: skip

    def test_intervals_are_covered_by_rule_lists_too(self):
        condition = ctree.Condition("x0", above=9, at_most=19)
        data = ctree.from_arrays([[5.0], [9.0], [10.0], [19.0], [20.0]], ["a", "b", "a", "b", "a"])
        rules = ctree.RuleList(data.schema, [ctree.Rule(1, (condition,), "b", 0.0, 2, 0)], "a", np.full((2, 2), 0.5))
        assert rules.apply(data).tolist() == [-1, -1, 0, 0, -1]

    def test_impossible_together(self):
        both = simplified([ctree.Condition("a", values=("x",)), ctree.Condition("a", values=("y",))])
        assert both == (ctree.Condition("a"),)

    @pytest.mark.parametrize("frame", ["pandas", "polars", "pyarrow"])
    def test_as_a_table(self, golf, frame):
        pytest.importorskip("narwhals")
        library = pytest.importorskip(frame)
        model = ctree.C45Classifier().fit(golf)
        table = model.to_rules(frame=frame)
        assert isinstance(table, library.Table if frame == "pyarrow" else library.DataFrame)
        columns = table.to_pydict() if frame == "pyarrow" else {c: list(table[c]) for c in table.columns}
        rules = model.to_rules()
        assert columns["rule"] == [1, 2, 3, 4, 5]
        assert columns["conditions"][1] == "outlook = sunny and humidity <= 75"
        assert columns["class"] == [rule.prediction for rule in rules]
        for name in ("cases", "errors", "support", "confidence", "lift"):
            assert columns[name] == [getattr(rule, name) for rule in rules]

    def test_another_table(self, golf):
        with pytest.raises(ParameterError, match="frame must be None, 'pandas', 'polars' or 'pyarrow'"):
            ctree.C45Classifier().fit(golf).to_rules(frame="excel")


class TestExplain:
    @settings(max_examples=40, deadline=None)
    @given(problems(), learners)
    def test_it_says_what_is_predicted_and_where(self, problem, learner):
        data = problem.dataset()
        model = learner.fit(data)
        path = model.decision_path(data).toarray()
        probabilities, predicted, leaves = model.predict_proba(data), model.predict(data), model.apply(data)
        for case in range(min(len(data), 10)):
            said = model.explain(data.take([case]))
            assert said.prediction == predicted[case]
            assert list(said.probabilities.values()) == probabilities[case].tolist()
            assert said.probability == said.probabilities[said.prediction]
            shares = {arrival.leaf: arrival.share for arrival in said.arrivals}
            expected = {n: path[case, n] for n in np.flatnonzero(path[case]) if model.tree_.attribute[n] < 0}
            total = sum(expected.values())
            assert shares == pytest.approx({n: share / total for n, share in expected.items()})
            assert path[case, leaves[case]] == pytest.approx(path[case, said.arrivals[0].leaf])
            assert f"class {said.prediction}" in str(said)
            mixed = sum(arrival.share * arrival.confidence for arrival in said.arrivals)
            assert mixed == pytest.approx(said.probability, abs=1e-6)

    def test_what_was_replaced_is_told(self, golf):
        model = ctree.BayesianTreeClassifier(bins=3, unknown="impute", prior_weight=1).fit(golf)
        text = str(model.explain({"outlook": "sunny", "temperature": 70, "humidity": None, "windy": "true"}))
        assert text.splitlines()[2] == "    75 < humidity <= 85 (it is unknown, and taken to be (75, 85])"
        text = str(ctree.OptimalTreeClassifier(max_depth=2, bins=4).fit(golf).explain([None, 70, 90, "true"]))
        assert text.splitlines()[1:] == [
            "    outlook in {sunny, overcast} (it is unknown, and taken to be sunny)",
            "    humidity > 80 (it is 90)",
        ]

    def test_a_tree_that_asks_nothing(self):
        model = ctree.C45Classifier().fit([[1.0], [2.0]], ["a", "a"])
        assert str(model.explain([1.0])) == "class a [100.0%] by leaf 1"

    def test_the_tree_itself(self, golf):
        tree = ctree.C45Classifier().fit(golf).tree_
        assert tree.explain(golf)[3].prediction == tree.schema.classes[int(tree.predict_proba(golf)[3].argmax())]
