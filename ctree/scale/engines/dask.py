"""DaskEngine: passes by the workers of a Dask cluster, or by a scheduler of Dask in this process."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeVar

from ctree.errors import CtreeError, MissingExtraError, ParameterError
from ctree.scale.coded_part import CodedPart
from ctree.scale.engines import dask_tasks as tasks
from ctree.scale.engines.dask_tasks import Held
from ctree.scale.engines.engine import PartLoader, combined, key_groups

_R = TypeVar("_R")
_P = TypeVar("_P")

RETRIES = 3
GROUPS = 4
"""So many groups of keys for each thread of the workers, at most: enough to share the work out evenly."""


def load_dask(module: str = "dask") -> Any:
    """A module of Dask."""
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtraError("learning with Dask needs dask: pip install 'ctree-learn[dask]'") from None


@dataclass(frozen=True)
class DaskPart:
    """Some of the cases, held by workers.

    Parameters
    ----------
    n : int
    coded : Delayed
        A `CodedPart`, kept by `DaskEngine.keep`.
    """

    n: int
    coded: Any

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
        self.at_once, self._n_threads = 1, 1
        if self._client is None:
            return
        if self._client.asynchronous:
            raise ParameterError("the client of Dask is asynchronous: fit needs one that waits for results")
        if self._client.status != "running":
            raise CtreeError(f"the client of Dask has no scheduler any more: it is {self._client.status}")
        threads = list(self._client.nthreads().values())
        self.at_once, self._n_threads = max(threads, default=1), max(1, sum(threads))

    def each(
        self,
        task: Callable[[Iterable[CodedPart]], _R],
        parts: Sequence[PartLoader],
        *,
        combine: Callable[[Sequence[_R]], _R],
    ) -> _R:
        """See `Engine`."""
        what, how = self._sent(task), self._sent(combine)
        results = [self.call(tasks.run, what, _place(part)) for part in parts] or [self.call(tasks.run, what)]
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
        how, what = self._sent(split), self._sent(work)
        divided = [self.call(tasks.divide, how, _place(part), places) for part in parts]
        works = [
            self.call(tasks.work, what, Held(group), [some[g] for some in divided]) for g, group in enumerate(groups)
        ]
        found = {key: result for results in self.results(works) for key, result in results.items()}
        return {key: found[key] for key in keys}

    def share(self, content: Any) -> Any:
        """What many calls are given, sent once; Dask can make it again if the worker that has it is lost."""
        return self.call(tasks.content, Held(content))

    def _sent(self, content: Any) -> Any:
        """What the calls of a pass are given: with each of them if it is small, as fetching it would take longer."""
        return Held(content) if tasks.is_small(content) else self.share(content)

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """A call of a function that is still to be made, as a Delayed."""
        return load_dask().delayed(function, pure=False)(*arguments)

    def keep(self, calls: Sequence[Any]) -> list[Any]:
        """Begin calls whose results stay where they are, as long as what is returned."""
        if self._client is None:
            return list(load_dask().persist(*calls))
        return list(self._client.persist(list(calls), retries=RETRIES))

    def drop(self, kept: Sequence[Any]) -> None:
        """Give up what was to be kept."""
        if self._client is not None and kept:
            self._client.cancel(list(kept))

    def results(self, calls: Sequence[Any]) -> list[Any]:
        """The results of calls. Whatever goes wrong, and Ctrl-C, takes back those that are under way."""
        if self._client is None:
            return list(load_dask().compute(*calls))
        futures = self._client.compute(list(calls), retries=RETRIES)
        try:
            return list(self._client.gather(futures))
        except BaseException as error:
            self._client.cancel(futures)
            if isinstance(error, CancelledError):
                raise CtreeError("Dask has cancelled the work: its scheduler or client was closed") from None
            if isinstance(error, load_dask("distributed").KilledWorker):
                raise CtreeError(
                    "workers of Dask died again and again at the same task; they may have too little memory for a part "
                    "of the frame: give it more partitions"
                ) from None
            raise


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
        return distributed.Client(address, timeout=timeout, set_as_default=False)
    except (OSError, ValueError, TypeError):
        raise CtreeError(f"there is no scheduler of Dask at {address}") from None


def _place(part: PartLoader) -> Any:
    return part.coded if isinstance(part, DaskPart) else Held(part)
