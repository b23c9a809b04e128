# The levels of processor.h, and which of them is used. A module whose loops look at `processor_level` has this below its
# cimports, as else it does what any processor can do:
#
#     follow_processor(own_level())

cdef extern from "../base/processor.h" nogil:
    enum:
        ANY_PROCESSOR
        WITH_AVX2
        WITH_AVX512
        WITH_WIDE_COUNT
    int processor_level
    int* own_level()
    int greatest_level()


cdef int follow_processor(int* level) except -1
