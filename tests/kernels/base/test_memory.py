"""The owner of a kernel's memory: what it hands out, what it refuses, and that nothing is left behind."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctree_ext.base.memory import BlockTrial, Memory

HEADER = 32 if sys.maxsize > 2**32 else 16  # bytes before each block
STEPS = st.lists(
    st.tuples(st.sampled_from(["raw", "zeroed", "resize", "release", "write"]), st.integers(0, 20), st.integers(0, 300))
)


@given(STEPS)
def test_blocks_keep_what_is_written(steps):
    """Against a list of byte strings that are changed in the same way."""
    trial, expected = BlockTrial(), []
    for step, number, n in steps:
        if step in ("raw", "zeroed"):
            trial.add(n, 1, zeroed=step == "zeroed")
            if step == "raw":
                trial.write(len(expected), bytes([7]) * n)
            expected.append(bytes([0 if step == "zeroed" else 7]) * n)
            continue
        if not expected:
            continue
        number %= len(expected)
        before = expected[number]
        if step == "write":
            content = bytes([n % 256]) * (n if before is not None else 0)
            if before is not None:
                trial.write(number, content)
                expected[number] = content[: len(before)] + before[len(content) :]
        elif step == "resize":
            trial.resize(number, n, 1)
            before = before or b""
            if n > len(before):
                trial.write(number, before + b"\1" * (n - len(before)))
            expected[number] = (before + b"\1" * n)[:n]
        else:
            trial.release(number)
            expected[number] = None
    held = [content for content in expected if content is not None]
    assert trial.n_blocks == len(held)
    assert trial.n_bytes == sum(map(len, held)) + HEADER * len(held)
    for number, content in enumerate(expected):
        if content is not None:
            assert trial.read(number) == content
            assert trial.address(number) % 16 == 0


def test_elements_of_any_size():
    trial = BlockTrial()
    assert trial.read(trial.add(3, 8, zeroed=True)) == bytes(24)
    assert trial.read(trial.add(0, 8)) == b""
    assert trial.n_blocks == 2


@pytest.mark.parametrize("zeroed", [False, True])
@pytest.mark.parametrize(
    ("n", "size"),
    [(sys.maxsize, 1), (sys.maxsize, 8), (2**61 if sys.maxsize > 2**32 else 2**29, 8), (-1, 8), (sys.maxsize // 8, 8)],
)
def test_too_much_is_a_memory_error(n, size, zeroed):
    """Also where the product of the two is small again because it has run over."""
    trial = BlockTrial()
    with pytest.raises(MemoryError):
        trial.add(n, size, zeroed)
    kept = trial.add(4, 1, zeroed=True)
    with pytest.raises(MemoryError):
        trial.resize(kept, n, size)
    assert (trial.read(kept), trial.n_blocks) == (bytes(4), 1)


def test_a_failed_allocation_is_a_memory_error():
    trial = BlockTrial()
    kept = trial.add(4, 1, zeroed=True)
    with pytest.raises(MemoryError):
        trial.add(sys.maxsize - 4096, 1)
    with pytest.raises(MemoryError):
        trial.resize(kept, sys.maxsize - 4096, 1)
    assert (trial.read(kept), trial.n_blocks) == (bytes(4), 1)


def test_all_is_freed_with_the_owner():
    resource = pytest.importorskip("resource")  # not on Windows
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(60):
        trial = BlockTrial()
        for _ in range(100):
            trial.write(trial.add(1 << 16, 1), bytes(1 << 16))
        del trial
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < (100 << 20) // (1 if sys.platform == "darwin" else 1024)  # of 400 MB in all


def test_a_new_owner_has_nothing():
    memory = Memory()
    assert (memory.n_blocks, memory.n_bytes) == (0, 0)
