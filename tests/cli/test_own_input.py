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
    "learn in passes": (["learn", "golf", "--memory", "1GB", "--method", "c4.4", "--checkpoint"], "golf.data"),
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
    assert (answer.status, answer.out) == (2, "")
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
    assert answer.status == 2
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
    for words in (["-o", "new.png", "--plot", "./new.png"], ["-o", "new.png", "--plot", "./new"]):
        answer = ctree_command("envelope", "golf.json", "cases.csv", *words)
        assert (answer.status, answer.err) == (2, "ctree: ./new.png: two results cannot be written to the same file\n")
    words = ["--memory", "1GB", "--method", "c4.4", "-o", "new.json", "--checkpoint", "../new.json"]
    pathlib.Path("there").mkdir()
    os.chdir("there")
    words = ["learn", "../cases.csv", *words[:-3], "../new.json", *words[-2:]]
    assert ctree_command(*words).err == "ctree: ../new.json: two results cannot be written to the same file\n"


def test_names_that_are_read_if_they_are_there_are_not_written(ctree_command):
    """The next command with the same stem would take the model for test cases."""
    answer = ctree_command("learn", "golf", "-o", "golf.test")
    assert (answer.status, os.path.exists("golf.test")) == (2, False)
    assert answer.err == "ctree: golf.test: this file is read by the same command; write to another one\n"
    assert ctree_command("learn", "golf", "-o", "golf").status == 0  # which is neither golf.names nor golf.data


@pytest.mark.parametrize("output", ["sales/new.parquet", "new.PQ"])
def test_nothing_but_cases_is_called_parquet(output, files, ctree_command):
    """A folder or a pattern of Parquet files would have one more of them, which is none."""
    pathlib.Path("sales").mkdir()
    for words in (
        ["learn", "golf", "-o"],
        ["predict", "golf.json", "cases.csv", "-o"],
        ["show", "golf.json", "--html"],
    ):
        answer = ctree_command(*words, output)
        assert (answer.status, os.path.exists(output)) == (2, False)
        message = f"ctree: {output}: this would be taken for a Parquet file with cases; choose another suffix\n"
        assert answer.err == message


@pytest.mark.parametrize("source", ["sales", "sales/*.parquet", "sales/a.parquet"])
def test_parquet_files_are_not_written(source, files, ctree_command):
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import csv, parquet

    pathlib.Path("sales").mkdir()
    table = csv.read_csv("cases.csv")
    assert isinstance(table, arrow.Table)
    for name in ("a", "b"):
        parquet.write_table(table, f"sales/{name}.parquet")
    before = pathlib.Path("sales/a.parquet").read_bytes()
    os.link("sales/a.parquet", "link.json")
    for words in (
        ["learn", source, "--class", "class", "-o"],
        ["learn", source, "--class", "class", "--method", "c4.4", "--checkpoint"],
        ["learn", "cases.csv", "--test", source, "-o"],
        ["predict", "golf.json", source, "-o"],
    ):
        answer = ctree_command(*words, "link.json")
        assert (answer.status, answer.out) == (2, "")
        assert answer.err == (
            "ctree: link.json: this file is read by the same command, as 'sales/a.parquet'; write to another one\n"
        )
    assert pathlib.Path("sales/a.parquet").read_bytes() == before
