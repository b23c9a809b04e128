"""How many threads, and work that several of them share."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from numbers import Integral
from typing import Any, TypeVar

from ctree.domains.domain import Domain
from ctree.domains.plain import is_plain
from ctree_ext.base.interrupts import run_interruptible, run_stoppable

_T = TypeVar("_T")

MAX_THREADS = 1_000


class Threads(Domain):
    """A number of threads, -1 for all cores, as in joblib."""

    metavar = "N"

    def accepts(self, value: Any) -> bool:
        return value is None or (is_plain(value, Integral) and 0 < abs(int(value)) <= MAX_THREADS)

    def words(self) -> list[str]:
        return [f"None or a number of threads up to {MAX_THREADS}, -1 for all cores"]

    def typed(self) -> list[str]:
        return [f"a number of threads up to {MAX_THREADS}, -1 for all cores"]

    def type_text(self) -> str:
        return "int or None"

    def parse(self, text: str) -> int | None:
        return None if text.lower() == "none" else int(text)

    def spelled(self, value: Any) -> str:
        return "1" if value is None else str(value)


def n_threads(n_jobs: int | None) -> int:
    """The number of threads that `n_jobs` asks for, as in joblib: -1 is all cores, -2 all but one."""
    Threads().check("n_jobs", n_jobs)
    if n_jobs is None:
        return 1
    number = int(n_jobs)
    return max(1, (os.cpu_count() or 1) + 1 + number) if number < 0 else number


class StoppedError(Exception):
    """Another thread has failed, or the person has pressed Ctrl-C."""


class Team:
    """Threads that share out work.

    Parameters
    ----------
    n : int
        How many.
    poll : callable, optional
        Is called a few times a second, by the thread that waits.
    """

    def __init__(self, n: int, poll: Callable[[], None] | None = None) -> None:
        self._n = n
        self._poll = poll
        self._stopped = threading.Event()

    def look(self) -> None:
        """To be called by work now and then: ends it if others have failed."""
        if self._stopped.is_set():
            raise StoppedError

    def each(self, work: Callable[[int, _T], None], items: Iterator[_T]) -> None:
        """Call `work(number, item)` for each item, in threads; the first exception ends all and is raised.

        Items are taken from the iterator by one thread at a time.
        """
        self._stopped.clear()
        run_interruptible(lambda: self._run(work, items), self._stopped.set, self._poll)

    def _run(self, work: Callable[[int, _T], None], items: Iterator[_T]) -> None:
        errors: list[BaseException] = []
        lock = threading.Lock()
        numbered = enumerate(items)

        def loop() -> None:
            try:
                while True:
                    self.look()
                    with lock:
                        self.look()
                        found = next(numbered, None)
                    if found is None:
                        return
                    work(*found)
            except StoppedError:
                pass
            except BaseException as error:
                errors.append(error)
                self._stopped.set()

        if self._n == 1:
            loop()
        else:
            from concurrent.futures import ThreadPoolExecutor  # which loads logging

            with ThreadPoolExecutor(self._n) as pool:
                for _ in range(self._n):
                    pool.submit(loop)
        if errors:
            raise errors[0]


def in_threads(works: Sequence[Callable[[], _T]], n: int | None = None) -> list[_T]:
    """What functions return, of which up to `n` (None: all) run at the same time, each in a thread.

    The first exception, or Ctrl-C, makes all others end at their next check, and is raised when they have ended. With
    one thread all is done by the caller itself.

    >>> in_threads([lambda: 1, lambda: 2], 2)
    [1, 2]
    """
    at_once = len(works) if n is None else min(n, len(works))
    if at_once <= 1:
        return [work() for work in works]
    from concurrent.futures import ThreadPoolExecutor, wait  # which loads logging

    stopped = threading.Event()
    errors: list[BaseException] = []

    def guarded(work: Callable[[], _T]) -> _T | None:
        if stopped.is_set():
            return None
        try:
            return run_stoppable(work, stopped.is_set)
        except BaseException as error:
            # of those that follow, most are there because of the first
            if not stopped.is_set():
                errors.append(error)
            stopped.set()
            return None

    def run() -> list[_T]:
        with ThreadPoolExecutor(at_once, thread_name_prefix="ctree") as pool:
            calls = [pool.submit(guarded, work) for work in works]
            wait(calls)
        if errors:
            raise errors[0]
        return [call.result() for call in calls]  # type: ignore[misc]  # None only after an error

    return run_interruptible(run, stopped.set)
