"""The process that runs inputs, one after the other, and its other end.

A request is a line of JSON, and so is the answer. The time of an input is that of the processor, so that a busy machine
makes no hangs: the timer's signal ends the process. Waiting without end is noticed by the clock.
"""

from __future__ import annotations

import faulthandler
import json
import os
import random
import re
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parent
SECONDS = 20.0
MEGABYTES = 2048
IN_MEMORY = "/dev/shm"
"""Where files do not have to wait for a disk, if there is such a place: most of the time went into opening them."""
PATIENCE = 30
"""How many times its time an input may wait for others."""


class Worker:
    """A process that runs inputs, and is started again when one of them has ended it.

    Parameters
    ----------
    seconds : float
        Of the processor, for each input.
    megabytes : int
        Of address space, beyond what the process has when it begins; 0 for no limit.
    """

    def __init__(self, seconds: float = SECONDS, megabytes: int = MEGABYTES) -> None:
        self.seconds, self.megabytes = seconds, megabytes
        self._process: subprocess.Popen[str] | None = None
        self._folder = tempfile.mkdtemp(prefix="fz", dir=IN_MEMORY if os.access(IN_MEMORY, os.W_OK) else None)
        self._trace = Path(self._folder) / "trace"
        self.starts = 0

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
        shutil.rmtree(self._folder, ignore_errors=True)

    def verdict(self, **request: Any) -> dict[str, str]:
        """What becomes of an input: ``kind`` and ``given``, or ``kind``, ``seed`` and ``number``."""
        answer = self._ask({"do": "run", **request})
        if answer is not None:
            return answer
        return self._autopsy()

    def drawn(self, kind: str, seed: int, number: int) -> Any:
        """The input of that number."""
        answer = self._ask({"do": "draw", "kind": kind, "seed": seed, "number": number})
        return None if answer is None else answer["given"]

    def _ask(self, request: dict[str, Any]) -> Any:
        if self._process is None:
            self._start()
        assert self._process is not None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        if not select.select([self._process.stdout], [], [], self.seconds * PATIENCE)[0]:
            self._process.kill()
            return None
        line = self._process.stdout.readline()
        return json.loads(line) if line else None

    def _start(self) -> None:
        folder = tempfile.mkdtemp(dir=self._folder)
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(PACKAGE.parent), str(PACKAGE.parents[1])]),
            "OPENBLAS_NUM_THREADS": "1",  # each thread has a stack, and the memory is limited
            "POLARS_MAX_THREADS": "1",
            "MPLBACKEND": "agg",
            "XDG_CACHE_HOME": folder,
        }
        command = [sys.executable, "-m", "fuzz.worker", folder, str(self.seconds), str(self.megabytes)]
        with open(self._trace, "w") as trace:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=trace, env=environment, text=True
            )
        self.starts += 1

    def _autopsy(self) -> dict[str, str]:
        """Why the process ended."""
        assert self._process is not None
        status = self._process.wait()
        self._process = None
        text = self._trace.read_text(errors="replace")
        sanitizer = re.search(r"(?:AddressSanitizer: |runtime error: )(\S+)", text)  # in such a build
        if sanitizer:
            what = "a crash (SIGSEGV)" if sanitizer[1] == "SEGV" else f"a report of a sanitizer ({sanitizer[1]})"
        elif status == -signal.SIGPROF:
            what = f"a hang (over {self.seconds:g} s of the processor)"
        elif status == -signal.SIGKILL:
            what = "a hang (it waits without end, or was killed)"
        elif status < 0:
            what = f"a crash ({signal.Signals(-status).name})"
        else:
            what = f"the end of the process with status {status}"
        text = text[-4000:]
        if status > 0 and not sanitizer and "/fuzz/worker.py" in text:
            raise RuntimeError(f"the fuzzer itself fails:\n{text}")
        lines = [line.strip() for line in text.splitlines() if "/ctree" in line and "/fuzz/" not in line]
        return {"outcome": "finding", "what": what, "where": lines[0][-120:] if lines else "", "message": text}

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


def random_of(kind: str, seed: int, number: int) -> random.Random:
    """The source of chance of one input."""
    return random.Random(f"{kind}/{seed}/{number}")


def main(folder: str, seconds: str, megabytes: str) -> None:
    """Answer requests until there are no more."""
    answers = os.fdopen(os.dup(1), "w")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)  # whatever is printed must not come between the answers
    faulthandler.enable()
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    faulthandler.register(signal.SIGPROF, chain=True)  # it tells where the process is, then the signal ends it
    os.fsync = lambda _: None  # type: ignore[assignment]  # thousands of files need not reach the disk
    from .judging import judged
    from .kinds import kind_named

    place = Path(folder) / "x"
    begun: set[str] = set()
    for line in sys.stdin:
        request = json.loads(line)
        kind = kind_named(request["kind"])
        if request["kind"] not in begun:
            begun.add(request["kind"])
            _limit_memory(0)
            if hasattr(kind, "prepare"):
                kind.prepare()
            _limit_memory(int(megabytes))
        if "number" in request:
            given = kind.draw(random_of(request["kind"], request["seed"], request["number"]))
        else:
            given = request["given"]
        if request["do"] == "draw":
            answer = {"given": given}
        else:
            place.mkdir()
            os.chdir(place)
            signal.setitimer(signal.ITIMER_PROF, float(seconds))
            answer = judged(kind, given, place).to_plain()
            signal.setitimer(signal.ITIMER_PROF, 0)
            os.chdir(folder)
            shutil.rmtree(place)
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def _limit_memory(megabytes: int) -> None:
    """Allow so much beyond what the process has now; 0 for no limit."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + (megabytes << 20) if megabytes else resource.RLIM_INFINITY
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.getrlimit(resource.RLIMIT_AS)[1]))


if __name__ == "__main__":
    main(*sys.argv[1:])
