"""Progress: how far long work is, told to whoever asks for it, or shown on a line of the terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ctree.errors import ParameterError

BAR = 20
"""Characters of the bar."""

MAX_COUNTED = 10_000
"""Where there are as many units as this, or more, the share that is done is shown in percent."""

SHOW_EVERY = 0.1
"""Seconds between two changes of the line on a terminal."""

LOOK_EVERY = 0.1
"""Seconds between two looks at how far work in other threads is."""

LOG_EVERY = 10.0
"""Seconds between two lines where standard error is not a terminal."""


@dataclass(frozen=True)
class Progress:
    """How far long work is, such as a search or a comparison.

    `fit` of the learners that take long, `MCMCTreeClassifier.sample_more` and `compare` take ``progress=``: a function
    that is called with a `Progress` now and then, or True, to show it on standard error.

    Parameters
    ----------
    phase : str
        What is done at present.
    done : int
        How many units are done.
    total : int or None
        How many there are; None where that is not known.
    rate : float
        Units a second.
    unit : str
        What is counted, in the plural.
    figures : mapping of str to number
        What else there is to tell, by name.

    Examples
    --------
    >>> from ctree import Progress
    >>> print(Progress("sampling", 50_000, 200_000, 25_000.0, "steps", {"log-likelihood": -8.21, "leaves": 4.5}))
    [#####...............] 25%, 0:06 left, sampling, log-likelihood -8.21, leaves 4.5, 25,000 steps/s
    >>> print(Progress("searching", 1234, None, 617.0, "states"))
    1,234 states, searching, 617 states/s
    """

    phase: str
    done: int
    total: int | None
    rate: float
    unit: str = "steps"
    figures: Mapping[str, float] = field(default_factory=dict)

    @property
    def seconds_left(self) -> float | None:
        """How long the rest will take at this rate; None where that is not known."""
        if self.total is None or not self.rate > 0:
            return 0.0 if self.done == self.total else None
        return (self.total - self.done) / self.rate

    def __str__(self) -> str:
        """One line for a terminal."""
        parts = [f"{self.done:,} {self.unit}"]
        if self.total is not None:
            share = self.done / max(self.total, 1)
            full = int(BAR * share)
            done = f"{self.done}/{self.total}" if self.total < MAX_COUNTED else f"{int(100 * share)}%"
            parts = [f"[{'#' * full}{'.' * (BAR - full)}] {done}"]
        if self.seconds_left is not None:
            parts.append(f"{_duration(self.seconds_left)} left")
        parts.append(self.phase)
        parts += [f"{name} {value:.6g}" for name, value in self.figures.items()]
        if self.rate > 0:
            parts.append(f"{self.rate:,.0f} {self.unit}/s" if self.rate >= 10 else f"{self.rate:.2g} {self.unit}/s")
        return ", ".join(parts)


ProgressCallback = Callable[[Progress], None]


class ProgressLine:
    """Shows progress on one line of standard error; where that is not a terminal, by a line now and then."""

    def __init__(self) -> None:
        self._stream = sys.stderr
        self._is_terminal = self._stream.isatty()
        self._next = 0.0 if self._is_terminal else time.monotonic() + LOG_EVERY

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        if now < self._next and not (self._is_terminal and progress.done == progress.total):
            return
        self._next = now + (SHOW_EVERY if self._is_terminal else LOG_EVERY)
        if self._is_terminal:
            import shutil  # which loads compression

            width = shutil.get_terminal_size().columns - 1
            print("\r\x1b[K" + str(progress)[:width], end="", file=self._stream, flush=True)
        else:
            print(progress, file=self._stream, flush=True)

    def end(self) -> None:
        """Take the line away."""
        if self._is_terminal:
            print("\r\x1b[K", end="", file=self._stream, flush=True)


@contextmanager
def reporting(progress: Any) -> Iterator[ProgressCallback | None]:
    """What a function does with its parameter ``progress``: the function to call, or None.

    Parameters
    ----------
    progress : callable, bool or None
        True shows a line on standard error, which is taken away at the end, whatever ends it.
    """
    if progress is True:
        line = ProgressLine()
        try:
            yield line
        finally:
            line.end()
        return
    if not (progress is None or progress is False or callable(progress)):
        raise ParameterError(f"progress must be a function of a Progress, or True to show it, not {progress!r}")
    yield progress or None


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
