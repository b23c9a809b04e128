"""`--ordered` and `--dates`, and models of such columns, on the command line."""

import json
import pathlib

import pytest
from support.orders import SIZES, orders

import ctree

TOLD = ("--ordered", f"size:{','.join(SIZES)}", "--dates", "day")


@pytest.fixture
def files(ctree_command):
    ctree.write_csv(orders(moments=False), "orders.csv", "play")
    return ctree_command


def test_learn_and_predict(files):
    answer = files("learn", "orders.csv", *TOLD, "-o", "orders.json")
    assert answer.status == 0
    assert "4 attributes (1 discrete, 1 ordered, 1 continuous, 1 date)" in answer.out
    assert "size <= medium :" in answer.out
    model = ctree.load("orders.json")
    data = ctree.read_csv("orders.csv", "play", ordered={"size": SIZES}, dates=["day"])
    assert model.tree_ == ctree.C45Classifier().fit(data).tree_
    predicted = files("predict", "orders.json", "orders.csv", "--json")
    assert predicted.status == 0
    lines = [json.loads(line) for line in predicted.out.splitlines()]
    assert [line["prediction"] for line in lines] == model.predict(data).tolist()
    pathlib.Path("new.csv").write_text("size,day,number,colour\ngigantic,2024-01-01,0,red\n")
    unknown = files("predict", "orders.json", "new.csv")
    assert "attribute 'size' has the value 'gigantic', which the model does not know" in unknown.err


def test_the_same_pass_by_pass(files):
    pytest.importorskip("pyarrow")
    assert files("learn", "orders.csv", *TOLD, "--method", "bic-stop", "-o", "memory.json").status == 0
    scanned = files("learn", "orders.csv", *TOLD, "--method", "bic-stop", "--memory", "1MB", "-o", "passes.json")
    assert scanned.status == 0
    assert ctree.load("passes.json").tree_ == ctree.load("memory.json").tree_


def test_convert_keeps_orders_and_dates(files):
    answer = files("convert", "orders.csv", "stem", *TOLD)
    assert answer.status == 0
    assert f"size: [ordered] {', '.join(SIZES)}." in pathlib.Path("stem.names").read_text()
    assert "day: date." in pathlib.Path("stem.names").read_text()
    back = files("convert", "stem", "back.csv")
    assert "size: values in an order; --ordered tells a reader so" in back.err
    assert "day: dates or times; --dates tells a reader so" in back.err
    assert sorted(pathlib.Path("back.csv").read_text()) == sorted(
        pathlib.Path("orders.csv").read_text().replace("play", "class")
    )


def test_labels_of_cases_are_in_predictions(ctree_command):
    pathlib.Path("c.names").write_text("good, bad.\nnumber: label.\nsize: [ordered] s, m, l.\n")
    pathlib.Path("c.data").write_text("A-1, s, good\nA-2, l, bad\n?, s, good\n")
    assert ctree_command("learn", "c", "--min-cases", "1", "-o", "c.json").status == 0
    rows = ctree_command("predict", "c.json", "c.data").out.splitlines()
    assert [row.split(",")[0] for row in rows] == ["case", "A-1", "A-2", "3"]


def test_consult(files):
    assert files("learn", "orders.csv", *TOLD, "-o", "orders.json").status == 0
    answers = {"size": "medium", "day": "2024-01-15", "number": "0.5", "colour": "red"}
    model = ctree.load("orders.json")
    asked = model.consultation()
    typed = []
    while asked.question is not None:
        if asked.question.name == "day":
            with pytest.raises(ctree.errors.DataError, match="'soon', which is no date such as 2024-03-31"):
                asked.answer("soon")
        typed.append(answers[asked.question.name])
        asked.answer(typed[-1])
    expected = model.predict_proba({name: [value] for name, value in answers.items()} | {"number": [0.5]})[0]
    assert max(one.cf for one in asked.certainties()) == pytest.approx(expected.max())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--ordered", "size"), "it should be a column and its values in order, as in size:small,medium,large"),
        (("--ordered", "size:a,b", "--ordered", "size:b,a"), "--ordered gives two orders to 'size'"),
        (("--ordered", "sise:a,b"), "there is no column 'sise'"),
        (("--ordered", "size:tiny,small"), "'size' has the value .*, which is not in the order tiny, small"),
        (("--dates", "size"), "attribute 'size' has the value .*, which is no date such as 2024-03-31"),
    ],
)
def test_what_is_wrong_is_said(files, words, message):
    import re

    answer = files("learn", "orders.csv", *words)
    assert answer.status in (1, 2)
    assert re.search(message, answer.err)


def test_other_files_say_it_themselves(files):
    files("convert", "orders.csv", "stem", *TOLD)
    answer = files("learn", "stem", "--dates", "day")
    assert answer.status == 2
    assert "--dates is only for .csv files; others specify the kind of each attribute themselves" in answer.err
