"""What several relational trees agree on for an example."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ctree.tree.explain.ensemble import EnsembleExplanation
from ctree.tree.interface import decided
from ctree.tree.relational_importances import column_of
from ctree.tree.relational_tree import RelationalTree
from ctree_ext.base.node_arrays import Ints


def explain_by_relational_trees(trees: Sequence[RelationalTree], leaves: Sequence[Ints]) -> list[EnsembleExplanation]:
    """Why the average over trees gives each example its class.

    Parameters
    ----------
    trees : sequence of RelationalTree
        With the same schema.
    leaves : sequence of arrays
        Of each tree the leaves of the examples.
    """
    schema, n_examples = trees[0].schema, len(leaves[0])
    names = list(schema.column_names)
    total = np.zeros((n_examples, schema.n_classes))
    votes = np.zeros((n_examples, schema.n_classes), dtype=np.int64)
    asked = np.zeros((n_examples, len(names)), dtype=np.int64)
    for tree, found in zip(trees, leaves, strict=True):
        total += tree.probabilities[found]
        votes[np.arange(n_examples), tree.best[found]] += 1
        reached, which = np.unique(found, return_inverse=True)
        paths = np.zeros((len(reached), len(names)), dtype=bool)
        for place, columns in enumerate(_columns_on_paths(tree, reached.tolist())):
            paths[place, [names.index(name) for name in columns]] = True
        asked += paths[which]
    result, means = [], total / len(trees)
    chosen = decided(means, trees[0].worth).tolist()
    for code, probabilities, voted, columns in zip(chosen, means, votes / len(trees), asked / len(trees), strict=True):
        order = np.argsort(-columns, kind="stable")
        result.append(
            EnsembleExplanation(
                schema.classes[code],
                dict(zip(schema.classes, probabilities.tolist(), strict=True)),
                dict(zip(schema.classes, voted.tolist(), strict=True)),
                {names[i]: float(columns[i]) for i in order if columns[i] > 0},
                (),
                len(trees),
            )
        )
    return result


def _columns_on_paths(tree: RelationalTree, leaves: Sequence[int]) -> list[set[str]]:
    """The columns that the tests on the way to each of some leaves belong to."""
    parents, links = tree.arrays.parents().tolist(), tree.variable_links
    of_node: dict[int, str] = {}
    result = []
    for leaf in leaves:
        found, node = set(), parents[leaf]
        while node >= 0:
            if node not in of_node:
                test = tree.tests[node]
                assert test is not None
                of_node[node] = column_of(tree, test, links[node])
            found.add(of_node[node])
            node = parents[node]
        result.append(found)
    return result
