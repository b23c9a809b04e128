"""Rounds of fit, predict, explain, save and load: what is in use afterwards must be what was in use before.

A process of its own for each learner: `python -m tests.faults.leaks C45 1000` prints one line of JSON.
"""

from __future__ import annotations

import json
import sys
import tempfile
import tracemalloc
from pathlib import Path
from typing import Any

from .subjects import operations
from .trials import heap_bytes, make_room_for_names, resident_bytes

WARM = 60
"""Rounds before the first measurement, in which modules are imported and caches are filled."""

TRACED = 20
"""Rounds in which every object of Python is traced, which is slow."""


def measured(learner: str, rounds: int) -> dict[str, Any]:
    """By how much memory in use has grown over so many rounds of all operations."""
    make_room_for_names()
    with tempfile.TemporaryDirectory() as folder:
        all_operations = operations(learner, Path(folder)).values()

        def work(n: int) -> None:
            for _ in range(n):
                for operation in all_operations:
                    operation.seen(operation.act(operation.target()))

        work(WARM)
        heap, blocks, resident = heap_bytes(), sys.getallocatedblocks(), resident_bytes()
        work(rounds)
        result = {
            "learner": learner,
            "rounds": rounds,
            "operations": len(all_operations),
            "heap": heap_bytes() - heap,
            "blocks": sys.getallocatedblocks() - blocks,
            "resident": resident_bytes() - resident,
        }
        tracemalloc.start()
        work(10)
        heap_bytes()  # collects garbage
        traced = tracemalloc.get_traced_memory()[0]
        work(TRACED)
        heap_bytes()
        result["traced"] = tracemalloc.get_traced_memory()[0] - traced
        return result


if __name__ == "__main__":
    print(json.dumps(measured(sys.argv[1], int(sys.argv[2]))))
