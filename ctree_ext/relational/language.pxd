# Which tests there are: terms of variables, conditions on the columns of tables, and steps to other tables.

from libc.stdint cimport int32_t

from ctree_ext.base.memory cimport Memory
from ctree_ext.relational.linked cimport LinkedArrays


cdef enum:
    EITHER = 0
    ONLY_AT_MOST = 1
    ONLY_ABOVE = 2
    ALL_VALUES = 3           # of a discrete column, even where one of two would be enough


ctypedef struct Coded:
    # A column by codes from 0, less than 0 for unknown: of the values, or of the levels of a continuous one.
    const int32_t* codes
    const double* levels     # the number of each level that is a threshold; NULL for a discrete column
    int n_levels             # values or thresholds
    int n_codes
    bint listed              # the levels are all thresholds, not only those that divide a node differently
    int directions           # which thresholds are tried, EITHER for those that are needed


ctypedef struct Vocabulary:
    # Variables of one kind, as they came by the same link, have the same terms; rows of one table the same conditions
    # and steps. All in the order in which tests are tried.
    int target                       # the table of X0
    int n_kinds
    const int32_t* term_start        # of each kind
    const int32_t* term_path         # of each term
    const int32_t* term_table
    const int32_t* column_start      # of each table
    const int32_t* columns
    const int32_t* step_start        # of each table
    const int32_t* steps             # links
    const int32_t* late_start        # of each table
    const int32_t* late              # columns that are compared after everything else: aggregates of linked rows
    const Coded* coded               # of each column
    int most_codes


cdef class Language:
    cdef Vocabulary words
    cdef readonly LinkedArrays tables
    cdef Memory memory
    cdef Coded* coded
    cdef list kept
    cdef const int32_t* lists(self, start, things, Py_ssize_t n, Py_ssize_t end, str name) except? NULL
    cdef int set_column(self, int number, codes, levels, int n_levels, bint listed, int directions) except -1
    cdef int check_columns(self, const int32_t* start, const int32_t* columns) except -1
