"""Every way that a chain can go from its present tree: what it would propose, how probably, and the ratio of each.

This is for checking that the moves are right. Proposals are evaluated and made by the code that the chain runs; their
probabilities follow from the definition of the moves, not from how they are drawn.
"""

from libc.math cimport INFINITY, erf, exp
from libc.stdint cimport int32_t

from ctree_ext.mcmc.chain cimport Chain
from ctree_ext.mcmc.moves cimport INVALID, accept, draw_informed, draw_move, draw_proposal, evaluate
from ctree_ext.mcmc.proposal cimport Proposal
from ctree_ext.mcmc.chain_prior cimport (
    BIRTH, DEATH, REDRAW, ChainModel, count_valid, log_prior, log_test_prior, nth_valid, spread_of,
)
from ctree_ext.mcmc.chain_tree cimport ChainTree, current_slot, tree_log_likelihood, tree_reserve

from ctree_ext.mcmc.chain import MOVES


def log_values(Chain chain):
    """The log-likelihood and the log-prior of the present tree."""
    cdef ChainTree* tree = &chain.trees[0]
    return tree_log_likelihood(tree, tree.root), log_prior(&chain.model, tree)


def log_exchange_ratio(Chain chain, int i=0):
    """ln of the probability that the trees at a temperature and the next are exchanged, if below 0."""
    return chain.log_exchange(i)


def drawn_proposal(Chain chain):
    """Draw a proposal without making it: the move, the place of its node among all of its kind, and the test.

    The place is -1 if there is no such move; whether a test leaves enough cases is not checked here.
    """
    cdef ChainTree* tree = &chain.trees[0]
    cdef int move = draw_move(&chain.model, tree, &chain.streams[0])
    cdef Proposal proposal = draw_proposal(&chain.model, tree, move, &chain.streams[0])
    if proposal.node < 0:
        return MOVES[proposal.move], -1, -1
    if proposal.move == DEATH:
        return MOVES[proposal.move], tree.twig_place[proposal.node], -1
    return MOVES[proposal.move], tree.place[proposal.node], proposal.test


def drawn_change(Chain chain):
    """Draw a proposal: the move, the place of its node, each before its branches, ln R, and the tree it leads to.

    The place is -1 and the tree None if it is not valid. The chain stays where it is.
    """
    cdef ChainTree* tree = &chain.trees[0]
    cdef int move = draw_move(&chain.model, tree, &chain.streams[0])
    cdef Proposal proposal
    if tree_reserve(tree) < 0:
        raise MemoryError
    if move >= REDRAW:
        if draw_informed(&chain.model, tree, move, chain.temperatures[0], &chain.streams[0], &proposal) < 0:
            raise MemoryError
    else:
        proposal = draw_proposal(&chain.model, tree, move, &chain.streams[0])
    if evaluate(&chain.model, tree, &proposal, chain.temperatures[0], -INFINITY) == INVALID:
        return MOVES[move], -1, -INFINITY, None
    now, place = chain.tree(), chain._nodes(0).index(proposal.node)
    accept(&chain.model, tree, &proposal)
    new = chain.tree()
    chain.set_tree(now)
    return MOVES[move], place, proposal.log_ratio, new


def listed_proposals(Chain chain):
    """Every proposal from the present tree: move, place, test, probability, whether valid, ln R, and the new tree."""
    cdef ChainTree* tree = &chain.trees[0]
    cdef Proposal proposal
    now = chain.tree()
    result = []
    chain.set_tree(now)
    for move, place, test, probability in _ways(chain):
        name = MOVES[move]
        if place < 0:
            result.append((name, -1, -1, probability, False, -INFINITY, None))
            continue
        if tree_reserve(tree) < 0:
            raise MemoryError
        proposal.move = proposal.kind = move
        proposal.test = test
        nodes = tree.leaves if move == BIRTH else tree.twigs if move == DEATH else tree.inner
        proposal.node = nodes[<Py_ssize_t> place]
        if evaluate(&chain.model, tree, &proposal, chain.temperatures[0], -INFINITY) == INVALID:
            result.append((name, place, test, probability, False, -INFINITY, None))
            continue
        accept(&chain.model, tree, &proposal)
        result.append((name, place, test, probability, True, proposal.log_ratio, chain.tree()))
        chain.set_tree(now)
    return result


