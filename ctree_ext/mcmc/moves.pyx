"""Reversible jumps: birth, death, change of a split, change of a rule, and the swap of two tests.

A proposal is drawn, then weighed, then accepted or not. R is the ratio of the posteriors of the two trees times that of
the chances to propose the way back and the way there. The chances of the new test cancel against its prior in births
and deaths; elsewhere whatever does not cancel is written out.

Only what a move changes is worked out anew: the two leaves of a birth, or the nodes under the test that is changed.
"""

from libc.math cimport INFINITY, exp, log, log1p, round
from libc.stdint cimport int32_t, uint8_t

from ctree_ext.mcmc.chain_prior cimport (
    BIRTH, CHANGE_SPLIT, CHIPMAN, DEATH, N_MOVES, SWAP, SWEEP_LATENT, SWEEP_PAPER, count_valid, log_leaf_chance,
    log_test_chance, nth_valid, split_chance, tests_of,
)
from ctree_ext.mcmc.chain_tree cimport (
    COLLAPSED, LEAF, PASS_LEFT, PASS_RIGHT, SPLIT, copy_cases, counts_of, cover_of, forget_valid, holding, is_leaf,
    is_reached, proposed, sibling, standing_worth, tree_birth, tree_death, tree_splice, tree_turn,
)
from ctree_ext.mcmc.leaf_likelihood cimport leaf_worth
from ctree_ext.mcmc.rng cimport next_below, next_normal, next_uniform
from ctree_ext.mcmc.test_grid cimport Grid, leave_cover, split_cover


ctypedef struct Retest:
    # Two nodes at most whose tests are proposed to be others; the first is the upper one.
    int32_t upper
    int32_t upper_test
    int32_t lower
    int32_t lower_test


cdef inline int32_t _test_of(const ChainTree* tree, int32_t node, const Retest* retest) noexcept nogil:
    if node == retest.upper:
        return retest.upper_test
    return retest.lower_test if node == retest.lower else tree.test[node]


# drawing


cdef int draw_move(const Rules* rules, RandomStream* stream) noexcept nogil:
    cdef double u = next_uniform(stream)
    cdef int move = 0, last = N_MOVES - 1
    while last and rules.moves[last] == 0:  # rounding must not lead to a move that is never to be made
        last -= 1
    while move < last and u >= rules.moves[move]:
        u -= rules.moves[move]
        move += 1
    return move


cdef Proposal draw_proposal(Rules* rules, ChainTree* tree, int move, RandomStream* stream) noexcept nogil:
    """A proposal of this move; its node is -1 if there is none for it."""
    cdef Proposal proposal = Proposal(move, -1, LEAF, -INFINITY, SPLIT, 0.0, -1, False)
    if move == BIRTH:
        if tree.n_leaves < rules.most_leaves:
            proposal.node = tree.leaves[next_below(stream, tree.n_leaves)]
            proposal.test = _draw_any_test(rules, tree, proposal.node, stream)
    elif move == DEATH:
        if tree.n_twigs:
            proposal.node = tree.twigs[next_below(stream, tree.n_twigs)]
        return proposal
    elif move == SWAP:
        if tree.n_inner > 1:
            proposal.node = tree.inner[next_below(stream, tree.n_inner - 1)]
            if proposal.node == tree.root:
                proposal.node = tree.inner[tree.n_inner - 1]
        return proposal
    elif tree.n_inner:
        proposal.node = tree.inner[next_below(stream, tree.n_inner)]
        if move == CHANGE_SPLIT:
            proposal.test = _draw_other_split(rules, tree, proposal.node, stream)
        else:
            proposal.test = _draw_other_rule(rules, tree, proposal.node, stream)
    if proposal.test == LEAF:
        proposal.node = -1
    return proposal


cdef bint _can_be_first(Rules* rules, ChainTree* tree, int32_t test) noexcept nogil:
    # Whether a tree of a single leaf may get this test.
    cdef int32_t left = tree.free_nodes[tree.n_free - 1], right = tree.free_nodes[tree.n_free - 2]
    cdef uint8_t how = SPLIT
    return (rules.most_leaves > 1 and rules.max_depth > 0
            and _branch(rules, tree, holding(tree, tree.root), test, holding(tree, left), holding(tree, right), &how)
            and how == SPLIT)


