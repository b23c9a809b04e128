"""Coded cases on their way down the top of a tree.

Cases go down together, a block of 65,536 at a time: the cases at a node are a list of rows, which its test divides into
the lists of its branches, as when a tree is grown. No step depends on what the previous case did, so nothing is guessed
wrongly, and what comes out is grouped by node, which is what counting likes best.

Without unknown values and weights a block is divided in place, and an entry is a row. Otherwise an entry has a weight,
too, and a case whose tested value is unknown becomes an entry of every branch that has a share.
"""

from libc.math cimport llround
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t
from libc.string cimport memcpy, memset

from ctree_ext.base.memory cimport Memory, pool_resize
from ctree_ext.base.nodes cimport GROUPS, LEAF, THRESHOLD, VALUES
from ctree_ext.scale.columns cimport Column, Columns

from ctree_ext.scale.faults import PartError

cdef enum:
    MOST_ENTRIES = 4194304   # of a block, 64 to a case: about 100 MB

ctypedef fused code_t:
    uint8_t
    uint16_t
    uint32_t


cdef int raise_fault(int status, int32_t attribute) except -1 nogil:
    # What a pass over a block has found, as an exception.
    if status == DONE:
        return 0
    with gil:
        if status == BAD_CODE:
            raise PartError("code", attribute)
        if status == BAD_CLASS:
            raise PartError("class")
        if status == TOO_MANY:
            raise PartError("entries", attribute)
        raise MemoryError


cdef Py_ssize_t _halve(const code_t* codes, const double* numbers, const Step* step, uint16_t* rows, Py_ssize_t n,
                       uint16_t* spare) noexcept nogil:
    # Those up to the threshold first, in their order; how many they are.
    cdef Py_ssize_t i, low = 0, high = 0
    cdef uint32_t limit = step.limit
    cdef double threshold = step.threshold
    cdef uint16_t row
    cdef bint above
    if step.mixed:
        for i in range(n):
            row = rows[i]
            above = codes[row] > limit
            if codes[row] == limit + 1:
                above = not (numbers[row] <= threshold)
            rows[low] = row
            spare[high] = row
            high += above
            low += not above
    else:
        for i in range(n):
            row = rows[i]
            above = codes[row] > limit
            rows[low] = row
            spare[high] = row
            high += above
            low += not above
    memcpy(rows + low, spare, high * sizeof(uint16_t))
    return low


cdef void _note_branches(const code_t* codes, const double* numbers, const Step* step, const uint16_t* rows,
                         Py_ssize_t n, int32_t* branches) noexcept nogil:
    # -1 where the case does not tell: unknown value, or a value in no group.
    cdef Py_ssize_t i
    cdef uint32_t code
    if step.test == THRESHOLD:
        for i in range(n):
            code = codes[rows[i]]
            if step.mixed and code == step.limit + 1:
                branches[i] = not (numbers[rows[i]] <= step.threshold)
            else:
                branches[i] = -1 if code == 0 else code > step.limit
    elif step.test == VALUES:
        for i in range(n):
            branches[i] = <int32_t> codes[rows[i]] - 1
    else:
        for i in range(n):
            code = codes[rows[i]]
            branches[i] = step.group[code - 1] if code else -1


cdef Py_ssize_t _halve_by(const Column* column, Py_ssize_t start, const Step* step, uint16_t* rows, Py_ssize_t n,
                          uint16_t* spare) noexcept nogil:
    cdef const double* numbers = column.numbers + start if step.mixed else NULL
    if column.width == 1:
        return _halve(<const uint8_t*> column.codes + start, numbers, step, rows, n, spare)
    if column.width == 2:
        return _halve(<const uint16_t*> column.codes + start, numbers, step, rows, n, spare)
    return _halve(<const uint32_t*> column.codes + start, numbers, step, rows, n, spare)


cdef void _note_branches_by(const Column* column, Py_ssize_t start, const Step* step, const uint16_t* rows,
                            Py_ssize_t n, int32_t* branches) noexcept nogil:
    cdef const double* numbers = column.numbers + start if step.mixed else NULL
    if column.width == 1:
        _note_branches(<const uint8_t*> column.codes + start, numbers, step, rows, n, branches)
    elif column.width == 2:
        _note_branches(<const uint16_t*> column.codes + start, numbers, step, rows, n, branches)
    else:
        _note_branches(<const uint32_t*> column.codes + start, numbers, step, rows, n, branches)


