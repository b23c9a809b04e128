/* Which of the instructions that not every processor has may be used.

   Some loops are compiled for any processor and once more for those that can do more; `processor_level` says which of
   them is to run. The results are the same to the last bit. */

#ifndef CTREE_PROCESSOR_H
#define CTREE_PROCESSOR_H

/* Each level has what those before it have. */
enum {
    ANY_PROCESSOR,
    WITH_AVX2,      /* four or eight numbers at once; also popcnt, bmi and bmi2, which count, find and gather bits */
    WITH_AVX512,    /* eight or sixteen numbers at once */
    WITH_WIDE_COUNT /* counts the bits of eight words at once: avx512vpopcntdq */
};

/* Each module that includes this has its own, which is quicker to look at than one for all. It is set when the module is
   imported: ctree_ext/base/processor.pyx. */
static int processor_level = ANY_PROCESSOR;

static inline int* own_level(void) { return &processor_level; }

#if defined(__GNUC__) && defined(__x86_64__)
#define HAS_LEVELS
#include <immintrin.h>

static inline int greatest_level(void) {
    if (!(__builtin_cpu_supports("popcnt") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
          __builtin_cpu_supports("avx2")))
        return ANY_PROCESSOR;
    if (!__builtin_cpu_supports("avx512f")) return WITH_AVX2;
    return __builtin_cpu_supports("avx512vpopcntdq") ? WITH_WIDE_COUNT : WITH_AVX512;
}
#else
static inline int greatest_level(void) { return ANY_PROCESSOR; }
#endif

#endif