cdef bint has_first_birth(Rules* rules, ChainTree* tree) noexcept nogil:
    """Whether any birth is available to a tree of a single leaf; without one it cannot become anything else."""
    cdef int32_t test
    for test in range(rules.grid.n_tests):
        if _can_be_first(rules, tree, test):
            return True
    return False


cdef Proposal draw_first_birth(Rules* rules, ChainTree* tree, RandomStream* stream) noexcept nogil:
    """One of the available births of a tree of a single leaf, as they would come if proposals were drawn without end."""
    cdef Proposal proposal = Proposal(BIRTH, -1, LEAF, -INFINITY, SPLIT, 0.0, -1, False)
    cdef double chance, total = 0.0
    cdef int32_t test
    for test in range(rules.grid.n_tests):
        if _can_be_first(rules, tree, test):
            # Each takes the place of the one before with its share of the chances so far.
            chance = exp(log_test_chance(rules, tree, tree.root, holding(tree, tree.root), test))
            total += chance
            if next_uniform(stream) * total < chance:
                proposal.node = tree.root
                proposal.test = test
    return proposal


cdef int32_t _draw_any_test(Rules* rules, ChainTree* tree, int32_t node, RandomStream* stream) noexcept nogil:
    # A test by the prior, or LEAF if the node can have none.
    cdef Py_ssize_t slot = holding(tree, node)
    cdef const int32_t* n_valid
    cdef int32_t a, number
    if tree.depth[node] >= rules.max_depth or rules.grid.n_tests == 0:
        return LEAF
    if not rules.local:
        if rules.prior == CHIPMAN and rules.per_test:
            return next_below(stream, rules.grid.n_tests)
        a = next_below(stream, rules.grid.n_attributes)
        return rules.grid.first[a] + <int32_t> next_below(stream, tests_of(rules, a))
    count_valid(rules, tree, node, slot)
    n_valid = tree.n_valid + slot * rules.grid.n_attributes
    if tree.n_open[slot] == 0:
        return LEAF
    if rules.per_test:
        number = next_below(stream, tree.n_all_valid[slot])
        a = 0
        while number >= n_valid[a]:
            number -= n_valid[a]
            a += 1
        return nth_valid(rules, tree, slot, a, number)
    a = _nth_open(n_valid, next_below(stream, tree.n_open[slot]), -1)
    return nth_valid(rules, tree, slot, a, next_below(stream, n_valid[a]))


cdef int32_t _nth_open(const int32_t* n_valid, int32_t number, int32_t but) noexcept nogil:
    # The attribute of this number among those that have a valid test, one of them left out.
    cdef int32_t a = 0
    while True:
        if n_valid[a] > 0 and a != but:
            if number == 0:
                return a
            number -= 1
        a += 1


cdef int32_t _draw_other_split(Rules* rules, ChainTree* tree, int32_t node, RandomStream* stream) noexcept nogil:
    # A test of another attribute, each attribute as likely as the others.
    cdef Py_ssize_t slot = holding(tree, node)
    cdef int32_t old = rules.grid.attribute[tree.test[node]], a
    cdef const int32_t* n_valid
    if not rules.local:
        if rules.grid.n_attributes < 2:
            return LEAF
        a = next_below(stream, rules.grid.n_attributes - 1)
        a += a >= old
        return rules.grid.first[a] + <int32_t> next_below(stream, tests_of(rules, a))
    count_valid(rules, tree, node, slot)
    n_valid = tree.n_valid + slot * rules.grid.n_attributes
    if tree.n_open[slot] < 2:
        return LEAF
    a = _nth_open(n_valid, next_below(stream, tree.n_open[slot] - 1), old)
    return nth_valid(rules, tree, slot, a, next_below(stream, n_valid[a]))


