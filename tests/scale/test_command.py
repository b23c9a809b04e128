"""`ctree learn` and `ctree predict` with files that no memory has to hold."""

from __future__ import annotations

import csv
import json
import pathlib
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import ctree
from ctree.cli.main import main
from ctree.learners.levels import growing
from ctree.scale.scanned_cases import ScannedCases

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """Call the command in a directory with cases; its exit status, and what it wrote."""
    monkeypatch.chdir(tmp_path)

    def call(*words):
        status = main(list(words))
        return status, *capsys.readouterr()

    return call


@pytest.fixture
def passes(monkeypatch):
    """Cases are gone through, though they would fit into memory."""
    monkeypatch.setattr(ScannedCases, "fits_memory", False)
    monkeypatch.setattr(growing, "gathered", lambda source: 60)


def table(n=1_000, seed=0, unknown=0.0):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(2, n)).round(3)
    color = rng.choice(["red", "green", "blue"], n)
    label = np.where(rng.random(n) < 0.1, "maybe", np.where((x > 0) ^ (color == "red"), "yes", "no"))
    gone = rng.random((3, n)) < unknown
    return pyarrow.table(
        {
            "x": pyarrow.array(np.where(gone[0], 0, x), mask=gone[0]),
            "color": pyarrow.array(color, mask=gone[1]),
            "y": pyarrow.array(np.where(gone[2], 0, y), mask=gone[2]),
            "label": pyarrow.array(label),
        }
    )


def as_csv(cases, path):
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(cases.column_names)
        out.writerows([["?" if cell is None else cell for cell in row.values()] for row in cases.to_pylist()])


def as_c45(cases, path):
    data = ctree.read_csv(path + ".csv", "label")
    ctree.write_c45(data, path)


