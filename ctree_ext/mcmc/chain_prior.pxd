# What is asked of the trees of a chain: their prior, how few cases a leaf may have, and which tests a node may have.

from libc.math cimport pow
from libc.stdint cimport int32_t, int64_t

from ctree_ext.mcmc.chain_tree cimport ChainTree
from ctree_ext.mcmc.leaf_likelihood cimport LeafWorth
from ctree_ext.mcmc.test_grid cimport Grid

cdef enum:
    BIRTH = 0
    DEATH = 1
    CHANGE_SPLIT = 2
    CHANGE_RULE = 3
    SWAP = 4
    N_MOVES = 5

cdef enum Prior:
    DENISON
    CHIPMAN

cdef enum Treatment:
    # What is done about a proposal that leaves too few cases in a leaf.
    REJECT
    RESAMPLE
    SWEEP_PAPER
    SWEEP_LATENT


ctypedef struct Rules:
    const Grid* grid
    LeafWorth worth
    double min_cases
    int32_t max_depth
    int32_t most_leaves
    Prior prior
    bint per_test               # Chipman's: each valid test as likely as the others, not each attribute that has any
    double gamma
    double delta
    Treatment treatment
    bint same_move              # what is not available is drawn anew, but for the move
    double moves[N_MOVES]
    double rule_step            # of change-rule, as a share of an attribute's tests; 0: any test as likely
    bint local                  # a node may have only tests that leave enough cases on both sides
    int64_t work                # words and bits looked at, for whoever has to look for signals
    # scratch
    int32_t* bits
    double* levels


cdef inline double split_chance(const Rules* rules, int32_t depth) noexcept nogil:
    # Chipman's: gamma (1 + depth)^-delta.
    return rules.gamma * pow(1.0 + depth, -rules.delta)


cdef inline int32_t tests_of(const Rules* rules, int32_t attribute) noexcept nogil:
    return rules.grid.first[attribute + 1] - rules.grid.first[attribute]


cdef bint find_open(Rules* rules, ChainTree* tree, int32_t node, Py_ssize_t slot) noexcept nogil
cdef void count_valid(Rules* rules, ChainTree* tree, int32_t node, Py_ssize_t slot) noexcept nogil
cdef int32_t nth_valid(Rules* rules, ChainTree* tree, Py_ssize_t slot, int32_t attribute, int32_t number) noexcept nogil
cdef double log_test_chance(Rules* rules, ChainTree* tree, int32_t node, Py_ssize_t slot, int32_t test) noexcept nogil
cdef double log_leaf_chance(Rules* rules, ChainTree* tree, int32_t node, Py_ssize_t slot) noexcept nogil
cdef double log_prior(Rules* rules, ChainTree* tree) noexcept nogil
