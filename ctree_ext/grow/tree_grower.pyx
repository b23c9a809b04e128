"""Top-down induction: cases in, flat tree out.

A `TreeGrower` takes a node from the stack, counts its classes, asks its search for a test and has its storage divide
the cases among the branches. The searches are in `gain_ratio_grower` and `score_grower`. Where subtrees do not touch
each other, threads share them; else they only share the attributes of large nodes. The tree is the same for any number
of threads.
"""

from libc.stdint cimport int32_t
from libc.string cimport memcpy

from ctree_ext.base.cases cimport CONTINUOUS, DISCRETE
from ctree_ext.base.interrupts cimport check_after
from ctree_ext.base.memory cimport pool_zeroed
from ctree_ext.base.nodes cimport (
    GROUPS, VALUES, Nodes, nodes_add, nodes_add_group, nodes_export, nodes_free, nodes_graft, nodes_init,
)
from ctree_ext.base.numeric cimport rounded
from ctree_ext.grow.counts cimport count_classes
from ctree_ext.grow.frames cimport Deferred, Frame, Segment, Worker
from ctree_ext.grow.scratch cimport NodeView
from ctree_ext.grow.storage cimport CaseStorage, TableSurvey
from ctree_ext.grow.threads cimport Team

from ctree_ext.base.interrupts import run_interruptible

cdef enum:
    TEAM_CASES = 8192        # below this, sharing a node's attributes costs more than it brings
    MIN_DEFERRED = 256       # cases of a subtree below which no thread takes it
    JOBS_PER_THREAD = 8


