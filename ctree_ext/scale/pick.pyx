"""The numbers of cases at slots in some bins, one by one."""

import numpy as np

from cpython.pyport cimport PY_SSIZE_T_MAX
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from ctree_ext.base.interrupts cimport check_after
from ctree_ext.base.memory cimport Memory
from ctree_ext.scale.columns cimport Column, Columns
from ctree_ext.scale.descent cimport BAD_CODE, Descent, raise_fault
from ctree_ext.scale.slot_rows cimport Walk

ctypedef fused code_t:
    uint8_t
    uint16_t
    uint32_t


ctypedef struct Opening:
    int32_t slot
    int32_t attribute
    const uint64_t* bits      # of each code, whether it is wanted
    const double* values      # of each bin, where it has one; else NULL


cdef Py_ssize_t _find(const code_t* codes, const uint64_t* bits, const uint16_t* rows, Py_ssize_t n,
                      uint32_t* found) noexcept nogil:
    # The places of those in open bins; how many there are.
    cdef Py_ssize_t i, n_found = 0
    cdef uint32_t code
    for i in range(n):
        code = codes[i if rows == NULL else rows[i]]
        found[n_found] = <uint32_t> i
        n_found += bits[code >> 6] >> (code & 63) & 1
    return n_found


cdef class _Pass:
    # One call of `pick`.
    cdef Memory memory
    cdef Walk walk
    cdef Columns columns
    cdef Py_ssize_t n_openings
    cdef Opening* openings
    cdef Py_ssize_t n_asked
    cdef int32_t* asked           # their attributes, each once
    cdef int64_t[::1] sizes
    cdef Py_ssize_t most
    cdef uint32_t* found
    cdef Py_ssize_t found_room
    cdef uint16_t* block_classes
    cdef Py_ssize_t n
    cdef Py_ssize_t room
    cdef int32_t* which
    cdef double* values
    cdef uint16_t* classes
    cdef int64_t* weights
    cdef bint too_many
    cdef bint plain               # whether nobody asks for classes and weights
    cdef object keep

    def __cinit__(self, Columns columns not None, Descent descent not None, const int32_t[::1] slots not None,
                  const int32_t[::1] attributes not None, bits, values, int64_t[::1] sizes not None, Py_ssize_t most,
                  bint plain=False):
        cdef const uint64_t[::1] words
        cdef const double[::1] numbers
        cdef Py_ssize_t i
        cdef Column* column
        self.memory = Memory()
        self.walk = Walk(columns, descent)
        self.columns = columns
        self.n_openings = slots.shape[0]
        if not self.n_openings == attributes.shape[0] == len(bits) == len(values) == sizes.shape[0]:
            raise ValueError("slots, attributes, bits, values and sizes differ in length")
        self.openings = <Opening*> self.memory.zeroed(self.n_openings, sizeof(Opening))
        self.sizes = sizes
        self.most = most
        self.plain = plain
        for i in range(self.n_openings):
            if not 0 <= slots[i] < descent.n_slots:
                raise ValueError(f"there is no slot {slots[i]}")
            if not 0 <= attributes[i] < columns.n_attributes or not columns.columns[attributes[i]].width:
                raise ValueError(f"there is no column of attribute {attributes[i]}")
            column = &columns.columns[attributes[i]]
            words = bits[i]
            if words.shape[0] * 64 < column.n_codes:
                raise ValueError(f"there are too few bits for attribute {attributes[i]}")
            self.openings[i].slot = slots[i]
            self.openings[i].attribute = attributes[i]
            self.openings[i].bits = &words[0]
            if column.numbers == NULL:
                if columns.n == 0:
                    continue
                if values[i] is None:
                    raise ValueError(f"there are no numbers of attribute {attributes[i]}")
                numbers = values[i]
                if numbers.shape[0] < column.n_codes - 1:
                    raise ValueError(f"there are too few numbers of attribute {attributes[i]}")
                self.openings[i].values = &numbers[0] if numbers.shape[0] else NULL
        self.keep = (list(bits), list(values))
        self.asked = <int32_t*> self.memory.raw(self.n_openings, sizeof(int32_t))
        for attribute in sorted(set(attributes)):
            self.asked[self.n_asked] = attribute
            self.n_asked += 1

    cdef int run(self) except -1 nogil:
        cdef Py_ssize_t i
        cdef uint32_t least
        cdef Column* column
        self.block_classes = <uint16_t*> self.memory.raw(65536, sizeof(uint16_t))
        while self.walk.next():
            if self.walk.entries.room > self.found_room:
                self.found_room = self.walk.entries.room
                self.memory.resize(<void**> &self.found, self.found_room, sizeof(uint32_t))
            self.columns.note_classes(self.walk.start, self.walk.n, self.block_classes)
            for i in range(self.n_asked):
                column = &self.columns.columns[self.asked[i]]
                if not self.columns.in_range(column, self.walk.start, self.walk.n, &least):
                    raise_fault(BAD_CODE, self.asked[i])
            for i in range(self.n_openings):
                self.look_into(i, &self.columns.columns[self.openings[i].attribute])
        return 0

    cdef int look_into(self, Py_ssize_t which, const Column* column) except -1 nogil:
        cdef const Opening* opening = &self.openings[which]
        cdef int32_t node = self.walk.descent.node_of_slot[opening.slot]
        cdef Py_ssize_t first = self.walk.entries.first[node], n = self.walk.entries.last[node] - first, n_found
        cdef const uint16_t* rows = NULL if self.walk.entries.all_at_root else self.walk.entries.rows + first
        if column.width == 1:
            n_found = _find(<const uint8_t*> column.codes + self.walk.start, opening.bits, rows, n, self.found)
        elif column.width == 2:
            n_found = _find(<const uint16_t*> column.codes + self.walk.start, opening.bits, rows, n, self.found)
        else:
            n_found = _find(<const uint32_t*> column.codes + self.walk.start, opening.bits, rows, n, self.found)
        self.sizes[which] += n_found
        self.too_many |= self.n + n_found > self.most
        if n_found and not self.too_many:
            self.note(which, column, rows, first, n_found)
        check_after(&self.walk.watch, n)
        return 0

    cdef int note(self, Py_ssize_t which, const Column* column, const uint16_t* rows, Py_ssize_t first,
                  Py_ssize_t n_found) except -1 nogil:
        cdef Py_ssize_t i, row
        if self.n + n_found > self.room:
            self.room = min(max(self.n + n_found, 2 * self.room), self.most)
            self.memory.resize(<void**> &self.which, self.room, sizeof(int32_t))
            self.memory.resize(<void**> &self.values, self.room, sizeof(double))
            if not self.plain:
                self.memory.resize(<void**> &self.classes, self.room, sizeof(uint16_t))
                self.memory.resize(<void**> &self.weights, self.room, sizeof(int64_t))
        for i in range(n_found):
            row = self.found[i] if rows == NULL else rows[self.found[i]]
            self.which[self.n] = <int32_t> which
            if not self.plain:
                self.classes[self.n] = self.block_classes[row]
                self.weights[self.n] = self.columns.one
                if self.walk.entries.weighted:
                    self.weights[self.n] = self.walk.entries.weights[first + self.found[i]]
            if column.numbers != NULL:
                self.values[self.n] = column.numbers[self.walk.start + row]
            else:
                self.values[self.n] = self.openings[which].values[self.code_of(column, row) - 1]
            self.n += 1
        return 0

    cdef uint32_t code_of(self, const Column* column, Py_ssize_t row) noexcept nogil:
        if column.width == 1:
            return (<const uint8_t*> column.codes)[self.walk.start + row]
        if column.width == 2:
            return (<const uint16_t*> column.codes)[self.walk.start + row]
        return (<const uint32_t*> column.codes)[self.walk.start + row]

    def numbers(self):
        cdef Py_ssize_t n = self.n
        result = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.float64)
        cdef int32_t[::1] which = result[0]
        cdef double[::1] values = result[1]
        if n:
            memcpy(&which[0], self.which, n * sizeof(int32_t))
            memcpy(&values[0], self.values, n * sizeof(double))
        return result

    def arrays(self):
        cdef Py_ssize_t n = self.n
        result = tuple(np.empty(n, dtype=dtype) for dtype in (np.int32, np.float64, np.uint16, np.int64))
        cdef int32_t[::1] which = result[0]
        cdef double[::1] values = result[1]
        cdef uint16_t[::1] classes = result[2]
        cdef int64_t[::1] weights = result[3]
        if n:
            memcpy(&which[0], self.which, n * sizeof(int32_t))
            memcpy(&values[0], self.values, n * sizeof(double))
            memcpy(&classes[0], self.classes, n * sizeof(uint16_t))
            memcpy(&weights[0], self.weights, n * sizeof(int64_t))
        return result


