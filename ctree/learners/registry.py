"""The learners by the names that the command and saved models call them: the one list of all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

from ctree.errors import ParameterError
from ctree.wording import abbreviated, near_match

LEARNERS = {
    "C45Classifier": "ctree.learners.c45.classifier",
    "C45RulesClassifier": "ctree.learners.rules.classifier",
    "ProbabilityTreeClassifier": "ctree.learners.probability.classifier",
    "BayesianTreeClassifier": "ctree.learners.bayesian.classifier",
    "BayesOptimalClassifier": "ctree.learners.lattice.bayes_optimal",
    "OptimalTreeClassifier": "ctree.learners.lattice.optimal_tree",
    "MCMCTreeClassifier": "ctree.learners.mcmc.classifier",
    "NaiveBayesClassifier": "ctree.learners.naive_bayes",
    "CommitteeClassifier": "ctree.learners.committee.classifier",
}
"""Where each learner is; it is imported when it is first asked for."""

RELATIONAL_LEARNERS = {
    "RelationalTreeClassifier": "ctree.learners.relational.classifier",
    "BaggedTreesClassifier": "ctree.learners.committee.bagging",
}
"""Learners from linked tables, which take no table of cases."""

CALLED = {
    "C45Classifier": "a C4.5 tree",
    "C45RulesClassifier": "a list of rules",
    "ProbabilityTreeClassifier": "a probability tree",
    "BayesianTreeClassifier": "a Bayesian tree",
    "BayesOptimalClassifier": "an average over all trees",
    "OptimalTreeClassifier": "an optimal tree",
    "MCMCTreeClassifier": "an average over sampled trees",
    "NaiveBayesClassifier": "a naive Bayes model",
    "CommitteeClassifier": "a committee of trees",
    "RelationalTreeClassifier": "a tree of linked tables",
    "BaggedTreesClassifier": "a committee of trees",
}
"""What messages of the command call the models of learners."""

TITLES = {
    "C45Classifier": "C4.5",
    "C45RulesClassifier": "C4.5 rules",
    "ProbabilityTreeClassifier": "Probability tree",
    "BayesianTreeClassifier": "Bayesian tree",
    "BayesOptimalClassifier": "Average over all trees",
    "OptimalTreeClassifier": "Optimal tree",
    "MCMCTreeClassifier": "Average over sampled trees",
    "NaiveBayesClassifier": "Naive Bayes",
    "CommitteeClassifier": "Committee of trees",
    "RelationalTreeClassifier": "Relational tree",
    "BaggedTreesClassifier": "Bagged trees",
}
"""What people call each learner, for headings."""


def heading_of(model: Any) -> str:
    """What a page or a picture of a model is called: as its data set, where that is known, or as its method.

    Examples
    --------
    >>> import ctree
    >>> heading_of(ctree.C45Classifier()), heading_of(ctree.C45Classifier(variant="j48"))
    ('C4.5', 'J48')
    """
    name = type(model).__name__
    method = "J48" if name == "C45Classifier" and model.variant == "j48" else TITLES.get(name, name)
    return getattr(model, "_data_name", None) or method


@dataclass(frozen=True)
class Method:
    """A learner as `ctree learn --method` and `ctree compare` offer it.

    Parameters
    ----------
    learner : str
        Its class, one of `LEARNERS` or of `RELATIONAL_LEARNERS`.
    summary : str
        What it learns, in a few words.
    fixed : mapping of str to object
        Parameters that make it this method.
    """

    learner: str
    summary: str
    fixed: Mapping[str, Any] = field(default_factory=dict)

    def learner_class(self) -> Any:
        """The class of the learner, imported now."""
        return learner_class(self.learner)

    def parameters(self) -> dict[str, Any]:
        """The parameters that can be given to it and have an effect, by name."""
        return {name: p for name, p in self._free().items() if self._can_matter(p)}

    def make(self, given: Mapping[str, Any]) -> Any:
        """A learner with these parameters; an error for names that it does not have and for those without effect."""
        from ctree.learners.base.parameters import check_effect

        known = self._free()
        for name in given:
            if name not in known:
                hint = near_match(name, known)
                raise ParameterError(
                    f"{self.learner} has no parameter '{abbreviated(name)}'{hint}; it has {', '.join(known)}"
                )
        check_effect(self.learner_class()._parameters, {**self.fixed, **given})
        return self.learner_class()(**self.fixed, **given)

    def _free(self) -> dict[str, Any]:
        """The parameters of the learner that the method does not set."""
        declared: dict[str, Any] = self.learner_class()._parameters
        return {name: p for name, p in declared.items() if name not in self.fixed}

    def _can_matter(self, parameter: Any) -> bool:
        """Whether a parameter has an effect with what the method sets."""
        return all(self.fixed[other] in values for other, values in parameter.only_if.items() if other in self.fixed)


@dataclass(frozen=True)
class Committee(Method):
    """A learner that takes the trees of a method together; it can be given the parameters of both.

    Parameters
    ----------
    usual : str
        The method of its trees where none is named.
    preset : mapping of str to object
        The parameters that these trees have then, unless others are given.
    tree : Method, optional
        What learns each tree.
    """

    usual: str = "c4.5"
    preset: Mapping[str, Any] = field(default_factory=dict)
    tree: Method | None = None

    def of(self, tree: Method) -> Committee:
        """The committee of trees of this method."""
        return replace(self, tree=tree, preset={})

    def of_usual(self) -> Committee:
        """The committee of the trees that it has where no method is named."""
        return replace(self, tree=methods_for(self.learner in RELATIONAL_LEARNERS)[self.usual])

    def parameters(self) -> dict[str, Any]:
        """The parameters that can be given to it, by name."""
        assert self.tree is not None
        of_trees = self.tree.parameters()
        for name, default in self.preset.items():
            of_trees[name] = replace(of_trees[name], default=default)
        return {**of_trees, **self.own_parameters()}

    def make(self, given: Mapping[str, Any]) -> Any:
        """A committee with these parameters; an error for names that neither it nor its trees have."""
        from ctree.learners.committee.domains import FROM_TABLES, RELATIONAL

        assert self.tree is not None
        kinds = RELATIONAL if self.learner in RELATIONAL_LEARNERS else FROM_TABLES
        if self.tree.learner not in kinds:
            raise ParameterError(
                f"a committee cannot be made of {self.tree.learner}, only of {', '.join(kinds[:-1])}"
                f"{' and ' * (len(kinds) > 1)}{kinds[-1]}"
            )
        own = self.own_parameters()
        tree = self._tree({name: given[name] for name in given if name not in own})
        given = {name: given[name] for name in own if name in given}
        return self.learner_class()(learner=tree, **self.fixed, **given)

    def _tree(self, given: dict[str, Any]) -> Any:
        """What learns each tree: with what is preset, unless that does not go with what is given."""
        assert self.tree is not None
        try:
            learner = self.tree.make({**self.preset, **given})
            learner._check_parameters()
        except ParameterError:
            return self.tree.make(given)
        return learner

    def own_parameters(self) -> dict[str, Any]:
        """Those that are not its trees'."""
        return {name: parameter for name, parameter in super().parameters().items() if name != "learner"}


