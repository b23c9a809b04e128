"""Data sets with what the original programs print for them: those of this folder, and the real ones where they are."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
SETS = PROJECT / "tests" / "golden"
REAL_DATA = Path(os.environ.get("CTREE_REAL_SETS") or PROJECT.parent / "shared" / "data")
REAL_OUTPUTS = REAL_DATA.parent / "golden"

ABSENT = "the real sets are not here (CTREE_REAL_SETS names their directory)"
"""Why tests of real sets are skipped."""


def without_minus_zero(text: str) -> str:
    """An output of the original in which thresholds of -0 are 0, as they are in ours."""
    return re.sub(r"( <=| >) -(?=0(?:\.0)?(?:[ :]|$))", r"\1 ", text, flags=re.MULTILINE)


def made_up_sets() -> list[str]:
    return sorted(path.stem for path in SETS.glob("*.names"))


def real_outputs(program: str) -> list[Path]:
    """The outputs of a program for the real sets, relative to its folder."""
    folder = REAL_OUTPUTS / program
    names = {path.stem for path in REAL_DATA.glob("*.names")}
    return sorted(path.relative_to(folder) for path in folder.rglob("*.txt") if path.stem in names)


def each_real_output(program: str) -> pytest.MarkDecorator:
    """A test item for each, slow; one that is skipped where there are none."""
    outputs = real_outputs(program)
    missing = [pytest.param(None, marks=[pytest.mark.slow, pytest.mark.skip(reason=ABSENT)])]
    items = [pytest.param(path, id=str(path.with_suffix("")), marks=pytest.mark.slow) for path in outputs]
    return pytest.mark.parametrize("output", items or missing)


def assert_all_are_compared(program: str, folder: Path, made_up: int, real: int) -> None:
    """As many outputs as there are known to be; those in a folder of this one are the same as beside the real sets."""
    assert len(list(folder.rglob("*.txt"))) == made_up
    outputs = REAL_OUTPUTS / program
    if not outputs.is_dir():
        return
    assert len(real_outputs(program)) == real
    others = {path.relative_to(outputs) for path in outputs.rglob("*.txt")} - set(real_outputs(program))
    assert len(others) == made_up
    assert all((outputs / path).read_bytes() == (folder / path).read_bytes() for path in others)
