"""The parameters of `MCMCTreeClassifier`: what they may be, and what they come to."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np

from ctree.checks import check_integer, check_name
from ctree.errors import ParameterError
from ctree_ext.mcmc.chain import MOVES

CHOICES = {
    "strategy": ("standard", "sweeping"),
    "unavailable": ("reject", "resample", "resample-move", "sweep-paper", "sweep-latent"),
    "prior": ("denison", "chipman"),
    "test_prior": ("per_feature", "per_test"),
    "starts": ("root", "prior"),
}
EXACT = ("reject", "sweep-latent")
"""The treatments of unavailable moves that sample the posterior."""

HOTTEST = 0.1
"""The power of the likelihood at the last of several temperatures."""


def treatment_of(strategy: str, unavailable: str) -> str:
    """What is done about leaves of too few cases."""
    if strategy == "sweeping":
        return {"reject": "sweep-latent", "resample": "sweep-paper"}.get(unavailable, unavailable)
    return unavailable


def powers_of(tempers: Any) -> tuple[float, ...]:
    """The powers of the likelihood, from a number of temperatures or as they are.

    >>> [round(power, 3) for power in powers_of(3)], powers_of(1), powers_of([1, 0.5])
    ([1.0, 0.316, 0.1], (1.0,), (1.0, 0.5))
    """
    if isinstance(tempers, Integral):
        n = int(tempers)
        return tuple(float(HOTTEST ** (i / max(n - 1, 1))) for i in range(n))
    return tuple(float(power) for power in tempers)


def seed_of(random_state: Any) -> int:
    """A seed of 64 bits from what scikit-learn allows as `random_state`."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(1 << 63))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(1 << 31))
    if not isinstance(random_state, Integral) or not 0 <= int(random_state) < 1 << 64:
        raise ParameterError(
            f"random_state must be a whole number from 0 on, a generator or None, not {random_state!r}"
        )
    return int(random_state)


def check_parameters(parameters: Mapping[str, Any]) -> None:
    """Raise a `ParameterError` for what cannot be."""
    for name, choices in CHOICES.items():
        check_name(name, parameters[name], choices)
    strategy, unavailable = parameters["strategy"], parameters["unavailable"]
    if strategy == "standard" and unavailable.startswith("sweep"):
        raise ParameterError(f'unavailable="{unavailable}" needs strategy="sweeping"')
    if strategy == "sweeping" and unavailable == "resample-move":
        raise ParameterError('unavailable="resample-move" needs strategy="standard"')
    if treatment_of(strategy, unavailable) == "sweep-paper" and parameters["prior"] != "denison":
        raise ParameterError('the paper\'s own sweeping is for prior="denison"; use unavailable="reject"')
    for name in ("burn_in", "samples", "thin", "chains", "exchange_every"):
        check_integer(name, parameters[name], least=0 if name == "burn_in" else 1)
    if parameters["max_depth"] is not None:
        check_integer("max_depth", parameters["max_depth"], least=0)
    for name in ("alpha", "min_cases"):
        _check_number(name, parameters[name])
    _check_number("gamma", parameters["gamma"], below=1.0)
    if parameters["rule_step"] is not None:
        _check_number("rule_step", parameters["rule_step"])
    if not _is_number(parameters["delta"]) or parameters["delta"] < 0:
        raise ParameterError(f"delta must be a number of at least 0, not {parameters['delta']!r}")
    _check_moves(list(parameters["moves"]))
    _check_tempers(parameters["tempers"])


def check_cases(total: float, min_cases: float) -> None:
    """Raise a `ParameterError` if no test can leave enough cases on both sides."""
    if 2 * min_cases > total > 1:
        raise ParameterError(
            f"min_cases is {min_cases:g}, but of {total:g} cases no test can leave so many on both sides: "
            f"it should be at most {total / 2:g}"
        )


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and math.isfinite(value)


def _check_number(name: str, value: Any, below: float = math.inf) -> None:
    if not _is_number(value) or not 0 < value < below:
        bound = f" and less than {below:g}" if below < math.inf else ""
        raise ParameterError(f"{name} must be a number greater than 0{bound}, not {value!r}")


def _check_moves(moves: list[Any]) -> None:
    if len(moves) not in (4, 5) or not all(_is_number(p) and p >= 0 for p in moves):
        raise ParameterError(
            f"moves must be the probabilities of {', '.join(MOVES[:4])} and, if wanted, {MOVES[4]}, not {moves}"
        )
    if not math.isclose(math.fsum(moves), 1.0, abs_tol=1e-9):
        raise ParameterError(f"the probabilities of the moves should add up to 1, not {math.fsum(moves):.6g}")
    if not (moves[0] > 0 and moves[1] > 0):
        raise ParameterError("births and deaths are needed to get from any tree to any other: give both a chance")


def _check_tempers(tempers: Any) -> None:
    if isinstance(tempers, Integral):
        check_integer("tempers", tempers, least=1)
        return
    powers = list(tempers)
    if not powers or powers[0] != 1 or not all(_is_number(p) and 0 <= p <= 1 for p in powers):
        raise ParameterError(f"tempers must be a number of temperatures, or powers from 1 down to 0, not {powers}")
