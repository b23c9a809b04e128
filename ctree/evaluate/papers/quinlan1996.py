"""Quinlan 1996: bagging and boosting of C4.5's trees."""

from __future__ import annotations

from typing import Any

import numpy as np

from ctree.evaluate.comparison import Comparison
from ctree.evaluate.papers.lab import Lab, warning_notes
from ctree.evaluate.papers.report import Difference, Finding, Report, Section, over_sets, over_splits
from ctree.evaluate.protocols import StratifiedFolds
from ctree.evaluate.tables import measure_table
from ctree.learners.base.classifier import Floats
from ctree.learners.c45.classifier import C45Classifier
from ctree.learners.committee.classifier import CommitteeClassifier

TITLE = "J. R. Quinlan. Bagging, boosting, and C4.5. AAAI, 1996"
EXPERIMENTS: tuple[str, ...] = ()
SETS = (
    "anneal", "audiology", "autos", "breast-w", "kr-vs-kp", "colic", "credit-a", "credit-g", "diabetes", "glass",
    "heart-c", "heart-h", "hepatitis", "hypothyroid", "iris", "labor", "letter", "lymph", "phoneme", "segment", "sick",
    "sonar", "soybean", "splice", "vehicle", "vote", "waveform",
)  # fmt: skip
"""The paper's 27 sets."""
TRIALS = 10
QUICK_CASES = 500

C45, BAGGED, BOOSTED, CONFIDENT = "C4.5", "bagging", "boosting", "boosting, votes by confidence"


def learners() -> dict[str, C45Classifier | CommitteeClassifier]:
    """What the paper compares."""
    boosting: dict[str, Any] = {
        "method": "boosting",
        "members": TRIALS,
        "algorithm": "m1",
        "learner": C45Classifier(),
        "calibration_folds": None,
    }
    return {
        C45: C45Classifier(),
        BAGGED: CommitteeClassifier(members=TRIALS, random_state=1),
        BOOSTED: CommitteeClassifier(**boosting, voting="error", random_state=1),
        CONFIDENT: CommitteeClassifier(**boosting, voting="confidence", random_state=1),
    }


def run(lab: Lab) -> Report:
    """Reproduce the experiments."""
    sets = lab.sets(SETS)
    if lab.quick:
        sets = {name: data for name, data in sets.items() if data.n_cases <= QUICK_CASES} or sets
    repeats = 1 if lab.quick else 10
    result = lab.compare(sets, learners(), StratifiedFolds(folds=10, repeats=repeats))
    report = Report(TITLE, f"{result.protocol} (the paper: 10 times 10 folds)", lab.found, lab.lacking)
    errors = 100 * (1 - result.means("accuracy"))
    rows = [[name, *(f"{e:.2f}" for e in row)] for name, row in zip(sets, errors.tolist(), strict=True)]
    rows.append(["average", *(f"{e:.2f}" for e in errors.mean(axis=0).tolist())])
    report.sections.append(Section("Errors, %", ["set", *result.learners], rows))
    report.sections.append(_ratios(result, errors))
    report.findings += _findings(result, list(sets))
    report.notes += [*NOTES, *warning_notes(result)]
    report.details.append(measure_table(result, "accuracy", C45))
    return report


def _ratios(result: Comparison, errors: Floats) -> Section:
    """On how many sets each is better than C4.5, and the mean ratio of its errors to those of C4.5."""
    rows = []
    for j, name in enumerate(result.learners[1:], start=1):
        some = errors[:, 0] > 0
        ratio = float(np.mean(errors[some, j] / errors[some, 0])) if some.any() else float("nan")
        better, worse = int((errors[:, j] < errors[:, 0]).sum()), int((errors[:, j] > errors[:, 0]).sum())
        rows.append([name, str(better), str(worse), f"{ratio:.3f}"])
    columns = ["", "sets with fewer errors", "sets with more", "mean ratio of errors"]
    return Section("Against C4.5", columns, rows)


def _findings(result: Comparison, sets: list[str]) -> list[Finding]:
    accuracy = 100 * result.scores["accuracy"]
    place = {name: j for j, name in enumerate(result.learners)}
    means = accuracy.mean(axis=2)

    def gain(better: str, worse: str) -> Difference:
        return over_sets(means[:, place[better]] - means[:, place[worse]])

    def on_set(better: str, worse: str, row: int) -> Difference:
        return over_splits(accuracy[row, place[better]] - accuracy[row, place[worse]], float(result.test_ratios[row]))

    worse = [i for i in range(len(sets)) if means[i, place[C45]] > means[i, place[BOOSTED]]]
    harmed = {sets[i]: on_set(C45, BOOSTED, i) for i in worse}
    sure = {name: gap for name, gap in harmed.items() if gap.exceeds()}
    harm = "boosting makes more errors than C4.5 on some sets"
    return [
        Finding.of_differences("bagging makes fewer errors than C4.5 on average", {"": gain(BAGGED, C45)}, digits=2),
        Finding.of_differences("boosting makes fewer errors than C4.5 on average", {"": gain(BOOSTED, C45)}, digits=2),
        Finding.of_differences("boosting gains more than bagging", {"": gain(BOOSTED, BAGGED)}, digits=2),
        Finding.of_differences(harm, sure, digits=2) if sure else Finding(harm, None, _shown(harmed), by_error=True),
        Finding.of_differences(
            "votes by confidence make fewer errors than votes by the error of a tree, on average",
            {"": gain(CONFIDENT, BOOSTED)},
            digits=2,
        ),
    ]


def _shown(differences: dict[str, Difference]) -> str:
    return ", ".join(f"{name} {gap.shown(2)}" for name, gap in differences.items()) or "on none"


NOTES = (
    "The paper's figures are not beside ours here; its conclusions are.",
    "The members of a bag vote in the paper; here their class probabilities are averaged.",
    "After a tree without errors the paper ends boosting; what its vote counts is left open there. Here it is that of "
    "half an error in all cases.",
    "Sets are those of the UCI repository under these names: kr-vs-kp is the paper's chess, hypothyroid its hypo, "
    "autos its auto.",
)
