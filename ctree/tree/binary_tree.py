"""Trees of yes-or-no tests, as the search over all trees finds them, and as chains draw them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ctree.data.binary_tests import BinaryTest, BinaryTests, Ints
from ctree.tree.rules import Condition
from ctree.tree.tree import Tree
from ctree_ext.base.node_arrays import Floats, NodeArrays, Test

Nested = tuple[Any, int, "Nested | None", "Nested | None"]
"""Class counts, the number of the test (-1 in a leaf), the branch that passes it and the one that does not."""


def tree_of_tests(tests: BinaryTests, nested: Nested, alpha: float) -> Tree:
    """A `Tree` from nested tuples; its leaves give a class the probability (n_c + alpha) / (n + alpha C)."""
    nodes: list[Nested] = [nested]
    parents: list[int] = [-1]
    branches: list[list[int]] = []
    i = 0
    while i < len(nodes):
        _, test, passed, failed = nodes[i]
        branches.append([])
        if test >= 0:
            assert passed is not None
            assert failed is not None
            pair = [passed, failed]
            if _by_values(tests, tests.tests[test]) and tests.tests[test].value == 1:
                pair.reverse()
            branches[i] = [len(nodes), len(nodes) + 1]
            nodes += pair
            parents += [i, i]
        i += 1
    counts = np.array([node[0] for node in nodes], dtype=np.float64)
    leaf = np.array([node[1] < 0 for node in nodes])
    errors = np.where(leaf, counts.sum(axis=1) - counts.max(axis=1), 0.0)
    for i in range(len(nodes) - 1, 0, -1):
        errors[parents[i]] += errors[i]
    asking = _Tests(len(nodes))
    for i, node in enumerate(nodes):
        if node[1] < 0:
            continue
        asked = tests.tests[node[1]]
        if asked.is_threshold:
            asking.threshold(i, asked.attribute, asked.threshold)
        elif _by_values(tests, asked):
            asking.values(i, asked.attribute)
        else:
            n_values = len(tests.schema[asked.attribute].values)
            asking.groups(i, asked.attribute, [int(v != asked.value) for v in range(n_values)])
    return Tree(tests.schema, asking.arrays([b[0] if b else -1 for b in branches], counts, errors, alpha))


def tree_of_nodes(all_tests: BinaryTests, tests: Ints, counts: Floats, alpha: float) -> Tree:
    """A `Tree` from the tests of its nodes (-1 in a leaf), each before its branches, and the counts of its leaves."""
    schema = all_tests.schema
    order, children = _level_order(tests.tolist())
    n = len(order)
    place = np.empty(n, dtype=np.int64)
    place[order] = np.arange(n)
    all_counts = np.zeros((n, schema.n_classes))
    all_counts[tests < 0] = counts
    errors = np.where(tests < 0, all_counts.sum(axis=1) - all_counts.max(axis=1, initial=0.0), 0.0)
    for node in range(n - 1, -1, -1):  # branches come after their node
        for child in children[node]:
            all_counts[node] += all_counts[child]
            errors[node] += errors[child]
    asking = _Tests(n)
    first_branch = [-1] * n
    for node in order:
        if tests[node] < 0:
            continue
        i, entry = int(place[node]), all_tests.levels[all_tests.attribute[tests[node]]]
        level = int(all_tests.level[tests[node]])
        first_branch[i] = int(place[children[node][0]])
        if entry.is_ordered:
            asking.threshold(i, entry.attribute, float(entry.cuts[level]))
        else:
            n_values = len(schema[entry.attribute].values)
            asking.groups(i, entry.attribute, [int(code != entry.codes[level]) for code in range(n_values)])
    return Tree(schema, asking.arrays(first_branch, all_counts[order], errors[order], alpha))


class _Tests:
    """The tests of nodes with two branches each, put in one by one; the others are leaves."""

    def __init__(self, n_nodes: int) -> None:
        self.test = np.zeros(n_nodes, dtype=np.int8)
        self.attribute = np.full(n_nodes, -1, dtype=np.int32)
        self.cut = np.zeros(n_nodes)
        self.group_start = np.full(n_nodes, -1, dtype=np.int64)
        self.group: list[int] = []

    def threshold(self, node: int, attribute: int, threshold: float) -> None:
        self.test[node], self.attribute[node], self.cut[node] = Test.THRESHOLD, attribute, threshold

    def values(self, node: int, attribute: int) -> None:
        self.test[node], self.attribute[node] = Test.VALUES, attribute

    def groups(self, node: int, attribute: int, branch_of_value: list[int]) -> None:
        self.test[node], self.attribute[node], self.group_start[node] = Test.GROUPS, attribute, len(self.group)
        self.group += branch_of_value

    def arrays(self, first_branch: list[int], counts: Floats, errors: Floats, alpha: float) -> NodeArrays:
        """The tree, its leaves estimated with `alpha` for each class."""
        return NodeArrays(
            test=self.test,
            attribute=self.attribute,
            threshold=self.cut,
            first_branch=np.array(first_branch, dtype=np.int32),
            n_branches=np.where(self.test == Test.LEAF, 0, 2).astype(np.int32),
            group_start=self.group_start,
            group=np.array(self.group, dtype=np.int32),
            best=counts.argmax(axis=1).astype(np.int32),
            cases=counts.sum(axis=1),
            errors=errors,
            counts=counts,
            probabilities=leaf_shares(counts, alpha),
        )


def leaf_shares(counts: Floats, alpha: float) -> Floats:
    """The predictive probabilities of leaves: (n_c + alpha) / (n + C alpha)."""
    alpha = float(alpha)  # numpy's other numbers would bring their own precision
    return np.asarray((counts + alpha) / (counts.sum(axis=1, keepdims=True) + alpha * counts.shape[1]))


def _level_order(tests: list[int]) -> tuple[list[int], list[list[int]]]:
    """The nodes of a tree, given each before its branches, level by level; and the branches of each."""
    children: list[list[int]] = [[] for _ in tests]
    waiting: list[int] = []
    for node, test in enumerate(tests):
        if waiting:
            children[waiting[-1]].append(node)
            if len(children[waiting[-1]]) == 2:
                waiting.pop()
        if test >= 0:
            waiting.append(node)
    order = [0]
    for node in order:
        order += children[node]
    return order, children


def _by_values(tests: BinaryTests, test: BinaryTest) -> bool:
    """Whether the attribute has just two values, so that each has its branch."""
    return not test.is_threshold and len(tests.schema[test.attribute].values) == 2


def condition_of(tests: BinaryTests, number: int, passed: bool) -> Condition:
    """What it means to pass a test, or not to."""
    test = tests.tests[number]
    attribute = tests.schema[test.attribute]
    if test.is_threshold:
        if passed:
            return Condition(attribute.name, at_most=attribute.bound(test.threshold))
        return Condition(attribute.name, above=attribute.bound(test.threshold))
    values = tuple(v for code, v in enumerate(attribute.values) if (code == test.value) == passed)
    return Condition(attribute.name, values=values)


def together(conditions: Iterable[Condition]) -> tuple[Condition, ...]:
    """The same conditions without what follows from others of the same attribute.

    Examples
    --------
    >>> from ctree import Condition
    >>> a, b = Condition("humidity", above=70), Condition("humidity", above=80)
    >>> c, d = Condition("outlook", values=("sunny", "rain")), Condition("outlook", values=("rain", "overcast"))
    >>> [str(condition) for condition in together([a, c, b, d])]
    ['humidity > 80', 'outlook = rain']
    """
    result: dict[tuple[str, str], Condition] = {}
    for condition in conditions:
        side = "values" if condition.values else "at_most" if condition.at_most is not None else "above"
        key = condition.attribute, side
        if key not in result:
            result[key] = condition
        elif condition.at_most is not None:
            result[key] = min(condition, result[key], key=lambda c: c.at_most or 0.0)
        elif condition.above is not None:
            result[key] = max(condition, result[key], key=lambda c: c.above or 0.0)
        else:
            both = tuple(v for v in result[key].values if v in condition.values)
            result[key] = Condition(condition.attribute, values=both)
    return tuple(result.values())
