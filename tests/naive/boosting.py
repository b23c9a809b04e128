"""Boosting as Quinlan's "Bagging, boosting, and C4.5" tells it, case by case; and SAMME by Zhu and others.

The learner is whatever it is given: a function from weights to a function that gives the class of each case.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence


def boost(
    learn: Callable[[list[float]], Sequence[int]], classes: Sequence[int], start: Sequence[float], n_classes: int,
    trials: int, samme: bool = False,
) -> list[tuple[float, float, list[float]]]:  # fmt: skip
    """For each member its error, the worth of its vote, and the weights that it was learned with.

    `learn` gives the classes that a member learned with these weights predicts of all cases.
    """
    total = sum(start)
    weights = [w / total for w in start]  # a distribution, as in the paper
    result = []
    for _ in range(trials):
        scaled = [w * total for w in weights]  # C4.5 counts cases
        predicted = learn(scaled)
        error = sum(w for w, p, c in zip(weights, predicted, classes, strict=True) if p != c)
        limit = 1 - 1 / n_classes if samme else 0.5
        if error >= limit - 1e-12:  # worse than a guess: the trials end with the one before
            if not result:
                result.append((error, 1.0, scaled))
            break
        more = math.log(n_classes - 1) if samme else 0.0
        if error == 0:  # nothing is left to be learned
            least = 0.5 / max(total, 2.0)
            result.append((0.0, math.log((1 - least) / least) + more, scaled))
            break
        beta = error / (1 - error)
        vote = math.log(1 / beta) + more
        result.append((error, vote, scaled))
        if samme:
            weights = [w * math.exp(vote) if p != c else w for w, p, c in zip(weights, predicted, classes, strict=True)]
        else:
            weights = [w * beta if p == c else w for w, p, c in zip(weights, predicted, classes, strict=True)]
        normal = sum(weights)
        weights = [w / normal for w in weights]
    return result


def shares_of_votes(votes: Sequence[float], predicted: Sequence[Sequence[int]], n_classes: int) -> list[list[float]]:
    """For each case the share of the votes that each class has."""
    result = []
    for case in range(len(predicted[0])):
        given = [0.0] * n_classes
        for vote, says in zip(votes, predicted, strict=True):
            given[says[case]] += vote
        result.append([g / sum(given) for g in given])
    return result
