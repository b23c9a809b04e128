# The branch that a case takes at a test.

from libc.math cimport isnan
from libc.stdint cimport int32_t, uint8_t

from ctree_ext.base.cases cimport Cases, code_of, value_of
from ctree_ext.base.nodes cimport GROUPS, THRESHOLD, Nodes
from ctree_ext.grow.partition cimport NARROW_UNKNOWN


cdef inline int branch_of(const Cases* cases, const Nodes* nodes, Py_ssize_t node, Py_ssize_t row) noexcept nogil:
    # -1 where the case does not tell: unknown value, or a value in no group.
    cdef int attribute = nodes.attribute[node]
    cdef int32_t code
    cdef double x
    if nodes.test[node] == THRESHOLD:
        x = value_of(cases, attribute, row)
        if isnan(x):
            return -1
        if cases.single:
            x = <double> <float> x
        return not (x <= nodes.threshold[node])
    code = code_of(cases, attribute, row)
    if code >= 0 and nodes.test[node] == GROUPS:
        return nodes.group[nodes.group_start[node] + code]
    return code


cdef inline void note_sides(const Cases* cases, const Nodes* nodes, Py_ssize_t node, const int32_t* rows, Py_ssize_t n,
                            uint8_t* side) noexcept nogil:
    # The branch of each row, in a byte. A store of a byte may change anything for all the compiler knows, so what the
    # loops need is kept in variables of their own.
    cdef int attribute = nodes.attribute[node]
    cdef const double* values = cases.values[attribute]
    cdef const float* short_values = cases.short_values[attribute]
    cdef const int32_t* codes = cases.codes[attribute]
    cdef const uint8_t* short_codes = cases.short_codes[attribute]  # more of them fit into the cache
    cdef const int32_t* group = NULL
    cdef double threshold = nodes.threshold[node], x
    cdef bint single = cases.single
    cdef Py_ssize_t i
    cdef int32_t row, code
    if nodes.test[node] == THRESHOLD:
        for i in range(n):
            row = rows[i]
            x = values[row] if short_values == NULL else <double> short_values[row]
            if single:
                x = <double> <float> x
            side[row] = <uint8_t> (not (x <= threshold)) if x == x else NARROW_UNKNOWN
        return
    if nodes.test[node] == GROUPS:
        group = nodes.group + nodes.group_start[node]
    elif short_codes != NULL:
        for i in range(n):
            row = rows[i]
            side[row] = <uint8_t> (short_codes[row] - 1)
        return
    for i in range(n):
        row = rows[i]
        code = codes[row] if short_codes == NULL else <int32_t> short_codes[row] - 1
        if group != NULL and code >= 0:
            code = group[code]
        side[row] = <uint8_t> code  # -1 becomes NARROW_UNKNOWN


cdef inline void list_sides(const Cases* cases, const Nodes* nodes, Py_ssize_t node, const int32_t* rows, Py_ssize_t n,
                            int32_t* sides) noexcept nogil:
    # The branch of each of these cases in turn, in double precision; -1 where it is unknown.
    cdef int attribute = nodes.attribute[node]
    cdef const double* values = cases.values[attribute]
    cdef const int32_t* codes = cases.codes[attribute]
    cdef const uint8_t* short_codes = cases.short_codes[attribute]
    cdef const int32_t* group = NULL
    cdef double threshold = nodes.threshold[node], x
    cdef Py_ssize_t i
    cdef int32_t code
    if nodes.test[node] == THRESHOLD:
        for i in range(n):
            x = values[rows[i]]
            sides[i] = (x > threshold) - (x != x)
        return
    if nodes.test[node] == GROUPS:
        group = nodes.group + nodes.group_start[node]
    for i in range(n):
        code = codes[rows[i]] if short_codes == NULL else <int32_t> short_codes[rows[i]] - 1
        sides[i] = group[code] if group != NULL and code >= 0 else code
