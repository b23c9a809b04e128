"""WayDown: what leads coded cases to nodes of the top of a tree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ctree.data.schema import Schema
from ctree.scale.coded_part import CodedPart
from ctree.scale.source import Bins
from ctree.scale.top_tree import Routing
from ctree_ext.base.node_arrays import Ints, Test
from ctree_ext.scale.columns import Columns
from ctree_ext.scale.descent import Descent


@dataclass(frozen=True)
class WayDown:
    """Small and picklable: every task has one.

    Parameters
    ----------
    routing : Routing
    limit : uint32 array
        Of a threshold: codes up to this are below it for certain, those above it above,
    mixed : uint8 array
        but for the first one above it where this is set: there the numbers decide.
    nodes : int32 array
        Where cases are wanted; the place of a node here is its slot.
    n_values : int64 array
        How many values or bins each attribute has.
    n_classes : int
    one : int
        A case in units.
    """

    routing: Routing
    limit: npt.NDArray[np.uint32]
    mixed: npt.NDArray[np.uint8]
    nodes: Ints
    n_values: npt.NDArray[np.int64]
    n_classes: int
    one: int

    def descent(self) -> Descent:
        """The same for the kernels."""
        way = self.routing
        return Descent(
            way.test,
            way.attribute,
            way.threshold,
            way.first_branch,
            way.n_branches,
            way.group_start,
            way.group,
            way.shares,
            self.limit,
            self.mixed,
            self.nodes,
            self.n_values,
        )

    def columns(self, part: CodedPart, used: Iterable[int]) -> Columns:
        """The columns of a part that these attributes have."""
        return Columns(
            part.n,
            part.codes,
            part.numbers,
            part.classes,
            part.weights,
            self.n_values.tolist(),
            self.n_classes,
            sorted(set(used)),
            self.one,
        )


def way_down(
    routing: Routing, nodes: Sequence[int], schema: Schema, bins: Sequence[Bins | None], *, one: int = 1
) -> WayDown:
    """Put thresholds into codes."""
    limit = np.zeros(len(routing.test), dtype=np.uint32)
    mixed = np.zeros(len(routing.test), dtype=np.uint8)
    for node in np.flatnonzero(routing.test == Test.THRESHOLD).tolist():
        found = bins[routing.attribute[node]]
        if found is None:
            raise ValueError(f"the attribute of node {node} has no thresholds")
        limit[node], mixed[node] = code_limit(found, float(routing.threshold[node]))
    n_values = [len(a.values) if b is None else len(b) for a, b in zip(schema, bins, strict=True)]
    return WayDown(
        routing,
        limit,
        mixed,
        np.asarray(nodes, dtype=np.int32),
        np.array(n_values, dtype=np.int64),
        schema.n_classes,
        one,
    )


def code_limit(bins: Bins, threshold: float) -> tuple[int, bool]:
    """The last code that is up to a threshold for certain, and whether the next has numbers on both sides.

    Examples
    --------
    >>> three = Bins(np.array([2.0, 5.0]), np.array([1.0, 3.0, 6.0]), np.array([2.0, 5.0, 6.0]))
    >>> code_limit(three, 2.0), code_limit(three, 2.5), code_limit(three, 4.0), code_limit(three, 9.0)
    ((1, False), (1, False), (1, True), (3, False))
    """
    # The bins below this one end below the threshold, those above it begin above.
    place = int(np.searchsorted(bins.cuts, threshold, side="left"))
    if bins.most[place] <= threshold:
        return place + 1, False
    return place, bool(bins.least[place] <= threshold)
