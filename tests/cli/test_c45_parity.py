"""`ctree c4.5` prints what release 8 printed, line for line after the heading."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.golden import (
    REAL_DATA,
    REAL_OUTPUTS,
    SETS,
    assert_all_are_compared,
    each_real_output,
    made_up_sets,
    without_minus_zero,
)

from ctree.cli.main import main

OPTIONS = {
    "default": [],
    "gain": ["-g"],
    "subset": ["-s"],
    "m5c10": ["-m", "5", "-c", "10"],
    "m1c100": ["-m", "1", "-c", "100"],
}

BEST_TREE = "Best tree from trial "

WINDOWING = {"t3": ["-t", "3"], "t2w12i4": ["-t", "2", "-w", "12", "-i", "4"]}
"""Options with which the original grew trees from windows, for the made-up sets alone."""


def compared(text: str) -> list[str]:
    """The lines that must agree: from the number of cases on, without the note of the saved tree."""
    lines = [line.rstrip() for line in text.splitlines()]
    del lines[: next(i for i, line in enumerate(lines) if line.startswith("Read "))]
    note = next((i for i, line in enumerate(lines) if line == "Tree saved" or line.startswith(BEST_TREE)), None)
    if note is not None:
        del lines[note - 1 : note + 1]  # with the blank line before it
    return lines


def assert_same_output(stem: str, options: list[str], expected: Path, capsys) -> None:
    unseen = ["-u"] if Path(f"{stem}.test").exists() else []
    assert main(["c4.5", "-f", stem, *unseen, *options]) == 0
    assert compared(capsys.readouterr().out) == compared(without_minus_zero(expected.read_text("latin-1")))


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("name", made_up_sets())
def test_made_up_sets_give_the_output_of_release_8(name, options, monkeypatch, capsys):
    monkeypatch.chdir(SETS)
    assert_same_output(name, OPTIONS[options], SETS / "release8" / options / f"{name}.txt", capsys)


def test_all_540_outputs_are_compared():
    assert len(made_up_sets()) == 60
    assert_all_are_compared("r8", SETS / "release8", 300, 240)


@each_real_output("r8")
def test_real_sets_give_the_output_of_release_8(output, monkeypatch, capsys):
    monkeypatch.chdir(REAL_DATA)
    assert_same_output(output.stem, OPTIONS[output.parent.name], REAL_OUTPUTS / "r8" / output, capsys)


@pytest.mark.parametrize("options", WINDOWING)
@pytest.mark.parametrize("name", made_up_sets())
def test_windowing_gives_the_output_of_release_8(name, options, monkeypatch, capsys):
    monkeypatch.chdir(SETS)
    assert_same_output(name, WINDOWING[options], SETS / "release8-window" / options / f"{name}.txt", capsys)


def test_all_120_outputs_of_windowing_are_compared():
    assert_all_are_compared("r8-window", SETS / "release8-window", 120, 0)


def options_block(text: str) -> list[str]:
    lines = text.splitlines()
    return lines[lines.index("    Options:") : next(i for i, line in enumerate(lines) if line.startswith("Read "))]


@pytest.mark.parametrize("options", {**OPTIONS, **WINDOWING})
def test_the_heading_lists_the_options_in_the_order_of_the_arguments(options, monkeypatch, capsys):
    monkeypatch.chdir(SETS)
    folder = "release8-window" if options in WINDOWING else "release8"
    assert main(["c4.5", "-f", "syn0000", "-u", *{**OPTIONS, **WINDOWING}[options]]) == 0
    expected = (SETS / folder / options / "syn0000.txt").read_text("latin-1")
    assert options_block(capsys.readouterr().out) == options_block(expected)
