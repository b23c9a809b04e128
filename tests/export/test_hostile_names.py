"""Whatever names, values and classes are: an export runs and agrees with the model, or is refused in one sentence."""

from __future__ import annotations

import io
import json
import re
import shutil
import sys

import numpy as np
import pytest
from support import exported
from support.hostile import check_sentence, hostile_data

import ctree
from ctree.cli.main import main
from ctree.errors import CtreeError, ModelError
from ctree.render.j48_text import j48_text
from ctree.tree.answers import answer_texts

SHORT, LONG = range(60), range(60, 250)

LEARNERS = (
    ctree.C45Classifier(min_cases=1, prune=False, estimate="laplace"),
    ctree.C45Classifier(min_cases=1, group_values=True, estimate="laplace"),
    ctree.ProbabilityTreeClassifier(estimate="laplace"),
    ctree.BayesianTreeClassifier(unknown="impute", prior_weight=1),
)


def model_of(seed):
    """A model, and cases for it with some unknown values."""
    data = hostile_data(seed)
    model = ctree.ProbabilityTreeClassifier(binary_splits=bool(seed % 2)) if seed % 5 == 0 else LEARNERS[seed % 4]
    return model.fit(data), exported.together(data.take(range(8)), exported.with_unknown(data.take(range(8)), 0.3))


def agrees(run, model, data, *more, tolerance=1e-12):
    """Whether an export was run; if it was, its probabilities are those of the model."""
    try:
        found = run(model, data, *more)
    except CtreeError as error:
        check_sentence(error)
        return False
    assert found == pytest.approx(model.predict_proba(data), abs=tolerance)
    return True


def check_exports(seed):
    """Which of the exports were not refused."""
    model, data = model_of(seed)
    assert exported.by_python(model, data).tolist() == model.predict_proba(data).tolist()
    return [
        agrees(exported.by_sqlite, model, data),
        agrees(exported.by_sqlite, model, data.take(range(8)), "case"),
        agrees(exported.by_the_standard, model, data, tolerance=1e-9),
        agrees(exported.by_shares, model, data, tolerance=1e-9),
    ]


def test_sql_python_and_pmml():
    ran = np.array([check_exports(seed) for seed in SHORT])
    assert (ran.mean(axis=0) > 0.3).all(), ran.mean(axis=0)


@pytest.mark.slow
def test_sql_python_and_pmml_at_length():
    for seed in LONG:
        check_exports(seed)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
def test_c(tmp_path):
    ran = 0
    for seed in range(100, 140):
        model, data = model_of(seed)
        try:
            model.to_c()
        except ModelError as error:
            check_sentence(error)
            continue
        if ran < 6:
            ran += agrees(exported.by_c, model, data, tmp_path, ("-O0", "-ffp-contract=off"), tolerance=0)
    assert ran == 6


def test_duckdb():
    pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    ran = []
    for seed in range(200, 212):
        model, data = model_of(seed)
        ran.append(agrees(exported.by_duckdb, model, data))
        agrees(exported.by_duckdb, model, data.take(range(8)), "case")
    assert sum(ran) > 3


def check_texts(seed):
    model, data = model_of(seed)
    tree = model.tree_
    assert model.predict(data).tolist() == [model.schema_.classes[c] for c in model.predict_codes(data)]
    texts = [model.to_text(), tree.to_text(max_depth=1), j48_text(tree), *map(str, model.to_rules()), repr(tree[0])]
    for explanation in model.explain(data):
        texts += [str(explanation), explanation._repr_html_(), json.dumps(explanation.to_dict())]
    for text in texts:
        io.TextIOWrapper(io.BytesIO(), "ascii", "backslashreplace").write(text)
    string = r'"(?:[^"\\]|\\.)*"'
    for line in tree.to_dot().splitlines()[1:-1]:
        assert re.fullmatch(rf"  [\w> -]+ \[(?:\w+={string}(?:, )?)+\];", line), line
    page = model.to_html("</title>\ud800")
    page.encode()
    (inside,) = re.findall(r'<script type="application/json" id="model">(.*?)</script>', page, re.DOTALL)
    shown = json.loads(inside)
    names = [a["name"].encode("utf-16", "surrogatepass") for a in shown["attributes"]]  # as texts are in JavaScript
    assert names == [name.encode("utf-16", "surrogatepass") for name in model.schema_.names]
    for texts in (shown["classes"], *(a["values"] for a in shown["attributes"])):
        assert len(set(texts)) == len(texts)


def test_texts_and_pages():
    for seed in SHORT:
        check_texts(seed)


@pytest.mark.slow
def test_texts_and_pages_at_length():
    for seed in LONG:
        check_texts(seed)


def test_a_consultation_takes_every_value_by_its_text():
    taken = 0
    for seed in SHORT:
        model, data = model_of(seed)
        for case in range(8):
            session = model.consultation()
            try:
                while (attribute := session.question) is not None:
                    a = model.schema_.index(attribute.name)
                    if attribute.is_continuous:
                        session.answer(repr(data.value(case, a)))
                    else:
                        session.answer(answer_texts(attribute)[int(data.columns[a][case])])
            except CtreeError as error:
                check_sentence(error)
                continue
            found = {c.label: c.cf for c in session.certainties()}
            expected = model.predict_proba(data.take([case]))[0].tolist()
            taken += 1
            assert [found[label] for label in model.schema_.classes] == pytest.approx(expected, abs=1e-9)
    assert taken > 200


def test_saved_models_are_the_same(tmp_path):
    refused = 0
    for seed in SHORT:
        model, data = model_of(seed)
        try:
            ctree.save(model, tmp_path / "m.json")
        except ModelError as error:
            check_sentence(error)
            refused += 1
            continue
        loaded = ctree.load(tmp_path / "m.json")
        assert loaded.schema_ == model.schema_
        assert loaded.predict_proba(data).tolist() == model.predict_proba(data).tolist()
        assert loaded.predict(data).tolist() == model.predict(data).tolist()
    assert refused < 5


def test_a_terminal_that_cannot_show_the_names(tmp_path, monkeypatch):
    for seed in SHORT[:20]:
        try:
            ctree.save(model_of(seed)[0], tmp_path / "m.json")
        except ModelError:
            continue
        for arguments in (["show"], ["consult", "-t"]):
            out, err = (io.TextIOWrapper(io.BytesIO(), "ascii") for _ in range(2))
            monkeypatch.setattr(sys, "stdout", out)
            monkeypatch.setattr(sys, "stderr", err)
            monkeypatch.setattr(sys, "stdin", io.StringIO(""))
            assert main([*arguments, str(tmp_path / "m.json")]) in (0, 1)
            monkeypatch.undo()
            out.flush()
            assert out.buffer.getvalue().isascii()
            assert out.buffer.getvalue()
