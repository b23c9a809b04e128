"""Lists of tests, kept by the cases of their node, in a table where each takes the place of another.

Without memory a list is not kept, and nothing is lost but time.
"""

from libc.stdint cimport int32_t, uint64_t
from libc.string cimport memcmp, memcpy

from ctree_ext.base.memory cimport pool_free, pool_raw, pool_resize, pool_zeroed

cdef enum:
    PLACES = 2048


cdef int cache_init(ListingCache* cache, Py_ssize_t n_words, Py_ssize_t max_bytes) noexcept nogil:
    """An empty cache, in a struct of zeros; -1 without memory."""
    cache.n_words = n_words
    cache.max_bytes = max_bytes
    cache.n_places = PLACES
    while cache.n_places > 1 and cache.n_places * n_words * <Py_ssize_t> sizeof(uint64_t) > max_bytes // 4:
        cache.n_places //= 2
    cache.places = <KeptListing*> pool_zeroed(&cache.pool, cache.n_places, sizeof(KeptListing))
    return -1 if cache.places == NULL else 0


cdef void cache_free(ListingCache* cache) noexcept nogil:
    pool_free(&cache.pool)
    cache.n_places = 0


cdef inline Py_ssize_t _place(const ListingCache* cache, const uint64_t* cover) noexcept nogil:
    cdef uint64_t hash = <uint64_t> 0x9E3779B97F4A7C15ULL
    cdef Py_ssize_t w
    for w in range(cache.n_words):
        hash = (hash ^ cover[w]) * <uint64_t> 0xBF58476D1CE4E5B9ULL
        hash ^= hash >> 29
    return <Py_ssize_t> (hash & <uint64_t> (cache.n_places - 1))


cdef const KeptListing* cache_find(const ListingCache* cache, const uint64_t* cover) noexcept nogil:
    """The list for these cases, or NULL."""
    cdef const KeptListing* kept
    if cache.n_places == 0:
        return NULL
    kept = &cache.places[_place(cache, cover)]
    if kept.cover == NULL or kept.n < 0 or memcmp(kept.cover, cover, cache.n_words * sizeof(uint64_t)) != 0:
        return NULL
    return kept


cdef void cache_keep(ListingCache* cache, const uint64_t* cover, const ListedTest* tests, int32_t n) noexcept nogil:
    """Keep a list, in the place of the one that was there."""
    cdef KeptListing* kept
    if cache.n_places == 0:
        return
    kept = &cache.places[_place(cache, cover)]
    kept.n = -1  # until all of it is there
    if kept.room < n:
        if <Py_ssize_t> cache.pool.n_bytes + (n - kept.room) * <Py_ssize_t> sizeof(ListedTest) > cache.max_bytes:
            return
        if not pool_resize(&cache.pool, <void**> &kept.tests, n, sizeof(ListedTest)):
            return
        kept.room = n
    if kept.cover == NULL:
        kept.cover = <uint64_t*> pool_raw(&cache.pool, cache.n_words, sizeof(uint64_t))
        if kept.cover == NULL:
            return
    memcpy(kept.cover, cover, cache.n_words * sizeof(uint64_t))
    if n > 0:  # there may be no room for none
        memcpy(kept.tests, tests, n * sizeof(ListedTest))
    kept.n = n
