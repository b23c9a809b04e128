/* Which cases fail none of several conditions, and which fail only one: the innermost loops of generalising paths.

   They are in C because the instruction that counts bits and wide registers are not on every processor: the loops are
   compiled for any processor and for those that have them, and the processor is asked once. */

#ifndef CTREE_COVERBITS_H
#define CTREE_COVERBITS_H

#include <stddef.h>
#include <stdint.h>

/* Of some cases, each as often as its weight says, all and those whose class is not the rule's. */
typedef struct {
    ptrdiff_t covered;
    ptrdiff_t wrong;
} Count;

/* What is counted. Sets of cases are words of 64; a bit is set where a case fails. */
typedef struct {
    ptrdiff_t n_words;
    const uint64_t* valid_end; /* the bits of the last word that stand for cases */
    const uint64_t* own;       /* the cases of the rule's class */
    const int64_t* weights;    /* of 64 cases a word, NULL if all are 1 */
    const uint64_t* once;      /* the cases that fail one of the first conditions, and those that fail two of them */
    const uint64_t* twice;     /* NULL if there are none */
    const uint64_t* const* fails; /* the sets of all conditions */
    int n;                     /* so many */
    int n_first;               /* so many are the first ones */
    Count* without;            /* [n] for each condition: the cases that fail it alone */
    Count all;                 /* the cases that fail none */
    int32_t* words;            /* [n_words + 8] the words with such cases, and their bits; n_found of them */
    uint64_t* bits;
    uint64_t* alone;           /* scratch: those that fail one */
    ptrdiff_t n_found;
} Near;

static inline int portable_count(uint64_t x) {
    x -= (x >> 1) & 0x5555555555555555ull;
    x = (x & 0x3333333333333333ull) + ((x >> 2) & 0x3333333333333333ull);
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Full;
    return (int)((x * 0x0101010101010101ull) >> 56);
}

static inline int lowest_case(uint64_t x) { /* x is not 0 */
#if defined(__GNUC__)
    return __builtin_ctzll(x);
#else
    return portable_count((x & (0 - x)) - 1);
#endif
}

static inline void count_weighted(uint64_t x, uint64_t own, const int64_t* weights, Count* to) {
    for (; x; x &= x - 1) {
        const int64_t weight = weights[lowest_case(x)];
        to->covered += weight;
        if (!(own >> lowest_case(x) & 1)) to->wrong += weight;
    }
}

/* A word of cases that do not all fail two conditions. The next one takes its place otherwise: no jump that nobody could
   foresee. */
static inline ptrdiff_t found_word(Near* near, ptrdiff_t found, ptrdiff_t w, uint64_t once, uint64_t twice) {
    near->words[found] = (int32_t)w;
    near->bits[found] = ~once;
    near->alone[found] = once & ~twice;
    return found + (twice != ~0ull);
}

/* The words from one on, of which some cases do not fail two conditions: which of these fail none, and which fail one. */
static inline ptrdiff_t find_words(Near* near, ptrdiff_t w, ptrdiff_t found) {
    for (; w < near->n_words; w++) {
        uint64_t once = near->once[w], twice = near->twice[w];
        for (int d = near->n_first; d < near->n; d++) {
            twice |= once & near->fails[d][w];
            once |= near->fails[d][w];
        }
        found = found_word(near, found, w, once, twice);
    }
    return found;
}

static ptrdiff_t find_near_portable(Near* near) { return find_words(near, 0, 0); }

#define LOOP(name) name##_portable
#define TARGET
#define POPCOUNT portable_count
#define COUNT_EIGHTS(near, fails, found, count) 0
#include "coverloops.h"
#undef LOOP
#undef TARGET
#undef POPCOUNT
#undef COUNT_EIGHTS

#if defined(__GNUC__) && defined(__x86_64__)
#include <immintrin.h>

#define FAST __attribute__((target("popcnt,bmi,avx2")))
#define WIDE __attribute__((target("popcnt,bmi,avx2,avx512f,avx512vpopcntdq")))

/* Eight words at a time; most of them have only cases that fail two conditions. */
static FAST ptrdiff_t find_near_fast(Near* near) {
    const __m256i ones = _mm256_set1_epi64x(-1);
    ptrdiff_t w = 0, found = 0;
    for (; w + 8 <= near->n_words; w += 8) {
        __m256i once[2], twice[2];
        for (int i = 0; i < 2; i++) {
            once[i] = _mm256_loadu_si256((const __m256i*)(near->once + w) + i);
            twice[i] = _mm256_loadu_si256((const __m256i*)(near->twice + w) + i);
        }
        for (int d = near->n_first; d < near->n; d++)
            for (int i = 0; i < 2; i++) {
                const __m256i fails = _mm256_loadu_si256((const __m256i*)(near->fails[d] + w) + i);
                twice[i] = _mm256_or_si256(twice[i], _mm256_and_si256(once[i], fails));
                once[i] = _mm256_or_si256(once[i], fails);
            }
        if (_mm256_testc_si256(_mm256_and_si256(twice[0], twice[1]), ones)) continue;
        uint64_t each_once[8], each_twice[8];
        for (int i = 0; i < 2; i++) {
            _mm256_storeu_si256((__m256i*)each_once + i, once[i]);
            _mm256_storeu_si256((__m256i*)each_twice + i, twice[i]);
        }
        for (int i = 0; i < 8; i++) found = found_word(near, found, w + i, each_once[i], each_twice[i]);
    }
    return find_words(near, w, found);
}

