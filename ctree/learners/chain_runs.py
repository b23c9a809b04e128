"""Chains at work: in threads, watched, stopped by Ctrl-C with nothing lost, saved now and then."""

from __future__ import annotations

import concurrent.futures
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ctree_ext.chain import Chain

LOOK_EVERY = 0.1
"""Seconds between two looks at how far the chains are."""


@dataclass(frozen=True)
class Progress:
    """How far a run is.

    Parameters
    ----------
    phase : {"burn-in", "sampling"}
        That of the chain that is least advanced.
    done, total : int
        Steps of all chains.
    rate : float
        Steps a second since the run began.
    log_likelihood, leaves : float or None
        Means of what the chains recorded last.
    """

    phase: str
    done: int
    total: int
    rate: float
    log_likelihood: float | None
    leaves: float | None


def run_chains(
    chains: Sequence[Chain],
    burn_in: int,
    samples: int,
    thin: int,
    n_jobs: int,
    watch: Callable[[Progress], None] | None = None,
    checkpoint: Callable[[], None] | None = None,
    checkpoint_every: float = 60.0,
) -> None:
    """Advance all chains to so many steps of burn-in and so many samples.

    What a chain draws does not depend on the number of threads, nor on when it is stopped and goes on. When an
    exception comes, such as KeyboardInterrupt, the chains stop within a moment, keep what they have, and it is raised.
    """
    began = time.monotonic()
    before = sum(sum(chain.progress[:2]) for chain in chains)
    while True:
        finished = _run_for(
            chains,
            burn_in,
            samples,
            n_jobs,
            None if checkpoint is None else checkpoint_every,
            None if watch is None else lambda: watch(_progress(chains, burn_in, samples, thin, began, before)),
        )
        if finished:
            return
        assert checkpoint is not None
        checkpoint()


def _run_for(
    chains: Sequence[Chain],
    burn_in: int,
    samples: int,
    n_jobs: int,
    seconds: float | None,
    watch: Callable[[], None] | None,
) -> bool:
    """Run for so many seconds at most; whether all chains have arrived."""
    for chain in chains:
        chain.stop(False)
    # A signal may raise an exception between any two steps of the thread that called. So that one does nothing but wait
    # and watch, and the chains are advanced, and waited for, by threads that no signal reaches.
    done: concurrent.futures.Future[bool] = concurrent.futures.Future()
    lead = threading.Thread(target=_advance_all, args=(done, chains, burn_in, samples, n_jobs), name="ctree")
    try:
        lead.start()
        until = None if seconds is None else time.monotonic() + seconds
        while True:
            try:
                return done.result(LOOK_EVERY)
            except concurrent.futures.TimeoutError:
                if done.done():
                    raise
            if watch is not None:
                watch()
            if until is not None and time.monotonic() > until:
                _stop(chains, lead)
                return done.result()
    except BaseException:
        _stop(chains, lead)
        raise


def _stop(chains: Sequence[Chain], lead: threading.Thread) -> None:
    """Stop the chains and wait until they have."""
    while True:
        try:
            for chain in chains:
                chain.stop()
            if lead.is_alive():
                lead.join()
            return
        except BaseException:  # another Ctrl-C does not make it any faster
            continue


def _advance_all(
    done: concurrent.futures.Future[bool], chains: Sequence[Chain], burn_in: int, samples: int, n_jobs: int
) -> None:
    try:
        if n_jobs == 1 or len(chains) == 1:
            # Turn by turn, so that no chain is left behind if the run is stopped.
            done.set_result(_advance_in_turns(chains, burn_in, samples))
            return
        with concurrent.futures.ThreadPoolExecutor(min(n_jobs, len(chains)), thread_name_prefix="ctree") as pool:
            done.set_result(all(list(pool.map(lambda chain: chain.advance(burn_in, samples), chains))))
    except BaseException as error:
        done.set_exception(error)


def _advance_in_turns(chains: Sequence[Chain], burn_in: int, samples: int) -> bool:
    turns = 20
    for turn in range(1, turns + 1):
        for chain in chains:
            chain.advance(burn_in * turn // turns, 0)
    for turn in range(1, turns + 1):
        for chain in chains:
            chain.advance(burn_in, samples * turn // turns)
    return all(chain.advance(burn_in, samples) for chain in chains)


def _progress(chains: Sequence[Chain], burn_in: int, samples: int, thin: int, began: float, before: int) -> Progress:
    states = [chain.progress for chain in chains]
    done = sum(burnt + drawn for burnt, drawn, _, _ in states)
    likelihoods = [value for _, _, value, _ in states if value is not None]
    leaves = [value for _, _, _, value in states if value is not None]
    return Progress(
        "burn-in" if min(burnt for burnt, _, _, _ in states) < burn_in else "sampling",
        done,
        len(chains) * (burn_in + samples * thin),
        (done - before) / max(time.monotonic() - began, 1e-9),
        sum(likelihoods) / len(likelihoods) if likelihoods else None,
        sum(leaves) / len(leaves) if leaves else None,
    )
