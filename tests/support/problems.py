"""Random learning problems, and trees of the kernels in the form of the naive version."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from naive.release8_grow import Grower as NaiveGrower
from naive.release8_grow import Node
from naive.release8_numbers import f

from ctree import Attribute, Dataset, Kind, Schema
from ctree_ext.base.cases import CaseTable
from ctree_ext.base.node_arrays import NodeArrays
from ctree_ext.grow.gain_ratio_grower import GainRatioGrower
from ctree_ext.prune.release8 import Pruner, collapse, drop_impossible_values

KINDS = ("leaf", "threshold", "values", "groups")


@dataclass
class Problem:
    """Cases as the naive version takes them: a list a column, None for unknown; no values for a continuous one."""

    columns: list[list | None]
    n_values: list[int]
    classes: list[int]
    n_classes: int

    @property
    def arguments(self) -> tuple:
        return self.columns, self.n_values, self.classes, self.n_classes

    @property
    def arrays(self) -> list[np.ndarray | None]:
        return [column_array(column, n) for column, n in zip(self.columns, self.n_values, strict=True)]

    def table(self, weights=None, single=True) -> CaseTable:
        classes = np.array(self.classes, dtype=np.int32)
        weights = None if weights is None else np.array(weights, dtype=np.float64)
        return CaseTable(self.arrays, self.n_values, classes, self.n_classes, weights, single)

    def dataset(self, weights=None) -> Dataset:
        return Dataset(self.schema, self.arrays, self.classes, weights, n_cases=len(self.classes))

    @property
    def schema(self) -> Schema:
        attributes = []
        for a, (column, n) in enumerate(zip(self.columns, self.n_values, strict=True)):
            kind = Kind.IGNORE if column is None else Kind.DISCRETE if n else Kind.CONTINUOUS
            values = tuple(f"v{v}" for v in range(n)) if kind is Kind.DISCRETE else ()
            attributes.append(Attribute(f"a{a}", kind, values))
        return Schema(tuple(attributes), tuple(f"c{c}" for c in range(self.n_classes)))

    @property
    def cases(self) -> list[list]:
        n = len(self.classes)
        return [[None if column is None else column[i] for column in self.columns] for i in range(n)]


def column_array(column: list | None, n_values: int) -> np.ndarray | None:
    if column is None:
        return None
    if n_values:
        return np.array([-1 if value is None else value for value in column], dtype=np.int32)
    return np.array([np.nan if value is None else value for value in column], dtype=np.float64)


def random_problem(
    seed: int, n: int, n_classes: int, n_values: list[int | None], unknown: float = 0.0, noise: float = 0.2
) -> Problem:
    """A noisy concept of the first attributes; 0 values make a continuous attribute with ties, None an ignored one."""
    rng = np.random.default_rng(seed)
    columns: list[list | None] = []
    score = np.zeros(n)
    for a, size in enumerate(n_values):
        if size is None:
            columns.append(None)
            continue
        if size:
            column = rng.integers(size, size=n)
            effect = rng.normal(size=size)[column]
        else:
            # Coarse steps make ties; the fine ones make cuts that a 32-bit float only just tells apart.
            steps = int(rng.choice([3, 10, 100]))
            scale = float(rng.choice([1.0, 0.1, 1e-5, 1000.0]))
            column = (rng.integers(steps, size=n) - steps // 3) * scale
            effect = np.sin(column / scale * 6 / steps)
        score += effect * 0.6**a
        columns.append([None if rng.random() < unknown else x for x in column.tolist()])
    bounds = np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1])
    classes = np.searchsorted(bounds, score)
    noisy = rng.random(n) < noise
    classes[noisy] = rng.integers(n_classes, size=int(noisy.sum()))
    return Problem(columns, [size or 0 for size in n_values], classes.tolist(), n_classes)


def with_whole_numbers(problem: Problem) -> Problem:
    """The same with even numbers for those of continuous attributes: sums and halves of them are exact anywhere."""
    columns = []
    for column, n in zip(problem.columns, problem.n_values, strict=True):
        if column is not None and n == 0:
            ranks = {value: 2.0 * rank for rank, value in enumerate(sorted({v for v in column if v is not None}))}
            column = [None if v is None else ranks[v] for v in column]
        columns.append(column)
    return Problem(columns, *problem.arguments[1:])


def repeated(problem: Problem, times: np.ndarray) -> Problem:
    """The problem with each case as often as said."""
    rows = np.repeat(np.arange(len(times)), times)
    columns = [None if c is None else [c[i] for i in rows] for c in problem.columns]
    return Problem(columns, problem.n_values, [problem.classes[i] for i in rows], problem.n_classes)


@st.composite
def problems(draw, most_cases: int = 60, most_unknown: float = 0.4) -> Problem:
    """Mixed data with ties, some values unknown, two to five classes."""
    sizes = st.one_of(st.just(0), st.integers(1, 6), st.sampled_from([0, 2, 3, None]))
    return random_problem(
        seed=draw(st.integers(0, 2**32 - 1)),
        n=draw(st.integers(1, most_cases)),
        n_classes=draw(st.integers(2, 5)),
        n_values=draw(st.lists(sizes, min_size=1, max_size=5)),
        unknown=min(draw(st.sampled_from([0.0, 0.0, 0.05, 0.2, most_unknown])), most_unknown),
        noise=draw(st.sampled_from([0.0, 0.1, 0.4])),
    )


growing_options = st.fixed_dictionaries(
    {"min_cases": st.sampled_from([1, 2, 2, 3, 5]), "gain_only": st.booleans(), "group_values": st.booleans()}
)


class UncollapsedGrower(NaiveGrower):
    """The naive version, but every test stays."""

    def split(self, *arguments):
        node = super().split(*arguments)
        node.errors = -math.inf  # less than any leaf's
        return node

    def whole_tree(self) -> Node:
        """The tree for all cases; the errors of a node are those it would make as a leaf."""
        root = self.grow()
        waiting = [root]
        while waiting:
            node = waiting.pop()
            node.errors = f(node.cases - node.counts[node.cls])
            waiting.extend(node.branches)
        return root


def naive_options(options: dict) -> dict:
    """Options of the kernel as the naive version spells them."""
    return {("subset" if name == "group_values" else name): value for name, value in options.items()}


def as_nodes(problem: Problem, arrays: NodeArrays) -> Node:
    """The arrays of a tree as nodes of the naive version."""
    nodes: list[Node] = []
    for i in range(len(arrays.test)):
        kind = KINDS[arrays.test[i]]
        counts, cases, errors = (getattr(arrays, name)[i].tolist() for name in ("counts", "cases", "errors"))
        node = Node(kind, int(arrays.best[i]), counts, cases, errors)
        if kind != "leaf":
            node.attribute = int(arrays.attribute[i])
        if kind == "threshold":
            node.threshold = float(arrays.threshold[i])
        nodes.append(node)
    for i, node in enumerate(nodes):
        n_branches, first = int(arrays.n_branches[i]), int(arrays.first_branch[i])
        node.branches = nodes[first : first + n_branches] if n_branches else []
        if node.kind == "groups":
            start = int(arrays.group_start[i])
            branch_of = arrays.group[start : start + problem.n_values[node.attribute]].tolist()
            node.groups = [tuple(v for v, b in enumerate(branch_of) if b == branch) for branch in range(n_branches)]
    return nodes[0]


def grown(problem: Problem, *, weights=None, single=True, **options) -> tuple[NodeArrays, np.ndarray | None]:
    """The arrays of the collapsed tree, and the order in which growing left the cases."""
    grower = GainRatioGrower(problem.table(weights, single), **options)
    return collapse(grower.grow(), problem.n_classes, single), grower.order


def pruned(
    problem: Problem, *, weights=None, single=True, confidence=0.25, subtree_raising=True, **options
) -> NodeArrays:
    """The arrays of the pruned tree, less the values that cannot occur."""
    arrays, order = grown(problem, weights=weights, single=single, **options)
    pruner = Pruner(problem.table(weights, single), confidence=confidence, subtree_raising=subtree_raising)
    n_values = np.array(problem.n_values, dtype=np.int32)
    return drop_impossible_values(pruner.prune(arrays, order), problem.n_classes, n_values)


GOLF = Problem(
    columns=[
        [0, 0, 1, 2, 2, 2, 1, 0, 0, 2, 0, 1, 1, 2],
        [85.0, 80.0, 83.0, 70.0, 68.0, 65.0, 64.0, 72.0, 69.0, 75.0, 75.0, 72.0, 81.0, 71.0],
        [85.0, 90.0, 78.0, 96.0, 80.0, 70.0, 65.0, 95.0, 70.0, 80.0, 70.0, 90.0, 75.0, 80.0],
        [1, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 0],
    ],
    n_values=[3, 0, 0, 2],
    classes=[1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1],
    n_classes=2,
)
"""Play (0) or not (1) by outlook (sunny, overcast, rain), temperature, humidity and windy (true, false)."""