cdef int32_t _draw_other_rule(Rules* rules, ChainTree* tree, int32_t node, RandomStream* stream) noexcept nogil:
    # Another test of the same attribute: any, or one that is near by.
    cdef Py_ssize_t slot = holding(tree, node)
    cdef int32_t test = tree.test[node], a = rules.grid.attribute[tree.test[node]], n = tests_of(rules, a), number
    cdef double step
    if rules.rule_step > 0 and rules.grid.ordered[a]:
        step = round(next_normal(stream) * rules.rule_step * n)
        if step == 0 or not 0 <= test - rules.grid.first[a] + step < n:
            return LEAF
        return test + <int32_t> step
    if rules.local:
        count_valid(rules, tree, node, slot)
        n = tree.n_valid[slot * rules.grid.n_attributes + a]
    if n < 2:
        return LEAF
    number = next_below(stream, n - 1)
    if nth_valid(rules, tree, slot, a, number) < test:
        return nth_valid(rules, tree, slot, a, number)
    return nth_valid(rules, tree, slot, a, number + 1)


# weighing


cdef Verdict weigh(Rules* rules, ChainTree* tree, Proposal* proposal, double temper, double log_least) noexcept nogil:
    """Find ln R, or that it is below `log_least`; the likelihood counts to the power of `temper`."""
    cdef Retest retest
    cdef int32_t upper
    if proposal.node < 0:
        return UNAVAILABLE
    proposal.swept = -1
    proposal.settled = False
    proposal.how = SPLIT
    if proposal.move == BIRTH:
        return _weigh_birth(rules, tree, proposal, temper, log_least)
    if proposal.move == DEATH:
        return _weigh_death(rules, tree, proposal, temper)
    if proposal.move == SWAP:
        upper = tree.parent[proposal.node]
        retest = Retest(upper, tree.test[proposal.node], proposal.node, tree.test[upper])
    else:
        retest = Retest(proposal.node, proposal.test, -1, LEAF)
    return _weigh_change(rules, tree, proposal, &retest, temper, log_least)


cdef Verdict _weigh_birth(Rules* rules, ChainTree* tree, Proposal* proposal, double temper,
                          double log_least) noexcept nogil:
    cdef int32_t leaf = proposal.node
    cdef int32_t left = tree.free_nodes[tree.n_free - 1], right = tree.free_nodes[tree.n_free - 2]
    cdef int32_t n_twigs = tree.n_twigs + 1, other = sibling(tree, leaf)
    cdef double k = tree.n_leaves, gain = 0.0, ratio
    cdef bint latent = rules.treatment == SWEEP_LATENT
    if not latent or is_reached(tree, leaf):
        proposal.settled = True
        if (not _branch(rules, tree, holding(tree, leaf), proposal.test, holding(tree, left), holding(tree, right),
                        &proposal.how)
                or (proposal.how != SPLIT and not latent)):
            return UNAVAILABLE
        _pass_on(tree, holding(tree, leaf), holding(tree, left), holding(tree, right), proposal.how)
        gain = _branch_worth(rules, tree, proposal, leaf, left, right) - tree.worth[holding(tree, leaf)]
    if other >= 0 and is_leaf(tree, other):  # the parent is a twig no more
        n_twigs -= 1
    ratio = rules.moves[DEATH] / rules.moves[BIRTH] * k / n_twigs
    if rules.prior != CHIPMAN:
        # S_k / S_(k + 1), the numbers of trees of so many leaves
        proposal.log_ratio = temper * gain + log(ratio * (k + 1) / (2 * (2 * k - 1)))
        return WEIGHED
    proposal.log_ratio = (temper * gain + log(ratio * split_chance(rules, tree.depth[leaf]))
                          - log_leaf_chance(rules, tree, leaf, holding(tree, leaf)))
    if proposal.log_ratio < log_least:  # what follows only lowers it
        return TOO_SMALL
    tree.depth[left] = tree.depth[right] = tree.depth[leaf] + 1
    if not proposal.settled:  # where no case comes, and tests are not asked for any
        forget_valid(tree, holding(tree, left))
        forget_valid(tree, holding(tree, right))
    proposal.log_ratio += (log_leaf_chance(rules, tree, left, holding(tree, left))
                           + log_leaf_chance(rules, tree, right, holding(tree, right)))
    return WEIGHED


