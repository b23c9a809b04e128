"""How many cases of nodes have a number of an attribute, whatever they weigh."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ctree.scale.source import CaseSource, Counts
from ctree.scale.top_tree import Routing


def known_cases(
    source: CaseSource, routing: Routing, nodes: Sequence[int], sizes: Mapping[int, int], counts: Counts
) -> list[dict[int, int]]:
    """For each node, by continuous attribute; one pass, or none where no number is unknown.

    Parameters
    ----------
    source : CaseSource
    routing : Routing
    nodes : sequence of int
    sizes : mapping
        How many cases each node has.
    counts : Counts
        Of all attributes at these nodes.
    """
    found: list[dict[int, int]] = [{} for _ in nodes]
    asked: list[tuple[int, int]] = []
    for a, (table, bins) in enumerate(zip(counts.attributes, source.bins, strict=True)):
        if table is None or bins is None:
            continue
        for slot, node in enumerate(nodes):
            if table[slot, 0].any():
                asked.append((slot, a))
            else:
                found[slot][a] = sizes[node]
    if asked:
        known = source.known(routing, [(nodes[slot], a) for slot, a in asked])
        for (slot, a), n in zip(asked, known, strict=True):
            found[slot][a] = n
    return found