cdef bint _make_room(Entries* entries, Py_ssize_t room) noexcept nogil:
    # The blocks move.
    if room <= entries.room:
        return True
    if not (pool_resize(entries.pool, <void**> &entries.rows, room, sizeof(uint16_t))
            and pool_resize(entries.pool, <void**> &entries.spare_rows, room, sizeof(uint16_t))
            and pool_resize(entries.pool, <void**> &entries.branches, room, sizeof(int32_t))
            and pool_resize(entries.pool, <void**> &entries.weights, room, sizeof(int64_t))
            and pool_resize(entries.pool, <void**> &entries.spare_weights, room, sizeof(int64_t))):
        return False
    entries.room = room
    return True


cdef class Descent:
    """The top of a tree as a way for coded cases to some of its nodes, the slots.

    Parameters
    ----------
    test, attribute, threshold, first_branch, n_branches, group_start, group, shares : arrays
        As those of `Routing`, but children follow their parents.
    limit : uint32 array
        Of a threshold: codes up to this go to the first branch, codes above it to the second,
    mixed : uint8 array
        but where this is set, cases of the first code above it go by their numbers.
    nodes : int32 array
        The node of each slot; none of them is above another.
    n_values : int64 array
        How many values or bins each attribute has.
    """

    def __cinit__(self, const int8_t[::1] test not None, const int32_t[::1] attribute not None,
                  const double[::1] threshold not None, const int32_t[::1] first_branch not None,
                  const int32_t[::1] n_branches not None, const int64_t[::1] group_start not None,
                  const int32_t[::1] group not None, const double[::1] shares not None,
                  const uint32_t[::1] limit not None, const uint8_t[::1] mixed not None,
                  const int32_t[::1] nodes not None, const int64_t[::1] n_values not None):
        cdef Py_ssize_t n = test.shape[0], i
        cdef Step* step
        sizes = (attribute.shape[0], threshold.shape[0], first_branch.shape[0], n_branches.shape[0],
                 group_start.shape[0], shares.shape[0], limit.shape[0], mixed.shape[0])
        if set(sizes) != {n} or n == 0:
            raise ValueError("a tree has arrays of one length, and a root")
        self.n_nodes = n
        self.shares = shares
        self.group = group
        self.memory = Memory()
        self.steps = <Step*> self.memory.zeroed(n, sizeof(Step))
        for i in range(n):
            step = &self.steps[i]
            step.test = test[i]
            if not 0 <= shares[i] <= 1:
                raise ValueError(f"the share of node {i} is not between 0 and 1")
            if step.test == LEAF:
                continue
            step.attribute = attribute[i]
            step.threshold = threshold[i]
            step.first_branch = first_branch[i]
            step.n_branches = n_branches[i]
            step.limit = limit[i]
            step.mixed = mixed[i]
            if not THRESHOLD <= step.test <= GROUPS:
                raise ValueError(f"the test of node {i} is of no known kind")
            if not 0 <= step.attribute < n_values.shape[0]:
                raise ValueError(f"the attribute of node {i} is out of range")
            if not (i < step.first_branch and 0 < step.n_branches <= n - step.first_branch):
                raise ValueError(f"the branches of node {i} are out of range")
            if step.test == GROUPS:
                step.group = self._map_of(i, group_start[i], n_values[step.attribute])
            elif step.n_branches != (2 if step.test == THRESHOLD else n_values[step.attribute]):
                raise ValueError(f"node {i} has {step.n_branches} branches, which its test does not have")
            if step.test != THRESHOLD:
                step.mixed = False
        self._plan(nodes, n_values.shape[0])

    cdef const int32_t* _map_of(self, Py_ssize_t node, int64_t start, int64_t length) except? NULL:
        cdef Py_ssize_t i
        if not (0 <= start and 0 < length <= self.group.shape[0] - start):
            raise ValueError(f"the groups of node {node} are out of range")
        for i in range(start, start + length):
            if not -1 <= self.group[i] < self.steps[node].n_branches:
                raise ValueError(f"a group of node {node} is out of range")
        return &self.group[start]

    cdef int _plan(self, const int32_t[::1] nodes, Py_ssize_t n_attributes) except -1:
        # Which nodes to divide: those with a slot somewhere below.
        cdef Py_ssize_t i, b
        cdef uint8_t* wanted = <uint8_t*> self.memory.zeroed(self.n_nodes, sizeof(uint8_t))
        cdef uint8_t* asked = <uint8_t*> self.memory.zeroed(n_attributes, sizeof(uint8_t))
        cdef Step* step
        self.n_slots = nodes.shape[0]
        self.node_of_slot = <int32_t*> self.memory.raw(self.n_slots, sizeof(int32_t))
        self.visits = <int32_t*> self.memory.raw(self.n_nodes, sizeof(int32_t))
        self.tested = <int32_t*> self.memory.raw(n_attributes, sizeof(int32_t))
        for i in range(self.n_slots):
            if not 0 <= nodes[i] < self.n_nodes:
                raise ValueError(f"there is no node {nodes[i]}")
            if wanted[nodes[i]]:
                raise ValueError(f"node {nodes[i]} is asked for twice")
            wanted[nodes[i]] = 1
            self.node_of_slot[i] = nodes[i]
        for i in range(self.n_nodes - 1, -1, -1):
            step = &self.steps[i]
            for b in range(step.n_branches):
                if wanted[step.first_branch + b]:
                    if wanted[i] == 1:
                        raise ValueError(f"node {i} is above another that is asked for")
                    wanted[i] = 2
        for i in range(self.n_nodes):
            if wanted[i] == 2:
                self.visits[self.n_visits] = <int32_t> i
                self.n_visits += 1
                step = &self.steps[i]
                self.most_branches = max(self.most_branches, step.n_branches)
                if not asked[step.attribute]:
                    asked[step.attribute] = 1
                    self.tested[self.n_tested] = step.attribute
                    self.n_tested += 1
        return 0

    cdef int prepare(self, Columns columns, Entries* entries, Memory memory) except -1:
        # Check that these columns are those of the tests, and find memory for a block.
        cdef Py_ssize_t i
        cdef Step* step
        cdef Column* column
        for i in range(self.n_visits):
            step = &self.steps[self.visits[i]]
            if step.attribute >= columns.n_attributes or not columns.columns[step.attribute].width:
                raise ValueError(f"there is no column of attribute {step.attribute}")
            column = &columns.columns[step.attribute]
            if step.mixed and column.numbers == NULL and columns.n:
                raise ValueError(f"there are no numbers of attribute {step.attribute}")
            if step.test == VALUES and column.n_codes != <uint32_t> step.n_branches + 1:
                raise ValueError(f"attribute {step.attribute} has other values than its test")
            if step.test == GROUPS and column.n_codes - 1 > self.group.shape[0] - (step.group - &self.group[0]):
                raise ValueError(f"attribute {step.attribute} has more values than its groups")
        memset(entries, 0, sizeof(Entries))
        entries.pool = &memory.pool
        entries.first = <Py_ssize_t*> memory.raw(self.n_nodes, sizeof(Py_ssize_t))
        entries.last = <Py_ssize_t*> memory.raw(self.n_nodes, sizeof(Py_ssize_t))
        entries.places = <Py_ssize_t*> memory.raw(self.most_branches, sizeof(Py_ssize_t))
        if not _make_room(entries, max(1, min(<Py_ssize_t> BLOCK, columns.n))):
            raise MemoryError
        return 0

    cdef int route(self, Columns columns, Py_ssize_t start, Py_ssize_t n, Entries* entries) noexcept nogil:
        # The cases from `start` on, at most BLOCK, to the nodes; a `Status`.
        cdef Py_ssize_t i
        cdef uint32_t least
        cdef bint unknown = False
        cdef int status
        for i in range(self.n_tested):
            if not columns.in_range(&columns.columns[self.tested[i]], start, n, &least):
                entries.fault = self.tested[i]
                return BAD_CODE
            unknown = unknown or least == 0
        if not columns.in_range(&columns.classes, start, n, &least):
            return BAD_CLASS
        entries.all_at_root = self.n_visits == 0
        entries.weighted = unknown or columns.weights != NULL
        status = self._divide_all(columns, start, n, entries)
        if status == NEEDS_WEIGHTS:
            entries.weighted = True
            status = self._divide_all(columns, start, n, entries)
        return status

    cdef int _divide_all(self, Columns columns, Py_ssize_t start, Py_ssize_t n, Entries* entries) noexcept nogil:
        cdef Py_ssize_t i, low
        cdef int32_t node
        cdef int status
        cdef const Step* step
        entries.n = n
        entries.first[0], entries.last[0] = 0, n
        if not entries.all_at_root:
            for i in range(n):
                entries.rows[i] = <uint16_t> i
        if entries.weighted:
            for i in range(n):
                entries.weights[i] = columns.one if columns.weights == NULL else columns.weights[start + i]
        for i in range(self.n_visits):
            node = self.visits[i]
            step = &self.steps[node]
            if step.test == THRESHOLD and not entries.weighted:
                low = entries.first[node]
                low += _halve_by(&columns.columns[step.attribute], start, step, entries.rows + low,
                                 entries.last[node] - low, entries.spare_rows)
                entries.first[step.first_branch] = entries.first[node]
                entries.last[step.first_branch] = low
                entries.first[step.first_branch + 1] = low
                entries.last[step.first_branch + 1] = entries.last[node]
                continue
            status = self._divide(columns, start, node, entries)
            if status != DONE:
                entries.fault = step.attribute
                return status
        return DONE

    cdef int _divide(self, Columns columns, Py_ssize_t start, Py_ssize_t node, Entries* entries) noexcept nogil:
        # Any test, with weights or without.
        cdef const Step* step = &self.steps[node]
        cdef Py_ssize_t i, b, first = entries.first[node], n = entries.last[node] - first, unknown = 0, at = first
        cdef Py_ssize_t n_sharing = 0
        cdef Py_ssize_t* places = entries.places
        _note_branches_by(&columns.columns[step.attribute], start, step, entries.rows + first, n, entries.branches)
        memset(places, 0, step.n_branches * sizeof(Py_ssize_t))
        for i in range(n):
            if entries.branches[i] < 0:
                unknown += 1
            else:
                places[entries.branches[i]] += 1
        if unknown:
            if not entries.weighted:
                return NEEDS_WEIGHTS
            for b in range(step.n_branches):
                n_sharing += self.shares[step.first_branch + b] > 0
            at = entries.n
            if n + unknown * n_sharing > MOST_ENTRIES - at:
                return TOO_MANY
            entries.n += n - unknown + unknown * n_sharing
            # By halves, for otherwise each node would move everything.
            if entries.n > entries.room and not _make_room(entries, entries.n + entries.n // 2):
                return NO_MEMORY
        for b in range(step.n_branches):
            entries.first[step.first_branch + b] = at
            at += places[b]
            if unknown and self.shares[step.first_branch + b] > 0:
                at += unknown
            places[b] = entries.first[step.first_branch + b]
        if unknown:
            self._share_out(step, first, n, entries)
        else:
            _scatter(entries, first, n)
        for b in range(step.n_branches):
            entries.last[step.first_branch + b] = places[b]
        return DONE

    cdef void _share_out(self, const Step* step, Py_ssize_t first, Py_ssize_t n, Entries* entries) noexcept nogil:
        # To the end of the entries, each branch where `places` says.
        cdef Py_ssize_t i, b
        cdef int64_t weight
        cdef double share
        for i in range(n):
            b = entries.branches[i]
            if b >= 0:
                _put(entries, b, entries.rows[first + i], entries.weights[first + i])
                continue
            for b in range(step.n_branches):
                share = self.shares[step.first_branch + b]
                if share > 0:
                    # at least a unit, as in memory, where no case is lost
                    weight = max(llround(<double> entries.weights[first + i] * share), 1)
                    _put(entries, b, entries.rows[first + i], weight)

    def attributes_tested(self):
        """The attributes whose codes a case needs on its way."""
        return [self.tested[i] for i in range(self.n_tested)]


cdef inline void _put(Entries* entries, Py_ssize_t branch, uint16_t row, int64_t weight) noexcept nogil:
    cdef Py_ssize_t place = entries.places[branch]
    entries.rows[place] = row
    entries.weights[place] = weight
    entries.places[branch] = place + 1


cdef void _scatter(Entries* entries, Py_ssize_t first, Py_ssize_t n) noexcept nogil:
    # By branch, in place: by way of the spare arrays.
    cdef Py_ssize_t i, place
    for i in range(n):
        place = entries.places[entries.branches[i]]
        entries.places[entries.branches[i]] = place + 1
        entries.spare_rows[place - first] = entries.rows[first + i]
        if entries.weighted:
            entries.spare_weights[place - first] = entries.weights[first + i]
    memcpy(entries.rows + first, entries.spare_rows, n * sizeof(uint16_t))
    if entries.weighted:
        memcpy(entries.weights + first, entries.spare_weights, n * sizeof(int64_t))
