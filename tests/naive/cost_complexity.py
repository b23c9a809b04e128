"""All prunings of a tree, listed, and the best of them at a price; what attributes save, node by node."""

from __future__ import annotations

import math
from itertools import product


def leaf_cost(counts, measure):
    """The cost of a leaf with these class counts, in cases."""
    n = sum(counts)
    if n == 0:
        return 0.0
    if measure == "errors":
        return n - max(counts)
    if measure == "gini":
        return n * (1 - sum((c / n) ** 2 for c in counts))
    return -sum(c * math.log2(c / n) for c in counts if c > 0)


def prunings(tree, node=0):
    """Every pruning of the subtree: the frozen set of its leaves."""
    branches = list(tree.branches(node))
    yield frozenset([node])
    if branches:
        for parts in product(*(list(prunings(tree, branch)) for branch in branches)):
            yield frozenset().union(*parts)


def n_prunings(tree, node=0):
    branches = list(tree.branches(node))
    return 1 + (math.prod(n_prunings(tree, b) for b in branches) if branches else 0)


def cost(tree, leaves, measure):
    whole = sum(tree.class_counts[0].tolist())
    return sum(leaf_cost(tree.class_counts[leaf].tolist(), measure) for leaf in leaves) / whole


def importances(tree):
    """Per attribute the saved entropy, a share of all."""
    saved = [0.0] * len(tree.schema)
    for node in range(tree.n_nodes):
        if len(tree.branches(node)):
            here = leaf_cost(tree.class_counts[node].tolist(), "entropy")
            below = sum(leaf_cost(tree.class_counts[b].tolist(), "entropy") for b in tree.branches(node))
            saved[int(tree.attribute[node])] += max(here - below, 0.0)
    total = sum(saved)
    return [s / total for s in saved] if total > 0 else saved
