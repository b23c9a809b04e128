# The moves: a proposal is drawn, weighed, and accepted or not.

from libc.stdint cimport int32_t, uint8_t

from ctree_ext.mcmc.chain_prior cimport Rules
from ctree_ext.mcmc.chain_tree cimport ChainTree
from ctree_ext.mcmc.rng cimport RandomStream

cdef enum Verdict:
    UNAVAILABLE     # no such move, or a tree that the prior excludes
    WEIGHED
    TOO_SMALL       # the ratio cannot reach the number it is to be compared with


ctypedef struct Proposal:
    int move
    int32_t node            # -1 if there is none for this move
    int32_t test            # of a birth or a change
    double log_ratio
    # what weighing found out, for accepting
    uint8_t how             # what becomes of the cases at the node at the top of the change
    double worth            # of that node, should it stand as a leaf
    int32_t swept           # the leaf that is swept with its parent, -1 for none
    bint settled            # whether the slots of the nodes below were worked out


cdef int draw_move(const Rules* rules, RandomStream* stream) noexcept nogil
cdef Proposal draw_proposal(Rules* rules, ChainTree* tree, int move, RandomStream* stream) noexcept nogil
cdef bint has_first_birth(Rules* rules, ChainTree* tree) noexcept nogil
cdef Proposal draw_first_birth(Rules* rules, ChainTree* tree, RandomStream* stream) noexcept nogil
cdef Verdict weigh(Rules* rules, ChainTree* tree, Proposal* proposal, double temper, double log_least) noexcept nogil
cdef void accept(Rules* rules, ChainTree* tree, const Proposal* proposal) noexcept nogil
cdef bint settle_all(Rules* rules, ChainTree* tree) noexcept nogil
