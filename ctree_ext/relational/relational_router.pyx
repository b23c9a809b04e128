"""Routing examples down a relational tree, many at once: node by node, with the answers that they have there."""

import numpy as np

from libc.stdint cimport int32_t

from ctree_ext.base.interrupts cimport Watch, check_after
from ctree_ext.base.memory cimport Memory
from ctree_ext.relational.add_test cimport add_test
from ctree_ext.relational.answers cimport (
    MOST, Answers, answers_copy, answers_free, first_answers, leave_out, n_rows_kept,
)
from ctree_ext.relational.linked cimport Cells, LinkedArrays
from ctree_ext.relational.query_test cimport EQUALS, MAX_STEPS, NO_CONDITION, SAME, QueryTest

cdef enum:
    AT_ONCE = 65536          # examples, so that their answers do not take too much memory


ctypedef struct Visit:
    Answers answers
    int32_t node


cdef class RelationalRouter:
    """Sends examples to leaves.

    Parameters
    ----------
    tables : LinkedArrays
    target : int
        The table of the examples.
    first_branch : array of int32
        The yes branch of each node, which the no branch follows; -1 for a leaf.
    tests : array of int32 (nodes, 15)
        The numbers of a test, as `RelationalGrower` gives them.
    threshold : array of float64
    max_rows : int
        How many rows a join may have; examples that would have more together are routed one half after the other.
    """

    def __cinit__(self, LinkedArrays tables not None, int target, const int32_t[::1] first_branch,
                  const int32_t[:, ::1] tests, const double[::1] threshold, Py_ssize_t max_rows=10_000_000):
        cdef Py_ssize_t i, n = first_branch.shape[0]
        if n == 0 or tests.shape[0] != n or tests.shape[1] != 15 or threshold.shape[0] != n:
            raise ValueError("the arrays of the tree do not fit each other")
        for i in range(n):
            if first_branch[i] != -1 and not i < first_branch[i] < n - 1:
                raise ValueError(f"the branches of node {i} are not below it")
        if not 0 <= target < tables.linked.n_tables:
            raise ValueError("the examples are in no table")
        self.tables = tables
        self.target = target
        self.first_branch = first_branch
        self.tests = tests
        self.threshold = threshold
        self.max_rows = min(max_rows, MOST)

    def leaves(self, const int32_t[::1] rows):
        """The leaf of each example, given its row of the target table."""
        cdef Py_ssize_t begin, n = rows.shape[0]
        cdef Memory memory
        found = np.zeros(n, dtype=np.int32)
        cdef int32_t[::1] leaf = found
        if n and not (0 <= np.min(rows) and np.max(rows) < self.tables.linked.n_rows[self.target]):
            raise ValueError("a row is out of range")
        for begin in range(0, n, AT_ONCE):
            memory = Memory()
            with nogil:
                self.route(&rows[begin], min(n - begin, AT_ONCE), &leaf[begin], memory)
        return found

    cdef int route(self, const int32_t* rows, Py_ssize_t n, int32_t* leaf, Memory memory) except -1 nogil:
        cdef Visit here
        cdef Visit* visits = NULL
        cdef Py_ssize_t n_visits = 1, room = 64, i, half
        cdef Answers yes
        cdef QueryTest test
        cdef const int32_t* example
        cdef Watch watch
        cdef unsigned char* gone = <unsigned char*> memory.zeroed(n, 1)
        watch.work, watch.stop, watch.deadline = 0, NULL, 0
        memory.resize(<void**> &visits, room, sizeof(Visit))
        first_answers(&visits[0].answers, memory, rows, n)
        visits[0].node = 0
        while n_visits:
            n_visits -= 1
            here = visits[n_visits]
            example = here.answers.bags[0].example
            if self.first_branch[here.node] < 0:
                for i in range(here.answers.bags[0].n):
                    leaf[example[i]] = here.node
            if self.first_branch[here.node] < 0 or here.answers.bags[0].n == 0:
                answers_free(&here.answers, memory)
                continue
            test = self.test_of(here.node)
            self.check_test(&test, &here.answers)
            if n_visits + 2 > room:
                room *= 2
                memory.resize(<void**> &visits, room, sizeof(Visit))
            if add_test(&self.tables.linked, &here.answers, &test, &yes, memory, self.max_rows):
                # The examples in two halves, one after the other.
                example = here.answers.bags[0].example
                half = here.answers.bags[0].n // 2
                answers_copy(&here.answers, 0, &yes, memory)
                for i in range(half):
                    gone[example[i]] = True
                leave_out(&here.answers, memory, gone)
                example = yes.bags[0].example
                for i in range(half):
                    gone[example[i]] = False
                for i in range(half, yes.bags[0].n):
                    gone[example[i]] = True
                leave_out(&yes, memory, gone)
                example = here.answers.bags[0].example
                for i in range(here.answers.bags[0].n):
                    gone[example[i]] = False
                visits[n_visits].answers = here.answers
                visits[n_visits].node = here.node
                visits[n_visits + 1].answers = yes
                visits[n_visits + 1].node = here.node
                n_visits += 2
                check_after(&watch, n_rows_kept(&yes) + n_rows_kept(&here.answers))
                continue
            example = yes.bags[0].example
            for i in range(yes.bags[0].n):
                gone[example[i]] = True
            leave_out(&here.answers, memory, gone)
            for i in range(yes.bags[0].n):
                gone[example[i]] = False
            visits[n_visits].answers = here.answers
            visits[n_visits].node = self.first_branch[here.node] + 1
            visits[n_visits + 1].answers = yes
            visits[n_visits + 1].node = self.first_branch[here.node]
            n_visits += 2
            check_after(&watch, n_rows_kept(&yes) + n_rows_kept(&here.answers))
        return 0

    cdef QueryTest test_of(self, Py_ssize_t node) noexcept nogil:
        cdef QueryTest test
        cdef int s
        test.n_steps = self.tests[node, 1]
        for s in range(MAX_STEPS):
            test.step_link[s] = self.tests[node, 2 + s]
            test.step_variable[s] = self.tests[node, 4 + s]
            test.step_path[s] = self.tests[node, 6 + s]
        test.op = self.tests[node, 8]
        test.variable = self.tests[node, 9]
        test.path = self.tests[node, 10]
        test.column = self.tests[node, 11]
        test.code = self.tests[node, 12]
        test.other_variable = self.tests[node, 13]
        test.other_path = self.tests[node, 14]
        test.threshold = self.threshold[node]
        return test

    cdef int check_test(self, const QueryTest* test, const Answers* answers) except -1 nogil:
        # A damaged tree must not lead out of the tables.
        cdef int s, table, known = answers.n_variables + test.n_steps
        cdef const Cells* cells
        cdef bint right = 0 <= test.n_steps <= MAX_STEPS and NO_CONDITION <= test.op <= SAME
        if right:
            for s in range(test.n_steps):
                table = self.term_table(answers, answers.n_variables + s, test, test.step_variable[s],
                                        test.step_path[s])
                if (not 0 <= test.step_link[s] < self.tables.linked.n_links
                        or self.tables.links[test.step_link[s]].references != table
                        or self.tables.links[test.step_link[s]].start == NULL):
                    right = False
                    break
        if right and test.op != NO_CONDITION:
            table = self.term_table(answers, known, test, test.variable, test.path)
            if test.op == SAME:
                right = table == self.term_table(answers, known, test, test.other_variable, test.other_path)
            elif 0 <= test.column < self.tables.linked.n_columns:
                cells = &self.tables.columns[test.column]
                right = (self.tables.linked.column_table[test.column] == table
                         and (self.tables.linked.n_rows[table] == 0
                              or (cells.codes if test.op == EQUALS else <const int32_t*> cells.numbers) != NULL))
            else:
                right = False
        if not right:
            with gil:
                raise ValueError("a test of the tree does not fit the tables")
        return 0

    cdef int term_table(self, const Answers* answers, int n_variables, const QueryTest* test, int variable,
                        int path) except -1 nogil:
        # The table of what a term stands for.
        cdef int table = -1, kind, last
        if 0 <= variable < n_variables and 0 <= path < self.tables.linked.n_paths:
            if variable < answers.n_variables:
                kind = answers.kind[variable]
            else:
                kind = test.step_link[variable - answers.n_variables] + 1
            table = self.tables.links[kind - 1].table if kind else self.target
            last = self.tables.linked.path_start[path + 1] - 1
            if last >= self.tables.linked.path_start[path]:
                if self.tables.links[self.tables.linked.path_links[self.tables.linked.path_start[path]]].table != table:
                    table = -1
                else:
                    table = self.tables.links[self.tables.linked.path_links[last]].references
        if table < 0:
            with gil:
                raise ValueError("a term of the tree does not fit the tables")
        return table
