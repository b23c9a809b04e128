"""Linked tables as inputs: a small problem as plain JSON, changes to it, and parameters of a learner."""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

from .mutations import renamed, some_texts
from .odd import NUMBERS, odd_text, odd_value

sys.path.append(str(Path(__file__).parents[1]))  # as pytest has it
from support.relational_problems import random_relational_problem

METHODS = ("c4.4", "c4.4", "c4.4", "c4.5", "bic-stop", "mdl-stop", "bic-prune", "mdl-prune", "chi2")
AGGREGATES = ("count", "min", "max", "mean", "mode", "share", "nunique")
DIRECTIONS = ("both", "down", "up", "none")

Problem = dict[str, Any]
"""``schema``, as in a schema.json, and ``columns``: the columns of each table by name."""


def drawn_problem(rng: random.Random, difficult: float) -> Problem:
    """A small problem; the more difficult, the stranger its names, keys and values."""
    made = random_relational_problem(rng.getrandbits(32), most_examples=rng.choice((6, 8, 16)))
    problem: Problem = {"schema": made.schema, "columns": made.columns}
    if rng.random() < difficult:
        other_names(rng, problem)
    if rng.random() < difficult:
        other_values(rng, problem)
    if rng.random() < 0.5:
        other_keys(rng, problem)
    return problem


def other_names(rng: random.Random, problem: Problem) -> None:
    """A table, a column or a class has another name, wherever it stands."""
    schema, columns = problem["schema"], problem["columns"]
    names = [*columns, *(name for table in columns.values() for name in table)]
    old = rng.choice(names)
    new = odd_text(rng) if rng.random() < 0.5 else rng.choice(names)
    for part in ("tables", "foreign_keys", "target"):
        renamed(schema[part], old, new)
    for entry in schema["tables"].values():
        if isinstance(entry, dict):
            entry["columns"] = {str(name): kind for name, kind in entry["columns"].items()}
    for part in schema.get("bias", {}).values():
        for name in list(part):
            if old in name.split("."):
                del part[name]
    renamed(columns, old, new)


def other_values(rng: random.Random, problem: Problem) -> None:
    """A column of discrete values or numbers has others, the same for the same."""
    kinds = [
        (table, name, kind)
        for table, entry in problem["schema"]["tables"].items()
        for name, kind in entry["columns"].items()
        if kind in ("discrete", "continuous") and name in problem["columns"].get(table, ())
    ]
    if not kinds:
        return
    table, name, kind = rng.choice(kinds)
    cells = problem["columns"][table][name]
    known = list(dict.fromkeys(cell for cell in cells if cell is not None))
    new: list[Any]
    if kind == "discrete":
        new = some_texts(rng, len(known), 0.5)
    else:
        finite = [x for x in NUMBERS if not isinstance(x, dict) and abs(x) < 10**300]
        new = [rng.choice(finite) for _ in known]
    changed = dict(zip(known, new, strict=True))
    problem["columns"][table][name] = [cell if cell is None else changed[cell] for cell in cells]


def other_keys(rng: random.Random, problem: Problem) -> None:
    """The keys of a table are whole numbers, halves, great numbers, difficult texts, or some of each."""
    schema, columns = problem["schema"], problem["columns"]
    keyed = [t for t, entry in schema["tables"].items() if entry.get("key") in columns.get(t, {})]
    if not keyed:
        return
    table = rng.choice(keyed)
    keys = columns[table][schema["tables"][table]["key"]]
    texts = some_texts(rng, len(keys), 0.9)
    way = rng.randrange(7)
    new: list[Any] = [
        (i, float(i), i / 2, 2**60 + i, -i, texts[i], rng.choice((i, float(i), str(i), f"0{i}")))[way]
        for i in range(len(keys))
    ]
    changed = dict(zip(keys, new, strict=True))
    users = [(k["table"], k["column"]) for k in schema["foreign_keys"] if k["references"] == table]
    for there, column in [(table, schema["tables"][table]["key"]), *users]:
        cells = columns.get(there, {}).get(column)
        if cells is not None:
            cells[:] = [changed.get(cell, cell) for cell in cells]
            if way in (0, 1, 6) and column != schema["tables"][there].get("key") and rng.random() < 0.3:
                cells[:] = [str(c) if isinstance(c, int) else c for c in cells]


def valid_settings(rng: random.Random, problem: Problem | None = None) -> dict[str, Any]:
    """Parameters of a learner that keep it quick."""
    settings: dict[str, Any] = {
        "method": rng.choice(METHODS),
        "lookahead": rng.choice((0, 0, 1)),
        "forward": rng.choice((0, 1, 2, 2, 3)),
        "max_variables": rng.choice((1, 2, 3, 3, 4, 5)),
        "thresholds": rng.choice((None, None, 1, 3, 8)),
        "closing": rng.random() < 0.3,
    }
    if rng.random() < 0.3:
        settings["aggregates"] = [name for name in AGGREGATES if rng.random() < 0.5]
    if rng.random() < 0.2:
        settings["max_rows"] = rng.choice((1, 2, 10, 50))
    if rng.random() < 0.2:
        settings["min_cases"] = rng.choice((0.5, 1, 2, 3, 1e9, 1e-300))
    if rng.random() < 0.2:
        settings["estimate"] = rng.choice(("ml", "m", "m-branch", "dirichlet", "laplace"))
    if rng.random() < 0.15:
        settings["class_weight"] = "balanced"
    if problem is not None and rng.random() < 0.15:
        names = [f"{key['table']}.{key['column']}" for key in problem["schema"]["foreign_keys"]]
        settings["links"] = {name: rng.choice(DIRECTIONS) for name in names if rng.random() < 0.5}
    return settings


def drawn_settings(rng: random.Random, problem: Problem | None = None) -> dict[str, Any]:
    """The same, but now and then one of them is any value."""
    settings = valid_settings(rng, problem)
    if rng.random() < 0.1:
        name = rng.choice([*settings, "links", "constants", "class_weight", "data", "unseen"])
        value = odd_value(rng)
        if not (name in ("max_variables", "forward", "lookahead") and isinstance(value, int) and value > 5):
            settings[name] = value
    return settings
