"""Work aside: what it returns and raises, how it is watched and stopped."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from ctree_ext.base.interrupts import run_interruptible, work_for

pytestmark = pytest.mark.slow


def nothing():
    pass


def test_returns_what_the_work_returns_from_another_thread():
    assert run_interruptible(threading.get_ident, nothing) != threading.get_ident()


def test_raises_what_the_work_raises():
    def work():
        raise ValueError("of the work")

    with pytest.raises(ValueError, match="of the work"):
        run_interruptible(work, nothing)


def test_is_looked_at_while_it_works():
    looks = []
    assert run_interruptible(lambda: time.sleep(0.1) or 3, nothing, lambda: looks.append(1), interval=0.01) == 3
    assert len(looks) > 1


def test_an_exception_of_a_look_stops_the_work_and_waits_for_it():
    stopped, ended = threading.Event(), threading.Event()

    def work():
        stopped.wait()
        time.sleep(0.05)
        ended.set()

    def look():
        raise OSError("of the look")

    with pytest.raises(OSError, match="of the look"):
        run_interruptible(work, stopped.set, look, interval=0.01)
    assert ended.is_set()


SIGNALS = """
import random, signal, threading, time
from ctree_ext.base.interrupts import run_interruptible

def interrupt(*_):
    raise KeyboardInterrupt

signal.signal(signal.SIGALRM, interrupt)
random.seed(0)
at_work = interrupted = 0

def one():
    global at_work
    stopped = False
    def work():
        global at_work
        at_work += 1
        until = time.perf_counter() + 2e-4
        while not stopped and time.perf_counter() < until:
            pass
        at_work -= 1
    def stop():
        nonlocal stopped
        stopped = True
    run_interruptible(work, stop)

for _ in range(3000):
    try:
        signal.setitimer(signal.ITIMER_REAL, 1e-6 + 4e-4 * random.random())
        one()
        signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        interrupted += 1
    assert at_work == 0
print(interrupted > 300)
"""


@pytest.mark.skipif(os.name == "nt" or not hasattr(signal, "setitimer"), reason="signals as POSIX has them")
def test_no_signal_leaves_it_at_work():
    done = subprocess.run([sys.executable, "-c", SIGNALS], capture_output=True, text=True, timeout=120, check=False)
    assert (done.stdout, done.returncode) == ("True\n", 0), done.stderr


def test_a_deadline_ends_the_work():
    began = time.monotonic()
    assert work_for(1000, 0.2) > 1
    assert 0.2 <= time.monotonic() - began < 1.2


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="signals as POSIX has them")
def test_a_signal_ends_the_work():
    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    began = time.monotonic()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(KeyboardInterrupt):
            work_for(1000, 30)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert time.monotonic() - began < 5
