"""Cases of some blocks with their slots, to be counted together.

An entry of a batch has a key, `slot * classes + class`, which is all that counting needs to know of it besides a code.
Where no case has a weight and no tested value is unknown, there is one entry a row, in the order of the rows.
"""

from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t
from libc.string cimport memset

from ctree_ext.base.memory cimport Memory
from ctree_ext.scale.columns cimport Columns
from ctree_ext.scale.descent cimport BLOCK, Descent, raise_fault


cdef class Batches:
    """The batches of a part, one after the other."""

    def __cinit__(self, Columns columns not None, Descent descent not None):
        if descent.n_slots * columns.classes.n_codes >= 2**32:
            raise ValueError(f"{descent.n_slots} slots are too many for {columns.classes.n_codes} classes")
        self.memory = Memory()
        self.columns = columns
        self.descent = descent
        descent.prepare(columns, &self.entries, self.memory)

    cdef bint next(self) except -1 nogil:
        # Fill the next batch; whether there is one.
        cdef int status
        memset(&self.batch, 0, sizeof(Batch))
        self.batch.start = self.block_start if self.waiting else self.next_row
        while self.waiting or self.next_row < self.columns.n:
            if not self.waiting:
                self.block_start = self.next_row
                self.block_size = min(<Py_ssize_t> BLOCK, self.columns.n - self.next_row)
                status = self.descent.route(self.columns, self.block_start, self.block_size, &self.entries)
                raise_fault(status, self.entries.fault)
                self.next_row += self.block_size
            # Entries of both kinds do not mix.
            self.waiting = self.batch.n_rows and self.entries.weighted != self.batch.weighted
            if self.waiting:
                break
            self.batch.weighted = self.entries.weighted
            self._add_block()
            if self.batch.n >= BATCH or self.batch.n_rows >= BATCH:
                break
        self.batch.keys = self.keys
        self.batch.rows = self.rows if self.batch.weighted else NULL
        self.batch.weights = self.weights if self.batch.weighted else NULL
        return self.batch.n_rows > 0

    cdef int _add_block(self) except -1 nogil:
        cdef Py_ssize_t slot, i, size, first, at = self.batch.n, rows_before = self.batch.n_rows, total = 0
        cdef uint32_t n_classes = self.columns.classes.n_codes, key, none = <uint32_t> (n_classes * self.descent.n_slots)
        cdef Entries* entries = &self.entries
        cdef bint weighted = self.batch.weighted
        cdef const uint16_t* rows
        cdef const uint16_t* classes
        cdef uint32_t* keys
        cdef int32_t node
        for slot in range(self.descent.n_slots):
            node = self.descent.node_of_slot[slot]
            total += entries.last[node] - entries.first[node]
        self._make_room(at + max(total, self.block_size), weighted)
        if self.class_room < BLOCK:
            self.memory.resize(<void**> &self.classes, BLOCK, sizeof(uint16_t))
            self.class_room = BLOCK
        self.columns.note_classes(self.block_start, self.block_size, self.classes)
        keys = self.keys + at
        classes = self.classes
        if not weighted:
            self.batch.n_dropped += self.block_size - total
            if total < self.block_size:
                for i in range(self.block_size):
                    keys[i] = none
        for slot in range(self.descent.n_slots):
            node = self.descent.node_of_slot[slot]
            first = entries.first[node]
            size = entries.last[node] - first
            rows = entries.rows + first
            key = <uint32_t> slot * n_classes
            if entries.all_at_root:
                for i in range(size):
                    keys[i] = classes[i]
            elif not weighted:
                for i in range(size):
                    keys[rows[i]] = key + classes[rows[i]]
            if weighted:
                for i in range(size):
                    self.rows[at] = <uint32_t> (rows_before + (i if entries.all_at_root else rows[i]))
                    self.keys[at] = key + classes[i if entries.all_at_root else rows[i]]
                    self.weights[at] = entries.weights[first + i]
                    at += 1
        self.batch.n = at if weighted else at + self.block_size
        self.batch.n_rows += self.block_size
        return 0

    cdef int _make_room(self, Py_ssize_t room, bint weighted) except -1 nogil:
        # By halves; a small part needs little.
        if room > self.room or (weighted and self.weights == NULL):
            room = max(room, self.room) if room <= self.room else room + room // 2
            self.memory.resize(<void**> &self.keys, room, sizeof(uint32_t))
            if weighted or self.weights != NULL:
                self.memory.resize(<void**> &self.rows, room, sizeof(uint32_t))
                self.memory.resize(<void**> &self.weights, room, sizeof(int64_t))
            self.room = room
        return 0

    cdef int without_dropped(self, Batch* few) except -1 nogil:
        # The same batch, which has no weights, with its rows listed, but for those in no slot.
        cdef Py_ssize_t i, n = 0
        cdef uint32_t none = <uint32_t> (self.columns.classes.n_codes * self.descent.n_slots)
        self.memory.resize(<void**> &self.few_keys, self.batch.n + 1, sizeof(uint32_t))
        self.memory.resize(<void**> &self.few_rows, self.batch.n + 1, sizeof(uint32_t))
        for i in range(self.batch.n):
            self.few_keys[n] = self.keys[i]
            self.few_rows[n] = <uint32_t> i
            n += self.keys[i] != none
        few[0] = self.batch
        few.n = n
        few.keys = self.few_keys
        few.rows = self.few_rows
        few.n_dropped = 0
        return 0
