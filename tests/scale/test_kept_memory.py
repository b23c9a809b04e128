"""Freed memory is kept while tasks run, where the environment says that none is kept, and given back after them."""

import json
import os
import subprocess
import sys

import pytest

from ctree.scale import memory

PROGRAM = """
import json, resource, time
import numpy as np
from ctree.scale.memory import IDLE, keeping_freed

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(100):
        np.ones(1 << 17)  # 1 MB, for which numpy asks for no huge pages
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

def resident():
    return int(open("/proc/self/statm").read().split()[1])

before, empty = faults(), resident()
with keeping_freed(), keeping_freed():
    inside = faults()
with keeping_freed():
    next_one = faults()
for _ in range(100):  # a timer may come late
    time.sleep(IDLE)
    at_end = resident()
    if at_end - empty < 200:
        break
after = faults()
print(json.dumps([before, inside, next_one, after, at_end - empty]))
"""


def told(**environment):
    environment = {**{k: v for k, v in os.environ.items() if k != memory.GIVES_BACK}, **environment}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.skipif(memory._library() is None, reason="only glibc can be told what to keep")
def test_what_is_freed_is_used_again_and_given_back_at_the_end():
    before, inside, next_one, after, kept = told(**{memory.GIVES_BACK: "65536"})
    assert inside < before / 4
    assert next_one < before / 20  # not even once
    assert after > before / 2
    assert kept < 200  # pages, of 256 that an array has


@pytest.mark.parametrize("given", ["", "many", "-1"])
def test_other_environments_are_left_alone(given, monkeypatch):
    monkeypatch.setenv(memory.GIVES_BACK, given)
    monkeypatch.setattr(memory, "_library", Untouched)
    with memory.keeping_freed():
        pass


class Untouched:
    def mallopt(self, *_):
        pytest.fail("the C library was told something")

    malloc_trim = mallopt
