"""J48's estimate of the errors that a leaf will make beyond those on its own cases, and the class that it chooses."""

import numpy as np

from libc.math cimport pow, sqrt

from ctree_ext.base.nodes cimport Nodes
from ctree_ext.base.numeric cimport SMALL


cdef double extra_errors(double n, double e, const J48Estimate* estimate) noexcept nogil:
    # For n cases, e of them wrong.
    cdef double base, f, z = estimate.z, r
    if estimate.confidence > 0.5:
        return 0.0
    if e < 1:
        base = n * (1 - pow(estimate.confidence, 1 / n))
        return base if e == 0 else base + e * (extra_errors(n, 1.0, estimate) - base)
    if e + 0.5 >= n:
        return max(n - e, 0.0)
    f = (e + 0.5) / n
    r = (f + z * z / (2 * n) + z * sqrt(f / n - f * f / n + z * z / (4 * n * n))) / (1 + z * z / n)
    return r * n - e


cdef J48Estimate j48_estimate(double confidence):
    # J48 stores the confidence in 32 bits.
    cdef J48Estimate estimate
    cdef double p = <double> (<float> 1 - <float> confidence)
    estimate.confidence = <double> <float> confidence
    estimate.z = 0.0  # above one half nothing is added
    if estimate.confidence <= 0.5:
        if p >= 1:  # too small for 32 bits
            p = min(1 - confidence, np.nextafter(1.0, 0.0))
        import statistics  # only now, as it takes its time to load

        estimate.z = statistics.NormalDist().inv_cdf(p)
    return estimate


cdef double leaf_errors(double cases, const double* counts, int n_classes, const J48Estimate* estimate) noexcept nogil:
    # The errors to expect of a leaf with these class counts.
    cdef double most = counts[0]
    cdef int c
    if cases <= 0:
        return 0.0
    for c in range(1, n_classes):
        most = max(most, counts[c])
    return cases - most + extra_errors(cases, cases - most, estimate)


cdef void choose_class(Nodes* nodes, Py_ssize_t node) noexcept nogil:
    # The first class that no other exceeds by more than a hair, and the errors that it makes.
    cdef double* counts = nodes.counts + node * nodes.n_classes
    cdef int c, best = 0
    if nodes.cases[node] <= SMALL:
        return
    for c in range(1, nodes.n_classes):
        if counts[c] - counts[best] > SMALL:
            best = c
    nodes.best[node] = best
    nodes.errors[node] = nodes.cases[node] - counts[best]


def pessimistic_errors(double n, double e, double confidence=0.25):
    """Errors to expect of a leaf with `n` cases, `e` of them wrong: e and the extra errors."""
    cdef J48Estimate estimate = j48_estimate(confidence)
    return e + extra_errors(n, e, &estimate) if n > 0 else 0.0
