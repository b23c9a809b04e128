"""What errors cost, by loops: expected costs, kappa, and the best threshold at each probability-cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any


def expected_costs(probabilities: Sequence[float], costs: Sequence[Sequence[float]]) -> list[Fraction]:
    """Of each class that could be predicted, what it is expected to cost; rows of `costs` are the true classes.

    >>> [float(cost) for cost in expected_costs([0.75, 0.25], [[0, 1], [4, 0]])]
    [1.0, 0.75]
    """
    result = []
    for predicted in range(len(probabilities)):
        total = Fraction(0)
        for true, p in enumerate(probabilities):
            total += Fraction(p) * Fraction(costs[true][predicted])
        result.append(total)
    return result


def cheapest(probabilities: Sequence[float], costs: Sequence[Sequence[float]], tie: float = 1e-9) -> int:
    """The first class that no later one undercuts by more than `tie` of the greatest cost.

    >>> cheapest([0.75, 0.25], [[0, 1], [4, 0]]), cheapest([0.75, 0.25], [[0, 1], [1, 0]])
    (1, 0)
    """
    expected, most = expected_costs(probabilities, costs), max(map(max, costs))
    best = 0
    for c in range(1, len(expected)):
        if expected[best] - expected[c] > Fraction(tie) * Fraction(most):
            best = c
    return best


def mean_cost(
    true: Sequence[int], predicted: Sequence[int], costs: Sequence[Sequence[float]], weights: Sequence[float]
) -> float:
    """The cost of a case on average.

    >>> mean_cost([0, 1, 1], [0, 0, 1], [[0, 1], [4, 0]], [1, 1, 2])
    1.0
    """
    paid = [Fraction(w) * Fraction(costs[t][p]) for t, p, w in zip(true, predicted, weights, strict=True)]
    return float(sum(paid) / sum(map(Fraction, weights)))


def kappa(true: Sequence[int], predicted: Sequence[int], weights: Sequence[float]) -> float | None:
    """Cohen's kappa: agreement beyond that of chance; None where chance agrees always.

    >>> round(kappa([0, 0, 1, 1], [0, 0, 1, 0], [1, 1, 1, 1]), 3)
    0.5
    """
    total = sum(map(Fraction, weights))
    agreed = sum((Fraction(w) for t, p, w in zip(true, predicted, weights, strict=True) if t == p), Fraction(0)) / total
    chance = Fraction(0)
    for c in {*true, *predicted}:
        of_true = sum((Fraction(w) for t, w in zip(true, weights, strict=True) if t == c), Fraction(0))
        of_predicted = sum((Fraction(w) for p, w in zip(predicted, weights, strict=True) if p == c), Fraction(0))
        chance += (of_true / total) * (of_predicted / total)
    return None if chance == 1 else float((agreed - chance) / (1 - chance))


def weights_by_cost(true: Sequence[int], costs: Sequence[Sequence[float]]) -> list[float]:
    """Ting's weight of each case: in proportion to the sum of what errors on its class cost, as many as cases in all.

    >>> weights_by_cost([0, 0, 1], [[0, 1], [4, 0]])
    [0.5, 0.5, 2.0]
    """
    by_class = [sum(row) for row in costs]
    total = sum(by_class[c] for c in true)
    return [by_class[c] * len(true) / total for c in true]


def best_threshold_cost(has: Sequence[bool], scores: Sequence[float], share: float, weights: Sequence[float]) -> float:
    """The least expected cost at a probability-cost, over all thresholds: taken for the class are scores from it on.

    >>> best_threshold_cost([True, True, False, False], [0.9, 0.4, 0.4, 0.1], 0.5, [1, 1, 1, 1])
    0.25
    """
    found = []
    inside = sum(w for h, w in zip(has, weights, strict=True) if h)
    outside = sum(w for h, w in zip(has, weights, strict=True) if not h)
    for threshold in [*set(scores), float("inf")]:
        missed = sum(w for h, s, w in zip(has, scores, weights, strict=True) if h and s < threshold)
        alarms = sum(w for h, s, w in zip(has, scores, weights, strict=True) if not h and s >= threshold)
        found.append(share * missed / inside + (1 - share) * alarms / outside)
    return min(found)


def as_matrix(costs: Mapping[tuple[Any, Any], float], classes: Sequence[Any]) -> list[list[float]]:
    """A mapping of (true class, predicted class) to costs as rows; what it does not name costs 1.

    >>> as_matrix({("b", "a"): 4}, ["a", "b"])
    [[0.0, 1.0], [4, 0.0]]
    """
    return [[costs.get((t, p), 0.0 if t == p else 1.0) for p in classes] for t in classes]
