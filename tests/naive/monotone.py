"""What it means that probabilities are monotone, and the least change that makes them so, by trying all there is."""

import itertools
import math
from collections.abc import Sequence

ALL = (-math.inf, math.inf)


def isotonic(values: Sequence[float], weights: Sequence[float], pairs: set[tuple[int, int]]) -> list[float]:
    """The numbers nearest to these, by weighted squares, of which the first of each pair exceeds no second.

    By the max-min formula: over all sets with a number that have all above its members, the greatest; over all sets
    with it that have all below, the least; of the mean of what both have. (Robertson, Wright, Dykstra: Order Restricted
    Statistical Inference, 1988.)

    >>> isotonic([3, 1, 2], [1, 1, 2], {(0, 1), (0, 2)})
    [2.0, 2.0, 2.0]
    >>> isotonic([3, 1, 4], [1, 3, 2], {(0, 1), (0, 2)})
    [1.5, 1.5, 4.0]
    """
    n = len(values)
    sets = [set(itertools.compress(range(n), chosen)) for chosen in itertools.product([0, 1], repeat=n)]
    upper = [s for s in sets if all(b in s for a, b in pairs if a in s)]
    lower = [s for s in sets if all(a in s for a, b in pairs if b in s)]

    def mean(both: set[int]) -> float:
        return math.fsum(weights[i] * values[i] for i in both) / math.fsum(weights[i] for i in both)

    return [max(min(mean(u & below) for below in lower if i in below) for u in upper if i in u) for i in range(n)]


def ordered_leaves(tree, directions: Sequence[int]) -> set[tuple[int, int]]:
    """Pairs of leaves, of which the first may not exceed the second: they part at a test of a monotone attribute."""
    ways = {path[-1].index: [node.index for node in path] for path in tree.paths()}
    result = set()
    for first, second in itertools.permutations(ways, 2):
        node, one, other = next(
            (here, a, b) for here, a, b in zip(ways[first], ways[first][1:], ways[second][1:], strict=False) if a != b
        )
        attribute = int(tree.attribute[node])
        if directions[attribute] * (other - one) > 0:
            result.add((first, second))
    return result


def boxes(tree) -> dict[int, dict[int, tuple[float, float] | set[int]]]:
    """Of each leaf, the values of attributes with which a case comes to it: an interval (low, high], or codes."""
    result = {}
    for path in tree.paths():
        box = {}
        for node, branch in itertools.pairwise(one.index for one in path):
            attribute, number = int(tree.attribute[node]), branch - tree.branches(node)[0]
            n_values = len(tree.schema[attribute].values)
            if tree.test[node] == 1:
                low, high = box.get(attribute, ALL)
                cut = float(tree.threshold[node])
                box[attribute] = (low, min(high, cut)) if number == 0 else (max(low, cut), high)
            else:
                codes = {number} if tree.test[node] == 2 else set(tree.groups(node)[number])
                box[attribute] = box.get(attribute, set(range(n_values))) & codes
        result[path[-1].index] = box
    return result


def meet(one, other) -> bool:
    """Whether a value is in both."""
    if one is None or other is None:
        return True
    return bool(one & other) if isinstance(one, set) else max(one[0], other[0]) < min(one[1], other[1])


def violations(tree, probabilities: Sequence[float], attribute: int, direction: int) -> list[tuple[int, int]]:
    """Pairs of leaves for which two cases that differ only in an attribute have probabilities in the wrong order."""
    places = boxes(tree)
    result = []
    for (first, one), (second, other) in itertools.permutations(places.items(), 2):
        others = (one.keys() | other.keys()) - {attribute}
        if not all(meet(one.get(a), other.get(a)) for a in others):
            continue
        low, high = one.get(attribute, ALL)[0], other.get(attribute, ALL)[1]
        # intervals are open below: some value of the first lies below one of the second
        if low < high and direction * (probabilities[second] - probabilities[first]) < 0:
            result.append((first, second))
    return result
