/* Bits of a word, by what every processor can do. */

#ifndef CTREE_BITS_H
#define CTREE_BITS_H

#include <stdint.h>

static inline int count_bits(uint64_t x) {
#if defined(__GNUC__) && !defined(__x86_64__) && !defined(__i386__)
    return __builtin_popcountll(x);
#else
    /* By halves: there the instruction is not on every processor. */
    x -= (x >> 1) & 0x5555555555555555ull;
    x = (x & 0x3333333333333333ull) + ((x >> 2) & 0x3333333333333333ull);
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Full;
    return (int)((x * 0x0101010101010101ull) >> 56);
#endif
}

static inline int lowest_bit(uint64_t x) { /* x is not 0 */
#if defined(__GNUC__)
    return __builtin_ctzll(x);
#else
    return count_bits((x & (0 - x)) - 1);
#endif
}

#endif