def _probability(approach: str, summary: str) -> Method:
    return Method("ProbabilityTreeClassifier", summary, {"approach": approach})


METHODS = {
    "c4.5": Method("C45Classifier", "the tree of Quinlan's C4.5, or of Weka's J48"),
    "c4.5rules": Method("C45RulesClassifier", "the rules of Quinlan's c4.5rules"),
    "probability": Method(
        "ProbabilityTreeClassifier", "a probability tree; --approach selects one of seven approaches"
    ),
    "c4.4": _probability("c4.4", "an unpruned probability tree"),
    "mdl-stop": _probability("mdl-stop", "a probability tree that stops growing according to MDL"),
    "mdl-prune": _probability("mdl-prune", "a probability tree pruned by MDL"),
    "bic-stop": _probability("bic-stop", "a probability tree that stops growing according to BIC"),
    "bic-prune": _probability("bic-prune", "a probability tree pruned by BIC"),
    "chi2": _probability("chi2", "a probability tree whose tests are significant by the chi-square test"),
    "bayesian": Method("BayesianTreeClassifier", "a Bayesian tree that averages over the smaller trees within it"),
    "bayes-optimal": Method("BayesOptimalClassifier", "the exact average over all trees of bounded depth"),
    "map": Method("OptimalTreeClassifier", "the most probable tree of bounded depth", {"objective": "posterior"}),
    "dl8": Method("OptimalTreeClassifier", "the tree with the fewest training errors", {"objective": "error"}),
    "mcmc": Method("MCMCTreeClassifier", "the average over trees sampled by Markov chains"),
    "naive-bayes": Method("NaiveBayesClassifier", "naive Bayes"),
}
"""The methods by name."""


