# The best threshold on a continuous attribute at a node, by gain.

from libc.stdint cimport int32_t, uint8_t

from ctree_ext.base.cases cimport Cases
from ctree_ext.base.numeric cimport Logs
from ctree_ext.grow.candidates cimport GainCandidate
from ctree_ext.grow.scratch cimport NodeView, Scratch
from ctree_ext.grow.sorting cimport Sorted
from ctree_ext.grow.threshold_range cimport NextColumn


ctypedef struct Totals:
    # The weights behind the gain of a threshold: of all cases at the node, summed in the order in which the search
    # meets them, and of those whose value is unknown.
    double total
    double unknown


cdef GainCandidate best_threshold(const Cases* cases, const Sorted* column, const NodeView* node, Totals totals,
                                  double min_cases, bint mdl_correction, const Logs* logs, Scratch* scratch,
                                  uint8_t* tie_state, int32_t* rows, NextColumn* next_column) noexcept nogil
