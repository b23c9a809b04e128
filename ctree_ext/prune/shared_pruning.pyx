"""Error-based pruning by several threads, where every case counts one.

The cases go down the top of the tree first. Subtrees below it are pruned apart from each other, then the nodes of the
top, each as soon as its branches are: what happens to a node depends on nothing else, so the tree is the same for any
number of threads.
"""

import threading

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


def prune_shared(Pruner pruner, arrays, const int32_t[::1] order=None, int n_threads=1):
    """What ``pruner.prune(arrays, order)`` returns, by several threads where that is faster."""
    if n_threads == 1 or pruner.keep_order or pruner.cases.n < MIN_SHARED:
        return pruner.prune(arrays, order)
    try:
        nodes_import(&pruner.nodes, arrays, pruner.cases.n_classes)
        pruner.allocate(order)
        if pruner.added is not None:
            SharedPruning(pruner, n_threads).prune()
            return nodes_export(&pruner.nodes)
    finally:
        pruner.release()
    return pruner.prune(arrays, order)


cdef class SharedPruning:
    def __cinit__(self, Pruner lead, int n_threads):
        self.lead = lead
        self.n_threads = n_threads
        self.memory = Memory()
        self.changed = threading.Condition()
        self.ready = []

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
        # taken from the end: large ones, which come first, are done first
        self.ready = [k for k in range(self.n_tasks - 1, -1, -1) if self.tasks[k].pending == 0]
        with concurrent.futures.ThreadPoolExecutor(self.n_threads, thread_name_prefix="ctree") as pool:
            for call in [pool.submit(self._work) for _ in range(self.n_threads)]:
                call.result()

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
        task.pending = 0
        task.sizes = NULL
        self.n_tasks += 1
        if parent >= 0:
            self.tasks[parent].pending += 1
        return 0

    cdef int open(self, Py_ssize_t k, Py_ssize_t least) except -1:
        # Divide the cases of a large node, and make tasks of its larger branches.
        cdef Task task = self.tasks[k]
        cdef Frame* frame
        cdef int b
        cdef int32_t* rows = task.rows
        if task.n <= 2 * least or self.lead.nodes.test[task.node] == LEAF:
            return 0
        self.lead.push(task.node, task.rows, task.n, True, True, True)
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

    def _work(self):
        # Do tasks until the root is done.
        cdef Py_ssize_t k, above
        cdef Pruner lead = self.lead, hand
        try:
            hand = Pruner(lead.table, confidence=lead.estimate.confidence)
            hand.estimate = lead.estimate
            hand.work_for(lead)
            hand.watch.stop = <const int*> &self.stop
            while True:
                with self.changed:
                    while not self.ready and not self.stop and not lead.pruned[0]:
                        self.changed.wait(0.1)
                    if self.stop or lead.pruned[0]:
                        return
                    k = self.ready.pop()
                self.do(hand, k)
                with self.changed:
                    lead.pruned[self.tasks[k].node] = 1
                    above = self.tasks[k].parent
                    if above >= 0:
                        self.tasks[above].pending -= 1
                        if self.tasks[above].pending == 0:
                            self.ready.append(above)
                    self.changed.notify_all()
        except BaseException:
            self.stop = 1
            raise

    cdef int do(self, Pruner hand, Py_ssize_t k) except -1:
        cdef Task* task = &self.tasks[k]
        cdef Frame* frame
        hand.push(task.node, task.rows, task.n, True, True, True)
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
