# The loops of bitblocks.h; what they do is said there. A module that uses them follows the processor (base/processor.pxd).

from libc.stdint cimport int32_t, uint64_t

cdef extern from "bitblocks.h" nogil:
    int NO_LEAF
    void pack_bytes(const unsigned char* bytes, Py_ssize_t n, uint64_t* to)
    int count_words(const uint64_t* a, Py_ssize_t n)
    int count_and(const uint64_t* a, const uint64_t* b, Py_ssize_t n)
    int count_and_not(const uint64_t* a, const uint64_t* b, Py_ssize_t n)
    int32_t and_blocks(const uint64_t* a, const uint64_t* b, const int32_t* start, int n_blocks, uint64_t* out,
                       int32_t* counts)
    void gather_block(const uint64_t* source, const uint64_t* mask, Py_ssize_t n, uint64_t* target, Py_ssize_t n_to)
    void pair_row(const uint64_t* bits, Py_ssize_t stride, const int32_t* start, int n_blocks, Py_ssize_t i,
                  Py_ssize_t first, Py_ssize_t k, int32_t* out)
    double greatest(const double* logs, const int32_t* times, Py_ssize_t k, int32_t* count)
    double exp_sum(const double* logs, const double* weights, Py_ssize_t k, double most)
    void quadrants(const int32_t* pairs, const int32_t* totals, int n_classes, Py_ssize_t i, Py_ssize_t first,
                   Py_ssize_t k, int32_t n, int32_t* out)
    void error_row(const int32_t* pairs, const int32_t* ones, const int32_t* counts, const int32_t* sizes,
                   int n_classes, Py_ssize_t i, Py_ssize_t first, Py_ssize_t k, int32_t least, int32_t* errors)
    void best_row(const int32_t* errors, Py_ssize_t i, Py_ssize_t first, Py_ssize_t k, int32_t* with_,
                  int32_t* without)
    void score_row(const int32_t* pairs, const int32_t* ones, const int32_t* counts, const int32_t* sizes,
                   int n_classes, Py_ssize_t i, Py_ssize_t first, Py_ssize_t k, const double* gammas,
                   const double* sums, bint product, double* scores)
    void score_row_two(const int32_t* pairs, const int32_t* ones, const int32_t* counts, Py_ssize_t i,
                       Py_ssize_t first, Py_ssize_t k, const double* table, Py_ssize_t side, double* scores)
    void add_row(const double* scores, const double* weights, Py_ssize_t i, Py_ssize_t first, Py_ssize_t k,
                 double* with_, double* without)
    void max_row(const double* scores, Py_ssize_t i, Py_ssize_t first, Py_ssize_t k, double* with_, double* without)
    void valid_row(const int32_t* sizes, const int32_t* weights, Py_ssize_t i, Py_ssize_t first, Py_ssize_t k,
                   int32_t least, int32_t* with_, int32_t* without)
