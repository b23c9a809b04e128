"""How the tests are spread over processes, how long they may take, and that they hear Ctrl-C."""

import gc
import os
import signal

import pytest
from hypothesis import settings

# No test needs a second thread of linear algebra, but every process would start it.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A slow machine, or a build that checks everything, is not a fault.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

# A shell has its background jobs ignore Ctrl-C. The commands that the tests start and interrupt would ignore it too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True, scope="session")
def no_waiting_for_the_disk():
    """What tests write need not outlive a power cut; to wait for the disk takes a part of a minute."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield


def pytest_collection_finish(session):
    """Modules and tests stay to the end: to look through them for garbage again and again takes half a minute."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """With `-n`, a process that has nothing left to do takes over tests of the others: some tests are much longer."""
    if config.getvalue("dist") != "load":
        return None
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log)
