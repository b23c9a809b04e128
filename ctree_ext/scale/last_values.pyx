"""The greatest number of a column up to each of some limits, where codes tell which limits are near."""

from libc.stdint cimport int32_t, uint8_t, uint16_t

from ctree_ext.scale.faults import PartError

ctypedef fused code_t:
    uint8_t
    uint16_t


def note_last(const code_t[::1] codes, const double[::1] numbers, const double[::1] limits,
              const int32_t[:, ::1] near, double[::1] last, int attribute):
    """Raise ``last[k]`` to the greatest of the numbers that are above ``limits[k - 1]`` and not above ``limits[k]``.

    Parameters
    ----------
    codes : array of uint8 or uint16
    numbers : array of float64
        As many; those of codes without a limit are not looked at.
    limits : array of float64
        Ascending.
    near : array of int32, (codes, 2)
        Of each code: how many limits are below its bin, and how many are below its bin or within it.
    last : array of float64
        One more than limits: the last is for numbers above all of them.
    attribute : int
        Whose codes these are, for errors.
    """
    cdef Py_ssize_t i, n = codes.shape[0], n_codes = near.shape[0]
    cdef int32_t low, high, middle
    cdef double x
    cdef bint bad = False
    if numbers.shape[0] != n or near.shape[1] != 2 or last.shape[0] != limits.shape[0] + 1:
        raise ValueError("arrays of different lengths")
    for i in range(n_codes):
        if near[i, 0] < 0 or near[i, 1] > limits.shape[0]:
            raise ValueError("there are not as many limits")
    with nogil:
        for i in range(n):
            if codes[i] >= n_codes:
                bad = True
                break
            low, high = near[codes[i], 0], near[codes[i], 1]
            if low >= high:
                continue
            x = numbers[i] + 0.0  # -0.0 is 0.0
            while low < high:
                middle = (low + high) // 2
                if limits[middle] < x:
                    low = middle + 1
                else:
                    high = middle
            if x > last[low]:
                last[low] = x
    if bad:
        raise PartError("code", attribute)
