"""Reversible jumps: birth, death, change of a split, change of a rule, and the swap of two tests.

A proposal is drawn, then evaluated, then accepted or not. R is the ratio of the posteriors of the two trees times that of
the probabilities to propose the way back and the way there. The probability of the new test cancels against its prior in
births and deaths; elsewhere whatever does not cancel is written out.

Only what a move changes is computed anew: the two leaves of a birth, or the nodes under the test that is changed.
"""

from libc.math cimport INFINITY, exp, log, log1p, round
from libc.stdint cimport int32_t, uint8_t

from ctree_ext.mcmc.branching cimport branch, pass_on
from ctree_ext.mcmc.chain_prior cimport (
    BIRTH, CHANGE_SPLIT, CHIPMAN, DEATH, N_MOVES, REDRAW, REGROW, RETEST, SWAP, SWEEP_LATENT, SWEEP_PAPER, count_valid,
    log_leaf_prior, log_test_prior, nth_valid, shape_ratio, split_prior, spread_of, tests_of,
)
from ctree_ext.mcmc.chain_tree cimport (
    COLLAPSED, LEAF, PASS_LEFT, PASS_RIGHT, SPLIT, current_slot, forget_valid, is_leaf,
    is_reached, leaf_log_likelihood, proposed_slot, sibling, swap_slots, tree_birth, tree_death, tree_log_likelihood,
    tree_splice,
)
from ctree_ext.mcmc.informed cimport draw_redraw, draw_retest, log_sites, move_weight
from ctree_ext.mcmc.regrowth cimport draw_regrowth, log_regrowth, replace_subtree
from ctree_ext.mcmc.rng cimport next_below, next_normal, next_uniform


ctypedef struct TestChange:
    # Two nodes at most whose tests are proposed to be others; the first is the upper one.
    int32_t upper
    int32_t upper_test
    int32_t lower
    int32_t lower_test


cdef inline int32_t _test_of(const ChainTree* tree, int32_t node, const TestChange* change) noexcept nogil:
    if node == change.upper:
        return change.upper_test
    return change.lower_test if node == change.lower else tree.test[node]


# drawing


cdef int draw_move(const ChainModel* model, const ChainTree* tree, RandomStream* stream) noexcept nogil:
    """A move; if there are redraws, one that the tree has a place for."""
    cdef double u = next_uniform(stream)
    cdef int move = 0, last = N_MOVES - 1
    while last and move_weight(model, last, tree.n_inner, tree.n_twigs) == 0:
        last -= 1  # rounding must not lead to a move that is never to be made
    while move < last and u >= move_weight(model, move, tree.n_inner, tree.n_twigs):
        u -= move_weight(model, move, tree.n_inner, tree.n_twigs)
        move += 1
    return move


cdef int draw_informed(ChainModel* model, ChainTree* tree, int move, double power, RandomStream* stream,
                       Proposal* proposal) noexcept nogil:
    """A proposal of a move that weighs all tests of a node; -1 without memory."""
    proposal[0] = Proposal(move, move, -1, LEAF, 0.0, -INFINITY, SPLIT, 0.0, -1, False)
    if move == REDRAW:
        draw_redraw(model, tree, proposal, power, stream)
    elif move == RETEST:
        draw_retest(model, tree, proposal, power, stream)
    else:
        return draw_regrowth(model, tree, proposal, power, stream)
    return 0


cdef Proposal draw_proposal(ChainModel* model, ChainTree* tree, int move, RandomStream* stream) noexcept nogil:
    """A proposal of this move; its node is -1 if there is none for it."""
    cdef Proposal proposal = Proposal(move, move, -1, LEAF, 0.0, -INFINITY, SPLIT, 0.0, -1, False)
    if move == BIRTH:
        if tree.n_leaves < model.max_leaves:
            proposal.node = tree.leaves[next_below(stream, tree.n_leaves)]
            proposal.test = _draw_any_test(model, tree, proposal.node, stream)
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
            proposal.test = _draw_other_split(model, tree, proposal.node, stream)
        else:
            proposal.test = _draw_other_rule(model, tree, proposal.node, stream)
    if proposal.test == LEAF:
        proposal.node = -1
    return proposal


