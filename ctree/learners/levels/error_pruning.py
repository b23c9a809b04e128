"""Error-based pruning of a tree that was grown from a source.

Whether a node becomes a leaf follows from class counts. Whether its largest branch takes its place does not: for that,
the cases of the other branches have to go down the largest, which takes a pass for each level of the top of the tree.
Where values are unknown it takes more: a case whose outcome of a test is unknown goes down every branch in parts, and
the shares of the branches are those that the cases have which go down now, so a pass finds no more than the shares of
one level of the largest branch. What is below the top is pruned in memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.learners.base.kernels import case_table
from ctree.learners.levels.assembled import subtree
from ctree.learners.levels.error_rules import ErrorRules, error_rules
from ctree.learners.levels.finish import in_own_order
from ctree.learners.levels.moved import Moved
from ctree.learners.levels.tree_parts import Part, Places, as_leaf, cut_off, divided, flat, part_levels, routing_of
from ctree.progress import Progress, ProgressCallback
from ctree.scale.source import CaseSource
from ctree.scale.top_tree import Routing, TopTree
from ctree_ext.base.cases import CaseTable
from ctree_ext.base.node_arrays import Floats, NodeArrays, Test, levels


def prune_by_errors(
    source: CaseSource,
    tree: NodeArrays,
    top: TopTree,
    confidence: float,
    *,
    subtree_raising: bool,
    gather: int,
    progress: ProgressCallback | None = None,
    j48: bool = False,
    finished: Mapping[int, NodeArrays] | None = None,
) -> tuple[NodeArrays, int]:
    """The tree as error-based pruning leaves it, and how many passes that took.

    Parameters
    ----------
    source : CaseSource
    tree : NodeArrays
        Grown from all its cases.
    top : TopTree
        What was grown of it level by level: all nodes of more than `gather` cases that have a test.
    confidence : float
    subtree_raising : bool
        Whether a node may be replaced by its largest branch.
    gather : int
        Subtrees of no more cases are pruned in memory.
    progress : callable, optional
        Is told before each pass.
    j48 : bool
        Whether the rules are those of J48.
    finished : dict, optional
        Of nodes of the top the subtrees, pruned already.
    """
    rules = error_rules(source.schema.n_classes, confidence, j48=j48)
    if not subtree_raising:
        return rules.pruned_by_counts(tree), 0
    pruner = _TopPruner(source, tree, top, rules, gather, progress, finished or {})
    return pruner.prune(), pruner.passes


def shares_of(tree: NodeArrays, top: TopTree) -> tuple[Floats, npt.NDArray[np.int64]]:
    """For each node of a tree the share of its parent's known weight that it has, and which of the top it is.

    The share is 0, and the number -1, below what is in the top.
    """
    shares, numbers = np.zeros(len(tree)), np.full(len(tree), -1)
    shares[0] = 1.0
    waiting = [(0, 0)]
    while waiting:
        node, above = waiting.pop()
        numbers[node] = above
        if tree.test[node] == Test.LEAF or top.test[above] == Test.LEAF:
            continue
        for branch in range(int(tree.n_branches[node])):
            pair = int(tree.first_branch[node]) + branch, top.first_branch[above] + branch
            shares[pair[0]] = top.shares[pair[1]]
            waiting.append(pair)
    return shares, numbers


@dataclass(frozen=True)
class PruneSubtrees:
    """Prunes the subtree of a node with its cases, wherever they are: picklable."""

    subtrees: dict[int, NodeArrays]
    rules: ErrorRules
    unit: float
    complete: bool
    """Whether the subtrees have the counts of these cases; where values are unknown, they are found here."""

    def for_keys(self, nodes: Sequence[int]) -> PruneSubtrees:
        """What is needed for some nodes."""
        return replace(self, subtrees={node: self.subtrees[node] for node in nodes})

    def __call__(self, node: int, cases: Dataset) -> NodeArrays:
        """The pruned subtree of a node."""
        return self.rules.pruned(self.subtrees[node], self._table(cases), moved=not self.complete)

    def _table(self, cases: Dataset) -> CaseTable:
        cases = cases if self.complete else in_own_order(cases)
        return case_table(cases, single=False, unit=self.unit)


class ExpectErrors(PruneSubtrees):
    """Estimates the errors of the subtree of a node instead, with cases that are there now."""

    def __call__(self, node: int, cases: Dataset) -> NodeArrays:
        """A leaf that has the errors of the subtree."""
        tree = self.subtrees[node]
        return as_leaf(tree).replace(errors=[self.rules.estimated(tree, self._table(cases))])


class _TopPruner:
    def __init__(
        self,
        source: CaseSource,
        tree: NodeArrays,
        top: TopTree,
        rules: ErrorRules,
        gather: int,
        progress: ProgressCallback | None,
        finished: Mapping[int, NodeArrays],
    ) -> None:
        self.source = source
        self.rules = rules
        self.gather = gather
        # what so many cases weigh, on the average
        self.light = gather * float(tree.cases[0]) / source.n_cases
        self.progress = progress
        shares, numbers = shares_of(tree, top)
        divides = np.array(top.test) != Test.LEAF
        self.root, whole = divided(tree, shares, (numbers >= 0) & divides[numbers])
        for node, part in whole.items():
            done = finished.get(int(numbers[node]))
            part.arrays = done if done is not None else subtree(tree, node) if node else tree
            if done is not None:
                part.pruned, part.expected = True, rules.expected(done)
        self.passes = 0

    def prune(self) -> NodeArrays:
        self._settle([self.root])
        return flat(self.root, {})[0]

    def _begin_pass(self) -> None:
        if self.progress is not None:
            self.progress(Progress("pruning", self.passes, None, 0.0, "passes"))
        self.passes += 1

    def _settle(self, roots: Sequence[Part]) -> None:
        """Prune some parts, whose counts are those of their cases."""
        self._prune_small(roots)
        for level in reversed(list(part_levels(roots))):
            raised = self._decide(level)
            if raised:
                # pruned again, with all the cases that are there now
                self._settle(raised)

    def _prune_small(self, roots: Sequence[Part]) -> None:
        small = [part for part in roots if not part.branches]
        for level in part_levels(roots):
            small += [branch for part in level for branch in part.branches if not branch.branches]
        gathered = []
        for part in small:
            if part.pruned or (part.cases == 0 and part is not self.root):
                continue
            if len(part.arrays) == 1:
                part.arrays = self.rules.pruned_by_counts(part.arrays)
                part.expected = self.rules.expected(part.arrays)
            else:
                gathered.append(part)
        if not gathered:
            return
        wanted = set(gathered)
        tree, numbers, _ = flat(self.root, dict.fromkeys(self._edges(wanted)))
        subtrees = {numbers[part]: part.arrays for part in gathered}
        work = PruneSubtrees(subtrees, self.rules, self.source.unit, self.source.complete)
        sizes = {numbers[part]: part.cases for part in gathered}
        pruned = self._gathered(routing_of(tree, numbers), sizes, work)
        for part in gathered:
            part.arrays = pruned[numbers[part]]
            part.expected = self.rules.expected(part.arrays)

    def _edges(self, wanted: set[Part]) -> set[Part]:
        """The parts that are wanted, and those that lead to none of them."""
        order = [self.root]
        for part in order:
            order += part.branches
        leads: set[Part] = set()
        for part in reversed(order):
            if part in wanted or any(branch in leads for branch in part.branches):
                leads.add(part)
        aside = {branch for part in leads - wanted for branch in part.branches if branch not in leads}
        return wanted | aside

    def _decide(self, level: Sequence[Part]) -> list[Part]:
        """Make nodes leaves, replace them by their largest branch, or let them be; those that were replaced."""
        moved = {part: Moved.at_root(flat(self._largest(part), {})[0], part.arrays.counts[0]) for part in level}
        self._send_down(moved)
        raised = {}
        for part, branch in moved.items():
            entry = part.arrays
            leaf, tree = self.rules.pruned_by_counts(as_leaf(entry)), 0.0
            for other in part.branches:
                tree += other.expected if other.cases > 0 else 0.0
            in_leaf, in_branch = self.rules.expected(leaf), branch.expected_errors(self.rules)
            if self.rules.at_most(in_leaf, in_branch + 0.1) and self.rules.at_most(in_leaf, tree + 0.1):
                part.arrays, part.branches, part.expected = leaf, [], in_leaf
            elif self.rules.at_most(in_branch, tree + 0.1):
                raised[part] = branch
            else:
                part.arrays, part.expected = self.rules.kept(entry, leaf, tree), tree
        self._count_divided(raised)
        sizes = self._sizes(raised)
        for part, branch in raised.items():
            arrays = branch.with_counts(self.rules)
            n_tests = np.array(arrays.n_tests)
            assert part.arrays.n_tests is not None
            n_tests[0] = part.arrays.n_tests[0]
            arrays = arrays.replace(n_tests=n_tests)
            large = sizes[part] > self.gather if part in sizes else arrays.cases > self.light
            above, whole = divided(arrays, branch.known_shares(), large)
            for node, one in whole.items():
                one.arrays = subtree(arrays, node) if node else arrays
            part.arrays, part.branches, part.pruned = above.arrays, above.branches, False
        return list(raised)

    def _largest(self, part: Part) -> Part:
        """The branch of most cases, or of the greatest share where some go down every branch; the last of equals."""
        largest, by_cases = part.branches[0], self.source.complete or self.rules.largest_by_cases
        for branch in part.branches:
            one, other = (largest.cases, branch.cases) if by_cases else (largest.share, branch.share)
            if self.rules.at_most(one, other):
                largest = branch
        return largest

    def _send_down(self, moved: dict[Part, Moved]) -> None:
        """Find what the cases of parts make of other trees."""
        down = {part: branch for part, branch in moved.items() if branch.open}
        if not down:
            return
        tree, numbers, places = self._with(down)
        if self.source.complete:
            self._count_leaves(down, routing_of(tree, numbers), places)
            return
        while any(branch.open or branch.ends for branch in down.values()):
            self._divide_open(down, self._shared(tree, numbers, down, places), places)
        small = {int(places[part][node]): (branch, node) for part, branch in down.items() for node in branch.small}
        if small:
            subtrees = {number: subtree(branch.tree, node) for number, (branch, node) in small.items()}
            sizes = {number: float(branch.weights[node]) for number, (branch, node) in small.items()}
            routing = cut_off(self._shared(tree, numbers, down, places), list(small))
            found = self._gathered(routing, sizes, ExpectErrors(subtrees, self.rules, self.source.unit, False))
            for number, (branch, node) in small.items():
                branch.expected[node] = float(found[number].errors[0])

    def _gathered(self, routing: Routing, weights: dict[int, float], work: PruneSubtrees) -> dict[int, NodeArrays]:
        """What some work makes of the cases of nodes, which weigh so much."""
        sizes = {node: int(weight) for node, weight in weights.items()}
        if self.source.weighted or not self.source.complete:
            self._begin_pass()
            sizes = self.source.sizes(routing, list(weights))
        self._begin_pass()
        return self.source.finish(routing, sizes, work)

    def _with(self, down: dict[Part, Moved]) -> tuple[NodeArrays, dict[Part, int], Places]:
        """The whole tree with other trees in the place of parts."""
        instead: dict[Part, NodeArrays | None] = dict.fromkeys(self._edges(set(down)))
        instead.update({part: branch.tree for part, branch in down.items()})
        return flat(self.root, instead)

    @staticmethod
    def _shared(tree: NodeArrays, numbers: dict[Part, int], down: dict[Part, Moved], places: Places) -> Routing:
        """What sends cases down, with the shares that are known; no case of unknown outcome goes where none is."""
        routing = routing_of(tree, numbers)
        for part, branch in down.items():
            routing.shares[places[part][1:]] = branch.shares[1:]
        return routing

    def _count(self, routing: Routing, nodes: Sequence[int]) -> Floats:
        self._begin_pass()
        return np.asarray(self.source.count(cut_off(routing, nodes), nodes, []).classes * self.source.unit)

    def _count_leaves(self, down: dict[Part, Moved], routing: Routing, places: Places) -> None:
        """All class counts, where every case goes down one branch: in one pass."""
        leaves = {part: np.flatnonzero(branch.tree.test == Test.LEAF) for part, branch in down.items()}
        found = self._count(routing, np.concatenate([places[part][some] for part, some in leaves.items()]).tolist())
        start = 0
        for part, some in leaves.items():
            branch = down[part]
            branch.counts[0] = 0.0
            branch.counts[some] = found[start : start + len(some)]
            start += len(some)
            _summed_up(branch.counts, branch.tree)
            branch.open.clear()
            branch.weights = branch.counts.sum(axis=1)
            branch.divided = np.flatnonzero(branch.tree.test != Test.LEAF).tolist()
            branch.counted = some.tolist()

    def _sizes(self, raised: dict[Part, Moved]) -> dict[Part, Floats]:
        """How many cases the nodes of trees have, where all weights are known but do not tell: one pass."""
        if not raised or not self.source.weighted or not self.source.complete:
            return {}
        tree, numbers, places = self._with(raised)
        leaves = {part: np.flatnonzero(branch.tree.test == Test.LEAF) for part, branch in raised.items()}
        nodes = np.concatenate([places[part][some] for part, some in leaves.items()]).tolist()
        self._begin_pass()
        found = self.source.sizes(routing_of(tree, numbers), nodes)
        result = {}
        for part, some in leaves.items():
            sizes = np.zeros(len(raised[part].tree))
            sizes[some] = [found[int(number)] for number in places[part][some]]
            result[part] = _summed_up(sizes, raised[part].tree)
        return result

    def _divide_open(self, down: dict[Part, Moved], routing: Routing, places: Places) -> None:
        """One pass: the shares of the branches of open nodes, and the class weights of the leaves found before."""
        ends = [(branch, part, node) for part, branch in down.items() for node in branch.ends]
        opened = [(branch, part, node) for part, branch in down.items() for node in branch.open]
        wanted = [int(places[part][node]) for _, part, node in ends]
        for branch, part, node in opened:
            # these have no shares yet: only cases of known outcome come there
            wanted += places[part][branch.branches(node)].tolist()
        found = self._count(routing, wanted)
        for branch in down.values():
            branch.counted += branch.ends
            branch.ends, branch.open = [], []
        for (branch, _, node), counts in zip(ends, found, strict=False):
            branch.counts[node] = counts
        start = len(ends)
        for branch, _, node in opened:
            end = start + len(branch.branches(node))
            branch.divide(node, found[start:end].sum(axis=1), self.light, self.rules.small)
            start = end

    def _count_divided(self, raised: dict[Part, Moved]) -> None:
        """The class weights of nodes that were only divided: a pass for each level."""
        if self.source.complete or not raised:
            return
        tree, numbers, places = self._with(raised)
        routing = self._shared(tree, numbers, raised, places)
        by_level: dict[int, list[tuple[Moved, int, int]]] = {}
        for part, branch in raised.items():
            ends = [level.stop for level in levels(branch.tree.parents())]
            for node in sorted(set(branch.divided) - {0}):
                entry = branch, node, int(places[part][node])
                by_level.setdefault(int(np.searchsorted(ends, node, side="right")), []).append(entry)
        for level in by_level.values():
            found = self._count(routing, [number for _, _, number in level])
            for (branch, node, _), counts in zip(level, found, strict=True):
                branch.counts[node] = counts


def _summed_up(counts: Floats, tree: NodeArrays) -> Floats:
    """The same counts, those of all leaves below added to each node."""
    parents = tree.parents()
    for level in reversed(levels(parents)):
        np.add.at(counts, parents[level], counts[level])
    return counts
