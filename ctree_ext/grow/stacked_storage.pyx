"""Cases that are numbered anew at every node, for where they are divided and sums are exact.

Where what a case counts is a whole number of a unit, no sum depends on the order of the cases, and each branch can have a
list of its own: its cases, those of unknown outcome with their share of weight among them, numbered from 0. So what is
looked up at a node lies together, and nothing has to be undone when a branch has been grown.

The lists and columns of all nodes that are still to be grown are a stack. The branches of a node take its place, the
first one on top:

    [ ... | node ]   ->   [ ... | last branch | ... | branch 1 | branch 0 ]

A branch that stays a leaf takes no room. The node on top is grown next, so that there is always room above it.
"""

from libc.stdint cimport int32_t, uint8_t, uint16_t
from libc.string cimport memcpy, memset

from ctree_ext.base.cases cimport Cases, CaseTable, code_of
from ctree_ext.base.memory cimport pool_raw
from ctree_ext.base.nodes cimport Nodes
from ctree_ext.base.weights cimport part_of
from ctree_ext.grow.counts cimport count_classes
from ctree_ext.grow.frames cimport Frame, Segment, Worker, look_up
from ctree_ext.grow.partition cimport MAX_NARROW, NARROW_UNKNOWN, is_unknown, side_t
from ctree_ext.grow.scratch cimport NodeView
from ctree_ext.grow.sorting cimport UNKNOWN_RANK, Entry, Sorted
from ctree_ext.grow.storage cimport CaseStorage
from ctree_ext.grow.threads cimport Team

cdef extern from "entries.h" nogil:
    enum:
        UNKNOWN_FROM "CTREE_UNKNOWN_FROM"
    void divide_in_two "ctree_divide_in_two"(void* column, Py_ssize_t n, const int32_t* place, int32_t size_low,
                                             int32_t size_high, void* spare)
    void leave_one_side "ctree_leave_one_side"(void* column, Py_ssize_t n, const int32_t* place, int32_t flip,
                                               int32_t size)
    void add_lines "ctree_add_lines"(const uint16_t* lines, int length, const int32_t* rows, Py_ssize_t n,
                                     const uint16_t* classes, const double* weights, double* cells)

cdef enum:
    MAX_CELLS = 65536
    CELLS_PER_VALUE = 16


cdef bint can_be_stacked(const Cases* cases) noexcept nogil:
    return cases.unit > 0 and cases.n < UNKNOWN_FROM


