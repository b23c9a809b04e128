"""One line on a terminal that says how far a long command is."""

from __future__ import annotations

import shutil
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ctree.evaluate.comparison import Step

BAR = 20


class StepLine:
    """A bar with what is done, how long the rest will take, and what it is at; only on a terminal."""

    def __init__(self) -> None:
        self._is_shown = sys.stderr.isatty()
        self._start = time.monotonic()
        self._next = 0.0

    def show(self, step: Step) -> None:
        """Show how far it is, at most ten times a second."""
        now = time.monotonic()
        if not self._is_shown or (now < self._next and step.done < step.total):
            return
        self._next = now + 0.1
        computed = step.done - step.reused
        left = (now - self._start) / computed * (step.total - step.done) if computed else 0.0
        full = BAR * step.done // step.total
        text = f"[{'#' * full}{'.' * (BAR - full)}] {step.done}/{step.total}, {_duration(left)} left, {step.what}"
        width = shutil.get_terminal_size().columns - 1
        print("\r\x1b[K" + text[:width], end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        """Take the line away, and count the time anew."""
        if self._is_shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
        self._start = time.monotonic()


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
