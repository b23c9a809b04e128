"""Sparse matrices: what they stand for is the dense table."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import ctree
from ctree import from_arrays
from ctree.data.tables import raw_columns
from ctree.errors import DataError, DataTypeError

FORMATS = ["csr", "csc", "coo", "dok", "lil", "dia", "bsr"]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csr_array])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint8, bool])
def test_every_format_is_as_the_dense_table(format, kind, dtype):
    dense = np.array([[0, 1, 0], [3, 0, 0], [0, 0, 0], [1, 1, 0]]).astype(dtype)
    given_, expected = from_arrays(kind(dense).asformat(format), [0, 1, 1, 0]), from_arrays(dense, [0, 1, 1, 0])
    assert repr(given_.schema) == repr(expected.schema)
    assert all(np.array_equal(a, b) for a, b in zip(given_.columns, expected.columns, strict=True))


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 12), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_entries_that_come_twice_are_added_and_nan_is_unknown(n, m, seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(0, 3 * n))
    rows, columns = rng.integers(0, n, size), rng.integers(0, m, size)
    numbers = rng.choice([1.0, -2.5, 0.0, np.nan], size)
    dense = np.zeros((n, m))
    for row, column, number in zip(rows, columns, numbers, strict=True):
        dense[row, column] += number
    matrix = sparse.coo_matrix((numbers, (rows, columns)), shape=(n, m))
    before = matrix.copy()
    read = from_arrays(matrix)
    assert np.array_equal(np.column_stack(read.columns), dense, equal_nan=True)
    assert np.array_equal(matrix.data, before.data, equal_nan=True)  # what was given is as it was
    assert [read.value(i, j) is None for i in range(n) for j in range(m)] == np.isnan(dense).ravel().tolist()


@pytest.mark.parametrize("learner", ["C45Classifier", "NaiveBayesClassifier", "OptimalTreeClassifier"])
def test_what_an_encoder_makes_is_learned_from(learner):
    preprocessing = pytest.importorskip("sklearn.preprocessing")
    jobs = np.array([["clerk"], ["farmer"], ["clerk"], ["judge"]] * 6)
    y = ["a", "b", "a", "b"] * 6
    X = preprocessing.OneHotEncoder().fit_transform(jobs)
    assert sparse.issparse(X)
    model = getattr(ctree, learner)().fit(X, y)
    dense = getattr(ctree, learner)().fit(X.toarray(), y)
    assert np.array_equal(model.predict_proba(X), dense.predict_proba(X.toarray()))
    assert model.score(X, y) == 1.0
    assert model.explain(X[:1]).prediction == "a"


def test_what_is_too_large_or_no_table_is_refused(monkeypatch):
    monkeypatch.setattr(raw_columns, "_memory_size", lambda: 10**6)
    with pytest.raises(DataError, match=r"sparse matrix of 1,000 by 200, which takes 0 GB .* fewer columns"):
        from_arrays(sparse.csr_matrix((1000, 200)))
    with pytest.raises(DataError, match=r"2,000,000,000 by 100, which takes 1,600 GB"):
        from_arrays(sparse.csr_matrix((2_000_000_000, 100)).asformat("coo"))
    with pytest.raises(DataTypeError, match="Complex data not supported"):
        from_arrays(sparse.csr_matrix([[1j]]))
    with pytest.raises(DataError, match="no columns"):
        from_arrays(sparse.csr_matrix((3, 0)))
    with pytest.raises(DataError, match="y is 'a', the name of a column, but the columns of X have no names"):
        from_arrays(sparse.csr_matrix((3, 1)), "a")
