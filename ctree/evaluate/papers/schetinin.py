"""Schetinin et al., Tables 2 to 4: sampled trees, by the standard strategy and by sweeping."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ctree.data.dataset import Dataset
from ctree.data.tables import dataset_from_arrays
from ctree.evaluate.papers.lab import Lab, learner, warning_notes
from ctree.evaluate.papers.report import Finding, Report, Section, beside, headed
from ctree.evaluate.protocols import StratifiedFolds
from ctree.evaluate.tables import measure_table

TITLE = (
    "V. Schetinin, J. E. Fieldsend, D. Partridge, W. J. Krzanowski, R. M. Everson, T. C. Bailey, A. Hernandez. "
    "Estimating classification uncertainty of Bayesian decision tree technique on financial data. arXiv:cs/0504065, "
    "2005. Tables 2 to 4"
)
EXPERIMENTS: tuple[str, ...] = ()
COLUMNS = ("tests of a tree", "accuracy, %", "confidently right, %", "uncertain, %")
PUBLISHED: Mapping[str, Mapping[str, tuple[float, ...]]] = {
    "XOR3": {"standard": (11.3, 99.7, 96.0, 4.0), "sweeping": (3.4, 100.0, 99.5, 0.5)},
    "australian": {"standard": (25.8, 85.4, 55.1, 42.0), "sweeping": (8.3, 85.4, 65.4, 30.3)},
    "credit-g": {"standard": (27.3, 72.5, 32.8, 62.5), "sweeping": (20.7, 74.3, 39.4, 54.4)},
}
"""Tests of a tree, accuracy, confidently right, uncertain."""
STRATEGIES: Mapping[str, Mapping[str, str]] = {
    "standard": {"strategy": "standard", "unavailable": "resample"},
    "sweeping": {"strategy": "sweeping", "unavailable": "resample"},
    "standard, exact": {"strategy": "standard", "unavailable": "reject"},
    "sweeping, latent": {"strategy": "sweeping", "unavailable": "reject"},
}
"""The paper's two, and the two that sample what they say."""
SETTINGS: Mapping[str, Mapping[str, int]] = {
    "XOR3": {"min_cases": 5, "burn_in": 50_000, "samples": 10_000, "thin": 1},
    "australian": {"min_cases": 3, "burn_in": 100_000, "samples": 10_000, "thin": 7},
    "credit-g": {"min_cases": 3, "burn_in": 100_000, "samples": 10_000, "thin": 7},
}
QUICK = {"burn_in": 10_000, "samples": 1_000}


def run(lab: Lab) -> Report:
    """Do it again."""
    learner("mcmc", "MCMCTreeClassifier")  # without it there is nothing to begin
    sets = {"XOR3": xor3(), **lab.sets(["australian", "credit-g"])}
    lab.found.insert(0, "XOR3 (made up)")
    protocol = StratifiedFolds(5, 1)
    report = Report(TITLE, protocol.describe(), lab.found, lab.lacking)
    rows = []
    tests: dict[tuple[str, str], float] = {}
    accuracy: dict[tuple[str, str], float] = {}
    for name, data in sets.items():
        settings = {**SETTINGS[name], **(QUICK if lab.quick else {})}
        learners: dict[str, Any] = {
            label: learner("mcmc", "MCMCTreeClassifier", chains=1, **strategy, **settings)
            for label, strategy in STRATEGIES.items()
        }
        result = lab.compare({name: data}, learners, protocol)
        for j, label in enumerate(STRATEGIES):
            ours = (
                float(result.means("leaves")[0, j]) - 1,
                *(100 * float(result.means(m)[0, j]) for m in ("accuracy", "confident-correct", "uncertain")),
            )
            tests[name, label], accuracy[name, label] = ours[:2]
            published = PUBLISHED[name].get(label, (None,) * 4)
            rows.append([name, label, *(c for p, o in zip(published, ours, strict=True) for c in beside(p, o, 1))])
        report.notes += warning_notes(result)
        report.details += [measure_table(result, m) for m in ("accuracy", "log-likelihood")]
    report.sections.append(Section("Standard and sweeping", ["set", "strategy", *headed(*COLUMNS)], rows, labels=2))
    report.findings += [
        Finding(
            f"sweeping gives shorter trees: {name}",
            tests[name, "sweeping"] < tests[name, "standard"],
            f"{tests[name, 'sweeping']:.1f} against {tests[name, 'standard']:.1f} tests",
        )
        for name in sets
    ]
    report.findings.append(
        Finding(
            "on XOR3 sweeping finds the true model, of 3 tests: 100 % right with at most 4 tests",
            accuracy["XOR3", "sweeping"] >= 99.95 and tests["XOR3", "sweeping"] <= 4,
            f"{accuracy['XOR3', 'sweeping']:.1f} %, {tests['XOR3', 'sweeping']:.1f} tests",
        )
    )
    report.notes[:0] = [
        "A prediction is confident if at least 99 % of the sampled trees agree.",
        "Standard and sweeping are the paper's own; they do not sample the posterior. Standard, exact does; sweeping, "
        "latent samples that of an implicit prior on size.",
        "The paper's trees are larger than ours, most of all by the standard strategy. Ours are not too small for the "
        "posterior: the exact strategy has as many tests, and so had a second program, written from the formulas alone "
        "for this question (3 to 4 tests on XOR3, 8 on australian). On one fold of XOR3 and of australian, the printed "
        "ratios with their misprints gave 3 to 6 and 6 tests; parameters of the classes of 0.1 to 20, 3 to 5 and 3 to "
        "6; one case in a leaf, 3 and 6; a prior without the number of shapes, 4 and 15. So none of these is what the "
        "paper did; chains that had not settled would have such trees. Smaller trees agree more often, so fewer "
        "predictions are uncertain here.",
        "XOR3 is drawn anew here, with other cases than the paper's. The few errors are cases next to 0, where no "
        "training case tells on which side a threshold should lie; they are what the 100 % lacks.",
        "The paper's text gives other numbers of nodes for credit-g (18.5 and 3.8) than its table.",
        *(
            f"{name}: one chain, {used['burn_in']} steps of burn-in, then {used['samples']} trees, one every "
            f"{used['thin']} steps, at least {used['min_cases']} cases in a leaf."
            for name in sets
            for used in [{**SETTINGS[name], **(QUICK if lab.quick else {})}]
        ),
    ]
    return report


def xor3(n: int = 1000, seed: int = 0) -> Dataset:
    """The class is the sign of the product of two numbers; a third has nothing to do with it."""
    rng = np.random.default_rng(seed)
    table = np.column_stack([rng.uniform(-0.5, 0.5, (n, 2)), rng.normal(0, 0.2, n)])
    return dataset_from_arrays(table, (table[:, 0] * table[:, 1] > 0).astype(int))
