"""Chains at work: in threads, watched, stopped by Ctrl-C with nothing lost, saved now and then."""

from __future__ import annotations

import concurrent.futures
import queue
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ctree.progress import LOOK_EVERY, Progress, ProgressCallback
from ctree_ext.base.interrupts import run_interruptible

if TYPE_CHECKING:
    from ctree_ext.mcmc.chain import Chain

STEPS_A_TURN = 20_000
"""After so many steps a thread turns to the next chain."""


def run_chains(
    chains: Sequence[Chain],
    burn_in: int,
    samples: int,
    thin: int,
    n_jobs: int,
    progress: ProgressCallback | None = None,
    checkpoint: Callable[[], None] | None = None,
    checkpoint_every: float = 60.0,
    most_steps: int | None = None,
) -> None:
    """Advance all chains to so many steps of burn-in and so many samples.

    Progress is of `most_steps` for each chain, if they may be made longer afterwards.

    What a chain draws does not depend on the number of threads, nor on when it is stopped and goes on. When an
    exception comes, such as KeyboardInterrupt, the chains stop within a moment, keep what they have, and it is raised.
    """
    began = time.monotonic()
    before = sum(sum(chain.progress[:2]) for chain in chains)
    total = len(chains) * max(burn_in + samples * thin, most_steps or 0)
    while True:
        finished = _run_for(
            chains,
            burn_in,
            samples,
            thin,
            n_jobs,
            None if checkpoint is None else checkpoint_every,
            None if progress is None else lambda: progress(_progress(chains, burn_in, total, began, before)),
        )
        if finished:
            return
        assert checkpoint is not None
        checkpoint()


def _run_for(
    chains: Sequence[Chain],
    burn_in: int,
    samples: int,
    thin: int,
    n_jobs: int,
    seconds: float | None,
    watch: Callable[[], None] | None,
) -> bool:
    """Run for so many seconds at most; whether all chains have arrived."""
    for chain in chains:
        chain.stop(False)
    until = None if seconds is None else time.monotonic() + seconds

    def look() -> None:
        if watch is not None:
            watch()
        if until is not None and time.monotonic() > until:
            stop()

    def stop() -> None:
        for chain in chains:
            chain.stop()

    return run_interruptible(lambda: _advance_all(chains, burn_in, samples, thin, n_jobs), stop, look, LOOK_EVERY)


def _advance_all(chains: Sequence[Chain], burn_in: int, samples: int, thin: int, n_jobs: int) -> bool:
    """Advance the chains in turns, so that none is left behind if the run is stopped; whether all have arrived."""
    waiting: queue.SimpleQueue[Chain] = queue.SimpleQueue()
    for chain in chains:
        waiting.put(chain)

    def work() -> None:
        while True:
            try:
                chain = waiting.get_nowait()
            except queue.Empty:
                return
            burnt, drawn, _, _ = chain.progress
            if burnt < burn_in:
                arrived = chain.advance(min(burn_in, burnt + STEPS_A_TURN), 0)
            else:
                arrived = chain.advance(burn_in, min(samples, drawn // thin + 1 + STEPS_A_TURN // thin))
            if arrived and not _has_arrived(chain, burn_in, samples, thin):
                waiting.put(chain)

    n_workers = min(n_jobs, len(chains))
    if n_workers == 1:
        work()
    else:
        with concurrent.futures.ThreadPoolExecutor(n_workers, thread_name_prefix="ctree") as pool:
            for worker in [pool.submit(work) for _ in range(n_workers)]:
                worker.result()
    return all(_has_arrived(chain, burn_in, samples, thin) for chain in chains)


def _has_arrived(chain: Chain, burn_in: int, samples: int, thin: int) -> bool:
    burnt, drawn, _, _ = chain.progress
    return burnt >= burn_in and drawn >= samples * thin


def _progress(chains: Sequence[Chain], burn_in: int, total: int, began: float, before: int) -> Progress:
    states = [chain.progress for chain in chains]
    done = sum(burnt + drawn for burnt, drawn, _, _ in states)
    likelihoods = [value for _, _, value, _ in states if value is not None]
    leaves = [float(value) for _, _, _, value in states if value is not None]
    recorded: dict[str, list[float]] = {"log-likelihood": likelihoods, "leaves": leaves}
    figures = {name: sum(values) / len(values) for name, values in recorded.items() if values}
    return Progress(
        "burn-in" if min(burnt for burnt, _, _, _ in states) < burn_in else "sampling",
        done,
        total,
        (done - before) / max(time.monotonic() - began, 1e-9),
        "steps",
        figures,
    )
