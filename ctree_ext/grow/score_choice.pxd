# Which of the best tests of all attributes divides a node, by a score and a stopping rule.

from libc.stdint cimport int64_t

from ctree_ext.grow.candidates cimport ScoreCandidate
from ctree_ext.grow.split_scores cimport ScoreFunction
from ctree_ext.grow.stopping cimport Stopping

cdef bint needs_no_test(const Stopping* rule, const double* counts, double cases, int present,
                        double min_cases) noexcept nogil
cdef bint requires_the_same(const Stopping* rule, bint binary_splits) noexcept nogil
cdef int require_scores(const Stopping* rule, ScoreCandidate* candidates, int n_attributes, int n_classes,
                        int64_t n_tests) except -1 nogil
cdef int choose_by_score(const Stopping* rule, const ScoreFunction* function, ScoreCandidate* candidates,
                         int n_attributes, const double* counts, int64_t* n_tests) except -2 nogil
