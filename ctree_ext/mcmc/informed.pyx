"""Moves that weigh all tests of a node before one is proposed: redraw at the ends of a tree, retest further up.

Redraw takes a leaf or a twig (a node whose branches are leaves) and draws what it is to be instead, a leaf or any test,
in proportion to the posterior of the trees that come out. Retest takes another inner node and draws another test for it,
in proportion to a tempered likelihood of its two branches. Neither proposes what is there already (Liu, 1996). The cases
of the node are the same before and after, and so are the weights; so the way back is known from the same list.
"""

from libc.math cimport log, log1p
from libc.stdint cimport int32_t

from ctree_ext.mcmc.chain_prior cimport (
    BIRTH, CHANGE_RULE, CHANGE_SPLIT, CHIPMAN, DEATH, REDRAW, REGROW, RETEST, SWAP, shape_ratio, split_prior,
)
from ctree_ext.mcmc.chain_tree cimport (
    counts_of, current_slot, is_leaf, is_twig, leaf_log_likelihood, proposed_slot, sibling,
)
from ctree_ext.mcmc.node_tests cimport find_test, list_tests, pick, sum_but, temper, weigh, weight_of
from ctree_ext.mcmc.rng cimport next_below, next_uniform

cdef double PURE_SITE = 0.125    # how often a leaf of one class is taken, beside others; a power of 2, so that sums are exact
cdef double MOST_GAIN = 6.0      # ln of how much likelier the best test of a retest is than none


cdef double move_weight(const ChainModel* model, int move, int32_t n_inner, int32_t n_twigs) noexcept nogil:
    """The probability of a move in a tree of so many inner nodes and twigs. What a tree has no place for, redraw gets."""
    cdef double weight = model.moves[move]
    if model.moves[REDRAW] == 0:
        return weight
    if move == REDRAW:
        if n_inner < 2:
            weight += model.moves[SWAP]
        if n_inner == n_twigs:
            weight += model.moves[RETEST]
        if n_inner == 0:
            weight += (model.moves[DEATH] + model.moves[CHANGE_SPLIT] + model.moves[CHANGE_RULE]
                       + model.moves[REGROW])
    elif move != BIRTH and (n_inner == 0 or (move == SWAP and n_inner < 2) or (move == RETEST and n_inner == n_twigs)):
        weight = 0.0
    return weight


# the places of redraws


cdef double site_weight(const ChainModel* model, const ChainTree* tree, int32_t node, Py_ssize_t slot) noexcept nogil:
    """How often a leaf, with the cases of a slot, is taken for a redraw, beside others."""
    cdef const double* counts = counts_of(tree, slot)
    cdef int c, n = 0
    if tree.size[slot] < 2 * model.min_cases or tree.depth[node] >= model.max_depth:
        return 0.0
    for c in range(model.grid.n_classes):
        n += counts[c] > 0
        if n > 1:
            return 1.0
    return PURE_SITE


cdef double all_sites(const ChainModel* model, const ChainTree* tree) noexcept nogil:
    """The sum over leaves and twigs; a twig counts 1."""
    cdef double sum = tree.n_twigs
    cdef int32_t i
    for i in range(tree.n_leaves):
        sum += site_weight(model, tree, tree.leaves[i], current_slot(tree, tree.leaves[i]))
    return sum


cdef int32_t _draw_site(const ChainModel* model, const ChainTree* tree, RandomStream* stream) noexcept nogil:
    # A leaf or a twig, -1 if there is none.
    cdef double left = all_sites(model, tree), weight
    cdef int32_t i, last = -1
    if left == 0:
        return -1
    left *= next_uniform(stream)
    if left < tree.n_twigs:
        return tree.twigs[<int32_t> left]
    left -= tree.n_twigs
    for i in range(tree.n_leaves):
        weight = site_weight(model, tree, tree.leaves[i], current_slot(tree, tree.leaves[i]))
        if weight > 0:
            last = tree.leaves[i]
            if left < weight:
                return last
            left -= weight
    return last


cdef double log_sites(const ChainModel* model, const ChainTree* tree, const Proposal* proposal) noexcept nogil:
    """For a redraw whose branches are computed: ln of the probabilities of its place and of redraw itself, back less
    there."""
    cdef int32_t node = proposal.node, parent = tree.parent[proposal.node], other = sibling(tree, proposal.node)
    cdef int32_t n_inner = tree.n_inner, n_twigs = tree.n_twigs
    cdef bint twig_above = parent >= 0 and is_leaf(tree, other)
    cdef double before = all_sites(model, tree), after = before
    cdef double own_before = 1.0, own_after = 1.0
    cdef int32_t left, right
    if proposal.kind == BIRTH:
        left = tree.free_nodes[tree.n_free - 1]
        right = tree.free_nodes[tree.n_free - 2]
        own_before = site_weight(model, tree, node, current_slot(tree, node))
        after += (1.0 - own_before - twig_above + site_weight(model, tree, left, current_slot(tree, left))
                  + site_weight(model, tree, right, current_slot(tree, right)))
        n_inner += 1
        n_twigs += 1 - twig_above
    else:
        left = tree.left[node]
        right = tree.right[node]
        after -= (site_weight(model, tree, left, current_slot(tree, left))
                  + site_weight(model, tree, right, current_slot(tree, right)))
        if proposal.kind == DEATH:
            own_after = site_weight(model, tree, node, current_slot(tree, node))
            after += own_after - 1.0 + twig_above
            n_inner -= 1
            n_twigs -= 1 - twig_above
        else:
            after += (site_weight(model, tree, left, proposed_slot(tree, left))
                      + site_weight(model, tree, right, proposed_slot(tree, right)))
    return (log(own_after / after * move_weight(model, REDRAW, n_inner, n_twigs))
            - log(own_before / before * move_weight(model, REDRAW, tree.n_inner, tree.n_twigs)))


