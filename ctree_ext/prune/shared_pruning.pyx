"""Error-based pruning by several threads, where every case counts one.

The cases go down the top of the tree first. Subtrees below it are pruned apart from each other, then the nodes of the
top, each as soon as its branches are: what happens to a node depends on nothing else, so the tree is the same for any
number of threads.
"""

from libc.stdint cimport int32_t
from libc.string cimport memcpy

from ctree_ext.base.memory cimport Memory, pool_raw
from ctree_ext.base.nodes cimport LEAF, nodes_export, nodes_import
from ctree_ext.prune.release8 cimport BRANCHES, Frame, Pruner

from ctree_ext.base.interrupts import run_interruptible

cdef enum:
    MIN_SHARED = 16384       # cases below which one thread is faster
    TASKS_PER_THREAD = 16
    MIN_TASK = 1024          # cases below which a subtree is no task of its own


def prune_shared(Pruner pruner, arrays, const int32_t[::1] order=None, int n_threads=1,
                 const int32_t[::1] leaf_rows=None):
    """What ``pruner.prune(arrays, order, leaf_rows)`` returns, by several threads where that is faster."""
    if n_threads == 1 or pruner.keep_order or pruner.cases.n < MIN_SHARED:
        return pruner.prune(arrays, order, leaf_rows)
    try:
        nodes_import(&pruner.nodes, arrays, pruner.cases.n_classes)
        pruner.allocate(order, leaf_rows)
        if pruner.added is not None:
            SharedPruning(pruner, n_threads).prune()
            return nodes_export(&pruner.nodes)
    finally:
        pruner.release()
    return pruner.prune(arrays, order, leaf_rows)


cdef class SharedPruning:
    def __cinit__(self, Pruner lead, int n_threads):
        self.lead = lead
        self.n_threads = n_threads
        self.memory = Memory()

    def prune(self):
        """Prune the tree of the leading pruner."""
        return run_interruptible(self._prune, self._stop_all)

    def _stop_all(self):
        self.stop = 1

    def _prune(self):
        import concurrent.futures  # only now, as it takes its time to load

        cdef Py_ssize_t k = 0, least = max(self.lead.cases.n // (TASKS_PER_THREAD * self.n_threads), MIN_TASK)
        self.lead.pruned = <unsigned char*> self.lead.memory.zeroed(self.lead.nodes.n, 1)
        self.add(0, self.lead.rows, self.lead.cases.n, -1)
        while k < self.n_tasks:
            self.open(k, least)
            k += 1
        # Subtrees first, the largest before the others; then the nodes above them, each behind its branches. So what a
        # task waits for has been taken before it.
        subtrees = [k for k in range(self.n_tasks) if self.tasks[k].sizes == NULL]
        above = [k for k in range(self.n_tasks - 1, -1, -1) if self.tasks[k].sizes != NULL]
        subtrees.sort(key=lambda k: -self.tasks[k].n)
        below = {}
        self.hands = [self.new_hand() for _ in range(self.n_threads)]
        # This thread takes tasks, too: see `ctree_ext.grow.threads`.
        with concurrent.futures.ThreadPoolExecutor(self.n_threads - 1, thread_name_prefix="ctree") as pool:
            calls = []
            for k in (*subtrees, *above):
                done = concurrent.futures.Future()
                calls.append((pool.submit(self._do, k, below.get(k, ()), done), k, done))
                below.setdefault(self.tasks[k].parent, []).append(done)
            for call, k, done in calls:
                if call.cancel():
                    self._do(k, below.get(k, ()), done)
            done.result()  # the last is the root
        if self.error is not None:
            raise self.error

    cdef Pruner new_hand(self):
        cdef Pruner hand = Pruner(self.lead.table, confidence=self.lead.estimate.confidence)
        hand.estimate = self.lead.estimate
        hand.work_for(self.lead)
        hand.watch.stop = <const int*> &self.stop
        return hand

    cdef int add(self, int32_t node, int32_t* rows, Py_ssize_t n, Py_ssize_t parent) except -1:
        cdef Task* task
        if self.n_tasks == self.room:
            self.room = max(2 * self.room, 64)
            self.memory.resize(<void**> &self.tasks, self.room, sizeof(Task))
        task = &self.tasks[self.n_tasks]
        task.node = node
        task.rows = rows
        task.n = n
        task.parent = parent
        task.sizes = NULL
        self.n_tasks += 1
        return 0

    cdef int open(self, Py_ssize_t k, Py_ssize_t least) except -1:
        # Divide the cases of a large node, and make tasks of its larger branches.
        cdef Task task = self.tasks[k]
        cdef Frame* frame
        cdef int b
        cdef int32_t* rows = task.rows
        if task.n <= 2 * least or self.lead.nodes.test[task.node] == LEAF:
            return 0
        self.start(self.lead, &task)
        frame = <Frame*> self.lead.stack.top()
        with nogil:
            self.lead.look(frame)
        task.as_leaf = frame.as_leaf
        task.sizes = <Py_ssize_t*> self.memory.raw(frame.n_branches, sizeof(Py_ssize_t))
        memcpy(task.sizes, frame.sizes, frame.n_branches * sizeof(Py_ssize_t))
        self.tasks[k] = task
        for b in range(frame.n_branches):
            if task.sizes[b] >= least:
                self.add(self.lead.nodes.first_branch[task.node] + b, rows, task.sizes[b], k)
            rows += task.sizes[b]
        self.lead.stack.pop()
        return 0

    def _do(self, Py_ssize_t k, below, done):
        # Prune the subtree or the node of a task, once the tasks below it are done, whoever did them.
        try:
            for task in below:
                task.result()
            if self.stop:
                raise KeyboardInterrupt
            hand = self.hands.pop()
            self.do(hand, k)
            self.hands.append(hand)
            self.lead.pruned[self.tasks[k].node] = 1
        except BaseException as error:
            if self.error is None:  # the others only stop because of it
                self.error = error
            self.stop = 1
        finally:
            done.set_result(None)

    cdef int start(self, Pruner hand, const Task* task) except -1:
        if hand.placed:
            return hand.push_placed(task.node, task.rows, task.n)
        return hand.push(task.node, task.rows, task.n, True, True, True)

    cdef int do(self, Pruner hand, Py_ssize_t k) except -1:
        cdef Task* task = &self.tasks[k]
        cdef Frame* frame
        self.start(hand, task)
        if task.sizes != NULL:
            # as if the branches had just been reached: those of other tasks are done already
            frame = <Frame*> hand.stack.top()
            frame.n_branches = hand.nodes.n_branches[task.node]
            frame.sizes = <Py_ssize_t*> pool_raw(&frame.memory, frame.n_branches, sizeof(Py_ssize_t))
            if frame.sizes == NULL:
                raise MemoryError
            memcpy(frame.sizes, task.sizes, frame.n_branches * sizeof(Py_ssize_t))
            frame.shared = True
            frame.stage = BRANCHES
            frame.n_cases = frame.known = <double> task.n
            frame.as_leaf = task.as_leaf
            frame.as_tree = 0.0
            with nogil:
                hand.go_down(frame)
        with nogil:
            hand.run()
        return 0
