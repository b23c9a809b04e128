# Seeded random numbers: xoshiro256++ (Blackman and Vigna), in streams that can be split. A stream has a key; the key of a
# part is a hash of that and the part's number, so a part is the same no matter who draws from it, and when.

from libc.math cimport M_PI, cos, log, sqrt
from libc.stdint cimport uint32_t, uint64_t


ctypedef struct RandomStream:
    uint64_t key
    uint64_t state[4]


cdef inline uint64_t scrambled(uint64_t z) noexcept nogil:
    # The last step of SplitMix64: each bit of the result depends on each of z.
    z = (z ^ (z >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9ULL
    z = (z ^ (z >> 27)) * <uint64_t> 0x94D049BB133111EBULL
    return z ^ (z >> 31)


cdef inline void stream_start(RandomStream* stream, uint64_t key) noexcept nogil:
    cdef uint64_t z = key
    cdef int i
    stream.key = key
    for i in range(4):
        z += <uint64_t> 0x9E3779B97F4A7C15ULL
        stream.state[i] = scrambled(z)


cdef inline void stream_part(const RandomStream* stream, uint64_t number, RandomStream* part) noexcept nogil:
    # Other constants than in `stream_start`, or a part would begin where the stream itself does.
    stream_start(part, scrambled(scrambled(stream.key + <uint64_t> 0xD1B54A32D192ED03ULL)
                                 + (number + 1) * <uint64_t> 0x8CB92BA72F3D8DD7ULL))


cdef inline uint64_t rotated(uint64_t x, int by) noexcept nogil:
    return (x << by) | (x >> (64 - by))


cdef inline uint64_t next_bits(RandomStream* stream) noexcept nogil:
    cdef uint64_t* s = stream.state
    cdef uint64_t result = rotated(s[0] + s[3], 23) + s[0]
    cdef uint64_t t = s[1] << 17
    s[2] ^= s[0]
    s[3] ^= s[1]
    s[1] ^= s[2]
    s[0] ^= s[3]
    s[2] ^= t
    s[3] = rotated(s[3], 45)
    return result


cdef inline double next_uniform(RandomStream* stream) noexcept nogil:
    # From 0 up to, but without, 1: the upper 53 bits.
    return <double> (next_bits(stream) >> 11) * (1.0 / 9007199254740992.0)


cdef inline uint32_t next_below(RandomStream* stream, uint32_t n) noexcept nogil:
    # An integer below n, all equally likely (Lemire's multiplication).
    cdef uint64_t product = (next_bits(stream) >> 32) * <uint64_t> n
    cdef uint32_t least
    if <uint32_t> product < n:
        least = (<uint32_t> (0 - n)) % n
        while <uint32_t> product < least:
            product = (next_bits(stream) >> 32) * <uint64_t> n
    return <uint32_t> (product >> 32)


cdef inline double next_normal(RandomStream* stream) noexcept nogil:
    # Box and Muller's method; one of the two numbers is discarded, so that only the state needs to be saved.
    cdef double u = 1.0 - next_uniform(stream)
    return sqrt(-2.0 * log(u)) * cos(2.0 * M_PI * next_uniform(stream))


cdef class Stream:
    cdef RandomStream stream
