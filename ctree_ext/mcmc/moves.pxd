# The moves: a proposal is drawn, evaluated, and accepted or not.

from ctree_ext.mcmc.chain_prior cimport ChainModel
from ctree_ext.mcmc.chain_tree cimport ChainTree
from ctree_ext.mcmc.proposal cimport Proposal
from ctree_ext.mcmc.rng cimport RandomStream

cdef enum Verdict:
    INVALID         # no such move, or a tree that the prior excludes
    EVALUATED
    TOO_SMALL       # the ratio cannot reach the number it is to be compared with


cdef int draw_move(const ChainModel* model, const ChainTree* tree, RandomStream* stream) noexcept nogil
cdef int draw_informed(ChainModel* model, ChainTree* tree, int move, double power, RandomStream* stream,
                       Proposal* proposal) noexcept nogil
cdef Proposal draw_proposal(ChainModel* model, ChainTree* tree, int move, RandomStream* stream) noexcept nogil
cdef bint has_first_birth(ChainModel* model, ChainTree* tree) noexcept nogil
cdef Proposal draw_first_birth(ChainModel* model, ChainTree* tree, RandomStream* stream) noexcept nogil
cdef Verdict evaluate(ChainModel* model, ChainTree* tree, Proposal* proposal, double power,
                      double log_uniform) noexcept nogil
cdef void accept(ChainModel* model, ChainTree* tree, const Proposal* proposal) noexcept nogil
cdef bint compute_tree(ChainModel* model, ChainTree* tree) noexcept nogil
