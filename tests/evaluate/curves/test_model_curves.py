"""What is computed of models: importances, partial dependence, learning curves, pruning; scikit-learn as witness."""

from __future__ import annotations

import numpy as np
import pytest
from support.problems import random_problem

import ctree
from ctree import Dataset
from ctree.errors import DataError, ModelError, ParameterError
from ctree.evaluate.curves.dependence import partial_dependence
from ctree.evaluate.curves.importance import permutation_importance
from ctree.evaluate.curves.learning import learning_curve
from ctree.evaluate.curves.pruning import pruning_path
from ctree.evaluate.protocols import LearningCurve
from ctree.evaluate.scored import scored


@pytest.fixture(scope="module")
def iris():
    return ctree.load_iris()


@pytest.fixture(scope="module")
def table(iris):
    return np.column_stack(iris.columns), np.array(iris.labels)


@pytest.fixture(scope="module")
def mixed():
    """Discrete and continuous attributes with unknown values, three classes, weights."""
    data = random_problem(7, 300, 3, [0, 3, 0, 4, 2], unknown=0.1, noise=0.15).dataset()
    return data.with_weights(np.random.default_rng(0).integers(1, 4, size=300))


def test_partial_dependence_is_that_of_scikit_learn(iris, table):
    inspection = pytest.importorskip("sklearn.inspection")
    X, y = table
    model = ctree.BayesianTreeClassifier().fit(X, y)
    for attribute in (2, 3):
        theirs = inspection.partial_dependence(
            model, X, [attribute], response_method="predict_proba", method="brute", grid_resolution=12
        )
        ours = partial_dependence(model, X, f"x{attribute}", values=theirs["grid_values"][0].tolist(), max_cases=None)
        np.testing.assert_allclose(ours.probabilities.T, theirs["average"], atol=1e-12)


@pytest.mark.parametrize("learner", [ctree.C45Classifier(), ctree.NaiveBayesClassifier()])
def test_partial_dependence_with_unknown_values_and_weights(mixed, learner):
    """Each value is put into each case, one after the other."""
    model = learner.fit(mixed)
    for index, attribute in enumerate(mixed.schema):
        found = partial_dependence(model, mixed, attribute.name, max_cases=None)
        assert found.values[-1] is None  # some cases have no value
        assert found.shares.sum() == pytest.approx(1, abs=0.02)  # numbers above the last quantile are not counted
        column = mixed.columns[index]
        for value, given in list(zip(found.values, found.probabilities, strict=True))[::5]:
            if attribute.is_continuous:
                code = np.nan if value is None else value
            else:
                code = -1 if value is None else attribute.values.index(value)
            changed = list(mixed.columns)
            changed[index] = np.full(300, code, dtype=column.dtype)
            rows = model.predict_proba(Dataset(mixed.schema, changed, n_cases=300))
            expected = sum(w * row for w, row in zip(mixed.weights, rows, strict=True)) / mixed.weights.sum()
            np.testing.assert_allclose(given, expected, atol=1e-12)


def test_shuffling_costs_what_scikit_learn_says(table):
    inspection = pytest.importorskip("sklearn.inspection")
    X, y = table
    model = ctree.NaiveBayesClassifier().fit(X, y)
    theirs = inspection.permutation_importance(model, X, y, n_repeats=60, random_state=1)
    ours = permutation_importance(model, X, y, repeats=60)
    assert ours.losses.shape == (4, 60)
    assert ours.base == pytest.approx(model.score(X, y))
    spread = np.sqrt(theirs["importances_std"] ** 2 / 60 + ours.losses.var(axis=1) / 60)
    assert (np.abs(ours.means - theirs["importances_mean"]) <= 5 * spread + 1e-12).all()
    log_loss = pytest.importorskip("sklearn.metrics").log_loss
    ours = permutation_importance(model, X, y, measure="log-loss", repeats=60)
    assert ours.base == pytest.approx(log_loss(y, model.predict_proba(X)))
    theirs = inspection.permutation_importance(model, X, y, n_repeats=60, random_state=1, scoring="neg_log_loss")
    spread = np.sqrt(theirs["importances_std"] ** 2 / 60 + ours.losses.var(axis=1) / 60)
    assert (np.abs(ours.means - theirs["importances_mean"]) <= 5 * spread + 1e-12).all()


