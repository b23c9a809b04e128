"""Columns that were sorted once, for tables of cases that are drawn from theirs.

The members of a committee learn from the same cases, each from some of them, several times or not at all. A stable order
of all cases, with every case as often as it was drawn, is the order in which sorting what was drawn would have left it: one
pass in place of a sort.
"""

import threading

import numpy as np

from libc.stdint cimport int32_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from ctree_ext.base.memory cimport Memory
from ctree_ext.grow.sorting cimport (
    UNKNOWN_RANK, Entry, Sorted, allocate_column, class_bits_of, distinct_value, float_of_rank, is_spaced, most_near,
    sort_column, sorting_scratch_size, value_of_rank,
)


cdef class SortedColumns:
    """The continuous columns of a table, each sorted when it is first asked for. Threads may share it.

    Parameters
    ----------
    columns : sequence
        Per attribute an array; those of float64 are continuous, and the only ones that are looked at.
    """

    def __cinit__(self, columns):
        cdef Py_ssize_t n_attributes = len(columns)
        self.memory = Memory()
        self.columns = tuple(columns)
        self.floats = <Sorted*> self.memory.zeroed(n_attributes, sizeof(Sorted))
        self.doubles = <Sorted*> self.memory.zeroed(n_attributes, sizeof(Sorted))
        self.lock = threading.Lock()
        self.n = max([len(column) for column in columns if column is not None], default=0)

    cdef const Sorted* column(self, int attribute, bint single) except NULL:
        cdef Sorted* found = (self.floats if single else self.doubles) + attribute
        cdef Sorted made
        cdef Memory spare
        cdef uint64_t* scratch
        cdef const double[::1] values
        with self.lock:
            if found.order == NULL:
                values = self.columns[attribute]
                spare = Memory()
                scratch = <uint64_t*> spare.raw(sorting_scratch_size(self.n), sizeof(uint64_t))
                allocate_column(&made, self.n, single, True, self.memory)
                with nogil:
                    sort_column(&values[0], NULL, self.n, single, &made, scratch)
                found[0] = made
        return found


cdef class DrawnColumns:
    """What a table of drawn cases has instead of columns to be sorted, and how its trees choose attributes.

    Parameters
    ----------
    original : SortedColumns
    times : int32 array or None
        How often each of the original cases is in the table, its copies next to each other, in their order. None: the
        table has the original cases.
    n_chosen : int
        How many attributes each node is offered at random; 0: all.
    key : int
        Of the random choices of this tree, 64 bits.
    """

    def __cinit__(self, SortedColumns original not None, times=None, int n_chosen=0, uint64_t key=0):
        self.original = original
        self.n_chosen = n_chosen
        self.key = key
        self.n = original.n
        if times is None:
            return
        if len(times) != original.n:
            raise ValueError("columns and times differ in length")
        if original.n and np.min(times) < 0:
            raise ValueError("no case can be drawn a negative number of times")
        ends = np.cumsum(times, dtype=np.int64)
        self.n = np.sum(times, dtype=np.int64)
        if self.n > 2**31 - 1:
            raise ValueError(f"there are {self.n} drawn cases, but at most {2**31 - 1} are possible")
        self.has_times = True
        self.times = np.ascontiguousarray(times, dtype=np.int32)
        self.first = np.ascontiguousarray(ends - times, dtype=np.int32)

    cdef int fill(self, int attribute, Sorted* column, bint single, const uint16_t* classes, int n_classes) except -1:
        # Fill an allocated column of the table: with its distinct values, or with classes in the ranks.
        cdef const Sorted* whole = self.original.column(attribute, single)
        cdef bint with_classes = classes != NULL
        if with_classes:
            column.class_bits = class_bits_of(self.n, n_classes)
        with nogil:
            if not self.has_times and not with_classes:
                memcpy(column.order, whole.order, self.n * sizeof(Entry))
                column.n_distinct = whole.n_distinct
                if single:
                    memcpy(column.distinct32, whole.distinct32, whole.n_distinct * sizeof(float))
                else:
                    memcpy(column.distinct64, whole.distinct64, whole.n_distinct * sizeof(double))
                column.spaced = whole.spaced
                column.most_near = whole.most_near
                return 0
            self.take(whole, column, single, classes)
            if with_classes:
                return 0
            if single:
                column.spaced = is_spaced(column.distinct32, column.n_distinct)
            else:
                column.most_near = most_near(column.distinct64, column.n_distinct)
                column.spaced = column.most_near == 0
        return 0

    cdef void take(self, const Sorted* whole, Sorted* column, bint single, const uint16_t* classes) noexcept nogil:
        # Every entry as often as its case was drawn, ranks and distinct values those of the cases that are there.
        cdef Py_ssize_t i, at = 0, known = 0, n_distinct = 0
        cdef int32_t row, copies
        cdef uint32_t rank, above = UNKNOWN_RANK
        cdef int bits = column.class_bits
        for i in range(self.original.n):
            row = whole.order[i].row
            copies = 1
            if self.has_times:
                copies = self.times[row]
                if copies == 0:
                    continue
                row = self.first[row]
            rank = whole.order[i].rank
            if rank != UNKNOWN_RANK:
                if rank != above or n_distinct == 0:
                    above = rank
                    if column.distinct32 != NULL:
                        column.distinct32[n_distinct] = float_of_rank(rank)
                    elif column.distinct64 != NULL:
                        column.distinct64[n_distinct] = whole.distinct64[rank]
                    n_distinct += 1
                known += copies
                if not single:
                    rank = <uint32_t> (n_distinct - 1) << bits
            while copies > 0:
                column.order[at].row = row
                column.order[at].rank = rank
                if bits and rank != UNKNOWN_RANK:
                    column.order[at].rank |= classes[row]
                at += 1
                row += 1
                copies -= 1
        column.n_distinct = n_distinct
        column.apart = n_distinct == known


def drawn_column(const double[::1] values, times=None, bint single=True):
    """A column of drawn cases: rows by value, unknown last, the value of each, and the distinct values. For tests."""
    cdef DrawnColumns drawn = DrawnColumns(SortedColumns([np.asarray(values)]), times)
    cdef Memory memory = Memory()
    cdef Sorted column
    cdef Py_ssize_t i
    allocate_column(&column, drawn.n, single, True, memory)
    drawn.fill(0, &column, single, NULL, 0)
    rows = np.array([column.order[i].row for i in range(drawn.n)], dtype=np.int32)
    held = np.array([
        np.nan if column.order[i].rank == UNKNOWN_RANK else value_of_rank(&column, column.order[i].rank)
        for i in range(drawn.n)
    ], dtype=np.float64)
    distinct = np.array([distinct_value(&column, i) for i in range(column.n_distinct)], dtype=np.float64)
    return rows, held, distinct
