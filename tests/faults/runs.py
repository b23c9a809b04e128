"""The parts of the long run, and of the short one in the suite."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .sweep import Row, sweep

LEARNERS = (
    "C45", "C45 groups", "C45 threads", "J48", "C45Rules", "Probability", "Bayesian", "BayesOptimal", "OptimalTree",
    "MCMC", "NaiveBayes", "Relational", "Relational threads", "Bagging threads", "Boosting", "Bagged trees",
)  # fmt: skip
"""Those of `subjects.py`; the process that starts the workers has no need of ctree itself."""

MOST_GROWTH = {"heap": 64_000, "blocks": 800, "resident": 4_000_000, "traced": 60_000}
"""By how much memory in use may grow over all rounds: bytes of malloc, blocks of Python, bytes of the process that are
in memory, which come in pages and arenas, and bytes of Python's objects in the few rounds that are traced. Lists of
objects to be used again grow ever more slowly (by 237, 113, 105, 64 and 43 blocks in rounds of 20). Something kept in
each of 1,000 rounds is more than that: an object is a block, and an array of a kernel has at least 64 bytes."""


@dataclass(frozen=True)
class Settings:
    """How much is tried."""

    every: int
    sampled: int
    rounds: int = 1000
    learners: list[str] | None = None

    def chosen(self) -> list[str]:
        return [name for name in LEARNERS if not self.learners or name in self.learners]


@dataclass
class Leak:
    """How much one learner has kept."""

    learner: str
    measured: dict[str, Any]
    operation: str = "leaks"
    findings: list[str] = field(default_factory=list)


def _memory(library: Path, settings: Settings, scope: str, lasting: bool) -> list[Row]:
    rows = []
    for learner in settings.chosen():
        task = {"learner": learner, "scope": scope, "lasting": lasting}
        rows += sweep(library, "memory_worker", {**task, "every": settings.every, "sampled": settings.sampled})
    return rows


def _files(library: Path, settings: Settings, error: str, lasting: bool = False) -> list[Row]:
    rows = []
    for kind in ("writing", "reading"):
        task = {"learner": kind, "error": error, "lasting": lasting}
        rows += sweep(library, "file_worker", {**task, "every": settings.every, "sampled": settings.sampled})
    return rows


def kernels(library: Path, settings: Settings) -> list[Row]:
    """one request of the kernels for memory fails"""
    return _memory(library, settings, "kernels", lasting=False)


def kernels_lasting(library: Path, settings: Settings) -> list[Row]:
    """one request of the kernels for memory fails, and all later ones"""
    return _memory(library, settings, "kernels", lasting=True)


def arrays(library: Path, settings: Settings) -> list[Row]:
    """one request of the kernels or for the contents of an array fails"""
    return _memory(library, settings, "arrays", lasting=False)


def everything(library: Path, settings: Settings) -> list[Row]:
    """one request of anything in the process fails, Python's own objects among them"""
    return _memory(library, settings, "everything", lasting=False)


def full_disk(library: Path, settings: Settings) -> list[Row]:
    """one call on a file fails for want of space, and all later ones"""
    return _files(library, settings, "ENOSPC", lasting=True)


def one_full(library: Path, settings: Settings) -> list[Row]:
    """one call on a file fails for want of space"""
    return _files(library, settings, "ENOSPC")


def broken_disk(library: Path, settings: Settings) -> list[Row]:
    """one call on a file fails by a fault of the device"""
    return _files(library, settings, "EIO")


def interrupted(library: Path, settings: Settings) -> list[Row]:
    """one call on a file is interrupted by a signal"""
    return _files(library, settings, "EINTR")


def short(library: Path, settings: Settings) -> list[Row]:
    """one write takes only half of what there is"""
    return _files(library, settings, "short")


def leaks(library: Path, settings: Settings) -> list[Leak]:
    """memory in use after many rounds of all operations"""
    return [leak(learner, settings.rounds) for learner in settings.chosen()]


def leak(learner: str, rounds: int) -> Leak:
    """What one learner keeps."""
    package = __name__.rpartition(".")[0]
    folder = Path(__file__).parents[package.count(".") + 1]
    words = [sys.executable, "-m", f"{package}.leaks", learner, str(rounds)]
    answer = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    if answer.returncode:
        return Leak(learner, {}, findings=[f"status {answer.returncode}: {answer.stderr[-800:]}"])
    measured = json.loads(answer.stdout)
    grown = [f"{name} has grown by {measured[name]}" for name, most in MOST_GROWTH.items() if measured[name] > most]
    return Leak(learner, measured, findings=grown)


def leak_table(rows: list[Leak]) -> str:
    """What was measured, as text."""
    names = ("rounds", "operations", *MOST_GROWTH)
    lines = [f"{'learner':12}" + "".join(f"{name:>12}" for name in names)]
    for row in rows:
        lines.append(f"{row.learner:12}" + "".join(f"{row.measured.get(name, '?'):>12}" for name in names))
    lines.append(f"{'at most':12}{'':24}" + "".join(f"{most:>12}" for most in MOST_GROWTH.values()))
    return "\n".join(lines)


PARTS: dict[str, Callable[[Path, Settings], list[Any]]] = {
    "kernels": kernels,
    "kernels-lasting": kernels_lasting,
    "arrays": arrays,
    "everything": everything,
    "full-disk": full_disk,
    "one-full": one_full,
    "broken-disk": broken_disk,
    "interrupted": interrupted,
    "short": short,
    "leaks": leaks,
}
"""The parts by name."""

STABLE = [name for name in PARTS if name != "everything"]
"""Those in which whatever happens is due to ctree."""
