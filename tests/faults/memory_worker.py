"""A process in which requests for memory fail: run by `sweep.py`, with the injector preloaded.

It is told what to do as JSON and answers with lines of JSON: before each trial that it begins, so that a crash is known
by its trial, and after it.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from ctree.errors import CtreeError

from .injector import Count, Injector
from .subjects import Operation, operations, state
from .trials import heap_bytes, make_room_for_names, numbers

PATIENCE = 60.0
"""Seconds after which a trial hangs; it takes some hundredths of one."""

ALLOWED = (MemoryError, CtreeError)


class Sweep:
    """One operation of one learner, with one request after the other failing."""

    def __init__(self, injector: Injector, operation: Operation, folder: Path, lasting: bool) -> None:
        self.injector, self.operation, self.folder, self.lasting = injector, operation, folder, lasting
        # Twice, because the first call imports and fills caches. Then the same bits are expected for ever.
        self.expected = self._run_whole()
        if self._run_whole() != self.expected:
            raise RuntimeError("the operation does not give the same result twice")
        self.files = self._files()

    def _run_whole(self) -> Any:
        return self.operation.seen(self.operation.act(self.operation.target()))

    def _files(self) -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}

    def n_calls(self) -> int:
        """How many requests the operation makes."""
        target = self.operation.target()
        with self.injector.memory(0) as count:
            self.operation.act(target)
        return count.calls

    def trial(self, first: int) -> dict[str, Any]:
        """The operation with this request failing: what became of it."""
        target = self.operation.target()
        before, files = state(target), self._files()
        count, result, error = Count(), None, None
        try:
            with self.injector.memory(first, self.lasting) as count:
                result = self.operation.act(target)
        except BaseException as raised:
            error = raised
        answer = {"failed": count.failed, "outcome": "finished", "findings": self._findings(error, result)}
        if error is not None:
            answer["outcome"] = "error"
            answer["findings"] += self._differences(target, before, files, told(error))
        return answer

    def _differences(self, target: Any, before: str, files: dict[str, bytes], error: str) -> list[str]:
        """What is not as it was before the error, and what does not work any more."""
        found = []
        try:
            if not self._is_whole(target, before):
                found.append(f"the object has changed ({error})")
            if self._files() not in (files, self.files):
                found.append(f"a file is damaged or left behind ({error})")
            if self.operation.seen(self.operation.act(target)) != self.expected:
                found.append(f"the same call afterwards gives another result ({error})")
        except Exception as later:
            found.append(f"the object is damaged: {told(later)} (after {error})")
        return found

    def _is_whole(self, target: Any, before: str) -> bool:
        """Whether a model is as it was. One that can be resumed may also have been stopped, or have ended."""
        if not getattr(target, "resumable", False):
            return state(target) == before
        stopped = getattr(target, "interrupted_", False)
        return stopped or state(target) in (before, self.expected)

    def _findings(self, error: BaseException | None, result: Any) -> list[str]:
        if error is None:
            return [] if self.operation.seen(result) == self.expected else ["another result, and no error"]
        return [] if isinstance(error, ALLOWED) else [f"a foreign exception: {told(error)}"]


def told(error: BaseException) -> str:
    """An exception with its place, the innermost."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = "" if trace is None else f" at {Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
    return f"{type(error).__name__}: {str(error)[:200]}{place}"


def say(**fields: Any) -> None:
    """A line for the process that has started this one. A trial that has begun must end."""
    if "begun" in fields:
        faulthandler.dump_traceback_later(PATIENCE, exit=True)
    sys.stdout.write(json.dumps(fields) + "\n")
    sys.stdout.flush()


def run(task: dict[str, Any], folder: Path) -> None:
    """All operations of a learner, from where the task says."""
    make_room_for_names()
    injector = Injector()
    all_operations = operations(task["learner"], folder)
    names = [name for name in all_operations if not task["only"] or name in task["only"]]
    for name in names[names.index(task["operation"]) if task["operation"] else 0 :]:
        sweep = Sweep(injector, all_operations[name], folder, task["lasting"])
        injector.set_scope(task["scope"])
        n_calls = sweep.n_calls()
        say(operation=name, calls=n_calls)
        after = task["after"] if name == task["operation"] else 0
        chosen = [n for n in numbers(n_calls, task["every"], task["sampled"]) if n > after]
        warm, held = chosen[: len(chosen) // 2], 0
        for n in chosen:
            say(operation=name, begun=n)
            say(operation=name, n=n, **sweep.trial(n))
            if warm and n == warm[-1]:
                held = heap_bytes()
        say(operation=name, done=True, grown=heap_bytes() - held if held else 0, trials=len(chosen) - len(warm))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary, contextlib.suppress(BrokenPipeError):
        run(json.loads(sys.argv[1]), Path(temporary))
