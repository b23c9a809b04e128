"""The benchmarks can be run: they know the names of today."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.mark.parametrize("path", sorted(BENCHMARKS.glob("*.py")), ids=lambda path: path.stem)
def test_its_imports_are_there(path, monkeypatch):
    pytest.importorskip("sklearn")
    monkeypatch.syspath_prepend(BENCHMARKS)  # they share the generator of `mixed`
    assert runpy.run_path(str(path), run_name="benchmark")["__doc__"]


def test_all_methods_are_timed():
    command = [sys.executable, str(BENCHMARKS / "methods.py"), "--cases", "300", "--repeats", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "probability tree, mdl-stop" in done.stdout


def test_what_threads_gain_is_reckoned():
    # With as many cases as it takes for threads to share the pruning.
    command = [sys.executable, str(BENCHMARKS / "threads.py"), "--cases", "20000", "--repeats", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for phase in ("growing", "prune", "trees", "_sort", "_grow_subtree", "_do"):
        assert f"  {phase} " in done.stdout
