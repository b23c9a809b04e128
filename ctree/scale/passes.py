"""Pass: what a source tells of a pass over its cases."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Pass:
    """A pass that was made: what for, over how many cases, and how long it took."""

    kind: str
    n_cases: int
    seconds: float
