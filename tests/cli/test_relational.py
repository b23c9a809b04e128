"""Linked tables on the command line: learn, predict, show, export and compare, against slow trees and databases."""

from __future__ import annotations

import csv
import io
import json
import pathlib
import shutil

import numpy as np
import pytest
from naive.relational_data import RelationalData, read_folder
from naive.relational_tree import RelationalTree, n_leaves
from support.relational_databases import DIALECTS, Databases, columns_of_folder
from support.relational_problems import random_relational_problem

import ctree
from ctree.learners.registry import RELATIONAL_METHODS

SEED = 1003
SETTINGS = {"lookahead": 1, "forward": 1, "max_variables": 3, "thresholds": 3}
OPTIONS = [word for name, value in SETTINGS.items() for word in (f"--{name.replace('_', '-')}", str(value))]


@pytest.fixture
def problem(ctree_command):
    """Linked tables in the folder `linked`, where the command runs."""
    made = random_relational_problem(SEED)
    made.write(pathlib.Path("linked"))
    return made


def naive_tree(problem, method, **settings):
    return RelationalTree(RelationalData(problem.schema, problem.columns), method, **SETTINGS | settings)


def rows_of(text):
    return list(csv.reader(io.StringIO(text)))


@pytest.fixture
def model(ctree_command, problem):
    answer = ctree_command("learn", "--relational", "linked", *OPTIONS, "-o", "model.json")
    assert answer.status == 0, answer.err
    return "model.json"


