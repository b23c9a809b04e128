# What the leaves of the last two levels say of new cases.

from libc.stdint cimport int32_t, uint8_t

from ctree_ext.base.interrupts cimport Watch
from ctree_ext.base.memory cimport Pool
from ctree_ext.lattice.pairs cimport PairScratch
from ctree_ext.lattice.polynomial cimport Polynomial
from ctree_ext.lattice.tree_prior cimport TreePrior
from ctree_ext.lattice.views cimport View


ctypedef struct PairVotes:
    # Room for one node, whose k tests are taken in groups.
    Py_ssize_t max_tests       # what there is room for
    Py_ssize_t max_rows
    Py_ssize_t max_patterns
    Py_ssize_t max_cases
    double log_split           # ln of the prior that the node is divided
    double below_split         # the prior that a node below it is divided, and ln of the prior that it is a leaf
    double below_leaf
    double* reciprocals        # [cases + 1] 1 / (n + alpha C), by the cases of a leaf
    double* shares             # [k] the prior of each second test
    double* both               # [k] the likelihood of the two leaves that it makes
    int32_t* valid             # [k] whether they are large enough
    double* seconds            # [rows, 2, k] P(the first test and, on one side of it, the second one are here)
    double* leaves             # [k, 2, n_classes] what first tests say whose sides are leaves
    double* coefficients       # [2, k, 2, n_classes] what two tests say, by the side of each
    double* table              # [groups, 2^size, n_classes] what all second tests of a group say, by the sides of all
    int32_t* members           # [n_tests] the tests that are here, group of the prior by group
    int32_t* member_start      # [n_groups + 1]
    Py_ssize_t n_members       # groups of the prior that have a test here
    uint8_t* patterns          # [new cases, groups] the sides on which a case is


cdef int votes_init(PairVotes* votes, Pool* pool, const TreePrior* prior, Py_ssize_t n_tests,
                    Py_ssize_t n_cases) noexcept nogil
cdef int pair_votes(PairVotes* votes, Pool* pool, const View* view, const TreePrior* prior, Py_ssize_t depth,
                    double weight, const double* first, PairScratch* scratch, Watch* watch,
                    double* class_weights) except -1 nogil
cdef int pair_terms(PairVotes* votes, Pool* pool, const View* view, const TreePrior* prior, Py_ssize_t depth,
                    double weight, const double* first, PairScratch* scratch, Watch* watch,
                    Polynomial polynomial) except -1 nogil
