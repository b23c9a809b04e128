"""How much faster fits are with several threads, on a machine whose clock says nothing because others use it, too.

    python benchmarks/threads.py [--cases 100000] [--threads 2] [--data rounded] [--repeats 5]

The pool of threads is replaced by one that does every task at once, in the thread that submits it, and reckons when a
thread of its own would have been done: tasks are dealt in order to the thread that is free first, each takes the
processor time that it took here, and whoever waits for a task goes on when it has ended. So what is printed is the
longest path through the fit, in processor seconds, as if every thread had a processor of its own. What threads take
from each other, caches and the interpreter's lock, is not in it.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import importlib
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any, Self

from generators import GENERATORS

import ctree
from ctree.learners.c45 import classifier, release8


class Clock:
    """What time it would be in the thread that is at work."""

    def __init__(self) -> None:
        self.start, self.mark = 0.0, time.thread_time()

    def now(self) -> float:
        return self.start + time.thread_time() - self.mark

    def go_to(self, moment: float) -> None:
        self.start, self.mark = moment, time.thread_time()


class Done:
    """The result of a task, and when it would have been there."""

    def __init__(self, clock: Clock, end: float, value: Any, error: BaseException | None) -> None:
        self.clock, self.end, self.value, self.error = clock, end, value, error

    def result(self) -> Any:
        self.clock.go_to(max(self.clock.now(), self.end))
        if self.error is not None:
            raise self.error
        return self.value

    def cancel(self) -> bool:
        return False

    def cancelled(self) -> bool:
        return False

    def done(self) -> bool:
        return True


class Promise:
    """In place of a future that a task sets when it is done."""

    def set_result(self, value: Any) -> None:
        self.end, self.value = ReckonedPool.clock.now(), value

    def result(self) -> Any:
        clock = ReckonedPool.clock
        clock.go_to(max(clock.now(), self.end))
        return self.value


class ReckonedPool:
    """In place of a pool of threads. The one that calls takes tasks, too, so it is counted among them."""

    clock: Clock
    spent: defaultdict[str, float]

    def __init__(self, n_threads: int, thread_name_prefix: str = "") -> None:
        self.free = [0.0] * (n_threads + 1)

    def submit(self, work: Callable[..., Any], *arguments: Any) -> Done:
        clock, called = self.clock, self.clock.now()
        thread = min(range(len(self.free)), key=self.free.__getitem__)
        start = max(called, self.free[thread])
        clock.go_to(start)
        value, error, began = None, None, time.thread_time()
        try:
            value = work(*arguments)
        except BaseException as raised:  # the one who waits for it gets it
            error = raised
        # A task that only calls another function is named after that one.
        named = arguments[0] if arguments and callable(arguments[0]) else work
        self.spent[named.__name__] += time.thread_time() - began
        self.free[thread] = end = clock.now()
        clock.go_to(called)
        return Done(clock, end, value, error)

    def shutdown(self) -> None:
        pass

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


PHASES: dict[str, tuple[Any, str]] = {
    "table": (classifier.C45Classifier, "_table"),
    "survey": (classifier.C45Classifier, "_grower"),
    "prune": (release8, "prune_shared"),
    "trees": (classifier.C45Classifier, "_tree_in"),
}


def reckon(data: ctree.Dataset, threads: int) -> tuple[dict[str, float], dict[str, float]]:
    """Seconds of each phase along the longest path, their sum first; and what tasks of the pool took in all.

    Growing is what is left: a compiled class cannot be told to say how long it takes.
    """
    clock = ReckonedPool.clock = Clock()
    ReckonedPool.spent = defaultdict(float)
    phases: dict[str, float] = defaultdict(float)
    start = clock.now()
    with Timed(phases, clock):
        ctree.C45Classifier(n_jobs=threads).fit(data)
    fit = clock.now() - start
    return {"fit": fit, "growing": fit - sum(phases.values()), **phases}, dict(ReckonedPool.spent)


class Timed:
    """For a while, the phases of a fit say how long they take."""

    def __init__(self, phases: dict[str, float], clock: Clock) -> None:
        self.phases, self.clock = phases, clock

    def __enter__(self) -> None:
        self.kept = {name: getattr(owner, method) for name, (owner, method) in PHASES.items()}
        for name, (owner, method) in PHASES.items():
            setattr(owner, method, self.timed(name, self.kept[name]))

    def __exit__(self, *_: object) -> None:
        for name, (owner, method) in PHASES.items():
            setattr(owner, method, self.kept[name])

    def timed(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **settings: Any) -> Any:
            start = self.clock.now()
            try:
                return method(*arguments, **settings)
            finally:
                self.phases[name] += self.clock.now() - start

        return call


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--data", choices=GENERATORS, default="rounded", help="kind of data")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    data = GENERATORS[options.data].data(options.cases)
    concurrent.futures.ThreadPoolExecutor = ReckonedPool  # type: ignore[assignment,misc]
    concurrent.futures.Future = Promise  # type: ignore[assignment,misc]
    for module in ("ctree_ext.grow.tree_grower", "ctree_ext.prune.shared_pruning"):
        # the thread that works so that another can wait for signals, too
        importlib.import_module(module).run_interruptible = lambda work, _stop: work()  # type: ignore[attr-defined]
    runs: dict[int, list[Any]] = {1: [], options.threads: []}
    for _ in range(options.repeats):  # in turn, so that both meet the same machine
        for threads, results in runs.items():
            results.append(reckon(data, threads))
    least = {threads: min(results, key=lambda result: result[0]["fit"]) for threads, results in runs.items()}
    print(f"{options.cases:,} cases of {options.data}, threads: 1 and {options.threads}")
    for phase, alone in least[1][0].items():
        shared = least[options.threads][0].get(phase, 0.0)
        print(f"  {phase:<20}{alone * 1000:9.2f} ms {shared * 1000:9.2f} ms {alone / max(shared, 1e-9):6.2f} times")
    for task, seconds in least[options.threads][1].items():
        print(f"  {task:<20}{'':12}{seconds * 1000:9.2f} ms in all of the pool")


if __name__ == "__main__":
    main()
