"""Changes to a model file that leave its form as it was: what a check of each field by itself cannot refuse."""

from __future__ import annotations

import random
from typing import Any

from ctree.learners.registry import LEARNERS, learner_class

from .mutations import Way, nudged, parent_of, places, renamed
from .odd import odd_text
from .parameters import drawn_value

SOFT = {
    *("threshold", "errors", "best", "counts", "cases", "probabilities", "lower", "upper", "node_weights", "cuts"),
    *("fill", "fillers", "class_counts", "log_evidence", "objective", "bound", "group", "at_most", "above", "n_tests"),
    *("state", "records", "states", "complete", "interrupted", "traces", "rules", "tests", "values"),
}
"""Fields whose entries have some freedom."""
SIZED = 1 << 16
"""No number of a changed parameter is greater: files with great numbers are for the hostile changes."""


def nearly_valid(rng: random.Random, content: Any) -> None:
    """A label, a parameter, a number or the order within a row becomes another."""
    way = rng.random()
    if way < 0.3:
        _another_label(rng, content)
    elif way < 0.5:
        _another_parameter(rng, content)
    else:
        another_number(rng, content)


def _another_label(rng: random.Random, content: Any) -> None:
    """An attribute, a value or a class gets another name wherever it stands."""
    schema = content["schema"]
    labels = [schema["classes"], *(a["values"] for a in schema["attributes"] if a.get("values"))]
    if rng.random() < 0.4 and schema["attributes"]:
        attribute = rng.choice(schema["attributes"])
        renamed(content, attribute["name"], odd_text(rng))
    else:
        row = rng.choice(labels)
        place = rng.randrange(len(row)) if row else None
        if place is not None and isinstance(row[place], str):
            renamed(content, row[place], odd_text(rng))
        elif place is not None:
            row[place] = nudged(rng, row[place])


def _another_parameter(rng: random.Random, content: Any) -> None:
    """A parameter has another value that its declaration allows."""
    declared = learner_class(content["kind"])._parameters if content.get("kind") in LEARNERS else {}
    names = [name for name in content.get("parameters", {}) if name in declared]
    if not names:
        return
    name = rng.choice(names)
    value = drawn_value(rng, declared[name])
    if isinstance(value, dict) or (isinstance(value, int) and value > SIZED):
        return
    content["parameters"][name] = value


def another_number(rng: random.Random, content: Any) -> None:
    """Two entries of a row change places, a number changes a little, or all of a row do alike."""
    ways = [way for way in places(content) if SOFT & {step for step in way if isinstance(step, str)}]
    numbers = [way for way in ways if isinstance(parent_of(content, way)[way[-1]], int | float)]
    if not numbers:
        return
    place: Way = rng.choice(numbers)
    row, last = parent_of(content, place), place[-1]
    action = rng.random()
    if isinstance(row, list) and action < 0.35:
        other = rng.randrange(len(row))
        row[last], row[other] = row[other], row[last]
    elif isinstance(row, list) and action < 0.45 and all(isinstance(entry, int | float) for entry in row):
        factor = rng.choice((2, 0.5, 1e3, 1e-3, 1e300))
        row[:] = [entry * factor for entry in row]
    else:
        row[last] = nudged(rng, row[last])
