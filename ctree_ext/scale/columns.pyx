"""The columns of some coded cases as the kernels see them."""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t
from libc.string cimport memcpy

from ctree_ext.base.memory cimport Memory

WIDTHS = {"u1": 1, "u2": 2, "u4": 4}
MOST_CODES = 2**31  # of a column: values or bins, and unknown

ctypedef fused code_t:
    uint8_t
    uint16_t
    uint32_t


cdef Range _range_of(const code_t* codes, Py_ssize_t n) noexcept nogil:
    cdef code_t least = codes[0], most = codes[0]
    cdef Py_ssize_t i
    for i in range(n):
        least = codes[i] if codes[i] < least else least
        most = codes[i] if codes[i] > most else most
    return Range(least, most)


cdef class Columns:
    """The columns of a part that a pass needs, checked but for the codes.

    Codes are looked at block by block, just before they are used: to look at all of them here would be another way
    through the memory. So no code, from whatever damaged file, leads a kernel out of its tables.

    Parameters
    ----------
    n : int
        How many cases there are.
    codes : sequence
        Per attribute an array of uint8, uint16 or uint32, 0 for unknown, v + 1 for value or bin v; or None.
    numbers : sequence
        Per attribute a float64 array, or None.
    classes : array of uint8 or uint16
    weights : int64 array or None
        In units; None: every case counts `one`.
    n_values : sequence of int
        Per attribute the number of values or bins.
    n_classes : int
    used : sequence of int
        The attributes whose columns are needed.
    one : int
        A case, in units.
    """

    def __cinit__(self, n, codes, numbers, classes, weights, n_values, n_classes, used, int64_t one=1):
        cdef Column* column
        cdef const double[::1] values
        cdef const int64_t[::1] units
        cdef Py_ssize_t a
        if not 0 <= n < 2**31:
            raise ValueError(f"a part has {n} cases, but at most {2**31 - 1} are possible")
        if not len(codes) == len(numbers) == len(n_values):
            raise ValueError("codes, numbers and sizes are not of the same attributes")
        if not 0 < n_classes <= 65535:
            raise ValueError(f"there are {n_classes} classes, but 1 to 65535 are possible")
        if one < 1:
            raise ValueError("a case is one unit or more")
        self.n = n
        self.one = one
        self.n_attributes = len(codes)
        self.memory = Memory()
        self.columns = <Column*> self.memory.zeroed(self.n_attributes, sizeof(Column))
        kept = [self._take(&self.classes, classes, n_classes)]
        if self.classes.width > 2:
            raise ValueError("classes are of type uint8 or uint16")
        for a in used:
            if not 0 <= a < self.n_attributes or codes[a] is None:
                raise ValueError(f"there is no column of attribute {a}")
            if not 0 <= n_values[a] < MOST_CODES:
                raise ValueError(f"attribute {a} has {n_values[a]} values, but at most {MOST_CODES - 1} are possible")
            column = &self.columns[a]
            kept.append(self._take(column, codes[a], n_values[a] + 1))
            if numbers[a] is not None:
                values = numbers[a]
                self._check_length(len(values))
                column.numbers = &values[0] if n else NULL
                kept.append(numbers[a])
        if weights is not None:
            units = weights
            self._check_length(len(units))
            self.weights = &units[0] if n else NULL
            kept.append(weights)
        self.keep = kept

    cdef object _take(self, Column* column, array, n_codes):
        cdef const uint8_t[::1] codes
        width = WIDTHS.get(array.dtype.str[1:])
        flags = array.flags
        if width is None or array.ndim != 1 or not (flags.c_contiguous and flags.aligned and array.dtype.isnative):
            raise ValueError("codes are aligned arrays of uint8, uint16 or uint32 without gaps")
        self._check_length(len(array))
        codes = array.view("u1")
        column.codes = <const void*> &codes[0] if self.n else NULL
        column.width = width
        column.n_codes = n_codes
        return array

    cdef int _check_length(self, Py_ssize_t length) except -1:
        if length != self.n:
            raise ValueError(f"a part of {self.n} cases has a column of {length}")
        return 0

    cdef bint in_range(self, const Column* column, Py_ssize_t start, Py_ssize_t n, uint32_t* least) noexcept nogil:
        # Whether these codes, of which there are some, can be; and the least of them.
        cdef Range found
        if column.width == 1:
            found = _range_of(<const uint8_t*> column.codes + start, n)
        elif column.width == 2:
            found = _range_of(<const uint16_t*> column.codes + start, n)
        else:
            found = _range_of(<const uint32_t*> column.codes + start, n)
        least[0] = found.least
        return found.most < column.n_codes

    cdef void note_classes(self, Py_ssize_t start, Py_ssize_t n, uint16_t* classes) noexcept nogil:
        cdef Py_ssize_t i
        cdef const uint8_t* short_classes = <const uint8_t*> self.classes.codes + start
        if self.classes.width == 1:
            for i in range(n):
                classes[i] = short_classes[i]
        else:
            memcpy(classes, <const uint16_t*> self.classes.codes + start, n * sizeof(uint16_t))

    @property
    def n_cases(self):
        return self.n
