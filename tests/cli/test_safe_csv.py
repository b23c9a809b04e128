"""Labels that a spreadsheet would run as formulas, and CSV that keeps it from doing so."""

from __future__ import annotations

import csv
import pathlib

import pytest

import ctree
from ctree.data.files.safe_csv import safe_cell

FORMULAS = ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\tx", "＝1"]
HARMLESS = ["yes", "", "a=b", "-1.5", "+3", "-inf", 7, -1.5, None]


@pytest.mark.parametrize("cell", FORMULAS)
def test_a_formula_gets_an_apostrophe(cell):
    assert safe_cell(cell) == "'" + cell


@pytest.mark.parametrize("cell", HARMLESS)
def test_numbers_and_other_text_stay_as_they_are(cell):
    assert safe_cell(cell) is cell


@pytest.fixture
def files(ctree_command):
    data = ctree.from_arrays({"=a": ["@x", "-1", "@x", "-1"] * 3, "b": [1, 2, -3, 4] * 3}, ["=yes", "+no"] * 6)
    ctree.write_csv(data, "cases.csv", "-class")
    assert ctree_command("learn", "cases.csv", "-o", "model.json").status == 0
    return data


def cells(text):
    return [cell for row in csv.reader(text.splitlines()) for cell in row]


def is_formula(cell):
    return cell[:1] in ("=", "+", "-", "@") and not cell[1:].replace(".", "").isdigit()


COMMANDS = {
    "predict": ["predict", "model.json", "cases.csv"],
    "mine": ["mine", "cases.csv"],
}


@pytest.mark.parametrize("command", ["predict", "mine"])
def test_a_command_writes_formulas_only_if_it_may(command, files, ctree_command):
    plain, safe = ctree_command(*COMMANDS[command]), ctree_command(*COMMANDS[command], "--safe-csv")
    assert any(map(is_formula, cells(plain.out)))
    assert not any(map(is_formula, cells(safe.out)))
    assert [cell.removeprefix("'") for cell in cells(safe.out)] == cells(plain.out)


def test_names_of_data_sets_and_methods_are_made_safe(files, ctree_command):
    pathlib.Path("cases.csv").rename("=cases.csv")
    words = [
        "compare",
        "=cases.csv",
        "--method",
        "c4.5",
        "--folds",
        "2",
        "--repeats",
        "1",
        "--no-cache",
        "--format",
        "csv",
    ]
    plain, safe = ctree_command(*words), ctree_command(*words, "--safe-csv")
    assert "=cases" in cells(plain.out)
    assert not any(map(is_formula, cells(safe.out)))


def test_cases_are_converted_without_formulas(files, ctree_command):
    assert ctree_command("convert", "cases.csv", "safe.csv", "--safe-csv").status == 0
    text = pathlib.Path("safe.csv").read_text()
    assert text.startswith("'=a,b,'-class\n'@x,1.0,'=yes\n-1,2.0,'+no\n")
    ctree.write_csv(files, "plain.csv", "-class")
    assert pathlib.Path("plain.csv").read_text().startswith("=a,b,-class\n@x,1.0,=yes\n")
    ctree.write_csv(files, "again.csv", "-class", safe=True)
    assert pathlib.Path("again.csv").read_text() == text
