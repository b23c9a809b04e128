"""The answers of a query for the examples of a node, without their product.

An answer gives each variable a row. A list of all answers would multiply: rows that are chosen independently of each other
would stand in it in all combinations. But a variable hangs on an earlier one only, that from whose term its step went, so
for each variable it is enough to know which rows it has in some answer, and for each the place of the row that it came
from. The same row occurs once for each place it came from. Entries are in the order of the places that they came from, and
so of the examples.

Where a condition ties two variables, the rows of the two, and of those between them, belong together: they are columns of
one *bag*, and other bags hang on the bag. Without such conditions each bag has one variable.
"""

from libc.stdint cimport int32_t
from libc.string cimport memcpy, memset

from ctree_ext.base.interrupts cimport WORK_PER_CHECK, check_signals
from ctree_ext.base.memory cimport Memory
from ctree_ext.relational.linked cimport Linked
from ctree_ext.relational.query_test cimport MAX_STEPS


cdef int answers_init(Answers* answers, Memory memory, int n_variables, int n_bags) except -1 nogil:
    # Room for so many variables and bags, and for those of a test; nothing is in them yet.
    cdef int room = n_variables + MAX_STEPS
    answers.n_variables = n_variables
    answers.n_bags = n_bags
    answers.kind = <int*> memory.zeroed(room, sizeof(int))
    answers.bag_of = <int*> memory.zeroed(room, sizeof(int))
    answers.row = <int32_t**> memory.zeroed(room, sizeof(int32_t*))
    answers.bags = <Bag*> memory.zeroed(room, sizeof(Bag))
    return 0


cdef int bag_init(Bag* bag, Memory memory, int above, Py_ssize_t n) except -1 nogil:
    # Places in a bag are 32-bit integers: more entries, as a tree may meet in new tables, would lead out of its memory.
    if n > 0x7FFFFFFF:
        with gil:
            raise MemoryError("the answers of a query have too many rows")
    bag.above = above
    bag.n = n
    bag.parent = <int32_t*> memory.raw(n, sizeof(int32_t)) if above >= 0 else NULL
    bag.example = <int32_t*> memory.raw(n, sizeof(int32_t))
    return 0


cdef void answers_free(Answers* answers, Memory memory) noexcept nogil:
    cdef int i
    for i in range(answers.n_variables):
        memory.release(answers.row[i])
    for i in range(answers.n_bags):
        memory.release(answers.bags[i].parent)
        memory.release(answers.bags[i].example)
    memory.release(answers.kind)
    memory.release(answers.bag_of)
    memory.release(answers.row)
    memory.release(answers.bags)
    memset(answers, 0, sizeof(Answers))


cdef int first_answers(Answers* answers, Memory memory, const int32_t* rows, Py_ssize_t n) except -1 nogil:
    # Those of the query that has X0 only: example i is that row of its table.
    cdef Py_ssize_t i
    answers_init(answers, memory, 1, 1)
    bag_init(&answers.bags[0], memory, -1, n)
    answers.row[0] = <int32_t*> memory.raw(n, sizeof(int32_t))
    for i in range(n):
        answers.row[0][i] = rows[i]
        answers.bags[0].example[i] = <int32_t> i
    return 0


cdef int answers_copy(const Answers* answers, int more, Answers* result,
                      Memory memory) except -1 nogil:
    # The same answers, with room for variables to come.
    cdef int i, b
    cdef Py_ssize_t n
    answers_init(result, memory, answers.n_variables + more, answers.n_bags + more)
    result.n_variables = answers.n_variables
    result.n_bags = answers.n_bags
    for b in range(answers.n_bags):
        n = answers.bags[b].n
        bag_init(&result.bags[b], memory, answers.bags[b].above, n)
        memcpy(result.bags[b].example, answers.bags[b].example, n * sizeof(int32_t))
        if b:
            memcpy(result.bags[b].parent, answers.bags[b].parent, n * sizeof(int32_t))
    for i in range(answers.n_variables):
        n = answers.bags[answers.bag_of[i]].n
        result.kind[i] = answers.kind[i]
        result.bag_of[i] = answers.bag_of[i]
        result.row[i] = <int32_t*> memory.raw(n, sizeof(int32_t))
        memcpy(result.row[i], answers.row[i], n * sizeof(int32_t))
    return 0


cdef Py_ssize_t join_size(const Linked* linked, const int32_t* above, Py_ssize_t n, int link) noexcept nogil:
    # How many rows refer to these, of which -1 is none.
    cdef const int32_t* start = linked.links[link].start
    cdef Py_ssize_t i, size = 0
    for i in range(n):
        if above[i] >= 0:
            size += start[above[i] + 1] - start[above[i]]
    return size


