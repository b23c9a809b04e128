"""Whether the chains of a sampler have come to say the same, and what it means if they have not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ctree.data.fields import Fields
from ctree.errors import ModelError
from ctree.learners.mcmc.convergence import effective_size, split_r_hat

if TYPE_CHECKING:
    from ctree.learners.mcmc.sampled_trees import Forest

MAX_R_HAT = 1.05
"""Above this the chains are said to disagree."""

CHECKED_CASES = 200
"""So many of the training cases are looked at, spread evenly."""

CHECKED_DRAWS = 500
"""So many draws of each chain, spread evenly: more would change R-hat little, and take long."""


@dataclass(frozen=True)
class Agreement:
    """How far the chains agree about the classes of the training cases.

    Parameters
    ----------
    r_hat : float
        The worst split R-hat of the probabilities that the drawn trees give a class of a case.
    effective_size : float
        The least effective sample size of such a probability.
    farthest : float
        The greatest difference between the mean of one chain and the mean of all.
    usual : float
        The mean over cases of the greatest difference that a case has.
    """

    r_hat: float
    effective_size: float
    farthest: float
    usual: float

    def to_fields(self) -> dict[str, Any]:
        """As plain data; R-hat is None if it is infinite, which JSON has no number for."""
        r_hat = self.r_hat if np.isfinite(self.r_hat) else None
        return {"r_hat": r_hat, "effective_size": self.effective_size, "farthest": self.farthest, "usual": self.usual}

    @classmethod
    def from_fields(cls, fields: Fields) -> Agreement:
        r_hat = np.inf if fields.value("r_hat") is None else fields.get("r_hat", float)
        rest = [fields.get(name, float) for name in ("effective_size", "farthest", "usual")]
        if not (r_hat > 0 and rest[0] > 0 and 0 <= rest[2] <= rest[1] <= 1):
            raise ModelError(f"'{fields.place}' has numbers that no chains could have")
        return cls(r_hat, *rest)


def checked_rows(levels: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """The coded cases that chains are compared on."""
    n = len(levels)
    if n <= CHECKED_CASES:
        return levels
    return np.ascontiguousarray(levels[np.linspace(0, n - 1, CHECKED_CASES).astype(np.intp)])


def different_columns(table: npt.NDArray[np.float64]) -> list[int]:
    """Where the different columns of numbers from 0 on are, in their order.

    For columns, `numpy.unique` compares structures, and where Ctrl-C comes in the middle of that, numpy makes another
    error of it.

    Examples
    --------
    >>> different_columns(np.array([[0.5, 0.25, 0.5, 0.25], [0.1, 0.9, 0.1, 0.3]]))
    [3, 1, 0]
    """
    # as texts of one length, bytes of the greatest weight first, they have the order of the numbers
    texts = [column.tobytes() for column in table.T.astype(">f8")]
    first = {text: place for place, text in reversed(list(enumerate(texts)))}
    return [first[text] for text in sorted(first)]


def agreement_of(forest: Forest, rows: npt.NDArray[np.int32], n_classes: int) -> Agreement | None:
    """How far the trees of the chains agree on these coded cases; None if there are too few draws to tell."""
    if min((len(draws) for draws in forest.trees_of_draws), default=0) < 4:
        return None
    r_hat, size = 1.0, np.inf
    apart = np.zeros(len(rows))
    # Of two classes one says all.
    for c in range(n_classes if n_classes > 2 else 1):
        draws = forest.draws_of_levels(rows, c)
        means = draws.mean(axis=1)
        apart = np.maximum(apart, abs(means - means.mean(axis=0)).max(axis=0))
        some = draws[:, :: max(1, -(-draws.shape[1] // CHECKED_DRAWS))]
        # Cases that share a leaf in all drawn trees have the same draws.
        some = some[:, :, different_columns(some.reshape(-1, some.shape[2]))]
        r_hats = split_r_hat(some)
        r_hat = max(r_hat, float(np.nan_to_num(r_hats, nan=1.0, posinf=np.inf).max(initial=1.0)))
        worst = some[:, :, np.argsort(r_hats)[-20:]]
        size = min(size, float(effective_size(worst).min(initial=np.inf)))
    return Agreement(r_hat, size, float(apart.max(initial=0.0)), float(apart.mean() if len(apart) else 0.0))
