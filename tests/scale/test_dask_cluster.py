"""A cluster of two processes: the same trees as in memory, even if workers are killed, and an end by Ctrl-C."""

from __future__ import annotations

import glob
import os
import pathlib
import signal
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from functools import partial
from importlib import metadata
from typing import Any

import numpy as np
import pytest

import ctree
from ctree.errors import CtreeError, DataError, ParameterError
from ctree.learners.levels import growing
from ctree.scale import dask_cases, frame_scan
from ctree.scale.coded_part import CodedPart
from ctree.scale.engines import dask as dask_engine
from ctree.scale.engines.dask import DaskEngine
from ctree.scale.sized import bytes_in
from tests.scale.frames import fields, in_memory, random_table

pytestmark = pytest.mark.engine
pytest.importorskip("pandas")
dd = pytest.importorskip("dask.dataframe")
dask = pytest.importorskip("dask")
# A worker that was killed is back sooner if it is forked.
dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"})
distributed = pytest.importorskip("distributed")

TOO_LONG = 120


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where workers put temporary files."""
    return tmp_path_factory.mktemp("workers")


@pytest.fixture(scope="module")
def cluster(folder):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(folder))
        # Workers import this module; they take the path over, and pytest alone does not put the root there.
        patch.setattr(sys, "path", [*sys.path, str(pathlib.Path(__file__).parents[2])])
        with distributed.LocalCluster(
            processes=True,
            n_workers=2,
            threads_per_worker=1,
            dashboard_address=None,
            local_directory=str(folder / "dask"),
        ) as cluster:
            yield cluster


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster, set_as_default=False) as client, client.as_current():
        try:
            # those that a test has killed come back by themselves, unless the machine is very busy
            client.wait_for_workers(2, timeout=20)
        except TimeoutError:
            renew(cluster, client)
        yield client


def renew(cluster, client):
    """New workers, where Dask has not brought back those that were killed."""
    cluster.scale(0)
    cluster.scale(2)
    client.wait_for_workers(2, timeout=60)


@pytest.fixture(autouse=True)
def no_hang():
    """An error instead of a test that never ends."""

    def stop(*_):
        raise TimeoutError("it hangs")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(TOO_LONG)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def small(monkeypatch):
    """Small sizes, so that all passes have something to do."""
    monkeypatch.setattr(growing, "gathered", lambda source: 200)
    monkeypatch.setattr(frame_scan, "MOST_BINS", 16)
    monkeypatch.setattr(frame_scan, "SAMPLE", 200)
    monkeypatch.setattr(dask_cases.DaskCases, "collects", False)


@pytest.mark.parametrize(
    ("learner", "n_partitions"),
    [
        (ctree.ProbabilityTreeClassifier(approach="mdl-prune"), 7),
        (ctree.BayesianTreeClassifier(), 1),
        (ctree.NaiveBayesClassifier(), 12),
        (ctree.C45Classifier(arithmetic="double"), 5),
    ],
    ids=repr,
)
def test_the_same_model_as_in_memory(client, small, learner, n_partitions):
    table = random_table(800)
    frame = dd.from_pandas(table, npartitions=n_partitions, sort=False)
    model = type(learner)(**learner.get_params()).fit(frame, y="label")
    assert fields(model) == fields(in_memory(learner, table))
    rows = table.drop(columns="label")
    assert model.predict(frame).compute().tolist() == model.predict(rows).tolist()
    np.testing.assert_array_equal(model.predict_proba(frame).compute().to_numpy(), model.predict_proba(rows))


def test_progress_begins_with_the_coding(client, small):
    told = []
    frame = dd.from_pandas(random_table(400), npartitions=5, sort=False)
    ctree.ProbabilityTreeClassifier().fit(frame, y="label", progress=told.append)
    phases = list(dict.fromkeys(one.phase for one in told))
    assert phases[:4] == ["reading", "finding values", "coding", "growing"]
    assert all(one.total == 5 and 0 <= one.done <= 5 for one in told if one.phase in ("reading", "coding"))


def test_what_fits_is_collected(client):
    table = random_table(300)
    model = ctree.C45Classifier().fit(dd.from_pandas(table, npartitions=3, sort=False), y="label")
    assert fields(model) == fields(in_memory(ctree.C45Classifier(), table))


@dataclass(frozen=True)
class DiesOnce:
    """A function whose first call, wherever that is, kills the process."""

    function: Any
    mark: str

    @property
    def __name__(self):
        return getattr(self.function, "__name__", type(self.function).__name__)

    def __call__(self, *arguments):
        try:
            os.close(os.open(self.mark, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return self.function(*arguments)
        os.kill(os.getpid(), signal.SIGKILL)
        return time.sleep(60)


class DeadlyEngine(DaskEngine):
    """Kills a worker at some kinds of tasks and passes, once for each."""

    def __init__(self, client=None, *, marks):
        super().__init__(client)
        self.marks = marks

    def each(self, task, parts, *, combine):
        return super().each(self.deadly(task, type(task).__name__), parts, combine=combine)

    def call(self, function, *arguments, near=""):
        return super().call(self.deadly(function, function.__name__), *arguments, near=near)

    def deadly(self, function, name):
        return DiesOnce(function, self.marks[name]) if name in self.marks else function


ALL = ["as_table", "survey", "code", "put_right", "CountTask", "OpenTask", "combine", "divide", "work"]


@pytest.mark.parametrize(
    "places",
    [["code", "CountTask", "OpenTask", "work"], *(pytest.param([place], marks=pytest.mark.slow) for place in ALL)],
    ids="-".join,
)
def test_a_lost_worker_changes_nothing(cluster, client, small, places, monkeypatch, tmp_path, folder):
    marks = {place: str(tmp_path / place) for place in places}
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setattr(dask_cases, "DaskEngine", partial(DeadlyEngine, marks=marks))
    if "put_right" in places:
        monkeypatch.setattr(frame_scan, "MOST_BINS", 200)
    table = random_table(800)
    model = ctree.ProbabilityTreeClassifier(approach="c4.4")
    frame = dd.from_pandas(table, npartitions=5, sort=False)
    try:
        model.fit(frame, y="label")
    except TimeoutError:
        # a fit waits as long as there are no workers: Dask's own, on a busy machine, may not have come back
        if client.scheduler_info()["workers"]:
            raise
        renew(cluster, client)
        signal.alarm(TOO_LONG)
        model.fit(frame, y="label")
    assert sorted(os.listdir(tmp_path)) == sorted(places), "nobody was killed there"
    assert fields(model) == fields(in_memory(ctree.ProbabilityTreeClassifier(approach="c4.4"), table))
    assert model.fit_info_["engine"] == "dask"
    assert glob.glob("ctree*", root_dir=folder) == []


def test_workers_that_die_at_a_task_again_and_again_are_an_error(cluster, client, monkeypatch):
    class Always(DaskEngine):
        def call(self, function, *arguments, near=""):
            return super().call(_die if function.__name__ == "survey" else function, *arguments, near=near)

    monkeypatch.setattr(dask_cases, "DaskEngine", Always)
    monkeypatch.setattr(cluster.scheduler, "allowed_failures", 0)
    with pytest.raises(CtreeError, match="workers of Dask died again and again at the same task"):
        ctree.scan_dask(dd.from_pandas(random_table(30), npartitions=1), "label", client=client)


def _die(*_):
    os.kill(os.getpid(), signal.SIGKILL)


@dataclass(frozen=True)
class Loader:
    n: int

    def load(self):
        return CodedPart(self.n, (), (), np.zeros(self.n, dtype=np.uint8), None)


def count(parts):
    return [part.n for part in parts]


def slow_count(parts):
    time.sleep(1)
    return count(parts)


def join(results):
    return [n for result in results for n in result]


def split(part):
    return [[(key, part.n)] for key in (7, 3, 5)]


@dataclass(frozen=True)
class FailsOnce:
    """Work that takes its pieces apart, and fails at the first try."""

    mark: str

    def __call__(self, key, pieces):
        found = key, [piece.pop() for piece in pieces]
        if not os.path.exists(self.mark):
            open(self.mark, "w").close()
            raise OSError("no luck")
        return found


@pytest.mark.parametrize("n_parts", [0, 1, 40])
def test_an_engine_gives_every_part_to_one_call(client, n_parts, tmp_path):
    engine = DaskEngine(client)
    assert sorted(engine.each(count, [Loader(i) for i in range(n_parts)], combine=join)) == list(range(n_parts))
    work = FailsOnce(str(tmp_path / "failed"))
    found = engine.by_key(split, work, [Loader(i) for i in range(n_parts)], {7: 3, 3: 1, 5: 1}, room=1)
    assert list(found.items()) == [(key, (key, [(key, i) for i in range(n_parts)])) for key in (7, 3, 5)]


def n_at_once(parts):
    return [sum(1 for _ in parts)]


def test_a_task_takes_parts_that_one_worker_has(client, monkeypatch):
    engine = DaskEngine(client)
    with ctree.scan_dask(dd.from_pandas(random_table(800), npartitions=16, sort=False), "label") as cases:
        assert [part.n for part in cases.parts] == [part.load().n for part in cases.parts]
        assert all(part.n_bytes >= bytes_in(part.load()) / 2 for part in cases.parts)
        groups = engine._together(cases.parts)
        places = client.who_has([part.coded for part in cases.parts])
        assert sorted(i for group in groups for i in group) == list(range(16))
        for group in groups:
            assert len({places[cases.parts[i].coded.key] for i in group}) == 1
        taken = engine.each(n_at_once, cases.parts, combine=join)
        assert sum(taken) == 16
        assert max(taken) > 1
        assert len(groups) <= engine.n_processes * engine.at_once  # nothing waits that could be moved, with its parts
        monkeypatch.setattr(engine, "_most_together", 1)
        assert engine.each(n_at_once, cases.parts, combine=join) == [1] * 16


@dataclass(frozen=True)
class OwnKeys:
    """Work that says which keys it was given."""

    keys: tuple[int, ...]

    def for_keys(self, keys):
        return OwnKeys(tuple(keys))

    def __call__(self, key, pieces):
        assert key in self.keys
        return self.keys


def test_work_is_sent_with_what_its_keys_need(client):
    found = DaskEngine(client).by_key(split, OwnKeys((7, 3, 5)), [Loader(1)], {7: 3, 3: 1, 5: 1}, room=3)
    assert found[7] == (7,)
    assert len(found[3]) < 3


def address(_held, _shared):
    return distributed.get_worker().address


def test_calls_are_made_where_their_table_is_and_elsewhere_if_that_is_gone(client):
    engine = DaskEngine(client)
    held = engine.keep([engine.call(np.zeros, 1000) for _ in range(12)])
    shared = engine.share(np.zeros(1000))
    distributed.wait(distributed.futures_of(held))
    places = engine.places(held)
    calls = [engine.call(address, one, shared, near=place) for one, place in zip(held, places, strict=True)]
    assert engine.results(calls) == places
    nobody = [engine.call(address, one, shared, near="tcp://127.0.0.1:1") for one in held]
    assert set(engine.results(nobody)) <= set(client.scheduler_info()["workers"])


def test_ctrl_c_takes_back_the_tasks(client):
    engine = DaskEngine(client)
    timer = threading.Timer(1.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        engine.each(slow_count, [Loader(i) for i in range(2 * TOO_LONG)], combine=join)
    timer.join()
    # If the others were still to be done, there would be no time for this.
    assert engine.each(count, [Loader(1)], combine=join) == [1]


def test_the_codes_go_when_the_cases_are_closed(client, small):
    with ctree.scan_dask(dd.from_pandas(random_table(100), npartitions=3, sort=False), "label") as cases:
        held = [part.coded.key for part in cases.parts]
        assert set(held) <= {key for key, places in client.who_has().items() if places}
    deadline = time.monotonic() + 30
    while set(held) & {key for key, places in client.who_has().items() if places}:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_errors_of_workers_are_those_of_memory(client):
    table = random_table(100)
    table.loc[70, "x"] = np.inf
    with pytest.raises(DataError, match="partition 1: row 21: attribute 'x' has an infinite value"):
        ctree.scan_dask(dd.from_pandas(table, npartitions=2, sort=False), "label")


def test_workers_need_the_same_ctree(client, monkeypatch):
    monkeypatch.setattr(dask_engine, "DISTRIBUTION", "numpy")
    DaskEngine(client)
    monkeypatch.setattr(dask_engine.metadata, "version", partial(_other_version, os.getpid()))
    with pytest.raises(CtreeError, match=r"the worker of Dask at tcp://.* has ctree 2\.0, but this process has 1\.0"):
        DaskEngine(client)
    monkeypatch.setattr(dask_engine.metadata, "version", partial(_no_version, os.getpid()))
    with pytest.raises(CtreeError, match=r"at tcp://.* has no ctree: install numpy 1\.0 there"):
        DaskEngine(client)


def _other_version(here, name):
    return "1.0" if os.getpid() == here else "2.0"


def _no_version(here, name):
    if os.getpid() == here:
        return "1.0"
    raise metadata.PackageNotFoundError(name)


def test_clients_that_cannot_be_used(cluster):
    with distributed.Client(cluster, set_as_default=False) as client:
        pass
    with pytest.raises(CtreeError, match="the client of Dask has no scheduler any more: it is closed"):
        DaskEngine(client)

    class Waiting:
        asynchronous = True

    with pytest.raises(ParameterError, match="the client of Dask is asynchronous"):
        DaskEngine(Waiting())
