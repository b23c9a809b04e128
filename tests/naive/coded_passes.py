"""Passes over cases, one case after the other: where it goes, what it counts. Knows nothing of codes."""

from __future__ import annotations

import math
from collections import defaultdict
from fractions import Fraction

import numpy as np

from ctree_ext.base.node_arrays import Test


def branch_of(data, routing, node, row):
    """The branch that a case takes, None if it does not tell."""
    attribute = int(routing.attribute[node])
    value = data.columns[attribute][row]
    if routing.test[node] == Test.THRESHOLD:
        return None if math.isnan(value) else int(not value <= routing.threshold[node])
    if value < 0:
        return None
    if routing.test[node] == Test.VALUES:
        return int(value)
    branch = int(routing.group[routing.group_start[node] + value])
    return None if branch < 0 else branch


def places_of(data, routing, row, weight):
    """Every node where a case is, with its weight there; `weight` is a whole number."""
    waiting = [(0, weight)]
    result = []
    while waiting:
        node, weight = waiting.pop()
        result.append((node, weight))
        if routing.test[node] == Test.LEAF:
            continue
        first = int(routing.first_branch[node])
        branch = branch_of(data, routing, node, row)
        if branch is not None:
            waiting.append((first + branch, weight))
            continue
        for child in range(first, first + int(routing.n_branches[node])):
            share = float(routing.shares[child])
            if share > 0:
                waiting.append((child, max(1, math.floor(Fraction(float(weight) * share) + Fraction(1, 2)))))
    return result


def cases_at(data, routing, nodes, weights):
    """For each node the cases there as pairs of row and weight, in their order."""
    found = {node: [] for node in nodes}
    for row in range(data.n_cases):
        for node, weight in places_of(data, routing, row, int(weights[row])):
            if node in found:
                found[node].append((row, weight))
    return found


def class_counts(data, cases, n_classes):
    counts = [0] * n_classes
    for row, weight in cases:
        counts[data.classes[row]] += weight
    return counts


def value_counts(data, cases, attribute, bin_of, n_rows, n_classes):
    """Unknown values first; `bin_of` says the place of a value among all others."""
    counts = np.zeros((n_rows, n_classes), dtype=object)
    column = data.columns[attribute]
    for row, weight in cases:
        value = column[row]
        unknown = math.isnan(value) if data.schema[attribute].is_continuous else value < 0
        counts[0 if unknown else 1 + bin_of(value), data.classes[row]] += weight
    return counts


def numbers_in(data, cases, attribute, wanted, n_classes):
    """The distinct numbers for which `wanted` is true, ascending, and the class counts of each."""
    found = defaultdict(lambda: [0] * n_classes)
    for row, weight in cases:
        value = float(data.columns[attribute][row])
        if not math.isnan(value) and wanted(value):
            found[value + 0.0][data.classes[row]] += weight
    return sorted(found.items())


def together(numbers, near, range_of):
    """Numbers of a range that are not above the one before by more than a distance as one: least, greatest, counts."""
    runs = []
    for value, counts in numbers:
        if runs and range_of(runs[-1][1]) == range_of(value) and not runs[-1][1] + near < value:
            least, _, sums = runs.pop()
            runs.append((least, value, [a + b for a, b in zip(sums, counts, strict=True)]))
        else:
            runs.append((value, value, list(counts)))
    return runs
