"""Linked tables in files: a schema.json and its CSV files, changed as JSON, by cells and by bytes."""

from __future__ import annotations

import csv
import io
import json
import random
from pathlib import Path
from typing import Any

import ctree

from .csv_files import TOKENS as CSV_TOKENS
from .linked import drawn_problem, drawn_settings
from .linked_usage import STEPS, learned, live_with
from .models import TOKENS as JSON_TOKENS
from .mutations import damaged_bytes, hostile, mild
from .odd import NUMBERS, TEXTS, thawed

MEMORY_MAY_RUN_OUT = False

SCHEMA = "schema.json"


def draw(rng: random.Random) -> Any:
    """The files of a folder, and how they are read."""
    problem = drawn_problem(rng, 0.3)
    schema, columns = problem["schema"], problem["columns"]
    settings = drawn_settings(rng, problem)
    for number, name in enumerate(schema["tables"]):
        schema["tables"][name]["file"] = f"t{number}.csv"
    files = {}
    for name, entry in schema["tables"].items():
        cells = columns.get(name, {})
        if rng.random() < 0.15:
            _other_cells(rng, cells)
        files[entry["file"]] = _csv(rng, cells)
    way = rng.random()
    if way < 0.2:
        mild(rng, schema)
    elif way < 0.4:
        for _ in range(rng.randint(1, 2)):
            hostile(rng, schema)
    files[SCHEMA] = json.dumps(schema).encode("utf-8", "surrogatepass")
    if rng.random() < 0.2:
        name = rng.choice(list(files))
        for _ in range(rng.randint(1, 3)):
            files[name] = damaged_bytes(rng, files[name], JSON_TOKENS if name == SCHEMA else CSV_TOKENS)
    return {
        "files": {name: text.decode("latin-1") for name, text in files.items()},
        "dangling": rng.choice(("error", "unknown")),
        "unknown_class": rng.choice(("error", "drop", "keep")),
        "labels": rng.choice(("required", "required", "optional")),
        "settings": settings,
        "steps": [rng.choice(STEPS) for _ in range(rng.randint(1, 4))],
        "seed": rng.getrandbits(32),
    }


def _other_cells(rng: random.Random, columns: dict[str, list[Any]]) -> None:
    """Some cells hold something else."""
    for _ in range(rng.choice((1, 1, 2, 5))):
        cells = rng.choice(list(columns.values()))
        if cells:
            numbers = [x for x in NUMBERS if not isinstance(x, dict)]
            cells[rng.randrange(len(cells))] = rng.choice([rng.choice(TEXTS), rng.choice(numbers), None])


def _csv(rng: random.Random, columns: dict[str, list[Any]]) -> bytes:
    out = io.StringIO()
    quoting = rng.choice((csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL))
    writer = csv.writer(out, quoting=quoting, lineterminator=rng.choice(("\n", "\n", "\r\n")))
    writer.writerow(columns)
    writer.writerows(zip(*([("" if c is None else c) for c in cells] for cells in columns.values()), strict=True))
    return out.getvalue().encode("utf-8", "surrogatepass")


def run(given: Any, folder: Path) -> bool:
    """Read the folder, learn from it, and live with the tree."""
    here = folder / "tables"
    here.mkdir()
    for name, text in given["files"].items():
        (here / name).write_bytes(text.encode("latin-1"))
    options = {name: given[name] for name in ("dangling", "unknown_class", "labels")}
    data = ctree.read_relational(here, **options)
    str(data.describe())
    settings = {name: thawed(value) for name, value in given["settings"].items()}
    live_with(learned(settings, data), data, given["steps"], folder, random.Random(given["seed"]))
    return True
