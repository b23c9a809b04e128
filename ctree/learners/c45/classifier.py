"""C4.5: the same tree as Quinlan's release 8, or as Weka's J48."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.schema import Schema
from ctree.errors import ParameterError
from ctree.learners.base.classifier import Floats
from ctree.learners.base.counted_tests import count_tests
from ctree.learners.base.kernels import case_table, n_threads
from ctree.learners.base.prunable_tree import PrunableTree
from ctree.learners.c45.variants import SMALL, VARIANTS, held_out_fold
from ctree.tree.interface import TreeInterface
from ctree.tree.leaves import ESTIMATES, prior_sum
from ctree.tree.soft_thresholds import softened
from ctree.tree.tree import Tree
from ctree_ext.base.cases import CaseTable
from ctree_ext.base.node_arrays import NodeArrays
from ctree_ext.grow.gain_ratio_grower import GainRatioGrower
from ctree_ext.prune.j48 import reduced_error
from ctree_ext.prune.release8 import drop_impossible_values


class C45Classifier(PrunableTree):
    """Quinlan's C4.5: gain ratio, error-based pruning, unknown values in fractions.

    Parameters
    ----------
    variant : {"release8", "j48"}
        Whose tree: that of Quinlan's release 8, or of Weka's J48. They differ in arithmetic and in how ties, thresholds
        and errors are judged; see `ctree.learners.c45.variants`.
    criterion : {"gain_ratio", "gain"}
        How tests are compared.
    min_cases : float
        At least two branches of every test must have this weight of cases (release 8's ``-m``).
    confidence : float
        In (0, 1]; the smaller, the more is pruned (release 8's ``-c``, in percent there; J48's ``-C``, below 1).
    prune : bool or "reduced-error"
        Whether to prune by estimated errors; or by the errors on one of `n_folds` folds, which is not grown from (J48's
        ``-R``).
    n_folds : int
        For ``prune="reduced-error"``.
    collapse : bool
        Whether to remove tests that save no training errors; reduced-error pruning does without.
    raising : bool
        Whether pruning may put the largest branch of a node in its place (J48's ``-S``: not).
    binary : bool
        Test a discrete attribute for one value against the others (J48's ``-B``).
    cut_cost : bool
        Whether a threshold has to gain what it takes to name it among all possible ones (J48's ``-J``: not).
    actual_cut : bool
        Whether a threshold is always a value of the training set, not the middle between two of a node.
    group_values : bool
        Test groups of values of a discrete attribute instead of single values (release 8's ``-s``; not with J48). As
        in release 8, `min_cases` is 1 from the first node on where no value of such an attribute is known.
    soft_thresholds : bool
        Put bounds around each threshold of `tree_`, between which a case is in both branches (release 8's ``-p``).
        They show in its text and in `ctree consult`; predictions do not change.
    leaves : {"frequency", "laplace", "m", "dirichlet", "m-branch"}
        What a leaf makes of its class counts; see `ctree.tree.leaves`.
    m : float
        The weight of the priors for ``leaves="m"`` and ``leaves="m-branch"``.
    prior_weight : float or "classes"
        The weight of the prior for ``leaves="dirichlet"``, under which all classes are equal; ``"classes"`` is as many
        as there are.
    categorical_features : array-like or None
        For tables: which columns are discrete, as a mask, indices or names. None: those that hold no numbers.
    class_weight : dict, "balanced" or None
        What the cases of a class count, times their own weight; ``"balanced"`` lets every class count the same in sum.
    unseen : {"unknown", "error"}
        What a discrete value is to `predict` that was not there in `fit`: unknown, or an error.
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
    As in release 8, numbers are rounded to 32 bits and so is the arithmetic; `fit` and `predict` agree in this. Where
    cases have weights that are not whole, which release 8 does not know, it is done in 64 bits. Sums of fractions of
    cases with unknown values depend on the order of the cases, by the last bit. J48 works in 64 bits.

    As in J48, cases whose class is unknown are not learned from, but their values count: a threshold may be moved to
    one of them. Its `predict` goes by the frequencies in the leaves, whatever `leaves` makes of them for
    `predict_proba`.

    Examples
    --------
    >>> import ctree
    >>> golf = ctree.load_golf()
    >>> model = ctree.C45Classifier().fit(golf)
    >>> model.predict({"outlook": ["rain"], "temperature": [70], "humidity": [None], "windy": ["true"]})
    array(["Don't Play"], dtype='<U10')
    """

    tree_: Tree
    unpruned_tree_: Tree
    _grown_order: npt.NDArray[np.int32] | None

    def __init__(
        self,
        *,
        variant: str = "release8",
        criterion: str = "gain_ratio",
        min_cases: float = 2,
        confidence: float = 0.25,
        prune: bool | str = True,
        n_folds: int = 3,
        collapse: bool = True,
        raising: bool = True,
        binary: bool = False,
        cut_cost: bool = True,
        actual_cut: bool = True,
        group_values: bool = False,
        soft_thresholds: bool = False,
        leaves: str = "frequency",
        m: float = 2.0,
        prior_weight: float | str = 2.0,
        categorical_features: Any = None,
        class_weight: Any = None,
        unseen: str = "unknown",
        n_jobs: int | None = None,
    ) -> None:
        self.variant = variant
        self.criterion = criterion
        self.min_cases = min_cases
        self.confidence = confidence
        self.prune = prune
        self.n_folds = n_folds
        self.collapse = collapse
        self.raising = raising
        self.binary = binary
        self.cut_cost = cut_cost
        self.actual_cut = actual_cut
        self.group_values = group_values
        self.soft_thresholds = soft_thresholds
        self.leaves = leaves
        self.m = m
        self.prior_weight = prior_weight
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.unseen = unseen
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn from a `Dataset`, or from a table `X` and classes `y`."""
        self._check_parameters()
        data = self._training_cases(X, y, sample_weight, VARIANTS[self.variant].takes_unknown_class)
        data, rows = labelled_rows(data)
        table = case_table(data, self._is_single(data))
        grower = self._grower(table)
        if self.prune == "reduced-error":
            growing, pruning = held_out_fold(data, self.n_folds, rows)
            grown = grower.grow(growing)
            pruned = reduced_error(grown, table, pruning)
        else:
            grown = self._collapsed(data, grower.grow(rows))
            order = grower.order if rows is None else rows
            pruned = self._pruned_arrays(data, table, grown, order) if self.prune else grown
        self._grown_order = grower.order  # pruning after the fit goes on in it
        self.unpruned_tree_ = self._tree_of(data, grown)
        self.tree_ = self.unpruned_tree_ if pruned is grown else self._tree_of(data, pruned)
        if self.soft_thresholds:
            self.tree_ = softened(self.tree_, data if rows is None else data.take(rows))
        self._set_schema(data.schema)
        return self

    def _grower(self, table: CaseTable, keep_order: bool = False) -> GainRatioGrower:
        """The kernel that grows trees from this table under this learner's parameters."""
        return GainRatioGrower(
            table,
            min_cases=self.min_cases,
            gain_only=self.criterion == "gain",
            group_values=self.group_values,
            binary_splits=self.binary,
            mdl_correction=self.cut_cost,
            actual_thresholds=self.actual_cut,
            n_threads=n_threads(self.n_jobs),
            keep_order=keep_order,
            **VARIANTS[self.variant].growing,
        )

    def _is_single(self, data: Dataset) -> bool:
        """Whether the arithmetic is in 32 bits."""
        return VARIANTS[self.variant].is_single(data)

    def _collapsed(self, data: Dataset, arrays: NodeArrays) -> NodeArrays:
        """The arrays of the grown tree without the tests that save no training errors."""
        if not self.collapse:
            return arrays
        return VARIANTS[self.variant].collapsed(arrays, data.schema.n_classes, self._is_single(data))

    def _pruned_arrays(self, data: Dataset, table: CaseTable, arrays: NodeArrays, order: Any) -> NodeArrays:
        """The arrays of the pruned tree."""
        arrays = VARIANTS[self.variant].pruned(arrays, table, self.confidence, self.raising, order)
        return tidied(data.schema, arrays) if self.group_values else arrays

    def _tree_of(self, data: Dataset, arrays: NodeArrays) -> Tree:
        """The tree with these arrays, its leaves estimated as this learner does."""
        variant = VARIANTS[self.variant]
        probabilities = variant.probabilities(arrays, self.leaves, self.m, self.prior_weight)
        return Tree(data.schema, arrays.replace(probabilities=probabilities), float32=self._is_single(data))

    def predict_codes(self, X: Any) -> npt.NDArray[np.intp]:
        """The places in ``classes_`` of the classes that `predict` gives."""
        data = self._cases(X)
        probabilities = self.tree_.predict_proba(data)
        if self.variant == "j48" and self.leaves != "frequency":
            arrays = self.tree_.arrays
            votes = VARIANTS[self.variant].probabilities(arrays, "frequency", self.m)
            voting = Tree(self.schema_, arrays.replace(probabilities=votes), float32=False)
            probabilities = voting.predict_proba(data)
        return VARIANTS[self.variant].choices(probabilities)

    def _grown_from(self, X: Any, y: Any, sample_weight: Any) -> Dataset:
        """The training cases, given again."""
        if self.prune == "reduced-error":
            raise ParameterError("the tree was grown from a part of the cases: fit with prune=False to prune it so")
        data = self._training_cases(X, y, sample_weight, VARIANTS[self.variant].takes_unknown_class)
        self._check_training(data)
        return data

    def _numbers_of_tests(self, X: Any, y: Any, sample_weight: Any) -> npt.NDArray[np.int64]:
        data, rows = labelled_rows(self._grown_from(X, y, sample_weight))
        return count_tests(self.unpruned_tree_, data if rows is None else data.take(rows), self.min_cases, self.binary)

    def _pruned_by_errors(self, X: Any, y: Any, sample_weight: Any, **settings: Any) -> Self:
        model = self._copied(self.unpruned_tree_, prune=True, **settings)
        model._check_parameters()
        data, rows = labelled_rows(self._grown_from(X, y, sample_weight))
        order = self._grown_order if rows is None else rows
        table = case_table(data, self.unpruned_tree_.float32)
        model.tree_ = model._tree_of(data, model._pruned_arrays(data, table, self._grown_arrays(), order))
        if self.soft_thresholds:
            model.tree_ = softened(model.tree_, data if rows is None else data.take(rows))
        return model

    def _with_tree(self, method: str, arrays: NodeArrays) -> Self:
        if self.group_values:
            arrays = tidied(self.schema_, arrays)
        probabilities = VARIANTS[self.variant].probabilities(arrays, self.leaves, self.m, self.prior_weight)
        tree = Tree(self.schema_, arrays.replace(probabilities=probabilities), float32=self.unpruned_tree_.float32)
        return self._copied(tree, prune=False)

    def expected_errors(self) -> Floats:
        """The errors of each node of `tree_` to be expected among as many new cases as it was learned from.

        Error-based pruning leaves them in release 8's trees; in others the errors are those made in training.
        """
        self._check_fitted()
        if self.variant == "release8" and self.prune and self.prune != "reduced-error":
            return self.tree_.errors
        return VARIANTS[self.variant].expected_errors(self.tree_.cases, self.tree_.errors, self.confidence)

    def _interface(self) -> TreeInterface:
        """What this learner makes of what the tree says: J48 chooses by frequencies, the first of near ties."""
        self._check_fitted()
        if self.variant != "j48":
            return TreeInterface(self.schema_)
        votes = None
        if self.leaves != "frequency":
            votes = VARIANTS[self.variant].probabilities(self.tree_.arrays, "frequency", self.m)
        return TreeInterface(self.schema_, tie_tolerance=SMALL, votes=votes)

    def _probabilities(self, data: Dataset) -> Floats:
        return self.tree_.predict_proba(data)

    def _check_parameters(self) -> None:
        if self.variant not in tuple(VARIANTS):
            raise ParameterError(f"variant must be 'release8' or 'j48', not {self.variant!r}")
        if self.variant == "j48" and (self.group_values or self.criterion != "gain_ratio"):
            raise ParameterError("J48 has neither group_values nor criterion='gain': use variant='release8'")
        if self.binary and self.group_values:
            raise ParameterError("binary and group_values exclude each other: a value stands alone or in a group")
        if self.prune not in (True, False, "reduced-error"):
            raise ParameterError(f"prune must be True, False or 'reduced-error', not {self.prune!r}")
        n_folds: Any = self.n_folds
        if self.prune == "reduced-error" and not (isinstance(n_folds, Integral) and int(n_folds) >= 2):
            raise ParameterError(f"n_folds must be a whole number of at least 2, not {n_folds!r}")
        if self.variant == "j48" and self.confidence == 1:
            raise ParameterError("confidence must be less than 1 for J48")
        if self.criterion not in ("gain_ratio", "gain"):
            raise ParameterError(f"criterion must be 'gain_ratio' or 'gain', not {self.criterion!r}")
        for name in ("min_cases", "confidence", "m"):
            if not isinstance(getattr(self, name), Real):
                raise ParameterError(f"{name} must be a number, not {getattr(self, name)!r}")
        if not self.min_cases > 0:
            raise ParameterError(f"min_cases must be greater than 0, not {self.min_cases}")
        if not 0 < self.confidence <= 1:
            raise ParameterError(f"confidence must be greater than 0 and at most 1, not {self.confidence}")
        if self.leaves not in ESTIMATES:
            raise ParameterError(f"leaves must be one of {', '.join(ESTIMATES)}, not {self.leaves!r}")
        prior_sum(self.prior_weight, 1)  # refuses what is no weight


def labelled_rows(data: Dataset) -> tuple[Dataset, npt.NDArray[np.int32] | None]:
    """The rows that have a class, None if all have one; the others, which only lend their values, get any."""
    assert data.classes is not None
    if (data.classes >= 0).all():
        return data, None
    rows = np.flatnonzero(data.classes >= 0).astype(np.int32)
    classes = np.maximum(data.classes, 0)
    return Dataset(data.schema, data.columns, classes, data.weights, n_cases=data.n_cases), rows


def tidied(schema: Schema, arrays: NodeArrays) -> NodeArrays:
    """The arrays of a tree with grouped values, less the values that cannot occur where they stand."""
    n_values = np.array([len(a.values) for a in schema], dtype=np.int32)
    return drop_impossible_values(arrays, schema.n_classes, n_values)