# weights


cdef int32_t list_redraws(ChainModel* model, ChainTree* tree, int32_t node, double power, double* leaf) noexcept nogil:
    """List the tests that a leaf or a twig may have, each with its weight, and find that of a leaf."""
    cdef Py_ssize_t slot = current_slot(tree, node)
    cdef double k = tree.n_leaves - (0 if is_leaf(tree, node) else 1), of_leaf, most
    cdef int32_t n
    leaf[0] = 1.0
    if k >= model.max_leaves:
        return 0
    n = list_tests(model, tree, node, slot)
    if model.prior == CHIPMAN:
        of_leaf = (log1p(-split_prior(model, tree.depth[node])) - log(split_prior(model, tree.depth[node]))
                   - 2 * log1p(-split_prior(model, tree.depth[node] + 1)))
    else:
        of_leaf = -log(shape_ratio(model, k))
    most = max(temper(model, n, leaf_log_likelihood(tree, slot), power), of_leaf)
    weigh(model, n, most)
    leaf[0] = weight_of(of_leaf, most)
    return n


cdef int32_t list_retests(ChainModel* model, ChainTree* tree, int32_t node, Py_ssize_t slot, double power) noexcept nogil:
    """List the tests that a node with the cases of a slot may have, each with a tempered weight."""
    cdef int32_t n = list_tests(model, tree, node, slot), i
    cdef double none = leaf_log_likelihood(tree, slot), gain = 0.0, share = power
    for i in range(n):
        gain = max(gain, model.listed[i].value - none)
    if power * gain > MOST_GAIN:
        share = MOST_GAIN / gain
    weigh(model, n, temper(model, n, none, share))
    return n


cdef int32_t _one_of(const ChainModel* model, int32_t i, int32_t but, RandomStream* stream) noexcept nogil:
    # One of the tests of an entry, without `but` if it is among them.
    cdef int32_t first = model.listed[i].test, count = model.listed[i].count, test
    if first <= but < first + count:
        test = first + <int32_t> next_below(stream, count - 1)
        return test + (test >= but)
    return first + <int32_t> next_below(stream, count)


cdef double _log_way(const ChainModel* model, int32_t n, int32_t now, int32_t new, double leaf) noexcept nogil:
    # ln of the probability to draw the present test among all but the new one, less that of the new among all but the
    # present.
    cdef double of_now = leaf if now == n else model.listed[now].value
    cdef double of_new = leaf if new == n else model.listed[new].value
    return log(of_now / sum_but(model, n, new, leaf)) - log(of_new / sum_but(model, n, now, leaf))


# drawing


cdef void draw_redraw(ChainModel* model, ChainTree* tree, Proposal* proposal, double power,
                      RandomStream* stream) noexcept nogil:
    """Draw what a leaf or a twig is to be; the node is -1 if there is nothing else that it could be."""
    cdef int32_t node = _draw_site(model, tree, stream), n, now, new
    cdef double leaf
    if node < 0:
        return
    n = list_redraws(model, tree, node, power, &leaf)
    now = n if is_leaf(tree, node) else find_test(model, n, tree.test[node])
    if now < 0:  # weights so different that a sum loses the small ones
        return
    new = pick(model, n, now, leaf, next_uniform(stream))
    if new < 0:
        return
    proposal.node = node
    proposal.log_way = _log_way(model, n, now, new, leaf)
    if new == n:
        proposal.kind = DEATH
    else:
        proposal.kind = BIRTH if now == n else CHANGE_SPLIT
        proposal.test = _one_of(model, new, tree.test[node], stream)


cdef void draw_retest(ChainModel* model, ChainTree* tree, Proposal* proposal, double power,
                      RandomStream* stream) noexcept nogil:
    """Draw another test for an inner node that is no twig."""
    cdef int32_t number, i = -1, n, now, new, node
    if tree.n_inner == tree.n_twigs:
        return
    number = next_below(stream, tree.n_inner - tree.n_twigs)
    while True:
        i += 1
        if not is_twig(tree, tree.inner[i]):
            if number == 0:
                break
            number -= 1
    node = tree.inner[i]
    n = list_retests(model, tree, node, current_slot(tree, node), power)
    now = find_test(model, n, tree.test[node])
    if now < 0:
        return
    new = pick(model, n, now, 0.0, next_uniform(stream))
    if new < 0:
        return
    proposal.node = node
    proposal.kind = CHANGE_SPLIT
    proposal.test = _one_of(model, new, tree.test[node], stream)
    proposal.log_way = _log_way(model, n, now, new, 0.0)
