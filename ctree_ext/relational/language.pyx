"""Which tests there are, as lists that the search goes through in order."""

import numpy as np

from libc.stdint cimport int32_t

from ctree_ext.base.memory cimport Memory
from ctree_ext.relational.linked cimport LinkedArrays


cdef class Language:
    """The tests that a search tries.

    Parameters
    ----------
    tables : LinkedArrays
    term_start, term_path : arrays of int32
        Of variables of kind i, 0 for X0 and l + 1 for those that came by link l, the paths of their terms are
        ``term_path[term_start[i]:term_start[i + 1]]``.
    target : int
        The table of X0.
    column_start, columns : arrays of int32
        For each table the columns to be compared with constants.
    step_start, steps : arrays of int32
        For each table the links to be followed downwards from its rows.
    late_start, late : arrays of int32
        For each table the columns that are compared after everything else.
    coded : list of tuples
        Of each column its codes; the numbers of its levels if it is continuous, else None; how many values or
        thresholds it has; whether every level is a threshold at every node, or only those that divide the examples
        there differently; and which thresholds are tried: 0 for all that are needed, 1 for ``<=`` only, 2 for ``>``
        only; 3 for all values, also where there are two. None for a column that is not compared. Codes are less than
        the number of values or thresholds, or up to it where every level is a threshold.
    """

    def __cinit__(self, LinkedArrays tables not None, const int32_t[::1] term_start, const int32_t[::1] term_path,
                  int target, const int32_t[::1] column_start, const int32_t[::1] columns,
                  const int32_t[::1] step_start, const int32_t[::1] steps, const int32_t[::1] late_start,
                  const int32_t[::1] late, list coded not None):
        cdef int kind, table, t, link, number
        cdef int32_t[::1] ends
        self.tables = tables
        self.memory = Memory()
        self.kept = []
        self.words.n_kinds = tables.linked.n_links + 1
        if not 0 <= target < tables.linked.n_tables or len(coded) != tables.linked.n_columns:
            raise ValueError("the language is not for these tables")
        self.words.target = target
        self.words.term_start = &term_start[0]
        self.words.term_path = self.lists(term_start, term_path, self.words.n_kinds, tables.linked.n_paths, "terms")
        self.words.column_start = &column_start[0]
        self.words.columns = self.lists(column_start, columns, tables.linked.n_tables, len(coded), "columns")
        self.words.step_start = &step_start[0]
        self.words.steps = self.lists(step_start, steps, tables.linked.n_tables, tables.linked.n_links, "steps")
        self.words.late_start = &late_start[0]
        self.words.late = self.lists(late_start, late, tables.linked.n_tables, len(coded), "late columns")
        made = np.zeros(len(term_path) + 1, dtype=np.int32)
        self.kept.append(made)
        ends = made
        for kind in range(self.words.n_kinds):
            table = tables.links[kind - 1].table if kind else target
            for t in range(term_start[kind], term_start[kind + 1]):
                ends[t] = tables.path_end(term_path[t], table)
                if ends[t] < 0:
                    raise ValueError(f"the terms of kind {kind} do not start from their table")
        self.words.term_table = &ends[0]
        for table in range(tables.linked.n_tables):
            for t in range(step_start[table], step_start[table + 1]):
                link = steps[t]
                if tables.links[link].references != table or tables.links[link].start == NULL:
                    raise ValueError(f"link {link} does not lead down from table {table}")
        self.coded = <Coded*> self.memory.zeroed(len(coded), sizeof(Coded))
        self.words.coded = self.coded
        for number in range(len(coded)):
            if coded[number] is not None:
                codes, levels, n_levels, listed, directions = coded[number]
                self.set_column(number, codes, levels, n_levels, listed, directions)
        self.check_columns(self.words.column_start, self.words.columns)
        self.check_columns(self.words.late_start, self.words.late)

    cdef int check_columns(self, const int32_t* start, const int32_t* columns) except -1:
        cdef int table, t
        for table in range(self.tables.linked.n_tables):
            for t in range(start[table], start[table + 1]):
                if self.tables.linked.column_table[columns[t]] != table or self.coded[columns[t]].codes == NULL:
                    raise ValueError(f"column {columns[t]} is not one of table {table}")
        return 0

    cdef const int32_t* lists(self, start, things, Py_ssize_t n, Py_ssize_t end, str name) except? NULL:
        # Check lists of numbers less than `end`, one after the other, and keep them.
        cdef const int32_t[::1] view = things
        if (len(start) != n + 1 or start[0] != 0 or start[n] != len(things) or np.any(np.diff(start) < 0)
                or np.any(np.asarray(things) < 0) or np.any(np.asarray(things) >= end)):
            raise ValueError(f"the lists of {name} are broken")
        self.kept += [start, things]
        return &view[0] if len(things) else NULL

    cdef int set_column(self, int number, codes, levels, int n_levels, bint listed, int directions) except -1:
        cdef const int32_t[::1] view = codes
        cdef const double[::1] numbers
        cdef Coded* coded = &self.coded[number]
        cdef int most = n_levels + (levels is not None and listed)
        rows = self.tables.linked.n_rows[self.tables.linked.column_table[number]]
        if len(codes) != rows or (len(codes) and np.max(codes) >= most):
            raise ValueError(f"the codes of column {number} are out of range")
        if not len(codes):
            view = np.zeros(1, dtype=np.int32)
        self.kept.append(view)
        coded.codes = &view[0]
        coded.n_levels = n_levels
        coded.n_codes = most
        coded.listed = listed
        coded.directions = directions
        self.words.most_codes = max(self.words.most_codes, most)
        if levels is not None:
            numbers = levels
            if len(levels) != n_levels:
                raise ValueError(f"column {number} has {len(levels)} levels, not {n_levels}")
            if not len(levels):
                numbers = np.zeros(1)
            self.kept.append(numbers)
            coded.levels = &numbers[0]
        return 0
