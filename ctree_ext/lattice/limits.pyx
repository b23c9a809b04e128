"""What ends a search before it is done: Ctrl-C, and limits of time, memory and states."""

import time

from libc.math cimport INFINITY

from ctree_ext.base.interrupts cimport GO_ON, OUT_OF_TIME, check, monotonic

cdef double REPORT_EVERY = 0.2   # seconds


cdef class Limits:
    """The limits of one search after the other, each None for none; see `Lattice`."""

    def __cinit__(self, time_limit, memory_limit, state_limit, Py_ssize_t row_limit, progress, pause):
        self.time_limit = INFINITY if time_limit is None else time_limit
        self.memory_limit = 1 << 62 if memory_limit is None else memory_limit
        self.state_limit = 1 << 62 if state_limit is None else state_limit
        self.row_limit = row_limit
        self.progress, self.pause = progress, pause

    cdef int begin(self, const Py_ssize_t* n_kept, double spent) except -1:
        # From now on they count; so many seconds of the time are gone already.
        self.enforced, self.stopped, self.reason = True, False, None
        self.n_states = self.work_after_stop = self.watch.work = 0
        self.n_kept = n_kept
        self.share = 0.0
        self.began = self.reported = monotonic()
        self.pause_at = INFINITY if self.pause is None else self.began
        self.watch.deadline = self.began + max(self.time_limit - spent, 0.0)
        return 0

    cdef void suspend(self) noexcept:
        # From now on there is only Ctrl-C.
        self.enforced = False
        self.watch.deadline = 0

    cdef int stop(self, str reason) except -1:
        # The first reason is the one that is kept.
        if not self.stopped:
            self.stopped, self.reason = True, reason
        return 0

    cdef int take_pause(self, double now) except -1:
        # Let others do something, who say after how many seconds of the search they want to be asked again.
        later = self.pause(now - self.began, self.share)
        self.pause_at = INFINITY if later is None else self.began + <double> later
        self.n_checks = 0   # what the present state takes in all is foreseen from the time that it takes by itself
        return 0

    cdef int check_limits(self) except -1 nogil:
        # Signals and the clock; and tell how far the search has come.
        cdef int status = check(&self.watch)
        with gil:
            if status == OUT_OF_TIME:
                self.stop("time")
            elif self.enforced and not self.stopped and self.pause_at < INFINITY and monotonic() >= self.pause_at:
                self.take_pause(monotonic())
            if self.enforced and self.progress is not None:
                now = time.monotonic()
                if now > self.reported + REPORT_EVERY:
                    self.reported = now
                    self.progress(self.n_states, self.n_kept[0], self.low, self.high)
        return 0

    cdef int check_share(self, double share) except -1 nogil:
        # Within a state, of which this share is done: the time that it takes in all can be foreseen.
        cdef double now
        self.n_checks += 1
        if self.n_states == 1:
            self.share = share   # the state is the root
        self.check_limits()
        if not self.enforced:
            return GO_ON
        if self.stopped:
            return STOP
        now = monotonic()
        if self.n_checks == 1:
            self.first_share, self.first_check = share, now
        elif self.n_checks > 2 and share > self.first_share and self.watch.deadline < INFINITY:
            if now + (now - self.first_check) * (1.0 - share) / (share - self.first_share) > self.watch.deadline:
                return TOO_LONG
        return GO_ON

    cdef int enter_state(self, Py_ssize_t n_bytes) except -1 nogil:
        # Before every state that is not known yet; `n_bytes` is what memory there is in use if it is searched.
        if self.n_states >= self.state_limit and not self.stopped:
            with gil:
                self.stop("states")
        limits_after(self, 200)
        if n_bytes > self.memory_limit and not self.stopped:
            with gil:
                self.stop("memory")
        if not self.stopped:
            self.n_states += 1
        return 0
