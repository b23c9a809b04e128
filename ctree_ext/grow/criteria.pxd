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


cdef inline double gain_of_info(double info, double known, double unknown_rate, double base,
                                const Logs* logs) noexcept nogil:
    # The gain where `info` is left in the branches of a test; never more for more of it.
    cdef double left = rounded(info / known, logs.single)
    cdef double g = rounded(rounded(1.0 - unknown_rate, logs.single) * rounded(base - left, logs.single), logs.single)
    return 0.0 if same(g * known, 0.0, logs.small) else g


cdef inline double split_info_of_sums(double S, double T, double total, const Logs* logs) noexcept nogil:
    # From the sums of n log2 n and of n, over the outcomes.
    return rounded(rounded(x_log_x(T, logs) - S, logs.single) / total, logs.single)


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
