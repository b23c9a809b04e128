"""Tables for the marginal likelihood of leaves, which are asked for far more often than there are counts."""

from ctree_ext.base.memory cimport pool_raw


cdef int dirichlet_init(Dirichlet* prior, Pool* pool, int n_classes, double alpha, Py_ssize_t n,
                        bint integer) noexcept nogil:
    # A symmetric prior; with tables for counts up to n, if these are integers. -1 without memory.
    cdef Py_ssize_t k
    prior.n_classes = n_classes
    prior.alpha = alpha
    prior.total = alpha * n_classes
    prior.log_gammas = prior.log_sums = NULL
    if not integer:
        return 0
    prior.log_gammas = <double*> pool_raw(pool, n + 1, sizeof(double))
    prior.log_sums = <double*> pool_raw(pool, n + 1, sizeof(double))
    if prior.log_gammas == NULL or prior.log_sums == NULL:
        return -1
    for k in range(n + 1):
        prior.log_gammas[k] = log_gamma_ratio(k, alpha)
        prior.log_sums[k] = -log_gamma_ratio(k, prior.total)
    return 0
