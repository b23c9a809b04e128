/* The loops of coverbits.h, compiled once for each kind of processor: LOOP names them, TARGET says for which. */

/* The cases that fail one of some conditions, and those that fail two, with one condition more: in open blocks of eight
   words. In others all cases fail two, whatever is said of them. Which blocks are still open, and how many. */
static TARGET ptrdiff_t LOOP(add_fails)(const uint64_t* fails, const uint64_t* once, const uint64_t* twice, ptrdiff_t n,
                                        const int32_t* open, ptrdiff_t n_open, uint64_t* next_once,
                                        uint64_t* next_twice, int32_t* next_open) {
    ptrdiff_t left = 0;
    for (ptrdiff_t i = 0; i < n_open; i++) {
        const ptrdiff_t w = open[i], size = n - w < 8 ? n - w : 8;
        uint64_t all = ~0ull;
        for (ptrdiff_t k = 0; k < size; k++) {
            next_twice[w + k] = twice[w + k] | (once[w + k] & fails[w + k]);
            next_once[w + k] = once[w + k] | fails[w + k];
            all &= next_twice[w + k];
        }
        next_open[left] = (int32_t)w;
        left += all != ~0ull;
    }
    return left;
}

#ifndef ONLY_FAILS
/* For each condition the cases that fail it alone: of a condition all words, so that sums stay in registers. */
static TARGET void LOOP(count_alone)(Near* near, ptrdiff_t found) {
    for (int d = 0; d < near->n; d++) {
        const uint64_t* fails = near->fails[d];
        Count count = {0, 0};
        for (ptrdiff_t i = 0; i < found; i++) {
            const ptrdiff_t w = near->words[i];
            const uint64_t x = near->alone[i] & fails[w];
            if (near->weights) {
                count_weighted(x, near->own[w], near->weights + 64 * w, &count);
                continue;
            }
            count.covered += POPCOUNT(x);
            count.wrong += POPCOUNT(x & ~near->own[w]);
        }
        near->without[d] = count;
    }
}

/* The cases that fail no condition, and for each condition those that fail it alone. */
static TARGET void LOOP(count_near)(Near* near) {
    const ptrdiff_t found = LOOP(find_near)(near);
    ptrdiff_t kept = 0;
    Count count = {0, 0};
    if (found && near->words[found - 1] + 1 == near->n_words) {
        near->bits[found - 1] &= *near->valid_end;
        near->alone[found - 1] &= *near->valid_end;
    }
    LOOP(count_alone)(near, found);
    for (ptrdiff_t i = 0; i < found; i++) {
        const int32_t w = near->words[i];
        const uint64_t left = near->bits[i];
        if (!left) continue;
        near->words[kept] = w;
        near->bits[kept++] = left;
        if (near->weights)
            count_weighted(left, near->own[w], near->weights + 64 * (ptrdiff_t)w, &count);
        else {
            count.covered += POPCOUNT(left);
            count.wrong += POPCOUNT(left & ~near->own[w]);
        }
    }
    near->all = count;
    near->n_found = kept;
}
#endif