cdef int join(const Linked* linked, const int32_t* above, const int32_t* example, Py_ssize_t n, int link,
              int32_t* row, Bag* bag) except -1 nogil:
    # The rows that refer to these; `row` and the arrays of the bag have room for `join_size`.
    cdef const int32_t* start = linked.links[link].start
    cdef const int32_t* rows = linked.links[link].rows
    cdef Py_ssize_t i, k = 0, checked = 0
    cdef int32_t j
    for i in range(n):
        if k - checked > WORK_PER_CHECK:
            check_signals()
            checked = k
        if above[i] >= 0:
            for j in range(start[above[i]], start[above[i] + 1]):
                row[k] = rows[j]
                bag.parent[k] = <int32_t> i
                bag.example[k] = example[i]
                k += 1
    bag.n = k
    return 0


cdef int reduce_answers(Answers* answers, Memory memory, unsigned char** stays) except -1 nogil:
    # Leave only entries that occur in an answer. `stays` has for each bag which entries meet the conditions. An entry
    # stays if every bag that hangs on its own has an entry there, and if the entry it came from stays; a tree of joins
    # needs one pass up and one down (Yannakakis 1981).
    cdef int b, k
    cdef Py_ssize_t i, most = 0, n
    cdef Bag* bag
    cdef unsigned char* above
    cdef unsigned char* mine
    cdef unsigned char* filled
    cdef int32_t** place
    for b in range(answers.n_bags):
        most = max(most, answers.bags[b].n)
    filled = <unsigned char*> memory.raw(most, 1)
    for b in range(answers.n_bags - 1, 0, -1):
        bag = &answers.bags[b]
        mine = stays[b]
        above = stays[bag.above]
        n = answers.bags[bag.above].n
        memset(filled, 0, n)
        _check_after(bag.n)
        for i in range(bag.n):
            filled[bag.parent[i]] |= mine[i]
        for i in range(n):
            above[i] &= filled[i]
    memory.release(filled)
    place = <int32_t**> memory.zeroed(answers.n_bags, sizeof(int32_t*))
    for b in range(answers.n_bags):
        bag = &answers.bags[b]
        mine = stays[b]
        if b:
            above = stays[bag.above]
            for i in range(bag.n):
                mine[i] &= above[bag.parent[i]]
        place[b] = <int32_t*> memory.raw(bag.n, sizeof(int32_t))
        n = 0
        _check_after(bag.n)
        for i in range(bag.n):
            place[b][i] = <int32_t> n
            n += mine[i]
        for k in range(answers.n_variables):
            if answers.bag_of[k] == b:
                _check_after(bag.n)
                _squeeze(answers.row[k], mine, bag.n)
                memory.resize(<void**> &answers.row[k], n, sizeof(int32_t))
        if b:
            for i in range(bag.n):
                bag.parent[i] = place[bag.above][bag.parent[i]]
            _check_after(bag.n)
            _squeeze(bag.parent, mine, bag.n)
            memory.resize(<void**> &bag.parent, n, sizeof(int32_t))
        _squeeze(bag.example, mine, bag.n)
        memory.resize(<void**> &bag.example, n, sizeof(int32_t))
        bag.n = n
    for b in range(answers.n_bags):
        memory.release(place[b])
    memory.release(place)
    return 0


cdef inline int _check_after(Py_ssize_t work) except -1 nogil:
    # Hear signals after much work; otherwise those who call do.
    return check_signals() if work > WORK_PER_CHECK else 0


cdef void _squeeze(int32_t* array, const unsigned char* stays, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i, k = 0
    for i in range(n):
        array[k] = array[i]
        k += stays[i]


cdef int leave_out(Answers* answers, Memory memory, const unsigned char* gone) except -1 nogil:
    # Without those of some examples; those of the others are as they were.
    cdef int b
    cdef Py_ssize_t i
    cdef unsigned char** stays = <unsigned char**> memory.zeroed(answers.n_bags, sizeof(unsigned char*))
    for b in range(answers.n_bags):
        stays[b] = <unsigned char*> memory.raw(answers.bags[b].n, 1)
        for i in range(answers.bags[b].n):
            stays[b][i] = not gone[answers.bags[b].example[i]]
    # All entries of an example go together, so that the two passes have nothing to do.
    reduce_answers(answers, memory, stays)
    for b in range(answers.n_bags):
        memory.release(stays[b])
    memory.release(stays)
    return 0


cdef Py_ssize_t n_rows_kept(const Answers* answers) noexcept nogil:
    cdef int b
    cdef Py_ssize_t n = 0
    for b in range(answers.n_bags):
        n += answers.bags[b].n
    return n
