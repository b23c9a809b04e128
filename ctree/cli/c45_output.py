"""What C4.5 release 8 prints: trees, evaluation tables, confusion matrix."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

import ctree
from ctree.cli.c45 import Options
from ctree.data.compact import CompactCases, compact_cases
from ctree.data.dataset import Dataset
from ctree.data.files.c45_files import read_c45
from ctree.learners.c45.release8 import Release8, compact_trees, release8_predictions, tidied
from ctree.render.text import tree_text_parts
from ctree.tree.tree import Tree
from ctree_ext.base.cases import MAX_CLASSES
from ctree_ext.base.memory import map_large_blocks
from ctree_ext.base.node_arrays import NodeArrays

if TYPE_CHECKING:
    from ctree.learners.c45.windowing import Cycle

MAX_CONFUSED_CLASSES = 21

LISTED = {
    "f": "File stem <{0.stem}>",
    "u": "Trees evaluated on unseen cases",
    "t": "Windowing enabled with {0.trials} trials",
    "w": "Initial window size of {0.window} items",
    "i": "Maximum window increment of {0.increment} items",
    "g": "Gain criterion used",
    "s": "Tests on discrete attribute groups",
    "p": "Soft thresholds computed",
    "m": "Sensible test requires 2 branches with >={0.min_cases} cases",
    "c": "Pruning confidence level {0.confidence:g}%",
}
"""What the heading says of an option."""

Ints = npt.NDArray[np.int32]


def report(options: Options) -> None:
    """Read the cases, learn, and print as the original does."""
    map_large_blocks()  # a quarter less memory for a million cases
    print(heading(options))
    data = training_cases(options)
    test = read_c45(options.stem, "test") if options.unseen else None
    print(f"\nRead {data.n_cases} cases ({len(data.schema)} attributes) from {options.stem}.data")
    trees, best = learn(options, data)
    if options.soft_thresholds:
        from ctree.tree.soft_thresholds import softened

        assert isinstance(data, Dataset)
        print_tree("Softened Decision Tree", softened(trees[best][1], data))
    print()
    for name, cases in (("training", data), ("test", test)):
        if cases is not None:
            print(evaluation(name, cases, trees, best))
    if test is not None and data.schema.n_classes <= MAX_CONFUSED_CLASSES:
        print(confusion(test, release8_predictions(trees[best][1], test)))


def training_cases(options: Options) -> Dataset | CompactCases:
    """The cases to learn from: in small columns, unless windowing or soft thresholds look at them in another way."""
    data = read_c45(options.stem)
    small = data.weights is None and Release8.is_single(data) and data.schema.n_classes <= MAX_CLASSES
    return compact_cases(data) if small and not (options.windowing or options.soft_thresholds) else data


def heading(options: Options) -> str:
    """The title, and the options in the order in which they are given."""
    title = (
        f"C4.5 [release 8] decision tree generator, ctree {ctree.__version__}\t{time.strftime('%a %b %e %H:%M:%S %Y')}"
    )
    lines = ["", title, "-" * 40, "", "    Options:"]
    if "f" not in options.given:
        lines.append("\t" + LISTED["f"].format(options))
    for letter in options.given:
        if letter in LISTED and (options.windowing or letter not in "twi"):
            lines.append("\t" + LISTED[letter].format(options))
    return "\n".join(lines)


def learn(options: Options, data: Dataset | CompactCases) -> tuple[list[tuple[Tree, Tree]], int]:
    """Grow and prune, printing every tree on the way: (grown, pruned) per trial, and which is best."""
    min_cases = 2 if options.min_cases is None else options.min_cases
    confidence = 0.25 if options.confidence is None else options.confidence / 100
    if isinstance(data, CompactCases):
        trees = compact_trees(
            data,
            gain_only=options.gain_only,
            min_cases=min_cases,
            confidence=confidence,
            group_values=options.group_values,
        )
        print_trees(*trees)
        return [trees], 0
    from ctree.learners.c45.classifier import C45Classifier  # which takes longer to load than a small tree to learn

    learner = C45Classifier(
        criterion="gain" if options.gain_only else "gain-ratio",
        min_cases=min_cases,
        confidence=confidence,
        group_values=options.group_values,
    )
    if not options.windowing:
        learner.fit(data)
        print_trees(learner._grown_tree, learner.tree_)
        return [(learner._grown_tree, learner.tree_)], 0
    from ctree.learners.c45.windowing import best_trial, run_trials

    trials = []
    for number, trial in enumerate(run_trials(learner, data, options.trials or 10, options.window, options.increment)):
        print(trial_heading(number))
        for k, cycle in enumerate(trial.cycles, 1):
            print(cycle_row(k, cycle))
        print_trees(trial.grown, trial.pruned)
        trials.append(trial)
    print("\n--------")
    return [(trial.grown, trial.pruned) for trial in trials], best_trial(trials)


def trial_heading(number: int) -> str:
    return f"""
