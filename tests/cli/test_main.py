"""The command itself: help, the version, wrong usage, failures, and how fast it starts."""

from __future__ import annotations

import importlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress

import pytest

import ctree
from ctree.cli import main as main_module
from ctree.errors import DataError

COMMANDS = ["learn", "predict", "convert"]


ENVIRONMENT = {**os.environ, "PYTHONPATH": str(pathlib.Path(ctree.__file__).parents[1])}


def started(*words, **options):
    """The command as a process of its own."""
    return python("-m", "ctree.cli.main", *words, **options)


def python(*words, stdout=subprocess.PIPE, environment=ENVIRONMENT):
    return subprocess.Popen([sys.executable, *words], stdout=stdout, stderr=subprocess.PIPE, text=True, env=environment)


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
        assert re.search(rf"^    {re.escape(command)}\s", answer.out, re.MULTILINE)
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
        f"the commands are {', '.join(main_module.SUMMARIES)} (see ctree --help)\n"
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
    with started("predict", golf_model, "long.data") as running:
        assert running.stdout.readline() == "case,prediction,p(Play),p(Don't Play),actual\n"
        running.stdout.close()
        assert running.stderr.read() == ""
        assert running.wait() == 141


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_is_said_to_be_so(ctree_command):
    with open("/dev/full", "w") as full, started("learn", "golf", stdout=full) as running:
        assert running.stderr.read() == "ctree: the output cannot be written (No space left on device)\n"
        assert running.wait() == 1


def test_an_interrupt_ends_it_with_a_word(ctree_command):
    os.mkfifo("slow.csv")
    with started("learn", "slow.csv") as running:
        writer = None
        while writer is None and running.poll() is None:
            with suppress(OSError):  # as long as the command does not read yet
                writer = os.open("slow.csv", os.O_WRONLY | os.O_NONBLOCK)
            time.sleep(0.1)
        running.send_signal(signal.SIGINT)
        assert running.stderr.read() == "ctree: interrupted\n"
        assert running.wait() == 130
        os.close(writer)


def test_labels_that_the_terminal_cannot_show_are_escaped(ctree_command):
    names = pathlib.Path("golf.names")
    text = names.read_text(encoding="utf-8").replace("humidity", "Luftfeuchtigkeit in \u2030")
    names.write_text(text, encoding="utf-8")
    with started("learn", "golf", environment={**ENVIRONMENT, "PYTHONIOENCODING": "ascii"}) as running:
        assert "Luftfeuchtigkeit in \\u2030 <= 75" in running.stdout.read()
        assert running.wait() == 0


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["show", "--help"], ["predict", "x"]])
def test_help_does_not_wait_for_numpy(words):
    code = f"import sys; from ctree.cli.main import main; main({words!r}); print('numpy' in sys.modules)"
    with python("-c", code) as running:
        assert running.stdout.read().endswith("False\n")


def test_learning_imports_neither_scipy_nor_scikit_learn(ctree_command):
    code = (
        "import sys; from ctree.cli.main import main; main(['learn', 'golf', '-o', 'golf.json']);"
        "main(['predict', 'golf.json', 'golf.data']);"
        "print([m for m in ('scipy', 'sklearn', 'pandas', 'asyncio', 'arff') if m in sys.modules])"
    )
    with python("-c", code) as running:
        assert running.stdout.read().endswith("[]\n")


FOR_OTHERS = ["scipy", "numpy.random", "numpy.ma", "concurrent.futures", "logging", "shutil", "json", "hashlib"]
FOR_OTHERS += ["statistics", "ctree.scale.engines", "ctree.data.binary_tests", "ctree.learners.lattice"]


def loaded_by(*words: str) -> set[str]:
    """What a command has loaded when it has done its work."""
    code = "import sys; before = set(sys.modules); from ctree.cli.main import main; main(sys.argv[1:]);"
    code += "print('|', *(set(sys.modules) - before))"
    with python("-c", code, *words) as running:
        return set(running.stdout.read().rpartition("|")[2].split())


@pytest.mark.parametrize("program", ["c4.5", "c4.5rules"])
def test_the_original_programs_load_little(ctree_command, program):
    loaded = loaded_by(program, "-f", "golf")
    assert "ctree.learners.c45.release8" in loaded
    assert [m for m in FOR_OTHERS if m in loaded] == []
    assert not [m for m in loaded if m.startswith("ctree_ext.scale")]


NOT_OF_RELEASE_8 = ["learners.base", "scale", "domains", "data.tables", "data.relational", "store", "evaluate"]


def test_release_8_needs_no_learner(ctree_command):
    loaded = loaded_by("c4.5", "-f", "golf")
    assert "ctree.tree.tree" in loaded
    assert [m for m in NOT_OF_RELEASE_8 if f"ctree.{m}" in loaded] == []
    others = ["argparse", "gettext", "ctree.cli.options", "ctree.data.dates", "ctree.data.files.writing"]
    assert [m for m in [*others, "ctree.learners.c45.classifier"] if m in loaded] == []
    assert "ctree.learners.c45.classifier" in loaded_by("c4.5", "-f", "golf", "-p")


NOT_OF_SMALL_TABLES = ["ctree.scale.source", "ctree.scale.scan", "ctree.data.scan", "ctree.data.relational"]
NOT_OF_SMALL_TABLES += ["ctree.data.files.csv_layout", "ctree.data.files.csv_cases", "ctree.data.files.arff_files"]
NOT_OF_SMALL_TABLES += ["ctree.cli.scanned", "hashlib", "pathlib", "shutil", "socket", "tempfile", "zipfile", "zlib"]


def test_small_tables_need_nothing_of_other_cases(golf_model):
    for words in (["learn", "golf", "-o", "again.json"], ["predict", "golf.json", "golf.data"]):
        loaded = loaded_by(*words)
        assert "ctree.learners.c45.classifier" in loaded
        assert [m for m in NOT_OF_SMALL_TABLES if m in loaded] == []


def test_the_package_can_be_run():
    done = subprocess.run([sys.executable, "-m", "ctree", "--version"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("ctree ")
