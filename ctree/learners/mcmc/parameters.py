"""The parameters of `MCMCTreeClassifier`: what they may be, and what they come to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral
from typing import Any

from ctree.errors import ParameterError
from ctree_ext.mcmc.chain import MOVES

MAX_CHAINS, MAX_TEMPERATURES = 1_000, 100

MAX_STEPS, MAX_SAMPLES = 10**12, 10**9
"""More than can be waited for; products of two numbers of samples and steps still fit into 64 bits."""

EXACT = ("reject", "sweep-latent")
"""The treatments of invalid proposals that sample the posterior."""

HOTTEST = 0.1
"""The power of the likelihood at the last of several temperatures."""


def treatment_of(strategy: str, invalid_proposals: str) -> str:
    """What is done about leaves of too few cases."""
    if strategy == "sweeping":
        return {"reject": "sweep-latent", "resample": "sweep-paper"}.get(invalid_proposals, invalid_proposals)
    return invalid_proposals


def powers_of(temperatures: Any) -> tuple[float, ...]:
    """The powers of the likelihood, from a number of temperatures or as they are.

    >>> [round(power, 3) for power in powers_of(3)], powers_of(1), powers_of([1, 0.5])
    ([1.0, 0.316, 0.1], (1.0,), (1.0, 0.5))
    """
    if isinstance(temperatures, Integral):
        n = int(temperatures)
        return tuple(float(HOTTEST ** (i / max(n - 1, 1))) for i in range(n))
    return tuple(float(power) for power in temperatures)


def check_strategy(strategy: str, invalid_proposals: str, tree_prior: str) -> None:
    """Refuse strategies that do not go together."""
    if strategy == "standard" and invalid_proposals.startswith("sweep"):
        raise ParameterError(f'invalid_proposals="{invalid_proposals}" needs strategy="sweeping"')
    if strategy == "sweeping" and invalid_proposals in ("resample-move", "resample-local"):
        raise ParameterError(f'invalid_proposals="{invalid_proposals}" needs strategy="standard"')
    if tree_prior == "chipman" and treatment_of(strategy, invalid_proposals) in ("sweep-paper", "resample-local"):
        what = "the paper's own sweeping" if strategy == "sweeping" else f'invalid_proposals="{invalid_proposals}"'
        raise ParameterError(f'{what} is not for tree_prior="chipman"; use invalid_proposals="reject"')


def check_rule(rule_step: float | None, rule_variance: float | None) -> None:
    """Refuse two answers to the question how far a threshold moves."""
    if rule_step is not None and rule_variance is not None:
        raise ParameterError(
            f"rule_step={rule_step:g} and rule_variance={rule_variance:g} both say how far change-rule moves a "
            "threshold: leave one of them out"
        )


def check_cases(total: float, min_cases: float) -> None:
    """Raise a `ParameterError` if no test can leave enough cases on both sides."""
    if 2 * min_cases > total > 1:
        raise ParameterError(
            f"min_cases is {min_cases:g}, but of {total:g} cases no test can leave so many on both sides: "
            f"it should be at most {total / 2:g}"
        )


def check_moves(moves: Sequence[float]) -> None:
    """Refuse probabilities of moves that are none, or with which not every tree can be reached."""
    if len(moves) not in (4, 5):
        raise ParameterError(
            f"moves must be the probabilities of {', '.join(MOVES[:4])} and, if wanted, {MOVES[4]}, not {list(moves)}"
        )
    if not math.isclose(math.fsum(moves), 1.0, abs_tol=1e-9):
        raise ParameterError(f"the probabilities of the moves should add up to 1, not {math.fsum(moves):.6g}")
    if not (moves[0] > 0 and moves[1] > 0):
        raise ParameterError("births and deaths are needed to reach every tree: both need a positive probability")


def check_temperatures(temperatures: Any) -> None:
    """Refuse powers of which the first is not the likelihood itself."""
    if not isinstance(temperatures, Integral) and (len(temperatures) > MAX_TEMPERATURES or temperatures[0] != 1):
        raise ParameterError(
            f"temperatures must be a number of them, or up to {MAX_TEMPERATURES} powers from 1 down to 0, "
            f"not {list(temperatures)}"
        )