def _relational(method: str, summary: str) -> Method:
    return Method("RelationalTreeClassifier", summary, {"method": method})


RELATIONAL_METHODS = {
    "c4.4": _relational("c4.4", "an unpruned relational tree"),
    "c4.5": _relational("c4.5", "a relational tree pruned by estimated errors"),
    "bic-stop": _relational("bic-stop", "a relational tree that stops growing according to BIC"),
    "mdl-stop": _relational("mdl-stop", "a relational tree that stops growing according to MDL"),
    "bic-prune": _relational("bic-prune", "a relational tree pruned by BIC"),
    "mdl-prune": _relational("mdl-prune", "a relational tree pruned by MDL"),
    "chi2": _relational("chi2", "a relational tree whose tests are significant by the chi-square test"),
}
"""The methods for linked tables by name, as `--relational` offers them."""


COMMITTEES = {
    "bagging": Committee(
        "CommitteeClassifier", "the average of trees learned from cases drawn with replacement", {"method": "bagging"}
    ),
    "forest": Committee(
        "CommitteeClassifier",
        "bagging with attributes drawn at random at each node",
        {"method": "forest"},
        usual="c4.4",
        # Of six estimates this gave the best log-likelihoods on 26 sets; by frequencies leaves are too sure of a class.
        preset={"estimate": "m-branch", "m": 0.5},
    ),
    "boosting": Committee(
        "CommitteeClassifier",
        "the votes of trees, each learned with more weight on the errors of the one before",
        {"method": "boosting"},
        # A branch for each of many values leaves each of them too few cases of a weight that counts.
        preset={"binary_splits": True},
    ),
}
"""The committees by name, of trees of one table."""

RELATIONAL_COMMITTEES = {
    "bagging": Committee(
        "BaggedTreesClassifier", "the average of trees learned from examples drawn with replacement", usual="c4.4"
    ),
}
"""The same, of trees of linked tables."""


def methods_for(relational: bool) -> dict[str, Method]:
    """The methods by name: for linked tables, or for one table of cases."""
    return RELATIONAL_METHODS if relational else METHODS


def committees_for(relational: bool) -> dict[str, Committee]:
    """The committees by name: for linked tables, or for one table of cases."""
    return RELATIONAL_COMMITTEES if relational else COMMITTEES


def learner_class(name: str) -> Any:
    """The class of a learner, by its name."""
    return getattr(import_module({**LEARNERS, **RELATIONAL_LEARNERS}[name]), name)


def is_registered(cls: object) -> bool:
    """Whether a class is one of the learners, and not only called like one."""
    name = getattr(cls, "__name__", "")
    return name in {**LEARNERS, **RELATIONAL_LEARNERS} and learner_class(name) is cls


def is_relational(model: object) -> bool:
    """Whether a model is that of a learner from linked tables."""
    return type(model).__name__ in RELATIONAL_LEARNERS


def methods_with(parameter: str, relational: bool = False) -> list[str]:
    """The methods that have a parameter of this name."""
    return [name for name, method in methods_for(relational).items() if parameter in method.parameters()]
