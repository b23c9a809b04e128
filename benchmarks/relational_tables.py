"""Linked tables of any size, made for benchmarks: a shop, chains of tables, and a row to which very many refer."""

from __future__ import annotations

from typing import Any

import numpy as np

import ctree


def shop(n: int, m: int) -> ctree.RelationalData:
    """Customers who leave if some order of a kind was late."""
    tables, options = shop_tables(n, m)
    return ctree.RelationalData(tables, **options)


def shop_tables(n: int, m: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Customers, their orders and the products; and what `RelationalData` is told of them."""
    rng = np.random.default_rng(1)
    customer, product = rng.integers(n, size=m), rng.integers(200, size=m)
    late = np.maximum(0, rng.normal(0, 6, size=m)).round(1)
    kind = np.array([f"k{i % 12}" for i in range(200)])
    left = np.zeros(n, dtype=bool)
    left[customer[(late > 8) & (kind[product] == "k3")]] = True
    left ^= rng.random(n) < 0.1
    tables = {
        "customer": {"id": np.arange(n), "age": rng.integers(18, 90, size=n), "left": np.where(left, "yes", "no")},
        "order": {
            "customer": customer,
            "product": product,
            "late": late,
            "channel": np.array(["web", "shop", "phone"])[rng.integers(3, size=m)],
        },
        "product": {"id": np.arange(200), "kind": kind, "price": rng.gamma(2, 30, size=200).round(2)},
    }
    return tables, {
        "target": ("customer", "left"),
        "keys": {"customer": "id", "product": "id"},
        "foreign_keys": {"order.customer": "customer", "order.product": "product"},
        "links": {"order.product": "up"},
    }


def parts_of(n: int, columns: dict[str, Any]) -> ctree.RelationalData:
    """Examples with rows whose columns tell nothing of their classes."""
    rng = np.random.default_rng(2)
    owners = rng.integers(n, size=len(next(iter(columns.values()))))
    return ctree.RelationalData(
        {"example": {"id": np.arange(n), "class": rng.choice(["a", "b"], n)}, "part": {"of": owners, **columns}},
        target=("example", "class"),
        keys={"example": "id"},
        foreign_keys={"part.of": "example"},
    )


def chain(n: int) -> ctree.RelationalData:
    """Tables of which each has three times the rows of the one that it refers to."""
    rng = np.random.default_rng(3)
    tables: dict[str, Any] = {"example": {"id": np.arange(n), "class": rng.choice(["a", "b"], n)}}
    foreign_keys, above, size = {}, "example", n
    for name in ("one", "two", "three", "four", "five"):
        m = 3 * size
        tables[name] = {
            "id": np.arange(m),
            "of": rng.integers(size, size=m),
            "number": rng.random(m).round(2),
            "value": rng.choice(["u", "v", "w"], m),
        }
        foreign_keys[f"{name}.of"] = above
        above, size = name, m
    keys = dict.fromkeys(tables, "id")
    return ctree.RelationalData(tables, target=("example", "class"), keys=keys, foreign_keys=foreign_keys)


def hub(n: int, m: int) -> ctree.RelationalData:
    """Examples of which half refer to one row, to which m others refer."""
    rng = np.random.default_rng(1)
    tables = {
        "example": {"id": np.arange(n), "hub": np.arange(n) % 2, "class": rng.choice(["a", "b"], n)},
        "hub": {"id": [0, 1]},
        "part": {"hub": np.zeros(m, dtype=int), "size": rng.random(m), "kind": rng.choice(["u", "v", "w"], m)},
    }
    return ctree.RelationalData(
        tables,
        target=("example", "class"),
        keys={"example": "id", "hub": "id"},
        foreign_keys={"example.hub": "hub", "part.hub": "hub"},
    )
