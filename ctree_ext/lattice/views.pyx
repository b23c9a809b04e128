"""Sets of cases with the tests that still divide them, in words of 64 bits."""

from libc.stdint cimport int32_t, uint64_t
from libc.string cimport memcmp, memset

from ctree_ext.base.bits cimport lowest_bit
from ctree_ext.base.interrupts cimport Watch, check_after
from ctree_ext.base.memory cimport Pool, pool_free, pool_raw, pool_resize, pool_zeroed
from ctree_ext.base.processor cimport WITH_AVX2, follow_processor, own_level, processor_level
from ctree_ext.lattice.bitblocks cimport count_and, count_words, gather_block, pack_bytes

cdef enum:
    FEW_CLASSES = 8

follow_processor(own_level())


cdef inline uint64_t _mixed(uint64_t x) noexcept nogil:
    # The finaliser of splitmix64.
    x += <uint64_t> 0x9E3779B97F4A7C15
    x = (x ^ (x >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
    x = (x ^ (x >> 27)) * <uint64_t> 0x94D049BB133111EB
    return x ^ (x >> 31)


cdef int view_reserve(View* view, Py_ssize_t n_tests, int n_blocks, Py_ssize_t k, Py_ssize_t n_words) noexcept nogil:
    # Room for so many tests and words; -1 without memory.
    cdef Py_ssize_t slots = 4
    cdef Pool* pool = view.pool
    if view.place == NULL:
        view.counts = <int32_t*> pool_raw(pool, n_blocks, sizeof(int32_t))
        view.start = <int32_t*> pool_raw(pool, n_blocks + 1, sizeof(int32_t))
        view.place = <int32_t*> pool_raw(pool, n_tests, sizeof(int32_t))
        if view.counts == NULL or view.start == NULL or view.place == NULL:
            return -1
    view.n_tests, view.n_blocks = n_tests, n_blocks
    if k <= view.max_tests and n_words <= view.max_words and view.bits != NULL:
        return 0
    k = max(k, view.max_tests)
    n_words = max(n_words, view.max_words)
    while slots < 2 * k:
        slots *= 2
    if not (pool_resize(pool, <void**> &view.valid, n_words, sizeof(uint64_t))
            and pool_resize(pool, <void**> &view.mask, n_words, sizeof(uint64_t))
            and pool_resize(pool, <void**> &view.bits, (k + 1) * n_words, sizeof(uint64_t))
            and pool_resize(pool, <void**> &view.ones, k * n_blocks, sizeof(int32_t))
            and pool_resize(pool, <void**> &view.block_ones, (k + 1) * n_blocks, sizeof(int32_t))
            and pool_resize(pool, <void**> &view.totals, k, sizeof(int32_t))
            and pool_resize(pool, <void**> &view.times, k, sizeof(int32_t))
            and pool_resize(pool, <void**> &view.weights, k, sizeof(double))
            and pool_resize(pool, <void**> &view.first, k, sizeof(int32_t))
            and pool_resize(pool, <void**> &view.to, k, sizeof(int32_t))
            and pool_resize(pool, <void**> &view.hashes, k, sizeof(uint64_t))
            and pool_resize(pool, <void**> &view.slots, slots, sizeof(int32_t))
            and pool_resize(pool, <void**> &view.marks, 128 * n_words, sizeof(uint64_t))):
        return -1
    view.max_tests, view.max_words, view.n_slots = k, n_words, slots
    return 0


cdef void side_mask(const View* view, Py_ssize_t test, bint passed, uint64_t* mask) noexcept nogil:
    # The cases that pass a test, or those that do not.
    cdef const uint64_t* bits = view.bits + test * view.n_words
    cdef Py_ssize_t w
    if passed:
        for w in range(view.n_words):
            mask[w] = bits[w]
    else:
        for w in range(view.n_words):
            mask[w] = view.valid[w] & ~bits[w]


cdef void side_key(const View* view, Py_ssize_t test, bint passed, uint64_t* key) noexcept nogil:
    # The random numbers of the classed cases that pass a test together, or of those that do not.
    cdef const uint64_t* bits = view.bits + test * view.n_words
    cdef const uint64_t* mark
    cdef Py_ssize_t w
    cdef uint64_t word, a = 0, b = 0
    for w in range(view.start[view.n_classes]):
        word = bits[w] if passed else view.valid[w] & ~bits[w]
        while word:
            mark = view.marks + 2 * (64 * w + lowest_bit(word))
            a ^= mark[0]
            b ^= mark[1]
            word &= word - 1
    key[0], key[1] = a, b


cdef void mask_key(const View* view, const uint64_t* mask, Py_ssize_t first_word, Py_ssize_t last_word,
                   uint64_t* key) noexcept nogil:
    # The random numbers of the cases in the mask together: a set of cases is known by that.
    cdef Py_ssize_t w
    cdef uint64_t word
    cdef const uint64_t* mark
    key[0] = key[1] = 0
    for w in range(first_word, last_word):
        word = mask[w]
        while word:
            mark = view.marks + 2 * (64 * w + lowest_bit(word))
            key[0] ^= mark[0]
            key[1] ^= mark[1]
            word &= word - 1


cdef inline uint64_t _hash_of(const uint64_t* bits, const uint64_t* valid, Py_ssize_t n, uint64_t* flip) noexcept nogil:
    # The same for a row of bits and for its complement: that of the two which does not have the first case. Each word is
    # multiplied by a number of its own, so that no word has to wait for the one before.
    cdef Py_ssize_t w = 0
    cdef uint64_t h = 0, odd = <uint64_t> 0x9E3779B97F4A7C15
    while not valid[w]:
        w += 1
    flip[0] = ~(<uint64_t> 0) if bits[w] & 1 else 0
    for w in range(n):
        h += (bits[w] ^ (valid[w] & flip[0])) * odd
        odd += <uint64_t> 0xBF58476D1CE4E5BA
    return _mixed(h)


cdef bint _equivalent(const uint64_t* a, const uint64_t* b, const uint64_t* valid, Py_ssize_t n) noexcept nogil:
    # Whether two rows of bits divide the cases alike, be it with the sides exchanged.
    cdef Py_ssize_t w
    if memcmp(a, b, n * sizeof(uint64_t)) == 0:
        return True
    for w in range(n):
        if a[w] != (valid[w] & ~b[w]):
            return False
    return True


cdef int view_part(const View* above, const uint64_t* mask, Py_ssize_t without, View* part, Py_ssize_t min_cases,
                   bint merge) noexcept nogil:
    # The cases in the mask with the tests that divide them, but for one (-1 for none) that is known not to. -1 without
    # memory.
    cdef Py_ssize_t n_words = 0, k, c, j, t
    cdef int n_blocks = above.n_blocks
    # The blocks are measured before there is room for them.
    for c in range(n_blocks):
        n_words += (count_words(mask + above.start[c], above.start[c + 1] - above.start[c]) + 63) // 64
    if view_reserve(part, above.n_tests, n_blocks, above.k, n_words) < 0:
        return -1
    part.n_classes = above.n_classes
    part.n_words = n_words
    _gather_cases(above, mask, part)
    _gather_tests(above, mask, without, part, min_cases, merge)
    k = part.k
    for c in range(n_blocks):
        for j in range(k):
            part.ones[c * k + j] = part.block_ones[j * n_blocks + c]
    for t in range(above.n_tests):
        part.place[t] = part.to[above.place[t]] if above.place[t] >= 0 else -1
    return 0


cdef void _gather_cases(const View* above, const uint64_t* mask, View* part) noexcept nogil:
    # Blocks, class counts and marks of the cases in the mask.
    cdef Py_ssize_t w, c, i
    cdef const uint64_t* mark
    cdef uint64_t word
    part.n = 0
    part.start[0] = 0
    for c in range(above.n_blocks):
        part.counts[c] = count_words(mask + above.start[c], above.start[c + 1] - above.start[c])
        part.start[c + 1] = part.start[c] + (part.counts[c] + 63) // 64
        gather_block(above.valid + above.start[c], mask + above.start[c], above.start[c + 1] - above.start[c],
                     part.valid + part.start[c], part.start[c + 1] - part.start[c])
        if c < above.n_classes:
            part.n += part.counts[c]
        i = 128 * part.start[c]
        for w in range(above.start[c], above.start[c + 1]):
            word = mask[w]
            while word:
                mark = above.marks + 2 * (64 * w + lowest_bit(word))
                part.marks[i] = mark[0]
                part.marks[i + 1] = mark[1]
                i += 2
                word &= word - 1


cdef void _gather_tests(const View* above, const uint64_t* mask, Py_ssize_t without, View* part,
                        Py_ssize_t min_cases, bint merge) noexcept nogil:
    # The tests that leave enough of these cases on both sides; `to` says where each of those above has gone.
    cdef Py_ssize_t n_words = part.n_words, n = part.n, c, k = 0, j, total, i, slot = 0
    cdef int n_blocks = above.n_blocks, C = above.n_classes
    cdef const int32_t* start = above.start
    cdef const int32_t* starts = part.start
    cdef const uint64_t* bits
    cdef uint64_t* row
    cdef int32_t* ones
    cdef uint64_t h, flip
    if merge:
        memset(part.slots, -1, part.n_slots * sizeof(int32_t))
    for j in range(above.k):
        part.to[j] = -1
        if j == without:
            continue
        bits = above.bits + j * above.n_words
        total = count_and(bits, mask, start[C])
        if total < min_cases or n - total < min_cases:
            continue
        row = part.bits + k * n_words
        ones = part.block_ones + k * n_blocks
        for c in range(n_blocks):
            gather_block(bits + start[c], mask + start[c], start[c + 1] - start[c],
                         row + starts[c], starts[c + 1] - starts[c])
            ones[c] = count_words(row + starts[c], starts[c + 1] - starts[c])
        if merge:
            h = _hash_of(row, part.valid, n_words, &flip)
            slot = <Py_ssize_t> (h & <uint64_t> (part.n_slots - 1))
            i = part.slots[slot]
            while i >= 0 and not (part.hashes[i] == h
                                  and _equivalent(part.bits + i * n_words, row, part.valid, n_words)):
                slot = (slot + 1) & (part.n_slots - 1)
                i = part.slots[slot]
            if i >= 0:
                part.to[j] = <int32_t> i
                part.times[i] += above.times[j]
                part.weights[i] += above.weights[j]
                continue
            part.slots[slot] = <int32_t> k
            part.hashes[k] = h
        part.to[j] = <int32_t> k
        part.times[k] = above.times[j]
        part.weights[k] = above.weights[j]
        part.first[k] = above.first[j]
        part.totals[k] = <int32_t> total
        k += 1
    part.k = k


ctypedef struct Packing:
    # What is needed to put cases in the order of their classes, for as long as that takes.
    Pool pool
    Watch watch
    Py_ssize_t n_words         # of all cases in the order in which they are given
    bint few                   # few classes: their bits are gathered from those of all
    int32_t* sizes             # [n_blocks]
    int32_t* places            # [n] the bit of each case, unless the classes are few
    uint64_t* packed           # [n_words] one test
    uint64_t* masks            # [n_classes, n_words] the cases of each class


cdef int view_all(View* view, const unsigned char* columns, const int32_t* classes, Py_ssize_t n, Py_ssize_t n_tests,
                  int n_classes, const unsigned char* others, Py_ssize_t n_others) except -1 nogil:
    # All cases and all tests; `columns` has n bytes a test, `others` n_others, for cases without a class.
    cdef Packing packing
    cdef Py_ssize_t t
    memset(&packing, 0, sizeof(Packing))
    packing.few = n_classes <= FEW_CLASSES and processor_level >= WITH_AVX2
    try:
        if (_packing_init(&packing, n, n_classes, others != NULL) < 0
                or _place_cases(&packing, view, classes, n, n_tests, n_classes, others != NULL, n_others) < 0):
            with gil:
                raise MemoryError
        for t in range(n_tests):
            check_after(&packing.watch, (n + n_others) // 4)
            _pack_test(&packing, view, t, columns + t * n, n)
            if others != NULL:
                pack_bytes(others + t * n_others, n_others, view.bits + t * view.n_words + view.start[n_classes])
            _count_test(view, t)
        mask_key(view, view.valid, 0, view.start[n_classes], view.key)
        mask_key(view, view.valid, view.start[n_classes], view.n_words, view.other_key)
    finally:
        pool_free(&packing.pool)
    return 0


cdef int _packing_init(Packing* packing, Py_ssize_t n, int n_classes, bint with_others) noexcept nogil:
    # -1 without memory.
    packing.n_words = (n + 63) // 64
    packing.sizes = <int32_t*> pool_zeroed(&packing.pool, n_classes + with_others, sizeof(int32_t))
    packing.packed = <uint64_t*> pool_raw(&packing.pool, packing.n_words, sizeof(uint64_t))
    if packing.few:
        packing.masks = <uint64_t*> pool_zeroed(&packing.pool, n_classes * packing.n_words, sizeof(uint64_t))
    else:
        packing.places = <int32_t*> pool_raw(&packing.pool, n, sizeof(int32_t))
    return 0 if packing.sizes != NULL and packing.packed != NULL and (
        packing.masks != NULL or packing.places != NULL) else -1


cdef int _place_cases(Packing* packing, View* view, const int32_t* classes, Py_ssize_t n, Py_ssize_t n_tests, int n_classes,
                      bint with_others, Py_ssize_t n_others) noexcept nogil:
    # Where each case stands, and its mark; -1 without memory for the view.
    cdef int n_blocks = n_classes + with_others, c
    cdef Py_ssize_t n_words = 0, i, at
    cdef int32_t* sizes = packing.sizes
    for i in range(n):
        sizes[classes[i]] += 1
    if with_others:
        sizes[n_classes] = <int32_t> n_others
    for c in range(n_blocks):
        n_words += (sizes[c] + 63) // 64
    if view_reserve(view, n_tests, n_blocks, n_tests, n_words) < 0:
        return -1
    view.n, view.k, view.n_classes, view.n_words = n, n_tests, n_classes, n_words
    view.start[0] = 0
    for c in range(n_blocks):
        view.counts[c] = sizes[c]
        view.start[c + 1] = view.start[c] + (sizes[c] + 63) // 64
        sizes[c] = 64 * view.start[c]
    memset(view.valid, 0, n_words * sizeof(uint64_t))
    for i in range(n + n_others):
        c = classes[i] if i < n else n_classes
        at = sizes[c]
        sizes[c] += 1
        view.valid[at >> 6] |= (<uint64_t> 1) << (at & 63)
        view.marks[2 * at] = _mixed(2 * i)
        # A case to be predicted is found again by its mark.
        view.marks[2 * at + 1] = _mixed(2 * i + 1) if i < n else <uint64_t> (i - n)
        if i < n and packing.few:
            packing.masks[c * packing.n_words + (i >> 6)] |= (<uint64_t> 1) << (i & 63)
        elif i < n:
            packing.places[i] = <int32_t> at
    return 0


cdef void _pack_test(Packing* packing, View* view, Py_ssize_t t, const unsigned char* column, Py_ssize_t n) noexcept nogil:
    cdef uint64_t* row = view.bits + t * view.n_words
    cdef const int32_t* places = packing.places
    cdef Py_ssize_t i
    cdef int c
    if packing.few:
        # The bits of each class out of those of all: a sixth of the time of looking up each case.
        pack_bytes(column, n, packing.packed)
        for c in range(view.n_classes):
            gather_block(packing.packed, packing.masks + c * packing.n_words, packing.n_words, row + view.start[c],
                         view.start[c + 1] - view.start[c])
        return
    memset(row, 0, view.start[view.n_classes] * sizeof(uint64_t))
    for i in range(n):
        row[places[i] >> 6] |= (<uint64_t> (column[i] != 0)) << (places[i] & 63)


cdef void _count_test(View* view, Py_ssize_t t) noexcept nogil:
    # A test of all cases, whose bits are there.
    cdef const uint64_t* row = view.bits + t * view.n_words
    cdef int c
    view.times[t] = 1
    view.weights[t] = 1.0
    view.first[t] = <int32_t> t
    view.place[t] = <int32_t> t
    view.totals[t] = 0
    for c in range(view.n_blocks):
        view.ones[c * view.n_tests + t] = count_words(row + view.start[c], view.start[c + 1] - view.start[c])
        if c < view.n_classes:
            view.totals[t] += view.ones[c * view.n_tests + t]
