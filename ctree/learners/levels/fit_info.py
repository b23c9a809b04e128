"""How a fit from a source went."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

from ctree.data.dataset import Dataset
from ctree.scale.source import CaseSource, is_source


class FitRecord:
    """Notes what a fit to a source did; nothing for cases in memory.

    Parameters
    ----------
    X : object
        What was given to `fit`.
    """

    def __init__(self, X: Any) -> None:
        self._start = time.monotonic()
        self._source: CaseSource | None = X if is_source(X) else None
        self._before = len(getattr(self._source, "passes", ()))

    def told(self, cases: Dataset | CaseSource, info: dict[str, Any] | None = None, n_nodes: int = 0) -> dict[str, Any]:
        """All of it by name.

        Parameters
        ----------
        cases : Dataset or CaseSource
            What the model was learned from: cases in memory, if the source was collected.
        info : dict, optional
            How the tree was grown.
        n_nodes : int
            How many nodes it has.
        """
        source = self._source
        if source is None:
            return {}
        passes = Counter(one.kind for one in getattr(source, "passes", ())[self._before :])
        collected = isinstance(cases, Dataset)
        told: dict[str, Any] = {
            "engine": "memory" if collected else _engine(source),
            "cases": source.n_cases,
            "passes": dict(passes),
        }
        if info:
            numbers = source.n_cases * sum(bins is not None for bins in source.bins)
            told |= info
            told["opened_share"] = info["opened"] / numbers if numbers else 0.0
            told["finished_nodes"] = n_nodes - (info["top_nodes"] - info["subtrees"])
        told["seconds"] = time.monotonic() - self._start
        return told


def _engine(source: CaseSource) -> str:
    """Who makes the passes: local, dask and so on."""
    return type(getattr(source, "engine", source)).__name__.removesuffix("Engine").lower()
