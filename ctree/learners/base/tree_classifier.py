"""What the learners share whose model is one tree: its pictures, the way of a case through it, its rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.fields import Fields
from ctree.data.schema import Label, Schema
from ctree.data.tables.single_case import as_table
from ctree.errors import DataError
from ctree.learners.base.classifier import Classifier, Floats
from ctree.learners.base.decisions import decided_by
from ctree.learners.base.labelled_cases import labelled_cases
from ctree.learners.base.one_model import of_one_model
from ctree.learners.base.parameters import fitted
from ctree.tree.fields import tree_from_dict, tree_to_dict
from ctree.tree.importances import importances
from ctree.tree.interface import TreeInterface, decided
from ctree.tree.outputs import TreeOutputs
from ctree.tree.tree import Tree
from ctree.wording import plural
from ctree_ext.prune.error_estimate import pessimistic_errors

if TYPE_CHECKING:
    from ctree.tree.answers import Answer
    from ctree.tree.consultation import Consultation
    from ctree.tree.explain.tree_path import TreeExplanation
    from ctree.tree.relational_tree import RelationalTree

CONFIDENCE = 0.25
"""C4.5's own, for the errors to be expected of trees that were not pruned by them."""

MOST_COUNTED = 50_000
"""Cases: those of unknown values are followed one by one down all prunings."""


