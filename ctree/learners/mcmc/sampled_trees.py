"""The trees that chains have drawn: in flat arrays, one by one as `Tree`s, and together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from ctree.data.binary_tests import BinaryTests
from ctree.data.dataset import Dataset
from ctree.data.schema import Schema
from ctree.tree.binary_tree import leaf_shares, tree_of_nodes
from ctree.tree.tree import Tree
from ctree_ext.mcmc.tree_store import TreeStore

if TYPE_CHECKING:
    from ctree_ext.mcmc.chain import Chain

TRACES = ("log_likelihood", "log_posterior", "leaves", "depth")
"""What is recorded of each draw, besides its tree."""


@dataclass(frozen=True)
class ChainRecord:
    """What there is of one chain besides its data: enough to predict, and to go on.

    Parameters
    ----------
    state : dict
        Where it is; see `ctree_ext.mcmc.chain.Chain.state`.
    traces, burn_in_traces : dict of str to array
        By name what was recorded of each draw, and of the steps before; ``tree`` is the place of a draw in the bank.
    bank : dict of str to array
        The different trees in a row: ``node_start``, ``leaf_start``, ``tests``, ``counts``.
    moves : dict of str to dict
        By move how often it was proposed, invalid and accepted.
    """

    state: dict[str, Any]
    traces: dict[str, npt.NDArray[Any]]
    burn_in_traces: dict[str, npt.NDArray[Any]]
    bank: dict[str, npt.NDArray[Any]]
    moves: dict[str, dict[str, int]]

    @classmethod
    def of(cls, chain: Chain) -> ChainRecord:
        return cls(chain.state(), chain.traces(), chain.traces(True), chain.stored_trees(), chain.moves)

    def is_of(self, chain: Chain) -> bool:
        """Whether the chain is still where it was recorded."""
        return (self.state["burnt_steps"], self.state["drawn_steps"]) == chain.progress[:2]

    @property
    def n_draws(self) -> int:
        return len(self.traces["tree"])

    @property
    def n_trees(self) -> int:
        return len(self.bank["node_start"]) - 1


class SampledTrees(Sequence[Tree]):
    """The trees of all chains, chain after chain, in the order in which they were drawn.

    A tree that was drawn several times stands there as often. Each is made a `Tree` when it is asked for.
    """

    def __init__(self, schema: Schema, levels: BinaryTests, alpha: float, records: Iterable[ChainRecord]) -> None:
        self._schema = schema
        self._levels = levels
        self._alpha = alpha
        self._banks = [record.bank for record in records]
        self._draws = [
            (c, int(tree)) for c, record in enumerate(records) for tree in record.traces["tree"].tolist() if tree >= 0
        ]
        self._made: tuple[tuple[int, int], Tree] | None = None

    def __len__(self) -> int:
        return len(self._draws)

    @overload
    def __getitem__(self, index: int) -> Tree: ...
    @overload
    def __getitem__(self, index: slice) -> list[Tree]: ...
    def __getitem__(self, index: int | slice) -> Tree | list[Tree]:
        if isinstance(index, slice):
            return [self._tree(*draw) for draw in self._draws[index]]
        return self._tree(*self._draws[index])

    def __iter__(self) -> Iterator[Tree]:
        return (self._tree(*draw) for draw in self._draws)

    def __repr__(self) -> str:
        return f"<SampledTrees: {len(self)} trees, {len(set(self._draws))} of them different in their chain>"

    def _tree(self, chain: int, place: int) -> Tree:
        # The same tree often comes several times in a row. Another thread may put another tree there at any time.
        made = self._made
        if made is None or made[0] != (chain, place):
            bank = self._banks[chain]
            nodes = slice(bank["node_start"][place], bank["node_start"][place + 1])
            leaves = slice(bank["leaf_start"][place], bank["leaf_start"][place + 1])
            tree = tree_of_nodes(self._levels, bank["tests"][nodes], bank["counts"][leaves], self._alpha)
            self._made = made = ((chain, place), tree)
        return made[1]


class Forest:
    """The trees of all chains, ready to say together what they think of cases."""

    def __init__(self, levels: BinaryTests, alpha: float, records: Sequence[ChainRecord]) -> None:
        self.records = records
        self._levels = levels
        banks = [record.bank for record in records]
        starts = [0, *np.cumsum([record.n_trees for record in records]).tolist()]
        self.trees_of_draws = [
            start + record.traces["tree"] for start, record in zip(starts[:-1], records, strict=True) if record.n_draws
        ]
        all_draws = np.concatenate([np.empty(0, dtype=np.int64), *self.trees_of_draws])
        self.n_draws = len(all_draws)
        self._weights = np.bincount(all_draws, minlength=starts[-1]) / max(self.n_draws, 1)
        self._bank = TreeStore(
            _joined([bank["node_start"] for bank in banks]),
            _joined([bank["leaf_start"] for bank in banks]),
            np.concatenate([bank["tests"] for bank in banks]),
            leaf_shares(np.concatenate([bank["counts"] for bank in banks]), alpha),
            levels.attribute,
            levels.level,
            levels.ordered,
        )

    def probabilities(self, data: Dataset) -> npt.NDArray[np.float64]:
        """The mean of what the drawn trees say, (cases, classes)."""
        sums, _ = self._bank.sums(self._levels.of(data), self._weights)
        return np.asarray(sums / sums.sum(axis=1, keepdims=True))

    def votes(self, data: Dataset) -> npt.NDArray[np.int32]:
        """The class that each drawn tree gives each case, (chains, draws, cases)."""
        return self._by_draw(self._bank.best(self._levels.of(data)))

    def draws_of(self, data: Dataset, class_: int) -> npt.NDArray[np.float64]:
        """The probability that each drawn tree gives a class, (chains, draws, cases)."""
        return self.draws_of_levels(self._levels.of(data), class_)

    def draws_of_levels(self, levels: npt.NDArray[np.int32], class_: int) -> npt.NDArray[np.float64]:
        """The same for cases that are coded already."""
        return self._by_draw(self._bank.probabilities_of(levels, class_))

    def _by_draw(self, of_trees: npt.NDArray[Any]) -> npt.NDArray[Any]:
        # chains that were stopped may be of different lengths
        n = min((len(draws) for draws in self.trees_of_draws), default=0)
        return np.stack([of_trees[draws[:n]] for draws in self.trees_of_draws])


def _joined(starts: list[npt.NDArray[np.int64]]) -> npt.NDArray[np.int64]:
    """Where trees begin, when what they begin in is put in a row."""
    parts, end = [np.zeros(1, dtype=np.int64)], 0
    for start in starts:
        parts.append(start[1:] + end)
        end += int(start[-1])
    return np.concatenate(parts)
