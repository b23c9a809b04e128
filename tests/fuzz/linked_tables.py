"""Linked tables in memory: all types of columns and libraries, keys that differ in type, and what is said of them."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import ctree

from .linked import drawn_problem, drawn_settings
from .linked_usage import STEPS, learned, live_with
from .mutations import hostile
from .odd import odd_text, odd_value, thawed
from .tables import PANDAS, POLARS, drawn_table

MEMORY_MAY_RUN_OUT = True

FORMS = ("dict", "dict", "arrays", "pandas", "pandas", "polars", "pyarrow")
OPTIONS = ("target", "keys", "foreign_keys", "symmetric", "kinds", "classes", "links", "constants")


def prepare() -> None:
    """Load the libraries, which take their memory at once."""
    for form in FORMS:
        drawn_table({"form": form, "names": ["a"], "columns": [{"values": [1.5], "type": None}], "type": None})


def draw(rng: random.Random) -> Any:
    """Tables with what is said of them, a learner, and what is done with both."""
    problem = drawn_problem(rng, 0.35)
    tables = {}
    for name, columns in problem["columns"].items():
        kinds = problem["schema"]["tables"].get(name, {}).get("columns", {})
        tables[name] = {
            "form": rng.choice(FORMS),
            "names": list(columns),
            "columns": [{"values": cells, "type": _type(rng, kinds.get(c))} for c, cells in columns.items()],
            "type": None,
        }
    given = {
        "tables": tables,
        "declared": _declared(rng, problem),
        "settings": drawn_settings(rng, problem),
        "steps": [rng.choice(STEPS) for _ in range(rng.randint(2, 6))],
        "seed": rng.getrandbits(32),
    }
    for _ in range(rng.choice((0, 0, 1, 1, 2))):
        _spoil(rng, given)
    return given


def _type(rng: random.Random, kind: str | None) -> str | None:
    if rng.random() < 0.6:
        return None
    if rng.random() < 0.05:
        return rng.choice((*PANDAS, *POLARS))
    if kind == "continuous":
        return rng.choice(("Float64", "object", "Float32", "float32", "Decimal"))
    return rng.choice(("string", "category", "object", "Utf8", "Categorical"))


def _declared(rng: random.Random, problem: Any) -> dict[str, Any]:
    """The arguments of `RelationalData` that say what the schema of a file would say."""
    schema = problem["schema"]
    target = schema["target"]
    kinds = {
        f"{table}.{column}": kind
        for table, entry in schema["tables"].items()
        for column, kind in entry["columns"].items()
        if kind in ("discrete", "continuous")
    }
    bias = schema.get("bias", {})
    declared: dict[str, Any] = {
        "target": [target["table"], target["column"]],
        "keys": {table: entry["key"] for table, entry in schema["tables"].items() if entry.get("key")},
        "foreign_keys": {f"{key['table']}.{key['column']}": key["references"] for key in schema["foreign_keys"]},
        "symmetric": {t: entry["symmetric"] for t, entry in schema["tables"].items() if entry.get("symmetric")},
        "kinds": kinds if rng.random() < 0.6 else {n: k for n, k in kinds.items() if rng.random() < 0.5},
        "classes": target.get("classes") if rng.random() < 0.5 else None,
        "links": bias.get("links"),
        "constants": bias.get("constants"),
        "dangling": rng.choice(("error", "unknown")),
        "unknown_class": rng.choice(("error", "error", "drop", "keep")),
    }
    return {name: value for name, value in declared.items() if value is not None}


def _spoil(rng: random.Random, given: dict[str, Any]) -> None:
    """One thing is odd or wrong: a cell, a column, a table, or what is said of them."""
    tables = given["tables"]
    table = tables[rng.choice(list(tables))]
    columns = table["columns"]
    match rng.randrange(12):
        case 0 | 1 | 2 if columns:
            cells = rng.choice(columns)["values"]
            for _ in range(rng.choice((1, 1, 3))):
                if cells:
                    cells[rng.randrange(len(cells))] = odd_value(rng)
        case 3 if columns:
            column = rng.choice(columns)
            column["values"] = [odd_value(rng) for _ in column["values"]]
        case 4:
            for column in columns:
                column["values"] = []
        case 5 if columns:
            columns.pop()
            table["names"].pop()
        case 6 if columns:
            rng.choice(columns)["values"].append(None)
        case 7 if columns:
            table["names"][rng.randrange(len(columns))] = rng.choice([*table["names"], odd_text(rng)])
        case 8:
            del tables[rng.choice(list(tables))]
        case 9:
            given["declared"][rng.choice(OPTIONS)] = odd_value(rng)
        case 10 if columns:
            known: list[Any] = [odd_value(rng) for _ in range(3)]
            column = rng.choice(columns)
            column["values"] = [rng.choice(known) for _ in column["values"]]
        case _:
            hostile(rng, given["declared"])


def run(given: Any, folder: Path) -> bool:
    """Make linked tables, learn from them, and live with the tree."""
    tables = {name: drawn_table(table) for name, table in given["tables"].items()}
    declared = {name: thawed(value) for name, value in given["declared"].items()}
    data = ctree.RelationalData(tables, **{"target": "example", **declared})
    rng = random.Random(given["seed"])
    str(data.describe())
    live_with(learned(_thawed(given["settings"]), data), data, given["steps"], folder, rng)
    return True


def _thawed(settings: dict[str, Any]) -> dict[str, Any]:
    return {name: thawed(value) for name, value in settings.items()}