class TestLearn:
    @pytest.mark.parametrize("method", RELATIONAL_METHODS)
    def test_tree_size_and_errors_are_those_of_the_slow_tree(self, method, ctree_command, problem):
        words = ["learn", "linked/schema.json", "--relational", "--method", method, *OPTIONS]
        answer = ctree_command(*words, "-o", "model.json")
        assert answer.status == 0, answer.err
        naive = naive_tree(problem, method)
        assert ctree.load("model.json").to_text("logic").split("\n") == naive.to_lines()
        tables = len(ctree.read_relational("linked").schema.tables)
        assert answer.out.startswith(f"linked/schema.json: {problem.n_examples} examples, {tables - 1} linked table")
        assert f"\n\n{ctree.load('model.json').to_text()}\n\n" in answer.out
        leaves = n_leaves(naive.root)
        size = f"{2 * leaves - 1} node{'s' * (leaves > 1)}, {leaves} lea{'ves' if leaves > 1 else 'f'}, depth "
        assert f"\nSize:      {size}" in answer.out
        wrong = sum(
            int(np.argmax(row)) != naive.data.class_of(example) for example, row in enumerate(naive.probabilities())
        )
        assert f"\nTraining:  {wrong} error{'s' * (wrong != 1)} in {problem.n_examples} examples (" in answer.out
        assert answer.out.endswith("\nSaved:     model.json\n")

    def test_json(self, ctree_command, problem):
        answer = ctree_command("learn", "--relational", "linked", *OPTIONS, "--json", "--test", "linked/schema.json")
        facts = json.loads(answer.out)
        tree = naive_tree(problem, "c4.4")
        assert facts["data"]["file"] == "linked"
        assert facts["data"]["examples"] == problem.n_examples
        rows = {name: len(next(iter(columns.values()))) for name, columns in problem.columns.items()}
        assert all(rows[table["name"]] == table["rows"] for table in facts["data"]["tables"])
        assert facts["method"] == facts["parameters"]["method"] == "c4.4"
        assert facts["parameters"] | SETTINGS == facts["parameters"]
        assert facts["tree"]["leaves"] == n_leaves(tree.root)
        counts = [sum(row) for row in facts["training"]["confusion"]]
        assert counts == list(facts["data"]["classes"].values())
        assert facts["test"] == {"file": "linked/schema.json", **facts["training"]}
        assert facts["model"] is None

    def test_the_data_are_described_on_demand(self, ctree_command, problem):
        answer = ctree_command("learn", "--relational", "linked", "--describe")
        assert f"\n\n{ctree.read_relational('linked').describe()}\n\n" in answer.out
        assert (
            str(ctree.read_relational("linked").describe()) not in ctree_command("learn", "--relational", "linked").out
        )

    def test_links_constants_and_aggregates_have_a_spelling(self, ctree_command, problem):
        columns = [
            f"{name}.{column}"
            for name, table in problem.schema["tables"].items()
            for column, kind in table["columns"].items()
            if kind in ("discrete", "continuous")
        ]
        link = problem.schema["foreign_keys"][0]
        name = f"{link['table']}.{link['column']}"
        said = {"links": {name: "up"}, "constants": {columns[0]: False, columns[-1]: True}}
        words = [
            "--links",
            f"{name}=up",
            "--constants",
            f"{columns[0]}=no, {columns[-1]}=yes",
            "--aggregates=count,mean",
        ]
        answer = ctree_command("learn", "--relational", "linked", *OPTIONS, *words, "-o", "model.json")
        assert answer.status == 0, answer.err
        found = ctree.load("model.json")
        assert (found.links, found.constants, found.aggregates) == (*said.values(), ("count", "mean"))
        naive = naive_tree(problem, "c4.4", **said, aggregates=("count", "mean"))
        assert found.to_text("logic").split("\n") == naive.to_lines()

    def test_examples_without_class_are_dropped_on_demand(self, ctree_command, problem):
        classes = problem.columns["example"][problem.schema["target"]["column"]]
        classes[2] = None
        problem.write(pathlib.Path("linked"))
        answer = ctree_command("learn", "--relational", "linked")
        assert (answer.status, answer.out) == (1, "")
        assert answer.err.startswith("ctree: linked/example.csv:4: the class ")
        answer = ctree_command("learn", "--relational", "linked", "--unknown-class", "drop")
        assert answer.out.startswith(f"linked: {problem.n_examples - 1} examples, ")

    def test_help_is_that_of_the_method_for_linked_tables(self, ctree_command):
        answer = ctree_command("learn", "--relational", "--method", "chi2", "--help")
        assert answer.status == 0
        assert answer.out.startswith("usage: ctree learn --relational SOURCE [options]")
        assert "options of --method chi2:\n" in answer.out
        for name in (*SETTINGS, "links", "constants", "aggregates", "significance"):
            assert f"\n  --{name.replace('_', '-')}" in answer.out
        assert not any(f"\n  --{name}" in answer.out for name in ("class ", "discrete", "method-", "data"))
        general = ctree_command("learn", "--relational", "--help")
        for name, method in RELATIONAL_METHODS.items():
            assert f"\n  {name:<9}  {method.summary}\n" in general.out

    def test_another_method_of_the_same_name_is_for_one_table(self, ctree_command, problem):
        answer = ctree_command("learn", "golf", "--method", "bic-prune", "-o", "plain.json")
        assert answer.status == 0
        assert isinstance(ctree.load("plain.json"), ctree.ProbabilityTreeClassifier)

    def test_one_entry_of_the_registry_makes_a_method(self, ctree_command, problem, monkeypatch):
        from ctree.learners.registry import Method

        shallow = Method("RelationalTreeClassifier", "no questions at all", {"max_variables": 1, "forward": 0})
        monkeypatch.setitem(RELATIONAL_METHODS, "shallow", shallow)
        answer = ctree_command("learn", "--relational", "linked", "--method", "shallow", "--json")
        assert json.loads(answer.out)["parameters"]["max_variables"] == 1
        assert "shallow    no questions at all" in ctree_command("learn", "--relational", "--help").out
        answer = ctree_command("learn", "--relational", "linked", "--method", "shallow", "--forward", "1")
        assert answer.status == 2
        assert "--forward is determined by --method shallow: forward is 0" in answer.err


