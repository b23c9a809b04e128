# Whether the best test of a node is good enough, or whether any could be.

from libc.math cimport log2

cdef enum StoppingKind:
    NEVER       # any test will do
    BY_BIC
    BY_MDL
    BY_CHI_SQUARE
    BY_BAYES    # the test has to be likelier than a leaf
    BY_SHARED   # the same, where the tests of an attribute share its prior


ctypedef struct Stopping:
    StoppingKind kind        # what a test has to reach
    StoppingKind pruning     # what the tree will be pruned by: where no test could survive, none is looked for
    int n_classes
    double tie_tolerance     # scores that differ by no more are equal
    double bits              # for the parameters of one more leaf, ½ (C-1) log2 N
    double significance      # level of the chi-square test
    double least_chi_square  # below this no statistic is significant, even of a single test
    bint present_classes     # its degrees of freedom come from the classes present


cdef inline double split_bits(StoppingKind kind, double bits, Py_ssize_t n_tests, int branches) noexcept nogil:
    # The cost of a test with so many branches, one of so many tests.
    if kind == BY_MDL:
        return (branches - 1) * bits + log2(<double> n_tests) + branches
    return (branches - 1) * bits


cdef inline bint counts_tests(const Stopping* stopping) noexcept nogil:
    # Whether it matters how many tests a node has.
    return stopping.kind in (BY_MDL, BY_CHI_SQUARE, BY_SHARED) or stopping.pruning == BY_MDL


cdef bint is_hopeless(const Stopping* stopping, const double* counts, double cases, int present) noexcept nogil
cdef double least_score(const Stopping* stopping) noexcept nogil
cdef bint is_too_costly(const Stopping* stopping, const double* counts, Py_ssize_t n_tests, int fewest) noexcept nogil
cdef double required_score(const Stopping* stopping, Py_ssize_t n_tests, Py_ssize_t on_attribute,
                           int branches) noexcept nogil
cdef bint is_good_enough(const Stopping* stopping, double score, double required) noexcept nogil
cpdef double chi_square_cutoff(Py_ssize_t n_tests, int n_classes, int branches=?, double significance=?) except? -1


cdef class StoppingRule:
    cdef Stopping rule
