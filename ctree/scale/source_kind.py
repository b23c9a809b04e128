"""Whether cases are in a source, and whether its cases fit into memory; quick to load, as every fit asks."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

if TYPE_CHECKING:
    from ctree.scale.source import CaseSource


def is_source(cases: object) -> TypeGuard[CaseSource]:
    """Whether these are cases that are asked pass by pass. Only the type is looked at, not what it would compute."""
    return all(callable(getattr(type(cases), name, None)) for name in ("count", "open", "finish", "collect"))


def fits_memory(source: CaseSource) -> bool:
    """Whether all cases can be collected and learned from in memory, as far as the source knows."""
    return bool(getattr(source, "fits_memory", False))