def _ways(Chain chain):
    # Move, place, test and probability; a place of -1 if there is no such move.
    cdef ChainTree* tree = &chain.trees[0]
    cdef ChainModel* model = &chain.model
    cdef Py_ssize_t i
    cdef double n_leaves = tree.n_leaves, n_twigs = tree.n_twigs, n_inner = tree.n_inner
    nothing = [(-1, -1, 1.0)]
    births = [(i, test, share / n_leaves) for i in range(tree.n_leaves)
              for test, share in _births(chain, tree.leaves[i])]
    deaths = [(i, -1, 1.0 / n_twigs) for i in range(tree.n_twigs)]
    splits = [(i, test, share / n_inner) for i in range(tree.n_inner)
              for test, share in _splits(chain, tree.inner[i])]
    changes = [(i, test, share / n_inner) for i in range(tree.n_inner)
               for test, share in _rules(chain, tree.inner[i])]
    swaps = [(i, -1, 1.0 / (n_inner - 1)) for i in range(tree.n_inner) if tree.inner[i] != tree.root]
    if tree.n_leaves >= model.max_leaves:
        births = nothing
    result = []
    # moves that weigh tests are checked as they are drawn: see `drawn_change`
    for move, ways in enumerate((births, deaths, splits, changes, swaps)):
        for place, test, share in ways or nothing:
            if model.moves[<Py_ssize_t> move] > 0:
                result.append((move, -1 if test is None else place, test, share * model.moves[<Py_ssize_t> move]))
    return result


cdef dict _valid(Chain chain, int32_t node):
    # By attribute its valid tests at a node.
    cdef ChainTree* tree = &chain.trees[0]
    cdef Py_ssize_t slot = current_slot(tree, node)
    cdef int32_t a, i, n
    result = {}
    count_valid(&chain.model, tree, node, slot)
    for a in range(chain.model.grid.n_attributes):
        n = tree.n_valid[slot * chain.model.grid.n_attributes + a]
        if n:
            result[a] = [nth_valid(&chain.model, tree, slot, a, i) for i in range(n)]
    return result


cdef list _births(Chain chain, int32_t node):
    cdef ChainTree* tree = &chain.trees[0]
    cdef Py_ssize_t slot = current_slot(tree, node)
    tests = [test for of_attribute in _valid(chain, node).values() for test in of_attribute]
    return [(test, exp(log_test_prior(&chain.model, tree, node, slot, test))) for test in tests] or [(None, 1.0)]


cdef list _splits(Chain chain, int32_t node):
    cdef double n
    valid = _valid(chain, node)
    valid.pop(chain.model.grid.attribute[chain.trees[0].test[node]], None)
    n = len(valid)
    return [(test, 1.0 / (n * len(tests))) for tests in valid.values() for test in tests] or [(None, 1.0)]


cdef list _rules(Chain chain, int32_t node):
    cdef int32_t test = chain.trees[0].test[node], other
    cdef int32_t a = chain.model.grid.attribute[test]
    cdef double spread, far, n
    others = [other for other in _valid(chain, node).get(a, []) if other != test]
    n = len(others)
    spread = spread_of(&chain.model, a) * 2.0 ** 0.5
    if spread == 0:
        return [(other, 1.0 / n) for other in others] or [(None, 1.0)]
    shares = []
    for other in others:
        far = abs(other - test)
        shares.append((other, 0.5 * (erf((far + 0.5) / spread) - erf((far - 0.5) / spread))))
    return [*shares, (None, 1.0 - sum([share for _, share in shares]))]
