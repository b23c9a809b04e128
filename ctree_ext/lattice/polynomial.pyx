"""What all trees say of a case, as a polynomial of its answers to the tests.

A leaf says something of a case if the case has the answers on the way to it: if a product of answers (1 for yes, 0 for
no) and of their complements is 1. What all leaves say is therefore a sum of such products, and multiplied out a
polynomial: one coefficient for each set of up to `degree` tests and each class, whatever the sides. A case only meets the
terms whose tests it passes all, so "to pass" is, for each test, the rarer answer among the training cases.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t

from ctree_ext.base.interrupts cimport Watch, check_after
from ctree_ext.base.memory cimport Memory


def number_of_terms(n_tests, degree):
    """How many sets of up to `degree` of these tests there are."""
    total, sets = 0, 1
    for k in range(degree + 1):
        total += sets
        sets = sets * (n_tests - k) // (k + 1)
    return total


cdef class Polynomial:
    """A polynomial without terms; `Posterior.polynomial` adds them.

    Parameters
    ----------
    flips : uint8 array (tests,)
        1 for each test of which "no" is the rarer answer.
    degree : int
        Tests on the way to a leaf, at most 8.
    n_classes : int
    """

    def __cinit__(self, const uint8_t[::1] flips not None, Py_ssize_t degree, int n_classes):
        cdef Py_ssize_t t, k
        if not 0 <= degree <= MAX_DEGREE:
            raise ValueError("degree out of range")
        self.memory = Memory()
        self.flips, self.n_tests, self.degree, self.n_classes = flips, flips.shape[0], degree, n_classes
        self.binomials = <int64_t*> self.memory.zeroed((degree + 1) * (self.n_tests + 1), sizeof(int64_t))
        for t in range(self.n_tests + 1):
            self.binomials[t] = 1
        for k in range(1, degree + 1):
            for t in range(1, self.n_tests + 1):
                self.binomials[k * (self.n_tests + 1) + t] = (
                    self.binomials[k * (self.n_tests + 1) + t - 1] + self.binomials[(k - 1) * (self.n_tests + 1) + t - 1])
        for k in range(degree + 1):
            self.offset[k] = number_of_terms(self.n_tests, k - 1) if k else 0
        self.n_terms = number_of_terms(self.n_tests, degree)
        self.coefficients = np.zeros((self.n_terms, n_classes))

    cdef void stand_at(self, const int32_t* items, Py_ssize_t n) noexcept nogil:
        # At the node to which these answers lead, each 2 * test + passed: a test that is passed is a factor x, another
        # one a factor 1 - x.
        cdef Py_ssize_t i, p, before
        cdef int32_t test
        self.n_products = 1
        self.size[0] = 0
        self.sign[0] = 1.0
        for i in range(n):
            test = items[i] >> 1
            before = self.n_products
            if (items[i] & 1) == self.flips[test]:
                for p in range(before):
                    self.product[before + p] = self.product[p]
                    self.size[before + p] = self.size[p]
                    self.sign[before + p] = -self.sign[p]
                self.n_products = 2 * before
            for p in range(self.n_products - before, self.n_products):
                _put_in(self.product[p], &self.size[p], test)

    cdef void add(self, int32_t one, int32_t other, const double* said) noexcept nogil:
        # What is said, by class, times the answers to two more tests, to one (the other is -1) or to none.
        cdef Py_ssize_t p
        cdef int64_t at
        cdef int32_t[MAX_DEGREE] tests
        cdef int c, i, size
        for p in range(self.n_products):
            tests = self.product[p]
            size = self.size[p]
            if one >= 0:
                _put_in(tests, &size, one)
            if other >= 0:
                _put_in(tests, &size, other)
            at = self.offset[size]
            for i in range(size):
                at += self.binomials[(i + 1) * (self.n_tests + 1) + tests[i]]
            for c in range(self.n_classes):
                self.coefficients[at, c] += self.sign[p] * said[c]

    cdef void sum_up(self, const int32_t* passed, Py_ssize_t n, int degree, int64_t at, double* result) noexcept nogil:
        # Add all terms of so many more tests, which are among those that are passed; `at` is what the others give.
        cdef Py_ssize_t i
        cdef int c
        cdef const int64_t* binomials = self.binomials + degree * (self.n_tests + 1)
        if degree == 0:
            for c in range(self.n_classes):
                result[c] += self.coefficients[at, c]
        elif degree == 1 and self.n_classes == 2:
            for i in range(n):
                result[0] += self.coefficients[at + passed[i], 0]
                result[1] += self.coefficients[at + passed[i], 1]
        else:
            for i in range(degree - 1, n):
                self.sum_up(passed, i, degree - 1, at + binomials[passed[i]], result)

    def values(self, const uint8_t[:, ::1] columns not None):
        """What is said of cases, (cases, classes); `columns` has 1 where a case (second axis) passes a test (first)."""
        cdef Py_ssize_t n = columns.shape[1], i, t, n_passed
        cdef int degree
        cdef Memory memory = Memory()
        cdef Watch watch = Watch(0, 0.0, NULL)
        cdef int32_t* passed = <int32_t*> memory.raw(self.n_tests, sizeof(int32_t))
        if columns.shape[0] != self.n_tests:
            raise ValueError("one row a test")
        result = np.zeros((n, self.n_classes))
        cdef double[:, ::1] sums = result
        cdef int64_t before
        with nogil:
            for i in range(n):
                n_passed = 0
                for t in range(self.n_tests):
                    if columns[t, i] != self.flips[t]:
                        passed[n_passed] = <int32_t> t
                        n_passed += 1
                before = self.n_tests
                for degree in range(<int> self.degree + 1):
                    self.sum_up(passed, n_passed, degree, self.offset[degree], &sums[i, 0])
                    if n_passed >= degree:
                        before += self.binomials[degree * (self.n_tests + 1) + n_passed]
                check_after(&watch, 4 * before)
        return result


cdef inline void _put_in(int32_t* tests, int* n, int32_t test) noexcept nogil:
    # One more test, in order.
    cdef int i = n[0]
    while i > 0 and tests[i - 1] > test:
        tests[i] = tests[i - 1]
        i -= 1
    tests[i] = test
    n[0] += 1
