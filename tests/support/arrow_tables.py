"""Random tables of Arrow, with a column of every type that learners take."""

from __future__ import annotations

import decimal

import numpy as np
import pytest

import ctree

pa = pytest.importorskip("pyarrow")


def some(rng, values, n):
    return [values[i] for i in rng.integers(0, len(values), n)]


WORDS = ["a", "b", "", " b", "é", "0", "10", "9", "NaN", "?", "x" * 300, "\U0001f333"]

COLUMNS = {
    "int8": lambda rng, n: pa.array(rng.integers(-128, 128, n), pa.int8()),
    "uint8": lambda rng, n: pa.array(rng.integers(0, 256, n), pa.uint8()),
    "int16": lambda rng, n: pa.array(some(rng, [-32768, 5, None, 32767], n), pa.int16()),
    "int32": lambda rng, n: pa.array(rng.integers(-(10**9), 10**9, n), pa.int32()),
    "int64": lambda rng, n: pa.array(some(rng, [1, -1, None, 2**53, 7], n), pa.int64()),
    "uint64": lambda rng, n: pa.array(some(rng, [1, 2**64 - 1, 2**64 - 3, None], n), pa.uint64()),
    "large": lambda rng, n: pa.array(some(rng, [2**60, 2**60 + 1, -(2**60) - 1, None], n), pa.int64()),
    "double": lambda rng, n: pa.array(some(rng, [0.5, -0.0, 0.0, float("nan"), None, 1e300, 5e-324], n)),
    "whole": lambda rng, n: pa.array(some(rng, [1.0, 2.0, None, 1e17], n)),
    "normal": lambda rng, n: pa.array(rng.normal(size=n)),
    "float": lambda rng, n: pa.array(rng.normal(size=n).astype(np.float32)),
    "half": lambda rng, n: pa.array(rng.normal(size=n).astype(np.float16)),
    "bool": lambda rng, n: pa.array(some(rng, [True, False, None], n)),
    "true": lambda rng, n: pa.array([True] * n),
    "text": lambda rng, n: pa.array(some(rng, [*WORDS, None], n)),
    "large_text": lambda rng, n: pa.array(some(rng, WORDS, n), pa.large_string()),
    "many": lambda rng, n: pa.array([f"w{i}" for i in rng.integers(0, 500, n)]),
    "category": lambda rng, n: pa.array(some(rng, [*WORDS, None], n)).dictionary_encode(),
    "numbers": lambda rng, n: pa.array(some(rng, [3, 1, None, 20], n)).dictionary_encode(),
    "fractions": lambda rng, n: pa.array(some(rng, [3.5, 1.0, float("nan"), 20.0], n)).dictionary_encode(),
    "truths": lambda rng, n: pa.array(some(rng, [True, False, None], n)).dictionary_encode(),
    "decimal": lambda rng, n: pa.array(some(rng, [decimal.Decimal("1.25"), None, decimal.Decimal("-3")], n)),
    "nothing": lambda rng, n: pa.nulls(n),
    "unknown": lambda rng, n: pa.nulls(n, pa.float64()),
    "unknown_text": lambda rng, n: pa.nulls(n, pa.string()),
}

CLASSES = {
    "text": lambda rng, n: pa.array(some(rng, WORDS, n)),
    "int": lambda rng, n: pa.array(some(rng, [10, 9, -1], n)),
    "whole": lambda rng, n: pa.array(some(rng, [1.0, 0.0], n)),
    "fractions": lambda rng, n: pa.array(some(rng, [1.5, 0.0], n)),
    "bool": lambda rng, n: pa.array(some(rng, [True, False], n)),
    "category": lambda rng, n: pa.array(some(rng, ["no", "yes"], n)).dictionary_encode(),
    "many": lambda rng, n: pa.array(rng.integers(0, 1000, n)),
}


def random_table(rng, n, classes="text", names=tuple(COLUMNS)):
    columns = {name: COLUMNS[name](rng, n) for name in names}
    return pa.table({**columns, "the class": CLASSES[classes](rng, n)})


def in_memory(table, class_name="the class", **options):
    return ctree.from_arrays(table.drop_columns([class_name]), table.column(class_name), **options)
