"""A file that exists is replaced if it is of the kind that a command writes there; any other needs --force."""

from __future__ import annotations

import os
import pathlib

import pytest

from ctree.cli.outputs import MODEL, Output, check_outputs
from ctree.errors import DataError, ParameterError

SAMPLED = ["--method", "mcmc", "--min-cases", "1", "--burn-in", "50", "--samples", "10", "--seed", "1", "--chains", "1"]

WRITES = {
    "learn": (["learn", "golf", "-o"], "out.json", "model"),
    "learn by chains": (["learn", "golf", *SAMPLED, "-o"], "out.json", "model"),
    "predict": (["predict", "golf.json", "golf.data", "-o"], "out.csv", "predictions"),
    "predict without classes": (["predict", "golf.json", "bare.csv", "-o"], "out.csv", "predictions"),
    "predict as JSON": (["predict", "golf.json", "golf.data", "--json", "-o"], "out.jsonl", "predictions"),
    "predict for spreadsheets": (["predict", "golf.json", "golf.data", "--safe-csv", "-o"], "out", "predictions"),
    "envelope": (["envelope", "sampled.json", "golf.data", "-o"], "out.csv", "verdicts"),
    "mine": (["mine", "golf", "--min-support", "5", "-o"], "out.csv", "itemsets"),
    "mine as JSON": (["mine", "golf", "--min-support", "5", "--json", "-o"], "out", "itemsets"),
    "show a page": (["show", "golf.json", "--html"], "out.html", "page"),
    "learn from linked tables": (["learn", "--relational", "shop", "-o"], "out.json", "model"),
    "predict from linked tables": (["predict", "shop.json", "--relational", "shop", "-o"], "out.csv", "predictions"),
    "show linked tables": (["show", "shop.json", "--html"], "out.html", "page"),
}
DRAWS = {
    f"{name} {suffix}": ([*words, "--plot"], f"out.{suffix}", "picture")
    for name, words in {
        "show": ["show", "golf.json"],
        "envelope": ["envelope", "sampled.json", "golf.data"],
        "compare": ["compare", "golf", "--method", "c4.5,naive-bayes", "--folds", "2", "--repeats", "1", "--no-cache"],
    }.items()
    for suffix in (["png", "pdf", "svg", "eps"] if name == "show" else ["png"])
}
ALWAYS_ASK = {
    "export C": (["export", "golf.json", "--to", "c", "-o"], "out.c"),
    "export SQL": (["export", "golf.json", "--to", "sql", "-o"], "out.sql"),
    "convert to CSV": (["convert", "golf"], "out.csv"),
    "convert to C4.5": (["convert", "golf"], "out.data"),
}
OTHERS = {
    "notes": b"mine\n",
    "a table": b"outlook,class\nrain,Play\n",
    "JSON": b'{"format": "something else"}',
    "a table with such columns": b"case,prediction\n1,x\n",
    "a page": b"<!doctype html>\n<html><head><title>ctree</title></head></html>",
    "a picture": b"\x89PNG\r\n\x1a\n" + bytes(64),
}


@pytest.fixture
def files(golf_model, ctree_command):
    os.symlink(pathlib.Path(__file__).parents[2] / "examples" / "shop", "shop")
    pathlib.Path("bare.csv").write_text("outlook,temperature,humidity,windy\nrain,70,70,true\n")
    assert ctree_command("learn", "golf", *SAMPLED, "-o", "sampled.json").status == 0
    assert ctree_command("learn", "--relational", "shop", "-o", "shop.json").status == 0


@pytest.mark.parametrize("command", [*WRITES, *DRAWS])
def test_own_files_are_replaced_and_others_are_not(command, files, ctree_command):
    words, name, what = {**WRITES, **DRAWS}[command]
    if command in DRAWS:
        pytest.importorskip("matplotlib")
    output = pathlib.Path(name)
    output.touch()  # an empty file has nothing to lose
    for _ in range(2):
        assert ctree_command(*words, name).status == 0
    written = output.read_bytes()
    for content in OTHERS.values():
        output.write_bytes(content)
        answer = ctree_command(*words, name)
        assert (answer.status, answer.out) == (1, "")
        message = f"ctree: {name}: the file exists already, and holds no {what} of ctree; --force overwrites it\n"
        assert answer.err == message
        assert output.read_bytes() == content
    assert ctree_command(*words, name, "--force").status == 0
    assert output.read_bytes()[:40] == written[:40]


