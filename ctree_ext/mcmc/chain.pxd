# A chain: its trees, its streams, and what it has recorded.

from libc.stdint cimport int32_t, int64_t

from ctree_ext.mcmc.records cimport Record, Records
from ctree_ext.mcmc.chain_prior cimport N_MOVES, Rules
from ctree_ext.mcmc.chain_tree cimport ChainTree
from ctree_ext.mcmc.rng cimport RandomStream
from ctree_ext.mcmc.test_grid cimport TestGrid
from ctree_ext.mcmc.tree_store cimport Bank


cdef class Chain:
    cdef TestGrid grid
    cdef Rules rules
    cdef Bank bank
    cdef Records burnt
    cdef Records draws
    cdef ChainTree* trees
    cdef RandomStream* streams
    cdef double* tempers
    cdef int n_tempers
    cdef int64_t thin
    cdef int64_t exchange_every
    cdef int64_t n_steps
    cdef int64_t n_burnt_steps
    cdef int64_t n_drawn_steps
    cdef bint keep_trees
    cdef bint changed
    cdef bint root_is_closed    # a single leaf can become nothing else; found out only where proposals are drawn anew
    cdef int stop_asked
    cdef bint busy
    cdef double last_log_likelihood
    cdef int32_t last_leaves
    cdef int64_t counts[3][N_MOVES]
    cdef int64_t exchanges[2]
    cdef int64_t* used
    cdef int check_idle(self) except -1
    cdef int some_steps(self, int64_t burn_in, int64_t drawn_steps) noexcept nogil
    cdef int step(self) noexcept nogil
    cdef int jump(self, int i) noexcept nogil
    cdef void exchange(self) noexcept nogil
    cdef double log_exchange(self, int i) noexcept nogil
    cdef int record(self, Records* records, bint drawn) noexcept nogil
    cdef int write_tree(self, bint drawn, Record* record) noexcept nogil
