"""Schetinin et al., Tables 2 to 4: sampled trees, by the standard strategy and by sweeping."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.tables.arrays import dataset_from_arrays
from ctree.evaluate.comparison import Comparison
from ctree.evaluate.papers.lab import Lab, warning_notes
from ctree.evaluate.papers.report import NOTHING, Finding, Report, Section, over_splits
from ctree.evaluate.protocols import StratifiedFolds
from ctree.evaluate.tables import measure_table
from ctree.learners.mcmc.classifier import MCMCTreeClassifier

TITLE = (
    "V. Schetinin, J. E. Fieldsend, D. Partridge, W. J. Krzanowski, R. M. Everson, T. C. Bailey, A. Hernandez. "
    "Estimating classification uncertainty of Bayesian decision tree technique on financial data. arXiv:cs/0504065, "
    "2005. Tables 2 to 4"
)
EXPERIMENTS: tuple[str, ...] = ()
COLUMNS = (
    *("tests of a tree", "accuracy, %", "confidently right, %", "uncertain, %", "confidently wrong, %"),
    "accepted moves, %",
)
PUBLISHED: Mapping[str, Mapping[str, tuple[tuple[float, float | None], ...]]] = {
    "XOR3": {
        "standard": ((11.3, 7.0), (99.7, 0.9), (96.0, 7.4), (4.0, 7.4), (0.0, 0.0), (49, None)),
        "sweeping": ((3.4, 0.2), (100.0, 0.0), (99.5, 1.2), (0.5, 1.2), (0.0, 0.0), (12, None)),
    },
    "australian": {
        "standard": ((25.8, 2.3), (85.4, 4.0), (55.1, 9.5), (42.0, 9.1), (2.9, 2.9), (50, None)),
        "sweeping": ((8.3, 0.9), (85.4, 4.2), (65.4, 9.7), (30.3, 8.9), (4.3, 2.3), (23, None)),
    },
    "credit-g": {
        "standard": ((27.3, 2.8), (72.5, 6.8), (32.8, 7.2), (62.5, 11.4), (4.7, 4.4), (36, None)),
        "sweeping": ((20.7, 1.1), (74.3, 5.9), (39.4, 9.2), (54.4, 10.5), (6.2, 3.6), (30, None)),
    },
}
"""What the columns have in the paper, and its intervals of two standard deviations; of accepted moves it gives none."""
STRATEGIES: Mapping[str, Mapping[str, Any]] = {
    "standard": {"strategy": "standard", "invalid_proposals": "resample-local"},
    "standard, same move": {"strategy": "standard", "invalid_proposals": "resample-move"},
    "sweeping": {"strategy": "sweeping", "invalid_proposals": "resample", "tree_prior": "implicit"},
    "sweeping, explicit prior": {"strategy": "sweeping", "invalid_proposals": "resample"},
    "standard, exact": {"strategy": "standard", "invalid_proposals": "reject"},
    "sweeping, latent": {"strategy": "sweeping", "invalid_proposals": "reject"},
}
"""The paper's two, each in two readings, and the two that sample what they say."""
AS_PUBLISHED = {label: label.partition(",")[0] for label in list(STRATEGIES)[:4]}
"""Beside which of the paper's they are set."""
SETTINGS: Mapping[str, Mapping[str, int]] = {
    "XOR3": {"min_cases": 5, "burn_in": 50_000, "samples": 10_000, "thin": 7, "rule_variance": 1},
    "australian": {"min_cases": 3, "burn_in": 100_000, "samples": 10_000, "thin": 7, "rule_variance": 1},
    "credit-g": {"min_cases": 3, "burn_in": 100_000, "samples": 10_000, "thin": 7, "rule_variance": 2},
}
"""The paper's."""
MOVES = (0.1, 0.1, 0.2, 0.6)
"""The paper's, of birth, death, change-split and change-rule."""
QUICK = {"burn_in": 10_000, "samples": 1_000}

FOLDS = 5


class Figures(NamedTuple):
    """The columns of one strategy on one data set, fold by fold."""

    folds: npt.NDArray[np.float64]
    means: list[float]
    deviations: list[float]


