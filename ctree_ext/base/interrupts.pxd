# Ctrl-C, time limits and requests to stop; interrupts.pyx explains how to use them.

cdef enum:
    WORK_PER_CHECK = 4_000_000   # elements or words of bits processed, at a nanosecond or a few each

# What a check says. What comes in as a signal is raised instead.
cdef enum:
    GO_ON = 0
    STOP_ASKED = 1
    OUT_OF_TIME = 2


ctypedef struct Watch:
    # A struct of zeros has neither a limit nor a flag.
    Py_ssize_t work          # done since the last check
    double deadline          # by `monotonic`; 0 for none
    const int* stop          # where another thread leaves a request to stop, or NULL


cdef int check_signals() except -1 nogil
cdef int check(Watch* watch) except -1 nogil
cdef double monotonic() except? -1 nogil


cdef inline bint is_due(Watch* watch, Py_ssize_t work) noexcept nogil:
    # Whether it is time for a check, with so much more work.
    watch.work += work
    return watch.work > WORK_PER_CHECK


cdef inline int check_after(Watch* watch, Py_ssize_t work) except -1 nogil:
    # A check if it is time for one.
    return check(watch) if is_due(watch, work) else GO_ON