cdef bint _can_be_first(ChainModel* model, ChainTree* tree, int32_t test) noexcept nogil:
    # Whether a tree of a single leaf may get this test.
    cdef int32_t left = tree.free_nodes[tree.n_free - 1], right = tree.free_nodes[tree.n_free - 2]
    cdef uint8_t node_state = SPLIT
    return (model.max_leaves > 1 and model.max_depth > 0
            and branch(model, tree, current_slot(tree, tree.root), test, current_slot(tree, left),
                       current_slot(tree, right), &node_state)
            and node_state == SPLIT)


cdef bint has_first_birth(ChainModel* model, ChainTree* tree) noexcept nogil:
    """Whether any birth from a tree of a single leaf is valid; without one it cannot become anything else."""
    cdef int32_t test
    for test in range(model.grid.n_tests):
        if _can_be_first(model, tree, test):
            return True
    return False


cdef Proposal draw_first_birth(ChainModel* model, ChainTree* tree, RandomStream* stream) noexcept nogil:
    """One of the valid births from a tree of a single leaf, as they would come if proposals were drawn without end."""
    cdef Proposal proposal = Proposal(BIRTH, BIRTH, -1, LEAF, 0.0, -INFINITY, SPLIT, 0.0, -1, False)
    cdef double probability, total = 0.0
    cdef int32_t test
    for test in range(model.grid.n_tests):
        if _can_be_first(model, tree, test):
            # Each takes the place of the one before with its share of the probabilities so far.
            probability = exp(log_test_prior(model, tree, tree.root, current_slot(tree, tree.root), test))
            total += probability
            if next_uniform(stream) * total < probability:
                proposal.node = tree.root
                proposal.test = test
    return proposal


cdef int32_t _draw_any_test(ChainModel* model, ChainTree* tree, int32_t node, RandomStream* stream) noexcept nogil:
    # A test by the prior, or LEAF if the node can have none.
    cdef Py_ssize_t slot = current_slot(tree, node)
    cdef const int32_t* n_valid
    cdef int32_t a, number
    if tree.depth[node] >= model.max_depth or model.grid.n_tests == 0:
        return LEAF
    if not model.local:
        if model.per_test:
            return next_below(stream, model.grid.n_tests)
        a = next_below(stream, model.grid.n_attributes)
        return model.grid.first[a] + <int32_t> next_below(stream, tests_of(model, a))
    count_valid(model, tree, node, slot)
    n_valid = tree.n_valid + slot * model.grid.n_attributes
    if tree.n_valid_attributes[slot] == 0:
        return LEAF
    if model.per_test:
        number = next_below(stream, tree.n_valid_tests[slot])
        a = 0
        while number >= n_valid[a]:
            number -= n_valid[a]
            a += 1
        return nth_valid(model, tree, slot, a, number)
    a = _nth_valid_attribute(n_valid, next_below(stream, tree.n_valid_attributes[slot]), -1)
    return nth_valid(model, tree, slot, a, next_below(stream, n_valid[a]))


cdef int32_t _nth_valid_attribute(const int32_t* n_valid, int32_t number, int32_t but) noexcept nogil:
    # The attribute of this number among those that have a valid test, one of them left out.
    cdef int32_t a = 0
    while True:
        if n_valid[a] > 0 and a != but:
            if number == 0:
                return a
            number -= 1
        a += 1


cdef int32_t _draw_other_split(ChainModel* model, ChainTree* tree, int32_t node, RandomStream* stream) noexcept nogil:
    # A test of another attribute, each attribute as likely as the others.
    cdef Py_ssize_t slot = current_slot(tree, node)
    cdef int32_t old = model.grid.attribute[tree.test[node]], a
    cdef const int32_t* n_valid
    if not model.local:
        if model.grid.n_attributes < 2:
            return LEAF
        a = next_below(stream, model.grid.n_attributes - 1)
        a += a >= old
        return model.grid.first[a] + <int32_t> next_below(stream, tests_of(model, a))
    count_valid(model, tree, node, slot)
    n_valid = tree.n_valid + slot * model.grid.n_attributes
    if tree.n_valid_attributes[slot] < 2:
        return LEAF
    a = _nth_valid_attribute(n_valid, next_below(stream, tree.n_valid_attributes[slot] - 1), old)
    return nth_valid(model, tree, slot, a, next_below(stream, n_valid[a]))


