"""From a tree to a list of rules, as c4.5rules of release 8 makes it: generalise, choose for each class, arrange."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.learners.c45.windowing import GlibcRandom
from ctree.learners.rules.code_length import RuleBits, Weights, counted
from ctree.scale.threads import in_threads
from ctree.tree.rule_list import MAX_ERROR
from ctree.tree.rules import Condition, Rule, conditions_of
from ctree.tree.tree import Test, Tree
from ctree_ext.base.cases import CaseTable
from ctree_ext.rules.generalise import Paths
from ctree_ext.rules.same_rules import numbers_of_rules
from ctree_ext.rules.subsets import SubsetSearch

MAX_RULES_FOR_ALL_SETS = 10
"""With more rules of a class not all sets of them are tried."""

PARTS_PER_THREAD = 8
"""Into so many the tree is divided, as the paths of some take longer than those of others."""

NO_ROWS = np.empty(0, dtype=np.int32)

CLIMBS = 11
"""From the empty set, then from ones in which each rule is with a chance of 0.1, 0.2, ..., and from all rules."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A rule that may be kept.

    Parameters
    ----------
    number : int
        From 1.
    path : tuple of int
        The nodes to which its conditions lead.
    cls : int
        The code of its class.
    error : float
    cases, errors : int
        How many meet its conditions, and how many of those are of another class.
    bits : float
        What it takes to tell it.
    rows : int32 array
        The cases that meet its conditions.
    """

    number: int
    path: tuple[int, ...]
    cls: int
    error: float
    cases: int
    errors: int
    bits: float
    rows: npt.NDArray[np.int32] = field(repr=False, compare=False)

    @property
    def covered(self) -> npt.NDArray[np.int32]:
        """The cases to which it applies."""
        return self.rows if self.error <= MAX_ERROR else NO_ROWS

    def rule(self, conditions: Conditions) -> Rule:
        own = tuple(map(conditions.of_branch, self.path))
        label = conditions.tree.schema.classes[self.cls]
        return Rule(self.number, own, label, self.error, float(self.cases), float(self.errors))


class Conditions:
    """The conditions that lead to the nodes of a tree, each made once."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._known: dict[int, Condition] = {}
        self._parents, self._first = tree.parent, tree.arrays.first_branch

    def of_branch(self, node: int) -> Condition:
        if node not in self._known:
            above = int(self._parents[node])
            first = int(self._first[above])
            self._known.update(enumerate(conditions_of(self.tree, above), first))
        return self._known[node]


def extract_rules(
    tree: Tree,
    table: CaseTable,
    bits: RuleBits,
    confidence: float = 0.25,
    significance: float | None = None,
    n_threads: int = 1,
) -> list[Candidate]:
    """The rules from the leaves of an unpruned tree, each once, numbered from 1 in the order they are found.

    Two are the same if they have the same class and the same conditions in the same order. As in release 8, the side of
    a cut does not matter for that, and groups are the same only at the same node. The larger error counts.
    """
    marks = _marks(tree)
    found = _generalised(Paths(table, tree.arrays, confidence, significance, marks), n_threads)
    above = tree.parent[found["branch"]]
    lengths = bits.of_rules(found["start"], tree.attribute[above], tree.test[above] == Test.GROUPS).tolist()
    classes = tree.best[found["leaf"]]
    # Each thread has found its rules once.
    places = numbers_of_rules(found["start"], marks[found["branch"]], classes)
    n = int(places.max(initial=-1)) + 1
    largest = np.zeros(n)
    np.maximum.at(largest, places, found["error"])
    error = largest.tolist()
    starts, branches = found["start"].tolist(), found["branch"].tolist()
    covered, wrong, codes = found["covered"].tolist(), found["wrong"].tolist(), classes.tolist()
    rows, row_starts = found["rows"], found["row_start"].tolist()
    candidates: list[Candidate] = []
    for i, place in enumerate(places.tolist()):
        if place == len(candidates):
            path = tuple(branches[starts[i] : starts[i + 1]])
            own_rows = rows[row_starts[i] : row_starts[i + 1]]
            candidates.append(
                Candidate(place + 1, path, codes[i], error[place], covered[i], wrong[i], lengths[i], own_rows)
            )
    return candidates


