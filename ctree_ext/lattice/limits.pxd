# What ends a search before it is done: Ctrl-C, and limits of time, memory and states.

from ctree_ext.base.interrupts cimport GO_ON, Watch, is_due

# What a check within a state says, if not GO_ON.
cdef enum:
    STOP = 1
    TOO_LONG = 2         # the work on this state cannot be done in the time that is left


cdef class Limits:
    cdef Watch watch
    cdef double time_limit
    cdef Py_ssize_t memory_limit, state_limit
    cdef Py_ssize_t row_limit              # first tests that are done in the last state, -1 for all
    cdef object progress
    cdef object pause                      # what is called in between, and when next
    cdef double pause_at, began
    cdef bint enforced                     # what is asked after a search is answered, however long it takes
    # how far the search has come
    cdef bint stopped
    cdef str reason
    cdef Py_ssize_t n_states
    cdef const Py_ssize_t* n_kept          # states that are remembered
    cdef Py_ssize_t n_checks               # at the present state
    cdef Py_ssize_t work_after_stop
    cdef double low, high                  # the bracket so far
    cdef double share                      # of the tests of the root that are done
    cdef double reported, first_check, first_share

    cdef int begin(self, const Py_ssize_t* n_kept, double spent) except -1
    cdef void suspend(self) noexcept
    cdef int stop(self, str reason) except -1
    cdef int take_pause(self, double now) except -1
    cdef int check_limits(self) except -1 nogil
    cdef int check_share(self, double share) except -1 nogil
    cdef int enter_state(self, Py_ssize_t n_bytes) except -1 nogil


cdef inline int limits_after(Limits limits, Py_ssize_t work) except -1 nogil:
    # A check if it is time for one.
    if is_due(&limits.watch, work):
        limits.check_limits()
    return 0


cdef inline int limits_within(Limits limits, Py_ssize_t work, double share) except -1 nogil:
    # The same before more work on a state, of which this share is done.
    return limits.check_share(share) if is_due(&limits.watch, work) else GO_ON
