"""Read case files of C4.5 (`.data`, `.test`) into coded columns, without a Python object per value."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.math cimport NAN
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcmp

from ctree_ext.base.interrupts cimport Watch, check_after
from ctree_ext.base.memory cimport Memory
from ctree_ext.io.case_tokens cimport (
    SPECIAL, Reader, comma, count_lines, line_end, read_number, read_plain, read_token, read_word, skip_blanks, skip_white,
)
from ctree_ext.io.decimals cimport NOT_A_DECIMAL, TOO_LARGE, DecimalResult, read_decimal
from ctree_ext.io.moment_text cimport Moment, read_moment
from ctree_ext.io.value_table cimport Values, add_value, find_value, grow_values, hash_bytes

import numpy as np

# What a field holds; the numbers are shared with the Python side by name.
IGNORED, NUMBER, CLOSED, OPEN, LENIENT, CLASS, DATE, TIME, TIMESTAMP = range(9)
cdef enum Mode:
    ignored_field = 0  # read and dropped
    number_field = 1
    closed_field = 2  # discrete, a value that is not listed is a problem
    open_field = 3  # discrete, new values are collected up to a limit
    lenient_field = 4  # discrete, a value that is not listed is unknown
    class_field = 5
    date_field = 6  # and the next two: text that becomes a number
    time_field = 7
    timestamp_field = 8

# What can be wrong with a file.
(
    FINE, NO_MEMORY, SHORT, LONG, EMPTY, NOT_LISTED, TOO_MANY, NOT_A_NUMBER, NOT_FINITE, NO_SUCH_CLASS, NO_CLASS,
    NOT_A_MOMENT,
) = range(12)
cdef enum Problem:
    fine = 0
    no_memory = 1
    short_case = 2
    long_case = 3
    empty_value = 4
    not_listed = 5
    too_many_values = 6
    not_a_number = 7
    not_finite = 8
    no_such_class = 9
    no_class = 10
    not_a_moment = 11

cdef enum:
    WORK_PER_FIELD = 32  # for `Watch`


cdef inline bint is_question_mark(const Reader *r) noexcept nogil:
    return r.length == 1 and r.token[0] == c'?' and not r.escaped


cdef inline bint is_not_applicable(const Reader *r) noexcept nogil:
    return r.length == 3 and not r.escaped and not memcmp(r.token, b"N/A", 3)


cdef inline Problem code_value(const Reader *r, Mode mode, bint collect, Values *values, int32_t *code) noexcept nogil:
    """The code of the token as a value of a discrete attribute."""
    cdef bint not_applicable
    if is_question_mark(r):
        code[0] = -1
        return fine
    if not r.length:
        return empty_value
    code[0] = find_value(values, r.token, r.length, r.hash)
    if code[0] >= 0 or mode == lenient_field:
        return fine
    not_applicable = is_not_applicable(r)
    if mode == closed_field and not not_applicable:
        return not_listed
    if mode == closed_field and not collect:
        return fine
    # N/A does not count towards the number of values that was declared.
    if not not_applicable and values.count - values.extra >= values.limit:
        return too_many_values
    values.extra |= not_applicable
    code[0] = add_value(values, r.token, r.length, r.hash)
    return fine if code[0] >= 0 else no_memory


cdef inline Problem code_class(const Reader *r, const Values *values, bint unknown_allowed, int32_t *code) noexcept nogil:
    if is_question_mark(r):
        code[0] = -1
        return fine if unknown_allowed else no_class
    code[0] = find_value(values, r.token, r.length, r.hash)
    if code[0] >= 0:
        return fine
    return no_such_class if r.length else empty_value


cdef inline Problem code_number(const Reader *r, double *number) noexcept nogil:
    cdef DecimalResult result
    if is_question_mark(r) or is_not_applicable(r):
        number[0] = NAN
        return fine
    if not r.length:
        return empty_value
    result = read_decimal(r.token, r.length, number)
    return not_a_number if result == NOT_A_DECIMAL else not_finite if result == TOO_LARGE else fine


cdef inline Problem code_moment(const Reader *r, Mode mode, double *number) noexcept nogil:
    if is_question_mark(r) or is_not_applicable(r):
        number[0] = NAN
        return fine
    if not r.length:
        return empty_value
    return fine if read_moment(r.token, r.length, <Moment>(mode - date_field), number) else not_a_moment


cdef class CaseFile:
    """One reading of a case file.

    Parameters
    ----------
    text : bytes
        The whole file.
    modes : sequence of int
        For each field what it holds: IGNORED, NUMBER, CLOSED, OPEN, LENIENT, CLASS, DATE, TIME or TIMESTAMP.
    values : sequence of sequences of bytes
        For each field the values it may take; empty where it has none.
    limits : sequence of int
        For each field the most values that may be collected (OPEN).
    collect : bool
        Whether N/A becomes a value of a CLOSED attribute that does not list it (else it is unknown).
    unknown_class : bool
        Whether the class may be `?`.

    Attributes
    ----------
    problem : int
        FINE, or the first thing that is wrong, in which case the next three say where.
    field : int
    offset : int
    token : bytes
    """

    cdef readonly int problem
    cdef readonly Py_ssize_t field, offset, n_cases
    cdef readonly bytes token
    cdef readonly list columns
    cdef bytes text
    cdef Memory memory
    cdef Watch watch
    cdef Reader reader
    cdef Values *values
    cdef void **cells
    cdef Mode *modes
    cdef Py_ssize_t n_fields
    cdef bint collect, unknown_class

    def __cinit__(self, bytes text not None, modes, values, limits, bint collect, bint unknown_class):
        cdef Py_ssize_t f
        self.text = text
        self.reader.text = <const uint8_t *>PyBytes_AS_STRING(text)
        self.reader.end = PyBytes_GET_SIZE(text)
        if text.startswith(b"\xef\xbb\xbf"):
            self.reader.position = 3
        self.n_fields = len(modes)
        self.collect = collect
        self.unknown_class = unknown_class
        self.memory = Memory()
        self.reader.memory = &self.memory.pool
        self.values = <Values *>self.memory.zeroed(self.n_fields, sizeof(Values))
        self.modes = <Mode *>self.memory.zeroed(self.n_fields, sizeof(Mode))
        self.cells = <void **>self.memory.zeroed(self.n_fields, sizeof(void *))
        for f in range(self.n_fields):
            self.modes[f] = <Mode><int>modes[f]
            self.list_values(f, values[f], limits[f])
        self.make_columns()

    cdef int list_values(self, Py_ssize_t field, values, int64_t limit) except -1:
        cdef Values *table = &self.values[field]
        cdef const uint8_t *s
        cdef bytes value
        cdef Py_ssize_t n
        table.memory = &self.memory.pool
        table.n_slots = 16
        table.limit = limit
        if not grow_values(table, 1):
            raise MemoryError
        for value in values:
            s = <const uint8_t *>PyBytes_AS_STRING(value)
            n = PyBytes_GET_SIZE(value)
            if add_value(table, s, n, hash_bytes(s, n)) < 0:
                raise MemoryError
        return 0

    cdef int make_columns(self) except -1:
        """Allocate for as many cases as the file can hold: each takes a line, and a byte for each of its fields."""
        cdef Py_ssize_t most = min(count_lines(&self.reader), len(self.text) // max(self.n_fields, 1)) + 1
        cdef Py_ssize_t f
        cdef double[::1] numbers
        cdef int32_t[::1] codes
        self.columns = []
        for f in range(self.n_fields):
            if self.modes[f] == ignored_field:
                self.columns.append(None)
            elif self.modes[f] == number_field or self.modes[f] >= date_field:
                self.columns.append(np.empty(most, dtype=np.float64))
                numbers = self.columns[f]
                self.cells[f] = &numbers[0]
            else:
                self.columns.append(np.empty(most, dtype=np.int32))
                codes = self.columns[f]
                self.cells[f] = &codes[0]
        return 0

    def new_values(self, Py_ssize_t field, Py_ssize_t known):
        """The values of a field beyond the first `known` ones, in order of appearance."""
        cdef Values *table = &self.values[field]
        cdef Py_ssize_t v
        return [
            PyBytes_FromStringAndSize(<const char *>table.text + table.ends[v], table.ends[v + 1] - table.ends[v])
            for v in range(known, table.count)
        ]

    def read(self):
        """Read all cases; afterwards `problem` is FINE or says what is wrong."""
        cdef int problem
        with nogil:
            problem = self.read_all()
        if problem == no_memory:
            raise MemoryError
        self.problem = problem
        if problem != fine:
            # For a short case the offset is that of the end of its line.
            self.offset = self.reader.offset
            self.token = PyBytes_FromStringAndSize(<const char *>self.reader.token, self.reader.length)
        n = self.n_cases
        for f, column in enumerate(self.columns):
            if column is not None:
                # A file with many comments would otherwise keep far more memory than its cases need.
                self.columns[f] = column[:n] if 8 * n > 7 * len(column) else column[:n].copy()

    cdef int read_all(self) except -1 nogil:
        cdef Problem problem
        while True:
            skip_white(&self.reader)
            if self.reader.position >= self.reader.end:
                return fine
            problem = self.read_case()
            if problem != fine:
                return problem
            self.n_cases += 1
            check_after(&self.watch, WORK_PER_FIELD * self.n_fields)

    cdef Problem read_case(self) noexcept nogil:
        """Read the fields of one case, which ends with its line."""
        cdef Reader *r = &self.reader
        cdef Problem problem = fine
        cdef Py_ssize_t f, last, case = self.n_cases
        cdef Mode mode
        for f in range(self.n_fields):
            self.field = f
            if f > 0:
                last = r.position - 1
                if r.delimiter != line_end and (r.position >= r.end or SPECIAL[r.text[r.position]]):
                    skip_white(r)  # after a comma the case may go on in the next line
                if r.delimiter == line_end or r.position >= r.end:
                    r.offset = last
                    return short_case
            mode = self.modes[f]
            if mode == number_field and read_number(r, &(<double *>self.cells[f])[case]):
                continue
            if mode >= date_field:
                read_plain(r)
            elif not (mode >= closed_field and read_word(r)) and not read_token(r):
                return no_memory
            if mode >= date_field:
                problem = code_moment(r, mode, &(<double *>self.cells[f])[case])
            elif mode == number_field:
                problem = code_number(r, &(<double *>self.cells[f])[case])
            elif mode == class_field:
                problem = code_class(r, &self.values[f], self.unknown_class, &(<int32_t *>self.cells[f])[case])
            elif mode != ignored_field:
                problem = code_value(r, mode, self.collect, &self.values[f], &(<int32_t *>self.cells[f])[case])
            if problem != fine:
                return problem
        if r.delimiter != line_end:
            skip_blanks(r)
            if r.position < r.end and r.text[r.position] != c'\n' and r.text[r.position] != c'|':
                return long_case if read_token(r) else no_memory
        return fine


def count_fields(bytes text not None, Py_ssize_t most, plain=()):
    """The number of fields of the first case, counted up to `most`; 0 if there is no case.

    Those whose places are in `plain` are dates or times, which colons do not end.
    """
    cdef Memory memory = Memory()
    cdef Reader r
    cdef Py_ssize_t n = 0
    r.memory = &memory.pool
    r.text = <const uint8_t *>PyBytes_AS_STRING(text)
    r.end = PyBytes_GET_SIZE(text)
    r.position = 3 if text.startswith(b"\xef\xbb\xbf") else 0
    r.scratch = NULL
    r.scratch_size = 0
    r.delimiter = comma
    while n < most and r.delimiter != line_end:
        skip_white(&r)
        if r.position >= r.end:
            break
        if n in plain:
            read_plain(&r)
        elif not read_token(&r):
            raise MemoryError
        n += 1
    return n
