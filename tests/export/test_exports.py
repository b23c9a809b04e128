"""Exports give the probabilities of the model, wherever they are run, and refuse what they cannot express."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import exported
from support.problems import problems, random_problem

import ctree
from ctree.errors import ModelError, NotFittedError, ParameterError
from ctree.export.plan import double_threshold

LEARNERS = [
    ctree.C45Classifier(min_cases=1),
    ctree.C45Classifier(group_values=True, min_cases=1, estimate="laplace"),
    ctree.C45Classifier(soft_thresholds=True, prune=False),
    ctree.C45Classifier(variant="j48", estimate="laplace"),
    ctree.ProbabilityTreeClassifier(),
    ctree.ProbabilityTreeClassifier(binary_splits=False, estimate="m-branch"),
    ctree.BayesianTreeClassifier(),
    ctree.BayesianTreeClassifier(bins=3, unknown="impute", prior_weight=1, averaging="prunings"),
    ctree.BayesianTreeClassifier(bins=None, prior_weight=1),
    ctree.OptimalTreeClassifier(max_depth=2),
]
learners = st.sampled_from(LEARNERS)
WRITERS = {
    "to_sql": {"dialect": "sqlite", "table": "t", "key": "k"},
    "to_pmml": {"form": "shares", "target": "y"},
    "to_python": {},
    "to_c": {"name": "m"},
}

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")


def fitted(problem, learner):
    """A model, and cases for it: those it was fitted to, and some with more unknown values."""
    data = problem.dataset()
    return learner.fit(data), exported.together(data, exported.with_unknown(data, 0.3))


def clear(model, data):
    """The cases that come to one leaf only."""
    leaf = model.tree_.attribute < 0
    return data.take(model.decision_path(data).toarray()[:, leaf].max(axis=1) == 1)


@pytest.fixture
def golf():
    return ctree.read_c45("examples/golf")


class TestThresholds:
    @given(st.floats(width=32, allow_nan=False, allow_infinity=False), st.integers(-3, 3))
    def test_doubles_are_divided_as_their_roundings_are(self, cut, steps):
        bound = double_threshold(cut)
        x = bound
        for _ in range(abs(steps)):
            x = float(np.nextafter(x, np.inf if steps > 0 else -np.inf))
        with np.errstate(over="ignore"):
            assert (x <= bound) == (float(np.float32(x)) <= cut)

    @given(st.floats(-1e38, 1e38), st.floats(allow_nan=False, allow_infinity=False))
    def test_any_double_and_any_threshold(self, cut, x):
        with np.errstate(over="ignore"):
            assert (x <= double_threshold(cut)) == (float(np.float32(x)) <= cut)


class TestTheSameProbabilities:
    @settings(max_examples=60, deadline=None)
    @given(problems(), learners)
    def test_python(self, problem, learner):
        model, data = fitted(problem, learner)
        assert exported.by_python(model, data).tolist() == model.predict_proba(data).tolist()
        module = {}
        exec(ctree.to_python(model), module)
        if getattr(model, "variant", "") == "j48":
            assert "predict" not in module
        else:
            assert [module["predict"](case) for case in exported.cases_of(data)] == model.predict(data).tolist()

    def test_j48_chooses_by_its_own_rule(self):
        data = random_problem(3, 100, 4, [0, 3, 4], unknown=0.2).dataset()
        model = ctree.C45Classifier(variant="j48").fit(data)
        module = {}
        exec(ctree.to_python(model), module)
        assert [module["predict"](case) for case in exported.cases_of(data)] == model.predict(data).tolist()

    @needs_gcc
    @settings(max_examples=10, deadline=None)
    @given(problems(), learners)
    def test_c(self, problem, learner):
        model, data = fitted(problem, learner)
        with tempfile.TemporaryDirectory() as folder:
            assert exported.by_c(model, data, Path(folder)).tolist() == model.predict_proba(data).tolist()

    @settings(max_examples=30, deadline=None)
    @given(problems(), learners)
    def test_sqlite(self, problem, learner):
        model, data = fitted(problem, learner)
        assert exported.by_sqlite(model, data) == pytest.approx(model.predict_proba(data), abs=1e-12)
        data = clear(model, data)
        assert exported.by_sqlite(model, data, "case") == pytest.approx(model.predict_proba(data), abs=1e-12)

    @settings(max_examples=6, deadline=None)
    @given(problems(), learners)
    def test_duckdb(self, problem, learner):
        pytest.importorskip("duckdb")
        pytest.importorskip("pyarrow")
        model, data = fitted(problem, learner)
        assert exported.by_duckdb(model, data) == pytest.approx(model.predict_proba(data), abs=1e-12)
        data = clear(model, data)
        assert exported.by_duckdb(model, data, "case") == pytest.approx(model.predict_proba(data), abs=1e-12)

    @settings(max_examples=60, deadline=None)
    @given(problems(), learners)
    def test_pmml_by_the_letter_of_the_standard(self, problem, learner):
        model, data = fitted(problem, learner)
        single = isinstance(model, ctree.C45Classifier) and model.variant == "release8"  # sums in 32 bits
        found = exported.by_the_standard(model, data)
        assert found == pytest.approx(model.predict_proba(data), abs=1e-6 if single else 1e-12)

    def test_the_tree_itself(self, golf):
        tree = ctree.C45Classifier().fit(golf).tree_
        assert exported.by_python(tree, golf).tolist() == tree.predict_proba(golf).tolist()

    def test_numbers_that_only_just_pass_a_threshold_of_32_bits(self):
        X = np.array([[0.1], [0.2], [0.3], [0.4]])
        model = ctree.C45Classifier(prune=False).fit(X, list("aabb"))
        cut = double_threshold(float(model.tree_.threshold[0]))
        near = np.array([[cut], [np.nextafter(cut, 1)], [np.nextafter(cut, -1)]])
        data = ctree.from_arrays(near, schema=model.schema_)
        expected = model.predict_proba(data)
        assert expected[:, 0].tolist() == [1, 0, 1]
        assert exported.by_python(model, data).tolist() == expected.tolist()
        assert exported.by_sqlite(model, data).tolist() == expected.tolist()
        assert exported.by_the_standard(model, data).tolist() == expected.tolist()

    def test_a_deep_tree(self):
        rng = np.random.default_rng(1)
        X = np.arange(900.0)[:, None]
        y = np.arange(900) % 2  # every case by itself: one threshold below the other
        model = ctree.ProbabilityTreeClassifier().fit(X, y)
        plain = ctree.C45Classifier(prune=False, collapse=False, min_cases=1, mdl_correction=False)
        chain = plain.fit(X, rng.integers(0, 2, 900))
        for deep in (model, chain):
            data = ctree.from_arrays(np.vstack([X[::50], [[np.nan]]]), schema=deep.schema_)
            expected = deep.predict_proba(data)
            assert exported.by_python(deep, data).tolist() == expected.tolist()
            assert exported.by_sqlite(deep, data) == pytest.approx(expected, abs=1e-12)
            assert exported.by_the_standard(deep, data) == pytest.approx(expected, abs=1e-9)


WEIRD = ['si"ze', "o'clock", "a;b -- c", "Größe", "x<y & z", "\\n back", "%s {0}", "select", "tab\there", " "]


class TestNames:
    @pytest.fixture
    def model(self):
        rng = np.random.default_rng(0)
        columns = {}
        for i, name in enumerate(WEIRD):
            if i % 2:
                columns[name] = rng.normal(size=300)
            else:
                columns[name] = np.array([f"{WEIRD[k % 10]}{k}" for k in rng.integers(0, 4, 300)], dtype=object)
        y = np.array(WEIRD)[rng.integers(0, 4, 300) + 2 * (columns[WEIRD[1]] > 0)]
        return ctree.ProbabilityTreeClassifier(binary_splits=False).fit(columns, y), ctree.from_arrays(columns, y)

    def test_quotes_and_signs(self, model, tmp_path):
        model, data = model
        assert {question for question in model.tree_.attribute.tolist() if question >= 0} == set(range(10))
        few = exported.together(data.take(range(20)), exported.with_unknown(data.take(range(20)), 0.3))
        expected = model.predict_proba(few)
        assert exported.by_python(model, few).tolist() == expected.tolist()
        assert exported.by_sqlite(model, few) == pytest.approx(expected, abs=1e-12)
        assert exported.by_the_standard(model, few) == pytest.approx(expected, abs=1e-9)
        if shutil.which("gcc"):
            assert exported.by_c(model, few, tmp_path).tolist() == expected.tolist()

    def test_in_duckdb(self, model):
        pytest.importorskip("duckdb")
        pytest.importorskip("pyarrow")
        model, data = model
        few = exported.with_unknown(data.take(range(20)), 0.3)
        assert exported.by_duckdb(model, few) == pytest.approx(model.predict_proba(few), abs=1e-12)

    def test_labels_that_are_no_texts(self):
        X = {"n": [1, 2, 3] * 20, "b": [True, False] * 30, "f": [0.5, 1.5, 2.5, 3.5] * 15}
        y = [(n + b) % 3 for n, b in zip(X["n"], X["b"], strict=True)]
        model = ctree.ProbabilityTreeClassifier(binary_splits=False, estimate="laplace").fit(
            ctree.from_arrays(X, y, categorical_features=["n", "b"])
        )
        module = {}
        exec(ctree.to_python(model), module)
        base = sqlite3.connect(":memory:")
        base.execute("create table cases (n integer, b boolean, f double)")
        cases = [{name: column[i] for name, column in X.items()} for i in range(12)]
        base.executemany("insert into cases values (:n, :b, :f)", cases)
        found = [row[2:] for row in base.execute(ctree.to_sql(model, "sqlite") + " order by 1")]
        expected = model.predict_proba({name: column[:12] for name, column in X.items()})
        assert found == [pytest.approx(row, abs=1e-12) for row in expected.tolist()]
        assert [module["predict_proba"](case) for case in cases] == expected.tolist()
        assert [module["predict"](case) for case in cases] == y[:12]
        assert 'dataType="integer"' in ctree.to_pmml(model)


class TestUnknownInDatabases:
    def test_nan_null_and_values_never_seen(self, golf):
        duckdb = pytest.importorskip("duckdb")
        model = ctree.C45Classifier(estimate="laplace").fit(golf)
        base = duckdb.connect(config={"threads": 1})
        base.execute("create table cases (day integer, outlook varchar, humidity double, windy varchar)")
        rows = "(1, 'sunny', 'NaN', 'true'), (2, 'sunny', NULL, 'true'), (3, 'fog', 70, 'true')"
        base.execute(f"insert into cases values {rows}")
        found = {row[0]: row[2:] for row in base.execute(ctree.to_sql(model, key="day")).fetchall()}
        assert found[1] == found[2] == pytest.approx((0.42, 0.58))
        case = {"outlook": [None], "temperature": [None], "humidity": [70], "windy": ["true"]}
        assert found[3] == pytest.approx(model.predict_proba(case)[0].tolist())
        rows = base.execute(ctree.to_sql(model, form="case") + " order by 1").fetchall()
        assert [row[4:] for row in rows] == [(None, None, None, None)] * 3

    def test_numbers_below_a_discrete_root_stay_numbers(self):
        pytest.importorskip("duckdb")
        pytest.importorskip("pyarrow")
        X = {"kind": ["a", "b"] * 20, "size": [2.4, 2.6, 2.3, 2.7] * 10}
        bounds = {"a": 2.35, "b": 2.65}
        y = [f"{kind}{size > bounds[kind]}" for kind, size in zip(*X.values(), strict=True)]
        model = ctree.C45Classifier(prune=False).fit(X, y)
        data = ctree.from_arrays(X, schema=model.schema_).take(range(4))
        assert exported.by_duckdb(model, data) == pytest.approx(model.predict_proba(data))

    def test_rows_are_numbered_without_a_key(self, golf):
        model = ctree.C45Classifier(estimate="laplace").fit(golf)
        base = sqlite3.connect(":memory:")
        declared, rows = exported.table_of(golf)
        base.execute(f"create table cases ({declared})")
        base.executemany(f"insert into cases values ({', '.join('?' * 5)})", rows)
        found = base.execute(ctree.to_sql(model, "sqlite") + ' order by "row"').fetchall()
        assert [row[0] for row in found] == list(range(1, 15))
        assert [row[2:] for row in found] == [pytest.approx(p) for p in model.predict_proba(golf).tolist()]


class TestWhatIsRefused:
    @pytest.mark.filterwarnings("ignore::ctree.learners.mcmc.convergence.ChainsDisagreeWarning")
    def test_models_without_a_tree(self, golf):
        for export in (ctree.to_sql, ctree.to_pmml, ctree.to_python, ctree.to_c):
            for model, instead in [
                (ctree.BayesOptimalClassifier(max_depth=1).fit(golf), r"export its `most_probable_tree\(\)`"),
                (ctree.MCMCTreeClassifier(burn_in=10, samples=5).fit(golf), "export one of `trees_`"),
                ("a text", "a str cannot be exported: only a tree, rules and naive Bayes"),
            ]:
                with pytest.raises(ParameterError, match=instead):
                    export(model)
            for learner in (ctree.C45Classifier(), ctree.C45RulesClassifier(), ctree.NaiveBayesClassifier()):
                with pytest.raises(NotFittedError):
                    export(learner)

    def test_parameters(self, golf):
        model = ctree.C45Classifier().fit(golf)
        for message, call in [
            ("dialect must be 'duckdb'", lambda: ctree.to_sql(model, "oracle")),
            ("form must be 'walk' or 'case'", lambda: ctree.to_sql(model, form="tree")),
            ("key is only for form='walk'", lambda: ctree.to_sql(model, form="case", key="day")),
            ("name must be a letter", lambda: ctree.to_c(model, name="2 trees")),
            ("form must be 'tree' or 'shares'", lambda: ctree.to_pmml(model, form="walk")),
        ]:
            with pytest.raises(ParameterError, match=message):
                call()

    def test_columns_that_differ_in_capitals(self):
        X = {"size": [1.0, 2, 1, 2], "Size": [1.0, 1, 2, 2]}
        model = ctree.C45Classifier(prune=False, min_cases=1).fit(X, ["a", "b", "c", "d"])
        with pytest.raises(ModelError, match="differs only in case"):
            ctree.to_sql(model)

    def test_a_column_without_a_name(self):
        model = ctree.C45Classifier(prune=False, min_cases=1).fit({"": [1.0, 2.0]}, ["a", "b"])
        with pytest.raises(ModelError, match="does not allow empty names"):
            ctree.to_sql(model)


SHARED = Path(__file__).parents[3] / "shared" / "data"


@pytest.mark.slow
@pytest.mark.skipif(not SHARED.is_dir(), reason="the data sets are not here")
@pytest.mark.parametrize("stem", sorted(p.stem for p in SHARED.glob("*.names")) if SHARED.is_dir() else [])
def test_every_data_set(stem, tmp_path):
    data = ctree.read_c45(str(SHARED / stem))
    data = data.take(np.random.default_rng(0).permutation(len(data))[:4000])
    some = data.take(np.random.default_rng(1).permutation(len(data))[:50])
    cases = exported.together(some, exported.with_unknown(some, 0.2))
    for learner in (ctree.C45Classifier(), ctree.BayesianTreeClassifier()):
        model = learner.fit(data)
        expected = model.predict_proba(cases)
        assert exported.by_python(model, cases).tolist() == expected.tolist()
        assert np.abs(exported.by_sqlite(model, cases) - expected).max() <= 1e-9
        if shutil.which("gcc"):
            in_c = exported.by_c(model, cases, tmp_path, ("-O0",))  # large trees take the compiler long
            assert in_c.tolist() == expected.tolist()
        # sums of fractions in 32 bits
        rough = model.tree_.float32 and any(c is not None and ((c < 0) | np.isnan(c)).any() for c in data.columns)
        assert np.abs(exported.by_the_standard(model, cases) - expected).max() <= (1e-5 if rough else 1e-9)


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_the_method_of_a_model_and_of_its_tree_is_the_function(learner, writer):
    model = learner.fit(random_problem(3, 60, 2, [3, 0, 2]).dataset())
    for what in (model, model.tree_):
        function, method = getattr(ctree, writer), getattr(what, writer)
        assert method(**WRITERS[writer]) == function(what, **WRITERS[writer])
        assert method(*WRITERS[writer].values()) == function(what, **WRITERS[writer])


@pytest.mark.parametrize("writer", WRITERS)
def test_a_method_needs_a_fit(writer):
    with pytest.raises(NotFittedError):
        getattr(ctree.C45Classifier(), writer)()
