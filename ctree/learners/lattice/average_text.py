"""An average over all trees in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ctree.tree.explain.itemsets import WeightedItemset

SHOWN_LEAVES = 10


def average_text(inclusion: Mapping[str, float], tests: Mapping[str, float], leaves: Sequence[WeightedItemset]) -> str:
    """The attributes by how probable they are, with how often they are tested, and the most probable leaves."""
    width = max([len(name) for name in inclusion], default=0)
    lines = ["Attributes by the probability that they are tested, and how often on average:", ""]
    for name in sorted(inclusion, key=lambda name: -inclusion[name]):
        lines.append(f"  {name:<{width}}  {inclusion[name]:.4f}  {tests[name]:.4f}")
    lines += ["", "The most probable leaves:", ""]
    lines += [f"  {leaf}" for leaf in leaves[:SHOWN_LEAVES]]
    return "\n".join(lines)


def evidence_text(low: float, high: float, complete: bool) -> str:
    """The evidence, or what is known of it."""
    return f"ln of the evidence {low:.7g}" if complete else f"ln of the evidence between {low:.7g} and {high:.7g}"
