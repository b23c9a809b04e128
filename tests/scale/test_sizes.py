"""What goes from one process to another: how large it is said to be, and is."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from ctree.scale.coded_part import CodedPart
from ctree.scale.counting import Tallied
from ctree.scale.gathering import Piece


def test_dask_knows_how_large_what_it_holds_is():
    sizeof = pytest.importorskip("dask.sizeof").sizeof
    column, numbers = np.zeros(1000, dtype=np.uint16), np.zeros(1000)
    part = CodedPart(1000, (column, None), (numbers, None), np.zeros(1000, dtype=np.uint8), None)
    piece = Piece(1000, [numbers, None], column, None)
    tallied = Tallied(np.zeros((1, 3)), [np.zeros((100, 1, 3))])
    for thing, size in ((part, 11_000), (piece, 10_000), (tallied, 2424), ([[piece], [piece]], 20_000)):
        assert size <= sizeof(thing) < size + 1000


@pytest.mark.parametrize("greatest", [0, 1, 255, 256, 65_536, 2**32, 2**62])
def test_counts_are_sent_in_few_bytes_and_come_back_as_they_were(greatest):
    counts = np.array([[[0, greatest, greatest // 3]]] * 1000, dtype=np.int64)
    sent = pickle.dumps(tallied := Tallied(counts[0], [counts, counts[:0]]))
    back = pickle.loads(sent)
    for array, was in zip([back.classes, *back.counts], [tallied.classes, *tallied.counts], strict=True):
        assert array.dtype == np.int64
        assert np.array_equal(array, was)
    needed = next(n for n in (1, 2, 4, 8) if greatest < 256**n)
    assert len(sent) < needed * 3000 + 1000
