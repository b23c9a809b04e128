"""Bayesian trees of Cano, Masegosa and Moral: tests that make the classes likelier, and averages of smaller trees."""

from __future__ import annotations

import os
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ctree.data.bins import bin_codes, binned, binned_schema
from ctree.data.dataset import Dataset
from ctree.data.fields import Fields
from ctree.data.impute import imputed, mode_or_mean
from ctree.data.schema import Schema
from ctree.domains.domain import AnyOf, Choice, Flag, Nothing
from ctree.domains.numeric import Integer, Number
from ctree.errors import ModelError, ParameterError
from ctree.learners.base.classifier import Floats
from ctree.learners.base.common_parameters import InThreads, WithLeafEstimate, WithMinCases, WithProgress, n_threads
from ctree.learners.base.fields import (
    by_attribute,
    check_attribute_names,
    cuts_from_fields,
    filler_from_fields,
)
from ctree.learners.base.limited_growth import WithLimits
from ctree.learners.base.parameters import changed, fitted, parameter
from ctree.learners.base.score_settings import ScoreSettings
from ctree.learners.base.tree_classifier import TreeClassifier
from ctree.learners.base.winnowed import WithWinnowing, winnowed
from ctree.learners.levels.fitting import Fitting
from ctree.learners.levels.growing import cuts_of, fraction_unit, in_bins, total_weight
from ctree.progress import ProgressCallback
from ctree.scale.changed_source import filled
from ctree.scale.coded_source import CodedSource
from ctree.scale.fillers import modes_and_means
from ctree.scale.source import Cases
from ctree.tree.answers import Answer, Range, Shares
from ctree.tree.averages import average_along_paths, average_over_prunings, log_marginals, node_alphas
from ctree.tree.fields import matrix_of
from ctree.tree.interface import TreeInterface
from ctree.tree.leaves import leaf_probabilities, prior_sum
from ctree.tree.tree import Tree
from ctree_ext.base.node_arrays import NodeArrays


