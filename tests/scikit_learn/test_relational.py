"""Relational trees in scikit-learn's hands: examples by their keys, of which `X` is one column."""

import pickle

import numpy as np
import pytest

import ctree
from ctree.errors import DataError

sklearn = pytest.importorskip("sklearn")

from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.inspection import permutation_importance
from sklearn.metrics import get_scorer
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
    cross_validate,
    learning_curve,
    permutation_test_score,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import estimator_checks, estimator_html_repr
from sklearn.utils.validation import check_is_fitted

WITHOUT_DATA = (
    *("check_no_attributes_set_in_init", "check_parameters_default_constructible", "check_estimator_cloneable"),
    *("check_get_params_invariance", "check_set_params", "check_do_not_raise_errors_in_init_or_set_param"),
    *("check_estimator_repr", "check_mixin_order", "check_valid_tag_types", "check_estimator_tags_renamed"),
)
"""Those of scikit-learn's checks that do not make up a table `X` of their own, which could not hold keys."""


def linked_tables(n=60, seed=0, classes=None):
    """Examples of class "a" have a red part, most of class "b" have none."""
    rng = np.random.default_rng(seed)
    owners, colours = rng.integers(n, size=3 * n), rng.choice(["red", "green", "blue"], 3 * n)
    red = np.bincount(owners[colours == "red"], minlength=n) > 0
    labels = np.where(red ^ (rng.random(n) < 0.05), "a", "b")
    return ctree.RelationalData(
        {
            "e": {"id": [f"e{i}" for i in range(n)], "class": labels},
            "p": {"of": [f"e{i}" for i in owners], "c": colours},
        },
        target=("e", "class"),
        keys={"e": "id"},
        classes=classes,
        foreign_keys={"p.of": "e"},
    )


@pytest.fixture(scope="module")
def data():
    return linked_tables()


@pytest.fixture(scope="module")
def keys(data):
    return np.array(data.keys, dtype=object).reshape(-1, 1)


@pytest.fixture(scope="module")
def labels(data):
    return np.array(data.labels)


def learner(data, **settings):
    return ctree.RelationalTreeClassifier(data=data, method="bic-prune", **settings)


@pytest.mark.parametrize("name", WITHOUT_DATA)
def test_scikit_learns_checks_that_need_no_table(name):
    check = getattr(estimator_checks, name, None)
    if check is None:
        pytest.skip("not in this version of scikit-learn")
    if name == "check_parameters_default_constructible":
        check("RelationalTreeClassifier", ctree.RelationalTreeClassifier())
    else:
        check("RelationalTreeClassifier", ctree.RelationalTreeClassifier(max_variables=3))


def test_folds_are_those_of_fits_to_taken_examples(data, keys, labels):
    folds = StratifiedKFold(4, shuffle=True, random_state=1)
    scores = cross_val_score(learner(data), keys, labels, cv=folds)
    expected = []
    for train, test in folds.split(keys, labels):
        model = ctree.RelationalTreeClassifier(method="bic-prune").fit(data.take(train))
        expected.append((model.predict(data.take(test)) == labels[test]).mean())
    assert scores.tolist() == expected
    p = cross_val_predict(learner(data), keys, labels, cv=folds, method="predict_proba")
    assert p.sum(axis=1) == pytest.approx(1)
    found = cross_validate(learner(data), keys, labels, cv=folds, scoring=["neg_log_loss", "roc_auc", "accuracy"])
    assert found["test_accuracy"].tolist() == expected
    assert np.isfinite(found["test_neg_log_loss"]).all()


def test_searches_and_pipelines(data, keys, labels):
    pipeline = Pipeline([("same", FunctionTransformer()), ("tree", learner(data))])
    search = GridSearchCV(pipeline, {"tree__method": ["mdl-stop", "c4.4"], "tree__max_variables": [1, 2]}, cv=3)
    search.fit(keys, labels)
    assert search.best_params_["tree__max_variables"] == 2  # one variable cannot speak of parts
    assert search.best_score_ > 0.8
    assert search.predict_proba(keys).shape == (60, 2)
    assert search.best_estimator_[-1].data is data
    assert make_pipeline(learner(data)).fit(keys, labels).score(keys, labels) > 0.9
    parallel = cross_val_score(learner(data), keys, labels, cv=3, n_jobs=2)
    assert parallel.tolist() == cross_val_score(learner(data), keys, labels, cv=3).tolist()


