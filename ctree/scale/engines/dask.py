"""DaskEngine: passes by the workers of a Dask cluster, or by a scheduler of Dask in this process."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from importlib import import_module, metadata
from typing import Any, TypeVar

from ctree.errors import CtreeError, ParameterError, missing
from ctree.progress import LOOK_EVERY
from ctree.scale.coded_part import CodedPart
from ctree.scale.engines import dask_tasks as tasks
from ctree.scale.engines.dask_tasks import Held
from ctree.scale.engines.engine import PartLoader, combined, for_keys, key_groups
from ctree.scale.engines.sharing import divided_evenly

_R = TypeVar("_R")
_P = TypeVar("_P")

DISTRIBUTION = "ctree-learn"
RETRIES = 3
GROUPS = 16
"""So many groups of keys for each thread of the workers, at most: enough to share the work out evenly."""

AHEAD = 2
"""So many groups for each thread are with the workers: one that is worked on, one whose pieces are being moved."""

TOGETHER = 1 << 27
"""Bytes of parts that a task may always go through: a worker has all of them in memory at the same time."""

SHARE = 4
"""One of so many parts of a worker's memory for each of its threads is what a task may go through as well."""


def load_dask(module: str = "dask") -> Any:
    """A module of Dask."""
    try:
        return import_module(module)
    except ImportError:
        raise missing(
            "learning with Dask needs", "dask", "dask", "'dask[dataframe,distributed]' pyarrow narwhals"
        ) from None


@dataclass(frozen=True)
class DaskPart:
    """Some of the cases, held by workers.

    Parameters
    ----------
    n : int
    coded : Delayed
        A `CodedPart`, kept by `DaskEngine.keep`.
    n_bytes : int
        What it takes, at most.
    """

    n: int
    coded: Any
    n_bytes: int

    def load(self) -> CodedPart:
        """The cases, fetched to this process."""
        part: CodedPart = load_dask().compute(self.coded)[0]
        return part


