"""Tables in memory: arrays, lists of rows, mappings and data frames with odd types; classes and weights."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np

from .judging import FindingError, VoidError, check_probabilities, check_same, may_refuse
from .learners import VARIANTS, made
from .mutations import some_texts
from .odd import NUMBERS, odd_value, thawed

MEMORY_MAY_RUN_OUT = True

FORMS = ("array", "rows", "dict", "arrays", "pandas", "polars", "pyarrow")
PANDAS = ("Int64", "Float64", "boolean", "string", "category", "object", "float32", "int8", "datetime64[ns]", "Int8")
POLARS = ("Int8", "UInt64", "Float32", "Utf8", "Categorical", "Boolean", "Date", "Decimal", "Object", "Null", "List")
NUMPY = (
    "float64",
    "float32",
    "float16",
    "int64",
    "uint8",
    "bool",
    "object",
    "U",
    "S",
    "complex128",
    "M8[D]",
    "longdouble",
)


def prepare() -> None:
    """Load the libraries, which take their memory at once."""
    for form in FORMS:
        _built(form, ["a"], [[1.5, 2.5]], [None], None)


def draw(rng: random.Random) -> Any:
    """A table with classes, and a learner for it."""
    n = rng.choice((0, 1, 2, 3, 5, 8, 8, 13, 20, 20, 30, 40))
    columns = [_column(rng, n) for _ in range(rng.choice((1, 1, 2, 2, 3, 4, 6)))]
    names = some_texts(rng, len(columns), 0.2)
    learner, parameters = rng.choice(VARIANTS)
    given = {
        "learner": learner,
        "parameters": {**parameters, "class_weight": _class_weight(rng)},
        "form": rng.choice(FORMS),
        "names": names,
        "columns": columns,
        "type": rng.choice(NUMPY) if rng.random() < 0.3 else None,
        "y": _classes(rng, n),
        "weights": _weights(rng, n) if rng.random() < 0.3 else None,
        "order": rng.sample(range(n), n),
    }
    if rng.random() < 0.15:
        given["parameters"]["costs"] = _costs(rng)
    if rng.random() < 0.15:
        _spoil(rng, given)
    return given


def _column(rng: random.Random, n: int) -> dict[str, Any]:
    """A column: values of one sort, some unknown, and what type a data frame should give it."""
    kind = rng.randrange(9)
    values: list[Any]
    if kind in (0, 1):
        values, types = (
            [rng.choice((0.5, 1.5, 2.25, rng.gauss(0, 1))) for _ in range(n)],
            ("Float64", "Float32", "float32"),
        )
    elif kind == 2:
        values, types = [rng.randrange(-3, 9) for _ in range(n)], ("Int64", "Int8", "int8", "category", "Categorical")
    elif kind == 3:
        sizes = [x for x in NUMBERS if isinstance(x, float)]
        values, types = [rng.choice(sizes) for _ in range(n)], ("Float64", "object")
    elif kind in (4, 5):
        known = some_texts(rng, rng.randint(1, 6), 0.2)
        values, types = [rng.choice(known) for _ in range(n)], ("string", "category", "Utf8", "Categorical", "object")
    elif kind == 6:
        values, types = [rng.random() < 0.5 for _ in range(n)], ("boolean", "Boolean", "object")
    elif kind == 7:
        values, types = [None] * n, ("object", "Null", "Float64", "string", "boolean")
    else:
        known = [odd_value(rng) for _ in range(3)]
        values, types = [rng.choice(known) for _ in range(n)], ("object", "Object")
    if rng.random() < 0.3:
        unknown = rng.choice((None, None, {"odd": "nan"}))
        values = [unknown if rng.random() < 0.2 else value for value in values]
    wanted = rng.choice(types) if rng.random() < 0.5 else rng.choice((None, None, *PANDAS, *POLARS))
    return {"values": values, "type": wanted}


def _classes(rng: random.Random, n: int) -> list[Any]:
    known: list[Any]
    if rng.random() < 0.5:
        known = some_texts(rng, rng.randint(1, 4), 0.2)
    else:
        known = rng.choice(
            ([0, 1], [1, 2, 3], [False, True], [-1, 1], [0.5, 1.5], [1, "1"], [1, True], [2**70, 0], [None, 1])
        )
    return [rng.choice(known) for _ in range(n)]


def _weights(rng: random.Random, n: int) -> list[Any]:
    usual: tuple[list[Any], ...] = ([1, 2, 3], [0, 1], [0.5, 1.0, 2.0])
    known = rng.choice((*usual, *usual, [1e-300], [1e300], [1e308, 1.0], [0], [-1, 1], [2**24, 1], NUMBERS))
    return [rng.choice(known) for _ in range(n)]


def _class_weight(rng: random.Random) -> Any:
    way = rng.random()
    if way < 0.8:
        return None
    if way < 0.9:
        return "balanced"
    return {"of classes": [rng.choice((1, 2, 0, 0.5, 1e-9, 1e9)) for _ in range(4)]}


def _costs(rng: random.Random) -> list[list[float]]:
    n, known = rng.choice((2, 2, 2, 3, 4)), rng.choice(([1, 5, 0.5], [0, 1], [1e-300, 1e99], [1, -1]))
    return [[0 if i == j else rng.choice(known) for j in range(n)] for i in range(n)]


def _spoil(rng: random.Random, given: dict[str, Any]) -> None:
    """One thing wrong with a table."""
    column = rng.choice(given["columns"])
    match rng.randrange(5):
        case 0:
            column["values"] = column["values"][:-1]
        case 1:
            given["y"] = given["y"][:-1]
        case 2:
            given["y"] = odd_value(rng)
        case 3:
            given["names"] = [given["names"][0]] * len(given["names"])
        case _:
            column["values"] = [odd_value(rng) for _ in column["values"]]


def run(given: Any, folder: Path) -> bool:
    """Fit a learner to the table, and predict the same cases, in this order and in another."""
    X = drawn_table(given)
    y = thawed(given["y"])
    weights = None if given["weights"] is None else thawed(given["weights"])
    parameters = {**given["parameters"], "class_weight": _weights_by_class(given)}
    model = made(given["learner"], parameters).fit(X, y, sample_weight=weights)
    with may_refuse():
        p = model.predict_proba(X)
        check_probabilities(p, len(p), len(model.classes_))
        codes = model.predict_codes(X)
        if not ((codes >= 0) & (codes < len(model.classes_))).all():
            raise FindingError("a predicted class that there is not")
        if all(len(column["values"]) == len(given["order"]) == len(p) for column in given["columns"]):
            other = _reordered(X, given["form"], given["order"])
            check_same(p[given["order"]], model.predict_proba(other), "a case has other probabilities at another place")
        model.explain(X)
    return True


def _reordered(X: Any, form: str, order: list[int]) -> Any:
    """The same table with its cases in another order."""
    if form == "rows":
        return [X[i] for i in order]
    if form == "dict":
        return {name: [column[i] for i in order] for name, column in X.items()}
    if form == "arrays":
        return {name: column[order] for name, column in X.items()}
    if form == "pandas":
        return X.iloc[order]
    return X.take(order) if form == "pyarrow" else X[order]


def _weights_by_class(given: Any) -> Any:
    weights = given["parameters"]["class_weight"]
    if not isinstance(weights, dict):
        return weights
    classes = given["y"] if isinstance(given["y"], list) else []
    labels = list(dict.fromkeys(label for label in classes if not isinstance(label, list | dict)))
    return dict(zip(labels, weights["of classes"], strict=False))


def drawn_table(given: Any) -> Any:
    """The table that an input describes; `VoidError` if the library that should make it cannot."""
    columns = [thawed(column["values"]) for column in given["columns"]]
    types = [column["type"] for column in given["columns"]]
    try:
        with np.errstate(all="ignore"):  # a number may be beyond what the type holds
            return _built(given["form"], given["names"], columns, types, given["type"])
    except (KeyboardInterrupt, MemoryError):
        raise
    except BaseException as error:  # whatever other libraries raise; a panic of polars is no Exception
        raise VoidError(f"{given['form']}: {type(error).__name__}") from None


def _built(form: str, names: list[str], columns: list[list[Any]], types: list[Any], dtype: Any) -> Any:
    if form == "rows":
        return [list(row) for row in zip(*columns, strict=False)]
    if form == "array":
        rows = [list(row) for row in zip(*columns, strict=False)]
        return np.array(rows, dtype=dtype or object).reshape(len(rows), len(columns))
    if form == "dict":
        return dict(zip(names, columns, strict=True))
    if form == "arrays":
        arrays = [np.array(column, dtype=dtype) for column in columns]
        return dict(zip(names, arrays, strict=True))
    if form == "pandas":
        import pandas as pd

        series = [pd.Series(c, dtype=t if t in PANDAS else None) for c, t in zip(columns, types, strict=True)]
        frame = pd.concat(series, axis=1)
        frame.columns = names
        return frame
    if form == "polars":
        import polars as pl

        kinds = [getattr(pl, t) if t in POLARS else None for t in types]
        # without a scale, polars takes that of the first number, which another order of the cases changes
        kinds = [pl.Decimal(38, 6) if kind is pl.Decimal else kind for kind in kinds]
        series = [
            pl.Series(f"c{i}", c, dtype=k, strict=False) for i, (c, k) in enumerate(zip(columns, kinds, strict=True))
        ]
        return pl.DataFrame(series).rename(dict(zip([f"c{i}" for i in range(len(names))], names, strict=True)))
    import pyarrow as pa

    if any(isinstance(value, np.datetime64) for column in columns for value in column):
        raise ValueError("pyarrow ends the process where a column has one beside another type")
    return pa.table([pa.array(c, from_pandas=True) for c in columns], names=names)
