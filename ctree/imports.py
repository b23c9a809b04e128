"""Libraries that are imported when they are first needed, in the middle of work that Ctrl-C may end."""

from __future__ import annotations

import sys
import threading
from importlib import import_module
from typing import Any

from ctree_ext.base.interrupts import run_interruptible


def whole_module(name: str) -> Any:
    """Import a module if it is not there yet, and return it; Ctrl-C is heard when it has been imported, not before.

    A large library that is interrupted half-way may be beyond repair: where its packages import one another, Python
    keeps some and throws others away, and every further import of them fails until the process ends. In a notebook,
    whoever interrupts a fit wants to try again.

    Signals are heard in the main thread only, so the import is left to another, for which the main thread waits.

    Examples
    --------
    >>> whole_module("scipy.special").expit(0.0).item()
    0.5
    """
    if name in sys.modules or threading.current_thread() is not threading.main_thread():
        return import_module(name)  # which also waits where another thread is in the middle of it
    return run_interruptible(lambda: import_module(name), stop=lambda: None)