class DaskEngine:
    """Tasks of Dask, which depend on nothing but what they are given.

    Dask decides where each runs. What a lost worker held it computes again, from the frame on if need be.

    Parameters
    ----------
    client : distributed.Client or str, optional
        A client, or the address of a scheduler, such as ``"tcp://node:8786"``. If None, the client that there is; and
        if there is none, the scheduler that Dask itself takes then.
    """

    name = "dask"

    def __init__(self, client: Any = None) -> None:
        load_dask()
        if isinstance(client, str):
            client = connect(client)
        self._client = current_client() if client is None else client
        self.at_once, self._n_threads, self.n_processes = 1, 1, 1
        self._most_together = TOGETHER
        if self._client is None:
            return
        if self._client.asynchronous:
            raise ParameterError("the client of Dask is asynchronous: fit needs one that waits for results")
        if self._client.status != "running":
            raise CtreeError(f"the client of Dask has no scheduler any more: it is {self._client.status}")
        _check_workers(self._client)
        threads = list(self._client.nthreads().values())
        self.at_once, self._n_threads = max(threads, default=1), max(1, sum(threads))
        self.n_processes = max(1, len(threads))
        self._most_together = max(TOGETHER, _least_memory(self._client) // SHARE)

    def each(
        self,
        task: Callable[[Iterable[CodedPart]], _R],
        parts: Sequence[PartLoader],
        *,
        combine: Callable[[Sequence[_R]], _R],
    ) -> _R:
        """See `Engine`. A task takes several parts that one worker has, so that there are few results to move."""
        what, how = self._sent(task), self._sent(combine)
        groups = self._together(parts) or [[]]
        results = [self.call(tasks.run, what, *(_place(parts[i]) for i in group)) for group in groups]
        result: _R = self.results([combined(results, lambda some: self.call(tasks.combine, how, list(some)))])[0]
        return result

    def by_key(
        self,
        split: Callable[[CodedPart], Sequence[_P]],
        work: Callable[[int, list[_P]], _R],
        parts: Sequence[PartLoader],
        keys: Mapping[int, int],
        *,
        room: int,
    ) -> dict[int, _R]:
        """See `Engine`. Keys go to workers in groups, and those of a group one after the other."""
        groups = key_groups(keys, GROUPS * self._n_threads, room // self.at_once)
        order = {key: place for place, key in enumerate(keys)}
        places = self._sent([[order[key] for key in group] for group in groups])
        how = self._sent(split)
        what = self._sent(work) if for_keys(work, []) is work else None
        together = self._together(parts)
        divided = [self.call(tasks.divide, how, places, *(_place(parts[i]) for i in some)) for some in together]
        numbers = Held([i for some in together for i in some])
        # kept here, as calls that use them are submitted one by one
        pieces = self.keep([some[g] for g in range(len(groups)) for some in divided])
        works = []
        for g, group in enumerate(groups):
            some = for_keys(work, group)
            mine = what if some is work else self._sent(some)
            start = g * len(divided)
            works.append(self.call(tasks.work, mine, Held(group), numbers, pieces[start : start + len(divided)]))
        # Dask does not know how long each takes, and gives a worker too many of them if it gets all at once.
        results = self.results(works, at_once=AHEAD * self._n_threads)
        found = {key: result for some in results for key, result in some.items()}
        return {key: found[key] for key in keys}

    def _together(self, parts: Sequence[PartLoader]) -> list[list[int]]:
        """The numbers of parts in groups, each of parts that one worker has now; its task may run elsewhere.

        A group for each thread of a worker, if it has the memory: tasks that wait are moved to others, with all parts.
        """
        held = {i: part for i, part in enumerate(parts) if isinstance(part, DaskPart)}
        groups = [[i] for i in range(len(parts)) if i not in held]
        if self._client is None:
            return groups + [[i] for i in held]
        by_place: dict[Any, dict[int, int]] = {}
        for (i, part), place in zip(held.items(), self.places([p.coded for p in held.values()]), strict=True):
            by_place.setdefault(place or i, {})[i] = part.n_bytes
        for sizes in by_place.values():
            fair = -(-sum(sizes.values()) // self.at_once)
            groups += divided_evenly(sizes, min(self._most_together, fair))
        return groups

    def places(self, kept: Sequence[Any]) -> list[str]:
        """A worker that has each of some results; "" if none has it now."""
        if self._client is None or not kept:
            return [""] * len(kept)
        places = self._client.who_has(list(kept))
        return [min(places.get(one.key) or [""]) for one in kept]

    def share(self, content: Any) -> Any:
        """What many calls are given, sent once; Dask can make it again if the worker that has it is lost."""
        return self.call(tasks.content, Held(content))

    def _sent(self, content: Any) -> Any:
        """What the calls of a pass are given: with each of them if it is small, as fetching it would take longer."""
        return Held(content) if tasks.is_small(content) else self.share(content)

    def call(self, function: Callable[..., Any], *arguments: Any, near: str = "") -> Any:
        """A call of a function that is still to be made, as a Delayed; by the worker at an address, if it is there.

        Left to itself, Dask moves what a call needs to a worker that seems to have less to do, before it knows how long
        such calls take.
        """
        dask = load_dask()
        wish = {"workers": [near], "allow_other_workers": True} if near else {}
        with dask.annotate(**wish):
            return dask.delayed(function, pure=False)(*arguments)

    def keep(self, calls: Sequence[Any]) -> list[Any]:
        """Begin calls whose results stay where they are, as long as what is returned."""
        if not calls:
            return []
        if self._client is None:
            return list(load_dask().persist(*calls))
        return list(self._client.persist(list(calls), retries=RETRIES))

    def drop(self, kept: Sequence[Any]) -> None:
        """Give up what was to be kept."""
        if self._client is not None and kept:
            self._client.cancel(list(kept))

    def n_done(self, kept: Sequence[Any]) -> int:
        """Of how many calls that are kept the results are there."""
        if self._client is None:
            return len(kept)
        return sum(future.done() for future in load_dask("distributed").futures_of(list(kept)))

    def results(
        self, calls: Sequence[Any], look: Callable[[], None] | None = None, *, at_once: int | None = None
    ) -> list[Any]:
        """The results of calls. Whatever goes wrong, and Ctrl-C, takes back those that are under way.

        While they are waited for, `look` is called now and then. No more than `at_once` calls are under way at a time.
        """
        if self._client is None:
            return list(load_dask().compute(*calls))
        waiting = list(enumerate(calls))
        most = at_once or len(calls)
        futures: dict[Any, int] = {}
        found: dict[int, Any] = {}
        try:
            futures.update(self._begun(waiting, most))
            while futures:
                # what is done is fetched while others work
                done = _ended(list(futures), None if look is None else LOOK_EVERY)
                places = [futures.pop(future) for future in done]
                futures.update(self._begun(waiting, most - len(futures)))
                found.update(zip(places, self._client.gather(done), strict=True))
                if look is not None:
                    look()
            return [found[place] for place in range(len(calls))]
        except BaseException as error:
            self._client.cancel(list(futures))
            if isinstance(error, CancelledError):
                raise CtreeError("Dask has cancelled the work: its scheduler or client was closed") from None
            if isinstance(error, load_dask("distributed").KilledWorker):
                raise CtreeError(
                    "workers of Dask died again and again at the same task; they may have too little memory for a part "
                    "of the frame: give it more partitions"
                ) from None
            raise

    def _begun(self, waiting: list[tuple[int, Any]], n: int) -> dict[Any, int]:
        """The next calls, so many of them, begun and taken out of those that wait; their futures with their numbers."""
        some, waiting[:] = waiting[:n], waiting[n:]
        if not some:
            return {}
        # Subtrees are sent on purpose, each to where it is needed: nobody can do anything about such a warning.
        with load_dask("dask.config").set({"distributed.admin.large-graph-warning-threshold": 1 << 40}):
            futures = self._client.compute([call for _, call in some], retries=RETRIES)
        return {future: number for future, (number, _) in zip(futures, some, strict=True)}


def _ended(futures: Sequence[Any], seconds: float | None) -> list[Any]:
    """Those that have ended, well or not: one at least, or whatever there is after so many seconds."""
    try:
        done = load_dask("distributed").wait(list(futures), timeout=seconds, return_when="FIRST_COMPLETED").done
    except TimeoutError:
        return []
    return [future for future in futures if future in done]


def _least_memory(client: Any) -> int:
    """The bytes of memory for each thread of a worker, of the one that has the least; 0 if nobody knows."""
    workers = client.scheduler_info()["workers"].values()
    return min((int(worker["memory_limit"] or 0) // max(1, worker["nthreads"]) for worker in workers), default=0)


def _check_workers(client: Any) -> None:
    """An error if workers have no ctree, or another one.

    They would fail to read what they are sent, and end, one after the other; and Dask would wait for more of them.
    """
    try:
        here = metadata.version(DISTRIBUTION)
    except metadata.PackageNotFoundError:  # it was not installed, but found on the path
        return
    # a function that every worker has
    for worker, there in client.run(metadata.version, DISTRIBUTION, on_error="return").items():
        if isinstance(there, metadata.PackageNotFoundError):
            raise CtreeError(f"the worker of Dask at {worker} has no ctree: install {DISTRIBUTION} {here} there")
        if isinstance(there, str) and there != here:
            raise CtreeError(f"the worker of Dask at {worker} has ctree {there}, but this process has {here}")


def current_client() -> Any:
    """The client that Dask would take now; None if there is none."""
    # Whoever has a client has imported it.
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return None
    try:
        return distributed.Client.current()
    except ValueError:
        return None


def connect(address: str, timeout: float = 10) -> Any:
    """A client of the scheduler at an address."""
    distributed = load_dask("distributed")
    try:
        # A client with an address that is none would wait, and print what it thinks of it, when it is thrown away.
        load_dask("distributed.comm").resolve_address(address)
        return distributed.Client(address, timeout=timeout, set_as_default=False)
    except (OSError, ValueError, TypeError):
        raise CtreeError(f"there is no scheduler of Dask at {address}") from None


def _place(part: PartLoader) -> Any:
    return part.coded if isinstance(part, DaskPart) else Held(part)
