"""A limit of time for all that a command does."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

from ctree_ext.base.interrupts import run_stoppable

Value = TypeVar("Value")

GRACE = 0.1
"""Seconds that each piece of work has even after the limit: what takes no time is not worth leaving out."""


class TimeLimit:
    """The time that a command may take from now on, and what it has left out to keep it.

    Parameters
    ----------
    seconds : float or None
        None is no limit.
    """

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self.left_out: list[str] = []
        self._began = time.monotonic()

    def search_time(self, share: float) -> float | None:
        """What a search may take of the time that is left: the rest is for what follows it."""
        return None if self.seconds is None else max(share * (self.seconds - self._spent()), 1e-3)

    def within(self, what: str, work: Callable[[], Value]) -> Value | None:
        """Do some work; None if it is stopped by the limit, and `what` is left out.

        It is stopped where a kernel looks for Ctrl-C.
        """
        if self.seconds is None:
            return work()
        is_over = False
        end = max(self.seconds, self._spent() + GRACE)

        def asked() -> bool:
            nonlocal is_over
            is_over = self._spent() > end
            return is_over

        try:
            return run_stoppable(work, asked)
        except KeyboardInterrupt:
            if not is_over:
                raise
            self.left_out.append(what)
            return None

    def sentence(self) -> str | None:
        """What was left out; None for nothing."""
        if not self.left_out:
            return None
        return f"the time limit of {self.seconds:g} s was reached, so this is left out: {'; '.join(self.left_out)}"

    def _spent(self) -> float:
        return time.monotonic() - self._began


def time_limit_of(model: Any) -> TimeLimit:
    """That of the parameter `time_limit` of a learner, if it has one."""
    return TimeLimit(model.get_params(deep=False).get("time_limit"))
