"""The answers of a query with a test added: its steps are joined, its condition is checked, and the rest is reduced."""

from libc.stdint cimport int32_t
from libc.string cimport memset

from ctree_ext.base.memory cimport Memory
from ctree_ext.relational.answers cimport (
    MOST, Answers, Bag, answers_copy, answers_free, bag_init, join, join_size, reduce_answers,
)
from ctree_ext.relational.closing cimport TOO_MANY, check_same, mark_same
from ctree_ext.relational.linked cimport Cells, Linked, row_above, rows_above
from ctree_ext.relational.query_test cimport AT_MOST, EQUALS, NO_CONDITION, SAME, QueryTest


cdef int add_test(const Linked* linked, const Answers* answers, const QueryTest* test, Answers* result,
                  Memory memory, Py_ssize_t limit) except -1 nogil:
    # The answers that the query has with the test, of the examples that have any. Those given stay as they are. 1, and
    # no result, if several examples together would have more than `limit` rows in one of its joins.
    cdef int b, bag = -1
    cdef unsigned char** stays
    if answers.bags[0].n < 2:
        limit = MOST
    answers_copy(answers, test.n_steps, result, memory)
    for b in range(test.n_steps):
        if _step(linked, result, test, b, memory, limit):
            answers_free(result, memory)
            return 1
    if test.op == SAME:
        bag = check_same(linked, result, test, memory, limit)
        if bag == TOO_MANY:
            answers_free(result, memory)
            return 1
    stays = <unsigned char**> memory.zeroed(result.n_bags, sizeof(unsigned char*))
    for b in range(result.n_bags):
        stays[b] = <unsigned char*> memory.raw(result.bags[b].n, 1)
        memset(stays[b], 1, result.bags[b].n)
    if test.op == SAME:
        if bag >= 0:
            mark_same(linked, result, test, bag, stays[bag])
    elif test.op != NO_CONDITION:
        _check(linked, result, test, stays[result.bag_of[test.variable]])
    reduce_answers(result, memory, stays)
    for b in range(result.n_bags):
        memory.release(stays[b])
    memory.release(stays)
    return 0


cdef int _step(const Linked* linked, Answers* answers, const QueryTest* test, int step, Memory memory,
               Py_ssize_t limit) except -1 nogil:
    # One more variable, with a bag of its own; 1 if that would have more rows than the limit.
    cdef int variable = test.step_variable[step], link = test.step_link[step], new = answers.n_variables
    cdef const Bag* above = &answers.bags[answers.bag_of[variable]]
    cdef Bag* bag = &answers.bags[answers.n_bags]
    cdef Py_ssize_t n
    cdef int32_t* room = <int32_t*> memory.raw(above.n, sizeof(int32_t))
    cdef const int32_t* rows = rows_above(linked, answers.row[variable], above.n, test.step_path[step], room)
    n = join_size(linked, rows, above.n, link)
    if n > limit:
        memory.release(room)
        if limit < MOST:
            return 1
        with gil:
            raise MemoryError("the answers of a query have too many rows")
    bag_init(bag, memory, answers.bag_of[variable], n)
    answers.row[new] = <int32_t*> memory.raw(n, sizeof(int32_t))
    join(linked, rows, above.example, above.n, link, answers.row[new], bag)
    memory.release(room)
    answers.kind[new] = link + 1
    answers.bag_of[new] = answers.n_bags
    answers.n_variables += 1
    answers.n_bags += 1
    return 0


cdef void _check(const Linked* linked, const Answers* answers, const QueryTest* test,
                 unsigned char* stays) noexcept nogil:
    # Which entries of the bag meet a comparison with a constant. Of nothing, and of what is unknown, it is not met.
    cdef const Cells* cells = &linked.columns[test.column]
    cdef const int32_t* rows = answers.row[test.variable]
    cdef Py_ssize_t i
    cdef int32_t row
    for i in range(answers.bags[answers.bag_of[test.variable]].n):
        row = row_above(linked, rows[i], test.path)
        if row < 0:
            stays[i] = False
        elif test.op == EQUALS:
            stays[i] = cells.codes[row] == test.code
        elif test.op == AT_MOST:
            stays[i] = cells.numbers[row] <= test.threshold
        else:
            stays[i] = cells.numbers[row] > test.threshold
