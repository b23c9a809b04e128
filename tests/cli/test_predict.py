"""`ctree predict`."""

from __future__ import annotations

import csv
import io
import json
import pathlib

import numpy as np
import pytest

import ctree

HEADER = ["case", "prediction", "p(Play)", "p(Don't Play)"]


def table(text):
    return list(csv.reader(io.StringIO(text)))


def test_classes_and_probabilities_as_csv(ctree_command, golf_model):
    answer = ctree_command("predict", golf_model, "golf.data")
    assert answer.status == 0
    assert answer.err == "golf.data: 0 errors in 14 cases (0.0%)\n"
    header, *rows = table(answer.out)
    assert header == [*HEADER, "actual"]
    data, model = ctree.read_c45("golf"), ctree.load(golf_model)
    assert [row[0] for row in rows] == [str(i + 1) for i in range(14)]
    assert [row[1] for row in rows] == model.predict(data).tolist()
    assert np.array_equal(np.array([row[2:4] for row in rows], dtype=float), model.predict_proba(data))
    assert [row[4] for row in rows] == data.labels


def test_a_bare_tree_predicts_too(ctree_command, golf_model):
    ctree.save(ctree.load(golf_model).tree_, "tree.json")
    expected = ctree_command("predict", golf_model, "golf.data").out
    assert ctree_command("predict", "tree.json", "golf.data").out == expected


def test_unknown_values_and_classes(ctree_command, golf_model):
    pathlib.Path("new.cases").write_text("sunny,75,?,true,?\nrain,?,?,?,Play\n")
    answer = ctree_command("predict", golf_model, "new.cases")
    assert table(answer.out) == [
        [*HEADER, "actual"],
        ["1", "Don't Play", "0.4", "0.6", "?"],
        ["2", "Play", "0.6", "0.4", "Play"],
    ]
    assert answer.err == "new.cases: 0 errors in 1 case (0.0%)\n"


def test_cases_without_classes(ctree_command, golf_model):
    pathlib.Path("new.cases").write_text("sunny,75,70,true\n")
    answer = ctree_command("predict", golf_model, "new.cases")
    assert answer.out == "case,prediction,p(Play),p(Don't Play)\n1,Play,1.0,0.0\n"
    assert answer.err == ""


def test_one_json_object_a_line(ctree_command, golf_model):
    pathlib.Path("new.csv").write_text("windy,humidity,outlook,temperature\ntrue,70,sunny,75\n,,rain,\n")
    answer = ctree_command("predict", golf_model, "new.csv", "--json")
    assert [json.loads(line) for line in answer.out.splitlines()] == [
        {"case": 1, "prediction": "Play", "probabilities": {"Play": 1.0, "Don't Play": 0.0}},
        {"case": 2, "prediction": "Play", "probabilities": {"Play": 0.6, "Don't Play": 0.4}},
    ]
    answer = ctree_command("predict", golf_model, "golf.data", "--json")
    assert json.loads(answer.out.splitlines()[0])["actual"] == "Don't Play"


@pytest.mark.parametrize("form", ["csv", "arff"])
def test_other_forms_of_files(form, ctree_command, golf_model):
    if form == "arff":
        pytest.importorskip("arff")
    assert ctree_command("convert", "golf", f"golf.{form}").status == 0
    expected = ctree_command("predict", golf_model, "golf.data")
    answer = ctree_command("predict", golf_model, f"golf.{form}")
    assert answer.out == expected.out
    assert ctree_command("predict", golf_model, f"golf.{form}", "--class", "class").out == expected.out


def test_the_class_column_is_found_among_others(ctree_command, golf_model):
    pathlib.Path("new.csv").write_text(
        "who,play,windy,humidity,outlook,temperature,note\nAnn,Play,true,70,sunny,75,first\nBob,?,true,70,rain,75,\n"
    )
    answer = ctree_command("predict", golf_model, "new.csv")
    assert [row[-1] for row in table(answer.out)] == ["actual", "Play", "?"]


def test_a_file_that_fails_to_be_read_is_an_error_and_not_a_value_to_pass_over(ctree_command, golf_model, monkeypatch):
    from ctree.data.files import c45_cases
    from ctree.errors import DataError

    read, asked = c45_cases.read_utf8, []

    def failing_once(path):
        asked.append(path)
        if len(asked) == 1:
            raise DataError("the file cannot be read (Input/output error)", path)
        return read(path)

    monkeypatch.setattr(c45_cases, "read_utf8", failing_once)
    answer = ctree_command("predict", golf_model, "golf.data")
    assert (answer.status, answer.out) == (1, "")
    assert answer.err == "ctree: golf.data: the file cannot be read (Input/output error)\n"