class TestPredict:
    @pytest.fixture
    def new(self, problem):
        """Other examples of the same kind, with their values."""
        other = random_relational_problem(SEED)
        for columns in other.columns.values():
            for name, cells in columns.items():
                if name[0] in "dn":
                    cells.reverse()
        other.write(pathlib.Path("new"))
        return other

    def test_keys_classes_and_probabilities(self, ctree_command, model, problem, new):
        answer = ctree_command("predict", model, "--relational", "new/schema.json")
        assert answer.status == 0, answer.err
        head, *rows = rows_of(answer.out)
        naive = naive_tree(problem, "c4.4")
        expected = naive.probabilities(read_folder("new"))
        classes = list(naive.data.classes)
        assert head == ["key", "prediction", *(f"p({c})" for c in classes), "actual"]
        assert [row[0] for row in rows] == [str(key) for key in new.columns["example"]["id"]]
        found = np.array([[float(p) for p in row[2:-1]] for row in rows])
        assert np.abs(found - expected).max() <= 1e-12
        assert [row[1] for row in rows] == [classes[int(np.argmax(row))] for row in expected]
        actual = new.columns["example"][new.schema["target"]["column"]]
        assert [row[-1] for row in rows] == [str(label) for label in actual]
        wrong = sum(row[1] != row[-1] for row in rows)
        last = answer.err.splitlines()[-1]
        assert last.startswith(f"new/schema.json: {wrong} error{'s' * (wrong != 1)} in {len(rows)} examples (")

    def test_json_and_files(self, ctree_command, model, new):
        table = rows_of(ctree_command("predict", model, "new", "--relational").out)
        answer = ctree_command("predict", model, "new", "--relational", "--json", "-o", "out.jsonl")
        assert (answer.status, answer.out) == (0, "")
        entries = [json.loads(line) for line in pathlib.Path("out.jsonl").read_text().splitlines()]
        assert [[e["key"], e["prediction"], *map(repr, e["probabilities"].values()), e["actual"]] for e in entries] == [
            *table[1:]
        ]

    def test_examples_without_classes(self, ctree_command, model, new):
        column = new.schema["target"]["column"]
        with_classes = rows_of(ctree_command("predict", model, "new", "--relational").out)
        del new.columns["example"][column]
        new.write(pathlib.Path("new"))
        answer = ctree_command("predict", model, "new", "--relational")
        assert answer.status == 0
        assert "error" not in answer.err
        assert rows_of(answer.out) == [row[:-1] for row in with_classes]

    def test_examples_without_keys_are_numbered(self, ctree_command):
        folder = pathlib.Path("flat")
        folder.mkdir()
        (folder / "t.csv").write_text("x,y\n1,a\n2,b\n3,a\n4,b\n")
        schema = {
            "format": "ctree-relational",
            "version": 1,
            "target": {"table": "t", "column": "y"},
            "tables": {"t": {"file": "t.csv", "columns": {"x": "discrete", "y": "class"}}},
        }
        (folder / "schema.json").write_text(json.dumps(schema))
        assert ctree_command("learn", "--relational", "flat", "-o", "flat.json").status == 0
        head, *rows = rows_of(ctree_command("predict", "flat.json", "--relational", "flat").out)
        assert head[:2] == ["example", "prediction"]
        assert [row[0] for row in rows] == ["1", "2", "3", "4"]

    def test_formulas_are_made_safe(self, ctree_command):
        shutil.rmtree("keys", ignore_errors=True)
        data = ctree.RelationalData(
            {"t": {"id": ["=1+1", "b"], "y": ["-yes", "no"]}, "u": {"t": ["=1+1"], "v": ["w"]}},
            target=("t", "y"),
            keys={"t": "id"},
            foreign_keys={"u.t": "t"},
        )
        ctree.write_relational(data, "keys")
        assert ctree_command("learn", "--relational", "keys", "-o", "keys.json").status == 0
        plain = rows_of(ctree_command("predict", "keys.json", "--relational", "keys").out)
        safe = rows_of(ctree_command("predict", "keys.json", "--relational", "keys", "--safe-csv").out)
        assert (plain[1][0], safe[1][0]) == ("=1+1", "'=1+1")
        assert (plain[1][1], safe[1][1]) == ("-yes", "'-yes")

    def test_a_value_that_the_model_does_not_know_is_told(self, ctree_command):
        tables = {"t": {"id": ["1", "2"], "y": ["a", "b"]}, "u": {"t": ["1", "2"], "v": ["red", "blue"]}}
        how = {"target": ("t", "y"), "keys": {"t": "id"}, "foreign_keys": {"u.t": "t"}}
        ctree.write_relational(ctree.RelationalData(tables, **how), "old")
        tables["u"] |= {"t": ["1", "2", None], "v": ["red", "blue", "pink"]}  # of no example
        ctree.write_relational(ctree.RelationalData(tables, **how), "same")
        tables["u"]["v"] = ["red", "green", "pink"]
        ctree.write_relational(ctree.RelationalData(tables, **how), "other")
        assert ctree_command("learn", "--relational", "old", "-o", "old.json").status == 0
        for folder in ("old", "same"):
            assert "warning" not in ctree_command("predict", "old.json", "--relational", folder).err
        answer = ctree_command("predict", "old.json", "--relational", "other")
        assert answer.status == 0
        assert answer.err.splitlines()[0] == (
            "ctree: warning: other: column 'u.v' has the value 'green', which the model does not know; it equals none "
            "of those that it asks for"
        )


