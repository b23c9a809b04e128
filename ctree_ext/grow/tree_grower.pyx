"""Top-down induction: cases in, flat tree out.

A `TreeGrower` takes a node from the stack, counts its classes, asks its search for a test and has its storage divide
the cases among the branches. The searches are in `gain_ratio_grower` and `score_grower`. Where subtrees do not touch
each other, threads share them; else they only share the attributes of large nodes. The tree is the same for any number
of threads.
"""

from cpython.pyport cimport PY_SSIZE_T_MAX
from libc.math cimport isnan
from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.string cimport memcpy, memset

from ctree_ext.base.cases cimport CONTINUOUS, DISCRETE, IGNORED, code_of
from ctree_ext.base.interrupts cimport check_after
from ctree_ext.base.memory cimport pool_zeroed
from ctree_ext.base.nodes cimport (
    GROUPS, VALUES, Nodes, nodes_add, nodes_add_group, nodes_collapse, nodes_export, nodes_free, nodes_init, nodes_place,
    nodes_reserve,
)
from ctree_ext.base.numeric cimport rounded
from ctree_ext.grow.drawn_columns cimport DrawnColumns
from ctree_ext.grow.frames cimport Deferred, Frame, Segment, Worker, is_left_out
from ctree_ext.grow.limits cimport FirstTest, GrowthLimits
from ctree_ext.grow.random_choice cimport key_below, shuffle
from ctree_ext.grow.scratch cimport NodeView
from ctree_ext.grow.storage cimport CaseStorage, TableSurvey
from ctree_ext.grow.threads cimport Backlog, Team, is_small

from ctree_ext.base.interrupts import run_interruptible

cdef enum:
    TEAM_CASES = 8192        # below this, sharing a node's attributes costs more than it brings
    MIN_DEFERRED = 256       # cases of a subtree below which no thread takes it
    JOBS_PER_THREAD = 3      # the largest subtrees are grown first, so that a few of the smaller ones even out


