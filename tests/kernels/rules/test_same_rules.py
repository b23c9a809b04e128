"""Which rules are the same, against a dictionary."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctree_ext.rules.same_rules import numbers_of_rules

MARK = st.one_of(st.integers(0, 3), st.sampled_from([2**31, 2**62]))


@given(st.lists(st.tuples(st.integers(0, 2), st.lists(MARK, max_size=4)), max_size=300))
@settings(deadline=None, max_examples=200)
def test_rules_have_the_numbers_in_which_they_come(rules):
    start = np.cumsum([0, *(len(marks) for _, marks in rules)], dtype=np.int64)
    marks = np.array([mark for _, own in rules for mark in own], dtype=np.int64)
    numbers = numbers_of_rules(start, marks, np.array([cls for cls, _ in rules], dtype=np.int32))
    known: dict[tuple[int, tuple[int, ...]], int] = {}
    assert numbers.tolist() == [known.setdefault((cls, tuple(own)), len(known)) for cls, own in rules]


@pytest.mark.parametrize("start", [[0, 2, 1, 3], [0, 1, 2, 4], [1, 1, 2, 3], [0, 3]])
def test_rules_must_share_out_their_conditions(start):
    with pytest.raises(ValueError, match="share out"):
        numbers_of_rules(np.array(start), np.zeros(3, dtype=np.int64), np.zeros(3, dtype=np.int32))
