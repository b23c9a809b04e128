/* Sorted columns of divided cases, an entry being one number of 64 bits: its rank, then its row. */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define CTREE_ROW(entry) ((uint32_t) (entry))
#define CTREE_WITH_ROW(entry, row) (((entry) & 0xFFFFFFFF00000000u) | (uint32_t) (row))
#else
#define CTREE_ROW(entry) ((uint32_t) ((entry) >> 32))
#define CTREE_WITH_ROW(entry, row) (((entry) & 0xFFFFFFFFu) | (uint64_t) (uint32_t) (row) << 32)
#endif

#if defined(__GNUC__)
#define CTREE_PREFETCH(address) __builtin_prefetch(address)
#else
#define CTREE_PREFETCH(address) ((void) 0)
#endif

#define CTREE_UNKNOWN_FROM 0x40000000   /* places from here on are those of cases whose outcome is unknown */

static inline uint64_t ctree_take(const char* entries, ptrdiff_t i) {
    uint64_t entry;
    memcpy(&entry, entries + 8 * i, 8);
    return entry;
}

static inline void ctree_put(char* entries, ptrdiff_t i, uint64_t entry) {
    memcpy(entries + 8 * i, &entry, 8);
}

/* Divide a column among two branches, the second below the first; `place` is the new row of each, complemented in the
   second branch. Without a jump where the outcome is known: write to both sides, advance on one. */
static void ctree_divide_in_two(void* column, ptrdiff_t n, const int32_t* place, int32_t size_low, int32_t size_high,
                                void* spare) {
    char* entries = (char*) column;
    char* others = (char*) spare;
    ptrdiff_t low = 0, high = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        uint64_t entry = ctree_take(entries, i);
        const int32_t at = place[CTREE_ROW(entry)], side = at >> 31;
        if (at < CTREE_UNKNOWN_FROM) {
            entry = CTREE_WITH_ROW(entry, at ^ side);
            ctree_put(entries, high, entry);
            ctree_put(others, low, entry);
            high -= side;
            low += 1 + side;
        } else {
            ctree_put(entries, high++, CTREE_WITH_ROW(entry, at - CTREE_UNKNOWN_FROM + size_high));
            ctree_put(others, low++, CTREE_WITH_ROW(entry, at - CTREE_UNKNOWN_FROM + size_low));
        }
    }
    memcpy(entries + 8 * high, others, 8 * low);
}

/* The same where one branch stays a leaf; `flip` is -1 where that is the first. */
static void ctree_leave_one_side(void* column, ptrdiff_t n, const int32_t* place, int32_t flip, int32_t size) {
    char* entries = (char*) column;
    ptrdiff_t kept = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        const uint64_t entry = ctree_take(entries, i);
        const int32_t at = place[CTREE_ROW(entry)];
        if (at < CTREE_UNKNOWN_FROM) {
            ctree_put(entries, kept, CTREE_WITH_ROW(entry, at ^ flip));
            kept += (at ^ flip) >= 0;
        } else {
            ctree_put(entries, kept++, CTREE_WITH_ROW(entry, at - CTREE_UNKNOWN_FROM + size));
        }
    }
}

/* Class weights of all values of discrete attributes: a line has, of each attribute, the first of the cells of the
   value. Lines lie in no order, so they are fetched a few cases ahead. */
static void ctree_add_lines(const uint16_t* lines, int length, const int32_t* rows, ptrdiff_t n,
                            const uint16_t* classes, const double* weights, double* cells) {
    for (ptrdiff_t i = 0; i < n; i++) {
        const uint16_t* line = lines + (ptrdiff_t) rows[i] * length;
        double* of_class = cells + classes[i];
        const double w = weights[i];
        int k = 0;
        if (i + 12 < n) CTREE_PREFETCH(lines + (ptrdiff_t) rows[i + 12] * length);
        for (; k + 1 < length; k += 2) {
            of_class[line[k]] += w;
            of_class[line[k + 1]] += w;
        }
        if (k < length) of_class[line[k]] += w;
    }
}
