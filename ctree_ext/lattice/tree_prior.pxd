# The prior of trees and the marginal likelihood of their leaves, in tables.

from libc.math cimport log1p
from libc.stdint cimport int32_t

from ctree_ext.base.bayes cimport Dirichlet, log_likelihood_of_counts, split_probability
from ctree_ext.base.memory cimport Pool
from ctree_ext.lattice.views cimport View

cdef enum:
    MAX_LINEAR = 1800   # cases for which the factors of a likelihood stay within the range of a double
    TABLE_SIDE = 128    # counts of two classes below this are looked up as a pair


ctypedef struct TreePrior:
    bint uniform             # every tree counts the same
    double gamma             # a node of depth d is divided with probability gamma (1 + d)^-delta
    double delta
    Py_ssize_t min_cases     # in a leaf
    Dirichlet classes        # of the classes in a leaf
    double log_last          # ln P_leaf at the greatest depth, of a node with cases for two leaves; see `log_last_prior`
    double* log_leaf_sums    # [n + 1] `classes.log_sums` and `log_last_prior`, minus infinity for less than `min_cases`
    double* gammas           # exponentials of `classes.log_gammas` and `log_leaf_sums` for up to MAX_LINEAR cases, scaled
    double* leaf_sums        # so that they neither over- nor underflow: gammas by exp(-k s), sums by exp(k s)
    Py_ssize_t max_linear    # up to so many cases they do not
    double* table            # [TABLE_SIDE, TABLE_SIDE] for two classes: the likelihood of a leaf, 0 if it is too small
    double* log_table
    # Tests of one group share the probability of one test; group_tests has them group by group. NULL: each on its own.
    Py_ssize_t n_groups
    int32_t* group_start
    int32_t* group_tests


cdef inline double split_prior(const TreePrior* prior, Py_ssize_t depth) noexcept nogil:
    # Never 0, so that all logarithms are finite.
    return 1.0 if prior.uniform else max(split_probability(prior.gamma, prior.delta, depth), 1e-300)


cdef inline double log_leaf_prior(const TreePrior* prior, Py_ssize_t depth, bint divisible) noexcept nogil:
    # ln P_leaf: a node that no test divides is a leaf for certain.
    return 0.0 if prior.uniform or not divisible else log1p(-split_prior(prior, depth))


cdef inline double log_last_prior(const TreePrior* prior, Py_ssize_t n) noexcept nogil:
    # ln P_leaf of a node of n cases at the greatest depth: it is a leaf for certain, unless deeper trees are possible but
    # left out. Then it counts as one that can be divided, if it has cases enough; whether a test does that is not asked.
    return prior.log_last if n >= 2 * prior.min_cases else 0.0


cdef inline double log_likelihood(const TreePrior* prior, const int32_t* counts) noexcept nogil:
    # ln m of the class counts of a leaf.
    return log_likelihood_of_counts(&prior.classes, counts, 1)


cdef inline double log_pure(const TreePrior* prior, const int32_t* counts) noexcept nogil:
    # ln m if each class had a leaf of its own: no tree is better.
    cdef int c
    cdef double result = 0.0
    for c in range(prior.classes.n_classes):
        result += prior.classes.log_gammas[counts[c]] + prior.classes.log_sums[counts[c]]
    return result


cdef inline Py_ssize_t errors_of(const int32_t* counts, int n_classes) noexcept nogil:
    # The cases that a leaf of the most frequent class gets wrong.
    cdef Py_ssize_t n = 0, most = 0
    cdef int c
    for c in range(n_classes):
        n += counts[c]
        most = max(most, counts[c])
    return n - most


cdef int prior_init(TreePrior* prior, Pool* pool, int n_classes, double alpha, Py_ssize_t n) noexcept nogil
cdef int prior_groups(TreePrior* prior, Pool* pool, const int32_t* groups, Py_ssize_t n_tests) noexcept nogil
cdef void test_probabilities(const TreePrior* prior, const View* view, double* merged, double* largest) noexcept nogil
cdef double grouped_sum(const TreePrior* prior, const View* view, const double* logs) noexcept nogil
cdef double grouped_max(const TreePrior* prior, const View* view, const double* logs) noexcept nogil
cdef void single_probabilities(const TreePrior* prior, const View* view, const double* logs,
                               double* probabilities) noexcept nogil
