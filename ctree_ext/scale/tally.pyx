"""Class counts of coded cases at the slots of a tree, by value or bin.

The counts of all attributes are more than a cache holds, those of one attribute, in 32 bits, often are not. So a batch of
cases is counted attribute by attribute, in 32 bits where this pays, and then added up.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t
from libc.string cimport memset

from ctree_ext.base.interrupts cimport Watch, check_after
from ctree_ext.base.memory cimport Memory
from ctree_ext.scale.batch cimport Batch, Batches
from ctree_ext.scale.columns cimport Column, Columns
from ctree_ext.scale.descent cimport BAD_CODE, Descent, raise_fault

cdef enum:
    FEW_CELLS = 1024   # that are counted in four copies
    FEW_CASES = 8      # cells to a case, from which on it costs more to add them up than to count in 64 bits

ctypedef fused code_t:
    uint8_t
    uint16_t
    uint32_t

ctypedef fused count_t:
    uint32_t
    int64_t


ctypedef struct Wanted:
    # The counts of an attribute.
    const Column* column
    int shift
    Py_ssize_t n_rows
    int64_t* counts       # (rows, slots, classes)


cdef void _count_few(const code_t* codes, const Batch* batch, int shift, Py_ssize_t stride, Py_ssize_t n_cells,
                     uint32_t* cells) noexcept nogil:
    # In four copies by turns: an addition to the same cell as the previous one would have to wait.
    cdef uint32_t* second = cells + n_cells
    cdef uint32_t* third = second + n_cells
    cdef uint32_t* fourth = third + n_cells
    cdef uint32_t mask = (<uint32_t> 1 << shift) - 1
    cdef const uint32_t* keys = batch.keys
    cdef const uint32_t* rows = batch.rows
    cdef Py_ssize_t i = 0, n = batch.n
    if rows == NULL:
        while i + 3 < n:
            cells[((codes[i] + mask) >> shift) * stride + keys[i]] += 1
            second[((codes[i + 1] + mask) >> shift) * stride + keys[i + 1]] += 1
            third[((codes[i + 2] + mask) >> shift) * stride + keys[i + 2]] += 1
            fourth[((codes[i + 3] + mask) >> shift) * stride + keys[i + 3]] += 1
            i += 4
    else:
        while i + 3 < n:
            cells[((codes[rows[i]] + mask) >> shift) * stride + keys[i]] += 1
            second[((codes[rows[i + 1]] + mask) >> shift) * stride + keys[i + 1]] += 1
            third[((codes[rows[i + 2]] + mask) >> shift) * stride + keys[i + 2]] += 1
            fourth[((codes[rows[i + 3]] + mask) >> shift) * stride + keys[i + 3]] += 1
            i += 4
    for i in range(i, n):
        cells[((codes[i if rows == NULL else rows[i]] + mask) >> shift) * stride + keys[i]] += 1
    for i in range(n_cells):
        cells[i] += second[i] + third[i] + fourth[i]


cdef void _count(const code_t* codes, const Batch* batch, int shift, Py_ssize_t stride, count_t one,
                 count_t* cells) noexcept nogil:
    # Bins by 2**shift; the unknown, code 0, stay by themselves.
    cdef uint32_t mask = (<uint32_t> 1 << shift) - 1
    cdef const uint32_t* keys = batch.keys
    cdef const uint32_t* rows = batch.rows
    cdef Py_ssize_t i
    if batch.weights != NULL:
        for i in range(batch.n):
            cells[((codes[rows[i]] + mask) >> shift) * stride + keys[i]] += <count_t> batch.weights[i]
    elif rows != NULL:
        for i in range(batch.n):
            cells[((codes[rows[i]] + mask) >> shift) * stride + keys[i]] += one
    elif shift:
        for i in range(batch.n):
            cells[((codes[i] + mask) >> shift) * stride + keys[i]] += one
    else:
        for i in range(batch.n):
            cells[codes[i] * stride + keys[i]] += one


cdef void _count_by(const Column* column, const Batch* batch, int shift, Py_ssize_t stride, count_t one,
                    count_t* cells) noexcept nogil:
    if column.width == 1:
        _count(<const uint8_t*> column.codes + batch.start, batch, shift, stride, one, cells)
    elif column.width == 2:
        _count(<const uint16_t*> column.codes + batch.start, batch, shift, stride, one, cells)
    else:
        _count(<const uint32_t*> column.codes + batch.start, batch, shift, stride, one, cells)


cdef void _count_few_by(const Column* column, const Batch* batch, int shift, Py_ssize_t stride, Py_ssize_t n_cells,
                        uint32_t* cells) noexcept nogil:
    if column.width == 1:
        _count_few(<const uint8_t*> column.codes + batch.start, batch, shift, stride, n_cells, cells)
    elif column.width == 2:
        _count_few(<const uint16_t*> column.codes + batch.start, batch, shift, stride, n_cells, cells)
    else:
        _count_few(<const uint32_t*> column.codes + batch.start, batch, shift, stride, n_cells, cells)


cdef void _add(const uint32_t* cells, Py_ssize_t n_rows, Py_ssize_t stride, Py_ssize_t width, int64_t one,
               int64_t* counts) noexcept nogil:
    # What stands at the end of a row, of cases in no slot, is left out.
    cdef Py_ssize_t _row, i
    if stride == width:
        width = stride = n_rows * width
        n_rows = 1
    for _row in range(n_rows):
        for i in range(width):
            counts[i] += cells[i] * one
        cells += stride
        counts += width


cdef class _Pass:
    # One call of `tally`.
    cdef Memory memory
    cdef Columns columns
    cdef Batches batches
    cdef Wanted* wanted
    cdef Py_ssize_t n_wanted
    cdef Py_ssize_t width      # slots * classes
    cdef int64_t* totals
    cdef uint32_t* cells
    cdef Py_ssize_t room
    cdef Watch watch

    def __cinit__(self, Columns columns not None, Descent descent not None, attributes, shifts,
                  int64_t[:, ::1] classes not None, counts):
        cdef int64_t[:, :, ::1] cells
        cdef Column* column
        cdef Wanted* wanted
        cdef Py_ssize_t n_classes = columns.classes.n_codes
        self.memory = Memory()
        self.columns = columns
        self.batches = Batches(columns, descent)
        self.width = descent.n_slots * n_classes
        self.n_wanted = len(attributes)
        self.wanted = <Wanted*> self.memory.zeroed(self.n_wanted, sizeof(Wanted))
        if classes.shape[0] != descent.n_slots or classes.shape[1] != n_classes:
            raise ValueError("class counts are of other slots or classes")
        if not len(attributes) == len(shifts) == len(counts):
            raise ValueError("attributes, shifts and counts differ in length")
        self.totals = &classes[0, 0] if self.width else NULL
        for place, (attribute, shift) in enumerate(zip(attributes, shifts)):
            if not 0 <= attribute < columns.n_attributes or not columns.columns[attribute].width:
                raise ValueError(f"there is no column of attribute {attribute}")
            if not 0 <= shift < 31:
                raise ValueError(f"bins of attribute {attribute} cannot be joined by 2**{shift}")
            column = &columns.columns[attribute]
            cells = counts[place]
            n_rows = rows_of_counts(column.n_codes - 1, shift)
            if (cells.shape[0], cells.shape[1], cells.shape[2]) != (n_rows, descent.n_slots, n_classes):
                raise ValueError(f"counts of attribute {attribute} are not of {n_rows} rows and {descent.n_slots} slots")
            wanted = &self.wanted[place]
            wanted.column = column
            wanted.shift = shift
            wanted.n_rows = n_rows
            wanted.counts = &cells[0, 0, 0] if self.width else NULL

    cdef int run(self) except -1 nogil:
        cdef Batch* batch = &self.batches.batch
        cdef Batch few
        cdef Py_ssize_t i, w
        cdef uint32_t least
        while self.batches.next():
            check_after(&self.watch, batch.n_rows)
            if not self.width:
                continue
            few = batch[0]
            if batch.n_dropped:
                self.batches.without_dropped(&few)
            for i in range(few.n):
                self.totals[few.keys[i]] += self.columns.one if few.weights == NULL else few.weights[i]
            for w in range(self.n_wanted):
                # Just before they are used, while they are on their way into the cache anyway.
                if not self.columns.in_range(self.wanted[w].column, batch.start, batch.n_rows, &least):
                    raise_fault(BAD_CODE, <int32_t> (self.wanted[w].column - self.columns.columns))
                self.count_attribute(&self.wanted[w], batch, &few)
                check_after(&self.watch, batch.n)
        return 0

    cdef int count_attribute(self, const Wanted* wanted, const Batch* batch, const Batch* few) except -1 nogil:
        cdef Py_ssize_t stride = self.width, n_cells
        if few.weights != NULL or wanted.n_rows * self.width > FEW_CASES * few.n:
            _count_by(wanted.column, few, wanted.shift, stride, self.columns.one, wanted.counts)
            return 0
        # To skip rows costs more than to count a few for nothing.
        if few.n > batch.n - batch.n // 3:
            few = batch
            stride += batch.n_dropped > 0
        n_cells = wanted.n_rows * stride
        if max(n_cells, 4 * FEW_CELLS) > self.room:
            self.room = max(n_cells, 4 * FEW_CELLS)
            self.memory.resize(<void**> &self.cells, self.room, sizeof(uint32_t))
        if n_cells <= FEW_CELLS:
            memset(self.cells, 0, 4 * n_cells * sizeof(uint32_t))
            _count_few_by(wanted.column, few, wanted.shift, stride, n_cells, self.cells)
        else:
            memset(self.cells, 0, n_cells * sizeof(uint32_t))
            _count_by(wanted.column, few, wanted.shift, stride, <uint32_t> 1, self.cells)
        _add(self.cells, wanted.n_rows, stride, self.width, self.columns.one, wanted.counts)
        return 0


def rows_of_counts(n_values, shift=0):
    """How many rows the counts of an attribute have: one for unknown values, and one for each 2**shift values or bins."""
    return 1 + (n_values + (1 << shift) - 1 >> shift)


def tally(Columns columns, Descent descent, attributes, shifts, classes, counts):
    """Add the cases of a part to the counts of slots.

    Parameters
    ----------
    columns : Columns
    descent : Descent
    attributes : sequence of int
        Those to count by.
    shifts : sequence of int
        For each of them, 2**shift bins are counted as one.
    classes : int64 array (slots, classes)
        To which the class counts are added.
    counts : sequence of int64 arrays (1 + values or bins, slots, classes)
        To which the counts of each attribute are added, those of unknown values first.
    """
    cdef _Pass work = _Pass(columns, descent, attributes, shifts, classes, counts)
    with nogil:
        work.run()