class TreeClassifier(TreeOutputs, Classifier):
    """Parent of the learners that set ``tree_``. Nodes are numbered as in it, from the root, 0, level by level."""

    tree_: Tree = fitted("Tree", "The tree.")

    @of_one_model
    def to_text(self, max_depth: int | None = None, numbered: bool = False) -> str:
        """The tree as text; see `Tree.to_text`."""
        self._check_fitted()
        return self.tree_.to_text(max_depth, numbered)

    @of_one_model
    def size_text(self) -> str:
        """How large the model is, in words."""
        self._check_fitted()
        return tree_size_text(self.tree_)

    @of_one_model
    def summary(self) -> dict[str, Any]:
        """What there is to know of the model, as plain data."""
        self._check_fitted()
        return {"tree": {**tree_size(self.tree_), "text": self.tree_.to_text()}}

    def as_tree(self) -> Self:
        """This model, which is one tree."""
        self._check_fitted()
        return self

    def _consultation(self) -> Consultation:
        """A consultation that asks for what the tree needs."""
        from ctree.tree.consultation import Consultation

        errors = self.expected_errors()
        return Consultation(
            self.tree_, errors, schema=self.schema_, translate=self._tree_answer, decide=self._chosen_first()
        )

    def _chosen_first(self) -> Callable[[Floats], int] | None:
        """From the probabilities of a case to the place of its class, where that goes by costs."""
        return None if self._worths() is None else lambda p: int(self._chosen(p[None, :])[0])

    @of_one_model
    def expected_errors(self) -> Floats:
        """The errors of each node of `tree_` to be expected among as many new cases as it was learned from."""
        self._check_fitted()
        pairs = zip(self.tree_.cases.tolist(), self.tree_.errors.tolist(), strict=True)
        return np.array([pessimistic_errors(n, e, CONFIDENCE) for n, e in pairs])

    def _tree_answer(self, attribute: int, answer: Answer) -> Answer:
        """What a person answered about an attribute, as `tree_` has it."""
        return answer

    def _fitted_fields(self) -> dict[str, Any]:
        return {"trees": {"tree": tree_to_dict(self.tree_)}}

    def _restore(self, fields: Fields, schema: Schema) -> None:
        self.tree_ = tree_from_dict(fields.object("trees").object("tree"), schema)

    @of_one_model
    def to_dot(self, max_depth: int | None = None) -> str:
        """The tree in the language of Graphviz, with the weights of the nodes if there are such; see `Tree.to_dot`."""
        from ctree.render.dot import tree_dot

        self._check_fitted()
        return tree_dot(self.tree_, max_depth, self._interface().weights)

    @of_one_model
    def to_html(self, title: str | None = None, max_depth: int | None = None, test: Any = None) -> str:
        """The tree as one page for a browser, which predicts as this learner does; see `Tree.to_html`.

        Parameters
        ----------
        title : str, optional
            The heading of the page; if None the name of the data set, where `ctree learn` has saved the model, or else
            that of the method.
        max_depth : int, optional
            How deep the tree is unfolded when the page opens. None: as deep as fits on a screen or two.
        test : Dataset, or a pair of cases and classes, optional
            The page then shows the errors on these cases of every pruning that its slider goes through.
        """
        from ctree.learners.registry import heading_of
        from ctree.render.html import tree_page

        self._check_fitted()
        heading = heading_of(self) if title is None else title
        cases = None if test is None else self._test_cases(test)
        return tree_page(self.tree_, self._interface(), heading, repr(self), max_depth, cases, self._training_errors)

    def _count_training_errors(self, data: Dataset) -> bool:
        """Count, for the page, the errors of the tree and of its prunings on the cases of the fit; whether it was done.

        Without parts of cases the leaves tell them, and of very many cases it would take too long.
        """
        from ctree.tree.prunings import errors_on, has_parts, prunings_of

        self._check_fitted()
        if not has_parts(self.tree_) or data.weights is not None or data.n_cases > MOST_COUNTED:
            return False
        interface = self._interface()
        cases = self._test_cases(data)
        counted = errors_on(prunings_of(self.tree_, interface), self.tree_, interface, cases)
        self._training_errors = [float(f"{number:.10g}") for number in counted.tolist()]
        return True

    def _test_cases(self, test: Any) -> Dataset:
        """Cases with their classes, as `tree_` takes them."""
        X, y = test if isinstance(test, tuple) and len(test) == 2 else (test, None)
        given = labelled_cases(self, X, y, None, "to test on")
        if given.n_cases == 0:
            raise DataError("there are no cases to test on")
        cases = self._tree_cases(given)
        return Dataset(cases.schema, cases.columns, given.classes, given.weights, n_cases=given.n_cases)

    def _interface(self) -> TreeInterface:
        """What this learner does with a case before the tree gets it, and with what the tree says."""
        self._check_fitted()
        return TreeInterface(self.schema_).by_costs(self.tree_.probabilities, self._worths())

    def _become(self, schema: Schema, **results: Any) -> None:
        if "tree_" in results:
            worth = decided_by(self.costs, self.class_weight, schema.classes)["_worth"]
            results["tree_"] = self._decided(results["tree_"], worth)
        super()._become(schema, **results)

    def _decided(self, tree: Tree, worth: Floats | None) -> Tree:
        """The tree with the classes that its nodes give by costs, and their errors; as it is without costs."""
        if worth is None:
            return tree
        best = decided(tree.probabilities, worth).astype(np.int32)
        changed = np.flatnonzero((best != tree.best) & (tree.arrays.n_branches == 0))
        errors, cases = np.array(tree.errors), tree.cases[changed]
        wrong = np.maximum(cases - tree.class_counts[changed, best[changed]], 0.0)
        errors[changed] = self._leaf_errors(cases, wrong)
        return Tree(tree.schema, tree.arrays.replace(best=best, errors=errors), float32=tree.float32)

    def _leaf_errors(self, cases: Floats, wrong: Floats) -> Floats:
        """What the leaves of this learner's tree show as errors, if so many of their cases are wrong."""
        return wrong

    def apply(self, X: Any) -> npt.NDArray[np.int32]:
        """The number of the leaf where each case ends; with unknown values, of the leaf that gets most of the case.

        Of leaves with equal shares, the first from the left counts.
        """
        model = self._as_it_is()
        data = model._tree_cases(X)
        return model.tree_.apply(data)

    def decision_path(self, X: Any) -> Any:
        """The nodes that each case comes to, as a sparse CSR matrix (cases, nodes).

        An entry is the share of the case at the node, 1 for all of it. A case with an unknown value goes down every
        branch of a test that asks for it, in proportion to the training cases there, so that it is in several leaves;
        its class probabilities are those of the leaves, weighed by these shares.

        Examples
        --------
        >>> import ctree
        >>> model = ctree.C45Classifier().fit(ctree.load_golf())
        >>> day = {"outlook": ["sunny"], "temperature": [70], "humidity": [None], "windy": ["true"]}
        >>> model.decision_path(day).toarray().round(2).tolist()
        [[1.0, 1.0, 0.0, 0.0, 0.4, 0.6, 0.0, 0.0]]
        """
        model = self._as_it_is()
        data = model._tree_cases(X)
        return model.tree_.decision_path(data)

    @of_one_model
    def to_rules(self, frame: str | None = None) -> Any:
        """One rule for each leaf, by its number, with class, support, confidence and lift; see `Tree.to_rules`.

        Examples
        --------
        >>> import ctree
        >>> model = ctree.BayesianTreeClassifier(bins=3, prior_weight=1).fit(ctree.load_golf())
        >>> print(model.to_rules()[2])
        Rule 3:
            outlook = sunny
            75 < humidity <= 85
            ->  class Don't Play  [69.7%]
        """
        from ctree.tree.rules import rules_frame

        self._check_fitted()
        interface = self._interface()
        rules = tuple(self.tree_.leaf_rules(interface.bin_cuts(), given=interface.schema).values())
        return rules if frame is None else rules_frame(rules, frame)

    @property
    @of_one_model
    def feature_importances_(self) -> Floats:
        """Per attribute, its share in what the tests of the tree save of the entropy of the classes.

        A test saves n H of its node, less n H of its branches: its information gain times its training cases,
        whatever criterion chose it. The shares add up to 1, or are all 0 for a tree that tests nothing.
        """
        self._check_fitted()
        return importances(self.tree_, self.schema_)

    def _explanations(self, data: Dataset) -> Sequence[TreeExplanation]:
        from ctree.tree.explain.tree_path import explain_by_tree

        codes = self.predict_codes(data).tolist()
        tree_cases, cuts = self._tree_cases(data), self._interface().bin_cuts()
        return explain_by_tree(self.tree_, tree_cases, given=data, predictions=codes, cuts=cuts)

    @of_one_model
    def counterfactual(self, X: Any, to: Label | None = None) -> Any:
        """The fewest attributes that would have to be different for cases to get another class.

        Parameters
        ----------
        X : one case, or several
            As of `explain`.
        to : label, optional
            The class that they should get; any other than theirs if None.

        Returns
        -------
        Counterfactual, or list of Counterfactual
            For one case one, with all ways of the fewest changes; for several cases a list.

        Examples
        --------
        >>> import ctree
        >>> model = ctree.C45Classifier().fit(ctree.load_golf())
        >>> print(model.counterfactual({"outlook": "overcast", "temperature": 70, "humidity": 70, "windy": "false"}))
        class Play [100.0%]; 2 changes give class Don't Play, in 2 ways:
            outlook = sunny (it is overcast) and humidity > 75 (it is 70): Don't Play [100.0%]
            outlook = rain (it is overcast) and windy = true (it is false): Don't Play [100.0%]
        """
        from ctree.tree.explain.counterfactual import counterfactuals

        self._check_fitted()
        data = self._cases(as_table(X, self.schema_.names))
        codes, probabilities = self.predict_codes(data).tolist(), self._probabilities(data)
        found = counterfactuals(self.tree_, self._interface(), data, codes, probabilities, to)
        return found[0] if len(found) == 1 else found

    def _tree_cases(self, X: Any) -> Dataset:
        """Cases as `tree_` takes them."""
        return self._cases(X)


def tree_size(tree: Tree | RelationalTree) -> dict[str, int]:
    """The size of a tree as plain data."""
    return {"nodes": tree.n_nodes, "leaves": tree.n_leaves, "depth": tree.depth}


def tree_size_text(tree: Tree | RelationalTree) -> str:
    """The size of a tree in words."""
    return f"{plural(tree.n_nodes, 'node')}, {plural(tree.n_leaves, 'leaf')}, depth {tree.depth}"