cdef double _branch_worth(Rules* rules, ChainTree* tree, Proposal* proposal, int32_t leaf, int32_t left,
                          int32_t right) noexcept nogil:
    # What the branches of a leaf-to-be are worth together, as far as any case comes to them.
    cdef Py_ssize_t slot
    cdef double sum = 0.0
    proposal.worth = tree.worth[holding(tree, leaf)]
    if proposal.how == COLLAPSED:
        return proposal.worth
    if proposal.how != PASS_RIGHT:
        slot = holding(tree, left)
        tree.worth[slot] = leaf_worth(&rules.worth, counts_of(tree, slot), tree.size[slot])
        sum += tree.worth[slot]
    if proposal.how != PASS_LEFT:
        slot = holding(tree, right)
        tree.worth[slot] = leaf_worth(&rules.worth, counts_of(tree, slot), tree.size[slot])
        sum += tree.worth[slot]
    return sum


cdef Verdict _weigh_death(Rules* rules, ChainTree* tree, Proposal* proposal, double temper) noexcept nogil:
    cdef int32_t node = proposal.node, left = tree.left[proposal.node], right = tree.right[proposal.node]
    cdef Py_ssize_t slot = holding(tree, node)
    cdef double k = tree.n_leaves, gain = 0.0, ratio
    if rules.treatment != SWEEP_LATENT or is_reached(tree, node):
        proposal.settled = True
        proposal.worth = leaf_worth(&rules.worth, counts_of(tree, slot), tree.size[slot])
        gain = proposal.worth - standing_worth(tree, node)
    ratio = rules.moves[BIRTH] / rules.moves[DEATH] * tree.n_twigs / (k - 1)
    if rules.prior != CHIPMAN:
        # S_k / S_(k - 1)
        proposal.log_ratio = temper * gain + log(ratio * (2 * (2 * k - 3)) / k)
        return WEIGHED
    proposal.log_ratio = (
        temper * gain + log(ratio / split_chance(rules, tree.depth[node]))
        + log1p(-split_chance(rules, tree.depth[node]))
        - log_leaf_chance(rules, tree, left, holding(tree, left))
        - log_leaf_chance(rules, tree, right, holding(tree, right)))
    return WEIGHED


cdef bint _branch(Rules* rules, ChainTree* tree, Py_ssize_t slot, int32_t test, Py_ssize_t left, Py_ssize_t right,
                  uint8_t* how) noexcept nogil:
    # Divide the cases of a slot by a test, into the slots of its branches, and see which of these have enough; False if
    # one has not, and trees are not swept.
    cdef const Grid* grid = rules.grid
    cdef bint swept = rules.treatment == SWEEP_LATENT or rules.treatment == SWEEP_PAPER
    cdef bint left_falls, right_falls
    tree.size[left] = split_cover(grid, cover_of(tree, slot), test, cover_of(tree, left), counts_of(tree, left))
    rules.work += grid.n_words
    left_falls = tree.size[left] < rules.min_cases
    # Whole counts tell at once how many are left for the other branch.
    if not swept and (left_falls
                      or (grid.weights == NULL and tree.size[slot] - tree.size[left] < rules.min_cases)):
        return False
    tree.size[right] = leave_cover(
        grid, cover_of(tree, slot), counts_of(tree, slot), tree.size[slot], cover_of(tree, left),
        counts_of(tree, left), tree.size[left], cover_of(tree, right), counts_of(tree, right))
    rules.work += grid.n_words
    right_falls = tree.size[right] < rules.min_cases
    forget_valid(tree, left)
    forget_valid(tree, right)
    if left_falls:
        how[0] = COLLAPSED if right_falls else PASS_RIGHT
    else:
        how[0] = PASS_LEFT if right_falls else SPLIT
    return swept or how[0] == SPLIT


cdef inline void _pass_on(ChainTree* tree, Py_ssize_t slot, Py_ssize_t left, Py_ssize_t right, uint8_t how) noexcept nogil:
    # All cases go where there are enough.
    if how == PASS_RIGHT:
        copy_cases(tree, slot, right)
    elif how == PASS_LEFT:
        copy_cases(tree, slot, left)


