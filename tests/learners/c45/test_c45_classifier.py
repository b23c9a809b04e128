"""C45Classifier as a person uses it."""

import re
import subprocess
import sys

import numpy as np
import pytest

import ctree
from ctree import C45Classifier
from ctree.errors import DataError, NotFittedError, ParameterError


@pytest.fixture(scope="module")
def golf():
    return ctree.read_c45("examples/golf")


def columns_of(data):
    """The cases as a dict of columns, and the classes."""
    n = data.n_cases
    columns = {a.name: [data.value(i, k) for i in range(n)] for k, a in enumerate(data.schema)}
    return columns, data.labels


class TestData:
    def test_a_dataset_a_dict_and_an_array_give_the_same_tree(self, golf):
        columns, labels = columns_of(golf)
        array = np.array(list(columns.values()), dtype=object).T
        trees = [
            C45Classifier().fit(golf).tree_,
            C45Classifier().fit(columns, labels).tree_,
            C45Classifier(categorical_features=[0, 3]).fit(array, labels).tree_,
        ]
        assert [tree.n_nodes for tree in trees] == [8, 8, 8]
        assert [sorted(tree.cases.tolist()) for tree in trees] == [sorted(trees[0].cases.tolist())] * 3

    def test_predictions_are_labels_as_they_were_given(self):
        X = [[0.0], [0.0], [1.0], [1.0]]
        for labels in (["no", "no", "yes", "yes"], [3, 3, 7, 7], [False, False, True, True], [-2.0, -2.0, 4.0, 4.0]):
            model = C45Classifier().fit(X, labels)
            assert model.predict(X).tolist() == labels
            assert model.classes_.tolist() == sorted(set(labels))
            assert model.score(X, labels) == 1

    def test_columns_are_found_by_name(self, golf):
        columns, labels = columns_of(golf)
        model = C45Classifier().fit(columns, labels)
        turned = {name: columns[name] for name in reversed(columns)}
        assert (model.predict_proba(turned) == model.predict_proba(columns)).all()

    def test_a_dataset_of_another_schema_is_recoded(self, golf):
        columns, labels = columns_of(golf)
        model = C45Classifier().fit(golf)
        other = ctree.from_arrays({name: columns[name] for name in reversed(columns)}, labels)
        assert other.schema != golf.schema
        assert (model.predict_proba(other) == model.predict_proba(golf)).all()
        assert model.score(other) == model.score(golf) == 1

    def test_a_value_it_has_not_seen_is_unknown(self, golf):
        model = C45Classifier().fit(golf)
        case = {"outlook": ["hail", None], "temperature": [70, 70], "humidity": [70, 70], "windy": ["true", "true"]}
        first, second = model.predict_proba(case)
        assert first.tolist() == second.tolist()
        assert first.sum() == pytest.approx(1)

    def test_an_attribute_that_is_missing_is_named(self, golf):
        model = C45Classifier().fit(golf)
        short = ctree.from_arrays({"outlook": ["rain"], "windy": ["true"]})
        with pytest.raises(DataError, match=r"^the cases lack the attribute 'temperature'$"):
            model.predict(short)

    def test_an_attribute_of_another_kind_is_named(self, golf):
        model = C45Classifier().fit(golf)
        columns, _ = columns_of(golf)
        other = ctree.from_arrays({**columns, "humidity": ["high"] * 14})
        with pytest.raises(DataError, match=r"^attribute 'humidity' is discrete here but continuous in the model$"):
            model.predict(other)

    def test_sample_weight(self, golf):
        columns, labels = columns_of(golf)
        weights = np.arange(1.0, 15.0)
        by_table = C45Classifier().fit(columns, labels, sample_weight=weights)
        by_dataset = C45Classifier().fit(golf, sample_weight=weights)
        assert by_table.tree_.cases[0] == by_dataset.tree_.cases[0] == weights.sum()
        assert (by_table.predict(columns) == by_dataset.predict(golf)).all()

    def test_score_with_weights(self, golf):
        model = C45Classifier(min_cases=10).fit(golf)
        right = model.predict(golf) == np.array(golf.labels)
        assert 0 < right.mean() < 1
        assert model.score(golf, sample_weight=right.astype(float)) == 1
        assert model.score(golf) == right.mean()

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (lambda golf: (golf, [1] * 14), "a Dataset has its own classes: leave out y"),
            (lambda golf: ([[1.0]],), "C45Classifier requires y to be passed, but the target y is None: fit needs"),
            (lambda golf: (ctree.Dataset(golf.schema, golf.columns),), "the cases to learn from have no classes"),
            (
                lambda golf: (ctree.Dataset(golf.schema, golf.columns, [0] * 13 + [-1]),),
                "case 14 has no class; leave out such cases to learn from the others",
            ),
            (lambda golf: (golf, None, [0.0] * 14), "no case has a weight greater than zero"),
            (lambda golf: (golf.take([]),), "there are no cases to learn from: 0 sample"),
        ],
    )
    def test_data_to_learn_from_that_will_not_do(self, golf, arguments, message):
        with pytest.raises(DataError) as caught:
            C45Classifier().fit(*arguments(golf))
        assert str(caught.value).startswith(message)

    def test_score_without_classes(self, golf):
        model = C45Classifier().fit(golf)
        with pytest.raises(DataError, match=r"^score needs the true classes: a Dataset that has them, or y$"):
            model.score(ctree.Dataset(golf.schema, golf.columns))

    def test_fitting_again_forgets_the_first_data(self, golf):
        model = C45Classifier().fit([[0.0], [1.0]], [0, 1])
        model.fit(golf)
        assert model.tree_ == C45Classifier().fit(golf).tree_
        assert model.n_features_in_ == 4


