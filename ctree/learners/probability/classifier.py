"""Probability trees: the seven approaches that Fierens, Ramon, Blockeel and Bruynooghe compare."""

from __future__ import annotations

import copy
import os
from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from ctree.data.bins import bin_codes
from ctree.data.dataset import Dataset
from ctree.data.schema import Schema
from ctree.domains.domain import AnyOf, Choice, Flag, Nothing
from ctree.domains.numeric import Integer, Number
from ctree.errors import ParameterError
from ctree.learners.base.below_first import changed_below
from ctree.learners.base.classifier import Floats
from ctree.learners.base.common_parameters import InThreads, WithLeafEstimate, WithMinCases, WithProgress, n_threads
from ctree.learners.base.counted_tests import count_tests
from ctree.learners.base.kernels import case_table
from ctree.learners.base.limited_growth import WithLimits
from ctree.learners.base.monotone import WithMonotone
from ctree.learners.base.one_model import of_one_model
from ctree.learners.base.own_criterion import SplitCriterion, criterion_name, is_compiled, own_criterion
from ctree.learners.base.parameters import changed, fitted, parameter
from ctree.learners.base.prunable_tree import PrunableTree
from ctree.learners.base.score_settings import ScoreSettings
from ctree.learners.base.winnowed import WithWinnowing, winnowed
from ctree.learners.levels.fitting import Fitting
from ctree.learners.levels.growing import cuts_of, fraction_unit, in_numbered_bins, total_weight
from ctree.progress import ProgressCallback
from ctree.scale.source import Cases
from ctree.tree.leaves import leaf_probabilities
from ctree.tree.length_pruning import prune_by_length
from ctree.tree.tree import Tree
from ctree.wording import either
from ctree_ext.base.node_arrays import NodeArrays, Test
from ctree_ext.grow.stopping import StoppingRule
from ctree_ext.prune.release8 import Pruner


class Approach(NamedTuple):
    """How an approach grows a tree and prunes it."""

    measure: str
    stopping: str
    pruning: str

    def stopping_rule(self, cases: float, n_classes: int, significance: float, present_classes: bool) -> StoppingRule:
        """Its rule for a training set of this weight."""
        return StoppingRule(
            self.stopping,
            cases,
            n_classes,
            pruning=self.pruning if self.pruning in ("bic", "mdl") else "never",
            significance=significance,
            present_classes=present_classes,
        )


APPROACHES = {
    "c4.5": Approach("n_gain", "never", "errors"),
    "c4.4": Approach("n_gain", "never", "never"),
    "mdl-stop": Approach("n_gain", "mdl", "never"),
    "mdl-prune": Approach("n_gain", "never", "mdl"),
    "bic-stop": Approach("n_gain", "bic", "never"),
    "bic-prune": Approach("n_gain", "never", "bic"),
    "chi2": Approach("chi_square", "chi_square", "never"),
}
"""The approaches of the report's Table 1."""