--------
Trial {number}
--------

Cycle   Tree    -----Cases----    -----------------Errors-----------------
        size    window   other    window  rate   other  rate   total  rate
-----   ----    ------  ------    ------  ----  ------  ----  ------  ----"""


def cycle_row(number: int, cycle: Cycle) -> str:
    """A window, the tree grown from it, and its errors; a thousandth keeps the rate from a division by 0."""
    errors = cycle.window_errors + cycle.other_errors
    rates = (
        np.float32(100 * cycle.window_errors / cycle.window),
        np.float32(100 * cycle.other_errors / (cycle.other_cases + 0.001)),
        np.float32(100 * errors / (cycle.window + cycle.other_cases)),
    )
    return (
        f"{number:3d}  {cycle.size:7d}  {cycle.window:8d}  {cycle.other_cases:6d}"
        f"  {cycle.window_errors:8d}{rates[0]:5.1f}%  {cycle.other_errors:6d}{rates[1]:5.1f}%"
        f"  {errors:6d}{rates[2]:5.1f}%"
    )


def print_trees(grown: Tree, pruned: Tree) -> None:
    print_tree("Decision Tree", grown)
    # Release 8 does not count it as a change that values which cannot occur are dropped.
    if not same_tests(tidied(grown.schema, grown.arrays), pruned.arrays):
        print_tree("Simplified Decision Tree", pruned)


def print_tree(title: str, tree: Tree) -> None:
    """A tree under its title."""
    print(f"\n{title}:")
    sys.stdout.writelines(tree_text_parts(tree))
    print()


def same_tests(one: NodeArrays, other: NodeArrays) -> bool:
    """Whether two trees ask the same questions, whatever their figures."""
    names = ("test", "attribute", "threshold", "n_branches")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)


def evaluation(name: str, data: Dataset | CompactCases, trees: list[tuple[Tree, Tree]], best: int) -> str:
    """The table of sizes, errors and estimates; with several trials a row for each, the best one marked."""
    several = len(trees) > 1
    lines = [
        f"\nEvaluation on {name} data ({data.n_cases} items):\n",
        ("Trial" if several else "") + "\t Before Pruning           After Pruning",
        ("-----" if several else "") + "\t----------------   ---------------------------",
        "\tSize      Errors   Size      Errors   Estimate",
        "",
    ]
    for number, (grown, pruned) in enumerate(trees):
        cells = []
        for tree in (grown, pruned):
            errors = int((release8_predictions(tree, data) != data.classes).sum())
            cells.append(f"{len(tree):4d}  {errors:3d}({_percent(errors, data.n_cases):4.1f}%)")
        estimate = _percent(float(pruned.errors[0]), float(pruned.cases[0]))
        mark = "   <<" if number == best else ""
        trial = f"{number:4d}" if several else ""
        lines.append(f"{trial}\t{cells[0]}   {cells[1]}    ({estimate:4.1f}%){mark}")
    return "\n".join(lines)


def confusion(data: Dataset, predicted: Ints) -> str:
    """True classes in rows, predictions in columns, nothing where no case is."""
    classes = data.schema.classes
    letters = [chr(ord("a") + k) for k in range(len(classes))]
    counts = np.zeros((len(classes), len(classes)), dtype=np.int64)
    assert data.classes is not None
    np.add.at(counts, (data.classes, predicted), 1)
    lines = [
        "\n\n\t" + "".join(f"  ({letter})" for letter in letters) + "\t<-classified as",
        "\t" + " ----" * len(classes),
    ]
    for letter, label, row in zip(letters, classes, counts.tolist(), strict=True):
        lines.append("\t" + "".join(f"{n:5d}" if n else "     " for n in row) + f"\t({letter}): class {label}")
    return "\n".join(lines) + "\n"


def _percent(part: float, whole: float) -> float:
    return 100.0 * part / whole if whole else 0.0
