"""C4.5's rules: the same as those of Quinlan's c4.5rules, release 8."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.schema import Label
from ctree.errors import ParameterError
from ctree.learners.base.classifier import Classifier, Floats
from ctree.learners.base.kernels import case_table
from ctree.learners.base.training import whole_cases
from ctree.learners.c45.classifier import C45Classifier
from ctree.learners.c45.variants import Release8
from ctree.learners.rules.code_length import RuleBits
from ctree.learners.rules.evaluation import evaluate_and_drop
from ctree.learners.rules.selection import extract_rules, select_rules
from ctree.tree.explain.rule import RuleExplanation
from ctree.tree.rule_list import RuleList
from ctree.tree.rules import Rule
from ctree.tree.tree import Tree

MIN_REDUNDANCY, MAX_REDUNDANCY = 0.001, 1000.0


class C45RulesClassifier(Classifier):
    """Rules from a C4.5 tree, as Quinlan's c4.5rules of release 8 makes them.

    Each path of the unpruned tree becomes a rule, less the conditions that it can do without; for each class the rules
    are kept that tell its cases in the fewest bits; the classes are ordered by the harm that they do, and rules that do
    more harm than good are dropped. The first rule that applies to a case gives its class, or else the default class.

    Parameters
    ----------
    criterion : {"gain_ratio", "gain"}
        How the tests of the tree are compared.
    min_cases : float
        At least two branches of every test of the tree must have as many cases.
    group_values : bool
        Let the tree test groups of values of a discrete attribute.
    confidence : float
        In (0, 1], for the estimate of errors; the smaller, the more conditions are deleted (c4.5rules' ``-c``, in
        percent there).
    redundancy : float
        From 0.001 to 1000, by how much the attributes say the same; the more, the more rules are kept (``-r``).
    significance : float or None
        In (0, 1]: delete conditions also if Fisher's test gives more than this (``-F``, in percent there). As in
        release 8 the test's figures are not true probabilities.
    categorical_features : array-like or None
        For tables: which columns are discrete, as a mask, indices or names. None: those that hold no numbers.
    class_weight : dict, "balanced" or None
        What the cases of a class count, times their own weight; the products have to be whole numbers, as cases are
        counted. ``"balanced"`` lets every class count the same in sum, which seldom comes out whole.
    unseen : {"unknown", "error"}
        What a discrete value is to `predict` that was not there in `fit`: unknown, or an error.
    n_jobs : int or None
        Threads for the tree; None is 1, -1 all cores. The rules do not depend on it.

    Attributes
    ----------
    rules_ : RuleList
        The rules in the order in which they are tried.
    default_ : label
        The class if no rule applies.
    selected_rules_ : RuleList
        The rules before the harmful ones among them were dropped.
    tree_ : Tree
        The unpruned tree that they were made of.
    classes_ : array
        The classes, in the order of the columns of `predict_proba`.
    schema_ : Schema
        The attributes and classes.
    n_features_in_ : int

    Notes
    -----
    A case whose value is unknown does not meet a condition on it. As c4.5rules counts cases, their weights have to be
    whole numbers: a case of weight 2 is two cases.

    Probabilities: the class of the rule that applies has the rule's confidence, which is 1 less its pessimistic error;
    the rest is shared by the other classes in proportion to their training cases, each counted one more. Where no rule
    applies, they are the class frequencies among the training cases that no rule covers, by Laplace. As the confidence
    is pessimistic, another class can have more of it; `predict` always gives the class of the rule.

    Examples
    --------
    >>> import ctree
    >>> model = ctree.C45RulesClassifier().fit(ctree.load_golf())
    >>> case = {"outlook": ["rain"], "temperature": [70], "humidity": [None], "windy": ["true"]}
    >>> model.predict(case)
    array(["Don't Play"], dtype='<U10')
    >>> print(model.explain(case))
    class Don't Play [50.0%] by rule 3:
        outlook = rain
        windy = true
    """

    rules_: RuleList
    selected_rules_: RuleList
    default_: Label
    tree_: Tree

    def __init__(
        self,
        *,
        criterion: str = "gain_ratio",
        min_cases: float = 2,
        group_values: bool = False,
        confidence: float = 0.25,
        redundancy: float = 1.0,
        significance: float | None = None,
        categorical_features: Any = None,
        class_weight: Any = None,
        unseen: str = "unknown",
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.min_cases = min_cases
        self.group_values = group_values
        self.confidence = confidence
        self.redundancy = redundancy
        self.significance = significance
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.unseen = unseen
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn from a `Dataset`, or from a table `X` and classes `y`."""
        self._check_parameters()
        data = whole_cases(self._training_cases(X, y, sample_weight))
        tree = self._grown(data)
        table = case_table(data, Release8.is_single(data))
        bits = RuleBits(data, self.redundancy, tree.float32)
        candidates = extract_rules(tree, table, bits, self.confidence, self.significance)
        rules, default, uncovered = select_rules(candidates, data, table)
        selected = rule_list(data, rules, default, uncovered, tree.float32)
        final = evaluate_and_drop(selected, data)[-1]
        kept = [use.rule for use in final.uses]
        self.selected_rules_ = selected
        self.rules_ = rule_list(data, kept, default, final.applied < 0, tree.float32)
        self.default_ = self.rules_.default
        self.tree_ = tree
        self._set_schema(data.schema)
        return self

    def predict_codes(self, X: Any) -> npt.NDArray[np.intp]:
        """The places in ``classes_`` of the classes that the first rule to apply gives each case, or the default."""
        data = self._cases(X)
        return self.rules_.class_codes(self.rules_.apply(data)).astype(np.intp)

    def _explanations(self, data: Dataset) -> Sequence[RuleExplanation]:
        return self.rules_.explanations(data)

    def _probabilities(self, data: Dataset) -> Floats:
        return self.rules_.predict_proba(data)

    def _grown(self, data: Dataset) -> Tree:
        learner = C45Classifier(
            criterion=self.criterion,
            min_cases=self.min_cases,
            group_values=self.group_values,
            prune=False,
            n_jobs=self.n_jobs,
        )
        return learner.fit(data).tree_

    def _check_parameters(self) -> None:
        # criterion and min_cases are the tree's, which looks at them itself
        if not 0 < self.confidence <= 1:
            raise ParameterError(f"confidence must be greater than 0 and at most 1, not {self.confidence}")
        if not MIN_REDUNDANCY <= self.redundancy <= MAX_REDUNDANCY:
            raise ParameterError(
                f"redundancy must be from {MIN_REDUNDANCY:g} to {MAX_REDUNDANCY:g}, not {self.redundancy}"
            )
        if self.significance is not None and not 0 < self.significance <= 1:
            raise ParameterError(f"significance must be greater than 0 and at most 1, or None, not {self.significance}")


def rule_list(
    data: Dataset, rules: Sequence[Rule], default: int, uncovered: npt.NDArray[np.bool_], float32: bool
) -> RuleList:
    """The rules with their class probabilities; `uncovered` are the training cases for the default."""
    assert data.classes is not None
    n = data.schema.n_classes
    codes = {label: code for code, label in enumerate(data.schema.classes)}
    counts = np.bincount(data.classes, minlength=n) + 1.0
    probabilities = np.empty((len(rules) + 1, n))
    for i, rule in enumerate(rules):
        code = codes[rule.prediction]
        others = counts.copy()
        others[code] = 0.0
        probabilities[i] = rule.error * others / others.sum() if n > 1 else 0.0
        probabilities[i, code] = rule.confidence if n > 1 else 1.0
    left = np.bincount(data.classes[uncovered], minlength=n) + 1.0
    probabilities[-1] = left / left.sum()
    return RuleList(data.schema, rules, data.schema.classes[default], probabilities, float32=float32)
