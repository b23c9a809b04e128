"""Regrow: what is under an inner node is thrown away and grown anew, from the node down.

Each node becomes a leaf or gets a test by chance, with probabilities that follow from its cases alone: of a test by how
likely the classes are in its two branches, tempered where much hangs on it. So the probability of growing a subtree is a
product over its nodes, and that of growing back the old one is found in the same way. The node at the top always gets a
test; making a leaf of it is left to other moves.
"""

from libc.math cimport exp, lgamma, log, log1p
from libc.stdint cimport int32_t, uint8_t

from ctree_ext.mcmc.branching cimport branch
from ctree_ext.mcmc.chain_prior cimport (
    CHIPMAN, DENISON, log_leaf_prior, log_test_prior, split_prior,
)
from ctree_ext.mcmc.chain_tree cimport (
    SPLIT, copy_cases, current_slot, is_leaf, leaf_log_likelihood, tree_birth, tree_death, tree_log_likelihood,
    tree_replant, tree_reserve, tree_reserve_nodes,
)
from ctree_ext.mcmc.node_tests cimport find_test, list_tests, pick, sum_but, temper, weigh
from ctree_ext.mcmc.rng cimport next_below, next_uniform

cdef double LEAST_SPLIT = 0.005     # a node that can have a test has one with this probability at least,
cdef double MOST_SPLIT = 0.98       # and with this at most
cdef double MOST_GAIN = 6.0         # ln of how much likelier the best test is to be drawn than one that gains nothing


cdef int32_t _weigh(ChainModel* model, ChainTree* tree, int32_t node, Py_ssize_t slot, double power,
                    double* split) noexcept nogil:
    # List the tests of a node, each with the probability that it is drawn, and find that of any.
    cdef int32_t n = list_tests(model, tree, node, slot), i
    cdef double none = leaf_log_likelihood(tree, slot), gain = 0.0, most, odds, total
    split[0] = 0.0
    if n == 0:
        return 0
    for i in range(n):
        gain = max(gain, model.listed[i].value - none)
    most = temper(model, n, none, MOST_GAIN / gain if power * gain > MOST_GAIN else power)
    weigh(model, n, most)
    total = sum_but(model, n, -1, 0.0)
    odds = most + log(total) + max(power * gain - MOST_GAIN, 0.0)
    if model.prior == CHIPMAN:
        odds += (log(split_prior(model, tree.depth[node])) + 2 * log1p(-split_prior(model, tree.depth[node] + 1))
                 - log1p(-split_prior(model, tree.depth[node])))
    elif model.prior == DENISON:
        odds -= log(4.0)
    split[0] = min(max(1.0 / (1.0 + exp(min(-odds, 700.0))), LEAST_SPLIT), MOST_SPLIT)
    for i in range(n):
        model.listed[i].value /= total
    return n


cdef double log_growth(ChainModel* model, ChainTree* tree, int32_t top, double power) noexcept nogil:
    """ln of the probability that what is under a node is grown there."""
    cdef int32_t n_stack = 1, node, n, i
    cdef double sum = 0.0, split
    tree.touched[0] = top
    while n_stack:
        n_stack -= 1
        node = tree.touched[n_stack]
        n = _weigh(model, tree, node, current_slot(tree, node), power, &split)
        if is_leaf(tree, node):
            sum += log1p(-split)
            continue
        if node != top:
            sum += log(split)
        i = find_test(model, n, tree.test[node])
        sum += log(model.listed[i].value) if i >= 0 else -700.0
        tree.touched[n_stack] = tree.right[node]
        tree.touched[n_stack + 1] = tree.left[node]
        n_stack += 2
    return sum


cdef int _grow(ChainModel* model, double power, RandomStream* stream, double* log_probability) noexcept nogil:
    # Grow a subtree from the single leaf that `model.grown` is. 1 if it has come to nothing, -1 without memory.
    cdef ChainTree* tree = model.grown
    cdef int32_t n_stack = 1, node, n, i, left, right, test
    cdef double split
    cdef uint8_t node_state = SPLIT
    log_probability[0] = 0.0
    tree.touched[0] = tree.root
    while n_stack:
        n_stack -= 1
        node = tree.touched[n_stack]
        n = _weigh(model, tree, node, current_slot(tree, node), power, &split)
        if node != tree.root:
            if n == 0 or next_uniform(stream) >= split:
                log_probability[0] += log1p(-split)
                continue
            log_probability[0] += log(split)
        i = pick(model, n, -1, 0.0, next_uniform(stream))
        if i < 0 or tree.n_leaves >= model.max_leaves:
            return 1
        log_probability[0] += log(model.listed[i].value)
        test = model.listed[i].test + <int32_t> next_below(stream, model.listed[i].count)
        if tree_reserve(tree) < 0:
            return -1
        left = tree.free_nodes[tree.n_free - 1]
        right = tree.free_nodes[tree.n_free - 2]
        if (not branch(model, tree, current_slot(tree, node), test, current_slot(tree, left),
                       current_slot(tree, right), &node_state)):
            return 1
        tree_birth(tree, node, test)
        for i in range(2):
            node = right if i == 0 else left
            tree.log_likelihood[current_slot(tree, node)] = leaf_log_likelihood(tree, current_slot(tree, node))
            tree.node_state[current_slot(tree, node)] = SPLIT
            tree.touched[n_stack] = node
            n_stack += 1
    return 0


