"""Bags: examples drawn with replacement, as the number of times that each of them was drawn."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Times = npt.NDArray[np.intp]


def bag(seed: int, member: int, n: int, share: float = 1.0) -> Times:
    """How often each of `n` examples is in the bag of a member.

    Each member has a stream of random numbers of its own, ``SeedSequence(seed).spawn``, so that its bag depends neither
    on how many members there are nor on the order in which they are grown.

    Parameters
    ----------
    seed : int
    member : int
        Its number, from 0.
    n : int
    share : float
        How many are drawn, as a share of `n`; at least one is.

    Examples
    --------
    >>> bag(1, 0, 6).tolist(), bag(1, 1, 6).tolist(), bag(1, 1, 6, share=0.5).tolist()
    ([1, 1, 0, 1, 3, 0], [1, 1, 1, 1, 0, 2], [1, 0, 1, 0, 0, 1])
    """
    stream = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(member,)))
    return np.bincount(stream.integers(n, size=max(1, round(share * n))), minlength=n)
