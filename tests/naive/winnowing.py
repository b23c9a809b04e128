"""Winnowing from its description, with models of whole data sets and a loop over cases."""

from __future__ import annotations

import math

import numpy as np

from ctree import Schema


def halves(classes, seed):
    """Cases of one class after the other, in an order drawn at random: to the one half and to the other in turn."""
    shuffled = np.random.default_rng(seed).permutation([i for i, c in enumerate(classes) if c >= 0]).tolist()
    in_turn = [i for c in sorted(set(classes)) for i in shuffled if classes[i] == c]
    return sorted(in_turn[::2]), sorted(in_turn[1::2])


def loss_on(model, data, weights, kind, n):
    """The mean loss of a model, case by case; `n` cases were learned from."""
    p, codes, total = model.predict_proba(data).tolist(), model.predict_codes(data).tolist(), 0.0
    for case in range(len(data)):
        true = int(data.classes[case])
        if kind == "log-loss":
            loss = -math.log(max(p[case][true], 1 / (2 * n)))
        elif kind == "brier":
            loss = sum((q - (c == true)) ** 2 for c, q in enumerate(p[case]))
        elif kind == "error":
            loss = float(codes[case] != true)
        else:
            loss = float(model.costs_[true][codes[case]])
        total += loss * weights[case]
    return total / sum(weights)


def asked(model):
    """The names of the attributes that a model's text or tables have to do with."""
    if hasattr(model, "rules_"):
        return {c.attribute for rule in model.rules_ for c in rule.conditions}
    trees = [m.tree_ for m in getattr(model, "members_", ())] or [getattr(model, "tree_", None)]
    if trees[0] is None:
        return set(model.schema_.names)
    return {model.schema_.names[a] for tree in trees for a in tree.attribute.tolist() if a >= 0}


def winnowed(make, data, kind, by, seed):
    """Kept names, rises by name, and the losses with all attributes and with those kept."""
    first, second = halves(data.classes.tolist(), seed)
    learning, testing = data.take(first), data.take(second)
    factors = _class_factors(make(), testing) if kind != "cost" else {}
    given = [1.0] * len(second) if testing.weights is None else testing.weights.tolist()
    weights = [w * factors.get(int(c), 1.0) for w, c in zip(given, testing.classes, strict=True)]
    names = list(data.schema.names)

    def loss(some, cases=testing, model=None):
        gone = [name for name in names if name not in some]
        fitted = model or make().fit(_without(learning, gone))
        return loss_on(fitted, _without(cases, gone), weights, kind, len(first))

    model = make().fit(learning)
    everything = loss(names, model=model)
    used = [name for name in names if name in asked(model)]
    if not used:
        return names, {}, everything, everything
    rises = {}
    for name in used:
        if by == "refit":
            rises[name] = loss([u for u in used if u != name]) - loss(used)
        else:
            rises[name] = loss(names, _disturbed(testing, name, by, seed), model) - everything
    kept = list(used)
    for name in sorted(used, key=lambda name: (rises[name], names.index(name))):
        rest = [other for other in kept if other != name]
        if rises[name] <= 1e-9 and rest and loss(rest) <= loss(kept) + 1e-9:
            kept = rest
    if loss(kept) > everything + 1e-9:
        return names, rises, everything, everything
    return kept, rises, everything, loss(kept)


def _without(data, gone):
    kept = [i for i, name in enumerate(data.schema.names) if name not in gone]
    schema = Schema(tuple(data.schema[i] for i in kept), data.schema.classes)
    return data.replaced(schema, [data.columns[i] for i in kept])


def _disturbed(data, name, by, seed):
    place = data.schema.index(name)
    columns = [column.copy() for column in data.columns]
    if by == "unknown":
        columns[place][:] = -1 if columns[place].dtype.kind == "i" else np.nan
    else:
        columns[place] = columns[place][np.random.default_rng((seed, place)).permutation(len(data))]
    return data.replaced(data.schema, columns)


def _class_factors(learner, data):
    if learner.class_weight != "balanced":
        return {}
    weights = np.ones(len(data)) if data.weights is None else data.weights
    totals = {c: weights[data.classes == c].sum() for c in set(data.classes.tolist())}
    return {c: sum(totals.values()) / len(totals) / total for c, total in totals.items()}
