# The moves: a proposal is drawn, evaluated, and accepted or not.

from libc.stdint cimport int32_t, uint8_t

from ctree_ext.mcmc.chain_prior cimport ChainModel
from ctree_ext.mcmc.chain_tree cimport ChainTree
from ctree_ext.mcmc.rng cimport RandomStream

cdef enum Verdict:
    INVALID         # no such move, or a tree that the prior excludes
    EVALUATED
    TOO_SMALL       # the ratio cannot reach the number it is to be compared with


ctypedef struct Proposal:
    int move
    int32_t node            # -1 if there is none for this move
    int32_t test            # of a birth or a change
    double log_ratio
    # what the evaluation found, for accepting
    uint8_t node_state      # what becomes of the cases at the node at the top of the change
    double log_likelihood   # of that node, should it stand as a leaf
    int32_t swept           # the leaf that is swept with its parent, -1 for none
    bint computed           # whether the slots of the nodes below were computed


cdef int draw_move(const ChainModel* model, RandomStream* stream) noexcept nogil
cdef Proposal draw_proposal(ChainModel* model, ChainTree* tree, int move, RandomStream* stream) noexcept nogil
cdef bint has_first_birth(ChainModel* model, ChainTree* tree) noexcept nogil
cdef Proposal draw_first_birth(ChainModel* model, ChainTree* tree, RandomStream* stream) noexcept nogil
cdef Verdict evaluate(ChainModel* model, ChainTree* tree, Proposal* proposal, double power,
                      double log_uniform) noexcept nogil
cdef void accept(ChainModel* model, ChainTree* tree, const Proposal* proposal) noexcept nogil
cdef bint compute_tree(ChainModel* model, ChainTree* tree) noexcept nogil
