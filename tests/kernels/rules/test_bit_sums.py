"""Sums of code lengths in 32 bits, of all rules and with one more or less, against adding them up."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.rounded_sum import rounded_sum

from ctree_ext.rules.bit_sums import BitSums


def check_sums(bits: np.ndarray, flips: np.ndarray, first: int) -> None:
    """From the first of these steps on."""
    sums, least, tolerances = BitSums(bits).follow(flips)
    chosen = np.zeros(len(bits), dtype=bool)
    for step, rule in enumerate(flips):
        chosen[rule] ^= True
        if step < first:
            continue
        total = rounded_sum(0.0, bits[chosen].tolist(), True)
        for i in range(len(bits)):
            changed = chosen ^ (np.arange(len(bits)) == i)
            exact = rounded_sum(0.0, bits[changed].tolist(), True)
            assert sums[step, i] == exact
            assert least[step, i] <= exact
            assert abs(exact - (total - bits[i] if chosen[i] else total + bits[i])) <= tolerances[step]


@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 150),
    st.integers(3, 18),
    st.sampled_from([0.1, 0.125, 3.0, 50.0, 1000.0, -1.0]),
    st.sampled_from([0.0, 0.5, 1.0]),
)
@settings(deadline=None, max_examples=50)
def test_sums_of_rules_that_come_and_go(seed, n_rules, digits, scale, share):
    # With few digits many sums are halfway between two floats; all rules are chosen first, or dropped in between.
    rng = np.random.default_rng(seed)
    bits = scale * rng.integers(1, 1 << 20, size=n_rules) / (1 << digits)
    bits = bits.astype(np.float32).astype(np.float64)
    first = rng.permutation(n_rules)[: round(share * n_rules)]
    check_sums(bits, np.concatenate([first, rng.integers(n_rules, size=5)]).astype(np.int64), max(len(first) - 3, 0))


@pytest.mark.parametrize("bits", [[40.0, 30.0], [33.3, 40.1, 41.7, 60.2]])
def test_sums_of_many_rules_of_few_lengths(bits):
    # Of which the sums with one more or less come to the same blocks with the same sums.
    rng = np.random.default_rng(5)
    lengths = np.array(bits, dtype=np.float32).astype(np.float64)[rng.integers(len(bits), size=300)]
    sums, _, _ = BitSums(lengths).follow(np.arange(300))
    assert sums[-1].tolist() == [rounded_sum(0.0, np.delete(lengths, i).tolist(), True) for i in range(300)]
    flips = rng.permutation(300)[:40]
    sums, least, _ = BitSums(lengths).follow(np.concatenate([np.arange(300), flips]))
    for n in (1, 10, 40):
        left = np.ones(300, dtype=bool)
        left[flips[:n]] = False
        for i in range(300):
            exact = rounded_sum(0.0, lengths[left ^ (np.arange(300) == i)].tolist(), True)
            assert sums[299 + n, i] == exact >= least[299 + n, i]


@pytest.mark.parametrize("wrong", [-1, 2])
def test_rules_that_are_not_there_are_refused(wrong):
    with pytest.raises(ValueError, match=f"there is no rule {wrong} among 2"):
        BitSums(np.array([1.0, 2.0])).follow(np.array([0, wrong]))
