"""The learners in scikit-learn's hands: pipelines, searches, ensembles, routing, pictures; and without scikit-learn."""

import pickle
import re
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from support.sklearn_learners import COUNTS_CASES, LEARNERS

import ctree
from ctree.errors import DataConversionWarning, DataError, NotFittedError, ParameterError

sklearn = pytest.importorskip("sklearn")

from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.impute import SimpleImputer
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score, cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.utils import compute_sample_weight, estimator_html_repr
from sklearn.utils.validation import check_is_fitted

pytestmark = pytest.mark.filterwarnings("ignore::ctree.learners.mcmc.convergence.ChainsDisagreeWarning")

every_learner = pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS.keys())
WHOLE = [name for name, learner in LEARNERS.items() if isinstance(learner, COUNTS_CASES)]


@pytest.fixture(scope="module")
def iris():
    data = load_iris()
    X = data.data.copy()
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    return X, np.array(["setosa", "versicolor", "virginica"])[data.target]


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@every_learner
def test_pipelines_and_searches(learner, iris):
    X, y = iris
    pipeline = make_pipeline(StandardScaler(), clone(learner))
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.6
    search = GridSearchCV(
        Pipeline([("fill", SimpleImputer()), ("learner", clone(learner))]), {"learner__unseen": ["unknown", "error"]}
    )
    assert search.fit(X[::3], y[::3]).best_estimator_[-1].unseen in ("unknown", "error")
    assert search.predict_proba(X).shape == (150, 3)


@pytest.mark.parametrize("library", ["pandas", "polars"])
@every_learner
def test_tables_of_text_and_numbers(learner, library):
    pytest.importorskip("narwhals")
    frames = pytest.importorskip(library)
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue"], size=90)
    frame = frames.DataFrame({"colour": colour, "size": rng.normal(size=90), "big": rng.random(90) > 0.5})
    y = frames.Series(np.where(colour == "red", "stop", "go"))
    search = GridSearchCV(clone(learner), {"unseen": ["error"]}, cv=3).fit(frame, y)
    assert search.best_score_ > 0.9
    assert search.best_estimator_.feature_names_in_.tolist() == ["colour", "size", "big"]
    assert cross_val_score(make_pipeline(clone(learner)), frame, y, cv=3).mean() > 0.9


@every_learner
def test_scorers(learner, iris):
    X, y = iris
    scores = cross_validate(clone(learner), X, y, cv=3, scoring=["accuracy", "neg_log_loss", "roc_auc_ovr"])
    assert np.isfinite(scores["test_neg_log_loss"]).all()
    assert scores["test_roc_auc_ovr"].min() > 0.7
    model = clone(learner).fit(X, y)
    assert get_scorer("accuracy")(model, X, y) == model.score(X, y)
    assert set(cross_val_predict(clone(learner), X, y, cv=3)) == set(y)


@every_learner
def test_ensembles(learner, iris):
    X, y = iris
    bagged = BaggingClassifier(clone(learner), n_estimators=3, random_state=0).fit(X, y)
    assert bagged.score(X, y) > 0.75
    calibrated = CalibratedClassifierCV(clone(learner), cv=3).fit(X, y)
    assert calibrated.predict_proba(X).sum(axis=1) == pytest.approx(1.0)
    voting = VotingClassifier([("a", clone(learner)), ("b", ctree.NaiveBayesClassifier())], voting="soft").fit(X, y)
    assert voting.score(X, y) > 0.75
    assert OneVsRestClassifier(clone(learner)).fit(X, y).score(X, y) > 0.75


@every_learner
def test_a_clone_has_the_parameters_and_nothing_else(learner, iris):
    model = clone(learner).set_params(class_weight={"setosa": 2}).fit(*iris)
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not hasattr(copy, "schema_")
    assert is_classifier(model)


@every_learner
def test_pickles_predict_the_same(learner, iris):
    joblib = pytest.importorskip("joblib")
    X, y = iris
    model = clone(learner).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict_proba(X) == model.predict_proba(X)).all()
    done = joblib.Parallel(n_jobs=2)(joblib.delayed(model.predict)(part) for part in (X[:75], X[75:]))
    assert (np.concatenate(done) == model.predict(X)).all()


