from collections.abc import Callable
from typing import TypeVar

Value = TypeVar("Value")

def run_interruptible(
    work: Callable[[], Value],
    stop: Callable[[], object],
    poll: Callable[[], object] | None = None,
    interval: float = 0.2,
) -> Value: ...
def run_stoppable(work: Callable[[], Value], asked: Callable[[], bool]) -> Value: ...
def check_requests() -> None: ...
def work_for(work: int, seconds: float) -> int: ...
