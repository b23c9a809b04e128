"""Which cases a rule covers, and which rule is the first to cover a case."""


import numpy as np

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t
from libc.string cimport memset

from ctree_ext.base.cases cimport CONTINUOUS, DISCRETE, Cases, CaseTable
from ctree_ext.base.interrupts cimport Watch, check_after
from ctree_ext.base.memory cimport Memory

cdef enum:
    AT_MOST = 0
    ABOVE = 1
    EQUAL = 2
    AMONG = 3


class ConditionKind:
    """When a condition holds: the value is at most a threshold, above it, equal to a code, or one of several codes."""

    AT_MOST = 0
    ABOVE = 1
    EQUAL = 2
    AMONG = 3


ctypedef struct Condition:
    const double* values
    const int32_t* codes
    const uint8_t* members
    double cut
    int32_t code
    int8_t kind


cdef inline bint _is_met(const Condition* condition, bint single, Py_ssize_t row) noexcept nogil:
    cdef int32_t code
    cdef double x
    if condition.kind <= ABOVE:
        x = condition.values[row]
        if single:
            x = <double> <float> x
        return x <= condition.cut if condition.kind == AT_MOST else x > condition.cut
    code = condition.codes[row]
    if condition.kind == EQUAL:
        return code == condition.code
    return code >= 0 and condition.members[code]


cdef Py_ssize_t _filter(Condition condition, bint single, int32_t* rows, Py_ssize_t n) noexcept nogil:
    # Keep the rows that meet the condition, in place. Every row is written, and overwritten by the next one unless it
    # meets the condition: a jump that is often mispredicted would take longer.
    cdef Py_ssize_t i, left = 0
    cdef int32_t row, code = condition.code
    cdef const double* values = condition.values
    cdef const int32_t* codes = condition.codes
    cdef double cut = condition.cut
    if condition.kind == AMONG or (condition.kind <= ABOVE and not single):
        for i in range(n):
            row = rows[i]
            rows[left] = row
            left += _is_met(&condition, single, row)
    elif condition.kind == EQUAL:
        for i in range(n):
            row = rows[i]
            rows[left] = row
            left += codes[row] == code
    elif condition.kind == AT_MOST:
        for i in range(n):
            row = rows[i]
            rows[left] = row
            left += <float> values[row] <= cut
    else:
        for i in range(n):
            row = rows[i]
            rows[left] = row
            left += <float> values[row] > cut
    return left


