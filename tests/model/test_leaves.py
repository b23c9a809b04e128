"""What leaves make of their class counts."""

import numpy as np
import pytest

from ctree.errors import ParameterError
from ctree.tree.leaves import leaf_probabilities

# A root of 1 and 5 cases, whose Laplace priors are (2/8, 6/8), and a leaf of three cases of the first class.
COUNTS = np.array([[1.0, 5.0], [3.0, 0.0]])
BEST = np.array([1, 0], dtype=np.int32)


@pytest.mark.parametrize(
    ("estimate", "m", "expected"),
    [
        ("frequency", 2.0, [1.0, 0.0]),
        ("laplace", 2.0, [0.8, 0.2]),
        ("m", 2.0, [0.7, 0.3]),
        ("m", 1.0, [0.8125, 0.1875]),
        ("m", 1e9, [0.25, 0.75]),
    ],
)
def test_three_cases_of_one_class_under_priors_of_a_quarter_and_three(estimate, m, expected):
    assert leaf_probabilities(COUNTS, BEST, estimate, m)[1].tolist() == pytest.approx(expected)


def test_the_priors_of_the_root():
    assert leaf_probabilities(COUNTS, BEST, "laplace")[0].tolist() == [0.25, 0.75]


@pytest.mark.parametrize(
    ("estimate", "expected"), [("frequency", [0, 1, 0]), ("laplace", [1 / 3] * 3), ("m", [2 / 9, 3 / 9, 4 / 9])]
)
def test_an_empty_leaf(estimate, expected):
    counts = np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]])
    best = np.array([2, 1], dtype=np.int32)
    assert leaf_probabilities(counts, best, estimate)[1].tolist() == pytest.approx(expected)


@pytest.mark.parametrize("estimate", ["frequency", "laplace", "m"])
def test_every_row_sums_to_one(estimate):
    counts = np.random.default_rng(0).integers(0, 5, size=(50, 4)) * 0.7
    counts[7] = 0
    probabilities = leaf_probabilities(counts, counts.argmax(axis=1).astype(np.int32), estimate)
    assert probabilities.sum(axis=1) == pytest.approx(1)
    assert (probabilities >= 0).all()


def test_unknown_estimates_are_refused():
    with pytest.raises(ParameterError, match=r"^leaves must be one of frequency, laplace, m, not 'best'$"):
        leaf_probabilities(COUNTS, BEST, "best")


@pytest.mark.parametrize("m", [0.0, -1.0, float("nan")])
def test_m_must_be_positive(m):
    with pytest.raises(ParameterError, match=rf"^m must be greater than 0, not {m}$"):
        leaf_probabilities(COUNTS, BEST, "m", m)
