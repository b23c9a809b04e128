"""Every decision tree over 0/1 columns: the exact average, the most probable tree and the one of least error.

Made twice, with the same method names: `AllTrees` lists the trees one by one and looks at each; `Lattice` is the plain
recursion over itemsets, u inside and v outside, with no cover ever shared. Itemsets are frequent, closed or maximal by
their definitions, at the end.

A column i that is 1 is the item (i, 1), one that is 0 the item (i, 0), which is ¬i. An itemset is a frozenset of items.
A tree is None for a leaf, or (column, (branch of value 0, branch of value 1)). All logs are natural.

Where the formulas leave a choice, this is how they are read:

- γ and δ are the a and b of a·(1+|I|)^−b, in that order.
- A tree is feasible if each leaf has `min_support` cases and no leaf is deeper than `max_depth` (None: no limit). The
  tree of one leaf is always feasible. Tests at a leaf of the greatest depth do not count, so its P_leaf is 1
  (cap="proper"). With cap="truncate" e(I) and P_leaf are those without the limit, deeper trees are left out, and the
  mass is below 1, not scaled up again. cap="size" is the same, but at the greatest depth P_leaf is that of a node with
  tests if there are cases for two leaves, whether or not a test divides them: the sum is less, or the same.
- "uniform" gives each tree the prior 1, not one over their number: its mass is the number of trees, u(∅) the sum of the
  likelihoods. It knows no e(I), so tests that share a feature change nothing.
- Tests that share a feature (`features`: the number of the feature of each column) take 1/(valid features · valid tests
  of that feature) in place of 1/e(I); only what is valid at this itemset counts.
- Trees are told apart by columns and order of tests, even where the columns are equal or complements. So two equal
  columns double the sum but not the greatest term.
- A leaf is an itemset, whatever the order of the tests above it.
- A feature is included if a tree tests it anywhere, once or more; the sum of P(I is split on i) over the itemsets I is
  another number, how often it is tested on average.
- Ties: all the best trees are given, and any of them is right.
- Closed and maximal itemsets are so among itemsets of any size; limits of size only hide some of them.

Longer than 400 lines because both versions are read side by side, method by method.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from naive.bayes_criteria import log_marginal
from naive.leaf_estimates import dirichlet

Item = tuple[int, int]
Itemset = frozenset[Item]
Tree = None | tuple[int, tuple["Tree", "Tree"]]
EMPTY: Itemset = frozenset()


def log(x: float) -> float:
    return math.log(x) if x > 0 else -math.inf


def log_sum(logs: Iterable[float]) -> float:
    """ln Σ exp.

    >>> round(math.exp(log_sum([math.log(2), math.log(3), -math.inf])), 12), log_sum([])
    (5.0, -inf)
    """
    logs = list(logs)
    greatest = max(logs, default=-math.inf)
    if greatest == -math.inf:
        return -math.inf
    return greatest + math.log(math.fsum(math.exp(x - greatest) for x in logs))


@dataclass
class Node:
    """What the formulas need of an itemset, whatever the tree: `log_splits` has ln P_intern for each valid test."""

    counts: list[int]
    log_leaf: float
    log_splits: dict[int, float]
    log_m: float
    predictive: list[float]

    @property
    def size(self) -> int:
        return sum(self.counts)

    @property
    def errors(self) -> int:
        return self.size - max(self.counts)

    @property
    def log_v_leaf(self) -> float:
        """ln V_leaf = ln P_leaf + ln m."""
        return self.log_leaf + self.log_m


@dataclass
class Problem:
    """The cases, each a row of 0s and 1s, their classes from 0 up, and what trees are allowed and likely."""

    rows: Sequence[Sequence[int]]
    classes: Sequence[int]
    n_classes: int
    min_support: int = 1
    max_depth: int | None = None
    prior: str = "size"
    gamma: float = 0.8
    delta: float = 0.8
    alpha: float | Sequence[float] = 1.0
    features: Sequence[int] | None = None
    cap: str = "proper"
    nodes: dict[Itemset, Node] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if not 1 <= self.min_support <= len(self.rows):
            raise ValueError("min_support must be from 1 to the number of cases")
        if self.prior not in ("uniform", "size") or self.cap not in ("proper", "truncate", "size"):
            raise ValueError("no such prior or cap")
        if any(value not in (0, 1) for row in self.rows for value in row):
            raise ValueError("values must be 0 or 1")

    @property
    def n_columns(self) -> int:
        return len(self.rows[0])

    @property
    def alphas(self) -> list[float]:
        """α of each class.

        >>> Problem([[0]], [0], 3, alpha=0.5).alphas
        [0.5, 0.5, 0.5]
        """
        return [self.alpha] * self.n_classes if isinstance(self.alpha, int | float) else list(self.alpha)

    def feature(self, column: int) -> int:
        return column if self.features is None else self.features[column]

    def counts(self, itemset: Itemset) -> list[int]:
        """f_c(I): cases of each class that have all items."""
        covered = [c for row, c in zip(self.rows, self.classes, strict=True) if contains(row, itemset)]
        return [covered.count(c) for c in range(self.n_classes)]

    def frequent_tests(self, itemset: Itemset) -> list[int]:
        """T(I) but for the depth: the columns that give enough cases to both sides."""
        return [
            i
            for i in range(self.n_columns)
            if all(sum(self.counts(itemset | {(i, value)})) >= self.min_support for value in (0, 1))
        ]

    def node(self, itemset: Itemset) -> Node:
        if itemset not in self.nodes:
            self.nodes[itemset] = self.make_node(itemset)
        return self.nodes[itemset]

    def make_node(self, itemset: Itemset) -> Node:
        tests = self.frequent_tests(itemset)
        full = self.max_depth is not None and len(itemset) >= self.max_depth
        if full and self.cap == "proper":
            tests = []
        if full and self.cap == "size":
            tests = list(range(self.n_columns)) if sum(self.counts(itemset)) >= 2 * self.min_support else []
        if self.prior == "uniform":
            log_leaf, log_splits = 0.0, dict.fromkeys(tests, 0.0)
        else:
            split = self.gamma * (1 + len(itemset)) ** -self.delta
            log_leaf = log(1 - split) if tests else 0.0
            log_splits = {i: log(split * self.share(i, tests)) for i in tests}
        counts = self.counts(itemset)
        return Node(
            counts,
            log_leaf,
            {} if full else log_splits,
            log_marginal(counts, self.alphas),
            dirichlet(counts, self.alphas),
        )

    def share(self, column: int, tests: Sequence[int]) -> float:
        """What part of the mass of all valid tests one has: 1/e(I) if no tests share a feature.

        Of features 0, 0, 1 the first has its half in two parts while both its tests are valid:

        >>> problem = Problem([[0, 0, 0]], [0], 2, features=[0, 0, 1])
        >>> [problem.share(i, [0, 1, 2]) for i in range(3)], [problem.share(i, [1, 2]) for i in (1, 2)]
        ([0.25, 0.25, 0.5], [0.5, 0.5])
        """
        valid = [self.feature(i) for i in tests]
        return 1 / (len(set(valid)) * valid.count(self.feature(column)))


def contains(row: Sequence[int], itemset: Itemset) -> bool:
    """I ⊆ x.

    >>> contains([1, 0], frozenset({(1, 0)})), contains([1, 0], frozenset({(0, 1), (1, 1)}))
    (True, False)
    """
    return all(row[i] == value for i, value in itemset)


def splits(tree: Tree, itemset: Itemset = EMPTY) -> Iterator[tuple[Itemset, int]]:
    """The itemset of each node that has a test, and the column it tests."""
    if tree is not None:
        column, branches = tree
        yield itemset, column
        for value, branch in enumerate(branches):
            yield from splits(branch, itemset | {(column, value)})


def leaves(tree: Tree, itemset: Itemset = EMPTY) -> Iterator[Itemset]:
    """The itemset of each leaf.

    >>> [sorted(leaf) for leaf in leaves((0, (None, (1, (None, None)))))]
    [[(0, 0)], [(0, 1), (1, 0)], [(0, 1), (1, 1)]]
    """
    if tree is None:
        yield itemset
    else:
        column, branches = tree
        for value, branch in enumerate(branches):
            yield from leaves(branch, itemset | {(column, value)})


def feasible_trees(problem: Problem, itemset: Itemset = EMPTY) -> Iterator[Tree]:
    """Every tree below an itemset whose leaves all have enough cases and none of which is too deep."""
    yield None
    for column in problem.node(itemset).log_splits:
        for zero in feasible_trees(problem, itemset | {(column, 0)}):
            for one in feasible_trees(problem, itemset | {(column, 1)}):
                yield column, (zero, one)


def feasible_by_filter(problem: Problem) -> Iterator[Tree]:
    """The same, but any tree is made first, then dropped if one of its leaves lacks cases; for very few columns.

    >>> sorted(map(str, feasible_by_filter(WORKED))) == sorted(map(str, feasible_trees(WORKED)))
    True
    """
    depth = problem.n_columns if problem.max_depth is None else problem.max_depth
    for tree in any_trees(frozenset(range(problem.n_columns)), depth):
        if tree is None or all(sum(problem.counts(leaf)) >= problem.min_support for leaf in leaves(tree)):
            yield tree


def any_trees(columns: frozenset[int], depth: int) -> Iterator[Tree]:
    """Trees over these columns with none tested twice on a path.

    >>> [len(list(any_trees(frozenset(range(n)), 3))) for n in range(4)]
    [1, 2, 9, 244]
    """
    yield None
    if depth > 0:
        for column in sorted(columns):
            below = list(any_trees(columns - {column}, depth - 1))
            yield from ((column, (zero, one)) for zero in below for one in below)


@dataclass
class Entry:
    """One tree of the list; `posterior` is its share of the evidence."""

    tree: Tree
    log_prior: float
    log_likelihood: float
    errors: int
    posterior: float = 0.0

    @property
    def log_joint(self) -> float:
        return self.log_prior + self.log_likelihood


class AllTrees:
    """All feasible trees, one by one.

    >>> trees = AllTrees(WORKED)
    >>> len(trees.entries), round(trees.log_evidence, 6), round(math.exp(trees.log_prior_mass), 12)
    (9, -4.322237, 1.0)
    >>> [round(trees.predict(x)[1], 6) for x in ([1, 1], [1, 0], [0, 1], [0, 0])]
    [0.735116, 0.68216, 0.517025, 0.418146]
    >>> value, best = trees.most_probable()
    >>> best, round(value, 6), round(math.exp(value - trees.log_evidence), 4)
    ([(0, (None, None))], -6.017937, 0.1835)
    >>> trees.least_error()[0], len(trees.least_error()[1])
    (1, 6)
    >>> [round(p, 6) for p in trees.feature_inclusion()], round(trees.expected_leaves(), 6)
    ([0.783075, 0.672992], 2.632839)

    With the uniform prior the mass is the number of trees:

    >>> uniform = AllTrees(replace_options(WORKED, prior="uniform"))
    >>> round(math.exp(uniform.log_evidence), 6), round(uniform.predict([1, 1])[1], 6)
    (0.12295, 0.743141)
    >>> round(math.exp(uniform.log_prior_mass), 12)
    9.0

    With column A twice each of its trees has the share of one test of three, and is now less probable than a leaf:

    >>> twice = AllTrees(replace_options(WORKED, rows=[[a, b, a] for a, b in WORKED.rows]))
    >>> twice.most_probable()[1], [round(math.exp(entry.log_joint), 6) for entry in twice.entries if entry.tree is None]
    ([None], [0.001905])
    >>> [round(math.exp(e.log_joint), 6) for e in twice.entries if e.tree in [(0, (None, None)), (2, (None, None))]]
    [0.001623, 0.001623]
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.entries = [self.entry(tree) for tree in feasible_trees(problem)]
        self.log_evidence = log_sum(entry.log_joint for entry in self.entries)
        self.log_prior_mass = log_sum(entry.log_prior for entry in self.entries)
        for entry in self.entries:
            entry.posterior = math.exp(entry.log_joint - self.log_evidence)

    def entry(self, tree: Tree) -> Entry:
        tree_leaves = [self.problem.node(leaf) for leaf in leaves(tree)]
        tests = [self.problem.node(itemset).log_splits[column] for itemset, column in splits(tree)]
        return Entry(
            tree,
            math.fsum([leaf.log_leaf for leaf in tree_leaves] + tests),
            math.fsum(leaf.log_m for leaf in tree_leaves),
            sum(leaf.errors for leaf in tree_leaves),
        )

    def most_probable(self, tolerance: float = 1e-9) -> tuple[float, list[Tree]]:
        """Greatest ln(prior · likelihood), and all trees that reach it."""
        best = max(entry.log_joint for entry in self.entries)
        return best, [entry.tree for entry in self.entries if entry.log_joint >= best - tolerance]

    def least_error(self) -> tuple[int, list[Tree]]:
        """Fewest cases whose class is not the greatest of their leaf, and all trees that reach it."""
        least = min(entry.errors for entry in self.entries)
        return least, [entry.tree for entry in self.entries if entry.errors == least]

    def log_q(self, x: Sequence[int]) -> list[float]:
        """ln q_c(x) for each class: the sum over the trees of prior, likelihood and what the leaf of x says.

        >>> q = AllTrees(WORKED).log_q([1, 0])
        >>> round(math.exp(log_sum(q)), 6)
        0.01327
        """
        terms = []
        for entry in self.entries:
            (leaf,) = [leaf for leaf in leaves(entry.tree) if contains(x, leaf)]
            terms.append([entry.log_joint + log(p) for p in self.problem.node(leaf).predictive])
        return [log_sum(column) for column in zip(*terms, strict=True)]

    def predict(self, x: Sequence[int]) -> list[float]:
        """P(c|x) for each class."""
        return [math.exp(q - self.log_evidence) for q in self.log_q(x)]

    def explanation(self, x: Sequence[int]) -> dict[Itemset, list[float]]:
        """w_c(I)/u(∅) for each itemset of x that can be a leaf; they sum to P(c|x)."""
        return {
            itemset: [p * share for share in self.problem.node(itemset).predictive]
            for itemset, p in self.leaf_marginals().items()
            if contains(x, itemset)
        }

    def leaf_marginals(self) -> dict[Itemset, float]:
        """P(I is a leaf|y)."""
        return gathered((leaf, entry.posterior) for entry in self.entries for leaf in leaves(entry.tree))

    def split_marginals(self) -> dict[tuple[Itemset, int], float]:
        """P(I is split on i|y)."""
        return gathered((split, entry.posterior) for entry in self.entries for split in splits(entry.tree))

    def inclusion(self, columns: Iterable[int]) -> float:
        """Chance that the tree tests one of these columns somewhere."""
        wanted = set(columns)
        return math.fsum(
            entry.posterior for entry in self.entries if any(column in wanted for _, column in splits(entry.tree))
        )

    def test_inclusion(self) -> list[float]:
        """Chance that the tree tests each column."""
        return [self.inclusion([i]) for i in range(self.problem.n_columns)]

    def feature_inclusion(self) -> list[float]:
        """Chance that the tree tests each feature, by any of its columns."""
        return [self.inclusion(columns) for columns in columns_of_features(self.problem)]

    def expected_tests(self) -> list[float]:
        """How often the tree tests each column, on average."""
        return [
            math.fsum(p for (_, column), p in self.split_marginals().items() if column == i)
            for i in range(self.problem.n_columns)
        ]

    def expected_leaves(self) -> float:
        return math.fsum(entry.posterior * len(list(leaves(entry.tree))) for entry in self.entries)

    def expected_depth(self) -> float:
        """Depth of the deepest leaf, on average; not to be had from u and v."""
        return math.fsum(entry.posterior * max(map(len, leaves(entry.tree))) for entry in self.entries)


