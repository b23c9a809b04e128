"""What is wrong with linked tables, and with options about them, is one sentence that names the place."""

from __future__ import annotations

import copy
import json
import os
import pathlib

import pytest
from support.linked_files import FILES, SCHEMA, folder_with, set_at

import ctree


@pytest.fixture
def folder(ctree_command):
    """Linked tables in the folder `m`."""
    pathlib.Path("m").mkdir()
    folder_with(pathlib.Path("m"))
    return "m"


@pytest.fixture
def model(ctree_command, folder):
    assert ctree_command("learn", "--relational", "m", "-o", "m.json").status == 0
    return "m.json"


WRONG = {
    "no JSON": ('{"format": ,', {}, r"m/schema.json:1: this is not JSON (column 12: "),
    "another format": ('{"format": "x"}', {}, "m/schema.json: this is no schema of linked tables: it should be "),
    "a later version": (("version", 2), {}, "m/schema.json:1: version 2 is later than 1, which this ctree reads"),
    "no file": (("tables", "atom", "file", None), {}, "m/schema.json: table 'atom' names no file"),
    "no such file": (("tables", "atom", "file", "x.csv"), {}, "m/x.csv: there is no such file"),
    "no such column": (
        None,
        {"atom": "atom,molecule,element,charges\na1,m1,c,1\n"},
        "m/atom.csv: there is no column 'charge' among atom, molecule, element, charges (did you mean 'charges'?)",
    ),
    "no such kind": (
        ("tables", "atom", "columns", "charge", "numeric"),
        {},
        "m/schema.json:1: column 'charge' of table 'atom' is of kind 'numeric'; the kinds are key, discrete, "
        "continuous, class, ignore",
    ),
    "two classes": (("tables", "atom", "columns", "charge", "class"), {}, "m/schema.json:1: column 'charge' of table "),
    "no class column": (("target", "column", None), {}, "m/schema.json:1: column 'class' of table 'molecule' is of "),
    "a target without key": (
        ("tables", "molecule", "key", None),
        {},
        "m/schema.json:1: the target table 'molecule' needs a key, by which other tables refer to its rows",
    ),
    "a key twice": (
        None,
        {"atom": FILES["atom.csv"].replace("a2", "a1")},
        "m/atom.csv:3: the key 'a1' of table 'atom' occurs twice, first in line 2",
    ),
    "an empty key": (None, {"atom": FILES["atom.csv"].replace("a2,", ",")}, "m/atom.csv:3: the key is empty"),
    "a dangling key": (
        None,
        {"bond": "atom1,atom2,type\na1,a99,2\n"},
        "m/bond.csv:2: atom2 is 'a99', and there is no such key in table 'atom'",
    ),
    "no number": (None, {"molecule": "molecule,lumo,class\nm1,low,pos\nm2,,neg\n"}, "m/molecule.csv:2: "),
    "an infinite number": (None, {"molecule": "molecule,lumo,class\nm1,inf,pos\nm2,,neg\n"}, "m/molecule.csv:2: "),
    "no class": (None, {"molecule": "molecule,lumo,class\nm1,1,\nm2,,neg\n"}, "m/molecule.csv:2: the class 'class' "),
    "another class": (None, {"molecule": "molecule,lumo,class\nm1,1,x\nm2,,neg\n"}, "m/molecule.csv:2: "),
    "no examples": (
        None,
        {"molecule": "molecule,lumo,class\n", "atom": "atom,molecule,element,charge\n", "bond": "atom1,atom2,type\n"},
        "m/molecule.csv: there are no examples",
    ),
    "symmetric": (
        ("tables", "bond", "symmetric", ["atom1", "type"]),
        {},
        "m/schema.json:1: the symmetric table 'bond' ",
    ),
    "links": (("bias", "links", {"bond.atom": "up"}), {}, "m/schema.json:1: links names 'bond.atom', but "),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_tables(what, ctree_command, folder):
    change, files, sentence = WRONG[what]
    schema = change
    if isinstance(change, tuple):
        schema = copy.deepcopy(SCHEMA)
        set_at(*change)(schema)
    folder_with(pathlib.Path("m"), schema, **files)
    for words in (["learn", "-o", "out.json"], ["compare", "--no-cache"], ["learn", "--test", "m"]):
        answer = ctree_command(words[0], "--relational", "m", *words[1:])
        assert (answer.status, answer.out) == (1, "")
        assert len(answer.err.splitlines()) == 1
        assert answer.err.startswith(f"ctree: {sentence}")
    assert not os.path.exists("out.json")


def test_dangling_keys_are_unknown_on_demand(ctree_command, folder):
    folder_with(pathlib.Path("m"), bond="atom1,atom2,type\na1,a99,2\n")
    answer = ctree_command("learn", "--relational", "m", "--dangling", "unknown", "-o", "m.json")
    assert answer.status == 0
    assert answer.err.startswith("ctree: warning: m: ")
    assert ctree_command("predict", "m.json", "--relational", "m").status == 1
    assert ctree_command("predict", "m.json", "--relational", "m", "--dangling", "unknown").status == 0


def test_a_table_out_of_reach_is_a_warning(ctree_command, folder):
    schema = copy.deepcopy(SCHEMA)
    schema["tables"]["logs"] = {"file": "logs.csv", "columns": {"line": "discrete"}}
    folder_with(pathlib.Path("m"), schema, logs="line\nx\n")
    answer = ctree_command("learn", "--relational", "m")
    assert answer.status == 0
    assert answer.err == "ctree: warning: m: table 'logs' cannot be reached from 'molecule' and is left out\n"


OPTIONS = {
    "--class is not for linked tables: the schema, or --target, names the class": ["learn", "--class", "x"],
    "--discrete is not for linked tables: the schema, or --kinds, says which": ["learn", "--discrete=x"],
    "--class is not for linked tables": ["predict", "m.json", "--class", "x"],
    "--impute is not for linked tables: relational trees take unknown values as they are": ["compare", "--impute"],
    "--bins is not for linked tables: relational trees have thresholds, which ": ["compare", "--bins", "3"],
    "--criterion is not an option of --method c4.4, but of methods for tables of cases": ["learn", "--criterion=gain"],
    "argument --method: invalid choice: 'mcmc'": ["learn", "--method", "mcmc"],
    "argument --links: it should be none or columns with both, down, up or none, ": ["learn", "--links", "bond.x"],
    "argument --constants: it should be none or columns with yes or no, ": ["learn", "--constants", "atom.charge=x"],
    "argument --aggregates: it should be some of count,": ["learn", "--aggregates", "count,sum"],
    "argument --kinds: it should be NAME=WORD, with commas between several, not 'x'": ["learn", "--kinds", "x"],
}


@pytest.mark.parametrize("sentence", OPTIONS)
def test_wrong_options_for_linked_tables(sentence, ctree_command, folder):
    command, *rest = OPTIONS[sentence]
    answer = ctree_command(command, "--relational", *rest, "m")
    assert (answer.status, answer.out) == (2, "")
    assert sentence in answer.err


@pytest.mark.parametrize("option", ["--target=a.b", "--kinds=a.b=key", "--dangling=unknown", "--describe"])
def test_options_for_linked_tables_need_the_flag(option, ctree_command):
    answer = ctree_command("learn", "golf", option)
    assert answer.status == 2
    assert f"{option.split('=')[0]} is for linked tables only, which need --relational" in answer.err
    answer = ctree_command("learn", "golf", "--lookahead", "1")
    assert (
        "--lookahead is not an option of --method c4.5, but of methods for linked tables (--relational)" in answer.err
    )


@pytest.mark.parametrize(
    "words", [["--target", "a.b"], ["--kinds", "a.b=key"], ["--keys", "a=b"], ["--foreign-keys=a.b=c"]]
)
def test_a_schema_says_itself_what_databases_are_told(words, ctree_command, folder):
    answer = ctree_command("learn", "--relational", "m", *words)
    assert (answer.status, answer.out) == (2, "")
    option = words[0].split("=")[0]
    assert answer.err == f"ctree: {option} is for databases; a schema.json says that itself\n"


def test_parameters_are_checked_with_the_tables(ctree_command, folder):
    answer = ctree_command("learn", "--relational", "m", "--links", "bond.atom=up")
    assert answer.status == 2
    assert "links names 'bond.atom', but the foreign keys are atom.molecule, bond.atom1, bond.atom2" in answer.err
    answer = ctree_command("learn", "--relational", "m", "--confidence", "0.1")
    assert answer.status == 2
    assert answer.err == "ctree learn: error: --confidence is not an option of --method c4.4, but of c4.5\n"


LINKED = "of linked tables, which learn, predict and compare take with --relational"


@pytest.mark.parametrize("command", ["learn", "compare", "mine", "convert", "predict"])
@pytest.mark.parametrize(
    ("source", "what"),
    [("m", "this folder has a schema.json"), ("m/schema.json", "this is a schema"), ("m.db", "this is a database")],
)
def test_linked_tables_without_the_flag(command, source, what, ctree_command, folder, golf_model):
    pathlib.Path("m.db").write_bytes(b"SQLite format 3\0" + bytes(100))
    words = {"convert": [source, "out.csv"], "predict": [golf_model, source]}.get(command, [source])
    answer = ctree_command(command, *words)
    assert (answer.status, answer.out) == (1, "")
    assert answer.err == f"ctree: {source}: {what} {LINKED}\n"


def test_one_table_with_the_flag(ctree_command, folder, golf_model, model):
    answer = ctree_command("learn", "--relational", "golf.data")
    assert answer.err.startswith("ctree: golf.data: this is a table of cases, but --relational is for linked tables: ")
    answer = ctree_command("predict", golf_model, "--relational", "m")
    assert answer.err == (
        "ctree: golf.json: this model was learned from a table of cases, not from linked tables; leave out "
        "--relational\n"
    )
    answer = ctree_command("predict", model, "golf.data")
    assert answer.status == 1
    assert answer.err == (
        "ctree: m.json: this model was learned from linked tables; it predicts examples in linked "
        "tables, with --relational\n"
    )
    answer = ctree_command("show", golf_model, "--form", "logic")
    assert answer.err == "ctree: --form is for trees of linked tables, and golf.json is none\n"


NAMED = "m.json, a tree of linked tables,"
REFUSED = {
    "consult": (
        ["consult", "m.json"],
        "m.json: this model was learned from linked tables; an example ",
    ),
    "envelope": (
        ["envelope", "m.json", "x.csv"],
        "m.json: this model was learned from linked tables; ",
    ),
    "examples": (["show", "m.json", "--examples", "m"], "--examples is for the page, which --html writes"),
    "folded clauses": (["show", "m.json", "--form", "prolog", "--max-depth", "0"], "--max-depth"),
    "pmml": (["export", "m.json", "--to", "pmml"], f"{NAMED} can be exported with --to sql only, and not to pmml"),
    "python": (["export", "m.json", "--to", "python"], f"{NAMED} can be exported with --to sql only, and not to "),
    "c": (["export", "m.json", "--to", "c"], f"{NAMED} can be exported with --to sql only, and not to c"),
    "table": (["export", "m.json", "--to", "sql", "--table", "t"], f"{NAMED} is exported with the tables, keys and "),
    "resume": (
        ["learn", "golf", "--method", "mcmc", "--resume", "m.json"],
        "m.json: a tree of linked tables has no ",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_a_model_of_linked_tables_cannot_do(what, ctree_command, model):
    words, sentence = REFUSED[what]
    answer = ctree_command(*words)
    assert (answer.status, answer.out) == (1 if what in ("consult", "envelope", "resume") else 2, "")
    assert answer.err.startswith(f"ctree: {sentence}")
    assert len(answer.err.splitlines()) == 1


def test_other_tables_than_the_model_asks_for(ctree_command, folder, model):
    schema = copy.deepcopy(SCHEMA)
    tree = ctree.load(model).tree_
    assert tree.needed == ("molecule", "molecule.lumo")
    del schema["tables"]["molecule"]["columns"]["lumo"]
    (pathlib.Path("m") / "schema.json").write_text(json.dumps(schema))
    answer = ctree_command("predict", model, "--relational", "m")
    assert answer.err == "ctree: m: table 'molecule' has no column 'lumo', which the model asks for\n"
    schema = copy.deepcopy(SCHEMA)
    schema["target"]["classes"] = ["pos", "negative"]
    folder_with(pathlib.Path("m"), schema, molecule="molecule,lumo,class\nm1,1,pos\nm2,,negative\n")
    for words in (["predict", model, "--relational", "m"], ["learn", "--relational", "first", "--test", "m"]):
        pathlib.Path("first").mkdir(exist_ok=True)
        folder_with(pathlib.Path("first"))
        answer = ctree_command(*words)
        assert (answer.status, answer.out) == (1, "")
        assert answer.err.startswith("ctree: m: the class 'negative' is not one of pos, neg, which the model knows")


READS = ["schema.json", "molecule.csv", "atom.csv", "bond.csv"]


@pytest.mark.parametrize("way", ["itself", "symbolic link", "hard link"])
@pytest.mark.parametrize("file", READS)
def test_no_file_of_linked_tables_is_overwritten(file, way, ctree_command, folder, model):
    before = {name: pathlib.Path("m", name).read_bytes() for name in READS}
    output = f"m/{file}" if way == "itself" else "link.csv"
    if way != "itself":
        (os.symlink if way == "symbolic link" else os.link)(f"m/{file}", output)
    pathlib.Path("new").mkdir()
    folder_with(pathlib.Path("new"))
    for words in (
        ["learn", "--relational", "m", "-o"],
        ["learn", "--relational", "new", "--test", "m/schema.json", "-o"],
        ["predict", model, "--relational", "m", "-o"],
        ["compare", "--relational", "new", "m", "--no-cache", "--plot"],
    ):
        answer = ctree_command(*words, output)
        assert (answer.status, answer.out) == (2, "")
        known = "" if way == "itself" else f", as 'm/{file}'"
        assert answer.err == f"ctree: {output}: this file is read by the same command{known}; write to another one\n"
    assert before == {name: pathlib.Path("m", name).read_bytes() for name in READS}


def test_the_model_is_not_overwritten(ctree_command, folder, model):
    before = pathlib.Path(model).read_bytes()
    for words in (["predict", model, "--relational", "m", "-o"], ["export", model, "--to", "sql", "--force", "-o"]):
        assert "this file is read by the same command" in ctree_command(*words, model).err
    assert pathlib.Path(model).read_bytes() == before
    answer = ctree_command("learn", "--relational", "m", "-o", "no/such.json")
    assert answer.err == "ctree: no/such.json: the model cannot be written there, as there is no directory 'no'\n"
