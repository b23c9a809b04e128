"""Cano, Masegosa and Moral 2008, Tables 1 to 3: Bayesian trees, averaging, nonuniform priors."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ctree.evaluate.papers.lab import Lab, warning_notes
from ctree.evaluate.papers.report import Finding, Report, Section, beside, headed
from ctree.evaluate.preparation import Preparation
from ctree.evaluate.protocols import StratifiedFolds
from ctree.evaluate.tables import measure_table
from ctree.learners.bayesian.classifier import BayesianTreeClassifier
from ctree.learners.c45.classifier import C45Classifier

TITLE = (
    "A. Cano, A. Masegosa, S. Moral. A Bayesian approach to estimate probabilities in classification trees. PGM, 2008. "
    "Tables 1 to 3"
)
EXPERIMENTS: tuple[str, ...] = ()

SETS = (
    *("anneal", "audiology", "autos", "breast-cancer", "colic", "credit-g", "diabetes", "glass", "hepatitis"),
    *("hypothyroid", "ionosphere", "kr-vs-kp", "labor", "lymph", "mfeat-pixel", "mushroom", "optdigits", "segment"),
    *("sick", "solar-flare1", "sonar", "soybean", "sponge", "vote", "vowel", "waveform", "zoo"),
)
"""27 sets that this group has used; which 27 the paper's averages are over is not recorded with them."""
QUICK_SETS = ("audiology", "autos", "breast-cancer", "glass", "hepatitis", "labor", "lymph", "vote", "zoo")
LEVEL = 0.01


class Entry(NamedTuple):
    """A column of the paper's tables: a learner with the average accuracy and log-likelihood reported for it."""

    table: int
    learner: Any
    accuracy: float
    log_likelihood: float


def _tree(
    weight: float | str, averaging: bool, nonuniform: bool, estimate: str = "dirichlet"
) -> BayesianTreeClassifier:
    return BayesianTreeClassifier(
        prior_weight=weight,
        averaging="path" if averaging else "none",
        uniform_prior=not nonuniform,
        estimate=estimate,
        bins=None,
    )


ENTRIES = {
    "C4.5": Entry(1, C45Classifier(variant="j48", estimate="laplace"), 85.50, -0.79),
    "S=1": Entry(1, _tree(1.0, False, False), 85.30, -0.79),
    "S=2": Entry(1, _tree(2.0, False, False), 85.56, -0.78),
    "S=|C|": Entry(1, _tree("classes", False, False), 84.03, -0.78),
    "S=1, Laplace": Entry(1, _tree(1.0, False, False, "laplace"), 85.30, -0.79),
    "S=2, Laplace": Entry(1, _tree(2.0, False, False, "laplace"), 85.56, -0.78),
    "S=1, averaging": Entry(2, _tree(1.0, True, False), 85.50, -0.63),
    "S=2, averaging": Entry(2, _tree(2.0, True, False), 85.82, -0.63),
    "S=|C|, averaging": Entry(2, _tree("classes", True, False), 83.98, -0.77),
    "S=1, averaging, nonuniform": Entry(3, _tree(1.0, True, True), 85.85, -0.61),
    "S=2, averaging, nonuniform": Entry(3, _tree(2.0, True, True), 86.04, -0.60),
    "S=|C|, averaging, nonuniform": Entry(3, _tree("classes", True, True), 85.37, -0.69),
}
"""Those with Laplace are no columns of the paper, but perhaps what its columns are of: see the notes."""


