"""A run: so many inputs or so many minutes, in several processes, and what came of it."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .smaller import smaller
from .worker import Worker

PROJECT = Path(__file__).parents[2]
SLICE = 3.0
"""Seconds that a kind of input has before it is another's turn."""
KEPT_ALIKE = 2
"""How many inputs are kept of those that seem to show the same fault."""


@dataclass
class Tally:
    """What became of the inputs of one kind."""

    outcomes: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    refusals: Counter[str] = field(default_factory=Counter)

    @property
    def inputs(self) -> int:
        return sum(self.outcomes.values())


@dataclass
class Found:
    """An input that showed something that must not happen."""

    kind: str
    seed: int
    number: int
    verdict: dict[str, str]

    def signature(self) -> tuple[str, ...]:
        return self.kind, self.verdict["what"], self.verdict["where"]


@dataclass
class Settings:
    """What a run is asked for; without a count, it goes on for so many minutes."""

    kinds: list[str]
    seed: int = 1
    count: int = 0
    start: int = 0
    minutes: float = 0.0
    jobs: int = 1
    keep: Path | None = None
    seconds: float = 20.0
    megabytes: int = 2048


class Run:
    """Draws inputs and has them run."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.tallies = {kind: Tally() for kind in settings.kinds}
        self.found: list[Found] = []
        self.restarts = 0
        self._lock = threading.Lock()
        self._next = dict.fromkeys(settings.kinds, settings.start)
        self._end = time.monotonic() + settings.minutes * 60
        self._stopped = False
        self._failures: list[Exception] = []

    def go(self) -> None:
        """Run all inputs."""
        threads = [threading.Thread(target=self._job) for _ in range(self.settings.jobs)]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                thread.join()
        finally:
            self._stopped = True
        if self._failures:
            raise self._failures[0]

    def _job(self) -> None:
        try:
            self._work()
        except Exception as error:  # the fuzzer's own fault, which must not be overlooked
            self._failures.append(error)
            self._stopped = True

    def _work(self) -> None:
        with Worker(self.settings.seconds, self.settings.megabytes) as worker:
            while not self._done():
                for kind in self.settings.kinds:
                    self._slice(worker, kind)
            with self._lock:
                self.restarts += worker.starts - 1

    def _done(self) -> bool:
        if self._stopped:
            return True
        if self.settings.count:
            return all(self._number(kind, peek=True) is None for kind in self.settings.kinds)
        return time.monotonic() >= self._end

    def _slice(self, worker: Worker, kind: str) -> None:
        """Inputs of one kind, for a while."""
        begun = time.monotonic()
        while time.monotonic() < begun + SLICE and not self._stopped:
            if not self.settings.count and time.monotonic() >= self._end:
                return
            number = self._number(kind)
            if number is None:
                return
            before = time.monotonic()
            verdict = worker.verdict(kind=kind, seed=self.settings.seed, number=number)
            self._note(worker, kind, number, verdict, time.monotonic() - before)

    def _number(self, kind: str, peek: bool = False) -> int | None:
        """The next input of a kind, if there is to be one."""
        share = -(-self.settings.count // len(self.settings.kinds))
        with self._lock:
            number = self._next[kind]
            if self.settings.count and number >= self.settings.start + share:
                return None
            if not peek:
                self._next[kind] += 1
            return number

    def _note(self, worker: Worker, kind: str, number: int, verdict: dict[str, str], seconds: float) -> None:
        with self._lock:
            tally = self.tallies[kind]
            tally.outcomes[verdict["outcome"]] += 1
            tally.seconds += seconds
            if verdict["outcome"] == "refused":
                tally.refusals[f"{verdict['what']} {verdict['where']}"] += 1
            if verdict["outcome"] != "finding":
                return
            found = Found(kind, self.settings.seed, number, verdict)
            alike = sum(other.signature() == found.signature() for other in self.found)
            self.found.append(found)
        if self.settings.keep is not None and alike < KEPT_ALIKE:
            keep(worker, found, self.settings.keep)


def keep(worker: Worker, found: Found, folder: Path) -> Path:
    """Write the input of a finding to a file, made as small as it goes."""
    given = worker.drawn(found.kind, found.seed, found.number)

    def shows_it(candidate: Any) -> bool:
        verdict = worker.verdict(kind=found.kind, given=candidate)
        return verdict["outcome"] == "finding" and verdict["what"] == found.verdict["what"]

    quick = "hang" not in found.verdict["what"]
    given = smaller(given, shows_it, seconds=20.0 if quick else 0.0)
    content = {
        "kind": found.kind,
        "what": found.verdict["what"],
        "where": found.verdict["where"],
        "drawn": f"--kind {found.kind} --seed {found.seed} --replay {found.number}",
        "message": found.verdict["message"].replace(f"{PROJECT}/", "")[-600:],
        "input": given,
    }
    text = json.dumps(content, indent=1)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{found.kind}-{hashlib.sha256(text.encode()).hexdigest()[:8]}.json"
    path.write_text(text + "\n")
    return path


def summary(run: Run) -> str:
    """The table of a run, and its findings."""
    rows = [("kind", "inputs", "per second", "valid", "void", "findings")]
    for kind, tally in run.tallies.items():
        rows.append((kind, *_row(tally)))
    total = Tally()
    for tally in run.tallies.values():
        total.outcomes.update(tally.outcomes)
        total.seconds += tally.seconds
    rows.append(("all", *_row(total)))
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ["  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in rows]
    lines.append(f"seed {run.settings.seed}; processes started again after an input: {run.restarts}")
    counted = Counter(found.signature() for found in run.found)
    for signature, n in counted.most_common():
        first = next(found for found in run.found if found.signature() == signature)
        kind, what, where = signature
        lines.append(f"{n} x {what}, {where}: --kind {kind} --seed {first.seed} --replay {first.number}")
    return "\n".join(lines)


def _row(tally: Tally) -> tuple[str, ...]:
    n, outcomes = tally.inputs, tally.outcomes
    rate = n / tally.seconds if tally.seconds else 0
    real = max(n - outcomes["void"], 1)
    accepted = outcomes["valid"] + outcomes["finding"]
    return f"{n:,}", f"{rate:.0f}", f"{accepted / real:.0%}", f"{outcomes['void']:,}", f"{outcomes['finding']:,}"
