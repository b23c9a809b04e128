"""Where the command begins: ready for Ctrl-C before anything is imported that takes time.

An exception that a signal raises in the middle of an import may be lost, or come out as another one, or be printed with
a traceback from the depths of the import system. So until the command is imported, Ctrl-C simply ends the process, as
nothing has been done yet. So it does while the command itself imports what it needs, which can take a second. Once it
is at work, Ctrl-C waits until an import is over.
"""

from __future__ import annotations

# What every interpreter has loaded before it begins; `signal` would import `enum`, for milliseconds without a handler.
import _signal  # type: ignore[import-not-found]
import _thread
import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

INTERRUPTED = 130
IMPORTING = "<frozen importlib._bootstrap>"
AGAIN = 0.005
"""Seconds from an interrupt that comes in the middle of an import to the next attempt."""


def main() -> int:
    """Run the command with the arguments of the process; the exit status."""
    # The threads of numpy's linear algebra take a fifth of the time of a small command, and have nothing to do.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    listens = _signal.getsignal(_signal.SIGINT) == _signal.default_int_handler
    if not listens:  # whoever started the process, such as nohup, does not want it to be interrupted
        from ctree.cli.main import main

        try:
            return main()
        finally:
            _end_soon()
    try:
        _signal.signal(_signal.SIGINT, _end)
        from ctree.cli.main import main

        sys.unraisablehook = _not_lost
        _signal.signal(_signal.SIGINT, _interrupt)
        status = main()
        _signal.signal(_signal.SIGINT, _signal.SIG_IGN)  # all is done, and the interpreter would only complain
    except KeyboardInterrupt:  # before the command could deal with it, or the second one, while it did
        _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
        status = _say_interrupted()
    finally:
        _end_soon()
    return status


def _end_soon() -> None:
    """Spare the interpreter a last look through all that was loaded, for garbage, before it lets go of everything.

    An eighth of the time of a small command.
    """
    import gc  # built in

    gc.freeze()


def _end(number: int, frame: FrameType | None) -> None:
    """End the process at once."""
    try:
        _say_interrupted()
    finally:
        os._exit(INTERRUPTED)


def _say_interrupted() -> int:
    """Say so without the streams of Python, which may be at any point of their work; the exit status."""
    try:  # noqa: SIM105 - nothing is imported here
        os.write(2, b"ctree: interrupted\n")
    except OSError:  # where nobody listens, the exit status has to do
        pass
    return INTERRUPTED


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt, but not in the middle of an import."""
    importing = None
    while frame is not None:
        if frame.f_code.co_filename == IMPORTING:
            importing = frame
        frame = frame.f_back
    if importing is None:
        raise KeyboardInterrupt
    if _is_of_the_command(importing.f_back):
        _end(number, frame)
    _thread.start_new_thread(_interrupt_again, ())


def _is_of_the_command(frame: FrameType | None) -> bool:
    """Whether only the command's own modules have led there: no file is being read or written, no model fitted."""
    here = os.path.dirname(__file__)
    while frame is not None and frame.f_code is not main.__code__:
        if os.path.dirname(frame.f_code.co_filename) != here:
            return False
        frame = frame.f_back
    return True


def _interrupt_again() -> None:
    time.sleep(AGAIN)
    os.kill(os.getpid(), _signal.SIGINT)


def _not_lost(problem: Any) -> None:
    """An interrupt that was raised where no exception can be, in a destructor for example, comes again."""
    if problem.exc_type is KeyboardInterrupt:
        _thread.start_new_thread(_interrupt_again, ())
    else:
        sys.__unraisablehook__(problem)
