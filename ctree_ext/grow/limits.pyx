"""Up to where a tree grows, which attributes it may test below which, and what it tests first."""

from libc.limits cimport INT_MAX
from libc.math cimport INFINITY, NAN
from libc.stdint cimport int32_t

from ctree_ext.base.cases cimport DISCRETE, IGNORED, Cases
from ctree_ext.base.memory cimport Memory


cdef class GrowthLimits:
    """What limits a tree while it grows.

    Parameters
    ----------
    max_depth : int or None
        Nodes at this depth are leaves, the root being at 0.
    min_gain : float or None
        A node whose test gains fewer bits per case is a leaf.
    not_below : sequence of (int, int)
        Pairs of attributes: the first is not tested below a test of the second.
    first_tests : sequence of (int, float or None, int32 array or None)
        Attributes with a threshold, or with the branch of each value; without any, a continuous attribute has the best
        threshold of the learner, a discrete one a branch for each value. They are made one below the other, before any
        other test, except where all cases take one branch or the learner finds no threshold.
    """

    def __cinit__(self, max_depth=None, min_gain=None, not_below=(), first_tests=()):
        cdef int p, v
        cdef FirstTest* test
        cdef const int32_t[::1] group
        self.memory = Memory()
        self.max_depth = INT_MAX if max_depth is None else min(max_depth, INT_MAX)
        self.min_gain = -INFINITY if min_gain is None else min_gain
        self.n_pairs = len(not_below)
        self.attribute = <int32_t*> self.memory.raw(self.n_pairs, sizeof(int32_t))
        self.above = <int32_t*> self.memory.raw(self.n_pairs, sizeof(int32_t))
        for p in range(self.n_pairs):
            self.attribute[p], self.above[p] = not_below[p]
        self.n_first = len(first_tests)
        self.first = <FirstTest*> self.memory.zeroed(self.n_first, sizeof(FirstTest))
        for p, (attribute, threshold, branches) in enumerate(first_tests):
            test = &self.first[p]
            test.attribute = attribute
            test.threshold = NAN if threshold is None else threshold
            if branches is None:
                continue
            group = branches
            test.n_values = group.shape[0]
            test.group = <int32_t*> self.memory.raw(test.n_values, sizeof(int32_t))
            for v in range(group.shape[0]):
                test.group[v] = group[v]
                test.n_groups = max(test.n_groups, group[v] + 1)

    cdef bint fits(self, const Cases* cases) noexcept nogil:
        # Whether the cases have all attributes, and the values that are grouped.
        cdef int p, v, n_attributes = cases.n_attributes
        cdef const FirstTest* test
        for p in range(self.n_pairs):
            if not (0 <= self.attribute[p] < n_attributes and 0 <= self.above[p] < n_attributes):
                return False
        for p in range(self.n_first):
            test = &self.first[p]
            if not 0 <= test.attribute < n_attributes or cases.kind[test.attribute] == IGNORED:
                return False
            if test.n_groups and (cases.kind[test.attribute] != DISCRETE
                                  or cases.n_values[test.attribute] != test.n_values):
                return False
            for v in range(test.n_values):
                if test.group[v] < 0:
                    return False
        return True