def test_an_attribute_that_is_not_asked_for_has_no_importance(mixed):
    model = ctree.C45Classifier(min_cases=30).fit(mixed)
    asked = {mixed.schema[int(a)].name for a in model.tree_.attribute[model.tree_.test != 0]}
    found = permutation_importance(model, mixed, repeats=3)
    for name, losses in zip(found.names, found.losses, strict=True):
        assert (name in asked) or (losses == 0).all()
    only = permutation_importance(model, mixed, repeats=3, attributes=[found.names[1]])
    np.testing.assert_array_equal(only.losses[0], found.losses[1])


def test_learning_curve_is_that_of_scikit_learn(iris, table):
    selection = pytest.importorskip("sklearn.model_selection")
    X, y = table
    sizes = [15, 40, 100]
    ours = learning_curve(ctree.C45Classifier(), X, y, sizes=sizes, repeats=4, seed=3)
    series = LearningCurve(sizes, repeats=4, seed=3).series(iris.classes)
    splits = []
    for nested in zip(*(one.splits for one in series), strict=True):
        order = list(nested[0].train)
        for split in nested[1:]:
            order += [row for row in split.train if row not in order]
        splits.append((np.array(order), nested[0].test))
    theirs = selection.learning_curve(ctree.C45Classifier(), X, y, train_sizes=sizes, cv=splits)
    np.testing.assert_array_equal(ours.sizes, theirs[0])
    np.testing.assert_allclose(ours.training["error"], 1 - theirs[1].T, atol=1e-12)
    np.testing.assert_allclose(ours.tested["error"], 1 - theirs[2].T, atol=1e-12)


def test_learning_curves_of_others(table):
    tree = pytest.importorskip("sklearn.tree").DecisionTreeClassifier(random_state=0)
    found = learning_curve(tree, *table, repeats=2)
    assert found.sizes[-1] == 105
    assert found.sizes[0] == 10
    assert set(found.tested) == {"error", "log-loss", "brier"}
    svm = pytest.importorskip("sklearn.svm").LinearSVC(dual=False)
    assert set(learning_curve(svm, *table, sizes=[50], repeats=2).tested) == {"error"}


def errors_of(model, data):
    """The share of wrong predictions, weighed, counted one by one."""
    predicted = model.predict(data)
    total = wrong = 0.0
    for i, label in enumerate(data.labels):
        weight = 1.0 if data.weights is None else data.weights[i]
        total += weight
        wrong += weight * (predicted[i] != label)
    return wrong / total


def test_the_pruning_path_has_the_errors_of_the_trees(mixed):
    train, test = mixed.take(slice(200)), mixed.take(slice(200, None))
    model = ctree.C45Classifier().fit(train)
    found = pruning_path(model, test)
    assert (np.diff(found.leaves) < 0).all()
    assert found.leaves[-1] == 1
    assert found.own_leaves == model.tree_.n_leaves
    for alpha, leaves, tested in zip(found.alphas, found.leaves, found.tested, strict=True):
        tree = model.pruned("cost-complexity", alpha=alpha)
        assert tree.tree_.n_leaves == leaves
        assert errors_of(tree, test) == pytest.approx(tested)
    np.testing.assert_allclose(found.training, model.cost_complexity_path().errors)
    assert found.tested[found.smallest_within(100)] <= found.tested.min() + 0.05
    few = pruning_path(model, most=3)
    assert few.tested is None
    assert len(few.leaves) <= 3
    assert (few.leaves[0], few.leaves[-1]) == (found.leaves[0], 1)