cdef int32_t _draw_other_rule(ChainModel* model, ChainTree* tree, int32_t node, RandomStream* stream) noexcept nogil:
    # Another test of the same attribute: any, or one that is near by.
    cdef Py_ssize_t slot = current_slot(tree, node)
    cdef int32_t test = tree.test[node], a = model.grid.attribute[tree.test[node]], n = tests_of(model, a), number
    cdef double step, spread = spread_of(model, a)
    if spread > 0:
        step = round(next_normal(stream) * spread)
        if step == 0 or not 0 <= test - model.grid.first[a] + step < n:
            return LEAF
        return test + <int32_t> step
    if model.local:
        count_valid(model, tree, node, slot)
        n = tree.n_valid[slot * model.grid.n_attributes + a]
    if n < 2:
        return LEAF
    number = next_below(stream, n - 1)
    if nth_valid(model, tree, slot, a, number) < test:
        return nth_valid(model, tree, slot, a, number)
    return nth_valid(model, tree, slot, a, number + 1)


# evaluating


cdef Verdict evaluate(ChainModel* model, ChainTree* tree, Proposal* proposal, double power,
                      double log_uniform) noexcept nogil:
    """Find ln R, or that it is below `log_uniform`; the likelihood counts to the power of `power`."""
    cdef TestChange change
    cdef int32_t upper
    if proposal.node < 0:
        return INVALID
    proposal.swept = -1
    proposal.computed = False
    proposal.node_state = SPLIT
    if proposal.kind == BIRTH:
        return _evaluate_birth(model, tree, proposal, power, log_uniform)
    if proposal.kind == DEATH:
        return _evaluate_death(model, tree, proposal, power)
    if proposal.kind == REGROW:
        proposal.log_ratio = log_regrowth(model, tree, proposal, power)
        return EVALUATED
    if proposal.kind == SWAP:
        upper = tree.parent[proposal.node]
        change = TestChange(upper, tree.test[proposal.node], proposal.node, tree.test[upper])
    else:
        change = TestChange(proposal.node, proposal.test, -1, LEAF)
    return _evaluate_change(model, tree, proposal, &change, power, log_uniform)


cdef Verdict _evaluate_birth(ChainModel* model, ChainTree* tree, Proposal* proposal, double power,
                             double log_uniform) noexcept nogil:
    cdef int32_t leaf = proposal.node
    cdef int32_t left = tree.free_nodes[tree.n_free - 1], right = tree.free_nodes[tree.n_free - 2]
    cdef Py_ssize_t slot = current_slot(tree, leaf), left_slot = current_slot(tree, left)
    cdef Py_ssize_t right_slot = current_slot(tree, right)
    cdef int32_t n_twigs = tree.n_twigs + 1, other = sibling(tree, leaf)
    cdef double k = tree.n_leaves, gain = 0.0, ratio, way = 0.0
    cdef bint latent = model.treatment == SWEEP_LATENT
    if not latent or is_reached(tree, leaf):
        proposal.computed = True
        if (not branch(model, tree, slot, proposal.test, left_slot, right_slot, &proposal.node_state)
                or (proposal.node_state != SPLIT and not latent)):
            return INVALID
        pass_on(tree, slot, left_slot, right_slot, proposal.node_state)
        gain = _branch_log_likelihood(tree, proposal, slot, left_slot, right_slot) - tree.log_likelihood[slot]
    if other >= 0 and is_leaf(tree, other):  # the parent is a twig no more
        n_twigs -= 1
    tree.depth[left] = tree.depth[right] = tree.depth[leaf] + 1
    if proposal.move == BIRTH:
        ratio = model.moves[DEATH] / model.moves[BIRTH] * k / n_twigs
    else:
        ratio = 1.0
        way = (log_test_prior(model, tree, leaf, slot, proposal.test) + proposal.log_way
               + log_sites(model, tree, proposal))
    if model.prior != CHIPMAN:
        proposal.log_ratio = power * gain + log(ratio * shape_ratio(model, k)) + way
        return EVALUATED
    proposal.log_ratio = (power * gain + log(ratio * split_prior(model, tree.depth[leaf]))
                          - log_leaf_prior(model, tree, leaf, slot) + way)
    if proposal.log_ratio < log_uniform:  # what follows only lowers it
        return TOO_SMALL
    if not proposal.computed:  # where no case comes, and tests are not asked for any
        forget_valid(tree, left_slot)
        forget_valid(tree, right_slot)
    proposal.log_ratio += (log_leaf_prior(model, tree, left, left_slot)
                           + log_leaf_prior(model, tree, right, right_slot))
    return EVALUATED


