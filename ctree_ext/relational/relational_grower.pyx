"""Growing relational trees: at every node the best of all tests, as long as one is good enough."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from libc.stdint cimport int32_t, int64_t

from ctree_ext.base.interrupts import run_interruptible

from ctree_ext.base.memory cimport Memory
from ctree_ext.grow.score_search cimport ALMOST, count_present
from ctree_ext.grow.split_scores cimport BAYES, CHI_SQUARE, SplitScore
from ctree_ext.grow.stopping cimport (
    BY_CHI_SQUARE, StoppingRule, chi_square_cutoff, is_good_enough, is_hopeless, is_too_costly, required_score,
)
from ctree_ext.relational.add_test cimport add_test
from ctree_ext.relational.answers cimport MOST, Answers, answers_copy, answers_free, first_answers, leave_out
from ctree_ext.relational.language cimport Language
from ctree_ext.relational.packs cimport PackSearch
from ctree_ext.relational.query_test cimport ABOVE, AT_MOST
from ctree_ext.relational.search cimport Search, search_init

cdef enum:
    LEAST_JOB = 256          # examples of a subtree that is worth a thread


cdef class RelationalGrower:
    """Grow a tree whose tests ask for linked rows.

    Parameters
    ----------
    language : Language
        The tables, and the tests to be tried.
    rows : array of int32
        Of each example its row of the target table.
    classes : array of int32
    weights : array of float64 or None
        What each example counts, more than 0; one each if None.
    score : SplitScore
        What tests are compared by: N·gain or chi-square.
    stopping : StoppingRule
        Whether a test is good enough.
    min_cases : float
        Both branches of a test must have this weight.
    lookahead : int
        Whether tests of two steps are tried.
    max_variables : int
        How many a query may have, X0 among them.
    max_depth : int
        How many tests there may be on the way to a leaf; less than 0 for no limit.
    closing : bool
        Whether tests ask if two terms are the same row.
    max_rows : int
        How many rows a node may keep; steps that would lead to more are left out.
    """

    def __cinit__(self, Language language not None, const int32_t[::1] rows, const int32_t[::1] classes, weights,
                  SplitScore score not None, StoppingRule stopping not None, *, double min_cases=1.0, int lookahead=0,
                  int max_variables=8, int max_depth=-1, bint closing=False, Py_ssize_t max_rows=100_000_000):
        cdef Search* search
        cdef const double[::1] weight
        self.arguments = language, rows, classes, weights, score, stopping
        self.options = {"min_cases": min_cases, "lookahead": lookahead, "max_variables": max_variables,
                        "max_depth": max_depth, "closing": closing, "max_rows": max_rows}
        self.language = language
        self.score = score
        self.stopping = stopping
        self.workers = []
        self.memory = Memory()
        self.max_depth = max_depth
        self.n_examples = rows.shape[0]
        self.n_classes = score.function.n_classes
        self.kept = [rows, classes]
        if self.n_examples == 0 or classes.shape[0] != self.n_examples or score.function.tabled < self.n_examples:
            raise ValueError("the examples do not fit each other or the score")
        if (np.min(classes) < 0 or np.max(classes) >= self.n_classes or np.min(rows) < 0
                or np.max(rows) >= language.tables.linked.n_rows[language.words.target]):
            raise ValueError("a class or a row is out of range")
        if score.function.kind == BAYES:
            raise ValueError("tests are compared by N·gain or chi-square")
        self.rows = &rows[0]
        self.lost = <double*> self.memory.raw(self.n_classes, sizeof(double))
        self.gone = <unsigned char*> self.memory.zeroed(self.n_examples, 1)
        self.packs = PackSearch()
        self.packs.lookahead = lookahead
        self.packs.max_variables = max_variables
        self.packs.max_rows = min(max_rows, 0x7FFFFFFF)
        search = &self.packs.search
        search.linked = &language.tables.linked
        search.words = &language.words
        search.function = &score.function
        search.n_classes = self.n_classes
        search.classes = &classes[0]
        search.least_weight = min_cases * ALMOST
        if weights is not None:
            weight = weights
            if weight.shape[0] != self.n_examples or not np.min(weight) > 0:
                raise ValueError("the weights do not fit the examples")
            self.kept.append(weight)
            search.weights = &weight[0]
        search.by_units = weights is None and score.function.kind != CHI_SQUARE
        search.closing = closing
        search_init(search, self.packs.memory, self.n_examples, _most_rows(search))

    @property
    def skipped_steps(self):
        """How many steps were left out because of too many rows, at all nodes together."""
        return self.packs.skipped

    @property
    def n_settled(self):
        """How many examples are in leaves so far; another thread may ask."""
        cdef RelationalGrower worker
        cdef Py_ssize_t n = self.settled
        for worker in self.workers:
            n += worker.settled
        return n

    def grow(self, int n_threads=1):
        """The nodes, each before its branches and what is below yes before no, as arrays by name.

        With several threads the upper nodes are grown first, then subtrees side by side. The result is the same.
        """
        cdef Answers answers
        if self.n_nodes:
            raise ValueError("a grower grows one tree")
        self.job_size = self.n_examples // (4 * n_threads) if n_threads > 1 else 0
        self.packs.watch.stop = &self.stop_asked
        first_answers(&answers, self.memory, self.rows, self.n_examples)
        self.push(&answers, 0)
        with nogil:
            self.run()
        grown = self.result()
        return _joined(grown, self.grow_jobs(n_threads)) if self.n_jobs else grown

    cdef grow_jobs(self, int n_threads):
        # The subtrees, each as arrays by name. A signal reaches only this thread, which waits.
        cdef RelationalGrower worker
        cdef list workers = [RelationalGrower(*self.arguments, **self.options) for _ in range(n_threads)]
        self.workers = workers
        cdef list open_jobs = list(range(self.n_jobs))[::-1], found = [None] * self.n_jobs
        for worker in workers:
            worker.packs.watch.stop = &self.stop_asked
        run_interruptible(lambda: _in_threads(workers, self, open_jobs, found), self.stop)
        for worker in workers:
            self.packs.skipped += worker.packs.skipped
        return found

    def stop(self):
        """Ask for an end: `grow` then raises an InterruptedError, in whatever thread it is at work."""
        self.stop_asked = True

    def grow_some(self, RelationalGrower lead not None, list open_jobs, list found):
        """Grow subtrees for another grower, until none is left; for its threads."""
        cdef Answers answers
        cdef Py_ssize_t job
        while True:
            try:
                job = open_jobs.pop()
            except IndexError:
                return
            answers_copy(&lead.jobs[job].answers, 0, &answers, self.memory)
            self.n_nodes = 0
            self.push(&answers, lead.jobs[job].depth)
            with nogil:
                self.run()
            found[job] = self.result()

    cdef int run(self) except -1 nogil:
        cdef NodeFrame here
        cdef Answers yes
        cdef Py_ssize_t node, i
        cdef const int32_t* example
        while self.n_frames:
            self.n_frames -= 1
            here = self.frames[self.n_frames]
            node = self.new_node(&here.answers, here.depth)
            if LEAST_JOB <= here.answers.bags[0].n <= self.job_size:
                self.nodes[node].job = self.n_jobs
                self.hand_over(&here)
                continue
            if not self.divide(&here.answers, node):
                self.settled += here.answers.bags[0].n
                answers_free(&here.answers, self.memory)
                continue
            add_test(self.packs.search.linked, &here.answers, &self.nodes[node].test, &yes, self.memory,
                     MOST)
            example = yes.bags[0].example
            for i in range(yes.bags[0].n):
                self.gone[example[i]] = True
            leave_out(&here.answers, self.memory, self.gone)
            for i in range(yes.bags[0].n):
                self.gone[example[i]] = False
            self.push(&here.answers, here.depth + 1)
            self.push(&yes, here.depth + 1)
        return 0

    cdef int hand_over(self, const NodeFrame* frame) except -1 nogil:
        # Keep a node for another thread.
        cdef Py_ssize_t room = 2 * self.n_jobs + 16
        if self.n_jobs == self.job_room:
            self.memory.resize(<void**> &self.jobs, room, sizeof(NodeFrame))
            self.job_room = room
        self.jobs[self.n_jobs] = frame[0]
        self.n_jobs += 1
        return 0

    cdef int push(self, const Answers* answers, int32_t depth) except -1 nogil:
        # The answers are the stack's from now on.
        cdef Py_ssize_t room = 2 * self.n_frames + 16
        if self.n_frames == self.frame_room:
            self.memory.resize(<void**> &self.frames, room, sizeof(NodeFrame))
            self.frame_room = room
        self.frames[self.n_frames].answers = answers[0]
        self.frames[self.n_frames].depth = depth
        self.n_frames += 1
        return 0

    cdef Py_ssize_t new_node(self, const Answers* answers, int32_t depth) except -1 nogil:
        cdef Py_ssize_t node = self.n_nodes, i, room
        cdef const int32_t* example = answers.bags[0].example
        cdef const Search* search = &self.packs.search
        cdef double* counts
        cdef int c
        if node == self.room:
            room = 2 * self.room + 16
            self.memory.resize(<void**> &self.nodes, room, sizeof(NodeRecord))
            self.memory.resize(<void**> &self.counts, room * self.n_classes, sizeof(double))
            self.room = room
        counts = self.counts + node * self.n_classes
        for c in range(self.n_classes):
            counts[c] = 0.0
            self.lost[c] = 0.0
        for i in range(answers.bags[0].n):
            c = search.classes[example[i]]
            if search.weights == NULL:
                counts[c] += 1.0
            else:
                _add(&counts[c], &self.lost[c], search.weights[example[i]])
        for c in range(self.n_classes):
            counts[c] += self.lost[c]
        self.nodes[node].is_leaf = True
        self.nodes[node].depth = depth
        self.nodes[node].n_tests = 0
        self.nodes[node].figure = 0.0
        self.nodes[node].job = -1
        self.n_nodes += 1
        return node

    cdef bint divide(self, Answers* answers, Py_ssize_t node) except -1 nogil:
        # Whether a node gets a test, which is then in its record.
        cdef const double* counts = self.counts + node * self.n_classes
        cdef int present = count_present(counts, self.n_classes), c
        cdef double cases = 0.0
        for c in range(self.n_classes):
            cases += counts[c]
        if (present < 2 or self.nodes[node].depth == self.max_depth or cases < 2 * self.packs.search.least_weight
                or is_hopeless(&self.stopping.rule, counts, cases, present)):
            return False
        return self.choose(answers, node)

    cdef bint choose(self, Answers* answers, Py_ssize_t node) except -1 nogil:
        cdef const Search* search = &self.packs.search
        cdef const double* counts = self.counts + node * self.n_classes
        cdef NodeRecord* record = &self.nodes[node]
        cdef int present
        cdef double required
        self.packs.run(answers, counts, answers.bags[0].n)
        record.n_tests = search.n_tests
        if not search.found or is_too_costly(&self.stopping.rule, counts, search.n_tests, 2):
            return False
        if self.stopping.rule.kind == BY_CHI_SQUARE:
            present = count_present(counts, self.n_classes) if self.stopping.rule.present_classes else self.n_classes
            with gil:
                required = chi_square_cutoff(search.n_tests, present, 2, self.stopping.rule.significance)
        else:
            required = required_score(&self.stopping.rule, search.n_tests, search.n_tests, 2)
        if not is_good_enough(&self.stopping.rule, search.best_score, required):
            return False
        record.test = search.best
        record.figure = search.best_score
        record.is_leaf = False
        if record.test.op in (AT_MOST, ABOVE):
            record.test.threshold = search.words.coded[record.test.column].levels[record.test.code]
        return True

    cdef dict result(self):
        cdef Py_ssize_t i, n = self.n_nodes
        cdef int c, s
        cdef const NodeRecord* record
        cdef int32_t[:, ::1] tests
        cdef double[:, ::1] counts
        cdef double[::1] threshold, figure
        cdef int64_t[::1] n_tests
        cdef int32_t[::1] depth
        cdef Py_ssize_t[::1] job
        arrays = {"tests": np.zeros((n, 15), dtype=np.int32), "counts": np.empty((n, self.n_classes)),
                  "threshold": np.zeros(n), "figure": np.zeros(n), "n_tests": np.zeros(n, dtype=np.int64),
                  "depth": np.zeros(n, dtype=np.int32), "job": np.empty(n, dtype=np.intp)}
        tests, counts, threshold = arrays["tests"], arrays["counts"], arrays["threshold"]
        figure, n_tests, depth, job = arrays["figure"], arrays["n_tests"], arrays["depth"], arrays["job"]
        for i in range(n):
            record = &self.nodes[i]
            for c in range(self.n_classes):
                counts[i, c] = self.counts[i * self.n_classes + c]
            depth[i] = record.depth
            job[i] = record.job
            n_tests[i] = record.n_tests
            if record.is_leaf:
                continue
            figure[i] = record.figure
            threshold[i] = record.test.threshold if record.test.op in (AT_MOST, ABOVE) else 0.0
            tests[i, 0] = 1
            tests[i, 1] = record.test.n_steps
            for s in range(record.test.n_steps):
                tests[i, 2 + s] = record.test.step_link[s]
                tests[i, 4 + s] = record.test.step_variable[s]
                tests[i, 6 + s] = record.test.step_path[s]
            tests[i, 8] = record.test.op
            if record.test.op:
                tests[i, 9] = record.test.variable
                tests[i, 10] = record.test.path
                tests[i, 11] = record.test.column
                tests[i, 12] = record.test.code
                tests[i, 13] = record.test.other_variable
                tests[i, 14] = record.test.other_path
        return arrays


def _in_threads(workers, lead, list open_jobs, list found):
    with ThreadPoolExecutor(len(workers)) as pool:
        running = [pool.submit(worker.grow_some, lead, open_jobs, found) for worker in workers]
        try:
            for one in running:
                one.result()
        except BaseException:
            lead.stop()
            raise


def _joined(dict grown, list subtrees):
    # The nodes of a tree with its subtrees in place of those that stand for them.
    parts = []
    begin = 0
    for node in np.flatnonzero(grown["job"] >= 0):
        parts += [{name: array[begin:node] for name, array in grown.items()}, subtrees[grown["job"][node]]]
        begin = node + 1
    parts.append({name: array[begin:] for name, array in grown.items()})
    return {name: np.concatenate([part[name] for part in parts]) for name in grown}


cdef inline void _add(double* total, double* lost, double weight) noexcept nogil:
    # Add up what the last bits of the sum do not hold (Neumaier 1974): balanced classes weigh the same, and show it.
    cdef double before = total[0]
    total[0] = before + weight
    lost[0] += (before - total[0]) + weight if before >= weight else (weight - total[0]) + before


cdef Py_ssize_t _most_rows(const Search* search) noexcept:
    cdef Py_ssize_t most = 1
    cdef int t
    for t in range(search.linked.n_tables):
        most = max(most, search.linked.n_rows[t])
    return most
