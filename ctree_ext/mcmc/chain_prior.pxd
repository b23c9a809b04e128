# The model that a chain samples from: the prior of its trees, how few cases a leaf may have, and the tests of a node.

from libc.stdint cimport int32_t

from ctree_ext.base.bayes cimport Dirichlet, split_probability
from ctree_ext.base.interrupts cimport Watch
from ctree_ext.mcmc.chain_tree cimport ChainTree
from ctree_ext.mcmc.listing_cache cimport ListedTest, ListingCache
from ctree_ext.mcmc.test_grid cimport Grid

cdef enum:
    BIRTH = 0
    DEATH = 1
    CHANGE_SPLIT = 2
    CHANGE_RULE = 3
    SWAP = 4
    REDRAW = 5
    RETEST = 6
    REGROW = 7
    N_MOVES = 8

cdef enum Prior:
    DENISON     # each number of leaves is equally likely, then each shape
    CHIPMAN
    IMPLICIT    # each shape is equally likely, whatever its number of leaves

cdef enum Treatment:
    # What is done about a proposal that leaves too few cases in a leaf.
    REJECT
    RESAMPLE
    SWEEP_PAPER
    SWEEP_LATENT


ctypedef struct ChainModel:
    const Grid* grid
    Dirichlet leaf_prior
    double min_cases
    int32_t max_depth
    int32_t max_leaves
    Prior prior
    bint per_test               # Chipman's: each valid test as likely as the others, not each attribute that has any
    double gamma
    double delta
    Treatment treatment
    bint same_move              # invalid proposals are drawn anew, but for the move
    double moves[N_MOVES]
    double rule_step            # of change-rule, as a share of an attribute's tests; 0: any test as likely
    double rule_spread          # the same as a number of tests, whatever their number; 0: rule_step counts
    bint local                  # a node may have only tests that leave enough cases on both sides
    Watch watch
    # scratch
    int32_t* bits
    double* levels
    # scratch of the moves that look at all tests of a node; NULL if there are none
    ListedTest* listed
    ListingCache listings
    int32_t* listed_of          # by attribute how many of its tests are valid
    int32_t listed_attributes   # that have a valid test
    int32_t listed_tests
    double* log_priors          # by attribute, of each of its tests, if all may be had at all nodes
    int32_t* sorted_bits
    int32_t* word_class         # by word of bits
    double* part_counts
    double* rest_counts
    ChainTree* grown            # where a subtree is grown before it is known whether it will be accepted


cdef inline double split_prior(const ChainModel* model, int32_t depth) noexcept nogil:
    return split_probability(model.gamma, model.delta, depth)


cdef inline int32_t tests_of(const ChainModel* model, int32_t attribute) noexcept nogil:
    return model.grid.first[attribute + 1] - model.grid.first[attribute]


cdef inline double shape_ratio(const ChainModel* model, double k) noexcept nogil:
    # How much less likely a shape of k + 1 leaves is than one of k. There are as many shapes as Catalan's number of k - 1.
    return (k + 1) / (2 * (2 * k - 1)) if model.prior == DENISON else 1.0


cdef inline double spread_of(const ChainModel* model, int32_t attribute) noexcept nogil:
    # The standard deviation of a change of a rule, in tests of the attribute; 0 if any of them is as likely.
    if not model.grid.ordered[attribute]:
        return 0.0
    return model.rule_spread if model.rule_spread > 0 else model.rule_step * tests_of(model, attribute)


cdef int32_t list_bits(ChainModel* model, ChainTree* tree, Py_ssize_t slot) noexcept nogil
cdef bint is_splittable(ChainModel* model, ChainTree* tree, int32_t node, Py_ssize_t slot) noexcept nogil
cdef void count_valid(ChainModel* model, ChainTree* tree, int32_t node, Py_ssize_t slot) noexcept nogil
cdef int32_t nth_valid(ChainModel* model, ChainTree* tree, Py_ssize_t slot, int32_t attribute,
                       int32_t number) noexcept nogil
cdef double log_test_prior(ChainModel* model, ChainTree* tree, int32_t node, Py_ssize_t slot,
                           int32_t test) noexcept nogil
cdef double log_leaf_prior(ChainModel* model, ChainTree* tree, int32_t node, Py_ssize_t slot) noexcept nogil
cdef double log_prior(ChainModel* model, ChainTree* tree) noexcept nogil
