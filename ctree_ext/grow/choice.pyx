"""Which of the attributes' best tests a node takes by gain ratio, if any."""

from ctree_ext.base.numeric cimport NO_GAIN, rounded
from ctree_ext.grow.candidates cimport GainCandidate
from ctree_ext.grow.criteria cimport EPSILON, gain_ratio, merit


cdef int choose_test(const GainCandidate* candidates, const bint* few_valued, int n_attributes, bint gain_only,
                     bint single) noexcept nogil:
    # Release 8: the greatest gain ratio among tests of at least average gain, the first of equals; -1 for none. Only
    # attributes marked in `few_valued` make the average, but any can be chosen. A test that gains nothing is still a
    # test (exclusive-or grows from such), so the marker is what has to be beaten.
    cdef int a, best = -1, possible = 0
    cdef double average = 0.0, best_merit = NO_GAIN, here
    for a in range(n_attributes):
        if few_valued[a] and candidates[a].gain > -EPSILON:
            possible += 1
            average = rounded(average + candidates[a].gain, single)
    average = rounded(average / possible, single) if possible else 1e6
    for a in range(n_attributes):
        if candidates[a].gain > -EPSILON:
            here = merit(candidates[a].gain, candidates[a].split_info, average, gain_only, single)
            if here > best_merit:
                best = a
                best_merit = here
    return best


cdef int choose_test_j48(const GainCandidate* candidates, const bint* few_valued, int n_attributes,
                         double small) noexcept nogil:
    # J48: the same, but a test that gains nothing is none, and a ratio has to be greater by more than `small`.
    cdef int a, best = -1, possible = 0
    cdef double average = 0.0, best_ratio = 0.0, ratio
    for a in range(n_attributes):
        if few_valued[a] and candidates[a].gain > -EPSILON:
            possible += 1
            average += candidates[a].gain
    if possible == 0:
        return -1
    average /= possible
    for a in range(n_attributes):
        if candidates[a].gain >= average - EPSILON:
            ratio = gain_ratio(candidates[a].gain, candidates[a].split_info, small)
            if ratio - best_ratio > small:
                best = a
                best_ratio = ratio
    return best
