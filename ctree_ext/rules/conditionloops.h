/* Which cases fail a condition, a bit each: 64 cases of a column become a word.

   As in coverbits.h, in C because the instructions that make bits of comparisons are not on every processor. A number
   that is unknown (NaN) fails both a condition "at most" and a condition "above". */

#ifndef CTREE_CONDITIONLOOPS_H
#define CTREE_CONDITIONLOOPS_H

#include <stddef.h>
#include <stdint.h>

#include "../base/processor.h"

#define EACH_CASE(fails)                                                              \
    for (ptrdiff_t w = 0; 64 * w < n; w++) {                                          \
        const ptrdiff_t first = 64 * w, end = n - first < 64 ? n - first : 64;        \
        uint64_t word = 0;                                                            \
        for (ptrdiff_t i = 0; i < end; i++) word |= (uint64_t)(fails) << i;           \
        words[w] = word;                                                              \
    }

static void not_in_group(const int32_t* codes, const int32_t* groups, int32_t group, ptrdiff_t n, uint64_t* words) {
    EACH_CASE(codes[first + i] < 0 || groups[codes[first + i]] != group)
}

static void not_value(const int32_t* codes, int32_t value, ptrdiff_t n, uint64_t* words) {
    EACH_CASE(codes[first + i] != value)
}

static void singles_beyond_portable(const float* values, float cut, int above, ptrdiff_t n, uint64_t* words) {
    if (above)
        EACH_CASE(!(values[first + i] > cut))
    else
        EACH_CASE(!(values[first + i] <= cut))
}

static void doubles_beyond(const double* values, double cut, int above, ptrdiff_t n, uint64_t* words) {
    if (above)
        EACH_CASE(!(values[first + i] > cut))
    else
        EACH_CASE(!(values[first + i] <= cut))
}

#undef EACH_CASE

#if defined(HAS_LEVELS)

#define WORDS_OF(compared, bits)                                                                            \
    for (ptrdiff_t w = 0; 64 * w + 64 <= n; w++) {                                                          \
        const float* of = values + 64 * w;                                                                  \
        uint64_t word = 0;                                                                                  \
        for (int i = 0; i < 64; i += bits) word |= (uint64_t)(compared) << i;                               \
        words[w] = word;                                                                                    \
    }

__attribute__((target("avx2"))) static void singles_beyond_fast(
    const float* values, float cut, int above, ptrdiff_t n, uint64_t* words) {
    const __m256 at = _mm256_set1_ps(cut);
    if (above)
        WORDS_OF((uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(of + i), at, _CMP_NGT_UQ)), 8)
    else
        WORDS_OF((uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(of + i), at, _CMP_NLE_UQ)), 8)
}

__attribute__((target("avx512f"))) static void singles_beyond_wide(
    const float* values, float cut, int above, ptrdiff_t n, uint64_t* words) {
    const __m512 at = _mm512_set1_ps(cut);
    if (above)
        WORDS_OF(_mm512_cmp_ps_mask(_mm512_loadu_ps(of + i), at, _CMP_NGT_UQ), 16)
    else
        WORDS_OF(_mm512_cmp_ps_mask(_mm512_loadu_ps(of + i), at, _CMP_NLE_UQ), 16)
}
#undef WORDS_OF

/* The cases that fail "at most the cut", or with `above` those that fail "above the cut". */
static inline void singles_beyond(const float* values, float cut, int above, ptrdiff_t n, uint64_t* words) {
    const ptrdiff_t whole = processor_level >= WITH_AVX2 ? n & ~(ptrdiff_t)63 : 0;
    if (processor_level >= WITH_AVX512)
        singles_beyond_wide(values, cut, above, whole, words);
    else if (processor_level >= WITH_AVX2)
        singles_beyond_fast(values, cut, above, whole, words);
    singles_beyond_portable(values + whole, cut, above, n - whole, words + whole / 64);
}
#else
static inline void singles_beyond(const float* values, float cut, int above, ptrdiff_t n, uint64_t* words) {
    singles_beyond_portable(values, cut, above, n, words);
}
#endif

#endif
