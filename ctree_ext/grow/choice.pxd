from ctree_ext.grow.candidates cimport GainCandidate

cdef int choose_test(const GainCandidate* candidates, const bint* few_valued, int n_attributes, bint gain_only,
                     bint single) noexcept nogil
cdef int choose_test_j48(const GainCandidate* candidates, const bint* few_valued, int n_attributes,
                         double small) noexcept nogil
