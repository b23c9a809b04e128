# What all Bayesian trees share: the probability of a split by Chipman's prior, and the marginal likelihood of a leaf,
#     ln m(n) = ln Γ(A) - ln Γ(A + Σ n_c) + Σ_c [ln Γ(n_c + α) - ln Γ(α)],  A = C α,
# which is that of the classes of its cases, in their order, under a symmetric Dirichlet prior.

from libc.math cimport lgamma, pow
from libc.stdint cimport int32_t

from ctree_ext.base.memory cimport Pool


ctypedef struct Dirichlet:
    int n_classes
    double alpha             # the parameter of each class
    double total             # A, that of all together
    double* log_gammas       # [n + 1] ln Γ(k + α) - ln Γ(α) by the count k; NULL if counts are not integers
    double* log_sums         # [n + 1] ln Γ(A) - ln Γ(A + k)


cdef int dirichlet_init(Dirichlet* prior, Pool* pool, int n_classes, double alpha, Py_ssize_t n,
                        bint integer) noexcept nogil


cdef inline double split_probability(double gamma, double delta, Py_ssize_t depth) noexcept nogil:
    # gamma (1 + depth)^-delta (Chipman, George and McCulloch, 1998).
    return gamma * pow(1.0 + depth, -delta)


cdef inline double log_gamma_ratio(double x, double alpha) noexcept nogil:
    # ln Γ(x + α) - ln Γ(α).
    return lgamma(x + alpha) - lgamma(alpha)


# The two below add up the same terms in another order: results are the same to the last bit from release to release.

cdef inline double log_likelihood_of_counts(const Dirichlet* prior, const int32_t* counts,
                                            Py_ssize_t stride) noexcept nogil:
    # ln m of integer class counts that stand `stride` apart.
    cdef Py_ssize_t n = 0
    cdef int c
    cdef double result = 0.0
    for c in range(prior.n_classes):
        n += counts[c * stride]
        result += prior.log_gammas[counts[c * stride]]
    return result + prior.log_sums[n]


cdef inline double log_likelihood_of_weights(const Dirichlet* prior, const double* counts, double n) noexcept nogil:
    # ln m of class counts that sum to n: looked up if they are integers, else by lgamma.
    cdef double result
    cdef int c
    if prior.log_gammas != NULL:
        result = prior.log_sums[<Py_ssize_t> n]
        for c in range(prior.n_classes):
            result += prior.log_gammas[<Py_ssize_t> counts[c]]
        return result
    result = -log_gamma_ratio(n, prior.total)
    for c in range(prior.n_classes):
        if counts[c] > 0:
            result += log_gamma_ratio(counts[c], prior.alpha)
    return result