cdef bint _settle(Rules* rules, ChainTree* tree, Proposal* proposal, const Retest* retest, double* sum) noexcept nogil:
    # Work out the proposed slots of all nodes under the upper one, and the worth of the leaves; False if some leaf has
    # too few cases and nothing can be done about it.
    if rules.treatment != SWEEP_PAPER:
        return _settle_pass(rules, tree, proposal, retest, rules.treatment == SWEEP_LATENT, sum)
    # First the tree as it is proposed, of which one leaf may be short of cases; then without that leaf.
    if not _settle_pass(rules, tree, proposal, retest, False, sum):
        return False
    return proposal.swept < 0 or _settle_pass(rules, tree, proposal, retest, True, sum)


cdef bint _settle_pass(Rules* rules, ChainTree* tree, Proposal* proposal, const Retest* retest, bint sweeps,
                       double* sum) noexcept nogil:
    cdef int32_t n_stack = 1, node, left, right, short_leaf
    cdef Py_ssize_t slot, left_slot, right_slot
    cdef uint8_t how = SPLIT
    sum[0] = 0.0
    tree.n_touched = 0
    tree.stack[0] = retest.upper
    while n_stack:
        n_stack -= 1
        node = tree.stack[n_stack]
        slot = holding(tree, node) if node == retest.upper else proposed(tree, node)
        if is_leaf(tree, node):
            tree.worth[slot] = leaf_worth(&rules.worth, counts_of(tree, slot), tree.size[slot])
            sum[0] += tree.worth[slot]
            continue
        left = tree.left[node]
        right = tree.right[node]
        left_slot = proposed(tree, left)
        right_slot = proposed(tree, right)
        if not _branch(rules, tree, slot, _test_of(tree, node, retest), left_slot, right_slot, &how):
            return False
        if how != SPLIT and not sweeps:
            short_leaf = left if how == PASS_RIGHT else right
            if how == COLLAPSED or proposal.swept >= 0 or not is_leaf(tree, short_leaf):
                return False  # more than one is short
            proposal.swept = short_leaf
            how = SPLIT
        _pass_on(tree, slot, left_slot, right_slot, how)
        if how == COLLAPSED:
            _stand(rules, tree, proposal, node == retest.upper, slot, sum)
        if node == retest.upper:
            proposal.how = how
        else:
            tree.how[slot] = how
        if how == SPLIT or how == PASS_RIGHT:
            tree.touched[tree.n_touched] = right
            tree.n_touched += 1
            tree.stack[n_stack] = right
            n_stack += 1
        if how == SPLIT or how == PASS_LEFT:
            tree.touched[tree.n_touched] = left
            tree.n_touched += 1
            tree.stack[n_stack] = left
            n_stack += 1
    return True


cdef inline void _stand(Rules* rules, ChainTree* tree, Proposal* proposal, bint upper, Py_ssize_t slot,
                        double* sum) noexcept nogil:
    # An inner node that stands as a leaf. What holds for the upper one must not change yet.
    cdef double worth = leaf_worth(&rules.worth, counts_of(tree, slot), tree.size[slot])
    sum[0] += worth
    if upper:
        proposal.worth = worth
    else:
        tree.worth[slot] = worth


cdef Verdict _weigh_change(Rules* rules, ChainTree* tree, Proposal* proposal, const Retest* retest, double temper,
                           double log_least) noexcept nogil:
    cdef int32_t node = retest.upper, old = tree.test[retest.upper]
    cdef double sum, gain = 0.0, k = tree.n_leaves, before
    if rules.treatment != SWEEP_LATENT or is_reached(tree, node):
        proposal.settled = True
        if not _settle(rules, tree, proposal, retest, &sum):
            return UNAVAILABLE
        gain = sum - standing_worth(tree, node)
    proposal.log_ratio = temper * gain
    if proposal.swept >= 0:
        # scored as a death, as the paper does
        proposal.log_ratio += log(rules.moves[BIRTH] / rules.moves[DEATH] * tree.n_twigs / (k - 1)
                                  * (2 * (2 * k - 3)) / k)
        return WEIGHED
    if proposal.move == CHANGE_SPLIT and rules.prior == CHIPMAN and rules.per_test:
        # The attribute is drawn first, so a test is the likelier the fewer its attribute has; the prior knows no such
        # difference. Where it does, the two cancel.
        proposal.log_ratio += log(_n_here(rules, tree, node, retest.upper_test) / _n_here(rules, tree, node, old))
    if not rules.local:
        return WEIGHED
    if proposal.move == SWAP and not rules.per_test:
        proposal.log_ratio += log(_n_here(rules, tree, node, old) / _n_here(rules, tree, node, retest.upper_test))
    # The tests that the nodes below may have are others now, and so are their chances.
    before = _log_prior_below(rules, tree, retest, False)
    if proposal.log_ratio - before < log_least:  # the new ones are at most 1
        return TOO_SMALL
    proposal.log_ratio += _log_prior_below(rules, tree, retest, True) - before
    return WEIGHED


