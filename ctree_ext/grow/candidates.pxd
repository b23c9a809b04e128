# The best test that an attribute offers at a node: a candidate for the node's test.

from libc.stdint cimport int32_t, uint32_t

from ctree_ext.base.numeric cimport NO_GAIN


ctypedef struct GainCandidate:
    # By gain ratio; the gain is NO_GAIN where the attribute offers no test.
    double gain
    double split_info
    uint32_t below           # threshold: ranks of the values on either side of the cut
    uint32_t above
    int n_groups             # grouped values: the number of groups


ctypedef struct ScoreCandidate:
    # By a score; there are no branches where the attribute offers no test.
    double score
    double required          # what the score has to reach
    int32_t low_row          # threshold: a case on either side of the cut
    int32_t high_row
    Py_ssize_t n_below       # and how many of the node are below
    int value                # the value that is tested against all others; -1 if none is
    int n_branches           # how many have a case
    int n_present            # how many classes have one among those of known value
    Py_ssize_t n_tests       # how many tests the attribute has at the node, where they are counted


cdef inline GainCandidate no_gain() noexcept nogil:
    cdef GainCandidate none
    none.gain = NO_GAIN
    none.split_info = 0.0
    none.below = 0
    none.above = 0
    none.n_groups = 0
    return none


cdef inline ScoreCandidate no_score() noexcept nogil:
    cdef ScoreCandidate none
    none.score = 0.0
    none.required = 0.0
    none.low_row = -1
    none.high_row = -1
    none.n_below = 0
    none.value = -1
    none.n_branches = 0
    none.n_present = 0
    none.n_tests = 0
    return none
