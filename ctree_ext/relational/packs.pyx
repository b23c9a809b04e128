"""The tests of a node, in the order in which they are tried, with the work shared that they have in common.

Tests that begin with the same steps are a pack: the steps are joined once, and every condition of every term of the new
variable is scored on the rows that were found.
"""

from libc.stdint cimport int32_t

from ctree_ext.base.interrupts cimport GO_ON, check_after
from ctree_ext.base.memory cimport Memory
from ctree_ext.relational.answers cimport Answers, Bag, join, join_size, n_entries, n_rows_kept
from ctree_ext.relational.closing cimport score_same
from ctree_ext.relational.language cimport Vocabulary
from ctree_ext.relational.linked cimport rows_above
from ctree_ext.relational.search cimport score_column, score_step, search_begin

cdef enum:
    # scratch: what the terms stand for from which steps go, and on which there are conditions; then three arrays a step
    FIRST_SOURCE = 0
    SECOND_SOURCE = 1
    CONDITIONS = 2
    STEPS = 3


cdef class PackSearch:
    """Looks for the best test of a node; `RelationalGrower` sets it up."""

    def __cinit__(self):
        self.memory = Memory()

    cdef int32_t* room(self, int number, Py_ssize_t n) except NULL nogil:
        cdef Room* room = &self.rooms[number]
        if room.at == NULL or room.size < n:
            self.memory.release(room.at)
            room.at = NULL
            room.size = 0
            room.at = <int32_t*> self.memory.raw(n + n // 2, sizeof(int32_t))
            room.size = n + n // 2
        return room.at

    cdef int tick(self, Py_ssize_t work) except -1 nogil:
        # So much has been done. An exception ends the search if another thread asks for that.
        if check_after(&self.watch, work) != GO_ON:
            with gil:
                raise InterruptedError("the search was asked to stop")
        return 0

    cdef int run(self, Answers* answers, const double* totals, Py_ssize_t n_examples) except -1 nogil:
        # Try all tests of a node with these answers and class weights. The answers are longer for a while.
        cdef int variable, n_variables = answers.n_variables
        search_begin(&self.search, totals, n_examples)
        for variable in range(n_variables):
            self.conditions(answers, variable)
        if n_variables < self.max_variables:
            for variable in range(n_variables):
                self.one_step(answers, variable)
        if self.lookahead and n_variables + 2 <= self.max_variables:
            for variable in range(n_variables):
                self.two_steps(answers, variable)
        for variable in range(n_variables):
            self.aggregates(answers, variable)
        return 0

    cdef int aggregates(self, Answers* answers, int variable) except -1 nogil:
        # The conditions on aggregates of the rows that refer to the terms of a variable; they bring no variable.
        cdef const Vocabulary* words = self.search.words
        cdef const Bag* bag = &answers.bags[answers.bag_of[variable]]
        cdef int kind = answers.kind[variable], t, k, table
        cdef const int32_t* rows
        for t in range(words.term_start[kind], words.term_start[kind + 1]):
            table = words.term_table[t]
            if words.late_start[table] == words.late_start[table + 1]:
                continue
            rows = rows_above(self.search.linked, answers.row[variable], bag.n, words.term_path[t],
                              self.room(CONDITIONS, bag.n))
            self.search.current.variable = variable
            self.search.current.path = words.term_path[t]
            for k in range(words.late_start[table], words.late_start[table + 1]):
                score_column(&self.search, words.late[k], rows, bag.example, bag.n, kind == 0)
                self.tick(bag.n + 1)
        return 0

    cdef int conditions(self, Answers* answers, int variable) except -1 nogil:
        # The conditions on all terms of a variable, after the current steps.
        cdef const Vocabulary* words = self.search.words
        cdef const Bag* bag = &answers.bags[answers.bag_of[variable]]
        cdef int kind = answers.kind[variable], t, k, table
        cdef const int32_t* rows
        cdef int32_t* room = self.room(CONDITIONS, bag.n)
        for t in range(words.term_start[kind], words.term_start[kind + 1]):
            table = words.term_table[t]
            if words.column_start[table] == words.column_start[table + 1] and not self.search.closing:
                continue
            rows = rows_above(self.search.linked, answers.row[variable], bag.n, words.term_path[t], room)
            self.search.current.variable = variable
            self.search.current.path = words.term_path[t]
            for k in range(words.column_start[table], words.column_start[table + 1]):
                score_column(&self.search, words.columns[k], rows, bag.example, bag.n, kind == 0)
                self.tick(bag.n + 1)
            if self.search.closing and kind:
                self.same_rows(answers, variable, table, rows)
        return 0

    cdef int same_rows(self, const Answers* answers, int variable, int table, const int32_t* rows) except -1 nogil:
        # That the current term is the same row as a term of an earlier variable.
        cdef const Vocabulary* words = self.search.words
        cdef int other, kind, t
        for other in range(variable):
            kind = answers.kind[other]
            for t in range(words.term_start[kind], words.term_start[kind + 1]):
                if words.term_table[t] == table:
                    self.search.current.other_variable = other
                    self.search.current.other_path = words.term_path[t]
                    if not score_same(&self.search, answers, rows, self.max_rows):
                        self.skipped += 1
                    self.tick(n_entries(answers, variable) + n_entries(answers, other))
        return 0

    cdef int one_step(self, Answers* answers, int variable) except -1 nogil:
        # The packs of one step from the terms of a variable.
        cdef const Vocabulary* words = self.search.words
        cdef int kind = answers.kind[variable], t, k, table
        cdef Py_ssize_t n = n_entries(answers, variable)
        cdef const int32_t* rows
        for t in range(words.term_start[kind], words.term_start[kind + 1]):
            table = words.term_table[t]
            if words.step_start[table] == words.step_start[table + 1]:
                continue
            rows = rows_above(self.search.linked, answers.row[variable], n, words.term_path[t],
                              self.room(FIRST_SOURCE, n))
            for k in range(words.step_start[table], words.step_start[table + 1]):
                if not self.step(answers, 0, variable, words.term_path[t], rows, words.steps[k]):
                    self.skipped += 1
                    continue
                score_step(&self.search, answers.bags[answers.n_bags - 1].example, answers.bags[answers.n_bags - 1].n)
                self.conditions(answers, answers.n_variables - 1)
                _step_back(answers)
        self.search.current.n_steps = 0
        return 0

    cdef int two_steps(self, Answers* answers, int variable) except -1 nogil:
        # The packs of two steps, of which the first goes from the terms of a variable.
        cdef const Vocabulary* words = self.search.words
        cdef int kind = answers.kind[variable], t, k, table
        cdef Py_ssize_t n = n_entries(answers, variable)
        cdef const int32_t* rows
        for t in range(words.term_start[kind], words.term_start[kind + 1]):
            table = words.term_table[t]
            if words.step_start[table] == words.step_start[table + 1]:
                continue
            rows = rows_above(self.search.linked, answers.row[variable], n, words.term_path[t],
                              self.room(FIRST_SOURCE, n))
            for k in range(words.step_start[table], words.step_start[table + 1]):
                if self.step(answers, 0, variable, words.term_path[t], rows, words.steps[k]):
                    self.second_steps(answers)
                    _step_back(answers)
        self.search.current.n_steps = 0
        return 0

    cdef int second_steps(self, Answers* answers) except -1 nogil:
        # A second step from the terms of the variable that the first has brought.
        cdef const Vocabulary* words = self.search.words
        cdef int variable = answers.n_variables - 1, kind = answers.kind[answers.n_variables - 1], t, k, table
        cdef Py_ssize_t n = n_entries(answers, variable)
        cdef const int32_t* rows
        for t in range(words.term_start[kind], words.term_start[kind + 1]):
            table = words.term_table[t]
            if words.step_start[table] == words.step_start[table + 1]:
                continue
            rows = rows_above(self.search.linked, answers.row[variable], n, words.term_path[t],
                              self.room(SECOND_SOURCE, n))
            for k in range(words.step_start[table], words.step_start[table + 1]):
                if not self.step(answers, 1, variable, words.term_path[t], rows, words.steps[k]):
                    self.skipped += 1
                    continue
                score_step(&self.search, answers.bags[answers.n_bags - 1].example, answers.bags[answers.n_bags - 1].n)
                self.conditions(answers, answers.n_variables - 1)
                _step_back(answers)
        return 0

    cdef bint step(self, Answers* answers, int number, int variable, int path, const int32_t* rows,
                   int link) except -1 nogil:
        # Go a step of the current test: the answers have a variable more, whose rows are scratch. False if these would
        # be too many.
        cdef const Bag* above = &answers.bags[answers.bag_of[variable]]
        cdef Bag* bag = &answers.bags[answers.n_bags]
        cdef int new = answers.n_variables
        cdef Py_ssize_t n = join_size(self.search.linked, rows, above.n, link)
        self.tick(above.n + 1)
        if n_rows_kept(answers) + n > self.max_rows:
            return False
        answers.row[new] = self.room(STEPS + 3 * number, n)
        bag.above = answers.bag_of[variable]
        bag.parent = self.room(STEPS + 3 * number + 1, n)
        bag.example = self.room(STEPS + 3 * number + 2, n)
        join(self.search.linked, rows, above.example, above.n, link, answers.row[new], bag)
        answers.kind[new] = link + 1
        answers.bag_of[new] = answers.n_bags
        answers.n_variables += 1
        answers.n_bags += 1
        self.search.current.n_steps = number + 1
        self.search.current.step_link[number] = link
        self.search.current.step_variable[number] = variable
        self.search.current.step_path[number] = path
        return True


cdef void _step_back(Answers* answers) noexcept nogil:
    # Forget the last variable; what is in its place is scratch.
    answers.n_variables -= 1
    answers.n_bags -= 1
    answers.row[answers.n_variables] = NULL
    answers.bags[answers.n_bags].parent = NULL
    answers.bags[answers.n_bags].example = NULL
