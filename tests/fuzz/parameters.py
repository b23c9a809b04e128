"""Parameters of every learner: drawn from their declarations, or foreign to them."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import ctree
from ctree.domains.domain import AnyOf, Choice, Flag, Nothing
from ctree.domains.numeric import Integer, Memory, Number, Numbers
from ctree.learners.base import common_parameters as common
from ctree.learners.base.first_tests import FirstTests
from ctree.learners.base.limited_growth import NotBelow
from ctree.learners.base.monotone import Directions
from ctree.learners.base.own_criterion import SplitCriterion
from ctree.learners.committee.domains import FROM_TABLES, TreeLearner
from ctree.learners.registry import LEARNERS, learner_class

from .judging import check_probabilities, may_refuse
from .learners import QUICK_CHAINS, made, small_tables
from .odd import odd_value, thawed

MEMORY_MAY_RUN_OUT = True

QUICK: dict[str, dict[str, Any]] = {
    "MCMCTreeClassifier": QUICK_CHAINS,
    "BayesOptimalClassifier": {"max_depth": 2},
    "OptimalTreeClassifier": {"max_depth": 2},
    "CommitteeClassifier": {"members": 3},
}
COSTLY = ("burn_in", "samples", "thin", "chains", "max_depth", "exchange_every", "temperatures", "n_jobs", "members")
"""What a user may ask for that takes long: within its domain, only small numbers of it are drawn."""
EXTREMES = (5e-324, 1e-308, 1e-300, 1e-16, 1 - 2**-53, 1 + 2**-52, 1e16, 1e38, 1e154, 1e300, 1e308, 1.7e308)
NAMES = ["outlook", "humidity", "windy", "petal_width", "a", ""]
"""Of attributes; the tables have some of them each."""
CRITERIA = {
    "squares": lambda counts: float((counts**2 / counts.sum(axis=1, keepdims=True)).sum()),
    "none": lambda counts: float("nan"),
    "least": lambda counts: float("-inf"),
    "text": lambda counts: "much",
}


def prepare() -> None:
    """Make once what inputs are made from."""
    small_tables()


def draw(rng: random.Random) -> Any:
    """A learner with some parameters, and a table."""
    name = rng.choice(list(LEARNERS))
    declared = learner_class(name)._parameters
    chosen = rng.sample(list(declared), min(rng.choice((1, 1, 2, 3, 5)), len(declared)))
    values = {}
    for each in chosen:
        values[each] = drawn_value(rng, declared[each])
    if rng.random() < 0.25:
        place = rng.choice(chosen)
        values[place] = _foreign(rng, declared[place])
    return {
        "learner": name,
        "values": values,
        "table": rng.randrange(5),
        "weight": rng.choice((None, None, None, None, 3, 1e-300, 1e300)),
    }


def drawn_value(rng: random.Random, declared: Any) -> Any:
    """A value that the declaration of a parameter allows."""
    if rng.random() < 0.1:
        return _plain(declared.default)
    domain = declared.domain
    while isinstance(domain, AnyOf):
        domain = rng.choice(domain.domains)
    costly = declared.name in COSTLY
    if isinstance(domain, Flag):
        return rng.random() < 0.5
    if isinstance(domain, Nothing):
        return None if declared.name != "max_depth" else 2
    if isinstance(domain, Choice):
        return rng.choice(domain.names)
    if isinstance(domain, Memory):
        return domain.least * rng.choice((1, 2, 10, 1000))
    if isinstance(domain, Integer):
        return domain.least + rng.choice((0, 1, 2, 3) if costly else (0, 1, 2, 5, 100, 10**6, 2**31, 2**40))
    if isinstance(domain, Number):
        return _number(rng, domain)
    if isinstance(domain, Numbers):
        parts = [rng.random() for _ in range(rng.choice((1, 2, 4, 5)))]
        return rng.choice(([part / sum(parts) for part in parts], sorted([1.0, *parts], reverse=True)))
    if isinstance(domain, common.ClassWeights):
        return {"of classes": [rng.choice((0, 1, 2, 0.5, 1e-300, 1e300)) for _ in range(3)]}
    if isinstance(domain, common.CostMatrix):
        return rng.choice((None, [[0, 1], [5, 0]], [[0, 1, 2], [0.5, 0, 1], [1e99, 1e-300, 0]], [[0]], [[1, 2]]))
    if isinstance(domain, common.Columns):
        return rng.choice(([0], [], [0, 1], [99], [-1], ["outlook"], [True, False, True], ["", "x"]))
    if isinstance(domain, common.Seed):
        return rng.choice((0, 1, 2**32, 2**64 - 1, {"odd": "generator"}, {"odd": "seeded"}, None))
    if isinstance(domain, TreeLearner):
        return {"of learner": rng.choice(FROM_TABLES)}
    if isinstance(domain, SplitCriterion):
        return {"of criteria": rng.choice(list(CRITERIA))}
    if isinstance(domain, Directions):
        return {name: rng.choice((1, -1, ["yes", 1], ["", -1])) for name in rng.sample(NAMES, rng.choice((0, 1, 3)))}
    if isinstance(domain, NotBelow):
        return {name: rng.sample(NAMES, rng.choice((0, 1, 3))) for name in rng.sample(NAMES, rng.choice((0, 1, 3)))}
    if isinstance(domain, FirstTests):
        tests = [[name, rng.choice((0.5, 75, -1e300))] if rng.random() < 0.3 else name for name in NAMES]
        return rng.sample(tests, rng.choice((0, 1, 2, 3)))
    if isinstance(domain, common.Threads):
        return rng.choice((None, 1, 2, -1, -99))
    raise NotImplementedError(f"no way to draw from {type(domain).__name__}")


def _number(rng: random.Random, domain: Any) -> float:
    """A number within bounds, often near to one of them."""
    low = domain.above if domain.above > domain.least else domain.least
    high = min(domain.most, domain.below)
    candidates = [x for x in (*EXTREMES, 0.0, 0.25, 0.5, 1.0, 2.0, 100.0, low, high) if domain.accepts(x)]
    if abs(low) < 1e300 and abs(high) < 1e300:
        candidates += [x for x in [rng.uniform(low, high)] * 5 if domain.accepts(x)]
    return rng.choice(candidates)


def _foreign(rng: random.Random, declared: Any) -> Any:
    """Any value, but no large number of what takes long."""
    value = odd_value(rng)
    while declared.name in COSTLY and isinstance(value, int | float) and 9 < value < 2**63:
        value = odd_value(rng)
    return value


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def run(given: Any, folder: Path) -> bool:
    """Fit, predict, and let the parameters go through all that takes them."""
    data = small_tables()[given["table"]]
    values = {}
    for name, value in given["values"].items():
        if isinstance(value, dict) and "of classes" in value:
            value = dict(zip(data.schema.classes, value["of classes"], strict=False))
        elif isinstance(value, dict) and "of learner" in value:
            value = learner_class(value["of learner"])(**QUICK.get(value["of learner"], {}))
        elif isinstance(value, dict) and "of criteria" in value:
            value = CRITERIA[value["of criteria"]]
        values[name] = thawed(value)
    if given["weight"] is not None:
        data = data.with_weights([given["weight"]] * len(data))
    learner = made(given["learner"], {**QUICK.get(given["learner"], {}), **values})
    repr(learner)
    with may_refuse():
        learner.get_params()
        ctree.save(learner, folder / "unfitted.json")
    learner.fit(data)
    with may_refuse():
        p = learner.predict_proba(data)
        check_probabilities(p, len(data), data.schema.n_classes)
    with may_refuse():
        ctree.save(learner, folder / "model.json")
        ctree.load(folder / "model.json")
    learner.to_text()
    return True
