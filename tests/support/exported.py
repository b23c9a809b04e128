"""What exports say of cases, each run where it is meant to run."""

from __future__ import annotations

import ctypes
import sqlite3
import subprocess

import numpy as np
from naive.pmml_shares import RegressionModel
from naive.pmml_tree import TreeModel

from ctree import to_c, to_pmml, to_python, to_sql
from ctree.export.plans import planned


def cases_of(data):
    """Each case as a mapping of names to values, None for unknown."""
    names = [a.name for a in data.schema]
    places = [i for i, c in enumerate(data.columns) if c is not None]
    return [{names[i]: data.value(case, i) for i in places} for case in range(data.n_cases)]


def with_unknown(data, share, seed=0):
    """The same cases with so many of their values unknown."""
    from ctree import Dataset

    rng = np.random.default_rng(seed)
    columns = []
    for column in data.columns:
        if column is not None:
            gone = rng.random(data.n_cases) < share
            column = np.where(gone, np.array(-1 if column.dtype.kind == "i" else np.nan, dtype=column.dtype), column)
        columns.append(column)
    return Dataset(data.schema, columns, n_cases=data.n_cases)


def together(first, second):
    """The cases of two data sets of one schema."""
    from ctree import Dataset

    pairs = zip(first.columns, second.columns, strict=True)
    columns = [None if a is None else np.concatenate([a, b]) for a, b in pairs]
    return Dataset(first.schema, columns, n_cases=len(first) + len(second))


def by_python(model, data):
    module = {}
    exec(compile(to_python(model), "exported.py", "exec"), module)
    return np.array([module["predict_proba"](case) for case in cases_of(data)]).reshape(len(data), -1)


def by_c(model, data, folder, flags=("-O1", "-ffp-contract=off")):
    # a library of the same name would be the one that is loaded already
    name = f"tree{len(list(folder.glob('tree*.c')))}"
    source, library = folder / f"{name}.c", folder / f"{name}.so"
    source.write_text(to_c(model, name="tree"), "utf-8")
    strict = ("-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror")
    subprocess.run(["gcc", *strict, *flags, "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    loaded = ctypes.CDLL(str(library))
    numbers = np.full((len(data), max(len(data.schema), 1)), np.nan)
    loaded.tree_code.argtypes = [ctypes.c_int, ctypes.c_char_p]
    for a, (attribute, column) in enumerate(zip(data.schema, data.columns, strict=True)):
        if column is not None:
            numbers[:, a] = np.where(column < 0, np.nan, column) if attribute.is_discrete else column
            for code, value in enumerate(attribute.values):
                assert loaded.tree_code(a, str(value).encode()) == code
    result = np.empty((len(data), data.schema.n_classes))
    for row, p in zip(numbers, result, strict=True):
        loaded.tree_predict_proba(row.ctypes.data_as(ctypes.c_void_p), p.ctypes.data_as(ctypes.c_void_p))
    return result


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def table_of(data, asked=None):
    """The columns of a table for these cases, or of the attributes asked for: how they are declared, and the rows."""
    places = [i for i, c in enumerate(data.columns) if c is not None] if asked is None else asked
    kinds = ["DOUBLE" if data.schema[i].is_continuous else "VARCHAR" for i in places]
    declared = ", ".join(f"{quoted(data.schema[i].name)} {kind}" for i, kind in zip(places, kinds, strict=True))
    rows = []
    for case in range(data.n_cases):
        values = [data.value(case, i) for i in places]
        rows.append((case, *(v if v is None or k == "DOUBLE" else str(v) for v, k in zip(values, kinds, strict=True))))
    return f'"the case" INTEGER, {declared}' if declared else '"the case" INTEGER', rows


def by_sqlite(model, data, form="walk"):
    query = _query(model, "sqlite", form)
    base = sqlite3.connect(":memory:")
    declared, rows = table_of(data, planned(model).attributes)
    base.execute(f"CREATE TABLE cases ({declared})")
    if rows:
        base.executemany(f"INSERT INTO cases VALUES ({', '.join('?' * len(rows[0]))})", rows)
    return _rows(base.execute(query).fetchall(), data, form)


def by_duckdb(model, data, form="walk"):
    import duckdb
    import pyarrow

    query = _query(model, "duckdb", form)
    base = duckdb.connect(config={"threads": 1})
    declared, rows = table_of(data, planned(model).attributes)
    base.execute(f"CREATE TABLE cases ({declared})")
    if not rows:
        return np.empty((0, data.schema.n_classes))
    names = [f"c{i}" for i in range(len(rows[0]))]
    arrow = pyarrow.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
    base.register("arrow", arrow)
    base.execute("INSERT INTO cases SELECT * FROM arrow")
    return _rows(base.execute(query).fetchall(), data, form)


def _query(model, dialect, form):
    if form == "walk":
        return to_sql(model, dialect, key="the case")
    return to_sql(model, dialect, form=form)


def _rows(rows, data, form):
    C = data.schema.n_classes
    found = {row[0]: row[-C:] for row in rows}
    assert sorted(found) == list(range(len(data)))
    return np.array([[np.nan if p is None else p for p in found[i]] for i in range(len(data))]).reshape(len(data), C)


def by_the_standard(model, data):
    """The TreeModel of PMML, evaluated as the standard says."""
    tree = TreeModel(to_pmml(model))
    return np.array([tree.probabilities(case) for case in cases_of(data)]).reshape(len(data), -1)


def tree_model_bound(model):
    """By how much the TreeModel of PMML may differ from the probabilities of the model.

    PMML divides the share of each branch by the sum s of the shares at its node, the model all of them only in the end.
    So the weights of two leaves differ in proportion by the products of s on their paths, at the nodes whose value is
    unknown; where fractions of cases were added up in 32 bits, s is not quite 1. Of numbers in proportion within
    [low, high], those that are made to add up to 1 differ by less than high / low - 1.
    """
    plan = planned(model)
    least, greatest = [1.0] * len(plan.questions), [1.0] * len(plan.questions)
    for node in range(len(plan.questions)):
        branches = plan.branches(node)
        if branches and plan.cases[node] > 0:
            s = sum(plan.cases[branch] for branch in branches) / plan.cases[node]
            for branch in branches:  # whose value is known, too
                least[branch], greatest[branch] = least[node] * min(s, 1.0), greatest[node] * max(s, 1.0)
    return max(greatest) / min(least) - 1


def by_shares(model, data, form="shares"):
    """The RegressionModel of PMML, evaluated in the same way."""
    shares = RegressionModel(to_pmml(model, form=form))
    return np.array([shares.probabilities(case) for case in cases_of(data)]).reshape(len(data), -1)


def by_pypmml(model, data, form="shares"):
    from pypmml import Model

    evaluator = Model.fromString(to_pmml(model, form=form))
    return _outputs(model, data, evaluator.predict)


def by_jpmml(model, data, folder, form="shares"):
    from jpmml_evaluator import make_evaluator

    path = folder / "tree.pmml"
    path.write_text(to_pmml(model, form=form), "utf-8")
    return _outputs(model, data, make_evaluator(str(path), backend="py4j").evaluate)


def _outputs(model, data, predict):
    names = [f"probability({label})" for label in data.schema.classes]
    result = []
    for case in cases_of(data):
        found = predict({name: v if v is None or isinstance(v, float) else str(v) for name, v in case.items()})
        result.append([found[name] for name in names])
    return np.array(result, dtype=np.float64).reshape(len(data), -1)
