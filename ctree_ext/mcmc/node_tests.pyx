"""All tests that a node may have, and what each of them is worth there.

The cases of the node are gone through once for each attribute, in the order of its levels, so that a node of few cases
costs little, however many thresholds there are.
"""

from libc.math cimport INFINITY, exp, log
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memcpy

from ctree_ext.base.bits cimport WORD, count_bits
from ctree_ext.base.bayes cimport log_likelihood_of_weights
from ctree_ext.mcmc.chain_prior cimport CHIPMAN, list_bits, tests_of
from ctree_ext.mcmc.chain_tree cimport UNKNOWN, counts_of, cover_of
from ctree_ext.mcmc.listing_cache cimport KeptListing, ListedTest, cache_find, cache_keep
from ctree_ext.mcmc.test_grid cimport Grid

cdef double LOWEST = -27.0
cdef double LEAST = exp(LOWEST)


cdef inline void _add(ChainModel* model, ChainTree* tree, Py_ssize_t slot, int32_t test, int32_t count,
                      double part, int32_t* n) noexcept nogil:
    # Tests that divide the cases into those of `model.part_counts` and the others, if both are enough.
    cdef const double* counts = counts_of(tree, slot)
    cdef double rest = tree.size[slot] - part
    cdef int c
    if not (part >= model.min_cases and rest >= model.min_cases):
        return
    for c in range(model.grid.n_classes):
        model.rest_counts[c] = counts[c] - model.part_counts[c]
    if model.grid.weights != NULL:  # sums in another order may be less than nothing by their last bits
        for c in range(model.grid.n_classes):
            model.rest_counts[c] = max(model.rest_counts[c], 0.0)
    model.listed[n[0]].test = test
    model.listed[n[0]].count = count
    model.listed[n[0]].value = (log_likelihood_of_weights(&model.leaf_prior, model.part_counts, part)
                                + log_likelihood_of_weights(&model.leaf_prior, model.rest_counts, rest))
    n[0] += 1


