from libc.stdint cimport int32_t

from ctree_ext.base.cases cimport Cases
from ctree_ext.base.numeric cimport Logs
from ctree_ext.grow.candidates cimport GainCandidate
from ctree_ext.grow.scratch cimport NodeView, Scratch

cdef GainCandidate best_values(const Cases* cases, int attribute, const NodeView* node, double min_cases,
                               const Logs* logs, Scratch* scratch) noexcept nogil
cdef GainCandidate best_single_value(const Cases* cases, int attribute, const NodeView* node, double min_cases,
                                     const Logs* logs, Scratch* scratch, int32_t* group) noexcept nogil
cdef GainCandidate test_of_values(int n_values, int C, double total, double min_cases, const Logs* logs,
                                  Scratch* scratch) noexcept nogil
cdef GainCandidate test_of_single_value(int n_values, int C, double total, double min_cases, const Logs* logs,
                                        Scratch* scratch, int32_t* group) noexcept nogil