def run(lab: Lab) -> Report:
    """Reproduce the experiments."""
    sets = {"XOR3": xor3(), **lab.sets(["australian", "credit-g"])}
    lab.found.insert(0, "XOR3 (made up)")
    protocol = StratifiedFolds(FOLDS, 1)
    report = Report(TITLE, protocol.describe(), lab.found, lab.lacking)
    ours: dict[tuple[str, str], Figures] = {}
    for name, data in sets.items():
        settings: dict[str, Any] = {**SETTINGS[name], **(QUICK if lab.quick else {})}
        learners: dict[str, Any] = {
            label: MCMCTreeClassifier(chains=1, moves=MOVES, temperatures=1, **strategy, **settings)
            for label, strategy in STRATEGIES.items()
        }
        result = lab.compare({name: data}, learners, protocol)
        ours |= {(name, label): _figures(result, j) for j, label in enumerate(STRATEGIES)}
        report.notes += warning_notes(result)
        report.details += [measure_table(result, m) for m in ("accuracy", "log-likelihood")]
    report.sections += _sections(ours)
    best = 100 * true_model_accuracy(sets["XOR3"], protocol)
    report.findings += _findings(ours, best)
    report.notes[:0] = [*_notes(best), *_setting_notes(list(sets), lab.quick)]
    return report


def _figures(result: Comparison, j: int) -> Figures:
    scores = [
        result.scores["leaves"][0, j] - 1,
        *(
            100 * result.scores[measure][0, j]
            for measure in ("accuracy", "confident-correct", "uncertain", "confident-incorrect", "acceptance")
        ),
    ]
    return Figures(np.array(scores), [float(s.mean()) for s in scores], [float(s.std(ddof=1)) for s in scores])


def is_within(published: tuple[float, float | None], mean: float, deviation: float) -> bool:
    """Whether a mean of ours is in the paper's interval, or no further off than one deviation of ours if it has none.

    Both are compared as the paper prints them, with one digit.

    Examples
    --------
    >>> is_within((25.8, 2.3), 28.14, 9.0), is_within((25.8, 2.3), 28.2, 9.0), is_within((49, None), 46.0, 2.9)
    (True, False, False)
    """
    value, interval = published
    return abs(round(mean, 1) - value) <= (round(deviation, 1) if interval is None else interval) + 1e-9


def _sections(ours: Mapping[tuple[str, str], Figures]) -> list[Section]:
    rows, counts = [], []
    for (name, label), (_, means, deviations) in ours.items():
        published = PUBLISHED[name].get(AS_PUBLISHED.get(label, ""))
        cells = []
        for c, (mean, deviation) in enumerate(zip(means, deviations, strict=True)):
            mark = "" if published is None else "" if is_within(published[c], mean, deviation) else " *"
            cells += [_shown(published[c]) if published else NOTHING, f"{mean:.1f} ± {2 * deviation:.1f}{mark}"]
        rows.append([name, label, *cells])
        if published is not None:
            inside = [is_within(p, m, d) for p, m, d in zip(published, means, deviations, strict=True)]
            missed = [column for column, found in zip(COLUMNS, inside, strict=True) if not found]
            counts.append([name, label, f"{sum(inside)} of {len(inside)}", ", ".join(missed) or NOTHING])
    heads = [f"{column}: {whose}" for column in COLUMNS for whose in ("paper", "ours")]
    title = "Standard and sweeping (±: two standard deviations over folds; *: outside the paper's interval)"
    return [
        Section(title, ["set", "strategy", *heads], rows, labels=2),
        Section("Figures within the paper's intervals", ["set", "strategy", "within", "not within"], counts, labels=2),
    ]


def _shown(published: tuple[float, float | None]) -> str:
    value, interval = published
    return f"{value:g}" if interval is None else f"{value:.1f} ± {interval:.1f}"


def _findings(ours: Mapping[tuple[str, str], Figures], best: float) -> list[Finding]:
    findings = []
    names = list(dict.fromkeys(name for name, _ in ours))
    for c, text, sign in (
        (0, "standard trees have more tests than those of sweeping", -1),
        (2, "sweeping is more often confidently right", 1),
    ):
        for name in names:
            gain = sign * (ours[name, "sweeping"].folds[c] - ours[name, "standard"].folds[c])
            difference = over_splits(gain, 1 / (FOLDS - 1))
            findings.append(Finding.of_differences(f"{text}: {name}", {"by": difference}, digits=1))
    for name in names:
        for label in ("standard", "sweeping"):
            _, means, deviations = ours[name, label]
            published = PUBLISHED[name][label]
            holds = is_within(published[1], means[1], deviations[1])
            detail = f"{_shown(published[1])} %, ours {means[1]:.1f} %"
            findings.append(Finding(f"our accuracy is in the paper's interval: {name}, {label}", holds, detail))
    means = ours["XOR3", "sweeping"].means
    findings.append(
        Finding(
            "on XOR3 sweeping finds the true model: at most 4 tests, and as many cases right as with its 3 tests",
            means[1] >= best - 0.1001 and means[0] <= 4,
            f"{means[1]:.1f} %, {means[0]:.1f} tests; the true model {best:.1f} %",
        )
    )
    return findings


