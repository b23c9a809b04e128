"""Learners that take part: ours, scikit-learn's, and any other."""

from __future__ import annotations

import numpy as np
import pytest

import ctree
from ctree.errors import ParameterError
from ctree.evaluate.candidates import Candidate, NumberCoding, candidates, parsed_candidates


@pytest.fixture
def golf():
    return ctree.read_c45("examples/golf")


def test_learners_by_text():
    mine = "ctree.learners.c45.classifier:C45Classifier(estimate='m', m=1.5)"
    text = f"c4.5, big=c4.5(prune=False, min_cases=1), {mine},naive-bayes"
    found = parsed_candidates(text)
    assert [c.name for c in found] == ["c4.5", "big", "C45Classifier(estimate='m', m=1.5)", "naive-bayes"]
    assert [repr(c.learner) for c in found] == [
        "C45Classifier()",
        "C45Classifier(min_cases=1, prune=False)",
        "C45Classifier(estimate='m', m=1.5)",
        "NaiveBayesClassifier()",
    ]


def test_words_are_text_and_commas_in_brackets_do_not_part():
    (c,) = parsed_candidates("c4.5(estimate=laplace, categorical_features=[0, 1])")
    assert (c.learner.estimate, c.learner.categorical_features) == ("laplace", [0, 1])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("c5", "no method 'c5'; the methods are c4.5, c4.5rules"),
        ("c4.5,c4.5", "two learners are called 'c4.5'"),
        ("", "no learner"),
        ("nowhere_at_all:Tree", "cannot be imported"),
        ("ctree:Nothing", "has no 'Nothing'"),
        ("ctree:__version__", "not a class"),
        ("c4.5(depth=3)", "cannot be made.*depth"),
        ("c4.5(3)", "parameter=value"),
        ("c4.5)", "is not a learner"),
        ("ctree:read_c45(stem='examples/golf')", "not a learner"),
    ],
)
def test_what_is_no_learner_is_refused(text, words):
    with pytest.raises(ParameterError, match=words):
        parsed_candidates(text)


def test_a_class_is_not_a_learner():
    with pytest.raises(ParameterError, match="a class, not an object"):
        candidates({"c": ctree.C45Classifier})


def test_numbers_for_those_who_take_nothing_else():
    schema = ctree.Schema(
        (
            ctree.Attribute("colour", ctree.Kind.DISCRETE, ("red", "green")),
            ctree.Attribute("id", ctree.Kind.IGNORE),
            ctree.Attribute("size", ctree.Kind.CONTINUOUS),
        ),
        ("no", "yes"),
    )
    train = ctree.Dataset(schema, [[0, 1, -1], None, [1.0, np.nan, 3.0]], [0, 1, 1])
    coding = NumberCoding(train)
    assert coding.table(train).tolist() == [[1, 0, 1], [0, 1, 2], [0, 0, 3]]
    test = ctree.Dataset(schema, [[1], None, [np.nan]], [0])
    assert coding.table(test).tolist() == [[0, 1, 2]]  # the mean of the training cases


def test_scikit_learn_takes_part_as_if_called_itself(golf):
    sklearn_tree = pytest.importorskip("sklearn.tree")
    model = Candidate("tree", sklearn_tree.DecisionTreeClassifier(max_depth=2)).fit(golf, [1, 0])
    table = NumberCoding(golf).table(golf)
    itself = sklearn_tree.DecisionTreeClassifier(max_depth=2, random_state=model.learner.random_state)
    itself.fit(table, golf.classes)
    codes, probabilities = model.predict(golf)
    assert codes.tolist() == itself.predict(table).tolist()
    assert probabilities == pytest.approx(itself.predict_proba(table))


def test_a_class_that_was_not_learned_has_probability_0(golf):
    pytest.importorskip("sklearn")
    one = golf.take(golf.classes == 1)
    for learner in (
        ctree.C45Classifier(),
        __import__("sklearn.naive_bayes", fromlist=["GaussianNB"]).GaussianNB(),
    ):
        _, probabilities = Candidate("one", learner).fit(one, [1]).predict(golf)
        assert probabilities.tolist() == [[0.0, 1.0]] * 14


def test_open_random_states_are_settled_also_within_pipelines():
    pytest.importorskip("sklearn")
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    golf = ctree.read_c45("examples/golf")
    entrant = Candidate("p", make_pipeline(StandardScaler(), RandomForestClassifier(5)))
    first, again = (entrant.fit(golf, [1, 2]).predict(golf)[1] for _ in range(2))
    assert (first == again).all()
    assert entrant.learner[-1].random_state is None  # the learner that was given is left alone


def test_the_learner_that_is_given_is_not_fitted(golf):
    learner = ctree.C45Classifier()
    Candidate("c4.5", learner).fit(golf, [1])
    assert not hasattr(learner, "tree_")


def test_any_object_with_fit_and_predict(golf):
    class Majority:
        def fit(self, X, y):
            self.best = np.bincount(y).argmax()

        def predict(self, X):
            return np.full(len(X), self.best)

    codes, probabilities = Candidate("majority", Majority()).fit(golf, [1]).predict(golf)
    assert probabilities is None
    assert set(codes.tolist()) == {0}
