"""Sets of cases with the tests that still divide them, in words of 64 bits."""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcmp, memset

from ctree_ext.lattice.bitblocks cimport (
    count_and, count_words, gather_block, has_fast_bits, lowest_bit, pack_bytes, use_fast_bits,
)

cdef enum:
    LOOK = 16_000_000   # bytes between two looks for Ctrl-C
    FEW_CLASSES = 8


def fast_bits(yes):
    """Whether the instructions for bits that not every processor has are used where it has them; for tests."""
    use_fast_bits(yes)
    return bool(has_fast_bits())


cdef inline uint64_t _mixed(uint64_t x) noexcept nogil:
    # The finaliser of splitmix64.
    x += <uint64_t> 0x9E3779B97F4A7C15
    x = (x ^ (x >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
    x = (x ^ (x >> 27)) * <uint64_t> 0x94D049BB133111EB
    return x ^ (x >> 31)


cdef int _grow(void** pointer, Py_ssize_t size) noexcept nogil:
    cdef void* grown = realloc(pointer[0], max(size, 1))
    if grown == NULL:
        return -1
    pointer[0] = grown
    return 0


cdef int view_reserve(View* view, Py_ssize_t n_tests, int n_blocks, Py_ssize_t k, Py_ssize_t n_words) noexcept nogil:
    # Room for so many tests and words; -1 if there is no memory. All pointers of a new view are NULL.
    cdef Py_ssize_t slots = 4
    if view.place == NULL:
        view.counts = <int32_t*> malloc(n_blocks * sizeof(int32_t))
        view.start = <int32_t*> malloc((n_blocks + 1) * sizeof(int32_t))
        view.place = <int32_t*> malloc(max(n_tests, 1) * sizeof(int32_t))
        if view.counts == NULL or view.start == NULL or view.place == NULL:
            return -1
    view.n_tests, view.n_blocks = n_tests, n_blocks
    if k <= view.most_tests and n_words <= view.most_words and view.bits != NULL:
        return 0
    k = max(k, view.most_tests)
    n_words = max(n_words, view.most_words)
    while slots < 2 * k:
        slots *= 2
    if (_grow(<void**> &view.valid, n_words * sizeof(uint64_t)) < 0
            or _grow(<void**> &view.mask, n_words * sizeof(uint64_t)) < 0
            or _grow(<void**> &view.bits, (k + 1) * n_words * sizeof(uint64_t)) < 0
            or _grow(<void**> &view.ones, k * n_blocks * sizeof(int32_t)) < 0
            or _grow(<void**> &view.block_ones, (k + 1) * n_blocks * sizeof(int32_t)) < 0
            or _grow(<void**> &view.totals, k * sizeof(int32_t)) < 0
            or _grow(<void**> &view.times, k * sizeof(int32_t)) < 0
            or _grow(<void**> &view.weights, k * sizeof(double)) < 0
            or _grow(<void**> &view.first, k * sizeof(int32_t)) < 0
            or _grow(<void**> &view.to, k * sizeof(int32_t)) < 0
            or _grow(<void**> &view.hashes, k * sizeof(uint64_t)) < 0
            or _grow(<void**> &view.slots, slots * sizeof(int32_t)) < 0
            or _grow(<void**> &view.marks, 128 * n_words * sizeof(uint64_t)) < 0):
        return -1
    view.most_tests, view.most_words, view.n_slots = k, n_words, slots
    view.n_bytes = (n_words * (k + 131) * <Py_ssize_t> sizeof(uint64_t) + slots * <Py_ssize_t> sizeof(int32_t)
                    + k * (2 * n_blocks + 8) * <Py_ssize_t> sizeof(int32_t)
                    + (n_tests + n_blocks) * <Py_ssize_t> sizeof(int32_t))
    return 0


cdef void view_free(View* view) noexcept nogil:
    free(view.counts)
    free(view.start)
    free(view.place)
    free(view.valid)
    free(view.mask)
    free(view.bits)
    free(view.ones)
    free(view.block_ones)
    free(view.totals)
    free(view.times)
    free(view.weights)
    free(view.first)
    free(view.to)
    free(view.hashes)
    free(view.slots)
    free(view.marks)
    memset(view, 0, sizeof(View))


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
    # The same for a row of bits and for its complement: that of the two which does not have the first case.
    cdef Py_ssize_t w = 0
    cdef uint64_t h = 0
    while not valid[w]:
        w += 1
    flip[0] = ~(<uint64_t> 0) if bits[w] & 1 else 0
    for w in range(n):
        h = _mixed(h ^ bits[w] ^ (valid[w] & flip[0]))
    return h


cdef bint _alike(const uint64_t* a, const uint64_t* b, const uint64_t* valid, Py_ssize_t n) noexcept nogil:
    # Whether two rows of bits divide the cases alike.
    cdef Py_ssize_t w
    if memcmp(a, b, n * sizeof(uint64_t)) == 0:
        return True
    for w in range(n):
        if a[w] != (valid[w] & ~b[w]):
            return False
    return True


cdef int view_part(const View* whole, const uint64_t* mask, Py_ssize_t without, View* part, Py_ssize_t least,
                   bint merge) noexcept nogil:
    # The cases in the mask with the tests that divide them, but for one (-1 for none) that is known not to.
    cdef Py_ssize_t n_words = 0, w, c, k = 0, j, t, total, i, slot
    cdef int n_blocks = whole.n_blocks, C = whole.n_classes
    cdef const uint64_t* bits
    cdef const uint64_t* mark
    cdef uint64_t* row
    cdef int32_t* ones
    cdef uint64_t h, flip, word
    # How large the blocks are is seen before there is room for them.
    for c in range(n_blocks):
        n_words += (count_words(mask + whole.start[c], whole.start[c + 1] - whole.start[c]) + 63) // 64
    if view_reserve(part, whole.n_tests, n_blocks, whole.k, n_words) < 0:
        return -1
    part.n_classes = C
    part.n_words = n_words
    part.n = 0
    part.start[0] = 0
    for c in range(n_blocks):
        part.counts[c] = count_words(mask + whole.start[c], whole.start[c + 1] - whole.start[c])
        part.start[c + 1] = part.start[c] + (part.counts[c] + 63) // 64
        gather_block(whole.valid + whole.start[c], mask + whole.start[c], whole.start[c + 1] - whole.start[c],
                     part.valid + part.start[c], part.start[c + 1] - part.start[c])
        if c < C:
            part.n += part.counts[c]
        i = 128 * part.start[c]
        for w in range(whole.start[c], whole.start[c + 1]):
            word = mask[w]
            while word:
                mark = whole.marks + 2 * (64 * w + lowest_bit(word))
                part.marks[i] = mark[0]
                part.marks[i + 1] = mark[1]
                i += 2
                word &= word - 1
    if merge:
        memset(part.slots, -1, part.n_slots * sizeof(int32_t))
    for j in range(whole.k):
        part.to[j] = -1
        if j == without:
            continue
        bits = whole.bits + j * whole.n_words
        total = count_and(bits, mask, whole.start[C])
        if total < least or part.n - total < least:
            continue
        row = part.bits + k * n_words
        ones = part.block_ones + k * n_blocks
        for c in range(n_blocks):
            gather_block(bits + whole.start[c], mask + whole.start[c], whole.start[c + 1] - whole.start[c],
                         row + part.start[c], part.start[c + 1] - part.start[c])
            ones[c] = count_words(row + part.start[c], part.start[c + 1] - part.start[c])
        if merge:
            h = _hash_of(row, part.valid, n_words, &flip)
            slot = <Py_ssize_t> (h & <uint64_t> (part.n_slots - 1))
            i = part.slots[slot]
            while i >= 0 and not (part.hashes[i] == h
                                  and _alike(part.bits + i * n_words, row, part.valid, n_words)):
                slot = (slot + 1) & (part.n_slots - 1)
                i = part.slots[slot]
            if i >= 0:
                part.to[j] = <int32_t> i
                part.times[i] += whole.times[j]
                part.weights[i] += whole.weights[j]
                continue
            part.slots[slot] = <int32_t> k
            part.hashes[k] = h
        part.to[j] = <int32_t> k
        part.times[k] = whole.times[j]
        part.weights[k] = whole.weights[j]
        part.first[k] = whole.first[j]
        part.totals[k] = <int32_t> total
        k += 1
    part.k = k
    for c in range(n_blocks):
        for j in range(k):
            part.ones[c * k + j] = part.block_ones[j * n_blocks + c]
    for t in range(whole.n_tests):
        part.place[t] = part.to[whole.place[t]] if whole.place[t] >= 0 else -1
    return 0


cdef int view_all(View* view, const unsigned char* columns, const int32_t* classes, Py_ssize_t n, Py_ssize_t n_tests,
                  int n_classes, const unsigned char* others, Py_ssize_t n_others) except -1 nogil:
    # All cases and all tests; `columns` has n bytes a test, `others` n_others, for cases without a class.
    cdef int n_blocks = n_classes + (others != NULL), c
    cdef Py_ssize_t n_words = 0, all_words = (n + 63) // 64, i, t, at, work = 0
    cdef bint few = n_classes <= FEW_CLASSES and has_fast_bits()
    cdef int32_t* sizes = <int32_t*> calloc(n_blocks + 1, sizeof(int32_t))
    cdef int32_t* places = <int32_t*> malloc((1 if few else n) * sizeof(int32_t))   # the bit of each case
    cdef uint64_t* packed = <uint64_t*> malloc(all_words * sizeof(uint64_t))
    cdef uint64_t* masks = <uint64_t*> calloc((n_classes if few else 0) * all_words + 1, sizeof(uint64_t))
    cdef uint64_t* row
    cdef bint room = sizes != NULL and places != NULL and packed != NULL and masks != NULL
    if room:
        for i in range(n):
            sizes[classes[i]] += 1
        if others != NULL:
            sizes[n_classes] = <int32_t> n_others
        for c in range(n_blocks):
            n_words += (sizes[c] + 63) // 64
        room = view_reserve(view, n_tests, n_blocks, n_tests, n_words) == 0
    try:
        if not room:
            with gil:
                raise MemoryError
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
            if i < n and few:
                masks[c * all_words + (i >> 6)] |= (<uint64_t> 1) << (i & 63)
            elif i < n:
                places[i] = <int32_t> at
        for t in range(n_tests):
            work += n + n_others
            if work > LOOK:
                work = 0
                with gil:
                    PyErr_CheckSignals()
            row = view.bits + t * n_words
            if few:
                # The bits of each class out of those of all: a sixth of the time of looking up each case.
                pack_bytes(columns + t * n, n, packed)
                for c in range(n_classes):
                    gather_block(packed, masks + c * all_words, all_words, row + view.start[c],
                                 view.start[c + 1] - view.start[c])
            else:
                memset(row, 0, view.start[n_classes] * sizeof(uint64_t))
                for i in range(n):
                    row[places[i] >> 6] |= (<uint64_t> (columns[t * n + i] != 0)) << (places[i] & 63)
            if others != NULL:
                pack_bytes(others + t * n_others, n_others, row + view.start[n_classes])
            _count_test(view, t)
        mask_key(view, view.valid, 0, view.start[n_classes], view.key)
        mask_key(view, view.valid, view.start[n_classes], n_words, view.other_key)
    finally:
        free(sizes)
        free(places)
        free(packed)
        free(masks)
    return 0


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
