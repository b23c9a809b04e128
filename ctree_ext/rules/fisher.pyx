"""Fisher's exact test as release 8 has it, in memory and time that the number of cases hardly matters for.

The logarithm of a factorial is a sum of logarithms in 32 bits. Up to 2^24 cases, the sum has at most 29 bits before the
point, and each term has none beyond the 23rd after it: no sum is ever rounded, and the order of additions does not
matter. So where there are many cases only every so many factorials are kept, and the others are made from those.

Of the terms of the test, those beyond a range around the largest are 0 in 64 bits. The logarithm of a term rises and
then falls, ever more steeply, so that the ends of this range are found by bisection.
"""

import numpy as np

from libc.math cimport exp

from ctree_ext.rules.code_length cimport as_float, log2_of

MAX_CASES = 2**24

cdef enum:
    MAX_ENTRIES = 65536   # of the table
    FEW = 128             # terms that are all added

cdef double NOTHING = -750.0  # where exp is 0, with some room for rounding


cdef inline double _log2(Py_ssize_t n) noexcept nogil:
    return as_float(log2_of(<double> n))


cdef class FisherTest:
    """Fisher's test for tables of at most so many cases."""

    def __cinit__(self, Py_ssize_t most):
        if not 0 <= most <= MAX_CASES:
            raise ValueError("there are more cases than the test can count")
        self.most = most
        self.step = 1
        while most // self.step > MAX_ENTRIES:
            self.step *= 2
        self.table = np.zeros(most // self.step + 1)
        cdef Py_ssize_t i
        cdef double total = 0.0
        with nogil:
            for i in range(2, most + 1):
                total += _log2(i)
                if i % self.step == 0:
                    self.table[i // self.step] = total

    cdef double log_factorial(self, Py_ssize_t n) noexcept nogil:
        cdef Py_ssize_t i
        cdef double total = self.table[n // self.step]
        if self.step > 1:
            for i in range(n // self.step * self.step + 1, n + 1):
                total += _log2(i)
        return total

    cdef double log_term(self, Py_ssize_t i, Py_ssize_t above, Py_ssize_t below, Py_ssize_t wrong,
                         double margins) noexcept nogil:
        cdef double inner = self.log_factorial(i) + self.log_factorial(above - i) + self.log_factorial(wrong - i)
        return margins - (inner + self.log_factorial(below - wrong + i) + self.log_factorial(above + below))

    cdef double sum_of_terms(self, Py_ssize_t above, Py_ssize_t wrong_above, Py_ssize_t below,
                             Py_ssize_t wrong) noexcept nogil:
        # See `significance`. As in release 8 the logarithms are to base 2 but the exponential is to base e, so that
        # these are not true probabilities.
        cdef Py_ssize_t first = max(0, wrong - below), last = wrong_above, low, high, middle, peak, i
        cdef double all_ = self.log_factorial(above + below), total = 0.0, inner, one, two, three, four
        cdef double margins = (self.log_factorial(above) + self.log_factorial(below) + self.log_factorial(wrong)
                               + self.log_factorial(above + below - wrong))
        if last - first > FEW:
            # The largest term, which is the first that is followed by a smaller one.
            low, high = first, last
            while low < high:
                middle = (low + high) // 2
                if _log2(above - middle) + _log2(wrong - middle) < _log2(middle + 1) + _log2(below - wrong + middle + 1):
                    high = middle
                else:
                    low = middle + 1
            peak = low
            # The first and the last that are more than nothing, or the largest.
            low, high = first, peak
            while low < high:
                middle = (low + high) // 2
                if self.log_term(middle, above, below, wrong, margins) < NOTHING:
                    low = middle + 1
                else:
                    high = middle
            first = low
            low, high = peak, last
            while low < high:
                middle = (low + high + 1) // 2
                if self.log_term(middle, above, below, wrong, margins) < NOTHING:
                    high = middle - 1
                else:
                    low = middle
            last = low
        one, two = self.log_factorial(first), self.log_factorial(above - first)
        three, four = self.log_factorial(wrong - first), self.log_factorial(below - wrong + first)
        for i in range(first, last + 1):
            inner = one + two + three + four + all_
            total += exp(margins - inner)
            if i == last:
                break
            if self.step == 1:
                one, two = self.table[i + 1], self.table[above - i - 1]
                three, four = self.table[wrong - i - 1], self.table[below - wrong + i + 1]
            else:
                one += _log2(i + 1)
                two -= _log2(above - i)
                three -= _log2(wrong - i)
                four += _log2(below - wrong + i + 1)
        return total

    def significance(self, Py_ssize_t above, Py_ssize_t wrong_above, Py_ssize_t below, Py_ssize_t wrong):
        """How probable it is that so few of the wrong cases, or fewer, are above.

        Parameters
        ----------
        above, below : int
            The cases in the two rows of a table.
        wrong_above : int
            The wrong ones in the first row.
        wrong : int
            Those in both.
        """
        if not (0 <= above and 0 <= below and above + below <= self.most and max(0, wrong - below) <= wrong_above
                and wrong_above <= min(above, wrong)):
            raise ValueError("no table has these counts")
        return self.sum_of_terms(above, wrong_above, below, wrong)
