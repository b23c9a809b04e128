"""Nijssen 2008, the artificial data: learning curves on cases made from one tree or from several."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.evaluate.papers.lab import Lab, warning_notes
from ctree.evaluate.papers.nijssen2008.made_up_trees import cases_of_trees
from ctree.evaluate.papers.report import Finding, Report, Section
from ctree.evaluate.protocols import Holdout
from ctree.imports import whole_module
from ctree.learners.lattice.bayes_optimal import BayesOptimalClassifier
from ctree.learners.lattice.optimal_tree import OptimalTreeClassifier

LEVEL = 0.05
TREE_PRIORS = {"uniform": "uniform", "size": "chipman"}
"""What the paper's priors are called here."""
Accuracies = Mapping[tuple[int, float], npt.NDArray[np.float64]]
"""By number of trees and share of training cases: (data sets, learners), in percent."""


@dataclass(frozen=True)
class Design:
    """What is made up, and how much of it is learned from.

    Parameters
    ----------
    depth, attributes, cases : int
        Of the generating trees, and of the cases that they classify.
    support : float
        The least share of cases in every leaf, in making cases and in learning.
    sets : int
        Data sets for each number of trees.
    trees : tuple of int
    shares : tuple of float
        Of training cases; the others are test cases.
    """

    depth: int = 7
    attributes: int = 15
    cases: int = 4000
    support: float = 0.003
    sets: int = 20
    trees: tuple[int, ...] = (1, 2, 4, 8)
    shares: tuple[float, ...] = (0.05, 0.2, 0.5, 0.8)

    def min_cases(self, n: int) -> int:
        """The least number of n cases in a leaf."""
        return max(1, math.ceil(round(self.support * n, 9)))


FULL = Design()
QUICK = Design(depth=4, attributes=8, cases=500, support=0.02, sets=5, trees=(1, 2, 4), shares=(0.1, 0.3, 0.8))


def run_curves(lab: Lab, title: str) -> Report:
    """Reproduce the experiment on artificial data."""
    design = QUICK if lab.quick else FULL
    learners = [f"{kind}, {prior}" for prior in TREE_PRIORS for kind in ("optimal", "MAP")]
    found: dict[tuple[int, float], npt.NDArray[np.float64]] = {}
    notes: dict[str, None] = {}
    for n_trees in design.trees:
        sets = made_up(design, n_trees)
        for share in design.shares:
            result = lab.compare(sets, learners_for(design, share), Holdout(1 - share, 1, False))
            found[n_trees, share] = 100 * result.scores["accuracy"][:, :, 0]
            notes |= dict.fromkeys(warning_notes(result))
    protocol = f"{design.sets} data sets for each number of trees, each learned from once for each share of its cases"
    lab.found.append(f"{design.sets} of each number of trees, made up")
    report = Report(f"{title}. Artificial data", protocol, lab.found, lab.lacking)
    report.sections += [_curves(design, learners, found), _differences(design, learners, found)]
    report.findings += findings(design, learners, found)
    report.notes += [*_notes(design), *notes]
    return report


def made_up(design: Design, n_trees: int) -> dict[str, Dataset]:
    """The data sets of so many generating trees."""
    return {
        f"{n_trees} trees, {i + 1}": cases_of_trees(
            n_trees,
            design.depth,
            design.attributes,
            design.cases,
            design.min_cases(design.cases),
            np.random.default_rng([n_trees, i]),
        )
        for i in range(design.sets)
    }


def learners_for(design: Design, share: float) -> dict[str, Any]:
    """The paper's methods, with the limits that the cases were made with."""
    limits: dict[str, Any] = {
        "max_depth": design.depth,
        "min_cases": design.min_cases(round(share * design.cases)),
        "test_prior": "per-test",
        "bins": "binary",
    }
    learners: dict[str, Any] = {}
    for prior, name in TREE_PRIORS.items():
        learners[f"optimal, {prior}"] = BayesOptimalClassifier(tree_prior=name, **limits)
        learners[f"MAP, {prior}"] = OptimalTreeClassifier(objective="posterior", tree_prior=name, **limits)
    return learners


def outcome(differences: npt.NDArray[np.float64]) -> int:
    """1 or -1 where the mean of differences over data sets is significantly above or below 0, else 0.

    The data sets are independent, so this is the paired t-test without a correction.

    Examples
    --------
    >>> import numpy as np
    >>> outcome(np.array([1.0, 1.2, 0.9])), outcome(np.array([1.0, -1.2, 0.9])), outcome(np.zeros(3))
    (1, 0, 0)
    """
    spread = float(differences.std(ddof=1))
    if spread == 0:
        return int(np.sign(differences.mean()))
    t = float(differences.mean()) / (spread / math.sqrt(len(differences)))
    p = 2 * float(whole_module("scipy.stats").t.sf(abs(t), len(differences) - 1))
    return int(np.sign(t)) if p < LEVEL else 0


