/* What many changes would save at most, and which of them save enough: two loops over arrays.

   As in coverbits.h, in C for the sake of wide registers, which are not on every processor. */

#ifndef CTREE_SAVINGLOOPS_H
#define CTREE_SAVINGLOOPS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/processor.h"

/* What was estimated once, at most, after so many cases have come or gone; INFINITY where it cannot be told any more, and
   whether there are such. The greatest of the others is returned. */
static double most_now_portable(const double* estimate, const double* drift, const double* until, ptrdiff_t n,
                                double moved, double* most, int* any_late) {
    double greatest = -INFINITY;
    for (ptrdiff_t i = 0; i < n; i++) {
        if (moved > until[i]) {
            most[i] = INFINITY;
            *any_late = 1;
            continue;
        }
        most[i] = estimate[i] + drift[i] * moved;
        if (most[i] > greatest) greatest = most[i];
    }
    return greatest;
}

/* The places of numbers that are at least so great; how many there are is returned. */
static ptrdiff_t at_least_portable(const double* numbers, ptrdiff_t n, double least, int32_t* places) {
    ptrdiff_t found = 0;
    for (ptrdiff_t i = 0; i < n; i++)
        if (numbers[i] >= least) places[found++] = (int32_t)i;
    return found;
}

#if defined(HAS_LEVELS)

__attribute__((target("avx2"))) static double most_now_fast(const double* estimate, const double* drift,
                                                            const double* until, ptrdiff_t n, double moved,
                                                            double* most, int* any_late) {
    const __m256d by = _mm256_set1_pd(moved), beyond = _mm256_set1_pd(INFINITY), below = _mm256_set1_pd(-INFINITY);
    __m256d all = below, late_ones = _mm256_setzero_pd();
    ptrdiff_t i = 0;
    for (; i + 4 <= n; i += 4) {
        const __m256d late = _mm256_cmp_pd(by, _mm256_loadu_pd(until + i), _CMP_GT_OQ);
        const __m256d x = _mm256_add_pd(_mm256_loadu_pd(estimate + i), _mm256_mul_pd(_mm256_loadu_pd(drift + i), by));
        _mm256_storeu_pd(most + i, _mm256_blendv_pd(x, beyond, late));
        all = _mm256_max_pd(all, _mm256_blendv_pd(x, below, late));
        late_ones = _mm256_or_pd(late_ones, late);
    }
    double each[4], greatest = most_now_portable(estimate + i, drift + i, until + i, n - i, moved, most + i, any_late);
    if (_mm256_movemask_pd(late_ones)) *any_late = 1;
    _mm256_storeu_pd(each, all);
    for (int k = 0; k < 4; k++)
        if (each[k] > greatest) greatest = each[k];
    return greatest;
}

__attribute__((target("avx2"))) static ptrdiff_t at_least_fast(const double* numbers, ptrdiff_t n, double least,
                                                               int32_t* places) {
    const __m256d bound = _mm256_set1_pd(least);
    ptrdiff_t found = 0, i = 0;
    for (; i + 4 <= n; i += 4) {
        int which = _mm256_movemask_pd(_mm256_cmp_pd(_mm256_loadu_pd(numbers + i), bound, _CMP_GE_OQ));
        for (; which; which &= which - 1) places[found++] = (int32_t)(i + __builtin_ctz((unsigned)which));
    }
    for (; i < n; i++)
        if (numbers[i] >= least) places[found++] = (int32_t)i;
    return found;
}

#define EITHER(name, arguments) \
    (processor_level >= WITH_AVX2 ? name##_fast arguments : name##_portable arguments)
#else
#define EITHER(name, arguments) name##_portable arguments
#endif

static inline double most_now(const double* estimate, const double* drift, const double* until, ptrdiff_t n, double moved,
                              double* most, int* any_late) {
    return EITHER(most_now, (estimate, drift, until, n, moved, most, any_late));
}

static inline ptrdiff_t at_least(const double* numbers, ptrdiff_t n, double least, int32_t* places) {
    return EITHER(at_least, (numbers, n, least, places));
}

#undef EITHER
#endif
