"""Every learner, small enough to be fitted a thousand times, and what is done with it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import ctree
from ctree.store.json_text import json_text

LEARNERS: dict[str, Callable[[], Any]] = {
    "C45": ctree.C45Classifier,
    "C45 groups": lambda: ctree.C45Classifier(group_values=True, min_cases=1),
    "C45 threads": lambda: ctree.C45Classifier(n_jobs=2, min_cases=1),
    "J48": lambda: ctree.C45Classifier(variant="j48"),
    "C45Rules": ctree.C45RulesClassifier,
    "Probability": lambda: ctree.ProbabilityTreeClassifier(approach="mdl-prune"),
    "Bayesian": ctree.BayesianTreeClassifier,
    "BayesOptimal": lambda: ctree.BayesOptimalClassifier(max_depth=2),
    "OptimalTree": lambda: ctree.OptimalTreeClassifier(max_depth=2),
    "MCMC": lambda: ctree.MCMCTreeClassifier(burn_in=20, samples=20, thin=1, chains=2, random_state=0),
    "NaiveBayes": ctree.NaiveBayesClassifier,
    "Relational": lambda: ctree.RelationalTreeClassifier(closing=True, aggregates=("count", "mean", "share")),
    "Relational threads": lambda: ctree.RelationalTreeClassifier(lookahead=1, method="bic-prune", n_jobs=2),
    "Bagging threads": lambda: ctree.CommitteeClassifier(members=3, random_state=0, n_jobs=2),
    "Boosting": lambda: ctree.CommitteeClassifier(method="boosting", members=3, random_state=0),
    "Bagged trees": lambda: ctree.BaggedTreesClassifier(members=3, random_state=0),
}
"""The learners by the name in the table."""


def cases(n_cases: int, seed: int) -> ctree.Dataset:
    """Numbers and discrete values, some unknown."""
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=n_cases).round(1), rng.normal(size=n_cases).round(1)
    colour, size = rng.integers(0, 4, n_cases), rng.integers(0, 3, n_cases)
    classes = np.where(rng.random(n_cases) < 0.2, rng.integers(0, 3, n_cases), (y > 0) + (colour > 1))
    x[rng.random(n_cases) < 0.1] = np.nan
    size[rng.random(n_cases) < 0.1] = -1
    schema = ctree.Schema(
        (
            ctree.Attribute("x", ctree.Kind.CONTINUOUS),
            ctree.Attribute("colour", ctree.Kind.DISCRETE, ("red", "green", "blue", "grey")),
            ctree.Attribute("y", ctree.Kind.CONTINUOUS),
            ctree.Attribute("size", ctree.Kind.DISCRETE, ("small", "medium", "large")),
        ),
        ("no", "perhaps", "yes"),
    )
    return ctree.Dataset(schema, [x, colour, y, size], classes)


def linked_tables(n_examples: int, seed: int) -> ctree.RelationalData:
    """Examples with parts, links without direction between parts, and a table that parts refer to."""
    rng = np.random.default_rng(seed)
    n_parts = 3 * n_examples
    owners, colours = rng.integers(0, n_examples, n_parts), rng.choice(["red", "green", "blue"], n_parts)
    red = np.bincount(owners[colours == "red"], minlength=n_examples) > 0
    classes = np.where(rng.random(n_examples) < 0.2, "perhaps", np.where(red, "yes", "no"))
    return ctree.RelationalData(
        {
            "example": {"id": np.arange(n_examples), "class": classes},
            "part": {
                "id": [f"p{i}" for i in range(n_parts)],
                "of": owners,
                "colour": [None if rng.random() < 0.1 else colour for colour in colours.tolist()],
                "size": np.where(rng.random(n_parts) < 0.1, np.nan, rng.normal(size=n_parts).round(1)),
                "maker": rng.integers(0, 4, n_parts),
            },
            "link": {"one": [f"p{i}" for i in rng.integers(0, n_parts, 40)], "two": [f"p{i}" for i in range(40)]},
            "maker": {"id": np.arange(4), "country": list("abca")},
        },
        target=("example", "class"),
        keys={"example": "id", "part": "id", "maker": "id"},
        foreign_keys={"part.of": "example", "part.maker": "maker", "link.one": "part", "link.two": "part"},
        symmetric={"link": ("one", "two")},
        classes=["no", "perhaps", "yes"],
    )


OLD, NEW, OTHER = cases(60, 1), cases(80, 2), cases(20, 3)
"""What a model has learned before, what it learns, and what it predicts."""
LINKED_OLD, LINKED_NEW, LINKED_OTHER = linked_tables(20, 1), linked_tables(25, 2), linked_tables(15, 3)


def examples_for(model: Any) -> tuple[Any, Any, Any]:
    """The old, new and other cases of a learner: one table, or linked ones."""
    if isinstance(model, ctree.RelationalTreeClassifier | ctree.BaggedTreesClassifier):
        return LINKED_OLD, LINKED_NEW, LINKED_OTHER
    return OLD, NEW, OTHER


def state(model: Any) -> str:
    """All that there is to know of a model, to the last bit."""
    attributes = sorted(name for name in vars(model) if not name.startswith("_"))
    if not hasattr(model, "schema_"):
        return f"{attributes} {model.get_params()}"
    bits = hashlib.sha256(model.predict_proba(examples_for(model)[2]).tobytes()).hexdigest()
    return f"{attributes} {bits} {json_text(model._to_fields())}"


@dataclass(frozen=True)
class Operation:
    """Something that is done with a model, so that it can be done again and compared.

    Parameters
    ----------
    target : function
        A new model to do it with, always the same.
    act : function of the target
        What is done. It is this that calls fail in.
    seen : function of what `act` returns
        The result to the last bit.
    """

    target: Callable[[], Any]
    act: Callable[[Any], Any]
    seen: Callable[[Any], Any]


def operations(learner: str, folder: Path) -> dict[str, Operation]:
    """What can be done with this learner, by name; files are in the folder."""
    make = LEARNERS[learner]
    old, new, other = examples_for(make())
    fitted = make().fit(new)
    saved, written = folder / "saved.json", folder / "written.json"
    ctree.save(fitted, saved)

    def with_an_old_file() -> Any:
        written.write_text("old")
        return fitted

    def texts(explanations: Any) -> str:
        return "\n".join(map(str, explanations))

    result = {
        "fit": Operation(make, lambda model: model.fit(new), state),
        "fit again": Operation(lambda: make().fit(old), lambda model: model.fit(new), state),
        "predict": Operation(lambda: fitted, lambda model: model.predict_proba(other), lambda p: p.tobytes()),
        "explain": Operation(lambda: fitted, lambda model: model.explain(other), texts),
        "save": Operation(with_an_old_file, lambda model: ctree.save(model, written), lambda _: written.read_bytes()),
        "load": Operation(lambda: fitted, lambda _: ctree.load(saved), state),
    }
    if hasattr(fitted, "pruned"):
        result["prune"] = Operation(lambda: fitted, lambda model: model.pruned("reduced-error", OLD), state)
    if hasattr(fitted, "to_sql") and learner != "Boosting":  # which has no such form
        result["export"] = Operation(lambda: fitted, lambda model: model.to_sql("sqlite"), str)
    if hasattr(fitted, "partial_fit"):
        result["learn more"] = Operation(lambda: make().fit(OLD), lambda model: model.partial_fit(NEW), state)
    if getattr(fitted, "resumable", False):
        # Up to a number of samples, so that a call after one that failed has the rest to do.
        more = Operation(lambda: make().fit(NEW).set_params(warm_start=True, samples=30), lambda m: m.fit(NEW), state)
        result["learn more"] = more
    if learner == "Relational":
        tables = folder / "tables"
        ctree.write_relational(LINKED_OTHER, tables)
        result["read"] = Operation(
            lambda: fitted, lambda model: ctree.read_relational(tables), lambda d: _bits(fitted, d)
        )
        result["make"] = Operation(lambda: fitted, lambda model: linked_tables(15, 3), lambda d: _bits(fitted, d))
    return result


def _bits(model: Any, data: Any) -> bytes:
    """What a model says of linked tables, and what can be said of them without it."""
    closure = b"".join(mask.tobytes() for mask in data.closure().values())
    return bytes(model.predict_proba(data).tobytes()) + closure + str(data.describe()).encode()
