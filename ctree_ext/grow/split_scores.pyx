"""What a test is worth, by its count matrix: N·gain, chi-square, or the logarithm of a Bayes factor."""

import numpy as np

from libc.math cimport ceil, fabs, lgamma, llround, log, log2
from libc.stdint cimport int64_t
from libc.stdlib cimport calloc, free, malloc

cdef enum:
    # counts in each of the tables of nonuniform priors, of which there may be one for each class, and in all of them
    MAX_TABLED = 16384
    MAX_IN_ALL = 2000000


cpdef double hair(double cases):
    """Figures of so many cases that differ by no more are equal: the sums may have been made in another order."""
    return 1e-9 * min(cases, 1.0) + 2e-15 * cases * log2(cases + 2)


cdef dict KINDS = {"n_gain": N_GAIN, "chi_square": CHI_SQUARE, "bayes": BAYES}


cdef class SplitMeasure:
    """A measure with its tables, for `Grower`.

    Parameters
    ----------
    name : {"n_gain", "chi_square", "bayes"}
        The number of cases times information gain, in bits; Pearson's statistic; the logarithm of the Bayes factor of
        a test against a leaf.
    n_whole : int
        The largest number of cases that will be asked for.
    n_classes : int
    most_in_class : int or None
        The largest number of cases of one class, if that is known.
    weight : float or None
        The weight of all cases, if they do not count one each: figures are as exact as that allows.
    prior_weight : float
        The sum of the Dirichlet parameters of a leaf, for ``"bayes"``.
    nonuniform : bool
        Whether classes that a node lacks share the parameter of one class in its branches.
    """

    def __cinit__(self, str name, Py_ssize_t n_whole, int n_classes, *, double prior_weight=2.0, bint nonuniform=False,
                  most_in_class=None, weight=None):
        cdef Measure* measure = &self.measure
        cdef Py_ssize_t present, most_of_one = n_whole if most_in_class is None else most_in_class
        cdef double[::1] inverse
        cdef double most = n_whole + prior_weight + 2
        if name not in KINDS:
            raise ValueError(f"no measure {name!r}, only {', '.join(KINDS)}")
        if not prior_weight > 0:
            raise ValueError(f"the prior weight must be greater than 0, not {prior_weight}")
        self.name = name
        self.tables = []
        measure.kind = KINDS[name]
        measure.n_classes = n_classes
        measure.prior_weight = prior_weight
        measure.log_gamma_weight = lgamma(prior_weight)
        measure.nonuniform = nonuniform and measure.kind == BAYES and n_classes > 2
        # as fine as 64 bits allow: what terms can come to, and a few such are added up
        measure.unit = 2.0 ** (ceil(log2(most * (log2(most) + 2) + n_whole * fabs(lgamma(prior_weight / n_classes)))) - 57)
        measure.hair = <int64_t> max(1e-9 / measure.unit, 4.0 * n_classes + 8)
        measure.own_hair = hair(n_whole if weight is None else weight)
        measure.n_whole = n_whole
        self.terms = <Terms*> calloc(n_classes + 1, sizeof(Terms))
        if self.terms == NULL:
            raise MemoryError
        measure.terms = self.terms
        if measure.kind == CHI_SQUARE:
            inverses = 1.0 / np.maximum(np.arange(n_whole + 1), 1)
            self.tables.append(inverses)
            inverse = inverses
            measure.inverses = &inverse[0]
            return
        self.fill(&self.terms[0], prior_weight / n_classes, most_of_one)
        measure.totals = self.table(prior_weight, n_whole)
        most_of_one = min(most_of_one, MAX_TABLED, MAX_IN_ALL // n_classes)
        for present in range(1, n_classes + 1 if measure.nonuniform else 1):
            if present >= n_classes - 1:
                self.terms[present] = self.terms[0]
            else:
                self.fill(&self.terms[present], prior_weight / (present + 1), most_of_one)

    def __dealloc__(self):
        free(self.terms)

    cdef int fill(self, Terms* terms, double alpha, Py_ssize_t n_whole) except -1:
        terms.alpha = alpha
        terms.log_gamma_alpha = lgamma(alpha)
        terms.n_whole = n_whole
        terms.whole = self.table(alpha, n_whole)
        terms.steps = self.steps(terms.whole, n_whole)
        return 0

    cdef const int64_t* table(self, double alpha, Py_ssize_t n_whole) except NULL:
        # k log2 k or ln Γ(k + alpha) - ln Γ(alpha), for k from 0 to `n_whole`. Of large parameters the difference would
        # have few digits; there it is the sum of logarithms that it stands for.
        array = np.zeros(n_whole + 1, dtype=np.int64)
        cdef int64_t[::1] view = array
        cdef double log_gamma = lgamma(alpha), sum_ = 0.0
        cdef Py_ssize_t k
        self.tables.append(array)
        for k in range(1, n_whole + 1):
            if self.measure.kind == BAYES and alpha > 100:
                sum_ += log(alpha + k - 1)
                view[k] = llround(sum_ / self.measure.unit)
            elif self.measure.kind == N_GAIN:
                view[k] = llround(k * log2(<double> k) / self.measure.unit)
            else:
                view[k] = llround((lgamma(k + alpha) - log_gamma) / self.measure.unit)
        return &view[0]

    cdef const int64_t* steps(self, const int64_t* whole, Py_ssize_t n_whole) except NULL:
        array = np.zeros(n_whole + 1, dtype=np.int64)
        cdef int64_t[::1] view = array
        cdef Py_ssize_t k
        self.tables.append(array)
        for k in range(n_whole):
            view[k] = whole[k + 1] - whole[k]
        return &view[0]


cdef double branch_worth(const double* counts, int n_classes, const Terms* terms,
                         const Measure* measure) noexcept nogil:
    # What the classes of a branch add less what its size takes away.
    cdef double worth = 0.0, n = 0.0
    cdef int c
    for c in range(n_classes):
        worth += term(counts[c], terms, measure)
        n += counts[c]
    return worth - total(n, measure)


cdef double chi_square_of(const double* counts, int n_branches, int n_classes, const double* classes) noexcept nogil:
    # Pearson's statistic; `classes` are the sums of the columns. Empty branches and classes add nothing.
    cdef double cases = 0.0, size, expected, result = 0.0
    cdef int _b, c
    for c in range(n_classes):
        cases += classes[c]
    for _b in range(n_branches):
        size = 0.0
        for c in range(n_classes):
            size += counts[c]
        if size > 0:
            for c in range(n_classes):
                expected = size * classes[c] / cases
                if expected > 0:
                    result += (counts[c] - expected) * (counts[c] - expected) / expected
        counts += n_classes
    return result


cdef double figure_of(const double* counts, int n_branches, int n_classes, const Terms* own, const Terms* below,
                      const Measure* measure, double* classes) noexcept nogil:
    # What the test is worth; `classes` gets the sums of the columns.
    cdef double result = 0.0
    cdef int b, c
    for c in range(n_classes):
        classes[c] = 0.0
        for b in range(n_branches):
            classes[c] += counts[<Py_ssize_t> b * n_classes + c]
    if measure.kind == CHI_SQUARE:
        return chi_square_of(counts, n_branches, n_classes, classes)
    for b in range(n_branches):
        result += branch_worth(counts + <Py_ssize_t> b * n_classes, n_classes, below, measure)
    return result - branch_worth(classes, n_classes, own, measure)


def figure(const double[:, ::1] counts, SplitMeasure measure not None, int present_above=0):
    """What a test is worth that has these class counts per branch.

    `present_above` is the number of classes that the parent of the node has, for nonuniform priors; 0 at the root.
    """
    cdef int n_branches = counts.shape[0], n_classes = counts.shape[1], present = 0, c
    cdef double* classes
    cdef double result
    if n_classes != measure.measure.n_classes or n_branches == 0 or not 0 <= present_above <= n_classes:
        raise ValueError("the count matrix does not fit the measure")
    classes = <double*> malloc(n_classes * sizeof(double))
    if classes == NULL:
        raise MemoryError
    for c in range(n_classes):
        present += np.any(np.asarray(counts[:, c]) > 0)
    result = figure_of(&counts[0, 0], n_branches, n_classes, terms_below(&measure.measure, present_above),
                       terms_below(&measure.measure, present), &measure.measure, classes)
    free(classes)
    return result


def log_marginal(const double[::1] counts, const double[::1] alphas):
    """ln m: how likely the classes of a leaf are in their order, all class distributions averaged."""
    cdef double n = 0.0, weight = 0.0, result = 0.0
    cdef Py_ssize_t c
    for c in range(counts.shape[0]):
        n += counts[c]
        weight += alphas[c]
        result += lgamma(counts[c] + alphas[c]) - lgamma(alphas[c])
    return result + lgamma(weight) - lgamma(weight + n)
