# All tests that a tree may have, and the cases where each of them holds, as bits. The cases stand in the order of their
# classes, each class from a new word on, so that class counts are counts of bits in a range of words.

from libc.stdint cimport int32_t, int64_t, uint64_t

from ctree_ext.base.bits cimport WORD, count_bits
from ctree_ext.base.memory cimport Memory


ctypedef struct Grid:
    Py_ssize_t n                    # cases
    Py_ssize_t n_words
    int n_classes
    int n_attributes
    int32_t n_tests
    Py_ssize_t* class_start         # by class the first word of its cases, and n_words at the end
    uint64_t* all_cases
    double* weights                 # by bit; NULL if every case counts one
    int32_t* attribute              # by test
    int32_t* first                  # by attribute its first test, and n_tests at the end
    int32_t* n_levels
    bint* ordered                   # whether the tests of an attribute are `level <= t`, else `level = t`
    int32_t** level                 # by attribute and bit
    # The cases of a test are those of a column, and those in a part of the attribute's list of bits by level.
    bint by_list                    # whether some test is without a column of its own
    uint64_t* columns
    int64_t* base                   # by test its column, -1 for none
    int32_t* begin
    int32_t* end
    int32_t** order


cdef inline double weigh_bits(const double* weights, Py_ssize_t word, uint64_t bits) noexcept nogil:
    cdef double sum = 0.0
    cdef const double* of_word = weights + word * WORD
    cdef int i = 0
    while bits:
        if bits & 1:
            sum += of_word[i]
        bits >>= 1
        i += 1
    return sum


cdef inline double count_cover(const Grid* grid, const uint64_t* cover, double* counts) noexcept nogil:
    # The class counts of these cases, and their sum.
    cdef Py_ssize_t w
    cdef int c
    cdef int64_t bits
    cdef double weight, n = 0.0
    for c in range(grid.n_classes):
        if grid.weights == NULL:
            bits = 0
            for w in range(grid.class_start[c], grid.class_start[c + 1]):
                bits += count_bits(cover[w])
            weight = <double> bits
        else:
            weight = 0.0
            for w in range(grid.class_start[c], grid.class_start[c + 1]):
                weight += weigh_bits(grid.weights, w, cover[w])
        counts[c] = weight
        n += weight
    return n


cdef inline void intersect(const Grid* grid, const uint64_t* cover, int32_t test, uint64_t* out) noexcept nogil:
    # The cases of the cover where the test holds.
    cdef Py_ssize_t w, i
    cdef const uint64_t* column
    cdef const int32_t* order
    cdef int32_t bit
    if grid.base[test] >= 0:
        column = grid.columns + grid.base[test] * grid.n_words
        for w in range(grid.n_words):
            out[w] = cover[w] & column[w]
    else:
        for w in range(grid.n_words):
            out[w] = 0
    if grid.begin[test] < grid.end[test]:
        order = grid.order[grid.attribute[test]]
        for i in range(grid.begin[test], grid.end[test]):
            bit = order[i]
            out[bit // WORD] |= cover[bit // WORD] & ((<uint64_t> 1) << (bit % WORD))


cdef inline double split_cover(const Grid* grid, const uint64_t* cover, int32_t test, uint64_t* out,
                               double* counts) noexcept nogil:
    # The cases of the cover where the test holds, their class counts, and how many they are.
    cdef Py_ssize_t w
    cdef const uint64_t* column
    cdef int c
    cdef int64_t bits, n = 0
    if grid.weights != NULL or grid.begin[test] < grid.end[test]:
        intersect(grid, cover, test, out)
        return count_cover(grid, out, counts)
    column = grid.columns + grid.base[test] * grid.n_words
    for c in range(grid.n_classes):
        bits = 0
        for w in range(grid.class_start[c], grid.class_start[c + 1]):
            out[w] = cover[w] & column[w]
            bits += count_bits(out[w])
        counts[c] = <double> bits
        n += bits
    return <double> n


cdef inline double subtract_cover(const Grid* grid, const uint64_t* cover, const double* counts, double n,
                                  const uint64_t* part, const double* part_counts, double n_part,
                                  uint64_t* out, double* out_counts) noexcept nogil:
    # The same for those of the cover that are not in the part.
    cdef Py_ssize_t w
    cdef int c
    for w in range(grid.n_words):
        out[w] = cover[w] & ~part[w]
    if grid.weights != NULL:
        return count_cover(grid, out, out_counts)
    for c in range(grid.n_classes):
        out_counts[c] = counts[c] - part_counts[c]
    return n - n_part


cdef class TestGrid:
    cdef Grid grid
    cdef Memory memory
