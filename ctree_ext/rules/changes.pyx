"""Rules by what adding or dropping them would change: of how many cases of other classes, and of their own.

Rules that change the same differ only in their code lengths. So of all rules of one kind the best is known, without
looking at the others: a heap for each kind. Rules that change many cases are seldom alike, and are in none.
"""

from libc.stdint cimport int32_t, uint8_t

from ctree_ext.base.memory cimport Memory


cdef class Changes:
    """Rules of these code lengths, each in the heap of its kind once it is put there.

    Parameters
    ----------
    bits : float64 array
        It has to be there for as long as this is.
    """

    def __cinit__(self, const double[::1] bits):
        cdef Py_ssize_t i
        self.memory = Memory()
        self.n_rules = bits.shape[0]
        self.bits = &bits[0] if self.n_rules else NULL
        self.n_numbers = N_KINDS + 2 * self.n_rules
        self.heaps = <Heap*> self.memory.zeroed(N_KINDS, sizeof(Heap))
        self.best = <double*> self.memory.zeroed(N_KINDS, sizeof(double))
        self.kind = <int32_t*> self.memory.raw(self.n_rules, sizeof(int32_t))
        self.at = <int32_t*> self.memory.raw(self.n_rules, sizeof(int32_t))
        self.marked = <int32_t*> self.memory.raw(self.n_numbers, sizeof(int32_t))
        self.is_marked = <uint8_t*> self.memory.zeroed(self.n_numbers, sizeof(uint8_t))
        for i in range(self.n_rules):
            self.kind[i] = -1

    cdef void clear(self) noexcept nogil:
        cdef Py_ssize_t i
        for i in range(N_KINDS):
            self.heaps[i].n = 0
        for i in range(self.n_rules):
            self.kind[i] = -1
        for i in range(self.n_marked):
            self.is_marked[self.marked[i]] = False
        self.n_marked = 0

    cdef void mark(self, int32_t number) noexcept nogil:
        if not self.is_marked[number]:
            self.is_marked[number] = True
            self.marked[self.n_marked] = number
            self.n_marked += 1

    cdef int put(self, Py_ssize_t rule, bint chosen, Py_ssize_t others, Py_ssize_t own) except -1 nogil:
        # Into the heap of its kind, out of where it was.
        cdef int32_t kind = LOOSE + chosen
        cdef Heap* heap
        if others < FEW and own < FEW:
            kind = <int32_t> ((chosen * FEW + others) * FEW + own)
        if self.kind[rule] == kind and kind < N_KINDS:
            return 0
        if self.kind[rule] >= 0:
            self.take_out(rule)
        self.kind[rule] = kind
        if kind >= N_KINDS:
            self.mark(loose_number(rule, chosen))
            return 0
        heap = &self.heaps[kind]
        if heap.n == heap.room:
            self.memory.resize(<void**> &heap.rules, max(16, 2 * heap.room), sizeof(int32_t))
            heap.room = max(16, 2 * heap.room)
        heap.n += 1
        self.up(heap, kind, heap.n - 1, <int32_t> rule)
        if heap.rules[0] == rule:
            self.best[kind] = merit_of(self.bits, kind, <int32_t> rule)
            self.mark(kind)
        return 0

    cdef void take_out(self, Py_ssize_t rule) noexcept nogil:
        cdef int32_t kind = self.kind[rule], last
        cdef Heap* heap
        cdef Py_ssize_t at = self.at[rule]
        if kind >= N_KINDS:
            self.mark(loose_number(rule, kind - LOOSE))
            return
        heap = &self.heaps[kind]
        heap.n -= 1
        last = heap.rules[heap.n]
        if at < heap.n:
            if merit_of(self.bits, kind, last) < merit_of(self.bits, kind, <int32_t> rule):
                self.down(heap, kind, at, last)
            else:
                self.up(heap, kind, at, last)
        if at == 0:
            self.mark(kind)
            if heap.n:
                self.best[kind] = merit_of(self.bits, kind, heap.rules[0])

    cdef void up(self, Heap* heap, int kind, Py_ssize_t at, int32_t rule) noexcept nogil:
        # A rule to this place, or above it.
        cdef double merit = merit_of(self.bits, kind, rule)
        cdef Py_ssize_t above
        cdef int32_t other
        while at:
            above = (at - 1) >> 1
            other = heap.rules[above]
            if merit_of(self.bits, kind, other) >= merit:
                break
            heap.rules[at] = other
            self.at[other] = <int32_t> at
            at = above
        heap.rules[at] = rule
        self.at[rule] = <int32_t> at

    cdef void down(self, Heap* heap, int kind, Py_ssize_t at, int32_t rule) noexcept nogil:
        # A rule to this place, or below it.
        cdef double merit = merit_of(self.bits, kind, rule)
        cdef Py_ssize_t below = 2 * at + 1
        cdef int32_t other
        while below < heap.n:
            if below + 1 < heap.n and (merit_of(self.bits, kind, heap.rules[below + 1])
                                       > merit_of(self.bits, kind, heap.rules[below])):
                below += 1
            other = heap.rules[below]
            if merit_of(self.bits, kind, other) <= merit:
                break
            heap.rules[at] = other
            self.at[other] = <int32_t> at
            at = below
            below = 2 * at + 1
        heap.rules[at] = rule
        self.at[rule] = <int32_t> at
