# Moves that weigh all tests of a node before one is proposed.

from libc.stdint cimport int32_t

from ctree_ext.mcmc.chain_prior cimport ChainModel
from ctree_ext.mcmc.chain_tree cimport ChainTree
from ctree_ext.mcmc.proposal cimport Proposal
from ctree_ext.mcmc.rng cimport RandomStream


cdef double move_weight(const ChainModel* model, int move, int32_t n_inner, int32_t n_twigs) noexcept nogil
cdef double site_weight(const ChainModel* model, const ChainTree* tree, int32_t node, Py_ssize_t slot) noexcept nogil
cdef double all_sites(const ChainModel* model, const ChainTree* tree) noexcept nogil
cdef int32_t list_redraws(ChainModel* model, ChainTree* tree, int32_t node, double power, double* leaf) noexcept nogil
cdef int32_t list_retests(ChainModel* model, ChainTree* tree, int32_t node, Py_ssize_t slot, double power) noexcept nogil
cdef void draw_redraw(ChainModel* model, ChainTree* tree, Proposal* proposal, double power,
                      RandomStream* stream) noexcept nogil
cdef void draw_retest(ChainModel* model, ChainTree* tree, Proposal* proposal, double power,
                      RandomStream* stream) noexcept nogil
cdef double log_sites(const ChainModel* model, const ChainTree* tree, const Proposal* proposal) noexcept nogil
