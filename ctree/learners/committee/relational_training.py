"""Linked tables that many trees are learned from, each from its own bag: read, coded and indexed once for all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.relational.data import RelationalData
from ctree.data.relational.digest import linked_digest
from ctree.errors import DataError
from ctree.learners.base.decisions import asked_weights
from ctree.learners.base.training import weight_array
from ctree.learners.committee.bags import Times
from ctree.learners.relational.classifier import RelationalTreeClassifier
from ctree.learners.relational.training import examples_of, keys_by_name, labelled, weighted_examples
from ctree_ext.relational.relational_grower import RelationalGrower

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]


class RelationalTraining:
    """Examples and the tests on them, which all members share.

    Parameters
    ----------
    learner : RelationalTreeClassifier
    X : RelationalData, or keys of examples in the tables of the learner
    y : column of labels or None
    sample_weight : array or None
    """

    def __init__(self, learner: RelationalTreeClassifier, X: Any, y: Any, sample_weight: Any) -> None:
        self.with_keys = not isinstance(X, RelationalData)
        X, y, sample_weight = keys_by_name(X, y, sample_weight)
        if y is not None and not self.with_keys:
            raise DataError("a RelationalData has its own classes: leave out y")
        self.data = examples_of(X, learner.data)
        self.schema, self.classes = labelled(self.data, y)
        self.weights = None if sample_weight is None else weight_array(sample_weight)
        self._class_weight = asked_weights(learner.costs, learner.class_weight, self.schema.classes)
        weighing = weighted_examples(self.data, self.schema, self.classes, self.weights, self._class_weight)
        self.places: Places = np.arange(len(self.data)) if weighing.places is None else weighing.places
        self._learner = learner
        if isinstance(self._class_weight, Mapping):
            # of all classes, as a bag may lack one that is named
            self._class_weight = {label: self._class_weight.get(label, 1.0) for label in self.schema.classes}
        self._tests = learner._tests(weighing)
        self._at_work: set[RelationalGrower] = set()

    def __len__(self) -> int:
        """How many examples were given, also those that weigh nothing."""
        return len(self.data)

    def digest(self) -> str:
        """A number for all that is learned from."""
        return linked_digest(self.data, self.classes, self.weights)

    def times(self, drawn: Times) -> Times:
        """How often each given example is in a bag that was drawn of those that weigh something."""
        result = np.zeros(len(self), dtype=np.intp)
        result[self.places] = drawn
        return result

    @property
    def n_classes(self) -> int:
        return self.schema.n_classes

    def numbered_member(self, number: int, times: Times) -> RelationalTreeClassifier:
        """The learner, fitted to a bag, whose number decides no more than what is in the bag."""
        del number
        return self.member(times)

    def member(self, times: Times) -> RelationalTreeClassifier:
        """The learner, fitted to a bag. Several threads may call it; `stop` ends it by an InterruptedError."""
        learner = self._learner
        weights = times.astype(np.float64) if self.weights is None else times * self.weights
        examples = weighted_examples(self.data, self.schema, self.classes, weights, self._class_weight)
        grower = learner._grower(examples, self._tests)
        self._at_work.add(grower)
        try:
            results = learner._results(examples, self._tests, grower, grower.grow(1))
        finally:
            self._at_work.discard(grower)
        member = type(learner)(**learner.get_params(deep=False))
        member.__dict__ |= results | ({"n_features_in_": 1} if self.with_keys else {})
        return member

    def says(self, member: RelationalTreeClassifier, places: Places) -> Floats:
        """The class probabilities of the examples at these places by a member."""
        leaves = member.tree_.leaves_in(self._tests.language.tables, self.data.rows[places])
        return np.asarray(member.tree_.probabilities[leaves])

    def stop(self) -> None:
        """Ask all growers that are at work to end."""
        for grower in tuple(self._at_work):
            grower.stop()