cdef class TreeGrower:
    # A subclass makes a storage, calls `start`, and says how tests are found.

    cdef int start(self, CaseStorage storage, TableSurvey survey, int n_threads) except -1:
        cdef Py_ssize_t a, offset = 0
        self.table = storage.table
        self.cases = storage.cases
        self.storage = storage
        storage.survey = survey
        self.team = Team(max(1, n_threads))
        self.limits = GrowthLimits()
        if self.table.drawn is not None:
            self.n_chosen = (<DrawnColumns> self.table.drawn).n_chosen
            self.key = (<DrawnColumns> self.table.drawn).key
        self.group_offset = <Py_ssize_t*> storage.facts.raw(self.cases.n_attributes, sizeof(Py_ssize_t))
        for a in range(self.cases.n_attributes):
            self.group_offset[a] = offset
            if self.cases.kind[a] == DISCRETE:
                offset += self.cases.n_values[a]
        return 0

    @property
    def n_threads(self):
        return self.team.n_threads

    def grow(self, rows=None, *, tested=(), present_above=0, GrowthLimits limits=None):
        """Grow a tree from all cases, or from those at `rows` (int32), and return its arrays.

        If it is to hang in a larger tree, `tested` are the attributes that are tested above its root, one for each test,
        and `present_above` is the number of classes that have cases in the node just above.
        """
        self.team.stop = 0
        self.limits = GrowthLimits() if limits is None else limits
        if not self.limits.fits(self.cases):
            raise ValueError("the limits do not fit the cases")
        if not 0 <= present_above <= self.cases.n_classes or not all(0 <= a < self.cases.n_attributes for a in tested):
            raise ValueError("what is above the root does not fit the cases")
        if self.team.n_threads == 1:
            return self._grow(rows, tested, present_above)
        return run_interruptible(lambda: self._grow(rows, tested, present_above), self.team.stop_all)

    def _grow(self, rows, tested, int present_above):
        cdef Worker lead
        cdef Segment all_
        cdef Frame* root
        try:
            with self.team:
                all_.start = all_.list_start = 0
                all_.n = self.storage.prepare(rows, self.team)
                self.workers = [self.new_worker(self.cases.n) for _ in range(self.team.n_threads)]
                lead = self.workers[0]
                lead.leads = True
                if self.team.n_threads > 1 and (self.storage.is_separable() or self.takes_apart()):
                    self.parts = None if self.storage.is_separable() else []
                    self.subtrees = []
                    self.left = Backlog(
                        PY_SSIZE_T_MAX if self.parts is None else all_.n * (self.team.n_threads + 2) // 2)
                    lead.defer_below = max(all_.n // (JOBS_PER_THREAD * self.team.n_threads), MIN_DEFERRED)
                _add_root(&lead.nodes)
                root = lead.push(0, all_, self.cases.weights == NULL)
                root.present_above = present_above
                root.key = self.key
                root.depth = len(tested)
                for attribute in tested:
                    lead.tested[<Py_ssize_t> attribute] += 1
                with nogil:
                    self.run(lead)
                if lead.defer_below:
                    self.grow_deferred(lead)
                self.storage.release_columns()
                self.order = self.storage.final_order(all_.n)
                self.leaf_rows = self.storage.rows_by_leaf(all_.n)
                return nodes_export(&lead.nodes)
        finally:
            self.workers = self.hands = self.parts = self.subtrees = self.left = None
            self.most_in_hand = 0
            self.storage.release()

    cdef Worker new_worker(self, Py_ssize_t most_cases):
        cdef Worker worker = Worker(self.table, self.storage.survey.most_values, self.storage.survey.n_group_codes,
                                    most_cases)
        worker.watch.stop = <const int*> &self.team.stop
        if self.n_chosen or self.limits.n_pairs or self.limits.n_first:
            worker.left_out = <uint8_t*> worker.memory.raw(self.cases.n_attributes, sizeof(uint8_t))
            worker.shuffled = <int32_t*> worker.memory.raw(self.cases.n_attributes, sizeof(int32_t))
        self.set_up(worker)
        return worker

    cdef int run(self, Worker worker) except -1 nogil:
        # Grow what is on the stack.
        cdef Frame* frame
        while worker.stack.n:
            frame = <Frame*> worker.stack.top()
            if frame.divided:
                self.next_branch(worker, frame)
                continue
            if worker.leads:
                check_after(&worker.watch, frame.cases.n * self.cases.n_attributes + self.storage.survey.n_group_codes)
            if self.team.stop:
                with gil:
                    raise KeyboardInterrupt
            self.open_node(worker, frame)
        return 0

    cdef int open_node(self, Worker worker, Frame* frame) except -1 nogil:
        # Count the classes, choose a test and divide the cases, or leave a leaf.
        cdef Nodes* nodes = &worker.nodes
        cdef double* counts = nodes.counts + <Py_ssize_t> frame.node * self.cases.n_classes
        cdef int c, best = 0, attribute = -1
        cdef bint is_leaf
        cdef NodeView view
        self.storage.show(frame, &view)
        view.counts = counts
        if frame.counted:
            view.cases = nodes.cases[frame.node]
        else:
            view.cases = self.storage.count(&view, counts)
        for c in range(1, self.cases.n_classes):
            if counts[c] - counts[best] > self.storage.small:
                best = c
        view.best = best
        nodes.best[frame.node] = best
        nodes.cases[frame.node] = view.cases
        nodes.errors[frame.node] = rounded(view.cases - counts[best], self.cases.single)
        is_leaf = self.stays_leaf(frame, &view) or frame.depth >= self.limits.max_depth
        if is_leaf and frame.n_first == self.limits.n_first:
            worker.stack.pop()
            return 0
        if worker.defer_below and is_small(self.cases, frame.cases.n, view.cases, worker.defer_below):
            return self.defer(worker, frame)
        if worker.stack.n > 1:
            self.storage.merge_kept(frame)
        if frame.n_first < self.limits.n_first:
            attribute = self.choose_first(worker, frame, &view)
        if attribute >= 0 or is_leaf:
            pass
        elif self.n_chosen:
            attribute = self.choose_at_random(worker, frame, &view)
        else:
            self.leave_out_forbidden(worker)
            attribute = self.choose(worker, frame, &view)
        if attribute >= 0:
            return self.divide(worker, frame, attribute)
        worker.stack.pop()
        return 0

    cdef int choose_first(self, Worker worker, Frame* frame, NodeView* view) except -2 nogil:
        # The next of the tests that come first which divides the cases; -1 where none is left. Whether it gains anything
        # does not matter, nor how many cases its branches have.
        cdef const FirstTest* test
        cdef bint found
        cdef int a
        while frame.n_first < self.limits.n_first:
            test = &self.limits.first[frame.n_first]
            frame.n_first += 1
            a = test.attribute
            worker.forced = test
            if self.cases.kind[a] != CONTINUOUS:
                found = self.is_divided(view, test)
                if found and test.n_groups:
                    memcpy(worker.group + self.group_offset[a], test.group, test.n_values * sizeof(int32_t))
                if found:
                    self.skip_search(worker)
            elif isnan(test.threshold):
                found = self.find_own_threshold(worker, frame, view, a)
            else:
                found = self.put_threshold(worker, view, a)
                if found:
                    self.skip_search(worker)
            if found:
                worker.nodes.n_tests[frame.node] = 1
                return a
        worker.forced = NULL
        return -1

    cdef bint is_divided(self, const NodeView* view, const FirstTest* test) noexcept nogil:
        # Whether the cases of known value take more than one branch.
        cdef Py_ssize_t i
        cdef int b, first = -1
        for i in range(view.n):
            b = code_of(self.cases, test.attribute, view.rows[i])
            if b < 0:
                continue
            if test.n_groups:
                b = test.group[b]
            if first >= 0 and b != first:
                return True
            first = b
        return False

    cdef void leave_out_forbidden(self, Worker worker) noexcept nogil:
        # The attributes that may not be tested below what is tested above.
        cdef int p
        if worker.left_out == NULL:
            return
        memset(worker.left_out, 0, self.cases.n_attributes)
        for p in range(self.limits.n_pairs):
            if worker.tested[self.limits.above[p]]:
                worker.left_out[self.limits.attribute[p]] = 1

    cdef int choose_at_random(self, Worker worker, Frame* frame, NodeView* view) except -2 nogil:
        # The test of a node that is offered some attributes at random, and others as long as none of them has one.
        cdef int a, k, taken = 0, n = 0, attribute = -1
        self.leave_out_forbidden(worker)
        for a in range(self.cases.n_attributes):
            if self.cases.kind[a] != IGNORED and not is_left_out(worker, a):
                worker.shuffled[n] = a
                n += 1
        shuffle(worker.shuffled, n, frame.key)
        while attribute < 0 and taken < n:
            memset(worker.left_out, 1, self.cases.n_attributes)
            for k in range(taken, min(taken + self.n_chosen, n)):
                worker.left_out[worker.shuffled[k]] = 0
            attribute = self.choose(worker, frame, view)
            taken += self.n_chosen
        return attribute

    cdef inline bint calls_team(self, Worker worker, Py_ssize_t n) noexcept nogil:
        # Whether all threads share the attributes of a node of so many cases.
        return worker.leads and self.team.pool is not None and n >= TEAM_CASES

    cdef int search_all(self, Worker worker, NodeView* view) except -1 nogil:
        # The best test of every attribute.
        if not self.calls_team(worker, view.n):
            self.search(worker, worker, view, 0, 1)
            return 0
        self.view = view[0]
        with gil:
            self.team.share(self._search_part, list(range(self.team.n_threads)))
        return 0

    def _search_part(self, int part):
        cdef Worker hand = self.workers[part], lead = self.workers[0]
        with nogil:
            self.search(hand, lead, &self.view, part, self.team.n_threads)

    cdef int divide(self, Worker worker, Frame* frame, int attribute) except -1 nogil:
        # Write the test into the node and its cases into its branches.
        cdef Nodes* nodes = &worker.nodes
        cdef Py_ssize_t first
        cdef int b, n_branches = self.write_test(worker, frame, attribute)
        first = nodes_add(nodes, n_branches)
        frame.sizes = <Py_ssize_t*> pool_zeroed(&frame.memory, n_branches, sizeof(Py_ssize_t))
        frame.shares = <double*> pool_zeroed(&frame.memory, n_branches, sizeof(double))
        if first < 0 or frame.sizes == NULL or frame.shares == NULL:
            with gil:
                raise MemoryError
        nodes.attribute[frame.node] = attribute
        nodes.first_branch[frame.node] = <int32_t> first
        nodes.n_branches[frame.node] = n_branches
        for b in range(n_branches):
            nodes.best[first + b] = nodes.best[frame.node]
        worker.tested[attribute] += 1
        frame.divided = True
        frame.n_branches = n_branches
        self.take_sides(worker, frame, attribute)
        worker.forced = NULL
        self.storage.divide(nodes, frame, attribute)
        self.note_leaves(worker, frame)
        self.storage.keep_unknown(frame)
        if not self.calls_team(worker, frame.cases.n):
            self.storage.partition(worker, frame, 0, 1)
            return 0
        self.dividing = frame
        with gil:
            self.team.share(self._partition_part, list(range(self.team.n_threads)))
        return 0

    def _partition_part(self, int part):
        cdef Worker hand = self.workers[part]
        with nogil:
            self.storage.partition(hand, self.dividing, part, self.team.n_threads)

    cdef int write_test(self, Worker worker, Frame* frame, int attribute) except -1 nogil:
        # The test of a node, but for its branches; how many there are.
        cdef Nodes* nodes = &worker.nodes
        cdef int n_groups, n_values = self.cases.n_values[attribute]
        cdef Py_ssize_t group_start
        if self.cases.kind[attribute] == CONTINUOUS:
            self.write_threshold(worker, frame, attribute)
            if worker.forced != NULL and not isnan(worker.forced.threshold):
                nodes.threshold[frame.node] = worker.forced.threshold + 0.0  # never -0
            return 2
        n_groups = self.n_groups(worker, attribute) if worker.forced == NULL else worker.forced.n_groups
        if n_groups == 0:
            nodes.test[frame.node] = VALUES
            return n_values
        group_start = nodes_add_group(nodes, n_values)
        if group_start < 0:
            with gil:
                raise MemoryError
        memcpy(nodes.group + group_start, worker.group + self.group_offset[attribute], n_values * sizeof(int32_t))
        nodes.test[frame.node] = GROUPS
        nodes.group_start[frame.node] = group_start
        nodes.group_length[frame.node] = n_values
        return n_groups

    cdef void take_sides(self, Worker worker, Frame* frame, int attribute) noexcept nogil:
        # The branch of each row and the size of each branch.
        cdef const int32_t* group = NULL
        if self.cases.kind[attribute] == CONTINUOUS:
            self.take_threshold_sides(worker, frame, attribute)
            return
        if worker.nodes.test[frame.node] == GROUPS:
            group = worker.group + self.group_offset[attribute]
        self.storage.sides_by_code(frame, attribute, group)

    cdef int next_branch(self, Worker worker, Frame* frame) except -1 nogil:
        # Come back from one branch, go down the next that has cases.
        cdef int b
        cdef Frame* below
        cdef Segment cases
        cdef int present = frame.present, depth = frame.depth + 1, n_first = frame.n_first
        cdef uint64_t key = frame.key
        cdef bint branches_counted = frame.branches_counted
        if frame.next_branch:
            b = frame.next_branch - 1
            frame.done += frame.sizes[b]
            self.storage.leave_branch(&worker.nodes, frame, b)
        while frame.next_branch < frame.n_branches and frame.sizes[frame.next_branch] == 0:
            frame.next_branch += 1
        b = frame.next_branch
        if b == frame.n_branches:
            worker.tested[worker.nodes.attribute[frame.node]] -= 1
            if self.collapse and worker.defer_below == 0:
                self.collapse_node(worker, frame.node)
            worker.stack.pop()
            return 0
        frame.next_branch += 1
        cases = self.storage.enter_branch(&worker.nodes, frame, b)
        below = worker.push(worker.nodes.first_branch[frame.node] + b, cases,
                            frame.integer and cases.n == frame.sizes[b])
        # `frame` may be gone: the stack may have moved
        below.counted = branches_counted
        below.depth = depth
        below.n_first = n_first
        below.present_above = present
        if self.n_chosen:
            below.key = key_below(key, b)
        return 0

    cdef int collapse_node(self, Worker worker, Py_ssize_t node) noexcept nogil:
        # A node whose branches are grown; what was added since its branches were is below them.
        cdef Py_ssize_t first = worker.nodes.first_branch[node]
        if nodes_collapse(&worker.nodes, node, self.cases.single):
            worker.nodes.n = first
        return 0

    cdef int defer(self, Worker worker, Frame* frame) except -1 nogil:
        # Leave a subtree to whichever thread is free, with its cases if they do not stay as they are.
        with gil:
            if self.parts is not None:
                self.parts.append(self.part_of(worker, frame))
            self.left.add(worker.n_deferred, frame.cases.n)
        worker.defer(frame, self.cases.n_attributes)
        worker.stack.pop()
        if self.left.is_full():
            with gil:
                self.grow_left(worker)
        return 0

    cdef int grow_left(self, Worker lead) except -1:
        # The subtrees that were left, in parallel.
        if self.hands is None or self.left.largest > self.most_in_hand:
            self.hands = None
            self.hands = [self.new_worker(self.left.largest) for _ in range(self.team.n_threads)]
            self.most_in_hand = self.left.largest
        self.subtrees += [None] * (lead.n_deferred - len(self.subtrees))
        self.team.spread(self._grow_subtree, self.left.take())
        return 0

    cdef int grow_deferred(self, Worker lead) except -1:
        # The subtrees below what the leading thread has grown.
        cdef Py_ssize_t node, n_above = lead.nodes.n
        self.grow_left(lead)
        self.hands = None
        self.hang_subtrees(lead)
        self.subtrees = None
        if self.collapse:
            for node in range(n_above - 1, -1, -1):
                nodes_collapse(&lead.nodes, node, self.cases.single)
        return 0

    def _grow_subtree(self, Py_ssize_t k):
        cdef Worker lead = self.workers[0], own = self.hands.pop()
        cdef TreeGrower grower = self
        cdef Deferred* deferred = &lead.deferred[k]
        cdef Segment cases
        cdef Frame* root
        cdef Py_ssize_t C = self.cases.n_classes
        memcpy(own.tested, deferred.tested, self.cases.n_attributes * sizeof(int32_t))
        _add_root(&own.nodes)
        memcpy(own.nodes.counts, lead.nodes.counts + deferred.node * C, C * sizeof(double))
        own.nodes.cases[0] = lead.nodes.cases[deferred.node]
        cases.start = cases.list_start = deferred.start
        cases.n = deferred.n
        if self.parts is not None:
            grower = self.parts[k]
            cases.start = cases.list_start = 0
        root = own.push(0, cases, deferred.integer)
        root.counted = True
        root.present_above = deferred.present_above
        root.key = deferred.key
        root.depth = deferred.depth
        root.n_first = deferred.n_first
        with nogil:
            grower.run(own)
        if self.parts is not None:
            self.parts[k] = None
        self.subtrees[k] = Subtree.take(own)
        self.hands.append(own)

    cdef int hang_subtrees(self, Worker lead) except -1:
        # Each subtree to where it belongs: room for all of them first, then all threads fill it.
        cdef Subtree subtree
        cdef Py_ssize_t n_nodes = 0, n_group = 0, first, first_group
        for subtree in self.subtrees:
            n_nodes += subtree.nodes.n - 1
            n_group += subtree.nodes.n_group
        first = nodes_reserve(&lead.nodes, n_nodes)
        first_group = nodes_add_group(&lead.nodes, n_group)
        if first < 0 or first_group < 0:
            raise MemoryError
        for subtree in self.subtrees:
            subtree.first = first
            subtree.first_group = first_group
            first += subtree.nodes.n - 1
            first_group += subtree.nodes.n_group
        self.team.share(self._hang_part, list(range(self.team.n_threads)))
        return 0

    def _hang_part(self, Py_ssize_t part):
        cdef Worker lead = self.workers[0]
        cdef Subtree subtree
        cdef Py_ssize_t k
        for k in range(part, lead.n_deferred, self.team.n_threads):
            subtree = self.subtrees[k]
            with nogil:
                nodes_place(&lead.nodes, lead.deferred[k].node, &subtree.nodes, subtree.first, subtree.first_group)
                nodes_free(&subtree.nodes)

    # What a search for tests fills in

    cdef int set_up(self, Worker worker) except -1:
        # Memory that the search needs in each thread.
        return 0

    cdef bint stays_leaf(self, Frame* frame, NodeView* view) noexcept nogil:
        # Whether no test is looked for.
        return True

    cdef int note_leaves(self, Worker worker, Frame* frame) except -1 nogil:
        # Which branches will stay leaves, where that helps the storage.
        return 0

    cdef int search(self, Worker hand, Worker lead, const NodeView* node, int part, int parts) except -1 nogil:
        # The best test of each attribute, or of every `parts`-th.
        return 0

    cdef int choose(self, Worker worker, Frame* frame, NodeView* view) except -2 nogil:
        # The attribute to test; -1 for a leaf.
        return -1

    cdef int write_threshold(self, Worker worker, Frame* frame, int attribute) except -1 nogil:
        return 0

    cdef int n_groups(self, Worker worker, int attribute) noexcept nogil:
        # How many groups the values of an attribute are tested in, their branches being in `worker.group`; 0: a branch
        # per value.
        return 0

    cdef void take_threshold_sides(self, Worker worker, Frame* frame, int attribute) noexcept nogil:
        pass

    cdef bint find_own_threshold(self, Worker worker, Frame* frame, NodeView* view, int attribute) except -1 nogil:
        # The best threshold of an attribute becomes its candidate, if it has any.
        return False

    cdef bint put_threshold(self, Worker worker, const NodeView* view, int attribute) except -1 nogil:
        # The threshold that is forced becomes the candidate of an attribute, if it divides the cases.
        return False

    cdef int skip_search(self, Worker worker) except -1 nogil:
        # A node is divided though no test was looked for.
        return 0

    cdef bint takes_apart(self) noexcept nogil:
        # Whether subtrees that are not separable can be taken apart, as `part_of` does.
        return False

    cdef TreeGrower part_of(self, Worker worker, Frame* frame):
        # A grower that has the cases of a frame, from which its worker has counted them already, to itself.
        raise NotImplementedError


cdef int _add_root(Nodes* nodes) except -1:
    if nodes_add(nodes, 1) < 0:
        raise MemoryError
    return 0


cdef class Subtree:
    # Nodes that a thread grew, until they find their place.
    cdef Nodes nodes
    cdef Py_ssize_t first        # where that is, for all but the root
    cdef Py_ssize_t first_group

    def __dealloc__(self):
        nodes_free(&self.nodes)

    @staticmethod
    cdef Subtree take(Worker worker):
        cdef Subtree subtree = Subtree.__new__(Subtree)
        subtree.nodes = worker.nodes
        nodes_init(&worker.nodes, subtree.nodes.n_classes)
        return subtree
