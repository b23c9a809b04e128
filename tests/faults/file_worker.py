"""A process in which calls on files fail: run by `sweep.py`, with the injector preloaded. See `memory_worker.py`."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ctree.errors import CtreeError

from .injector import Count, Injector
from .memory_worker import say, told
from .trials import numbers
from .writers import OLD_TEXT, readers, writers

SURVIVES = {"EINTR", "short"}
"""Python calls again after these, so nothing may come of them."""


class FileSweep:
    """One thing that is written or read, with one call after the other failing in one way."""

    def __init__(self, injector: Injector, folder: Path, files: list[Path], act: Callable[[], object], error: str):
        self.injector, self.folder, self.files, self.act, self.error = injector, folder, files, act, error
        self.inputs = self._content()
        for _ in range(2):  # the first call imports
            self.result = self.act()
        self.after = self._content()

    def _content(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.folder.iterdir()}

    def _prepare(self) -> dict[str, bytes]:
        """The folder as it was: old texts in the files that are to be replaced."""
        for path in self.folder.iterdir():
            if path.name not in self.inputs:
                path.unlink()
        for path in self.files:
            path.write_bytes(OLD_TEXT)
        return self._content()

    def n_calls(self) -> int:
        self._prepare()
        with self.injector.files(0, str(self.folder), self.error) as count:
            self.act()
        return count.calls

    def trial(self, first: int, lasting: bool) -> dict[str, Any]:
        """What became of it with this call failing."""
        before = self._prepare()
        count, error, result = Count(), None, None
        try:
            with self.injector.files(first, str(self.folder), self.error, lasting) as count:
                result = self.act()
        except BaseException as raised:
            error = raised
        found = []
        content = self._content()
        if error is None and (content != self.after or result != self.result):
            found.append("no error, but another result")
        if error is not None and not isinstance(error, CtreeError):
            found.append(f"a foreign exception: {told(error)}")
        if error is not None and self.error in SURVIVES and not lasting:
            found.append(f"an error where the call should be made again: {told(error)}")
        found += [f"{name} was left behind" for name in content if name not in before]
        for name, old in before.items():
            if content.get(name) not in (old, self.after[name]):
                size = f"{len(content[name])} bytes of {len(self.after[name])}" if name in content else "lost"
                found.append(f"{name} is damaged ({size})")
        outcome = "finished" if error is None else "error"
        findings = [f"{count.what}: {text}" for text in found]
        return {"failed": count.failed, "what": count.what, "outcome": outcome, "findings": findings}


def run(task: dict[str, Any], inputs: Path, out: Path) -> None:
    """All that is written or read, from where the task says."""
    injector = Injector()
    if task["learner"] == "reading":
        subjects = {name: (out, [], act) for name, act in readers(out).items()}
    else:
        subjects = {name: (out, files, act) for name, (files, act) in writers(inputs, out).items()}
    names = [name for name in subjects if not task["only"] or name in task["only"]]
    for name in names[names.index(task["operation"]) if task["operation"] else 0 :]:
        sweep = FileSweep(injector, *subjects[name], task["error"])
        n_calls = sweep.n_calls()
        say(operation=name, calls=n_calls)
        after = task["after"] if name == task["operation"] else 0
        for n in numbers(n_calls, task["every"], task["sampled"]):
            if n > after:
                say(operation=name, begun=n)
                say(operation=name, n=n, **sweep.trial(n, task["lasting"]))
        sweep._prepare()
        for path in sweep.files:
            path.unlink()
        say(operation=name, done=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        # As the C library will see it: calls are told by the paths of their files.
        run(json.loads(sys.argv[1]), Path(first), Path(os.path.realpath(second)))
