"""`ctree j48` prints the tree that Weka's J48 prints, line for line."""

from __future__ import annotations

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
    "unpruned": ["-U"],
    "m5c10": ["-M", "5", "-C", "0.1"],
    "binary": ["-B"],
    "noraise": ["-S"],
}


def compared(text: str) -> list[str]:
    """From the heading to the size of the tree, without blank lines."""
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    start = next(i for i, line in enumerate(lines) if line.startswith("J48 "))
    end = next(i for i, line in enumerate(lines) if line.startswith("Size of the tree"))
    return lines[start : end + 1]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("name", made_up_sets())
def test_made_up_sets_give_the_tree_of_j48(name, options, capsys):
    assert main(["j48", "-f", str(SETS / name), *OPTIONS[options]]) == 0
    expected = (SETS / "j48" / options / f"{name}.txt").read_text("latin-1")
    assert compared(capsys.readouterr().out) == compared(expected)


def test_all_545_outputs_are_compared():
    assert_all_are_compared("j48", SETS / "j48", 300, 245)


@each_real_output("j48")
def test_real_sets_give_the_tree_of_j48(output, capsys):
    assert main(["j48", "-f", str(REAL_DATA / output.stem), *OPTIONS[output.parent.name]]) == 0
    expected = (REAL_OUTPUTS / "j48" / output).read_text("latin-1")
    assert compared(capsys.readouterr().out) == compared(without_minus_zero(expected))


def test_a_raised_branch_and_the_same_tree_without_raising(tmp_path, capsys):
    # The specification's example 8.5: the branch q is raised though it is a little worse.
    (tmp_path / "x.names").write_text("Y, N.\na: p, q.\nb: u, v, w.\nx: continuous.\n")
    cases = "q,w,3,Y q,v,2,Y q,u,6,N q,w,4,N q,w,3,Y q,w,2,N q,v,4,N p,v,6,Y q,u,2,Y p,w,2,Y p,w,2,Y"
    (tmp_path / "x.data").write_text(cases.replace(" ", "\n") + "\n")
    assert main(["j48", "-f", str(tmp_path / "x")]) == 0
    assert compared(capsys.readouterr().out)[2:-2] == ["x <= 3: Y (7.0/1.0)", "x > 3: N (4.0/1.0)"]
    assert main(["j48", "-f", str(tmp_path / "x"), "-S"]) == 0
    assert compared(capsys.readouterr().out)[-1].split()[-1] == "5"


def test_errors_on_test_cases_and_cases_without_a_class(tmp_path, capsys):
    (tmp_path / "x.names").write_text("Y, N.\na: continuous.\n")
    (tmp_path / "x.data").write_text("1,Y\n2,Y\n3,Y\n4,?\n5,N\n6,N\n7,N\n")
    (tmp_path / "x.test").write_text("1,N\n7,N\n")
    assert main(["j48", "-f", str(tmp_path / "x"), "-u"]) == 0
    out = capsys.readouterr().out
    assert "Errors on training data: 0 of 6 (0.0%)" in out
    assert "Errors on test data: 1 of 2 (50.0%)" in out


@pytest.mark.parametrize(
    ("arguments", "message", "status"),
    [
        (["-X"], "unknown option '-X'", 2),
        (["-M"], "option -M needs a value", 2),
        (["-M", "0"], "option -M takes a whole number of at least 1, not '0'", 2),
        (["-M", "two"], "option -M takes a number, not 'two'", 2),
        (["-M", "inf"], "option -M takes a whole number of at least 1, not 'inf'", 2),
        (["-C", "1"], "option -C takes a number between 0 and 1", 2),
        (["-U", "-C", "0.1"], "-U and -C are mutually exclusive", 2),
        (["-U", "-S"], "-U and -S are mutually exclusive", 2),
        (["-R", "-C", "0.1"], "-R and -C are mutually exclusive", 2),
        (["-N", "5"], "-N is the number of folds for -R, which is not given", 2),
        (["-f", "nowhere"], "nowhere.names", 1),
    ],
)
def test_wrong_options_are_told_in_a_sentence(arguments, message, status, capsys):
    assert main(["j48", *arguments]) == status
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_help_names_every_option(capsys):
    assert main(["j48", "--help"]) == 0
    text = capsys.readouterr().out
    for option in [
        "-f",
        "-u",
        "-U",
        "-O",
        "-C",
        "-M",
        "-R",
        "-N",
        "-S",
        "-B",
        "-A",
        "-J",
        "-Q",
        "-doNotMakeSplitPointActualValue",
    ]:
        assert f"  {option}" in text


def test_very_large_thresholds(tmp_path, capsys):
    (tmp_path / "big.names").write_text("a, b.\nx: continuous.\n")
    rows = [f"{k}e30,a" for k in range(1, 7)] + [f"{k}e31,b" for k in range(1, 7)]
    (tmp_path / "big.data").write_text("\n".join(rows) + "\n")
    assert main(["j48", "-f", str(tmp_path / "big")]) == 0
    assert "x <= 59999999999999995" in capsys.readouterr().out