def _generalised(paths: Paths, n_threads: int) -> dict[str, npt.NDArray[Any]]:
    """The rules of all paths, from left to right, made by several threads."""
    tops = paths.shares(PARTS_PER_THREAD * n_threads if n_threads > 1 else 1)
    parts = in_threads([partial(paths.rules_below, top) for top in tops], n_threads)
    if len(parts) == 1:
        return parts[0]
    joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0] if not name.endswith("start")}
    for name in ("start", "row_start"):
        joined[name] = np.cumsum(np.concatenate([[0], *(np.diff(part[name]) for part in parts)]), dtype=np.int64)
    return joined


def _marks(tree: Tree) -> npt.NDArray[np.int64]:
    """For each node a number of the condition that leads there, the same for those that count as the same."""
    arrays, branches = tree.arrays, np.arange(tree.n_nodes)
    n_values = np.array([len(a.values) for a in tree.schema], dtype=np.int64)
    # First come the values of all attributes, then thresholds, and then groups by their nodes.
    first_value = np.cumsum(n_values) - n_values
    of_node = np.zeros(tree.n_nodes, dtype=np.int64)
    cuts = np.flatnonzero(tree.test == Test.THRESHOLD)
    cuts = cuts[np.lexsort((tree.threshold[cuts], tree.attribute[cuts]))]
    if len(cuts):
        of, at = tree.attribute[cuts], tree.threshold[cuts]
        differs = (of[1:] != of[:-1]) | (at[1:] != at[:-1])
        of_node[cuts] = n_values.sum() + np.cumsum(np.concatenate([[0], differs]))
    above = tree.parent.copy()
    above[above < 0] = 0
    tests = tree.test[above]
    marks = of_node[above]
    is_value, is_group = tests == Test.VALUES, tests == Test.GROUPS
    tested = above[is_value]
    marks[is_value] = first_value[tree.attribute[tested]] + branches[is_value] - arrays.first_branch[tested]
    marks[is_group] = n_values.sum() + tree.n_nodes + branches[is_group]
    return marks


@dataclass(frozen=True)
class Selection:
    """The rules that are kept, in the order in which they are tried.

    Parameters
    ----------
    rules : list of Rule
    covers : tuple of arrays
        The cases to which each applies: of rule i ``rows[start[i]:start[i + 1]]``.
    default : int
        The class where none applies.
    uncovered : bool array
        The cases that none covers.
    """

    rules: list[Rule]
    covers: tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]
    default: int
    uncovered: npt.NDArray[np.bool_]


def select_rules(candidates: Sequence[Candidate], tree: Tree, data: Dataset, n_threads: int = 1) -> Selection:
    """The rules of each class that tell its cases in the fewest bits, and the order of the classes."""
    assert data.classes is not None
    random = GlibcRandom()  # of one state for all classes
    choices = []
    for cls in range(data.schema.n_classes):
        own = [candidate for candidate in candidates if candidate.cls == cls]
        if own:
            choices.append(Choosing(cls, own, data.classes == cls, data.weights, random))
    # The longest first, so that no thread is left alone with it.
    works = sorted(
        ((choice, share) for choice in choices for share in choice.shares(n_threads)),
        key=lambda work: -len(work[0].own) * len(work[1]),
    )
    found = in_threads([partial(choice.best_of, share) for choice, share in works], n_threads)
    chosen: dict[int, list[Candidate]] = {}
    for choice in choices:
        best = min(result for (of, _), result in zip(works, found, strict=True) if of is choice)
        kept = [candidate for candidate, is_in in zip(choice.own, best.is_in.tolist(), strict=True) if is_in]
        if kept:
            chosen[choice.cls] = kept
    order, default, uncovered = _arranged(chosen, data.classes, data.weights, data.schema.n_classes)
    covers = _joined([candidate.covered for candidate in order])
    conditions = Conditions(tree)
    return Selection([candidate.rule(conditions) for candidate in order], covers, default, uncovered)


