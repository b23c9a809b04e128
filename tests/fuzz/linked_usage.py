"""What a user does with linked tables and the trees that are learned from them, and what must hold then."""

from __future__ import annotations

import copy
import pickle
import random
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np

import ctree
from ctree.errors import CtreeError

from .judging import FindingError, check_message, check_probabilities, check_same, may_refuse

STEPS = (
    *("alone", "order", "save", "pickle", "copy", "explain", "text", "sql", "sql", "conform", "write", "describe"),
    *("keys", "keys", "importances", "fewer", "threads", "again", "unseen", "frame"),
)
TOLERANCE = 1e-9


def learned(settings: dict[str, Any], data: Any) -> Any:
    """A fitted learner."""
    return ctree.RelationalTreeClassifier(**settings).fit(data)


def live_with(model: Any, data: Any, steps: list[str], folder: Path, rng: random.Random) -> None:
    """Do one thing after the other with a model; none of them changes what it predicts."""
    before = probabilities(model, data)
    for step in steps:
        _done(model, step, data, folder, rng)
        after = probabilities(model, data)
        if (before is None) != (after is None):
            raise FindingError(f"after '{step}' a model can no longer predict, or it suddenly can")
        if before is not None:
            check_same(before, after, f"a model predicts other bits after '{step}'")


def probabilities(model: Any, data: Any) -> Any:
    """The probabilities of a model, which are distributions; None if it refuses to predict."""
    try:
        p = model.predict_proba(data)
    except CtreeError as error:
        check_message(str(error))
        return None
    check_probabilities(p, len(data), len(model.classes_))
    return p


def _done(model: Any, step: str, data: Any, folder: Path, rng: random.Random) -> None:
    p = probabilities(model, data)
    if p is None:
        return
    if step in ("alone", "order"):
        _check_places(model, data, p, step, rng)
    elif step == "save":
        with may_refuse():
            ctree.save(model, folder / "again.json")
            again = ctree.load(folder / "again.json")
            _check_twin(model, again, data, p, "load(save(model))")
    elif step == "pickle":
        _check_twin(model, pickle.loads(pickle.dumps(model)), data, p, "what was pickled")
        check_same(p, model.predict_proba(pickle.loads(pickle.dumps(data))), "pickled data are predicted otherwise")
    elif step == "copy":
        _check_twin(model, copy.deepcopy(model), data, p, "a deep copy")
    elif step == "explain":
        _check_explanations(model, data, p)
    elif step == "text":
        for form in ("words", "logic", "prolog"):
            with may_refuse():
                model.to_text(form)
        repr(model), repr(model.tree_), repr(data), model._repr_html_() if hasattr(model, "_repr_html_") else None
    elif step == "sql":
        _check_sql(model, data, p)
    elif step == "conform":
        with may_refuse():
            known = data.conformed(model.schema_)
            check_same(p, model.predict_proba(known), "conformed data are predicted otherwise")
            _check_writing(model, known, p, folder)
    elif step == "write":
        _check_writing(model, data, p, folder)
    elif step == "describe":
        if str(data.describe()).count("\n") > 200 or not data.describe().to_dict():
            raise FindingError("a description that nobody reads")
    elif step in ("keys", "frame"):
        _check_keys(model, data, step, rng)
    elif step == "importances":
        shares = model.feature_importances_
        if len(shares) != len(model.feature_importance_names_) or not (abs(shares.sum() - (shares > 0).any()) < 1e-6):
            raise FindingError("importances that do not add up")
    elif step == "unseen":
        model.predict(data)
        with may_refuse():
            model.tree_.apply(data, rng.choice(("error", "unknown", "x")))
    else:
        _refit(model, step, data, rng)


def _check_places(model: Any, data: Any, p: Any, step: str, rng: random.Random) -> None:
    """An example is predicted alike wherever it stands."""
    if step == "alone":
        for place in range(min(len(data), 4)):
            check_same(p[[place]], model.predict_proba(data.take([place])), "an example is predicted otherwise alone")
        if model.predict_proba(data.take([])).shape != (0, p.shape[1]):
            raise FindingError("no examples have probabilities")
        return
    order = [rng.randrange(len(data)) for _ in range(len(data) + 2)] if len(data) else []
    check_same(p[order], model.predict_proba(data.take(order)), "an example is predicted otherwise at another place")


def _check_twin(model: Any, twin: Any, data: Any, p: Any, what: str) -> None:
    q = probabilities(twin, data)
    if q is None:
        raise FindingError(f"{what} refuses to predict")
    check_same(p, q, f"{what} predicts other bits")
    if twin.tree_.to_canonical() != model.tree_.to_canonical():
        raise FindingError(f"{what} is another tree")


def _check_explanations(model: Any, data: Any, p: Any) -> None:
    found = model.explain(data)
    found = found if isinstance(found, list) else [found]
    if len(found) != len(data):
        raise FindingError("an example without an explanation")
    leaves = model.tree_.apply(data)
    for explanation, row, leaf in zip(found, p, leaves, strict=True):
        if explanation.leaf != leaf or list(explanation.probabilities.values()) != row.tolist():
            raise FindingError("an explanation of something else")
        str(explanation), explanation.to_dict(), explanation.to_html() if hasattr(explanation, "to_html") else None