cdef double _branch_log_likelihood(ChainTree* tree, Proposal* proposal, Py_ssize_t slot, Py_ssize_t left,
                                   Py_ssize_t right) noexcept nogil:
    # The log-likelihood of both branches of a leaf that is to be split, as far as any case comes to them; all by slot.
    cdef double sum = 0.0
    proposal.log_likelihood = tree.log_likelihood[slot]
    if proposal.node_state == COLLAPSED:
        return proposal.log_likelihood
    if proposal.node_state != PASS_RIGHT:
        tree.log_likelihood[left] = leaf_log_likelihood(tree, left)
        sum += tree.log_likelihood[left]
    if proposal.node_state != PASS_LEFT:
        tree.log_likelihood[right] = leaf_log_likelihood(tree, right)
        sum += tree.log_likelihood[right]
    return sum


cdef Verdict _evaluate_death(ChainModel* model, ChainTree* tree, Proposal* proposal, double power) noexcept nogil:
    cdef int32_t node = proposal.node, left = tree.left[proposal.node], right = tree.right[proposal.node]
    cdef Py_ssize_t slot = current_slot(tree, node)
    cdef double k = tree.n_leaves, gain = 0.0, ratio, way = 0.0
    if model.treatment != SWEEP_LATENT or is_reached(tree, node):
        proposal.computed = True
        proposal.log_likelihood = leaf_log_likelihood(tree, slot)
        gain = proposal.log_likelihood - tree_log_likelihood(tree, node)
    if proposal.move == DEATH:
        ratio = model.moves[BIRTH] / model.moves[DEATH] * tree.n_twigs / (k - 1)
    else:
        ratio = 1.0
        way = (proposal.log_way + log_sites(model, tree, proposal)
               - log_test_prior(model, tree, node, slot, tree.test[node]))
    if model.prior != CHIPMAN:
        proposal.log_ratio = power * gain + log(ratio / shape_ratio(model, k - 1)) + way
        return EVALUATED
    proposal.log_ratio = (
        power * gain + log(ratio / split_prior(model, tree.depth[node]))
        + log1p(-split_prior(model, tree.depth[node]))
        - log_leaf_prior(model, tree, left, current_slot(tree, left))
        - log_leaf_prior(model, tree, right, current_slot(tree, right)) + way)
    return EVALUATED


cdef bint _compute_below(ChainModel* model, ChainTree* tree, Proposal* proposal, const TestChange* change,
                         double* sum) noexcept nogil:
    # Compute the proposed slots of all nodes under the upper one, and the log-likelihood of the leaves; False if some leaf
    # has too few cases and nothing can be done about it.
    if model.treatment != SWEEP_PAPER:
        return _compute_pass(model, tree, proposal, change, model.treatment == SWEEP_LATENT, sum)
    # First the tree as it is proposed, of which one leaf may be short of cases; then without that leaf.
    if not _compute_pass(model, tree, proposal, change, False, sum):
        return False
    return proposal.swept < 0 or _compute_pass(model, tree, proposal, change, True, sum)


