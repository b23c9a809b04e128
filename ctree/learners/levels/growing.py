"""Where it is decided how a tree is grown: in memory from a `Dataset`, level by level from a `CaseSource`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ctree.data.bins import binned, equal_frequency_cuts, equal_width_cuts
from ctree.data.dataset import Dataset
from ctree.learners.base.score_settings import ScoreSettings
from ctree.learners.levels.level_grower import LevelGrower
from ctree.scale.binned_source import BinnedSource, class_weights, numbered
from ctree.scale.coded_source import CodedSource
from ctree.scale.quantiles import frequency_cuts, width_cuts
from ctree.scale.source import CaseSource
from ctree_ext.base.node_arrays import Floats, NodeArrays

CASE, NUMBER, CODE = 64, 32, 12
"""About how many bytes a case takes in memory while a tree is grown, and each of its numbers and discrete values."""

Cases = Dataset | CaseSource


class Grown(NamedTuple):
    """A tree, and how it was grown: empty for one that was grown in memory."""

    arrays: NodeArrays
    info: dict[str, Any]


def total_weight(cases: Cases) -> float:
    """What all cases weigh."""
    if isinstance(cases, Dataset):
        return float(cases.n_cases if cases.weights is None else cases.weights.sum())
    return float(class_weights(cases).sum()) if cases.weighted else float(cases.n_cases)


def grow_by_score(cases: Cases, settings: ScoreSettings, n_threads: int = 1) -> Grown:
    """The tree of all cases, the same wherever they are."""
    if isinstance(cases, Dataset):
        return Grown(settings.grow(cases, n_threads), {})
    grower = LevelGrower(cases, settings, gather=gathered(cases), budget=max(1, cases.memory // 8))
    arrays = grower.grow()
    return Grown(arrays, {**_engine(cases), "passes": grower.info.passes, **grower.info.as_dict()})


def _engine(source: CaseSource) -> dict[str, str]:
    """Who makes the passes over a source, if it is somebody else's work."""
    while isinstance(source, BinnedSource):
        source = source.source
    return {"engine": source.engine.name} if isinstance(source, CodedSource) else {}


def gathered(source: CaseSource) -> int:
    """How many cases half of a source's memory holds while a tree is grown from them."""
    size = CASE + sum(NUMBER if bins is not None else CODE for bins in source.bins)
    return max(1, source.memory // 2 // size)


def cuts_of(cases: Cases, bins: int, spacing: str = "frequency") -> list[Floats | None]:
    """For each continuous attribute the bounds of bins, of about as many cases each or of equal width."""
    if not isinstance(cases, Dataset):
        return width_cuts(cases, bins) if spacing == "width" else frequency_cuts(cases, bins)
    cuts: list[Floats | None] = []
    for attribute, column in zip(cases.schema, cases.columns, strict=True):
        if column is None or not attribute.is_continuous:
            cuts.append(None)
            continue
        numbers = np.asarray(column, dtype=np.float64)
        cuts.append(
            equal_width_cuts(numbers, bins)
            if spacing == "width"
            else equal_frequency_cuts(numbers, bins, cases.weights)
        )
    return cuts


def in_bins(cases: Cases, cuts: Sequence[Floats | None]) -> Cases:
    """The cases with each attribute that has cuts as a discrete one, whose values are the bins."""
    if isinstance(cases, Dataset):
        return binned(cases, cuts)
    return BinnedSource(cases, list(cuts), as_values=True) if any(c is not None for c in cuts) else cases


def in_numbered_bins(cases: Cases, cuts: Sequence[Floats | None]) -> Cases:
    """The cases with each number replaced by that of its bin, for thresholds that are listed."""
    return numbered(cases, cuts) if isinstance(cases, Dataset) else BinnedSource(cases, list(cuts), as_values=False)
