# Split criteria: functions of a count matrix. The order of the operations and the places of rounding are release 8's.

from ctree_ext.base.numeric cimport Logs, rounded, same, x_log_x

cdef extern from *:
    """
    #define CTREE_GAIN_EPSILON 0.001
    """
    double EPSILON "CTREE_GAIN_EPSILON"  # release 8 compares gains no finer than this


cdef inline double total_info(const double* counts, Py_ssize_t n, const Logs* logs) noexcept nogil:
    # T log2 T - sum n log2 n: the entropy of the counts times their total.
    cdef double S = 0.0, T = 0.0
    cdef Py_ssize_t i
    for i in range(n):
        S = rounded(S + x_log_x(counts[i], logs), logs.single)
        T = rounded(T + counts[i], logs.single)
    return rounded(x_log_x(T, logs) - S, logs.single)


cdef double discrete_base_info(const double* counts, int n_values, int n_classes, double known,
                               const Logs* logs) noexcept nogil
cdef double threshold_base_info(const double* counts, int n_classes, double known, const Logs* logs) noexcept nogil
cdef double gain(const double* counts, const double* branch, int n_branches, int n_classes, double known,
                 double unknown_rate, double base, double min_cases, const Logs* logs) noexcept nogil
cdef double split_info(const double* branch, int n_branches, double unknown, double total,
                       const Logs* logs) noexcept nogil
cdef inline double gain_ratio(double gain, double info, double small) noexcept nogil:
    # J48's: 0 where the outcome is all but certain.
    return 0.0 if same(info, 0.0, small) else gain / info


cdef double merit(double gain, double info, double average, bint gain_only, bint single) noexcept nogil


cdef class LogTables:
    cdef Logs logs
    cdef object integer
    cdef object fast
