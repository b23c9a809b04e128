# A set of cases as the lattice sees it: the tests that still divide it, a row of bits each.

from libc.stdint cimport int32_t, uint64_t

from ctree_ext.base.memory cimport Pool

ctypedef struct View:
    # The cases stand class by class, each class ("block") from a new word on; cases to be predicted, which have no
    # class, may follow as one more block. Only tests that leave `min_cases` cases on both sides are here. Tests that
    # divide the cases alike, be it with the sides exchanged, are equivalent, and stand here as one.
    Pool* pool                 # where its memory comes from; all else is 0 in a new view
    Py_ssize_t n               # cases, without those to be predicted
    Py_ssize_t k               # different tests
    Py_ssize_t n_tests         # tests at the root
    Py_ssize_t n_words
    int n_classes
    int n_blocks
    int32_t* counts            # [n_blocks] cases of each class
    int32_t* start             # [n_blocks + 1] the first word of each block
    uint64_t* valid            # [n_words] the bits that stand for a case
    uint64_t* bits             # [k, n_words] the cases that pass each test
    int32_t* ones              # [n_blocks, k] how many they are
    int32_t* totals            # [k] of all classes
    int32_t* times             # [k] how many tests are equivalent
    double* weights            # [k] the same as floats
    int32_t* first             # [k] the first of them; the bits are its own
    int32_t* place             # [n_tests] where each test of the root is here, or -1
    uint64_t* marks            # [2 * 64 * n_words] a random number of 128 bits for each case
    uint64_t[2] key            # those of all classed cases together, by exclusive or
    uint64_t[2] other_key      # those of the cases to be predicted
    # what there is room for, and scratch
    Py_ssize_t max_tests
    Py_ssize_t max_words
    uint64_t* mask             # [n_words]
    int32_t* block_ones        # [k, n_blocks]
    int32_t* to                # [k]
    int32_t* slots
    uint64_t* hashes           # [k]
    Py_ssize_t n_slots


cdef inline int32_t side_count(const View* view, int c, Py_ssize_t test, bint passed) noexcept nogil:
    # The cases of a class on one side of a test.
    return view.ones[c * view.k + test] if passed else view.counts[c] - view.ones[c * view.k + test]


cdef int view_reserve(View* view, Py_ssize_t n_tests, int n_blocks, Py_ssize_t k, Py_ssize_t n_words) noexcept nogil
cdef void side_mask(const View* view, Py_ssize_t test, bint passed, uint64_t* mask) noexcept nogil
cdef void side_key(const View* view, Py_ssize_t test, bint passed, uint64_t* key) noexcept nogil
cdef void mask_key(const View* view, const uint64_t* mask, Py_ssize_t first_word, Py_ssize_t last_word,
                   uint64_t* key) noexcept nogil
cdef int view_part(const View* above, const uint64_t* mask, Py_ssize_t without, View* part, Py_ssize_t min_cases,
                   bint merge) noexcept nogil
cdef int view_all(View* view, const unsigned char* columns, const int32_t* classes, Py_ssize_t n, Py_ssize_t n_tests,
                  int n_classes, const unsigned char* others, Py_ssize_t n_others) except -1 nogil
