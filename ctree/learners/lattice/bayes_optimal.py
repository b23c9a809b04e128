"""The exact average over all trees."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.binary_tests import Bytes
from ctree.data.dataset import Dataset
from ctree.data.fields import Fields
from ctree.data.schema import Schema
from ctree.data.tables.frames import lies_with
from ctree.domains.numeric import Integer, Number
from ctree.errors import ModelError
from ctree.learners.base.case_consultation import asked_by_tests
from ctree.learners.base.classifier import Floats
from ctree.learners.base.one_model import of_one_model
from ctree.learners.base.parameters import changed, fitted
from ctree.learners.lattice.answers import Answers, averaged
from ctree.learners.lattice.average_text import average_text, evidence_text
from ctree.learners.lattice.deepening import DeepeningSearch
from ctree.learners.lattice.fields import (
    ALWAYS_ALLOWED,
    PackedCases,
    bound_from_fields,
    cases_from_dict,
    cases_to_dict,
    count_from_fields,
    finite_or_none,
)
from ctree.learners.lattice.itemset_weights import Expansions, Item, Leaf, LeafSearch
from ctree.learners.lattice.lattice_classifier import LatticeClassifier
from ctree.progress import ProgressCallback, reporting
from ctree.tree.binary_tree import Nested, condition_of, leaf_shares, together, tree_of_tests
from ctree.tree.explain.itemsets import ItemsetExplanation, WeightedItemset
from ctree.tree.tree import Tree
from ctree_ext.base.elementary import exp
from ctree_ext.lattice.lattice import Lattice
from ctree_ext.lattice.posterior import Posterior
from ctree_ext.lattice.search_space import MAX_LEVELS


class BayesOptimalClassifier(LatticeClassifier):
    """The average over every decision tree of bounded depth, each weighted by its posterior probability.

    Not a sample of trees and not one tree, but all of them, exactly (Nijssen, 2008): the sum is made over the lattice
    of itemsets, where trees share what they have in common.

    Notes
    -----
    A discrete attribute is tested for one value against the others. An unknown value is taken as the most frequent
    value of its attribute among the training cases, or as their median, in learning and in predicting. Weights of cases
    have to be whole numbers: a case of weight 2 is two cases. Tests at the greatest depth do not count, so the prior
    sums to 1 for any `max_depth`; evidences for different depths are those of different priors.

    Under the uniform prior `log_evidence_` is ln of the sum of the likelihoods, not divided by the number of trees, and
    `test_prior` has no effect.

    Examples
    --------
    >>> import ctree
    >>> model = ctree.BayesOptimalClassifier(max_depth=3).fit(ctree.load_golf())
    >>> round(model.log_evidence_, 4)
    -9.9212
    >>> day = {"outlook": ["overcast"], "temperature": [70], "humidity": [80], "windy": ["true"]}
    >>> model.predict_proba(day).round(3)
    array([[0.695, 0.305]])
    >>> print(model.explain(day).itemsets[0])
     19.8%  outlook = overcast: Play [83.3%]
    """

    time_limit: float | None = changed(
        help="Seconds that `fit` may take, or all of `ctree learn`. None: no limit. At the limit there is a "
        "`LimitWarning`, and the average is over the trees added up so far, or over all those of a lower depth if "
        "that is more; `log_evidence_bounds_` brackets the sum over all."
    )
    memory_limit: int | None = changed(
        1 << 30,
        help="Bytes for the cases and what the search remembers; at the limit as with `time_limit`. None: no limit.",
    )

    search_share = 0.5

    log_evidence_: float = fitted("float", "ln of the sum of prior times likelihood over all trees.")
    log_evidence_bounds_: tuple[float, float] = fitted(
        "tuple of float", "Bounds on the evidence; both the same unless a limit was reached."
    )
    complete_: bool = fitted("bool", "Whether all trees are in the average.")
    complete_depth_: int = fitted(
        "int",
        "The depth of which all trees are in the average, and no deeper ones; 0 if a limit was reached and some trees "
        "of any depth are.",
    )
    _n_rows: int = fitted()
    _packed: PackedCases | None = fitted()
    _search: Lattice = fitted()
    _answers: Answers = fitted()

    def _fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None, search_time: float | None) -> None:
        search = self._start(X, y, sample_weight, "evidence", search_time)
        for name in ("_search", "_marginals"):
            self.__dict__.pop(name, None)
        self._packed, self._answers = None, Answers()
        search.run()
        lattice, low, high = search.full, search.low, search.high
        self.complete_ = not lattice.stopped
        self.complete_depth_ = lattice.max_depth if self.complete_ else 0
        sentence = "the average is over the trees found so far"
        # In the same prior, the sum over all trees of less depth may be more than that over some of the others.
        if lattice.stopped and search.finished is not None and search.finished.low > low:
            lattice, low = search.finished, search.finished.low
            high = max(low, high)
            self.complete_depth_ = lattice.max_depth
            sentence = f"the average is over all trees of depth {lattice.max_depth} or less"
        self._search = lattice
        self.log_evidence_, self.log_evidence_bounds_ = low, (low, high)
        self.n_states_, self._n_rows = lattice.n_states, lattice.n_rows
        if not self.complete_:
            bracket = f"ln of the evidence is between {low:.6g} and {high:.6g}"
            self._warn(search.full, f"{bracket}; {sentence}", search_time)

    def predict_proba(self, X: Any, *, progress: ProgressCallback | bool | None = None) -> Floats:
        """Class probabilities, one row a case, the columns in the order of ``classes_``.

        Cases that pass the same tests are worked out once, and kept for the next time.

        Parameters
        ----------
        X : cases
            As for the other learners; see `Classifier.predict_proba`.
        progress : callable, bool or None
            What is told how far it is, as of `fit`. An exception that it raises ends the work.
        """
        model = self._as_it_is()
        if lies_with(X):
            return super().predict_proba(X)
        with reporting(progress) as told:
            return model._probabilities(model._cases(X), told)

    @property
    @of_one_model
    def feature_inclusion_(self) -> Floats:
        """Per attribute, the posterior probability that it is tested anywhere in the tree."""
        self._check_fitted()
        return self._by_attribute(self._marginals[1])

    @property
    @of_one_model
    def expected_tests_(self) -> Floats:
        """Per attribute, the expected number of its tests in a tree drawn from the posterior."""
        self._check_fitted()
        return self._by_attribute(np.bincount(self.tests_.attributes, weights=self._marginals[0]).astype(np.float64))

    @property
    @of_one_model
    def expected_leaves_(self) -> float:
        """The expected number of leaves of a tree drawn from the posterior."""
        self._check_fitted()
        return 1.0 + float(self._marginals[0].sum())

    @of_one_model
    def leaf_marginals(self, least: float = 0.01) -> list[WeightedItemset]:
        """The itemsets that are a leaf with at least this posterior probability, the most probable first."""
        self._check_fitted()
        Number(above=0, most=1).check("least", least)
        search = LeafSearch(self._lattice(), self.tests_, self._depth)
        return self._weighted(search, search.leaves(least))

    def explain(self, X: Any, *, least: float = 0.001) -> Any:
        """Why cases are given their classes: the itemsets that they meet, by their weight in the prediction.

        Parameters
        ----------
        X : one case, or several
            As for the other learners; see `Classifier.explain`.
        least : float
            Itemsets of a smaller weight than this are left out.

        Returns
        -------
        ItemsetExplanation, or a list of them for several cases
        """
        Number(above=0, most=1).check("least", least)
        model = self._as_it_is()
        return model._explained(X, lambda data: model._explanations(data, least))

    def _explanations(self, data: Dataset, least: float = 0.001) -> list[ItemsetExplanation]:
        labels = self.schema_.classes
        search, result = LeafSearch(self._lattice(), self.tests_, self._depth), []
        probabilities = self._probabilities(data)
        chosen = self._chosen(probabilities).tolist()
        for p, code, sides in zip(probabilities, chosen, self.tests_.columns(data).T, strict=True):
            itemsets = tuple(self._weighted(search, search.leaves(least, sides)))
            by_class = dict(zip(labels, p.tolist(), strict=True))
            result.append(ItemsetExplanation(labels[code], by_class, itemsets, least))
        return result

    @of_one_model
    def sample_trees(self, k: int, random_state: int | np.random.Generator | None = None) -> list[Tree]:
        """So many trees drawn from the posterior, each independent of the others."""
        self._check_fitted()
        Integer(least=0).check("k", k)
        rng = np.random.default_rng(random_state)
        expansions = Expansions(self._lattice())
        shares: dict[frozenset[Item], Floats] = {}

        def drawn(path: tuple[Item, ...]) -> Nested:
            below = expansions.below(path)
            counts = tuple(below.class_counts.tolist())
            key = frozenset(path)
            if key not in shares:
                terms = np.append(below.chance + below.passed + below.failed, below.leaf)
                shares[key] = np.cumsum(exp(terms - terms.max()))
            chosen = int(np.searchsorted(shares[key], rng.random() * shares[key][-1], side="right"))
            if chosen >= len(below.tests):
                return counts, -1, None, None
            test = int(below.tests[chosen])
            return counts, test, drawn((*path, (test, True))), drawn((*path, (test, False)))

        return [tree_of_tests(self.tests_, drawn(()), self.alpha) for _ in range(k)]

    @of_one_model
    def most_probable_tree(self) -> Tree:
        """The tree with the greatest posterior of all; the sums over all trees make it quick to find."""
        self._check_fitted()
        if self.complete_depth_ > 0 and not self.complete_:
            self._training()
            search = DeepeningSearch(self._new_lattice, "posterior", self.time_limit, self.memory_limit)
            search.run()
            tree, lattice, low, high = search.best_tree(), search.full, search.low, search.high
        else:
            lattice = self._lattice()
            low, high = lattice.search("posterior")
            tree = lattice.tree("posterior")
        if lattice.stopped:
            self._warn(lattice, f"the ln posterior of the tree is {low:g}, and none has more than {high:g}")
        return tree_of_tests(self.tests_, tree, self.alpha)

    def as_tree(self) -> Tree:
        """The most probable tree."""
        return self.most_probable_tree()

    def _questions(self) -> dict[int, Sequence[float]]:
        return asked_by_tests(self.tests_, self.feature_inclusion_)

    @of_one_model
    def to_text(self) -> str:
        """The attributes by how probable they are, and the most probable leaves."""
        inclusion, tests = self._by_name(self.feature_inclusion_), self._by_name(self.expected_tests_)
        return average_text(inclusion, tests, self.leaf_marginals(0.02))

    @of_one_model
    def size_text(self) -> str:
        """How large the trees are on average, and the evidence."""
        return f"{self.expected_leaves_:.2f} leaves on average; {self.search_text()}"

    @of_one_model
    def search_text(self) -> str:
        """The evidence: what the search has found, which takes no more work."""
        return evidence_text(*self.log_evidence_bounds_, self.complete_)

    def _cell_note(self) -> str:
        return self.search_text()

    def _cell_text(self) -> str:
        # Averages over all trees may take longer than the fit: whoever shows a model need not wait for them.
        return "to_text() has the attributes and leaves by their probability"

    @of_one_model
    def summary(self) -> dict[str, Any]:
        """What there is to know of the model, as plain data; a bound that is infinite is None."""
        found = self.search_summary()
        return {
            "log_evidence": found["log_evidence"],
            "complete": found["complete"],
            "expected_leaves": self.expected_leaves_,
            "feature_inclusion": self._by_name(self.feature_inclusion_),
            "expected_tests": self._by_name(self.expected_tests_),
            "states": found["states"],
        }

    @of_one_model
    def search_summary(self) -> dict[str, Any]:
        """The part of it that takes no more work."""
        bounds = [finite_or_none(bound) for bound in self.log_evidence_bounds_]
        return {"log_evidence": bounds, "complete": self.complete_, "states": self.n_states_}

    def _fitted_fields(self) -> dict[str, Any]:
        return {
            **super()._fitted_fields(),
            "log_evidence": [finite_or_none(bound) for bound in self.log_evidence_bounds_],
            "complete": self.complete_,
            **({"rows": self._n_rows} if self._n_rows >= 0 else {}),
            **({"complete_depth": self.complete_depth_} if self.complete_depth_ and not self.complete_ else {}),
            "cases": (
                self._packed.to_dict()
                if self._packed is not None
                else cases_to_dict(self._columns, self._codes, self.schema_.n_classes)
            ),
        }

    def _restore(self, fields: Fields, schema: Schema) -> None:
        super()._restore(fields, schema)
        self._packed = cases_from_dict(fields.object("cases"), self.tests_, self.min_cases)
        place, bounds = fields.place_of("log_evidence"), fields.get("log_evidence", list)
        if len(bounds) != 2:
            raise ModelError(f"'{place}' should be a lower and an upper bound")
        low, high = (bound_from_fields(bound, place) for bound in bounds)
        if not low <= high or math.isinf(low):
            raise ModelError(f"'{place}' should be a lower and an upper bound")
        self.log_evidence_, self.log_evidence_bounds_ = low, (low, high)
        self.complete_ = fields.get("complete", bool)
        self._n_rows = count_from_fields(fields, "rows") if "rows" in fields else -1
        deepest = MAX_LEVELS if self.max_depth is None else int(self.max_depth)
        deepest = min(int(self._packed.counts.sum()) // self.min_cases, deepest)
        self.complete_depth_ = deepest if self.complete_ else 0
        if "complete_depth" in fields:
            place, depth = fields.place_of("complete_depth"), count_from_fields(fields, "complete_depth")
            if self.complete_ or not 0 < depth < deepest:
                raise ModelError(f"'{place}' should be less than the depth of the trees, and only if not all are there")
            self.complete_depth_ = depth

    def _by_name(self, values: Floats) -> dict[str, float]:
        """Numbers of the attributes that are not ignored, by name."""
        return {a.name: float(x) for a, x in zip(self.schema_, values, strict=True) if a.is_discrete or a.has_order}

    def _by_attribute(self, values: Floats) -> Floats:
        """Numbers for all attributes; those after the last attribute that has a test are 0."""
        return np.append(values, np.zeros(len(self.schema_) - len(values)))

    @property
    def _depth(self) -> int:
        return int(self._lattice().max_depth)

    @cached_property
    def _marginals(self) -> tuple[Floats, Floats]:
        return Posterior(self._lattice(), *self._training(), None, self.tests_.attributes).marginals()

    def _training(self) -> tuple[Bytes, npt.NDArray[np.int32]]:
        """Which tests the training cases pass, and their classes; those of a loaded model when first asked for."""
        if "_columns" not in self.__dict__:
            assert self._packed is not None
            columns, codes = self._packed.unpacked(self.memory_limit)
            self.__dict__.update(_columns=columns, _codes=codes)
        return self._columns, self._codes

    def _lattice(self) -> Lattice:
        """The lattice after its search. A model that was loaded makes the search again, up to the same state.

        It takes as much memory as in the fit. What needs more than `memory_limit`, and some to spare, was never fitted.
        """
        if "_search" not in self.__dict__:
            # Threads that ask at the same time wait for one search: several would take several times the memory.
            with self.__dict__.setdefault("_searching", threading.Lock()):
                if "_search" not in self.__dict__:
                    self._search = self._searched()
        return self._search

    def _searched(self) -> Lattice:
        self._training()
        limits: dict[str, Any] = {}
        if not self.complete_ and self.complete_depth_:
            limits = {"max_depth": self.complete_depth_, "truncated": True}
        elif not self.complete_:
            limits = {"state_limit": self.n_states_, "row_limit": self._n_rows}
        most = None if self.memory_limit is None else max(int(self.memory_limit) // 8 * 9, ALWAYS_ALLOWED)
        lattice = self._new_lattice(memory_limit=most, **limits)
        lattice.search("evidence")
        if lattice.stopped and lattice.reason == "memory":
            raise ModelError(f"the search of the model needs more than its memory_limit of {self.memory_limit} bytes")
        return lattice

    def _weighted(self, search: LeafSearch, leaves: list[Leaf]) -> list[WeightedItemset]:
        """Leaves in the person's attributes and values."""
        labels = self.schema_.classes
        result = []
        for leaf in leaves:
            counts = search.expansions.below(leaf.path).class_counts
            shares = leaf_shares(counts[None, :], self.alpha)[0]
            result.append(
                WeightedItemset(
                    together([condition_of(self.tests_, test, passed) for test, passed in sorted(leaf.path)]),
                    leaf.weight,
                    dict(zip(labels, counts.tolist(), strict=True)),
                    dict(zip(labels, shares.tolist(), strict=True)),
                )
            )
        return result

    def _probabilities(self, data: Dataset, told: ProgressCallback | None = None) -> Floats:
        answers = self.__dict__.setdefault("_answers", Answers())  # a model that was loaded has none yet
        columns = self.tests_.columns(data)
        complete = self.complete_depth_ > 0
        return averaged(answers, self._lattice, self._training, columns, self.schema_.n_classes, complete, told)
