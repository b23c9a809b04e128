"""The data sets that come with the package."""

from pathlib import Path

import numpy as np
import pytest

import ctree

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_golf_is_the_example():
    golf, example = ctree.load_golf(), ctree.read_c45(EXAMPLES / "golf")
    assert golf.schema == example.schema
    assert golf.labels == example.labels
    for column, other in zip(golf.columns, example.columns, strict=True):
        np.testing.assert_array_equal(column, other)


def test_iris_is_that_of_scikit_learn():
    original = pytest.importorskip("sklearn.datasets").load_iris()
    iris = ctree.load_iris()
    np.testing.assert_array_equal(np.column_stack(iris.columns), original.data)
    assert iris.labels == [f"Iris-{original.target_names[code]}" for code in original.target]
