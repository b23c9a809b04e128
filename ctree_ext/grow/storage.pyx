"""The cases of a table as growing needs them: sorted columns, a list of rows and what each counts.

Every continuous column is sorted once; dividing a node keeps its cases in order. There are two storages, which differ
in the order of the list of rows and in what becomes of cases whose outcome is unknown: `PartitionedStorage`, where the
list is divided like the columns and weights come back from a branch to the bit, and `ListStorage`, which keeps release
8's order.
"""

import numpy as np

from libc.math cimport isnan
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from ctree_ext.base.cases cimport CONTINUOUS, DISCRETE, Cases, CaseTable
from ctree_ext.base.interrupts cimport check_signals
from ctree_ext.base.memory cimport Memory, pool_raw
from ctree_ext.base.nodes cimport Nodes
from ctree_ext.base.weights cimport part_of, set_weight, weight_of, weights_init
from ctree_ext.grow.counts cimport count_classes
from ctree_ext.grow.drawn_columns cimport DrawnColumns
from ctree_ext.grow.frames cimport Frame, Segment, Worker, look_up
from ctree_ext.grow.partition cimport (
    MAX_NARROW, NARROW_UNKNOWN, merge_entries, merge_rows, partition_entries, partition_rows,
)
from ctree_ext.grow.scratch cimport NodeView
from ctree_ext.grow.sorting cimport (
    UNKNOWN_RANK, Entry, Sorted, allocate_column, sort_column, sort_with_classes, sorting_scratch_size,
)
from ctree_ext.grow.threads cimport Team

cdef enum:
    MIN_PART = 1024          # subtrees of this many cases, up to MAX_PART, are grown from parts
    MAX_PART = 32768
    MAX_WEIGHTED = 16384     # the same where cases have weights, which have to be in the cache, too


ctypedef fused number_t:
    double
    float


