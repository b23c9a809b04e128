"""Odd .csv files on the command line: what is said on standard error, and the options that change it."""

from __future__ import annotations

import csv
import io
import json
import pathlib

import numpy as np
import pytest

import ctree


def income(i):
    return 100.0 * i + 0.5


def write(name, rows, delimiter=","):
    with open(name, "w", newline="", encoding="utf-8") as out:
        csv.writer(out, delimiter=delimiter).writerows(rows)


def plain(n=60):
    return [["income", "age", "buys"], *([income(i), i % 7, "yes" if i > 30 else "no"] for i in range(n))]


def odd(n=60, cell=lambda i: f"{income(i):,}", unknown="null"):
    rows = plain(n)
    for i, row in enumerate(rows[1:]):
        row[0] = unknown if i % 10 == 3 else cell(i)
    return rows


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        (str, False),
        (lambda i: f"{income(i):,}", False),
        (lambda i: f"{income(i)}".replace(".", ","), False),
        (lambda i: f"€ {income(i)}", True),
        (lambda i: f"{income(i)}%", True),
    ],
    ids=["plain", "thousands", "comma", "euro", "percent"],
)
@pytest.mark.parametrize("unknown", ["null", "None", "N/A", "-"])
def test_a_numeric_column_stays_one(ctree_command, cell, said, unknown):
    write("t.csv", odd(cell=cell, unknown=unknown))
    answer = ctree_command("learn", "t.csv")
    assert answer.status == 0
    assert "2 attributes (2 continuous), 2 classes, 6 unknown values" in answer.out
    assert "income <= " in answer.out
    assert answer.err.count("\n") == said
    assert answer.err.startswith("ctree: warning: t.csv: income: values such as ") == said


def test_what_is_said_and_what_the_options_change(ctree_command):
    write("t.csv", odd(unknown="unclear"))
    said = (
        "ctree: warning: t.csv: income: 6 of 60 values are no numbers ('unclear', …): taken as discrete; "
        "to change that: --unknown-values, --decimal, --discrete or --ignore\n"
    )
    assert ctree_command("learn", "t.csv").err == said
    answer = ctree_command("learn", "t.csv", "--unknown-values", "unclear,other")
    assert answer.err == ""
    assert "(2 continuous), 2 classes, 6 unknown values" in answer.out
    answer = ctree_command("learn", "t.csv", "--unknown", "unclear")
    assert answer.status == 2
    assert answer.err.endswith("but of bayesian; there are also --unknown-class and --unknown-values\n")
    answer = ctree_command("learn", "t.csv", "--discrete", "income")
    assert answer.err == ""
    assert "(1 discrete, 1 continuous)" in answer.out
    answer = ctree_command("learn", "t.csv", "--ignore", "income")
    assert answer.err == ""
    assert "1 attribute (1 continuous)" in answer.out
    assert ctree_command("learn", "t.csv", "--method", "bayesian", "--unknown-values", "unclear").err == ""


def test_the_same_is_said_of_files_that_are_scanned(ctree_command):
    pytest.importorskip("pyarrow")
    write("t.csv", odd(unknown="unclear"))
    told = ctree_command("learn", "t.csv")
    scanned = ctree_command("learn", "t.csv", "--memory", "100MB")
    assert scanned.err == told.err
    assert scanned.out.splitlines()[0] == told.out.splitlines()[0]
    answer = ctree_command("learn", "t.csv", "--memory", "100MB", "--unknown-values", "unclear", "--delimiter", ",")
    assert answer.err == ""
    assert "(2 continuous), 2 classes, 6 unknown values" in answer.out


def probabilities(text):
    return [row[2:4] for row in csv.reader(io.StringIO(text))][1:]


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_cases_are_predicted_by_the_marks_of_their_own_file(ctree_command, delimiter):
    write("t.csv", plain())
    assert ctree_command("learn", "t.csv", "-o", "m.json").status == 0
    german = [[str(cell).replace(".", ",") for cell in row] for row in plain()]
    write("de.csv", german, delimiter)
    expected, found = ctree_command("predict", "m.json", "t.csv"), ctree_command("predict", "m.json", "de.csv")
    assert found.status == 0, found.err
    assert probabilities(found.out) == probabilities(expected.out)
    assert "0 errors in 60 cases" in found.err
    answer = ctree_command("learn", "t.csv", "--test", "de.csv", "--json")
    assert json.loads(answer.out)["test"]["errors"] == 0


