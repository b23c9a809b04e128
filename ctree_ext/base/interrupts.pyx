"""The one place that looks for Ctrl-C, time limits and requests to stop.

A kernel that may work for long keeps a `Watch` (a struct of zeros will do) and tells it how much work it has done; a check
follows every few milliseconds:

    cdef Watch watch

    cdef int run(self) except -1 nogil:
        for row in range(n):
            check_after(&self.watch, self.n_attributes)     # raises KeyboardInterrupt

Where that would be too much, or in `noexcept` code, just count `watch.work += n` and leave the check to a loop around it;
`is_due` says whether it is time, without checking. An inner loop then pays for an addition. To have a time limit or a stop
flag, set `watch.deadline` (a time of `monotonic()`) or `watch.stop` (the address of an int that another thread sets), and
look at what the check returns:

            if check_after(&self.watch, n) != GO_ON:
                return self.what_has_been_found()

A kernel that works through blocks with the GIL held in between calls `check_signals()` after each.

The function that checks should be one that can raise (`except -1 nogil`, or `except? -1`), so that nothing has to carry
the exception by hand. Signal handlers run in the main thread only: in any other thread a check sees the clock and the
flag, but no signal. Work that several threads share is therefore stopped by a flag that the first of them sets when it is
interrupted, or run by `run_interruptible`. In a thread that works by `run_stoppable`, a request to end is seen by the
checks of every kernel, which raise KeyboardInterrupt.

That function is for work in a thread that no signal reaches. A signal may raise an exception between any two steps of
Python code in the main thread: between the start of a thread and the note that it was started, or inside a lock of
`threading`, which then breaks. Compiled code runs the handlers of signals only where it asks for them, so here no step is
lost: the thread that calls does nothing but wait, and all that shares memory is started, waited for and freed by the
other.
"""

import _thread
import time

from cpython.exc cimport PyErr_CheckSignals


cdef int check_signals() except -1 nogil:
    # Run the handlers of signals that have come in, and raise what they raise.
    with gil:
        PyErr_CheckSignals()
        _look_at_request()
    return 0


cdef int check(Watch* watch) except -1 nogil:
    # Signals, the flag and the clock, whether it is time for that or not.
    watch.work = 0
    with gil:
        PyErr_CheckSignals()
        _look_at_request()
        if watch.stop != NULL and watch.stop[0]:
            return STOP_ASKED
        if watch.deadline and time.monotonic() > watch.deadline:
            return OUT_OF_TIME
    return GO_ON


cdef double monotonic() except? -1 nogil:
    # Seconds since some moment.
    with gil:
        return time.monotonic()


def run_interruptible(work, stop, poll=None, double interval=0.2):
    """Call `work()` in another thread, wait for it and return what it returns or raise what it raises.

    `poll()` is called about every `interval` seconds meanwhile. If the wait ends by an exception (Ctrl-C, or one of
    `poll`), `stop()` is called, which must make `work` end soon and may be called more than once; the exception is raised
    when the work has ended, and not before.
    """
    cdef list outcome = []
    lock = _thread.allocate_lock()
    lock.acquire()
    _thread.start_new_thread(_work, (work, outcome, lock))
    try:
        # With a limit, for on some systems a wait without one does not end at a signal.
        while not lock.acquire(True, interval):
            PyErr_CheckSignals()
            _look_at_request()
            if poll is not None:
                poll()
    except BaseException:
        _end(stop, lock)
        raise
    value, error = outcome
    if error is not None:
        raise error
    return value


def _work(work, list outcome, lock):
    try:
        outcome[:] = work(), None
    except BaseException as error:
        outcome[:] = None, error
    finally:
        lock.release()


cdef _end(stop, lock):
    # Another signal makes it no faster.
    while True:
        try:
            stop()
            if lock.acquire(True, 0.05):
                return
        except BaseException:
            continue


_here = _thread._local()


cdef int _look_at_request() except -1:
    # Has somebody asked this thread to end?
    asked = getattr(_here, "asked", None)
    if asked is not None and asked():
        raise KeyboardInterrupt
    return 0


def run_stoppable(work, asked):
    """Call `work()` in this thread and return what it returns; once `asked()` is true, its next check is a Ctrl-C."""
    before = getattr(_here, "asked", None)
    _here.asked = asked
    try:
        return work()
    finally:
        _here.asked = before


def check_requests():
    """Raise KeyboardInterrupt if this thread is asked to end; in the main thread, also after Ctrl-C."""
    PyErr_CheckSignals()
    _look_at_request()


def work_for(Py_ssize_t work, double seconds):
    """Do nothing, with a check after so much `work`, until the seconds are over; the number of checks. For tests."""
    cdef Watch watch
    cdef Py_ssize_t n = 0
    watch.work, watch.stop, watch.deadline = 0, NULL, monotonic() + seconds
    with nogil:
        while True:
            if is_due(&watch, work):
                n += 1
                if check(&watch) != GO_ON:
                    break
    return n
