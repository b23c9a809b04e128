# States of the lattice that are known, by a key of 128 bits, in an open hash table.

from libc.stdint cimport int32_t, uint64_t

from ctree_ext.base.memory cimport Pool, pool_release, pool_zeroed

ctypedef struct State:
    uint64_t[2] key          # both 0: the place is free
    double low               # its score is between these
    double high
    int32_t test             # the first test of its best tree, -1 for a leaf


ctypedef struct StateCache:
    State* states
    Py_ssize_t n_places      # a power of two
    Py_ssize_t n_states


cdef inline State* cache_place(StateCache* cache, const uint64_t* key) noexcept nogil:
    # Where a state is, or the free place where it would be.
    cdef Py_ssize_t at = <Py_ssize_t> (key[0] & <uint64_t> (cache.n_places - 1))
    while True:
        if cache.states[at].key[0] == key[0] and cache.states[at].key[1] == key[1]:
            return &cache.states[at]
        if cache.states[at].key[0] == 0 and cache.states[at].key[1] == 0:
            return &cache.states[at]
        at = (at + 1) & (cache.n_places - 1)


cdef inline State* cache_find(StateCache* cache, const uint64_t* key) noexcept nogil:
    # The state, or NULL if it is not known.
    cdef State* state
    if cache.n_places == 0:
        return NULL
    state = cache_place(cache, key)
    return state if state.key[0] or state.key[1] else NULL


cdef inline Py_ssize_t cache_bytes(const StateCache* cache) noexcept nogil:
    return cache.n_places * <Py_ssize_t> sizeof(State)


cdef inline State* cache_add(StateCache* cache, Pool* pool, const uint64_t* key) noexcept nogil:
    # The place of a state, new or known; NULL without memory.
    cdef StateCache larger
    cdef Py_ssize_t i
    cdef State* place
    if 3 * (cache.n_states + 1) > 2 * cache.n_places:
        larger.n_places = 1024 if cache.n_places == 0 else 2 * cache.n_places
        larger.n_states = cache.n_states
        larger.states = <State*> pool_zeroed(pool, larger.n_places, sizeof(State))
        if larger.states == NULL:
            return NULL
        for i in range(cache.n_places):
            if cache.states[i].key[0] or cache.states[i].key[1]:
                place = cache_place(&larger, cache.states[i].key)
                place[0] = cache.states[i]
        pool_release(pool, cache.states)
        cache[0] = larger
    place = cache_place(cache, key)
    if not (place.key[0] or place.key[1]):
        place.key[0] = key[0]
        place.key[1] = key[1]
        cache.n_states += 1
    return place
