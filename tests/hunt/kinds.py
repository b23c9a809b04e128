"""What is compared: for each kind a function that says how kernels and slow version differ, None if they agree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import numpy as np
from naive.release8_classify import classify
from naive.release8_grow import Grower, Node
from naive.release8_prune import prune
from naive.release8_window import windowed
from support.j48_trees import assert_same_tree, naive_tree
from support.problems import Problem, as_nodes, repeated
from support.rule_facts import facts_of, naive_facts

from ctree.learners.c45.classifier import C45Classifier
from ctree.learners.c45.windowing import best_trial, run_trials

from .sets import Set

SAMPLE = 12
"""So many cases are classified, with further values made unknown."""


def naive_growing(options: dict[str, Any]) -> dict[str, Any]:
    return {
        "min_cases": options["min_cases"],
        "gain_only": options["criterion"] == "gain",
        "subset": options["group_values"],
    }


def release8(given: Set) -> str | None:
    """Grown, pruned, and what both trees say of cases, to the last bit."""
    problem = given.problem
    grower = Grower(*problem.arguments, weights=given.weights, **naive_growing(given.options))
    grown = grower.grow()
    pruned = prune(grown, *problem.arguments, given.options["confidence"], grower.cases, given.weights)
    model = C45Classifier(**given.options).fit(problem.dataset(given.weights))
    for name, tree, naive in (("grown", model.unpruned_tree_, grown), ("pruned", model.tree_, pruned)):
        difference = first_difference(as_nodes(problem, tree.arrays), naive)
        if difference is not None:
            return f"{name} {difference}"
        cases = some_cases(problem)
        sums = tree.frequency_sums(cases.dataset()).tolist()
        expected = [classify(naive, case, problem.n_classes) for case in cases.cases]
        for case, own, other in zip(cases.cases, sums, expected, strict=True):
            if own != other:
                return f"{name} tree, case {case}: {own} and {other}"
    return None


def windowing(given: Set) -> str | None:
    """Two trials, with their cycles."""
    problem, options = given.problem, dict(given.options)
    window, increment = options.pop("window"), options.pop("increment")
    done = list(run_trials(C45Classifier(**options), problem.dataset(), 2, window, increment))
    naive, best = windowed(
        *problem.arguments,
        trials=2,
        size=window,
        increment=increment,
        confidence=options["confidence"],
        **naive_growing(options),
    )
    for number, (trial, other) in enumerate(zip(done, naive, strict=True)):
        cycles = [(c.size, c.window, c.other_cases, c.window_errors, c.other_errors) for c in trial.cycles]
        expected = [(c.tree_size, c.window, c.others, c.window_errors, c.exceptions) for c in other.cycles]
        if cycles != expected:
            return f"trial {number}, cycles {cycles} and {expected}"
        for tree, node in ((trial.grown, other.grown), (trial.pruned, other.pruned)):
            difference = first_difference(as_nodes(problem, tree.arrays), node)
            if difference is not None:
                return f"trial {number} {difference}"
    return None if best_trial(done) == best else f"best trial {best_trial(done)} and {best}"


def j48(given: Set) -> str | None:
    """The tree, its figures to within 1e-9."""
    model = C45Classifier(variant="j48", **given.options).fit(given.problem.dataset(given.weights))
    kept = [a for a, column in enumerate(given.problem.columns) if column is not None]
    try:
        assert_same_tree(model.tree_, naive_tree(given.problem, given.options, given.weights), kept)
    except AssertionError as error:
        return str(error).partition("\n")[0] or "another shape"
    return None


def rules(given: Set) -> str | None:
    """Rules, their order, the default class and what becomes of the training cases; weights repeat these."""
    options = dict(given.options)
    problem = given.problem if given.weights is None else repeated(given.problem, np.array(given.weights, dtype=int))
    tree = Grower(*problem.arguments, **naive_growing(options)).grow()
    percent = {"confidence": 100 * options["confidence"], "redundancy": options["redundancy"]}
    significance = options["significance"]
    expected = naive_facts(problem, tree, fisher=None if significance is None else 100 * significance, **percent)
    found = facts_of(problem.dataset(), options)
    names = ("rules", "default class", "uses", "predictions")
    for name, one, other in zip(names, found, expected, strict=True):
        if one != other:
            return f"{name}: {one} and {other}"
    if given.weights is not None and facts_of(given.problem.dataset(given.weights), options)[:2] != found[:2]:
        return "other rules with weights than with repeated cases"
    return None


KINDS: dict[str, Callable[[Set], str | None]] = {
    "release8": release8,
    "windowing": windowing,
    "j48": j48,
    "rules": rules,
}


def first_difference(tree: Node, other: Node, path: Sequence[int] = ()) -> str | None:
    """Where two trees part first, and in what."""
    for name in ("kind", "attribute", "threshold", "groups", "cls", "cases", "errors", "counts"):
        one, two = getattr(tree, name), getattr(other, name)
        if one != two:
            return f"node {list(path)}: {name} {one} and {two}"
    if len(tree.branches) != len(other.branches):
        return f"node {list(path)}: {len(tree.branches)} and {len(other.branches)} branches"
    for number, (one, two) in enumerate(zip(tree.branches, other.branches, strict=True)):
        difference = first_difference(one, two, (*path, number))
        if difference is not None:
            return difference
    return None


def some_cases(problem: Problem) -> Problem:
    """The first of the cases as they are, and again with a third of their values unknown."""
    random = Random(len(problem.classes))
    n = min(SAMPLE, len(problem.classes))
    columns: list[list | None] = []
    for column in problem.columns:
        if column is None:
            columns.append(None)
            continue
        columns.append(column[:n] + [None if random.random() < 1 / 3 else value for value in column[:n]])
    return Problem(columns, problem.n_values, problem.classes[:n] * 2, problem.n_classes)