@dataclass(frozen=True, slots=True, order=True)
class Found:
    """What some climbs have come to; of equals that of the first climb is the best."""

    bits: float
    climb: int
    is_in: npt.NDArray[np.uint8] = field(compare=False)


class Choosing:
    """Which of the rules of one class to keep.

    Parameters
    ----------
    cls : int
    own : list of Candidate
    is_own : bool array
        Which cases are of the class.
    weights : array or None
    random : GlibcRandom
        What it draws is drawn at once.
    """

    def __init__(
        self, cls: int, own: list[Candidate], is_own: npt.NDArray[np.bool_], weights: Weights, random: GlibcRandom
    ) -> None:
        self.cls, self.own, self._is_own, self._weights = cls, own, is_own.astype(np.uint8), weights
        self._points: npt.NDArray[np.uint8] | None = None
        if len(own) > MAX_RULES_FOR_ALL_SETS:
            draws = np.array([random.units(len(own)) for _ in range(CLIMBS)])
            chances = np.arange(CLIMBS)[:, None] / (CLIMBS - 1)
            self._points = (draws < chances).astype(np.uint8)

    def shares(self, n: int) -> list[range]:
        """The numbers of the climbs, shared out among so many."""
        return [range(1)] if self._points is None else [range(i, CLIMBS, n) for i in range(min(n, CLIMBS))]

    def best_of(self, climbs: range) -> Found:
        """The best set that these climbs find, or the best of all sets if there are few."""
        start, rows = _joined([candidate.covered for candidate in self.own])
        bits = np.array([c.bits for c in self.own], dtype=np.float64)
        whole = None if self._weights is None else self._weights.astype(np.int64)
        search = SubsetSearch(start, rows, self._is_own, bits, whole)
        if self._points is None:
            return Found(0.0, 0, search.exhaustive())
        least, which, is_in = search.best_climb(np.ascontiguousarray(self._points[list(climbs)]))
        return Found(least, climbs[which], is_in)


def _joined(covered: Sequence[npt.NDArray[np.int32]]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    return np.cumsum([0, *map(len, covered)], dtype=np.int64), np.concatenate([NO_ROWS, *covered])


def _arranged(
    chosen: dict[int, list[Candidate]], classes: npt.NDArray[np.int32], weights: Weights, n: int
) -> tuple[list[Candidate], int, npt.NDArray[np.bool_]]:
    """The chosen rules of all classes in order, the default class, and the cases that no rule covers."""
    order: list[Candidate] = []
    uncovered = np.ones(len(classes), dtype=bool)
    covers = {}
    for cls, rules in chosen.items():
        is_covered = np.zeros(len(classes), dtype=bool)
        for candidate in rules:
            is_covered[candidate.covered] = True
        covers[cls] = np.flatnonzero(is_covered)
    harmed = {cls: rows[classes[rows] != cls] for cls, rows in covers.items()}
    each = np.ones(len(classes)) if weights is None else weights
    left = set(chosen)
    while left:
        # The class that does least harm goes first; of equals, that of lowest index.
        cls = min(left, key=lambda c: (float(each[harmed[c]][uncovered[harmed[c]]].sum()), c))
        left.remove(cls)
        uncovered[covers[cls]] = False
        order += sorted(chosen[cls], key=lambda candidate: (candidate.error, candidate.number))
    n_all, n_uncovered = counted(classes, each, n), counted(classes[uncovered], each[uncovered], n)
    default = max(range(n), key=lambda c: (n_uncovered[c], n_all[c], -c))
    return order, default, uncovered
