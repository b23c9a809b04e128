/* Which cases fail none of several conditions, and which fail only one: the innermost loops of generalising paths.

   They are in C because the instruction that counts bits and wide registers are not on every processor. */

#ifndef CTREE_COVERBITS_H
#define CTREE_COVERBITS_H

#include <stddef.h>
#include <stdint.h>

#include "../base/bits.h"
#include "../base/processor.h"

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
    const uint64_t* twice;
    const int32_t* open;       /* [n_open] where blocks of eight words begin in which some case does not fail two of them */
    ptrdiff_t n_open;
    const uint64_t* const* fails; /* the sets of all conditions */
    int n;                     /* so many */
    int n_first;               /* so many are the first ones */
    Count* without;            /* [n] for each condition: the cases that fail it alone */
    Count all;                 /* the cases that fail none */
    int32_t* words;            /* [n_words + 8] the words with such cases, and their bits; n_found of them */
    uint64_t* bits;
    uint64_t* alone;           /* [n_words + 8] scratch: those that fail one, and those of another class among them */
    uint64_t* alone_wrong;
    int32_t* blocks;           /* [n_words / 8 + 1] scratch */
    ptrdiff_t n_found;
} Near;

static inline void count_weighted(uint64_t x, uint64_t own, const int64_t* weights, Count* to) {
    for (; x; x &= x - 1) {
        const int64_t weight = weights[lowest_bit(x)];
        to->covered += weight;
        if (!(own >> lowest_bit(x) & 1)) to->wrong += weight;
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

/* Of a block those words of which some cases do not fail two conditions: which of these fail none, and which fail one. */
static inline ptrdiff_t find_in_block(Near* near, ptrdiff_t w, ptrdiff_t found) {
    const ptrdiff_t end = w + 8 < near->n_words ? w + 8 : near->n_words;
    for (; w < end; w++) {
        uint64_t once = near->once[w], twice = near->twice[w];
        for (int d = near->n_first; d < near->n; d++) {
            twice |= once & near->fails[d][w];
            once |= near->fails[d][w];
        }
        found = found_word(near, found, w, once, twice);
    }
    return found;
}

static ptrdiff_t find_near_portable(Near* near) {
    ptrdiff_t found = 0;
    for (ptrdiff_t i = 0; i < near->n_open; i++) found = find_in_block(near, near->open[i], found);
    return found;
}

#define LOOP(name) name##_portable
#define TARGET
#define POPCOUNT count_bits
#include "coverloops.h"
#undef LOOP
#undef TARGET
#undef POPCOUNT

#if defined(HAS_LEVELS)

#define FAST __attribute__((target("popcnt,bmi,avx2")))
#define WIDE __attribute__((target("popcnt,bmi,avx2,avx512f,avx512vpopcntdq")))

/* Eight words at a time; most of them have only cases that fail two conditions. */
static FAST ptrdiff_t find_near_fast(Near* near) {
    const __m256i ones = _mm256_set1_epi64x(-1);
    ptrdiff_t found = 0;
    for (ptrdiff_t k = 0; k < near->n_open; k++) {
        const ptrdiff_t w = near->open[k];
        if (w + 8 > near->n_words) return find_in_block(near, w, found);
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
    return found;
}

#define LOOP(name) name##_fast
#define TARGET FAST
#define POPCOUNT(x) ((int)__builtin_popcountll(x))
#include "coverloops.h"
#undef LOOP
#undef TARGET

/* Eight words at a time, which stay together, so that no word has to be looked up by its number. */
typedef struct {
    __m512i covered, wrong;
    ptrdiff_t n;
} Blocks;

/* The words from one on of which a bit each is in `those`, and their cases in `valid`. */
static inline WIDE void add_block_wide(Near* near, ptrdiff_t w, __mmask8 those, __m512i valid, Blocks* to) {
    __m512i once = _mm512_maskz_loadu_epi64(those, near->once + w);
    __m512i twice = _mm512_maskz_loadu_epi64(those, near->twice + w);
    for (int d = near->n_first; d < near->n; d++) {
        const __m512i fails = _mm512_maskz_loadu_epi64(those, near->fails[d] + w);
        twice = _mm512_or_si512(twice, _mm512_and_si512(once, fails));
        once = _mm512_or_si512(once, fails);
    }
    if (!_mm512_mask_cmpneq_epi64_mask(those, _mm512_and_si512(twice, valid), valid)) return;
    const __m512i own = _mm512_maskz_loadu_epi64(those, near->own + w);
    const __m512i bits = _mm512_andnot_si512(once, valid);
    const __m512i alone = _mm512_and_si512(_mm512_andnot_si512(twice, once), valid);
    near->blocks[to->n] = (int32_t)w;
    _mm512_storeu_si512(near->bits + 8 * to->n, bits);
    _mm512_storeu_si512(near->alone + 8 * to->n, alone);
    _mm512_storeu_si512(near->alone_wrong + 8 * to->n, _mm512_andnot_si512(own, alone));
    to->covered = _mm512_add_epi64(to->covered, _mm512_popcnt_epi64(bits));
    to->wrong = _mm512_add_epi64(to->wrong, _mm512_popcnt_epi64(_mm512_andnot_si512(own, bits)));
    to->n++;
}

/* The cases that fail this condition alone. */
static inline WIDE void count_alone_wide(const Near* near, const uint64_t* fails, ptrdiff_t whole, ptrdiff_t n,
                                         __mmask8 rest, Count* count) {
    __m512i covered = _mm512_setzero_si512(), wrong = covered;
    for (ptrdiff_t i = 0; i < n; i++) {
        const __m512i x = i < whole ? _mm512_loadu_si512(fails + near->blocks[i])
                                    : _mm512_maskz_loadu_epi64(rest, fails + near->blocks[i]);
        const __m512i all = _mm512_and_si512(x, _mm512_loadu_si512(near->alone + 8 * i));
        covered = _mm512_add_epi64(covered, _mm512_popcnt_epi64(all));
        wrong = _mm512_add_epi64(
            wrong, _mm512_popcnt_epi64(_mm512_and_si512(x, _mm512_loadu_si512(near->alone_wrong + 8 * i))));
    }
    count->covered = _mm512_reduce_add_epi64(covered);
    count->wrong = _mm512_reduce_add_epi64(wrong);
}

static WIDE void count_near_wide(Near* near) {
    const __m512i ones = _mm512_set1_epi64(-1);
    const __m256i places = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const ptrdiff_t last = (near->n_words - 1) & ~(ptrdiff_t)7;
    const __mmask8 rest = (__mmask8)(0xFF >> (7 - (near->n_words - 1 - last)));
    if (near->weights || !near->n_words) {
        count_near_fast(near);
        return;
    }
    Blocks blocks = {_mm512_setzero_si512(), _mm512_setzero_si512(), 0};
    const int with_last = near->n_open && near->open[near->n_open - 1] == last;
    for (ptrdiff_t i = 0; i < near->n_open - with_last; i++) add_block_wide(near, near->open[i], 0xFF, ones, &blocks);
    const ptrdiff_t whole = blocks.n;
    const __m512i valid = _mm512_mask_set1_epi64(_mm512_maskz_set1_epi64(rest, -1), (__mmask8)(rest ^ (rest >> 1)),
                                                 (long long)*near->valid_end);
    if (with_last) add_block_wide(near, last, rest, valid, &blocks);
    for (int d = 0; d < near->n; d++)
        count_alone_wide(near, near->fails[d], whole, blocks.n, rest, &near->without[d]);
    near->all.covered = _mm512_reduce_add_epi64(blocks.covered);
    near->all.wrong = _mm512_reduce_add_epi64(blocks.wrong);
    ptrdiff_t kept = 0;
    for (ptrdiff_t i = 0; i < blocks.n; i++) {
        const __m512i bits = _mm512_loadu_si512(near->bits + 8 * i);
        const __mmask8 some = _mm512_test_epi64_mask(bits, bits);
        if (!some) continue;
        const __m256i words = _mm256_add_epi32(_mm256_set1_epi32(near->blocks[i]), places);
        const __m512i packed = _mm512_maskz_compress_epi32((__mmask16)some, _mm512_castsi256_si512(words));
        _mm256_storeu_si256((__m256i*)(near->words + kept), _mm512_castsi512_si256(packed));
        _mm512_storeu_si512(near->bits + kept, _mm512_maskz_compress_epi64(some, bits));
        kept += __builtin_popcount(some);
    }
    near->n_found = kept;
}

/* Only `add_fails`; `count_near_wide` is above. */
#define LOOP(name) name##_wide
#define TARGET WIDE
#define ONLY_FAILS
#include "coverloops.h"
#undef LOOP
#undef TARGET
#undef POPCOUNT
#undef ONLY_FAILS

#define EITHER(name, arguments)                               \
    (processor_level >= WITH_WIDE_COUNT ? name##_wide arguments \
     : processor_level >= WITH_AVX2     ? name##_fast arguments \
                                        : name##_portable arguments)
#else
#define EITHER(name, arguments) name##_portable arguments
#endif

static inline ptrdiff_t add_fails(const uint64_t* fails, const uint64_t* once, const uint64_t* twice, ptrdiff_t n,
                                  const int32_t* open, ptrdiff_t n_open, uint64_t* next_once, uint64_t* next_twice,
                                  int32_t* next_open) {
    return EITHER(add_fails, (fails, once, twice, n, open, n_open, next_once, next_twice, next_open));
}

static inline void count_near(Near* near) { EITHER(count_near, (near)); }

#undef EITHER
#undef FAST
#undef WIDE

#endif
