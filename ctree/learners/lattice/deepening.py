"""Searches that may be stopped by a limit of time, and less deep ones that are finished meanwhile.

A search over all trees goes down to the greatest depth at once. If it is stopped, trees that begin with other tests
than it has come to are missing, even the smallest of them. So in the midst of it there are pauses for searches of depth
1, 2, 3 and so on, and what the deepest of these has found is there in any case.

They begin when a twentieth of the time is over, and take a tenth of it: a search that ends long before has none, and
one that ends in time is not much slower. But if a sum has so much to do yet that it cannot end, they take half of the
time that is left. Not so in a search for the best tree: it has found a good one long before it can prove that.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from ctree_ext.lattice.lattice import Lattice

FIRST = 0.05
"""The share of the time after which there is the first pause."""

PART = 0.1
"""The share of the time so far that pauses may take."""

CHECKED_AT = (0.25, 0.5, 0.75)
"""The shares of the time after which it is asked whether a search can end at all."""

HOPELESS = 2.0
"""It cannot if it needs so many times the time that is left: what it needs is known only roughly."""

AFTERWARDS = 2.0
"""The time kept for what follows a search that was stopped, in times of what making the lattice took."""

GROWTH = 2.0
"""A search is taken to need so many times as long as the one before it, at least."""


class DeepeningSearch:
    """A search over all trees of bounded depth, with less deep ones in pauses.

    Parameters
    ----------
    new_lattice : callable
        Makes a lattice under limits, given by name; they may include `max_depth`, `truncated`, `pause` and `progress`.
    objective : str
        As for `Lattice.search`.
    time_limit, memory_limit : float, int
        Seconds and bytes, None for no limit.

    Attributes
    ----------
    full : Lattice
        The search of the greatest depth.
    low, high : float
        The bracket that it ends with.
    finished : Lattice or None
        For the evidence: the deepest of the others that has ended, whose trees have the prior of the greatest depth.
    trees : list
        Else: the best tree of each depth of which a search has ended, by the prior of that depth.
    """

    def __init__(
        self,
        new_lattice: Callable[..., Lattice],
        objective: str,
        time_limit: float | None = None,
        memory_limit: int | None = None,
    ) -> None:
        self._new_lattice = new_lattice
        self._objective = objective
        self._time_limit, self._memory_limit = time_limit, memory_limit
        self._pauses = 0.0  # seconds that they have taken
        self._last = 0.0  # what the last of these searches that has ended has taken
        self._least = 0.0  # what the next one is taken to need
        self._depth = 1  # of the next one
        self.finished: Lattice | None = None
        self.trees: list[Any] = []
        pause = None if time_limit is None else self._pause
        began = time.monotonic()
        self.full = new_lattice(time_limit=time_limit, memory_limit=memory_limit, pause=pause)
        self._made = time.monotonic() - began
        self._bytes = self.full.n_bytes  # what cases and root take in every search

    def run(self) -> None:
        """Search, with pauses if there is a limit of time.

        To stop and to read the tree off takes a few passes over all cases and tests, as making the lattice does.
        """
        self.low, self.high = self.full.search(self._objective, spent=(1 + AFTERWARDS) * self._made)

    def best_tree(self) -> Any:
        """The best of all trees that were found, as of `Lattice.tree`; `low` and `high` become its bracket."""
        best = self.full.tree(self._objective)
        if self.full.stopped:
            for tree in self.trees:
                score = self.full.score(self._objective, tree)
                if score > self.low:
                    best, self.low = tree, score
            self.high = max(self.low, self.high)
        return best

    def _pause(self, elapsed: float, share: float) -> float | None:
        """Search less deeply for a while; return when to do so again. `share` of the tests of the root are done."""
        assert self._time_limit is not None
        limit = self._time_limit
        if elapsed < FIRST * limit:
            return FIRST * limit
        left = limit - elapsed
        seconds = PART * elapsed - self._pauses
        is_asked = self._objective == "evidence" and elapsed >= CHECKED_AT[0] * limit
        if is_asked and self._needed(elapsed - self._pauses, share) > HOPELESS * left:
            seconds = left / 2
        self._deepen(seconds)
        if self._depth >= self.full.max_depth:
            return None
        times = [(self._pauses + self._least) / PART, *(limit * share for share in CHECKED_AT)]
        return min((t for t in times if t > elapsed), default=None)

    def _needed(self, seconds: float, share: float) -> float:
        """What the search needs to end, after so many seconds of its own.

        With n tests at the root, those that begin with the i-th are known already where one of the first i - 1 follows.
        So the part that is done after a share s of them is about 1 - (1 - s)^(d - 2), as the last two levels are done
        in one. The test that is at work is taken as done.
        """
        share = min(share + 1 / max(self.full.n_tests, 1), 1.0)
        done = 1 - (1 - share) ** max(self.full.max_depth - 2, 1)
        return seconds * (1 - done) / done

    def _deepen(self, seconds: float) -> None:
        """Search at one depth after the other, for so many seconds."""
        end = time.monotonic() + seconds
        while self._depth < self.full.max_depth:
            began = time.monotonic()
            if end - began < self._least or end <= began:
                return
            done = self._search_deeper(end - began)
            took = time.monotonic() - began
            self._pauses += took
            if not done:
                self._least = GROWTH * took
                return
            # Each depth takes more than the one before, but the factor falls.
            self._least = took * max(GROWTH, took / self._last / 2) if self._last > 0 else took
            self._last = took

    def _search_deeper(self, seconds: float) -> bool:
        """Search at the next depth; whether that has ended, and is kept, or was stopped."""
        room = self._memory_limit
        if room is not None:
            room -= self.full.n_bytes + (0 if self.finished is None else self.finished.n_bytes)
            room //= 2  # the full search goes on as well
            if room < 2 * self._bytes:
                return False
        lattice = self._new_lattice(
            max_depth=self._depth,
            truncated=self._objective == "evidence",
            time_limit=seconds,
            memory_limit=room,
            progress=None,
        )
        lattice.search(self._objective)
        if lattice.stopped:
            return False
        if self._objective == "evidence":
            self.finished = lattice
            if self._memory_limit is not None:
                self.full.limit_memory(self._memory_limit - lattice.n_bytes)
        else:
            self.trees.append(lattice.tree(self._objective))
        self._depth += 1
        return True
