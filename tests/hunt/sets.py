"""Small sets in which many decisions are close."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import Any

from support.problems import Problem

LEAST, MOST = 10, 60
CONFIDENCES = (25, 25, 25, 10, 1, 0.1, 50, 75, 100)


@dataclass
class Set:
    """Cases with their weights (None: 1 each), and the options to learn with."""

    problem: Problem
    weights: list[float] | None
    options: dict[str, Any]

    def without_cases(self, dropped: set[int]) -> Set:
        kept = [i for i in range(len(self.problem.classes)) if i not in dropped]
        columns = [None if column is None else [column[i] for i in kept] for column in self.problem.columns]
        classes = [self.problem.classes[i] for i in kept]
        weights = None if self.weights is None else [self.weights[i] for i in kept]
        return replace(self, problem=replace(self.problem, columns=columns, classes=classes), weights=weights)

    def without_attribute(self, attribute: int) -> Set:
        columns, n_values = list(self.problem.columns), list(self.problem.n_values)
        del columns[attribute], n_values[attribute]
        return replace(self, problem=replace(self.problem, columns=columns, n_values=n_values))

    def text(self) -> str:
        """The options, then an attribute and a case a line."""
        problem = self.problem
        lines = [", ".join(f"{name}={value!r}" for name, value in self.options.items())]
        for a, (column, n) in enumerate(zip(problem.columns, problem.n_values, strict=True)):
            lines.append(f"a{a}: {'ignored' if column is None else f'{n} values' if n else 'continuous'}")
        weights = self.weights or [1] * len(problem.classes)
        for case, cls, weight in zip(problem.cases, problem.classes, weights, strict=True):
            values = ["?" if value is None else str(value) for value in case]
            lines.append(f"{', '.join(values)}: c{cls}" + (f" * {weight:g}" if self.weights else ""))
        return "\n".join(lines)


def draw_set(random: Random, kind: str) -> Set:
    """A set for a kind of comparison."""
    n = random.randint(LEAST, MOST)
    n_classes = random.choice((2, 2, 2, 3, 3, 4, 5))
    unknown = random.choice((0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5))
    columns: list[list | None] = []
    n_values: list[int] = []
    scores = [0.0] * n
    for a in range(random.randint(1, 6)):
        size = draw_size(random, n)
        if size is None:
            columns.append(None)
            n_values.append(0)
            continue
        column = [random.randrange(size) for _ in range(n)] if size else draw_numbers(random, n)
        distinct = sorted(set(column))
        in_order = not size and random.random() < 0.7
        effects = {value: 3 * k / len(distinct) if in_order else random.gauss(0, 1) for k, value in enumerate(distinct)}
        for i, value in enumerate(column):
            scores[i] += effects[value] * 0.7**a
        rate = random.choice((unknown, unknown, unknown, 0.0, 0.5)) if unknown else 0.0
        columns.append([None if random.random() < rate else value for value in column])
        n_values.append(size)
    classes = draw_classes(random, scores, n_classes)
    problem = Problem(columns, n_values, classes, n_classes)
    if random.random() < 0.3:
        duplicate(random, problem)
    if kind == "j48" and random.random() < 0.1:
        for i in range(1, n):
            problem.classes[i] = -1 if random.random() < 0.1 else problem.classes[i]
    return Set(problem, draw_weights(random, kind, n), draw_options(random, kind))


def draw_size(random: Random, n: int) -> int | None:
    """How many values an attribute has: 0 if it is continuous, None if it is ignored; now and then very many."""
    draw = random.random()
    if draw < 0.5:
        return 0
    if draw < 0.9:
        return random.randint(2, 6)
    return random.randint(7, n) if draw < 0.97 else None


def draw_numbers(random: Random, n: int) -> list[float]:
    """Numbers of few decimals, with ties; some so near that no threshold fits between them."""
    form = random.random()
    if form < 0.4:
        decimals, scale = random.choice((0, 1, 1, 2)), random.choice((1, 3, 10))
        return [round(random.uniform(-scale, 2 * scale), decimals) + 0.0 for _ in range(n)]
    if form < 0.6:
        return [float(random.randint(0, random.choice((3, 10, 50)))) for _ in range(n)]
    if form < 0.9:
        return [round(random.gauss(50, 20), random.choice((0, 1, 3))) + 0.0 for _ in range(n)]
    step = random.choice((4e-6, 1e-5, 2e-5, 1e-4))
    return [random.randint(0, 12) * step for _ in range(n)]


def draw_classes(random: Random, scores: list[float], n_classes: int) -> list[int]:
    """Classes that follow the scores, but not always; not every class need occur."""
    ordered = sorted(scores)
    noise = random.choice((0.0, 0.1, 0.2, 0.4))
    bounds = [ordered[random.randrange(len(scores))] for _ in range(n_classes - 1)]
    classes = [sum(score > bound for bound in bounds) for score in scores]
    return [random.randrange(n_classes) if random.random() < noise else cls for cls in classes]


def duplicate(random: Random, problem: Problem) -> None:
    """Put copies of some cases, with their class or another, in the place of others."""
    n = len(problem.classes)
    for i in range(n):
        if random.random() < 0.3:
            other = random.randrange(n)
            for column in problem.columns:
                if column is not None:
                    column[i] = column[other]
            if random.random() < 0.8:
                problem.classes[i] = problem.classes[other]


def draw_weights(random: Random, kind: str, n: int) -> list[float] | None:
    """Whole weights for release 8, which has none but can have a case twice."""
    if kind == "windowing" or random.random() < 0.7:
        return None
    choices = (0.25, 0.5, 1.0, 1.5, 3.0) if kind == "j48" else (1.0, 1.0, 2.0, 3.0)
    return [random.choice(choices) for _ in range(n)]


def draw_options(random: Random, kind: str) -> dict[str, Any]:
    """Parameters of the learner."""
    options: dict[str, Any] = {"min_cases": random.choice((1, 2, 2, 2, 3, 4, 5, 6))}
    if kind == "j48":
        options["prune"] = random.choice((True, True, True, False, "reduced-error"))
        options["confidence"] = random.choice((0.25, 0.25, 0.1, 0.01, 0.45, 0.7))
        options["n_folds"] = random.choice((2, 3, 5))
        for name in ("collapse", "subtree_raising", "mdl_correction", "actual_thresholds"):
            options[name] = random.random() < 0.75
        options["binary_splits"] = random.random() < 0.25
        return options
    options["criterion"] = random.choice(("gain-ratio", "gain-ratio", "gain"))
    options["group_values"] = random.random() < 0.3
    options["confidence"] = random.choice(CONFIDENCES) / 100
    if kind == "rules":
        options["redundancy"] = random.choice((1.0, 1.0, 0.01, 0.3, 7.0, 1000.0))
        options["significance"] = random.choice((None, None, None, 0.01, 0.5))
    if kind == "windowing":
        options["window"] = random.choice((None, None, 6, 12))
        options["increment"] = random.choice((None, 1, 4))
    return options
