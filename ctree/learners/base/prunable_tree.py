"""Pruning after the fit: other trees from the one that was grown, without growing again."""

from __future__ import annotations

import copy
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.fields import Fields
from ctree.data.schema import Schema
from ctree.domains.domain import Choice
from ctree.domains.numeric import Number
from ctree.errors import CtreeError, DataError, ParameterError
from ctree.learners.base.kernels import case_table
from ctree.learners.base.labelled_cases import labelled_cases
from ctree.learners.base.one_model import of_one_model
from ctree.learners.base.parameters import fitted
from ctree.learners.base.tree_classifier import TreeClassifier, tree_size, tree_size_text
from ctree.tree.cost_complexity import CostComplexity, CostComplexityPath
from ctree.tree.fields import trees_from_dict, trees_to_dict
from ctree.tree.length_pruning import prune_by_length
from ctree.tree.tree import Tree
from ctree.wording import near_match
from ctree_ext.base.node_arrays import NodeArrays
from ctree_ext.prune.reduced_error import reduced_error

SETTINGS = {
    "error-based": ("confidence", "subtree_raising"),
    "mdl": (),
    "bic": (),
    "reduced-error": (),
    "cost-complexity": ("alpha", "measure"),
}
"""The methods, each with its settings."""


class PrunableTree(TreeClassifier):
    """A learner that keeps the tree as it was grown, `unpruned_tree_`, and can prune it in other ways."""

    unpruned_tree_: Tree | None = fitted(
        "Tree or None", "The tree as it was grown. None: a member of a committee that does not keep it."
    )

    @of_one_model
    def pruned(self, method: str, X: Any = None, y: Any = None, sample_weight: Any = None, **settings: Any) -> Self:
        """A new fitted model, with another pruning of the tree that this one grew.

        Parameters
        ----------
        method : {"error-based", "mdl", "bic", "reduced-error", "cost-complexity"}
            ``"error-based"``: C4.5's pruning by estimated errors. A raised branch takes in the cases of its siblings,
            so the training cases have to be given again; models do not keep them.
            ``"bic"``, ``"mdl"``: without the tests that cost more bits than they save. MDL also charges a test for
            the number of those it was chosen from; to count them takes the training cases again.
            ``"reduced-error"``: a test becomes a leaf where that makes no more errors on the cases that are given,
            which should be others than those it was grown from.
            ``"cost-complexity"``: the smallest tree of least errors plus `alpha` for every leaf.
        X, y, sample_weight
            The cases, as `fit` takes them: for ``"error-based"`` and ``"mdl"`` those of the fit, for
            ``"reduced-error"`` others.
        **settings
            For ``"error-based"``: `confidence` and `subtree_raising`; by default as in this model. For
            ``"cost-complexity"``: `alpha`, and `measure`, ``"errors"``, ``"gini"`` or ``"entropy"``; see
            `cost_complexity_path`.

        Returns
        -------
        A model of the same class, with another `tree_`, and with the parameters of a fit that prunes so where there is
        one. Soft thresholds are put anew by ``"error-based"``, and are left out by the others.

        Examples
        --------
        >>> import ctree
        >>> golf = ctree.load_golf()
        >>> model = ctree.C45Classifier(prune=False).fit(golf)
        >>> [model.pruned("error-based", golf, confidence=c).tree_.n_leaves for c in (0.25, 0.01)]
        [5, 1]
        >>> [model.pruned("cost-complexity", alpha=a).tree_.n_leaves for a in (0, 0.05, 0.1)]
        [5, 5, 1]
        """
        self._check_fitted()
        Choice(*SETTINGS).check("method", method)
        wrong = [name for name in settings if name not in SETTINGS[method]]
        if wrong:
            has = " and ".join(SETTINGS[method]) or "no settings"
            hint = near_match(wrong[0], SETTINGS[method])
            raise ParameterError(f"the pruning method '{method}' has no setting '{wrong[0]}'{hint}; it has {has}")
        needs_cases = method in ("error-based", "mdl", "reduced-error")
        if not needs_cases and (X is not None or y is not None):
            raise ParameterError(f"the pruning method '{method}' uses only the tree: leave out the cases")
        if needs_cases and X is None:
            which = "to count errors on" if method == "reduced-error" else "that the tree was grown from"
            raise ParameterError(f"the pruning method '{method}' needs the cases {which}")
        if method == "error-based":
            return self._pruned_by_errors(X, y, sample_weight, **settings)
        grown = self._grown_arrays()
        if method == "reduced-error":
            arrays = self._pruned_on(grown, labelled_cases(self, X, y, sample_weight, "for pruning"))
        elif method == "cost-complexity":
            arrays = cut_by_cost(grown, **settings)
        else:
            if method == "mdl":
                grown = grown.replace(n_tests=self._numbers_of_tests(X, y, sample_weight))
            arrays = prune_by_length(grown, method, float(self._grown_tree.cases[0]))
        return self._with_tree(method, arrays)

    @of_one_model
    def cost_complexity_path(self, measure: str = "errors") -> CostComplexityPath:
        """The prunings that are best at some price `alpha` of a leaf, by minimal cost-complexity pruning.

        Parameters
        ----------
        measure : {"errors", "gini", "entropy"}
            The cost of a tree, beside its leaves: the share of training errors, or the mean impurity of the leaves.

        Returns
        -------
        CostComplexityPath
            ``alphas``, ``leaves`` and ``errors`` (the cost), from the smallest tree of least cost to the root alone.
            ``pruned("cost-complexity", alpha=a)`` gives the one with the greatest of the alphas that are at most a.

        Examples
        --------
        >>> import ctree
        >>> model = ctree.C45Classifier(prune=False).fit(ctree.load_golf())
        >>> path = model.cost_complexity_path()
        >>> path.alphas.round(4).tolist(), path.leaves.tolist(), path.errors.round(4).tolist()
        ([0.0, 0.0893], [5, 1], [0.0, 0.3571])
        """
        self._check_fitted()
        return CostComplexity(self._grown_arrays(), measure).path()

    @of_one_model
    def size_text(self) -> str:
        """How large the model is, in words."""
        size = super().size_text()
        if self.unpruned_tree_ is None or self.unpruned_tree_.n_nodes == self.tree_.n_nodes:
            return size
        return f"{size} (before pruning: {tree_size_text(self.unpruned_tree_)})"

    @of_one_model
    def summary(self) -> dict[str, Any]:
        """What there is to know of the model, as plain data."""
        unpruned = None if self.unpruned_tree_ is None else tree_size(self.unpruned_tree_)
        return {**super().summary(), "unpruned": unpruned}

    def _fitted_fields(self) -> dict[str, Any]:
        return {"trees": trees_to_dict(self.tree_, self.unpruned_tree_)}

    def _restore(self, fields: Fields, schema: Schema) -> None:
        self.tree_, self.unpruned_tree_ = trees_from_dict(fields.object("trees"), schema)

    @property
    def _grown_tree(self) -> Tree:
        """The tree as it was grown, to prune it; an error if it was not kept."""
        if self.unpruned_tree_ is None:
            raise CtreeError(
                "this member of a committee has not kept its tree as it was grown, so that it cannot be pruned in "
                "another way: fit the committee with keep_unpruned=True"
            )
        return self.unpruned_tree_

    def _forget_grown(self) -> None:
        """Let go of the tree as it was grown, unless that is the tree."""
        if self.unpruned_tree_ is not self.tree_:
            self.unpruned_tree_ = None

    def _grown_arrays(self) -> NodeArrays:
        """The grown tree as the kernels take it."""
        return self._grown_tree.arrays.replace(probabilities=None, lower=None, upper=None)

    def _pruned_on(self, grown: NodeArrays, data: Dataset) -> NodeArrays:
        return reduced_error(grown, case_table(data, self._grown_tree.float32), np.arange(len(data), dtype=np.int32))

    def _copied(self, tree: Tree, **parameters: Any) -> Self:
        """This model with another tree and other parameters; arrays are shared, as nobody writes to them."""
        model = copy.copy(self)
        model.tree_, model._training_errors = self._decided(tree, self._worths()), None
        for name, value in parameters.items():
            setattr(model, name, value)
        return model

    def _check_training(self, data: Dataset) -> None:
        """Refuse cases that the tree was not grown from, as far as that can be seen."""
        assert data.classes is not None
        if data.schema != self.schema_:
            raise DataError(
                "these are not the cases that the tree was grown from: attributes, values or classes differ"
            )
        known = data.classes >= 0
        weights = None if data.weights is None else data.weights[known]
        counts = np.bincount(data.classes[known], weights, minlength=data.schema.n_classes)
        if not np.allclose(counts, self._grown_tree.class_counts[0], rtol=1e-6):
            raise DataError(
                f"these are not the cases that the tree was grown from: it had {self._grown_tree.cases[0]:g}, "
                f"here are {counts.sum():g}, or their classes differ"
            )

    def _pruned_by_errors(self, X: Any, y: Any, sample_weight: Any, **settings: Any) -> Self:
        raise NotImplementedError

    def _with_tree(self, method: str, arrays: NodeArrays) -> Self:
        raise NotImplementedError

    def _numbers_of_tests(self, X: Any, y: Any, sample_weight: Any) -> npt.NDArray[np.int64]:
        """Of each node of the grown tree, how many tests its own was chosen from."""
        raise NotImplementedError


def cut_by_cost(grown: NodeArrays, alpha: Any = None, measure: str = "errors") -> NodeArrays:
    """The arrays of the tree that is best at this price of a leaf."""
    if alpha is None:
        raise ParameterError("cost-complexity pruning needs alpha, the price of a leaf: see cost_complexity_path")
    Number(least=0).check("alpha", alpha)
    links = CostComplexity(grown, measure)
    links.cut_off(float(alpha))
    return grown.collapsed(links.collapsed())
