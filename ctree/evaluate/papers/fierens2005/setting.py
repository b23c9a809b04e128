"""How the experiments of Fierens and others are done: folds and learners."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.schema import Attribute, Kind, Schema
from ctree.evaluate.comparison import Comparison
from ctree.evaluate.papers.fierens2005.figures import METHODS
from ctree.evaluate.papers.report import Difference, over_splits
from ctree.evaluate.protocols import Series, StratifiedFolds
from ctree.learners.probability.classifier import ProbabilityTreeClassifier
from ctree.learners.relational.classifier import RelationalTreeClassifier

TITLE = (
    "D. Fierens, J. Ramon, H. Blockeel, M. Bruynooghe. A comparison of approaches for learning probability trees. "
    "ECML, 2005, and its report"
)
FEW_CASES = 500
"""Below so many cases the report's folds are fewer and larger."""
THRESHOLDS = 8
"""For each number of linked tables."""


@dataclass(frozen=True)
class ReportFolds:
    """The report's protocol: ten folds, and five times three for sets of fewer than 500 cases.

    Examples
    --------
    >>> import numpy as np
    >>> [len(ReportFolds().series(np.zeros(n, dtype=np.int32))[0].splits) for n in (499, 500)]
    [15, 10]
    """

    seed: int = 1

    def series(self, classes: npt.NDArray[np.int32]) -> list[Series]:
        few = len(classes) < FEW_CASES
        return StratifiedFolds(3 if few else 10, 5 if few else 1, self.seed).series(classes)

    def describe(self) -> str:
        return f"10-fold stratified cross-validation, 5 times 3-fold below {FEW_CASES} cases, seed {self.seed}"


def learners(thresholds: int | None = None) -> dict[str, ProbabilityTreeClassifier]:
    """The seven approaches, with so many thresholds of equal width for each number, or with all.

    Pruning turns tests into leaves, and does nothing else (the report's Figure 2).
    """
    spacing = "frequency" if thresholds is None else "width"
    return {
        name: ProbabilityTreeClassifier(
            approach=approach, max_thresholds=thresholds, threshold_spacing=spacing, subtree_raising=False
        )
        for name, approach in METHODS.items()
    }


def relational_learners(
    *, forward: int = 2, links: Mapping[str, str] | None = None, constants: Mapping[str, bool] | None = None
) -> dict[str, RelationalTreeClassifier]:
    """The seven approaches for linked tables, with eight thresholds for each number."""
    return {
        name: RelationalTreeClassifier(
            method=method, thresholds=THRESHOLDS, forward=forward, links=links, constants=constants
        )
        for name, method in METHODS.items()
    }


def with_class_among_attributes(data: Dataset) -> Dataset:
    """The cases with their class as one more attribute, so that it can be tested for."""
    assert data.classes is not None
    schema = Schema((*data.schema, Attribute("class", Kind.DISCRETE, data.schema.classes)), data.schema.classes)
    return Dataset(schema, [*data.columns, data.classes.copy()], data.classes, data.weights, n_cases=data.n_cases)


def with_fewer_classes(data: Dataset, n_classes: int) -> Dataset:
    """The cases with the two least frequent classes taken together, again and again, until so many are left."""
    assert data.classes is not None
    codes = data.classes.copy()
    counts = np.bincount(codes, minlength=data.schema.n_classes)
    alive = [c for c in range(len(counts)) if counts[c]]
    names = list(data.schema.classes)
    while len(alive) > n_classes:
        into, other = sorted(sorted(alive, key=lambda c: counts[c])[:2])
        codes[codes == other] = into
        counts[into] += counts[other]
        names[into] = f"{names[into]}+{names[other]}"
        alive.remove(other)
    places = np.full(len(counts), -1, dtype=np.int32)
    places[alive] = np.arange(len(alive))
    schema = Schema(tuple(data.schema), tuple(names[c] for c in alive))
    return Dataset(schema, data.columns, places[codes], data.weights, n_cases=data.n_cases)


def sample(data: Dataset, shares: Sequence[float], n: int, seed: int) -> Dataset:
    """A sample of n cases in which the classes have these shares, as far as there are enough of each; at least two."""
    assert data.classes is not None
    rng = np.random.default_rng(seed)
    wanted = np.rint(n * np.asarray(shares) / np.sum(shares)).astype(int)
    rows = [rng.permutation(np.flatnonzero(data.classes == c))[: max(2, int(count))] for c, count in enumerate(wanted)]
    return data.take(np.sort(np.concatenate(rows)))


def stacked(parts: Sequence[Comparison]) -> Comparison:
    """One comparison of the same learners on the sets of all."""
    runs = max(part.scores["accuracy"].shape[2] for part in parts)
    scores = {
        measure: np.concatenate(
            [
                np.pad(scores, ((0, 0), (0, 0), (0, runs - scores.shape[2])), constant_values=np.nan)
                for part in parts
                for scores in [part.scores[measure]]
            ]
        )
        for measure in parts[0].scores
    }
    return Comparison(
        [row for part in parts for row in part.rows],
        parts[0].learners,
        scores,
        np.concatenate([part.test_ratios for part in parts]),
        parts[0].protocol,
        all(part.independent_rows for part in parts),
        {place: texts for part in parts for place, texts in part.warnings.items()},
        sum(part.reused for part in parts),
        sum(part.seconds for part in parts),
    )


def gap(result: Comparison, row: int, first: str, second: str, measure: str = "auc") -> Difference:
    """How much more the first method has than the second on a set; AUC in percent."""
    values = result.scores[measure][row] * (100 if measure == "auc" else 1)
    places = (result.learners.index(first), result.learners.index(second))
    return over_splits(values[places[0]] - values[places[1]], float(result.test_ratios[row]))


def change(result: Comparison, start: int, end: int, method: str, measure: str = "auc") -> Difference:
    """How much more a method has on the second of two sets, which have no cases in common that would be known."""
    place = result.learners.index(method)
    first, second = (
        over_splits(
            result.scores[measure][row, place] * (100 if measure == "auc" else 1), float(result.test_ratios[row])
        )
        for row in (start, end)
    )
    return Difference(second.mean - first.mean, float(np.hypot(first.error, second.error)))
