# Up to where a tree grows, which attributes it may test below which, and what it tests first.

from libc.stdint cimport int32_t

from ctree_ext.base.cases cimport Cases
from ctree_ext.base.memory cimport Memory


ctypedef struct FirstTest:
    # A test that is made before any other is looked for.
    int32_t attribute
    double threshold         # of a continuous attribute; NaN: the learner's best
    int n_groups             # of a discrete one; 0: a branch for each value
    int32_t* group           # the branch of each value, where there are groups
    Py_ssize_t n_values      # how many these are


cdef class GrowthLimits:
    cdef Memory memory
    cdef readonly int max_depth    # of a leaf
    cdef readonly double min_gain  # of a test, in bits per case
    cdef int n_pairs
    cdef int32_t* attribute        # of each pair, what may not be tested
    cdef int32_t* above            # below a test of this
    cdef int n_first
    cdef FirstTest* first

    cdef bint fits(self, const Cases* cases) noexcept nogil


cdef inline bint gains_too_little(double gain, GrowthLimits limits) noexcept nogil:
    # Rounding, which in 32 bits is coarse, shall not decide about a test that gains just enough.
    return gain < limits.min_gain - 1e-6