cdef bint _compute_pass(ChainModel* model, ChainTree* tree, Proposal* proposal, const TestChange* change, bint sweeps,
                        double* sum) noexcept nogil:
    cdef int32_t n_stack = 1, node, left, right, short_leaf
    cdef Py_ssize_t slot, left_slot, right_slot
    cdef uint8_t node_state = SPLIT
    sum[0] = 0.0
    tree.n_touched = 0
    tree.stack[0] = change.upper
    while n_stack:
        n_stack -= 1
        node = tree.stack[n_stack]
        slot = current_slot(tree, node) if node == change.upper else proposed_slot(tree, node)
        if is_leaf(tree, node):
            tree.log_likelihood[slot] = leaf_log_likelihood(tree, slot)
            sum[0] += tree.log_likelihood[slot]
            continue
        left = tree.left[node]
        right = tree.right[node]
        left_slot = proposed_slot(tree, left)
        right_slot = proposed_slot(tree, right)
        if not branch(model, tree, slot, _test_of(tree, node, change), left_slot, right_slot, &node_state):
            return False
        if node_state != SPLIT and not sweeps:
            short_leaf = left if node_state == PASS_RIGHT else right
            if node_state == COLLAPSED or proposal.swept >= 0 or not is_leaf(tree, short_leaf):
                return False  # more than one is short
            proposal.swept = short_leaf
            node_state = SPLIT
        pass_on(tree, slot, left_slot, right_slot, node_state)
        if node_state == COLLAPSED:
            _stand(model, tree, proposal, node == change.upper, slot, sum)
        if node == change.upper:
            proposal.node_state = node_state
        else:
            tree.node_state[slot] = node_state
        if node_state == SPLIT or node_state == PASS_RIGHT:
            tree.touched[tree.n_touched] = right
            tree.n_touched += 1
            tree.stack[n_stack] = right
            n_stack += 1
        if node_state == SPLIT or node_state == PASS_LEFT:
            tree.touched[tree.n_touched] = left
            tree.n_touched += 1
            tree.stack[n_stack] = left
            n_stack += 1
    return True


cdef inline void _stand(ChainModel* model, ChainTree* tree, Proposal* proposal, bint upper, Py_ssize_t slot,
                        double* sum) noexcept nogil:
    # An inner node that stands as a leaf. What is current at the upper one must not change yet.
    cdef double log_likelihood = leaf_log_likelihood(tree, slot)
    sum[0] += log_likelihood
    if upper:
        proposal.log_likelihood = log_likelihood
    else:
        tree.log_likelihood[slot] = log_likelihood


cdef Verdict _evaluate_change(ChainModel* model, ChainTree* tree, Proposal* proposal, const TestChange* change,
                              double power, double log_uniform) noexcept nogil:
    cdef int32_t node = change.upper, old = tree.test[change.upper]
    cdef double sum, gain = 0.0, k = tree.n_leaves, before
    if model.treatment != SWEEP_LATENT or is_reached(tree, node):
        proposal.computed = True
        if not _compute_below(model, tree, proposal, change, &sum):
            return INVALID
        gain = sum - tree_log_likelihood(tree, node)
    proposal.log_ratio = power * gain
    if proposal.swept >= 0:
        # scored as a death, as the paper does
        proposal.log_ratio += log(model.moves[BIRTH] / model.moves[DEATH] * tree.n_twigs / (k - 1)
                                  / shape_ratio(model, k - 1))
        return EVALUATED
    if proposal.move == REDRAW or proposal.move == RETEST:
        proposal.log_ratio += (
            proposal.log_way + log_test_prior(model, tree, node, current_slot(tree, node), change.upper_test)
            - log_test_prior(model, tree, node, current_slot(tree, node), old))
        if proposal.move == REDRAW:
            proposal.log_ratio += log_sites(model, tree, proposal)
    if proposal.move == CHANGE_SPLIT and model.per_test:
        # The attribute is drawn first, so a test is the likelier the fewer its attribute has; the prior knows no such
        # difference. Where it does, the two cancel.
        proposal.log_ratio += log(_n_here(model, tree, node, change.upper_test) / _n_here(model, tree, node, old))
    if not model.local or model.prior != CHIPMAN:  # the paper's is the ratio of likelihoods, wherever tests come from
        return EVALUATED
    if proposal.move == SWAP and not model.per_test:
        proposal.log_ratio += log(_n_here(model, tree, node, old) / _n_here(model, tree, node, change.upper_test))
    # The tests that the nodes below may have are others now, and so is their prior.
    before = _log_prior_below(model, tree, change, False)
    if proposal.log_ratio - before < log_uniform:  # the new ones are at most 1
        return TOO_SMALL
    proposal.log_ratio += _log_prior_below(model, tree, change, True) - before
    return EVALUATED