def test_ensembles_calibration_and_permutations(data, keys, labels):
    # A sample with replacement has keys twice: they are examples that count twice.
    bagged = BaggingClassifier(learner(data), n_estimators=3, random_state=0).fit(keys, labels)
    assert bagged.score(keys, labels) > 0.8
    calibrated = CalibratedClassifierCV(learner(data), cv=3).fit(keys, labels)
    assert calibrated.predict_proba(keys).sum(axis=1) == pytest.approx(1)
    voting = VotingClassifier([("a", learner(data)), ("b", learner(data, lookahead=1))], voting="soft")
    assert voting.fit(keys, labels).score(keys, labels) > 0.8
    score, scores, p_value = permutation_test_score(
        learner(data), keys, labels, cv=3, n_permutations=19, random_state=0
    )
    assert score > scores.max()
    assert p_value == pytest.approx(0.05)
    model = learner(data).fit(keys, labels)
    shuffled = permutation_importance(model, keys, labels, n_repeats=3, random_state=0)
    assert shuffled.importances_mean[0] > 0.2
    sizes, _, tests = learning_curve(learner(data), keys, labels, cv=3, train_sizes=[0.5, 1.0])
    assert tests.shape == (len(sizes), 3)


def test_classes_need_not_be_those_of_the_data(data, keys, labels):
    y = np.where(labels == "a", 7, np.arange(60) % 2)
    model = OneVsRestClassifier(learner(data)).fit(keys, y)
    assert set(model.predict(keys)) <= {0, 1, 7}
    assert (model.predict(keys) == 7).sum() > 20
    few = learner(data).fit(keys[labels == "a"][:5], ["x"] * 5)
    assert few.classes_.tolist() == ["x"]
    assert few.predict(keys).tolist() == ["x"] * 60
    with pytest.raises(DataError, match="the class 'a' is not one of x, which the model knows"):
        few.predict(data)


@pytest.mark.parametrize("classes", [["a", "b"], ["b", "a"], ["z", "b", "a"]])
def test_scorers_do_not_depend_on_the_order_of_the_classes(classes, keys, labels):
    # scikit-learn takes the last of the sorted classes for the positive one
    scores = cross_validate(learner(linked_tables(classes=classes)), keys, labels, cv=3,
                            scoring=["roc_auc", "neg_log_loss"])  # fmt: skip
    assert scores["test_roc_auc"].min() > 0.85
    assert scores["test_neg_log_loss"].min() > -0.5


def test_an_example_that_is_given_twice_counts_twice(data, keys, labels):
    twice = learner(data).fit(np.concatenate([keys, keys[:20]]), np.concatenate([labels, labels[:20]]))
    weighted = learner(data).fit(keys, labels, sample_weight=[2] * 20 + [1] * 40)
    assert twice.tree_.to_canonical() == weighted.tree_.to_canonical()


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_columns_of_keys_in_frames(library, data, keys, labels):
    pytest.importorskip("narwhals")
    frames = pytest.importorskip(library)
    expected = learner(data).fit(keys, labels).predict_proba(keys)
    frame = frames.DataFrame({"id": data.keys})
    for X in (frame, frames.Series(data.keys)):
        model = learner(data).fit(X, frames.Series(labels))
        assert np.array_equal(model.predict_proba(X), expected)
        assert model.n_features_in_ == 1
    assert cross_val_score(learner(data), frame, frames.Series(labels), cv=3).mean() > 0.8


def test_clones_pickles_and_parameters(data, keys, labels):
    model = learner(data, class_weight={"a": 2}).fit(keys, labels)
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert copy.get_params(deep=False) == copy.get_params(deep=True)
    assert copy.data is data
    assert not hasattr(copy, "tree_")
    assert is_classifier(model)
    check_is_fitted(model)
    with pytest.raises(sklearn.exceptions.NotFittedError):
        check_is_fitted(copy)
    with pytest.raises(sklearn.exceptions.NotFittedError):
        copy.predict(keys)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict_proba(keys), model.predict_proba(keys))
    other = linked_tables(seed=1)
    assert model.set_params(data=other).predict_proba(keys).shape == (60, 2)
    assert clone(model).set_params(data=None).data is None


