"""Threads that share parts: all of them, once each, and an end whenever something goes wrong."""

from __future__ import annotations

import os
import signal
import threading
import time
from dataclasses import dataclass, field

import numpy as np
import pytest

from ctree.scale.coded_part import CodedPart
from ctree.scale.engines.engine import combined
from ctree.scale.engines.local import LocalEngine
from ctree_ext.base.interrupts import check_requests, run_stoppable, work_for


@dataclass
class Loader:
    """A part of so many cases; notes how many are in memory at once."""

    n: int
    held: list = field(default_factory=list)

    def load(self):
        part = CodedPart(self.n, (), (), np.zeros(self.n, dtype=np.uint8), None)
        self.held.append(self.n)
        return part


def count(parts):
    total = 0
    for part in parts:
        total += part.n
    return [total]


def add(results):
    return [sum(result[0] for result in results)]


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("n_parts", [0, 1, 2, 40])
def test_every_part_counts_once(threads, n_parts):
    held = []
    parts = [Loader(i, held) for i in range(n_parts)]
    assert LocalEngine(threads).each(count, parts, combine=add) == [sum(range(n_parts))]
    assert sorted(held) == list(range(n_parts))


def test_results_are_combined_a_few_at_a_time():
    sizes = []

    def noted(results):
        sizes.append(len(results))
        return [x for result in results for x in result]

    assert combined([[i] for i in range(100)], noted) == list(range(100))
    assert max(sizes) == 8


@pytest.mark.parametrize("threads", [1, 3])
def test_pieces_go_to_their_keys_in_the_order_of_the_parts(threads):
    def split(part):
        return [(key, part.n) for key in (7, 3, 5)]

    def work(key, pieces):
        return key, list(pieces)

    parts = [Loader(i) for i in range(20)]
    found = LocalEngine(threads).by_key(split, work, parts, {7: 1, 3: 1, 5: 1}, room=10)
    assert list(found) == [7, 3, 5]
    for key, (same, pieces) in found.items():
        assert same == key
        assert pieces == [(key, i) for i in range(20)]


def test_no_more_work_at_once_than_there_is_room_for():
    running, most = [], []
    lock = threading.Lock()

    def work(key, pieces):
        with lock:
            running.append(key)
            most.append(sum(running))
        time.sleep(0.01)
        with lock:
            running.remove(key)

    keys = {size: size for size in (50, 7, 6, 5, 4, 3, 2, 1)}
    LocalEngine(4).by_key(lambda part: list(keys), work, [], keys, room=8)
    assert max(m for m in most if m != 50) <= 8
    assert len(most) == 8


@pytest.mark.parametrize("threads", [1, 3])
def test_an_error_of_a_task_is_raised_once_and_stops_the_others(threads):
    started, stopped = [], []

    def task(parts):
        for part in parts:
            started.append(part.n)
            if part.n == threads - 1:
                raise OSError("no luck")
            try:
                work_for(10_000, 60.0)  # a kernel that would go on for long
            except KeyboardInterrupt:
                stopped.append(part.n)
                raise

    with pytest.raises(OSError, match=r"^no luck$"):
        LocalEngine(threads).each(task, [Loader(i) for i in range(50)], combine=add)
    assert len(started) <= threads
    assert sorted(stopped) == sorted(n for n in started if n != threads - 1)
    assert not [t for t in threading.enumerate() if t.name.startswith("ctree")]


@pytest.mark.parametrize("threads", [1, 3])
def test_a_part_that_cannot_be_loaded(threads):
    class Gone(Loader):
        def load(self):
            raise FileNotFoundError("part 7 is gone")

    parts = [Loader(1), Loader(1), Gone(1), Loader(1)]
    with pytest.raises(FileNotFoundError, match="part 7 is gone"):
        LocalEngine(threads).each(count, parts, combine=add)
    with pytest.raises(FileNotFoundError, match="part 7 is gone"):
        LocalEngine(threads).by_key(lambda part: [0], lambda key, pieces: 0, parts, {0: 1}, room=1)


@pytest.mark.parametrize("threads", [1, 3])
def test_an_error_of_work_on_a_key(threads):
    def work(key, pieces):
        if key == 4:
            raise ValueError("key 4")
        check_requests()

    with pytest.raises(ValueError, match=r"^key 4$"):
        LocalEngine(threads).by_key(lambda part: [0] * 9, work, [Loader(1)], dict.fromkeys(range(9), 1), room=1)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("where", ["each", "by_key"])
def test_ctrl_c_ends_all_threads_in_the_middle_of_a_kernel(threads, where):
    ended = []

    def busy(*_):
        try:
            work_for(10_000, 60.0)
        finally:
            ended.append(threading.current_thread().name)

    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    parts = [Loader(1) for _ in range(6)]
    engine = LocalEngine(threads)
    calls = {
        "each": lambda: engine.each(busy, parts, combine=add),
        "by_key": lambda: engine.by_key(lambda part: [0] * 3, busy, parts, {0: 1, 1: 1, 2: 1}, room=3),
    }
    with pytest.raises(KeyboardInterrupt):
        calls[where]()
    timer.join()
    assert len(ended) == threads
    assert not [t for t in threading.enumerate() if t.name.startswith("ctree")]


def test_a_request_ends_only_the_thread_that_is_asked():
    with pytest.raises(KeyboardInterrupt):
        run_stoppable(lambda: work_for(10_000, 20.0), lambda: True)
    work_for(10_000, 0.01)
    check_requests()
    assert run_stoppable(lambda: 5, lambda: False) == 5
