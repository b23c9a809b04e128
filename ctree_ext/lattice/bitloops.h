/* The loops of bitblocks.h, compiled once for each kind of processor: LOOP names them, TARGET says for which.

   Of two tests i and j, "quadrant" 0 is the rows that pass both, 1 those that pass i alone, 2 those that pass j alone,
   3 those that pass neither. Arrays of quadrants have k entries each, one a test j, of which `first` to k are used. */

static TARGET int LOOP(count_words)(const uint64_t* a, ptrdiff_t n) {
    int count = 0;
    for (ptrdiff_t w = 0; w < n; w++) count += POPCOUNT(a[w]);
    return count;
}

static TARGET int LOOP(count_and)(const uint64_t* a, const uint64_t* b, ptrdiff_t n) {
    int count = 0;
    for (ptrdiff_t w = 0; w < n; w++) count += POPCOUNT(a[w] & b[w]);
    return count;
}

static TARGET int LOOP(count_and_not)(const uint64_t* a, const uint64_t* b, ptrdiff_t n) {
    int count = 0;
    for (ptrdiff_t w = 0; w < n; w++) count += POPCOUNT(a[w] & ~b[w]);
    return count;
}

/* The bits that two sets share, and how many of them are in each block. */
static TARGET int32_t LOOP(and_blocks)(const uint64_t* a, const uint64_t* b, const int32_t* start, int n_blocks,
                                       uint64_t* out, int32_t* counts) {
    int32_t total = 0;
    for (int c = 0; c < n_blocks; c++) {
        int32_t count = 0, other = 0;
        ptrdiff_t w = start[c];
        const ptrdiff_t end = start[c + 1];
        for (; w + 1 < end; w += 2) {
            const uint64_t x = a[w] & b[w], y = a[w + 1] & b[w + 1];
            out[w] = x;
            out[w + 1] = y;
            count += POPCOUNT(x);
            other += POPCOUNT(y);
        }
        if (w < end) {
            out[w] = a[w] & b[w];
            count += POPCOUNT(out[w]);
        }
        counts[c] = count + other;
        total += count + other;
    }
    return total;
}

/* The bits of one block at the places in the mask, moved together; n_to words are written. */
static TARGET void LOOP(gather_block)(const uint64_t* from, const uint64_t* mask, ptrdiff_t n, uint64_t* to,
                                      ptrdiff_t n_to) {
    uint64_t word = 0;
    int filled = 0;
    ptrdiff_t at = 0;
    for (ptrdiff_t w = 0; w < n; w++) {
        int size;
        uint64_t taken;
        if (!mask[w]) continue;
        taken = GATHER(from[w], mask[w]);
        size = POPCOUNT(mask[w]);
        word |= taken << filled;
        if (filled + size >= 64) {
            to[at++] = word;
            word = filled ? taken >> (64 - filled) : 0;
            filled -= 64;
        }
        filled += size;
    }
    if (at < n_to) to[at++] = word;
    for (; at < n_to; at++) to[at] = 0;
}

/* How many rows of each class pass both test i and each test j from `first` on: out[c * k + j]. */
static TARGET void LOOP(pair_row)(const uint64_t* bits, ptrdiff_t stride, const int32_t* start, int n_blocks,
                                  ptrdiff_t i, ptrdiff_t first, ptrdiff_t k, int32_t* out) {
    for (int c = 0; c < n_blocks; c++) {
        const ptrdiff_t words = start[c + 1] - start[c];
        const uint64_t* a = bits + i * stride + start[c];
        const uint64_t* b = bits + first * stride + start[c];
        int32_t* to = out + c * k;
        ptrdiff_t j = first;
        if (words == 1) {
            const uint64_t a0 = a[0];
            for (; j < k; j++, b += stride) to[j] = POPCOUNT(a0 & b[0]);
        } else if (words == 2) {
            const uint64_t a0 = a[0], a1 = a[1];
            for (; j < k; j++, b += stride) to[j] = POPCOUNT(a0 & b[0]) + POPCOUNT(a1 & b[1]);
        } else if (words == 3) {
            const uint64_t a0 = a[0], a1 = a[1], a2 = a[2];
            for (; j < k; j++, b += stride)
                to[j] = POPCOUNT(a0 & b[0]) + POPCOUNT(a1 & b[1]) + POPCOUNT(a2 & b[2]);
        } else if (words == 4) {
            const uint64_t a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
            for (; j < k; j++, b += stride)
                to[j] = POPCOUNT(a0 & b[0]) + POPCOUNT(a1 & b[1]) + POPCOUNT(a2 & b[2]) + POPCOUNT(a3 & b[3]);
        } else {
            for (; j < k; j++, b += stride) {
                int32_t count = 0, other = 0;
                ptrdiff_t w = 0;
                for (; w + 1 < words; w += 2) {
                    count += POPCOUNT(a[w] & b[w]);
                    other += POPCOUNT(a[w + 1] & b[w + 1]);
                }
                if (w < words) count += POPCOUNT(a[w] & b[w]);
                to[j] = count + other;
            }
        }
    }
}

