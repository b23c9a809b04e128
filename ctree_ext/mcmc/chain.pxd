# A chain: its trees, its streams, and what it has recorded.

from libc.stdint cimport int32_t, int64_t

from ctree_ext.base.memory cimport Memory
from ctree_ext.mcmc.records cimport Record, Records
from ctree_ext.mcmc.chain_prior cimport N_MOVES, ChainModel
from ctree_ext.mcmc.chain_tree cimport ChainTree
from ctree_ext.mcmc.rng cimport RandomStream
from ctree_ext.mcmc.test_grid cimport TestGrid
from ctree_ext.mcmc.tree_store cimport StoredTrees


cdef class Chain:
    cdef readonly TestGrid grid
    cdef Memory memory
    cdef ChainModel model
    cdef StoredTrees stored
    cdef Records burn_in_records
    cdef Records draw_records
    cdef ChainTree* trees
    cdef ChainTree grown        # of no temperature; see ChainModel
    cdef RandomStream* streams
    cdef double* temperatures
    cdef int n_temperatures
    cdef int64_t thin
    cdef int64_t exchange_every
    cdef int64_t n_steps
    cdef int64_t n_burn_in_steps
    cdef int64_t n_drawn_steps
    cdef bint keep_trees
    cdef bint changed
    cdef bint root_is_final    # a single leaf can become nothing else; found out only where proposals are drawn anew
    cdef int stop_asked
    cdef object lock            # held while a thread advances the chain or reads its arrays
    cdef bint advances          # a thread is at it
    cdef double last_log_likelihood
    cdef int32_t last_leaves
    cdef int64_t counts[3][N_MOVES]
    cdef int64_t exchanges[2]
    cdef int64_t* used
    cdef int set_up_leaves(self, double min_cases, max_leaves, double alpha) except -1
    cdef int set_up_trees(self, temperatures) except -1
    cdef int set_up_weighing(self) except -1
    cdef int run(self, int64_t burn_in, int64_t drawn_steps) except -1 nogil
    cdef int step(self) noexcept nogil
    cdef int step_at(self, int i) noexcept nogil
    cdef void exchange(self) noexcept nogil
    cdef double log_exchange(self, int i) noexcept nogil
    cdef int record(self, Records* records, bint drawn) noexcept nogil
    cdef int write_tree(self, bint drawn, Record* record) noexcept nogil
