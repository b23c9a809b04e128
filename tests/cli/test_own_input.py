"""No command writes to a file that it reads, whatever the file is called."""

from __future__ import annotations

import os
import pathlib
import shutil

import pytest

READS = {
    "learn": (["learn", "cases.csv", "-o"], "cases.csv"),
    "learn a stem": (["learn", "golf", "-o"], "golf.data"),
    "learn names": (["learn", "golf", "-o"], "golf.names"),
    "learn with its test cases": (["learn", "golf", "-o"], "golf.test"),
    "learn with test cases": (["learn", "golf", "--test", "cases.csv", "-o"], "cases.csv"),
    "predict": (["predict", "golf.json", "cases.csv", "-o"], "cases.csv"),
    "predict over the model": (["predict", "golf.json", "cases.csv", "-o"], "golf.json"),
    "envelope": (["envelope", "golf.json", "cases.csv", "-o"], "cases.csv"),
    "envelope over the model": (["envelope", "golf.json", "cases.csv", "--plot"], "golf.json"),
    "export": (["export", "golf.json", "--to", "c", "--force", "-o"], "golf.json"),
    "mine": (["mine", "cases.csv", "-o"], "cases.csv"),
    "mine a stem": (["mine", "golf", "-o"], "golf.data"),
    "show a page": (["show", "golf.json", "--html"], "golf.json"),
    "show a picture": (["show", "golf.json", "--plot"], "golf.json"),
    "compare": (["compare", "golf", "cases.csv", "--no-cache", "--plot"], "cases.csv"),
}


@pytest.fixture
def files(golf_model, ctree_command):
    shutil.copy("golf.data", "golf.test")
    assert ctree_command("convert", "golf", "cases.csv").status == 0
    return {path.name: path.read_bytes() for path in pathlib.Path().iterdir()}


def unchanged(files):
    return all(pathlib.Path(name).read_bytes() == content for name, content in files.items())


@pytest.mark.parametrize("way", ["itself", "dot", "absolute", "symbolic link", "hard link"])
@pytest.mark.parametrize("command", READS)
def test_a_file_that_is_read_is_not_written(command, way, files, ctree_command):
    words, name = READS[command]
    output = {"itself": name, "dot": f"./{name}", "absolute": os.path.abspath(name)}.get(way, "link.csv")
    if way == "symbolic link":
        os.symlink(name, output)
    elif way == "hard link":
        os.link(name, output)
    answer = ctree_command(*words, output)
    assert (answer.status, answer.out) == (1, "")
    known = "" if output == name else f", as '{name}'"
    assert answer.err == f"ctree: {output}: this file is read by the same command{known}; write to another one\n"
    assert unchanged(files)


@pytest.mark.parametrize(
    ("source", "target"),
    [("cases.csv", "cases.csv"), ("golf", "golf"), ("golf.data", "golf"), ("golf.test", "golf"), ("golf", "link.csv")],
)
def test_cases_are_not_converted_onto_themselves(source, target, files, ctree_command):
    os.symlink("golf.data", "link.csv")
    answer = ctree_command("convert", source, target, "--force")
    assert answer.status == 1
    assert "is read by the same command" in answer.err
    assert unchanged(files)


def test_what_is_not_read_may_be_written(files, ctree_command):
    assert ctree_command("convert", "golf", "golf.test", "--force").status == 0
    assert ctree_command("learn", "cases.csv", "-o", "golf.json").status == 0


def test_a_run_is_resumed_into_its_own_file(ctree_command):
    options = ["--method", "mcmc", "--min-cases", "1", "--seed", "1", "--burn-in", "50"]
    assert ctree_command("learn", "golf", *options, "--samples", "10", "-o", "run.json").status == 0
    words = ["learn", "golf", "--method", "mcmc", "--resume", "run.json", "--samples", "20", "-o", "run.json"]
    assert ctree_command(*words).status == 0


def test_a_table_and_a_picture_are_two_files(files, ctree_command):
    answer = ctree_command("envelope", "golf.json", "cases.csv", "-o", "new", "--plot", "./new")
    assert (answer.status, answer.err) == (1, "ctree: ./new: two results cannot be written to the same file\n")
