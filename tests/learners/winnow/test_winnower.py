"""The step of a pipeline that leaves out attributes."""

from __future__ import annotations

import numpy as np
import pytest

import ctree
from ctree.errors import DataError, ParameterError

sklearn = pytest.importorskip("sklearn")

RNG = np.random.default_rng(4)
X = RNG.random((200, 12))
Y = np.where(X[:, 3] > 0.5, "a", np.where(X[:, 8] > 0.4, "b", "c"))


@pytest.fixture
def winnower():
    return ctree.Winnower(ctree.C45Classifier()).fit(X, Y)


def test_what_is_kept(winnower):
    mask = winnower.get_support()
    assert mask[[3, 8]].all()
    assert mask.sum() < 8
    assert winnower.get_support(indices=True).tolist() == np.flatnonzero(mask).tolist()
    assert winnower.get_feature_names_out().tolist() == [f"x{i}" for i in np.flatnonzero(mask)]
    assert winnower.winnowing_ == ctree.winnow(X, Y)


def test_every_kind_of_table(winnower):
    pandas, polars, pyarrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    from scipy.sparse import csc_array, csr_array

    mask = winnower.get_support()
    expected = X[:, mask].tolist()
    assert winnower.transform(X).tolist() == expected
    assert winnower.transform(X.tolist()).tolist() == expected
    for sparse in (csr_array(X), csc_array(X)):
        given = winnower.transform(sparse)
        assert given.format == sparse.format
        assert given.toarray().tolist() == expected
    names = [f"attribute {i}" for i in range(12)]
    frame = pandas.DataFrame(X, columns=names)
    named = ctree.Winnower().fit(frame, Y)
    kept = [name for name, keep in zip(names, mask, strict=True) if keep]
    assert named.transform(frame).columns.tolist() == kept
    assert named.transform(frame[names[::-1]]).columns.tolist() == kept[::-1]
    assert named.transform(polars.DataFrame(dict(frame))).columns == kept
    assert named.transform(pyarrow.table(dict(frame))).column_names == kept
    assert list(named.transform(dict(frame))) == kept
    assert named.transform(ctree.from_arrays(frame, Y)).schema.names == tuple(kept)


def test_pipelines_and_searches(winnower):
    from sklearn.model_selection import GridSearchCV, cross_val_score
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline

    plain = KNeighborsClassifier()
    pipeline = make_pipeline(ctree.Winnower(), plain)
    assert cross_val_score(pipeline, X, Y).mean() > cross_val_score(plain, X, Y).mean()
    search = GridSearchCV(pipeline, {"winnower__loss": ["brier", "error"], "winnower__random_state": [0, 1]}).fit(X, Y)
    assert set(search.best_params_) == {"winnower__loss", "winnower__random_state"}
    deep = ctree.Winnower(ctree.C45Classifier()).set_params(estimator__min_cases=5)
    assert deep.get_params()["estimator__min_cases"] == 5
    by_winnow = GridSearchCV(ctree.C45Classifier(), {"winnow": [False, True]}).fit(X, Y)
    assert by_winnow.best_score_ > 0.8


def test_output_as_frames():
    pandas = pytest.importorskip("pandas")
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    pipeline = make_pipeline(StandardScaler(), ctree.Winnower()).set_output(transform="pandas")
    frame = pipeline.fit(X, Y).transform(X)
    assert isinstance(frame, pandas.DataFrame)
    winnower = ctree.Winnower().set_output(transform="pandas").fit(X, Y)
    given = winnower.transform(X)
    assert given.columns.tolist() == winnower.get_feature_names_out().tolist()
    assert isinstance(winnower.set_output(transform="default").transform(X), np.ndarray)
    with pytest.raises(ParameterError, match="transform"):
        winnower.set_output(transform="text")


def test_in_a_notebook(winnower):
    assert "attributes are kept, by log-loss" in winnower._repr_html_()
    assert repr(winnower) == "Winnower(estimator=C45Classifier())"


def test_bad_input(winnower):
    with pytest.raises(DataError, match="X has 5 features, but Winnower is expecting 12 features"):
        winnower.transform(X[:, :5])
    with pytest.raises(DataError, match="not of 1 dimensions"):
        winnower.transform(X[0])
    with pytest.raises(Exception, match="not fitted yet"):
        ctree.Winnower().transform(X)
    with pytest.raises(ParameterError, match="estimator must be"):
        ctree.Winnower(5).fit(X, Y)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X[:, :3], columns=["a", "b", "c"])
    named = ctree.Winnower().fit(frame, X[:, 0] > 0.5)
    with pytest.raises(DataError, match="X lacks b"):
        named.transform(frame[["a", "c"]])
    with pytest.raises(DataError, match="X has d more"):
        named.transform(frame.assign(d=1))
    with pytest.raises(DataError, match="length equal to 12"):
        winnower.get_feature_names_out(["a"])


def test_the_checks_of_scikit_learn():
    from sklearn.utils.estimator_checks import check_estimator

    reason = "a case of weight 2 is in one half, two of weight 1 may be in both"
    expected = [f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")]
    results = check_estimator(ctree.Winnower(), on_fail=None, expected_failed_checks=dict.fromkeys(expected, reason))
    assert [(r["check_name"], str(r["exception"])) for r in results if r["status"] == "failed"] == []
