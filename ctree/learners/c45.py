"""C4.5: the same tree as Quinlan's release 8."""

from __future__ import annotations

import os
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.schema import Schema
from ctree.errors import ParameterError
from ctree.learners.base import Classifier, Floats, training_cases
from ctree.tree.leaves import ESTIMATES, leaf_probabilities
from ctree.tree.tree import Tree
from ctree_ext.cases import CaseTable
from ctree_ext.grow import Grower
from ctree_ext.prune import Pruner, collapse, drop_impossible_values

MOST_FLOAT32_CASES = 2**24
"""Up to here a 32-bit float counts by ones; beyond, the arithmetic is done in 64 bits."""


class C45Classifier(Classifier):
    """Quinlan's C4.5, release 8: gain ratio, error-based pruning, unknown values in fractions.

    Parameters
    ----------
    criterion : {"gain_ratio", "gain"}
        How tests are compared.
    min_cases : float
        At least two branches of every test must have this weight of cases (release 8's ``-m``).
    confidence : float
        In (0, 1]; the smaller, the more is pruned (release 8's ``-c``, in percent there).
    prune : bool
        Whether to prune.
    group_values : bool
        Test groups of values of a discrete attribute instead of single values (release 8's ``-s``). As in release 8,
        `min_cases` is 1 from the first node on where no value of such an attribute is known.
    leaves : {"frequency", "laplace", "m"}
        What a leaf makes of its class counts; see `ctree.tree.leaves`.
    m : float
        The weight of the priors for ``leaves="m"``.
    categorical_features : array-like or None
        For arrays: which columns are discrete, as a mask, indices or names. None: those that hold no numbers.
    n_jobs : int or None
        Threads; None is 1, -1 all cores. The tree does not depend on it.

    Attributes
    ----------
    tree_ : Tree
        The tree, pruned unless ``prune=False``.
    unpruned_tree_ : Tree
        The tree as it was grown.
    classes_ : array
        The classes, in the order of the columns of `predict_proba`.
    schema_ : Schema
        The attributes and classes.
    n_features_in_ : int

    Notes
    -----
    As in release 8, numbers are rounded to 32 bits and so is the arithmetic; `fit` and `predict` agree in this. Sums
    of fractions of cases with unknown values depend on the order of the cases, by the last bit.

    Examples
    --------
    >>> import ctree
    >>> golf = ctree.read_c45("examples/golf")
    >>> model = ctree.C45Classifier().fit(golf)
    >>> model.predict({"outlook": ["rain"], "temperature": [70], "humidity": [None], "windy": ["true"]})
    array(["Don't Play"], dtype='<U10')
    """

    tree_: Tree
    unpruned_tree_: Tree
    n_features_in_: int

    def __init__(
        self,
        *,
        criterion: str = "gain_ratio",
        min_cases: float = 2,
        confidence: float = 0.25,
        prune: bool = True,
        group_values: bool = False,
        leaves: str = "frequency",
        m: float = 2.0,
        categorical_features: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.min_cases = min_cases
        self.confidence = confidence
        self.prune = prune
        self.group_values = group_values
        self.leaves = leaves
        self.m = m
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn from a `Dataset`, or from a table `X` and classes `y`."""
        self._check_parameters()
        data = training_cases(X, y, sample_weight, self.categorical_features)
        table = case_table(data)
        grower = self.grower(table)
        grown = collapse(grower.grow(), data.schema.n_classes, is_single(data))
        self.unpruned_tree_ = self.tree_of(data, grown)
        if self.prune:
            self.tree_ = self.tree_of(data, self.pruned(data, table, grown, grower.order))
        else:
            self.tree_ = self.unpruned_tree_
        self.schema_ = data.schema
        self.classes_ = np.array(data.schema.classes)
        self.n_features_in_ = len(data.schema)
        return self

    def grower(self, table: CaseTable, keep_order: bool = False) -> Grower:
        """The kernel that grows trees from this table under this learner's parameters."""
        return Grower(
            table,
            min_cases=self.min_cases,
            gain_only=self.criterion == "gain",
            group_values=self.group_values,
            n_threads=n_threads(self.n_jobs),
            keep_order=keep_order,
        )

    def pruned(self, data: Dataset, table: CaseTable, arrays: dict[str, Any], order: Any) -> dict[str, Any]:
        """The arrays of the pruned tree."""
        arrays = Pruner(table, confidence=self.confidence).prune(arrays, order)
        return tidied(data.schema, arrays) if self.group_values else arrays

    def tree_of(self, data: Dataset, arrays: dict[str, Any]) -> Tree:
        """The tree with these arrays, its leaves estimated as this learner does."""
        probabilities = leaf_probabilities(arrays["counts"], arrays["best"], self.leaves, self.m)
        return Tree(data.schema, {**arrays, "probabilities": probabilities}, float32=is_single(data))

    def _probabilities(self, data: Dataset) -> Floats:
        return self.tree_.predict_proba(data)

    def _check_parameters(self) -> None:
        if self.criterion not in ("gain_ratio", "gain"):
            raise ParameterError(f"criterion must be 'gain_ratio' or 'gain', not {self.criterion!r}")
        if not self.min_cases > 0:
            raise ParameterError(f"min_cases must be greater than 0, not {self.min_cases}")
        if not 0 < self.confidence <= 1:
            raise ParameterError(f"confidence must be greater than 0 and at most 1, not {self.confidence}")
        if self.leaves not in ESTIMATES:
            raise ParameterError(f"leaves must be one of {', '.join(ESTIMATES)}, not {self.leaves!r}")


def tidied(schema: Schema, arrays: dict[str, Any]) -> dict[str, Any]:
    """The arrays of a tree with grouped values, less the values that cannot occur where they stand."""
    n_values = np.array([len(a.values) for a in schema], dtype=np.int32)
    return drop_impossible_values(arrays, schema.n_classes, n_values)


def is_single(data: Dataset) -> bool:
    """Whether the arithmetic is release 8's, in 32 bits."""
    return data.n_cases <= MOST_FLOAT32_CASES


def case_table(data: Dataset) -> CaseTable:
    """The cases as the kernels see them."""
    weights = data.weights
    if weights is not None and (weights == 1).all():
        weights = None
    n_values = [len(a.values) for a in data.schema]
    return CaseTable(
        data.columns, n_values, data.classes, data.schema.n_classes, weights, is_single(data), data.n_cases
    )


def n_threads(n_jobs: int | None) -> int:
    """The number of threads that `n_jobs` asks for, as in joblib: -1 is all cores, -2 all but one."""
    if n_jobs is None:
        return 1
    if n_jobs == 0:
        raise ParameterError("n_jobs must not be 0: use a number of threads, or -1 for all cores")
    if n_jobs < 0:
        return max(1, (os.cpu_count() or 1) + 1 + n_jobs)
    return int(n_jobs)
