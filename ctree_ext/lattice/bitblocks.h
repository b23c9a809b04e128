/* Counting and gathering bits: the innermost loops of the lattice.

   They are in C because the instructions that count and gather bits (popcnt, pext) are not on every processor: each
   loop is compiled for any processor and for those that have them, and the processor is asked once. Measured on the
   sets of benchmarks/lattice.py, that makes the search three times as fast. The results are the same to the last bit. */

#ifndef CTREE_BITBLOCKS_H
#define CTREE_BITBLOCKS_H

#include <stddef.h>
#include <stdint.h>

/* Bits of a set of rows stand in words of 64, those of each class in words of their own ("block" c: words
   start[c] to start[c + 1]). A test is such a row of words; `bits` has them one after the other, `stride` words each. */

static inline int portable_popcount(uint64_t x) {
#if defined(__GNUC__) && !defined(__x86_64__) && !defined(__i386__)
    return __builtin_popcountll(x);
#else
    x -= (x >> 1) & 0x5555555555555555ull;
    x = (x & 0x3333333333333333ull) + ((x >> 2) & 0x3333333333333333ull);
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Full;
    return (int)((x * 0x0101010101010101ull) >> 56);
#endif
}

static inline int lowest_bit(uint64_t x) { /* x is not 0 */
#if defined(__GNUC__)
    return __builtin_ctzll(x); /* an instruction of every processor */
#else
    return portable_popcount((x & (0 - x)) - 1);
#endif
}

/* A bit for each of n bytes that is not 0, in (n + 63) / 64 words. */
static inline void pack_bytes(const unsigned char* bytes, ptrdiff_t n, uint64_t* to) {
    for (ptrdiff_t i = 0; i < n; i += 64, to++) {
        const ptrdiff_t end = n - i < 64 ? n - i : 64;
        ptrdiff_t bit = 0;
        uint64_t word = 0;
        for (; bit + 8 <= end; bit += 8) {
            const unsigned char* b = bytes + i + bit;
            uint64_t x = (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 |
                         (uint64_t)b[4] << 32 | (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 | (uint64_t)b[7] << 56;
            x = ((((x & 0x7F7F7F7F7F7F7F7Full) + 0x7F7F7F7F7F7F7F7Full) | x) >> 7) & 0x0101010101010101ull;
            word |= ((x * 0x0102040810204080ull) >> 56) << bit;
        }
        for (; bit < end; bit++) word |= (uint64_t)(bytes[i + bit] != 0) << bit;
        *to = word;
    }
}

static inline uint64_t portable_gather(uint64_t x, uint64_t mask) {
    uint64_t result = 0, place = 1;
    while (mask) {
        if (x & mask & (0 - mask)) result |= place;
        mask &= mask - 1;
        place <<= 1;
    }
    return result;
}

#define LOOP(name) name##_portable
#define TARGET
#define POPCOUNT portable_popcount
#define GATHER portable_gather
#include "bitloops.h"
#undef LOOP
#undef TARGET
#undef POPCOUNT
#undef GATHER

#if defined(__GNUC__) && defined(__x86_64__)
#include <immintrin.h>
#define LOOP(name) name##_fast
#define TARGET __attribute__((target("popcnt,bmi,bmi2,avx2")))
#define POPCOUNT(x) ((int)__builtin_popcountll(x))
#define GATHER(x, mask) _pext_u64(x, mask)
#include "bitloops.h"
#undef LOOP
#undef TARGET
#undef POPCOUNT
#undef GATHER

/* -1 until the processor is asked. Each module that includes this has its own, for that is quicker than to share one. */
static int fast_bits = -1;

static inline int has_fast_bits(void) {
    if (fast_bits < 0)
        fast_bits = __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                    __builtin_cpu_supports("avx2");
    return fast_bits;
}

#define EITHER(name, arguments) (has_fast_bits() ? name##_fast arguments : name##_portable arguments)
#else
static int fast_bits = 0;
static inline int has_fast_bits(void) { return 0; }
#define EITHER(name, arguments) name##_portable arguments
#endif

static inline int* own_switch(void) { return &fast_bits; }

static inline int count_words(const uint64_t* a, ptrdiff_t n) { return EITHER(count_words, (a, n)); }

static inline int count_and(const uint64_t* a, const uint64_t* b, ptrdiff_t n) { return EITHER(count_and, (a, b, n)); }

static inline int count_and_not(const uint64_t* a, const uint64_t* b, ptrdiff_t n) {
    return EITHER(count_and_not, (a, b, n));
}

static inline int32_t and_blocks(const uint64_t* a, const uint64_t* b, const int32_t* start, int n_blocks, uint64_t* out,
                                 int32_t* counts) {
    return EITHER(and_blocks, (a, b, start, n_blocks, out, counts));
}

static inline void gather_block(const uint64_t* from, const uint64_t* mask, ptrdiff_t n, uint64_t* to, ptrdiff_t n_to) {
    EITHER(gather_block, (from, mask, n, to, n_to));
}

static inline void pair_row(const uint64_t* bits, ptrdiff_t stride, const int32_t* start, int n_blocks, ptrdiff_t i,
                            ptrdiff_t first, ptrdiff_t k, int32_t* out) {
    EITHER(pair_row, (bits, stride, start, n_blocks, i, first, k, out));
}

static inline void quadrants(const int32_t* pairs, const int32_t* totals, int n_classes, ptrdiff_t i, ptrdiff_t first,
                             ptrdiff_t k, int32_t n, int32_t* out) {
    EITHER(quadrants, (pairs, totals, n_classes, i, first, k, n, out));
}

static inline void error_row(const int32_t* pairs, const int32_t* ones, const int32_t* counts, const int32_t* sizes,
                             int n_classes, ptrdiff_t i, ptrdiff_t first, ptrdiff_t k, int32_t least, int32_t* errors) {
    EITHER(error_row, (pairs, ones, counts, sizes, n_classes, i, first, k, least, errors));
}

static inline void best_row(const int32_t* errors, ptrdiff_t i, ptrdiff_t first, ptrdiff_t k, int32_t* with,
                            int32_t* without) {
    EITHER(best_row, (errors, i, first, k, with, without));
}

static inline void score_row(const int32_t* pairs, const int32_t* ones, const int32_t* counts, const int32_t* sizes,
                             int n_classes, ptrdiff_t i, ptrdiff_t first, ptrdiff_t k, const double* gammas,
                             const double* sums, int product, double* scores) {
    EITHER(score_row, (pairs, ones, counts, sizes, n_classes, i, first, k, gammas, sums, product, scores));
}

static inline void score_row_two(const int32_t* pairs, const int32_t* ones, const int32_t* counts, ptrdiff_t i,
                                 ptrdiff_t first, ptrdiff_t k, const double* table, ptrdiff_t side, double* scores) {
    EITHER(score_row_two, (pairs, ones, counts, i, first, k, table, side, scores));
}

static inline void add_row(const double* scores, const double* weights, ptrdiff_t i, ptrdiff_t first, ptrdiff_t k,
                           double* with, double* without) {
    EITHER(add_row, (scores, weights, i, first, k, with, without));
}

static inline void max_row(const double* scores, ptrdiff_t i, ptrdiff_t first, ptrdiff_t k, double* with,
                           double* without) {
    EITHER(max_row, (scores, i, first, k, with, without));
}

static inline void valid_row(const int32_t* sizes, const int32_t* weights, ptrdiff_t i, ptrdiff_t first, ptrdiff_t k,
                             int32_t least, int32_t* with, int32_t* without) {
    EITHER(valid_row, (sizes, weights, i, first, k, least, with, without));
}

#endif
