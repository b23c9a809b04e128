"""The cases as the kernels see them: typed columns without Python objects."""

from libc.math cimport floor, isnan
from libc.stdint cimport int8_t, int32_t, uint8_t, uint16_t

from ctree_ext.base.memory cimport Memory

# What the kernels' index types can hold: rows are 32-bit integers, classes 16-bit ones, and a few sums of a number of
# values and of attributes are computed in 32 bits.
MAX_CASES = 2**31 - 1
MAX_CLASSES = 65535
MAX_VALUES = 2**30
MAX_ATTRIBUTES = 2**30


cdef class CaseTable:
    """Columns of cases, checked once, for the kernels to read.

    Parameters
    ----------
    columns : sequence
        Per attribute an int32 array of codes (-1 unknown), a float64 array (NaN unknown), or None (ignored). Smaller:
        a uint8 array of codes + 1 (0 unknown), and where the arithmetic is in 32 bits a float32 array; growing and
        pruning as in release 8, and classifying, take them, other kernels do not.
    n_values : sequence of int
        Per attribute the number of discrete values; 0 for a continuous or ignored one.
    classes : int32 array or None
        Class codes, all known; None where the cases are only to be classified.
    n_classes : int
    weights : float64 array or None
        None: every case counts one.
    single : bool
        Round as release 8 does, to 32 bits.
    n_cases : int, optional
        Needed only where there are neither columns nor classes to tell it.
    unit : float
        A power of two of which all weights are whole numbers, and parts of cases are made so: as long as there are fewer
        than 2**53 units, no sum is rounded, whatever its order. 0: weights may be any numbers.
    """

    def __cinit__(self, columns, n_values, classes, n_classes, weights=None, bint single=True, n_cases=-1,
                  double unit=0.0):
        cdef Py_ssize_t n_attributes = len(columns), a, i, n
        cdef int C
        cdef const int32_t[::1] codes
        cdef const double[::1] values
        cdef const float[::1] short_values
        cdef uint16_t* short_classes
        cdef Memory memory = Memory()
        cdef int8_t* kind
        cdef int32_t* sizes
        _check_limits(columns, n_values, classes, n_classes, n_cases)
        n, C = n_cases, n_classes
        kind = <int8_t*> memory.zeroed(n_attributes, sizeof(int8_t))
        sizes = <int32_t*> memory.zeroed(n_attributes, sizeof(int32_t))
        self.memory = memory
        self.cases.kind = kind
        self.cases.n_values = sizes
        self.cases.codes = <const int32_t**> memory.zeroed(n_attributes, sizeof(int32_t*))
        self.cases.short_codes = <const uint8_t**> memory.zeroed(n_attributes, sizeof(uint8_t*))
        self.cases.values = <const double**> memory.zeroed(n_attributes, sizeof(double*))
        self.cases.short_values = <const float**> memory.zeroed(n_attributes, sizeof(float*))
        self.cases.complete_codes = True
        self.cases.n_attributes = n_attributes
        for a in range(n_attributes):
            column = columns[a]
            if column is None:
                kind[a] = IGNORED
                continue
            if n < 0:
                n = len(column)
            if len(column) != n:
                raise ValueError("columns differ in length")
            if column.dtype.kind == "f":
                kind[a] = CONTINUOUS
                if single and column.dtype.itemsize == 4:
                    short_values = column
                    self.cases.short_values[a] = &short_values[0] if n else NULL
                    self.compact = True
                else:
                    values = column
                    self.cases.values[a] = &values[0] if n else NULL
            else:
                kind[a] = DISCRETE
                sizes[a] = n_values[a]
                if column.dtype.itemsize == 1:
                    self.add_short_codes(a, column)
                else:
                    self.add_codes(a, column, classes is not None)
        if classes is not None:
            if 0 <= n != len(classes):
                raise ValueError("columns and classes differ in length")
            n = len(classes)
            codes = classes
            short_classes = <uint16_t*> self.memory.raw(n, sizeof(uint16_t))
            self.cases.classes = short_classes
            for i in range(n):
                if codes[i] < 0 or codes[i] >= C:
                    raise ValueError(f"class {codes[i]} is out of range")
                short_classes[i] = <uint16_t> codes[i]
        self.cases.n = max(n, 0)
        self.total_weight = self.cases.n
        if weights is not None:
            if len(weights) != self.cases.n:
                raise ValueError("columns and weights differ in length")
            values = weights
            self.cases.weights = &values[0] if n else NULL
            self.total_weight = 0
            for i in range(self.cases.n):
                if isnan(values[i]) or values[i] <= 0:
                    raise ValueError("weights must be positive")
                if unit > 0 and values[i] != floor(values[i] / unit) * unit:
                    raise ValueError("weights must be whole numbers of the unit")
                self.total_weight += values[i]
        self.cases.n_classes = C
        self.cases.single = single
        self.cases.unit = unit
        self.keep = (tuple(columns), tuple(n_values), classes, weights)

    cdef int add_codes(self, Py_ssize_t attribute, const int32_t[::1] codes, bint shorten) except -1:
        # Check the codes of a discrete attribute, and shorten them on the way where they are counted.
        cdef Py_ssize_t i, n = codes.shape[0]
        cdef int32_t size = self.cases.n_values[attribute], code, least = 0
        cdef uint8_t* short_codes = NULL
        if shorten and size < 255:
            short_codes = <uint8_t*> self.memory.raw(n, sizeof(uint8_t))
        for i in range(n):
            code = codes[i]
            if code < -1 or code >= size:
                raise ValueError(f"code {code} of attribute {attribute} is out of range")
            least = min(least, code)
            if short_codes != NULL:
                short_codes[i] = <uint8_t> (code + 1)
        self.cases.complete_codes = self.cases.complete_codes and least == 0
        self.cases.codes[attribute] = &codes[0] if n else NULL
        self.cases.short_codes[attribute] = short_codes
        return 0

    cdef int add_short_codes(self, Py_ssize_t attribute, const uint8_t[::1] codes) except -1:
        cdef Py_ssize_t i, n = codes.shape[0]
        cdef int32_t size = self.cases.n_values[attribute]
        for i in range(n):
            if codes[i] > size:
                raise ValueError(f"code {codes[i] - 1} of attribute {attribute} is out of range")
            if codes[i] == 0:
                self.cases.complete_codes = False
        self.cases.short_codes[attribute] = &codes[0] if n else NULL
        self.compact = True
        return 0

    cdef int refuse_compact(self) except -1:
        # For kernels that know only codes of 32 bits and numbers of 64.
        if self.compact:
            raise ValueError("the columns of the table are too small for this: they should be int32 and float64")
        return 0

    cdef CaseTable part(self, const int32_t* rows, Py_ssize_t n):
        # The cases at `rows` as a table of their own, but for continuous values and weights, which the caller has
        # in another form.
        cdef CaseTable part = CaseTable.__new__(
            CaseTable, (None,) * self.cases.n_attributes, (), None, self.cases.n_classes, None, self.cases.single, n)
        cdef Py_ssize_t a
        part.cases.classes = <uint16_t*> part.memory.raw(n, sizeof(uint16_t))
        part.cases.unit = self.cases.unit
        part.cases.complete_codes = self.cases.complete_codes
        part.compact = True
        for a in range(self.cases.n_attributes):
            (<int8_t*> part.cases.kind)[a] = self.cases.kind[a]
            (<int32_t*> part.cases.n_values)[a] = self.cases.n_values[a]
            if self.cases.kind[a] == DISCRETE and self.cases.short_codes[a] != NULL:
                part.cases.short_codes[a] = <uint8_t*> part.memory.raw(n, sizeof(uint8_t))
            elif self.cases.kind[a] == DISCRETE:
                part.cases.codes[a] = <int32_t*> part.memory.raw(n, sizeof(int32_t))
        with nogil:
            _copy_rows(&self.cases, rows, n, &part.cases)
        return part

    @property
    def n_cases(self):
        return self.cases.n

    @property
    def n_classes(self):
        return self.cases.n_classes