@every_learner
def test_not_fitted_is_an_error_of_both(learner):
    model = clone(learner)
    with pytest.raises(sklearn.exceptions.NotFittedError) as caught:
        model.predict([[1.0]])
    assert isinstance(caught.value, NotFittedError)
    assert type(pickle.loads(pickle.dumps(caught.value))) is NotFittedError
    with pytest.raises(sklearn.exceptions.NotFittedError):
        check_is_fitted(model)


class TestClassWeight:
    @pytest.mark.parametrize("weights", [{"setosa": 3}, {"setosa": 1, "versicolor": 2, "virginica": 5}])
    @every_learner
    def test_is_a_weight_of_each_case(self, learner, iris, weights):
        X, y = iris
        by_class = clone(learner).set_params(class_weight=weights).fit(X, y)
        by_case = clone(learner).fit(X, y, sample_weight=[weights.get(label, 1) for label in y])
        assert (by_class.predict_proba(X) == by_case.predict_proba(X)).all()

    @pytest.mark.parametrize("name", [name for name in LEARNERS if name not in WHOLE])
    def test_balanced_is_that_of_scikit_learn(self, name, iris):
        X, y = iris[0][:120], iris[1][:120]
        balanced = clone(LEARNERS[name]).set_params(class_weight="balanced").fit(X, y)
        weighted = clone(LEARNERS[name]).fit(X, y, sample_weight=compute_sample_weight("balanced", y))
        assert balanced.predict_proba(X) == pytest.approx(weighted.predict_proba(X), abs=1e-9)

    @pytest.mark.parametrize("name", WHOLE)
    def test_those_who_count_refuse_a_fraction(self, name, iris):
        with pytest.raises(DataError, match="needs whole numbers as weights"):
            clone(LEARNERS[name]).set_params(class_weight={"setosa": 0.5}).fit(*iris)

    @pytest.mark.parametrize("name", WHOLE)
    def test_those_who_count_say_what_comes_nearest_to_balanced(self, name, iris):
        X, y = iris[0][:120], iris[1][:120]  # 50, 50 and 20
        learner = clone(LEARNERS[name])
        message = (
            "class_weight='balanced' gives cases of 'setosa' the weight 0.8, .* 1 for 'versicolor', 2 for 'virginica'"
        )
        with pytest.raises(ParameterError, match=message):
            clone(learner).set_params(class_weight="balanced").fit(X, y)
        even = np.r_[0:20, 50:70, 100:120]
        balanced = clone(learner).set_params(class_weight="balanced").fit(iris[0][even], iris[1][even])
        assert (balanced.predict(X) == clone(learner).fit(iris[0][even], iris[1][even]).predict(X)).all()

    @every_learner
    def test_a_weight_of_zero_leaves_a_class_out(self, learner, iris):
        X, y = iris
        model = clone(learner).set_params(class_weight={"setosa": 0}).fit(X, y)
        assert "setosa" not in model.predict(X)
        assert model.classes_.tolist() == ["setosa", "versicolor", "virginica"]

    @pytest.mark.parametrize(
        ("wrong", "message"),
        [
            ("even", "class_weight must be None, 'balanced', 'costs' or a dict of classes to weights of at least 0"),
            ("costs", "class_weight='costs' needs costs"),
            ({"setosa": -1}, "dict of classes to weights of at least 0, not {'setosa': -1}"),
            ({"rosa": 2}, "class_weight names 'rosa', but the classes are setosa, versicolor, virginica"),
        ],
    )
    @every_learner
    def test_wrong_ones(self, learner, iris, wrong, message):
        with pytest.raises(ParameterError, match=re.escape(message)):
            clone(learner).set_params(class_weight=wrong).fit(*iris)

    def test_balanced_needs_all_cases_at_once(self, iris):
        with pytest.raises(ParameterError, match="needs all cases at once"):
            ctree.NaiveBayesClassifier(class_weight="balanced").partial_fit(*iris)

    def test_parts_are_weighted_like_the_whole(self, iris):
        X, y = iris
        weights = {"setosa": 2.0, "virginica": 0.5}
        model = ctree.NaiveBayesClassifier(class_weight=weights)
        for rows in (slice(0, None, 2), slice(1, None, 2)):
            model.partial_fit(X[rows], y[rows], classes=np.unique(y))
        assert model.class_counts_.tolist() == [100.0, 50.0, 25.0]

    @every_learner
    def test_it_is_saved(self, learner, iris, tmp_path):
        X, y = iris
        model = clone(learner).set_params(class_weight={"setosa": 2, "virginica": 3}, unseen="error").fit(X, y)
        ctree.save(model, tmp_path / "model.json")
        loaded = ctree.load(tmp_path / "model.json")
        assert loaded.get_params()["class_weight"] == {"setosa": 2, "virginica": 3}
        assert loaded.unseen == "error"
        assert (loaded.predict_proba(X) == model.predict_proba(X)).all()