/* Of some logarithms the greatest, and how many tests have one that is finite (times[j] of kind j). */
static TARGET double LOOP(greatest)(const double* logs, const int32_t* times, ptrdiff_t k, int32_t* count) {
    double result = -INFINITY;
    int32_t n = 0;
    ptrdiff_t j = 0;
#ifdef HAS_FOURS
    Four most = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
    FourWhole finite = {0, 0, 0, 0};
    for (; j + 3 < k; j += 4) {
        Four x;
        FourSmall t;
        memcpy(&x, logs + j, sizeof x);
        memcpy(&t, times + j, sizeof t);
        most = CHOICE(x > most, x, most);
        finite += (x > -INFINITY) & __builtin_convertvector(t, FourWhole);
    }
    for (int s = 0; s < 4; s++) {
        result = most[s] > result ? most[s] : result;
        n += (int32_t)finite[s];
    }
#endif
    for (; j < k; j++) {
        result = logs[j] > result ? logs[j] : result;
        n += logs[j] > -INFINITY ? times[j] : 0;
    }
    *count = n;
    return result;
}

/* The sum of weights[j] exp(logs[j] - most), but for terms that are too small to matter. There are four partial sums,
   whatever the processor, and their order is fixed. */
static TARGET double LOOP(exp_sum)(const double* logs, const double* weights, ptrdiff_t k, double most) {
    double total[4] = {0, 0, 0, 0};
    const double least = most - 45.0;
    ptrdiff_t j = 0;
#ifdef HAS_FOURS
    Four sums = {0, 0, 0, 0};
    for (; j + 3 < k; j += 4) {
        Four x, w;
        FourWhole counts;
        memcpy(&x, logs + j, sizeof x);
        counts = x > least;
        if (!(counts[0] | counts[1] | counts[2] | counts[3])) continue;
        memcpy(&w, weights + j, sizeof w);
        x = CHOICE(counts, x, ((Four){least, least, least, least})) - most;
        EXP_OF_NEGATIVE(Four, FourBits, x);
        sums += (Four)(counts & (FourWhole)(w * x));
    }
    memcpy(total, &sums, sizeof total);
#endif
    for (; j < k; j++) {
        double x = logs[j] - most;
        if (logs[j] > least) {
            EXP_OF_NEGATIVE(double, uint64_t, x);
            total[j & 3] += weights[j] * x;
        }
    }
    return (total[0] + total[1]) + (total[2] + total[3]);
}

/* The sizes of the four quadrants: out[q * k + j]. */
static TARGET void LOOP(quadrants)(const int32_t* pairs, const int32_t* totals, int n_classes, ptrdiff_t i,
                                   ptrdiff_t first, ptrdiff_t k, int32_t n, int32_t* out) {
    const int32_t ni = totals[i];
    for (ptrdiff_t j = first; j < k; j++) out[j] = pairs[j];
    for (int c = 1; c < n_classes; c++)
        for (ptrdiff_t j = first; j < k; j++) out[j] += pairs[c * k + j];
    for (ptrdiff_t j = first; j < k; j++) {
        out[k + j] = ni - out[j];
        out[2 * k + j] = totals[j] - out[j];
        out[3 * k + j] = n - ni - totals[j] + out[j];
    }
}

#define NO_LEAF 0x20000000 /* more errors than there can be rows */

