"""Exports of models with costs give the class of least expected cost."""

import ctypes
import sqlite3
import subprocess
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from naive import pmml_expressions
from support.costly import cases, costs_of, learner
from support.expected_relational import data_of
from support.exported import cases_of, table_of
from support.relational_databases import DIALECTS, Databases
from support.relational_problems import random_relational_problem, random_settings

import ctree
from ctree.export.plans import planned

MODELS = {
    "C45Classifier": {},
    "C45Classifier(j48)": {"estimate": "laplace"},
    "C45RulesClassifier": {},
    "ProbabilityTreeClassifier": {"estimate": "laplace"},
    "BayesianTreeClassifier": {"averaging": "prunings"},
    "NaiveBayesClassifier": {},
    "OptimalTreeClassifier": {},
}
every_model = pytest.mark.parametrize("name", MODELS)


def fitted(name, seed=1, **more):
    return learner(name, costs=costs_of(seed), **MODELS[name], **more).fit(cases(seed, 80))


@every_model
@pytest.mark.parametrize("class_weight", [None, "costs"])
def test_python(name, class_weight):
    if class_weight and name in ("C45RulesClassifier", "OptimalTreeClassifier"):
        pytest.skip("its weights are whole numbers")
    model, test = fitted(name, class_weight=class_weight), cases(50, 80)
    module = {}
    exec(ctree.to_python(model), module)
    assert [module["predict"](case) for case in cases_of(test)] == model.predict(test).tolist()


@every_model
def test_c(name, tmp_path):
    model, test = fitted(name), cases(50, 80)
    (tmp_path / "model.c").write_text(ctree.to_c(model))
    flags = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-lm"]
    subprocess.run(["gcc", "-o", f"{tmp_path}/{name}.so", f"{tmp_path}/model.c", *flags], check=True)
    library = ctypes.CDLL(f"{tmp_path}/{name}.so")
    columns = zip(test.schema, test.columns, strict=True)
    numbers = [np.where(column < 0, np.nan, column) if a.is_discrete else column for a, column in columns]
    found = [library.model_predict(row.ctypes.data_as(ctypes.c_void_p)) for row in np.column_stack(numbers).copy()]
    assert found == model.predict_codes(test).tolist()


@every_model
@pytest.mark.parametrize("form", ["walk", "case"])
@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
def test_sql(name, form, dialect):
    if form == "case" and name in ("C45RulesClassifier", "NaiveBayesClassifier"):
        pytest.skip("form is only for trees")
    model, test = fitted(name), cases(50, 80, unknown=0.2 if form == "walk" else 0)
    tree = form == "walk" or name not in ("C45RulesClassifier", "NaiveBayesClassifier")
    given = {"form": form} if tree and form == "case" else {"key": "the case"}
    query = ctree.to_sql(model, dialect, **given)
    base = pytest.importorskip("duckdb").connect() if dialect == "duckdb" else sqlite3.connect(":memory:")
    declared, rows = table_of(test, planned(model).attributes)
    base.execute(f"CREATE TABLE cases ({declared})")
    base.executemany(f"INSERT INTO cases VALUES ({', '.join('?' * len(rows[0]))})", rows)
    cursor = base.execute(query)
    heads = [column[0] for column in cursor.description]
    found = {row[0]: row[heads.index("prediction")] for row in cursor.fetchall()}
    assert [found[i] for i in range(len(test))] == model.predict(test).tolist()


@pytest.mark.parametrize("seed", range(3000, 3010))
@pytest.mark.parametrize("bagged", [False, True])
def test_linked_tables(seed, bagged, tmp_path):
    problem = random_relational_problem(seed)
    data = data_of(problem, tmp_path)
    classes = data.schema.classes
    costs = {(classes[0], other): 2.7 for other in classes[1:]}
    model = ctree.RelationalTreeClassifier(**random_settings(seed), costs=costs)
    if bagged:
        model = ctree.BaggedTreesClassifier(learner=model, members=3, random_state=1)
    model.fit(data)
    bases = Databases(problem.schema, problem.columns)
    for dialect in DIALECTS:
        assert bases.predictions(model.to_sql(dialect), dialect) == model.predict(data).tolist()


@pytest.mark.parametrize("form", ["tree", "shares"])
@pytest.mark.parametrize("seed", [1, 2])
def test_pmml(form, seed):
    model, test = fitted("BayesianTreeClassifier", seed), cases(50, 80)
    root = ET.fromstring(ctree.to_pmml(model, form=form))
    space = {"p": root.tag[1:].partition("}")[0]}
    outputs = root.findall(".//p:OutputField", space)
    labels = model.classes_.tolist()
    for p, expected in zip(model.predict_proba(test).tolist(), model.predict(test).tolist(), strict=True):
        fields = dict(zip([f"probability({label})" for label in labels], p, strict=True))
        for output in outputs:
            if output.get("feature") == "transformedValue":
                fields[output.get("name")] = pmml_expressions.value(output[0], fields)
        assert fields["prediction"] == expected
        shares = model.costs_ / model.costs_.max()
        assert [fields[f"cost({label})"] for label in labels] == pytest.approx(np.array(p) @ shares)


def test_pmml_of_rules_scores_what_they_predict():
    model = fitted("C45RulesClassifier", 2)
    root = ET.fromstring(ctree.to_pmml(model))
    scores = [node.get("score") for node in root.iter() if node.tag.endswith("}Node")][1:]
    codes = planned(model).best
    assert scores == [model.schema_.classes[code] for code in codes]
    own = [rule.prediction for rule in model.rules_] + [model.default_]
    assert scores != own


def test_onnx():
    onnxruntime = pytest.importorskip("onnxruntime")
    model, test = fitted("C45Classifier"), cases(50, 80, unknown=0)
    run = onnxruntime.InferenceSession(ctree.to_onnx(model)).run
    columns = {}
    for a in planned(model).attributes:
        attribute, column = test.schema[a], test.columns[a]
        values = [[attribute.values[v]] for v in column] if attribute.is_discrete else column[:, None]
        columns[attribute.name] = np.array(values)
    assert run(["label"], columns)[0].tolist() == model.predict(test).tolist()
