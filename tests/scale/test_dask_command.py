"""`ctree learn --engine dask`: the model of other engines, errors in a sentence, and an end by Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

import ctree
from ctree.cli.main import main
from ctree.learners.levels import growing
from ctree.scale import held_cases
from ctree.scale.engines.dask import connect as ctree_connect
from tests.scale.test_command import table

pytestmark = pytest.mark.engine
pytest.importorskip("pandas")
pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")
pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(scope="module")
def cluster():
    with distributed.LocalCluster(
        processes=False, n_workers=2, threads_per_worker=1, dashboard_address=":0", protocol="tcp://"
    ) as cluster:
        yield cluster


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """Call the command in a directory with cases; its exit status, and what it wrote."""
    monkeypatch.chdir(tmp_path)
    for i, unknown in enumerate((0.0, 0.1)):
        cases = table(1_000, unknown=unknown)
        for part in range(2):
            name = f"{'whole' if i == 0 else 'gaps'}-{part}.parquet"
            parquet.write_table(cases.slice(500 * part, 500), name, row_group_size=200)

    def call(*words):
        status = main(["learn", *words])
        return status, *capsys.readouterr()

    return call


@pytest.mark.parametrize("name", ["whole", "gaps"])
def test_the_model_and_the_words_are_those_of_one_process(name, command, cluster, monkeypatch):
    words = [f"{name}-*.parquet", "--class", "label", "--method", "mdl-prune", "--min-cases", "5"]
    dask = ["--engine", "dask", "--scheduler", cluster.scheduler_address]
    in_memory = command(*words)
    assert command(*words, *dask) == in_memory
    assert "Learned:   in memory, as all cases fit\n" in in_memory[1]
    monkeypatch.setattr(held_cases.HeldCases, "collects", False)
    monkeypatch.setattr(growing, "gathered", lambda source: 100)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False)
    local, found = command(*words, "-o", "local.json"), command(*words, *dask, "-o", "dask.json")
    assert (found[0], found[2]) == (0, "")
    learned = next(line for line in found[1].splitlines() if line.startswith("Learned:"))
    assert "passes by the workers of Dask, " in learned

    def same(text):
        return [line for line in text.splitlines() if not line.startswith(("Learned:", "Saved:"))]

    assert same(found[1]) == same(local[1])
    if name == "whole":
        assert repr(ctree.load("dask.json")._to_fields()) == repr(ctree.load("local.json")._to_fields())


def test_columns_to_leave_out_and_weights(command, cluster, monkeypatch):
    cases = parquet.read_table("whole-0.parquet")
    days = pyarrow.array(range(500), type=pyarrow.int32()).cast(pyarrow.date32())
    cases = cases.append_column("often", pyarrow.array([i % 3 for i in range(500)])).append_column("day", days)
    parquet.write_table(cases, "weighted.parquet", row_group_size=200)
    monkeypatch.setattr(held_cases.HeldCases, "collects", False)
    words = ["weighted.parquet", "--class", "label", "--method", "bic-stop", "--ignore", "day,y", "--weights", "often"]
    assert command(*words, "-o", "local.json")[0] == 0
    status, out, _ = command(*words, "-o", "dask.json", "--engine", "dask", "--scheduler", cluster.scheduler_address)
    assert status == 0
    assert "333 cases, 2 attributes" in out
    assert repr(ctree.load("dask.json")._to_fields()) == repr(ctree.load("local.json")._to_fields())


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("whole-0.parquet", "--class", "label", "--scheduler", "tcp://x:1"), "--scheduler is for --engine dask: "),
        (("cases.csv", "--class", "label", "--engine", "dask"), "cases.csv: --engine dask is for Parquet files"),
        (("whole-0.parquet", "--engine", "dask"), "whole-0.parquet: --class is needed: "),
        (("whole-0.parquet", "--class", "labl", "--engine", "dask"), "whole-0.parquet: there is no column 'labl' "),
    ],
)
def test_errors(words, told, command):
    status, out, err = command(*words)
    assert (status, out) == (2, "")
    assert err.startswith(f"ctree: {told}")
    assert err.count("\n") == 1


@pytest.mark.parametrize("address", ["nonsense", "ftp://127.0.0.1:9", "tcp://127.0.0.1:none"])
def test_what_is_no_address_is_told_at_once(address, command, monkeypatch):
    clients = []
    monkeypatch.setattr(distributed.Client, "__init__", lambda self, *_, **__: clients.append(self))
    words = ("whole-0.parquet", "--class", "label", "--engine", "dask", "--scheduler", address)
    assert command(*words) == (1, "", f"ctree: there is no scheduler of Dask at {address}\n")
    assert not clients  # one would wait, and complain, when it is thrown away


def test_no_scheduler(command, monkeypatch):
    monkeypatch.setattr("ctree.cli.dask_source.connect", lambda address: ctree_connect(address, timeout=0.5))
    words = "whole-0.parquet", "--class", "label", "--engine", "dask", "--scheduler", "tcp://127.0.0.1:9"
    assert command(*words) == (1, "", "ctree: there is no scheduler of Dask at tcp://127.0.0.1:9\n")


def test_without_dask(command, monkeypatch):
    monkeypatch.setitem(sys.modules, "dask.dataframe", None)
    status, out, err = command("whole-0.parquet", "--class", "label", "--engine", "dask")
    assert (status, out) == (1, "")
    assert (
        err == "ctree: learning with Dask needs dask (the extra 'dask'), which is not installed; to install it: "
        "pip install 'dask[dataframe,distributed]' pyarrow narwhals\n"
    )


SLOW = """
import sys, time
from ctree.cli.main import main
from ctree.scale.engines import dask
from ctree.scale.held_cases import HeldCases

class Slow:
    def __init__(self, function): self.function = function
    def __call__(self, *arguments):
        time.sleep(4)
        return self.function(*arguments)

call = dask.DaskEngine.call
def slow(self, function, *arguments, **where):
    if function.__name__ != PLACE:
        return call(self, function, *arguments, **where)
    print("now", file=sys.stderr, flush=True)
    return call(self, Slow(function), *arguments, **where)

dask.DaskEngine.call = slow
HeldCases.collects = False
if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(("place", "own"), [("survey", False), ("code", False), ("run", False), ("run", True)])
def test_ctrl_c_leaves_nothing_behind(place, own, command, cluster, tmp_path):
    script = tmp_path / "slow.py"
    script.write_text(SLOW.replace("PLACE", repr(place)))
    for i in range(2, 40):
        os.link("whole-0.parquet", f"whole-{i}.parquet")
    words = ["learn", "whole-*.parquet", "--class", "label", "--method", "bic-stop", "--engine", "dask"]
    words += [] if own else ["--scheduler", cluster.scheduler_address]
    process = subprocess.Popen(
        [sys.executable, str(script), *words],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    assert process.stderr.readline() == b"now\n"
    time.sleep(1.5)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does, to the workers of the command too
    _, err = process.communicate(timeout=60)
    told = [line for line in err.decode().splitlines() if line != "now"]
    assert (process.returncode, told) == (130, ["ctree: interrupted"])
    deadline = time.monotonic() + 30
    while cluster.scheduler.tasks or _is_there(process.pid):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def _is_there(group):
    """Whether there is a process of a group."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