def columns_of_features(problem: Problem) -> list[list[int]]:
    """The columns of each feature, by the number of the feature."""
    numbers = [problem.feature(i) for i in range(problem.n_columns)]
    return [[i for i, number in enumerate(numbers) if number == feature] for feature in sorted(set(numbers))]


def gathered(pairs: Iterable[tuple]) -> dict:
    """The sum for each key."""
    lists: dict = {}
    for key, value in pairs:
        lists.setdefault(key, []).append(value)
    return {key: math.fsum(values) for key, values in lists.items()}


class Lattice:
    """The same by recursion: u from the leaves up, v from the root down, an entry for each reachable itemset.

    The worked example: itemset, class counts, number of tests, P_leaf, P_intern, m, V_leaf, u, v.

    >>> lattice = Lattice(WORKED)
    >>> for row in lattice.table("AB"):
    ...     print(row)
    ∅ 2,4 2 0.200000 0.400000 0.009524 0.001905 0.013270 1.000000
    A 0,3 1 0.540521 0.459479 0.250000 0.135130 0.211710 0.033333
    ¬A 2,1 1 0.540521 0.459479 0.083333 0.045043 0.083333 0.084684
    B 1,3 1 0.540521 0.459479 0.050000 0.027026 0.052553 0.081983
    ¬B 1,1 1 0.540521 0.459479 0.166667 0.090087 0.204957 0.021021
    AB 0,2 0 1.000000 – 0.333333 0.333333 0.333333 0.013936
    A¬B 0,1 0 1.000000 – 0.500000 0.500000 0.500000 0.009935
    ¬AB 1,1 0 1.000000 – 0.166667 0.166667 0.166667 0.032012
    ¬A¬B 1,0 0 1.000000 – 0.500000 0.500000 0.500000 0.011314
    >>> round(lattice.log_evidence, 6), round(lattice.expected_leaves(), 6)
    (-4.322237, 2.632839)
    >>> [round(lattice.predict(x)[1], 6) for x in ([1, 1], [1, 0], [0, 1], [0, 0])]
    [0.735116, 0.68216, 0.517025, 0.418146]

    Σ_c q_c(x) = u(∅):

    >>> [round(math.exp(log_sum(lattice.log_q(x))), 6) for x in ([1, 1], [1, 0], [0, 1], [0, 0])]
    [0.01327, 0.01327, 0.01327, 0.01327]

    Two cases of one class that one test tells apart: it is better to split them, pure as they are.

    >>> pure = Lattice(Problem([[0], [1]], [0, 0], 2))
    >>> round(math.exp(pure.problem.node(EMPTY).log_v_leaf), 4), round(math.exp(pure.most_probable()[0]), 4)
    (0.0667, 0.2)
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.log_u = self.inside()
        self.log_v = self.outside()

    @property
    def log_evidence(self) -> float:
        return self.log_u[EMPTY]

    @property
    def log_prior_mass(self) -> float:
        """u(∅) with m = 1 everywhere."""
        return self.inside(likelihood=False)[EMPTY]

    @property
    def n_trees(self) -> int:
        """Number of feasible trees."""
        numbers: dict[Itemset, int] = {}

        def count(itemset: Itemset) -> int:
            if itemset not in numbers:
                numbers[itemset] = 1 + sum(
                    count(itemset | {(i, 0)}) * count(itemset | {(i, 1)}) for i in self.problem.node(itemset).log_splits
                )
            return numbers[itemset]

        return count(EMPTY)

    def inside(self, likelihood: bool = True, without: Iterable[int] = ()) -> dict[Itemset, float]:
        """ln u of each reachable itemset; `without` are columns whose trees are left out, though priors count them."""
        barred = set(without)
        result: dict[Itemset, float] = {}

        def u(itemset: Itemset) -> float:
            if itemset not in result:
                node = self.problem.node(itemset)
                terms = [node.log_v_leaf if likelihood else node.log_leaf]
                for i, log_split in node.log_splits.items():
                    if i not in barred:
                        terms.append(log_split + u(itemset | {(i, 0)}) + u(itemset | {(i, 1)}))
                result[itemset] = log_sum(terms)
            return result[itemset]

        u(EMPTY)
        return result

    def outside(self) -> dict[Itemset, float]:
        """ln v: pushed from the smaller itemsets to the greater ones."""
        pushed: dict[Itemset, list[float]] = {EMPTY: [0.0]}
        for itemset in sorted(self.log_u, key=len):
            v = log_sum(pushed[itemset])
            for i, log_split in self.problem.node(itemset).log_splits.items():
                for value in (0, 1):
                    sibling = self.log_u[itemset | {(i, 1 - value)}]
                    pushed.setdefault(itemset | {(i, value)}, []).append(v + log_split + sibling)
        return {itemset: log_sum(terms) for itemset, terms in pushed.items()}

    def outside_by_pull(self) -> dict[Itemset, float]:
        """The same, each itemset from those with one item less.

        >>> lattice = Lattice(WORKED)
        >>> all(abs(lattice.log_v[I] - v) < 1e-12 for I, v in lattice.outside_by_pull().items())
        True
        """
        result: dict[Itemset, float] = {}
        for itemset in sorted(self.log_u, key=len):
            terms = [] if itemset else [0.0]
            for i, value in itemset:
                parent = itemset - {(i, value)}
                if parent in self.log_u and i in self.problem.node(parent).log_splits:
                    sibling = self.log_u[parent | {(i, 1 - value)}]
                    terms.append(self.problem.node(parent).log_splits[i] + sibling + result[parent])
            result[itemset] = log_sum(terms)
        return result

    def most_probable(self) -> tuple[float, Tree]:
        """Greatest ln(prior · likelihood), and a tree that reaches it: a leaf or the first column among equals."""
        memo: dict[Itemset, tuple[float, Tree]] = {}

        def best(itemset: Itemset) -> tuple[float, Tree]:
            if itemset not in memo:
                node = self.problem.node(itemset)
                result: tuple[float, Tree] = (node.log_v_leaf, None)
                for i, log_split in node.log_splits.items():
                    sides = [best(itemset | {(i, value)}) for value in (0, 1)]
                    value = log_split + sides[0][0] + sides[1][0]
                    if value > result[0]:
                        result = value, (i, (sides[0][1], sides[1][1]))
                memo[itemset] = result
            return memo[itemset]

        return best(EMPTY)

    def least_error(self) -> tuple[int, Tree]:
        """Fewest errors, and a tree that reaches them: a leaf or the first column among equals."""
        memo: dict[Itemset, tuple[int, Tree]] = {}

        def best(itemset: Itemset) -> tuple[int, Tree]:
            if itemset not in memo:
                node = self.problem.node(itemset)
                result: tuple[int, Tree] = (node.errors, None)
                for i in node.log_splits:
                    sides = [best(itemset | {(i, value)}) for value in (0, 1)]
                    if sides[0][0] + sides[1][0] < result[0]:
                        result = sides[0][0] + sides[1][0], (i, (sides[0][1], sides[1][1]))
                memo[itemset] = result
            return memo[itemset]

        return best(EMPTY)

    def log_w(self, itemset: Itemset) -> list[float]:
        """ln w_c(I) = ln W_c(I) + ln v(I): the rule of an itemset for each class."""
        node = self.problem.node(itemset)
        return [node.log_v_leaf + log(p) + self.log_v[itemset] for p in node.predictive]

    def log_q(self, x: Sequence[int]) -> list[float]:
        """ln q_c(x): the sum of the rules of the itemsets of x."""
        rules = [self.log_w(itemset) for itemset in self.log_u if contains(x, itemset)]
        return [log_sum(column) for column in zip(*rules, strict=True)]

    def log_q_by_descent(self, x: Sequence[int], itemset: Itemset = EMPTY) -> list[float]:
        """The same by R_c: down the side that has x, u of the other.

        >>> lattice = Lattice(WORKED)
        >>> [round(math.exp(q - lattice.log_evidence), 6) for q in lattice.log_q_by_descent([1, 1])]
        [0.264884, 0.735116]
        """
        node = self.problem.node(itemset)
        terms = [[node.log_v_leaf + log(p) for p in node.predictive]]
        for i, log_split in node.log_splits.items():
            other = log_split + self.log_u[itemset | {(i, 1 - x[i])}]
            terms.append([other + r for r in self.log_q_by_descent(x, itemset | {(i, x[i])})])
        return [log_sum(column) for column in zip(*terms, strict=True)]

    def predict(self, x: Sequence[int]) -> list[float]:
        """P(c|x) = q_c / Σ q."""
        logs = self.log_q(x)
        return [math.exp(q - log_sum(logs)) for q in logs]

    def explanation(self, x: Sequence[int]) -> dict[Itemset, list[float]]:
        """w_c(I)/u(∅) for each itemset of x."""
        return {
            itemset: [math.exp(w - self.log_evidence) for w in self.log_w(itemset)]
            for itemset in self.log_u
            if contains(x, itemset)
        }

    def leaf_marginals(self) -> dict[Itemset, float]:
        """P(I is a leaf|y) = V_leaf(I)·v(I)/u(∅)."""
        return {
            itemset: math.exp(self.problem.node(itemset).log_v_leaf + v - self.log_evidence)
            for itemset, v in self.log_v.items()
        }

    def split_marginals(self) -> dict[tuple[Itemset, int], float]:
        """P(I is split on i|y)."""
        return {
            (itemset, i): math.exp(
                v + log_split + self.log_u[itemset | {(i, 0)}] + self.log_u[itemset | {(i, 1)}] - self.log_evidence
            )
            for itemset, v in self.log_v.items()
            for i, log_split in self.problem.node(itemset).log_splits.items()
        }

    def inclusion(self, columns: Iterable[int]) -> float:
        """Chance that the tree tests one of these columns: 1 less the share of the trees that do without them."""
        return -math.expm1(self.inside(without=columns)[EMPTY] - self.log_evidence)

    def test_inclusion(self) -> list[float]:
        return [self.inclusion([i]) for i in range(self.problem.n_columns)]

    def feature_inclusion(self) -> list[float]:
        return [self.inclusion(columns) for columns in columns_of_features(self.problem)]

    def expected_tests(self) -> list[float]:
        return [
            math.fsum(p for (_, column), p in self.split_marginals().items() if column == i)
            for i in range(self.problem.n_columns)
        ]

    def expected_leaves(self) -> float:
        return math.fsum(self.leaf_marginals().values())

    def table(self, names: Sequence[str]) -> Iterator[str]:
        """The lattice as lines of text."""
        for itemset in sorted(self.log_u, key=lambda items: (len(items), [(i, -value) for i, value in sorted(items)])):
            node = self.problem.node(itemset)
            figures = [node.log_m, node.log_v_leaf, self.log_u[itemset], self.log_v[itemset]]
            p_intern = f"{math.exp(next(iter(node.log_splits.values()))):.6f}" if node.log_splits else "–"
            yield " ".join(
                [
                    "".join(("" if value else "¬") + names[i] for i, value in sorted(itemset)) or "∅",
                    ",".join(map(str, node.counts)),
                    str(len(node.log_splits)),
                    f"{math.exp(node.log_leaf):.6f}",
                    p_intern,
                    *(f"{math.exp(figure):.6f}" for figure in figures),
                ]
            )


def replace_options(problem: Problem, **options) -> Problem:
    """The same cases with other options."""
    given = {name: value for name, value in vars(problem).items() if name != "nodes"}
    return Problem(**given | options)


# The worked example: columns A and B.
WORKED = Problem([[1, 1], [1, 0], [1, 1], [0, 1], [0, 0], [0, 1]], [1, 1, 1, 0, 0, 1], 2, max_depth=2)


@dataclass(frozen=True)
class Counted:
    """How many cases have an itemset, and of each class."""

    support: int
    counts: tuple[int, ...]


def frequent_itemsets(
    rows: Sequence[Sequence[int]],
    classes: Sequence[int],
    n_classes: int,
    min_support: int = 1,
    negative: bool = False,
    min_size: int = 1,
    max_size: int | None = None,
) -> dict[Itemset, Counted]:
    """Itemsets that `min_support` cases have; of columns that are 1, or with `negative` of those that are 0 too.

    >>> for itemset, counted in frequent_itemsets([[1, 1], [1, 0], [1, 1]], [0, 1, 1], 2, min_support=2).items():
    ...     print(sorted(itemset), counted.support, counted.counts)
    [(0, 1)] 3 (1, 2)
    [(1, 1)] 2 (1, 1)
    [(0, 1), (1, 1)] 2 (1, 1)
    """
    n_columns = len(rows[0])
    items = [(i, value) for i in range(n_columns) for value in ((1, 0) if negative else (1,))]
    result = {}
    for size in range(min_size, (n_columns if max_size is None else min(max_size, n_columns)) + 1):
        for itemset in map(frozenset, combinations(items, size)):
            covered = [c for row, c in zip(rows, classes, strict=True) if contains(row, itemset)]
            if len(covered) >= min_support:
                result[itemset] = Counted(len(covered), tuple(covered.count(c) for c in range(n_classes)))
    return result


def closed_itemsets(
    rows: Sequence[Sequence[int]],
    classes: Sequence[int],
    n_classes: int,
    min_support: int = 1,
    negative: bool = False,
    min_size: int = 1,
    max_size: int | None = None,
) -> dict[Itemset, Counted]:
    """Frequent itemsets with no greater one of the same support.

    >>> closed = closed_itemsets([[1, 1], [1, 0], [1, 1]], [0, 1, 1], 2, min_support=2)
    >>> [sorted(itemset) for itemset in closed]
    [[(0, 1)], [(0, 1), (1, 1)]]
    """
    frequent = frequent_itemsets(rows, classes, n_classes, min_support, negative, min_size=0)
    closed = {
        itemset: counted
        for itemset, counted in frequent.items()
        if not any(itemset < other and counted.support == frequent[other].support for other in frequent)
    }
    return of_size(closed, min_size, max_size)


def maximal_itemsets(
    rows: Sequence[Sequence[int]],
    classes: Sequence[int],
    n_classes: int,
    min_support: int = 1,
    negative: bool = False,
    min_size: int = 1,
    max_size: int | None = None,
) -> dict[Itemset, Counted]:
    """Frequent itemsets with no greater one that is frequent.

    >>> maximal = maximal_itemsets([[1, 1], [1, 0], [1, 1]], [0, 1, 1], 2, min_support=3)
    >>> [sorted(itemset) for itemset in maximal]
    [[(0, 1)]]
    """
    frequent = frequent_itemsets(rows, classes, n_classes, min_support, negative, min_size=0)
    maximal = {
        itemset: counted for itemset, counted in frequent.items() if not any(itemset < other for other in frequent)
    }
    return of_size(maximal, min_size, max_size)


def of_size(itemsets: Mapping[Itemset, Counted], min_size: int, max_size: int | None) -> dict[Itemset, Counted]:
    return {
        itemset: counted
        for itemset, counted in itemsets.items()
        if min_size <= len(itemset) and (max_size is None or len(itemset) <= max_size)
    }
