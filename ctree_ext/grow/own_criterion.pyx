"""A split criterion of the user's: a compiled function, or a Python one that scores many tests at once."""

import numpy as np

from cpython.pycapsule cimport PyCapsule_GetContext, PyCapsule_GetName, PyCapsule_GetPointer
from libc.math cimport INFINITY
from libc.stdint cimport int32_t
from libc.string cimport memcpy

from ctree_ext.base.interrupts cimport GO_ON, Watch, check, check_after
from ctree_ext.base.memory cimport Memory
from ctree_ext.grow.candidates cimport ScoreCandidate
from ctree_ext.grow.split_scores cimport SplitScore, is_better

cdef enum:
    BATCH = 1 << 16          # numbers in all matrices that wait: what a cache holds
    WORK = 4000              # what a call of a compiled function counts until the next check for Ctrl-C


cdef class OwnCriterion:
    """What a `SplitScore` named ``"own"`` asks.

    Parameters
    ----------
    judge : object
        Has `scores(stack, attributes, node_counts)`, which gives the score of each matrix of a stack (tests, branches,
        classes), and `refuse(score, matrix, attribute, node_counts)`, which raises what is to be said of a compiled
        function's score that is none. Attributes are numbers.
    capsule : PyCapsule, optional
        A function ``double (const double *counts, int n_branches, int n_classes, void *user_data)``, which scores
        instead; its context is the user data.
    batch : int, optional
        How many tests are scored at once, at most.
    """

    def __cinit__(self, judge, capsule=None, batch=None):
        self.judge = judge
        self.capsule = capsule
        self.batch = BATCH if batch is None else max(1, batch)
        if capsule is not None:
            self.function = <CriterionFunction> PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule))
            self.user_data = PyCapsule_GetContext(capsule)


cdef class Trials:

    def __cinit__(self, OwnCriterion criterion not None, SplitScore score not None):
        self.criterion = criterion
        self.function = &score.function
        self.memory = Memory()

    cdef int begin(self, ScoreCandidate* best, const double* node_counts, Watch* watch) noexcept nogil:
        self.best = best
        self.node_counts = node_counts
        self.watch = watch
        self.n = 0
        return 0

    cdef double* matrix(self, int n_branches) except NULL nogil:
        # Where the counts of the next test go.
        cdef Py_ssize_t size = <Py_ssize_t> n_branches * self.function.n_classes
        if self.n and (n_branches != self.n_branches or self.n == self.criterion.batch
                       or (self.n + 1) * size > self.room):
            self.score_waiting()
        if size > self.room or self.room == 0:
            self.room = max(size, BATCH if self.criterion.function == NULL else size)
            self.memory.resize(<void**> &self.counts, self.room, sizeof(double))
        self.n_branches = n_branches
        return self.counts + self.n * size

    cdef int offer(self, const Trial* trial) except -1 nogil:
        # The test whose counts were just written.
        cdef double score
        if self.criterion.function == NULL:
            if self.waiting == NULL:
                self.waiting = <Trial*> self.memory.raw(min(BATCH, self.criterion.batch), sizeof(Trial))
            self.waiting[self.n] = trial[0]
            self.n += 1
            return 0
        score = self.criterion.function(self.counts, self.n_branches, self.function.n_classes,
                                        self.criterion.user_data)
        if not score < INFINITY:
            with gil:
                self.refuse(trial, self.counts, score)
        self.take(trial, score)
        if check_after(self.watch, WORK) != GO_ON:
            with gil:
                raise KeyboardInterrupt
        return 0

    cdef int score_waiting(self) except -1 nogil:
        if self.n == 0:
            return 0
        if check(self.watch) != GO_ON:
            with gil:
                raise KeyboardInterrupt
        with gil:
            return self.ask_judge()

    cdef int ask_judge(self) except -1:
        cdef Py_ssize_t k, n = self.n, C = self.function.n_classes
        cdef double[::1] scores
        cdef double[:, :, ::1] matrices
        cdef int32_t[::1] attributes
        # memory of its own: what the user's function does with it is not our concern
        stack = np.empty((n, self.n_branches, C))
        of = np.empty(n, dtype=np.int32)
        matrices = stack
        attributes = of
        memcpy(&matrices[0, 0, 0], self.counts, n * self.n_branches * C * sizeof(double))
        for k in range(n):
            attributes[k] = self.waiting[k].attribute
        scores = self.criterion.judge.scores(stack, of, self.counts_of_node())
        if scores.shape[0] != n:
            raise ValueError("there must be a score for each test")
        for k in range(n):
            self.take(&self.waiting[k], scores[k])
        self.n = 0
        return 0

    def counts_of_node(self):
        cdef int c
        return np.array([self.node_counts[c] for c in range(self.function.n_classes)])

    cdef int refuse(self, const Trial* trial, const double* matrix, double score) except -1:
        cdef Py_ssize_t i, C = self.function.n_classes
        counts = np.array([matrix[i] for i in range(self.n_branches * C)]).reshape(self.n_branches, C)
        self.criterion.judge.refuse(score, counts, trial.attribute, self.counts_of_node())
        raise ValueError("a score must be a number")

    cdef void take(self, const Trial* trial, double score) noexcept nogil:
        # Of tests of the same score the first counts.
        cdef ScoreCandidate* best = &self.best[trial.attribute]
        if score == -INFINITY or best.score > -INFINITY and not is_better(score, best.score, self.function):
            return
        best.score = score
        best.value = trial.value
        best.low_row = trial.low_row
        best.high_row = trial.high_row
        best.n_below = trial.n_below
