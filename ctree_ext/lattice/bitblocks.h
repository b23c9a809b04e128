/* Counting and gathering bits: the innermost loops of the lattice.

   They are in C because the instructions that count and gather bits (popcnt, pext) are not on every processor: each
   loop is compiled for any processor and for those that have them. Measured on the sets of benchmarks/lattice.py, that
   makes the search three times as fast. */

#ifndef CTREE_BITBLOCKS_H
#define CTREE_BITBLOCKS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "../base/bits.h"
#include "../base/processor.h"

/* Bits of a set of rows stand in words of 64, those of each class in words of their own ("block" c: words
   start[c] to start[c + 1]). A test is such a row of words; `bits` has them one after the other, `stride` words each. */

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

/* x becomes exp(x), to the last bit or two, for -700 < x <= 0: a series, which can be done for four numbers at once. The
   operations are the same for all processors, and so is the result. A sum with 1.5 * 2^52 has no digits after the point:
   so it is rounded, and what it is rounded to is in its last bits, from where it becomes the exponent. */
#define EXP_OF_NEGATIVE(Real, Bits, x)                                                                               \
    do {                                                                                                             \
        const Real shifted = x * 1.4426950408889634 + 6755399441055744.0, n = shifted - 6755399441055744.0;          \
        const Real r = (x - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10; /* ln 2 in two parts */ \
        Real p = r * (1.0 / 6227020800.0) + 1.0 / 479001600.0;                                                       \
        Bits power; /* without a sign, which digits that are shifted out must not meet */                           \
        p = p * r + 1.0 / 39916800.0;                                                                                \
        p = p * r + 1.0 / 3628800.0;                                                                                 \
        p = p * r + 1.0 / 362880.0;                                                                                  \
        p = p * r + 1.0 / 40320.0;                                                                                   \
        p = p * r + 1.0 / 5040.0;                                                                                    \
        p = p * r + 1.0 / 720.0;                                                                                     \
        p = p * r + 1.0 / 120.0;                                                                                     \
        p = p * r + 1.0 / 24.0;                                                                                      \
        p = p * r + 1.0 / 6.0;                                                                                       \
        p = p * r + 0.5;                                                                                             \
        p = p * r + 1.0;                                                                                             \
        p = p * r + 1.0;                                                                                             \
        memcpy(&power, &shifted, sizeof power);                                                                      \
        power = (Bits)((power + 1023) << 52);                                                                        \
        memcpy(&x, &power, sizeof x);                                                                                \
        x = p * x;                                                                                                   \
    } while (0)

#if defined(__GNUC__)
#define HAS_FOURS /* operations on four numbers at once */
typedef double Four __attribute__((vector_size(32)));
typedef int64_t FourWhole __attribute__((vector_size(32)));
typedef uint64_t FourBits __attribute__((vector_size(32)));
typedef int32_t FourSmall __attribute__((vector_size(16)));
#define CHOICE(yes, a, b) ((Four)(((yes) & (FourWhole)(a)) | (~(yes) & (FourWhole)(b))))
#endif

#define LOOP(name) name##_portable
#define TARGET
#define POPCOUNT count_bits
#define GATHER portable_gather
#include "bitloops.h"
#undef LOOP
#undef TARGET
#undef POPCOUNT
#undef GATHER

#if defined(HAS_LEVELS)
#define LOOP(name) name##_fast
#define TARGET __attribute__((target("popcnt,bmi,bmi2,avx2")))
#define POPCOUNT(x) ((int)__builtin_popcountll(x))
#define GATHER(x, mask) _pext_u64(x, mask)
#include "bitloops.h"
#undef LOOP
#undef TARGET
#undef POPCOUNT
#undef GATHER

/* How many rows of each class pass two tests, by an instruction that counts eight words at once. */
__attribute__((target("avx512f,avx512vpopcntdq"))) static void pair_row_wide(
    const uint64_t* bits, ptrdiff_t stride, const int32_t* start, int n_blocks, ptrdiff_t i, ptrdiff_t first, ptrdiff_t k,
    int32_t* out) {
    for (int c = 0; c < n_blocks; c++) {
        const ptrdiff_t words = start[c + 1] - start[c], whole = words & ~(ptrdiff_t)7;
        const __mmask8 rest = (__mmask8)((1u << (words - whole)) - 1);
        const uint64_t* a = bits + i * stride + start[c];
        const uint64_t* b = bits + first * stride + start[c];
        int32_t* to = out + c * k;
        const __m512i last = _mm512_maskz_loadu_epi64(rest, a + whole);
        for (ptrdiff_t j = first; j < k; j++, b += stride) {
            __m512i count = _mm512_popcnt_epi64(_mm512_and_si512(last, _mm512_maskz_loadu_epi64(rest, b + whole)));
            for (ptrdiff_t w = 0; w < whole; w += 8)
                count = _mm512_add_epi64(
                    count, _mm512_popcnt_epi64(_mm512_and_si512(_mm512_loadu_si512(a + w), _mm512_loadu_si512(b + w))));
            to[j] = (int32_t)_mm512_reduce_add_epi64(count);
        }
    }
}

#define WIDE_FROM 4 /* words of a block, below which the widest registers gain nothing */

#define EITHER(name, arguments) \
    (processor_level >= WITH_AVX2 ? name##_fast arguments : name##_portable arguments)
#else
#define EITHER(name, arguments) name##_portable arguments
#endif

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
#if defined(HAS_LEVELS)
    if (stride > WIDE_FROM * n_blocks && processor_level >= WITH_WIDE_COUNT) {
        pair_row_wide(bits, stride, start, n_blocks, i, first, k, out);
        return;
    }
#endif
    EITHER(pair_row, (bits, stride, start, n_blocks, i, first, k, out));
}

static inline double greatest(const double* logs, const int32_t* times, ptrdiff_t k, int32_t* count) {
    return EITHER(greatest, (logs, times, k, count));
}

static inline double exp_sum(const double* logs, const double* weights, ptrdiff_t k, double most) {
    return EITHER(exp_sum, (logs, weights, k, most));
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
