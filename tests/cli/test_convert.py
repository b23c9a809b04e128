"""`ctree convert`."""

from __future__ import annotations

import pathlib

import pytest

import ctree


def same(data, other):
    """Whether two data sets have the same cases, be the values and classes in another order."""
    assert data.schema.names == other.schema.names
    assert data.labels == other.labels
    for i in range(data.n_cases):
        for j in range(len(data.schema)):
            assert str(data.value(i, j)) == str(other.value(i, j))
    return True


@pytest.mark.parametrize("way", [["golf.csv", "b"], ["golf.arff", "b"], ["golf.csv", "golf.arff", "b.names"]], ids=str)
def test_there_and_back_again(way, ctree_command):
    if "arff" in str(way):
        pytest.importorskip("arff")
    source = "golf"
    for target in way:
        answer = ctree_command("convert", source, target)
        assert (answer.status, answer.out) == (0, "")
        source = target
    assert answer.err == "ctree: wrote 14 cases to b.names and b.data\n"
    assert same(ctree.read_c45("golf"), ctree.read_c45("b"))


def test_the_name_of_the_class_is_kept_or_given(ctree_command):
    pytest.importorskip("arff")
    ctree_command("convert", "golf", "golf.csv", "--class", "play")
    assert pathlib.Path("golf.csv").read_text().startswith("outlook,temperature,humidity,windy,play\n")
    ctree_command("convert", "golf.csv", "golf.arff")
    ctree_command("convert", "golf.arff", "again.csv")
    assert pathlib.Path("again.csv").read_text().startswith("outlook,temperature,humidity,windy,play\n")
    ctree_command("convert", "golf.csv", "windy.csv", "--class", "windy")
    assert pathlib.Path("windy.csv").read_text().startswith("outlook,temperature,humidity,play,windy\n")


def test_test_cases_are_converted_by_themselves(ctree_command):
    pathlib.Path("golf.test").write_text("sunny,85,?,false,?\n")
    ctree_command("convert", "golf.test", "t.csv")
    assert pathlib.Path("t.csv").read_text().splitlines()[1] == "sunny,85.0,?,false,?"
    answer = ctree_command("convert", "golf", "other.test")
    assert answer.err == "ctree: wrote 14 cases to other.test\n"
    assert not pathlib.Path("other.names").exists()


def test_discrete_numbers_are_warned_of(ctree_command):
    pathlib.Path("n.names").write_text("a, b. code: 1, 2, 3. x: continuous.")
    pathlib.Path("n.data").write_text("1,5,a\n3,6,b\n")
    answer = ctree_command("convert", "n", "n.csv")
    assert answer.status == 0
    assert answer.err.splitlines()[0] == (
        "ctree: warning: the values of code are numbers; --discrete tells a reader that they are just names"
    )
    ctree_command("convert", "n.csv", "again", "--discrete", "code")
    assert ctree.read_c45("again").schema[0].kind is ctree.Kind.DISCRETE


def test_existing_files_are_not_overwritten_unless_told_to(ctree_command):
    pathlib.Path("t.data").write_text("mine")
    answer = ctree_command("convert", "golf", "t")
    assert (answer.status, answer.err) == (1, "ctree: t.data: the file exists already; --force overwrites it\n")
    assert pathlib.Path("t.data").read_text() == "mine"
    assert not pathlib.Path("t.names").exists()
    assert ctree_command("convert", "golf", "t", "--force").status == 0
    assert same(ctree.read_c45("golf"), ctree.read_c45("t"))


WRONG = [
    (["nosuch", "x.csv"], 1, "nosuch.names: there is no such file"),
    (["golf", "x.json"], 2,
     "x.json: the target should end in .csv or .arff, or be the stem of C4.5 files, but it ends in .json"),
    (["golf", "b", "--class", "x"], 2,
     "golf: --class is only for .csv and .arff files; C4.5 files do not name the class"),
    (["golf", "no/x.csv"], 1, "no/x.csv: the cases cannot be written there, as there is no directory 'no'"),
    (["t.csv", "x", "--class", "plya"], 2, "t.csv: there is no column 'plya' among x, play (did you mean 'play'?)"),
    (["t.csv", "x", "--discrete", "z"], 2, "t.csv: there is no column 'z' among x, play"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "status", "message"), WRONG, ids=str)
def test_what_is_wrong_is_said_in_one_sentence(words, status, message, ctree_command):
    pathlib.Path("t.csv").write_text("x,play\n1,a\n2,b\n")
    answer = ctree_command("convert", *words)
    assert (answer.status, answer.out, answer.err) == (status, "", f"ctree: {message}\n")
