"""Messages stay one line that a person can read, whatever names and values come from outside."""

from __future__ import annotations

import json
import os
import pathlib

import numpy as np
import pytest

import ctree
from ctree.errors import LONGEST, CtreeError, DataError, ModelError
from ctree.learners.registry import LEARNERS, RELATIONAL_LEARNERS, learner_class
from ctree.wording import abbreviated, abbreviated_list, abbreviated_path, shortened

HOSTILE = {
    "long": "n" * 10_000,
    "lines": "first\nsecond\r\nthird\u2028fourth",
    "terminal": "\x1b[2J\x1b]0;title\x07\x00\x7f",
    "long lines": "\n" * 10_000,
    "half a character": "a\ud800b",
    "wide": "\U0010ffff" * 300,
    "backwards": "a\u202eb\u200f",
}
MOST = 400


def is_readable(message):
    return message.isprintable() and 10 < len(message) <= MOST


@pytest.mark.parametrize("kind", HOSTILE)
def test_what_comes_from_outside_is_shown_on_one_short_line(kind):
    text = HOSTILE[kind]
    for shown in (abbreviated(text), abbreviated_list([text] * 20), abbreviated_path(text), shortened(text)):
        assert shown.isprintable()
        assert 0 < len(shown) <= 200
    assert len(abbreviated(text)) <= 60


def test_plain_names_are_shown_as_they_are():
    assert abbreviated("Don't Play") == "Don't Play"
    assert abbreviated_list(["a", 1, None]) == "a, 1, None"
    assert abbreviated_path("some/where/file.csv") == "some/where/file.csv"
    assert abbreviated_path("x/" * 200 + "file.csv").endswith("x/file.csv")
    assert shortened("it's") == '"it\'s"'


