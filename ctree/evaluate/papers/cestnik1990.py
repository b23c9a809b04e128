"""Cestnik 1990, Table 1: naive Bayes with three estimates of probability."""

from __future__ import annotations

from ctree.evaluate.papers.lab import Lab, warning_notes
from ctree.evaluate.papers.report import Finding, Report, Section, beside, headed
from ctree.evaluate.protocols import Holdout
from ctree.evaluate.tables import measure_table
from ctree.learners.naive_bayes import NaiveBayesClassifier

TITLE = "B. Cestnik. Estimating probabilities: a crucial task in machine learning. ECAI, 1990. Table 1"
EXPERIMENTS: tuple[str, ...] = ()
ESTIMATES = ("frequency", "laplace", "m")
PUBLISHED = {
    "lymph": (79.0, 43.6, 84.8),
    "hepatitis": (82.6, 83.2, 84.9),
    "breast-cancer": (77.4, 77.4, 78.6),
    "primary-tumor": (48.2, 25.9, 51.2),
}
"""Accuracy in percent, by estimate."""


def run(lab: Lab) -> Report:
    """Do it again."""
    sets = lab.sets(list(PUBLISHED))
    # its results are of seconds, so there is nothing to reduce
    protocol = Holdout(0.3, 10, stratified=False)
    learners = {estimate: NaiveBayesClassifier(estimate=estimate, m=2.0) for estimate in ESTIMATES}
    result = lab.compare(sets, learners, protocol)
    means = 100 * result.means("accuracy")
    report = Report(TITLE, result.protocol, lab.found, lab.lacking)
    rows = []
    for i, name in enumerate(sets):
        cells = [cell for j in range(3) for cell in beside(PUBLISHED[name][j], float(means[i, j]), 1)]
        rows.append([name, *cells])
    report.sections.append(Section("Accuracy of naive Bayes, %", ["set", *headed(*ESTIMATES)], rows))
    report.findings.append(
        Finding(
            "the m-estimate (m = 2) is at least as accurate as the other two on every set",
            bool((means[:, 2] >= means[:, :2].max(axis=1) - 1e-9).all()),
            ", ".join(f"{name} {row[2] - max(row[0], row[1]):+.1f}" for name, row in zip(sets, means, strict=True)),
        )
    )
    many = [i for i, data in enumerate(sets.values()) if data.schema.n_classes > 2]
    if many:
        report.findings.append(
            Finding(
                "with more than two classes Laplace's estimate is much worse than the m-estimate (10 points and more)",
                bool((means[many, 1] < means[many, 2] - 10).all()),
                ", ".join(f"{list(sets)[i]} {means[i, 1] - means[i, 2]:+.1f}" for i in many),
            )
        )
    report.notes += [
        "The public data sets of these names need not have the very cases of the paper, and the splits are others.",
        "Numbers are in 5 bins of equal frequency. How the paper treats them is not told.",
        "By Laplace, P(class | value) is (n + 1) / (N + C) here. The paper's class priors, (n + 1) / (N + 2), do not "
        "add up to 1 for more than two classes.",
        *warning_notes(result),
    ]
    report.details.append(measure_table(result, "accuracy", "m"))
    return report
