# Approximate scores, by a fast logarithm: only ever used to rule tests out, never to choose one.

from libc.math cimport INFINITY, log2

from ctree_ext.base.numeric cimport LN2, fast_log2
from ctree_ext.grow.split_scores cimport BAYES, CHI_SQUARE, N_GAIN, ScoreFunction, Terms


cdef inline double approximation_error(double known, Py_ssize_t n_classes) noexcept nogil:
    # How far the score of a test with two branches may be off at a node of this weight.
    return 4e-9 * (n_classes + 1) + 1e-9 * known * (log2(known + 2) + 1)


cdef inline double approximate_log_gamma(double x, const double* fast) noexcept nogil:
    # Stirling's series, with the fast logarithm: off by less than 1e-10 of x log x, and 1.5e-9.
    cdef double inverse, square, less = 0.0
    if x < 8:
        less = LN2 * fast_log2(
            x * (x + 1) * ((x + 2) * (x + 3)) * ((x + 4) * (x + 5) * ((x + 6) * (x + 7))), fast)
        x += 8
    inverse = 1.0 / x
    square = inverse * inverse
    return ((x - 0.5) * LN2 * fast_log2(x, fast) - x + 0.9189385332046728
            + inverse * (1.0 / 12 - square * (1.0 / 360 - square / 1260)) - less)


cdef inline double approximate_part(double x, const ScoreFunction* function, const Terms* terms,
                                    const double* fast) noexcept nogil:
    # What a class of this weight adds to a side, approximately.
    if function.kind == N_GAIN:
        return x * fast_log2(x, fast) if x > 1e-30 else 0.0
    if function.kind == BAYES:
        return approximate_log_gamma(x + terms.alpha, fast) - terms.log_gamma_alpha if x > 0 else 0.0
    return 0.0


cdef inline double approximate_score(double low, double high, double T, double rest, const ScoreFunction* function,
                                     const double* fast) noexcept nogil:
    # What a test of two branches scores, approximately and before the score of the node is subtracted, given the parts
    # of either side and their weights. There is none for chi-square: where a side has almost no weight, running sums are
    # far off.
    if function.kind == CHI_SQUARE:
        return INFINITY
    if function.kind == BAYES:
        return low + high - (approximate_log_gamma(T + function.prior_weight, fast)
                             + approximate_log_gamma(rest + function.prior_weight, fast) - 2 * function.log_gamma_weight)
    low -= T * fast_log2(T, fast) if T > 1e-30 else 0.0
    return low + high - (rest * fast_log2(rest, fast) if rest > 1e-30 else 0.0)


cdef inline double approximate_total(double x, const ScoreFunction* function, const double* fast) noexcept nogil:
    # What a branch of this weight takes away, approximately.
    if function.kind == BAYES:
        return approximate_log_gamma(x + function.prior_weight, fast) - function.log_gamma_weight
    return x * fast_log2(x, fast) if x > 1e-30 else 0.0
