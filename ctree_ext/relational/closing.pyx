"""Conditions that two terms stand for the same row, which tie their variables.

Where one variable hangs on the other, an entry of the lower one determines the upper one, and the condition is one on its
entries. Otherwise both hang on a bag that they have in common. For each place there, the entries of the one and of the
other that hang on it stand together, since entries are in the order of what they came from. A test holds if two of them
agree; once it is chosen, the pairs that agree become the entries of one bag, which has the variables of both and of those
on the way.
"""

from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset

from ctree_ext.base.memory cimport Memory
from ctree_ext.relational.answers cimport MOST, Answers, Bag, answers_free, answers_init, bag_init, n_rows_kept
from ctree_ext.relational.linked cimport Linked, row_above
from ctree_ext.relational.query_test cimport SAME, QueryTest
from ctree_ext.relational.search cimport Search, consider


cdef int _common(const Answers* answers, int one, int other) noexcept nogil:
    # The lowest bag on which both hang, or which is one of them. Bags have greater numbers than those they hang on.
    while one != other:
        if one > other:
            one = answers.bags[one].above
        else:
            other = answers.bags[other].above
    return one


cdef inline Py_ssize_t _place(const Answers* answers, int bag, Py_ssize_t entry, int above) noexcept nogil:
    # The place, in a bag above, of what an entry came from.
    while bag != above:
        entry = answers.bags[bag].parent[entry]
        bag = answers.bags[bag].above
    return entry


cdef bint score_same(Search* search, const Answers* answers, const int32_t* rows, Py_ssize_t max_rows) noexcept nogil:
    # The current test with the condition that two terms are the same; `rows` are what its first term stands for. False
    # if too many pairs would have to be kept.
    cdef QueryTest* test = &search.current
    cdef int one = answers.bag_of[test.variable], other = answers.bag_of[test.other_variable]
    cdef int common = _common(answers, one, other)
    cdef Py_ssize_t n = answers.bags[one].n, n_other = answers.bags[other].n, i = 0, j = 0, place, n_yes = 0
    cdef int64_t n_pairs = 0
    cdef const int32_t* example = answers.bags[one].example
    cdef int64_t* stamp = search.scratch.row_stamp
    cdef int32_t* agreeing = search.scratch.n_agreeing
    cdef int64_t mark
    cdef double* yes = search.scratch.running
    cdef int32_t row, last = -1
    memset(yes, 0, search.n_classes * sizeof(double))
    while i < n:
        place = _place(answers, one, i, common)
        search.scratch.mark += 1
        mark = search.scratch.mark
        while j < n_other and _place(answers, other, j, common) <= place:
            if _place(answers, other, j, common) == place:
                row = row_above(search.linked, answers.row[test.other_variable][j], test.other_path)
                if row >= 0:
                    if stamp[row] != mark:
                        stamp[row] = mark
                        agreeing[row] = 0
                    agreeing[row] += 1
            j += 1
        while i < n and _place(answers, one, i, common) == place:
            row = rows[i]
            if row >= 0 and stamp[row] == mark:
                n_pairs += agreeing[row]
                if example[i] != last:
                    last = example[i]
                    yes[search.classes[last]] += 1.0 if search.weights == NULL else search.weights[last]
                    n_yes += 1
            i += 1
    if common != one and common != other and n_rows_kept(answers) + n_pairs > max_rows:
        return False
    test.op = SAME
    consider(search, yes, n_yes)
    return True


cdef int check_same(const Linked* linked, Answers* answers, const QueryTest* test, Memory memory,
                    Py_ssize_t limit) except -2 nogil:
    # Meet the condition, as far as it ties bags; the bag on whose entries it is a condition, or -1 if none is left.
    # TOO_MANY, with the answers as they were, if more than `limit` pairs would have to be kept.
    cdef int one = answers.bag_of[test.variable], other = answers.bag_of[test.other_variable]
    cdef int common = _common(answers, one, other)
    if common == other:
        return one
    if common == one:
        return other
    return TOO_MANY if _tie(linked, answers, test, common, memory, limit) else -1


