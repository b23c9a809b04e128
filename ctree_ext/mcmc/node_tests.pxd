# All tests that a node may have, and what each of them is worth there. Thresholds between the same two cases divide the
# cases of the node in the same way, and stand together.

from libc.stdint cimport int32_t

from ctree_ext.mcmc.chain_prior cimport ChainModel
from ctree_ext.mcmc.chain_tree cimport ChainTree


cdef int32_t list_tests(ChainModel* model, ChainTree* tree, int32_t node, Py_ssize_t slot) noexcept nogil
cdef int32_t find_test(const ChainModel* model, int32_t n, int32_t test) noexcept nogil
cdef double temper(ChainModel* model, int32_t n, double none, double share) noexcept nogil
cdef double weight_of(double value, double most) noexcept nogil
cdef void weigh(ChainModel* model, int32_t n, double most) noexcept nogil
cdef double sum_but(const ChainModel* model, int32_t n, int32_t but, double other) noexcept nogil
cdef int32_t pick(const ChainModel* model, int32_t n, int32_t but, double other, double share) noexcept nogil