def _curves(design: Design, learners: list[str], found: Accuracies) -> Section:
    rows = []
    for n_trees in design.trees:
        for j, learner in enumerate(learners):
            means = [found[n_trees, share][:, j] for share in design.shares]
            errors = [values.std(ddof=1) / math.sqrt(len(values)) for values in means]
            cells = [f"{v.mean():.1f} ± {e:.1f}" for v, e in zip(means, errors, strict=True)]
            rows.append([str(n_trees), learner, *cells])
    heads = [f"{100 * share:g} %" for share in design.shares]
    title = "Accuracy, %, by share of training cases (±: the standard error over data sets)"
    return Section(title, ["trees", "method", *heads], rows, labels=2)


PAIRS = (
    ("optimal, uniform", "MAP, uniform"),
    ("optimal, size", "MAP, size"),
    ("optimal, uniform", "optimal, size"),
    ("MAP, uniform", "MAP, size"),
)


def _differences(design: Design, learners: list[str], found: Accuracies) -> Section:
    rows = []
    for n_trees in design.trees:
        for first, second in PAIRS:
            cells = []
            for share in design.shares:
                gap = _gap(learners, found[n_trees, share], first, second)
                cells.append(f"{gap.mean():+.1f}{' +-'[outcome(gap)]}")
            rows.append([str(n_trees), f"{first} − {second}", *cells])
    heads = [f"{100 * share:g} %" for share in design.shares]
    title = f"Differences (+ and -: significant, paired t-test over data sets, {100 * LEVEL:g} %)"
    return Section(title, ["trees", "difference", *heads], rows, labels=2)


def _gap(learners: list[str], accuracies: npt.NDArray[np.float64], first: str, second: str) -> npt.NDArray[np.float64]:
    return np.asarray(accuracies[:, learners.index(first)] - accuracies[:, learners.index(second)])


def findings(design: Design, learners: list[str], found: Accuracies) -> list[Finding]:
    """The paper's conclusions."""
    several = [cell for cell in found if cell[0] > 1]
    single = [cell for cell in found if cell[0] == 1]

    def counted(cells: list[tuple[int, float]], first: str, second: str) -> tuple[int, int, int]:
        signs = [outcome(_gap(learners, found[cell], first, second)) for cell in cells]
        return signs.count(1), signs.count(0), signs.count(-1)

    result = []
    for kind in ("optimal", "MAP"):
        wins, ties, losses = counted(list(found), f"{kind}, uniform", f"{kind}, size")
        text = f"the prior that prefers small trees is less accurate than the uniform one ({kind})"
        result.append(Finding(text, wins > 0 and losses == 0, f"wins/ties/losses {wins}/{ties}/{losses}"))
    for prior in TREE_PRIORS:
        wins, ties, losses = counted(several, f"optimal, {prior}", f"MAP, {prior}")
        text = f"of several trees, the average is always significantly more accurate than the MAP tree ({prior} prior)"
        result.append(Finding(text, ties == losses == 0, f"wins/ties/losses {wins}/{ties}/{losses}"))
        wins, ties, losses = counted(single, f"optimal, {prior}", f"MAP, {prior}")
        text = f"of a single tree, the two do not differ significantly ({prior} prior)"
        result.append(Finding(text, wins == losses == 0, f"wins/ties/losses {wins}/{ties}/{losses}"))
    first, last = (
        float(np.mean([np.ptp(found[n, share].mean(axis=0)) for n in design.trees]))
        for share in (min(design.shares), max(design.shares))
    )
    text = "the more training cases, the smaller the differences between the methods"
    result.append(
        Finding(text, last < first, f"from best to worst {first:.1f} points with few cases, {last:.1f} with many")
    )
    least = float(found[1, min(design.shares)][:, learners.index("optimal, size")].mean())
    text = "of a single tree and few training cases, the prior on size leads to trees that are not 100 % accurate"
    result.append(Finding(text, least < 100, f"{least:.1f} %"))
    return result


def _notes(design: Design) -> list[str]:
    least = design.min_cases(design.cases)
    notes = [
        "The text of the paper at hand does not have its Figure 1, so its conclusions are held against our curves. It "
        "names neither the numbers of generating trees nor the shares of training cases; ours are in the table.",
        f"Each generating tree is complete, of depth {design.depth}, over {design.attributes} attributes of 0 and 1, "
        "and a node tests any attribute that is not tested above it. The attributes of the "
        f"{design.cases} cases are independent and as often 0 as 1; they are drawn again if a leaf of any tree has "
        f"fewer than {least} of them.",
        "The trees take turns: the leaf with the most cases without a class gives these a class, the other one than "
        "most cases of its sibling have. There are two classes.",
        f"Learners have the same limits: depth {design.depth}, and {100 * design.support:g} % of the training cases in "
        "a leaf, rounded up. All cases that are not learned from are test cases.",
    ]
    if design == FULL:
        notes.append(
            "The paper asks for 3 % of the cases in every leaf of complete trees of depth 7. These have 128 leaves, "
            "which would need 384 %; 0.3 % is taken, 12 of 4,000 cases."
        )
    return notes
