"""Work in a thread that no signal reaches.

A signal such as Ctrl-C may raise an exception between any two steps of Python code in the main thread: between the start
of a thread and the note that it was started, or inside a lock of `threading`, which then breaks. Compiled code runs the
handlers of signals only where it asks for them, so here no step is lost: the thread that calls does nothing but wait, and
all that shares memory is started, waited for and freed by the one aside.
"""

import _thread

from cpython.exc cimport PyErr_CheckSignals


def run_interruptible(work, stop, look=None, double every=0.2):
    """Call `work()` in another thread, wait for it and return what it returns or raise what it raises.

    `look()` is called about every `every` seconds meanwhile. If the wait ends by an exception (Ctrl-C, or one of
    `look`), `stop()` is called, which must make `work` end soon and may be called more than once; the exception is raised
    when the work has ended, and not before.
    """
    cdef list outcome = []
    lock = _thread.allocate_lock()
    lock.acquire()
    _thread.start_new_thread(_work, (work, outcome, lock))
    try:
        # With a limit, for on some systems a wait without one does not end at a signal.
        while not lock.acquire(True, every):
            PyErr_CheckSignals()
            if look is not None:
                look()
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
