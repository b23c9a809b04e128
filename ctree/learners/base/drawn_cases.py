"""DrawnCases: cases drawn from others, for one member of a committee, with columns that were sorted once for all."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset, Rows
from ctree.data.schema import Schema
from ctree_ext.grow.drawn_columns import DrawnColumns, SortedColumns


class DrawnCases(Dataset):
    """A data set whose continuous columns need not be sorted: an order of theirs is known from other cases.

    Parameters
    ----------
    cases : Dataset
        What was drawn from the others.
    columns : DrawnColumns
        From which cases, and how many attributes a node is offered at random.

    Examples
    --------
    >>> import ctree
    >>> golf = ctree.load_golf()
    >>> drawn = DrawnCases.of(golf, SortedColumns(golf.columns), np.array([2] + [0] * 12 + [1]))
    >>> drawn, drawn.labels
    (<Dataset: 3 cases, 4 attributes, 2 classes>, ["Don't Play", "Don't Play", "Don't Play"])
    """

    __slots__ = ("drawn_columns",)

    def __init__(self, cases: Dataset, columns: DrawnColumns) -> None:
        # the arrays of the other data set are as they should be
        self.schema, self.columns, self.classes = cases.schema, cases.columns, cases.classes
        self.weights, self._n_cases, self.case_names = cases.weights, cases.n_cases, cases.case_names
        self.drawn_columns = columns

    @classmethod
    def of(
        cls,
        cases: Dataset,
        original: SortedColumns,
        times: npt.NDArray[Any] | None = None,
        *,
        n_chosen: int = 0,
        key: int = 0,
    ) -> DrawnCases:
        """The cases, each as often as it was drawn, without weights; or as they are, with their weights.

        Parameters
        ----------
        cases : Dataset
        original : SortedColumns
            Their columns.
        times : array, optional
            How often each of them was drawn.
        n_chosen, key : int
            See `DrawnColumns`.
        """
        if times is None:
            return cls(cases, DrawnColumns(original, None, n_chosen, key))
        copies = times.astype(np.int32)
        taken = cases.take(np.repeat(np.arange(cases.n_cases), copies))
        listed = copies if any(column is not None for column in cases.columns) else None  # else there are none to list
        return cls(taken, DrawnColumns(original, listed, n_chosen, key))

    def with_weights(self, weights: npt.ArrayLike | None) -> DrawnCases:
        """The same cases with other weights."""
        return DrawnCases(super().with_weights(weights), self.drawn_columns)

    def take(self, rows: Rows) -> DrawnCases:
        """Some of the cases, whose columns are sorted anew."""
        return self._as_random(super().take(rows))

    def replaced(self, schema: Schema, columns: Any) -> DrawnCases:
        """The same cases with other columns; if none is, they are sorted already."""
        if all(one is other for one, other in zip(columns, self.columns, strict=True)):
            return DrawnCases(super().replaced(schema, columns), self.drawn_columns)
        return self._as_random(super().replaced(schema, columns))

    def _as_random(self, cases: Dataset) -> DrawnCases:
        """Other cases, for a tree that makes the same random choices."""
        drawn = self.drawn_columns
        return DrawnCases(cases, DrawnColumns(SortedColumns(cases.columns), None, drawn.n_chosen, drawn.key))
