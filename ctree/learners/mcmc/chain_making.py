"""Chains for some cases: new ones, where they begin, and those that go on from their records."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ctree.data.binary_tests import BinaryTests
from ctree.data.dataset import Dataset
from ctree.errors import ModelError
from ctree.learners.mcmc.parameters import powers_of, treatment_of
from ctree.learners.mcmc.sampled_trees import ChainRecord
from ctree_ext.mcmc.chain import Chain
from ctree_ext.mcmc.rng import Stream
from ctree_ext.mcmc.test_grid import TestGrid

MAX_DEPTH = 1 << 30
"""No tree is deeper, and depths are numbers of 32 bits."""

START_STEPS = 1000
"""From a single leaf to a tree of the prior."""


def new_chains(parameters: Mapping[str, Any], grid: TestGrid, seed: int) -> list[Chain]:
    """As many chains as the settled parameters of the learner say, each where it begins."""
    powers = powers_of(parameters["temperatures"])
    chains = _chains(parameters, grid, seed, powers)
    if parameters["init"] == "prior":
        for i in range(len(powers)):
            # a tree from the prior is one where the likelihood counts for nothing
            walkers = _chains(parameters, grid, seed, (0.0,), (i + 1) << 32)
            for chain, walker in zip(chains, walkers, strict=True):
                walker.advance(START_STEPS, 0)
                chain.set_tree(walker.tree(), i)
    return chains


def restored_chains(
    parameters: Mapping[str, Any], grid: TestGrid, seed: int, records: Sequence[ChainRecord]
) -> list[Chain]:
    """Chains where their records leave off."""
    chains = _chains(parameters, grid, seed, powers_of(parameters["temperatures"]))
    try:
        for chain, record in zip(chains, records, strict=True):
            chain.restore(record.state, record.traces, record.burn_in_traces, record.bank)
    except ValueError as error:
        raise ModelError(f"the chains cannot be continued from their saved state: {error}") from None
    return chains


def fingerprint(data: Dataset, levels: BinaryTests) -> str:
    """What tells the cases of a fit from others: a chain can go on only with its own."""
    digest = hashlib.sha256()
    for part in (levels.of(data), data.classes, data.weights):
        digest.update(b"none" if part is None else np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()[:32]


def _chains(
    parameters: Mapping[str, Any],
    grid: TestGrid,
    seed: int,
    powers: tuple[float, ...],
    first_part: int = 0,
) -> list[Chain]:
    stream = Stream(seed)
    rule_step, rule_variance = parameters["rule_step"], parameters["rule_variance"]
    max_depth = parameters["max_depth"]
    return [
        Chain(
            grid,
            stream.part(first_part + c),
            min_cases=float(parameters["min_cases"]),
            max_depth=None if max_depth is None else min(int(max_depth), MAX_DEPTH),
            alpha=float(parameters["alpha"]),
            prior=parameters["tree_prior"],
            gamma=float(parameters["gamma"]),
            delta=float(parameters["delta"]),
            per_test=parameters["test_prior"] == "per-test",
            treatment=treatment_of(parameters["strategy"], parameters["invalid_proposals"]),
            moves=parameters["moves"],
            rule_step=0.0 if rule_step is None else float(rule_step),
            rule_spread=0.0 if rule_variance is None else math.sqrt(rule_variance),
            thin=int(parameters["thin"]),
            temperatures=powers,
            exchange_every=int(parameters["exchange_every"]),
            keep_trees=bool(parameters["keep_trees"]),
        )
        for c in range(parameters["chains"])
    ]
