"""NodeArrays: a tree as flat arrays, which kernels return and take, and which nobody can write to."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Places = npt.NDArray[np.intp]


class Test:
    """What a node asks, as the numbers of `NodeArrays.test`.

    Not an enumeration: to compare a member with an array or with a number of its own, numpy looks for attributes of the
    member's class, which for an enumeration is Python code, and drops every exception raised there, even Ctrl-C.
    """

    LEAF = 0
    THRESHOLD = 1  # x <= threshold, then x > threshold
    VALUES = 2  # a branch per value
    GROUPS = 3  # a branch per group of values


DTYPES: dict[str, Any] = {
    "test": np.int8,
    "attribute": np.int32,
    "threshold": np.float64,
    "first_branch": np.int32,
    "n_branches": np.int32,
    "group_start": np.int64,
    "group": np.int32,
    "best": np.int32,
    "cases": np.float64,
    "errors": np.float64,
    "counts": np.float64,
    "probabilities": np.float64,
    "lower": np.float64,
    "upper": np.float64,
    "n_tests": np.int64,
}
"""The type of each array, in the order of the fields."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NodeArrays:
    """The nodes of a tree: in every array one entry a node, but for `group`.

    Nodes are numbered from the root, 0, level by level; the branches of a node follow each other. Whatever is given is
    copied into immutable bytes, unless it is such an array already.

    Parameters
    ----------
    test : int8
        What the node asks, a `Test`.
    attribute : int32
        The attribute that is tested, -1 in leaves.
    threshold : float64
        0 where there is none.
    first_branch, n_branches : int32
        The first branch, -1 in leaves, and how many there are.
    group_start : int64
        Where in `group` the values of a test of groups begin, in the order of the nodes.
    group : int32
        Of each value of such tests the branch it belongs to, -1 for none.
    best : int32
        The class that the node would predict.
    cases, errors : float64
        The weight of the training cases, and of those in error.
    counts : float64 (nodes, classes)
        The weight of each class.
    probabilities : float64 (nodes, classes), optional
        What the leaf estimate made of the counts.
    lower, upper : float64, optional
        The bounds around soft thresholds, 0 where there is none.
    n_tests : int64, optional
        How many tests the node could have had, 0 where nobody counted.

    Examples
    --------
    >>> stump = NodeArrays(
    ...     test=[1, 0, 0], attribute=[0, -1, -1], threshold=[2.5, 0, 0], first_branch=[1, -1, -1],
    ...     n_branches=[2, 0, 0], group_start=[-1, -1, -1], group=[], best=[0, 0, 1], cases=[5, 3, 2],
    ...     errors=[2, 0, 0], counts=[[3, 2], [3, 0], [0, 2]],
    ... )
    >>> len(stump), stump.parents().tolist(), stump.depths().tolist()
    (3, [-1, 0, 0], [0, 1, 1])
    >>> stump.collapsed(np.array([True, False, False])).counts.tolist()
    [[3.0, 2.0]]
    """

    test: npt.NDArray[np.int8]
    attribute: Ints
    threshold: Floats
    first_branch: Ints
    n_branches: Ints
    group_start: npt.NDArray[np.int64]
    group: Ints
    best: Ints
    cases: Floats
    errors: Floats
    counts: Floats
    probabilities: Floats | None = None
    lower: Floats | None = None
    upper: Floats | None = None
    n_tests: npt.NDArray[np.int64] | None = None

    def __repr__(self) -> str:
        return f"<NodeArrays: {len(self)} nodes, {self.counts.shape[1]} classes>"

    def __post_init__(self) -> None:
        for name, dtype in DTYPES.items():
            values = getattr(self, name)
            if values is not None:
                object.__setattr__(self, name, frozen(values, dtype))

    def __len__(self) -> int:
        """The number of nodes."""
        return len(self.test)

    def __eq__(self, other: object) -> bool:
        """Whether all arrays are equal, bit for bit but for the sign of zeros."""
        if not isinstance(other, NodeArrays):
            return NotImplemented
        mine, theirs = self.by_name(), other.by_name()
        return mine.keys() == theirs.keys() and all(np.array_equal(mine[name], theirs[name]) for name in mine)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        # By way of the constructor: arrays come back from a pickle writable.
        return type(self), tuple(getattr(self, field.name) for field in fields(self))

    def by_name(self) -> dict[str, npt.NDArray[Any]]:
        """The arrays that are there, by name."""
        return {name: array for name in DTYPES if (array := getattr(self, name)) is not None}

    def replace(self, **arrays: npt.ArrayLike | None) -> Self:
        """The same tree with some of its arrays replaced; None takes an optional one away."""
        strange = arrays.keys() - DTYPES.keys()
        if strange:
            raise TypeError(f"a tree has no array '{min(strange)}'")
        # The constructor would look at all the others again, which counts where trees are small and many.
        result = object.__new__(type(self))
        for name, dtype in DTYPES.items():
            array: Any = arrays[name] if name in arrays else getattr(self, name)
            object.__setattr__(result, name, frozen(array, dtype) if name in arrays and array is not None else array)
        return result

    def parents(self) -> Places:
        """The parent of each node, -1 for the root."""
        return parents(self.n_branches)

    def depths(self) -> Ints:
        """How many tests stand above each node."""
        depths = np.zeros(len(self), dtype=np.int32)
        for depth, level in enumerate(levels(self.parents())):
            depths[level] = depth + 1
        return depths

    def collapsed(self, nodes: npt.NDArray[np.bool_]) -> Self:
        """The tree in which these nodes are leaves and what was below them is gone."""
        if not nodes.any():
            return self
        parent = self.parents()
        kept = np.ones(len(self), dtype=bool)
        for level in levels(parent):
            kept[level] = kept[parent[level]] & ~nodes[parent[level]]
        result: dict[str, Any] = {name: array[kept] for name, array in self.by_name().items() if name != "group"}
        leaf = nodes[kept]
        for name, value in (("test", 0), ("attribute", -1), ("threshold", 0.0), ("n_branches", 0)):
            result[name][leaf] = value
        n_branches = result["n_branches"]
        result["first_branch"] = np.where(n_branches > 0, 1 + np.cumsum(n_branches) - n_branches, -1)
        # the maps from values to branches, of the tests that are left
        lengths = self.group_lengths()
        stays = kept & ~nodes & (self.test == Test.GROUPS)
        maps = [self.group[s : s + n] for s, n in zip(self.group_start[stays], lengths[stays], strict=True)]
        result["group"] = np.concatenate(maps) if maps else np.empty(0, dtype=np.int32)
        result["group_start"] = np.full(len(leaf), -1, dtype=np.int64)
        result["group_start"][stays[kept]] = np.cumsum(lengths[stays]) - lengths[stays]
        return type(self)(**result)

    def group_lengths(self) -> npt.NDArray[np.int64]:
        """How many values the test of each node groups, 0 if it groups none; they stand in the order of the nodes."""
        lengths = np.zeros(len(self), dtype=np.int64)
        grouped = np.flatnonzero(self.test == Test.GROUPS)
        lengths[grouped] = np.diff(np.append(self.group_start[grouped], len(self.group)))
        return lengths