@pytest.mark.parametrize("command", ALWAYS_ASK)
def test_programs_and_cases_are_never_replaced_unasked(command, files, ctree_command):
    words, name = ALWAYS_ASK[command]
    assert ctree_command(*words, name).status == 0
    before = pathlib.Path(name).read_bytes()
    answer = ctree_command(*words, name)
    assert (answer.status, answer.out) == (1, "")
    assert answer.err.endswith(": the file exists already; --force overwrites it\n")
    pathlib.Path(name).write_bytes(b"mine\n")
    assert ctree_command(*words, name, "--force").status == 0
    assert pathlib.Path(name).read_bytes() == before


def test_a_picture_without_a_suffix_is_known_by_its_whole_name(files, ctree_command):
    pytest.importorskip("matplotlib")
    pathlib.Path("out.png").write_bytes(b"mine")
    answer = ctree_command("show", "golf.json", "--plot", "out")
    assert answer.err.startswith("ctree: out.png: the file exists already")
    assert pathlib.Path("out.png").read_bytes() == b"mine"


def test_a_link_to_nowhere_a_pipe_and_a_device_are_written(files, ctree_command):
    os.symlink("new.json", "link.json")
    assert ctree_command("learn", "golf", "-o", "link.json").status == 0
    assert pathlib.Path("new.json").read_bytes() == pathlib.Path("golf.json").read_bytes()
    assert ctree_command("learn", "golf", "-o", "/dev/null").status == 0


def test_a_checkpoint_is_no_other_file(files, ctree_command):
    """It is read before it is written, so that no option makes one of another file."""
    pathlib.Path("top.json").write_text("mine")
    words = ["learn", "golf", "--memory", "1GB", "--method", "c4.4", "--checkpoint", "top.json"]
    for more in ([], ["--force"]):
        answer = ctree_command(*words, *more)
        assert (answer.status, answer.out) == (1, "")
        assert answer.err == "ctree: top.json: this is no checkpoint; name another file, or one that is not there yet\n"
    assert pathlib.Path("top.json").read_text() == "mine"


class TestTheRule:
    @pytest.fixture
    def folder(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        for name in ("cases.csv", "model.json"):
            (tmp_path / name).write_text("content")
        os.symlink("cases.csv", "symbolic.csv")
        os.link("cases.csv", "hard.csv")
        return tmp_path

    @pytest.mark.parametrize("name", ["cases.csv", "./cases.csv", "symbolic.csv", "hard.csv", "../{}/cases.csv"])
    def test_a_file_that_is_read_is_not_written_by_any_name(self, name, folder):
        outputs = [Output(None, MODEL), Output(name.format(folder.name), MODEL)]
        with pytest.raises(ParameterError, match="this file is read by the same command"):
            check_outputs(outputs, iter(["model.json", None, "cases.csv"]), force=True)

    def test_two_results_are_not_written_to_one_file(self, folder):
        with pytest.raises(ParameterError, match="two results"):
            check_outputs([Output("new.png", MODEL), Output("./new.png", MODEL)], ["cases.csv"], force=True)

    def test_a_folder_is_no_file(self, folder):
        with pytest.raises(DataError, match="as this is a directory"):
            check_outputs([Output(".", MODEL)], [], force=True)

    def test_other_files_may_be_written(self, folder):
        check_outputs([Output("new.csv", MODEL), Output(None, MODEL)], ["cases.csv", "missing"], force=False)
        check_outputs([Output("model.json", MODEL)], ["cases.csv"], force=True)
        check_outputs([Output("model.json", MODEL)], ["cases.csv"], force=False, also=["./model.json"])

    def test_a_device_may_be_read_and_written(self):
        check_outputs([Output("/dev/null", MODEL)], ["/dev/null"], force=False)
