"""Markov chains on trees: steps, several temperatures, what is recorded, and where a chain can go on.

A chain has one tree for each temperature. The first is the one that is recorded; the likelihood counts with the others
to a lower power, so that they get about more easily, and now and then neighbours try to exchange their trees.
"""

from libc.math cimport log
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from ctree_ext.rules.bitsets cimport WORD
from ctree_ext.mcmc.moves cimport (
    UNAVAILABLE, WEIGHED, Proposal, Verdict, accept, draw_first_birth, draw_move, draw_proposal, has_first_birth,
    settle_all, weigh,
)
from ctree_ext.mcmc.records cimport Record, Records, records_add, records_arrays, records_take
from ctree_ext.mcmc.chain_prior cimport (
    CHIPMAN, DENISON, N_MOVES, REJECT, RESAMPLE, SWEEP_LATENT, SWEEP_PAPER, Rules, log_prior,
)
from ctree_ext.mcmc.chain_tree cimport (
    COLLAPSED, LEAF, PASS_LEFT, PASS_RIGHT, ChainTree, counts_of, holding, is_leaf, list_in_order, standing_worth,
    tree_birth, tree_free, tree_init, tree_reserve,
)
from ctree_ext.mcmc.leaf_likelihood cimport worth_free, worth_init
from ctree_ext.mcmc.rng cimport RandomStream, Stream, next_below, next_uniform, stream_part
from ctree_ext.mcmc.test_grid cimport TestGrid
from ctree_ext.mcmc.tree_store cimport bank_add_node, bank_arrays, bank_close_tree, bank_free, bank_init, bank_take

import numpy as np

PRIORS = {"denison": DENISON, "chipman": CHIPMAN}
# The second says whether what is not available is drawn anew with the same move.
TREATMENTS = {
    "reject": (REJECT, False),
    "resample": (RESAMPLE, False),
    "resample-move": (RESAMPLE, True),
    "sweep-paper": (SWEEP_PAPER, False),
    "sweep-latent": (SWEEP_LATENT, False),
}
MOVES = ("birth", "death", "change-split", "change-rule", "swap")

cdef enum:
    MAX_REDRAWS = 10000        # proposals that are not available, one after the other, until a step stays where it is
    FIRST_REDRAWS = 1000        # the same of a single leaf, until all births are looked through
    MOVE_REDRAWS = 200          # proposals of the same move, until it is another's turn
    WORK_PER_LOOK = 1 << 21     # words looked at between two looks for a request to stop
    STEPS_PER_LOOK = 4096


