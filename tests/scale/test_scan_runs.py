"""Scans as they run: threads, Ctrl-C, progress, what is kept and what goes."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np
import pytest
from support.arrow_tables import in_memory, random_table
from support.scanned import check_parts

import ctree
from ctree.errors import DataError
from ctree.scale import code_folder, coding_pass
from ctree.scale.threads import Team

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
pytest.importorskip("narwhals")


@pytest.fixture
def table():
    return random_table(np.random.default_rng(0), 500, names=("text", "normal", "double", "int8"))


@pytest.fixture
def path(tmp_path, table):
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=40)
    return tmp_path / "t.parquet"


@pytest.mark.parametrize("n", [1, 3])
def test_a_team_does_all_items_once(n):
    done = []
    Team(n).each(lambda number, item: done.append((number, item)), iter("abcdefgh"))
    assert sorted(done) == list(enumerate("abcdefgh"))


@pytest.mark.parametrize("n", [1, 3])
def test_an_error_in_a_thread_ends_all(n):
    team, done = Team(n), []

    def work(number, item):
        if item == 5:
            raise DataError("five")
        for _ in range(20):
            time.sleep(0.001)
            team.look()
        done.append(item)

    with pytest.raises(DataError, match="five"):
        team.each(work, iter(range(1000)))
    assert len(done) < 20
    with pytest.raises(DataError, match="from the items"):
        team.each(work, (1 / 1 if i < 3 else fail() for i in range(9)))


def fail():
    raise DataError("from the items")


def test_threads_give_the_same(path, table):
    for n_jobs in (None, 2, 5, -1):
        with ctree.scan_parquet(path, "the class", n_jobs=n_jobs) as cases:
            check_parts(cases, in_memory(table))


def test_progress_is_told(path, monkeypatch):
    monkeypatch.setattr(coding_pass, "Team", lambda n, poll: QuickTeam(n, poll))
    seen = []
    ctree.scan_parquet(path, "the class", progress=seen.append).close()
    assert {progress.phase for progress in seen} == {"coding", "ordering"}
    assert all(progress.unit == "cases" and 0 <= progress.done <= progress.total == 500 for progress in seen)

    def stop(progress):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ctree.scan_parquet(path, "the class", progress=stop)


class QuickTeam(Team):
    """Tells after every piece of work, not five times a second."""

    def each(self, work, items):
        def told(number, item):
            work(number, item)
            self._poll()

        super().each(told, items)


def test_parts_can_be_pickled(path):
    with ctree.scan_parquet(path, "the class") as cases:
        again = pickle.loads(pickle.dumps(cases.parts[3])).load()
        np.testing.assert_array_equal(again.codes[0], cases.parts[3].load().codes[0])
        assert not again.codes[0].flags.writeable


SCRIPT = """
import sys, time, tempfile, os
import numpy as np, pyarrow as pa, ctree
def batches():
    for i in range(100_000):
        if i == 60:
            print("ready", flush=True)
        yield pa.record_batch({"x": np.random.rand(20_000), "y": np.zeros(20_000, dtype=np.int8)})
        time.sleep(0.01 if i > 60 else 0)
%s
"""
INTERRUPTED = """
try:
    ctree.scan_arrow(batches, "y", n_jobs=2)
except KeyboardInterrupt:
    print(os.listdir(tempfile.gettempdir()), flush=True)