def frozen(values: npt.ArrayLike, dtype: Any) -> npt.NDArray[Any]:
    """The values as an array in immutable bytes: nobody can write to it, nor make it writable again.

    What was checked stays as it was, so a kernel may rely on it. The bytes of a read-only array that owns its data can
    be changed after `setflags(write=True)`.
    """
    array: npt.NDArray[Any] = np.ascontiguousarray(values, dtype=dtype)
    base: object = array.base
    return array if type(base) is bytes else np.ndarray(array.shape, array.dtype, array.tobytes())


def parents(n_branches: npt.ArrayLike) -> Places:
    """The parent of every node of a tree numbered level by level, from how many branches each has; -1 for the root.

    Examples
    --------
    >>> parents([2, 0, 2, 0, 0]).tolist()
    [-1, 0, 0, 2, 2]
    """
    n = np.asarray(n_branches)
    # The branches of all nodes follow each other.
    return np.concatenate([[-1], np.repeat(np.arange(len(n)), n)]).astype(np.intp)


def levels(parent: Places) -> list[slice]:
    """The nodes of each level below the root, from the top, given the parents of nodes numbered level by level.

    Examples
    --------
    >>> levels(np.array([-1, 0, 0, 2, 2]))
    [slice(1, 3, None), slice(3, 5, None)]
    """
    result = []
    start = 1
    while start < len(parent):
        # Where the level begins, the one above it ends: the next begins with the first node that has a parent here.
        end = int(np.searchsorted(parent, start))
        result.append(slice(start, end))
        start = end
    return result
