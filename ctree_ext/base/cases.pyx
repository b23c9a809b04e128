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
        Per attribute an int32 array of codes (-1 unknown), a float64 array (NaN unknown), or None (ignored).
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
                values = column
                self.cases.values[a] = &values[0] if n else NULL
            else:
                kind[a] = DISCRETE
                sizes[a] = n_values[a]
                codes = column
                for i in range(n):
                    if codes[i] < -1 or codes[i] >= sizes[a]:
                        raise ValueError(f"code {codes[i]} of attribute {a} is out of range")
                self.cases.codes[a] = &codes[0] if n else NULL
                if classes is not None and sizes[a] < 255:
                    self._shorten(a, n)
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

    def _shorten(self, Py_ssize_t attribute, Py_ssize_t n):
        cdef Py_ssize_t i
        cdef const int32_t* codes = self.cases.codes[attribute]
        cdef uint8_t* short_codes = <uint8_t*> self.memory.raw(n, sizeof(uint8_t))
        for i in range(n):
            short_codes[i] = <uint8_t> (codes[i] + 1)
        self.cases.short_codes[attribute] = short_codes

    cdef CaseTable part(self, const int32_t* rows, Py_ssize_t n):
        # The cases at `rows` as a table of their own, but for continuous values and weights, which the caller has
        # in another form.
        cdef CaseTable part = CaseTable.__new__(
            CaseTable, (None,) * self.cases.n_attributes, (), None, self.cases.n_classes, None, self.cases.single, n)
        cdef Py_ssize_t a, i
        cdef int32_t* codes
        cdef uint8_t* short_codes
        cdef uint16_t* classes = <uint16_t*> part.memory.raw(n, sizeof(uint16_t))
        part.cases.classes = classes
        for i in range(n):
            classes[i] = self.cases.classes[rows[i]]
        for a in range(self.cases.n_attributes):
            (<int8_t*> part.cases.kind)[a] = self.cases.kind[a]
            (<int32_t*> part.cases.n_values)[a] = self.cases.n_values[a]
            if self.cases.kind[a] != DISCRETE:
                continue
            codes = <int32_t*> part.memory.raw(n, sizeof(int32_t))
            part.cases.codes[a] = codes
            if self.cases.short_codes[a] != NULL:
                short_codes = <uint8_t*> part.memory.raw(n, sizeof(uint8_t))
                part.cases.short_codes[a] = short_codes
                for i in range(n):
                    short_codes[i] = self.cases.short_codes[a][rows[i]]
                for i in range(n):
                    codes[i] = <int32_t> short_codes[i] - 1
            else:
                for i in range(n):
                    codes[i] = self.cases.codes[a][rows[i]]
        return part

    @property
    def n_cases(self):
        return self.cases.n

    @property
    def n_classes(self):
        return self.cases.n_classes


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
