# Which attributes a node of a random forest is offered: a function of the key of its tree and of the way to the node,
# so that neither threads nor the order of growing change it.

from libc.stdint cimport int32_t, uint64_t

cdef extern from *:
    """
    #define CTREE_GOLDEN 0x9E3779B97F4A7C15ULL
    #define CTREE_FOR_ATTRIBUTES 0xD1B54A32D192ED03ULL
    """
    uint64_t GOLDEN "CTREE_GOLDEN"
    uint64_t FOR_ATTRIBUTES "CTREE_FOR_ATTRIBUTES"


cdef inline uint64_t mixed(uint64_t x) noexcept nogil:
    # The output of SplitMix64 (Steele, Lea, Flood 2014) for a state.
    x = (x ^ (x >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9ULL
    x = (x ^ (x >> 27)) * <uint64_t> 0x94D049BB133111EBULL
    return x ^ (x >> 31)


cdef inline uint64_t key_below(uint64_t key, int branch) noexcept nogil:
    # The key of a branch, numbered from 0, of the node with a key.
    return mixed(key + GOLDEN * <uint64_t> (branch + 1))


cdef inline void shuffle(int32_t* attributes, int n, uint64_t key) noexcept nogil:
    # Put them into the random order of the node with this key.
    cdef int i, j
    cdef int32_t here
    key = mixed(key ^ FOR_ATTRIBUTES)
    for i in range(n - 1):
        j = i + <int> (mixed(key + GOLDEN * <uint64_t> (i + 1)) % <uint64_t> (n - i))
        here = attributes[i]
        attributes[i] = attributes[j]
        attributes[j] = here
