"""Programs run one at a time: what they take, and under a limit of memory that the kernel keeps."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

V1 = Path("/sys/fs/cgroup/memory")
V2 = Path("/sys/fs/cgroup")


@dataclass(frozen=True)
class Taken:
    """What a program took: seconds by the clock and of processors, its own and those of its children; bytes at most."""

    status: int
    seconds: float
    cpu: float
    peak: int
    told: dict[str, Any]
    """The last line that it printed, as JSON; empty if it failed."""


def run(words: Sequence[str], *, limit: int | None = None, timeout: float = 3600) -> Taken:
    """Run a Python program that prints JSON in its last line.

    Parameters
    ----------
    limit : int, optional
        Bytes of memory of a control group that it runs in, its share of the page cache included. It needs the right to
        make one; where that is missing, the program ends with an error.
    """
    with group(limit) as joined:
        start = time.monotonic()
        before = _children()
        process = subprocess.Popen(
            [sys.executable, *words], stdout=subprocess.PIPE, text=True, preexec_fn=joined, env={**os.environ}
        )
        out, _ = process.communicate(timeout=timeout)
        seconds = time.monotonic() - start
    lines = out.strip().splitlines()
    told = json.loads(lines[-1]) if process.returncode == 0 and lines else {}
    cpu = told.pop("cpu", None)
    return Taken(process.returncode, seconds, _children() - before if cpu is None else cpu, told.pop("peak", 0), told)


def _children() -> float:
    times = os.times()
    return times.children_user + times.children_system


@contextlib.contextmanager
def group(limit: int | None) -> Iterator[Any]:
    """What a process calls to be in a new control group with this limit; the group is removed afterwards."""
    if limit is None:
        yield None
        return
    v1 = (V1 / "memory.limit_in_bytes").exists()
    place = (V1 if v1 else V2) / f"ctree-{os.getpid()}"
    place.mkdir()
    try:
        (place / ("memory.limit_in_bytes" if v1 else "memory.max")).write_text(str(limit))
        yield lambda: (place / "cgroup.procs").write_text(str(os.getpid()))
    finally:
        for _ in range(50):
            with contextlib.suppress(OSError):
                place.rmdir()
                break
            time.sleep(0.1)
