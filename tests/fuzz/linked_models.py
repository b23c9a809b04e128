"""Files of relational trees: valid ones with changes mild and hostile, asked about tables that fit them."""

from __future__ import annotations

import json
import random
import tempfile
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import ctree

from .judging import VoidError
from .linked import drawn_problem, valid_settings
from .linked_usage import STEPS, live_with
from .model_changes import another_number
from .models import TOKENS, loaded
from .mutations import damaged_bytes, hostile, mild, nudged, renamed
from .odd import odd_text

MEMORY_MAY_RUN_OUT = False
"""No file may ask for more memory than a small multiple of its size."""

N_MODELS = 40


@cache
def relational_texts() -> list[str]:
    """Valid files of relational trees, of many methods and parameters."""
    texts = []
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in range(4 * N_MODELS):
            rng = random.Random(f"relational {number}")
            problem = drawn_problem(rng, 0.0)
            settings = {**valid_settings(rng), "method": rng.choice(("c4.4", "c4.4", "mdl-prune", "c4.5"))}
            model = ctree.RelationalTreeClassifier(**settings).fit(_data(problem))
            if model.tree_.n_nodes > 1 or number % 10 == 0:
                ctree.save(model, Path(folder) / "model.json")
                texts.append(json.dumps(json.loads((Path(folder) / "model.json").read_text("utf-8"))))
            if len(texts) == N_MODELS:
                break
    return texts


def _data(problem: Any) -> Any:
    """The tables of a problem."""
    schema = problem["schema"]
    kinds = {
        f"{t}.{c}": k for t, entry in schema["tables"].items() for c, k in entry["columns"].items() if k != "class"
    }
    return ctree.RelationalData(
        problem["columns"],
        target=(schema["target"]["table"], schema["target"]["column"]),
        keys={t: entry["key"] for t, entry in schema["tables"].items()},
        foreign_keys={f"{key['table']}.{key['column']}": key["references"] for key in schema["foreign_keys"]},
        symmetric={t: entry["symmetric"] for t, entry in schema["tables"].items() if entry.get("symmetric")},
        kinds=kinds,
    )


def prepare() -> None:
    """Make once what inputs are made from."""
    relational_texts()


def draw(rng: random.Random) -> Any:
    """A model file, and what is done with the model."""
    texts = sorted(rng.choices(relational_texts(), k=3), key=len)
    text = texts[0] if rng.random() < 0.8 else texts[-1]
    given: dict[str, Any] = {
        "steps": [rng.choice(STEPS) for _ in range(rng.randint(1, 4))],
        "seed": rng.getrandbits(32),
    }
    way = rng.random()
    if way < 0.1:
        data = text.encode()
        for _ in range(rng.randint(1, 3)):
            data = damaged_bytes(rng, data, TOKENS)
        return {**given, "text": data.decode("latin-1")}
    content = json.loads(text)
    if way < 0.7:
        for _ in range(rng.choice((1, 1, 2, 4))):
            _nearly_valid(rng, content)
    elif way < 0.85:
        mild(rng, content)
    else:
        for _ in range(rng.randint(1, 2)):
            hostile(rng, content)
    return {**given, "content": content}


def _nearly_valid(rng: random.Random, content: Any) -> None:
    """A name, a value, a class, a number, or one of the numbers of a test becomes another."""
    way = rng.random()
    schema = content["schema"]
    if way < 0.25:
        names = [*schema["tables"], *(c for t in schema["tables"].values() for c in t["columns"])]
        _rename(content, rng.choice(names), odd_text(rng) if rng.random() < 0.7 else rng.choice(names))
    elif way < 0.35:
        rows = [schema["target"]["classes"], *(v for v in content["values"].values() if v)]
        row = rng.choice(rows)
        row[rng.randrange(len(row))] = odd_text(rng)
    elif way < 0.7:
        tree = content["trees"]["tree"]
        inner = [node for node, test in enumerate(tree["tests"]) if test[0]]
        if inner:
            node = rng.choice(inner)
            test = tree["tests"][node]
            place = rng.randrange(1, len(test))
            test[place] = rng.choice((nudged(rng, test[place]), rng.randrange(5), rng.choice(test)))
    else:
        another_number(rng, content)


def _rename(content: Any, old: str, new: str) -> None:
    """A table or column has another name in the schema and in the full names of its columns."""
    renamed(content["schema"], old, new)
    content["values"] = {
        ".".join(new if part == old else part for part in name.split(".")): values
        for name, values in content["values"].items()
    }


def run(given: Any, folder: Path) -> bool:
    """Load the file, and use the model."""
    model = loaded(given, folder)
    if not isinstance(model, ctree.RelationalTreeClassifier):
        raise VoidError("a model of another kind")
    rng = random.Random(given["seed"])
    live_with(model, tables_for(model, rng), given["steps"], folder, rng)
    return True


def tables_for(model: Any, rng: random.Random) -> Any:
    """Linked tables that fit a model, some of their values unknown or new."""
    schema = model.schema_
    sizes = {t.name: rng.choice((3, 6) if t.name == schema.target else (0, 1, 4, 10)) for t in schema.tables}
    tables: dict[str, Any] = {}
    for table in schema.tables:
        columns: dict[str, list[Any]] = {}
        for column in table.columns:
            columns[column.name] = _cells(model, rng, table, column, sizes)
        tables[table.name] = columns
    kinds = {f"{t.name}.{c.name}": c.kind for t in schema.tables for c in t.columns if c.kind.value != "class"}
    return ctree.RelationalData(
        tables,
        target=schema.target if schema.class_column is None else (schema.target, schema.class_column),
        keys={table.name: table.key for table in schema.tables if table.key is not None},
        foreign_keys={key.name: key.references for key in schema.foreign_keys},
        symmetric={table.name: table.symmetric for table in schema.tables if table.symmetric},
        kinds=kinds,
        classes=schema.classes,
        unknown_class="keep",
    )


def _cells(model: Any, rng: random.Random, table: Any, column: Any, sizes: dict[str, int]) -> list[Any]:
    n_rows, schema = sizes[table.name], model.schema_
    key = schema.foreign_key(table.name, column.name)
    unknown = 0.0 if column.name == table.key else 0.15
    known: list[Any]
    if column.name == table.key and key is None:
        return [f"k{row}" for row in range(n_rows)]
    if key is not None:
        known = [f"k{row}" for row in range(sizes[key.references])] or [None]
        if column.name == table.key:
            return [known[row % len(known)] for row in range(n_rows)]
    elif column.kind.value == "class":
        known = list(schema.classes)
    elif column.kind.value == "discrete":
        known = [*model.tree_.values.get(f"{table.name}.{column.name}", ()), "new"]
    else:
        known = [*model.tree_.arrays.threshold.tolist(), rng.uniform(-9, 9), 0.0, 1e300]
    return [None if rng.random() < unknown else rng.choice(known) for _ in range(n_rows)]