cdef void _copy_rows(const Cases* cases, const int32_t* rows, Py_ssize_t n, Cases* part) noexcept nogil:
    # The classes and the codes of some rows.
    cdef Py_ssize_t a, i
    cdef uint16_t* classes = <uint16_t*> part.classes
    cdef int32_t* codes
    cdef uint8_t* short_codes
    for i in range(n):
        classes[i] = cases.classes[rows[i]]
    for a in range(cases.n_attributes):
        if part.short_codes[a] != NULL:
            short_codes = <uint8_t*> part.short_codes[a]
            for i in range(n):
                short_codes[i] = cases.short_codes[a][rows[i]]
        elif part.codes[a] != NULL:
            codes = <int32_t*> part.codes[a]
            for i in range(n):
                codes[i] = cases.codes[a][rows[i]]


def _check_limits(columns, n_values, classes, n_classes, n_cases):
    # Before anything is counted in types that could not hold it.
    sizes = [n_cases, *(len(column) for column in columns if column is not None)]
    if classes is not None:
        sizes.append(len(classes))
    if max(sizes) > MAX_CASES:
        raise ValueError(f"there are {max(sizes)} cases, but at most {MAX_CASES} are possible")
    if not 0 <= n_classes <= MAX_CLASSES:
        raise ValueError(f"there are {n_classes} classes, but at most {MAX_CLASSES} are possible")
    if len(columns) > MAX_ATTRIBUTES:
        raise ValueError(f"there are {len(columns)} attributes, but at most {MAX_ATTRIBUTES} are possible")
    for attribute, n in enumerate(n_values):
        if not 0 <= n <= MAX_VALUES:
            raise ValueError(f"attribute {attribute} has {n} values, but at most {MAX_VALUES} are possible")
