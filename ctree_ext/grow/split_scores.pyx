"""The score of a test, by its count matrix: N·gain, chi-square, or the logarithm of a Bayes factor."""

import numpy as np

from libc.math cimport ceil, fabs, isfinite, lgamma, llround, log, log2
from libc.stdint cimport int64_t

from ctree_ext.base.memory cimport Memory

cdef enum:
    # counts in each of the tables of nonuniform priors, of which there may be one for each class, and in all of them
    MAX_TABLED = 16384
    MAX_IN_ALL = 2000000


cpdef double tie_tolerance(double cases):
    """Scores of so many cases that differ by no more are ties: the sums may have been made in another order."""
    return 1e-9 * min(cases, 1.0) + 2e-15 * cases * log2(cases + 2)


cdef dict KINDS = {"n_gain": N_GAIN, "chi_square": CHI_SQUARE, "bayes": BAYES}


cdef class SplitScore:
    """A score with its tables, for `ScoreGrower`.

    Parameters
    ----------
    name : {"n_gain", "chi_square", "bayes"}
        The number of cases times information gain, in bits; Pearson's statistic; the logarithm of the Bayes factor of
        a test against a leaf.
    max_count : int
        The largest number of cases that will be asked for.
    n_classes : int
    max_in_class : int or None
        The largest number of cases of one class, if that is known.
    weight : float or None
        The weight of all cases, if they do not count one each: scores are as exact as that allows.
    prior_weight : float
        The sum of the Dirichlet parameters of a leaf, for ``"bayes"``.
    nonuniform : bool
        Whether classes that a node lacks share the parameter of one class in its branches.
    """

    def __cinit__(self, str name, Py_ssize_t max_count, int n_classes, *, double prior_weight=2.0,
                  bint nonuniform=False, max_in_class=None, weight=None):
        cdef ScoreFunction* function = &self.function
        cdef Py_ssize_t present, most_of_one = max_count if max_in_class is None else max_in_class
        cdef double[::1] inverse
        cdef double most = max_count + prior_weight + 2
        if name not in KINDS:
            raise ValueError(f"no score {name!r}, only {', '.join(KINDS)}")
        if not prior_weight > 0:
            raise ValueError(f"the prior weight must be greater than 0, not {prior_weight}")
        self.name = name
        self.tables = []
        function.kind = KINDS[name]
        function.n_classes = n_classes
        function.prior_weight = prior_weight
        function.log_gamma_weight = lgamma(prior_weight)
        function.nonuniform = nonuniform and function.kind == BAYES and n_classes > 2
        # as fine as 64 bits allow, given how large the terms can be and that a few of them are summed
        function.unit = 2.0 ** (
            ceil(log2(most * (log2(most) + 2) + max_count * fabs(lgamma(prior_weight / n_classes)))) - 57)
        if not isfinite(function.unit):
            raise ValueError(f"scores with the prior weight {prior_weight} are beyond all numbers")
        function.tie_units = <int64_t> max(1e-9 / function.unit, 4.0 * n_classes + 8)
        function.tie_tolerance = tie_tolerance(max_count if weight is None else weight)
        function.max_count = max_count
        self.memory = Memory()
        self.terms = <Terms*> self.memory.zeroed(n_classes + 1, sizeof(Terms))
        function.terms = self.terms
        if function.kind == CHI_SQUARE:
            inverses = 1.0 / np.maximum(np.arange(max_count + 1), 1)
            self.tables.append(inverses)
            inverse = inverses
            function.inverses = &inverse[0]
            return
        self.fill(&self.terms[0], prior_weight / n_classes, most_of_one)
        function.totals = self.table(prior_weight, max_count)
        most_of_one = min(most_of_one, MAX_TABLED, MAX_IN_ALL // n_classes)
        for present in range(1, n_classes + 1 if function.nonuniform else 1):
            if present >= n_classes - 1:
                self.terms[present] = self.terms[0]
            else:
                self.fill(&self.terms[present], prior_weight / (present + 1), most_of_one)

    cdef int fill(self, Terms* terms, double alpha, Py_ssize_t max_count) except -1:
        terms.alpha = alpha
        terms.log_gamma_alpha = lgamma(alpha)
        terms.max_count = max_count
        terms.table = self.table(alpha, max_count)
        terms.steps = self.steps(terms.table, max_count)
        return 0

    cdef const int64_t* table(self, double alpha, Py_ssize_t max_count) except NULL:
        # k log2 k or ln Γ(k + alpha) - ln Γ(alpha), for k from 0 to `max_count`. Of large parameters the difference
        # would have few digits; there it is the sum of logarithms that it stands for.
        array = np.zeros(max_count + 1, dtype=np.int64)
        cdef int64_t[::1] view = array
        cdef double log_gamma = lgamma(alpha), sum_ = 0.0
        cdef Py_ssize_t k
        self.tables.append(array)
        for k in range(1, max_count + 1):
            if self.function.kind == BAYES and alpha > 100:
                sum_ += log(alpha + k - 1)
                view[k] = llround(sum_ / self.function.unit)
            elif self.function.kind == N_GAIN:
                view[k] = llround(k * log2(<double> k) / self.function.unit)
            else:
                view[k] = llround((lgamma(k + alpha) - log_gamma) / self.function.unit)
        return &view[0]

    cdef const int64_t* steps(self, const int64_t* table, Py_ssize_t max_count) except NULL:
        array = np.zeros(max_count + 1, dtype=np.int64)
        cdef int64_t[::1] view = array
        cdef Py_ssize_t k
        self.tables.append(array)
        for k in range(max_count):
            view[k] = table[k + 1] - table[k]
        return &view[0]


cdef double branch_score(const double* counts, int n_classes, const Terms* terms,
                         const ScoreFunction* function) noexcept nogil:
    # What the classes of a branch add minus what its size subtracts.
    cdef double score = 0.0, n = 0.0
    cdef int c
    for c in range(n_classes):
        score += term(counts[c], terms, function)
        n += counts[c]
    return score - total(n, function)


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


cdef double score_of(const double* counts, int n_branches, int n_classes, const Terms* own, const Terms* below,
                     const ScoreFunction* function, double* classes) noexcept nogil:
    # The score of the test; `classes` gets the sums of the columns.
    cdef double result = 0.0
    cdef int b, c
    for c in range(n_classes):
        classes[c] = 0.0
        for b in range(n_branches):
            classes[c] += counts[<Py_ssize_t> b * n_classes + c]
    if function.kind == CHI_SQUARE:
        return chi_square_of(counts, n_branches, n_classes, classes)
    for b in range(n_branches):
        result += branch_score(counts + <Py_ssize_t> b * n_classes, n_classes, below, function)
    return result - branch_score(classes, n_classes, own, function)


def split_score(const double[:, ::1] counts, SplitScore score not None, int present_above=0):
    """The score of a test that has these class counts per branch.

    `present_above` is the number of classes that the parent of the node has, for nonuniform priors; 0 at the root.
    """
    cdef int n_branches = counts.shape[0], n_classes = counts.shape[1], present = 0, c
    cdef double[::1] classes
    if n_classes != score.function.n_classes or n_branches == 0 or not 0 <= present_above <= n_classes:
        raise ValueError("the count matrix does not fit the score")
    classes = np.empty(n_classes)
    for c in range(n_classes):
        present += np.any(np.asarray(counts[:, c]) > 0)
    return score_of(&counts[0, 0], n_branches, n_classes, terms_below(&score.function, present_above),
                    terms_below(&score.function, present), &score.function, &classes[0])


def log_marginal(const double[::1] counts, const double[::1] alphas):
    """ln m: the marginal likelihood of the classes of a leaf, in their order, under a Dirichlet prior."""
    cdef double n = 0.0, weight = 0.0, result = 0.0
    cdef Py_ssize_t c
    for c in range(counts.shape[0]):
        n += counts[c]
        weight += alphas[c]
        result += lgamma(counts[c] + alphas[c]) - lgamma(alphas[c])
    return result + lgamma(weight) - lgamma(weight + n)
