"""The priors of trees by Denison, by Chipman and by shape, and the tests that a node may have."""

from libc.math cimport ceil, lgamma, log, log1p
from libc.stdint cimport int32_t, uint64_t

from ctree_ext.base.bits cimport WORD, count_bits
from ctree_ext.mcmc.chain_tree cimport UNKNOWN, ChainTree, cover_of, current_slot


cdef enum:
    MAX_EXTREMES = 16  # beyond, levels are weighed


cdef int32_t list_bits(ChainModel* model, ChainTree* tree, Py_ssize_t slot) noexcept nogil:
    # The bits of the cases at a node.
    cdef const uint64_t* cover = cover_of(tree, slot)
    cdef Py_ssize_t w
    cdef int32_t n = 0, bit
    cdef uint64_t word
    for w in range(model.grid.n_words):
        word = cover[w]
        bit = <int32_t> (w * WORD)
        while word:
            if word & 1:
                model.bits[n] = bit
                n += 1
            word >>= 1
            bit += 1
    model.watch.work += model.grid.n_words + n
    return n


cdef void _weigh_levels(ChainModel* model, int32_t attribute, int32_t n) noexcept nogil:
    # How much of the n listed cases has each level.
    cdef const Grid* grid = model.grid
    cdef const int32_t* level = grid.level[attribute]
    cdef int32_t i
    for i in range(grid.n_levels[attribute]):
        model.levels[i] = 0.0
    if grid.weights == NULL:
        for i in range(n):
            model.levels[level[model.bits[i]]] += 1.0
    else:
        for i in range(n):
            model.levels[level[model.bits[i]]] += grid.weights[model.bits[i]]
    model.watch.work += n + grid.n_levels[attribute]


cdef inline bint _fits(const ChainModel* model, double part, double size) noexcept nogil:
    return part >= model.min_cases and size - part >= model.min_cases


cdef int32_t _among_levels(ChainModel* model, int32_t attribute, double size, int32_t number) noexcept nogil:
    # How many tests on the weighed levels are valid, or, if number >= 0, which is the one of that number.
    cdef int32_t r, found = 0
    cdef double part = 0.0
    for r in range(tests_of(model, attribute)):
        part = part + model.levels[r] if model.grid.ordered[attribute] else model.levels[r]
        if _fits(model, part, size):
            if found == number:
                return r
            found += 1
    return found


cdef int32_t _among_columns(ChainModel* model, ChainTree* tree, Py_ssize_t slot, int32_t attribute,
                            int32_t number) noexcept nogil:
    # The same by counting the bits of each test.
    cdef const Grid* grid = model.grid
    cdef const uint64_t* cover = cover_of(tree, slot)
    cdef const uint64_t* column
    cdef int32_t test, found = 0
    cdef Py_ssize_t w
    cdef int n
    for test in range(grid.first[attribute], grid.first[attribute + 1]):
        column = grid.columns + grid.base[test] * grid.n_words
        n = 0
        for w in range(grid.n_words):
            n += count_bits(cover[w] & column[w])
        if _fits(model, n, tree.size[slot]):
            if found == number:
                return test - grid.first[attribute]
            found += 1
    model.watch.work += grid.n_words * tests_of(model, attribute)
    return found


cdef int32_t _among_extremes(ChainModel* model, int32_t attribute, int32_t n, int32_t number) noexcept nogil:
    # The same for thresholds on the n listed cases. With m cases needed on either side, a threshold is valid from the
    # m-th lowest level on, and below the m-th highest.
    cdef const int32_t* level = model.grid.level[attribute]
    cdef int32_t low[MAX_EXTREMES]
    cdef int32_t high[MAX_EXTREMES]
    cdef int32_t m = <int32_t> ceil(model.min_cases), i, k, x
    for k in range(m):
        low[k] = model.grid.n_levels[attribute]
        high[k] = -1
    for i in range(n):
        x = level[model.bits[i]]
        if x < low[m - 1]:
            k = m - 1
            while k > 0 and x < low[k - 1]:
                low[k] = low[k - 1]
                k -= 1
            low[k] = x
        if x > high[m - 1]:
            k = m - 1
            while k > 0 and x > high[k - 1]:
                high[k] = high[k - 1]
                k -= 1
            high[k] = x
    model.watch.work += n
    if number >= 0:
        return low[m - 1] + number
    return max(high[m - 1] - low[m - 1], 0)


