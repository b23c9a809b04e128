from collections.abc import Callable
from typing import TypeVar

Value = TypeVar("Value")

def run_interruptible(
    work: Callable[[], Value],
    stop: Callable[[], object],
    look: Callable[[], object] | None = None,
    every: float = 0.2,
) -> Value: ...
