"""C4.5: the same tree as Quinlan's release 8, or as Weka's J48."""

from __future__ import annotations

import os
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.fields import Fields
from ctree.data.schema import Schema
from ctree.domains.domain import AnyOf, Choice, Flag
from ctree.domains.numeric import Integer, Number
from ctree.errors import ParameterError
from ctree.learners.base.below_first import changed_below
from ctree.learners.base.classifier import Floats
from ctree.learners.base.common_parameters import InThreads, WithLeafEstimate, WithProgress, n_threads
from ctree.learners.base.counted_tests import count_tests
from ctree.learners.base.kernels import case_table
from ctree.learners.base.limited_growth import WithLimits
from ctree.learners.base.monotone import WithMonotone
from ctree.learners.base.one_model import of_one_model
from ctree.learners.base.own_criterion import NamedCriterion
from ctree.learners.base.parameters import fitted, parameter
from ctree.learners.base.prunable_tree import PrunableTree
from ctree.learners.base.winnowed import WithWinnowing, winnowed
from ctree.learners.c45.from_sources import fit_source
from ctree.learners.c45.release8 import tidied
from ctree.learners.c45.variants import SMALL, VARIANTS, held_out_fold, labelled_rows
from ctree.learners.levels.fitting import Fitting
from ctree.progress import ProgressCallback
from ctree.scale.unit import unit_of
from ctree.tree.interface import TreeInterface
from ctree.tree.soft_thresholds import softened
from ctree.tree.tree import Tree
from ctree_ext.base.cases import CaseTable
from ctree_ext.base.node_arrays import NodeArrays
from ctree_ext.grow.gain_ratio_grower import GainRatioGrower
from ctree_ext.prune.reduced_error import reduced_error


