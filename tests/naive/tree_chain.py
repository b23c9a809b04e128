"""Reversible jumps on trees, from the definitions alone: every proposal listed with its chance, every ratio a quotient
of posteriors and proposal chances, and the transition matrix of the whole chain on all trees there are.

A tree is None for a leaf, or (test, branch where it holds, branch where not). A test is a number; `Problem.tests` has
the attribute of each and the set of cases where it holds, as the bits of a whole number. Nothing here is quick.

Longer than 400 lines because it is one definition, from tests over trees and proposals to the transition matrix.
"""

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

Tree = None | tuple[int, "Tree", "Tree"]
Path = tuple[int, ...]

MOVES = ("birth", "death", "change-split", "change-rule", "swap")
REVERSE = {
    "birth": "death",
    "death": "birth",
    "change-split": "change-split",
    "change-rule": "change-rule",
    "swap": "swap",
}
STANDARD = (0.1, 0.1, 0.2, 0.6, 0.0)


@dataclass(frozen=True)
class Proposal:
    """One way to go on: its move, its chance, the tree it leads to (None: it is not available), its ratio R."""

    move: str
    chance: float
    tree: Tree | str
    ratio: float


INVALID = "invalid"


@dataclass
class Problem:
    """The cases and tests, and what is asked of trees.

    `treatment` is reject, resample, resample-move, resample-local, sweep-paper or sweep-latent; `prior` is denison,
    chipman or implicit.
    """

    tests: list[tuple[int, int]]
    classes: list[int]
    n_classes: int
    weights: list[float] | None = None
    alpha: float = 1.0
    min_cases: float = 1.0
    max_depth: int | None = None
    max_leaves: int | None = None
    prior: str = "denison"
    gamma: float = 0.8
    delta: float = 0.8
    test_prior: str = "per_feature"
    power: float = 1.0
    moves: tuple[float, ...] = STANDARD
    rule_step: float | None = None
    rule_variance: float | None = None
    ordered: frozenset[int] = frozenset()
    treatment: str = "reject"

    def __post_init__(self):
        self.n = len(self.classes)
        self.all_cases = (1 << self.n) - 1
        self.attributes = sorted({a for a, _ in self.tests})
        self.latent = self.treatment == "sweep-latent"
        self.local = self.treatment == "resample-local" or (self.prior == "chipman" and not self.latent)
        if self.max_leaves is None:
            self.max_leaves = int(self.weight(self.all_cases) // self.min_cases)

    # what a set of cases is worth

    def weight(self, cases: int) -> float:
        members = [i for i in range(self.n) if cases >> i & 1]
        return float(len(members)) if self.weights is None else math.fsum(self.weights[i] for i in members)

    def counts(self, cases: int) -> list[float]:
        of_class = [sum(1 << i for i, c in enumerate(self.classes) if c == k) for k in range(self.n_classes)]
        return [self.weight(cases & members) for members in of_class]

    def log_m(self, cases: int) -> float:
        """ln of the marginal likelihood of the classes in a leaf."""
        A = self.alpha * self.n_classes
        counts = self.counts(cases)
        logs = [math.lgamma(n + self.alpha) - math.lgamma(self.alpha) for n in counts]
        return math.lgamma(A) - math.lgamma(A + math.fsum(counts)) + math.fsum(logs)

    # trees

    def leaves(self, tree: Tree, cases: int) -> Iterator[int]:
        """The cases of each leaf."""
        if tree is None:
            yield cases
        else:
            test, yes, no = tree
            yield from self.leaves(yes, cases & self.tests[test][1])
            yield from self.leaves(no, cases & ~self.tests[test][1])

    def sweep(self, tree: Tree, cases: int) -> Tree:
        """What is left of a tree when branches of too few cases are taken away, from the root on."""
        if tree is None:
            return None
        test, yes, no = tree
        n_yes, n_no = (self.weight(cases & members) for members in (self.tests[test][1], ~self.tests[test][1]))
        if n_yes < self.min_cases and n_no < self.min_cases:
            return None
        if n_yes < self.min_cases:
            return self.sweep(no, cases)
        if n_no < self.min_cases:
            return self.sweep(yes, cases)
        return (test, self.sweep(yes, cases & self.tests[test][1]), self.sweep(no, cases & ~self.tests[test][1]))

    def allowed(self, tree: Tree) -> bool:
        """Whether the prior of a tree is above 0."""
        if n_leaves(tree) > self.max_leaves or (self.max_depth is not None and depth(tree) > self.max_depth):
            return False
        if self.latent or tree is None:
            return True
        return all(self.weight(leaf) >= self.min_cases for leaf in self.leaves(tree, self.all_cases))

    def log_likelihood(self, tree: Tree) -> float:
        if self.latent:
            tree = self.sweep(tree, self.all_cases)
        return math.fsum(self.log_m(leaf) for leaf in self.leaves(tree, self.all_cases))

    # priors

    def log_prior(self, tree: Tree) -> float:
        if self.prior == "chipman":
            return self._log_chipman(tree, self.all_cases, 0)
        logs = self._log_chances(tree, self.all_cases, 0)
        if self.prior == "implicit":
            return math.fsum(logs)
        return math.fsum(logs) - math.log(catalan(n_leaves(tree) - 1)) - math.log(self.max_leaves)

    def _log_chances(self, tree: Tree, cases: int, at: int) -> list[float]:
        """ln of the chance of each test, among those of its node."""
        if tree is None:
            return []
        test, yes, no = tree
        members = self.tests[test][1]
        return [
            math.log(self.test_chance(test, self.valid_tests(cases, at))),
            *self._log_chances(yes, cases & members, at + 1),
            *self._log_chances(no, cases & ~members, at + 1),
        ]

    def _log_chipman(self, tree: Tree, cases: int, at: int) -> float:
        valid = self.valid_tests(cases, at)
        splits = self.gamma * (1 + at) ** -self.delta
        if tree is None:
            return math.log1p(-splits) if valid else 0.0
        test, yes, no = tree
        members = self.tests[test][1]
        return (
            math.log(splits)
            + math.log(self.test_chance(test, valid))
            + self._log_chipman(yes, cases & members, at + 1)
            + self._log_chipman(no, cases & ~members, at + 1)
        )

    def n_tests(self, attribute: int) -> int:
        return sum(a == attribute for a, _ in self.tests)

    def valid_tests(self, cases: int, at: int) -> list[int]:
        """The tests that a node may have: those that leave enough on both sides; all, if trees are swept later."""
        if self.max_depth is not None and at >= self.max_depth:
            return []
        if not self.local:
            return list(range(len(self.tests)))
        return [
            t
            for t, (_, members) in enumerate(self.tests)
            if min(self.weight(cases & members), self.weight(cases & ~members)) >= self.min_cases
        ]

    def test_chance(self, test: int, valid: list[int]) -> float:
        """The chance of one of the valid tests by the prior, and in a birth."""
        if self.prior == "chipman" and self.test_prior == "per_test":
            return 1 / len(valid)
        of = [self.tests[t][0] for t in valid]
        return 1 / len(set(of)) / of.count(self.tests[test][0])

    def log_posterior(self, tree: Tree) -> float:
        """But for a constant; the likelihood is tempered."""
        return self.log_prior(tree) + self.power * self.log_likelihood(tree)

    # moves

    def ways(self, tree: Tree) -> Iterator[tuple[str, float, Tree | str]]:
        """Every proposal: move, chance, and where it leads."""
        chances = dict(zip(MOVES, self.moves, strict=True))
        yield from self._births(tree, chances["birth"])
        twigs = [path for path, node in nodes(tree) if node is not None and node[1] is None and node[2] is None]
        yield from (("death", chances["death"] / len(twigs), replaced(tree, path, None)) for path in twigs)
        if not twigs:
            yield "death", chances["death"], INVALID
        inner = [(path, node) for path, node in nodes(tree) if node is not None]
        if not inner:
            yield "change-split", chances["change-split"], INVALID
            yield "change-rule", chances["change-rule"], INVALID
        for path, node in inner:
            for other, chance in self._other_splits(tree, path, node[0]):
                share = chances["change-split"] / len(inner) * chance
                yield "change-split", share, INVALID if other is None else retested(tree, path, other)
            for other, chance in self._other_rules(tree, path, node[0]):
                share = chances["change-rule"] / len(inner) * chance
                yield "change-rule", share, INVALID if other is None else retested(tree, path, other)
        below = [path for path, _ in inner if path]
        yield from (("swap", chances["swap"] / len(below), swapped(tree, path)) for path in below)
        if not below:
            yield "swap", chances["swap"], INVALID

    def _births(self, tree: Tree, chance: float) -> Iterator[tuple[str, float, Tree | str]]:
        paths = [path for path, node in nodes(tree) if node is None]
        if len(paths) >= self.max_leaves:
            yield "birth", chance, INVALID
            return
        for path in paths:
            valid = self.valid_tests(self.cases_at(tree, path), len(path))
            for test in valid:
                share = chance / len(paths) * self.test_chance(test, valid)
                yield "birth", share, replaced(tree, path, (test, None, None))
            if not valid:
                yield "birth", chance / len(paths), INVALID

    def _other_splits(self, tree: Tree, path: Path, test: int) -> Iterator[tuple[int | None, float]]:
        """The tests of other attributes at a node, each attribute as likely as the others."""
        valid = self.valid_tests(self.cases_at(tree, path), len(path))
        by_attribute: dict[int, list[int]] = {}
        for t in valid:
            by_attribute.setdefault(self.tests[t][0], []).append(t)
        by_attribute.pop(self.tests[test][0], None)
        for tests in by_attribute.values():
            yield from ((t, 1 / len(by_attribute) / len(tests)) for t in tests)
        if not by_attribute:
            yield None, 1.0

    def _other_rules(self, tree: Tree, path: Path, test: int) -> Iterator[tuple[int | None, float]]:
        """The other tests of the same attribute: each as likely, or the nearer the likelier."""
        attribute = self.tests[test][0]
        valid = self.valid_tests(self.cases_at(tree, path), len(path))
        same = [t for t in valid if self.tests[t][0] == attribute]
        others = [t for t in same if t != test]
        if (self.rule_step is None and self.rule_variance is None) or attribute not in self.ordered:
            yield from ((t, 1 / len(others)) for t in others)
            if not others:
                yield None, 1.0
            return
        spread = self.rule_step * self.n_tests(attribute) if self.rule_variance is None else self.rule_variance**0.5
        left = 1.0
        for t in others:
            d = abs(t - test)
            chance = 0.5 * (math.erf((d + 0.5) / spread / 2**0.5) - math.erf((d - 0.5) / spread / 2**0.5))
            left -= chance
            yield t, chance
        yield None, left

    def cases_at(self, tree: Tree, path: Path) -> int:
        cases = self.all_cases
        for step in path:
            members = self.tests[tree[0]][1]
            cases &= ~members if step else members
            tree = tree[1 + step]
        return cases

    def proposals(self, tree: Tree) -> list[Proposal]:
        """Every proposal with R, posterior and proposal chances in full: π(T')q(T'→T) / π(T)q(T→T')."""
        result = []
        for move, chance, new in self.ways(tree):
            if chance == 0:
                continue
            if new is INVALID:
                result.append(Proposal(move, chance, INVALID, 0.0))
            elif new == tree:  # as when equal tests are swapped
                result.append(Proposal(move, chance, tree, 1.0))
            elif self.treatment == "sweep-paper" and not self.allowed(new):
                result.append(self._swept(tree, move, chance, new))
            elif not self.allowed(new):
                result.append(Proposal(move, chance, INVALID, 0.0))
            elif self.treatment == "resample-local" and move not in ("birth", "death"):
                # as the paper: no more than the likelihoods
                log_r = self.power * (self.log_likelihood(new) - self.log_likelihood(tree))
                result.append(Proposal(move, chance, new, math.exp(log_r)))
            else:
                back = math.fsum(q for m, q, t in self.ways(new) if m == REVERSE[move] and t == tree)
                log_r = self.log_posterior(new) - self.log_posterior(tree) + math.log(back) - math.log(chance)
                result.append(Proposal(move, chance, new, math.exp(log_r)))
        return result

    def _swept(self, tree: Tree, move: str, chance: float, new: Tree) -> Proposal:
        """The paper's sweeping: one leaf of too few cases goes with its parent, by the ratio of a death."""
        short = [
            path for path, node in nodes(new) if node is None and self.weight(self.cases_at(new, path)) < self.min_cases
        ]
        if move in ("birth", "death") or len(short) != 1:
            return Proposal(move, chance, INVALID, 0.0)
        *up, last = short[0]
        sibling = node_at(new, (*up, 1 - last))
        swept = replaced(new, tuple(up), sibling)
        k, twigs = n_leaves(tree), sum(n is not None and n[1] is None and n[2] is None for _, n in nodes(tree))
        birth, death = self.moves[0], self.moves[1]
        log_r = self.power * (self.log_likelihood(swept) - self.log_likelihood(tree))
        shapes = 1.0 if self.prior == "implicit" else catalan(k - 1) / catalan(k - 2)
        ratio = math.exp(log_r) * birth / death * twigs / (k - 1) * shapes
        return Proposal(move, chance, swept, ratio)

    def step(self, tree: Tree, generator: random.Random) -> Tree:
        """One step of the chain."""
        proposals = redrawn(self.treatment, self.proposals(tree))
        if not proposals:
            return tree
        (chosen,) = generator.choices(proposals, [p.chance for p in proposals])
        return chosen.tree if chosen.tree is not INVALID and generator.random() < chosen.ratio else tree

    # all trees

    def all_trees(self) -> list[Tree]:
        """Every tree whose prior is above 0."""
        limit = self.max_leaves - 1 if self.max_depth is None else self.max_depth
        trees = self._trees(self.all_cases, limit, self.max_leaves)
        return [tree for tree in trees if self.allowed(tree)]

    def _trees(self, cases: int, levels: int, max_leaves: int) -> list[Tree]:
        result: list[Tree] = [None]
        if levels == 0 or max_leaves < 2:
            return result
        for test, (_, members) in enumerate(self.tests):
            yes, no = cases & members, cases & ~members
            if not self.latent and min(self.weight(yes), self.weight(no)) < self.min_cases:
                continue
            for left in self._trees(yes, levels - 1, max_leaves - 1):
                for right in self._trees(no, levels - 1, max_leaves - n_leaves(left)):
                    result.append((test, left, right))
        return result


def redrawn(treatment: str, proposals: list[Proposal]) -> list[Proposal]:
    """Proposals with the chances that they have in the end, where those that are not available are drawn anew."""
    if treatment not in ("resample", "resample-move", "resample-local", "sweep-paper"):
        return proposals
    available = [p for p in proposals if p.tree is not INVALID]
    if treatment == "resample-move":
        # A move keeps its chance, and so do the proposals that it has among themselves.
        moves = {p.move for p in available}
        of_move = {m: math.fsum(p.chance for p in proposals if p.move == m) for m in moves}
        left = {m: math.fsum(p.chance for p in available if p.move == m) for m in moves}
        available = [replace(p, chance=p.chance / left[p.move] * of_move[p.move]) for p in available]
    share = math.fsum(p.chance for p in available)
    return [replace(p, chance=p.chance / share) for p in available]


def transition_matrix(problem: Problem, trees: list[Tree], proposals=None) -> np.ndarray:
    """The chance to go from each tree to each other; `proposals` says who lists them, the problem itself if None."""
    place = {tree: i for i, tree in enumerate(trees)}
    matrix = np.zeros((len(trees), len(trees)))
    for i, tree in enumerate(trees):
        listed = (problem.proposals if proposals is None else proposals)(tree)
        assert math.isclose(math.fsum(p.chance for p in listed), 1.0, abs_tol=1e-12)
        for p in redrawn(problem.treatment, listed):
            if p.tree is not INVALID:
                matrix[i, place[p.tree]] += p.chance * min(1.0, p.ratio)
        matrix[i, i] += 1 - matrix[i].sum()
    return matrix


def stationary(matrix: np.ndarray) -> np.ndarray:
    """The one distribution that the matrix leaves as it is."""
    n = len(matrix)
    system = np.vstack([matrix.T - np.eye(n), np.ones(n)])
    return np.linalg.lstsq(system, np.append(np.zeros(n), 1.0), rcond=None)[0]


def posterior(problem: Problem, trees: list[Tree]) -> np.ndarray:
    """The posterior of each of all trees."""
    logs = np.array([problem.log_posterior(tree) for tree in trees])
    weights = np.exp(logs - logs.max())
    return weights / weights.sum()


# trees as such


def nodes(tree: Tree, path: Path = ()) -> Iterator[tuple[Path, Tree]]:
    """Every node by the way to it, 0 where a test holds and 1 where not; each before its branches."""
    yield path, tree
    if tree is not None:
        yield from nodes(tree[1], (*path, 0))
        yield from nodes(tree[2], (*path, 1))


def node_at(tree: Tree, path: Path) -> Tree:
    for step in path:
        tree = tree[1 + step]
    return tree


def replaced(tree: Tree, path: Path, by: Tree) -> Tree:
    if not path:
        return by
    test, yes, no = tree
    return (test, yes, replaced(no, path[1:], by)) if path[0] else (test, replaced(yes, path[1:], by), no)


def retested(tree: Tree, path: Path, test: int) -> Tree:
    return replaced(tree, path, (test, *node_at(tree, path)[1:]))


def swapped(tree: Tree, path: Path) -> Tree:
    """The tests of a node and of its parent exchanged."""
    low, high = node_at(tree, path)[0], node_at(tree, path[:-1])[0]
    return retested(retested(tree, path, high), path[:-1], low)


def n_leaves(tree: Tree) -> int:
    return 1 if tree is None else n_leaves(tree[1]) + n_leaves(tree[2])


def depth(tree: Tree) -> int:
    return 0 if tree is None else 1 + max(depth(tree[1]), depth(tree[2]))


def inner_tests(tree: Tree) -> list[int]:
    return [] if tree is None else [tree[0], *inner_tests(tree[1]), *inner_tests(tree[2])]


def catalan(n: int) -> int:
    """How many binary trees have n inner nodes.

    >>> [catalan(n) for n in range(6)], catalan(25)
    ([1, 1, 2, 5, 14, 42], 4861946401452)
    """
    return math.comb(2 * n, n) // (n + 1)


def preorder(tree: Tree) -> list[int]:
    """The tests of a tree, each node before its branches, -1 for a leaf.

    >>> preorder((3, None, (1, None, None)))
    [3, -1, 1, -1, -1]
    """
    return [-1 if node is None else node[0] for _, node in nodes(tree)]


def from_preorder(tests: list[int]) -> Tree:
    """The tree of a list as `preorder` makes it."""
    rest = iter(tests)

    def build() -> Tree:
        test = next(rest)
        return None if test < 0 else (test, build(), build())

    return build()


def grid_tests(columns, n_values) -> tuple[list[tuple[int, int]], frozenset[int]]:
    """The tests on columns of codes or numbers, and which attributes have their tests in an order.

    A number may be compared with the middle of any two neighbours, a code with any value that some case has and some
    has not; of two such values, with the first only.
    """
    tests, ordered = [], set()
    for a, (column, n) in enumerate(zip(columns, n_values, strict=True)):
        values = sorted(set(column))
        if n == 0:
            ordered.add(a)
            for low, _ in pairwise(values):
                tests.append((a, sum(1 << i for i, x in enumerate(column) if x <= low)))
        elif len(values) > 1:
            for value in values[:1] if len(values) == 2 else values:
                tests.append((a, sum(1 << i for i, x in enumerate(column) if x == value)))
    return tests, frozenset(ordered)
