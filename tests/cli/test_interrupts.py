"""Ctrl-C, kill and a full disk at any moment of a command: no traceback, no half file, nothing lost."""

from __future__ import annotations

import os
import pathlib
import random
import resource
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from support.command import ENVIRONMENT

import ctree
from ctree.data.files.writing import LEFTOVER

pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="signals as POSIX has them"),
    pytest.mark.slow,
]

# The byte says that the command is ready for signals: nobody can make the interpreter's own start so.
LAUNCHER = """
import os, sys
from ctree.cli import start

real = start._signal.signal

def first(*arguments):
    start._signal.signal = real
    real(*arguments)
    os.write(1, b"!")

start._signal.signal = first
sys.exit(start.main())
"""

COMMANDS = {
    "predict": ["predict", "model.json", "cases.csv", "-o", "out.csv", "--force"],
    "export": ["export", "model.json", "--to", "pmml", "--form", "shares", "-o", "out.pmml", "--force"],
    "mine": ["mine", "cases.csv", "--min-support", "1", "--max-size", "3", "-o", "out.csv", "--force"],
    "convert": ["convert", "cases.csv", "out", "--force"],
    "learn": ["learn", "cases.csv", "--min-cases", "1", "--no-prune", "-o", "out.json", "--force"],
    "show": ["show", "model.json", "--html", "out.html", "--force"],
}
MOMENTS = 2


def launched(code, *words):
    # Without a buffer: what `read` took into one, `communicate` would not give.
    return subprocess.Popen(
        [sys.executable, "-c", code, *words],
        bufsize=0,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    )


def started(words):
    running = launched(LAUNCHER, *words)
    assert running.stdout.read(1) == b"!"
    return running


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Cases that take a while to write, and a model of many nodes."""
    folder = tmp_path_factory.mktemp("cases")
    rng = np.random.default_rng(1)
    X = {f"a{k}": rng.choice(list("abcdefgh"), size=6000) for k in range(6)}
    data = ctree.from_arrays(X, rng.choice(["yes", "no"], size=6000))
    ctree.write_csv(data, folder / "cases.csv")
    ctree.save(ctree.C45Classifier(prune=False, min_cases=1).fit(data), folder / "model.json")
    return folder


@pytest.fixture
def there(folder, monkeypatch):
    monkeypatch.chdir(folder)
    return folder


def outputs(folder):
    return sorted(path for path in folder.iterdir() if path.stem == "out")


def reset(folder):
    for path in folder.iterdir():
        if path.name not in ("cases.csv", "model.json"):
            path.unlink()


def old_files(folder, words):
    """The files of a whole run, and how long it takes; then such files with other content in their places."""
    reset(folder)
    start = time.perf_counter()
    running = started(words)
    running.communicate()
    took = time.perf_counter() - start
    assert running.returncode == 0
    new = {path: path.read_bytes() for path in outputs(folder)}
    assert new
    return new, took


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=["interrupt", "kill"])
@pytest.mark.parametrize("command", COMMANDS)
def test_every_file_is_the_old_one_or_the_new_one(command, number, there):
    new, took = old_files(there, COMMANDS[command])
    rng = random.Random(f"{command} {number}")
    for _ in range(MOMENTS):
        for path in new:
            path.write_text("old")
        running = started(COMMANDS[command])
        time.sleep(rng.random() * took)
        running.send_signal(number)
        err = running.communicate()[1].decode()
        if number == signal.SIGINT:
            assert (running.returncode, err) == (130, "ctree: interrupted\n") or running.returncode == 0
            assert "Traceback" not in err
        contents = [path.read_bytes() for path in new]
        assert all(content in (b"old", whole) for content, whole in zip(contents, new.values(), strict=True))
        if number == signal.SIGINT:
            assert len({content == b"old" for content in contents}) == 1  # files that belong together are of one run
        left = [path.name for path in there.iterdir() if path not in new and path.name.startswith(("out", ".ctree"))]
        assert all(LEFTOVER.fullmatch(name) for name in left)
        assert number == signal.SIGKILL or left == []
        for name in left:
            (there / name).unlink()


def limited():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))


@pytest.mark.parametrize("command", COMMANDS)
def test_a_full_disk_leaves_the_old_files(command, there):
    new, _ = old_files(there, COMMANDS[command])
    for path in new:
        path.write_text("old")
    arguments = [sys.executable, "-m", "ctree", *COMMANDS[command]]
    done = subprocess.run(arguments, preexec_fn=limited, capture_output=True, text=True, env=ENVIRONMENT, check=False)
    assert done.returncode == 1
    assert done.stderr.endswith("the file cannot be written (File too large)\n")
    assert len(done.stderr.splitlines()) == 1
    assert {path.read_text() for path in new} == {"old"}
    assert outputs(there) == sorted(new)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can mount a small disk")
def test_a_disk_that_is_really_full_leaves_the_old_files(there, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], check=False).returncode:
        pytest.skip("mounting is not allowed here")
    try:
        file = disk / "out.csv"
        file.write_text("old")
        arguments = [sys.executable, "-m", "ctree", "predict", "model.json", "cases.csv", "-o", str(file), "--force"]
        done = subprocess.run(arguments, capture_output=True, text=True, env=ENVIRONMENT, check=False)
        assert done.stderr == f"ctree: {file}: the file cannot be written (No space left on device)\n"
        assert (done.returncode, file.read_text(), os.listdir(disk)) == (1, "old", ["out.csv"])
    finally:
        subprocess.run(["umount", disk], check=True)


COMPARE = ["compare", "golf", "--method", "c4.5,bayesian", "--folds", "2", "--repeats", "1", "--no-cache"]


@pytest.mark.parametrize(
    "words", [["learn", "golf"], ["--help"], ["predict", "golf.json", "golf.data"], COMPARE], ids=lambda words: words[0]
)
def test_an_interrupt_while_it_starts_gives_no_traceback(words, golf_model):
    rng = random.Random(str(words))
    start = time.perf_counter()
    started(words).communicate()
    took = time.perf_counter() - start
    seen = set()
    for moment in range(4):
        running = started(words)
        time.sleep(rng.random() * took if moment else 0)
        running.send_signal(signal.SIGINT)
        err = running.communicate()[1].decode()
        seen.add(running.returncode)
        assert (running.returncode, err.splitlines()[-1:]) == (130, ["ctree: interrupted"]) or running.returncode == 0
        assert "Traceback" not in err
        assert "Exception" not in err
    assert 130 in seen


EARLY = """
import os, signal, sys
from ctree.cli import start
{}
sys.exit(start.main())
"""
EARLY_MOMENTS = {
    "when it begins": """
