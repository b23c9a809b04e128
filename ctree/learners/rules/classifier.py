"""C4.5's rules: the same as those of Quinlan's c4.5rules, release 8."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ctree.data.costs import TIE
from ctree.data.dataset import Column, Dataset
from ctree.data.fields import Fields
from ctree.data.schema import Label, Schema
from ctree.domains.domain import AnyOf, Choice, Flag, Nothing
from ctree.domains.numeric import Number
from ctree.learners.base.case_consultation import CaseConsultation
from ctree.learners.base.classifier import Classifier, Floats
from ctree.learners.base.common_parameters import InThreads
from ctree.learners.base.kernels import case_table
from ctree.learners.base.one_model import of_one_model
from ctree.learners.base.parameters import changed, fitted, parameter
from ctree.learners.base.training import repeated, whole_weights
from ctree.learners.base.tree_classifier import tree_size, tree_size_text
from ctree.learners.base.winnowed import WithWinnowing, winnowed
from ctree.learners.c45.classifier import C45Classifier
from ctree.learners.c45.release8 import Release8
from ctree.learners.rules.code_length import RuleBits
from ctree.learners.rules.evaluation import evaluate_and_drop
from ctree.learners.rules.fields import rule_list_from_dict, rule_list_to_dict
from ctree.learners.rules.questions import RuleQuestions
from ctree.learners.rules.selection import extract_rules, select_rules
from ctree.scale.threads import n_threads
from ctree.tree.explain.rule import RuleExplanation, explain_by_rules
from ctree.tree.fields import tree_from_dict, tree_to_dict
from ctree.tree.interface import first_best
from ctree.tree.outputs import Exported
from ctree.tree.rule_list import RuleList
from ctree.tree.rules import Rule
from ctree.tree.tree import Tree
from ctree.wording import plural

MIN_REDUNDANCY, MAX_REDUNDANCY = 0.001, 1000.0

MAX_REPEATED, MAX_COPIES = 1 << 17, 8
"""So many cases in all, or so many of each on average, are made of those whose weights say so."""


class C45RulesClassifier(Exported, WithWinnowing, InThreads, Classifier):
    """Rules from a C4.5 tree, as Quinlan's c4.5rules of release 8 makes them.

    Each path of the unpruned tree becomes a rule, less the conditions that it can do without; for each class the rules
    are kept that tell its cases in the fewest bits; the classes are ordered by the harm that they do, and rules that do
    more harm than good are dropped. The first rule that applies to a case gives its class, or else the default class.

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

    criterion: str = parameter(
        "gain-ratio",
        Choice("gain-ratio", "gain"),
        'How the tests of the tree are compared. ``"gain-ratio"``: by gain over split info, those of at least the '
        'average gain. ``"gain"``: by gain alone.',
    )
    min_cases: float = parameter(
        2, Number(above=0), "At least two branches of every test of the tree must have this many cases."
    )
    group_values: bool = parameter(
        False, Flag(), "Whether the tree tests groups of values of a discrete attribute instead of single values."
    )
    confidence: float = parameter(
        0.25,
        Number(above=0, most=1),
        "Confidence level of the error estimates: the smaller, the more conditions are deleted (c4.5rules' ``-c``, in "
        "percent there).",
    )
    redundancy: float = parameter(
        1.0,
        Number(least=MIN_REDUNDANCY, most=MAX_REDUNDANCY),
        "How redundant the attributes are: the more, the more rules are kept (``-r``).",
    )
    significance: float | None = parameter(
        None,
        AnyOf(Number(above=0, most=1), Nothing()),
        "Significance level of Fisher's exact test: conditions above it are deleted as well (``-F``, in percent "
        "there). As in release 8, the test's figures are not true probabilities. None: no such test.",
    )
    class_weight: Any = changed(
        help="Factors for the weights of the cases of each class. The products have to be whole numbers, as cases are "
        'counted. ``"balanced"``: those that give all classes the same total weight, which seldom comes out whole. '
        '``"costs"``: what errors on each class cost by `costs`, as multiples of the cheapest. None: all 1.'
    )

    counts_cases = True

    rules_: RuleList = fitted("RuleList", "The rules in the order in which they are tried.")
    default_: Label = fitted("label", "The class where no rule applies.")
    selected_rules_: RuleList = fitted("RuleList", "The rules before the harmful ones among them were dropped.")
    tree_: Tree = fitted("Tree", "The unpruned tree that the rules were made from.")

    @winnowed
    def fit(self, X: Any, y: Any = None, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn from a `Dataset`, or from a table `X` and classes `y`."""
        self._check_parameters()
        threads = n_threads(self.n_jobs)
        data = whole_weights(self._training_cases(X, y, sample_weight))
        tree = self._grown(data)
        data = in_order_of_leaves(data, tree)
        table = case_table(data, Release8.is_single(data))
        bits = RuleBits(data, self.redundancy, tree.float32)
        candidates = extract_rules(tree, table, bits, self.confidence, self.significance, threads)
        chosen = select_rules(candidates, tree, data, threads)
        selected = rule_list(data, chosen.rules, chosen.default, chosen.uncovered, tree.float32)
        final = evaluate_and_drop(selected, data, chosen.covers)[-1]
        kept = [use.rule for use in final.uses]
        left = rule_list(data, kept, chosen.default, final.applied < 0, tree.float32)
        self._become(data.schema, rules_=left, selected_rules_=selected, default_=left.default, tree_=tree)
        return self

    def predict_codes(self, X: Any) -> npt.NDArray[np.intp]:
        """The places in ``classes_`` of the classes that the first rule to apply gives each case, or the default.

        With `costs`, those of least expected cost by the probabilities of that rule.
        """
        model = self._as_it_is()
        data = model._cases(X)
        return model._codes_of_rules(model.rules_.apply(data))

    def _codes_of_rules(self, places: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
        """What the rules at these places predict, or what is predicted where none applies; of equals its own class."""
        rules, worth = self.rules_, self._worths()
        own = rules.class_codes(places).astype(np.intp)
        if worth is None:
            return own
        votes = rules.probabilities[places] @ worth
        chosen, rows = first_best(votes, TIE), np.arange(len(votes))
        return np.where(votes[rows, own] >= votes[rows, chosen] - TIE, own, chosen)

    def _consultation(self) -> CaseConsultation:
        """A consultation that asks for what decides whether the next rule applies."""
        asked = RuleQuestions(self.rules_)
        votes = self.predict_codes
        return CaseConsultation(
            self.schema_, self._probabilities, asked.thresholds, self._reason, votes=votes, choose=asked.next_attribute
        )

    def _explanations(self, data: Dataset) -> Sequence[RuleExplanation]:
        return explain_by_rules(self.rules_, data, self.predict_codes(data).tolist())

    def _probabilities(self, data: Dataset) -> Floats:
        return self.rules_.predict_proba(data)

    @of_one_model
    def to_text(self) -> str:
        """The rules as c4.5rules prints them; with `costs`, also what these make of their classes."""
        self._check_fitted()
        return "\n\n".join([str(self.rules_), *self._cost_notes()])

    def _cost_notes(self) -> list[str]:
        """Which rules predict another class than their own by the costs."""
        if self._worths() is None:
            return []
        places = np.arange(-1, len(self.rules_), dtype=np.int32)
        own, chosen = self.rules_.class_codes(places), self._codes_of_rules(places)
        labels = self.schema_.classes
        notes = [
            f"{f'rule {self.rules_[i].number}' if i >= 0 else 'the default'} predicts {labels[code]}"
            for i, code, before in zip(places.tolist(), chosen.tolist(), own.tolist(), strict=True)
            if code != before
        ]
        return [f"By the costs, {'; '.join(notes[1:] + notes[:1])}." if notes else "By the costs, no class is another."]

    @of_one_model
    def size_text(self) -> str:
        """How large the model is, in words."""
        self._check_fitted()
        counts = f"{plural(len(self.rules_), 'rule')}, {plural(sum(map(len, self.rules_)), 'condition')}"
        return f"{counts} (the tree they are from: {tree_size_text(self.tree_)})"

    @of_one_model
    def summary(self) -> dict[str, Any]:
        """What there is to know of the model, as plain data."""
        self._check_fitted()
        n_conditions = sum(map(len, self.rules_))
        rules = {"rules": len(self.rules_), "conditions": n_conditions, "text": self.to_text()}
        return {"rules": rules, "tree": tree_size(self.tree_)}

    def _fitted_fields(self) -> dict[str, Any]:
        same = self.selected_rules_ == self.rules_
        return {
            "rules": rule_list_to_dict(self.rules_),
            "selected": "rules" if same else rule_list_to_dict(self.selected_rules_),
            "trees": {"tree": tree_to_dict(self.tree_)},
        }

    def _restore(self, fields: Fields, schema: Schema) -> None:
        self.tree_ = tree_from_dict(fields.object("trees").object("tree"), schema)
        self.rules_ = rule_list_from_dict(fields.object("rules"), schema, self.tree_.float32)
        if fields.value("selected") == "rules":
            self.selected_rules_ = self.rules_
        else:
            self.selected_rules_ = rule_list_from_dict(fields.object("selected"), schema, self.tree_.float32)
        self.default_ = self.rules_.default

    def _grown(self, data: Dataset) -> Tree:
        learner = C45Classifier(
            criterion=self.criterion,
            min_cases=self.min_cases,
            group_values=self.group_values,
            prune=False,
            n_jobs=self.n_jobs,
        )
        # As many cases as the weights say only where that can show in the tree: with unknown values, whose fractions
        # are rounded one by one. Weights that say of a few cases that they are millions are not obeyed to the last bit,
        # as it would take minutes.
        few = data.weights is None or data.weights.sum() <= max(MAX_REPEATED, MAX_COPIES * data.n_cases)
        return learner.fit(repeated(data) if few and any(map(_has_unknown, data.columns)) else data).tree_


def in_order_of_leaves(data: Dataset, tree: Tree) -> Dataset:
    """The same cases in the order of the leaves of their tree, from left to right.

    So the cases that a path or a rule has to do with stand together, in fewer words of bits and lines of the cache.
    """
    first_branch, n_branches = tree.arrays.first_branch.tolist(), tree.arrays.n_branches.tolist()
    rank = np.empty(tree.n_nodes, dtype=np.int32)
    waiting, n = [0], 0
    while waiting:
        node = waiting.pop()
        rank[node] = n
        n += 1
        waiting += range(first_branch[node] + n_branches[node] - 1, first_branch[node] - 1, -1)
    return data.take(np.argsort(rank[tree.apply(data)], kind="stable"))


def _has_unknown(column: Column | None) -> bool:
    if column is None:
        return False
    return bool((np.isnan(column) if column.dtype.kind == "f" else column < 0).any())


def rule_list(
    data: Dataset, rules: Sequence[Rule], default: int, uncovered: npt.NDArray[np.bool_], float32: bool
) -> RuleList:
    """The rules with their class probabilities; `uncovered` are the training cases for the default."""
    assert data.classes is not None
    n = data.schema.n_classes
    codes = {label: code for code, label in enumerate(data.schema.classes)}
    weights = data.weights
    counts = np.bincount(data.classes, weights, n) + 1.0
    probabilities = np.empty((len(rules) + 1, n))
    for i, rule in enumerate(rules):
        code = codes[rule.prediction]
        others = counts.copy()
        others[code] = 0.0
        probabilities[i] = rule.error * others / others.sum() if n > 1 else 0.0
        probabilities[i, code] = rule.confidence if n > 1 else 1.0
    left = np.bincount(data.classes[uncovered], None if weights is None else weights[uncovered], n) + 1.0
    probabilities[-1] = left / left.sum()
    return RuleList(data.schema, rules, data.schema.classes[default], probabilities, float32=float32)
