"""Error-based pruning of a tree that was grown from a source.

Whether a node becomes a leaf follows from class counts. Whether its largest branch takes its place does not: for that,
the cases of the other branches have to go down the largest, which takes a pass for each level of the top of the tree.
What is below the top is pruned in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.errors import ParameterError
from ctree.learners.base.kernels import case_table
from ctree.learners.levels.assembled import COLUMNS, joined, subtree
from ctree.progress import Progress, ProgressCallback
from ctree.scale.source import CaseSource
from ctree.scale.top_tree import Routing
from ctree_ext.base.node_arrays import NodeArrays, Test, levels
from ctree_ext.prune.counted import expected_errors, prune_by_counts
from ctree_ext.prune.release8 import Pruner


def prune_by_errors(
    source: CaseSource,
    tree: NodeArrays,
    confidence: float,
    *,
    subtree_raising: bool,
    gather: int,
    progress: ProgressCallback | None = None,
) -> tuple[NodeArrays, int]:
    """The tree as error-based pruning leaves it, and how many passes that took.

    Parameters
    ----------
    source : CaseSource
    tree : NodeArrays
        Grown from all its cases.
    confidence : float
    subtree_raising : bool
        Whether a node may be replaced by its largest branch.
    gather : int
        Subtrees of no more cases are pruned in memory.
    progress : callable, optional
        Is told before each pass.
    """
    if not subtree_raising:
        return prune_by_counts(tree, source.schema.n_classes, confidence), 0
    check_raising(source)
    pruner = _TopPruner(source, tree, confidence, gather, progress)
    return pruner.prune(), pruner.passes


def check_raising(source: CaseSource) -> None:
    """Refuse to prune with subtree raising where the source has unknown values."""
    if not source.complete:
        raise ParameterError(
            "subtree_raising=True needs all cases in memory where values are unknown, and those of the source do not "
            "fit: set subtree_raising=False, or scan them with more memory"
        )


@dataclass(frozen=True)
class PruneSubtrees:
    """Prunes the subtree of a node with its cases, wherever they are: picklable."""

    subtrees: dict[int, NodeArrays]
    confidence: float
    sort: bool
    """Whether sums depend on the order of the cases, because some count in fractions."""

    def for_keys(self, nodes: Sequence[int]) -> PruneSubtrees:
        """What is needed for some nodes."""
        return replace(self, subtrees={node: self.subtrees[node] for node in nodes})

    def __call__(self, node: int, cases: Dataset) -> NodeArrays:
        """The pruned subtree of a node."""
        if self.sort:
            keys = [column for column in (*cases.columns, cases.classes, cases.weights) if column is not None]
            cases = cases.take(np.lexsort(keys))
        return Pruner(case_table(cases, single=False), confidence=self.confidence).prune(self.subtrees[node])


@dataclass(eq=False)
class _Part:
    """A node of the top with its branches, or, without any, a whole subtree as arrays."""

    arrays: NodeArrays
    """Of a node of the top, its own entry alone counts: it is the first."""
    branches: list[_Part] = field(default_factory=list)

    @property
    def cases(self) -> float:
        return float(self.arrays.cases[0])

    @property
    def errors(self) -> float:
        return float(self.arrays.errors[0])


def _divided(tree: NodeArrays, gather: int) -> _Part:
    """A tree as parts: its nodes of more cases by themselves, the others with all that is below them."""
    large = (tree.cases > gather) & (tree.test != Test.LEAF)
    root = _Part(tree)
    waiting = [(0, root)]
    while waiting:
        node, part = waiting.pop()
        if not large[node]:
            part.arrays = subtree(tree, node) if node else tree
            continue
        part.arrays = _entry(tree, node)
        first = int(tree.first_branch[node])
        for branch in range(first, first + int(tree.n_branches[node])):
            part.branches.append(_Part(tree))
            waiting.append((branch, part.branches[-1]))
    return root


def _entry(tree: NodeArrays, node: int) -> NodeArrays:
    """The entry of one node, whose branches are elsewhere."""
    start, length = int(tree.group_start[node]), int(tree.group_lengths()[node])
    assert tree.n_tests is not None
    return NodeArrays(
        test=tree.test[node : node + 1],
        attribute=tree.attribute[node : node + 1],
        threshold=tree.threshold[node : node + 1],
        first_branch=np.array([-1]),
        n_branches=tree.n_branches[node : node + 1],
        group_start=np.array([0 if length else -1]),
        group=tree.group[start : start + length] if length else np.empty(0, dtype=np.int32),
        best=tree.best[node : node + 1],
        cases=tree.cases[node : node + 1],
        errors=tree.errors[node : node + 1],
        counts=tree.counts[node : node + 1],
        n_tests=tree.n_tests[node : node + 1],
    )


def _leaf(entry: NodeArrays) -> NodeArrays:
    """The entry of a node, as a leaf."""
    return _entry(entry, 0).replace(
        test=[Test.LEAF], attribute=[-1], threshold=[0.0], n_branches=[0], group_start=[-1], group=[]
    )


def _levels(parts: Sequence[_Part]) -> Iterator[list[_Part]]:
    """The nodes of the top from some on, level by level."""
    level = [part for part in parts if part.branches]
    while level:
        yield level
        level = [branch for part in level for branch in part.branches if branch.branches]


def _flat(root: _Part, instead: dict[_Part, NodeArrays | None]) -> tuple[NodeArrays, dict[_Part, int], _Places]:
    """A tree as arrays, some parts of it as given instead, or as leaves if that is None.

    Also the numbers that the parts without branches, and those that others stand for, have in these arrays; and for
    each tree that was given, the numbers of its nodes.
    """
    order, first = [root], []
    rows: list[NodeArrays] = []
    hanging: dict[int, NodeArrays] = {}
    for part in order:
        given = instead.get(part, part.arrays if not part.branches else None)
        if part in instead or not part.branches:
            if given is not None:
                hanging[len(rows)] = given
            rows.append(_leaf(part.arrays))
            first.append(-1)
        else:
            rows.append(_entry(part.arrays, 0))
            first.append(len(order))
            order += part.branches
    lengths = np.array([len(row.group) for row in rows])
    columns: dict[str, Any] = {name: np.concatenate([getattr(row, name) for row in rows]) for name in COLUMNS}
    columns["group"] = np.concatenate([row.group for row in rows])
    columns["group_start"] = np.where(lengths > 0, np.cumsum(lengths) - lengths, -1)
    top = NodeArrays(first_branch=np.array(first), **columns)
    tree, origin = joined(top, hanging)
    number = np.empty(int(origin.max()) + 1, dtype=np.int64)
    number[origin] = np.arange(len(origin))
    places: _Places = {}
    start = len(rows)
    numbers = {}
    for row, part in enumerate(order):
        if row in hanging:
            places[part] = number[start : start + len(hanging[row])]
            numbers[part] = int(number[start])
            start += len(hanging[row])
        else:
            numbers[part] = int(number[row])
    return tree, numbers, places


_Places = dict[_Part, npt.NDArray[np.int64]]


def _routing(tree: NodeArrays) -> Routing:
    return Routing(
        tree.test,
        tree.attribute,
        tree.threshold,
        tree.first_branch,
        tree.n_branches,
        tree.group_start,
        tree.group,
        # no value is unknown: nothing is divided by shares
        np.ones(len(tree)),
    )


class _TopPruner:
    def __init__(
        self,
        source: CaseSource,
        tree: NodeArrays,
        confidence: float,
        gather: int,
        progress: ProgressCallback | None,
    ) -> None:
        self.source = source
        self.confidence = confidence
        self.gather = gather
        self.progress = progress
        self.root = _divided(tree, gather)
        self.passes = 0

    def prune(self) -> NodeArrays:
        self._settle([self.root])
        return _flat(self.root, {})[0]

    def _begin_pass(self) -> None:
        if self.progress is not None:
            self.progress(Progress("pruning", self.passes, None, 0.0, "passes"))
        self.passes += 1

    def _settle(self, roots: Sequence[_Part]) -> None:
        """Prune some parts, whose counts are those of their cases."""
        self._prune_small(roots)
        for level in reversed(list(_levels(roots))):
            raised = self._decide(level)
            if raised:
                # pruned again, with all the cases that are there now
                self._settle(raised)

    def _prune_small(self, roots: Sequence[_Part]) -> None:
        small = [part for part in roots if not part.branches]
        for level in _levels(roots):
            small += [branch for part in level for branch in part.branches if not branch.branches]
        gathered = []
        for part in small:
            if part.cases == 0 and part is not self.root:
                continue
            if len(part.arrays) == 1:
                part.arrays = prune_by_counts(part.arrays, self.source.schema.n_classes, self.confidence)
            else:
                gathered.append(part)
        if not gathered:
            return
        wanted = set(gathered)
        tree, numbers, _ = _flat(self.root, dict.fromkeys(self._edges(wanted)))
        work = PruneSubtrees({numbers[part]: part.arrays for part in gathered}, self.confidence, self.source.weighted)
        sizes = {numbers[part]: int(np.ceil(part.cases)) for part in gathered}
        self._begin_pass()
        pruned = self.source.finish(_routing(tree), sizes, work)
        for part in gathered:
            part.arrays = pruned[numbers[part]]

    def _edges(self, wanted: set[_Part]) -> set[_Part]:
        """The parts that are wanted, and those that lead to none of them."""
        order = [self.root]
        for part in order:
            order += part.branches
        leads: set[_Part] = set()
        for part in reversed(order):
            if part in wanted or any(branch in leads for branch in part.branches):
                leads.add(part)
        aside = {branch for part in leads - wanted for branch in part.branches if branch not in leads}
        return wanted | aside

    def _decide(self, level: Sequence[_Part]) -> list[_Part]:
        """Make nodes leaves, replace them by their largest branch, or let them be; those that were replaced."""
        largest = {part: self._largest(part) for part in level}
        alone = {part: _flat(branch, {})[0] for part, branch in largest.items()}
        counts = self._counts(alone)
        raised = []
        for part, branch in alone.items():
            entry = part.arrays
            leaf, tree = self._as_leaf(entry), 0.0
            for other in part.branches:
                tree += other.errors if other.cases > 0 else 0.0
            as_branch = float(expected_errors(branch, counts[part], self.confidence)[1][0])
            if leaf.errors[0] <= as_branch + 0.1 and leaf.errors[0] <= tree + 0.1:
                part.arrays, part.branches = leaf, []
            elif as_branch <= tree + 0.1:
                cases = counts[part].sum(axis=1)
                n_tests = np.array(branch.n_tests)
                assert entry.n_tests is not None
                n_tests[0] = entry.n_tests[0]
                moved = _divided(branch.replace(counts=counts[part], cases=cases, n_tests=n_tests), self.gather)
                part.arrays, part.branches = moved.arrays, moved.branches
                raised.append(part)
            else:
                part.arrays = entry.replace(errors=[tree], best=leaf.best)
        return raised

    def _as_leaf(self, entry: NodeArrays) -> NodeArrays:
        return prune_by_counts(_leaf(entry), self.source.schema.n_classes, self.confidence)

    @staticmethod
    def _largest(part: _Part) -> _Part:
        """The branch of most cases, the last of equals."""
        return max(reversed(part.branches), key=lambda branch: branch.cases)

    def _counts(self, alone: dict[_Part, NodeArrays]) -> dict[_Part, npt.NDArray[np.float64]]:
        """The class counts that all cases of parts make in other trees."""
        result = {part: np.zeros((len(tree), self.source.schema.n_classes)) for part, tree in alone.items()}
        for part, tree in alone.items():
            if len(tree) == 1:
                result[part][0] = part.arrays.counts[0]
        moving = {part: tree for part, tree in alone.items() if len(tree) > 1}
        if not moving:
            return result
        instead: dict[_Part, NodeArrays | None] = dict.fromkeys(self._edges(set(moving)))
        instead.update(moving)
        tree, _, places = _flat(self.root, instead)
        nodes = {part: np.flatnonzero(one.test == Test.LEAF) for part, one in moving.items()}
        wanted = np.concatenate([places[part][leaves] for part, leaves in nodes.items()])
        self._begin_pass()
        found = self.source.count(_routing(tree), wanted.tolist(), []).classes * self.source.unit
        start = 0
        for part, leaves in nodes.items():
            counts = result[part]
            counts[leaves] = found[start : start + len(leaves)]
            start += len(leaves)
            parents = moving[part].parents()
            for level in reversed(levels(parents)):
                np.add.at(counts, parents[level], counts[level])
        return result
