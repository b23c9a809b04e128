"""Every example in a help text is run, on files of the names that it gives."""

from __future__ import annotations

import contextlib
import glob
import io
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import pytest

import ctree
from ctree.cli.main import MODULES, SUMMARIES, main
from ctree.evaluate.measures import MEASURES
from tests.cli.conftest import EXAMPLES

HELPS = [[], *([name] for name in SUMMARIES), ["learn", "--relational"], ["learn", "--method", "mcmc"]]
UNTRIED = ("--scheduler", "ctree reproduce", "| dot ")
"""Of examples that need a cluster, the data sets of papers, or another program."""


def help_text(*words):
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        assert main([*words, "--help"]) == 0
    return printed.getvalue()


def run_in_shell(line):
    line = re.sub(r"\bctree ", f"{shlex.quote(sys.executable)} -m ctree ", line)
    path = {**os.environ, "PYTHONPATH": str(pathlib.Path(ctree.__file__).parents[1])}
    return subprocess.run(line, shell=True, capture_output=True, text=True, check=False, env=path)


@pytest.fixture(scope="module")
def examples():
    """The examples of all help texts."""
    found = []
    for words in HELPS:
        text = help_text(*words)
        found += re.findall(r"^  ((?:ctree|printf) .*)$", text, re.MULTILINE) + re.findall(
            r"^example: (.*)$", text, re.M
        )
    lines = list(dict.fromkeys(re.split(r"   +", line)[0] for line in found))
    assert len(lines) > 40
    return lines


@pytest.fixture
def files(tmp_path, monkeypatch, ctree_command):
    """What the examples name."""
    pyarrow_csv = pytest.importorskip("pyarrow.csv")
    from pyarrow import parquet

    from tests.cli.test_relational_databases import filled

    shutil.copytree(EXAMPLES, "examples")
    shutil.copytree(EXAMPLES / "shop", "later")
    shutil.copytree(EXAMPLES / "shop", "new")
    iris, golf = ctree.load_iris(), ctree.read_c45(EXAMPLES / "golf")
    ctree.write_csv(iris, "iris.csv", "species")
    ctree.write_csv(iris, "glass.csv", "species")
    ctree.write_csv(golf, "new.csv", "play")
    lines = ["cylinders,year,weight,origin"]
    lines += [f"{(4, 6, 8)[i % 3]},{70 + i % 7},{1500 + 37 * i},{('us', 'eu')[i % 2]}" for i in range(40)]
    for name in ("cars.csv", "more-cars.csv"):
        pathlib.Path(name).write_text("\n".join(lines) + "\n")
    pathlib.Path("shop.csv").write_text("kind,buys\n" + "book,yes\npen,no\n" * 150)
    pathlib.Path("sales").mkdir()
    pathlib.Path("sales.csv").write_text("price,returned\n" + "".join(f"{i % 9},{'yn'[i % 2]}\n" for i in range(99)))
    parquet.write_table(pyarrow_csv.read_csv("sales.csv"), "sales.parquet")
    pathlib.Path("costs.csv").write_text("actual,predicted,cost\nPlay,Don't Play,10\n")
    pathlib.Path("play.costs").write_text("Play, Don't Play: 5\n")
    filled("shop.db")
    for words in (
        ["golf", "-o", "golf.json"],
        ["golf", "--method", "c4.4", "-o", "j48.json"],
        ["--relational", "examples/shop", "-o", "shop.json"],
        ["golf", "--method", "mcmc", "--min-cases", "1", "--samples", "20", "--burn-in", "50", "-o", "credit.json"],
    ):
        assert ctree_command("learn", *words).status == 0
    shutil.copy("golf.data", "credit.test")
    return ctree_command


@pytest.mark.slow
def test_all_examples_run(examples, files):
    for line in examples:
        if any(part in line for part in UNTRIED):
            continue
        if "--help" in line:
            assert files(*shlex.split(line)[1:]).status == 0
            continue
        if "|" in line:
            done = run_in_shell(line)
            assert done.returncode == 0, (line, done.stderr)
            continue
        words = [name for word in shlex.split(line)[1:] for name in (glob.glob(word) if "*" in word else [word])]
        if words == ["consult", "golf.json"]:  # which waits for a person
            continue
        if words[0] == "compare":
            words += ["--no-cache", "--repeats", "1", *([] if "--curve" in words else ["--folds", "2"])]
        if "mcmc" in words:
            words += ["--samples", "10", "--burn-in", "50"]
        answer = files(*words)
        assert answer.status == 0, (line, answer.err)


def test_the_help_of_compare_lists_the_measures():
    text = help_text("compare")
    listed = re.search(r"^measures: (.*?)\n\n", text, re.MULTILINE | re.DOTALL)
    assert listed is not None
    assert [name.strip() for name in listed[1].split(",")] == list(MEASURES)


@pytest.mark.parametrize("name", MODULES)
def test_every_command_that_writes_a_file_has_force(name):
    text = help_text(name)
    assert bool(re.search(r"--output|--plot|--html|TARGET", text)) == ("--force" in text)


@pytest.mark.parametrize("method", ["c4.5", "c4.4", "mcmc", "bayesian", "naive-bayes", "c4.5rules"])
def test_help_speaks_of_options_and_not_of_python(method):
    text = help_text("learn", "--method", method).partition("options of --method")[2].partition("\nmethods:")[0]
    assert not re.findall(r"\b[a-z]+_\w*\b|\bNone\b|`", text)
