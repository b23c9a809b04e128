"""Class probabilities by the average over all trees, worked out once for all cases that pass the same tests."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ctree.data.binary_tests import Bytes
from ctree.learners.base.classifier import Floats
from ctree.progress import Progress, ProgressCallback
from ctree_ext.lattice.lattice import Lattice
from ctree_ext.lattice.polynomial import Polynomial, number_of_terms
from ctree_ext.lattice.posterior import Posterior

MAX_PASSED = 1 << 27
"""Tests of cases that are predicted at once, a byte each."""

MAX_KEPT = 1 << 24
"""Bytes of answers that a model keeps."""

BYTES_PER_ANSWER = 250
"""What Python needs to keep an answer, besides its numbers."""


MAX_TERMS = 1 << 26
"""Bytes of the polynomial of a model."""

MAX_PAIRS = 100_000_000
"""Of two tests below two or more others, from which a polynomial is made: this takes a few seconds."""

MAX_TESTS, MAX_CLASSES, MAX_DEGREE = 1024, 64, 8
"""Of a polynomial."""

Training = Callable[[], tuple[Bytes, npt.NDArray[np.int32]]]


class Answers:
    """What a model has answered so far, by the tests that a case passes; threads may share it.

    Beyond `MAX_KEPT` bytes it begins anew. It is not saved with the model. Where there are not too many sets of tests,
    answers come from a polynomial, which is made for the first of them.
    """

    def __init__(self) -> None:
        self._known: dict[bytes, Floats] = {}
        self._lock = threading.Lock()
        self._making = threading.Lock()
        self._polynomial: Polynomial | None = None

    def polynomial(self, lattice: Lattice, training: Training, progress: Callable[[float], None] | None) -> Polynomial:
        """That of the model, of which it `is_small`; threads that ask at the same time wait for one."""
        with self._making:
            if self._polynomial is None:
                columns, classes = training()
                flips = (2 * columns.sum(axis=1, dtype=np.int64) > columns.shape[1]).astype(np.uint8)
                self._polynomial = Posterior(lattice, columns, classes, progress=progress).polynomial(flips)
            return self._polynomial

    def find(self, rows: list[bytes], answers: Floats) -> npt.NDArray[np.intp]:
        """Fill in the answers that are known; which are not."""
        known = self._known
        missing = []
        for i, row in enumerate(rows):
            answer = known.get(row)
            if answer is None:
                missing.append(i)
            else:
                answers[i] = answer
        return np.array(missing, dtype=np.intp)

    def keep(self, rows: list[bytes], answers: Floats) -> None:
        """Keep more of them."""
        if not rows:
            return
        each = len(rows[0]) + answers[0].nbytes + BYTES_PER_ANSWER
        most = MAX_KEPT // each
        added = dict(zip(rows[:most], answers[:most].copy(), strict=True))
        with self._lock:
            if (len(self._known) + len(added)) * each > MAX_KEPT:
                self._known = added  # another thread may be reading the old ones, and reads on in those
            else:
                self._known.update(added)


def is_small(lattice: Lattice) -> bool:
    """Whether what all trees of a lattice say is made a polynomial.

    That hangs on the model alone, so that a case always gets the same answer, to the last bit.
    """
    n_tests, depth, n_classes = lattice.n_tests, lattice.max_depth, lattice.n_classes
    if not 2 <= depth <= MAX_DEGREE or n_tests > MAX_TESTS or n_classes > MAX_CLASSES:
        return False
    nodes = math.comb(n_tests, depth - 2) << (depth - 2)
    return nodes * n_tests**2 <= MAX_PAIRS and number_of_terms(n_tests, depth) * n_classes * 8 <= MAX_TERMS


def averaged(
    answers: Answers,
    lattice: Callable[[], Lattice],
    training: Training,
    columns: Bytes,
    n_classes: int,
    complete: bool,
    told: ProgressCallback | None = None,
) -> Floats:
    """The class probabilities of cases, (cases, classes).

    Parameters
    ----------
    answers : Answers
        What is known already, to which more is added.
    lattice, training : callable
        What the model is made of, in case that more is needed than is known.
    columns : uint8 array (tests, cases)
        1 where a case passes a test.
    n_classes : int
    complete : bool
        Whether the lattice has the sum over all of its trees.
    told : callable, optional
        Is told how far it is.
    """
    n_tests, n_cases = columns.shape
    # Cases that pass the same tests get the same answer.
    packed = np.ascontiguousarray(np.packbits(columns, axis=0).T)
    if n_tests == 0:
        packed = np.zeros((n_cases, 1), dtype=np.uint8)
    # as texts of one length they are compared in one step
    texts = packed.view(f"S{packed.shape[1]}").reshape(-1)
    _, first, places = np.unique(texts, return_index=True, return_inverse=True)
    rows = [row.tobytes() for row in packed[first]]
    result = np.empty((len(rows), n_classes))
    missing = answers.find(rows, result)
    began, total = time.monotonic(), len(missing)
    # As many at once as there is room for all that each of them passes.
    room = max(MAX_PASSED // max(n_tests, 1), 1)
    for start in range(0, total, room):
        some = missing[start : start + room]

        def tell(share: float, start: int = start, n: int = len(some)) -> None:
            assert told is not None
            done = start + int(share * n)
            told(Progress("predicting", done, total, done / max(time.monotonic() - began, 1e-9), "different cases"))

        others = np.ascontiguousarray(columns[:, first[some]])
        progress = None if told is None else tell
        if complete and is_small(lattice()):
            said = np.maximum(answers.polynomial(lattice(), training, progress).values(others), 0.0)
            result[some] = said / said.sum(axis=1, keepdims=True)
        else:
            result[some] = Posterior(lattice(), *training(), others, progress=progress).probabilities()
        answers.keep([rows[i] for i in some], result[some])
    return np.asarray(result[places.reshape(-1)])
