"""Split criteria, gain and gain ratio, as functions of a matrix of class counts."""

import numpy as np

from libc.math cimport log

from ctree_ext.base.numeric cimport FAST_LOG_SIZE, LN2, NO_GAIN, Logs, at_least, rounded, x_log_x


cdef class LogTables:
    """Tables of n log2 n for integer counts up to `max_count`, and of the fast logarithm that rules cuts out."""

    def __cinit__(self, Py_ssize_t max_count, bint single=True, double small=0.0):
        cdef double[::1] integer, fast
        cdef Py_ssize_t i
        cdef double centre
        self.integer = np.zeros(max_count + 1)
        self.fast = np.empty(2 * FAST_LOG_SIZE)
        integer = self.integer
        fast = self.fast
        for i in range(1, max_count + 1):
            integer[i] = i * (log(rounded(i, single)) / LN2)
        for i in range(FAST_LOG_SIZE):
            centre = 1.0 + (i + 0.5) / FAST_LOG_SIZE
            fast[2 * i] = 1.0 / centre
            fast[2 * i + 1] = log(centre) / LN2
        self.logs.integer = &integer[0]
        self.logs.max_count = max_count
        self.logs.fast = &fast[0]
        self.logs.single = single
        self.logs.small = small


cdef double discrete_base_info(const double* counts, int n_values, int n_classes, double known,
                               const Logs* logs) noexcept nogil:
    # Entropy of the classes among known values; here, unlike for thresholds, the sum is kept in double.
    cdef double total = 0.0, in_class
    cdef int v, c
    for c in range(n_classes):
        in_class = 0.0
        for v in range(n_values):
            in_class = rounded(in_class + counts[<Py_ssize_t> v * n_classes + c], logs.single)
        total += x_log_x(in_class, logs)
    return rounded((x_log_x(known, logs) - total) / known, logs.single)


cdef double threshold_base_info(const double* counts, int n_classes, double known, const Logs* logs) noexcept nogil:
    return rounded(total_info(counts, n_classes, logs) / known, logs.single)


cdef double gain(const double* counts, const double* branch, int n_branches, int n_classes, double known,
                 double unknown_rate, double base, double min_cases, const Logs* logs) noexcept nogil:
    # The information gained, in bits; NO_GAIN unless two branches have `min_cases` or more.
    cdef double info = 0.0
    cdef int v, reasonable = 0
    for v in range(n_branches):
        if at_least(branch[v], min_cases, logs.small):
            reasonable += 1
    if known <= 0 or reasonable < 2:
        return NO_GAIN
    for v in range(n_branches):
        info = rounded(info + total_info(counts + <Py_ssize_t> v * n_classes, n_classes, logs), logs.single)
    return gain_of_info(info, known, unknown_rate, base, logs)


cdef double split_info(const double* branch, int n_branches, double unknown, double total,
                       const Logs* logs) noexcept nogil:
    # The entropy of the outcome itself; unknown is one more outcome.
    cdef double S, T
    cdef int v
    S = rounded(x_log_x(unknown, logs), logs.single)
    T = unknown
    for v in range(n_branches):
        S = rounded(S + x_log_x(branch[v], logs), logs.single)
        T = rounded(T + branch[v], logs.single)
    return split_info_of_sums(S, T, total, logs)


cdef double merit(double gain, double info, double average, bint gain_only, bint single) noexcept nogil:
    # What tests are compared by: gain, or the gain ratio of a test with at least average gain.
    if gain_only:
        return gain if info > 0 and gain > -EPSILON else NO_GAIN
    if gain >= average - EPSILON and info > EPSILON:
        return rounded(gain / info, single)
    return NO_GAIN


def information_gain(const double[:, ::1] counts, double unknown=0.0, bint threshold=False, double min_cases=0.0,
                     bint single=True):
    """Gain and split info, in bits, of a test with these class counts per branch.

    Parameters
    ----------
    counts : array of shape (branches, classes)
        Class weights of the cases with known value.
    unknown : float
        Weight of the cases whose value is unknown.
    threshold : bool
        Round the entropy before the test as for a threshold, not as for discrete values.
    min_cases : float
        Two branches must have this weight.
    single : bool
        Round as release 8 does.

    Returns
    -------
    gain, info : float
        The gain is just below -0.001 where the test splits nothing.
    """
    cdef int n_branches = counts.shape[0], n_classes = counts.shape[1], v, c
    cdef LogTables tables = LogTables(0, single)
    cdef double known = 0.0, total, base, unknown_rate, g, info
    if n_branches == 0 or n_classes == 0:
        raise ValueError("a count matrix has at least one branch and one class")
    cdef double[::1] branch = np.zeros(n_branches), classes = np.zeros(n_classes)
    for v in range(n_branches):
        for c in range(n_classes):
            branch[v] = rounded(branch[v] + counts[v, c], single)
            classes[c] = rounded(classes[c] + counts[v, c], single)
        known = rounded(known + branch[v], single)
    total = rounded(known + unknown, single)
    if known <= 0:
        return NO_GAIN, 0.0
    if threshold:
        base = threshold_base_info(&classes[0], n_classes, known, &tables.logs)
        unknown_rate = rounded(1.0 - rounded(known / total, single), single)
    else:
        base = discrete_base_info(&counts[0, 0], n_branches, n_classes, known, &tables.logs)
        unknown_rate = rounded(unknown / total, single)
    g = gain(&counts[0, 0], &branch[0], n_branches, n_classes, known, unknown_rate, base, min_cases, &tables.logs)
    info = split_info(&branch[0], n_branches, unknown, total, &tables.logs)
    return g, info
