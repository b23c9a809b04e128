# The answers of a query for the examples of a node, without their product; answers.pyx explains how they are kept.

from libc.stdint cimport int32_t

from ctree_ext.base.memory cimport Memory
from ctree_ext.relational.linked cimport Linked
from ctree_ext.relational.query_test cimport QueryTest


cdef enum:
    MOST = 0x7FFFFFFF        # entries of a bag, which are numbered by int32


ctypedef struct Bag:
    # Rows that variables stand for together. A bag has one variable, unless conditions tie several.
    int above                # the bag that it hangs on; -1 for that of X0
    Py_ssize_t n
    int32_t* parent          # of each entry the place in the bag above
    int32_t* example


ctypedef struct Answers:
    # The first bag is that of X0 alone, with one entry for each example. There is room for MAX_STEPS variables and bags more.
    int n_variables
    int n_bags
    int* kind                # of each variable: 0 for X0, else the link by which it came, plus 1
    int* bag_of
    int32_t** row            # of each variable, for each entry of its bag
    Bag* bags


cdef inline Py_ssize_t n_entries(const Answers* answers, int variable) noexcept nogil:
    return answers.bags[answers.bag_of[variable]].n


cdef int answers_init(Answers* answers, Memory memory, int n_variables, int n_bags) except -1 nogil
cdef int bag_init(Bag* bag, Memory memory, int above, Py_ssize_t n) except -1 nogil
cdef void answers_free(Answers* answers, Memory memory) noexcept nogil
cdef int first_answers(Answers* answers, Memory memory, const int32_t* rows, Py_ssize_t n) except -1 nogil
cdef int answers_copy(const Answers* answers, int more, Answers* result, Memory memory) except -1 nogil
cdef Py_ssize_t join_size(const Linked* linked, const int32_t* above, Py_ssize_t n, int link) noexcept nogil
cdef int join(const Linked* linked, const int32_t* above, const int32_t* example, Py_ssize_t n, int link,
              int32_t* row, Bag* bag) except -1 nogil
cdef int reduce_answers(Answers* answers, Memory memory, unsigned char** stays) except -1 nogil
cdef int leave_out(Answers* answers, Memory memory, const unsigned char* gone) except -1 nogil
cdef Py_ssize_t n_rows_kept(const Answers* answers) noexcept nogil