real = start._signal.signal
def then(number, handler):
    real(number, handler)
    if handler is start._interrupt:
        os.kill(os.getpid(), signal.SIGINT)
start._signal.signal = then
""",
    "while it sees to the streams": """
import ctree.cli.main
ctree.cli.main._replace_closed_streams = lambda: os.kill(os.getpid(), signal.SIGINT)
""",
    "when it ends": """
real = start._signal.signal
def then(number, handler):
    if handler == signal.SIG_IGN and start._signal.signal is then:
        start._signal.signal = real
        os.kill(os.getpid(), signal.SIGINT)
    real(number, handler)
start._signal.signal = then
""",
}


@pytest.mark.parametrize("moment", EARLY_MOMENTS)
def test_an_interrupt_at_the_edges_is_told_too(moment, golf_model):
    with launched(EARLY.format(EARLY_MOMENTS[moment]), "learn", "golf") as running:
        err = running.communicate()[1]
    assert (running.returncode, err) == (130, b"ctree: interrupted\n")


def test_whoever_does_not_want_interrupts_gets_none(golf_model):
    """As with nohup, or in the background of a script."""
    code = f"import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n{LAUNCHER}"
    with launched(code, "learn", "golf") as running:
        running.stdout.read(1)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate()
    assert (running.returncode, err) == (0, b"")
    assert b"Training:" in out


def test_the_start_imports_next_to_nothing():
    code = "import sys; before = set(sys.modules); import ctree.cli.start; print(sorted(set(sys.modules) - before))"
    environment = {**ENVIRONMENT, "PYTHONPATH": str(pathlib.Path(ctree.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout == "['ctree', 'ctree.cli', 'ctree.cli.start']\n"


@pytest.mark.parametrize("given", [None, "3"])
def test_numpy_starts_no_threads_unless_it_is_told_to(given):
    code = """
import os, sys
from ctree.cli.start import main
sys.argv = ["ctree", "learn", "examples/golf"]
main()
tasks = len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else 1
print(os.environ["OPENBLAS_NUM_THREADS"], tasks)
"""
    environment = {name: value for name, value in ENVIRONMENT.items() if name != "OPENBLAS_NUM_THREADS"}
    if given is not None:
        environment["OPENBLAS_NUM_THREADS"] = given
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    setting, tasks = done.stdout.split("\n")[-2].split()
    assert setting == (given or "1")
    assert given is not None or tasks == "1"