def test_values_that_the_model_does_not_know_are_unknown_with_a_warning(ctree_command, golf_model):
    pathlib.Path("new.cases").write_text("foggy,75,70,true\n")
    answer = ctree_command("predict", golf_model, "new.cases")
    assert answer.status == 0
    assert answer.err == (
        "ctree: warning: new.cases:1: attribute 'outlook' has the value 'foggy', which is not one of sunny, overcast, "
        "rain; it is taken as unknown, and so are others like it\n"
    )
    pathlib.Path("new.csv").write_text("outlook,temperature,humidity,windy\nfoggy,75,70,true\n")
    again = ctree_command("predict", golf_model, "new.csv")
    assert again.out == answer.out
    assert again.err == (
        "ctree: warning: new.csv: attribute 'outlook' has the value 'foggy', which the model does not know; "
        "it is taken as unknown\n"
    )


def test_an_arff_file_with_other_values_and_order(ctree_command, golf_model):
    pytest.importorskip("arff")
    pathlib.Path("new.arff").write_text(
        '@relation r\n@attribute windy {false, true}\n@attribute play {"Don\'t Play", Play}\n'
        "@attribute outlook {foggy, rain, sunny}\n@attribute humidity numeric\n@attribute temperature numeric\n"
        "@data\ntrue,Play,sunny,70,75\nfalse,?,rain,70,75\nfalse,?,foggy,70,75\n"
    )
    answer = ctree_command("predict", golf_model, "new.arff", "--class", "play")
    assert [row[1::3] for row in table(answer.out)[1:3]] == [["Play", "Play"], ["Play", "?"]]
    assert "'foggy', which the model does not know" in answer.err


def test_numbers_as_labels_meet_the_text_of_files(ctree_command):
    data = ctree.from_arrays({"code": [1, 2, 3, 2] * 5}, [0, 1, 0, 1] * 5, categorical_features=["code"])
    ctree.save(ctree.C45Classifier().fit(data), "m.json")
    pathlib.Path("n.csv").write_text("code,y\n2,1\n3,0\n9,?\n")
    answer = ctree_command("predict", "m.json", "n.csv")
    assert [row[1::3] for row in table(answer.out)[1:3]] == [["1", "1"], ["0", "0"]]


def test_output_to_a_file(ctree_command, golf_model):
    expected = ctree_command("predict", golf_model, "golf.data").out
    answer = ctree_command("predict", golf_model, "golf.data", "-o", "out.csv")
    assert answer.out == ""
    assert pathlib.Path("out.csv").read_text() == expected


WRONG = [
    (["nosuch.json", "golf.data"], 1, "nosuch.json: there is no such file"),
    (["golf.data", "golf.json"], 1,
     "golf.data: this is not JSON, and so not a model (line 1, column 1: Expecting value)"),
    (["golf.json", "golf"], 1, "golf: there is no such file (did you mean 'golf.data'?)"),
    (["golf.json", "golf.names"], 1,
     "golf.names: a .names file has no cases; name the file that has them, such as .data or .test"),
    (["golf.json", "golf.data", "--class", "x"], 2,
     "golf.data: --class is only for .csv and .arff files; in C4.5 files the class is the last field"),
    (["golf.json", "golf.data", "-o", "no/out.csv"], 1,
     "no/out.csv: the predictions cannot be written there, as there is no directory 'no'"),
    (["golf.json", "less.csv"], 1, "less.csv: there is no column 'temperature' among outlook, windy"),
    (["golf.json", "bad.cases"], 1, "bad.cases:2: attribute 'humidity' has the value 'wet', which is not a number"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "status", "message"), WRONG, ids=str)
def test_what_is_wrong_is_said_in_one_sentence(words, status, message, ctree_command, golf_model):
    pathlib.Path("less.csv").write_text("outlook,windy\nrain,true\n")
    pathlib.Path("bad.cases").write_text("foggy,70,70,true\nrain,70,wet,true\n")
    answer = ctree_command("predict", *words)
    assert (answer.status, answer.out, answer.err) == (status, "", f"ctree: {message}\n")


def test_an_arff_file_needs_a_class(ctree_command, golf_model):
    pytest.importorskip("arff")
    pathlib.Path("new.arff").write_text(
        "@relation r\n@attribute humidity numeric\n@attribute temperature numeric\n@attribute outlook {rain, sunny}\n"
        "@attribute windy {true, false}\n@data\n70,75,rain,true\n"
    )
    answer = ctree_command("predict", golf_model, "new.arff")
    assert answer.status == 1
    assert answer.err == (
        "ctree: new.arff: the last attribute is 'windy', an attribute of the model; add a class, if only of ?\n"
    )
