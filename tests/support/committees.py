"""Committees, their data, and their bags as the documentation tells them."""

from __future__ import annotations

import numpy as np

import ctree

SEED = 7


def shop(n: int = 60, seed: int = 0, **options) -> ctree.RelationalData:
    """Persons with purchases; most of those who bought an expensive "a" are the ones."""
    rng = np.random.default_rng(seed)
    owner = np.sort(rng.integers(n, size=3 * n))
    kind, price = np.array(["a", "b", "c"])[rng.integers(3, size=3 * n)], rng.integers(1, 10, size=3 * n)
    bought = np.isin(np.arange(n), owner[(kind == "a") & (price > 5)]) ^ (rng.random(n) < 0.15)
    return ctree.RelationalData(
        {
            "person": {"id": [f"p{i}" for i in range(n)], "age": rng.integers(20, 60, size=n),
                       "buys": np.where(bought, "yes", "no")},
            "purchase": {"person": [f"p{i}" for i in owner], "kind": kind, "price": price},
        },
        target=("person", "buys"),
        keys={"person": "id"},
        foreign_keys={"purchase.person": "person"},
        **options,
    )  # fmt: skip


def committee(members: int = 12, **settings) -> ctree.BaggedTreesClassifier:
    own = {name: settings.pop(name) for name in list(settings) if name in ("n_jobs", "sample_share", "warm_start")}
    learner = ctree.RelationalTreeClassifier(**settings) if settings else None
    return ctree.BaggedTreesClassifier(learner=learner, members=members, random_state=SEED, **own)


def drawn(member: int, n: int, share: float = 1.0) -> np.ndarray:
    """The bag of a member, as the documentation tells it."""
    stream = np.random.default_rng(np.random.SeedSequence(SEED).spawn(member + 1)[member])
    times = np.zeros(n)
    for example in stream.integers(n, size=max(1, round(share * n))):
        times[example] += 1
    return times


def canonical(model) -> list:
    return [member.tree_.to_canonical() for member in model.members_]
