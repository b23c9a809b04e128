"""The command itself: help, the version, wrong usage, failures, and how fast it starts."""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
import time

import pytest

import ctree
from ctree.cli import main as main_module
from ctree.errors import DataError

COMMANDS = ["learn", "predict", "convert"]


def process(*words, **options):
    """The command as a process of its own."""
    return subprocess.run([sys.executable, "-m", "ctree.cli.main", *words], capture_output=True, text=True, **options)


def test_without_arguments_it_prints_help_and_fails(ctree_command):
    answer = ctree_command()
    assert answer.status == 2
    assert answer.out == ""
    assert answer.err.startswith("usage: ctree")


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["help"]])
def test_help_lists_every_command(words, ctree_command):
    answer = ctree_command(*words)
    assert answer.status == 0
    for command in main_module.SUMMARIES:
        assert f"\n    {command} " in answer.out
    assert "examples:" in answer.out
    assert "exit status:" in answer.out


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_needs_no_manual(command, ctree_command):
    answer = ctree_command(command, "--help")
    assert answer.status == 0
    assert answer.out.startswith(f"usage: ctree {command} ")
    assert f"examples:\n  ctree {command} " in answer.out
    assert "exit status: 0 success; 1 failure" in answer.out
    assert ctree_command("help", command) == answer


def test_version(ctree_command):
    assert ctree_command("--version").out == f"ctree {ctree.__version__}\n"


def test_a_misspelt_command_is_guessed(ctree_command):
    answer = ctree_command("lern", "golf")
    assert answer.status == 2
    assert answer.err == (
        "ctree: there is no command 'lern' (did you mean 'learn'?); "
        "the commands are learn, predict, convert, c4.5 (see ctree --help)\n"
    )


@pytest.mark.parametrize("words", [["--versoin"], ["learn"], ["learn", "golf", "--speed"], ["predict", "golf.json"]])
def test_wrong_usage_is_status_2(words, ctree_command):
    answer = ctree_command(*words)
    assert answer.status == 2
    assert answer.out == ""
    assert "error: " in answer.err.splitlines()[-1]


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (DataError("the file is empty", "golf.data"), 1, "ctree: golf.data: the file is empty\n"),
        (KeyboardInterrupt(), 130, "ctree: interrupted\n"),
        (MemoryError(), 1, "ctree: there is not enough memory\n"),
        (OSError(28, "No space left on device"), 1, "ctree: the output cannot be written (No space left on device)\n"),
    ],
)
def test_errors_become_a_sentence_and_a_status(error, status, message, ctree_command, monkeypatch):
    def fail(args):
        raise error

    monkeypatch.setattr(importlib.import_module("ctree.cli.learn"), "run", fail)
    answer = ctree_command("learn", "golf")
    assert (answer.status, answer.err) == (status, message)


def test_all_words_after_c45_are_handed_over(ctree_command, monkeypatch):
    seen = []
    module = pytest.importorskip("ctree.cli.c45")
    monkeypatch.setattr(module, "run_c45", lambda words: seen.append(words) or 0)
    assert ctree_command("c4.5", "-f", "golf", "-m2", "--help", "-x").status == 0
    assert seen == [["-f", "golf", "-m2", "--help", "-x"]]


def test_a_reader_that_has_had_enough_is_no_error(ctree_command, golf_model):
    with open("long.data", "w") as out, open("golf.data") as golf:
        out.write(golf.read() * 2000)
    command = [sys.executable, "-m", "ctree.cli.main", "predict", golf_model, "long.data"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout.readline() == b"case,prediction,p(Play),p(Don't Play),actual\n"
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait() == 141


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_is_said_to_be_so(ctree_command):
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "ctree.cli.main", "learn", "golf"]
        ended = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert ended.returncode == 1
    assert ended.stderr == "ctree: the output cannot be written (No space left on device)\n"


def test_an_interrupt_ends_it_with_a_word(ctree_command):
    os.mkfifo("slow.csv")
    command = [sys.executable, "-m", "ctree.cli.main", "learn", "slow.csv"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        writer = os.open("slow.csv", os.O_WRONLY)  # which waits until the command reads
        time.sleep(0.1)
        running.send_signal(signal.SIGINT)
        assert running.stderr.read() == b"ctree: interrupted\n"
        assert running.wait() == 130
        os.close(writer)


def test_labels_that_the_terminal_cannot_show_are_escaped(ctree_command):
    with open("golf.names", encoding="utf-8") as file:
        text = file.read()
    with open("golf.names", "w", encoding="utf-8") as file:
        file.write(text.replace("humidity", "Luftfeuchtigkeit in \u2030"))
    ended = process("learn", "golf", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert ended.returncode == 0
    assert "Luftfeuchtigkeit in \\u2030 <= 75" in ended.stdout


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["learn", "--help"], ["predict", "x"]])
def test_help_does_not_wait_for_numpy(words):
    code = (
        f"import sys; from ctree.cli.main import main; main({words!r}); print('numpy' in sys.modules, file=sys.stderr)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ended.stderr.endswith("False\n")


def test_learning_imports_neither_scipy_nor_scikit_learn(ctree_command):
    code = (
        "import sys; from ctree.cli.main import main; main(['learn', 'golf', '-o', 'golf.json']);"
        "main(['predict', 'golf.json', 'golf.data']);"
        "print([m for m in ('scipy', 'sklearn', 'pandas', 'asyncio', 'arff') if m in sys.modules], file=sys.stderr)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ended.stderr.endswith("[]\n")
