"""Streams that are closed, full or no longer read: a sentence and a status, never a traceback."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from support.command import ENVIRONMENT

pytestmark = pytest.mark.skipif(os.name == "nt", reason="streams as POSIX has them")

COMMANDS = {
    "help": ["--help"],
    "help of a command": ["learn", "--help"],
    "help of c4.5": ["c4.5", "--help"],
    "version": ["--version"],
    "learn": ["learn", "golf"],
    "predict": ["predict", "golf.json", "golf.data"],
    "show": ["show", "golf.json"],
    "export": ["export", "golf.json", "--to", "sql"],
    "mine": ["mine", "golf"],
    "compare": ["compare", "golf", "--method", "c4.5", "--folds", "2", "--repeats", "1", "--no-cache"],
    "c4.5": ["c4.5", "-f", "golf"],
    "c4.5rules": ["c4.5rules", "-f", "golf"],
    "j48": ["j48", "-f", "golf"],
}
OTHERS = ["help", "learn", "predict", "mine", "compare", "c4.5"]
"""Those that write in different ways."""


def closing(*numbers):
    def close():
        for number in numbers:
            os.close(number)

    return close


def run(words, closed=(), stdout=subprocess.PIPE, stderr=subprocess.PIPE):
    return subprocess.run(
        [sys.executable, "-m", "ctree", *words],
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=stderr,
        preexec_fn=closing(*closed),
        text=True,
        env=ENVIRONMENT,
        check=False,
        timeout=120,
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_a_closed_output_is_said_to_be_so(command, golf_model):
    done = run(COMMANDS[command], closed=[1])
    assert (done.stderr, done.returncode) == ("ctree: the output cannot be written (it is closed)\n", 1)


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("command", OTHERS)
def test_a_full_output_is_said_to_be_so(command, golf_model):
    with open("/dev/full", "w") as full:
        done = run(COMMANDS[command], stdout=full)
    assert (done.stderr, done.returncode) == ("ctree: the output cannot be written (No space left on device)\n", 1)


@pytest.mark.parametrize("closed", [[0], [0, 2]])
@pytest.mark.parametrize("command", ["help", "learn", "mine"])
def test_closed_input_and_messages_change_nothing(command, closed, golf_model):
    usual, done = run(COMMANDS[command]), run(COMMANDS[command], closed=closed)
    assert (usual.returncode, done.returncode, done.stdout) == (0, 0, usual.stdout)


@pytest.mark.parametrize("command", ["help", "learn", "predict"])
def test_with_all_streams_closed_only_the_status_tells(command, golf_model):
    assert run(COMMANDS[command], closed=[0, 1, 2]).returncode == 1
    assert run(["learn", "missing"], closed=[0, 1, 2]).returncode == 1


def test_a_result_in_a_file_needs_no_output(golf_model):
    done = run(["predict", "golf.json", "golf.data", "-o", "out.csv"], closed=[0, 1, 2])
    assert done.returncode == 0
    with open("out.csv") as out:
        assert len(out.readlines()) == 15


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize(("words", "status"), [(["predict", "golf.json", "golf.data"], 0), (["learn", "missing"], 1)])
def test_messages_that_cannot_be_written_do_not_change_the_status(words, status, golf_model):
    with open("/dev/full", "w") as full:
        assert run(words, stderr=full).returncode == status


@pytest.mark.slow
@pytest.mark.parametrize("command", OTHERS)
def test_an_output_that_nobody_reads_ends_it_quietly(command, golf_model):
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w") as out:
        done = run(COMMANDS[command], stdout=out)
    assert (done.stderr, done.returncode) == ("", 141)
