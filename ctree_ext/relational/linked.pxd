# Linked tables as kernels see them: rows are numbers, links are arrays of row numbers.

from libc.stdint cimport int32_t

from ctree_ext.base.memory cimport Memory


ctypedef struct Link:
    # A foreign key. Going up from a row leads to one row or to none, -1; going down to any number of rows.
    int table
    int references
    const int32_t* up
    const int32_t* start     # the rows that refer to row r are rows[start[r]:start[r + 1]]; NULL if nobody asks
    const int32_t* rows


ctypedef struct Cells:
    # The values of a column: codes or numbers; both NULL for one that cannot be compared.
    const int32_t* codes
    const double* numbers


ctypedef struct Linked:
    int n_tables
    int n_links
    int n_columns
    int n_paths
    const int32_t* n_rows
    const Link* links
    const Cells* columns
    const int32_t* column_table
    const int32_t* path_start    # a path is a row of links that lead up; path 0 is none
    const int32_t* path_links


cdef inline int32_t row_above(const Linked* linked, int32_t row, int path) noexcept nogil:
    # The row to which a path leads; -1 if a link on the way is unknown.
    cdef int i
    for i in range(linked.path_start[path], linked.path_start[path + 1]):
        if row < 0:
            return -1
        row = linked.links[linked.path_links[i]].up[row]
    return row


cdef inline const int32_t* rows_above(const Linked* linked, const int32_t* rows, Py_ssize_t n, int path,
                                      int32_t* room) noexcept nogil:
    # What a term stands for: the rows themselves if its path is empty, else `room` with the rows above them.
    cdef Py_ssize_t i
    cdef const int32_t* up
    if linked.path_start[path] == linked.path_start[path + 1]:
        return rows
    if linked.path_start[path + 1] - linked.path_start[path] == 1:
        up = linked.links[linked.path_links[linked.path_start[path]]].up
        for i in range(n):
            room[i] = up[rows[i]]
        return room
    for i in range(n):
        room[i] = row_above(linked, rows[i], path)
    return room


cdef class LinkedArrays:
    cdef Linked linked
    cdef Memory memory
    cdef Link* links
    cdef Cells* columns
    cdef list kept           # the arrays that pointers lead into
    cdef int set_link(self, int number, int table, int references, const int32_t[::1] up, start, rows) except -1
    cdef int set_column(self, int number, int table, values) except -1
    cdef int set_paths(self, const int32_t[::1] start, const int32_t[::1] links) except -1
    cdef int path_end(self, int path, int table) except -2
