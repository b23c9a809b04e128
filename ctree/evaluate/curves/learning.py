"""How errors fall as there are more cases to learn from: learning curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.relational.data import RelationalData
from ctree.data.tables.arrays import dataset_from_arrays
from ctree.errors import DataError
from ctree.evaluate.candidates import Candidate, Cases
from ctree.evaluate.measures import accuracy, brier, log_likelihood
from ctree.evaluate.protocols import LearningCurve

Floats = npt.NDArray[np.float64]

STEPS = 8
"""So many sizes, where none are given."""

SMALLEST = 10

MEASURED = ("error", "log-loss", "brier")


class LearningErrors(NamedTuple):
    """What was measured at each size, on training and on test cases.

    Attributes
    ----------
    sizes : array of int (sizes,)
        The numbers of training cases.
    training, tested : dict of str to array (repeats, sizes)
        By measure: ``"error"``, the share of cases whose class is predicted wrong; ``"log-loss"`` and ``"brier"``, if
        the learner gives probabilities.
    """

    sizes: npt.NDArray[np.int64]
    training: dict[str, Floats]
    tested: dict[str, Floats]


def learning_curve(
    learner: Any,
    X: Any,
    y: Any = None,
    *,
    sizes: Sequence[int] | None = None,
    repeats: int = 10,
    test_share: float = 0.3,
    seed: int = 1,
) -> LearningErrors:
    """Learn from more and more of the cases, and measure on others, several times.

    Each time the test cases are drawn anew, in proportion to the classes, and the training sets are nested.

    Parameters
    ----------
    learner : learner, or classifier of another package
        It need not be fitted.
    X : Dataset, RelationalData or table
    y : array, optional
        The classes of a table.
    sizes : sequence of int, optional
        The numbers of training cases. By default eight, each about the same factor larger than the one before, up to
        all that are left for training.
    repeats : int
    test_share : float
        The share of the cases that are drawn for testing.
    seed : int

    Examples
    --------
    >>> import ctree
    >>> found = learning_curve(ctree.C45Classifier(), ctree.load_iris(), sizes=[20, 100], repeats=3)
    >>> found.sizes.tolist(), found.tested["error"].shape
    ([20, 100], (3, 2))
    """
    data: Cases = X
    if not isinstance(X, Dataset | RelationalData):
        if y is None:
            raise DataError("a learning curve needs the classes of the cases: give y, or a Dataset that has them")
        data = dataset_from_arrays(X, y)
    elif y is not None:
        raise DataError("these data have their own classes: leave out y")
    if data.classes is None or (np.asarray(data.classes) < 0).any():
        raise DataError("a learning curve needs the class of every case")
    classes = np.asarray(data.classes, dtype=np.int32)
    if sizes is None:
        most = len(classes) - max(1, round(test_share * len(classes)))
        least = min(most, max(SMALLEST, data.schema.n_classes))
        sizes = sorted({round(x) for x in np.geomspace(max(least, 1), max(most, 1), STEPS).tolist()})
    series = LearningCurve(sizes, test_share, repeats, seed=seed).series(classes)
    candidate = Candidate("the learner", learner)
    training: dict[str, list[list[float]]] = {}
    test: dict[str, list[list[float]]] = {}
    for one in series:
        for name, found in ((name, found) for name in MEASURED for found in (training, test)):
            found.setdefault(name, []).append([])
        for number, split in enumerate(one.splits):
            fitted = candidate.fit(data.take(split.train), [seed, number])
            for found, rows in ((training, split.train), (test, split.test)):
                for name, value in _measured(fitted, data.take(rows)).items():
                    found[name][-1].append(value)
    n_train = np.array([len(one.splits[0].train) for one in series], dtype=np.int64)
    return LearningErrors(n_train, _tables(training), _tables(test))


def _measured(fitted: Any, cases: Cases) -> dict[str, float]:
    codes, probabilities = fitted.predict(cases)
    weights = cases.weights if isinstance(cases, Dataset) else None
    targets = np.asarray(cases.classes)
    result = {"error": 1 - accuracy(targets, codes, weights)}
    if probabilities is not None:
        result["log-loss"] = -log_likelihood(targets, probabilities, weights).mean
        result["brier"] = brier(targets, probabilities, weights)
    return result


def _tables(found: dict[str, list[list[float]]]) -> dict[str, Floats]:
    """By measure a table with a row for each repeat; measures that the learner has not are left out."""
    return {name: np.array(rows).T for name, rows in found.items() if all(rows)}
