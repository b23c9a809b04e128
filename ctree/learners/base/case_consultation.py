"""Classifying a case by question and answer, by a model that is not one tree."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.schema import Attribute, Schema
from ctree.errors import DataError
from ctree.tree.answers import Answer, Range, Shares, parse_answer
from ctree.tree.consultation import Certainty

if TYPE_CHECKING:
    from ctree.data.binary_tests import BinaryTests

MAX_CASES = 10_000
"""So many cases may be meant at once by answers that leave several open."""

Meant = tuple[tuple[float, float], ...]
"""What an answer may mean: each code or number with its probability; NaN is unknown."""


class CaseConsultation:
    """The classification of one case by question and answer, by a model that is asked for whole cases.

    An answer that leaves several values open makes several cases, each with its probability; what the model says of
    them is averaged. It is that of the model itself where every answer is a value, a number or ``?``.

    Parameters
    ----------
    schema : Schema
    probabilities : callable
        From cases to class probabilities.
    questions : mapping of int to sequence of float
        The attributes to be asked for, in this order, each with the thresholds of its numbers, none of a discrete one.
    explain : callable
        From one case to a text that says why it is given its class.
    votes : callable, optional
        From cases to the places of their classes, if these do not follow from the probabilities.
    decide : callable, optional
        From probabilities, a row a case, to the places of the classes; by default those of the greatest.
    choose : callable, optional
        The attribute to ask for next, given the values known so far, None if no other is needed. By default all are
        asked for.
    """

    def __init__(
        self,
        schema: Schema,
        probabilities: Callable[[Dataset], npt.NDArray[np.float64]],
        questions: Mapping[int, Sequence[float]],
        explain: Callable[[Dataset], str],
        votes: Callable[[Dataset], npt.NDArray[Any]] | None = None,
        choose: Callable[[Mapping[int, float]], int | None] | None = None,
        decide: Callable[[npt.NDArray[np.float64]], npt.NDArray[Any]] | None = None,
    ) -> None:
        self.schema = schema
        self.questions = dict(questions)
        self._probabilities = probabilities
        self._explain = explain
        self._votes = votes
        self._choose = choose
        self._decide = decide
        self.meant: dict[int, Meant] = {}
        self._next = self._unanswered()

    @property
    def question(self) -> Attribute | None:
        """The attribute to ask about next; None if no other is needed."""
        return None if self._next is None else self.schema[self._next]

    def answer(self, text: str) -> None:
        """Answer the question; a text that is no answer to it is a `DataError`. See `ctree.tree.answers`."""
        if self._next is None or self.question is None:
            raise DataError("there are no more questions")
        meant = _meant(parse_answer(self.question, text), self.questions[self._next])
        n = math.prod(map(len, self.meant.values())) * len(meant)
        if n > MAX_CASES:
            raise DataError(
                f"the answers leave {n:,} cases open, more than {MAX_CASES:,}; give a value, a number or ? here"
            )
        self.meant[self._next] = meant
        self._next = self._unanswered()

    def certainties(self) -> list[Certainty]:
        """All classes, that of the prediction first, then the most certain first."""
        weights, data = self._cases()
        central = weights @ self._probabilities(data)
        order = np.argsort(-central, kind="stable").tolist()
        if self._votes is not None:
            votes = np.bincount(self._votes(data), weights, len(central))
            first = int(votes.argmax())
            order.sort(key=lambda c: c != first)
        elif self._decide is not None:
            first = int(self._decide(central[None, :])[0])
            order.sort(key=lambda c: c != first)
        classes = self.schema.classes
        return [Certainty(classes[c], float(central[c]), float(central[c]), float(central[c])) for c in order]

    @property
    def reason(self) -> str:
        """Why the case is given its class; empty where the answers leave several cases open."""
        weights, data = self._cases()
        return self._explain(data) if len(weights) == 1 else ""

    def _unanswered(self) -> int | None:
        if self._choose is None:
            return next((a for a in self.questions if a not in self.meant), None)
        for _, known in self._combinations():
            chosen = self._choose(known)
            if chosen is not None:
                return chosen
        return None

    def _combinations(self) -> list[tuple[float, dict[int, float]]]:
        """The cases that the answers leave open, each with its probability."""
        found = []
        for values in itertools.product(*self.meant.values()):
            known = {a: value for a, (value, _) in zip(self.meant, values, strict=True)}
            found.append((math.prod(p for _, p in values), known))
        return found

    def _cases(self) -> tuple[npt.NDArray[np.float64], Dataset]:
        combinations = self._combinations()
        columns: list[Any] = []
        for a, attribute in enumerate(self.schema):
            numbers = np.array([known.get(a, math.nan) for _, known in combinations])
            if attribute.is_moment:
                columns.append(np.floor(numbers))  # as they are whole, a threshold is met by the same ones
            elif attribute.has_order:
                columns.append(numbers)
            elif attribute.is_discrete:
                columns.append(np.where(np.isnan(numbers), -1, numbers).astype(np.int32))
            else:
                columns.append(None)
        weights = np.array([weight for weight, _ in combinations])
        return weights / weights.sum(), Dataset(self.schema, columns, n_cases=len(combinations))


def _meant(answer: Answer, thresholds: Sequence[float]) -> Meant:
    if answer is None:
        return ((math.nan, 1.0),)
    if isinstance(answer, Shares):
        return tuple((float(code), p) for code, p in enumerate(answer.probabilities) if p > 0)
    return _pieces(answer, thresholds)


def _pieces(answer: Range, thresholds: Sequence[float]) -> Meant:
    """A range as the numbers at which its parts between thresholds end, every number in it being as likely."""
    if not answer.low < answer.high:
        return ((answer.low, 1.0),)
    ends = [*sorted({t for t in thresholds if answer.low < t < answer.high}), answer.high]
    width = answer.high / 2 - answer.low / 2  # halves, as the whole may be beyond all numbers
    starts = [answer.low, *ends[:-1]]
    return tuple((end, (end / 2 - start / 2) / width) for start, end in zip(starts, ends, strict=True))


def asked_by_tests(tests: BinaryTests, inclusion: npt.NDArray[np.float64]) -> dict[int, Sequence[float]]:
    """The attributes that trees of these tests ask for, first those that most of them do, each with its thresholds."""
    levels = [entry for entry in tests.levels if inclusion[entry.attribute] > 0]
    return {entry.attribute: entry.cuts for entry in sorted(levels, key=lambda e: -float(inclusion[e.attribute]))}
