"""Logarithms and exponentials are those of the C library, whatever the processor can do."""

import math
import re
from pathlib import Path

import numpy as np
import pytest

import ctree
from ctree_ext.base.elementary import exp, log, log2, xlog2y

NUMBERS = np.random.default_rng(0).random((1000, 5)) * np.array([1.0, 1e-300, 1e300, 700.0, 3.0])


@pytest.mark.parametrize(("function", "of_one"), [(log, math.log), (log2, math.log2), (exp, math.exp)])
def test_each_number_is_what_the_c_library_gives(function, of_one):
    numbers = NUMBERS[:, 3] if function is exp else NUMBERS
    expected = np.vectorize(of_one, otypes=[float])(numbers)
    assert np.array_equal(function(numbers), expected)
    assert np.array_equal(function(numbers[::-2]), expected[::-2])
    assert np.array_equal(function(numbers.tolist()), expected)
    assert function(np.empty((0, 3))).shape == (0, 3)


def test_the_argument_stays_as_it_is():
    numbers = NUMBERS.copy()
    log(numbers)
    xlog2y(numbers, numbers)
    assert np.array_equal(numbers, NUMBERS)


def test_outside_of_their_domain():
    with np.errstate(all="raise"):
        assert log([0.0, math.inf]).tolist() == [-math.inf, math.inf]
        assert np.isnan(log([-1.0, math.nan])).all()
        assert exp([-math.inf, 800.0]).tolist() == [0.0, math.inf]


def test_terms_of_an_entropy():
    x, y = np.array([[0.0, 3.0], [2.0, 0.0]]), np.array([0.0, 0.75])
    assert xlog2y(x, y).tolist() == [[0.0, 3 * math.log2(0.75)], [-math.inf, 0.0]]


def test_numpys_own_are_not_used():
    """Their last bit depends on the processor, so that the same data would give another model elsewhere."""
    dispatched = r"np\.(log\w?|log10|exp|exp2|expm1|power|float_power|sin|cos|tanh?|cbrt)\("
    for path in Path(ctree.__file__).parent.rglob("*.py"):
        assert not re.findall(dispatched, path.read_text("utf-8")), path