cdef inline double _take(ChainModel* model, int32_t bit) noexcept nogil:
    # Count a case as one of the part; its weight.
    cdef double weight = 1.0 if model.grid.weights == NULL else model.grid.weights[bit]
    model.part_counts[model.word_class[bit // WORD]] += weight
    return weight


cdef inline void _begin(ChainModel* model) noexcept nogil:
    cdef int c
    for c in range(model.grid.n_classes):
        model.part_counts[c] = 0.0


cdef void _by_columns(ChainModel* model, ChainTree* tree, Py_ssize_t slot, int32_t attribute, int32_t* n) noexcept nogil:
    # By counting the bits of each test.
    cdef const Grid* grid = model.grid
    cdef const uint64_t* cover = cover_of(tree, slot)
    cdef const uint64_t* column
    cdef int32_t test
    cdef Py_ssize_t w
    cdef int64_t bits, part
    cdef int c
    for test in range(grid.first[attribute], grid.first[attribute + 1]):
        column = grid.columns + grid.base[test] * grid.n_words
        part = 0
        for c in range(grid.n_classes):
            bits = 0
            for w in range(grid.class_start[c], grid.class_start[c + 1]):
                bits += count_bits(cover[w] & column[w])
            model.part_counts[c] = <double> bits
            part += bits
        _add(model, tree, slot, test, 1, <double> part, n)
    model.watch.work += grid.n_words * tests_of(model, attribute)


cdef void _by_values(ChainModel* model, ChainTree* tree, Py_ssize_t slot, int32_t attribute, int32_t n_bits,
                     int32_t* n) noexcept nogil:
    # Tests of single values, by going through the listed cases once for each value that some of them has.
    cdef const int32_t* level = model.grid.level[attribute]
    cdef int32_t r, i
    cdef double part
    for r in range(tests_of(model, attribute)):
        part = 0.0
        _begin(model)
        for i in range(n_bits):
            if level[model.bits[i]] == r:
                part += _take(model, model.bits[i])
        if part > 0:
            _add(model, tree, slot, model.grid.first[attribute] + r, 1, part, n)
    model.watch.work += n_bits * tests_of(model, attribute)


cdef void _sort_bits(ChainModel* model, const int32_t* level, int32_t n) noexcept nogil:
    # The listed cases by level, into `model.sorted_bits`: Shell's method, as they are few.
    cdef int32_t gap = 1, i, j, bit, x
    for i in range(n):
        model.sorted_bits[i] = model.bits[i]
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            bit = model.sorted_bits[i]
            x = level[bit]
            j = i
            while j >= gap and level[model.sorted_bits[j - gap]] > x:
                model.sorted_bits[j] = model.sorted_bits[j - gap]
                j -= gap
            model.sorted_bits[j] = bit
        gap //= 3
    model.watch.work += 8 * n


cdef void _filter_bits(ChainModel* model, const uint64_t* cover, const int32_t* order) noexcept nogil:
    # The same for many: those of all cases in their order that are here.
    cdef int32_t bit, n = 0
    cdef Py_ssize_t i
    for i in range(model.grid.n):
        bit = order[i]
        if cover[bit // WORD] >> (bit % WORD) & 1:
            model.sorted_bits[n] = bit
            n += 1
    model.watch.work += model.grid.n


cdef void _by_order(ChainModel* model, ChainTree* tree, Py_ssize_t slot, int32_t attribute, int32_t n_bits,
                    int32_t* n) noexcept nogil:
    # Thresholds: all between two neighbouring levels of the node's cases together.
    cdef const int32_t* level = model.grid.level[attribute]
    cdef int32_t i, here, there
    cdef double part = 0.0
    if n_bits < 2:
        return
    if 10 * <int64_t> n_bits < model.grid.n:
        _sort_bits(model, level, n_bits)
    else:
        _filter_bits(model, cover_of(tree, slot), model.grid.order[attribute])
    _begin(model)
    for i in range(n_bits - 1):
        part += _take(model, model.sorted_bits[i])
        here = level[model.sorted_bits[i]]
        there = level[model.sorted_bits[i + 1]]
        if here < there:
            _add(model, tree, slot, model.grid.first[attribute] + here, there - here, part, n)
    model.watch.work += n_bits


cdef int32_t list_tests(ChainModel* model, ChainTree* tree, int32_t node, Py_ssize_t slot) noexcept nogil:
    """List the valid tests of a node in `model.listed`, each with ln m of both branches; how many entries there are."""
    cdef const KeptListing* kept
    cdef int32_t n
    if tree.depth[node] >= model.max_depth or tree.size[slot] < 2 * model.min_cases:
        return 0
    kept = cache_find(&model.listings, cover_of(tree, slot))
    if kept != NULL:
        n = kept.n
        if n > 0:
            memcpy(model.listed, kept.tests, n * sizeof(ListedTest))
        model.watch.work += n
    else:
        n = _list_anew(model, tree, slot)
        cache_keep(&model.listings, cover_of(tree, slot), model.listed, n)
    if model.local:
        _count_listed(model, tree, slot, n)
    return n


cdef void _count_listed(ChainModel* model, ChainTree* tree, Py_ssize_t slot, int32_t n) noexcept nogil:
    # How many tests of each attribute are listed, which need not be counted again then.
    cdef int32_t i, a, n_attributes = model.grid.n_attributes
    model.listed_attributes = 0
    model.listed_tests = 0
    for a in range(n_attributes):
        model.listed_of[a] = 0
    for i in range(n):
        a = model.grid.attribute[model.listed[i].test]
        model.listed_attributes += model.listed_of[a] == 0
        model.listed_of[a] += model.listed[i].count
        model.listed_tests += model.listed[i].count
    if tree.n_valid_attributes[slot] == UNKNOWN:
        memcpy(tree.n_valid + slot * n_attributes, model.listed_of, n_attributes * sizeof(int32_t))
        tree.n_valid_attributes[slot] = model.listed_attributes
        tree.n_valid_tests[slot] = model.listed_tests
        tree.splittable[slot] = n > 0


cdef int32_t _list_anew(ChainModel* model, ChainTree* tree, Py_ssize_t slot) noexcept nogil:
    cdef const Grid* grid = model.grid
    cdef int32_t a, n = 0, n_bits = -1
    cdef bint columns = grid.weights == NULL and not grid.by_list
    for a in range(grid.n_attributes):
        # Thresholds always in the same way, so that a case of weight 2 leads to the same draws as two cases.
        if columns and not grid.ordered[a] and (<double> tests_of(model, a)) * grid.n_words <= tree.size[slot]:
            _by_columns(model, tree, slot, a, &n)
            continue
        if n_bits < 0:
            n_bits = list_bits(model, tree, slot)
        if grid.ordered[a]:
            _by_order(model, tree, slot, a, n_bits, &n)
        elif columns and grid.n_words < n_bits:
            _by_columns(model, tree, slot, a, &n)
        else:
            _by_values(model, tree, slot, a, n_bits, &n)
    return n


cdef int32_t find_test(const ChainModel* model, int32_t n, int32_t test) noexcept nogil:
    """Where a test is among n entries; -1 if it is not valid."""
    cdef int32_t low = 0, high = n, middle
    while low < high:  # entries ascend
        middle = (low + high) // 2
        if model.listed[middle].test + model.listed[middle].count <= test:
            low = middle + 1
        else:
            high = middle
    return low if low < n and model.listed[low].test <= test else -1


cdef double _log_prior_of(const ChainModel* model, int32_t attribute) noexcept nogil:
    # ln of the prior of each valid test of an attribute, given that the node has a test.
    if model.prior != CHIPMAN:
        return model.log_priors[attribute]
    if model.per_test:
        return -log(<double> model.listed_tests)
    return -log(<double> model.listed_attributes * model.listed_of[attribute])


cdef double temper(ChainModel* model, int32_t n, double none, double share) noexcept nogil:
    """Turn ln m of each entry into ln of (m / m of no test)^share times its prior; the greatest of them."""
    cdef int32_t i, attribute = -1
    cdef double of_attribute = 0.0, most = -INFINITY
    for i in range(n):
        if model.grid.attribute[model.listed[i].test] != attribute:
            attribute = model.grid.attribute[model.listed[i].test]
            of_attribute = _log_prior_of(model, attribute)
        model.listed[i].value = share * (model.listed[i].value - none) + of_attribute
        most = max(most, model.listed[i].value)
    return most


cdef double weight_of(double value, double most) noexcept nogil:
    # Not less than a billionth of a thousandth of the greatest, so that nothing is lost by rounding.
    return exp(value - most) if value - most > LOWEST else LEAST


cdef void weigh(ChainModel* model, int32_t n, double most) noexcept nogil:
    """Turn ln of weights into weights, of which the greatest is about 1."""
    cdef int32_t i
    for i in range(n):
        model.listed[i].value = weight_of(model.listed[i].value, most)
    model.watch.work += 8 * n


# Sums of weights, and draws: an entry weighs as often as it has tests, and beside the n entries there is one of weight
# `other`, of number n. Of the entry `but` one test is left out, or the other if it is n.


cdef double sum_but(const ChainModel* model, int32_t n, int32_t but, double other) noexcept nogil:
    """The sum of all weights but one."""
    cdef double sum = 0.0 if but == n else other
    cdef int32_t i
    for i in range(n):
        sum += (model.listed[i].count - (i == but)) * model.listed[i].value
    return sum


cdef int32_t pick(const ChainModel* model, int32_t n, int32_t but, double other, double share) noexcept nogil:
    """The entry at which the sum of weights passes a share of all; -1 if there is none."""
    cdef double left = share * sum_but(model, n, but, other), weight
    cdef int32_t i, last = -1
    for i in range(n):
        weight = (model.listed[i].count - (i == but)) * model.listed[i].value
        if weight > 0:
            last = i
            if left < weight:
                return i
            left -= weight
    return n if but != n and other > 0 else last