class ProbabilityTreeClassifier(
    WithLimits, WithMinCases, WithLeafEstimate, WithWinnowing, WithMonotone, InThreads, WithProgress, PrunableTree
):
    """Trees for class probabilities: seven approaches to when to stop and what to prune.

    All take the test of greatest gain times cases, but for ``"chi2"``, which takes that of greatest chi-square. Where
    tests have more than two branches, it is the greatest beyond what a test with so many has to reach, or is pruned by.

    Notes
    -----
    The report says nothing of unknown values. Here a test is judged by the cases whose value is known, and the others
    go down every branch in parts, as in C4.5.

    C, the number of classes in the thresholds and estimates, is that of the schema: a class that is declared counts,
    even if no case has it. Leave such classes out of the `.names` file if they cannot occur.

    Its authors advise: BIC for up to five classes; for many classes ``"c4.4"`` if they are skewed, else ``"c4.5"``.

    References
    ----------
    Fierens, Ramon, Blockeel, Bruynooghe: A comparison of approaches for learning probability trees. ECML 2005, and the
    report of that name, Leuven.

    Examples
    --------
    >>> import ctree
    >>> golf = ctree.load_golf()
    >>> model = ctree.ProbabilityTreeClassifier(approach="c4.4").fit(golf)
    >>> model.tree_.n_leaves
    6
    >>> ctree.ProbabilityTreeClassifier(approach="mdl-stop").fit(golf).tree_.n_leaves
    1
    """

    min_gain: float | None = changed(only_if={"approach": tuple(a for a in APPROACHES if a != "chi2")})
    approach: str = parameter(
        "c4.4",
        Choice(*APPROACHES),
        'When to stop and what to prune. ``"c4.4"``: grows as far as it can and prunes nothing. ``"c4.5"``: prunes '
        'that tree by estimated errors. ``"mdl-stop"``, ``"bic-stop"``: split a node only if the gain reaches the '
        'threshold of MDL or BIC. ``"mdl-prune"``, ``"bic-prune"``: grow the tree first and remove what costs more '
        'bits than it saves. ``"chi2"``: splits a node only if chi-square is significant.',
    )
    criterion: Any = parameter(
        None,
        SplitCriterion(),
        "Function of class counts that tests are compared by: it is given a matrix of branches by classes and returns "
        "a number, the larger the better, or ``-inf`` for a test that is not to be used. None: that of the approach. "
        "See `ctree.criteria.stacked` for many tests at once. A `scipy.LowLevelCallable` of the signature ``double "
        "(const double *counts, int n_branches, int n_classes, void *user_data)`` is called without Python's lock, by "
        "`n_jobs` threads at once.",
        on_command_line=False,
    )
    binary_splits: bool = parameter(
        True,
        Flag(),
        "Whether to test a discrete attribute for one value against the others, rather than with a branch for each "
        "value.",
    )
    max_thresholds: int | None = parameter(
        None,
        AnyOf(Integer(least=1), Nothing()),
        "Number of thresholds per continuous attribute, spaced as `threshold_spacing` says. They are those of the "
        "training set, the same at every node; fewer where some would divide it alike. None: every threshold between "
        "two values at a node.",
    )
    threshold_spacing: str = parameter(
        "frequency",
        Choice("frequency", "width"),
        'Where the thresholds of `max_thresholds` lie. ``"frequency"``: between bins of about as many cases each. '
        '``"width"``: at equal distances between the least and the greatest value.',
    )
    confidence: float = parameter(
        0.25,
        Number(above=0, most=1),
        "Confidence level of error-based pruning: the smaller, the more is pruned.",
        only_if={"approach": ("c4.5",)},
    )
    subtree_raising: bool = parameter(
        True,
        Flag(),
        "Whether pruning may replace a node by its largest branch.",
        only_if={"approach": ("c4.5",)},
    )
    significance: float = parameter(
        0.1,
        Number(above=0, below=1),
        "Significance level of chi-square, which the tests of a node share.",
        only_if={"approach": ("chi2",)},
    )
    present_classes: bool = parameter(
        False,
        Flag(),
        "Whether to take the degrees of freedom from the classes present at a node, not from all as Fierens and others "
        "do.",
        only_if={"approach": ("chi2",)},
    )
    estimate: str = changed("laplace")

    any_size = True

    fit_info_: dict[str, Any] = fitted(
        "dict", "How the model was learned from a source of cases, by name; empty otherwise."
    )
    tree_: Tree = fitted("Tree", "The tree, pruned if the approach prunes.")
    unpruned_tree_: Tree | None = fitted(
        "Tree or None",
        "The tree as it was grown. Where a rule will prune, growing stops at nodes in which no test could survive it. "
        "None: a member of a committee that does not keep it.",
    )

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
        with Fitting(self, X, y, sample_weight, progress=self._reported(progress), checkpoint=checkpoint) as fitting:
            data = fitting.cases
            self._check_monotone(data.schema)
            approach = APPROACHES[self.approach]
            weight = total_weight(data)
            grown = pruned = self._grow(fitting, approach, weight)
            if approach.pruning != "errors":
                pruned = grown if approach.pruning == "never" else self._shortened(data.schema, grown, weight)
            elif isinstance(data, Dataset):
                pruned = self._pruned_arrays(data, grown)
            else:
                pruned = fitting.prune_by_errors(data, grown, self.confidence, subtree_raising=self.subtree_raising)
        unpruned = Tree(data.schema, grown.replace(probabilities=self._node_probabilities(grown)))
        tree = unpruned if pruned is grown and not self.monotone else self._tree(data.schema, pruned)
        self._become(data.schema, tree_=tree, unpruned_tree_=unpruned, fit_info_=fitting.info())
        return self

    def _grow(self, fitting: Fitting, approach: Approach, weight: float) -> NodeArrays:
        cases = fitting.cases
        own = None
        if self.criterion is not None:
            if not isinstance(cases, Dataset):
                raise ParameterError(
                    "a criterion of your own needs all cases in memory, and those of the source do not fit: scan them "
                    "with more memory, give it some of the cases, or leave criterion=None"
                )
            own = own_criterion(self.criterion, cases.schema)
        settings = ScoreSettings(
            approach.measure if own is None else "own",
            approach.stopping,
            cases.n_cases,
            weight,
            cases.schema.n_classes,
            pruning=approach.pruning if approach.pruning in ("bic", "mdl") else "never",
            significance=self.significance,
            present_classes=self.present_classes,
            min_cases=self.min_cases,
            binary_splits=self.binary_splits,
            listed_thresholds=self.max_thresholds is not None,
            unit=fraction_unit(cases),
            own=own,
            limits=self._limits(cases.schema),
        )
        # a function in Python has one thread at a time anyway, and in this one Ctrl-C reaches it
        threads = 1 if callable(self.criterion) else n_threads(self.n_jobs)
        cuts = self._threshold_cuts(cases)
        if cuts is None:
            return settings.limits.chosen(fitting.grow_by_score(cases, settings, threads))
        grown = fitting.grow_by_score(in_numbered_bins(cases, cuts), settings, threads)
        return _with_bounds(settings.limits.chosen(grown), cuts)

    def _threshold_cuts(self, cases: Cases) -> list[Floats | None] | None:
        """The thresholds of each continuous attribute, if only some are to be tested."""
        if self.max_thresholds is None:
            return None
        return cuts_of(cases, int(self.max_thresholds) + 1, self.threshold_spacing)

    def _shortened(self, schema: Schema, grown: NodeArrays, weight: float) -> NodeArrays:
        """The tree as pruning by description length leaves it."""
        rule, tests = APPROACHES[self.approach].pruning, self._limits(schema).first_tests
        return changed_below(grown, tests, lambda tree, _: prune_by_length(tree, rule, weight))

    def _pruned_arrays(self, data: Dataset, grown: NodeArrays) -> NodeArrays:
        """The tree as error-based pruning leaves it."""

        def pruned(tree: NodeArrays, cases: Dataset | None) -> NodeArrays:
            assert cases is not None
            table = case_table(cases, single=False, unit=fraction_unit(cases))
            return Pruner(table, confidence=self.confidence, subtree_raising=self.subtree_raising).prune(tree)

        return changed_below(grown, self._limits(data.schema).first_tests, pruned, data, sum_errors=True)

    def _check_together(self) -> None:
        if self.min_gain is not None and self.approach == "chi2":
            raise ParameterError(
                "min_gain does not go with approach='chi2', which compares tests by chi-square and not by gain: set "
                "significance instead"
            )
        if self.min_gain is not None and self.criterion is not None:
            raise ParameterError(
                "min_gain is in bits, unlike a criterion of your own: return -inf for tests that gain less"
            )
        if self.max_thresholds is not None and any(not isinstance(entry, str) for entry in self.first_tests or ()):
            raise ParameterError(
                "first_tests with a threshold does not go with max_thresholds, which lists all: name no threshold"
            )
        if self.threshold_spacing != "frequency" and self.max_thresholds is None:
            raise ParameterError("threshold_spacing='width' needs max_thresholds, the number of thresholds")
        if self.criterion is not None and APPROACHES[self.approach].stopping != "never":
            others = either([f"'{name}'" for name, one in APPROACHES.items() if one.stopping == "never"])
            raise ParameterError(
                f"approach='{self.approach}' holds tests to a threshold of its own measure, which says nothing of a "
                f"criterion of your own: use {others}, or return -inf for tests that are not good enough"
            )

    def _grown_from(self, X: Any, y: Any, sample_weight: Any) -> Dataset:
        """The training cases, given again."""
        data = self._as_winnowed(self._training_cases(X, y, sample_weight))
        self._check_training(data)
        return data

    def _numbers_of_tests(self, X: Any, y: Any, sample_weight: Any) -> npt.NDArray[np.int64]:
        data = self._grown_from(X, y, sample_weight)
        cuts = self._threshold_cuts(data)
        if cuts is not None:
            data = with_listed_values(data, cuts)
        return count_tests(self._grown_tree, data, self.min_cases, self.binary_splits, self.max_thresholds is not None)

    def _pruned_by_errors(self, X: Any, y: Any, sample_weight: Any, **settings: Any) -> Self:
        approach = self._approach_of("error-based")
        model = self._copied(self._grown_tree, approach=approach, **settings)
        model._check_parameters()
        data = self._grown_from(X, y, sample_weight)
        tree = self._tree(data.schema, model._pruned_arrays(data, self._grown_arrays()))
        model.tree_ = model._decided(tree, self._worths())
        return model

    def _with_tree(self, method: str, arrays: NodeArrays) -> Self:
        return self._copied(self._tree(self.schema_, arrays), approach=self._approach_of(method))

    def _approach_of(self, pruning: str) -> str:
        """The approach that grows as this model did and prunes so; that of this model if there is none."""
        if APPROACHES[self.approach].stopping != "never":
            return self.approach
        approaches = {"error-based": "c4.5", "mdl": "mdl-prune", "bic": "bic-prune"}
        return (
            approaches.get(pruning, "c4.4")
            if APPROACHES[self.approach].pruning in ("never", "errors")
            else self.approach
        )

    def _tree(self, schema: Schema, arrays: NodeArrays) -> Tree:
        arrays = arrays.replace(probabilities=self._node_probabilities(arrays))
        return Tree(schema, self._monotone(schema, arrays))

    def _node_probabilities(self, arrays: NodeArrays) -> Floats:
        return leaf_probabilities(
            arrays.counts,
            estimate=self.estimate,
            m=self.m,
            parent=arrays.parents(),
            prior_weight=self.prior_weight,
        )

    @of_one_model
    def expected_errors(self) -> Floats:
        """The errors of each node of `tree_` to be expected among as many new cases; c4.5's pruning leaves them."""
        return self.tree_.errors if self.approach == "c4.5" else super().expected_errors()

    def _probabilities(self, data: Dataset) -> Floats:
        return self.tree_.predict_proba(data)

    def __sklearn_clone__(self) -> Self:
        learner = type(self)(**copy.deepcopy(self.get_params(deep=False), self._not_copied()))
        if hasattr(self, "_metadata_request"):
            learner._metadata_request = copy.deepcopy(self._metadata_request)
        return learner

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        memo.update(self._not_copied())
        memo[id(self)] = copied = type(self).__new__(type(self))
        copied.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return copied

    def _not_copied(self) -> dict[int, Any]:
        # the address of a function cannot be copied, and need not be
        return {id(self.criterion): self.criterion}

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        if is_compiled(self.criterion):  # an address that other processes do not have
            state["criterion"] = criterion_name(self.criterion)
        return state


