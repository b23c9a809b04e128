"""How far chains can be trusted: split R-hat and effective sample size.

Both are those of Vehtari, Gelman, Simpson, Carpenter and Bürkner (2021) without folding: draws are replaced by normal
scores of their ranks, each chain is cut in two, and autocorrelations are summed by Geyer's initial monotone sequence.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from ctree.imports import whole_module

Floats = npt.NDArray[np.float64]


class ChainsDisagreeWarning(UserWarning):
    """The chains of a sampler have not come to say the same: what they say together is not to be relied on.

    `brief` says so without numbers, for whoever sums up many fits.
    """

    def __init__(self, text: str, brief: str = "") -> None:
        super().__init__(text)
        self.brief = brief or text

    def __reduce__(self) -> tuple[type[ChainsDisagreeWarning], tuple[str, str]]:
        return type(self), (str(self), self.brief)


def split_r_hat(draws: npt.ArrayLike, ranked: bool = True) -> Floats:
    """Split R-hat of draws (chains, draws, …), one number for each entry of the other axes.

    NaN where there are fewer than four draws, 1 where all draws are the same.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> bool(split_r_hat(rng.normal(size=(4, 1000))) < 1.01)
    True
    >>> bool(split_r_hat(rng.normal(size=(4, 1000)) + [[0], [0], [0], [3]]) > 1.2)
    True
    """
    halves = _halves(np.asarray(draws, dtype=np.float64))
    if halves.shape[1] < 2:
        return np.full(halves.shape[2:], np.nan)
    within, total = _variances(_scores(halves) if ranked else halves)
    with np.errstate(divide="ignore", invalid="ignore"):
        result = np.sqrt(total / within)
    return np.asarray(np.where((halves == halves[:1, :1]).all(axis=(0, 1)), 1.0, result))


def effective_size(draws: npt.ArrayLike, ranked: bool = True) -> Floats:
    """How many independent draws tell as much of the mean as these (chains, draws, …) do.

    As many as there are, where all draws are the same.

    Examples
    --------
    >>> import numpy as np
    >>> draws = np.random.default_rng(0).normal(size=(4, 1000))
    >>> bool(effective_size(draws) > 3500), bool(effective_size(np.repeat(draws, 5, axis=1)) < 5000)
    (True, True)
    """
    halves = _halves(np.asarray(draws, dtype=np.float64))
    n_chains, n_draws, *_ = halves.shape
    size = float(np.prod(np.shape(draws)[:2]))
    if n_draws < 2:
        return np.full(halves.shape[2:], np.nan)
    scores = _scores(halves) if ranked else halves
    flat = scores.reshape(n_chains, n_draws, -1)
    within, total = (v.reshape(-1) for v in _variances(flat))
    result = np.empty(flat.shape[2])
    for j in range(flat.shape[2]):  # one by one, for the correlations of many cases would not fit into memory
        result[j] = size if total[j] <= 0 else _size_of(flat[:, :, j], float(within[j]), float(total[j]))
    return result.reshape(halves.shape[2:])


def _size_of(chains: Floats, within: float, total: float) -> float:
    n_chains, n_draws = chains.shape
    covariance = _autocovariances(chains).mean(axis=0)
    correlation = 1.0 - (within - covariance * n_draws / (n_draws - 1.0)) / total
    correlation[0] = 1.0
    # Sums of neighbouring pairs are positive and fall; where they cease to, it is noise.
    pairs = correlation[: n_draws // 2 * 2].reshape(-1, 2).sum(axis=1)
    negative = np.flatnonzero(pairs < 0)
    end = int(negative[0]) if len(negative) else len(pairs)
    time = -1.0 + 2.0 * float(np.minimum.accumulate(pairs[:end]).sum())
    size = n_chains * n_draws
    return float(min(size / max(time, 1e-12), size * math.log10(size)))


def _halves(draws: Floats) -> Floats:
    """Each chain as two; the middle one of an odd number is left out."""
    half = draws.shape[1] // 2
    return np.concatenate([draws[:, :half], draws[:, draws.shape[1] - half :]])


def _scores(chains: Floats) -> Floats:
    """Normal scores of the ranks of all draws together."""
    special, stats = whole_module("scipy.special"), whole_module("scipy.stats")
    flat = chains.reshape(chains.shape[0] * chains.shape[1], -1)
    ranks = stats.rankdata(flat, axis=0)
    return np.asarray(special.ndtri((ranks - 0.375) / (len(flat) + 0.25)).reshape(chains.shape))


def _variances(chains: Floats) -> tuple[Floats, Floats]:
    """Within the chains, and of all draws as estimated from within and between."""
    n = chains.shape[1]
    # From the first draw on, so that a chain that never moved has none at all, not even by rounding.
    within = (chains - chains[:, :1]).var(axis=1, ddof=1).mean(axis=0)
    between = chains.mean(axis=1).var(axis=0, ddof=1)
    return within, within * (n - 1) / n + between


def _autocovariances(chains: Floats) -> Floats:
    """Of each chain by lag, biased, by Fourier transforms."""
    n = chains.shape[1]
    length = 1 << (2 * n - 1).bit_length()
    centred = chains - chains.mean(axis=1, keepdims=True)
    spectrum = np.fft.rfft(centred, length, axis=1)
    return np.asarray(np.fft.irfft(abs(spectrum) ** 2, length, axis=1)[:, :n] / n)
