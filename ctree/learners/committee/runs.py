"""Members at work: in threads, each result in its place, stopped by Ctrl-C with nothing lost that is done."""

from __future__ import annotations

import concurrent.futures
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from ctree.progress import LOOK_EVERY
from ctree_ext.base.interrupts import run_interruptible

MAX_MEMBERS = 1_000_000

MEMBERS_A_TURN = 8
"""So many members for each thread are asked before their answers are added up."""


def in_turns(n: int, work: Callable[[int], Any], threads: int) -> Iterator[Any]:
    """The results of ``work(0)`` to ``work(n - 1)`` in their order; threads share them, a few at a time.

    Examples
    --------
    >>> list(in_turns(20, lambda place: place**2, 2))[-3:]
    [289, 324, 361]
    """
    if threads == 1:
        yield from map(work, range(n))
        return
    for begin in range(0, n, MEMBERS_A_TURN * threads):
        found: list[Any] = [None] * min(MEMBERS_A_TURN * threads, n - begin)
        fill(found, partial(_beyond, work, begin), threads)
        yield from found


def _beyond(work: Callable[[int], Any], begin: int, place: int) -> Any:
    return work(begin + place)


def fill(
    found: list[Any],
    work: Callable[[int], Any],
    threads: int,
    stop: Callable[[], object] | None = None,
    look: Callable[[], object] | None = None,
) -> None:
    """Put the result of ``work(place)`` into each place of a list.

    If an exception ends the wait, such as KeyboardInterrupt, it is raised when all threads have ended; the list then
    has what was done until then.

    Parameters
    ----------
    found : list
    work : callable
        From a place to its result. Several threads call it.
    threads : int
    stop : callable, optional
        Asks what is at work to end by an InterruptedError. It may be called more than once.
    look : callable, optional
        Called about ten times a second meanwhile.

    Examples
    --------
    >>> found = [None] * 5
    >>> fill(found, lambda place: place**2, 2)
    >>> found
    [0, 1, 4, 9, 16]
    """
    open_places = deque(range(len(found)))
    asked: list[bool] = []

    def end() -> None:
        asked.append(True)
        open_places.clear()
        if stop is not None:
            stop()

    def some() -> None:
        while True:
            try:
                place = open_places.popleft()
            except IndexError:
                return
            try:
                found[place] = work(place)
            except InterruptedError:
                if not asked:
                    raise
            except BaseException:
                end()
                raise

    def everything() -> None:
        n_workers = min(threads, len(found))
        if n_workers <= 1:
            some()
            return
        with concurrent.futures.ThreadPoolExecutor(n_workers, thread_name_prefix="ctree") as pool:
            for worker in [pool.submit(some) for _ in range(n_workers)]:
                worker.result()

    run_interruptible(everything, end, look, LOOK_EVERY)