def with_listed_values(data: Dataset, cuts: Sequence[Floats | None]) -> Dataset:
    """The cases with each number replaced by the upper bound of its bin, so that these are the only thresholds."""
    columns: list[npt.NDArray[Any] | None] = []
    for column, bounds in zip(data.columns, cuts, strict=True):
        if column is not None and bounds is not None:
            column = np.asarray(column, dtype=np.float64)
            known = ~np.isnan(column)
            above = np.append(bounds, np.nextafter(bounds[-1], np.inf) if len(bounds) else 0.0)
            listed = np.full(len(column), np.nan)
            listed[known] = above[bin_codes(column, bounds)[known]]
            column = listed
        columns.append(column)
    return Dataset(data.schema, columns, data.classes, data.weights, n_cases=data.n_cases)


def _with_bounds(arrays: NodeArrays, cuts: Sequence[Floats | None]) -> NodeArrays:
    """The tree grown from numbers of bins, with their upper bounds for thresholds."""
    threshold = arrays.threshold.copy()
    for node in np.flatnonzero(arrays.test == Test.THRESHOLD).tolist():
        bounds = cuts[arrays.attribute[node]]
        assert bounds is not None
        threshold[node] = bounds[int(threshold[node])]
    return arrays.replace(threshold=threshold)
