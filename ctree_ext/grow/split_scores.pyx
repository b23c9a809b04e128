"""The score of a test, by its count matrix: N·gain, chi-square, a Bayes factor, or what the user's function says."""

import numpy as np

from libc.math cimport ceil, fabs, isfinite, lgamma, llround, log, log2
from libc.stdint cimport int64_t

from ctree_ext.base.memory cimport Memory

cdef enum:
    # counts in each of the tables of nonuniform priors, of which there may be one for each class, and in all of them
    MAX_TABLED = 16384
    MAX_IN_ALL = 2000000
    SUMMED = 100             # parameters above this are too large for differences of ln Γ


cpdef double tie_tolerance(double cases):
    """Scores of so many cases that differ by no more are ties: the sums may have been made in another order."""
    return 1e-9 * min(cases, 1.0) + 2e-15 * cases * log2(cases + 2)


cdef dict KINDS = {"n_gain": N_GAIN, "chi_square": CHI_SQUARE, "bayes": BAYES, "own": OWN}


cdef class SplitScore:
    """A score with its tables, for `ScoreGrower`.

    Parameters
    ----------
    name : {"n_gain", "chi_square", "bayes", "own"}
        The number of cases times information gain, in bits; Pearson's statistic; the logarithm of the Bayes factor of
        a test against a leaf.
    max_count : int
        The number of cases of the whole set.
    n_classes : int
    tabled : int or None
        The most cases that a grower has, if they are a part of the set: tables need not go further. Scores and ties are
        those of the whole set.
    max_in_class : int or None
        The largest number of cases of one class, if that is known.
    weight : float or None
        The weight of all cases, if they do not count one each: scores are as exact as that allows.
    prior_weight : float
        The sum of the Dirichlet parameters of a leaf, for ``"bayes"``.
    nonuniform : bool
        Whether classes that a node lacks share the parameter of one class in its branches.
    own : OwnCriterion, optional
        What scores, for ``"own"``.
    """

    def __cinit__(self, str name, Py_ssize_t max_count, int n_classes, *, double prior_weight=2.0,
                  bint nonuniform=False, max_in_class=None, weight=None, tabled=None, own=None):
        cdef ScoreFunction* function = &self.function
        cdef Py_ssize_t present, most_of_one = max_count if max_in_class is None else max_in_class
        cdef double[::1] inverse
        cdef double most = max_count + prior_weight + 2
        if name not in KINDS:
            raise ValueError(f"no score {name!r}, only {', '.join(KINDS)}")
        if not prior_weight > 0:
            raise ValueError(f"the prior weight must be greater than 0, not {prior_weight}")
        if (own is not None) != (name == "own"):
            raise ValueError("a criterion of one's own goes with the score 'own', and only with that")
        self.name = name
        self.own = own
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
        function.tabled = max_count if tabled is None else min(max_count, tabled)
        self.memory = Memory()
        self.terms = <Terms*> self.memory.zeroed(n_classes + 1, sizeof(Terms))
        function.terms = self.terms
        if function.kind == OWN:
            return
        if function.kind == CHI_SQUARE:
            inverses = 1.0 / np.maximum(np.arange(function.tabled + 1), 1)
            self.tables.append(inverses)
            inverse = inverses
            function.inverses = &inverse[0]
            return
        self.fill(&self.terms[0], prior_weight / n_classes, most_of_one)
        self.fill(&function.all_classes, prior_weight, max_count, with_steps=False)
        function.totals = function.all_classes.table
        most_of_one = min(most_of_one, MAX_TABLED, MAX_IN_ALL // n_classes)
        for present in range(1, n_classes + 1 if function.nonuniform else 1):
            if present >= n_classes - 1:
                self.terms[present] = self.terms[0]
            else:
                self.fill(&self.terms[present], prior_weight / (present + 1), most_of_one)

    cdef int fill(self, Terms* terms, double alpha, Py_ssize_t max_count, bint with_steps=True) except -1:
        terms.alpha = alpha
        terms.log_gamma_alpha = lgamma(alpha)
        terms.max_count = max_count
        terms.tabled = min(max_count, self.function.tabled)
        terms.table = self.table(alpha, terms.tabled)
        if with_steps:
            terms.steps = self.steps(terms.table, terms.tabled)
        if self.function.kind == BAYES and alpha > SUMMED and terms.tabled < max_count:
            terms.sums = self.sums(alpha, max_count)
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
            if self.function.kind == BAYES and alpha > SUMMED:
                sum_ += log(alpha + k - 1)
                view[k] = llround(sum_ / self.function.unit)
            else:
                view[k] = _units_of(k, alpha, log_gamma, &self.function)
        return &view[0]

    cdef const double* sums(self, double alpha, Py_ssize_t max_count) except NULL:
        # The sums of logarithms of `table`, now and then, from which any other is soon reached.
        array = np.zeros(max_count // SUMS_EVERY + 1)
        cdef double[::1] view = array
        cdef double sum_ = 0.0
        cdef Py_ssize_t k
        self.tables.append(array)
        for k in range(1, max_count + 1):
            sum_ += log(alpha + k - 1)
            if k % SUMS_EVERY == 0:
                view[k // SUMS_EVERY] = sum_
        return &view[0]

    cdef const int64_t* steps(self, const int64_t* table, Py_ssize_t max_count) except NULL:
        array = np.zeros(max_count + 1, dtype=np.int64)
        cdef int64_t[::1] view = array
        cdef Py_ssize_t k
        self.tables.append(array)
        for k in range(max_count):
            view[k] = table[k + 1] - table[k]
        return &view[0]


cdef inline int64_t _units_of(Py_ssize_t k, double alpha, double log_gamma,
                              const ScoreFunction* function) noexcept nogil:
    # What k cases add, in units, unless it is a sum of logarithms.
    if function.kind == N_GAIN:
        return llround(k * log2(<double> k) / function.unit)
    return llround((lgamma(k + alpha) - log_gamma) / function.unit)


cdef int64_t units_beyond(const Terms* terms, Py_ssize_t k, const ScoreFunction* function) noexcept nogil:
    # To the bit what a longer table would have.
    cdef double sum_
    cdef Py_ssize_t i
    if terms.sums == NULL:
        return _units_of(k, terms.alpha, terms.log_gamma_alpha, function)
    sum_ = terms.sums[k // SUMS_EVERY]
    for i in range(k // SUMS_EVERY * SUMS_EVERY + 1, k + 1):
        sum_ += log(terms.alpha + i - 1)
    return llround(sum_ / function.unit)


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
    if (n_classes != score.function.n_classes or n_branches == 0 or not 0 <= present_above <= n_classes
            or score.function.kind == OWN):
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