@pytest.mark.parametrize("error", [MemoryError, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("shown", [abbreviated, shortened, lambda value: abbreviated_list([value])])
def test_a_lack_of_memory_and_an_interrupt_are_not_taken_for_a_value_that_cannot_be_shown(error, shown):
    class Odd:
        def __repr__(self):
            raise error

    with pytest.raises(error):
        shown(Odd())


def test_no_name_is_made_ready_for_a_message_before_there_is_one(monkeypatch):
    schema = ctree.load_golf().schema
    golf = ctree.load_golf()
    monkeypatch.setattr("ctree.data.dataset.abbreviated", lambda value: pytest.fail("there is no message"))
    ctree.Dataset(schema, golf.columns, golf.classes)
    monkeypatch.undo()
    with pytest.raises(DataError, match="attribute 'outlook' has the code 9, but codes go from 0 to 2"):
        ctree.Dataset(schema, [[9] * 14, *golf.columns[1:]], golf.classes)
    with pytest.raises(DataError, match="class has the code 9, but codes go from 0 to 1"):
        ctree.Dataset(schema, golf.columns, [9] * 14)


def test_values_that_cannot_be_shown_have_a_word():
    nested = []
    nested.append(nested)
    for _ in range(10_000):
        nested = [nested]

    class Odd:
        def __repr__(self):
            raise RuntimeError

    for value in (10**5000, nested, Odd()):
        assert 0 < len(shortened(value)) <= 60
        assert 0 < len(abbreviated(value)) <= 60


def test_an_error_is_one_line_even_where_nobody_thought_of_it():
    for error in (CtreeError, DataError, ModelError):
        message = str(error("two\nlines " + "x" * 10_000))
        assert message.isprintable()
        assert len(message) <= LONGEST


def csv_files(bad):
    cell = bad.replace('"', "").replace("\0", "").encode("utf-8", "replace").decode()
    yield f'a,"{cell}","{cell}"\n1,2,3\n', {}
    yield f'a,"{cell}"\n1\n', {}
    yield "a,b\n1,2\n", {"class_name": bad}
    yield "a,b\n1,2\n", {"delimiter": bad}
    yield "a,b\n1,2\n", {"categorical_features": [bad]}
    yield "a,b\n1,2\n", {"unknown_class": bad}
    yield f'"{cell}",b\ninf,x\n1,y\n', {}
    yield f'"{cell}",b\n1,?\n', {}


def messages_of(call, *arguments, **options):
    try:
        call(*arguments, **options)
    except CtreeError as error:
        return [str(error)]
    return []


@pytest.mark.parametrize("kind", HOSTILE)
def test_files(kind, tmp_path):
    bad = HOSTILE[kind]
    plain = bad.replace("\0", "").encode("utf-8", "replace").decode()
    quoted = plain.replace("'", "").replace("\n", " ").replace("\r", " ").replace("\u2028", " ")
    found = []
    file = tmp_path / "cases.csv"
    for text, options in csv_files(bad):
        file.write_text(text, encoding="utf-8")
        found += messages_of(ctree.read_csv, file, **options)
    for head in (
        f"@attribute '{quoted}' string",
        f"@attribute '{quoted}' {{a,a}}",
        f"@attribute a {quoted}",
        f"@attribute '{quoted}' numeric\n@attribute '{quoted}' numeric",
    ):
        arff = tmp_path / "cases.arff"
        arff.write_text(f"@relation r\n{head}\n@attribute c {{y,n}}\n@data\n1,y\n", encoding="utf-8")
        found += messages_of(ctree.read_arff, arff)
        found += messages_of(ctree.read_arff, arff, bad)
    word = "".join(c for c in plain if c not in ",:.|\\")
    for names, cases in (
        (f"{word}, {word}.\na: x, y.", "x,y"),
        (f"y, n.\n{word}: a, a.", "a,y"),
        (f"y, n.\n{word}: continuous.\n{word}: continuous.", "1,2,y"),
        (f"y, n.\n{word}: continuous.", f"{word},y"),
        (f"y, n.\n{word}: u, v.", f"{word},y"),
        (f"y, n.\n{word}: u, v.", f"u,{word}"),
        (f"y, n.\n{word}: discrete x.", "u,y"),
        (f"y, n.\n{word}", "u,y"),
        ("y, n.\na: u, v.", f"{word}"),
    ):
        (tmp_path / "set.names").write_text(names, encoding="utf-8")
        (tmp_path / "set.data").write_text(cases + "\n", encoding="utf-8")
        found += messages_of(ctree.read_c45, tmp_path / "set")
    path = str(tmp_path / bad.replace("/", ""))
    for read in (ctree.read_csv, ctree.read_arff, ctree.read_c45, ctree.load):
        found += messages_of(read, path)
    found += messages_of(ctree.save, ctree.C45Classifier().fit(ctree.load_golf()), path + "/model.json")
    assert len(found) > 12
    assert [message for message in found if not is_readable(message)] == []


@pytest.mark.parametrize("kind", HOSTILE)
def test_tables(kind):
    bad = HOSTILE[kind]
    golf = ctree.load_golf()
    model = ctree.NaiveBayesClassifier().fit(golf)
    found = []
    for X, y, options in (
        ({bad: [1, np.inf]}, ["a", "b"], {}),
        ({bad: [object(), 2]}, ["a", "b"], {}),
        ({bad: [[1, 2], [3, 4]]}, ["a", "b"], {}),
        ({"a": [1, 2]}, ["a", "b"], {"categorical_features": [bad]}),
        ({"a": [1, 2]}, ["a", "b"], {"schema": golf.schema}),
        ({bad: [1, 2]}, [bad, "b"], {"schema": golf.schema}),
        ({name: [bad] for name in golf.schema.names}, None, {"schema": golf.schema}),
        ({name: [bad] for name in golf.schema.names}, [bad], {"schema": golf.schema}),
    ):
        found += messages_of(ctree.from_arrays, X, y, **options)
    found += messages_of(ctree.Attribute, bad, ctree.Kind.CONTINUOUS, (bad,))
    found += messages_of(ctree.Attribute, bad, ctree.Kind.DISCRETE, (bad, bad))
    attribute = ctree.Attribute(bad, ctree.Kind.CONTINUOUS)
    found += messages_of(ctree.Schema, (attribute, attribute), ("a", "b"))
    schema = ctree.Schema((attribute,), ("a", "b"))
    found += messages_of(ctree.Dataset, schema, [[np.inf]], [0])
    found += messages_of(ctree.Dataset, schema, [None], [0])
    found += messages_of(model.predict, {bad: [1]})
    found += messages_of(model.predict, {name: [bad] for name in golf.schema.names})
    found += messages_of(model.partial_fit, golf.take(range(2)), None, [bad])
    found += messages_of(ctree.C45Classifier(class_weight={bad: 1}).fit, golf)
    found += messages_of(ctree.C45Classifier(class_weight={"Play": bad}).fit, golf)
    found += messages_of(ctree.C45Classifier().set_params, **{bad: 1})
    for name in (*LEARNERS, *RELATIONAL_LEARNERS):
        for parameter in learner_class(name)._parameters:
            found += messages_of(learner_class(name)(**{parameter: bad}).fit, golf)
    assert len(found) > 60
    assert [message for message in found if not is_readable(message)] == []


def replaced(value, bad):
    """The same JSON value with one text or key replaced at a time."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield {bad if k == key else k: v for k, v in value.items()}
            for changed in replaced(part, bad):
                yield {**value, key: changed}
    elif isinstance(value, list):
        for place in range(min(len(value), 2)):
            for changed in replaced(value[place], bad):
                yield [*value[:place], changed, *value[place + 1 :]]
    else:
        yield bad


@pytest.mark.parametrize("kind", ["long", "lines", "wide"])
@pytest.mark.parametrize("name", [*LEARNERS, "Tree"])
def test_models(name, kind, tmp_path):
    small = {"MCMCTreeClassifier": {"samples": 3, "burn_in": 3, "chains": 1, "min_cases": 1, "random_state": 1}}
    golf = ctree.load_golf()
    if name == "Tree":
        model = ctree.C45Classifier().fit(golf).tree_
    else:
        model = learner_class(name)(**small.get(name, {})).fit(golf)
    file = tmp_path / "model.json"
    ctree.save(model, file)
    content = json.loads(file.read_text())
    found = []
    for changed in replaced(content, HOSTILE[kind]):
        file.write_text(json.dumps(changed))
        found += messages_of(ctree.load, file)
    assert len(found) > 20
    assert [message for message in found if not is_readable(message)] == []


@pytest.mark.parametrize("kind", ["long", "lines", "terminal"])
def test_commands(kind, tmp_path, monkeypatch, capsys):
    from ctree.cli.main import main

    monkeypatch.chdir(tmp_path)
    ctree.save(ctree.C45Classifier().fit(ctree.load_golf()), "golf.json")
    ctree.write_csv(ctree.load_golf(), "golf.csv")
    bad = HOSTILE[kind].replace("\0", "")
    for words in (
        [bad],
        ["learn", bad],
        ["learn", bad + ".csv"],
        ["learn", "golf.csv", "--class", bad],
        ["learn", "golf.csv", "--discrete", bad],
        ["learn", "golf.csv", "--min-cases", bad],
        ["learn", "golf.csv", "--method", bad],
        ["learn", "golf.csv", "--" + bad],
        ["learn", "golf.csv", "-o", bad + "/m.json"],
        ["predict", bad, "golf.csv"],
        ["predict", "golf.json", bad],
        ["predict", "golf.json", "golf.csv", "-o", bad + "/out"],
        ["mine", "golf.csv", "--min-support", bad],
        ["mine", "golf.csv", "--limit", bad],
        ["convert", "golf.csv", "out." + bad],
        ["convert", bad, "out.csv"],
        ["compare", "golf.csv", "--method", bad],
        ["compare", "golf.csv", "--measure", bad],
        ["compare", "golf.csv", "--reference", bad],
        ["compare", "golf.csv", "--no-cache", "--plot", bad + "/x.png"],
        ["show", bad],
        ["show", "golf.json", "--html", bad + "/x"],
        ["export", bad, "--to", "c"],
        ["export", "golf.json", "--to", bad],
        ["export", "golf.json", "--to", "c", "--name", "1" + bad],
        ["envelope", bad, "golf.csv"],
        ["c4.5", "-f", bad],
        ["c4.5", "-" + bad],
        ["c4.5", "-m", bad],
        ["j48", "-C", bad],
        ["j48", bad],
        ["reproduce", bad, "--data", "."],
        ["reproduce", "cano2008", "--data", bad],
        ["compare", "golf.csv", "--cache", "golf.json/" + bad],
    ):
        status = main(words)
        err = capsys.readouterr().err
        assert status in (1, 2), words
        message = err.splitlines()[-1]
        usage = err.startswith("usage:")  # argparse's own lines before the sentence
        assert usage or err.count("\n") == 1, (words, err)
        assert message.isprintable()
        assert len(message) <= (LONGEST + 40 if usage else MOST), (words, message)


def test_no_file_of_an_odd_name_is_left(tmp_path):
    name = "a\nb"
    ctree.save(ctree.C45Classifier().fit(ctree.load_golf()), tmp_path / name)
    assert os.listdir(tmp_path) == [name]
    assert pathlib.Path(tmp_path, name).read_text().startswith("{")
