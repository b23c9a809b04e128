# What a leaf and a test are worth beforehand, and the marginal likelihood of a leaf's classes.

from libc.math cimport INFINITY, log, log1p, pow
from libc.stdint cimport int32_t

from ctree_ext.lattice.views cimport View

cdef enum:
    MAX_LINEAR = 1800   # cases for which the factors of a likelihood stay within the range of a double
    TABLE_SIDE = 128     # counts of two classes below this are looked up as a pair


ctypedef struct TreePrior:
    bint uniform             # every tree counts the same
    double gamma             # a node of depth d is divided with probability gamma (1 + d)^-delta
    double delta
    double alpha             # of the Dirichlet prior, for each class
    Py_ssize_t least         # cases in a leaf
    int n_classes
    double* log_gammas       # [n + 1] ln Γ(k + α) - ln Γ(α)
    double* log_sums         # [n + 1] ln Γ(A) - ln Γ(k + A)
    double* log_leaf_sums    # the same, minus infinity for less than `least`
    double* gammas           # their exponentials for up to MAX_LINEAR cases, scaled so that they neither over- nor
    double* leaf_sums        # underflow: gammas by exp(-k s), sums by exp(k s)
    Py_ssize_t most_linear   # up to so many cases they do
    double* table            # [TABLE_SIDE, TABLE_SIDE] for two classes: the likelihood of a leaf, 0 if it is too small
    double* log_table
    # Tests of one group share the chance of one test; group_tests has them group by group. NULL: each on its own.
    Py_ssize_t n_groups
    int32_t* group_start
    int32_t* group_tests
    Py_ssize_t n_bytes


cdef inline double split_chance(const TreePrior* prior, Py_ssize_t depth) noexcept nogil:
    # Never 0, so that all logarithms are finite.
    return 1.0 if prior.uniform else max(prior.gamma * pow(1.0 + depth, -prior.delta), 1e-300)


cdef inline double log_leaf_prior(const TreePrior* prior, Py_ssize_t depth, bint divisible) noexcept nogil:
    # ln P_leaf: a node that no test divides is a leaf for certain.
    return 0.0 if prior.uniform or not divisible else log1p(-split_chance(prior, depth))


cdef inline double log_likelihood(const TreePrior* prior, const int32_t* counts, Py_ssize_t stride) noexcept nogil:
    # ln m of the class counts that stand `stride` apart.
    cdef Py_ssize_t n = 0
    cdef int c
    cdef double result = 0.0
    for c in range(prior.n_classes):
        n += counts[c * stride]
        result += prior.log_gammas[counts[c * stride]]
    return result + prior.log_sums[n]


cdef inline double log_pure(const TreePrior* prior, const int32_t* counts, Py_ssize_t stride) noexcept nogil:
    # ln m if each class had a leaf of its own: no tree is better.
    cdef int c
    cdef double result = 0.0
    for c in range(prior.n_classes):
        result += prior.log_gammas[counts[c * stride]] + prior.log_sums[counts[c * stride]]
    return result


cdef inline Py_ssize_t errors_of(const int32_t* counts, Py_ssize_t stride, int n_classes) noexcept nogil:
    cdef Py_ssize_t n = 0, most = 0
    cdef int c
    for c in range(n_classes):
        n += counts[c * stride]
        most = max(most, counts[c * stride])
    return n - most


cdef int prior_init(TreePrior* prior, Py_ssize_t n) noexcept nogil
cdef int prior_groups(TreePrior* prior, const int32_t* groups, Py_ssize_t n_tests) noexcept nogil
cdef void prior_free(TreePrior* prior) noexcept nogil
cdef void test_chances(const TreePrior* prior, const View* view, double* together, double* best) noexcept nogil
cdef double grouped_sum(const TreePrior* prior, const View* view, const double* logs) noexcept nogil
cdef double grouped_max(const TreePrior* prior, const View* view, const double* logs) noexcept nogil
cdef void single_chances(const TreePrior* prior, const View* view, const double* logs, double* chances) noexcept nogil
