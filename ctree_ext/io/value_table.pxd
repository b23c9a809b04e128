"""The values of a discrete field: their codes by their bytes, in a hash table that can grow."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memcmp, memcpy

from ctree_ext.base.memory cimport Pool, pool_release, pool_resize, pool_zeroed


cdef struct Values:
    # The values of one field: an open-addressing table of codes over the values' bytes, which stand in one text.
    Pool *memory
    uint8_t *text
    Py_ssize_t text_capacity
    Py_ssize_t *ends  # value v is text[ends[v]:ends[v + 1]]
    uint64_t *hashes
    int32_t *slots  # code + 1, 0 where free
    Py_ssize_t n_slots  # a power of two, at least twice the count
    Py_ssize_t capacity
    int32_t count
    int32_t extra  # 1 if N/A is among the values beyond the limit
    int64_t limit


cdef inline uint64_t hash_start() noexcept nogil:
    return 0xCBF29CE484222325u


cdef inline uint64_t hash_on(uint64_t h, uint64_t eight_bytes) noexcept nogil:
    """The hash after eight more bytes, the last ones filled up with zeros. One to one: different bytes, different hash."""
    return (h ^ eight_bytes) * 0x9E3779B97F4A7C15u


cdef inline uint64_t hash_bytes(const uint8_t *s, Py_ssize_t n) noexcept nogil:
    cdef uint64_t h = hash_start(), word
    while n >= 8:
        memcpy(&word, s, 8)
        h = hash_on(h, word)
        s += 8
        n -= 8
    word = 0
    memcpy(&word, s, n)
    return hash_on(h, word)


cdef inline Py_ssize_t first_slot(const Values *values, uint64_t h) noexcept nogil:
    return <Py_ssize_t>(h ^ (h >> 32)) & (values.n_slots - 1)


cdef inline int32_t find_value(const Values *values, const uint8_t *s, Py_ssize_t n, uint64_t h) noexcept nogil:
    """The code of a value, -1 if it is not listed."""
    cdef Py_ssize_t slot = first_slot(values, h)
    cdef Py_ssize_t start
    cdef int32_t code
    while values.slots[slot]:
        code = values.slots[slot] - 1
        start = values.ends[code]
        if values.hashes[code] == h and values.ends[code + 1] - start == n:
            # Of eight bytes and less the hash is one to one.
            if n <= 8 or not memcmp(values.text + start, s, n):
                return code
        slot = (slot + 1) & (values.n_slots - 1)
    return -1


cdef inline int grow_values(Values *values, Py_ssize_t extra_bytes) noexcept nogil:
    """Make room for one more value; 0 if there is no memory."""
    cdef Py_ssize_t used = values.ends[values.count] if values.count else 0
    cdef Py_ssize_t capacity, slot
    cdef int32_t code
    cdef int32_t *slots
    if used + extra_bytes > values.text_capacity:
        capacity = 2 * (used + extra_bytes) + 64
        if not pool_resize(values.memory, <void **>&values.text, capacity, 1):
            return 0
        values.text_capacity = capacity
    if values.count < values.capacity:
        return 1
    capacity = 2 * values.capacity + 8
    if not (pool_resize(values.memory, <void **>&values.ends, capacity + 1, sizeof(Py_ssize_t))
            and pool_resize(values.memory, <void **>&values.hashes, capacity, sizeof(uint64_t))):
        return 0
    values.ends[0] = 0
    values.capacity = capacity
    while values.n_slots < 2 * capacity:
        values.n_slots *= 2
    slots = <int32_t *>pool_zeroed(values.memory, values.n_slots, sizeof(int32_t))
    if slots == NULL:
        return 0
    pool_release(values.memory, values.slots)
    values.slots = slots
    for code in range(values.count):
        slot = first_slot(values, values.hashes[code])
        while values.slots[slot]:
            slot = (slot + 1) & (values.n_slots - 1)
        values.slots[slot] = code + 1
    return 1


cdef inline int32_t add_value(Values *values, const uint8_t *s, Py_ssize_t n, uint64_t h) noexcept nogil:
    """Append a value that is not listed yet and give its code; -1 if there is no memory."""
    cdef Py_ssize_t slot
    cdef int32_t code = values.count
    if not grow_values(values, n):
        return -1
    memcpy(values.text + values.ends[code], s, n)
    values.ends[code + 1] = values.ends[code] + n
    values.hashes[code] = h
    slot = first_slot(values, h)
    while values.slots[slot]:
        slot = (slot + 1) & (values.n_slots - 1)
    values.slots[slot] = code + 1
    values.count += 1
    return code
