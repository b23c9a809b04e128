"""What is asked of the trees of a chain: the priors of Denison and of Chipman, and the tests that a node may have."""

from libc.math cimport ceil, lgamma, log, log1p
from libc.stdint cimport int32_t, uint64_t

from ctree_ext.rules.bitsets cimport WORD, count_bits
from ctree_ext.mcmc.chain_tree cimport UNKNOWN, ChainTree, cover_of, holding


cdef enum:
    MAX_EXTREMES = 16  # beyond, levels are weighed


cdef int32_t _list_bits(Rules* rules, ChainTree* tree, Py_ssize_t slot) noexcept nogil:
    # The bits of the cases at a node.
    cdef const uint64_t* cover = cover_of(tree, slot)
    cdef Py_ssize_t w
    cdef int32_t n = 0, bit
    cdef uint64_t word
    for w in range(rules.grid.n_words):
        word = cover[w]
        bit = <int32_t> (w * WORD)
        while word:
            if word & 1:
                rules.bits[n] = bit
                n += 1
            word >>= 1
            bit += 1
    rules.work += rules.grid.n_words + n
    return n


cdef void _weigh_levels(Rules* rules, int32_t attribute, int32_t n) noexcept nogil:
    # How much of the n listed cases has each level.
    cdef const Grid* grid = rules.grid
    cdef const int32_t* level = grid.level[attribute]
    cdef int32_t i
    for i in range(grid.n_levels[attribute]):
        rules.levels[i] = 0.0
    if grid.weights == NULL:
        for i in range(n):
            rules.levels[level[rules.bits[i]]] += 1.0
    else:
        for i in range(n):
            rules.levels[level[rules.bits[i]]] += grid.weights[rules.bits[i]]
    rules.work += n + grid.n_levels[attribute]


cdef inline bint _fits(const Rules* rules, double part, double whole) noexcept nogil:
    return part >= rules.min_cases and whole - part >= rules.min_cases


cdef int32_t _among_levels(Rules* rules, int32_t attribute, double size, int32_t number) noexcept nogil:
    # How many tests on the weighed levels are valid, or, if number >= 0, which is the one of that number.
    cdef int32_t r, found = 0
    cdef double part = 0.0
    for r in range(tests_of(rules, attribute)):
        part = part + rules.levels[r] if rules.grid.ordered[attribute] else rules.levels[r]
        if _fits(rules, part, size):
            if found == number:
                return r
            found += 1
    return found


cdef int32_t _among_columns(Rules* rules, ChainTree* tree, Py_ssize_t slot, int32_t attribute,
                            int32_t number) noexcept nogil:
    # The same by counting the bits of each test.
    cdef const Grid* grid = rules.grid
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
        if _fits(rules, n, tree.size[slot]):
            if found == number:
                return test - grid.first[attribute]
            found += 1
    rules.work += grid.n_words * tests_of(rules, attribute)
    return found


cdef int32_t _among_extremes(Rules* rules, int32_t attribute, int32_t n, int32_t number) noexcept nogil:
    # The same for thresholds on the n listed cases. With m cases needed on either side, a threshold is valid from the
    # m-th lowest level on, and below the m-th highest.
    cdef const int32_t* level = rules.grid.level[attribute]
    cdef int32_t low[MAX_EXTREMES]
    cdef int32_t high[MAX_EXTREMES]
    cdef int32_t m = <int32_t> ceil(rules.min_cases), i, k, x
    for k in range(m):
        low[k] = rules.grid.n_levels[attribute]
        high[k] = -1
    for i in range(n):
        x = level[rules.bits[i]]
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
    rules.work += n
    if number >= 0:
        return low[m - 1] + number
    return max(high[m - 1] - low[m - 1], 0)


cdef int32_t _among(Rules* rules, ChainTree* tree, Py_ssize_t slot, int32_t attribute, int32_t number,
                    int32_t* n_listed) noexcept nogil:
    # The number of valid tests of an attribute at a node, or the one of a number, by whichever way is shortest;
    # n_listed is -1 until the cases have been listed.
    cdef const Grid* grid = rules.grid
    cdef int32_t n_tests = tests_of(rules, attribute)
    cdef bint whole = grid.weights == NULL
    if whole and not grid.by_list and (n_tests == 1 or 2.0 * n_tests * grid.n_words <= tree.size[slot]):
        return _among_columns(rules, tree, slot, attribute, number)
    if n_listed[0] < 0:
        n_listed[0] = _list_bits(rules, tree, slot)
    if whole and grid.ordered[attribute] and rules.min_cases <= MAX_EXTREMES:
        return _among_extremes(rules, attribute, n_listed[0], number)
    _weigh_levels(rules, attribute, n_listed[0])
    return _among_levels(rules, attribute, tree.size[slot], number)