cdef class StackedStorage(CaseStorage):
    def __cinit__(self, CaseTable table):
        self.with_classes = True

    cdef int allocate(self, Py_ssize_t n) except -1:
        CaseStorage.allocate(self, n)
        self.capacity = n
        self.classes = <uint16_t*> self.memory.raw(n, sizeof(uint16_t))
        self.stacked_weights = self.held.long_
        self.spare_rows = <int32_t*> self.memory.raw(n, sizeof(int32_t))
        self.spare_classes = <uint16_t*> self.memory.raw(n, sizeof(uint16_t))
        self.spare_weights = <double*> self.memory.raw(n, sizeof(double))
        self.place = <int32_t*> self.memory.raw(n, sizeof(int32_t))
        return 0

    cdef Py_ssize_t prepare(self, rows, Team team) except -1:
        cdef Py_ssize_t i, k, n = CaseStorage.prepare(self, rows, team)
        cdef Entry* order
        for i in range(n):
            self.classes[i] = self.cases.classes[self.rows[i]]
            self.stacked_weights[i] = 1.0 if self.cases.weights == NULL else self.cases.weights[self.rows[i]]
        self.write_lines()
        if rows is None:
            return n
        for i in range(n):
            self.place[self.rows[i]] = <int32_t> i
        for k in range(self.n_continuous):
            order = self.columns[self.continuous[k]].order
            for i in range(n):
                order[i].row = self.place[order[i].row]
        return n

    cdef int take_node(self, StackedStorage original, const Frame* frame) except -1:
        # The cases of a frame of the original, which goes on with others. Lines are shared.
        cdef Py_ssize_t start = frame.cases.start, n = frame.cases.n
        cdef int k
        cdef Sorted* column
        self.survey = original.survey
        self.allocate(n)
        memcpy(self.rows, original.rows + start, n * sizeof(int32_t))
        memcpy(self.classes, original.classes + start, n * sizeof(uint16_t))
        memcpy(self.stacked_weights, original.stacked_weights + start, n * sizeof(double))
        for k in range(self.n_continuous):
            column = &self.columns[self.continuous[k]]
            column[0] = original.columns[self.continuous[k]]
            column.order = <Entry*> self.column_memory.raw(n, sizeof(Entry))
            memcpy(column.order, original.columns[self.continuous[k]].order + start, n * sizeof(Entry))
        self.cell_of = original.cell_of
        self.n_lined = original.n_lined
        self.n_cells = original.n_cells
        self.lines = original.lines
        self.cells = <double*> self.memory.raw(self.n_cells, sizeof(double))
        return 0

    cdef int write_lines(self) except -1:
        # Of the attributes whose values are few, as many as a line can tell apart.
        cdef Py_ssize_t a, i, C = self.cases.n_classes, size
        cdef int k = 0
        self.cell_of = <Py_ssize_t*> self.memory.raw(self.cases.n_attributes, sizeof(Py_ssize_t))
        self.n_lined = 0
        self.n_cells = 0
        for a in range(self.cases.n_attributes):
            size = (self.cases.n_values[a] + 1) * C
            self.cell_of[a] = -1
            if self.cases.short_codes[a] != NULL and self.n_cells + size <= MAX_CELLS:
                self.cell_of[a] = self.n_cells
                self.n_cells += size
                self.n_lined += 1
        self.cells = <double*> self.memory.raw(self.n_cells, sizeof(double))
        self.lines = <uint16_t*> self.memory.raw(self.cases.n * self.n_lined, sizeof(uint16_t))
        for a in range(self.cases.n_attributes):
            if self.cell_of[a] >= 0:
                for i in range(self.cases.n):
                    self.lines[i * self.n_lined + k] = <uint16_t> (self.cell_of[a] + self.cases.short_codes[a][i] * C)
                k += 1
        return 0

    cdef void tabulate(self, NodeView* view) noexcept nogil:
        # The class weights of all values at a node, in one pass through its cases; unless there are far more cells than
        # cases to add.
        if self.n_lined == 0 or self.n_cells > CELLS_PER_VALUE * view.n * self.n_lined:
            return
        memset(self.cells, 0, self.n_cells * sizeof(double))
        add_lines(self.lines, self.n_lined, view.rows, view.n, view.classes, view.weights.long_, self.cells)
        view.cells = self.cells
        view.cell_of = self.cell_of

    cdef void show(self, const Frame* frame, NodeView* view) noexcept nogil:
        CaseStorage.show(self, frame, view)
        self.held.long_ = self.stacked_weights + frame.cases.start
        view.classes = self.classes + frame.cases.start
        view.row_of = view.rows

    cdef double count(self, const NodeView* view, double* counts) noexcept nogil:
        cdef Py_ssize_t i
        cdef double w, cases = 0.0
        if view.weights == NULL:
            return count_classes(view.rows, view.n, self.cases.classes, NULL, self.cases.n_classes, counts)
        memset(counts, 0, self.cases.n_classes * sizeof(double))
        for i in range(view.n):
            w = view.weights.long_[i]
            counts[view.classes[i]] += w
            cases += w
        return cases

    cdef void sides_by_place(self, Frame* frame, int attribute, Py_ssize_t n_below) noexcept nogil:
        # The branch of each case and the size of each branch, of a threshold with so many cases below it.
        cdef const Entry* order = self.columns[attribute].order + frame.cases.start
        cdef uint8_t* side = self.side
        cdef Py_ssize_t i, n = frame.cases.n
        for i in range(n_below):
            side[order[i].row] = 0
        i = n_below
        while i < n and order[i].rank != UNKNOWN_RANK:
            side[order[i].row] = 1
            i += 1
        frame.sizes[0] = n_below
        frame.sizes[1] = i - n_below
        frame.n_unknown = n - i
        for i in range(i, n):
            side[order[i].row] = NARROW_UNKNOWN

    cdef void sides_by_code(self, Frame* frame, int attribute, const int32_t* group) noexcept nogil:
        cdef const int32_t* rows = self.rows + frame.cases.start
        cdef bint wide = frame.n_branches > MAX_NARROW
        cdef Py_ssize_t i, unknown = 0
        cdef int b
        for i in range(frame.cases.n):
            b = code_of(self.cases, attribute, rows[i])
            if b >= 0 and group != NULL:
                b = group[b]
            if b < 0:
                unknown += 1
            else:
                frame.sizes[b] += 1
            if wide:
                self.wide_side[i] = b
            else:
                self.side[i] = <uint8_t> b  # NARROW_UNKNOWN is -1
        frame.n_unknown = unknown

    cdef void divide(self, Nodes* nodes, Frame* frame, int attribute) noexcept nogil:
        # The share of each branch in the known weight, and the class weights of each branch.
        cdef const uint16_t* classes = self.classes + frame.cases.start
        cdef const double* weights = self.stacked_weights + frame.cases.start
        cdef Py_ssize_t i, C = self.cases.n_classes
        cdef int32_t first = nodes.first_branch[frame.node]
        cdef double* counts = nodes.counts + first * C
        cdef double* cases = nodes.cases + first
        cdef int b, c
        frame.branches_counted = True
        if frame.n_branches > MAX_NARROW:
            for i in range(frame.cases.n):
                if self.wide_side[i] >= 0:
                    counts[self.wide_side[i] * C + classes[i]] += weights[i]
        else:
            for i in range(frame.cases.n):
                if self.side[i] != NARROW_UNKNOWN:
                    counts[self.side[i] * C + classes[i]] += weights[i]
        for b in range(frame.n_branches):
            for c in range(C):
                cases[b] += counts[b * C + c]
            frame.known += cases[b]
        for b in range(frame.n_branches):
            frame.shares[b] = cases[b] / frame.known
        if frame.n_unknown:
            self.add_unknown(frame, counts, cases)

    cdef void add_unknown(self, Frame* frame, double* counts, double* cases) noexcept nogil:
        # The parts of cases of unknown outcome, to the class weights of the branches.
        cdef const uint16_t* classes = self.classes + frame.cases.start
        cdef const double* weights = self.stacked_weights + frame.cases.start
        cdef bint wide = frame.n_branches > MAX_NARROW
        cdef Py_ssize_t i, C = self.cases.n_classes
        cdef double w
        cdef int b
        for i in range(frame.cases.n):
            if self.wide_side[i] >= 0 if wide else self.side[i] != NARROW_UNKNOWN:
                continue
            for b in range(frame.n_branches):
                if frame.sizes[b]:
                    w = part_of(weights[i], frame.shares[b], self.cases.unit)
                    cases[b] += w
                    counts[b * C + classes[i]] += w

    cdef int keep_unknown(self, Frame* frame) except -1 nogil:
        # Room for the branches that are to be grown, and their lists.
        cdef Py_ssize_t at = frame.cases.start
        cdef int b = frame.n_branches - 1
        frame.starts = <Py_ssize_t*> pool_raw(&frame.memory, 2 * <Py_ssize_t> frame.n_branches, sizeof(Py_ssize_t))
        if frame.starts == NULL:
            with gil:
                raise MemoryError
        while b >= 0:
            frame.starts[b] = -1
            if frame.sizes[b] and not frame.leaf[b]:
                frame.starts[b] = at
                at += frame.sizes[b] + frame.n_unknown
            b -= 1
        if at == frame.cases.start:
            return 0
        if at >= self.capacity:
            self.reserve(at + 1)
        if frame.n_branches > MAX_NARROW:
            _list_branches(self, frame, self.wide_side, at)
        else:
            _list_branches(self, frame, self.side, at)
        return 0

    cdef int reserve(self, Py_ssize_t needed) except -1 nogil:
        # A higher stack.
        cdef Py_ssize_t capacity = max(needed, self.capacity + self.capacity // 4)
        cdef int k
        self.memory.resize(<void**> &self.rows, capacity, sizeof(int32_t))
        self.memory.resize(<void**> &self.classes, capacity, sizeof(uint16_t))
        self.memory.resize(<void**> &self.stacked_weights, capacity, sizeof(double))
        for k in range(self.n_continuous):
            self.column_memory.resize(<void**> &self.columns[self.continuous[k]].order, capacity, sizeof(Entry))
        self.capacity = capacity
        return 0

    cdef int partition(self, Worker hand, const Frame* frame, int part, int parts) except -1 nogil:
        cdef int k = part - parts, b
        cdef Entry* order
        if frame.n_branches == 2 and frame.starts[0] < 0 and frame.starts[1] < 0:
            return 0
        while k + parts < self.n_continuous:
            k += parts
            look_up(hand, frame.cases.n)
            order = self.columns[self.continuous[k]].order
            if frame.n_branches == 2 and frame.starts[0] >= 0 and frame.starts[1] >= 0:
                divide_in_two(order + frame.cases.start, frame.cases.n, self.place, <int32_t> frame.sizes[0],
                              <int32_t> frame.sizes[1], hand.spare)
            elif frame.n_branches == 2:
                b = frame.starts[0] < 0
                leave_one_side(order + frame.cases.start, frame.cases.n, self.place, -b, <int32_t> frame.sizes[b])
            elif frame.n_branches > MAX_NARROW:
                _divide_in_many(order, frame, self.wide_side, self.place, hand.spare, hand.place)
            else:
                _divide_in_many(order, frame, self.side, self.place, hand.spare, hand.place)
        return 0

    cdef Segment enter_branch(self, Nodes* nodes, Frame* frame, int branch) noexcept nogil:
        cdef Segment segment
        segment.start = max(frame.starts[branch], 0)  # a leaf stands nowhere, and is not looked at
        segment.list_start = segment.start
        segment.n = frame.sizes[branch] + frame.n_unknown
        return segment

    cdef void merge_kept(self, const Frame* frame) noexcept nogil:
        pass


cdef void _list_branches(StackedStorage storage, const Frame* frame, const side_t* side, Py_ssize_t end) noexcept nogil:
    # The cases of each branch, those of known outcome first. What goes to a leaf is written to the end, again and again,
    # without a jump. Where there are two branches, the places in the second are told by their complements.
    cdef Py_ssize_t start = frame.cases.start, n = frame.cases.n, i, at, unknown = 0
    cdef const Py_ssize_t* starts = frame.starts
    cdef Py_ssize_t* filled = frame.starts + frame.n_branches
    cdef bint in_two = frame.n_branches == 2
    cdef int32_t* rows = storage.rows
    cdef uint16_t* classes = storage.classes
    cdef double* weights = storage.stacked_weights
    cdef int b
    memcpy(storage.spare_rows, rows + start, n * sizeof(int32_t))
    memcpy(storage.spare_classes, classes + start, n * sizeof(uint16_t))
    memcpy(storage.spare_weights, weights + start, n * sizeof(double))
    for b in range(frame.n_branches):
        filled[b] = 0
    for i in range(n):
        if not is_unknown(side[i]):
            b = side[i]
            at = starts[b] + filled[b] if starts[b] >= 0 else end
            rows[at] = storage.spare_rows[i]
            classes[at] = storage.spare_classes[i]
            weights[at] = storage.spare_weights[i]
            storage.place[i] = <int32_t> (filled[b] ^ -(in_two & b))
            filled[b] += 1
            continue
        for b in range(frame.n_branches):
            if starts[b] >= 0:
                at = starts[b] + frame.sizes[b] + unknown
                rows[at] = storage.spare_rows[i]
                classes[at] = storage.spare_classes[i]
                weights[at] = part_of(storage.spare_weights[i], frame.shares[b], storage.cases.unit)
        storage.place[i] = <int32_t> (UNKNOWN_FROM + unknown)
        unknown += 1


cdef void _divide_in_many(Entry* order, const Frame* frame, const side_t* side, const int32_t* place, Entry* spare,
                          Py_ssize_t* to) noexcept nogil:
    cdef Py_ssize_t i, n = frame.cases.n
    cdef int32_t at
    cdef int b
    cdef Entry entry
    memcpy(spare, order + frame.cases.start, n * sizeof(Entry))
    for b in range(frame.n_branches):
        to[b] = frame.starts[b]
    for i in range(n):
        entry = spare[i]
        at = place[entry.row]
        if not is_unknown(side[entry.row]):
            b = side[entry.row]
            if to[b] >= 0:
                entry.row = at
                order[to[b]] = entry
                to[b] += 1
            continue
        for b in range(frame.n_branches):
            if to[b] >= 0:
                entry.row = <int32_t> (at - UNKNOWN_FROM + frame.sizes[b])
                order[to[b]] = entry
                to[b] += 1