/* The errors of the four leaves: rows that are not of the most frequent class; too small a leaf has NO_LEAF. */
static TARGET void LOOP(error_row)(const int32_t* pairs, const int32_t* ones, const int32_t* counts,
                                   const int32_t* sizes, int n_classes, ptrdiff_t i, ptrdiff_t first, ptrdiff_t k,
                                   int32_t least, int32_t* errors) {
    int32_t *e0 = errors, *e1 = errors + k, *e2 = errors + 2 * k, *e3 = errors + 3 * k;
    const int32_t *s0 = sizes, *s1 = sizes + k, *s2 = sizes + 2 * k, *s3 = sizes + 3 * k;
    for (int c = 0; c < n_classes; c++) {
        const int32_t *p = pairs + c * k, *o = ones + c * k;
        const int32_t ni = o[i], n = counts[c];
        if (c == 0) {
            for (ptrdiff_t j = first; j < k; j++) {
                e0[j] = p[j];
                e1[j] = ni - p[j];
                e2[j] = o[j] - p[j];
                e3[j] = n - ni - o[j] + p[j];
            }
            continue;
        }
        for (ptrdiff_t j = first; j < k; j++) {
            const int32_t x0 = p[j], x1 = ni - p[j], x2 = o[j] - p[j], x3 = n - ni - o[j] + p[j];
            e0[j] = e0[j] > x0 ? e0[j] : x0;
            e1[j] = e1[j] > x1 ? e1[j] : x1;
            e2[j] = e2[j] > x2 ? e2[j] : x2;
            e3[j] = e3[j] > x3 ? e3[j] : x3;
        }
    }
    for (ptrdiff_t j = first; j < k; j++) {
        e0[j] = s0[j] < least ? NO_LEAF : s0[j] - e0[j];
        e1[j] = s1[j] < least ? NO_LEAF : s1[j] - e1[j];
        e2[j] = s2[j] < least ? NO_LEAF : s2[j] - e2[j];
        e3[j] = s3[j] < least ? NO_LEAF : s3[j] - e3[j];
    }
}

/* The least errors below each test, among the rows that pass it and those that do not. */
static TARGET void LOOP(best_row)(const int32_t* errors, ptrdiff_t i, ptrdiff_t first, ptrdiff_t k, int32_t* with,
                                  int32_t* without) {
    const int32_t *e0 = errors, *e1 = errors + k, *e2 = errors + 2 * k, *e3 = errors + 3 * k;
    int32_t best1 = with[i], best0 = without[i];
    for (ptrdiff_t j = first; j < k; j++) {
        const int32_t i1 = e0[j] + e1[j], i0 = e2[j] + e3[j], j1 = e0[j] + e2[j], j0 = e1[j] + e3[j];
        best1 = best1 < i1 ? best1 : i1;
        best0 = best0 < i0 ? best0 : i0;
        with[j] = with[j] < j1 ? with[j] : j1;
        without[j] = without[j] < j0 ? without[j] : j0;
    }
    with[i] = best1;
    without[i] = best0;
}

/* The marginal likelihoods of the four leaves, as products or as sums of logarithms; `gammas` has the factor of a count
   of a class, `sums` that of the size of a leaf: 0, or minus infinity, for a leaf that is too small. */
static TARGET void LOOP(score_row)(const int32_t* pairs, const int32_t* ones, const int32_t* counts,
                                   const int32_t* sizes, int n_classes, ptrdiff_t i, ptrdiff_t first, ptrdiff_t k,
                                   const double* gammas, const double* sums, int product, double* scores) {
    double *r0 = scores, *r1 = scores + k, *r2 = scores + 2 * k, *r3 = scores + 3 * k;
    for (ptrdiff_t j = first; j < k; j++) {
        r0[j] = sums[sizes[j]];
        r1[j] = sums[sizes[k + j]];
        r2[j] = sums[sizes[2 * k + j]];
        r3[j] = sums[sizes[3 * k + j]];
    }
    for (int c = 0; c < n_classes; c++) {
        const int32_t *p = pairs + c * k, *o = ones + c * k;
        const int32_t ni = o[i], n = counts[c];
        if (!n) continue;
        if (product)
            for (ptrdiff_t j = first; j < k; j++) {
                r0[j] *= gammas[p[j]];
                r1[j] *= gammas[ni - p[j]];
                r2[j] *= gammas[o[j] - p[j]];
                r3[j] *= gammas[n - ni - o[j] + p[j]];
            }
        else
            for (ptrdiff_t j = first; j < k; j++) {
                r0[j] += gammas[p[j]];
                r1[j] += gammas[ni - p[j]];
                r2[j] += gammas[o[j] - p[j]];
                r3[j] += gammas[n - ni - o[j] + p[j]];
            }
    }
}

