"""Cano, Masegosa and Moral 2008, Tables 1 to 3: Bayesian trees, averaging, nonuniform priors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.evaluate.comparison import Comparison
from ctree.evaluate.papers.cano2008.findings import BITS, findings
from ctree.evaluate.papers.lab import Lab, warning_notes
from ctree.evaluate.papers.report import (
    NOTHING,
    Difference,
    Figure,
    Report,
    Section,
    average_over_sets,
    beside,
    headed,
)
from ctree.evaluate.papers.unknown_values import with_unknown_as_value
from ctree.evaluate.preparation import Preparation
from ctree.evaluate.protocols import Series, Split, StratifiedFolds
from ctree.evaluate.tables import measure_table
from ctree.learners.bayesian.classifier import BayesianTreeClassifier
from ctree.learners.c45.classifier import C45Classifier

TITLE = (
    "A. Cano, A. Masegosa, S. Moral. A Bayesian approach to estimate probabilities in classification trees. PGM, 2008. "
    "Tables 1 to 3"
)
EXPERIMENTS = ("whole", "readings")

SETS = (
    *("anneal", "audiology", "autos", "breast-cancer", "colic", "credit-g", "diabetes", "glass-2", "hepatitis"),
    *("hypothyroid", "ionosphere", "kr-vs-kp", "labor", "letter", "lymph", "mfeat-pixel", "mushroom", "optdigits"),
    *("segment", "sick", "solar-flare1", "sonar", "soybean", "sponge", "vote", "vowel", "zoo"),
)
"""The 27 sets of the paper's section 4.1."""
QUICK_SETS = ("audiology", "autos", "breast-cancer", "glass-2", "hepatitis", "labor", "lymph", "vote", "zoo")
ANNEAL_VALUES = "anneal (? is a value)"
READINGS: Mapping[str, tuple[str, ...]] = {
    "glass-2": ("glass-2 (buildings)", "glass-2 (windows)", "glass"),
    "solar-flare1": ("solar-flare2", "solar-flare-zurich"),
    "anneal": (ANNEAL_VALUES,),
}
"""Of three names it is open which set they are: ours, and what else they may be."""
LEVEL = 0.01
WEIGHTS: Mapping[str, float | str] = {"S=1": 1.0, "S=2": 2.0, "S=|C|": "classes"}
UNPRUNED = "C4.5 unpruned"


class Entry(NamedTuple):
    """A column of the paper's tables: a learner with the averages reported for it."""

    table: int
    learner: Any
    accuracy: float
    log_likelihood: float
    nodes: float | None = None


class Pairing(NamedTuple):
    """A row of wins, ties and losses in the paper, for each S, against one reference or the trees with the same S."""

    table: int
    method: str
    reference: str
    accuracy: tuple[str, str, str]
    log_likelihood: tuple[str, str, str]


def _entries() -> dict[str, Entry]:
    def trees(
        table: int, suffix: str, figures: tuple[tuple[float, float, float | None], ...], **settings: Any
    ) -> dict[str, Entry]:
        return {
            s + suffix: Entry(table, BayesianTreeClassifier(prior_weight=weight, bins=None, **settings), *published)
            for (s, weight), published in zip(WEIGHTS.items(), figures, strict=False)
        }

    alone = ((85.30, -0.79, 482.1), (85.56, -0.78, 459.9), (84.03, -0.78, 319.6))
    averaged = ((85.50, -0.63, None), (85.82, -0.63, None), (83.98, -0.77, None))
    nonuniform = ((85.64, -0.82, 596.2), (85.82, -0.81, 591.2), (85.20, -0.78, 491.2))
    both = ((85.85, -0.61, None), (86.04, -0.60, None), (85.37, -0.69, None))
    single: dict[str, Any] = {"averaging": "none"}
    path: dict[str, Any] = {"averaging": "path"}
    return {
        "C4.5": Entry(1, C45Classifier(variant="j48", estimate="laplace"), 85.50, -0.79, 306.6),
        UNPRUNED: Entry(1, C45Classifier(variant="j48", estimate="laplace", prune=False), 84.08, -0.84, 482.5),
        **trees(1, "", alone, **single, uniform_prior=True),
        **trees(1, ", Laplace", alone[:2], **single, uniform_prior=True, estimate="laplace"),
        **trees(2, ", averaging", averaged, **path, uniform_prior=True),
        **trees(3, ", nonuniform", nonuniform, **single),
        **trees(3, ", nonuniform, Laplace", nonuniform, **single, estimate="laplace"),
        **trees(3, ", averaging, nonuniform", both, **path),
    }


