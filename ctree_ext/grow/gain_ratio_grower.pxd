from libc.stdint cimport int32_t, uint8_t

from ctree_ext.base.memory cimport Memory
from ctree_ext.base.numeric cimport Logs
from ctree_ext.grow.candidates cimport GainCandidate
from ctree_ext.grow.criteria cimport LogTables
from ctree_ext.grow.frames cimport Frame, Worker
from ctree_ext.grow.list_storage cimport ListStorage
from ctree_ext.grow.scratch cimport NodeView
from ctree_ext.grow.threshold_range cimport NextColumn
from ctree_ext.grow.thresholds cimport Totals
from ctree_ext.grow.tree_grower cimport TreeGrower


cdef class GainRatioGrower(TreeGrower):
    cdef readonly bint gain_only
    cdef readonly bint group_values
    cdef bint j48
    cdef bint binary_splits
    cdef bint mdl_correction
    cdef bint actual_thresholds
    cdef LogTables tables
    cdef const Logs* logs
    cdef Memory memory
    cdef bint* few_valued    # per attribute, whether it counts in the average gain
    cdef uint8_t* tie_states  # per frame and attribute, a `TieState`
    cdef Py_ssize_t n_tie_states
    # where the list is kept, which only the leading thread walks through; else None and NULL
    cdef ListStorage list_
    cdef Totals* totals      # per attribute, of the continuous ones
    cdef int32_t* unknown    # where in the list the cases stand whose value of the next continuous attribute is unknown

    cdef int mark_few_valued(self, double whole) except -1
    cdef int search_discrete(self, Worker hand, Worker lead, const NodeView* node, int a) except -1 nogil
    cdef double unknown_weight(self, int attribute, const NodeView* node) noexcept nogil
    cdef int search_list(self, Worker worker, const NodeView* node, bint only_sort) except -1 nogil
    cdef double sum_unknown(self, Py_ssize_t n, const NodeView* node, double* sums, double* weight) noexcept nogil
    cdef void search_column(self, Worker worker, const NodeView* node, int k, bint only_sort,
                            NextColumn* next_column) noexcept nogil
    cdef bint keeps_tie_states(self) noexcept nogil
    cdef uint8_t* inherit_tie_states(self, Py_ssize_t depth) except NULL nogil
    cdef GainRatioGrower new_part(self, Worker worker, Frame* frame, bint apart)
    cdef int grow_part(self, Worker worker, Frame* frame) except -1
    cdef int grow_copy(self, Worker worker, Frame* frame) except -1
    cdef int follow(self, GainRatioGrower original, Worker worker) except -1
    cdef Worker start_at(self, GainRatioGrower original, Worker worker, Frame* frame, bint integer)
    cdef int start_copy(self, GainRatioGrower original, Worker worker, Frame* frame, const int32_t[::1] rows) except -1
