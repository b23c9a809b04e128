"""Linked tables for tests: small ones by hand, random ones by hypothesis, and whether two of them are the same."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

import numpy as np
from hypothesis import strategies as st

import ctree
from ctree.errors import DataConversionWarning

NAMES = ("a", "B", "b", "a b", "ö", "x-1", "select", "1")
VALUES = ("1", "2", "10", "x", "Don't", 'a "b", c', "?", "NA")


@dataclass
class Problem:
    """Tables in memory as columns of plain lists, with what `RelationalData` is told of them."""

    tables: dict[str, dict[str, list]]
    target: tuple[str, str]
    keys: dict[str, str]
    foreign_keys: dict[tuple[str, str], str]
    symmetric: dict[str, tuple[str, str]] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)

    def options(self) -> dict:
        foreign_keys = {f"{table}.{column}": other for (table, column), other in self.foreign_keys.items()}
        return {
            "target": self.target,
            "keys": self.keys,
            "foreign_keys": foreign_keys,
            "symmetric": self.symmetric,
            "kinds": self.kinds,
        }

    def data(self, **more) -> ctree.RelationalData:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "table.* cannot be reached", DataConversionWarning)
            return ctree.RelationalData(self.tables, **self.options(), **more)


@st.composite
def problems(draw) -> Problem:
    """Up to five tables with keys, foreign keys in all directions, cycles among them, and unknown values."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=5, unique=True))
    target = names[0]
    sizes = {name: draw(st.integers(1 if name == target else 0, 6)) for name in names}
    tables: dict[str, dict[str, list]] = {name: {} for name in names}
    keys, kinds, foreign_keys, symmetric = {}, {}, {}, {}
    for name in names:
        if draw(st.booleans()) or name == target:
            numbers = draw(st.booleans())
            order = draw(st.permutations(range(sizes[name])))
            tables[name]["id"] = list(order) if numbers else [f"k{i}" for i in order]
            keys[name] = "id"
    for name in names:
        for j in range(draw(st.integers(0, 3))):
            other = draw(st.sampled_from([*keys]))
            known = tables[other]["id"]
            cell = st.none() | st.sampled_from(known) if known else st.none()
            tables[name][f"to {j}"] = draw(st.lists(cell, min_size=sizes[name], max_size=sizes[name]))
            foreign_keys[name, f"to {j}"] = other
    for name in names:
        mine = [(column, other) for (table, column), other in foreign_keys.items() if table == name]
        pairs = [(a[0], b[0]) for a in mine for b in mine if a[0] != b[0] and a[1] == b[1]]
        if name != target and pairs and name not in foreign_keys.values() and draw(st.booleans()):
            symmetric[name] = draw(st.sampled_from(pairs))
    for name in names:
        for j in range(draw(st.integers(0 if name in keys or tables[name] else 1, 2))):
            discrete = draw(st.booleans())
            cell = st.sampled_from(VALUES) if discrete else st.floats(allow_nan=False, allow_infinity=False)
            tables[name][f"c{j}"] = draw(st.lists(st.none() | cell, min_size=sizes[name], max_size=sizes[name]))
            kinds[f"{name}.c{j}"] = "discrete" if discrete else "continuous"
    n = sizes[target]
    labels = draw(st.sampled_from([["yes", "no"], [2, 10, 1]]))
    tables[target]["class"] = draw(st.lists(st.sampled_from(labels), min_size=n, max_size=n))
    return Problem(tables, (target, "class"), keys, foreign_keys, symmetric, kinds)


def same(one: ctree.RelationalData, other: ctree.RelationalData) -> bool:
    """Whether two objects hold the same examples and tables, with the same codes and values."""
    if one.schema != other.schema or one.labels != other.labels or one.keys != other.keys:
        return False
    for a, b in zip(one.tables, other.tables, strict=True):
        if (a.schema, a.n_rows, a.values, a.keys) != (b.schema, b.n_rows, b.values, b.keys):
            return False
        for x, y in zip(a.columns, b.columns, strict=True):
            if (x is None) != (y is None):
                return False
            if x is not None and not (x.dtype == y.dtype and np.array_equal(x, y, equal_nan=x.dtype.kind == "f")):
                return False
    return one.rows.tolist() == other.rows.tolist()


def molecules() -> Problem:
    """Two molecules and one without atoms; a bond of atoms is symmetric."""
    return Problem(
        {
            "molecule": {"id": ["m1", "m2", "m3"], "lumo": [-1.5, None, 0.25], "class": ["pos", "neg", "neg"]},
            "atom": {
                "id": ["a1", "a2", "a3", "a4"],
                "molecule": ["m1", "m1", "m2", None],
                "element": ["c", "o", None, "c"],
                "charge": [0.5, -0.25, None, 1.0],
            },
            "bond": {"atom1": ["a1", "a3"], "atom2": ["a2", "a3"], "type": ["2", "10"]},
        },
        ("molecule", "class"),
        {"molecule": "id", "atom": "id"},
        {("atom", "molecule"): "molecule", ("bond", "atom1"): "atom", ("bond", "atom2"): "atom"},
        {"bond": ("atom1", "atom2")},
    )
