"""Cases that many members are learned from, each with other weights: coded once, each column sorted once for all."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.errors import CtreeError
from ctree.learners.base.drawn_cases import DrawnCases
from ctree.learners.base.prunable_tree import PrunableTree
from ctree.learners.committee.bags import Times
from ctree_ext.base.interrupts import run_stoppable
from ctree_ext.grow.drawn_columns import SortedColumns

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]

MOST_COPIES, FEW_CASES = 4, 1 << 16
"""Cases of whole weights are so many copies of one if there are not many more of them than cases, or if they are few:
what counts one is counted faster."""

ALONE: dict[str, Any] = {"n_jobs": None, "verbose": False}
"""A member is grown by one thread, and says nothing."""


class CaseTraining:
    """Cases, and a learner for members that learn from them.

    Parameters
    ----------
    learner : Classifier
    data : Dataset
        The cases that weigh more than 0, with their classes.
    places : array
        Where they stand among those that were given.
    n_given : int
        How many those are.
    n_chosen : int
        How many attributes a node is offered at random; 0: all.
    seed : int
        Of these choices.
    keep_unpruned : bool
        Whether members keep their trees as they were before pruning.
    """

    def __init__(
        self,
        learner: Any,
        data: Dataset,
        places: Places,
        n_given: int,
        *,
        n_chosen: int = 0,
        seed: int = 0,
        keep_unpruned: bool = False,
    ) -> None:
        self.data, self.places, self._n_given = data, places, n_given
        self._learner, self._n_chosen, self._seed, self._keep_unpruned = learner, n_chosen, seed, keep_unpruned
        self._columns = SortedColumns(data.columns)
        self._asked = False
        self._unweighted = data.with_weights(None)
        self._row = np.full(n_given, -1, dtype=np.intp)
        self._row[places] = np.arange(data.n_cases)

    @property
    def n_classes(self) -> int:
        return self.data.schema.n_classes

    @property
    def classes(self) -> npt.NDArray[np.int32]:
        assert self.data.classes is not None
        return self.data.classes

    def __len__(self) -> int:
        """How many cases were given, also those that weigh nothing."""
        return self._n_given

    def times(self, drawn: Times) -> Times:
        """How often each given case is in a bag that was drawn of those that weigh something."""
        result = np.zeros(len(self), dtype=np.intp)
        result[self.places] = drawn
        return result

    def numbered_member(self, number: int, times: Times) -> Any:
        """The learner, fitted to a bag."""
        drawn = times[self.places]
        return self.weighted_member(number, drawn if self.data.weights is None else drawn * self.data.weights)

    def weighted_member(self, number: int, weights: npt.NDArray[Any]) -> Any:
        """The learner, fitted to the cases with these weights. Threads may call it, `stop` ends it."""
        cases = self.weighted_cases(number, weights.astype(np.float64))
        learner = self._learner
        parameters = learner.get_params(deep=False)
        class_weight = parameters.get("class_weight")
        if isinstance(class_weight, Mapping):
            # of all classes, as a bag may lack one that is named
            class_weight = {label: class_weight.get(label, 1.0) for label in self.data.schema.classes}
        changed = {name: value for name, value in ALONE.items() if name in parameters}
        member = type(learner)(**{**parameters, **changed, "class_weight": class_weight})
        try:
            run_stoppable(lambda: member.fit(cases), lambda: self._asked)
        except KeyboardInterrupt:
            raise InterruptedError from None
        member.set_params(**parameters)
        if isinstance(member, PrunableTree) and not self._keep_unpruned:
            member._forget_grown()
        return member

    def weighted_cases(self, number: int, weights: Floats) -> DrawnCases:
        """The cases as a member learns from them."""
        there = weights > 0
        key = int(np.random.SeedSequence(self._seed, spawn_key=(number, 0)).generate_state(1, np.uint64)[0])
        choice: dict[str, Any] = {"n_chosen": self._n_chosen, "key": key}
        most = max(MOST_COPIES * len(weights), FEW_CASES)
        if (weights == np.floor(weights)).all() and weights.sum() <= most:
            return DrawnCases.of(self._unweighted, self._columns, weights, **choice)
        if there.all():
            return DrawnCases.of(self.data.with_weights(weights), self._columns, **choice)
        return DrawnCases.of(self._unweighted, self._columns, there, **choice).with_weights(weights[there])

    def says(self, member: Any, places: Places) -> Floats:
        """The class probabilities of given cases by a member; NaN for those that weigh nothing."""
        rows = self._row[places]
        result = np.full((len(places), self.n_classes), np.nan)
        known = rows >= 0
        if known.any():
            result[known] = member._probabilities(self._unweighted.take(rows[known]))
        return result

    def stop(self) -> None:
        """Ask all members that are at work to end."""
        self._asked = True

    def digest(self) -> str:
        """A number for all that is learned from."""
        digest = hashlib.sha256(repr((self.data.schema, self.n_classes, len(self))).encode())
        for array in (self.places, self.data.classes, self.data.weights, *self.data.columns):
            digest.update(b"none" if array is None else np.ascontiguousarray(array).tobytes())
            digest.update(b";")
        return digest.hexdigest()


def check_learner(learner: Any, committee: str) -> None:
    """Check the parameters of what learns the members; messages say that they are the learner's."""
    try:
        learner._check_parameters()
    except CtreeError as error:
        raise type(error)(f"the learner of the {committee}: {error}") from None