def pick(Columns columns, Descent descent, slots, attributes, bits, values, sizes, Py_ssize_t most):
    """The cases of a part in open bins, each opening one of a slot and an attribute.

    Parameters
    ----------
    columns : Columns
    descent : Descent
    slots, attributes : int32 arrays
        Of each opening.
    bits : list of uint64 arrays
        Of each opening, the bins that are open, as `bits_of_ranges` has them.
    values : list of float64 arrays or None
        Of each opening the value of each bin, needed where the part has no numbers of the attribute.
    sizes : int64 array
        To which the number of cases in each opening is added.
    most : int
        If there are more cases than this, they are only counted.

    Returns
    -------
    which, values, classes, weights : arrays
        Of each case the opening, the number, the class and the weight; None instead of these if there are too many.
    """
    cdef _Pass work = _Pass(columns, descent, slots, attributes, bits, values, sizes, most)
    with nogil:
        work.run()
    return None if work.too_many else work.arrays()


def pick_numbers(Columns columns, Descent descent, slots, attributes, bits, values, sizes):
    """The numbers of the cases of a part in open bins, without classes and weights; see `pick`.

    Returns
    -------
    which, values : arrays
        Of each case the opening and the number.
    """
    cdef _Pass work = _Pass(columns, descent, slots, attributes, bits, values, sizes, PY_SSIZE_T_MAX, True)
    with nogil:
        work.run()
    return work.numbers()


def bits_of_ranges(ranges, Py_ssize_t n_bins):
    """A bit for each code of a column, set for those of bins in these ranges, each from the first to before the second."""
    steps = np.zeros((n_bins // 64 + 1) * 64 + 1, dtype=np.int64)
    ranges = np.asarray(ranges).reshape(-1, 2)
    wrong = (ranges[:, 0] < 0) | (ranges[:, 0] > ranges[:, 1]) | (ranges[:, 1] > n_bins)
    if wrong.any():
        first, end = ranges[wrong][0].tolist()
        raise ValueError(f"there are no bins from {first} to {end} among {n_bins}")
    np.add.at(steps, ranges[:, 0] + 1, 1)
    np.add.at(steps, ranges[:, 1] + 1, -1)
    return np.packbits(steps[:len(steps) - 1].cumsum() > 0, bitorder="little").view("<u8").astype(np.uint64)