def test_a_text_and_a_picture_show_no_tables():
    large = linked_tables(5000)
    model = learner(large)
    assert repr(model) == (
        "RelationalTreeClassifier(method='bic-prune', data=<RelationalData: 5000 examples, 2 tables, 1 foreign key, "
        "2 classes>)"
    )
    for shown in (model, model.fit(large.keys, large.labels), make_pipeline(clone(model))):
        page = estimator_html_repr(shown)
        assert len(page) < 60_000
        assert "e4999" not in page


def test_scores_compare_classes_as_fit_does(keys):
    tables = {"e": {"id": ["x", "y", "z"], "class": ["1", "2", "2"]}, "p": {"of": ["x"]}}
    data = ctree.RelationalData(tables, target=("e", "class"), keys={"e": "id"}, foreign_keys={"p.of": "e"})
    model = ctree.RelationalTreeClassifier(data=data).fit(["x", "y", "z"], [1, 2, 2])
    assert model.score(["x", "y", "z"], [1, 2, 1]) == pytest.approx(2 / 3)
    assert model.score(["x", "y", "z"], ["1", "2", "2"]) == 1.0
    assert model.score(["x", "y"], ["1", "1"], sample_weight=[3, 1]) == 0.75
    assert get_scorer("accuracy")(model, ["x", "y"], [1, 2]) == 1.0


WRONG = {
    "unknown key": (["e0", "nobody"], ["a", "b"], "there is no example with the key 'nobody'"),
    "missing key": (["e0", None], ["a", "b"], "key 2 of the examples is unknown"),
    "missing number": (np.array([np.nan]), ["a"], "key 1 of the examples is unknown"),
    "no keys": ([], [], "there are no examples to learn from"),
    "two columns": ([["e0", "e1"]], ["a"], "X has a row of 2 entries, but should be one column, the keys of the exam"),
    "an array": (
        np.zeros((2, 2)),
        ["a", "b"],
        "X has the shape (2, 2), but should be one column, the keys of the exam",
    ),
    "a word": ("e0", ["a"], "X is 'e0', but should be one column, the keys of the examples"),
    "nothing": (None, ["a"], "X is None, but should be one column, the keys of the examples"),
    "an object": ([object()], ["a"], "the keys of the examples: it has the value <object object"),
    "too few classes": (["e0", "e1"], ["a"], "y has 1 value for 2 examples, but should have one for each"),
    "an unknown class": (["e0", "e1"], ["a", None], "example 2 has no class"),
    "lists as classes": (["e0"], [["a"]], "y: it has the value ['a'], which is not text, a number or a boolean"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_keys_and_classes(case, data):
    X, y, message = WRONG[case]
    with pytest.raises(DataError) as error:
        learner(data).fit(X, y)
    assert str(error.value).startswith(message)


def test_a_sparse_column_of_keys(data):
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(DataError, match="X is a sparse matrix, but should be one column, the keys of the examples"):
        learner(data).fit(sparse.csr_matrix([[1], [2]]), ["a", "b"])


def test_wrong_scores(data, keys, labels):
    model = learner(data).fit(keys, labels)
    for arguments, message in (
        ((keys, labels[:5]), "y has 5 values for 60 examples, but should have one for each"),
        (([], []), "there are no examples to score"),
        ((keys, labels, [1.0]), "sample_weight has 1 value for 60 examples, but should have one for each"),
        ((keys, labels, np.ones((60, 1))), "sample_weight has the shape (60, 1), but should be a list of numbers"),
        ((keys, labels, [0] * 60), "sample_weight gives no example a weight greater than zero"),
    ):
        with pytest.raises(DataError) as error:
            model.score(*arguments)
        assert str(error.value) == message
    bare = ctree.RelationalData({"e": {"id": ["e0"]}, "p": {"of": [], "c": []}}, target="e", keys={"e": "id"},
                                foreign_keys={"p.of": "e"}, kinds={"p.c": "discrete"})  # fmt: skip
    with pytest.raises(DataError, match="score needs the true classes: linked tables that have them, or y"):
        model.score(bare)
