"""Whether the best test of a node is good enough, or whether any could be."""

from libc.math cimport INFINITY, log, log2

from ctree_ext.grow.split_scores cimport information, tie_tolerance

cdef dict KINDS = {"never": NEVER, "bic": BY_BIC, "mdl": BY_MDL, "chi_square": BY_CHI_SQUARE, "bayes": BY_BAYES,
                   "bayes_shared": BY_SHARED}


cdef class StoppingRule:
    """A stopping rule, for `ScoreGrower`.

    Parameters
    ----------
    name : {"never", "bic", "mdl", "chi_square", "bayes", "bayes_shared"}
        What the score of a test has to reach: nothing; the thresholds of N·gain by BIC or MDL; the cutoff of
        chi-square; more than 0; more than the logarithm of the number of tests on the same attribute.
    cases : float
        The weight of the whole training set.
    n_classes : int
    pruning : {"never", "bic", "mdl"}
        What the tree will be pruned by: growing stops where even a test that separates the classes would be pruned.
    significance : float
        The significance level of the chi-square test, to be divided among the tests of a node.
    present_classes : bool
        Take its degrees of freedom from the classes present at a node, not from all.
    """

    def __cinit__(self, str name, double cases, int n_classes, *, str pruning="never", double significance=0.1,
                  bint present_classes=False):
        if name not in KINDS or pruning not in ("never", "bic", "mdl"):
            raise ValueError(f"no stopping rule {name!r} with pruning by {pruning!r}")
        self.rule.kind = KINDS[name]
        self.rule.pruning = KINDS[pruning]
        self.rule.n_classes = n_classes
        self.rule.bits = bic_threshold(cases, n_classes)
        self.rule.tie_tolerance = tie_tolerance(cases)
        self.rule.significance = significance
        self.rule.present_classes = present_classes
        if self.rule.kind == BY_CHI_SQUARE:
            self.rule.least_chi_square = chi_square_cutoff(1, 2 if present_classes else n_classes, 2, significance)


def bic_threshold(double n, int n_classes, int branches=2):
    """What N·gain has to reach by BIC, in bits; see `ctree.criteria`."""
    return split_bits(BY_BIC, 0.5 * (n_classes - 1) * max(log2(n), 0.0), 1, branches)


def mdl_threshold(double n, int n_classes, Py_ssize_t n_tests, int branches=2):
    """What N·gain has to reach by MDL, in bits; see `ctree.criteria`."""
    return split_bits(BY_MDL, 0.5 * (n_classes - 1) * max(log2(n), 0.0), n_tests, branches)


cpdef double chi_square_cutoff(Py_ssize_t n_tests, int n_classes, int branches=2, double significance=0.1) except? -1:
    """What chi-square has to reach to be significant among so many tests; see `ctree.criteria`."""
    from scipy.special import chdtri  # takes a while, and is not for all

    degrees = <double> (branches - 1) * (n_classes - 1)
    return float(chdtri(degrees, significance / n_tests)) if degrees > 0 else INFINITY


cdef bint is_hopeless(const Stopping* stopping, const double* counts, double cases, int present) noexcept nogil:
    # Whether no test can be good enough, which is known before any is evaluated.
    cdef StoppingKind kind = stopping.pruning if stopping.pruning != NEVER else stopping.kind
    if kind == BY_BIC or kind == BY_MDL:
        return information(counts, stopping.n_classes) < split_bits(kind, stopping.bits, 1, 2) - stopping.tie_tolerance
    if kind == BY_CHI_SQUARE:
        return cases * (present - 1) < stopping.least_chi_square - stopping.tie_tolerance
    return False


cdef double least_score(const Stopping* stopping) noexcept nogil:
    # No test that scores less can be good enough, whatever the node and however many tests it has.
    if stopping.kind == BY_BIC or stopping.kind == BY_MDL:
        return split_bits(stopping.kind, stopping.bits, 1, 2) - stopping.tie_tolerance
    if stopping.kind == BY_CHI_SQUARE:
        return stopping.least_chi_square - stopping.tie_tolerance
    return 0.0 if stopping.kind in (BY_BAYES, BY_SHARED) else -INFINITY


cdef bint is_too_costly(const Stopping* stopping, const double* counts, Py_ssize_t n_tests, int fewest) noexcept nogil:
    # Whether pruning would undo any test: not even one that separates the classes would pay for its `fewest` branches.
    return (stopping.pruning != NEVER and information(counts, stopping.n_classes)
            < split_bits(stopping.pruning, stopping.bits, n_tests, fewest) - stopping.tie_tolerance)


cdef double required_score(const Stopping* stopping, Py_ssize_t n_tests, Py_ssize_t on_attribute,
                           int branches) noexcept nogil:
    # What a test with so many branches, one of so many at the node and on its attribute, has to score, or what pruning
    # will compare it with; not for chi-square, see `chi_square_cutoff`.
    if stopping.kind == BY_SHARED:
        return log(<double> on_attribute)
    if stopping.kind == BY_BIC or stopping.kind == BY_MDL:
        return split_bits(stopping.kind, stopping.bits, n_tests, branches)
    if stopping.pruning != NEVER:
        return split_bits(stopping.pruning, stopping.bits, n_tests, branches)
    return 0.0


cdef bint is_good_enough(const Stopping* stopping, double score, double required) noexcept nogil:
    # Whether a test of this score may divide a node.
    if stopping.kind == NEVER:
        return True
    if stopping.kind in (BY_BAYES, BY_SHARED):
        return score > required + stopping.tie_tolerance
    return score >= required - stopping.tie_tolerance