cdef void mark_same(const Linked* linked, const Answers* answers, const QueryTest* test, int bag,
                    unsigned char* stays) noexcept nogil:
    # Which entries of the lower bag meet the condition.
    cdef int one = answers.bag_of[test.variable], other = answers.bag_of[test.other_variable]
    cdef Py_ssize_t i, j, k
    cdef int32_t row
    for i in range(answers.bags[bag].n):
        j = _place(answers, bag, i, one)
        k = _place(answers, bag, i, other)
        row = row_above(linked, answers.row[test.variable][j], test.path)
        stays[i] = row >= 0 and row == row_above(linked, answers.row[test.other_variable][k], test.other_path)


cdef Py_ssize_t _pairs(const Linked* linked, const Answers* answers, const QueryTest* test, int common, int32_t* head,
                       int32_t* after, int32_t* first, int32_t* second) noexcept nogil:
    # The pairs of entries that agree and hang on the same place, in its order; only their number if `first` is NULL.
    # `head` has for each row an entry that stands for it, plus 1, and `after` the next one; it is all 0 again afterwards.
    cdef int one = answers.bag_of[test.variable], other = answers.bag_of[test.other_variable]
    cdef Py_ssize_t n = answers.bags[one].n, n_other = answers.bags[other].n, i = 0, j = 0, begin, place, found = 0
    cdef int32_t row, k
    while i < n:
        place = _place(answers, one, i, common)
        while j < n_other and _place(answers, other, j, common) < place:
            j += 1
        begin = j
        while j < n_other and _place(answers, other, j, common) == place:
            row = row_above(linked, answers.row[test.other_variable][j], test.other_path)
            if row >= 0:
                after[j] = head[row]
                head[row] = <int32_t> j + 1
            j += 1
        while i < n and _place(answers, one, i, common) == place:
            row = row_above(linked, answers.row[test.variable][i], test.path)
            k = head[row] if row >= 0 else 0
            while k:
                if first != NULL:
                    first[found] = <int32_t> i
                    second[found] = k - 1
                found += 1
                k = after[k - 1]
            i += 1
        for begin in range(begin, j):
            row = row_above(linked, answers.row[test.other_variable][begin], test.other_path)
            if row >= 0:
                head[row] = 0
    return found


cdef int _tie(const Linked* linked, Answers* answers, const QueryTest* test, int common, Memory memory,
              Py_ssize_t limit) except -1 nogil:
    # Make one bag of those of two terms and of all between them and the bag that they have in common; 1 if it would
    # have more entries than the limit.
    cdef int one = answers.bag_of[test.variable], other = answers.bag_of[test.other_variable], b, k, made = 0, joint = 0
    cdef int32_t* head = <int32_t*> memory.zeroed(_most_rows(linked), sizeof(int32_t))
    cdef int32_t* after = <int32_t*> memory.raw(answers.bags[other].n, sizeof(int32_t))
    cdef int32_t** origin = <int32_t**> memory.zeroed(answers.n_bags, sizeof(int32_t*))
    cdef int* becomes = <int*> memory.zeroed(answers.n_bags, sizeof(int))
    cdef unsigned char* is_member = <unsigned char*> memory.zeroed(answers.n_bags, 1)
    cdef Py_ssize_t n = _pairs(linked, answers, test, common, head, after, NULL, NULL)
    cdef Answers tied
    if n > limit:
        memory.release(head)
        memory.release(after)
        memory.release(origin)
        memory.release(becomes)
        memory.release(is_member)
        if limit < MOST:
            return 1
        with gil:
            raise MemoryError("the answers of a query have too many rows")
    origin[one] = <int32_t*> memory.raw(n, sizeof(int32_t))
    origin[other] = <int32_t*> memory.raw(n, sizeof(int32_t))
    _pairs(linked, answers, test, common, head, after, origin[one], origin[other])
    _members_above(answers, one, common, n, origin, is_member, memory)
    _members_above(answers, other, common, n, origin, is_member, memory)
    answers_init(&tied, memory, answers.n_variables, 0)
    for b in range(answers.n_bags):
        if is_member[b] and joint:
            becomes[b] = joint
            continue
        becomes[b] = made
        if is_member[b]:
            joint = made
            bag_init(&tied.bags[made], memory, becomes[common], n)
            _take_entries(answers, one, common, origin[one], &tied.bags[made])
        else:
            _hang(answers, b, becomes, origin, &tied.bags[made], memory)
        made += 1
        tied.n_bags = made
    for k in range(answers.n_variables):
        b = answers.bag_of[k]
        tied.kind[k] = answers.kind[k]
        tied.bag_of[k] = becomes[b]
        tied.row[k] = _taken(answers.row[k], origin[b], tied.bags[becomes[b]].n, memory)
    for b in range(answers.n_bags):
        memory.release(origin[b])
    memory.release(origin)
    memory.release(becomes)
    memory.release(is_member)
    memory.release(head)
    memory.release(after)
    answers_free(answers, memory)
    answers[0] = tied
    return 0