cdef class Chain:
    """One chain.

    Parameters
    ----------
    grid : TestGrid
    stream : Stream
        The chain draws from its parts.
    min_cases, max_depth, most_leaves : numbers
        The fewest cases of a leaf, the greatest depth of one, how many there may be.
    alpha : float
        Dirichlet's prior of each class in a leaf.
    prior : {"denison", "chipman"}
    gamma, delta : float
        Chipman's: a node at depth d is split with the chance gamma (1 + d)^-delta.
    per_test : bool
        Chipman's: each valid test is as likely as the others, not each attribute that has any.
    treatment : {"reject", "resample", "resample-move", "sweep-paper", "sweep-latent"}
        What is done where a leaf has too few cases.
    moves : sequence of five floats
        The chances of birth, death, change of a split, change of a rule, and swap.
    rule_step : float
        The spread of a change of a rule, as a share of the thresholds of an attribute; 0 for any threshold as likely.
    thin : int
        Every so-many-th step is recorded.
    tempers : sequence of float
        The powers of the likelihood, the first of them that of the chain itself.
    exchange_every : int
        Steps between two tries to exchange trees.
    keep_trees : bool
    """

    def __cinit__(self, TestGrid grid, Stream stream, *, double min_cases=1.0, max_depth=None, most_leaves=None,
                  double alpha=1.0, prior="denison", double gamma=0.8, double delta=0.8, bint per_test=False,
                  treatment="reject", moves=(0.1, 0.1, 0.2, 0.6, 0.0), double rule_step=0.0, thin=1, tempers=(1.0,),
                  exchange_every=10, bint keep_trees=True):
        cdef Py_ssize_t i
        cdef Rules* rules = &self.rules
        cdef double total = 0.0
        self.grid = grid
        self.n_tempers = len(tempers)
        if self.n_tempers < 1 or thin < 1 or exchange_every < 1 or len(moves) != N_MOVES or not min_cases > 0:
            raise ValueError("a chain needs a temperature, steps to record, five moves, and cases in its leaves")
        rules.grid = &grid.grid
        # Sums of weights differ in their last bits with the order of the cases. What has enough but for a hair has enough,
        # so that a test which is valid in one place is valid in all.
        rules.min_cases = min_cases if grid.grid.weights == NULL else min_cases * (1 - 1e-9)
        rules.max_depth = (1 << 30) if max_depth is None else max_depth
        rules.prior = PRIORS[prior]
        rules.gamma = gamma
        rules.delta = delta
        rules.per_test = per_test
        rules.treatment, rules.same_move = TREATMENTS[treatment]
        rules.local = rules.prior == CHIPMAN and rules.treatment != SWEEP_LATENT
        rules.rule_step = rule_step
        if rules.treatment == SWEEP_PAPER and rules.prior == CHIPMAN:
            raise ValueError("the paper's sweeping is for Denison's prior")
        for i in range(N_MOVES):
            rules.moves[i] = moves[i]
        for i in range(grid.grid.n_words * WORD):
            total += 0.0 if grid.grid.weights == NULL else grid.grid.weights[i]
        total = grid.grid.n if grid.grid.weights == NULL else total
        rules.most_leaves = max(1, int(min(total // min_cases, 1 << 24))) if most_leaves is None else most_leaves
        if worth_init(&rules.worth, grid.grid.n_classes, alpha, grid.grid.n, grid.grid.weights == NULL) < 0:
            raise MemoryError
        rules.bits = <int32_t*> malloc(grid.grid.n * sizeof(int32_t))
        levels = max([grid.grid.n_levels[i] for i in range(grid.grid.n_attributes)], default=1)
        rules.levels = <double*> malloc(levels * sizeof(double))
        self.used = <int64_t*> calloc(grid.grid.n_attributes + 1, sizeof(int64_t))
        self.trees = <ChainTree*> calloc(self.n_tempers, sizeof(ChainTree))
        self.streams = <RandomStream*> calloc(self.n_tempers + 1, sizeof(RandomStream))
        self.tempers = <double*> calloc(self.n_tempers, sizeof(double))
        if (rules.bits == NULL or rules.levels == NULL or self.used == NULL or self.trees == NULL
                or self.streams == NULL or self.tempers == NULL):
            raise MemoryError
        for i in range(self.n_tempers):
            self.tempers[i] = tempers[i]
            if tree_init(&self.trees[i], rules.grid, &rules.worth) < 0:
                raise MemoryError
        if rules.treatment == RESAMPLE or rules.treatment == SWEEP_PAPER:
            if tree_reserve(&self.trees[0]) < 0:
                raise MemoryError
            self.root_is_closed = not has_first_birth(rules, &self.trees[0])
        for i in range(self.n_tempers + 1):  # the last is for exchanges
            stream_part(&stream.stream, i, &self.streams[i])
        self.thin = thin
        self.exchange_every = exchange_every
        self.keep_trees = keep_trees
        self.changed = True
        if bank_init(&self.bank, grid.grid.n_classes) < 0:
            raise MemoryError

    def __dealloc__(self):
        cdef Py_ssize_t i
        if self.trees != NULL:
            for i in range(self.n_tempers):
                tree_free(&self.trees[i])
        free(self.trees)
        free(self.streams)
        free(self.tempers)
        free(self.used)
        free(self.rules.bits)
        free(self.rules.levels)
        worth_free(&self.rules.worth)
        bank_free(&self.bank)
        free(self.burnt.records)
        free(self.draws.records)

    # walking

    def advance(self, burn_in, samples):
        """Go on until `burn_in` steps are thrown away and `samples` trees are drawn since the chain began, or `stop`.

        True if it has come so far.
        """
        cdef int64_t burn_in_ = burn_in, drawn_steps = samples * self.thin
        cdef int status = 0
        self.check_idle()
        self.busy = True
        while not self.stop_asked and status == 0 and (
                self.n_burnt_steps < burn_in_ or self.n_drawn_steps < drawn_steps):
            with nogil:
                status = self.some_steps(burn_in_, drawn_steps)
        self.busy = False
        if status < 0:
            raise MemoryError
        return self.n_burnt_steps >= burn_in_ and self.n_drawn_steps >= drawn_steps

    def stop(self, bint asked=True):
        """Ask a chain that advances in another thread to stop soon; or take that back."""
        self.stop_asked = asked

    cdef int some_steps(self, int64_t burn_in, int64_t drawn_steps) noexcept nogil:
        cdef int _i
        self.rules.work = 0
        for _i in range(STEPS_PER_LOOK):
            if self.rules.work > WORK_PER_LOOK:
                return 0
            if self.n_burnt_steps < burn_in:
                if self.step() < 0:
                    return -1
                self.n_burnt_steps += 1
                if self.n_burnt_steps % self.thin == 0 and self.record(&self.burnt, False) < 0:
                    return -1
            elif self.n_drawn_steps < drawn_steps:
                if self.step() < 0:
                    return -1
                self.n_drawn_steps += 1
                if self.n_drawn_steps % self.thin == 0 and self.record(&self.draws, True) < 0:
                    return -1
            else:
                return 0
        return 0

    cdef int step(self) noexcept nogil:
        # One step at every temperature, and now and then an exchange; -1 without memory.
        cdef int i
        for i in range(self.n_tempers):
            if self.jump(i) < 0:
                return -1
        self.n_steps += 1
        if self.n_tempers > 1 and self.n_steps % self.exchange_every == 0:
            self.exchange()
        return 0

    cdef int jump(self, int i) noexcept nogil:
        cdef ChainTree* tree = &self.trees[i]
        cdef RandomStream* stream = &self.streams[i]
        cdef Proposal proposal
        cdef double log_least
        cdef Verdict verdict
        cdef int redraws, move = -1
        cdef bint redraw = self.rules.treatment == RESAMPLE or self.rules.treatment == SWEEP_PAPER
        if tree_reserve(tree) < 0:
            return -1
        if redraw and tree.n_inner == 0 and self.root_is_closed:
            return 0  # a tree of one leaf, and no other that it could become
        for redraws in range(MAX_REDRAWS):
            self.rules.work += 64
            if not self.rules.same_move or redraws % MOVE_REDRAWS == 0:
                move = draw_move(&self.rules, stream)
            if redraw and tree.n_inner == 0 and redraws == FIRST_REDRAWS:
                # Of any other tree a death is available; here it may be that next to nothing is.
                proposal = draw_first_birth(&self.rules, tree, stream)
            else:
                proposal = draw_proposal(&self.rules, tree, move, stream)
            # The number is drawn before the ratio is known, so that a ratio that cannot reach it need not be.
            log_least = log(1.0 - next_uniform(stream))
            verdict = weigh(&self.rules, tree, &proposal, self.tempers[i], log_least)
            if i == 0:
                self.counts[0][proposal.move] += 1
                self.counts[1][proposal.move] += verdict == UNAVAILABLE
            if verdict != UNAVAILABLE or not redraw:
                break
        if verdict == WEIGHED and log_least <= proposal.log_ratio:
            accept(&self.rules, tree, &proposal)
            if i == 0:
                self.counts[2][proposal.move] += 1
                self.changed = True
        return 0

    cdef void exchange(self) noexcept nogil:
        # Two neighbours exchange their trees with the chance min(1, exp((b_i - b_j) (L_j - L_i))).
        cdef RandomStream* stream = &self.streams[self.n_tempers]
        cdef int i = next_below(stream, self.n_tempers - 1)
        cdef double log_least = log(1.0 - next_uniform(stream)), ratio
        cdef ChainTree tree
        ratio = self.log_exchange(i)
        self.exchanges[0] += 1
        if log_least <= ratio:
            tree = self.trees[i]
            self.trees[i] = self.trees[i + 1]
            self.trees[i + 1] = tree
            self.exchanges[1] += 1
            if i == 0:
                self.changed = True

    cdef double log_exchange(self, int i) noexcept nogil:
        # The worth of a whole tree is always summed in the order of its nodes: it does not depend on how it came about.
        cdef double here = standing_worth(&self.trees[i], self.trees[i].root)
        cdef double there = standing_worth(&self.trees[i + 1], self.trees[i + 1].root)
        return (self.tempers[i] - self.tempers[i + 1]) * (there - here)

    # recording

    cdef int record(self, Records* records, bint drawn) noexcept nogil:
        cdef ChainTree* tree = &self.trees[0]
        cdef Record record
        cdef int i
        for i in range(self.n_tempers):
            list_in_order(&self.trees[i])
        record.log_likelihood = standing_worth(tree, tree.root)
        record.log_posterior = record.log_likelihood + log_prior(&self.rules, tree)
        if self.write_tree(drawn, &record) < 0:
            return -1
        self.last_log_likelihood = record.log_likelihood
        self.last_leaves = record.leaves
        return records_add(records, record)

    cdef int write_tree(self, bint drawn, Record* record) noexcept nogil:
        # The tree as it stands, without what is swept away; into the bank, if it is not there already. -1 without memory.
        cdef ChainTree* tree = &self.trees[0]
        cdef bint write = drawn and self.keep_trees and (self.changed or self.bank.n_trees == 0)
        cdef int32_t node, n_stack = 1, attribute
        cdef int32_t* depths = tree.touched  # no proposal is being worked out
        cdef Py_ssize_t slot
        record.leaves = 0
        record.depth = 0
        record.tree = -1
        tree.stack[0] = tree.root
        depths[0] = 0
        while n_stack:
            n_stack -= 1
            node = tree.stack[n_stack]
            slot = holding(tree, node)
            if is_leaf(tree, node) or tree.how[slot] == COLLAPSED:
                record.leaves += 1
                record.depth = max(record.depth, depths[n_stack])
                if write and bank_add_node(&self.bank, LEAF, counts_of(tree, slot)) < 0:
                    return -1
                continue
            if tree.how[slot] == PASS_LEFT or tree.how[slot] == PASS_RIGHT:
                tree.stack[n_stack] = tree.left[node] if tree.how[slot] == PASS_LEFT else tree.right[node]
                n_stack += 1
                continue
            if write and bank_add_node(&self.bank, tree.test[node], NULL) < 0:
                return -1
            if drawn:
                attribute = self.rules.grid.attribute[tree.test[node]]
                if self.used[attribute] >= 0:  # marked by its complement, once a tree
                    self.used[attribute] = -self.used[attribute] - 1
            depths[n_stack + 1] = depths[n_stack] + 1
            depths[n_stack] += 1
            tree.stack[n_stack] = tree.right[node]
            tree.stack[n_stack + 1] = tree.left[node]
            n_stack += 2
        if drawn:
            for attribute in range(self.rules.grid.n_attributes):
                if self.used[attribute] < 0:
                    self.used[attribute] = -self.used[attribute]
        if write:
            if bank_close_tree(&self.bank) < 0:
                return -1
            self.changed = False
        if drawn and self.keep_trees:
            record.tree = self.bank.n_trees - 1
        return 0

    @property
    def progress(self):
        """Steps thrown away, steps since, the last recorded log-likelihood and number of leaves (None before).

        This may be asked while the chain advances; nothing else may.
        """
        if self.last_leaves == 0:
            return self.n_burnt_steps, self.n_drawn_steps, None, None
        return self.n_burnt_steps, self.n_drawn_steps, self.last_log_likelihood, self.last_leaves

    cdef int check_idle(self) except -1:
        # Another thread may move what is asked for while it advances the chain.
        if self.busy:
            raise RuntimeError("the chain is advanced by another thread")
        return 0

    def traces(self, burn_in=False):
        """What was recorded, by name; of the steps that were thrown away, or of the others."""
        self.check_idle()
        return records_arrays(&self.burnt if burn_in else &self.draws)

    def bank_arrays(self):
        """The trees that were kept: ``node_start``, ``leaf_start``, ``tests``, ``counts``."""
        self.check_idle()
        return bank_arrays(&self.bank)

    @property
    def moves(self):
        """By move: how often it was proposed, was not available, was accepted. Beside them the same of exchanges."""
        result = {
            name: {"proposed": self.counts[0][i], "unavailable": self.counts[1][i], "accepted": self.counts[2][i]}
            for i, name in enumerate(MOVES)
        }
        result["exchange"] = {"proposed": self.exchanges[0], "unavailable": 0, "accepted": self.exchanges[1]}
        return result

    @property
    def used_attributes(self):
        """By attribute, in how many of the drawn trees it was tested."""
        self.check_idle()
        return np.array([self.used[i] for i in range(self.rules.grid.n_attributes)], dtype=np.int64)

    # going on

    def state(self):
        """All that is needed to go on later as if nothing had been between: numbers, and lists of numbers."""
        cdef int i
        self.check_idle()
        return {
            "steps": self.n_steps,
            "burnt_steps": self.n_burnt_steps,
            "drawn_steps": self.n_drawn_steps,
            "streams": [
                [self.streams[i].key, *[self.streams[i].state[k] for k in range(4)]] for i in range(self.n_tempers + 1)
            ],
            "trees": [self.tree(i) for i in range(self.n_tempers)],
            "orders": [self._orders(i) for i in range(self.n_tempers)],
            "moves": [[self.counts[k][i] for i in range(N_MOVES)] for k in range(3)],
            "exchanges": [self.exchanges[0], self.exchanges[1]],
            "used": self.used_attributes.tolist(),
            "changed": self.changed,
        }

    def restore(self, state, traces, burn_in_traces, bank):
        """Take up a chain from its `state`, `traces` and `bank_arrays`."""
        cdef int i, k
        cdef Py_ssize_t j
        self.check_idle()
        streams = state["streams"]
        if len(streams) != self.n_tempers + 1 or len(state["trees"]) != self.n_tempers:
            raise ValueError("the state is of a chain of other temperatures")
        if len(state["used"]) != self.rules.grid.n_attributes:
            raise ValueError("the state is of a chain on other attributes")
        self.n_steps = state["steps"]
        self.n_burnt_steps = state["burnt_steps"]
        self.n_drawn_steps = state["drawn_steps"]
        for i in range(self.n_tempers + 1):
            if len(streams[i]) != 5 or not any(streams[i][1:]):
                raise ValueError("the state of a stream is five numbers, of which the last four are not all 0")
            self.streams[i].key = streams[i][0]
            for k in range(4):
                self.streams[i].state[k] = streams[i][k + 1]
        for i in range(self.n_tempers):
            self.set_tree(state["trees"][i], i)
            self._reorder(i, *state["orders"][i])
        for k in range(3):
            for i in range(N_MOVES):
                self.counts[k][i] = state["moves"][k][i]
        self.exchanges[0] = state["exchanges"][0]
        self.exchanges[1] = state["exchanges"][1]
        for j in range(self.rules.grid.n_attributes):
            self.used[j] = state["used"][j]
        records_take(&self.draws, traces, len(bank["node_start"]) - 1)
        records_take(&self.burnt, burn_in_traces, len(bank["node_start"]) - 1)
        bank_take(&self.bank, bank, self.rules.grid.n_tests)
        # The last tree of the bank is the present one, unless a step has changed it since it was written.
        self.changed = state["changed"]

    def _nodes(self, int i):
        # The nodes of a tree, each before its branches.
        cdef ChainTree* tree = &self.trees[i]
        cdef int32_t n_stack = 1, node
        result = []
        tree.stack[0] = tree.root
        while n_stack:
            n_stack -= 1
            node = tree.stack[n_stack]
            result.append(node)
            if not is_leaf(tree, node):
                tree.stack[n_stack] = tree.right[node]
                tree.stack[n_stack + 1] = tree.left[node]
                n_stack += 2
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
        self.check_idle()
        if not 0 <= i < self.n_tempers:
            raise IndexError(i)
        return [self.trees[i].test[<Py_ssize_t> node] for node in self._nodes(i)]

    def set_tree(self, tests, int i=0):
        """Begin with another tree, in the form of `tree`."""
        cdef ChainTree* tree = &self.trees[i]
        self.check_idle()
        if not 0 <= i < self.n_tempers:
            raise IndexError(i)
        tree_free(tree)
        tree[0] = _no_tree()
        if tree_init(tree, self.rules.grid, &self.rules.worth) < 0:
            raise MemoryError
        waiting = [tree.root]
        for test in tests:
            if not waiting or not -1 <= test < self.rules.grid.n_tests:
                raise ValueError("the list is not that of a tree")
            node = waiting.pop()
            if test >= 0:
                if tree_reserve(tree) < 0:
                    raise MemoryError
                if tree.depth[node] >= self.rules.max_depth or tree.n_leaves >= self.rules.most_leaves:
                    raise ValueError("the tree is larger than a tree of this chain can be")
                tree_birth(tree, node, test)
                waiting += [tree.right[node], tree.left[node]]
        if waiting:
            raise ValueError("the list is not that of a tree")
        if not settle_all(&self.rules, tree):
            raise ValueError("the tree has a leaf of too few cases")
        list_in_order(tree)
        self.changed = True


cdef ChainTree _no_tree() noexcept nogil:
    cdef ChainTree tree
    memset(&tree, 0, sizeof(ChainTree))
    return tree