ENTRIES = _entries()
"""Those with Laplace are no columns of the paper, but perhaps what its columns are of: see the notes. For S = |C| and
uniform priors the two estimates are the same."""
PAIRINGS = (
    Pairing(1, "", "C4.5", ("3/23/1", "3/24/0", "1/23/3"), ("4/20/3", "6/20/1", "5/21/1")),
    Pairing(1, "", UNPRUNED, ("5/22/0", "5/22/0", "1/24/2"), ("7/19/1", "9/17/1", "9/17/1")),
    Pairing(2, ", averaging", "", ("0/27/0", "0/27/0", "0/23/1"), ("12/14/1", "14/11/2", "4/20/3")),
    Pairing(2, ", averaging", "C4.5", ("3/24/0", "3/24/0", "1/23/3"), ("12/15/0", "11/15/1", "4/22/1")),
    Pairing(3, ", nonuniform", "", ("2/25/0", "2/25/0", "3/24/0"), ("0/21/6", "0/21/6", "0/25/2")),
    Pairing(
        3,
        ", averaging, nonuniform",
        ", averaging",
        ("2/25/0", "2/25/0", "4/23/0"),
        ("3/23/0", "5/21/0", "10/17/0"),
    ),
    Pairing(3, ", averaging, nonuniform", "C4.5", ("3/24/0", "4/23/0", "0/27/0"), ("13/14/0", "11/15/1", "10/16/1")),
    Pairing(3, ", averaging, nonuniform", UNPRUNED, ("7/20/0", "6/21/0", "3/24/0"), ("12/15/0", "12/14/1", "11/15/1")),
)
"""0/23/1, 3/23/0 and 5/21/0 are printed so, though they are not 27 in all."""
MEASURES = ("accuracy", "log-likelihood", "nodes")
PREPARATION = Preparation(impute=True, bins=5)
READING = (
    "by our reading: log-likelihoods in bits, with Laplace's estimate in the leaves of trees without averaging, and "
    "trees of all cases"
)


class AllCases:
    """All cases to learn from, and the same to test on: for the size of trees."""

    def series(self, classes: npt.NDArray[np.int32]) -> list[Series]:
        rows = np.arange(len(classes), dtype=np.int64)
        return [Series("", [Split(rows, rows)])]

    def describe(self) -> str:
        return "all cases"


def run(lab: Lab) -> Report:
    """Reproduce the experiments."""
    sets = lab.sets(QUICK_SETS if lab.quick else SETS, whole=True)
    if lab.experiment == "readings":
        return _readings(lab, sets)
    whole = lab.experiment == "whole"
    result = _compared(lab, sets, whole)
    report = Report(TITLE, result.protocol, lab.found, lab.lacking)
    if whole:
        report.paper += ". Filled and put into bins before the division into folds"
        report.protocol += f", {PREPARATION.describe()}, by all cases"
    sizes = _sizes(lab, sets)
    report.sections += [_averages(result, sizes), _pairings(result)]
    report.figures += _figures(result, sizes) if len(sets) == len(SETS) else []
    report.whose_error = "of the average over the sets, by the corrected resampled variance over the folds of each"
    report.findings += findings(result)
    report.notes += [*NOTES, *warning_notes(result)]
    zeros = np.nansum(result.scores["zeros"], axis=(0, 2))
    if zeros.any():
        counts = ", ".join(f"{n} {int(z)}" for n, z in zip(ENTRIES, zeros, strict=True) if z)
        report.notes.append(f"True classes given probability 0, which count as 2.2e-16: {counts}.")
    if not whole:
        report.details += [measure_table(result, m, "C4.5", significance=LEVEL) for m in MEASURES]
    return report


def _compared(lab: Lab, sets: Mapping[str, Dataset], whole: bool = False) -> Comparison:
    """All learners on these sets; with `whole`, unknown values and bins are those of all cases."""
    learners = {name: entry.learner for name, entry in ENTRIES.items()}
    protocol = StratifiedFolds(10, 1 if lab.quick else 10)
    if not whole:
        return lab.compare(sets, learners, protocol, PREPARATION)
    return lab.compare({n: PREPARATION.prepared(d, d)[0] for n, d in sets.items()}, learners, protocol)


def _sizes(lab: Lab, sets: Mapping[str, Dataset]) -> dict[str, float]:
    """The average nodes of the trees of all cases, of the learners for which the paper has a size."""
    learners = {name: e.learner for name, e in ENTRIES.items() if e.nodes and not name.endswith("Laplace")}
    result = lab.compare(sets, learners, AllCases(), PREPARATION)
    return dict(zip(learners, result.means("nodes").mean(axis=0).tolist(), strict=True))