"""
ENDING = """
cases = ctree.scan_arrow(pa.table({"x": [1.0], "y": [1]}), "y")
print(len(os.listdir(tempfile.gettempdir())), flush=True)
"""


def run(script, folder):
    environment = {**os.environ, "TMPDIR": str(folder), "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen([sys.executable, "-c", SCRIPT % script], env=environment, stdout=subprocess.PIPE, text=True)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_ends_a_scan_and_leaves_nothing(tmp_path):
    process = run(INTERRUPTED, tmp_path)
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert out == "[]\n"
    assert process.returncode == 0


def test_nothing_is_left_when_python_ends(tmp_path):
    out, _ = run(ENDING, tmp_path).communicate(timeout=120)
    assert out == "1\n"
    assert list(tmp_path.iterdir()) == []


def test_a_cache_is_found_again(tmp_path, path, table, monkeypatch):
    cache = tmp_path / "cache"
    with ctree.scan_parquet(path, "the class", cache=cache) as cases:
        check_parts(cases, in_memory(table))
    (folder,) = cache.iterdir()
    times = {file: file.stat().st_mtime_ns for file in folder.iterdir()}
    monkeypatch.setattr(code_folder, "_note", fail)  # nothing is written again
    with ctree.scan_parquet(str(path), "the class", cache=str(cache), n_jobs=2) as cases:
        check_parts(cases, in_memory(table))
    assert times == {file: file.stat().st_mtime_ns for file in folder.iterdir()}


def test_a_cache_for_each_setting_and_state_of_the_files(tmp_path, path, table):
    cache = tmp_path / "cache"

    def scanned(**options):
        with ctree.scan_parquet(path, "the class", cache=cache, **options) as cases:
            return cases.schema, cases.n_cases

    scanned()
    assert scanned(ignore=["text"])[0].names == ("normal", "double", "int8")
    assert scanned(categorical_features=["int8", "text"])[0][3].is_discrete
    assert scanned(memory="1GB") == scanned()
    assert len(list(cache.iterdir())) == 4
    pq.write_table(table.slice(0, 100), path)
    assert scanned()[1] == 100
    assert len(list(cache.iterdir())) == 5


@pytest.mark.parametrize("what", ["codes.json", "bins.npz", "part"])
def test_a_damaged_cache_is_no_cache(tmp_path, path, table, what):
    cache = tmp_path / "cache"
    ctree.scan_parquet(path, "the class", cache=cache).close()
    (folder,) = cache.iterdir()
    victim = next(file for file in sorted(folder.iterdir()) if file.name.endswith(what))
    victim.write_bytes(victim.read_bytes()[:-40])
    for _ in range(2):
        with ctree.scan_parquet(path, "the class", cache=cache) as cases:
            check_parts(cases, in_memory(table))
    assert list(cache.iterdir()) == [folder]


def test_the_first_of_two_that_make_the_same_wins(tmp_path, path, table, monkeypatch):
    cache = tmp_path / "cache"
    real = code_folder._note

    def while_another_is_done(coding, folder):
        real(coding, folder)
        monkeypatch.setattr(code_folder, "_note", real)
        ctree.scan_parquet(path, "the class", cache=cache).close()

    monkeypatch.setattr(code_folder, "_note", while_another_is_done)
    with ctree.scan_parquet(path, "the class", cache=cache) as cases:
        assert len(list(cache.iterdir())) == 1
        check_parts(cases, in_memory(table))


def test_left_overs_of_a_process_that_is_gone_are_removed(tmp_path, path):
    cache = tmp_path / "cache"
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    host = code_folder.socket.gethostname()
    for name in (f".{host}-{gone.pid}-00", f".{host}-{os.getpid()}-00", ".elsewhere-1-00", "mine"):
        (cache / name).mkdir(parents=True)
    ctree.scan_parquet(path, "the class", cache=cache).close()
    left = {file.name for file in cache.iterdir()}
    assert len(left) == 4
    assert left >= {f".{host}-{os.getpid()}-00", ".elsewhere-1-00", "mine"}


def test_errors_leave_nothing_in_a_cache(tmp_path):
    pq.write_table(pa.table({"x": [1.0, np.inf], "y": [1, 2]}), tmp_path / "t.parquet")
    cache = tmp_path / "cache"
    with pytest.raises(DataError, match="infinite"):
        ctree.scan_parquet(tmp_path / "t.parquet", "y", cache=cache)
    assert list(cache.iterdir()) == []
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(DataError, match="codes cannot be kept there"):
        ctree.scan_parquet(tmp_path / "t.parquet", "y", cache=tmp_path / "file")


def test_csv_and_c45_and_arrow_are_cached(tmp_path):
    data = ctree.load_iris()
    ctree.write_csv(data, tmp_path / "iris.csv")
    ctree.write_c45(data, tmp_path / "iris")
    with pa.ipc.new_file(str(tmp_path / "iris.arrow"), pa.schema([("x", pa.float64()), ("y", pa.int8())])) as writer:
        writer.write_table(pa.table({"x": [1.0, 2.0], "y": pa.array([0, 1], pa.int8())}))
    for _ in range(2):
        with ctree.scan_csv(tmp_path / "iris.csv", cache=tmp_path / "cache") as cases:
            check_parts(cases, data)
        with ctree.scan_c45(tmp_path / "iris", cache=tmp_path / "cache") as cases:
            check_parts(cases, data)
        with ctree.scan_arrow(tmp_path / "iris.arrow", "y", cache=tmp_path / "cache") as cases:
            assert cases.class_counts.tolist() == [1, 1]
    assert len(list((tmp_path / "cache").iterdir())) == 3
    assert tempfile.gettempdir() != str(tmp_path)
