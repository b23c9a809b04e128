from libc.stdint cimport int32_t

from ctree_ext.base.cases cimport Cases
from ctree_ext.base.interrupts cimport Watch
from ctree_ext.base.memory cimport Memory
from ctree_ext.base.numeric cimport Logs
from ctree_ext.grow.candidates cimport GainCandidate
from ctree_ext.grow.scratch cimport NodeView, Scratch

cdef int best_groups(GainCandidate* best, const Cases* cases, int attribute, const NodeView* node, double* min_cases,
                     bint gain_only, const Logs* logs, Scratch* scratch, int32_t* group, Memory memory,
                     Watch* watch) except -1 nogil
cdef int test_of_groups(GainCandidate* best, int n_values, int C, double total, double* min_cases, bint gain_only,
                        const Logs* logs, Scratch* scratch, int32_t* group, Memory memory,
                        Watch* watch) except -1 nogil