class TestRouting:
    @every_learner
    def test_sample_weight_reaches_fit(self, learner, iris, routing):
        X, y = iris
        weights = np.arange(150) % 3
        asked = clone(learner).set_fit_request(sample_weight=True)
        direct = clone(learner).fit(X, y, sample_weight=weights)
        piped = make_pipeline(FunctionTransformer(), asked).fit(X, y, sample_weight=weights)
        assert (piped.predict_proba(X) == direct.predict_proba(X)).all()
        assert clone(asked).get_metadata_routing().fit.requests == {"sample_weight": True}

    @every_learner
    def test_unasked_it_is_refused_and_turned_down_it_is_ignored(self, learner, iris, routing):
        X, y = iris
        weights = np.ones(150)
        with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError):
            cross_validate(clone(learner), X, y, params={"sample_weight": weights}, cv=3)
        turned_down = clone(learner).set_fit_request(sample_weight=False).set_score_request(sample_weight=True)
        assert len(cross_validate(turned_down, X, y, params={"sample_weight": weights}, cv=3)["test_score"]) == 3

    def test_under_another_name(self, iris, routing):
        X, y = iris
        model = ctree.C45Classifier().set_fit_request(sample_weight="importance")
        assert make_pipeline(model).fit(X, y, importance=np.arange(150) % 3)[-1].tree_.cases[0] == 150

    def test_parts(self, routing):
        model = ctree.NaiveBayesClassifier().set_partial_fit_request(sample_weight=True)
        assert model.get_metadata_routing().partial_fit.requests == {"sample_weight": True}
        assert model.get_metadata_routing().fit.requests == {"sample_weight": None}

    def test_it_has_to_be_on(self):
        with pytest.raises(RuntimeError, match="metadata routing, which is off"):
            ctree.C45Classifier().set_fit_request(sample_weight=True)


class TestPictures:
    @every_learner
    def test_html(self, learner, iris):
        text = estimator_html_repr(clone(learner))
        assert type(learner).__name__ in text
        assert "Not fitted" in text
        assert "Not fitted" not in estimator_html_repr(clone(learner).fit(*iris))
        assert type(learner).__name__ in make_pipeline(StandardScaler(), clone(learner))._repr_html_()

    def test_notebooks(self):
        model = ctree.C45Classifier(min_cases=5)
        bundle = model._repr_mimebundle_()
        assert bundle["text/plain"] == "C45Classifier(min_cases=5)"
        assert "C45Classifier" in bundle["text/html"]
        assert "sk-estimator" in bundle["text/html"]
        fitted = model.fit([[1.0, "a"], [2.0, "b"]] * 10, ["p", "q"] * 10)._repr_html_()
        assert "sk-estimator" in fitted  # scikit-learn's parameters
        assert "class='ctree-cell'" in fitted  # and the tree
        with sklearn.config_context(display="text"):
            assert list(model._repr_mimebundle_()) == ["text/plain"]
            assert not hasattr(model, "_repr_html_")

    def test_all_parameters_are_shown_on_demand(self):
        with sklearn.config_context(print_changed_only=False):
            assert repr(ctree.NaiveBayesClassifier(m=3.0)) == (
                "NaiveBayesClassifier(estimate='m', m=3.0, bins=5, winnow=False, winnow_loss='log-loss', "
                "winnow_seed=0, categorical_features=None, class_weight=None, costs=None, unseen='unknown')"
            )


