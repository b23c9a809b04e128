"""Checks of parameters that learners share: each refuses a wrong value in one sentence."""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

from ctree.errors import ParameterError


def check_flag(name: str, value: Any) -> None:
    """True or False."""
    if not isinstance(value, bool):
        raise ParameterError(f"{name} must be True or False, not {value!r}")


def check_number(
    name: str,
    value: Any,
    *,
    above: float = -math.inf,
    least: float = -math.inf,
    most: float = math.inf,
    below: float = math.inf,
) -> None:
    """A finite number within bounds."""
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        raise ParameterError(f"{name} must be a number, not {value!r}")
    if above < float(value) <= most and least <= float(value) < below:
        return
    bounds = [f"greater than {above:g}"] if above > -math.inf else []
    bounds += [f"at least {least:g}"] if least > -math.inf else []
    bounds += [f"at most {most:g}"] if most < math.inf else []
    bounds += [f"less than {below:g}"] if below < math.inf else []
    raise ParameterError(f"{name} must be {' and '.join(bounds)}, not {value}")


def check_integer(name: str, value: Any, *, least: int, none: bool = False) -> None:
    """A whole number from a bound on, or None where that means something."""
    if none and value is None:
        return
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
        other = "None or " if none else ""
        raise ParameterError(f"{name} must be {other}a whole number of at least {least}, not {value!r}")


def check_name(name: str, value: Any, names: Iterable[str]) -> None:
    """One of some names."""
    if not isinstance(value, str) or value not in tuple(names):
        raise ParameterError(f"{name} must be one of {', '.join(names)}, not {value!r}")
