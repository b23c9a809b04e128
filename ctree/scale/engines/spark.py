"""SparkEngine: passes by the executors of Spark, over rows that have coded cases in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from ctree.scale.coded_part import CodedPart
from ctree.scale.engines import spark_tasks as tasks
from ctree.scale.engines.engine import FAN_IN, PartLoader, combined, key_groups
from ctree.scale.engines.spark_jobs import SparkJobs
from ctree.scale.engines.spark_rows import SCHEMA, Row, dumps, told, unfaulty
from ctree.scale.frame_coding import PieceNumber

_R = TypeVar("_R")
_P = TypeVar("_P")

GROUPS = 4
"""So many groups of keys for each task that runs at the same time, at most: enough to share the work out evenly."""
JOINED = 64
"""So many results, about, a task combines before they go to the caller."""


@dataclass(frozen=True)
class SparkPart:
    """Some of the cases, held by executors.

    Parameters
    ----------
    n : int
    held : SparkRows
    piece : pair of int
    """

    n: int
    held: SparkRows
    piece: PieceNumber

    def load(self) -> CodedPart:
        """The cases, fetched to this process."""
        here = self.held.frame.where(f"part = {self.piece[0]} and start = {self.piece[1]}")
        with self.held.engine.job():
            part: CodedPart = told(here.select("content").collect()[0]["content"])
        return part


@dataclass(frozen=True)
class SparkRows:
    """Rows that executors hold.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        With the columns of `Row`.
    n_tasks : int
        How many of its partitions have rows, about.
    n_rows : int
    """

    frame: Any
    n_tasks: int
    n_rows: int
    engine: SparkEngine


class SparkEngine(SparkJobs):
    """Jobs of Spark over frames of binary rows, whose tasks depend on nothing but what they are given.

    Spark decides where each runs. What a lost executor held it computes again, from the frame on if need be.

    Parameters
    ----------
    session : pyspark.sql.SparkSession
    """

    name = "spark"
    at_once = 1
    n_processes = 1
    """A worker of Spark is a process with one task."""

    def each(
        self,
        task: Callable[[Iterable[CodedPart]], _R],
        parts: Sequence[PartLoader],
        *,
        combine: Callable[[Sequence[_R]], _R],
    ) -> _R:
        """See `Engine`."""
        if not parts:
            return task(())
        held = self._held(parts)
        result: _R = self.joined(self.map(held.frame, tasks.run(task)), held.n_tasks, combine)
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
        """See `Engine`. Keys go to workers in groups, and those of a group one after the other.

        The pieces of one key alone, which may be all cases, come here and are worked on here: no row could hold what
        becomes of them.
        """
        if not parts or not keys:
            return {key: work(key, []) for key in keys}
        held = self._held(parts)
        groups = key_groups(keys, GROUPS * max(self.n_tasks, held.n_tasks), room)
        order = {key: place for place, key in enumerate(keys)}
        places = [[order[key] for key in group] for group in groups]
        divided = self.map(held.frame, tasks.divided(split, places))
        if len(keys) == 1:
            with self.job():
                rows = divided.select("part", "start", "content", "told").toLocalIterator()
                some = [(row["part"], row["start"], told(row["content"] or row["told"])) for row in rows]
            some.sort(key=lambda one: one[:2])
            pieces = [one.pop() for one in unfaulty([one[2] for one in some])]
            del some
            return {key: work(key, pieces) for key in keys}
        by_group = divided.repartition(len(groups), "slot").sortWithinPartitions("slot", "part", "start")
        results = self.results(self.map(by_group, tasks.worked(work, groups)))
        found = {key: result for some in results for key, result in some.items()}
        return {key: found[key] for key in keys}

    def joined(self, frame: Any, n: int, combine: Callable[[Sequence[Any]], Any]) -> Any:
        """What the rows of a frame tell, combined: by workers first if there are more than a few."""
        while n > FAN_IN:
            n = max(FAN_IN, -(-n // JOINED))
            frame = self.map(frame.repartition(n), tasks.combined(combine))
        return combined(self.results(frame), combine)

    def results(self, frame: Any) -> list[Any]:
        """What the rows of a frame tell."""
        with self.job():
            return unfaulty([told(row["told"]) for row in frame.select("told").collect()])

    def _held(self, parts: Sequence[PartLoader]) -> SparkRows:
        """The rows of all parts: those that executors hold, or those of any loaders."""
        first = parts[0]
        if isinstance(first, SparkPart):
            assert len(parts) == first.held.n_rows
            return first.held
        rows = [tuple(Row(part=i, content=dumps(part))) for i, part in enumerate(parts)]
        return SparkRows(self._session.createDataFrame(rows, SCHEMA), max(1, self.n_tasks), len(rows), self)