#define LOOP(name) name##_fast
#define TARGET FAST
#define POPCOUNT(x) ((int)__builtin_popcountll(x))
#define COUNT_EIGHTS(near, fails, found, count) 0
#include "coverloops.h"
#undef LOOP
#undef TARGET
#undef COUNT_EIGHTS

static WIDE ptrdiff_t find_near_wide(Near* near) {
    const __m512i ones = _mm512_set1_epi64(-1);
    const __m256i places = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    ptrdiff_t w = 0, found = 0;
    for (; w + 8 <= near->n_words; w += 8) {
        __m512i once = _mm512_loadu_si512(near->once + w), twice = _mm512_loadu_si512(near->twice + w);
        for (int d = near->n_first; d < near->n; d++) {
            const __m512i fails = _mm512_loadu_si512(near->fails[d] + w);
            twice = _mm512_or_si512(twice, _mm512_and_si512(once, fails));
            once = _mm512_or_si512(once, fails);
        }
        const __mmask8 some = _mm512_cmpneq_epi64_mask(twice, ones);
        if (!some) continue;
        const __m256i words = _mm256_add_epi32(_mm256_set1_epi32((int32_t)w), places);
        const __m512i packed = _mm512_maskz_compress_epi32((__mmask16)some, _mm512_castsi256_si512(words));
        _mm256_storeu_si256((__m256i*)(near->words + found), _mm512_castsi512_si256(packed));
        _mm512_storeu_si512(near->bits + found, _mm512_maskz_compress_epi64(some, _mm512_xor_si512(once, ones)));
        _mm512_storeu_si512(near->alone + found, _mm512_maskz_compress_epi64(some, _mm512_andnot_si512(twice, once)));
        found += __builtin_popcount(some);
    }
    return find_words(near, w, found);
}

/* Of the first words, a multiple of eight, which is returned. */
static inline WIDE ptrdiff_t count_eights(const Near* near, const uint64_t* fails, ptrdiff_t found, Count* count) {
    __m512i covered = _mm512_setzero_si512(), wrong = covered;
    ptrdiff_t i = 0;
    for (; i + 8 <= found; i += 8) {
        const __m256i words = _mm256_loadu_si256((const __m256i*)(near->words + i));
        const __m512i x = _mm512_and_si512(_mm512_loadu_si512(near->alone + i), _mm512_i32gather_epi64(words, fails, 8));
        covered = _mm512_add_epi64(covered, _mm512_popcnt_epi64(x));
        wrong = _mm512_add_epi64(
            wrong, _mm512_popcnt_epi64(_mm512_andnot_si512(_mm512_i32gather_epi64(words, near->own, 8), x)));
    }
    count->covered += _mm512_reduce_add_epi64(covered);
    count->wrong += _mm512_reduce_add_epi64(wrong);
    return i;
}

#define LOOP(name) name##_wide
#define TARGET WIDE
#define COUNT_EIGHTS count_eights
#include "coverloops.h"
#undef LOOP
#undef TARGET
#undef POPCOUNT
#undef COUNT_EIGHTS

static int fast_covers = -1; /* until the processor is asked; 1: AVX2, 2: also what counts eight words at once */

static inline int has_fast_covers(void) {
    if (fast_covers < 0) {
        fast_covers = __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("avx2");
        if (fast_covers && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vpopcntdq"))
            fast_covers = 2;
    }
    return fast_covers;
}

#define EITHER(name, arguments) \
    (has_fast_covers() > 1 ? name##_wide arguments : has_fast_covers() ? name##_fast arguments : name##_portable arguments)
#else
static int fast_covers = 0;
static inline int has_fast_covers(void) { return fast_covers = 0; }
#define EITHER(name, arguments) name##_portable arguments
#endif

/* Use at most what this level has, for tests. */
static inline void switch_fast_covers(int most) {
    fast_covers = -1;
    if (has_fast_covers() > most) fast_covers = most;
}

static inline void add_fails(const uint64_t* fails, const uint64_t* once, const uint64_t* twice, ptrdiff_t n,
                             uint64_t* next_once, uint64_t* next_twice) {
    EITHER(add_fails, (fails, once, twice, n, next_once, next_twice));
}

static inline void count_near(Near* near) { EITHER(count_near, (near)); }

#endif