class TestParameters:
    def test_get_and_set(self):
        model = C45Classifier(min_cases=5, estimate="laplace")
        assert model.get_params() == {
            "variant": "release8",
            "arithmetic": "release8",
            "criterion": "gain-ratio",
            "min_cases": 5,
            "confidence": 0.25,
            "prune": True,
            "n_folds": 3,
            "collapse": True,
            "subtree_raising": True,
            "binary_splits": False,
            "mdl_correction": True,
            "actual_thresholds": True,
            "group_values": False,
            "soft_thresholds": False,
            "estimate": "laplace",
            "m": 2.0,
            "prior_weight": 2.0,
            "categorical_features": None,
            "class_weight": None,
            "costs": None,
            "unseen": "unknown",
            "n_jobs": None,
            "verbose": False,
            "max_depth": None,
            "max_leaves": None,
            "min_gain": None,
            "not_below": None,
            "first_tests": None,
            "monotone": None,
            "winnow": False,
            "winnow_loss": "log-loss",
            "winnow_seed": 0,
        }
        assert model.set_params(confidence=0.1, prune=False) is model
        assert (model.confidence, model.prune) == (0.1, False)

    def test_a_name_that_is_none_of_them(self):
        message = r"^C45Classifier has no parameter 'colour'; it has variant, arithmetic, criterion, min_cases, "
        with pytest.raises(ParameterError, match=message):
            C45Classifier().set_params(colour=3)
        with pytest.raises(ParameterError, match=r"has no parameter 'depth' \(did you mean 'max_depth'\?\); it has "):
            C45Classifier().set_params(depth=3)

    def test_repr_shows_what_is_not_default(self):
        assert repr(C45Classifier()) == "C45Classifier()"
        assert repr(C45Classifier(criterion="gain", min_cases=2, m=3.0)) == "C45Classifier(criterion='gain', m=3.0)"

    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"criterion": "gini"}, "criterion must be 'gain-ratio' or 'gain', not 'gini'"),
            ({"min_cases": 0}, "min_cases must be a number greater than 0, not 0"),
            ({"min_cases": float("nan")}, "min_cases must be a number greater than 0, not nan"),
            ({"confidence": 0}, "confidence must be a number greater than 0 and at most 1, not 0"),
            ({"confidence": 25}, "confidence must be a number greater than 0 and at most 1, not 25"),
            (
                {"estimate": "best"},
                "estimate must be 'frequency', 'laplace', 'm', 'dirichlet' or 'm-branch', not 'best'",
            ),
            ({"estimate": "m", "m": -1.0}, "m must be a number at least 1e-200 and at most 1e+15, not -1.0"),
            ({"n_jobs": 0}, "n_jobs must be None or a number of threads up to 1000, -1 for all cores, not 0"),
        ],
    )
    def test_bad_ones_are_refused_when_fitting(self, golf, parameters, message):
        with pytest.raises(ParameterError) as caught:
            C45Classifier(**parameters).fit(golf)
        assert str(caught.value).startswith(message)

    def test_leaf_estimates(self, golf):
        case = {"outlook": ["overcast"], "temperature": [70], "humidity": [70], "windy": ["true"]}
        estimates = {
            "frequency": 1.0,
            "laplace": 5 / 6,
            "m": (4 + 2 * 10 / 16) / 6,
        }
        for leaves, expected in estimates.items():
            assert C45Classifier(estimate=leaves).fit(golf).predict_proba(case)[0, 0] == pytest.approx(expected)

    def test_without_pruning_both_trees_are_one(self, golf):
        model = C45Classifier(prune=False).fit(golf)
        assert model.tree_ is model.unpruned_tree_

    def test_all_cores_but_one(self, golf):
        assert C45Classifier(n_jobs=-2).fit(golf).tree_ == C45Classifier().fit(golf).tree_