cdef int32_t _among(ChainModel* model, ChainTree* tree, Py_ssize_t slot, int32_t attribute, int32_t number,
                    int32_t* n_listed) noexcept nogil:
    # The number of valid tests of an attribute at a node, or the one of a number, by whichever way is shortest;
    # n_listed is -1 until the cases have been listed.
    cdef const Grid* grid = model.grid
    cdef int32_t n_tests = tests_of(model, attribute)
    cdef bint integer = grid.weights == NULL
    if integer and not grid.by_list and (n_tests == 1 or 2.0 * n_tests * grid.n_words <= tree.size[slot]):
        return _among_columns(model, tree, slot, attribute, number)
    if n_listed[0] < 0:
        n_listed[0] = list_bits(model, tree, slot)
    if integer and grid.ordered[attribute] and model.min_cases <= MAX_EXTREMES:
        return _among_extremes(model, attribute, n_listed[0], number)
    _weigh_levels(model, attribute, n_listed[0])
    return _among_levels(model, attribute, tree.size[slot], number)


cdef bint is_splittable(ChainModel* model, ChainTree* tree, int32_t node, Py_ssize_t slot) noexcept nogil:
    # Whether a node may have any test at all.
    cdef int32_t a, n_listed = -1
    if tree.splittable[slot] != UNKNOWN:
        return tree.splittable[slot]
    tree.splittable[slot] = 0
    if tree.depth[node] >= model.max_depth:
        return False
    if not model.local:
        tree.splittable[slot] = model.grid.n_tests > 0
        return tree.splittable[slot]
    if tree.size[slot] >= 2 * model.min_cases:
        for a in range(model.grid.n_attributes):
            if _among(model, tree, slot, a, -1, &n_listed) > 0:
                tree.splittable[slot] = 1
                return True
    return False


cdef void count_valid(ChainModel* model, ChainTree* tree, int32_t node, Py_ssize_t slot) noexcept nogil:
    # The valid tests of each attribute, unless they have been counted.
    cdef int32_t a, n_listed = -1
    cdef int32_t* n_valid = tree.n_valid + slot * model.grid.n_attributes
    if tree.n_valid_attributes[slot] != UNKNOWN:
        return
    tree.n_valid_attributes[slot] = 0
    tree.n_valid_tests[slot] = 0
    for a in range(model.grid.n_attributes):
        n_valid[a] = 0
        if tree.depth[node] < model.max_depth:
            n_valid[a] = _among(model, tree, slot, a, -1, &n_listed) if model.local else tests_of(model, a)
        tree.n_valid_attributes[slot] += n_valid[a] > 0
        tree.n_valid_tests[slot] += n_valid[a]
    tree.splittable[slot] = tree.n_valid_attributes[slot] > 0


cdef int32_t nth_valid(ChainModel* model, ChainTree* tree, Py_ssize_t slot, int32_t attribute,
                       int32_t number) noexcept nogil:
    # One of the valid tests of an attribute, by its number among them.
    cdef int32_t first = model.grid.first[attribute], n_listed = -1
    if not model.local:
        return first + number
    return first + _among(model, tree, slot, attribute, number, &n_listed)


cdef double log_test_prior(ChainModel* model, ChainTree* tree, int32_t node, Py_ssize_t slot,
                           int32_t test) noexcept nogil:
    # By the prior, given that the node has a test.
    cdef int32_t a = model.grid.attribute[test]
    if not model.local:
        if model.per_test:
            return -log(<double> model.grid.n_tests)
        return -log(<double> model.grid.n_attributes * tests_of(model, a))
    count_valid(model, tree, node, slot)
    # The test itself is valid. Where weights are so different that a sum loses the small ones, it may not be counted.
    if model.per_test:
        return -log(max(<double> tree.n_valid_tests[slot], 1.0))
    return -log(max(<double> tree.n_valid_attributes[slot] * tree.n_valid[slot * model.grid.n_attributes + a], 1.0))


cdef double log_leaf_prior(ChainModel* model, ChainTree* tree, int32_t node, Py_ssize_t slot) noexcept nogil:
    # Chipman's; a node that can have no test is certain to be a leaf.
    return log1p(-split_prior(model, tree.depth[node])) if is_splittable(model, tree, node, slot) else 0.0


cdef double log_prior(ChainModel* model, ChainTree* tree) noexcept nogil:
    cdef double sum = 0.0, inner
    cdef int32_t i, node
    for i in range(tree.n_inner):
        node = tree.inner[i]
        sum += log_test_prior(model, tree, node, current_slot(tree, node), tree.test[node])
        if model.prior == CHIPMAN:
            sum += log(split_prior(model, tree.depth[node]))
    if model.prior == CHIPMAN:
        for i in range(tree.n_leaves):
            node = tree.leaves[i]
            sum += log_leaf_prior(model, tree, node, current_slot(tree, node))
        return sum
    if model.prior == IMPLICIT:
        return sum
    # One over the number of leaves there may be, and over the number of trees that have so many: Catalan's.
    inner = tree.n_leaves - 1
    return sum - log(<double> model.max_leaves) - (lgamma(2 * inner + 1) - lgamma(inner + 1) - lgamma(inner + 2))