METHODS = ["bic-stop", "mdl-prune", "chi2", "bayesian", "naive-bayes"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("unknown", [0.0, 0.1])
def test_every_form_of_files_gives_the_model_of_memory(method, unknown, command, passes):
    cases = table(unknown=unknown)
    parquet.write_table(cases, "cases.parquet", row_group_size=300)
    as_csv(cases, "cases.csv")
    as_c45(cases, "cases")
    pathlib.Path("folder").mkdir()
    for i, start in enumerate(range(0, 1_000, 400)):
        parquet.write_table(cases.slice(start, 400), f"folder/{i}.parquet")
    status, out, err = command("learn", "cases.csv", "--class", "label", "--method", method, "--json", "-o", "m.json")
    assert (status, err) == (0, "")
    expected = json.loads(out)
    model = ctree.load("m.json")
    sources = {
        "cases.parquet": ("--class", "label"),
        "folder": ("--class", "label", "--memory", "5MB"),
        "folder/*.parquet": ("--class", "label"),
        "cases.csv": ("--class", "label", "--memory", "5MB"),
        "cases": ("--memory", "5MB"),
    }
    for source, options in sources.items():
        status, out, err = command("learn", source, *options, "--method", method, "--json", "-o", "other.json")
        assert (status, err) == (0, "")
        facts = json.loads(out)
        assert facts["training"] == expected["training"], source
        assert facts["fit_info"]["engine"] == "local"
        for name in ("cases", "discrete", "continuous", "unknown_values", "classes"):
            assert facts["data"][name] == expected["data"][name]
        found, wanted = (
            m.predict_proba(ctree.read_csv("cases.csv", "label")) for m in (ctree.load("other.json"), model)
        )
        np.testing.assert_allclose(found, wanted, rtol=0 if unknown == 0 else 1e-9)
        if unknown == 0:
            fields = [{**m._to_fields(), "data": "cases"} for m in (ctree.load("other.json"), model)]
            assert repr(fields[0]) == repr(fields[1])


def test_what_is_told_of_a_fit(command, passes):
    parquet.write_table(table(), "cases.parquet")
    status, out, err = command("learn", "cases.parquet", "--class", "label", "--method", "bic-stop")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == (
        "cases.parquet: 1000 cases, 3 attributes (1 discrete, 2 continuous), 3 classes, no unknown values"
    )
    assert any(line.startswith("Learned:   ") and " levels by passes and " in line for line in lines)
    errors = sum(
        a != b
        for a, b in zip(
            ctree.ProbabilityTreeClassifier(approach="bic-stop").fit(ctree_data()).predict(ctree_data()),
            ctree_data().labels,
            strict=True,
        )
    )
    assert lines[-1].startswith(f"Training:  {errors} errors in 1000 cases")


def ctree_data():
    as_csv(table(), "same.csv")
    return ctree.read_csv("same.csv", "label")


def test_cases_that_fit_are_learned_in_memory(command):
    parquet.write_table(table(), "cases.parquet")
    as_csv(table(), "cases.csv")
    assert command("learn", "cases.csv", "--class", "label", "-o", "a.json")[0] == 0
    for method in ("c4.5", "c4.5rules"):
        status, out, _ = command("learn", "cases.parquet", "--class", "label", "--method", method, "-o", "b.json")
        assert status == 0
        read = command("learn", "cases.csv", "--class", "label", "--method", method, "-o", "a.json")[1]
        out = out.replace("Learned:   in memory, as all cases fit\n", "")
        assert out.replace("cases.parquet", "cases.csv").replace("b.json", "a.json") == read
        assert ctree.load("a.json")._to_fields() == ctree.load("b.json")._to_fields()
    status, out, _ = command("learn", "cases.parquet", "--class", "label", "--method", "bic-stop")
    assert "Learned:   in memory, as all cases fit\n" in out


def test_test_cases(command, passes):
    parquet.write_table(table(), "cases.parquet")
    others = table(500, seed=1, unknown=0.1)
    parquet.write_table(others, "test.parquet", row_group_size=77)
    as_csv(others, "test.csv")
    found = [
        json.loads(
            command("learn", "cases.parquet", "--class", "label", "--method", "chi2", "--test", test, "--json")[1]
        )
        for test in ("test.parquet", "test.csv")
    ]
    assert found[0]["test"].pop("file") == "test.parquet"
    assert found[1]["test"].pop("file") == "test.csv"
    assert found[0]["test"] == found[1]["test"]
    assert found[0]["test"]["cases"] == 500


def test_discrete_columns_of_numbers(command):
    cases = table().append_column("size", pyarrow.array(np.arange(1_000) % 3))
    parquet.write_table(cases, "cases.parquet")
    as_csv(cases, "cases.csv")
    facts = [
        json.loads(command("learn", file, "--class", "label", "--discrete", "size", "--json")[1])
        for file in ("cases.parquet", "cases.csv")
    ]
    assert [f["data"]["discrete"] for f in facts] == [2, 2]
    assert facts[0]["training"] == facts[1]["training"]


def test_columns_to_leave_out_and_weights(command, passes):
    rng = np.random.default_rng(3)
    often = rng.integers(0, 4, 1_000)
    days = pyarrow.array(rng.integers(0, 9_000, 1_000).astype("int32"), type=pyarrow.date32())
    cases = table().append_column("often", pyarrow.array(often)).append_column("day", days)
    parquet.write_table(cases, "cases.parquet", row_group_size=300)
    as_csv(cases, "cases.csv")
    # A weight says how often a row stands in the table.
    repeated = table().take(np.repeat(np.arange(1_000), often)).drop_columns(["y"])
    as_csv(repeated, "repeated.csv")
    words = ("--class", "label", "--method", "bic-stop")
    assert "1 date" in command("learn", "cases.parquet", *words)[1]
    given = ("--ignore", "day,y", "--weights", "often", "--memory", "9MB")
    assert command("learn", "repeated.csv", *words, "-o", "wanted.json")[0] == 0
    wanted = ctree.load("wanted.json")
    for file in ("cases.parquet", "cases.csv"):
        status, out, err = command("learn", file, *words, *given, "-o", "found.json")
        assert (status, err) == (0, "")
        assert f"{np.count_nonzero(often)} cases, 2 attributes" in out
        assert ctree.load("found.json").to_text() == wanted.to_text()
    status, out, _ = command("learn", "cases.parquet", *words, *given, "--discrete", "x", "--json")
    assert (status, json.loads(out)["data"]["discrete"]) == (0, 2)


def test_c45_tells_that_it_was_computed_in_64_bits(command, passes):
    parquet.write_table(table(), "cases.parquet")

    def learned(*words):
        lines = command("learn", "cases.parquet", "--class", "label", *words)[1].splitlines()
        return next(line for line in lines if line.startswith("Learned:"))

    assert learned().endswith(", in 64 bits (--arithmetic double)")
    for words in (("--arithmetic", "double"), ("--variant", "j48"), ("--method", "bic-stop")):
        assert "64 bits" not in learned(*words)


@pytest.mark.parametrize("form", ["csv", "json"])
def test_predictions_of_parquet_files_are_those_of_the_same_cases_as_csv(form, command, monkeypatch):
    monkeypatch.setattr("ctree.data.scan.parquet_cases.ROWS", 64)
    as_csv(table(), "cases.csv")
    assert command("learn", "cases.csv", "--class", "label", "--method", "c4.4", "-o", "m.json")[0] == 0
    others = table(300, seed=2, unknown=0.2)
    # in another order, with a column more, and a color that nobody knows
    color = pyarrow.array(["mauve" if i == 250 else c for i, c in enumerate(others["color"].to_pylist())])
    when = pyarrow.array(np.arange(300).astype("datetime64[D]"))
    columns = {"y": others["y"], "color": color, "x": others["x"], "label": others["label"]}
    as_csv(pyarrow.table(columns), "others.csv")
    parquet.write_table(pyarrow.table({**columns, "when": when}), "others.parquet", row_group_size=90)
    options = ["--json"] if form == "json" else []
    expected = command("predict", "m.json", "others.csv", *options)
    found = command("predict", "m.json", "others.parquet", *options)
    assert found[0] == expected[0] == 0
    assert found[1] == expected[1]
    assert found[2].replace("others.parquet", "others.csv") == expected[2]
    assert "has the value 'mauve', which the model does not know" in found[2]
    # in parts
    pathlib.Path("parts").mkdir()
    whole = parquet.read_table("others.parquet")
    for i in range(3):
        parquet.write_table(whole.slice(100 * i, 100), f"parts/{i}.parquet")
    assert command("predict", "m.json", "parts", *options)[1] == expected[1]
    # without classes
    parquet.write_table(whole.drop_columns(["label"]), "none.parquet")
    status, out, err = command("predict", "m.json", "none.parquet", "-o", "out.csv")
    assert (status, out) == (0, "")
    assert "errors" not in err
    assert pathlib.Path("out.csv").read_text().splitlines()[0] == "case,prediction,p(maybe),p(no),p(yes)"


def test_an_empty_file_has_no_predictions(command):
    as_csv(table(), "cases.csv")
    assert command("learn", "cases.csv", "--class", "label", "-o", "m.json")[0] == 0
    parquet.write_table(table().slice(0, 0), "empty.parquet")
    status, out, err = command("predict", "m.json", "empty.parquet")
    assert (status, out, err) == (0, "case,prediction,p(maybe),p(no),p(yes)\n", "")


def test_what_is_wrong_is_said(command, passes):
    parquet.write_table(table(), "cases.parquet")
    as_csv(table(), "cases.csv")
    as_c45(table(), "cases")

    def message(*words, status=2):
        found, out, err = command(*words)
        assert found == status
        assert out == ""
        assert err.startswith("ctree: ")
        assert err.count("\n") == 1
        return err

    learn = ("learn", "cases.parquet", "--class", "label")
    assert "cases.parquet: --class is needed: it names the column" in message("learn", "cases.parquet")
    assert "there is no column 'lable'" in message("learn", "cases.parquet", "--class", "lable")
    said = message(*learn, "--method", "c4.5rules")
    assert "--method c4.5rules needs all cases in memory, and 1000 cases do not fit: raise --memory" in said
    assert "bic-stop" in said
    status, _, err = command(*learn, "--method", "c4.5", "--soft-thresholds")
    assert status == 2
    assert "--soft-thresholds needs all cases in memory, and those of the source do not fit" in err
    assert "--checkpoint is not for --method naive-bayes" in message(
        *learn, "--method", "naive-bayes", "--checkpoint", "c"
    )
    assert "--checkpoint is for cases that are read in passes" in message("learn", "cases", "--checkpoint", "c.json")
    assert "--weights is for cases that are read in passes" in message("learn", "cases.csv", "--weights", "y")
    assert "--ignore are only for .csv and .tsv files" in message("learn", "cases", "--ignore", "y")
    for option in ("--ignore", "--weights"):
        assert f"{option} is not for C4.5 files" in message("learn", "cases", option, "y", "--memory", "9MB")
    assert "there is no column 'z'" in message(*learn, "--ignore", "z")
    assert "--class is not for C4.5 files" in message("learn", "cases", "--class", "label", "--memory", "9MB")
    pathlib.Path("cases.arff").write_text("@relation r\n")
    assert "--memory is for Parquet and .csv files" in message("learn", "cases.arff", "--memory", "9MB")
    pathlib.Path("none").mkdir()
    assert "this is a directory" in message("learn", "none", "--class", "label", status=1)
    bic = (*learn, "--method", "bic-stop")
    assert "nowhere" in message(*bic, "-o", "nowhere/m.json", status=1)
    assert "cases.parquet" in message(*bic, "-o", "cases.parquet")
    assert "cases.parquet" in message(*bic, "--checkpoint", "cases.parquet")
    pathlib.Path("c.json").write_text("{}")
    status, _, err = command(*bic, "--checkpoint", "c.json")
    assert (status, err) == (
        1,
        "ctree: c.json: this is no checkpoint; name another file, or one that is not there yet\n",
    )
    status, _, err = command(*bic, "--memory", "much")
    assert status == 2
    assert "argument --memory: it should be a size such as 500MB or 2GB, not 'much'" in err


def test_a_class_that_the_model_does_not_know(command):
    as_csv(table(), "cases.csv")
    assert command("learn", "cases.csv", "--class", "label", "-o", "m.json")[0] == 0
    labels = pyarrow.array(["other" if i == 700 else c for i, c in enumerate(table()["label"].to_pylist())])
    parquet.write_table(table().set_column(3, "label", labels), "new.parquet", row_group_size=200)
    status, _, err = command("predict", "m.json", "new.parquet", "--class", "label")
    assert status == 1
    assert "new.parquet: case 701 has the class 'other', not one of" in err
    # if nobody says that it is the class, it is a column like any other
    assert command("predict", "m.json", "new.parquet")[0] == 0
    status, _, err = command("predict", "m.json", "new.parquet", "--class", "lable")
    assert "there is no column 'lable'" in err
    parquet.write_table(table().drop_columns(["y"]), "less.parquet")
    status, _, err = command("predict", "m.json", "less.parquet")
    assert (status, err) == (1, "ctree: less.parquet: there is no column 'y' among x, color, label\n")


SLOW = """
import sys, time
from ctree.cli.main import main
from ctree.learners.levels import growing
from ctree.learners.levels.level_grower import LevelGrower
from ctree.scale.scanned_cases import ScannedCases

ScannedCases.fits_memory = False
growing.gathered = lambda source: 60
save = LevelGrower._save

def slowly(self, level):
    save(self, level)
    if self.info.levels == 2:
        print("saved", file=sys.stderr, flush=True)
        time.sleep(60)

LevelGrower._save = slowly
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_ctrl_c_leaves_a_checkpoint_from_which_the_command_goes_on(command, passes):
    parquet.write_table(table(), "cases.parquet", row_group_size=300)
    words = ["learn", "cases.parquet", "--class", "label", "--method", "mdl-stop"]
    expected = command(*words)[1]
    words += ["--checkpoint", "top.json"]
    process = subprocess.Popen([sys.executable, "-c", SLOW, *words], stderr=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stderr.readline() == b"saved\n"
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert err.decode().splitlines()[0] == "ctree: warning: interrupted; the same command goes on from top.json"
    status, out, err = command(*words)
    assert (status, err) == (0, "")

    def without_passes(text):
        return [line for line in text.splitlines() if not line.startswith("Learned:")]

    assert without_passes(out) == without_passes(expected)
    assert not pathlib.Path("top.json").exists()


@pytest.mark.parametrize("method", ["bayes-optimal", "dl8"])
def test_a_search_over_all_trees(command, passes, method):
    cases = table()
    parquet.write_table(cases, "cases.parquet", row_group_size=300)
    options = ("--class", "label", "--method", method, "--max-depth", "2")
    status, _, err = command("learn", "cases.parquet", *options, "-o", "model.json")
    assert (status, err) == (0, "")
    as_csv(cases, "cases.csv")
    assert command("learn", "cases.csv", *options, "-o", "same.json")[0] == 0
    found, expected = (
        ctree.load(name).predict_proba(cases.drop_columns("label")) for name in ("model.json", "same.json")
    )
    np.testing.assert_array_equal(found, expected)
