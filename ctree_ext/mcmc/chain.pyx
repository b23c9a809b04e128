"""Markov chains on trees: steps, parallel tempering, records, and the state from which a chain can continue.

A chain has one tree for each temperature. The first is the one that is recorded; for the others the likelihood is raised
to a lower power, so that they move more freely, and now and then neighbours try to exchange their trees.
"""

from libc.math cimport log
from libc.stdint cimport int32_t, int64_t

from ctree_ext.base.bits cimport WORD
from ctree_ext.base.bayes cimport dirichlet_init
from ctree_ext.base.interrupts cimport GO_ON, check, check_after
from ctree_ext.base.memory cimport Memory
from ctree_ext.mcmc.chain_prior cimport (
    CHIPMAN, DENISON, IMPLICIT, N_MOVES, REDRAW, REGROW, REJECT, RESAMPLE, RETEST, SWEEP_LATENT, SWEEP_PAPER,
    ChainModel, log_prior, tests_of,
)
from ctree_ext.mcmc.chain_tree cimport (
    COLLAPSED, LEAF, PASS_LEFT, PASS_RIGHT, ChainTree, counts_of, current_slot, is_leaf, list_in_order, tree_birth,
    tree_free, tree_init, tree_log_likelihood, tree_reserve,
)
from ctree_ext.mcmc.listing_cache cimport ListedTest, cache_free, cache_init
from ctree_ext.mcmc.moves cimport (
    EVALUATED, INVALID, Verdict, accept, compute_tree, draw_first_birth, draw_informed, draw_move,
    draw_proposal, evaluate,
    has_first_birth,
)
from ctree_ext.mcmc.proposal cimport Proposal
from ctree_ext.mcmc.records cimport Record, Records, records_add, records_arrays, records_restore
from ctree_ext.mcmc.rng cimport RandomStream, Stream, next_below, next_uniform, stream_part
from ctree_ext.mcmc.test_grid cimport TestGrid
from ctree_ext.mcmc.tree_store cimport store_add_node, store_arrays, store_close_tree, store_init, store_restore

import threading

import numpy as np

PRIORS = {"denison": DENISON, "chipman": CHIPMAN, "implicit": IMPLICIT}
# The second says whether an invalid proposal is drawn anew with the same move, the third whether tests are drawn among
# those that leave enough cases at their own node.
TREATMENTS = {
    "reject": (REJECT, False, False),
    "resample": (RESAMPLE, False, False),
    "resample-move": (RESAMPLE, True, False),
    "resample-local": (RESAMPLE, False, True),
    "sweep-paper": (SWEEP_PAPER, False, False),
    "sweep-latent": (SWEEP_LATENT, False, False),
}
MOVES = ("birth", "death", "change-split", "change-rule", "swap", "redraw", "retest", "regrow")

cdef enum:
    MAX_REDRAWS = 10000     # invalid proposals, one after the other, until a step stays where it is
    FIRST_REDRAWS = 1000    # the same for a single leaf, until all births are listed
    MOVE_REDRAWS = 200      # proposals of the same move, until it is another's turn
    WORK_PER_DRAW = 256     # besides the words that it looks at
    MAX_LISTINGS = 1 << 24  # bytes for the tests of nodes that a chain was at

cdef int MAX_WAITS = 200     # after a fork, nobody may be left who would give the lock back
cdef double WAIT = 0.05      # seconds


cdef class _Alone:
    # In its body no other thread advances the chain or reads its arrays, which may move. Whoever reads is waited for, as
    # that takes no time; whoever advances it is not.
    cdef Chain chain

    def __init__(self, chain):
        self.chain = chain

    def __enter__(self):
        for _ in range(MAX_WAITS):
            if self.chain.lock.acquire(True, 0.0 if self.chain.advances else WAIT):
                return
            if self.chain.advances:
                break
        raise RuntimeError("the chain is advanced by another thread")

    def __exit__(self, *_):
        self.chain.lock.release()


