"""Cases made from several trees at once, so that different trees are best for different cases (Nijssen 2008)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.tables.arrays import dataset_from_arrays
from ctree.errors import DataError

Bits = npt.NDArray[np.bool_]
Leaves = npt.NDArray[np.int64]

MAX_TRIES = 1000


@dataclass(frozen=True)
class CompleteTree:
    """A tree all of whose leaves have the same depth.

    Parameters
    ----------
    depth : int
    attributes : int array
        What each inner node tests, level by level: the branches of node i are nodes 2 i + 1 and 2 i + 2.
    """

    depth: int
    attributes: npt.NDArray[np.int64]

    @classmethod
    def drawn(cls, depth: int, n_attributes: int, rng: np.random.Generator) -> CompleteTree:
        """Each node tests one of the attributes that are not tested above it, each as likely as the others."""
        attributes = np.zeros(2**depth - 1, dtype=np.int64)
        for node in range(len(attributes)):
            above = set()
            up = node
            while up:
                up = (up - 1) // 2
                above.add(int(attributes[up]))
            attributes[node] = rng.choice([a for a in range(n_attributes) if a not in above])
        return cls(depth, attributes)

    def leaf_of(self, table: Bits) -> Leaves:
        """The leaf of each row, from 0 to 2^depth - 1; the sibling of leaf i is i XOR 1."""
        node = np.zeros(len(table), dtype=np.int64)
        rows = np.arange(len(table))
        for _ in range(self.depth):
            node = 2 * node + 1 + table[rows, self.attributes[node]]
        return np.asarray(node - (2**self.depth - 1), dtype=np.int64)


def cases_of_trees(
    n_trees: int, depth: int, n_attributes: int, n_cases: int, min_cases: int, rng: np.random.Generator
) -> Dataset:
    """Random 0/1 cases of two classes, which are assigned leaf by leaf of one tree after the other.

    Whoever's turn it is, the leaf of that tree with the most cases without a class gives them one: the other class than
    most cases of its sibling have, or any if these have none or as many of both. Every leaf of every tree has at least
    `min_cases` cases.

    Examples
    --------
    >>> import numpy as np
    >>> data = cases_of_trees(1, 2, 4, 100, 5, np.random.default_rng(0))
    >>> data.n_cases, len(data.schema)
    (100, 4)
    """
    trees = [CompleteTree.drawn(depth, n_attributes, rng) for _ in range(n_trees)]
    for _ in range(MAX_TRIES):
        table = rng.random((n_cases, n_attributes)) < 0.5
        leaves = [tree.leaf_of(table) for tree in trees]
        if all(np.bincount(leaf, minlength=2**depth).min() >= min_cases for leaf in leaves):
            return dataset_from_arrays(table.astype(np.float64), assigned(leaves, 2**depth, rng))
    raise DataError(
        f"{n_cases} cases leave fewer than {min_cases} in some of the {2**depth} leaves of {n_trees} trees, however "
        "often they are drawn"
    )


def assigned(leaves: list[Leaves], n_leaves: int, rng: np.random.Generator) -> npt.NDArray[Any]:
    """The class of each case, 0 or 1, from the leaf that it has in each tree."""
    classes = np.full(len(leaves[0]), -1)
    turn = 0
    while (classes < 0).any():
        leaf = leaves[turn % len(leaves)]
        largest = int(np.bincount(leaf[classes < 0], minlength=n_leaves).argmax())
        beside = classes[leaf == (largest ^ 1)]
        ones, zeros = int((beside == 1).sum()), int((beside == 0).sum())
        chosen = int(rng.integers(2)) if ones == zeros else int(ones < zeros)
        classes[(leaf == largest) & (classes < 0)] = chosen
        turn += 1
    return classes