cdef double _n_here(ChainModel* model, ChainTree* tree, int32_t node, int32_t test) noexcept nogil:
    # How many tests the node may have on the attribute of this one.
    cdef int32_t a = model.grid.attribute[test]
    cdef Py_ssize_t slot = current_slot(tree, node)
    if not model.local:
        return tests_of(model, a)
    count_valid(model, tree, node, slot)
    return tree.n_valid[slot * model.grid.n_attributes + a]


cdef double _log_prior_below(ChainModel* model, ChainTree* tree, const TestChange* change, bint new) noexcept nogil:
    # The prior of the tests and leaves under the upper node, as they are or as proposed.
    cdef int32_t n_stack = 2, node
    cdef Py_ssize_t slot
    cdef double sum = 0.0
    tree.stack[0] = tree.left[change.upper]
    tree.stack[1] = tree.right[change.upper]
    while n_stack:
        n_stack -= 1
        node = tree.stack[n_stack]
        slot = proposed_slot(tree, node) if new else current_slot(tree, node)
        if is_leaf(tree, node):
            sum += log_leaf_prior(model, tree, node, slot)
            continue
        sum += log_test_prior(model, tree, node, slot, _test_of(tree, node, change) if new else tree.test[node])
        tree.stack[n_stack] = tree.left[node]
        tree.stack[n_stack + 1] = tree.right[node]
        n_stack += 2
    return sum


# accepting


cdef void accept(ChainModel* model, ChainTree* tree, const Proposal* proposal) noexcept nogil:
    """Make the change that was evaluated last."""
    cdef int32_t node = proposal.node, upper, test
    if proposal.kind == REGROW:
        replace_subtree(model, tree, node)
        return
    if proposal.kind == DEATH:
        tree_death(tree, node)
        tree.node_state[current_slot(tree, node)] = SPLIT
        if proposal.computed:
            tree.log_likelihood[current_slot(tree, node)] = proposal.log_likelihood
        return
    if proposal.kind == BIRTH:
        tree_birth(tree, node, proposal.test)
        tree.node_state[current_slot(tree, tree.left[node])] = SPLIT
        tree.node_state[current_slot(tree, tree.right[node])] = SPLIT
        tree.node_state[current_slot(tree, node)] = proposal.node_state
        return
    if proposal.kind == SWAP:
        upper = tree.parent[node]
        test = tree.test[upper]
        tree.test[upper] = tree.test[node]
        tree.test[node] = test
        node = upper
    else:
        tree.test[node] = proposal.test
    if proposal.computed:
        swap_slots(tree)
        tree.node_state[current_slot(tree, node)] = proposal.node_state if proposal.swept < 0 else SPLIT
        if proposal.node_state == COLLAPSED:
            tree.log_likelihood[current_slot(tree, node)] = proposal.log_likelihood
    if proposal.swept >= 0:
        tree_splice(tree, proposal.swept)


cdef bint compute_tree(ChainModel* model, ChainTree* tree) noexcept nogil:
    """Compute a whole tree that has been built without its cases; False if a leaf has too few."""
    cdef Proposal proposal
    cdef TestChange change = TestChange(tree.root, tree.test[tree.root], -1, LEAF)
    cdef double sum
    if is_leaf(tree, tree.root):
        return True
    proposal.swept = -1
    proposal.node_state = SPLIT
    if not _compute_below(model, tree, &proposal, &change, &sum) or proposal.swept >= 0:
        return False
    swap_slots(tree)
    tree.node_state[current_slot(tree, tree.root)] = proposal.node_state
    if proposal.node_state == COLLAPSED:
        tree.log_likelihood[current_slot(tree, tree.root)] = proposal.log_likelihood
    return True
