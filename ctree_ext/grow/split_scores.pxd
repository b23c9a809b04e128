# The score of a test, as a function of its count matrix: N·gain, chi-square, the logarithm of a Bayes factor, or what a
# function of the user's says.
#
# N·gain and the Bayes factor are sums: every class of every branch adds a term that depends on its count alone, every
# branch takes away one that depends on its size alone, and the score of the node itself is taken away as well.

from libc.math cimport INFINITY, fabs, lgamma, log2
from libc.stdint cimport int64_t

from ctree_ext.base.memory cimport Memory

cdef enum:
    SUMS_EVERY = 1024


cdef enum ScoreKind:
    N_GAIN
    CHI_SQUARE
    BAYES
    OWN         # a function of the user's


ctypedef struct Terms:
    # What k cases of a class add to the score of a branch. A table for integer k, in units: sums of integers do not
    # depend on their order and never drift.
    const int64_t* table
    const int64_t* steps     # what one more case adds
    Py_ssize_t max_count     # up to this, scores are in units
    Py_ssize_t tabled        # up to this, which may be less, the table reaches
    const double* sums       # of logarithms, at every SUMS_EVERY-th k, where they are needed beyond the table
    double alpha             # the Dirichlet parameter of a class
    double log_gamma_alpha


ctypedef struct ScoreFunction:
    ScoreKind kind
    int n_classes
    double prior_weight      # S, the sum of the Dirichlet parameters
    double log_gamma_weight
    bint nonuniform
    const Terms* terms       # by the number of classes above, see `terms_below`; the first are for the root
    Terms all_classes        # what a branch of k cases subtracts
    const int64_t* totals    # its table
    const double* inverses   # 1 / k, for chi-square
    Py_ssize_t max_count     # cases of the whole set, by which the unit is chosen
    Py_ssize_t tabled        # the most cases of a node that a grower may have
    double unit              # of the tables
    int64_t tie_units        # scores in units that differ by no more are equal
    double tie_tolerance     # the same for scores that are not in units


cdef inline double term(double x, const Terms* terms, const ScoreFunction* function) noexcept nogil:
    if function.kind == N_GAIN:
        return x * log2(x) if x > 0 else 0.0
    return lgamma(x + terms.alpha) - terms.log_gamma_alpha if x > 0 else 0.0


cdef inline double total(double x, const ScoreFunction* function) noexcept nogil:
    if function.kind == N_GAIN:
        return x * log2(x) if x > 0 else 0.0
    return lgamma(x + function.prior_weight) - function.log_gamma_weight if x > 0 else 0.0


cdef inline bint is_better(double score, double best, const ScoreFunction* function) noexcept nogil:
    # Whether a score is more than a tie with another. What a user's criterion is measured in is not known: it is a tie
    # if ten digits are the same.
    if function.kind == OWN:
        return score > best + 1e-10 * fabs(best) if best > -INFINITY else score > best
    return score > best + function.tie_tolerance


cdef inline const Terms* terms_below(const ScoreFunction* function, int present) noexcept nogil:
    # The terms of the branches of a node that has cases of so many classes. With nonuniform priors the classes that it
    # lacks share the parameter of one class; they have no case below it, so their terms are all 0.
    return function.terms + (present if function.nonuniform else 0)


cdef int64_t units_beyond(const Terms* terms, Py_ssize_t k, const ScoreFunction* function) noexcept nogil


cdef inline int64_t units_at(const Terms* terms, Py_ssize_t k, const ScoreFunction* function) noexcept nogil:
    # What k cases add, in units, whether a table has it or not.
    return terms.table[k] if k <= terms.tabled else units_beyond(terms, k, function)


cdef inline double information(const double* counts, int n_classes) noexcept nogil:
    # The number of cases times the entropy of their classes, in bits.
    cdef double n = 0.0, inside = 0.0
    cdef int c
    for c in range(n_classes):
        if counts[c] > 0:
            n += counts[c]
            inside += counts[c] * log2(counts[c])
    return n * log2(n) - inside if n > 0 else 0.0


cdef inline int64_t branch_units(const double* counts, int n_classes, const Terms* terms,
                                 const ScoreFunction* function) noexcept nogil:
    # The score of a branch with integer counts, in units.
    cdef int64_t units = 0
    cdef Py_ssize_t n = 0, k
    cdef int c
    for c in range(n_classes):
        k = <Py_ssize_t> counts[c]
        units += units_at(terms, k, function)
        n += k
    return units - units_at(&function.all_classes, n, function)


cpdef double tie_tolerance(double cases)
cdef double branch_score(const double* counts, int n_classes, const Terms* terms,
                         const ScoreFunction* function) noexcept nogil
cdef double chi_square_of(const double* counts, int n_branches, int n_classes, const double* classes) noexcept nogil
cdef double score_of(const double* counts, int n_branches, int n_classes, const Terms* own, const Terms* below,
                     const ScoreFunction* function, double* classes) noexcept nogil


cdef class SplitScore:
    cdef ScoreFunction function
    cdef Memory memory
    cdef Terms* terms
    cdef readonly str name
    cdef readonly object own
    cdef list tables

    cdef int fill(self, Terms* terms, double alpha, Py_ssize_t max_count, bint with_steps=*) except -1
    cdef const int64_t* table(self, double alpha, Py_ssize_t max_count) except NULL
    cdef const double* sums(self, double alpha, Py_ssize_t max_count) except NULL
    cdef const int64_t* steps(self, const int64_t* table, Py_ssize_t max_count) except NULL
