/* Which cases of a list come first in a column: the innermost loop of release 8's sort.

   In C because the instructions that pack some numbers of several are not on every processor. */

#ifndef CTREE_CASEPLACES_H
#define CTREE_CASEPLACES_H

#include <stddef.h>
#include <stdint.h>

#include "../base/processor.h"

/* The numbers of the list up to a limit, in their order, and where they stand; how many there are. `places` and `found`
   have room for n. */
static ptrdiff_t up_to_portable(const uint32_t* list, ptrdiff_t first, ptrdiff_t n, ptrdiff_t n_found, uint32_t limit,
                                uint32_t* places, uint32_t* found) {
    for (ptrdiff_t i = first; i < n; i++) {
        places[n_found] = (uint32_t)i;
        found[n_found] = list[i];
        n_found += list[i] <= limit;
    }
    return n_found;
}

#if defined(HAS_LEVELS)

/* For each set of eight places, which they are, a byte each. They are looked up, as some processors that have the
   instruction that would find them (pext) take a hundred times as long for it as others. */
static uint64_t places_of[256];

/* To be called when the module is imported. */
static void list_places(void) {
    for (int set = 0; set < 256; set++) {
        uint64_t places = 0;
        int n = 0;
        for (int place = 0; place < 8; place++)
            if (set >> place & 1) places |= (uint64_t)place << (8 * n++);
        places_of[set] = places;
    }
}

/* What is written beyond those that were found is overwritten by the next, and there are never more of them than looked
   at. */
__attribute__((target("avx2,popcnt"))) static ptrdiff_t up_to_fast(
    const uint32_t* list, ptrdiff_t n, uint32_t limit, uint32_t* places, uint32_t* found) {
    const __m256i most = _mm256_set1_epi32((int)limit), step = _mm256_set1_epi32(8);
    __m256i at = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    ptrdiff_t i = 0, n_found = 0;
    for (; i + 8 <= n; i += 8) {
        const __m256i some = _mm256_loadu_si256((const __m256i*)(list + i));
        const __m256i is_low = _mm256_cmpeq_epi32(_mm256_min_epu32(some, most), some);
        const unsigned which = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(is_low));
        const __m256i order = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)places_of[which]));
        _mm256_storeu_si256((__m256i*)(found + n_found), _mm256_permutevar8x32_epi32(some, order));
        _mm256_storeu_si256((__m256i*)(places + n_found), _mm256_permutevar8x32_epi32(at, order));
        n_found += __builtin_popcount(which);
        at = _mm256_add_epi32(at, step);
    }
    return up_to_portable(list, i, n, n_found, limit, places, found);
}

__attribute__((target("avx512f,popcnt"))) static ptrdiff_t up_to_wide(
    const uint32_t* list, ptrdiff_t n, uint32_t limit, uint32_t* places, uint32_t* found) {
    const __m512i most = _mm512_set1_epi32((int)limit), step = _mm512_set1_epi32(16);
    __m512i at = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    ptrdiff_t i = 0, n_found = 0;
    for (; i + 16 <= n; i += 16) {
        const __m512i some = _mm512_loadu_si512(list + i);
        const __mmask16 which = _mm512_cmple_epu32_mask(some, most);
        _mm512_storeu_si512(found + n_found, _mm512_maskz_compress_epi32(which, some));
        _mm512_storeu_si512(places + n_found, _mm512_maskz_compress_epi32(which, at));
        n_found += __builtin_popcount(which);
        at = _mm512_add_epi32(at, step);
    }
    return up_to_portable(list, i, n, n_found, limit, places, found);
}

static inline ptrdiff_t places_up_to(const uint32_t* list, ptrdiff_t n, uint32_t limit, uint32_t* places, uint32_t* found) {
    if (processor_level >= WITH_AVX512) return up_to_wide(list, n, limit, places, found);
    if (processor_level >= WITH_AVX2) return up_to_fast(list, n, limit, places, found);
    return up_to_portable(list, 0, n, 0, limit, places, found);
}

#else

static inline void list_places(void) {}

static inline ptrdiff_t places_up_to(const uint32_t* list, ptrdiff_t n, uint32_t limit, uint32_t* places, uint32_t* found) {
    return up_to_portable(list, 0, n, 0, limit, places, found);
}

#endif

#endif
