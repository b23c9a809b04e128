"""Random cases and tops of trees, for passes over parts."""

from __future__ import annotations

import numpy as np

from ctree import Attribute, Dataset, Kind, Schema
from ctree.scale.top_tree import Routing, TopTree
from ctree_ext.base.node_arrays import Test


def random_cases(rng, n, *, unknown=0.0, weights="none", n_classes=None, most_values=12) -> Dataset:
    """A few attributes of every kind; numbers with many ties, and with none."""
    n_classes = n_classes or int(rng.choice([1, 2, 3, 5]))
    attributes, columns = [], []
    for a in range(int(rng.integers(1, 6))):
        kind = rng.choice(["few numbers", "numbers", "discrete", "ignored"], p=[0.3, 0.3, 0.3, 0.1])
        missing = rng.random(n) < unknown * rng.integers(0, 2)
        if kind == "ignored":
            attributes.append(Attribute(f"a{a}", Kind.IGNORE))
            columns.append(None)
        elif kind == "discrete":
            values = int(rng.integers(1, most_values + 1))
            attributes.append(Attribute(f"a{a}", Kind.DISCRETE, tuple(range(values))))
            columns.append(np.where(missing, -1, rng.integers(0, values, n)))
        else:
            numbers = rng.integers(-3, 4, n) / 2.0 if kind == "few numbers" else rng.normal(size=n)
            numbers[numbers == 0] *= rng.choice([-1.0, 1.0])
            attributes.append(Attribute(f"a{a}", Kind.CONTINUOUS))
            columns.append(np.where(missing, np.nan, numbers))
    schema = Schema(tuple(attributes), tuple(range(n_classes)))
    given = {
        "none": None,
        "whole": rng.integers(1, 4, n).astype(float),
        "fractions": rng.random(n) + 0.01,
        "large": rng.random(n) * 2.0**50,
    }[weights]
    return Dataset(schema, columns, rng.integers(0, n_classes, n), given, n_cases=n)


def random_top(rng, data: Dataset, tests: int) -> Routing:
    """A tree of some random tests, with groups that leave values out and branches that have no share."""
    top = TopTree(data.schema.n_classes)
    nothing = np.zeros(data.schema.n_classes)
    top.add_leaf(nothing)
    usable = [a for a, attribute in enumerate(data.schema) if attribute.kind is not Kind.IGNORE]
    leaves = [0]
    for _ in range(tests if usable else 0):
        node = leaves.pop(int(rng.integers(len(leaves))))
        a = int(rng.choice(usable))
        threshold, group = 0.0, None
        if data.schema[a].is_continuous:
            test, n = Test.THRESHOLD, 2
            known = data.columns[a][~np.isnan(data.columns[a])]
            threshold = float(rng.choice([rng.normal(), *(rng.choice(known, 2) if len(known) else [0.0])]))
        elif rng.random() < 0.5:
            test, n = Test.VALUES, len(data.schema[a].values)
        else:
            test, n = Test.GROUPS, int(rng.integers(1, 4))
            group = rng.integers(-1 if rng.random() < 0.3 else 0, n, len(data.schema[a].values)).astype(np.int32)
        shares = rng.random(n) * (rng.random(n) < 0.8)
        shares = shares / shares.sum() if shares.sum() else np.full(n, 1 / n)
        leaves += top.divide(
            node, test, a, [nothing] * n, threshold=threshold, group=group, shares=np.minimum(shares, 1.0).tolist()
        )
    return top.routing()


def leaves_of(routing: Routing) -> list[int]:
    return np.flatnonzero(routing.test == Test.LEAF).tolist()


def random_partition(rng, n):
    """Rows in parts of any size, also empty ones, in any order."""
    n_parts = int(rng.integers(1, 8))
    rows = rng.permutation(n)
    ends = np.sort(rng.integers(0, n + 1, n_parts - 1))
    return [rows[a:b] for a, b in zip([0, *ends], [*ends, n], strict=True)]