/* The same for two classes of fewer than `side` rows each, from a table of all pairs of counts. */
static TARGET void LOOP(score_row_two)(const int32_t* pairs, const int32_t* ones, const int32_t* counts, ptrdiff_t i,
                                       ptrdiff_t first, ptrdiff_t k, const double* table, ptrdiff_t side,
                                       double* scores) {
    const int32_t *p = pairs, *o = ones, *q = pairs + k, *r = ones + k;
    const int32_t ni = o[i], n = counts[0], mi = r[i], m = counts[1];
    for (ptrdiff_t j = first; j < k; j++) {
        scores[j] = table[p[j] * side + q[j]];
        scores[k + j] = table[(ni - p[j]) * side + mi - q[j]];
        scores[2 * k + j] = table[(o[j] - p[j]) * side + r[j] - q[j]];
        scores[3 * k + j] = table[(n - ni - o[j] + p[j]) * side + m - mi - r[j] + q[j]];
    }
}

/* The sums over the second test, below each first one. Four partial sums, so that an addition need not wait for the
   one before; their order is fixed. */
static TARGET void LOOP(add_row)(const double* scores, const double* weights, ptrdiff_t i, ptrdiff_t first, ptrdiff_t k,
                                 double* with, double* without) {
    const double *r0 = scores, *r1 = scores + k, *r2 = scores + 2 * k, *r3 = scores + 3 * k;
    const double wi = weights[i];
    double a[4] = {0, 0, 0, 0}, b[4] = {0, 0, 0, 0};
    ptrdiff_t j = first;
    for (; j + 3 < k; j += 4)
        for (int s = 0; s < 4; s++) {
            a[s] += weights[j + s] * (r0[j + s] * r1[j + s]);
            b[s] += weights[j + s] * (r2[j + s] * r3[j + s]);
        }
    for (; j < k; j++) {
        a[0] += weights[j] * (r0[j] * r1[j]);
        b[0] += weights[j] * (r2[j] * r3[j]);
    }
    with[i] += (a[0] + a[1]) + (a[2] + a[3]);
    without[i] += (b[0] + b[1]) + (b[2] + b[3]);
    for (j = first; j < k; j++) {
        with[j] += wi * (r0[j] * r2[j]);
        without[j] += wi * (r1[j] * r3[j]);
    }
}

/* The greatest sum of logarithms instead. */
static TARGET void LOOP(max_row)(const double* scores, ptrdiff_t i, ptrdiff_t first, ptrdiff_t k, double* with,
                                 double* without) {
    const double *r0 = scores, *r1 = scores + k, *r2 = scores + 2 * k, *r3 = scores + 3 * k;
    double best1 = with[i], best0 = without[i];
    for (ptrdiff_t j = first; j < k; j++) {
        const double i1 = r0[j] + r1[j], i0 = r2[j] + r3[j], j1 = r0[j] + r2[j], j0 = r1[j] + r3[j];
        best1 = best1 > i1 ? best1 : i1;
        best0 = best0 > i0 ? best0 : i0;
        with[j] = with[j] > j1 ? with[j] : j1;
        without[j] = without[j] > j0 ? without[j] : j0;
    }
    with[i] = best1;
    without[i] = best0;
}

/* How many tests (weights[j] of kind j) leave enough rows on both sides, below each first test. */
static TARGET void LOOP(valid_row)(const int32_t* sizes, const int32_t* weights, ptrdiff_t i, ptrdiff_t first,
                                   ptrdiff_t k, int32_t least, int32_t* with, int32_t* without) {
    int32_t a = 0, b = 0;
    const int32_t wi = weights[i];
    for (ptrdiff_t j = first; j < k; j++) {
        const int32_t v0 = sizes[j] >= least, v1 = sizes[k + j] >= least, v2 = sizes[2 * k + j] >= least,
                      v3 = sizes[3 * k + j] >= least;
        a += weights[j] & -(v0 & v1);
        b += weights[j] & -(v2 & v3);
        with[j] += wi & -(v0 & v2);
        without[j] += wi & -(v1 & v3);
    }
    with[i] += a;
    without[i] += b;
}
