"""From a tree to a list of rules, as c4.5rules of release 8 makes it: generalise, choose for each class, arrange."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.learners.c45.windowing import GlibcRandom
from ctree.learners.rules.code_length import RuleBits, Weights, counted
from ctree.tree.rule_list import MAX_ERROR
from ctree.tree.rules import Condition, Rule, conditions_of
from ctree.tree.tree import Test, Tree
from ctree_ext.base.cases import CaseTable
from ctree_ext.rules.generalise import generalised_paths
from ctree_ext.rules.subsets import SubsetSearch

MAX_RULES_FOR_ALL_SETS = 10
"""With more rules of a class not all sets of them are tried."""

NO_ROWS = np.empty(0, dtype=np.int32)

CLIMBS = 11
"""From the empty set, then from ones in which each rule is with a chance of 0.1, 0.2, ..., and from all rules."""


@dataclass(frozen=True)
class Candidate:
    """A rule, the code of its class, the bits it takes to tell it, and the cases that meet its conditions."""

    rule: Rule
    cls: int
    bits: float
    rows: npt.NDArray[np.int32] = field(repr=False, compare=False)


def extract_rules(
    tree: Tree, table: CaseTable, bits: RuleBits, confidence: float = 0.25, significance: float | None = None
) -> list[Candidate]:
    """The rules from the leaves of an unpruned tree, each once, numbered from 1 in the order they are found.

    Two are the same if they have the same class and the same conditions in the same order. As in release 8, the side of
    a cut does not matter for that, and groups are the same only at the same node. The larger error counts.
    """
    found = generalised_paths(table, tree.arrays, confidence, significance)
    starts, branches = found["start"].tolist(), found["branch"].tolist()
    leaves, errors = found["leaf"].tolist(), found["error"].tolist()
    covered, wrong = found["covered"].tolist(), found["wrong"].tolist()
    steps = _steps(tree)
    places: dict[Any, int] = {}
    candidates: list[Candidate] = []
    for i, leaf in enumerate(leaves):
        path = [steps[branch] for branch in branches[starts[i] : starts[i + 1]]]
        cls = int(tree.best[leaf])
        key = (cls, tuple(step.key for step in path))
        if key in places:
            same = candidates[places[key]]
            if errors[i] > same.rule.error:
                candidates[places[key]] = replace(same, rule=replace(same.rule, error=errors[i]))
            continue
        places[key] = len(candidates)
        conditions = tuple(step.condition for step in path)
        rule = Rule(
            len(candidates) + 1, conditions, tree.schema.classes[cls], errors[i], float(covered[i]), float(wrong[i])
        )
        length = bits.of_rule([step.attribute for step in path], [step.is_group for step in path])
        candidates.append(Candidate(rule, cls, length, found["rows"][i]))
    return candidates


@dataclass(frozen=True)
class _Step:
    condition: Condition
    attribute: int
    is_group: bool
    key: tuple[Any, ...]


def _steps(tree: Tree) -> dict[int, _Step]:
    """What leads to each node but the root."""
    steps = {}
    tests, attributes, thresholds = tree.test.tolist(), tree.attribute.tolist(), tree.threshold.tolist()
    for above, test in enumerate(tests):
        if test == Test.LEAF:
            continue
        attribute = attributes[above]
        for number, (branch, condition) in enumerate(
            zip(tree.branches(above), conditions_of(tree, above), strict=True)
        ):
            detail = {Test.THRESHOLD: thresholds[above], Test.VALUES: number, Test.GROUPS: branch}[test]
            steps[branch] = _Step(condition, attribute, test == Test.GROUPS, (attribute, test, detail))
    return steps


def select_rules(candidates: Sequence[Candidate], data: Dataset) -> tuple[list[Rule], int, npt.NDArray[np.bool_]]:
    """The rules that are kept, in the order in which they are tried; the default class; the cases no rule covers."""
    assert data.classes is not None
    random = GlibcRandom()  # of one state for all classes
    chosen: dict[int, list[Rule]] = {}
    covers: dict[int, npt.NDArray[np.intp]] = {}
    for cls in range(data.schema.n_classes):
        own = [candidate for candidate in candidates if candidate.cls == cls]
        if not own:
            continue
        covered = [candidate.rows if candidate.rule.error <= MAX_ERROR else NO_ROWS for candidate in own]
        start = np.cumsum([0, *map(len, covered)], dtype=np.int64)
        rows = np.concatenate(covered)
        is_in = _best_subset(own, start, rows, data.classes == cls, data.weights, random)
        if is_in.any():
            chosen[cls] = [candidate.rule for candidate, i in zip(own, is_in.tolist(), strict=True) if i]
            is_covered = np.zeros(data.n_cases, dtype=bool)
            is_covered[rows[np.repeat(is_in, np.diff(start))]] = True
            covers[cls] = np.flatnonzero(is_covered)
    return _arranged(chosen, covers, data.classes, data.weights, data.schema.n_classes)


def _best_subset(
    own: Sequence[Candidate],
    start: npt.NDArray[np.int64],
    rows: npt.NDArray[np.int32],
    is_own: npt.NDArray[np.bool_],
    weights: Weights,
    random: GlibcRandom,
) -> npt.NDArray[np.bool_]:
    """Which of the rules of one class to keep."""
    bits = np.array([c.bits for c in own], dtype=np.float64)
    whole = None if weights is None else weights.astype(np.int64)
    search = SubsetSearch(start, rows, is_own.astype(np.uint8), bits, whole)
    if len(own) <= MAX_RULES_FOR_ALL_SETS:
        return search.exhaustive().astype(bool)
    draws = np.array([[random.next_unit() for _ in own] for _ in range(CLIMBS)])
    chances = np.arange(CLIMBS)[:, None] / (CLIMBS - 1)
    return search.hill_climb((draws < chances).astype(np.uint8)).astype(bool)


def _arranged(
    chosen: dict[int, list[Rule]],
    covers: dict[int, npt.NDArray[np.intp]],
    classes: npt.NDArray[np.int32],
    weights: Weights,
    n: int,
) -> tuple[list[Rule], int, npt.NDArray[np.bool_]]:
    order: list[Rule] = []
    uncovered = np.ones(len(classes), dtype=bool)
    harmed = {cls: rows[classes[rows] != cls] for cls, rows in covers.items()}
    each = np.ones(len(classes)) if weights is None else weights
    left = set(chosen)
    while left:
        # The class that does least harm goes first; of equals, that of lowest index.
        cls = min(left, key=lambda c: (float(each[harmed[c]][uncovered[harmed[c]]].sum()), c))
        left.remove(cls)
        uncovered[covers[cls]] = False
        order += sorted(chosen[cls], key=lambda rule: (rule.error, rule.number))
    n_all, n_uncovered = counted(classes, each, n), counted(classes[uncovered], each[uncovered], n)
    default = max(range(n), key=lambda c: (n_uncovered[c], n_all[c], -c))
    return order, default, uncovered