cdef bint _is_known_throughout(const number_t* values, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        if values[i] != values[i]:
            return False
    return True


cdef TableSurvey survey_table(const Cases* cases) noexcept nogil:
    cdef TableSurvey survey
    cdef Py_ssize_t a
    survey.complete = cases.complete_codes
    survey.most_values = 2
    survey.n_group_codes = 0
    for a in range(cases.n_attributes):
        if cases.values[a] != NULL:
            survey.complete = survey.complete and _is_known_throughout(cases.values[a], cases.n)
        elif cases.short_values[a] != NULL:
            survey.complete = survey.complete and _is_known_throughout(cases.short_values[a], cases.n)
        elif cases.kind[a] == DISCRETE:
            survey.most_values = max(survey.most_values, cases.n_values[a])
            survey.n_group_codes += cases.n_values[a]
    return survey


cdef class CaseStorage:
    # What both storages share. Whoever makes one has surveyed the table and sets `survey`. Columns, rows and weights
    # are there from `prepare` to `release`.

    def __cinit__(self, CaseTable table, **_):
        cdef Py_ssize_t a
        self.table = table
        self.cases = &table.cases
        self.facts = Memory()
        self.continuous = <int*> self.facts.raw(self.cases.n_attributes, sizeof(int))
        self.columns = <Sorted*> self.facts.zeroed(self.cases.n_attributes, sizeof(Sorted))
        self.attributes = []
        for a in range(self.cases.n_attributes):
            if self.cases.kind[a] == CONTINUOUS:
                self.continuous[self.n_continuous] = <int> a
                self.n_continuous += 1
                self.attributes.append(a)

    cdef int allocate(self, Py_ssize_t n) except -1:
        # All but the columns, for so many cases.
        self.memory = Memory()
        self.column_memory = Memory()
        self.rows = <int32_t*> self.memory.raw(n, sizeof(int32_t))
        self.side = <uint8_t*> self.memory.raw(n, sizeof(uint8_t))
        if self.survey.most_values > MAX_NARROW:
            self.wide_side = <int32_t*> self.memory.raw(n, sizeof(int32_t))
        if self.cases.weights != NULL or not self.survey.complete:
            weights_init(&self.held, self.memory, n, self.cases.weights, self.cases.single)
            self.held.exact = self.cases.unit > 0
            self.weights = &self.held
        return 0

    cdef int release_columns(self) except -1:
        memset(self.columns, 0, self.cases.n_attributes * sizeof(Sorted))
        self.column_memory = None
        return 0

    cdef int release(self) except -1:
        self.release_columns()
        self.memory = None
        self.sorting_room = None
        self.rows = NULL
        self.weights = NULL
        self.side = NULL
        self.wide_side = NULL
        return 0

    cdef Py_ssize_t prepare(self, rows, Team team) except -1:
        # Sort the columns, by all threads of a team, and list the rows. How many cases to grow from.
        cdef Py_ssize_t i
        cdef const int32_t[::1] subset
        if self.cases.n == 0:
            raise ValueError("no cases to grow a tree from")
        self.allocate(self.cases.n)
        self.sorting_room = []
        for i in range(self.n_continuous):
            allocate_column(&self.columns[self.continuous[i]], self.cases.n, self.cases.single, not self.with_classes,
                            self.column_memory)
        if team.pool is None:
            self._sort(self.attributes)
        else:
            # One by one, for they take unequal times.
            team.spread(self._sort, [[attribute] for attribute in self.attributes])
        self.sorting_room = None
        self.note_missing()
        for i in range(self.cases.n):
            self.rows[i] = <int32_t> i
        if rows is None:
            return self.cases.n
        subset = rows
        return self.restrict(subset)

    def _sort(self, list attributes):
        cdef int a
        cdef uint64_t[::1] scratch
        if self.table.drawn is not None:
            self._take_sorted(attributes)
            return
        try:
            scratch = self.sorting_room.pop()
        except IndexError:
            scratch = np.empty(sorting_scratch_size(self.cases.n), dtype=np.uint64)
        for attribute in attributes:
            a = attribute
            with nogil:
                if self.with_classes:
                    sort_with_classes(self.cases.values[a], self.cases.n, self.cases.classes, self.cases.n_classes,
                                      &self.columns[a], &scratch[0])
                else:
                    sort_column(self.cases.values[a], self.cases.short_values[a], self.cases.n, self.cases.single,
                                &self.columns[a], &scratch[0])
                check_signals()
        self.sorting_room.append(scratch.base)

    def _take_sorted(self, list attributes):
        # Where the cases were drawn from others, whose columns are sorted already.
        cdef DrawnColumns drawn = self.table.drawn
        cdef int a
        if drawn.n != self.cases.n:
            raise ValueError("the drawn columns are not of this table")
        for attribute in attributes:
            a = attribute
            drawn.fill(a, &self.columns[a], self.cases.single, self.cases.classes if self.with_classes else NULL,
                       self.cases.n_classes)
            check_signals()

    cdef bint is_separable(self) noexcept nogil:
        # Whether subtrees do not touch each other, so that threads can share them.
        return False

    cdef bint counts_ones(self, const Frame* frame) noexcept nogil:
        # Whether each case of a frame counts one: few may have a weight of their own.
        cdef const int32_t* rows = self.rows + frame.cases.list_start
        cdef Py_ssize_t i
        for i in range(frame.cases.n):
            if weight_of(self.weights, rows[i]) != 1:
                return False
        return True

    cdef int note_missing(self) except -1:
        # What else has to be known of the sorted columns.
        return 0

    cdef Py_ssize_t restrict(self, const int32_t[::1] subset) except -1:
        # Leave only these rows in the lists; the distinct values stay those of all cases.
        cdef Py_ssize_t i, a, at, n = subset.shape[0]
        cdef Entry* order
        if n == 0:
            raise ValueError("no cases to grow a tree from")
        memset(self.side, 0, self.cases.n * sizeof(uint8_t))
        for i in range(n):
            if not 0 <= subset[i] < self.cases.n:
                raise ValueError(f"there is no row {subset[i]}")
            if self.side[subset[i]]:
                raise ValueError("a row is listed twice")
            self.side[subset[i]] = 1
            self.rows[i] = subset[i]
        for a in range(self.n_continuous):
            order = self.columns[self.continuous[a]].order
            at = 0
            for i in range(self.cases.n):
                if self.side[order[i].row]:
                    order[at] = order[i]
                    at += 1
        return n

    cdef object final_order(self, Py_ssize_t n):
        # The order in which growing left the cases, if pruning has to start from it.
        return None

    cdef object rows_by_leaf(self, Py_ssize_t n):
        # The cases, leaf after leaf, if each is in one.
        return None

    cdef void show(self, const Frame* frame, NodeView* view) noexcept nogil:
        # The cases of a frame to whoever searches for a test.
        view.start = frame.cases.start
        view.n = frame.cases.n
        view.rows = self.rows + frame.cases.list_start
        view.weights = NULL if frame.integer else self.weights
        view.classes = self.cases.classes
        view.row_of = NULL
        view.marked = False
        view.lanes = NULL
        view.units = NULL
        view.cells = NULL
        view.cell_of = NULL
        view.tie_states = NULL
        view.n_fractional = view.n

    cdef double count(self, const NodeView* view, double* counts) noexcept nogil:
        # The weight of each class at a node, and of all.
        return count_classes(view.rows, view.n, self.cases.classes, view.weights, self.cases.n_classes, counts)

    cdef void sides_by_rank(self, Frame* frame, int attribute, uint32_t cut) noexcept nogil:
        # The branch of each row and the size of each branch, of a threshold given as a rank.
        cdef const Entry* order = self.columns[attribute].order + frame.cases.start
        cdef uint8_t* side = self.side
        cdef Py_ssize_t i, unknown = 0, above = 0
        cdef int b
        for i in range(frame.cases.n):
            if order[i].rank == UNKNOWN_RANK:
                side[order[i].row] = NARROW_UNKNOWN
                unknown += 1
            else:
                b = order[i].rank > cut
                side[order[i].row] = b
                above += b
        frame.n_unknown = unknown
        frame.sizes[0] = frame.cases.n - unknown - above
        frame.sizes[1] = above

    cdef void sides_by_value(self, Frame* frame, const double* values, double low) noexcept nogil:
        # The same of a threshold given as the greatest value below it.
        cdef const int32_t* rows = self.rows + frame.cases.list_start
        cdef uint8_t* side = self.side
        cdef Py_ssize_t i, row, unknown = 0, above = 0
        cdef int b
        for i in range(frame.cases.n):
            row = rows[i]
            if isnan(values[row]):
                side[row] = NARROW_UNKNOWN
                unknown += 1
            else:
                b = values[row] > low
                side[row] = b
                above += b
        frame.n_unknown = unknown
        frame.sizes[0] = frame.cases.n - unknown - above
        frame.sizes[1] = above

    cdef void sides_by_code(self, Frame* frame, int attribute, const int32_t* group) noexcept nogil:
        # The same of a branch per value, or per group of values.
        cdef const int32_t* codes = self.cases.codes[attribute]
        cdef const uint8_t* short_codes = self.cases.short_codes[attribute]
        cdef const int32_t* rows = self.rows + frame.cases.list_start
        cdef uint8_t* side = self.side
        cdef int32_t* wide_side = self.wide_side
        cdef Py_ssize_t* sizes = frame.sizes
        cdef bint wide = frame.n_branches > MAX_NARROW
        cdef Py_ssize_t i, row, unknown = 0
        cdef int b
        for i in range(frame.cases.n):
            row = rows[i]
            b = <int> short_codes[row] - 1 if short_codes != NULL else codes[row]
            if b >= 0 and group != NULL:
                b = group[b]
            if wide:
                wide_side[row] = b
            else:
                side[row] = <uint8_t> b if b >= 0 else NARROW_UNKNOWN
            if b < 0:
                unknown += 1
            else:
                sizes[b] += 1
        frame.n_unknown = unknown

    cdef void divide(self, Nodes* nodes, Frame* frame, int attribute) noexcept nogil:
        # When the branch of each row is known: the share of each branch in the known weight, where that is needed.
        pass

    cdef int keep_unknown(self, Frame* frame) except -1 nogil:
        # Memory for the cases of unknown outcome, which go down every branch.
        if frame.n_unknown == 0:
            return 0
        frame.kept = <Entry*> pool_raw(&frame.memory, max(self.n_continuous, 1) * (frame.n_unknown + 1), sizeof(Entry))
        frame.kept_rows = <int32_t*> pool_raw(&frame.memory, frame.n_unknown, sizeof(int32_t))
        if frame.kept == NULL or frame.kept_rows == NULL:
            with gil:
                raise MemoryError
        return 0

    cdef int partition(self, Worker hand, const Frame* frame, int part, int parts) except -1 nogil:
        # Divide the columns among the branches, or every `parts`-th of them.
        cdef int k = part - parts
        cdef Entry* entries
        cdef Entry* kept
        while k + parts < self.n_continuous:
            k += parts
            look_up(hand, frame.cases.n)
            entries = self.columns[self.continuous[k]].order + frame.cases.start
            kept = frame.kept + k * (frame.n_unknown + 1)
            if frame.n_branches > MAX_NARROW:
                partition_entries(entries, frame.cases.n, self.wide_side, frame.n_branches, frame.sizes,
                                  frame.n_unknown, hand.spare, hand.place, kept)
            else:
                partition_entries(entries, frame.cases.n, self.side, frame.n_branches, frame.sizes, frame.n_unknown,
                                  hand.spare, hand.place, kept)
        return 0

    cdef Segment enter_branch(self, Nodes* nodes, Frame* frame, int branch) noexcept nogil:
        # Bring the cases of a branch together, with those of unknown outcome and their share of weight.
        return frame.cases

    cdef void leave_branch(self, Nodes* nodes, Frame* frame, int branch) noexcept nogil:
        # Undo that when the branch has been grown.
        pass

    cdef void merge_kept(self, const Frame* frame) noexcept nogil:
        # The cases of unknown outcome at the test above, into the columns. Not before they are needed: many a branch is
        # a leaf at once.
        cdef const Frame* above = frame - 1
        cdef Py_ssize_t n = frame.cases.n, unknown = n - above.sizes[above.next_branch - 1]
        cdef int k
        cdef Entry* entries
        if unknown == 0:
            return
        for k in range(self.n_continuous):
            entries = self.columns[self.continuous[k]].order + frame.cases.start
            merge_entries(entries, above.kept + k * (unknown + 1), unknown, entries + unknown, n - unknown)


cdef inline int _side_of(CaseStorage storage, bint wide, Py_ssize_t row) noexcept nogil:
    # The branch that a row takes at the node being divided; -1 where its outcome is unknown.
    if wide:
        return storage.wide_side[row]
    return storage.side[row] if storage.side[row] != NARROW_UNKNOWN else -1


cdef class PartitionedStorage(CaseStorage):
    # The list of rows is divided like the columns; among equal values, and within a node, rows ascend.

    def __cinit__(self, CaseTable table, *, double small=0.0, bint with_classes=False):
        self.small = small
        self.with_classes = with_classes

    cdef int allocate(self, Py_ssize_t n) except -1:
        CaseStorage.allocate(self, n)
        self.place_of = NULL
        if not self.with_classes and n > (4 * MAX_PART if self.weights == NULL else 2 * MAX_WEIGHTED):
            self.place_of = <int32_t*> self.memory.raw(self.cases.n, sizeof(int32_t))
        return 0

    cdef bint is_worth_a_part(self, const Frame* frame) noexcept nogil:
        # Columns and classes are read in no order of rows: a subtree of a large table is grown from a part whose rows
        # are numbered anew, so that the processor's cache holds what is looked up.
        return self.place_of != NULL and MIN_PART <= frame.cases.n <= (
            MAX_PART if self.weights == NULL else MAX_WEIGHTED)

    cdef int take_part(self, PartitionedStorage original, const Frame* frame, bint apart) except -1:
        # The cases of a frame of the original, numbered in the order of its rows. Its columns are used where they are,
        # unless the original grows its other branches meanwhile: nobody comes back to them. Nor to the weights, for what
        # they are on the way back is known.
        cdef const int32_t* rows = original.rows + frame.cases.list_start
        cdef Py_ssize_t i, n = frame.cases.n
        cdef int k
        cdef Sorted* column
        cdef Entry* order
        self.survey.complete = original.weights == NULL  # which a table without values and weights does not show
        self.allocate(n)
        self.survey.complete = original.survey.complete
        self.numbers = <int32_t*> self.memory.raw(n, sizeof(int32_t))
        if original.place_of == NULL:
            original.place_of = <int32_t*> original.memory.raw(original.cases.n, sizeof(int32_t))
        with nogil:
            for i in range(n):
                self.rows[i] = <int32_t> i
                self.numbers[i] = rows[i]
                original.place_of[rows[i]] = <int32_t> i
            for i in range(n if self.weights != NULL else 0):
                set_weight(self.weights, i, weight_of(original.weights, rows[i]))
            for k in range(self.n_continuous):
                column = &self.columns[self.continuous[k]]
                column[0] = original.columns[self.continuous[k]]
                order = column.order + frame.cases.start
                if apart:
                    column.order = <Entry*> self.column_memory.raw(n, sizeof(Entry))
                    memcpy(column.order, order, n * sizeof(Entry))
                    order = column.order
                column.order = order
                for i in range(n):
                    order[i].row = original.place_of[order[i].row]
        return 0

    cdef void hand_back(self, PartitionedStorage original, const Frame* frame) noexcept nogil:
        # The order in which growing has left the cases: leaf after leaf, if each is in one.
        cdef int32_t* rows = original.rows + frame.cases.list_start
        cdef Py_ssize_t i
        for i in range(frame.cases.n if self.weights == NULL else 0):
            rows[i] = self.numbers[self.rows[i]]

    cdef object rows_by_leaf(self, Py_ssize_t n):
        cdef int32_t[::1] rows
        if self.weights != NULL:
            return None
        result = np.empty(n, dtype=np.int32)
        rows = result
        memcpy(&rows[0], self.rows, n * sizeof(int32_t))
        return result

    cdef bint is_separable(self) noexcept nogil:
        return self.survey.complete

    cdef void divide(self, Nodes* nodes, Frame* frame, int attribute) noexcept nogil:
        if self.weights != NULL and not (frame.integer and frame.n_unknown == 0):
            frame.branches_counted = True
            self.take_shares(nodes, frame, attribute)

    cdef void take_shares(self, Nodes* nodes, Frame* frame, int attribute) noexcept nogil:
        # The share of each branch in the known weight, and the class weights of each branch. Known cases are added up
        # first, by value or as in the table, then shares of the others: in J48 sums of fractions are printed, and the
        # last bit decides which way a half is rounded. Where there is a unit sums are exact, and the table's order is
        # the faster one.
        cdef const int32_t* rows = self.rows + frame.cases.list_start
        cdef const Entry* order = self.columns[attribute].order + frame.cases.start
        cdef bint by_value = self.cases.kind[attribute] == CONTINUOUS and self.cases.unit == 0
        cdef bint wide = frame.n_branches > MAX_NARROW
        cdef Py_ssize_t i, row, C = self.cases.n_classes
        cdef int32_t first = nodes.first_branch[frame.node]
        cdef double* counts = nodes.counts + first * C
        cdef double* cases = nodes.cases + first
        cdef double w
        cdef int b
        for i in range(frame.cases.n):
            row = order[i].row if by_value else rows[i]
            b = _side_of(self, wide, row)
            if b >= 0:
                w = weight_of(self.weights, row)
                cases[b] += w
                counts[b * C + self.cases.classes[row]] += w
        for b in range(frame.n_branches):
            frame.known += cases[b]
        for b in range(frame.n_branches):
            frame.shares[b] = cases[b] / frame.known
        for i in range(frame.cases.n if frame.n_unknown else 0):
            if _side_of(self, wide, rows[i]) < 0:
                for b in range(frame.n_branches):
                    if frame.shares[b] > self.small:
                        w = part_of(weight_of(self.weights, rows[i]), frame.shares[b], self.cases.unit)
                        cases[b] += w
                        counts[b * C + self.cases.classes[rows[i]]] += w

    cdef int keep_unknown(self, Frame* frame) except -1 nogil:
        if frame.n_unknown == 0:
            return 0
        CaseStorage.keep_unknown(self, frame)
        frame.kept_weights = <double*> pool_raw(&frame.memory, frame.n_unknown, sizeof(double))
        if frame.kept_weights == NULL:
            with gil:
                raise MemoryError
        return 0

    cdef int partition(self, Worker hand, const Frame* frame, int part, int parts) except -1 nogil:
        cdef int32_t* rows = self.rows + frame.cases.list_start
        cdef Py_ssize_t i
        CaseStorage.partition(self, hand, frame, part, parts)
        if part < parts - 1:
            return 0
        if frame.n_branches > MAX_NARROW:
            partition_rows(rows, frame.cases.n, self.wide_side, frame.n_branches, frame.sizes, frame.n_unknown,
                           hand.spare_rows, hand.place, frame.kept_rows)
        else:
            partition_rows(rows, frame.cases.n, self.side, frame.n_branches, frame.sizes, frame.n_unknown,
                           hand.spare_rows, hand.place, frame.kept_rows)
        for i in range(frame.n_unknown):
            frame.kept_weights[i] = weight_of(self.weights, frame.kept_rows[i])
        return 0

    cdef Segment enter_branch(self, Nodes* nodes, Frame* frame, int branch) noexcept nogil:
        cdef Py_ssize_t i, start = frame.cases.start + frame.done, unknown = frame.n_unknown
        cdef Segment segment
        if unknown and frame.shares[branch] <= self.small:
            # next to nothing of them would come here
            start += unknown
            unknown = 0
        elif unknown:
            merge_rows(self.rows + start, frame.kept_rows, unknown, self.rows + start + unknown, frame.sizes[branch])
            for i in range(unknown):
                set_weight(self.weights, frame.kept_rows[i],
                           part_of(frame.kept_weights[i], frame.shares[branch], self.cases.unit))
        segment.start = start
        segment.list_start = start
        segment.n = frame.sizes[branch] + unknown
        return segment

    cdef void leave_branch(self, Nodes* nodes, Frame* frame, int branch) noexcept nogil:
        cdef Py_ssize_t i
        if frame.n_unknown and frame.shares[branch] > self.small:
            for i in range(frame.n_unknown):
                set_weight(self.weights, frame.kept_rows[i], frame.kept_weights[i])