def run(lab: Lab) -> Report:
    """Reproduce the experiments."""
    sets = lab.sets(QUICK_SETS if lab.quick else SETS, whole=True)
    protocol = StratifiedFolds(10, 1 if lab.quick else 10)
    learners = {name: entry.learner for name, entry in ENTRIES.items()}
    result = lab.compare(sets, learners, protocol, Preparation(impute=True, bins=5))
    accuracy = dict(zip(ENTRIES, 100 * result.means("accuracy").mean(axis=0), strict=True))
    likelihood = dict(zip(ENTRIES, result.means("log-likelihood").mean(axis=0), strict=True))
    verdicts = [result.verdict(m, "C4.5", significance=LEVEL).totals for m in ("accuracy", "log-likelihood")]
    report = Report(TITLE, result.protocol, lab.found, lab.lacking)
    rows = []
    for place, (name, entry) in enumerate(ENTRIES.items()):
        against = ["", ""] if place == 0 else [str(totals[place]) for totals in verdicts]
        rows.append(
            [
                str(entry.table),
                name,
                *beside(entry.accuracy, float(accuracy[name]), 2),
                *beside(entry.log_likelihood, float(likelihood[name]), 2),
                *beside(entry.log_likelihood, float(likelihood[name] / math.log(2)), 2)[1:],
                *against,
            ]
        )
    report.sections.append(
        Section(
            f"Averages over {len(sets)} sets (the paper: 27), and wins/ties/losses against C4.5 on these sets "
            f"(corrected resampled t-test, {100 * LEVEL:g} %)",
            [
                *("table", "method", *headed("accuracy, %", "log-likelihood"), *headed("in bits")[1:]),
                *("wins/ties/losses: accuracy", "wins/ties/losses: log-likelihood"),
            ],
            rows,
            labels=2,
        )
    )
    report.findings += _findings(accuracy, likelihood)
    report.notes += [
        "Which 27 sets the paper's averages are over is not recorded with them; ours are over the ones listed. So "
        "compare the differences between methods, not the levels.",
        "Unknown values are imputed and numbers put into bins by the training cases of each fold.",
        "C4.5 is J48's tree, with Laplace's estimate in the leaves: with frequencies its log-likelihood would be far "
        "below the paper's, as some true classes get probability 0.",
        "The paper's log-likelihoods are likely to be in bits: C4.5 is then where the paper has it. And its trees "
        "without averaging are likely to have Laplace's estimate in the leaves, whatever S, and not the estimate of "
        "the formula, (n + S/C) / (N + S). Then their log-likelihood hardly depends on S, as in the paper; S = |C|, "
        "for which the two estimates are the same, gains next to nothing by averaging, as in the paper; and the gain "
        "for S = 1 and 2 is the paper's. The rows with Laplace show this. With the same estimate on both sides "
        "averaging gains little: most of the paper's gain is due to the estimate.",
        "Accuracy: the Bayesian trees are 1 to 1.7 points further below the paper's than C4.5 is. It depends on the "
        "sets. They fall behind C4.5 on sets of two classes whose numbers are in bins, such as hepatitis, sonar, "
        "ionosphere and diabetes, where C4.5 prunes most of the tree away and they branch on; they are ahead on "
        "audiology, sponge and zoo. With 27 other sets the order may well be the paper's. A branch that no training "
        "case took is another cause, without averaging: by the formula all classes are equal there, and the first one "
        "is predicted. With the class of the node above, the trees for S = 2 would be half a point more accurate.",
        *warning_notes(result),
    ]
    zeros = np.nansum(result.scores["zeros"], axis=(0, 2))
    if zeros.any():
        counts = ", ".join(f"{n} {int(z)}" for n, z in zip(ENTRIES, zeros, strict=True) if z)
        report.notes.append(f"True classes given probability 0, which count as 2.2e-16: {counts}.")
    report.details += [
        measure_table(result, m, "C4.5", significance=LEVEL) for m in ("accuracy", "log-likelihood", "leaves")
    ]
    return report


def _findings(accuracy: dict[str, Any], likelihood: dict[str, Any]) -> list[Finding]:
    def gains(table: dict[str, Any], better: str, worse: str) -> dict[str, float]:
        return {s: float(table[s + better] - table[s + worse]) for s in ("S=1", "S=2", "S=|C|")}

    def shown(values: dict[str, float]) -> str:
        return ", ".join(f"{name} {value:+.3f}" for name, value in values.items())

    averaging = gains(likelihood, ", averaging", "")
    nonuniform = gains(likelihood, ", averaging, nonuniform", ", averaging")
    best = "S=2, averaging, nonuniform"
    laplace = {s: float(likelihood[f"{s}, averaging"] - likelihood[f"{s}, Laplace"]) for s in ("S=1", "S=2")}
    in_bits = {s: gain / math.log(2) for s, gain in laplace.items()}
    return [
        Finding("averaging improves the log-likelihood, whatever S", min(averaging.values()) > 0, shown(averaging)),
        Finding(
            "averaging improves it by a tenth and more for S = 1 and 2",
            min(averaging["S=1"], averaging["S=2"]) >= 0.1,
        ),
        Finding(
            "it does so if Laplace's estimate is in the leaves of the trees without averaging, in bits",
            min(in_bits.values()) >= 0.1,
            shown(in_bits),
        ),
        Finding("nonuniform priors improve it further", min(nonuniform.values()) > 0, shown(nonuniform)),
        Finding("they do so most for S = |C|", nonuniform["S=|C|"] == max(nonuniform.values())),
        Finding(
            "with uniform priors S = |C| is the least accurate",
            accuracy["S=|C|"] < min(accuracy["S=1"], accuracy["S=2"])
            and accuracy["S=|C|, averaging"] < min(accuracy["S=1, averaging"], accuracy["S=2, averaging"]),
        ),
        Finding(
            "averaging with nonuniform priors and S = 2 has the best log-likelihood",
            likelihood[best] >= max(likelihood.values()),
            f"{likelihood[best]:.3f}, the best is {max(likelihood, key=lambda n: likelihood[n])}",
        ),
        Finding(
            "and is at least as accurate as C4.5",
            accuracy[best] >= accuracy["C4.5"],
            f"{accuracy[best]:.2f} against {accuracy['C4.5']:.2f}",
        ),
    ]
