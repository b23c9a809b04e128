"""`ctree c4.5rules`: Quinlan's options, messages and exit statuses, and what release 8 printed, line for line."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from naive.rules_main import main as naive_main
from support.golden import PROJECT, REAL_DATA, REAL_OUTPUTS, SETS, assert_all_are_compared, each_real_output

from ctree.cli.c45rules import Options, parse, run_c45rules

OUTPUTS = SETS / "release8-rules"


def compared(text: str) -> list[str]:
    """The lines that must agree: from the number of cases on, without blank ones."""
    lines = [line.rstrip() for line in text.splitlines()]
    start = next(i for i, line in enumerate(lines) if line.startswith("Read "))
    return [line for line in lines[start:] if line]


def output_of(words: list[str], capsys) -> str:
    assert run_c45rules(words) == 0
    return capsys.readouterr().out


def unseen(stem: str) -> list[str]:
    return ["-u"] if Path(f"{stem}.test").exists() else []


@pytest.mark.parametrize("name", sorted(path.stem for path in OUTPUTS.iterdir()))
def test_made_up_sets_give_the_output_of_release_8(name, monkeypatch, capsys):
    monkeypatch.chdir(SETS)
    expected = (OUTPUTS / f"{name}.txt").read_text("latin-1")
    assert compared(output_of(["-f", name, *unseen(name)], capsys)) == compared(expected)


def test_all_104_outputs_are_compared():
    assert_all_are_compared("rules", OUTPUTS, 57, 47)


@pytest.mark.parametrize(
    "options",
    ["-c 5", "-c 100", "-r 0.1", "-r 20", "-F 1", "-F 60", "-c 50 -r 5 -F 10"],
)
@pytest.mark.parametrize("name", ["syn0001", "syn0005", "syn0020", "syn0033"])
def test_other_options_give_the_output_of_the_naive_version(name, options, monkeypatch, capsys):
    monkeypatch.chdir(SETS)
    words = ["-f", name, *unseen(name), *options.split()]
    assert output_of(words, capsys) == naive_main(words)


@each_real_output("rules")
def test_real_sets_give_the_output_of_release_8(output, monkeypatch, capsys):
    monkeypatch.chdir(REAL_DATA)
    expected = (REAL_OUTPUTS / "rules" / output).read_text("latin-1")
    assert compared(output_of(["-f", output.stem, *unseen(output.stem)], capsys)) == compared(expected)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("", Options()),
        ("-f golf", Options(stem="golf")),
        ("-fgolf -u", Options(stem="golf", unseen=True)),
        ("-c 10", Options(confidence=10.0)),
        ("-c10", Options(confidence=10.0)),
        ("-r 2.5", Options(redundancy=2.5)),
        ("-F 5", Options(fisher=5.0)),
        ("-F0.1", Options(fisher=0.1)),
        ("-v 1", Options()),
        ("-s -g -m 5", Options(group_values=True, gain_only=True, min_cases=5)),
        ("-r 2 -r 3", Options(redundancy=3.0)),
    ],
)
def test_options(words, expected):
    assert parse(words.split()) == expected


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        ("golf", 2, "unknown option 'golf'; `ctree c4.5rules --help` lists the options"),
        ("-x", 2, "unknown option '-x'; `ctree c4.5rules --help` lists the options"),
        ("-", 2, "unknown option '-'; `ctree c4.5rules --help` lists the options"),
        ("-a 3", 2, "option -a (simulated annealing) is not available"),
        ("-uc", 2, "'-uc': option -u takes no value; give one option an argument"),
        ("-f", 2, "option -f needs a value"),
        ("-F", 2, "option -F needs a value"),
        ("-c 0", 2, "** illegal value ** option -c goes from 0.001 to 100, not 0"),
        ("-c 101", 2, "** illegal value ** option -c goes from 0.001 to 100, not 101"),
        ("-r 0", 2, "** illegal value ** option -r goes from 0.001 to 1000, not 0"),
        ("-r nan", 2, "** illegal value ** option -r goes from 0.001 to 1000, not nan"),
        ("-r much", 2, "** illegal value ** option -r takes a number, not 'much'"),
        ("-F 200", 2, "** illegal value ** option -F goes from 0.001 to 100, not 200"),
        ("-m 2.5", 2, "** illegal value ** option -m takes a whole number, not '2.5'"),
    ],
)
def test_wrong_options(words, status, message, capsys):
    assert run_c45rules(words.split()) == status
    assert capsys.readouterr() == ("", f"ctree c4.5rules: {message}\n")


@pytest.mark.parametrize("word", ["-h", "--help"])
def test_help(word, capsys):
    assert run_c45rules([word]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("usage: ctree c4.5rules [-f STEM]")
    assert err == ""


def test_a_missing_file(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run_c45rules(["-f", "nothing"]) == 1
    _, err = capsys.readouterr()
    assert err.startswith("ctree c4.5rules: ")
    assert "nothing.names" in err
    assert err.count("\n") == 1


class TestGolf:
    def test_the_whole_output(self, capsys, monkeypatch):
        monkeypatch.chdir(PROJECT / "examples")
        out = output_of(["-f", "golf"], capsys)
        assert out == naive_main(["-f", "golf"])
        assert out.startswith(
            "\nC4.5 [release 8] rule generator\n" + "-" * 31 + "\n\n    Options:\n\tFile stem <golf>\n"
        )
        assert "\nRule 1:\n    \toutlook = sunny\n    \thumidity > 75\n\t->  class Don't Play  [63.0%]\n" in out
        assert "   3     2  50.0%     2      0 (0.0%)\t     2 (2|0) \tDon't Play\n" in out
        assert "\nTested 14, errors 0 (0.0%)   <<\n" in out

    def test_unseen_cases(self, capsys, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        for suffix in (".names", ".data"):
            shutil.copy(PROJECT / "examples" / f"golf{suffix}", tmp_path)
        (tmp_path / "golf.test").write_text("sunny, 70, 60, true, Don't Play\nrain, ?, 80, ?, Play\n")
        out = output_of(["-f", "golf", "-u"], capsys)
        assert out == naive_main(["-f", "golf", "-u"])
        assert "\tRulesets evaluated on unseen cases\n" in out
        assert "\nEvaluation on test data (2 items):\n" in out
        assert "\nTested 2, errors 1 (50.0%)   <<\n" in out

    def test_no_rules_at_all(self, capsys, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "flat.names").write_text("yes, no.\nx: continuous.\n")
        (tmp_path / "flat.data").write_text("1, yes\n2, yes\n3, no\n")
        out = output_of(["-f", "flat"], capsys)
        assert out == naive_main(["-f", "flat"])
        assert "Final rules from tree 0:\n\nDefault class: yes\n" in out

    def test_tree_options(self, capsys, monkeypatch):
        monkeypatch.chdir(PROJECT / "examples")
        out = output_of(["-f", "golf", "-m", "5"], capsys)
        assert out != output_of(["-f", "golf"], capsys)
