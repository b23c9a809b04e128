"""Class probabilities by the average over all trees, worked out once for all cases that pass the same tests."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ctree.data.binary_tests import Bytes
from ctree.learners.base.classifier import Floats
from ctree.progress import Progress, ProgressCallback
from ctree_ext.lattice.lattice import Lattice
from ctree_ext.lattice.posterior import Posterior

MAX_PASSED = 1 << 27
"""Tests of cases that are predicted at once, a byte each."""

MAX_KEPT = 1 << 24
"""Bytes of answers that a model keeps."""

BYTES_PER_ANSWER = 250
"""What Python needs to keep an answer, besides its numbers."""


class Answers:
    """What a model has answered so far, by the tests that a case passes; threads may share it.

    Beyond `MAX_KEPT` bytes it begins anew. It is not saved with the model.
    """

    def __init__(self) -> None:
        self._known: dict[bytes, Floats] = {}
        self._lock = threading.Lock()

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


def averaged(
    answers: Answers,
    lattice: Callable[[], Lattice],
    training: Callable[[], tuple[Bytes, npt.NDArray[np.int32]]],
    columns: Bytes,
    n_classes: int,
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
        result[some] = Posterior(lattice(), *training(), others, progress=progress).probabilities()
        answers.keep([rows[i] for i in some], result[some])
    return np.asarray(result[places.reshape(-1)])
