"""SparkJobs: a session of Spark in which jobs are run, and how they end."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from importlib import import_module
from typing import Any

from ctree.errors import CtreeError, missing
from ctree.scale.engines.spark_errors import STOPPED, in_words
from ctree.scale.engines.spark_rows import SCHEMA, Batches

BATCH = "spark.sql.execution.arrow.maxRecordsPerBatch"
BATCH_BYTES = "spark.sql.execution.arrow.maxBytesPerBatch"


def load_spark(module: str = "pyspark") -> Any:
    """A module of pyspark."""
    try:
        return import_module(module)
    except ImportError:
        raise missing("learning with Spark needs", "pyspark", "spark", "pyspark pandas pyarrow narwhals") from None


class SparkJobs:
    """A session in which jobs are run.

    Parameters
    ----------
    session : pyspark.sql.SparkSession
    """

    def __init__(self, session: Any) -> None:
        load_spark()
        self._session = session
        # A session of Connect has no context.
        self._context = None if "connect" in type(session).__module__ else session.sparkContext
        if self._is_stopped():
            raise CtreeError(STOPPED)
        with in_words():
            self.n_tasks: int = 0 if self._context is None else self._context.defaultParallelism
            """How many tasks run at the same time; 0 if nobody knows."""
            self._limits_bytes = _has(session, BATCH_BYTES)

    def map(self, frame: Any, function: Callable[[Batches], Iterator[Any]]) -> Any:
        """The rows that workers are to make of those of a frame."""
        if self._is_stopped():
            raise CtreeError(STOPPED)
        with in_words():
            return frame.mapInArrow(function, SCHEMA)

    def hold(self, frame: Any) -> Any:
        """The frame, whose rows are to stay where they are made, until `forget`."""
        return frame.persist(load_spark().StorageLevel.MEMORY_AND_DISK)

    def forget(self, frame: Any) -> None:
        """Let executors forget rows. Where the session was stopped they are gone already."""
        self._if_it_runs(frame.unpersist)

    @contextmanager
    def job(self, *, few_rows: bool = True) -> Iterator[None]:
        """Where jobs are run: Ctrl-C, and whatever else goes wrong, cancels them.

        Parameters
        ----------
        few_rows : bool
            Whether rows are few and large, so that one at a time goes to a worker.
        """
        tag, one = f"ctree-{uuid.uuid4().hex}", self._context
        add, remove, cancel = (
            (self._session.addTag, self._session.removeTag, self._session.interruptTag)
            if one is None
            else (one.addJobTag, one.removeJobTag, one.cancelJobsWithTag)
        )
        with in_words(), self._row_by_row() if few_rows else nullcontext():
            add(tag)
            try:
                yield
            except BaseException:
                self._if_it_runs(cancel, tag)
                raise
            finally:
                self._if_it_runs(remove, tag)

    @contextmanager
    def _row_by_row(self) -> Iterator[None]:
        """Let batches have one row, where Spark has no limit for their bytes."""
        if self._limits_bytes:
            yield
            return
        conf = self._session.conf
        before = conf.get(BATCH)
        conf.set(BATCH, "1")
        try:
            yield
        finally:
            self._if_it_runs(conf.set, BATCH, before)

    def _if_it_runs(self, call: Callable[..., Any], *arguments: Any) -> None:
        """Call something of the session, unless that was stopped meanwhile."""
        if not self._is_stopped():
            with suppress(CtreeError), in_words():
                call(*arguments)

    def _is_stopped(self) -> bool:
        return self._context is not None and getattr(self._context, "_jsc", None) is None


def _has(session: Any, setting: str) -> bool:
    try:
        session.conf.get(setting)
    except Exception:
        return False
    return True