cdef class Chain:
    """One chain.

    Parameters
    ----------
    grid : TestGrid
    stream : Stream
        The chain draws from its parts.
    min_cases, max_depth, max_leaves : numbers
        The fewest cases of a leaf, the greatest depth of one, how many there may be.
    alpha : float
        Dirichlet's prior of each class in a leaf.
    prior : {"denison", "chipman", "implicit"}
    gamma, delta : float
        Chipman's: a node at depth d is split with probability gamma (1 + d)^-delta.
    per_test : bool
        Chipman's: each valid test is as likely as the others, not each attribute that has one.
    treatment : {"reject", "resample", "resample-move", "resample-local", "sweep-paper", "sweep-latent"}
        What is done where a leaf has too few cases.
    moves : sequence of float
        The probabilities of birth, death, change of a split, change of a rule, swap, redraw, retest and regrow; 0 for
        those at the end that are left out.
    rule_step : float
        The spread of a change of a rule, as a share of the thresholds of an attribute; 0 for any threshold as likely.
    rule_spread : float
        The same as a number of thresholds; if it is not 0, `rule_step` does not count.
    thin : int
        Only every `thin`-th step is recorded.
    temperatures : sequence of float
        The powers of the likelihood, the first of them that of the chain itself.
    exchange_every : int
        Steps between two tries to exchange trees.
    keep_trees : bool
    """

    def __cinit__(self, TestGrid grid, Stream stream, *, double min_cases=1.0, max_depth=None, max_leaves=None,
                  double alpha=1.0, prior="denison", double gamma=0.8, double delta=0.8, bint per_test=False,
                  treatment="reject", moves=(0.1, 0.1, 0.2, 0.6), double rule_step=0.0,
                  double rule_spread=0.0, thin=1, temperatures=(1.0,), exchange_every=10, bint keep_trees=True):
        cdef Py_ssize_t i
        cdef ChainModel* model = &self.model
        self.grid = grid
        self.lock = threading.RLock()
        self.memory = Memory()
        if len(temperatures) < 1 or thin < 1 or exchange_every < 1 or len(moves) > N_MOVES or not min_cases > 0:
            raise ValueError("a chain needs a temperature, steps to record, probabilities of its moves, and cases in its leaves")
        model.grid = &grid.grid
        model.max_depth = (1 << 30) if max_depth is None else max_depth
        model.prior = PRIORS[prior]
        model.gamma = gamma
        model.delta = delta
        model.per_test = per_test and model.prior == CHIPMAN
        model.treatment, model.same_move, local_draws = TREATMENTS[treatment]
        model.local = local_draws or (model.prior == CHIPMAN and model.treatment != SWEEP_LATENT)
        model.rule_step = rule_step
        model.rule_spread = rule_spread
        if model.prior == CHIPMAN and (local_draws or model.treatment == SWEEP_PAPER):
            raise ValueError("the paper's strategies are not for Chipman's prior")
        for i in range(N_MOVES):
            model.moves[i] = moves[i] if i < len(moves) else 0.0
        if model.treatment != REJECT and (model.moves[REDRAW] + model.moves[RETEST] + model.moves[REGROW]) > 0:
            raise ValueError("moves that weigh all tests of a node are for the treatment reject")
        self.set_up_leaves(min_cases, max_leaves, alpha)
        self.set_up_trees(temperatures)
        for i in range(self.n_temperatures + 1):  # the last is for exchanges
            stream_part(&stream.stream, i, &self.streams[i])
        self.thin = thin
        self.exchange_every = exchange_every
        self.keep_trees = keep_trees
        self.changed = True
        model.watch.stop = &self.stop_asked

    cdef int set_up_leaves(self, double min_cases, max_leaves, double alpha) except -1:
        # How small leaves may be, how many there may be, and their likelihood.
        cdef ChainModel* model = &self.model
        cdef bint integer = model.grid.weights == NULL
        cdef double total = model.grid.n if integer else 0.0
        cdef Py_ssize_t i
        for i in range(0 if integer else model.grid.n_words * WORD):
            total += model.grid.weights[i]
        # Sums of weights differ in their last bits with the order of the cases. A hair less than enough is enough, so that
        # a test which is valid in one place is valid in all.
        model.min_cases = min_cases if integer else min_cases * (1 - 1e-9)
        model.max_leaves = max(1, int(min(total // min_cases, 1 << 24))) if max_leaves is None else max_leaves
        if dirichlet_init(&model.leaf_prior, &self.memory.pool, model.grid.n_classes, alpha, model.grid.n, integer) < 0:
            raise MemoryError
        return 0

    cdef int set_up_trees(self, temperatures) except -1:
        # A tree of one leaf at every temperature, and room for what is recorded.
        cdef ChainModel* model = &self.model
        cdef Py_ssize_t i, levels = 1
        for i in range(model.grid.n_attributes):
            levels = max(levels, model.grid.n_levels[i])
        model.bits = <int32_t*> self.memory.raw(model.grid.n, sizeof(int32_t))
        model.levels = <double*> self.memory.raw(levels, sizeof(double))
        if model.moves[REDRAW] + model.moves[RETEST] + model.moves[REGROW] > 0:
            self.set_up_weighing()
        self.used = <int64_t*> self.memory.zeroed(model.grid.n_attributes, sizeof(int64_t))
        self.trees = <ChainTree*> self.memory.zeroed(len(temperatures), sizeof(ChainTree))
        self.streams = <RandomStream*> self.memory.zeroed(len(temperatures) + 1, sizeof(RandomStream))
        self.temperatures = <double*> self.memory.zeroed(len(temperatures), sizeof(double))
        self.n_temperatures = len(temperatures)
        for i in range(self.n_temperatures):
            self.temperatures[i] = temperatures[i]
            if tree_init(&self.trees[i], model.grid, &model.leaf_prior) < 0:
                raise MemoryError
        if model.treatment == RESAMPLE or model.treatment == SWEEP_PAPER:
            if tree_reserve(&self.trees[0]) < 0:
                raise MemoryError
            self.root_is_final = not has_first_birth(model, &self.trees[0])
        self.burn_in_records.pool = self.draw_records.pool = &self.memory.pool
        if store_init(&self.stored, &self.memory.pool, model.grid.n_classes) < 0:
            raise MemoryError
        return 0

    cdef int set_up_weighing(self) except -1:
        # Room for all tests of a node, and for a tree that is grown beside.
        cdef ChainModel* model = &self.model
        cdef Py_ssize_t w
        cdef int32_t c
        model.listed = <ListedTest*> self.memory.raw(model.grid.n_tests, sizeof(ListedTest))
        model.listed_of = <int32_t*> self.memory.zeroed(model.grid.n_attributes, sizeof(int32_t))
        model.log_priors = <double*> self.memory.raw(model.grid.n_attributes, sizeof(double))
        for c in range(model.grid.n_attributes):
            model.log_priors[c] = -log(<double> model.grid.n_attributes * tests_of(model, c))
        model.sorted_bits = <int32_t*> self.memory.raw(model.grid.n, sizeof(int32_t))
        model.word_class = <int32_t*> self.memory.raw(model.grid.n_words, sizeof(int32_t))
        model.part_counts = <double*> self.memory.raw(model.grid.n_classes, sizeof(double))
        model.rest_counts = <double*> self.memory.raw(model.grid.n_classes, sizeof(double))
        for c in range(model.grid.n_classes):
            for w in range(model.grid.class_start[c], model.grid.class_start[c + 1]):
                model.word_class[w] = c
        model.grown = &self.grown
        if (tree_init(model.grown, model.grid, &model.leaf_prior) < 0
                or cache_init(&model.listings, model.grid.n_words, MAX_LISTINGS) < 0):
            raise MemoryError
        return 0

    def __dealloc__(self):
        # Trees own their memory; that of the structs themselves goes with the rest.
        cdef Py_ssize_t i
        for i in range(self.n_temperatures):
            tree_free(&self.trees[i])
        tree_free(&self.grown)
        cache_free(&self.model.listings)

    # walking

    def advance(self, burn_in, samples):
        """Continue until the chain has made `burn_in` steps and drawn `samples` trees in all, or until `stop`.

        True if it has come that far.
        """
        cdef int64_t burn_in_ = burn_in, drawn_steps = samples * self.thin
        cdef bint already
        with _Alone(self):
            already, self.advances = self.advances, True
            try:
                with nogil:
                    self.run(burn_in_, drawn_steps)
            finally:
                self.advances = already
        return self.n_burn_in_steps >= burn_in_ and self.n_drawn_steps >= drawn_steps

    def stop(self, bint asked=True):
        """Ask a chain that advances in another thread to stop soon, or withdraw the request."""
        self.stop_asked = asked

    cdef int run(self, int64_t burn_in, int64_t drawn_steps) except -1 nogil:
        cdef int status = check(&self.model.watch)
        while status == GO_ON:
            if self.n_burn_in_steps < burn_in:
                status = self.step()
                self.n_burn_in_steps += status == 0
                if status == 0 and self.n_burn_in_steps % self.thin == 0:
                    status = self.record(&self.burn_in_records, False)
            elif self.n_drawn_steps < drawn_steps:
                status = self.step()
                self.n_drawn_steps += status == 0
                if status == 0 and self.n_drawn_steps % self.thin == 0:
                    status = self.record(&self.draw_records, True)
            else:
                return 0
            if status < 0:
                with gil:
                    raise MemoryError
            status = check_after(&self.model.watch, 0)
        return 0

    cdef int step(self) noexcept nogil:
        # One step at every temperature, and now and then an exchange; -1 without memory.
        cdef int i
        for i in range(self.n_temperatures):
            if self.step_at(i) < 0:
                return -1
        self.n_steps += 1
        if self.n_temperatures > 1 and self.n_steps % self.exchange_every == 0:
            self.exchange()
        return 0

    cdef int step_at(self, int i) noexcept nogil:
        cdef ChainTree* tree = &self.trees[i]
        cdef RandomStream* stream = &self.streams[i]
        cdef Proposal proposal
        cdef double log_uniform
        cdef Verdict verdict
        cdef int redraws, move = -1
        cdef bint redraw = self.model.treatment == RESAMPLE or self.model.treatment == SWEEP_PAPER
        if tree_reserve(tree) < 0:
            return -1
        if redraw and tree.n_inner == 0 and self.root_is_final:
            return 0  # a tree of one leaf, and no other that it could become
        for redraws in range(MAX_REDRAWS):
            self.model.watch.work += WORK_PER_DRAW
            if not self.model.same_move or redraws % MOVE_REDRAWS == 0:
                move = draw_move(&self.model, tree, stream)
            if redraw and tree.n_inner == 0 and redraws == FIRST_REDRAWS:
                # Of any other tree a death is valid; here it may be that next to nothing is.
                proposal = draw_first_birth(&self.model, tree, stream)
            elif move >= REDRAW:
                if draw_informed(&self.model, tree, move, self.temperatures[i], stream, &proposal) < 0:
                    return -1
            else:
                proposal = draw_proposal(&self.model, tree, move, stream)
            # The number is drawn before the ratio is known, so that a ratio that cannot reach it need not be.
            log_uniform = log(1.0 - next_uniform(stream))
            verdict = evaluate(&self.model, tree, &proposal, self.temperatures[i], log_uniform)
            if i == 0:
                self.counts[0][proposal.move] += 1
                self.counts[1][proposal.move] += verdict == INVALID
            if verdict != INVALID or not redraw:
                break
        if verdict == EVALUATED and log_uniform <= proposal.log_ratio:
            accept(&self.model, tree, &proposal)
            if i == 0:
                self.counts[2][proposal.move] += 1
                self.changed = True
        return 0

    cdef void exchange(self) noexcept nogil:
        # Two neighbours exchange their trees with probability min(1, exp((b_i - b_j) (L_j - L_i))).
        cdef RandomStream* stream = &self.streams[self.n_temperatures]
        cdef int i = next_below(stream, self.n_temperatures - 1)
        cdef double log_uniform = log(1.0 - next_uniform(stream)), ratio
        cdef ChainTree tree
        ratio = self.log_exchange(i)
        self.exchanges[0] += 1
        if log_uniform <= ratio:
            tree = self.trees[i]
            self.trees[i] = self.trees[i + 1]
            self.trees[i + 1] = tree
            self.exchanges[1] += 1
            if i == 0:
                self.changed = True

    cdef double log_exchange(self, int i) noexcept nogil:
        # The likelihood of a tree is always summed in the order of its nodes: it does not depend on how it came about.
        cdef double here = tree_log_likelihood(&self.trees[i], self.trees[i].root)
        cdef double there = tree_log_likelihood(&self.trees[i + 1], self.trees[i + 1].root)
        return (self.temperatures[i] - self.temperatures[i + 1]) * (there - here)

    # recording

    cdef int record(self, Records* records, bint drawn) noexcept nogil:
        cdef ChainTree* tree = &self.trees[0]
        cdef Record record
        cdef int i
        for i in range(self.n_temperatures):
            list_in_order(&self.trees[i])
        record.log_likelihood = tree_log_likelihood(tree, tree.root)
        record.log_posterior = record.log_likelihood + log_prior(&self.model, tree)
        if self.write_tree(drawn, &record) < 0:
            return -1
        self.last_log_likelihood = record.log_likelihood
        self.last_leaves = record.leaves
        return records_add(records, record)

    cdef int write_tree(self, bint drawn, Record* record) noexcept nogil:
        # Store the tree as it stands, without what is swept away, unless it is stored already. -1 without memory.
        cdef ChainTree* tree = &self.trees[0]
        cdef bint write = drawn and self.keep_trees and (self.changed or self.stored.n_trees == 0)
        cdef int32_t node, n_stack = 1, attribute
        cdef int32_t* depths = tree.touched  # no proposal is being computed
        cdef Py_ssize_t slot
        record.leaves = 0
        record.depth = 0
        record.tree = -1
        tree.stack[0] = tree.root
        depths[0] = 0
        while n_stack:
            n_stack -= 1
            node = tree.stack[n_stack]
            slot = current_slot(tree, node)
            if is_leaf(tree, node) or tree.node_state[slot] == COLLAPSED:
                record.leaves += 1
                record.depth = max(record.depth, depths[n_stack])
                if write and store_add_node(&self.stored, LEAF, counts_of(tree, slot)) < 0:
                    return -1
                continue
            if tree.node_state[slot] == PASS_LEFT or tree.node_state[slot] == PASS_RIGHT:
                tree.stack[n_stack] = tree.left[node] if tree.node_state[slot] == PASS_LEFT else tree.right[node]
                n_stack += 1
                continue
            if write and store_add_node(&self.stored, tree.test[node], NULL) < 0:
                return -1
            if drawn:
                attribute = self.model.grid.attribute[tree.test[node]]
                if self.used[attribute] >= 0:  # marked by its complement, once a tree
                    self.used[attribute] = -self.used[attribute] - 1
            depths[n_stack + 1] = depths[n_stack] + 1
            depths[n_stack] += 1
            tree.stack[n_stack] = tree.right[node]
            tree.stack[n_stack + 1] = tree.left[node]
            n_stack += 2
        if drawn:
            for attribute in range(self.model.grid.n_attributes):
                if self.used[attribute] < 0:
                    self.used[attribute] = -self.used[attribute]
        if write:
            if store_close_tree(&self.stored) < 0:
                return -1
            self.changed = False
        if drawn and self.keep_trees:
            record.tree = self.stored.n_trees - 1
        return 0

    @property
    def progress(self):
        """Burn-in steps, steps since, the last recorded log-likelihood and number of leaves (None before).

        This can be read while the chain advances; nothing else can.
        """
        if self.last_leaves == 0:
            return self.n_burn_in_steps, self.n_drawn_steps, None, None
        return self.n_burn_in_steps, self.n_drawn_steps, self.last_log_likelihood, self.last_leaves

    def traces(self, burn_in=False):
        """What was recorded, by name: of the burn-in, or of the steps after it."""
        with _Alone(self):
            return records_arrays(&self.burn_in_records if burn_in else &self.draw_records)

    def stored_trees(self):
        """The trees that were kept: ``node_start``, ``leaf_start``, ``tests``, ``counts``."""
        with _Alone(self):
            return store_arrays(&self.stored)

    @property
    def moves(self):
        """By move: how often it was proposed, was invalid, was accepted. Beside them the same of exchanges."""
        result = {
            name: {"proposed": self.counts[0][i], "invalid": self.counts[1][i], "accepted": self.counts[2][i]}
            for i, name in enumerate(MOVES)
        }
        result["exchange"] = {"proposed": self.exchanges[0], "invalid": 0, "accepted": self.exchanges[1]}
        return result

    @property
    def used_attributes(self):
        """By attribute, in how many of the drawn trees it was tested."""
        with _Alone(self):
            return np.array([self.used[i] for i in range(self.model.grid.n_attributes)], dtype=np.int64)

    # saving and continuing

    def state(self):
        """All that is needed to continue later without a difference: numbers, and lists of numbers."""
        cdef int i
        with _Alone(self):
            return {
                "steps": self.n_steps,
                "burnt_steps": self.n_burn_in_steps,
                "drawn_steps": self.n_drawn_steps,
                "streams": [[self.streams[i].key, *[self.streams[i].state[k] for k in range(4)]]
                            for i in range(self.n_temperatures + 1)],
                "trees": [self.tree(i) for i in range(self.n_temperatures)],
                "orders": [self._orders(i) for i in range(self.n_temperatures)],
                "moves": [[self.counts[k][i] for i in range(N_MOVES)] for k in range(3)],
                "exchanges": [self.exchanges[0], self.exchanges[1]],
                "used": self.used_attributes.tolist(),
                "changed": self.changed,
            }

    def restore(self, state, traces, burn_in_traces, trees):
        """Continue a chain from its `state`, `traces` and `stored_trees`."""
        cdef int i, k
        cdef Py_ssize_t j
        with _Alone(self):
            streams = state["streams"]
            if len(streams) != self.n_temperatures + 1 or len(state["trees"]) != self.n_temperatures:
                raise ValueError("the state is of a chain of other temperatures")
            if len(state["used"]) != self.model.grid.n_attributes:
                raise ValueError("the state is of a chain on other attributes")
            self.n_steps = state["steps"]
            self.n_burn_in_steps = state["burnt_steps"]
            self.n_drawn_steps = state["drawn_steps"]
            for i in range(self.n_temperatures + 1):
                if len(streams[i]) != 5 or not any(streams[i][1:]):
                    raise ValueError("the state of a stream is five numbers, of which the last four are not all 0")
                self.streams[i].key = streams[i][0]
                for k in range(4):
                    self.streams[i].state[k] = streams[i][k + 1]
            for i in range(self.n_temperatures):
                self.set_tree(state["trees"][i], i)
                self._reorder(i, *state["orders"][i])
            for k in range(3):
                for i in range(N_MOVES):
                    self.counts[k][i] = state["moves"][k][i]
            self.exchanges[0] = state["exchanges"][0]
            self.exchanges[1] = state["exchanges"][1]
            for j in range(self.model.grid.n_attributes):
                self.used[j] = state["used"][j]
            records_restore(&self.draw_records, traces, len(trees["node_start"]) - 1)
            records_restore(&self.burn_in_records, burn_in_traces, len(trees["node_start"]) - 1)
            store_restore(&self.stored, trees, self.model.grid.n_tests)
            # The last stored tree is the present one, unless a step has changed it since it was written.
            self.changed = state["changed"]

    def _nodes(self, int i):
        # The nodes of a tree, each before its branches. Without the stack of the tree: several threads may ask at once.
        cdef ChainTree* tree = &self.trees[i]
        cdef int32_t node
        result, waiting = [], [tree.root]
        while waiting:
            node = waiting.pop()
            result.append(node)
            if not is_leaf(tree, node):
                waiting += [tree.right[node], tree.left[node]]
        return result

    def _orders(self, int i):
        # The lists of leaves, inner nodes and twigs, by the places of nodes in `_nodes`. What is drawn next depends on
        # them until they are put in order, when the tree is recorded.
        cdef ChainTree* tree = &self.trees[i]
        cdef Py_ssize_t k
        place = {node: k for k, node in enumerate(self._nodes(i))}
        return [[place[tree.leaves[k]] for k in range(tree.n_leaves)],
                [place[tree.inner[k]] for k in range(tree.n_inner)],
                [place[tree.twigs[k]] for k in range(tree.n_twigs)]]

    def _reorder(self, int i, leaves, inner, twigs):
        cdef ChainTree* tree = &self.trees[i]
        cdef int32_t k
        now = self._orders(i)
        if [sorted(leaves), sorted(inner), sorted(twigs)] != [sorted(order) for order in now]:
            raise ValueError("the lists of nodes are not those of the tree")
        nodes = self._nodes(i)
        for k in range(tree.n_leaves):
            tree.leaves[k] = nodes[leaves[k]]
            tree.place[tree.leaves[k]] = k
        for k in range(tree.n_inner):
            tree.inner[k] = nodes[inner[k]]
            tree.place[tree.inner[k]] = k
        for k in range(tree.n_twigs):
            tree.twigs[k] = nodes[twigs[k]]
            tree.twig_place[tree.twigs[k]] = k

    def tree(self, int i=0):
        """The tree at a temperature, nothing swept away: its tests, each node before its branches, -1 for a leaf."""
        with _Alone(self):
            if not 0 <= i < self.n_temperatures:
                raise IndexError(i)
            return [self.trees[i].test[<Py_ssize_t> node] for node in self._nodes(i)]

    def set_tree(self, tests, int i=0):
        """Begin with another tree, in the form of `tree`."""
        cdef ChainTree* tree = &self.trees[i]
        with _Alone(self):
            if not 0 <= i < self.n_temperatures:
                raise IndexError(i)
            tree_free(tree)
            if tree_init(tree, self.model.grid, &self.model.leaf_prior) < 0:
                raise MemoryError
            waiting = [tree.root]
            for test in tests:
                if not waiting or not -1 <= test < self.model.grid.n_tests:
                    raise ValueError("the list is not that of a tree")
                node = waiting.pop()
                if test >= 0:
                    if tree_reserve(tree) < 0:
                        raise MemoryError
                    if tree.depth[node] >= self.model.max_depth or tree.n_leaves >= self.model.max_leaves:
                        raise ValueError("the tree is larger than a tree of this chain can be")
                    tree_birth(tree, node, test)
                    waiting += [tree.right[node], tree.left[node]]
            if waiting:
                raise ValueError("the list is not that of a tree")
            if not compute_tree(&self.model, tree):
                raise ValueError("the tree has a leaf of too few cases")
            list_in_order(tree)
            self.changed = True
