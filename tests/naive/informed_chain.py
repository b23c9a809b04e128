"""Moves that weigh all tests of a node, from their definitions alone: every proposal with its chance and its ratio.

A way is named by its move and the path to its node; the way back has the same name. See `tree_chain` for trees.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from naive.tree_chain import INVALID, Path, Problem, Tree, n_leaves, node_at, nodes, replaced, retested, swapped

MOVES = ("swap", "redraw", "retest", "regrow")
MOST_GAIN = 6.0
LEAST_SPLIT, MOST_SPLIT = 0.005, 0.98
PURE = 0.125


@dataclass
class Informed(Problem):
    """A problem whose chain swaps, redraws, retests and regrows, with these probabilities.

    `others` are those of birth, death, change-split and change-rule, which are not listed here.
    """

    chances: tuple[float, ...] = (0.1, 0.6, 0.2, 0.1)
    others: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0)

    def __post_init__(self):
        super().__post_init__()
        for name in ("log_posterior", "weighed", "growths", "counts", "weight", "log_m"):
            setattr(self, name, cache(getattr(self, name)))

    # what is proposed

    def move_chances(self, tree: Tree) -> dict[str, float]:
        """The chance of each move; what a tree has no place for, redraw gets."""
        inner = [node for _, node in nodes(tree) if node is not None]
        twigs = [node for node in inner if node[1] is None and node[2] is None]
        result = dict(zip(MOVES, self.chances, strict=True))
        without = {"swap": len(inner) < 2, "retest": len(inner) == len(twigs), "regrow": not inner}
        for move, lacks in without.items():
            if lacks:
                result["redraw"] += result[move]
                result[move] = 0.0
        if not inner:
            result["redraw"] += math.fsum(self.others[1:])
        return result

    def sites(self, tree: Tree) -> dict[Path, float]:
        """The leaves and twigs, each with its share among them."""
        result = {}
        for path, node in nodes(tree):
            cases = self.cases_at(tree, path)
            if node is not None and node[1] is None and node[2] is None:
                result[path] = 1.0
            elif (
                node is None
                and self.weight(cases) >= 2 * self.min_cases
                and (self.max_depth is None or len(path) < self.max_depth)
            ):
                result[path] = PURE if sum(n > 0 for n in self.counts(cases)) == 1 else 1.0
        total = math.fsum(result.values())
        return {path: share / total for path, share in result.items()}

    def named_ways(self, tree: Tree) -> Iterator[tuple[tuple[str, Path], float, Tree | str]]:
        """Every proposal: move and path, chance, and where it leads."""
        chances = self.move_chances(tree)
        inner = [path for path, node in nodes(tree) if node is not None]
        for path in inner[1:]:
            yield ("swap", path), chances["swap"] / (len(inner) - 1), swapped(tree, path)
        sites = self.sites(tree)
        for path, share in sites.items():
            yield from self._redraws(tree, path, chances["redraw"] * share)
        if not sites:
            yield ("redraw", ()), chances["redraw"], INVALID
        higher = [path for path in inner if node_at(tree, path)[1:] != (None, None)]
        for path in higher:
            yield from self._retests(tree, path, chances["retest"] / len(higher))
        for path in inner:
            for grown, chance in self.growths(self.cases_at(tree, path), len(path), True):
                yield ("regrow", path), chances["regrow"] / len(inner) * chance, replaced(tree, path, grown)

    def _redraws(self, tree: Tree, path: Path, chance: float) -> Iterator[tuple[tuple[str, Path], float, Tree | str]]:
        """What else a leaf or a twig could be, in proportion to the posterior; by Chipman's prior but for what the
        leaves of the twig could still become."""
        cases, now, at = self.cases_at(tree, path), node_at(tree, path), len(path)
        splits = [self.gamma * (1 + d) ** -self.delta for d in (at, at + 1)]
        others: list[Tree] = [None]
        if n_leaves(replaced(tree, path, None)) < self.max_leaves:
            others += [(t, None, None) for t in self.valid_here(cases, at)]
        logs = {}
        for other in others:
            if self.prior != "chipman":
                logs[other] = self.log_posterior(replaced(tree, path, other))
            elif other is None:
                logs[other] = self.power * self.log_m(cases) + math.log1p(-splits[0])
            else:
                by_test = math.log(self.test_chance(other[0], self.valid_tests(cases, at)))
                below = self.power * math.fsum(self.log_m(leaf) for leaf in self.leaves(other, cases))
                logs[other] = below + by_test + math.log(splits[0]) + 2 * math.log1p(-splits[1])
        yield from self._drawn(tree, ("redraw", path), chance, logs, now)

    def _retests(self, tree: Tree, path: Path, chance: float) -> Iterator[tuple[tuple[str, Path], float, Tree | str]]:
        logs = {t: math.log(w) for t, w in self.weighed(self.cases_at(tree, path), len(path))[0].items()}
        yield from self._drawn(tree, ("retest", path), chance, logs, node_at(tree, path)[0])

    def _drawn(self, tree, name, chance, logs, now):
        """One of those of which these are logs of weights, but not the present one."""
        rest = {other: math.exp(log - max(logs.values())) for other, log in logs.items() if other != now}
        total = math.fsum(rest.values())
        for other, weight in rest.items():
            new = retested(tree, name[1], other) if isinstance(other, int) else replaced(tree, name[1], other)
            yield name, chance * weight / total, new if self.allowed(new) else INVALID
        if not rest:
            yield name, chance, INVALID

    def valid_here(self, cases: int, at: int) -> list[int]:
        """The tests that leave enough cases on both sides, whatever the prior."""
        return [
            t
            for t, (_, members) in enumerate(self.tests)
            if min(self.weight(cases & members), self.weight(cases & ~members)) >= self.min_cases
            and (self.max_depth is None or at < self.max_depth)
        ]

    def weighed(self, cases: int, at: int) -> tuple[dict[int, float], float]:
        """By test its share, tempered by how much the best gains; and the chance that a node is split at all."""
        valid = self.valid_here(cases, at)
        if not valid:
            return {}, 0.0
        none = self.log_m(cases)
        gains = {t: math.fsum(self.log_m(leaf) for leaf in self.leaves((t, None, None), cases)) - none for t in valid}
        most = max(0.0, *gains.values())
        power = MOST_GAIN / most if self.power * most > MOST_GAIN else self.power
        prior = {t: self.test_chance(t, self.valid_tests(cases, at)) for t in valid}
        weights = {t: prior[t] * math.exp(power * gain) for t, gain in gains.items()}
        total = math.fsum(weights.values())
        odds = total * math.exp(max(0.0, self.power * most - MOST_GAIN))
        if self.prior == "chipman":
            here, below = (self.gamma * (1 + d) ** -self.delta for d in (at, at + 1))
            odds *= here * (1 - below) ** 2 / (1 - here)
        elif self.prior == "denison":
            odds /= 4
        shares = {t: weight / total for t, weight in weights.items()}
        return shares, min(max(odds / (1 + odds), LEAST_SPLIT), MOST_SPLIT)

    def growth(self, tree: Tree, cases: int, at: int, top: bool) -> float:
        """The chance that this subtree is grown from these cases."""
        shares, split = self.weighed(cases, at)
        if tree is None:
            return 1 - split
        test, yes, no = tree
        members = self.tests[test][1]
        below = self.growth(yes, cases & members, at + 1, False) * self.growth(no, cases & ~members, at + 1, False)
        return (1.0 if top else split) * shares[test] * below

    def growths(self, cases: int, at: int, top: bool) -> list[tuple[Tree, float]]:
        """Every subtree that can be grown from these cases, with its chance."""
        shares, split = self.weighed(cases, at)
        result: list[tuple[Tree, float]] = [] if top else [(None, 1 - split)]
        for test, share in shares.items():
            members = self.tests[test][1]
            for yes, one in self.growths(cases & members, at + 1, False):
                for no, other in self.growths(cases & ~members, at + 1, False):
                    result.append(((test, yes, no), (1.0 if top else split) * share * one * other))
        return result

    # what becomes of it

    def gathered(self, tree: Tree) -> dict[tuple[tuple[str, Path], Tree | str], float]:
        """By name and tree the chance."""
        result: dict = {}
        for name, chance, new in self.named_ways(tree):
            result[name, new] = result.get((name, new), 0.0) + chance
        return result

    def log_ratio(self, tree: Tree, name: tuple[str, Path], new: Tree) -> float:
        """ln R of going from a tree to another by a way of this name, in full."""
        there, back = self.chance(tree, name, new), self.chance(new, name, tree)
        return self.log_posterior(new) - self.log_posterior(tree) + math.log(back) - math.log(there)

    def chance(self, tree: Tree, name: tuple[str, Path], new: Tree) -> float:
        """Of one proposal, without listing all that could be grown."""
        move, path = name
        if move == "regrow":
            inner = sum(node is not None for _, node in nodes(tree))
            grown = self.growth(node_at(new, path), self.cases_at(tree, path), len(path), True)
            return self.move_chances(tree)["regrow"] / inner * grown
        if move == "redraw":
            ways = self._redraws(tree, path, self.move_chances(tree)["redraw"] * self.sites(tree)[path])
        elif move == "retest":
            inner = [node for _, node in nodes(tree) if node is not None]
            higher = sum(node[1:] != (None, None) for node in inner)
            ways = self._retests(tree, path, self.move_chances(tree)["retest"] / higher)
        else:
            inner = [node for _, node in nodes(tree) if node is not None]
            ways = [(name, self.move_chances(tree)["swap"] / (len(inner) - 1), swapped(tree, path))]
        return math.fsum(chance for _, chance, other in ways if other == new)
