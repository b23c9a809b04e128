"""Which of the attributes' best tests a node takes, if any."""

from ctree_ext.grow.criteria cimport gain_ratio, worth
from ctree_ext.base.numeric cimport NO_GAIN, rounded
from ctree_ext.grow.splits cimport Scored

cdef double EPSILON = 0.001


cdef int choose_test(const Scored* scored, const bint* few_valued, int n_attributes, bint gain_only,
                     bint single) noexcept nogil:
    # Release 8: the greatest gain ratio among tests of at least average gain, the first of equals; -1 for none. Only
    # attributes marked in `few_valued` make the average, but any can be chosen. A test that gains nothing is still a
    # test (exclusive-or grows from such), so the marker is what has to be beaten.
    cdef int a, best = -1, possible = 0
    cdef double average = 0.0, best_worth = NO_GAIN, here
    for a in range(n_attributes):
        if few_valued[a] and scored[a].gain > -EPSILON:
            possible += 1
            average = rounded(average + scored[a].gain, single)
    average = rounded(average / possible, single) if possible else 1e6
    for a in range(n_attributes):
        if scored[a].gain > -EPSILON:
            here = worth(scored[a].gain, scored[a].info, average, gain_only, single)
            if here > best_worth:
                best = a
                best_worth = here
    return best


cdef int choose_test_j48(const Scored* scored, const bint* few_valued, int n_attributes, double small) noexcept nogil:
    # J48: the same, but a test that gains nothing is none, and a ratio has to be greater by more than `small`.
    cdef int a, best = -1, possible = 0
    cdef double average = 0.0, best_ratio = 0.0, ratio
    for a in range(n_attributes):
        if few_valued[a] and scored[a].gain > -EPSILON:
            possible += 1
            average += scored[a].gain
    if possible == 0:
        return -1
    average /= possible
    for a in range(n_attributes):
        if scored[a].gain >= average - EPSILON:
            ratio = gain_ratio(scored[a].gain, scored[a].info, small)
            if ratio - best_ratio > small:
                best = a
                best_ratio = ratio
    return best


cdef int choose_by_figure(const Scored* scored, int n_attributes, double hair) noexcept nogil:
    # By a `Measure`: the test that is worth most beyond its price, the first of equals; -1 for none.
    cdef int a, best = -1
    for a in range(n_attributes):
        if scored[a].branches and (best < 0 or scored[a].gain - scored[a].info
                                   > scored[best].gain - scored[best].info + hair):
            best = a
    return best
