"""What a user does with a model, and what must hold then."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np

import ctree
from ctree.data.dates import LIMITS
from ctree.errors import CtreeError

from .judging import FindingError, check_message, check_probabilities, check_same, may_refuse

PRUNINGS: list[tuple[str, dict[str, Any]]] = [
    ("bic", {}),
    ("cost-complexity", {"alpha": 0.01}),
    ("cost-complexity", {"alpha": 0.0, "measure": "gini"}),
    ("cost-complexity", {"alpha": 0.1, "measure": "entropy"}),
]
WITH_CASES = ("reduced-error", "error-based", "mdl")


def schema_of(model: Any) -> Any:
    return model.schema if isinstance(model, ctree.Tree) else model.schema_


def cases_for(schema: Any, rng: random.Random, n: int = 6) -> dict[str, list[Any]]:
    """Cases that fit a schema, some of their values unknown or new."""
    table: dict[str, list[Any]] = {}
    for attribute in schema:
        if attribute.is_discrete or attribute.is_ordered:
            known = [*attribute.values, None]
            column = [rng.choice(known) for _ in range(n)]
        elif attribute.is_moment:
            low, high = LIMITS[attribute.kind]
            days = [None if rng.random() < 0.15 else float(rng.randrange(low, high)) for _ in range(n)]
            column = [None if day is None else attribute.label(day) for day in days]
        else:
            scale = rng.choice((1, 10, 100, 1e-5, 1e30))
            column = [None if rng.random() < 0.15 else rng.uniform(-0.3, 1) * scale for _ in range(n)]
        table[attribute.name] = column
    return table


def cases_in_codes(model: Any, rng: random.Random, n: int = 6) -> Any:
    """The same as a data set."""
    return ctree.from_arrays(cases_for(schema_of(model), rng, n), schema=schema_of(model))


def probabilities(model: Any, data: Any) -> Any:
    """The probabilities of a model, which are distributions; None if it refuses to predict."""
    try:
        p = model.predict_proba(data)
    except CtreeError as error:
        check_message(str(error))
        return None
    check_probabilities(p, len(data), schema_of(model).n_classes)
    return p


def check_saving(model: Any, data: Any, folder: Path) -> Any:
    """What was saved and loaded predicts the same bits; the loaded model, or the given one if it cannot be saved."""
    path = folder / "again.json"
    with may_refuse():
        ctree.save(model, path)
        again = ctree.load(path)
        p, q = probabilities(model, data), probabilities(again, data)
        if (p is None) != (q is None):
            raise FindingError("of a model and its copy on disk, one refuses to predict")
        if p is not None:
            check_same(p, q, "load(save(model)) predicts other bits")
        return again
    return model


def prunings(model: Any, data: Any, rng: random.Random) -> list[Any]:
    """Other models that the pruning of this one gives."""
    if not hasattr(model, "pruned"):
        return []
    if rng.random() < 0.5:
        classes = np.array([rng.randrange(data.schema.n_classes) for _ in range(len(data))], dtype=np.int32)
        cases = ctree.Dataset(data.schema, data.columns, classes, n_cases=len(data))
        method, arguments, settings = rng.choice(WITH_CASES), (cases,), {}
    else:
        (method, settings), arguments = rng.choice(PRUNINGS), ()
    with may_refuse():
        return [model.pruned(method, *arguments, **settings)]
    return []


def look_at(model: Any, data: Any, rng: random.Random) -> None:
    """Ask a model for one of the many things that it can be asked for."""
    actions = ["to_text", "explain", "feature_importances_", "to_rules", "to_html", "to_dot", "summary", "size_text"]
    actions += ["to_sql", "to_python", "to_c", "to_pmml", "decision_path", "apply", "as_tree", "repr", "predict"]
    actions += ["counterfactual"]
    action = rng.choice(actions)
    if action == "repr":
        repr(model)
    elif hasattr(type(model), action):
        with may_refuse():
            found = getattr(model, action)
            if callable(found):
                found(data) if action in ("explain", "counterfactual", "decision_path", "apply", "predict") else found()


def check_usable(model: Any, folder: Path, rng: random.Random) -> None:
    """A model can be asked, saved, pruned and shown; whatever it cannot do, it says in a sentence."""
    data = cases_in_codes(model, rng)
    before = probabilities(model, data)
    check_saving(model, data, folder)
    look_at(model, data, rng)
    for other in prunings(model, data, rng):
        probabilities(other, data)
        check_saving(other, data, folder)
    after = probabilities(model, data)
    if before is not None:
        check_same(before, after, "a model predicts other bits after it was looked at")