@pytest.mark.parametrize("method", ["predict", "predict_proba", "score"])
def test_not_fitted(golf, method):
    with pytest.raises(NotFittedError, match=r"^this C45Classifier is not fitted yet: call fit first$"):
        getattr(C45Classifier(), method)(golf)


class TestScikitLearn:
    @pytest.fixture
    def sklearn(self):
        return pytest.importorskip("sklearn", reason="scikit-learn is not installed")

    def test_clone(self, sklearn):
        from sklearn.base import clone

        model = C45Classifier(min_cases=7, categorical_features=[1])
        copied = clone(model)
        assert copied is not model
        assert copied.get_params() == model.get_params()

    def test_cross_validation(self, sklearn):
        from sklearn.datasets import load_iris
        from sklearn.model_selection import cross_val_score

        X, y = load_iris(return_X_y=True)
        assert cross_val_score(C45Classifier(), X, y, cv=3).mean() > 0.9

    def test_grid_search(self, sklearn):
        from sklearn.datasets import load_iris
        from sklearn.model_selection import GridSearchCV

        X, y = load_iris(return_X_y=True)
        search = GridSearchCV(C45Classifier(), {"min_cases": [2, 60]}, cv=3, scoring="accuracy").fit(X, y)
        assert search.best_params_ == {"min_cases": 2}