def _notes(best: float) -> list[str]:
    return [
        "A prediction is confident if at least 99 % of the sampled trees agree.",
        "The paper's intervals are of two standard deviations over its folds. It gives none for the share of accepted "
        "moves; there, one standard deviation of ours counts.",
        "The proposal variance (1, 1 and 2) is that of change-rule, counted in thresholds of the attribute. The paper "
        "does not name its unit; in that of the attributes, 1 would be the whole range of XOR3's numbers.",
        "Standard: tests are drawn among those that leave enough cases at their own node, as N in the paper's Eqs. 7 "
        "and 10 says, and an invalid proposal is replaced by one of any move, as its Fig. 2 says. Same move: tests are "
        "drawn from the whole set, and an invalid proposal is replaced by one of the same move.",
        "Sweeping: tests are drawn from the whole set (Eq. 14), and each shape of a tree is equally likely, since the "
        "paper says that its prior on size is implicit. Explicit prior: each number of leaves is equally likely.",
        "These readings were picked from about thirty, by the shares of accepted moves first and by sizes next; so "
        "their agreement in these two columns is weaker evidence than it looks.",
        "The four do not sample the posterior. Standard, exact does; sweeping, latent samples that of an implicit "
        "prior on size.",
        "XOR3: the true model has three thresholds of 0, but cases tell only between which two of them each lies. In "
        "the middle of these gaps, if learned from n cases, it has an error of 1.5 / n on new ones, 0.19 % for 800; "
        f"on these folds it has {best:.1f} % right. So 100.0 % of 1,000 cases held out, which the paper has, would be "
        "luck (one in four); on training cases it is the rule.",
        "The paper's text gives other numbers of nodes for credit-g (18.5 and 3.8) than its table (27.3 and 20.7), and "
        "the same shares of accepted moves for credit-g as for the Company Liquidity data (36 and 30 %).",
        "The Company Liquidity data of Table 5 are not at hand.",
    ]


def _setting_notes(names: list[str], quick: bool) -> list[str]:
    return [
        f"{name}: one chain, {used['burn_in']} steps of burn-in, then {used['samples']} trees, one every "
        f"{used['thin']} steps, at least {used['min_cases']} cases in a leaf, variance {used['rule_variance']}."
        for name in names
        for used in [{**SETTINGS[name], **(QUICK if quick else {})}]
    ]


def true_model_accuracy(data: Dataset, protocol: StratifiedFolds) -> float:
    """The accuracy on held-out cases of XOR3 of three tests in the middle of the gaps around 0."""
    x, y = (np.asarray(column, dtype=np.float64) for column in data.columns[:2])
    assert data.classes is not None
    shares = []
    for train, test in protocol.series(data.classes)[0].splits:
        cut = _gap_at_0(x[train])
        below, above = (_gap_at_0(y[train][side]) for side in (x[train] <= cut, x[train] > cut))
        said = np.where(x[test] <= cut, y[test] <= below, y[test] > above)
        shares.append(float((said == (data.classes[test] == 1)).mean()))
    return float(np.mean(shares))


def _gap_at_0(values: npt.NDArray[np.float64]) -> float:
    """The middle between the numbers on both sides of 0."""
    return float(values[values <= 0].max() + values[values > 0].min()) / 2


def xor3(n: int = 1000, seed: int = 0) -> Dataset:
    """The class is the sign of the product of two numbers; a third is irrelevant."""
    rng = np.random.default_rng(seed)
    table = np.column_stack([rng.uniform(-0.5, 0.5, (n, 2)), rng.normal(0, 0.2, n)])
    return dataset_from_arrays(table, (table[:, 0] * table[:, 1] > 0).astype(int))
