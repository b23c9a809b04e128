"""Exports that are run: Python, SQLite, PMML, and C if asked for, must give the probabilities of the model."""

from __future__ import annotations

import os
import random
import sqlite3
import sys
from pathlib import Path
from typing import Any

import numpy as np

from ctree.errors import CtreeError

from .judging import FindingError, VoidError, check_message, check_probabilities
from .learners import VARIANTS, fresh_models, made
from .mutations import some_texts
from .usage import cases_in_codes

sys.path.append(str(Path(__file__).parents[1]))  # as pytest has it
from support import exported

MEMORY_MAY_RUN_OUT = False

TREES = [v for v in VARIANTS if v[0] not in ("C45RulesClassifier", "NaiveBayesClassifier", "BayesOptimalClassifier")]
FORMS = ("python", "sqlite", "sqlite", "sqlite case", "pmml", "c text")
C_SHARE = float(os.environ.get("CTREE_FUZZ_C", "0"))
"""The share of inputs that are compiled as C, which takes a hundred times as long."""
TOLERANCE = 1e-9


def prepare() -> None:
    """Make once what inputs are made from."""
    fresh_models()


def draw(rng: random.Random) -> Any:
    """A small table with difficult names and values, a learner, and a form."""
    difficult = rng.choice((0.0, 0.1, 0.3))
    n = rng.choice((4, 8, 15, 30))
    names = some_texts(rng, rng.randint(1, 4), difficult)
    table = {}
    for name in names:
        if rng.random() < 0.5:
            values: list[Any] = some_texts(rng, rng.randint(1, 5), difficult)
        else:
            scale = rng.choice((1, 1, 0.1, 1e-30, 1e30, 1e300, 16777216))
            values = [rng.randint(-4, 9) * scale for _ in range(6)]
        table[name] = [None if rng.random() < 0.07 else rng.choice(values) for _ in range(n)]
    classes = some_texts(rng, rng.randint(1, 4), difficult)
    learner, parameters = rng.choice(TREES)
    return {
        "table": table,
        "y": [rng.choice(classes) for _ in range(n)],
        "learner": learner,
        "parameters": parameters,
        "form": "c" if rng.random() < C_SHARE else rng.choice(FORMS),
        "seed": rng.getrandbits(32),
    }


def run(given: Any, folder: Path) -> bool:
    """Fit, export, run what was exported, and compare."""
    model = made(given["learner"], given["parameters"]).fit(given["table"], given["y"])
    if given["learner"] == "MCMCTreeClassifier":
        model = model.as_tree()
    data = cases_in_codes(model, random.Random(given["seed"]))
    p = model.predict_proba(data)
    check_probabilities(p, len(data), data.schema.n_classes)
    try:
        q = exported_probabilities(model, data, given["form"], folder)
    except CtreeError as error:
        check_message(str(error))
        return False
    if q is None:
        return True
    known = ~np.isnan(q).any(axis=1) if given["form"] == "sqlite case" else np.ones(len(data), dtype=bool)
    # A TreeModel has the shares of unknown values only as exactly as branches add up to their nodes, as docs/exports.md
    # says; form="shares" has them as the model does.
    also = exported.tree_model_bound(model) if given["form"] == "pmml" else 0.0
    if not np.allclose(p[known], q[known], rtol=TOLERANCE, atol=TOLERANCE + also):
        raise FindingError(f"the export as {given['form']} gives other probabilities")
    return True


def exported_probabilities(model: Any, data: Any, form: str, folder: Path) -> Any:
    """What an exported model says of cases; None if it is only written."""
    if form == "python":
        return exported.by_python(model, data)
    if form.startswith("sqlite"):
        return _by_sqlite(model, data, "case" if form == "sqlite case" else "walk")
    if form == "pmml":
        found = exported.by_the_standard(model, data)
        if not np.allclose(exported.by_shares(model, data), model.predict_proba(data), rtol=TOLERANCE, atol=TOLERANCE):
            raise FindingError("the export as pmml with form='shares' gives other probabilities")
        return found
    if form == "c":
        return exported.by_c(model, data, folder)
    model.to_c()
    return None


def _by_sqlite(model: Any, data: Any, form: str) -> Any:
    """What the query says. Unlike the tests of exports, cases may have names and values that SQLite cannot hold."""
    query = model.to_sql("sqlite", form=form) if form == "case" else model.to_sql("sqlite", key="the case")
    if not _is_storable(query):
        raise FindingError("a query with a character that SQLite does not take")
    places = [i for i, column in enumerate(data.columns) if column is not None]
    rows = [[case, *(_stored(data.schema[i], data.value(case, i)) for i in places)] for case in range(len(data))]
    names = ["the case", *(data.schema[i].name for i in places)]
    if len({name.lower() for name in names}) < len(names) or not all(map(_is_storable, names)):
        raise VoidError("names that no table of SQLite can have")
    if not all(_is_storable(value) for row in rows for value in row if isinstance(value, str)):
        raise VoidError("values that SQLite does not take")
    base = sqlite3.connect(":memory:")
    base.execute(f"CREATE TABLE cases ({', '.join(map(exported.quoted, names))})")  # of any type
    base.executemany(f"INSERT INTO cases VALUES ({', '.join('?' * len(names))})", rows)
    classes = data.schema.n_classes
    found = {row[0]: row[-classes:] for row in base.execute(query).fetchall()}
    base.close()
    if sorted(found) != list(range(len(data))):
        raise FindingError("a query that loses cases")
    return np.array([[np.nan if p is None else p for p in found[case]] for case in range(len(data))])


def _stored(attribute: Any, value: Any) -> Any:
    """A value as the query expects it: numbers and booleans as they are if all values are such, else text."""
    if value is None or attribute.is_continuous or not any(isinstance(v, str) for v in attribute.values):
        return value
    return str(value)


def _is_storable(text: str) -> bool:
    return "\0" not in text and not any("\ud800" <= c <= "\udfff" for c in text)
