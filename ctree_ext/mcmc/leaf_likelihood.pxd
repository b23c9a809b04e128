# What a leaf is worth: ln of the marginal likelihood of the classes of its cases, in their order, by Dirichlet's prior,
#     ln m(n) = ln Γ(A) - ln Γ(A + Σ n_c) + Σ_c [ln Γ(n_c + α) - ln Γ(α)],  A = C α.
# Whole counts are looked up in tables; weights go to lgamma.

from libc.math cimport lgamma
from libc.stdlib cimport free, malloc


ctypedef struct LeafWorth:
    int n_classes
    double alpha
    double total        # A
    double* of_class    # ln Γ(k + α) - ln Γ(α) by the count k; NULL if counts are not whole
    double* of_all      # ln Γ(A + k) - ln Γ(A)


cdef inline int worth_init(LeafWorth* worth, int n_classes, double alpha, Py_ssize_t n, bint whole) noexcept nogil:
    # -1 without memory.
    cdef Py_ssize_t k
    worth.n_classes = n_classes
    worth.alpha = alpha
    worth.total = alpha * n_classes
    worth.of_class = NULL
    worth.of_all = NULL
    if not whole:
        return 0
    worth.of_class = <double*> malloc((n + 1) * sizeof(double))
    worth.of_all = <double*> malloc((n + 1) * sizeof(double))
    if worth.of_class == NULL or worth.of_all == NULL:
        return -1
    for k in range(n + 1):
        worth.of_class[k] = lgamma(k + alpha) - lgamma(alpha)
        worth.of_all[k] = lgamma(worth.total + k) - lgamma(worth.total)
    return 0


cdef inline void worth_free(LeafWorth* worth) noexcept nogil:
    free(worth.of_class)
    free(worth.of_all)
    worth.of_class = NULL
    worth.of_all = NULL


cdef inline double leaf_worth(const LeafWorth* worth, const double* counts, double n) noexcept nogil:
    cdef double result
    cdef int c
    if worth.of_class != NULL:
        result = -worth.of_all[<Py_ssize_t> n]
        for c in range(worth.n_classes):
            result += worth.of_class[<Py_ssize_t> counts[c]]
        return result
    result = lgamma(worth.total) - lgamma(worth.total + n)
    for c in range(worth.n_classes):
        if counts[c] > 0:
            result += lgamma(counts[c] + worth.alpha) - lgamma(worth.alpha)
    return result
