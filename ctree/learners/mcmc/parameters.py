"""The parameters of `MCMCTreeClassifier`: what they may be, and what they come to."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

from ctree.errors import ParameterError
from ctree_ext.mcmc.chain import MOVES

MAX_CHAINS, MAX_TEMPERATURES = 1_000, 100

MAX_STEPS, MAX_SAMPLES = 10**12, 10**9
"""More than can be waited for; products of two numbers of samples and steps still fit into 64 bits."""

OF_A_CHAIN = (
    "strategy",
    "invalid_proposals",
    "tree_prior",
    "gamma",
    "delta",
    "test_prior",
    "alpha",
    "min_cases",
    "max_depth",
    "burn_in",
    "thin",
    "chains",
    "moves",
    "rule_step",
    "rule_variance",
    "temperatures",
    "exchange_every",
    "keep_trees",
)
"""The parameters that a chain cannot change on the way."""

EXACT = ("reject", "sweep-latent")
"""The treatments of invalid proposals that sample the posterior."""

PAPER_MOVES = (0.1, 0.1, 0.2, 0.6)
"""Of birth, death, change-split and change-rule."""

INFORMED_MOVES = (0.0, 0.0, 0.0, 0.0, 0.1, 0.6, 0.2, 0.1)
"""Of swap, redraw, retest and regrow: what chains do if nothing else is asked for, and there are few tests."""

QUICK_MOVES = (0.2, 0.2, 0.25, 0.25, 0.1, 0.0, 0.0, 0.0)
"""What they do besides if there are many: moves that look at one test only."""

FEW_TESTS, LEAST_INFORMED = 200, 0.02
"""Up to so many tests all moves weigh tests; with more, a share that falls with their number, down to the second."""

TEMPERATURES = 8
"""Of chains that make these moves."""

FIRST_BURN_IN, FIRST_THIN, PAPER_THIN = 1_000, 1, 7
"""Where a chain begins that is made longer until all agree, and the spacing of others."""

MOST_STEPS, FEWEST_STEPS, MANY_CASES = 100_000, 4_000, 1_000
"""Of a chain that is made longer; fewer with more than so many cases, as a step then takes longer."""

HOTTEST = 0.1
"""The power of the likelihood at the last of several temperatures."""


def treatment_of(strategy: str, invalid_proposals: str) -> str:
    """What is done about leaves of too few cases."""
    if strategy == "sweeping":
        return {"reject": "sweep-latent", "resample": "sweep-paper"}.get(invalid_proposals, invalid_proposals)
    return invalid_proposals


def moves_for(n_tests: Sequence[int]) -> tuple[float, ...]:
    """What chains do if nothing else is asked for, with so many tests of each attribute.

    A move that no attribute has a test for leaves its share to the other change.

    >>> moves_for([1] * 48) == INFORMED_MOVES, [round(share, 3) for share in moves_for([1] * 400)]
    (True, [0.1, 0.1, 0.25, 0.0, 0.1, 0.3, 0.1, 0.05])
    """
    share = min(1.0, max(LEAST_INFORMED, FEW_TESTS / max(sum(n_tests), 1)))
    if share == 1:
        return INFORMED_MOVES
    moves = [share * one + (1 - share) * other for one, other in zip(INFORMED_MOVES, QUICK_MOVES, strict=True)]
    if max(n_tests) < 2:
        moves[2:4] = [moves[2] + moves[3], 0.0]
    elif len(n_tests) < 2:
        moves[2:4] = [0.0, moves[2] + moves[3]]
    return tuple(moves)


def settled(parameters: Mapping[str, Any], n_tests: Sequence[int]) -> dict[str, Any]:
    """The parameters of chains, for so many tests of each attribute, with numbers for what was left open.

    >>> left_open = {"strategy": "standard", "invalid_proposals": "reject", "moves": None, "temperatures": None}
    >>> chains = settled({**left_open, "burn_in": None, "thin": None}, [1] * 9)
    >>> chains["moves"] == INFORMED_MOVES, chains["temperatures"], chains["burn_in"], chains["thin"]
    (True, 8, 1000, 1)
    >>> chains = settled({**left_open, "strategy": "sweeping", "burn_in": 500, "thin": None}, [1] * 9)
    >>> chains["moves"], chains["temperatures"], chains["burn_in"], chains["thin"]
    ((0.1, 0.1, 0.2, 0.6), 1, 500, 7)
    """
    moves, temperatures, burn_in, thin = (parameters[name] for name in ("moves", "temperatures", "burn_in", "thin"))
    informed = treatment_of(parameters["strategy"], parameters["invalid_proposals"]) == "reject"
    if temperatures is None:
        temperatures = TEMPERATURES if moves is None and informed else 1
    if moves is None:
        moves = moves_for(n_tests) if informed else PAPER_MOVES
    if thin is None:
        thin = FIRST_THIN if burn_in is None else PAPER_THIN
    if burn_in is None:
        burn_in = FIRST_BURN_IN
    return {
        **parameters,
        "moves": tuple(moves),
        "temperatures": temperatures,
        "burn_in": int(burn_in),
        "thin": int(thin),
    }


def most_steps(max_steps: int | None, n_cases: int) -> int:
    """How many steps a chain makes at most that is made longer until all agree.

    >>> most_steps(None, 150), most_steps(None, 10_000), most_steps(None, 10**6), most_steps(10**6, 150)
    (100000, 10000, 4000, 1000000)
    """
    if max_steps is not None:
        return int(max_steps)
    return max(FEWEST_STEPS, MOST_STEPS * MANY_CASES // max(n_cases, MANY_CASES))


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
        what = (
            "the sweeping of Schetinin and others"
            if strategy == "sweeping"
            else f'invalid_proposals="{invalid_proposals}"'
        )
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


def check_moves(moves: Sequence[float] | None, treatment: str) -> None:
    """Refuse probabilities of moves that are none, or with which not every tree can be reached."""
    if moves is None:
        return
    if not 4 <= len(moves) <= len(MOVES):
        raise ParameterError(
            f"moves must be the probabilities of {', '.join(MOVES[:4])} and, if wanted, {', '.join(MOVES[4:])}, "
            f"not {list(moves)}"
        )
    if not math.isclose(math.fsum(moves), 1.0, abs_tol=1e-9):
        raise ParameterError(f"the probabilities of the moves should add up to 1, not {math.fsum(moves):.6g}")
    if any(list(moves)[5:]) and treatment != "reject":
        raise ParameterError(
            f'{", ".join(MOVES[5:-1])} and {MOVES[-1]} need strategy="standard" and invalid_proposals="reject"'
        )
    if not (moves[0] > 0 and moves[1] > 0) and not (len(moves) > 5 and moves[5] > 0):
        raise ParameterError(
            "births and deaths are needed to reach every tree, unless there are redraws: "
            "both need a positive probability"
        )


def check_temperatures(temperatures: Any) -> None:
    """Refuse powers of which the first is not the likelihood itself."""
    if temperatures is None or isinstance(temperatures, Integral):
        return
    if len(temperatures) > MAX_TEMPERATURES or temperatures[0] != 1:
        raise ParameterError(
            f"temperatures must be a number of them, or up to {MAX_TEMPERATURES} powers from 1 down to 0, "
            f"not {list(temperatures)}"
        )
