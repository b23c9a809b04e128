"""Linked tables as kernels see them: columns, links in both directions, and paths of links that lead up."""

import numpy as np

from libc.stdint cimport int32_t

from ctree_ext.base.memory cimport Memory


cdef class LinkedArrays:
    """Tables whose rows are numbered.

    Parameters
    ----------
    n_rows : array of int32
        The number of rows of each table.
    links : list of tuples
        Of each foreign key: its table, the table that it refers to, the row that each row refers to (-1 for unknown)
        and, if it may be followed downwards, where the referring rows of each row start, and these rows; else None.
    columns : list of tuples
        Of each column: its table and its values, int32 codes or float64 numbers; None if it is never compared.
    path_start, path_links : arrays of int32
        Paths of links that lead up: path i is ``path_links[path_start[i]:path_start[i + 1]]``. The first is empty.
    """

    def __cinit__(self, const int32_t[::1] n_rows, list links not None, list columns not None,
                  const int32_t[::1] path_start, const int32_t[::1] path_links):
        cdef int i
        self.memory = Memory()
        self.kept = [n_rows]
        self.linked.n_tables = <int> n_rows.shape[0]
        self.linked.n_links = <int> len(links)
        self.linked.n_columns = <int> len(columns)
        self.linked.n_rows = &n_rows[0]
        self.links = <Link*> self.memory.zeroed(len(links), sizeof(Link))
        self.columns = <Cells*> self.memory.zeroed(len(columns), sizeof(Cells))
        tables = np.array([table for table, _ in columns], dtype=np.int32)
        self.kept.append(tables)
        for i in range(self.linked.n_links):
            table, references, up, start, rows = links[i]
            self.set_link(i, table, references, up, start, rows)
        for i in range(self.linked.n_columns):
            table, values = columns[i]
            self.set_column(i, table, values)
        self.linked.links = self.links
        self.linked.columns = self.columns
        self.linked.column_table = _address(tables)
        self.set_paths(path_start, path_links)

    def with_columns(self, list columns not None):
        """The same tables, with columns after the others; nothing is copied or checked again.

        Parameters
        ----------
        columns : list of tuples
        """
        cdef LinkedArrays made = LinkedArrays(np.zeros(1, dtype=np.int32), [], [], np.zeros(2, dtype=np.int32),
                                              np.empty(0, dtype=np.int32))
        cdef int i, n = self.linked.n_columns
        cdef int32_t[::1] tables = np.array([0] * n + [table for table, _ in columns], dtype=np.int32)
        made.kept = [self, tables]
        made.linked = self.linked
        made.links = self.links
        made.columns = <Cells*> made.memory.zeroed(n + len(columns), sizeof(Cells))
        for i in range(n):
            made.columns[i] = self.columns[i]
            tables[i] = self.linked.column_table[i]
        made.linked.n_columns = n + <int> len(columns)
        for i in range(<int> len(columns)):
            made.set_column(n + i, columns[i][0], columns[i][1])
        made.linked.columns = made.columns
        made.linked.column_table = _address(tables)
        return made

    cdef int set_link(self, int number, int table, int references, const int32_t[::1] up, start, rows) except -1:
        cdef const int32_t[::1] starts, referring
        cdef Link* link = &self.links[number]
        if not (0 <= table < self.linked.n_tables and 0 <= references < self.linked.n_tables):
            raise ValueError(f"link {number} is between no tables")
        link.table = table
        link.references = references
        _check_range(up, self.linked.n_rows[table], -1, self.linked.n_rows[references], "up")
        self.kept.append(up)
        link.up = _address(up)
        if start is not None:
            starts, referring = start, rows
            _check_range(starts, self.linked.n_rows[references] + 1, 0, referring.shape[0] + 1, "start")
            _check_range(referring, referring.shape[0], 0, self.linked.n_rows[table], "rows")
            if starts[0] != 0 or np.any(np.diff(starts) < 0) or starts[starts.shape[0] - 1] != referring.shape[0]:
                raise ValueError(f"the rows of link {number} have no order")
            self.kept += [starts, referring]
            link.start = _address(starts)
            link.rows = _address(referring)
        return 0

    cdef int set_column(self, int number, int table, values) except -1:
        cdef const int32_t[::1] codes
        cdef const double[::1] numbers
        if not 0 <= table < self.linked.n_tables:
            raise ValueError(f"column {number} is of no table")
        if values is None:
            return 0
        if len(values) != self.linked.n_rows[table]:
            raise ValueError(f"column {number} has {len(values)} rows")
        self.kept.append(values)
        if len(values) == 0:
            codes = np.zeros(1, dtype=np.int32)  # an address; there is nothing to be read
            self.kept.append(codes)
            self.columns[number].codes = &codes[0]
        elif values.dtype == np.int32:
            codes = values
            self.columns[number].codes = &codes[0]
        else:
            numbers = values
            self.columns[number].numbers = &numbers[0]
        return 0

    cdef int set_paths(self, const int32_t[::1] start, const int32_t[::1] links) except -1:
        cdef int i, path, n_paths = <int> start.shape[0] - 1
        if n_paths < 1 or start[0] != 0 or start[1] != 0 or start[n_paths] != links.shape[0]:
            raise ValueError("the first path must be empty, and the last end with the links")
        _check_range(links, links.shape[0], 0, self.linked.n_links, "links")
        for path in range(n_paths):
            if start[path + 1] < start[path]:
                raise ValueError("the paths have no order")
            for i in range(start[path] + 1, start[path + 1]):
                if self.links[links[i]].table != self.links[links[i - 1]].references:
                    raise ValueError(f"path {path} is broken")
        self.kept += [start, links]
        self.linked.n_paths = n_paths
        self.linked.path_start = &start[0]
        self.linked.path_links = _address(links)
        return 0

    cdef int path_end(self, int path, int table) except -2:
        # The table to which a path leads from a row of a table; -1 if it does not start there.
        cdef int first
        if not 0 <= path < self.linked.n_paths:
            raise ValueError(f"there is no path {path}")
        first = self.linked.path_start[path]
        if first == self.linked.path_start[path + 1]:
            return table
        if self.links[self.linked.path_links[first]].table != table:
            return -1
        return self.links[self.linked.path_links[self.linked.path_start[path + 1] - 1]].references


cdef const int32_t* _address(const int32_t[::1] array) noexcept:
    return &array[0] if array.shape[0] else NULL


cdef int _check_range(const int32_t[::1] array, Py_ssize_t length, Py_ssize_t least, Py_ssize_t end, str name) except -1:
    cdef Py_ssize_t i
    if array.shape[0] != length:
        raise ValueError(f"{name} has {array.shape[0]} entries, not {length}")
    for i in range(length):
        if not least <= array[i] < end:
            raise ValueError(f"{name} has {array[i]}, which is out of range")
    return 0
