"""Libraries that are imported in the middle of work, whole even when Ctrl-C comes."""

import signal
import sys
import threading

import pytest

from ctree.imports import whole_module

SLOW = """
import time

for _ in range(40):
    time.sleep(0.01)
is_whole = True
"""


@pytest.fixture
def slow(tmp_path, monkeypatch):
    (tmp_path / "slow_to_import.py").write_text(SLOW)
    monkeypatch.syspath_prepend(tmp_path)
    yield "slow_to_import"
    sys.modules.pop("slow_to_import", None)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="signals as POSIX has them")
def test_ctrl_c_is_heard_when_the_module_is_whole(slow):
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(KeyboardInterrupt):
            whole_module(slow)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert sys.modules[slow].is_whole
    assert whole_module(slow) is sys.modules[slow]


def test_other_threads_wait_for_the_whole_module(slow):
    found = []
    threads = [threading.Thread(target=lambda: found.append(whole_module(slow).is_whole)) for _ in range(4)]
    for thread in threads:
        thread.start()
    assert whole_module(slow).is_whole
    for thread in threads:
        thread.join()
    assert found == [True] * 4


def test_errors_are_those_of_an_import(tmp_path, monkeypatch):
    (tmp_path / "broken_when_imported.py").write_text("raise RuntimeError('no such device')")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(RuntimeError, match="no such device"):
        whole_module("broken_when_imported")
    with pytest.raises(ModuleNotFoundError, match="not_to_be_found"):
        whole_module("not_to_be_found")