cdef int draw_regrowth(ChainModel* model, ChainTree* tree, Proposal* proposal, double power,
                       RandomStream* stream) noexcept nogil:
    """Grow another subtree for an inner node, in `model.grown`; the node is -1 if there is none. -1 without memory."""
    cdef int32_t node
    cdef double there
    cdef int status
    if tree.n_inner == 0:
        return 0
    node = tree.inner[next_below(stream, tree.n_inner)]
    tree_replant(model.grown, tree, node)
    status = _grow(model, power, stream, &there)
    if status != 0:
        return min(status, 0)
    if tree_reserve_nodes(tree, 2 * model.grown.n_inner) < 0:
        return -1
    proposal.node = node
    proposal.log_way = log_growth(model, tree, node, power) - there
    return 0


cdef double _log_prior_under(ChainModel* model, ChainTree* tree, int32_t node) noexcept nogil:
    # The prior of what is under a node, but for the number of leaves of the whole tree.
    cdef int32_t n_stack = 1
    cdef Py_ssize_t slot
    cdef double sum = 0.0
    tree.touched[0] = node
    while n_stack:
        n_stack -= 1
        node = tree.touched[n_stack]
        slot = current_slot(tree, node)
        if is_leaf(tree, node):
            if model.prior == CHIPMAN:
                sum += log_leaf_prior(model, tree, node, slot)
            continue
        sum += log_test_prior(model, tree, node, slot, tree.test[node])
        if model.prior == CHIPMAN:
            sum += log(split_prior(model, tree.depth[node]))
        tree.touched[n_stack] = tree.right[node]
        tree.touched[n_stack + 1] = tree.left[node]
        n_stack += 2
    return sum


cdef int32_t _inner_under(ChainTree* tree, int32_t node) noexcept nogil:
    # List the inner nodes under a node, itself among them, each before its branches, in `touched`; how many.
    cdef int32_t n_stack = 1, n = 0
    tree.stack[0] = node
    while n_stack:
        n_stack -= 1
        node = tree.stack[n_stack]
        if not is_leaf(tree, node):
            tree.touched[n] = node
            n += 1
            tree.stack[n_stack] = tree.right[node]
            tree.stack[n_stack + 1] = tree.left[node]
            n_stack += 2
    return n


cdef inline double _log_shape(const ChainModel* model, double inner) noexcept nogil:
    # ln of the probability of a shape with so many inner nodes, but for a constant: one over Catalan's number.
    return lgamma(inner + 1) + lgamma(inner + 2) - lgamma(2 * inner + 1) if model.prior == DENISON else 0.0


cdef double log_regrowth(ChainModel* model, ChainTree* tree, const Proposal* proposal, double power) noexcept nogil:
    """ln R of the subtree that was grown last, in place of the one that is there."""
    cdef ChainTree* grown = model.grown
    cdef int32_t node = proposal.node
    cdef double before = tree.n_inner, after = before - _inner_under(tree, node) + grown.n_inner
    return (power * (tree_log_likelihood(grown, grown.root) - tree_log_likelihood(tree, node))
            + _log_prior_under(model, grown, grown.root) - _log_prior_under(model, tree, node)
            + _log_shape(model, after) - _log_shape(model, before) + proposal.log_way + log(before / after))


cdef void replace_subtree(ChainModel* model, ChainTree* tree, int32_t node) noexcept nogil:
    """Put the subtree that was grown last in the place of the one under a node."""
    cdef ChainTree* grown = model.grown
    cdef int32_t n = _inner_under(tree, node), i, n_stack = 1, other, left, right
    for i in range(n - 1, -1, -1):
        tree_death(tree, tree.touched[i])
    tree.stack[0] = node
    grown.stack[0] = grown.root
    while n_stack:
        n_stack -= 1
        node = tree.stack[n_stack]
        other = grown.stack[n_stack]
        if is_leaf(grown, other):
            continue
        tree_birth(tree, node, grown.test[other])
        left = tree.left[node]
        right = tree.right[node]
        _copy_leaf(grown, grown.left[other], tree, left)
        _copy_leaf(grown, grown.right[other], tree, right)
        tree.stack[n_stack] = right
        tree.stack[n_stack + 1] = left
        grown.stack[n_stack] = grown.right[other]
        grown.stack[n_stack + 1] = grown.left[other]
        n_stack += 2


cdef inline void _copy_leaf(ChainTree* source, int32_t from_node, ChainTree* target, int32_t node) noexcept nogil:
    cdef Py_ssize_t from_slot = current_slot(source, from_node), slot = current_slot(target, node)
    copy_cases(source, from_slot, target, slot)
    target.log_likelihood[slot] = source.log_likelihood[from_slot]
    target.node_state[slot] = SPLIT
