# A subtree is grown anew.

from libc.stdint cimport int32_t

from ctree_ext.mcmc.chain_prior cimport ChainModel
from ctree_ext.mcmc.chain_tree cimport ChainTree
from ctree_ext.mcmc.proposal cimport Proposal
from ctree_ext.mcmc.rng cimport RandomStream


cdef int draw_regrowth(ChainModel* model, ChainTree* tree, Proposal* proposal, double power,
                       RandomStream* stream) noexcept nogil
cdef double log_regrowth(ChainModel* model, ChainTree* tree, const Proposal* proposal, double power) noexcept nogil
cdef void replace_subtree(ChainModel* model, ChainTree* tree, int32_t node) noexcept nogil
cdef double log_growth(ChainModel* model, ChainTree* tree, int32_t node, double power) noexcept nogil