cdef class RuleSet:
    """The conditions of rules, to be evaluated on cases; a condition on an unknown value never holds.

    Parameters
    ----------
    start : int64 array (rules + 1,)
        The conditions of rule i are those from ``start[i]`` to ``start[i + 1]``.
    attribute : int32 array
        For each condition; likewise the following.
    kind : int8 array
        A `ConditionKind`.
    cut : float64 array
    value : int64 array
        The code for EQUAL; for AMONG, where in `members` the attribute's values begin.
    members : uint8 array
        1 for each value that is among those meant.
    """

    cdef const int64_t[::1] start, value
    cdef const int32_t[::1] attribute
    cdef const int8_t[::1] kind
    cdef const double[::1] cut
    cdef const uint8_t[::1] members
    cdef Py_ssize_t n_rules

    def __cinit__(self, const int64_t[::1] start, const int32_t[::1] attribute, const int8_t[::1] kind,
                  const double[::1] cut, const int64_t[::1] value, const uint8_t[::1] members):
        cdef Py_ssize_t i, n = attribute.shape[0]
        self.n_rules = start.shape[0] - 1
        if self.n_rules < 0 or start[0] != 0 or start[self.n_rules] != n:
            raise ValueError("the rules do not share out the conditions")
        for i in range(self.n_rules):
            if start[i] > start[i + 1]:
                raise ValueError("the rules do not share out the conditions")
        if kind.shape[0] != n or cut.shape[0] != n or value.shape[0] != n:
            raise ValueError("the arrays of conditions differ in length")
        self.start, self.attribute, self.kind = start, attribute, kind
        self.cut, self.value, self.members = cut, value, members

    cdef int check(self, const Cases* cases) except -1:
        # Check that no condition reaches beyond the columns of these cases or `members`.
        cdef Py_ssize_t i
        cdef int a
        for i in range(self.attribute.shape[0]):
            a = self.attribute[i]
            if a < 0 or a >= cases.n_attributes:
                raise ValueError(f"condition {i} is on an attribute that the cases do not have")
            if self.kind[i] < 0 or self.kind[i] > AMONG:
                raise ValueError(f"condition {i} is of no known kind")
            if <int> cases.kind[a] != <int> (CONTINUOUS if self.kind[i] <= ABOVE else DISCRETE):
                raise ValueError(f"condition {i} does not fit its attribute")
            if self.kind[i] == EQUAL and not -1 <= self.value[i] <= 0x7FFFFFFF:
                raise ValueError(f"condition {i} is on a value that no attribute has")
            if self.kind[i] == AMONG and not 0 <= self.value[i] <= self.members.shape[0] - cases.n_values[a]:
                raise ValueError(f"the values of condition {i} are not listed")
        return 0

    cdef Condition* bind(self, CaseTable table, Memory memory) except NULL:
        # The conditions with pointers to the columns of these cases. Not stored, so that threads can share a rule set.
        cdef Py_ssize_t i, n = self.attribute.shape[0]
        cdef const Cases* cases = &table.cases
        cdef Condition* conditions
        table.refuse_compact()
        self.check(cases)
        conditions = <Condition*> memory.zeroed(n, sizeof(Condition))
        for i in range(n):
            conditions[i].kind = self.kind[i]
            conditions[i].values = cases.values[self.attribute[i]]
            conditions[i].codes = cases.codes[self.attribute[i]]
            conditions[i].cut = self.cut[i]
            if self.kind[i] == EQUAL:
                conditions[i].code = <int32_t> self.value[i]
            elif self.kind[i] == AMONG and self.members.shape[0]:
                conditions[i].members = &self.members[0] + self.value[i]
        return conditions

    cdef Py_ssize_t cover(self, const Cases* cases, const Condition* conditions, Py_ssize_t rule,
                          int32_t* rows) noexcept nogil:
        # The rows that the rule covers, and how many.
        cdef Py_ssize_t n = cases.n, i, condition
        for i in range(n):
            rows[i] = <int32_t> i
        for condition in range(self.start[rule], self.start[rule + 1]):
            n = _filter(conditions[condition], cases.single, rows, n)
        return n

    def covers(self, CaseTable table):
        """The cases that each rule covers, in order: those of rule i are ``rows[start[i]:start[i + 1]]``."""
        cdef Py_ssize_t rule, n
        cdef const Cases* cases = &table.cases
        cdef Memory memory = Memory()
        cdef const Condition* conditions = self.bind(table, memory)
        cdef Watch watch
        scratch_array = np.empty(cases.n + 1, dtype=np.int32)
        cdef int32_t[::1] scratch = scratch_array
        starts = np.zeros(self.n_rules + 1, dtype=np.int64)
        parts = [np.empty(0, dtype=np.int32)]
        memset(&watch, 0, sizeof(Watch))
        for rule in range(self.n_rules):
            with nogil:
                n = self.cover(cases, conditions, rule, &scratch[0])
            parts.append(scratch_array[:n].copy())
            starts[rule + 1] = starts[rule] + n
            check_after(&watch, cases.n)
        return starts, np.concatenate(parts)

    def first(self, CaseTable table):
        """For each case the first rule that covers it, -1 if none does."""
        cdef Py_ssize_t row, n = table.cases.n
        cdef const Cases* cases = &table.cases
        cdef Memory memory = Memory()
        cdef const Condition* conditions = self.bind(table, memory)
        cdef Watch watch
        result = np.full(n, -1, dtype=np.int32)
        cdef int32_t[::1] first = result
        memset(&watch, 0, sizeof(Watch))
        with nogil:
            for row in range(n):
                first[row] = self.first_of(cases, conditions, row)
                check_after(&watch, self.n_rules)
        return result

    cdef int32_t first_of(self, const Cases* cases, const Condition* conditions, Py_ssize_t row) noexcept nogil:
        cdef Py_ssize_t rule, condition, end
        for rule in range(self.n_rules):
            condition, end = self.start[rule], self.start[rule + 1]
            while condition < end and _is_met(&conditions[condition], cases.single, row):
                condition += 1
            if condition == end:
                return <int32_t> rule
        return -1


def check_covers(const int64_t[::1] start, const int32_t[::1] rows, Py_ssize_t n_cases):
    """Raise ValueError unless the lists of cases follow one another and name existing cases, in ascending order."""
    cdef Py_ssize_t i, k
    if start.shape[0] == 0 or start[0] != 0 or start[start.shape[0] - 1] != rows.shape[0]:
        raise ValueError("rules and covers differ in number")
    for i in range(1, start.shape[0]):
        if start[i] < start[i - 1]:
            raise ValueError("the covers do not follow each other")
    for i in range(rows.shape[0]):
        if not 0 <= rows[i] < n_cases:
            raise ValueError(f"there is no case {rows[i]}")
    for i in range(start.shape[0] - 1):
        for k in range(start[i] + 1, start[i + 1]):
            if rows[k] <= rows[k - 1]:
                raise ValueError(f"the cases of a rule are not in ascending order: {rows[k]} after {rows[k - 1]}")


def first_two(const int64_t[::1] start, const int32_t[::1] rows, const int32_t[::1] order, Py_ssize_t n_cases):
    """For each case the first and the second of the rules that cover it, as `order` lists them; -1 for none.

    `start` and `rows` are those of `RuleSet.covers`.
    """
    first_array = np.full(n_cases, -1, dtype=np.int32)
    second_array = np.full(n_cases, -1, dtype=np.int32)
    cdef int32_t[::1] first = first_array, second = second_array
    cdef Py_ssize_t i, k
    cdef int32_t rule, row
    for i in range(order.shape[0]):
        if not 0 <= order[i] < start.shape[0] - 1:
            raise ValueError(f"there is no rule {order[i]}")
    check_covers(start, rows, n_cases)
    with nogil:
        for i in range(order.shape[0]):
            rule = order[i]
            for k in range(start[rule], start[rule + 1]):
                row = rows[k]
                if first[row] < 0:
                    first[row] = rule
                elif second[row] < 0:
                    second[row] = rule
    return first_array, second_array
