# What a cut between two others can score at most, given the class weights below the first and between the two.

from ctree_ext.grow.split_scores cimport ScoreFunction, Terms

cdef double sum_bound(const double* low, const double* counts, const double* known, int n_classes, double start,
                      double size, double n, const Terms* below, const ScoreFunction* function) noexcept nogil
cdef double chi_square_bound(const double* low, const double* counts, const double* known, int n_classes, double start,
                             double size, double n, double least) noexcept nogil
