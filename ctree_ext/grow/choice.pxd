from ctree_ext.grow.splits cimport Scored

cdef int choose_test(const Scored* scored, const bint* few_valued, int n_attributes, bint gain_only,
                     bint single) noexcept nogil
cdef int choose_test_j48(const Scored* scored, const bint* few_valued, int n_attributes, double small) noexcept nogil
cdef int choose_by_figure(const Scored* scored, int n_attributes, double hair) noexcept nogil