cdef int _members_above(const Answers* answers, int bag, int common, Py_ssize_t n, int32_t** origin,
                        unsigned char* is_member, Memory memory) except -1 nogil:
    # The bags from one up to the common one, which stays outside: their entries, for each pair.
    cdef Py_ssize_t i
    cdef int above = answers.bags[bag].above
    is_member[bag] = True
    while above != common:
        origin[above] = <int32_t*> memory.raw(n, sizeof(int32_t))
        for i in range(n):
            origin[above][i] = answers.bags[bag].parent[origin[bag][i]]
        is_member[above] = True
        bag = above
        above = answers.bags[bag].above
    return 0


cdef void _take_entries(const Answers* answers, int one, int common, const int32_t* origin, Bag* bag) noexcept nogil:
    # Of each pair the place in the common bag, and the example.
    cdef Py_ssize_t i
    for i in range(bag.n):
        bag.parent[i] = <int32_t> _place(answers, one, origin[i], common)
        bag.example[i] = answers.bags[one].example[origin[i]]


cdef int _hang(const Answers* answers, int b, const int* becomes, int32_t** origin, Bag* made,
               Memory memory) except -1 nogil:
    # A bag outside of the joint one. Where it hangs on that, or on one that does, its entries are repeated for each
    # entry above that has come of the one they came from.
    cdef const Bag* bag = &answers.bags[b]
    cdef const int32_t* above = NULL if b == 0 else origin[bag.above]
    cdef const Bag* now = NULL if b == 0 else made - (becomes[b] - becomes[bag.above])
    cdef int32_t* start
    cdef Py_ssize_t i, n = 0
    cdef int32_t j
    if above == NULL:
        bag_init(made, memory, -1 if b == 0 else becomes[bag.above], bag.n)
        for i in range(bag.n):
            made.example[i] = bag.example[i]
            if b:
                made.parent[i] = bag.parent[i]
        return 0
    start = <int32_t*> memory.zeroed(answers.bags[bag.above].n + 1, sizeof(int32_t))
    for i in range(bag.n):
        start[bag.parent[i] + 1] += 1
    for i in range(answers.bags[bag.above].n):
        start[i + 1] += start[i]
    for i in range(now.n):
        n += start[above[i] + 1] - start[above[i]]
    bag_init(made, memory, becomes[bag.above], n)
    origin[b] = <int32_t*> memory.raw(n, sizeof(int32_t))
    n = 0
    for i in range(now.n):
        for j in range(start[above[i]], start[above[i] + 1]):
            made.parent[n] = <int32_t> i
            made.example[n] = bag.example[j]
            origin[b][n] = j
            n += 1
    memory.release(start)
    return 0


cdef int32_t* _taken(const int32_t* rows, const int32_t* origin, Py_ssize_t n, Memory memory) except NULL nogil:
    # The rows of the entries that new ones came from; the same ones if nothing has changed.
    cdef Py_ssize_t i
    cdef int32_t* taken = <int32_t*> memory.raw(n, sizeof(int32_t))
    for i in range(n):
        taken[i] = rows[i if origin == NULL else origin[i]]
    return taken


cdef Py_ssize_t _most_rows(const Linked* linked) noexcept nogil:
    cdef Py_ssize_t most = 0
    cdef int t
    for t in range(linked.n_tables):
        most = max(most, linked.n_rows[t])
    return most
