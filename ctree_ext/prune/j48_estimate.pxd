# J48's estimate of the errors a leaf will make, and the class that it chooses.

from ctree_ext.base.nodes cimport Nodes

ctypedef struct J48Estimate:
    double confidence
    double z

cdef J48Estimate j48_estimate(double confidence)
cdef double extra_errors(double n, double e, const J48Estimate* estimate) noexcept nogil
cdef double leaf_errors(double cases, const double* counts, int n_classes, const J48Estimate* estimate) noexcept nogil
cdef void choose_class(Nodes* nodes, Py_ssize_t node) noexcept nogil
