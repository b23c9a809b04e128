"""Windowing: a tree is grown from some of the cases, then again with some more that it got wrong; in several trials."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from naive.release8_classify import predict
from naive.release8_grow import Grower, Node
from naive.release8_prune import prune_and_tell
from naive.release8_text import size as tree_size

TRIALS = 10


def glibc_random(seed: int = 1) -> Iterator[int]:
    """The numbers of random() in the C library of GNU: an additive feedback generator of 31 words.

    >>> numbers = glibc_random()
    >>> next(numbers), next(numbers)
    (1804289383, 846930886)
    """
    words = [seed]
    for _ in range(30):
        words.append(16807 * words[-1] % 2147483647)
    words += words[:3]
    drawn = 0
    while True:
        words.append((words[-3] + words[-31]) % 2**32)
        del words[: len(words) - 31]
        drawn += 1
        if drawn > 310:
            yield words[-1] >> 1


@dataclass
class Cycle:
    """A window and the tree from it: their sizes, and the errors in the window and among the other cases."""

    tree_size: int
    window: int
    others: int
    window_errors: int
    exceptions: int


@dataclass
class Trial:
    """The best tree of a trial, the same pruned with all data, and the cycles that led to it."""

    grown: Node
    pruned: Node
    changed: bool
    cycles: Sequence[Cycle] = ()


def initial_size(n: int) -> int:
    """Size of the first window.

    >>> initial_size(14), initial_size(1000)
    (7, 200)
    """
    return int(max(2 * math.sqrt(n), n // 5))


def class_targets(counts: Sequence[int], size: int) -> list[int]:
    """How many cases of each class to put in a window, as even as can be.

    >>> class_targets([2, 50, 20], 12)
    [2, 5, 5]
    """
    targets = [0] * len(counts)
    left = set(range(len(counts)))
    while left:
        cls = min(left, key=lambda cls: (counts[cls], cls))
        targets[cls] = min(counts[cls], size // len(left))
        size -= targets[cls]
        left.remove(cls)
    return targets


def windowed(
    columns: Sequence,
    n_values: Sequence[int],
    classes: Sequence[int],
    n_classes: int,
    *,
    trials: int = TRIALS,
    size: int | None = None,
    increment: int | None = None,
    confidence: float = 0.25,
    min_cases: float = 2,
    gain_only: bool = False,
    subset: bool = False,
) -> tuple[list[Trial], int]:
    """Several trials, and which of them is best: the first with least estimated errors."""
    grower = Grower(columns, n_values, classes, n_classes, min_cases, gain_only, subset)
    size = initial_size(len(classes)) if size is None else size
    increment = max(size // 5, 1) if increment is None else increment
    targets = class_targets([classes.count(cls) for cls in range(n_classes)], size)
    random = glibc_random()
    done = []
    for _ in range(trials):
        shuffle(grower.cases, random)
        take_targets(grower.cases, classes, targets)
        grown, cycles = best_of_cycles(grower, min(size, len(classes)), increment)
        pruned = prune_and_tell(grown, columns, n_values, classes, n_classes, confidence, grower.cases)
        done.append(Trial(grown, *pruned, cycles))
    return done, min(range(trials), key=lambda trial: (done[trial].pruned.errors, trial))


def shuffle(cases: list[int], random: Iterator[int]) -> None:
    """Put the cases in random order."""
    n = len(cases)
    for k in range(n):
        other = k + int((n - k) * (next(random) / 2**31))
        cases[k], cases[other] = cases[other], cases[k]


def take_targets(cases: list[int], classes: Sequence[int], targets: Sequence[int]) -> None:
    """Move the wanted number of cases of each class to the front."""
    front = 0
    for cls, target in enumerate(targets):
        end = front + target
        i = front
        while front < end:
            if classes[cases[i]] == cls:
                cases[front], cases[i] = cases[i], cases[front]
                front += 1
            i += 1


def best_of_cycles(grower: Grower, size: int, increment: int) -> tuple[Node, list[Cycle]]:
    """The tree with fewest errors among those from growing windows, and the account of all."""
    n = len(grower.cases)
    best, fewest = None, n + 1
    cycles = []
    while True:
        tree = grower.grow(size)
        exceptions = 0
        for i in range(size, n):
            case = grower.cases[i]
            values = [None if column is None else column[case] for column in grower.columns]
            if predict(tree, values, grower.n_classes) != grower.classes[case]:
                other = size + exceptions
                grower.cases[other], grower.cases[i] = grower.cases[i], grower.cases[other]
                exceptions += 1
        window_errors = int(tree.errors + 0.5)
        cycles.append(Cycle(tree_size(tree), size, n - size, window_errors, exceptions))
        if window_errors + exceptions < fewest:
            best, fewest = tree, window_errors + exceptions
        if exceptions == 0:
            return best, cycles
        size = min(size + max(min(exceptions, increment), exceptions // 2), n)