cdef double _n_here(Rules* rules, ChainTree* tree, int32_t node, int32_t test) noexcept nogil:
    # How many tests the node may have on the attribute of this one.
    cdef int32_t a = rules.grid.attribute[test]
    cdef Py_ssize_t slot = holding(tree, node)
    if not rules.local:
        return tests_of(rules, a)
    count_valid(rules, tree, node, slot)
    return tree.n_valid[slot * rules.grid.n_attributes + a]


cdef double _log_prior_below(Rules* rules, ChainTree* tree, const Retest* retest, bint new) noexcept nogil:
    # The chances of the tests and leaves under the upper node, as they are or as proposed.
    cdef int32_t n_stack = 2, node
    cdef Py_ssize_t slot
    cdef double sum = 0.0
    tree.stack[0] = tree.left[retest.upper]
    tree.stack[1] = tree.right[retest.upper]
    while n_stack:
        n_stack -= 1
        node = tree.stack[n_stack]
        slot = proposed(tree, node) if new else holding(tree, node)
        if is_leaf(tree, node):
            sum += log_leaf_chance(rules, tree, node, slot)
            continue
        sum += log_test_chance(rules, tree, node, slot, _test_of(tree, node, retest) if new else tree.test[node])
        tree.stack[n_stack] = tree.left[node]
        tree.stack[n_stack + 1] = tree.right[node]
        n_stack += 2
    return sum


# accepting


cdef void accept(Rules* rules, ChainTree* tree, const Proposal* proposal) noexcept nogil:
    """Make the change that was weighed last."""
    cdef int32_t node = proposal.node, upper, test
    if proposal.move == DEATH:
        tree_death(tree, node)
        tree.how[holding(tree, node)] = SPLIT
        if proposal.settled:
            tree.worth[holding(tree, node)] = proposal.worth
        return
    if proposal.move == BIRTH:
        tree_birth(tree, node, proposal.test)
        tree.how[holding(tree, tree.left[node])] = tree.how[holding(tree, tree.right[node])] = SPLIT
        tree.how[holding(tree, node)] = proposal.how
        return
    if proposal.move == SWAP:
        upper = tree.parent[node]
        test = tree.test[upper]
        tree.test[upper] = tree.test[node]
        tree.test[node] = test
        node = upper
    else:
        tree.test[node] = proposal.test
    if proposal.settled:
        tree_turn(tree)
        tree.how[holding(tree, node)] = proposal.how if proposal.swept < 0 else SPLIT
        if proposal.how == COLLAPSED:
            tree.worth[holding(tree, node)] = proposal.worth
    if proposal.swept >= 0:
        tree_splice(tree, proposal.swept)


cdef bint settle_all(Rules* rules, ChainTree* tree) noexcept nogil:
    """Work out a whole tree that has been built without its cases; False if a leaf has too few."""
    cdef Proposal proposal
    cdef Retest retest = Retest(tree.root, tree.test[tree.root], -1, LEAF)
    cdef double sum
    if is_leaf(tree, tree.root):
        return True
    proposal.swept = -1
    proposal.how = SPLIT
    if not _settle(rules, tree, &proposal, &retest, &sum) or proposal.swept >= 0:
        return False
    tree_turn(tree)
    tree.how[holding(tree, tree.root)] = proposal.how
    if proposal.how == COLLAPSED:
        tree.worth[holding(tree, tree.root)] = proposal.worth
    return True