class TestLabels:
    @pytest.mark.parametrize(
        "y",
        [
            np.array([3, 1, 3, 1] * 5),
            np.array([3, 1, 3, 1] * 5, dtype=np.int8),
            np.array([3.0, 1.0, 3.0, 1.0] * 5),
            np.array([True, False, True, False] * 5),
            np.array(["b", "a", "b", "a"] * 5),
            np.array(["b", "a", "b", "a"] * 5, dtype=object),
            ["b", "a", "b", "a"] * 5,
            np.array([7, "a", 7, "a"] * 5, dtype=object),
        ],
        ids=["int", "int8", "float", "bool", "text", "objects", "list", "mixed"],
    )
    @every_learner
    def test_of_any_kind(self, learner, y):
        X = np.array([[9.0], [1.0], [8.0], [2.0]] * 5)
        model = clone(learner).fit(X, y)
        assert sorted(set(model.classes_.tolist()), key=str) == sorted(set(np.asarray(y).tolist()), key=str)
        assert model.predict(X).tolist() == list(y)
        assert model.score(X, y) == 1.0

    @every_learner
    def test_measured_numbers_are_no_labels(self, learner):
        with pytest.raises(DataError, match=r"Unknown label type: continuous. y has the value 0.5"):
            clone(learner).fit([[1.0], [2.0]], [0.5, 1.5])

    @every_learner
    def test_score_takes_them_as_fit_does(self, learner):
        X, y = np.array([[9.0], [1.0], [8.0], [2.0]] * 5), ["b", "a", "b", "a"] * 5
        model = clone(learner).fit(X, y)
        with pytest.warns(DataConversionWarning):
            assert model.score(X, np.array(y)[:, None]) == 1.0
        assert model.score(X, [1, 2] * 10) == 0.0
        assert model.score(X[:4], ["b", "a", "a", "a"], sample_weight=[1, 1, 2, 0]) == 0.5
        with pytest.raises(DataError, match="there are 20 cases but 3 classes"):
            model.score(X, y[:3])

    def test_a_column_is_taken_with_a_warning(self):
        with pytest.warns(DataConversionWarning, match="column-vector") as caught:
            model = ctree.C45Classifier().fit([[1.0], [2.0]], np.array([["a"], ["b"]]))
        assert caught[0].filename == __file__
        assert isinstance(caught[0].message, sklearn.exceptions.DataConversionWarning)
        assert model.classes_.tolist() == ["a", "b"]
        with pytest.raises(DataError, match="y should be a 1d array: one class for each case, not 2"):
            ctree.C45Classifier().fit([[1.0], [2.0]], np.ones((2, 2)))


def run_without(library: str, code: str) -> None:
    """Run code in a Python that cannot import a library, warnings being errors."""
    hook = f"""
        import sys

        class Absent:
            def find_spec(self, name, path=None, target=None):
                if name.split(".")[0] == {library!r}:
                    raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

        sys.meta_path.insert(0, Absent())
    """
    code = textwrap.dedent(hook) + textwrap.dedent(code)
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_all_is_well_without_scikit_learn():
    run_without(
        "sklearn",
        """
        import pickle
        import numpy as np
        import ctree
        from ctree.errors import NotFittedError

        rng = np.random.default_rng(0)
        X = rng.normal(size=(60, 3))
        X[rng.random(X.shape) < 0.1] = np.nan
        y = np.where(np.nan_to_num(X[:, 0]) > 0, "yes", "no")
        quick = {"MCMCTreeClassifier": dict(burn_in=100, samples=50, chains=1, random_state=0)}
        names = [name for name in ctree.__all__ if name.endswith("Classifier")]
        for name in ("RelationalTreeClassifier", "BaggedTreesClassifier"):  # which learn from linked tables
            names.remove(name)
        assert len(names) == 9
        for name in names:
            learner = getattr(ctree, name)(**quick.get(name, {}))
            try:
                learner.predict(X)
            except NotFittedError as error:
                assert type(error) is NotFittedError
            model = pickle.loads(pickle.dumps(learner.fit(X, y)))
            assert model.score(X, y) > 0.8, name
            assert model.predict_proba(X).shape == (60, 2)
            assert repr(model).startswith(name)
            bundle = model._repr_mimebundle_()
            assert list(bundle) == ["text/plain", "text/html"]
            assert name in bundle["text/html"]
        assert "sklearn" not in sys.modules
        """,
    )


def test_scikit_learn_is_not_imported_by_ctree():
    code = """
        import sys
        import ctree
        model = ctree.C45Classifier().fit([[1.0], [2.0]], ["a", "b"])
        model.predict([[1.0]]), repr(model), model._repr_mimebundle_()
        assert "sklearn" not in sys.modules
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True)