def _check_writing(model: Any, data: Any, p: Any, folder: Path) -> None:
    with may_refuse():
        ctree.write_relational(data, folder / "written")
        again = ctree.read_relational(folder / "written", unknown_class="keep", labels="optional")
        check_same(p, model.predict_proba(again), "written and read, examples are predicted otherwise")
        whole = len(data) == data.table(data.schema.target).n_rows  # else links to other rows are not written
        if whole and again.describe().links != data.describe().links:
            raise FindingError("written and read, the links are others")


def _check_keys(model: Any, data: Any, step: str, rng: random.Random) -> None:
    """By keys the same is learned and predicted."""
    with may_refuse():
        keys, labels = data.keys, data.labels
        if keys is None or data.classes is None or (data.classes < 0).any():
            return
        X: Any = np.array(keys, dtype=object).reshape(-1, 1) if rng.random() < 0.5 else keys
        if step == "frame":
            import pandas as pd

            X = pd.DataFrame({"key": pd.Series(keys, dtype=object)})
        by_data = ctree.RelationalTreeClassifier(**model.get_params()).fit(data)
        by_keys = ctree.RelationalTreeClassifier(**{**model.get_params(), "data": data}).fit(X, labels)
        check_probabilities(by_keys.predict_proba(X), len(keys), len(by_keys.classes_))
        if by_keys.classes_.tolist() != by_data.classes_.tolist():  # as those of keys are sorted, and all occur
            return
        if by_keys.tree_.to_canonical() != by_data.tree_.to_canonical():
            raise FindingError("by keys another tree is learned")
        check_same(by_data.predict_proba(data), by_keys.predict_proba(X), "by keys other bits are predicted")
        if by_keys.score(X, labels) != by_keys.score(data):
            raise FindingError("by keys another score")


def _refit(model: Any, step: str, data: Any, rng: random.Random) -> None:
    """Another fit: to some of the examples; in two threads; the same once more."""
    settings = model.get_params()
    if data.classes is None or (data.classes < 0).any():
        return
    with may_refuse():
        if step == "fewer":
            some = [i for i in range(len(data)) if rng.random() < 0.6]
            other = ctree.RelationalTreeClassifier(**settings).fit(data.take(some))
            probabilities(other, data)
            return
        jobs = {"n_jobs": 2} if step == "threads" else {}
        first = ctree.RelationalTreeClassifier(**settings).fit(data)
        other = ctree.RelationalTreeClassifier(**{**settings, **jobs}).fit(data)
        if other.tree_.to_canonical() != first.tree_.to_canonical():
            raise FindingError("two threads learn another tree" if jobs else "a second fit learns another tree")


def _check_sql(model: Any, data: Any, p: Any) -> None:
    """The query, run by SQLite on the same tables, says the same of every example."""
    try:
        query = model.to_sql("sqlite")
        model.to_sql("duckdb")
    except CtreeError as error:
        check_message(str(error))
        return
    if not _is_storable(query):
        raise FindingError("a query with a character that SQLite does not take")
    base = _base_of(data)
    if base is None:
        return
    try:
        found = base.execute(query).fetchall()
    finally:
        base.close()
    keys = data.table(data.schema.target).keys
    if len(found) != data.table(data.schema.target).n_rows:
        raise FindingError("a query that loses examples")
    if keys is None:
        rows = {number: row[1:] for number, *row in enumerate(found)}  # in the order of the table, as it has no key
        return
    rows = {row[0]: row[2:] for row in found}
    q = np.array([rows[key] for key in data.keys]).reshape(p.shape)
    if not np.allclose(p, q, rtol=TOLERANCE, atol=TOLERANCE):
        raise FindingError("the SQL query gives other probabilities")


def _base_of(data: Any) -> Any:
    """A database with the tables of these data; None if SQLite cannot hold them."""
    base = sqlite3.connect(":memory:")
    taken: set[str] = set()
    for table in data.tables:
        names = list(table.schema.names)
        texts = [table.schema.name, *names, *(v for values in table.values for v in values), *(table.keys or ())]
        lower = {name.lower() for name in names}
        if len(lower) < len(names) or table.schema.name.lower() in taken or not all(map(_is_storable, texts)):
            return None
        if table.schema.name.lower().startswith("sqlite_") or not names:
            return None
        taken.add(table.schema.name.lower())
        cells = [_stored(data, table, j) for j in range(len(names))]
        types = ["REAL" if c.kind.value == "continuous" else "TEXT" for c in table.schema.columns]
        declared = ", ".join(f"{_quoted(name)} {kind}" for name, kind in zip(names, types, strict=True))
        base.execute(f"CREATE TABLE {_quoted(table.schema.name)} ({declared})")
        marks = ", ".join("?" * len(names))
        base.executemany(f"INSERT INTO {_quoted(table.schema.name)} VALUES ({marks})", list(zip(*cells, strict=True)))
    return base


def _stored(data: Any, table: Any, place: int) -> list[Any]:
    """The cells of a column as a database has them."""
    column, coded = table.schema.columns[place], table.columns[place]
    if column.name == table.schema.key:
        return list(table.keys)
    if coded is None:
        return [None] * table.n_rows
    if column.kind.value == "continuous":
        return [None if x != x else x for x in coded.tolist()]
    key = data.schema.foreign_key(table.schema.name, column.name)
    texts = table.values[place] if key is None else data.table(key.references).keys
    return [None if code < 0 else texts[code] for code in coded.tolist()]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _is_storable(text: str) -> bool:
    return "\0" not in text and not any("\ud800" <= c <= "\udfff" for c in text)