class C45Classifier(WithLimits, WithLeafEstimate, WithWinnowing, WithMonotone, InThreads, WithProgress, PrunableTree):
    """Quinlan's C4.5: gain ratio, error-based pruning, unknown values in fractions.

    Notes
    -----
    As in release 8, numbers are rounded to 32 bits and so is the arithmetic; `fit` and `predict` agree in this. Where
    cases have weights that are not whole, which release 8 does not know, it is done in 64 bits. Sums of fractions of
    cases with unknown values depend on the order of the cases, by the last bit. J48 works in 64 bits, and so does
    release 8 with ``arithmetic="double"``.

    A source of cases that fits its memory is collected and learned from as ever. A larger one is learned from level by
    level, in 64 bits: the tree is that of ``arithmetic="double"``, bit for bit, or without unknown values that of J48.
    With ``arithmetic="double"``, cases count in whole units of 2^-40 or larger, and their order does not matter.

    As in J48, cases whose class is unknown are not learned from, but their values count: a threshold may be moved to
    one of them. A source refuses or drops such cases. J48's `predict` goes by the frequencies in the leaves, whatever
    `estimate` makes of them for `predict_proba`.

    Examples
    --------
    >>> import ctree
    >>> golf = ctree.load_golf()
    >>> model = ctree.C45Classifier().fit(golf)
    >>> model.predict({"outlook": ["rain"], "temperature": [70], "humidity": [None], "windy": ["true"]})
    array(["Don't Play"], dtype='<U10')
    """

    variant: str = parameter(
        "release8",
        Choice("release8", "j48"),
        'Which implementation to reproduce. ``"release8"``: Quinlan\'s C4.5 release 8. ``"j48"``: Weka\'s J48. They '
        "differ in arithmetic and in how ties, thresholds and errors are judged; see `ctree.learners.c45.variants`.",
    )
    arithmetic: str = parameter(
        "release8",
        Choice("release8", "double"),
        'In how many bits to compute. ``"release8"``: in 32, as release 8 does, with up to 2^24 cases. ``"double"``: '
        "in 64. The trees differ where tests are equally good but for rounding.",
        only_if={"variant": ("release8",)},
    )
    criterion: str = parameter(
        "gain-ratio",
        NamedCriterion("gain-ratio", "gain"),
        'How tests are compared. ``"gain-ratio"``: by gain over split info, those of at least the average gain. '
        '``"gain"``: by gain alone.',
        only_if={"variant": ("release8",)},
    )
    min_cases: float = parameter(
        2, Number(above=0), "At least two branches of every test must have this weight of cases (release 8's ``-m``)."
    )
    confidence: float = parameter(
        0.25,
        Number(above=0, most=1),
        "Confidence level of error-based pruning: the smaller, the more is pruned. Release 8's ``-c``, in percent "
        "there; J48's ``-C``, where it must be less than 1.",
        only_if={"prune": (True,)},
    )
    prune: bool | str = parameter(
        True,
        AnyOf(Flag(), Choice("reduced-error")),
        'Whether to prune by estimated errors. ``"reduced-error"``: by the errors on one of `n_folds` folds instead, '
        "which is then not used for growing (J48's ``-R``).",
    )
    n_folds: int = parameter(
        3, Integer(least=2), "Number of folds, of which one is kept for pruning.", only_if={"prune": ("reduced-error",)}
    )
    collapse: bool = parameter(
        True,
        Flag(),
        "Whether to remove tests that save no training errors before pruning. Reduced-error pruning does without.",
        only_if={"prune": (True, False)},
    )
    subtree_raising: bool = parameter(
        True,
        Flag(),
        "Whether pruning may replace a node by its largest branch (J48's ``-S``: it may not).",
        only_if={"prune": (True,)},
    )
    binary_splits: bool = parameter(
        False, Flag(), "Whether to test a discrete attribute for one value against the others (J48's ``-B``)."
    )
    mdl_correction: bool = parameter(
        True,
        Flag(),
        "Whether a threshold is charged the bits that name it among all possible ones (J48's ``-J``: it is not).",
    )
    actual_thresholds: bool = parameter(
        True,
        Flag(),
        "Whether a threshold is always a value of the training set, rather than the midpoint between two values at "
        "a node.",
    )
    group_values: bool = parameter(
        False,
        Flag(),
        "Whether to test groups of values of a discrete attribute instead of single values (release 8's ``-s``). As in "
        "release 8, `min_cases` is 1 from the first node on where no value of such an attribute is known.",
        only_if={"variant": ("release8",)},
    )
    soft_thresholds: bool = parameter(
        False,
        Flag(),
        "Whether to put bounds around each threshold of `tree_`, between which a case is in both branches (release 8's "
        "``-p``). They show in its text and in `ctree consult`; predictions do not change.",
    )

    any_size = True

    fit_info_: dict[str, Any] = fitted(
        "dict", "How the model was learned from a source of cases, by name; empty otherwise."
    )
    tree_: Tree = fitted("Tree", "The tree, pruned unless ``prune=False``.")
    unpruned_tree_: Tree | None = fitted(
        "Tree or None", "The tree as it was grown. None: a member of a committee that does not keep it."
    )
    _grown_order: npt.NDArray[np.int32] | None = fitted()

    @winnowed
    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: npt.ArrayLike | None = None,
        *,
        progress: ProgressCallback | bool | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
    ) -> Self:
        """Learn from a `Dataset` or a source of cases, or from a table `X` and classes `y`.

        With a source, `progress` is told how far the fit is, and `checkpoint` names a file in which the top of the tree
        is saved level by level: the same fit, begun again, goes on from there.
        """
        self._check_parameters()
        takes_unknown = VARIANTS[self.variant].takes_unknown_class
        with Fitting(
            self,
            X,
            y,
            sample_weight,
            progress=self._reported(progress),
            checkpoint=checkpoint,
            unknown_class=takes_unknown,
        ) as fitting:
            cases = fitting.cases
            self._check_monotone(cases.schema)
            fit = self._fit_in_memory(cases) if isinstance(cases, Dataset) else fit_source(self, fitting, cases)
        self._become(cases.schema, fit_info_=fitting.info(), **fit)
        return self

    def _fit_in_memory(self, data: Dataset) -> dict[str, Any]:
        data, rows = labelled_rows(data)
        table = self._table(data, self._is_single(data))
        folds = held_out_fold(data, self.n_folds, rows) if self.prune == "reduced-error" else None
        fit = self._fit_table(data.schema, table, self._is_single(data), rows, folds, data)
        if self.soft_thresholds:
            fit["tree_"] = softened(fit["tree_"], data if rows is None else data.take(rows))
        return fit

    def _fit_table(
        self, schema: Schema, table: CaseTable, single: bool, rows: Any = None, folds: Any = None, data: Any = None
    ) -> dict[str, Any]:
        """Learn from the cases at `rows` of a table, by default all, or from the folds for growing and for pruning."""
        grower = self._grower(table)
        if folds is not None:
            grown = self._grown(schema, grower, folds[0], single)
            pruned = reduced_error(grown, table, folds[1])
        else:
            grown = pruned = self._grown(schema, grower, rows, single)
            order, leaf_rows = (grower.order, grower.leaf_rows) if rows is None else (rows, None)
            if self.prune and self.first_tests:
                pruned = self._pruned_below(data if rows is None else data.take(rows), grown, single)
            elif self.prune:
                pruned = self._pruned_arrays(schema, table, grown, order, leaf_rows)
        unpruned = self._tree_in(schema, grown, single, final=False)
        tree = unpruned if pruned is grown and not self.monotone else self._tree_in(schema, pruned, single)
        # Pruning after the fit goes on in the order in which growing has left the cases.
        return {"tree_": tree, "unpruned_tree_": unpruned, "_grown_order": grower.order}

    def _grower(self, table: CaseTable, keep_order: bool = False) -> GainRatioGrower:
        """The kernel that grows trees from this table under this learner's parameters."""
        return GainRatioGrower(
            table,
            min_cases=self.min_cases,
            gain_only=self.criterion == "gain",
            group_values=self.group_values,
            binary_splits=self.binary_splits,
            mdl_correction=self.mdl_correction,
            actual_thresholds=self.actual_thresholds,
            collapse=self._is_collapsed and self._collapses_at_once,
            n_threads=n_threads(self.n_jobs),
            keep_order=keep_order,
            **VARIANTS[self.variant].growing,
        )

    def _grown(self, schema: Schema, grower: GainRatioGrower, rows: Any, single: bool) -> NodeArrays:
        """The tree of the cases at `rows` within all limits, without the tests that save no training errors."""
        limits = self._limits(schema, single)
        arrays = limits.chosen(grower.grow(rows, limits=limits.of_growing()))
        if not self._is_collapsed or self._collapses_at_once:
            return arrays
        variant = VARIANTS[self.variant]
        return changed_below(
            arrays, limits.first_tests, lambda tree, _: variant.collapsed(tree, schema.n_classes, single)
        )

    def _pruned_below(self, data: Dataset, arrays: NodeArrays, single: bool) -> NodeArrays:
        """The tree pruned by estimated errors, but for the tests that come first."""

        def pruned(tree: NodeArrays, cases: Dataset | None) -> NodeArrays:
            assert cases is not None
            return self._pruned_arrays(cases.schema, self._table(cases, single), tree, None)

        tests = self._limits(data.schema, single).first_tests
        return changed_below(arrays, tests, pruned, data, sum_errors=self.variant == "release8")

    @property
    def _is_collapsed(self) -> bool:
        """Whether tests that save no training errors are left out."""
        return self.collapse and self.prune != "reduced-error"

    @property
    def _collapses_at_once(self) -> bool:
        """Whether growing leaves them out itself; the leaves of the tree are chosen before."""
        return VARIANTS[self.variant].collapses_at_once and self.max_leaves is None and not self.first_tests

    def _is_single(self, data: Dataset) -> bool:
        """Whether the arithmetic is in 32 bits."""
        return self.arithmetic == "release8" and VARIANTS[self.variant].is_single(data)

    def _table(self, data: Dataset, single: bool) -> CaseTable:
        """The cases for the kernels; by release 8's rules in 64 bits they count in whole units, as in a source."""
        in_units = self.arithmetic == "double" and self.variant == "release8"
        return case_table(data, single, unit_of(data) if in_units else 0.0)

    def _pruned_arrays(
        self, schema: Schema, table: CaseTable, arrays: NodeArrays, order: Any, leaf_rows: Any = None
    ) -> NodeArrays:
        """The arrays of the pruned tree; `leaf_rows` are the cases by leaf, where growing tells."""
        pruned = VARIANTS[self.variant].pruned
        threads = n_threads(self.n_jobs)
        arrays = pruned(arrays, table, self.confidence, self.subtree_raising, order, leaf_rows, threads)
        return tidied(schema, arrays) if self.group_values else arrays

    def _tree_in(self, schema: Schema, arrays: NodeArrays, single: bool, final: bool = True) -> Tree:
        """The tree with these arrays, its leaves estimated as this learner does; the final one is made monotone."""
        arrays = arrays.replace(probabilities=self._node_probabilities(arrays))
        return Tree(schema, self._monotone(schema, arrays) if final else arrays, float32=single)

    def _node_probabilities(self, arrays: NodeArrays) -> Floats:
        return VARIANTS[self.variant].probabilities(arrays, self.estimate, self.m, self.prior_weight)

    def _choices(self, probabilities: Floats) -> npt.NDArray[np.intp]:
        return VARIANTS[self.variant].choices(probabilities)

    def predict_codes(self, X: Any) -> npt.NDArray[np.intp]:
        """The places in ``classes_`` of the classes that `predict` gives."""
        model = self._as_it_is()
        data = model._cases(X)
        probabilities = model.tree_.predict_proba(data)
        if model._worths() is not None:
            return model._chosen(probabilities)
        if model.variant == "j48" and model.estimate != "frequency" and not model.monotone:
            arrays = model.tree_.arrays
            votes = VARIANTS[model.variant].probabilities(arrays, "frequency", model.m)
            voting = Tree(model.schema_, arrays.replace(probabilities=votes), float32=False)
            probabilities = voting.predict_proba(data)
        return model._choices(probabilities)

    def _grown_from(self, X: Any, y: Any, sample_weight: Any) -> Dataset:
        """The training cases, given again."""
        if self.prune == "reduced-error":
            raise ParameterError("the tree was grown from part of the cases: fit with prune=False first")
        data = self._as_winnowed(self._training_cases(X, y, sample_weight, VARIANTS[self.variant].takes_unknown_class))
        self._check_training(data)
        return data

    def _numbers_of_tests(self, X: Any, y: Any, sample_weight: Any) -> npt.NDArray[np.int64]:
        data, rows = labelled_rows(self._grown_from(X, y, sample_weight))
        return count_tests(
            self._grown_tree, data if rows is None else data.take(rows), self.min_cases, self.binary_splits
        )

    def _pruned_by_errors(self, X: Any, y: Any, sample_weight: Any, **settings: Any) -> Self:
        model = self._copied(self._grown_tree, prune=True, **settings)
        model._check_parameters()
        data, rows = labelled_rows(self._grown_from(X, y, sample_weight))
        order = self._grown_order if rows is None else rows
        table = self._table(data, self._grown_tree.float32)
        pruned = model._pruned_arrays(data.schema, table, self._grown_arrays(), order)
        model.tree_ = model._tree_in(data.schema, pruned, self._is_single(data))
        if self.soft_thresholds:
            model.tree_ = softened(model.tree_, data if rows is None else data.take(rows))
        model.tree_ = model._decided(model.tree_, self._worths())
        return model

    def _with_tree(self, method: str, arrays: NodeArrays) -> Self:
        if self.group_values:
            arrays = tidied(self.schema_, arrays)
        return self._copied(self._tree_in(self.schema_, arrays, self._grown_tree.float32), prune=False)

    def _leaf_errors(self, cases: Floats, wrong: Floats) -> Floats:
        """Estimated errors where pruning has left such."""
        if self.variant == "release8" and self.prune and self.prune != "reduced-error":
            return VARIANTS[self.variant].expected_errors(cases, wrong, self.confidence)
        return wrong

    @of_one_model
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
        if self.variant != "j48" or self._worths() is not None:
            return super()._interface()
        votes = None
        if self.estimate != "frequency" and not self.monotone:
            votes = VARIANTS[self.variant].probabilities(self.tree_.arrays, "frequency", self.m)
        return TreeInterface(self.schema_, tie_tolerance=SMALL, votes=votes)

    def _restore(self, fields: Fields, schema: Schema) -> None:
        super()._restore(fields, schema)
        self.fit_info_ = {}
        self._grown_order = None  # not in the file: pruning after the fit takes the cases in their own order

    def _probabilities(self, data: Dataset) -> Floats:
        return self.tree_.predict_proba(data)

    def _check_together(self) -> None:
        if self.first_tests and self.prune == "reduced-error":
            raise ParameterError("first_tests does not go with prune='reduced-error': set prune to True or False")
        if self.variant == "j48" and (self.group_values or self.criterion != "gain-ratio"):
            raise ParameterError("J48 has neither group_values nor criterion='gain': use variant='release8'")
        if self.binary_splits and self.group_values:
            raise ParameterError(
                "binary_splits and group_values are mutually exclusive: a value stands alone or in a group"
            )
        if self.variant == "j48" and self.confidence == 1:
            raise ParameterError("confidence must be less than 1 for J48")
