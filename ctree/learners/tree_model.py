"""What the learners of one tree share: the way of a case through it, its rules, and what each attribute matters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.schema import Schema
from ctree.errors import DataError, ParameterError
from ctree.learners.one_case import one_case
from ctree.tree.explanation import TreeExplanation, explain, importances
from ctree.tree.tree import Tree

Floats = npt.NDArray[np.float64]


class TreeModel:
    """A learner with a `tree_`. Nodes are numbered as in it, from the root, 0, level by level."""

    tree_: Tree
    schema_: Schema

    _check_fitted: Any
    _cases: Any
    predict_codes: Any

    def apply(self, X: Any) -> npt.NDArray[np.int32]:
        """The number of the leaf where each case ends; with unknown values, of the leaf that gets most of the case.

        Of leaves with equal shares, the first from the left counts.
        """
        data = self.tree_cases(X)
        return self.tree_.apply(data)

    def decision_path(self, X: Any) -> Any:
        """The nodes that each case comes to, as a sparse CSR matrix (cases, nodes).

        An entry is the share of the case at the node, 1 for all of it. A case with an unknown value goes down every
        branch of a test that asks for it, in proportion to the training cases there, so that it is in several leaves;
        its class probabilities are those of the leaves, weighed by these shares.

        Examples
        --------
        >>> import ctree
        >>> model = ctree.C45Classifier().fit(ctree.read_c45("examples/golf"))
        >>> day = {"outlook": ["sunny"], "temperature": [70], "humidity": [None], "windy": ["true"]}
        >>> model.decision_path(day).toarray().round(2).tolist()
        [[1.0, 1.0, 0.0, 0.0, 0.4, 0.6, 0.0, 0.0]]
        """
        data = self.tree_cases(X)
        return self.tree_.decision_path(data)

    def explain(self, x: Any) -> TreeExplanation:
        """The way of one case to its leaf, in words; with unknown values to all its leaves, the most of it first.

        Parameters
        ----------
        x : table of one case, as `predict` takes it, or its values by name or in order
        """
        self._check_fitted()
        data = self._cases(one_case(x))
        if data.n_cases != 1:
            raise DataError(f"explain takes one case at a time, not {data.n_cases}")
        code = int(self.predict_codes(data)[0])
        return explain(self.tree_, self.tree_cases(data), seen=data, prediction=code, cuts=self._bin_cuts())

    def to_rules(self, frame: str | None = None) -> Any:
        """One rule for each leaf, from left to right, with class, support, confidence and lift; see `Tree.to_rules`.

        Examples
        --------
        >>> import ctree
        >>> model = ctree.BayesianTreeClassifier(bins=3, prior_weight=1).fit(ctree.read_c45("examples/golf"))
        >>> print(model.to_rules()[1])
        Rule 2:
            outlook = sunny
            75 < humidity <= 85
            ->  class Don't Play  [69.7%]
        """
        from ctree.tree.rules import rules_frame

        self._check_fitted()
        rules = tuple(self.tree_.leaf_rules(self._bin_cuts()).values())
        return rules if frame is None else rules_frame(rules, frame)

    @property
    def feature_importances_(self) -> Floats:
        """Per attribute, its share in what the tests of the tree save of the entropy of the classes.

        A test saves n H of its node, less n H of its branches: its information gain times its training cases,
        whatever criterion chose it. The shares add up to 1, or are all 0 for a tree that tests nothing.
        """
        self._check_fitted()
        return importances(self.tree_, self.schema_)

    def tree_cases(self, X: Any) -> Dataset:
        """Cases as `tree_` takes them."""
        data: Dataset = self._cases(X)
        return data

    def tree_fillers(self) -> Sequence[float | int | None]:
        """Per attribute what is taken for an unknown value, a code or a number; None for nothing."""
        return [None] * len(self.schema_)

    def _bin_cuts(self) -> Sequence[Floats | None]:
        """Per attribute that `tree_` has in bins, their upper bounds but the last."""
        return [None] * len(self.schema_)

    def pruned(self, method: str, X: Any = None, y: Any = None, sample_weight: Any = None, **settings: Any) -> NoReturn:
        """Not for this learner."""
        raise ParameterError(
            f"a {type(self).__name__} is not pruned after the fit: that is for C45Classifier and "
            "ProbabilityTreeClassifier"
        )
