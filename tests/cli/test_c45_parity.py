"""`ctree c4.5` prints what release 8 printed, line for line after the heading."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from ctree.cli.main import main

OPTIONS = {
    "default": [],
    "gain": ["-g"],
    "subset": ["-s"],
    "m5c10": ["-m", "5", "-c", "10"],
    "m1c100": ["-m", "1", "-c", "100"],
}
SETS = Path(__file__).parents[1] / "golden"
PROJECT = Path(__file__).parents[2]
REAL_DATA = Path(os.environ.get("CTREE_REAL_SETS") or PROJECT.parent / "shared" / "data")
REAL_OUTPUTS = REAL_DATA.parent / "golden" / "r8"


def compared(text: str) -> list[str]:
    """The lines that must agree: from the number of cases on, without blank ones and the note of the saved tree."""
    lines = [line.rstrip() for line in text.splitlines()]
    start = next(i for i, line in enumerate(lines) if line.startswith("Read "))
    return [line for line in lines[start:] if line and line != "Tree saved"]


def assert_same_output(stem: str, options: list[str], expected: Path, capsys) -> None:
    unseen = ["-u"] if Path(f"{stem}.test").exists() else []
    assert main(["c4.5", "-f", stem, *unseen, *options]) == 0
    assert compared(capsys.readouterr().out) == compared(expected.read_text("latin-1"))


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("name", sorted(path.stem for path in SETS.glob("*.names")))
def test_made_up_sets_give_the_output_of_release_8(name, options, monkeypatch, capsys):
    monkeypatch.chdir(SETS)
    assert_same_output(name, OPTIONS[options], SETS / "release8" / options / f"{name}.txt", capsys)


def test_there_are_sets_and_outputs_to_compare():
    assert len(list(SETS.glob("*.names"))) == 60
    assert all(len(list((SETS / "release8" / options).iterdir())) == 60 for options in OPTIONS)


def real_sets() -> list[str]:
    if not REAL_OUTPUTS.is_dir():
        return []
    names = {path.stem for path in REAL_DATA.glob("*.names")}
    return sorted(names & {path.stem for path in (REAL_OUTPUTS / "default").glob("*.txt")})


@pytest.mark.skipif(not real_sets(), reason="the real sets are not here (CTREE_REAL_SETS names their directory)")
@pytest.mark.parametrize("options", OPTIONS)
def test_real_sets_give_the_output_of_release_8(options, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in real_sets():
        for path in REAL_DATA.glob(f"{name}.*"):
            if path.suffix in (".names", ".data", ".test"):
                shutil.copy(path, tmp_path)
        expected = REAL_OUTPUTS / options / f"{name}.txt"
        if expected.exists():
            assert_same_output(name, OPTIONS[options], expected, capsys)
        for path in tmp_path.iterdir():
            path.unlink()
