"""What is done to the cases before any learner sees them, learned from the training cases of a split only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ctree.data.bins import Floats, binned, equal_frequency_cuts
from ctree.data.dataset import Dataset
from ctree.data.impute import imputed, mode_or_mean
from ctree.errors import ParameterError


@dataclass(frozen=True)
class Preparation:
    """Replace unknown values, and put numbers into bins; a training case of weight 2 is two cases.

    Parameters
    ----------
    impute : bool
        An unknown value becomes the most frequent one of the training cases, or their mean.
    bins : int or None
        Continuous attributes are put into so many bins of about as many training cases each.

    Examples
    --------
    >>> import ctree
    >>> golf = ctree.load_golf()
    >>> train, test = Preparation(bins=2).prepared(golf.take(slice(0, 10)), golf.take(slice(10, 14)))
    >>> train.schema[1].values, test.columns[1].tolist()
    (('(-inf, 70]', '(70, inf)'), [1, 1, 1, 1])
    """

    impute: bool = False
    bins: int | None = None

    def __post_init__(self) -> None:
        if self.bins is not None and self.bins < 1:
            raise ParameterError(f"bins must be at least 1, not {self.bins}")

    def prepared(self, train: Dataset, test: Dataset) -> tuple[Dataset, Dataset]:
        """The training and the test cases, both as the training cases say."""
        if self.impute:
            fillers = [mode_or_mean(train, a) for a in range(len(train.schema))]
            train, test = imputed(train, fillers), imputed(test, fillers)
        if self.bins is not None:
            cuts: list[Floats | None] = [
                equal_frequency_cuts(np.asarray(column, dtype=np.float64), self.bins, train.weights)
                if attribute.has_order and column is not None
                else None
                for attribute, column in zip(train.schema, train.columns, strict=True)
            ]
            train, test = binned(train, cuts), binned(test, cuts)
        return train, test

    def describe(self) -> str:
        """What is done, in a few words; nothing if nothing is."""
        steps = ["unknown values imputed"] if self.impute else []
        steps += [] if self.bins is None else [f"numbers in {self.bins} bins of equal frequency"]
        return ", ".join(steps)
