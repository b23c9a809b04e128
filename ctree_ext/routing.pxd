# The branch that a case takes at a test.

from libc.math cimport isnan
from libc.stdint cimport int32_t

from ctree_ext.cases cimport Cases
from ctree_ext.nodes cimport GROUPS, THRESHOLD, Nodes


cdef inline int branch_of(const Cases* cases, const Nodes* nodes, Py_ssize_t node, Py_ssize_t row) noexcept nogil:
    # -1 where the case does not tell: unknown value, or a value in no group.
    cdef int attribute = nodes.attribute[node]
    cdef int32_t code
    cdef double x
    if nodes.test[node] == THRESHOLD:
        x = cases.values[attribute][row]
        if isnan(x):
            return -1
        if cases.single:
            x = <double> <float> x
        return not (x <= nodes.threshold[node])
    code = cases.codes[attribute][row]
    if code >= 0 and nodes.test[node] == GROUPS:
        return nodes.group[nodes.group_start[node] + code]
    return code
