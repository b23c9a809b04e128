"""Programs run one at a time: what they take, under limits of memory and of processors that the kernel keeps."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

GROUPS = Path("/sys/fs/cgroup")
"""In version 1 with a folder for each controller, in version 2 the root of all groups."""


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
    v1 = (GROUPS / "memory" / "memory.limit_in_bytes").exists()
    setting = ("memory", "memory.limit_in_bytes") if v1 else ("", "memory.max")
    with _made(*setting, str(limit)) as place:
        yield lambda: (place / "cgroup.procs").write_text(str(os.getpid()))


PERIOD = 10_000
"""Microseconds, in each of which a process gets its share of a processor: so short that messages hardly wait for it."""


@contextlib.contextmanager
def share_of_processor(pid: int, share: float) -> Iterator[None]:
    """Let a process, with all its threads, have no more than this share of one processor, as if it had a slower one."""
    quota = str(round(share * PERIOD))
    v1 = (GROUPS / "cpu" / "cpu.cfs_quota_us").exists()
    more = {"cpu.cfs_period_us": str(PERIOD)} if v1 else {}
    setting = ("cpu", "cpu.cfs_quota_us", quota) if v1 else ("", "cpu.max", f"{quota} {PERIOD}")
    with _made(*setting, name=str(pid), before=more) as place:
        (place / "cgroup.procs").write_text(str(pid))
        try:
            yield
        finally:
            with contextlib.suppress(OSError):  # it may have ended
                (place.parent / "cgroup.procs").write_text(str(pid))


@contextlib.contextmanager
def kept_to(pid: int, processors: set[int]) -> Iterator[None]:
    """Let a process, with all threads that it has and begins, run on some processors only."""
    before = os.sched_getaffinity(pid)
    _bind(pid, processors)
    try:
        yield
    finally:
        _bind(pid, before)


def _bind(pid: int, processors: set[int]) -> None:
    with contextlib.suppress(OSError):  # it, or one of its threads, may have ended
        for thread in Path(f"/proc/{pid}/task").iterdir():
            os.sched_setaffinity(int(thread.name), processors)


@contextlib.contextmanager
def _made(
    controller: str, setting: str, value: str, *, name: str = "", before: Mapping[str, str] = MappingProxyType({})
) -> Iterator[Path]:
    """A new control group with a setting; it is removed afterwards."""
    place = GROUPS / controller / f"ctree-{name or os.getpid()}"
    place.mkdir()
    try:
        for file, text in {**before, setting: value}.items():
            (place / file).write_text(text)
        yield place
    finally:
        for _ in range(50):
            with contextlib.suppress(OSError):
                place.rmdir()
                break
            time.sleep(0.1)
