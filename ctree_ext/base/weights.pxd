# What each case counts: 32-bit numbers where release 8 has them, half the memory of others. A NULL pointer to these
# stands for cases that count one each.

from libc.math cimport round as c_round
from libc.stdint cimport int32_t

from ctree_ext.base.memory cimport Memory


ctypedef struct Weights:
    float* short_
    double* long_
    bint exact               # whole numbers of a unit: no sum of them is rounded, whatever its order


cdef inline double weight_of(const Weights* weights, Py_ssize_t row) noexcept nogil:
    if weights == NULL:
        return 1.0
    return <double> weights.short_[row] if weights.short_ != NULL else weights.long_[row]


cdef inline void set_weight(Weights* weights, Py_ssize_t row, double weight) noexcept nogil:
    if weights.short_ != NULL:
        weights.short_[row] = <float> weight
    else:
        weights.long_[row] = weight


cdef inline double part_of(double weight, double share, double unit) noexcept nogil:
    # What a case counts in a branch that has this share of the known weight: a whole number of units, if there is a
    # unit, and at least one.
    cdef double part = weight * share
    return max(c_round(part / unit), 1.0) * unit if unit > 0 else part


cdef inline int weights_init(Weights* weights, Memory memory, Py_ssize_t n, const double* given,
                             bint single) except -1:
    # A copy of the given weights, or ones.
    cdef Py_ssize_t i
    weights.short_ = NULL
    weights.long_ = NULL
    weights.exact = False
    if single:
        weights.short_ = <float*> memory.raw(n, sizeof(float))
    else:
        weights.long_ = <double*> memory.raw(n, sizeof(double))
    for i in range(n):
        set_weight(weights, i, 1.0 if given == NULL else given[i])
    return 0


cdef inline double sum_weights(const int32_t* rows, Py_ssize_t n, const Weights* weights) noexcept nogil:
    cdef Py_ssize_t i
    cdef float short_sum = 0.0
    cdef double long_sum = 0.0
    if weights == NULL:
        return <double> n
    if weights.short_ != NULL:
        for i in range(n):
            short_sum += weights.short_[rows[i]]
        return <double> short_sum
    for i in range(n):
        long_sum += weights.long_[rows[i]]
    return long_sum