def test_cases_whose_marks_nobody_can_tell_are_not_predicted(ctree_command):
    write("t.csv", plain())
    ctree_command("learn", "t.csv", "-o", "m.json")
    write("new.csv", [["income", "age"], ["1,234", "3"], ["5", "4"]])
    answer = ctree_command("predict", "m.json", "new.csv")
    assert answer.status == 1
    assert answer.err == (
        "ctree: new.csv: attribute 'income' should have numbers, but '1,234' may have a decimal comma, or a comma "
        "between thousands; say which is the decimal mark by --decimal\n"
    )
    rows = ctree_command("predict", "m.json", "new.csv", "--decimal", ",").out.splitlines()
    assert [row.split(",")[1] for row in rows] == ["prediction", "no", "no"]
    write("new.csv", [["income", "age"], ["9,234", "3"], ["5", "4"]])
    rows = ctree_command("predict", "m.json", "new.csv", "--decimal", ".").out.splitlines()
    assert [row.split(",")[1] for row in rows] == ["prediction", "yes", "no"]


def test_without_names_both_in_learning_and_prediction(ctree_command):
    write("t.csv", plain()[1:])
    answer = ctree_command("learn", "t.csv", "-o", "m.json")
    assert answer.err.startswith("ctree: warning: t.csv: the first row (0.5, 0, no) is taken for a case")
    assert "t.csv: 60 cases, 2 attributes" in answer.out
    found = ctree_command("predict", "m.json", "t.csv")
    assert "t.csv: 0 errors in 60 cases" in found.err
    again = ctree_command("learn", "t.csv", "--header", "no")
    assert again.err == ""
    assert again.out.splitlines()[:4] == answer.out.splitlines()[:4]
    assert "t.csv: 59 cases" in ctree_command("learn", "t.csv", "--header", "yes").out


def test_other_commands_have_the_options(ctree_command):
    write(
        "t.csv",
        [["who", "income", "buys"], *([f"p{i}", f"{i},5" if i % 5 else "??", "ab"[i % 2]] for i in range(30))],
        "~",
    )
    options = ["--delimiter", "~", "--unknown-values", "??", "--ignore", "who", "--decimal", ","]
    answer = ctree_command("convert", "t.csv", "u.tsv", *options)
    assert answer.err == "ctree: wrote 30 cases to u.tsv\n"
    assert pathlib.Path("u.tsv").read_text().splitlines()[:3] == ["income\tbuys", "?\ta", "1.5\tb"]
    data = ctree.read_csv("u.tsv")
    np.testing.assert_array_equal(data.columns[0], [i + 0.5 if i % 5 else np.nan for i in range(30)])
    answer = ctree_command("mine", "t.csv", *options, "--min-support", "3", "--bins", "2", "--json")
    assert answer.status == 0
    assert {json.loads(line)["items"][0].split()[0] for line in answer.out.splitlines()} == {"income"}
    answer = ctree_command(
        "compare", "t.csv", *options, "--method", "c4.5", "--folds", "2", "--repeats", "1", "--no-cache"
    )
    assert answer.status == 0, answer.err
    assert answer.err == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["learn", "golf", "--delimiter", ";"],
            "golf: --delimiter, --decimal, --header, --unknown-values and --ignore are only for .csv and .tsv files",
        ),
        (
            ["learn", "golf", "--ignore", "outlook"],
            "golf: --delimiter, --decimal, --header, --unknown-values and --ignore are only for .csv and .tsv files",
        ),
        (
            ["convert", "golf", "x.csv", "--header", "no"],
            "golf: --delimiter, --decimal, --header, --unknown-values and --ignore are only for .csv and .tsv files",
        ),
        (["learn", "golf", "--memory", "1GB", "--decimal", ","], "golf: --decimal is only for .csv and .tsv files"),
        (["learn", "t.csv", "--decimal", ",", "--delimiter", ","], "the delimiter and the decimal mark are both ','"),
        (["learn", "t.csv", "--ignore", "buys"], "t.csv: the class 'buys' is among the columns to leave out"),
        (
            ["learn", "t.csv", "--ignore", "incme"],
            "t.csv: there is no column 'incme' among income, age, buys (did you mean 'income'?)",
        ),
    ],
)
def test_wrong_options(ctree_command, words, message):
    ctree.write_c45(ctree.load_golf(), "golf")
    write("t.csv", plain())
    answer = ctree_command(*words)
    assert answer.status == 2
    assert answer.err == f"ctree: {message}\n"


def test_a_wrong_delimiter(ctree_command):
    for text in ("::", '"', ""):
        answer = ctree_command("learn", "t.csv", "--delimiter", text)
        assert answer.status == 2
        assert "it should be one character, or the word tab" in answer.err