cdef bint find_open(Rules* rules, ChainTree* tree, int32_t node, Py_ssize_t slot) noexcept nogil:
    # Whether a node may have any test at all.
    cdef int32_t a, n_listed = -1
    if tree.is_open[slot] != UNKNOWN:
        return tree.is_open[slot]
    tree.is_open[slot] = 0
    if tree.depth[node] >= rules.max_depth:
        return False
    if not rules.local:
        tree.is_open[slot] = rules.grid.n_tests > 0
        return tree.is_open[slot]
    if tree.size[slot] >= 2 * rules.min_cases:
        for a in range(rules.grid.n_attributes):
            if _among(rules, tree, slot, a, -1, &n_listed) > 0:
                tree.is_open[slot] = 1
                return True
    return False


cdef void count_valid(Rules* rules, ChainTree* tree, int32_t node, Py_ssize_t slot) noexcept nogil:
    # The valid tests of each attribute, unless they have been counted.
    cdef int32_t a, n_listed = -1
    cdef int32_t* n_valid = tree.n_valid + slot * rules.grid.n_attributes
    if tree.n_open[slot] != UNKNOWN:
        return
    tree.n_open[slot] = 0
    tree.n_all_valid[slot] = 0
    for a in range(rules.grid.n_attributes):
        n_valid[a] = 0
        if tree.depth[node] < rules.max_depth:
            n_valid[a] = _among(rules, tree, slot, a, -1, &n_listed) if rules.local else tests_of(rules, a)
        tree.n_open[slot] += n_valid[a] > 0
        tree.n_all_valid[slot] += n_valid[a]
    tree.is_open[slot] = tree.n_open[slot] > 0


cdef int32_t nth_valid(Rules* rules, ChainTree* tree, Py_ssize_t slot, int32_t attribute, int32_t number) noexcept nogil:
    # One of the valid tests of an attribute, by its number among them.
    cdef int32_t first = rules.grid.first[attribute], n_listed = -1
    if not rules.local:
        return first + number
    return first + _among(rules, tree, slot, attribute, number, &n_listed)


cdef double log_test_chance(Rules* rules, ChainTree* tree, int32_t node, Py_ssize_t slot, int32_t test) noexcept nogil:
    # By the prior, given that the node has a test.
    cdef int32_t a = rules.grid.attribute[test]
    if not rules.local:
        if rules.prior == CHIPMAN and rules.per_test:
            return -log(<double> rules.grid.n_tests)
        return -log(<double> rules.grid.n_attributes * tests_of(rules, a))
    count_valid(rules, tree, node, slot)
    if rules.per_test:
        return -log(<double> tree.n_all_valid[slot])
    return -log(<double> tree.n_open[slot] * tree.n_valid[slot * rules.grid.n_attributes + a])


cdef double log_leaf_chance(Rules* rules, ChainTree* tree, int32_t node, Py_ssize_t slot) noexcept nogil:
    # Chipman's; a node that can have no test is certain to be a leaf.
    return log1p(-split_chance(rules, tree.depth[node])) if find_open(rules, tree, node, slot) else 0.0


cdef double log_prior(Rules* rules, ChainTree* tree) noexcept nogil:
    cdef double sum = 0.0, inner
    cdef int32_t i, node
    for i in range(tree.n_inner):
        node = tree.inner[i]
        sum += log_test_chance(rules, tree, node, holding(tree, node), tree.test[node])
        if rules.prior == CHIPMAN:
            sum += log(split_chance(rules, tree.depth[node]))
    if rules.prior == CHIPMAN:
        for i in range(tree.n_leaves):
            node = tree.leaves[i]
            sum += log_leaf_chance(rules, tree, node, holding(tree, node))
        return sum
    # One over the number of leaves there may be, and over the number of trees that have so many: Catalan's.
    inner = tree.n_leaves - 1
    return sum - log(<double> rules.most_leaves) - (lgamma(2 * inner + 1) - lgamma(inner + 1) - lgamma(inner + 2))