def averages(result: Comparison, measure: str) -> dict[str, Difference]:
    """The average of each learner over the sets; accuracy in percent."""
    scores = result.scores[measure] * (100 if measure == "accuracy" else 1)
    return {name: average_over_sets(scores[:, j], result.test_ratios) for j, name in enumerate(result.learners)}


def laplace(name: str) -> str:
    """The same trees with Laplace's estimate in the leaves, where nothing is averaged."""
    return f"{name}, Laplace" if f"{name}, Laplace" in ENTRIES else name


def _averages(result: Comparison, sizes: Mapping[str, float]) -> Section:
    accuracy, likelihood, nodes = (averages(result, measure) for measure in MEASURES)
    rows = [
        [
            *(str(entry.table), name),
            *beside(entry.accuracy, accuracy[name].mean, 2),
            *beside(entry.log_likelihood, likelihood[name].mean, 2),
            *beside(entry.log_likelihood, likelihood[name].mean / BITS, 2)[1:],
            *beside(entry.nodes, nodes[name].mean, 1),
            *(beside(entry.nodes, sizes[name], 1)[1:] if name in sizes else [NOTHING, NOTHING]),
        ]
        for name, entry in ENTRIES.items()
    ]
    heads = [*headed("accuracy, %", "log-likelihood"), *headed("in bits")[1:], *headed("nodes")]
    heads += headed("of all cases")[1:]
    title = f"Averages over {len(result.rows)} sets (the paper: 27)"
    return Section(title, ["table", "method", *heads], rows, labels=2)


def _figures(result: Comparison, sizes: Mapping[str, float]) -> list[Figure]:
    """The paper's figures beside ours, as it says they are, and then by our reading."""
    table = {measure: averages(result, measure) for measure in MEASURES}
    figures, read = [], []
    for name, entry in ENTRIES.items():
        if name.endswith("Laplace"):
            continue
        for measure, published in zip(MEASURES, (entry.accuracy, entry.log_likelihood, entry.nodes), strict=True):
            if published is not None:
                figures.append(Figure(measure, published, *table[measure][name]))
        mean, error = table["log-likelihood"][laplace(name)]
        read.append(Figure("log-likelihood", entry.log_likelihood, mean / BITS, error / BITS, reading=READING))
        if entry.nodes is not None:
            read.append(Figure("nodes", entry.nodes, sizes[name], table["nodes"][name].error, reading=READING))
    return figures + read


def _pairings(result: Comparison) -> Section:
    """Wins, ties and losses in each pairing of the paper; log-likelihood also with Laplace's estimate."""
    totals: dict[tuple[str, str], list[str]] = {}

    def ours(measure: str, method: str, reference: str) -> str:
        if (measure, reference) not in totals:
            verdict = result.verdict(measure, reference, significance=LEVEL)
            totals[measure, reference] = [str(total) for total in verdict.totals]
        return totals[measure, reference][result.learners.index(method)]

    rows = []
    for pairing in PAIRINGS:
        for place, s in enumerate(WEIGHTS):
            method = s + pairing.method
            against = pairing.reference if pairing.reference in ENTRIES else s + pairing.reference
            rows.append(
                [
                    *(str(pairing.table), method, against),
                    *(pairing.accuracy[place], ours("accuracy", method, against)),
                    *(pairing.log_likelihood[place], ours("log-likelihood", method, against)),
                    ours("log-likelihood", laplace(method), laplace(against)),
                ]
            )
    heads = [f"{m}: {what}" for m in ("accuracy", "log-likelihood") for what in ("paper", "ours")]
    title = f"Wins/ties/losses against a reference (corrected resampled t-test, {100 * LEVEL:g} %)"
    return Section(title, ["table", "method", "against", *heads, "log-likelihood: with Laplace"], rows, labels=3)