def test_cross_validated_pruning(mixed):
    """As in the book: at the geometric means of the prices, in the trees that are learned without a fold."""
    data = Dataset(mixed.schema, mixed.columns, mixed.classes)
    model = ctree.C45Classifier().fit(data)
    found = pruning_path(model, data, folds=4, seed=2)
    assert found.folds == 4
    splits = ctree.StratifiedFolds(4, repeats=1, seed=2).series(data.classes)[0].splits
    others = [ctree.C45Classifier().fit(data.take(split.train)) for split in splits]
    prices = [*found.alphas, 1e30]
    for k in (0, 1, len(found.alphas) // 2, len(found.alphas) - 1):
        price = (prices[k] * prices[k + 1]) ** 0.5
        wrong = 0
        for split, other in zip(splits, others, strict=True):
            pruned = other.pruned("cost-complexity", alpha=price)
            wrong += round(errors_of(pruned, data.take(split.test)) * len(split.test))
        assert found.tested[k] == pytest.approx(wrong / 300)


def test_cases_come_in_any_form(iris, table):
    X, y = table
    model = ctree.C45Classifier().fit(X, y)
    expected = scored(model, X, y)
    labels = np.array(iris.labels, dtype=object)
    labels[:5] = None
    some = scored(model, X, labels.tolist())
    assert some.n_given == 150
    assert some.rows.tolist() == list(range(5, 150))
    np.testing.assert_array_equal(some.codes, expected.codes[5:])
    other = scored(pytest.importorskip("sklearn.tree").DecisionTreeClassifier().fit(X, y), X, y)
    np.testing.assert_array_equal(other.codes, expected.codes)
    assert other.data is None
    shop = ctree.read_relational("examples/shop")
    linked = scored(ctree.RelationalTreeClassifier().fit(shop), shop)
    assert linked.n_cases == 24
    # classes in another order are found by their names
    turned = ctree.Schema(iris.schema.attributes, iris.schema.classes[::-1])
    again = Dataset(turned, iris.columns, 2 - iris.classes)
    np.testing.assert_array_equal(
        scored(ctree.C45Classifier().fit(iris), again).codes, scored(ctree.C45Classifier().fit(iris), iris).codes
    )


def test_what_is_wrong_is_said(iris, table):
    X, y = table
    model = ctree.C45Classifier().fit(X, y)
    wrong = [
        (lambda: scored(model, X), DataError, "true classes are needed"),
        (lambda: scored(ctree.C45Classifier().fit(iris), iris, y), DataError, "leave out y"),
        (lambda: scored(model, X, y[:-1]), DataError, "150 cases but 149"),
        (lambda: scored(model, X, ["rose"] * 150), DataError, "'rose', not one of"),
        (lambda: scored(model, X, [None] * 150), DataError, "no case has a class"),
        (lambda: scored(model, X, y, [1.0]), DataError, "150 weights"),
        (lambda: scored(ctree.C45Classifier(), X, y), Exception, "not fitted"),
        (lambda: scored(object(), X, y), ModelError, "no probabilities"),
        (lambda: scored(model, X, y).code_of("rose"), ParameterError, "no class 'rose'"),
        (lambda: permutation_importance(model, X, y, measure="size"), ParameterError, "accuracy, log-loss, brier"),
        (lambda: permutation_importance(model, X, y, repeats=0), ParameterError, "at least 1"),
        (lambda: permutation_importance(model, X, y, attributes=["x9"]), DataError, "no attribute 'x9'"),
        (lambda: partial_dependence(model, X, "x9"), DataError, "no attribute 'x9'"),
        (lambda: partial_dependence(model, X, "x2", values=["wide"]), ParameterError, "numbers for values"),
        (lambda: partial_dependence(object(), X, "x2"), ParameterError, "not a object"),
        (lambda: learning_curve(model, X), DataError, "give y"),
        (lambda: pruning_path(ctree.NaiveBayesClassifier().fit(X, y)), ModelError, "no grown tree"),
        (lambda: pruning_path(model, folds=3), ParameterError, "folds need the cases"),
        (lambda: pruning_path(model, X, y, folds=1), ParameterError, "at least 2 folds"),
    ]
    for call, error, message in wrong:
        with pytest.raises(error, match=message):
            call()