class TestShowAndExport:
    def test_forms_of_text(self, ctree_command, model, problem):
        assert ctree_command("show", model).out == ctree_command("show", model, "--form", "words").out
        logic = ctree_command("show", model, "--form", "logic").out
        assert logic.splitlines() == naive_tree(problem, "c4.4").to_lines()
        prolog = ctree_command("show", model, "--form", "prolog").out
        assert prolog.count("!.") == logic.count("[")

    def test_pictures_and_pages(self, ctree_command, model):
        loaded = ctree.load(model)
        assert ctree_command("show", model, "--dot").out.strip() == loaded.to_dot()
        assert ctree_command("show", model, "--max-depth", "1").out.strip() == loaded.to_text(max_depth=1)
        for options in ([], ["--examples", "linked"]):
            assert ctree_command("show", model, "--html", "page.html", *options).status == 0
            examples = ctree.read_relational("linked") if options else None
            title = pathlib.Path(model).stem
            assert pathlib.Path("page.html").read_text() == loaded.to_html(title=title, examples=examples)
        answer = ctree_command("show", model, "--html", "linked/schema.json", "--examples", "linked")
        assert (answer.status, json.loads(pathlib.Path("linked/schema.json").read_text())["version"]) == (2, 1)

    @pytest.mark.parametrize("dialect", DIALECTS)
    def test_a_database_runs_the_exported_query(self, dialect, ctree_command, model):
        answer = ctree_command("export", model, "--to", "sql", "--dialect", dialect, "-o", "query.sql")
        assert answer.status == 0, answer.err
        query = pathlib.Path("query.sql").read_text()
        found = Databases(*columns_of_folder(pathlib.Path("linked"))).probabilities(query, dialect)
        rows = rows_of(ctree_command("predict", model, "--relational", "linked").out)[1:]
        assert found.tolist() == [[float(p) for p in row[2:-1]] for row in rows]

    def test_the_default_dialect_is_duckdb(self, ctree_command, model):
        assert ctree_command("export", model, "--to", "sql").out.strip() == ctree.load(model).to_sql("duckdb").strip()


class TestCompare:
    def test_as_in_python(self, ctree_command, problem):
        random_relational_problem(SEED + 1).write(pathlib.Path("b"))
        methods = "c4.4,two=bic-prune(lookahead=1, max_variables=3, aggregates=[count,mean])"
        words = ["--folds", "2", "--repeats", "2", "--measure", "accuracy,leaves", "--format", "json", "--no-cache"]
        answer = ctree_command("compare", "--relational", "linked/schema.json", "b", "--method", methods, *words)
        assert answer.status == 0, answer.err
        learners = {
            "c4.4": ctree.RelationalTreeClassifier(),
            "two": ctree.RelationalTreeClassifier(
                method="bic-prune", lookahead=1, max_variables=3, aggregates=("count", "mean")
            ),
        }
        sets = {name: ctree.read_relational(name) for name in ("linked", "b")}
        expected = ctree.compare(sets, learners, protocol=ctree.StratifiedFolds(folds=2, repeats=2, seed=1), seed=1)
        facts = json.loads(answer.out)
        assert (facts["sets"], facts["learners"]) == (["linked", "b"], ["c4.4", "two"])
        for table in facts["measures"]:
            means = expected.means(table["measure"]).mean(axis=0)
            assert np.allclose(list(table["averages"].values()), means)

    def test_results_are_kept(self, ctree_command, problem):
        words = ["compare", "--relational", "linked", "--folds", "2", "--repeats", "1", "--cache", "kept"]
        first = ctree_command(*words)
        assert first.status == 0
        assert first.out == ctree_command(*words).out
        assert " c4.4 " in first.out
        assert any(pathlib.Path("kept").iterdir())

    def test_sets_of_one_name_are_called_by_their_paths(self, ctree_command, problem):
        shutil.copytree("linked", "other/linked")
        words = ["--folds", "2", "--repeats", "1", "--no-cache", "--format", "csv", "--method", "c4.4"]
        answer = ctree_command("compare", "--relational", "linked", "other/linked", *words)
        assert "other/linked" in answer.out
        assert "is given twice" in ctree_command("compare", "--relational", "linked", "linked", *words).err
