# The tests that nodes may have, kept by the cases of the node. A chain comes back to the same nodes again and again.

from libc.stdint cimport int32_t, uint64_t

from ctree_ext.base.memory cimport Pool


ctypedef struct ListedTest:
    # Tests that divide the cases of a node in the same way.
    int32_t test                # the first of them
    int32_t count
    double value                # ln m of both branches, or ln of a weight, or a weight


ctypedef struct KeptListing:
    uint64_t* cover             # of which cases; NULL if there is none
    ListedTest* tests
    int32_t n
    int32_t room


ctypedef struct ListingCache:
    Pool pool
    Py_ssize_t n_words
    Py_ssize_t n_places         # a power of 2, or 0 for no cache
    Py_ssize_t max_bytes
    KeptListing* places


cdef int cache_init(ListingCache* cache, Py_ssize_t n_words, Py_ssize_t max_bytes) noexcept nogil
cdef void cache_free(ListingCache* cache) noexcept nogil
cdef const KeptListing* cache_find(const ListingCache* cache, const uint64_t* cover) noexcept nogil
cdef void cache_keep(ListingCache* cache, const uint64_t* cover, const ListedTest* tests, int32_t n) noexcept nogil