class BayesianTreeClassifier(
    WithLimits, WithMinCases, WithLeafEstimate, WithWinnowing, InThreads, WithProgress, TreeClassifier
):
    """Trees grown by Bayesian model selection, whose predictions average over the smaller trees within.

    A node is divided by the test of greatest marginal likelihood (the Dirichlet score β), and only if the classes are
    likelier with it than without. There is nothing to prune.

    Notes
    -----
    A test is judged by the cases whose value is known; the averages take the counts of the nodes, parts of cases and
    all. A node whose cases are all of one class is not divided.

    References
    ----------
    Cano, Masegosa, Moral: A Bayesian approach to estimate probabilities in classification trees. PGM 2008.

    Examples
    --------
    >>> import ctree
    >>> golf = ctree.load_golf()
    >>> model = ctree.BayesianTreeClassifier().fit(golf)
    >>> print(model.tree_.to_text())
    outlook = overcast: Play (4.0)
    outlook = sunny:
    |   humidity <= 77.5 : Play (2.0)
    |   humidity > 77.5 : Don't Play (3.0)
    outlook = rain:
    |   windy = true: Don't Play (2.0)
    |   windy = false: Play (3.0)
    >>> day = {"outlook": ["overcast"], "temperature": [70], "humidity": [80], "windy": ["true"]}
    >>> model.predict_proba(day).round(3)
    array([[0.755, 0.245]])
    """

    min_gain: float | None = changed(
        help="Least gain of a test, in bits per case of its node: by how much likelier it has to make the classes, the "
        "binary logarithm of the Bayes factor. Where the test that is chosen gains less, by more than a "
        "millionth, the node is a leaf. None: no limit."
    )
    prior_weight: float | str = changed(
        2.0,
        help='Sum S of the Dirichlet parameters of a node. ``"classes"``: as many as there are classes.',
        only_if={},
    )
    averaging: str = parameter(
        "path",
        Choice("path", "prunings", "none"),
        'What a prediction averages over. ``"path"``: the nodes on the path of a case, each weighted by how likely it '
        'makes the classes. ``"prunings"``: all prunings of the tree, exactly. ``"none"``: nothing, the leaf alone '
        "predicts, or the node above it if no training case came to the leaf.",
    )
    uniform_prior: bool = parameter(
        False,
        Flag(),
        "Whether the branches of a node have the same Dirichlet parameter for all classes. If not, the classes of "
        "which the node has no case share the parameter of one class; it matters from three classes on.",
    )
    bins: int | None = parameter(
        None,
        AnyOf(Integer(least=1), Nothing()),
        "Number of bins of about equal frequency for a continuous attribute, with a branch for every bin; Cano and "
        "others have 5. None: thresholds, chosen by the score like any other test.",
    )
    threshold_prior: str = parameter(
        "shared",
        Choice("shared", "each"),
        'How probable a threshold is a priori. ``"shared"``: all thresholds of an attribute together are as probable '
        'as a discrete test, so that one of many has to be so many times likelier. ``"each"``: each by itself is; of '
        "many one is then likely to look good by chance.",
        only_if={"bins": (None,)},
    )
    unknown: str = parameter(
        "fractions",
        Choice("fractions", "impute"),
        'What to do with unknown values. ``"fractions"``: a case goes down every branch in fractions. ``"impute"``: '
        "the value is taken to be the most frequent one, or the mean of a continuous attribute, in training and in "
        "prediction.",
    )
    split_prior: float = parameter(
        0.5,
        Number(above=0, below=1),
        "Prior probability that a node keeps its branches.",
        only_if={"averaging": ("prunings",)},
    )
    estimate: str = changed(
        "dirichlet",
        help='How class counts become probabilities at a node. ``"frequency"``: as they are. ``"laplace"``: with one '
        'case more of each class. ``"m"``: with `m` cases more, of the classes of all training cases. '
        '``"dirichlet"``: with `prior_weight` cases more, as by Cano and others. ``"m-branch"``: with `m` cases more, '
        "of the classes estimated at the node above. See `ctree.tree.leaves` for the formulas.",
    )

    any_size = True

    fit_info_: dict[str, Any] = fitted(
        "dict", "How the model was learned from a source of cases, by name; empty otherwise."
    )
    tree_: Tree = fitted(
        "Tree", "The tree with the averaged probabilities. Its schema has the bins of continuous attributes as values."
    )
    node_weights_: Floats = fitted(
        "array (nodes,)",
        "Along the path: the weight of each node's own estimate in the average that ends with it. Over prunings: how "
        "probable it is that a node is a leaf, if it is there at all. Without averaging: 1 for leaves, else 0.",
    )
    cuts_: list[Floats | None] = fitted(
        "list of array", "For each continuous attribute in bins, the upper bounds of its bins but the last; else None."
    )
    fillers_: list[float | int | None] = fitted(
        "list", "For each attribute, what is taken for an unknown value: a code or a number; None for nothing."
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
            data, fillers = self._filled(fitting.cases)
            cuts: list[Floats | None] = [None] * len(data.schema)
            if self.bins is not None:
                cuts = cuts_of(data, self.bins)
            coded = in_bins(data, cuts)
            settings = self._settings(coded)
            grown = settings.limits.chosen(fitting.grow_by_score(coded, settings, n_threads(self.n_jobs)))
        tree, weights = self._averaged(coded.schema, grown)
        info = fitting.info()
        self._become(data.schema, tree_=tree, node_weights_=weights, fillers_=fillers, cuts_=cuts, fit_info_=info)
        return self

    def _filled(self, cases: Cases) -> tuple[Cases, list[float | int | None]]:
        """The cases with their unknown values replaced, if that is asked for; and by what, for each attribute."""
        if self.unknown != "impute":
            return cases, [None] * len(cases.schema)
        if isinstance(cases, CodedSource):
            found = modes_and_means(cases)
            return filled(cases, found), found
        if not isinstance(cases, Dataset):
            raise ParameterError(
                "unknown='impute' is for cases in memory or in coded parts, and those of the source are not: set "
                "unknown='fractions'"
            )
        fillers = [mode_or_mean(cases, a) for a in range(len(cases.schema))]
        return imputed(cases, fillers), fillers

    def _settings(self, cases: Cases) -> ScoreSettings:
        n_classes = cases.schema.n_classes
        return ScoreSettings(
            "bayes",
            "bayes_shared" if self.threshold_prior == "shared" else "bayes",
            cases.n_cases,
            total_weight(cases),
            n_classes,
            prior_weight=prior_sum(self.prior_weight, n_classes),
            nonuniform=not self.uniform_prior,
            min_cases=self.min_cases,
            unit=fraction_unit(cases),
            limits=self._limits(cases.schema),
        )

    def _check_together(self) -> None:
        if self.bins is not None and any(not isinstance(entry, str) for entry in self.first_tests or ()):
            raise ParameterError(
                "first_tests with a threshold or lists of values does not go with bins: name the attribute alone"
            )

    def _averaged(self, schema: Schema, arrays: NodeArrays) -> tuple[Tree, Floats]:
        """The tree with its averaged probabilities, and the weights of the nodes in them."""
        counts, parent = arrays.counts, arrays.parents()
        alphas = node_alphas(counts, parent, self.prior_weight, not self.uniform_prior)
        estimates = leaf_probabilities(counts, estimate=self.estimate, m=self.m, parent=parent, alphas=alphas)
        n_choices = arrays.n_tests if self.threshold_prior == "shared" and arrays.n_tests is not None else 1
        if self.averaging == "prunings":
            pruned = average_over_prunings(
                estimates, log_marginals(counts, alphas), parent, self.split_prior, n_choices
            )
            probabilities, weights = pruned.probabilities, pruned.stop
        elif self.averaging == "path":
            probabilities, weights = average_along_paths(estimates, log_marginals(counts, alphas), parent, n_choices)
        else:
            # A branch that no training case took knows nothing: what the node above says is the best guess.
            empty = np.flatnonzero(arrays.cases[1:] <= 0) + 1
            probabilities, weights = estimates.copy(), (arrays.n_branches == 0).astype(np.float64)
            probabilities[empty] = estimates[parent[empty]]
        # sums of many small parts may miss 1 by a bit
        probabilities = probabilities / probabilities.sum(axis=1, keepdims=True)
        # The class of a node is what it predicts, which by an average need not be the most frequent one there.
        best = probabilities.argmax(axis=1)
        errors = np.maximum(arrays.cases - counts[np.arange(len(counts)), best], 0.0)
        return Tree(schema, arrays.replace(probabilities=probabilities, best=best, errors=errors)), weights

    def _tree_answer(self, attribute: int, answer: Answer) -> Answer:
        """What a person answered of an attribute, as `tree_` has it: unknown values replaced, numbers in their bins.

        Of a range every bin gets the part that lies in it.
        """
        value, cuts = self.fillers_[attribute], self.cuts_[attribute]
        discrete = self.schema_[attribute].is_discrete
        if answer is None and value is not None:
            n_values = len(self.schema_[attribute].values)
            answer = _certain(int(value), n_values) if discrete else Range(value, value)
        if cuts is not None and isinstance(answer, Shares):  # of ordered values
            codes = bin_codes(np.arange(len(answer.probabilities), dtype=np.float64), cuts)
            return Shares(tuple(np.bincount(codes, answer.probabilities, len(cuts) + 1).tolist()))
        if cuts is None or not isinstance(answer, Range):
            return answer
        bounds = np.concatenate([[-np.inf], cuts, [np.inf]])
        if answer.low < answer.high:
            inside = np.clip(bounds, answer.low, answer.high)
            return Shares(tuple((np.diff(inside) / (answer.high - answer.low)).tolist()))
        code = int(bin_codes(np.array([answer.low]), cuts)[0])
        return _certain(code, len(cuts) + 1)

    def _tree_cases(self, X: Any) -> Dataset:
        """Cases as `tree_` takes them: unknown values replaced if they are to be, numbers in their bins."""
        return binned(imputed(self._cases(X), self.fillers_), self.cuts_)

    def _interface(self) -> TreeInterface:
        """What this learner does with a case before the tree gets it, and what each node counts in the averages."""
        self._check_fitted()
        weighing = "" if self.averaging == "none" else self.averaging
        weights = self.node_weights_ if weighing else None
        interface = TreeInterface(self.schema_, fill=self.fillers_, cuts=self.cuts_, weights=weights, weighing=weighing)
        return interface.by_costs(self.tree_.probabilities, self._worths())

    def _fitted_fields(self) -> dict[str, Any]:
        return {
            **super()._fitted_fields(),
            "node_weights": self.node_weights_.tolist(),
            "cuts": by_attribute(self.schema_, self.cuts_),
            "fillers": by_attribute(self.schema_, self.fillers_),
        }

    def _restore(self, fields: Fields, schema: Schema) -> None:
        cuts, fillers = fields.object("cuts"), fields.object("fillers")
        check_attribute_names(cuts, schema)
        check_attribute_names(fillers, schema)
        self.cuts_ = [cuts_from_fields(cuts, a) if a.name in cuts else None for a in schema]
        self.fillers_ = [filler_from_fields(fillers, a) if a.name in fillers else None for a in schema]
        super()._restore(fields, binned_schema(schema, self.cuts_))
        place = fields.place_of("node_weights")
        weights = matrix_of([fields.get("node_weights", list)], self.tree_.n_nodes, place)[0]
        if (weights < 0).any() or (weights > 1).any():
            raise ModelError(f"'{place}' has a number that is not a weight between 0 and 1")
        self.node_weights_ = weights

    def _probabilities(self, data: Dataset) -> Floats:
        return self.tree_.predict_proba(binned(imputed(data, self.fillers_), self.cuts_))


def _certain(code: int, n_values: int) -> Shares:
    """All of a case at one value."""
    return Shares(tuple(float(value == code) for value in range(n_values)))
