# The tests of an attribute at a node, each offered to a criterion of the user's.

from ctree_ext.base.cases cimport Cases
from ctree_ext.grow.own_criterion cimport Trials
from ctree_ext.grow.score_search cimport ScoreSearch
from ctree_ext.grow.scratch cimport NodeView, Scratch
from ctree_ext.grow.sorting cimport Sorted

cdef int offer_thresholds(Trials trials, const ScoreSearch* search, const Cases* cases, int attribute,
                          const Sorted* column, const NodeView* node, Scratch* scratch) except -1 nogil
cdef int offer_values(Trials trials, const ScoreSearch* search, const Cases* cases, int attribute, bint one_by_one,
                      const NodeView* node, Scratch* scratch) except -1 nogil
