"""Sequences of what is done with a model: fit or load, prune, export, save, load, predict, explain, in any order."""

from __future__ import annotations

import copy
import json
import pickle
import random
from pathlib import Path
from typing import Any

import numpy as np

import ctree

from .exports import exported_probabilities
from .judging import FindingError, check_same, may_refuse
from .learners import VARIANTS, made, model_texts, small_tables
from .model_changes import nearly_valid
from .usage import PRUNINGS, cases_in_codes, check_saving, look_at, probabilities, prunings, schema_of

MEMORY_MAY_RUN_OUT = False

STEPS = ("save", "pickle", "copy", "look", "look", "prune", "prune", "export", "predict", "parameters", "refit", "one")


def prepare() -> None:
    """Make once what inputs are made from."""
    model_texts()


def draw(rng: random.Random) -> Any:
    """Where the model comes from, and what is done with it."""
    given: dict[str, Any] = {
        "steps": [rng.choice(STEPS) for _ in range(rng.randint(2, 7))],
        "seed": rng.getrandbits(32),
    }
    if rng.random() < 0.5:
        learner, parameters = rng.choice(VARIANTS)
        given.update(learner=learner, parameters=parameters, table=rng.randrange(5))
    else:
        content = json.loads(min(rng.choices(model_texts(), k=3), key=len))
        for _ in range(rng.randint(0, 2)):
            nearly_valid(rng, content)
        given["content"] = content
    return given


def run(given: Any, folder: Path) -> bool:
    """Do it step by step; only pruning, other parameters and another fit may change what is predicted."""
    rng = random.Random(given["seed"])
    if "content" in given:
        path = folder / "begin.json"
        path.write_text(json.dumps(given["content"]))
        model = ctree.load(path)
    else:
        model = made(given["learner"], given["parameters"]).fit(small_tables()[given["table"]])
    data = cases_in_codes(model, rng)
    before = probabilities(model, data)
    for step in given["steps"]:
        follower = done(model, step, data, folder, rng)
        after = probabilities(model, data)
        if (before is None) != (after is None):
            raise FindingError(f"after '{step}' a model can no longer predict, or it suddenly can")
        if before is not None:
            check_same(before, after, f"a model predicts other bits after '{step}'")
        if follower is not model:
            p = probabilities(follower, data)
            if step in ("save", "pickle", "copy") and before is not None:
                check_same(before, p, f"what '{step}' gives predicts other bits")
            model, before = follower, p
    return True


def done(model: Any, step: str, data: Any, folder: Path, rng: random.Random) -> Any:
    """The model with which the sequence goes on."""
    if step == "save":
        return check_saving(model, data, folder)
    if step == "pickle":
        return pickle.loads(pickle.dumps(model))
    if step == "copy":
        return copy.deepcopy(model)
    if step == "look":
        look_at(model, data, rng)
    elif step == "prune":
        return next(iter(prunings(model, data, rng)), model)
    elif step == "export":
        _export(model, data, folder, rng)
    elif step == "predict":
        with may_refuse():
            model.predict_proba(cases_in_codes(model, rng, n=rng.choice((0, 1, 20))))
    elif step == "parameters" and hasattr(model, "pruned"):
        with may_refuse():
            model.cost_complexity_path(rng.choice(PRUNINGS)[1].get("measure", "errors"))
    elif step == "refit" and not isinstance(model, ctree.Tree):
        with may_refuse():
            return _refitted(model, data, rng)
    elif step == "one":
        _one_by_one(model, data)
    return model


def _export(model: Any, data: Any, folder: Path, rng: random.Random) -> None:
    """An export that is run says the same as the model."""
    with may_refuse():
        shown = model.as_tree()
        p = probabilities(shown, data)
        q = exported_probabilities(shown, data, rng.choice(("python", "sqlite")), folder)
        if p is not None and not np.allclose(p, q, rtol=1e-9, atol=1e-9):
            raise FindingError("an export gives other probabilities")


def _refitted(model: Any, data: Any, rng: random.Random) -> Any:
    """A copy fitted to other cases, of the same attributes."""
    classes = np.array([rng.randrange(data.schema.n_classes) for _ in range(len(data))], dtype=np.int32)
    other = copy.deepcopy(model)
    cases = ctree.Dataset(data.schema, data.columns, classes, n_cases=len(data))
    if type(model).__name__ == "MCMCTreeClassifier":
        other.set_params(burn_in=5, samples=3, thin=1, chains=1, temperatures=1)
    if "max_depth" in other.get_params():
        other.set_params(max_depth=2)
    return other.fit(cases)


def _one_by_one(model: Any, data: Any) -> None:
    """Cases that are predicted alone have the same probabilities."""
    together = probabilities(model, data)
    if together is None or not len(data):
        return
    schema = schema_of(model)
    for i in range(min(len(data), 3)):
        alone = probabilities(model, ctree.Dataset(schema, [None if c is None else c[i : i + 1] for c in data.columns]))
        if alone is None or not np.allclose(together[i], alone[0], rtol=0, atol=1e-12):
            raise FindingError("a case has other probabilities when it is alone")