@pytest.mark.parametrize("library", ["sklearn", "scipy", "pandas", "matplotlib"])
def test_learning_does_not_import(library):
    program = (
        "import sys, ctree; model = ctree.C45Classifier().fit([[0.0], [1.0]], [0, 1]); model.predict([[0.5]]);"
        f"print({library!r} in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout == "False\n"


class TestFlavours:
    def test_parameters_that_do_not_go_together(self):
        for parameters, message in [
            ({"variant": "c5"}, "variant must be 'release8' or 'j48', not 'c5'"),
            ({"variant": "j48", "group_values": True}, "J48 has neither group_values nor criterion='gain'"),
            ({"variant": "j48", "criterion": "gain"}, "J48 has neither group_values nor criterion='gain'"),
            ({"variant": "j48", "confidence": 1.0}, "confidence must be less than 1 for J48"),
            ({"binary_splits": True, "group_values": True}, "binary_splits and group_values are mutually exclusive"),
            ({"prune": "a little"}, "prune must be True, False or 'reduced-error', not 'a little'"),
            ({"prune": "reduced-error", "n_folds": 1}, "n_folds must be a whole number of at least 2, not 1"),
        ]:
            with pytest.raises(ParameterError, match=re.escape(message)):
                C45Classifier(**parameters).fit([[0.0], [1.0]], [0, 1])

    def test_binary_tests_and_reduced_error_pruning_are_for_release_8_too(self, golf):
        tree = C45Classifier(binary_splits=True, prune=False).fit(golf).tree_
        assert all(len(tree.branches(node)) in (0, 2) for node in range(len(tree)))
        rng = np.random.default_rng(0)
        X, y = rng.integers(6, size=(600, 3)).astype(str), rng.integers(2, size=600)
        full = C45Classifier().fit(X, y)
        pruned = C45Classifier(prune="reduced-error").fit(X, y)
        assert len(pruned.tree_) < len(pruned.unpruned_tree_)
        assert pruned.tree_.cases[0] == 400
        assert full.tree_.cases[0] == 600

    def test_j48_is_saved_and_loaded(self, golf, tmp_path):
        for parameters in ({}, {"prune": "reduced-error"}, {"binary_splits": True, "estimate": "laplace"}):
            model = C45Classifier(variant="j48", **parameters).fit(golf)
            ctree.save(model, tmp_path / "model.json")
            loaded = ctree.load(tmp_path / "model.json")
            assert loaded.get_params() == model.get_params()
            assert loaded.tree_ == model.tree_
            assert loaded.predict(golf).tolist() == model.predict(golf).tolist()

    def test_laplace_changes_probabilities_but_no_class_in_j48(self, golf):
        plain = C45Classifier(variant="j48").fit(golf)
        laplace = C45Classifier(variant="j48", estimate="laplace").fit(golf)
        assert plain.predict(golf).tolist() == laplace.predict(golf).tolist()
        assert laplace.predict_proba(golf).max() < 1 == plain.predict_proba(golf).max()

    def test_expected_errors_exceed_those_in_training(self, golf):
        pruned = C45Classifier().fit(golf)
        assert pruned.expected_errors().tolist() == pruned.tree_.errors.tolist()
        leaves = pruned.tree_.test == 0
        for parameters in ({"prune": False}, {"variant": "j48"}):
            model = C45Classifier(**parameters).fit(golf)
            # the same leaves, all pure, for which both estimates are the same
            assert model.expected_errors()[leaves] == pytest.approx(pruned.tree_.errors[leaves], rel=1e-6)
            assert model.tree_.errors[leaves].tolist() == [0.0] * int(leaves.sum())

    def test_any_true_value_prunes_the_same(self, golf):
        one, other = (C45Classifier(prune=prune).fit(golf) for prune in (True, np.True_))
        assert one.expected_errors().tolist() == other.expected_errors().tolist()

    def test_parameters_that_are_no_numbers(self, golf):
        for name in ("min_cases", "confidence", "m"):
            with pytest.raises(ParameterError, match=f"^{name} must be a number .*, not 'x'"):
                C45Classifier(**{name: "x"}).fit(golf)


class TestWeightsThatAreNotWhole:
    def test_equal_weights_grow_nothing_from_noise(self):
        # In 32 bits the sums of 100,000 such weights would be off by a hundred.
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(100_000, 1)), rng.integers(2, size=100_000)
        model = C45Classifier(min_cases=100).fit(X, y, np.full(100_000, 1.1))
        assert len(model.tree_) == len(C45Classifier(min_cases=100).fit(X, y).tree_)
        assert model.tree_.cases[0] == pytest.approx(110_000, rel=1e-9)

    def test_very_large_and_very_small_ones(self, golf):
        # They are kept as they are. (Release 8 has bounds in cases, so a tree does change with the unit of weight.)
        for weight in (1e39, 1e-46):
            model = C45Classifier(min_cases=2 * weight, prune=False).fit(golf.with_weights(np.full(14, weight)))
            assert model.tree_.cases[0] == pytest.approx(14 * weight)
            assert model.tree_.predict_proba(golf).sum(axis=1) == pytest.approx(1.0)
            assert model.tree_.best[0] == 0