cdef class TreeGrower:
    # A subclass makes a storage, calls `start`, and says how tests are found.

    cdef int start(self, CaseStorage storage, TableSurvey survey, int n_threads) except -1:
        cdef Py_ssize_t a, offset = 0
        self.table = storage.table
        self.cases = storage.cases
        self.storage = storage
        storage.survey = survey
        self.team = Team(max(1, n_threads))
        self.group_offset = <Py_ssize_t*> storage.facts.raw(self.cases.n_attributes, sizeof(Py_ssize_t))
        for a in range(self.cases.n_attributes):
            self.group_offset[a] = offset
            if self.cases.kind[a] == DISCRETE:
                offset += self.cases.n_values[a]
        return 0

    @property
    def n_threads(self):
        return self.team.n_threads

    def grow(self, rows=None, *, tested=(), present_above=0):
        """Grow a tree from all cases, or from those at `rows` (int32), and return its arrays.

        If it is to hang in a larger tree, `tested` are the attributes that are tested above its root, and
        `present_above` is the number of classes that have cases in the node just above.
        """
        self.team.stop = 0
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
                all_.n = self.storage.prepare(rows, self.team.pool, self.team.n_threads)
                self.workers = [self.new_worker(self.cases.n) for _ in range(self.team.n_threads)]
                lead = self.workers[0]
                lead.leads = True
                if self.team.n_threads > 1 and self.storage.is_separable():
                    lead.defer_below = max(all_.n // (JOBS_PER_THREAD * self.team.n_threads), MIN_DEFERRED)
                _add_root(&lead.nodes)
                root = lead.push(0, all_, self.cases.weights == NULL)
                root.present_above = present_above
                for attribute in tested:
                    lead.tested[<Py_ssize_t> attribute] += 1
                with nogil:
                    self.run(lead)
                if lead.n_deferred:
                    self.grow_deferred(lead)
                self.storage.release_columns()
                self.order = self.storage.final_order(all_.n)
                return nodes_export(&lead.nodes)
        finally:
            self.workers = None
            self.storage.release()

    cdef Worker new_worker(self, Py_ssize_t most_cases):
        cdef Worker worker = Worker(self.table, self.storage.survey.most_values, self.storage.survey.n_group_codes,
                                    most_cases)
        worker.watch.stop = <const int*> &self.team.stop
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
        cdef int c, best = 0, attribute
        cdef NodeView view
        view.start = frame.cases.start
        view.n = frame.cases.n
        view.rows = self.storage.rows + frame.cases.list_start
        view.weights = NULL if frame.integer else self.storage.weights
        view.counts = counts
        if frame.counted:
            view.cases = nodes.cases[frame.node]
        else:
            view.cases = count_classes(view.rows, view.n, self.cases.classes, view.weights, self.cases.n_classes,
                                       counts)
        for c in range(1, self.cases.n_classes):
            if counts[c] - counts[best] > self.storage.small:
                best = c
        view.best = best
        nodes.best[frame.node] = best
        nodes.cases[frame.node] = view.cases
        nodes.errors[frame.node] = rounded(view.cases - counts[best], self.cases.single)
        if self.stays_leaf(frame, &view):
            worker.stack.pop()
            return 0
        if frame.cases.n <= worker.defer_below:
            worker.defer(frame, self.cases.n_attributes)
            worker.stack.pop()
            return 0
        if worker.stack.n > 1:
            self.storage.merge_kept(frame)
        attribute = self.choose(worker, frame, &view)
        if attribute >= 0:
            return self.divide(worker, frame, attribute)
        worker.stack.pop()
        return 0

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
        self.storage.divide(nodes, frame, attribute)
        if frame.n_unknown:
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
            return 2
        n_groups = self.n_groups(worker, attribute)
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
        self.storage.sides_by_code(frame, self.cases.codes[attribute], group)

    cdef int next_branch(self, Worker worker, Frame* frame) except -1 nogil:
        # Come back from one branch, go down the next that has cases.
        cdef int b
        cdef Frame* below
        cdef Segment cases
        cdef int present = frame.present
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
            worker.stack.pop()
            return 0
        frame.next_branch += 1
        cases = self.storage.enter_branch(&worker.nodes, frame, b)
        below = worker.push(worker.nodes.first_branch[frame.node] + b, cases,
                            frame.integer and cases.n == frame.sizes[b])
        # `frame` may be gone: the stack may have moved
        below.counted = branches_counted
        below.present_above = present
        return 0

    cdef int grow_deferred(self, Worker lead) except -1:
        # Subtrees in parallel, the largest first; then each is hung where it belongs.
        cdef Py_ssize_t i
        queue = sorted(range(lead.n_deferred), key=lambda k: -lead.deferred[k].n)
        results = {}
        self.team.share(self._grow_queue, [(queue, results)] * self.team.n_threads)
        for i in range(lead.n_deferred):
            if (<Subtree> results.pop(i)).graft(lead, lead.deferred[i].node) < 0:
                raise MemoryError
        return 0

    def _grow_queue(self, work):
        # Take the next subtree from the queue until there is none.
        cdef Worker lead = self.workers[0], own = self.new_worker(lead.largest_deferred())
        cdef Deferred* deferred
        cdef Segment cases
        cdef Frame* root
        cdef Py_ssize_t C = self.cases.n_classes
        queue, results = work
        while not self.team.stop:
            try:
                k = queue.pop(0)
            except IndexError:
                break
            deferred = &lead.deferred[k]
            memcpy(own.tested, deferred.tested, self.cases.n_attributes * sizeof(int32_t))
            _add_root(&own.nodes)
            memcpy(own.nodes.counts, lead.nodes.counts + deferred.node * C, C * sizeof(double))
            own.nodes.cases[0] = lead.nodes.cases[deferred.node]
            cases.start = cases.list_start = deferred.start
            cases.n = deferred.n
            root = own.push(0, cases, self.storage.weights == NULL)
            root.counted = True
            root.present_above = deferred.present_above
            with nogil:
                self.run(own)
            results[k] = Subtree.take(own)

    # What a search for tests fills in

    cdef int set_up(self, Worker worker) except -1:
        # Memory that the search needs in each thread.
        return 0

    cdef bint stays_leaf(self, Frame* frame, NodeView* view) noexcept nogil:
        # Whether no test is looked for.
        return True

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


cdef int _add_root(Nodes* nodes) except -1:
    if nodes_add(nodes, 1) < 0:
        raise MemoryError
    return 0


cdef class Subtree:
    # Nodes that a thread grew, until they find their place.
    cdef Nodes nodes

    def __dealloc__(self):
        nodes_free(&self.nodes)

    @staticmethod
    cdef Subtree take(Worker worker):
        cdef Subtree subtree = Subtree.__new__(Subtree)
        subtree.nodes = worker.nodes
        nodes_init(&worker.nodes, subtree.nodes.n_classes)
        return subtree

    cdef int graft(self, Worker lead, Py_ssize_t target):
        return nodes_graft(&lead.nodes, target, &self.nodes)
