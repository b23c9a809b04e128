"""The polynomial of what all trees say, against what they say of each case."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctree_ext.lattice.lattice import Lattice
from ctree_ext.lattice.polynomial import Polynomial, number_of_terms
from ctree_ext.lattice.posterior import Posterior


def said_by_both(columns, classes, n_classes, flips, **options):
    """The probabilities of all possible cases, by the polynomial and by the average for each of them."""
    m = len(columns)
    others = np.array(list(itertools.product([0, 1], repeat=m)), dtype=np.uint8).T.copy()
    lattice = Lattice(columns, classes, n_classes, **options)
    lattice.search("evidence")
    values = Posterior(lattice, columns, classes).polynomial(flips).values(others)
    assert values.sum(axis=1) == pytest.approx(np.ones(len(values)), rel=1e-11)
    return values / values.sum(axis=1, keepdims=True), Posterior(lattice, columns, classes, others).probabilities()


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 70),
    m=st.integers(1, 7),
    n_classes=st.integers(2, 4),
    depth=st.integers(2, 5),
    min_support=st.sampled_from([1, 1, 3]),
    uniform=st.booleans(),
    grouped=st.booleans(),
    copies=st.integers(0, 2),
)
@settings(deadline=None, max_examples=150)
def test_the_polynomial_says_what_the_trees_say(seed, n, m, n_classes, depth, min_support, uniform, grouped, copies):
    rng = np.random.default_rng(seed)
    columns = (rng.random((m, n)) < rng.random((m, 1))).astype(np.uint8)
    # tests that are the same for these cases, or the opposite, but not for others
    for i in range(copies):
        columns = np.concatenate([columns, columns[i % m : i % m + 1] ^ (i & 1)])
    classes = rng.integers(n_classes, size=n).astype(np.int32)
    groups = rng.integers(3, size=len(columns)).astype(np.int32) if grouped else None
    flips = rng.integers(2, size=len(columns)).astype(np.uint8)
    options = {"max_depth": depth, "min_support": min_support, "uniform": uniform, "groups": groups}
    if min(depth, n // min_support) < 2:
        return
    by_terms, by_trees = said_by_both(columns, classes, n_classes, flips, **options)
    np.testing.assert_allclose(by_terms, by_trees, rtol=1e-10, atol=1e-12)


def test_terms_are_sets_of_tests():
    assert [number_of_terms(5, degree) for degree in range(-1, 7)] == [0, 1, 6, 16, 26, 31, 32, 32]
    assert number_of_terms(68, 4) == 866_848


def test_what_cannot_be_a_polynomial_is_refused():
    columns, classes = np.eye(4, dtype=np.uint8), np.array([0, 1, 0, 1], dtype=np.int32)
    with pytest.raises(ValueError, match="degree out of range"):
        Polynomial(np.zeros(4, dtype=np.uint8), 9, 2)
    for options in ({"max_depth": 1}, {"max_depth": 3, "pairs": False}):
        lattice = Lattice(columns, classes, 2, **options)
        lattice.search("evidence")
        with pytest.raises(ValueError, match="a polynomial is of a sum"):
            Posterior(lattice, columns, classes).polynomial(np.zeros(4, dtype=np.uint8))
    lattice = Lattice(columns, classes, 2, max_depth=3)
    lattice.search("evidence")
    with pytest.raises(ValueError, match="one flip a test"):
        Posterior(lattice, columns, classes).polynomial(np.zeros(3, dtype=np.uint8))
    polynomial = Posterior(lattice, columns, classes).polynomial(np.zeros(4, dtype=np.uint8))
    with pytest.raises(ValueError, match="one row a test"):
        polynomial.values(np.zeros((3, 1), dtype=np.uint8))
