"""Workers in which calls fail: started, started again after a crash, and what they found as a table."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from .injector import environment

KEPT, KEPT_A_TRIAL = 200_000, 1_000
"""Bytes that may stay in use after failures: caches of malloc and of Python, and no array of a kernel for each failure.
Measured were up to 47,000, for 10 as for 60 failures."""


@dataclass
class Row:
    """One operation of one learner in the table."""

    learner: str
    operation: str
    calls: int = 0
    injected: int = 0
    errors: int = 0
    survived: int = 0
    grown: int = 0
    passed_over: Counter[str] = field(default_factory=Counter)
    """The calls on files whose failure was survived, by their names."""
    findings: list[str] = field(default_factory=list)

    def take(self, line: dict[str, Any]) -> None:
        """Add what a worker says of a trial."""
        if line["failed"]:
            self.injected += 1
            self.errors += line["outcome"] == "error"
            self.survived += line["outcome"] == "finished"
            if line["outcome"] == "finished" and line.get("what"):
                self.passed_over[line["what"]] += 1
        self.findings += [f"call {line['n']}: {text}" for text in line["findings"]]

    def end(self, grown: int, trials: int) -> None:
        """Note by how many bytes memory in use has grown over so many trials."""
        self.grown = grown
        if grown > KEPT + KEPT_A_TRIAL * trials:
            self.findings.append(f"{grown} bytes were not given back after {trials} failures")


def sweep(library: Path, worker: str, task: dict[str, Any]) -> list[Row]:
    """Run a worker to its end, however often it crashes; a row for each operation.

    `worker` is the name of its module. The task says the `learner`, which operations (`only`, all if empty), how many
    calls are made to fail (`every` one of the first, and so many `sampled` ones of the others), and whether the failure
    is `lasting`.
    """
    rows: dict[str, Row] = {}
    task = {"only": [], "lasting": False, "operation": None, "after": 0, **task}
    while True:
        begun: tuple[str, int] | None = None
        with tempfile.TemporaryFile("w+") as errors:
            process = _start(library, worker, task, errors)
            for line in _lines(process):
                name = line["operation"]
                row = rows.setdefault(name, Row(task["learner"], name))
                if "calls" in line:
                    row.calls = line["calls"]
                elif "begun" in line:
                    begun = name, line["begun"]
                elif "n" in line:
                    row.take(line)
                else:
                    row.end(line.get("grown", 0), line.get("trials", 0))
            status = process.wait()
            errors.seek(0)
            complaint = errors.read()[-800:]
        if status == 0:
            return list(rows.values())
        if begun is None:
            raise RuntimeError(f"the worker does not begin (status {status}): {complaint}")
        name, number = begun
        rows[name].injected += 1
        rows[name].findings.append(f"call {number}: the process ended with status {status}: {complaint}")
        task |= {"operation": name, "after": number}


def _start(library: Path, worker: str, task: dict[str, Any], errors: IO[str]) -> subprocess.Popen[str]:
    package = __name__.rpartition(".")[0]
    folder = Path(__file__).parents[package.count(".") + 1]
    words = [sys.executable, "-X", "faulthandler", "-m", f"{package}.{worker}", json.dumps(task)]
    return subprocess.Popen(
        words, cwd=folder, env=environment(library), stdout=subprocess.PIPE, stderr=errors, text=True
    )


def _lines(process: subprocess.Popen[str]) -> Iterator[dict[str, Any]]:
    assert process.stdout is not None
    with process.stdout:
        for line in process.stdout:
            if line.startswith("{") and line.endswith("}\n"):  # a crash may come in the middle of one
                yield json.loads(line)


def table(rows: list[Row]) -> str:
    """The rows as text."""
    head = ("learner", "operation", "calls", "injected", "errors", "survived", "kept B", "findings")
    names = ("learner", "operation", "calls", "injected", "errors", "survived", "grown")
    lines = [(*(getattr(row, name) for name in names), len(row.findings)) for row in rows]
    totals = [sum(line[i] for line in lines) for i in range(2, len(head))]
    cells = [head, *lines, ("all", "", *totals)]
    widths = [max(len(str(line[i])) for line in cells) for i in range(len(head))]
    text = []
    for line in cells:
        words = [f"{cell:<{width}}" for cell, width in zip(line[:2], widths, strict=False)]
        words += [f"{cell:>{width}}" for cell, width in zip(line[2:], widths[2:], strict=True)]
        text.append("  ".join(words))
    passed_over = sum((row.passed_over for row in rows), Counter())
    if passed_over:
        text.append("survived: " + ", ".join(f"{name} {count}" for name, count in sorted(passed_over.items())))
    return "\n".join(text)
