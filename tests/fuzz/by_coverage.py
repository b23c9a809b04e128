"""Inputs led by coverage: atheris gives the bytes that a kind draws its choices from.

The Python side of ctree is instrumented, the kernels are not. What is found is kept like any other finding. Unlike
other runs it is within one process, without a limit of memory, and the first finding ends it.
"""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
from pathlib import Path

SEEDS = 100
LONGEST = 4096


class BytesRandom(random.Random):
    """A source of chance that takes its bits from bytes, and gives zeros when there are no more."""

    def __init__(self, data: bytes) -> None:
        super().__init__(0)
        self._data, self._at = data, 0

    def getrandbits(self, k: int) -> int:
        n = (k + 7) // 8
        taken = self._data[self._at : self._at + n].ljust(n, b"\0")
        self._at += n
        return int.from_bytes(taken, "little") >> (8 * n - k)

    def random(self) -> float:
        return self.getrandbits(53) * 2.0**-53


def run_atheris(name: str, minutes: float, keep: Path | None) -> int:
    """Run one kind for so long."""
    try:
        import atheris
    except ImportError:
        print("atheris is not installed: pip install atheris (it has wheels for some versions of Python only)")
        return 2
    kept = (keep or Path.cwd()).resolve()
    work = Path(tempfile.mkdtemp(prefix="fz"))
    rng = random.Random(1)
    seeds = work / "seeds"
    seeds.mkdir()
    for i in range(SEEDS):
        (seeds / str(i)).write_bytes(rng.randbytes(rng.choice((256, 1024, LONGEST))))
    os.chdir(work)  # commands write where they are run
    # ctree loads most of its modules when they are first used, so some inputs are run while imports are watched
    with atheris.instrument_imports(include=["ctree"]):
        from .judging import judged
        from .kinds import kind_named

        kind = kind_named(name)
        if hasattr(kind, "prepare"):
            kind.prepare()
        for file in sorted(seeds.iterdir()):
            judged(kind, kind.draw(BytesRandom(file.read_bytes())), work)

    def one(data: bytes) -> None:
        given = kind.draw(BytesRandom(data))
        verdict = judged(kind, given, work)
        if verdict.outcome == "finding":
            content = {"kind": name, "what": verdict.what, "where": verdict.where, "input": given}
            kept.mkdir(parents=True, exist_ok=True)
            place = kept / f"{name}-atheris.json"
            place.write_text(json.dumps(content, indent=1) + "\n")
            raise AssertionError(f"{verdict.what}, {verdict.where}; kept as {place}\n{verdict.message}")

    limits = [f"-max_total_time={int(minutes * 60)}", f"-max_len={LONGEST}", "-len_control=0", "-timeout=60"]
    atheris.Setup([sys.argv[0], *limits, f"-artifact_prefix={work}/", str(seeds)], one)
    atheris.Fuzz()
    return 0
