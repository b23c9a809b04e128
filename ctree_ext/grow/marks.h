/* Scores of many divisions at once, in 32 bits: only ever used to rule tests out, never to choose one. The loops are
   simple enough for the compiler to take several numbers at a time; arrays have room for a multiple of four. */

#include <stddef.h>
#include <stdint.h>

#define CTREE_MARKED_CLASSES 8   /* with more, marks take too long */

static inline float ctree_short_log2(float x) {
    /* Off by less than 3e-7, and by that times the logarithm. The mantissa is taken to lie around 1. */
    union { float f; int32_t i; } bits;
    int32_t above, exponent;
    float s, square;
    bits.f = x;
    above = bits.i - 0x3F3504F3;
    exponent = above >> 23;
    bits.i = (above & 0x7FFFFF) + 0x3F3504F3;
    s = (bits.f - 1.0f) / (bits.f + 1.0f);
    square = s * s;
    return (float) exponent
        + s * (2.885390082f + square * (0.961796694f + square * (0.577078016f + square * 0.412198583f)));
}

#define CTREE_SHORT_LN2 0.693147181f

static void ctree_gain_terms(const float* x, ptrdiff_t fours, float* out) {
    for (ptrdiff_t k = 0; k < 4 * fours; k++) out[k] = x[k] * ctree_short_log2(x[k]);
}

/* ln of the gamma function of x + alpha, by Stirling's series of x + alpha + 4. */
static void ctree_gamma_terms(const float* x, ptrdiff_t fours, float alpha, float at_alpha, float* out) {
    for (ptrdiff_t k = 0; k < 4 * fours; k++) {
        const float y = x[k] + alpha, z = y + 4.0f, inverse = 1.0f / z;
        const float product = y * (y + 1.0f) * ((y + 2.0f) * (y + 3.0f));
        out[k] = CTREE_SHORT_LN2 * ((z - 0.5f) * ctree_short_log2(z) - ctree_short_log2(product)) - z + 0.918938533f
            + inverse * (1.0f / 12 - inverse * inverse * (1.0f / 360)) - at_alpha;
    }
}

static void ctree_gain_slopes(const float* x, ptrdiff_t fours, float* out) {
    for (ptrdiff_t k = 0; k < 4 * fours; k++) out[k] = ctree_short_log2(x[k]);
}

static void ctree_gamma_slopes(const float* x, ptrdiff_t fours, float alpha, float* out) {
    for (ptrdiff_t k = 0; k < 4 * fours; k++) {
        const float y = x[k] + alpha, z = y + 4.0f, inverse = 1.0f / z;
        const float product = y * (y + 1.0f) * ((y + 2.0f) * (y + 3.0f));
        const float rise = ((4.0f * y + 18.0f) * y + 22.0f) * y + 6.0f;
        out[k] = CTREE_SHORT_LN2 * ctree_short_log2(z)
            - inverse * (0.5f + inverse * (1.0f / 12 - inverse * inverse * (1.0f / 120))) - rise / product;
    }
}

static void ctree_add(float* to, const float* x, ptrdiff_t fours) {
    for (ptrdiff_t k = 0; k < 4 * fours; k++) to[k] += x[k];
}

static void ctree_subtract(float* to, const float* x, ptrdiff_t fours) {
    for (ptrdiff_t k = 0; k < 4 * fours; k++) to[k] -= x[k];
}

/* To a bound between each number and the next: the greater of both ends, less the slope times what is below. */
static void ctree_add_greater(float* bound, const float* part, const float* below, const float* slope,
                              ptrdiff_t fours) {
    for (ptrdiff_t k = 0; k < 4 * fours; k++) {
        const float left = part[k] - slope[k] * below[k], right = part[k + 1] - slope[k] * below[k + 1];
        bound[k] += left > right ? left : right;
    }
}

/* Marks in a sorted column: of an entry the first half is its rank, the second its row; `lanes` has by row, for each
   class, how many units the case counts. A mark lies between different values, `apart` cases or more behind the last;
   the last one behind all cases. At each: how many cases are below, and the units of every class. */
static inline ptrdiff_t ctree_marks_of(const int32_t* entries, ptrdiff_t n, const int64_t* lanes, const int C,
                                       ptrdiff_t apart, uint32_t class_mask, int32_t* places, int64_t* sums) {
    int64_t first = 0, second = 0, third = 0, fourth = 0, more[CTREE_MARKED_CLASSES] = {0};
    ptrdiff_t i = 0, k = 0;
    for (int c = 0; c < C; c++) sums[c] = 0;
    places[0] = 0;
    while (i < n) {
        ptrdiff_t end = i + apart;
        if (end > n) end = n;
        while (end < n && ((uint32_t) entries[2 * end] ^ (uint32_t) entries[2 * end - 2]) <= class_mask) end++;
        for (; i < end; i++) {
            const int64_t* lane = lanes + (ptrdiff_t) entries[2 * i + 1] * C;
            first += lane[0];
            second += lane[1];
            if (C > 2) third += lane[2];
            if (C > 3) fourth += lane[3];
            for (int c = 4; c < C; c++) more[c] += lane[c];
        }
        k++;
        places[k] = (int32_t) i;
        sums += C;
        sums[0] = first;
        sums[1] = second;
        if (C > 2) sums[2] = third;
        if (C > 3) sums[3] = fourth;
        for (int c = 4; c < C; c++) sums[c] = more[c];
    }
    return k;
}

static ptrdiff_t ctree_lay_marks(const void* order, ptrdiff_t n, const int64_t* lanes, int C, ptrdiff_t apart,
                                 uint32_t class_mask, int32_t* places, int64_t* sums) {
    const int32_t* entries = (const int32_t*) order;
    if (C == 2) return ctree_marks_of(entries, n, lanes, 2, apart, class_mask, places, sums);
    if (C == 3) return ctree_marks_of(entries, n, lanes, 3, apart, class_mask, places, sums);
    if (C == 4) return ctree_marks_of(entries, n, lanes, 4, apart, class_mask, places, sums);
    return ctree_marks_of(entries, n, lanes, C, apart, class_mask, places, sums);
}