def _readings(lab: Lab, sets: Mapping[str, Dataset]) -> Report:
    """What the names that are open may be of, and what the averages are then."""
    result = _compared(lab, sets)
    wanted = [other for name, group in READINGS.items() if name in sets for other in group if other != ANNEAL_VALUES]
    others = lab.sets(wanted) if wanted else {}
    if "anneal" in sets:
        others[ANNEAL_VALUES] = with_unknown_as_value(sets["anneal"])
    alone = _compared(lab, others)
    methods = ("C4.5", UNPRUNED, "S=2", "S=2, averaging, nonuniform")
    places = [result.learners.index(name) for name in methods]
    means = 100 * result.means("accuracy")[:, places]
    rows = []
    for name, group in READINGS.items():
        for other in (name, *group):
            data = sets.get(other, others.get(other))
            if name not in sets or data is None:
                continue
            place = result.rows.index(name)
            own = means[place] if other == name else 100 * alone.means("accuracy")[alone.rows.index(other), places]
            average = means.mean(axis=0) + (own - means[place]) / len(means)
            cells = [f"{value:.2f}" for pair in zip(own, average, strict=True) for value in pair]
            rows.append([name, other, str(data.n_cases), str(data.schema.n_classes), *cells])
    published = [cell for m in methods for cell in ("", f"{ENTRIES[m].accuracy:.2f}")]
    rows.append(["", "the paper", "", "", *published])
    heads = [f"{method}: {what}" for method in methods for what in ("it", "all sets")]
    report = Report(f"{TITLE}. Which sets three names are of", result.protocol, lab.found, lab.lacking)
    report.sections.append(
        Section("Accuracy, %, on it and on average", ["name", "read as", "cases", "classes", *heads], rows, labels=2)
    )
    report.notes.append(
        "glass-2: window glass, float-processed or not, of buildings and vehicles; of buildings only; window glass "
        "or other glass; the seven types. solar-flare: X-class flares in the 323 cases of the first file, in the 1,066 "
        "of the second, and there the Zurich class. anneal: by the description of the public set, what is unknown "
        "there does not apply, and so may be a value of its own, which is then not filled in."
    )
    return report


NOTES = (
    "The sets are those that the paper lists. It does not say what glass-2 and solar-flare are; here they are window "
    "glass, float-processed or not (163 cases), and the first file of flares (323 cases). In anneal, unknown values "
    "are filled in like all others. `--experiment readings` tries other readings. In one repetition, glass-2 as "
    "window glass or other adds 0.4 points to the average of C4.5 and 0.5 to that of S = 2 with averaging and "
    "nonuniform priors, anneal with unknown as a value 0.3 to both, solar-flare as the second file 0.1 to both; the "
    "seven types of glass and the Zurich class take 0.4 to 0.9 away. vowel and zoo are without the columns that name "
    "the speaker and the animal; the paper does not say whether it left them out. Its text has at most 24 classes and "
    "at least 9 attributes, but letter has 26 and diabetes 8.",
    "The paper preprocessed the data by Weka's filters before it evaluated, so probably by all cases. Here unknown "
    "values are filled in and numbers put into bins by the training cases of each fold; `--experiment whole` does it "
    "by all cases. With ten repetitions C4.5 is then 0.2 points less accurate and the Bayesian trees 0.0 to 0.2, "
    "log-likelihoods change by at most 0.01, and sizes by at most one node. It explains no difference.",
    "C4.5 is J48's tree, with Laplace's estimate in the leaves, as in the paper.",
    "The paper writes its log-likelihood as ln. Yet no figure is near ours in natural logarithms, and those of C4.5, "
    "pruned and not, and of all averages are within 0.03 of ours in bits. Weka's own measures of information are in "
    "bits as well.",
    "The paper's trees without averaging are likely to have Laplace's estimate in the leaves, whatever S, and not "
    "that of the formula, (n + S/C) / (N + S). With Laplace's, and in bits, they are within 0.05 of the paper's; "
    "their log-likelihood hardly depends on S, and nonuniform priors make it worse, as in Table 3, which they do not "
    "by the formula; and wins and losses are nearly the paper's. With the same estimate on both sides averaging gains "
    "0.01 to 0.02: most of the paper's gain is due to the estimate.",
    "The paper's sizes are likely to be of trees of all cases: for C4.5 and uniform priors ours are then within 2 %.",
    "With nonuniform priors our trees of all cases have 611, 612 and 593 nodes, the paper's 596, 591 and 491. Ours "
    "take the parameters of a node from the counts of the node above, so that its branches are judged by other "
    "parameters than itself. If both are judged by those from its own counts, trees have 592, 583 and 484 nodes, "
    "which is likely to be what the paper did.",
    "Accuracy: C4.5 is where the paper has it, and the Bayesian trees are 0.6 to 1.1 points below. What a branch "
    "predicts that no training case took matters without averaging: by the formula all classes are equal there, which "
    "costs half a point; here it is what the node above predicts, and for S = 1 and 2 averaging then changes the "
    "accuracy significantly on no set, as in the paper's Table 2. The rest is not due to bins by all cases, and not to "
    "anneal, whose other reading adds 0.3 to C4.5 as well. The trees "
    "fall behind C4.5 on small sets of two classes whose numbers are in bins, such as hepatitis, labor, sonar and "
    "diabetes, where C4.5 prunes most of the tree away; the paper has no results by set to compare with.",
)
