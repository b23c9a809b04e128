"""Which of the best tests of all attributes divides a node, by a score and a stopping rule."""

from libc.stdint cimport int64_t

from ctree_ext.grow.candidates cimport ScoreCandidate
from ctree_ext.grow.score_search cimport ALMOST
from ctree_ext.grow.split_scores cimport OWN, ScoreFunction, is_better
from ctree_ext.grow.stopping cimport (
    BY_BAYES, BY_CHI_SQUARE, BY_SHARED, NEVER, Stopping, chi_square_cutoff, is_good_enough, is_hopeless, is_too_costly,
    required_score,
)


cdef bint needs_no_test(const Stopping* rule, const double* counts, double cases, int present,
                        double min_cases) noexcept nogil:
    # Whether a node is a leaf before any test is looked for.
    return present < 2 or cases < 2 * min_cases * ALMOST or is_hopeless(rule, counts, cases, present)


cdef bint requires_the_same(const Stopping* rule, bint binary_splits) noexcept nogil:
    # Whether all tests have to reach the same score. Of chi-square, attributes have cutoffs of their own, by the classes
    # of their known cases.
    return (rule.kind == NEVER and rule.pruning == NEVER or rule.kind == BY_BAYES
            or binary_splits and not rule.present_classes)


cdef int _best_beyond_required(const ScoreCandidate* candidates, int n_attributes,
                               const ScoreFunction* function) noexcept nogil:
    # The test whose score is furthest beyond what it has to reach, the first of equals; -1 for none.
    cdef int a, best = -1
    for a in range(n_attributes):
        if candidates[a].n_branches and (best < 0 or is_better(candidates[a].score - candidates[a].required,
                                                               candidates[best].score - candidates[best].required,
                                                               function)):
            best = a
    return best


cdef int require_scores(const Stopping* rule, ScoreCandidate* candidates, int n_attributes, int n_classes,
                        int64_t n_tests) except -1 nogil:
    # What the test of each attribute has to score. The more branches, the more it is, and tests are compared by
    # what they score beyond it.
    cdef int a, present, n_branches = 0, classes = 0
    cdef double cutoff = 0.0
    cdef ScoreCandidate* best
    for a in range(n_attributes):
        best = &candidates[a]
        if best.n_branches == 0:
            continue
        if rule.kind != BY_CHI_SQUARE:
            best.required = required_score(rule, n_tests, best.n_tests, best.n_branches)
            continue
        present = best.n_present if rule.present_classes else n_classes
        if best.n_branches != n_branches or present != classes:
            n_branches = best.n_branches
            classes = present
            with gil:
                cutoff = chi_square_cutoff(n_tests, present, n_branches, rule.significance)
        best.required = cutoff
    return 0


cdef int choose_by_score(const Stopping* rule, const ScoreFunction* function, ScoreCandidate* candidates,
                         int n_attributes, const double* counts, int64_t* n_tests) except -2 nogil:
    # The attribute to test, -1 for a leaf; and the number of tests that the node keeps.
    cdef int a, attribute, fewest = 0
    cdef int64_t in_all = 0
    cdef const ScoreCandidate* best
    for a in range(n_attributes):
        best = &candidates[a]
        if best.n_branches:
            in_all += best.n_tests
            fewest = best.n_branches if fewest == 0 else min(fewest, best.n_branches)
    n_tests[0] = in_all
    if function.kind != OWN:  # which no threshold is measured in
        require_scores(rule, candidates, n_attributes, function.n_classes, in_all)
    attribute = _best_beyond_required(candidates, n_attributes, function)
    if attribute < 0 or is_too_costly(rule, counts, in_all, fewest):
        return -1
    best = &candidates[attribute]
    if rule.kind == BY_SHARED:
        n_tests[0] = best.n_tests
    return attribute if is_good_enough(rule, best.score, best.required) else -1
