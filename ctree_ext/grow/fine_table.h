/* Scores of all cuts of a column at a node of few cases, in whole numbers, from a table of x log2 x: only ever used to
   rule tests out, never to choose one. */

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#define CTREE_FINE_STEPS 16384     /* of the table, from 0 to 1 */
#define CTREE_FINE_CLASSES 8

typedef struct {
    const int32_t* table;      /* x log2 x, in 2^-26 */
    const void* order;         /* the column: of an entry the first half is its rank, the second its row */
    ptrdiff_t n;
    const int64_t* units;      /* what each row counts */
    int64_t least;             /* what either side must have */
    int64_t known;             /* what all have */
    int64_t classes[CTREE_FINE_CLASSES];
    uint32_t class_mask;
    int shift;                 /* from units to steps of the table */
    ptrdiff_t first;           /* the cuts that leave enough: behind this case, up to before the other */
    ptrdiff_t end;
} ctree_fine_scan;

static inline int32_t ctree_fine_term(const ctree_fine_scan* scan, int64_t units) {
    return scan->table[(units + ((int64_t) 1 << (scan->shift - 1))) >> scan->shift];
}

/* The score of each cut, INT32_MIN where there is none; the greatest of them. */
static int32_t ctree_fine_scores(ctree_fine_scan* scan, int C, int32_t* scores) {
    const int32_t* entries = (const int32_t*) scan->order;
    const ptrdiff_t n = scan->n;
    const int64_t known = scan->known;
    int64_t low[CTREE_FINE_CLASSES], below = 0;
    int32_t parts[CTREE_FINE_CLASSES], sum = 0, best = INT32_MIN;
    ptrdiff_t i;
    for (int c = 0; c < C; c++) low[c] = 0;
    for (i = 0; i < n - 1; i++) {
        const int64_t units = scan->units[entries[2 * i + 1]];
        if (below + units >= scan->least) break;
        low[(uint32_t) entries[2 * i] & scan->class_mask] += units;
        below += units;
    }
    scan->first = i;
    for (int c = 0; c < C; c++) {
        parts[c] = ctree_fine_term(scan, low[c]) + ctree_fine_term(scan, scan->classes[c] - low[c]);
        sum += parts[c];
    }
    for (; i < n - 1; i++) {
        const uint32_t rank = (uint32_t) entries[2 * i];
        const int c = (int) (rank & scan->class_mask);
        const int64_t units = scan->units[entries[2 * i + 1]], l = low[c] + units;
        const int32_t part = ctree_fine_term(scan, l) + ctree_fine_term(scan, scan->classes[c] - l);
        int32_t score;
        low[c] = l;
        below += units;
        if (known - below < scan->least) break;
        sum += part - parts[c];
        parts[c] = part;
        score = sum - ctree_fine_term(scan, below) - ctree_fine_term(scan, known - below);
        if ((rank ^ (uint32_t) entries[2 * i + 2]) <= scan->class_mask) score = INT32_MIN;
        scores[i] = score;
        best = score > best ? score : best;
    }
    scan->end = i;
    return best;
}
