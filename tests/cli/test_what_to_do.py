"""Messages that tell a person what to do next, by the option or the command that does it."""

from __future__ import annotations

import pathlib

import pytest

import ctree
from ctree.errors import DataError


@pytest.mark.parametrize(
    "words",
    [
        ["learn", "shop.xlsx"],
        ["learn", "shop.xlsx", "--memory", "1GB"],
        ["predict", "golf.json", "shop.xlsx"],
        ["report", "golf.json", "shop.xlsx"],
        ["compare", "shop.xlsx", "--no-cache"],
        ["mine", "shop.xlsx"],
        ["convert", "shop.xlsx", "shop.csv"],
    ],
    ids=" ".join,
)
def test_a_spreadsheet_is_to_be_saved_as_csv(words, ctree_command, golf_model):
    pytest.importorskip("pyarrow")
    pathlib.Path("shop.xlsx").write_bytes(b"PK\x03\x04")
    answer = ctree_command(*words)
    assert (answer.status, answer.out) == (1, "")
    assert answer.err == (
        "ctree: shop.xlsx: a spreadsheet cannot be read: save it as a .csv file, or read it in Python by "
        "pandas.read_excel and give the frame to a learner\n"
    )


def test_a_word_among_numbers_may_be_an_unknown_value(ctree_command, golf_model):
    text = "outlook,temperature,humidity,windy\nsunny,85,wet,false\nrain,70,80,true\n"
    pathlib.Path("new.csv").write_text(text)
    answer = ctree_command("predict", golf_model, "new.csv")
    assert answer.status == 1
    assert answer.err == (
        "ctree: new.csv:2: attribute 'humidity' has the value 'wet', which is not a number; if it stands for an "
        "unknown value, name it by --unknown-values\n"
    )
    assert ctree_command("predict", golf_model, "new.csv", "--unknown-values", "wet").status == 0


def test_a_measurement_is_no_class_even_if_one_is_missing(ctree_command):
    rows = "".join(f"{i % 4},{'' if i == 3 else i * 0.37:}\n" for i in range(30))
    pathlib.Path("price.csv").write_text("size,price\n" + rows)
    answer = ctree_command("learn", "price.csv")
    assert answer.status == 1
    assert "the class 'price' has the value " in answer.err
    assert "a number that is measured and not a class" in answer.err


@pytest.mark.parametrize("more", [[], ["--memory", "1GB"]])
def test_cases_without_a_class_can_be_left_out(more, ctree_command):
    pytest.importorskip("pyarrow")
    pathlib.Path("gap.csv").write_text("x,y\n" + "".join(f"{i},{'' if i == 3 else i % 2}\n" for i in range(30)))
    answer = ctree_command("learn", "gap.csv", *more)
    assert answer.status == 1
    assert answer.err.endswith("the class 'y' is unknown; --unknown-class drop leaves such cases out\n")
    assert "29 cases" in ctree_command("learn", "gap.csv", "--unknown-class", "drop", *more).out
    with pytest.raises(DataError, match=r"gap\.csv:5: the class 'y' is unknown; unknown_class='drop' leaves such"):
        ctree.read_csv("gap.csv")


@pytest.mark.parametrize("command", ["predict", "report", "show"])
def test_options_of_csv_files_are_for_these(command, ctree_command, golf_model):
    words = [command, golf_model, "golf.data"]
    if command == "show":
        words = ["show", golf_model, "--html", "x.html", "--test", "golf.data"]
    answer = ctree_command(*words, "--delimiter", ";")
    assert answer.status == 2
    assert answer.err == "ctree: golf.data: --delimiter is only for .csv and .tsv files\n"


def test_the_original_programs_point_to_the_command_with_long_options(ctree_command):
    for program, instead in (
        ("c4.5", "learn"),
        ("c4.5rules", "learn --method c4.5rules"),
        ("j48", "learn --variant j48"),
    ):
        assert f"`ctree {instead}`.\n" in ctree_command(program, "--help").out
