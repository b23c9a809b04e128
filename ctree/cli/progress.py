"""One line on a terminal that says how far a long command is."""

from __future__ import annotations

import shutil
import sys
import time
from typing import TYPE_CHECKING, Any, Self

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


class FitLine:
    """The progress of a fit, on a terminal; `options` are what the fit is to be told."""

    def __init__(self, model: Any) -> None:
        self._is_shown = sys.stderr.isatty()
        self._shown = ""
        self._start = time.monotonic()
        self._model = model
        self.options: dict[str, Any] = {}
        if not self._is_shown:
            return
        if model.resumable:
            self.options = {"watch": self.show_chains}
        elif hasattr(model, "report_progress"):
            model.report_progress(self.show_search)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.end()

    def show_chains(self, progress: Any) -> None:
        full = round(BAR * progress.done / max(progress.total, 1))
        text = f"{progress.phase:<8} [{'#' * full}{'.' * (BAR - full)}] {progress.rate:,.0f} proposals/s"
        if progress.log_likelihood is not None:
            text += f", log-likelihood {progress.log_likelihood:.1f}, {progress.leaves:.1f} leaves"
        self._show(text)

    def show_search(self, states: int, kept: int, low: float, high: float) -> None:
        is_error = getattr(self._model, "objective", None) == "error"
        best = f"{-low:.0f} errors" if is_error else f"{low:.6g}"
        bound = f"{-high + 0:.0f}" if is_error else f"{high:.6g}"
        seconds = time.monotonic() - self._start
        self._show(f"{seconds:6.1f} s: {states} states, {kept} remembered, so far {best}, bound {bound}")

    def end(self) -> None:
        """Take the line away."""
        if self._shown:
            print("\r" + " " * len(self._shown) + "\r", end="", file=sys.stderr, flush=True)
            self._shown = ""

    def _show(self, text: str) -> None:
        width = shutil.get_terminal_size().columns - 1
        print("\r" + text[:width].ljust(len(self._shown)), end="", file=sys.stderr, flush=True)
        self._shown = text[:width]
