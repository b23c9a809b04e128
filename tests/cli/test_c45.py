"""`ctree c4.5`: Quinlan's options, messages and exit statuses."""

from __future__ import annotations

import pytest

from ctree.cli.c45 import Options, parse


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("", Options()),
        ("-f golf", Options(stem="golf")),
        ("-fgolf", Options(stem="golf")),
        ("-u -s -g", Options(unseen=True, group_values=True, gain_only=True)),
        ("-p", Options(soft_thresholds=True)),
        ("-m 5", Options(min_cases=5)),
        ("-m5", Options(min_cases=5)),
        ("-c 10", Options(confidence=10.0)),
        ("-c0.5", Options(confidence=0.5)),
        ("-c 100", Options(confidence=100.0)),
        ("-c 0.001", Options(confidence=0.001)),
        ("-m 1000000", Options(min_cases=1000000)),
        ("-t 3", Options(windowing=True, trials=3)),
        ("-w 20", Options(windowing=True, window=20)),
        ("-i 4", Options(windowing=True, increment=4)),
        ("-t3 -w20 -i4", Options(windowing=True, trials=3, window=20, increment=4)),
        ("-t 3 -b", Options(windowing=False, trials=3)),
        ("-b -t 3", Options(windowing=True, trials=3)),
        ("-v 1", Options()),
        ("-m 2 -m 3", Options(min_cases=3)),
    ],
)
def test_options(words, expected):
    assert parse(words.split()) == expected


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        ("golf", 2, "unknown option 'golf'; `ctree c4.5 --help` lists the options"),
        ("-x", 2, "unknown option '-x'; `ctree c4.5 --help` lists the options"),
        ("-", 2, "unknown option '-'; `ctree c4.5 --help` lists the options"),
        ("-us", 2, "'-us': option -u takes no value; give one option an argument"),
        ("-p1", 2, "'-p1': option -p takes no value; give one option an argument"),
        ("-f", 2, "option -f needs a value"),
        ("-u -m", 2, "option -m needs a value"),
        ("-m 0", 2, "** illegal value ** option -m goes from 1 to 1000000, not 0"),
        ("-m 1000001", 2, "** illegal value ** option -m goes from 1 to 1000000, not 1000001"),
        ("-m 2.5", 2, "** illegal value ** option -m takes a whole number, not '2.5'"),
        ("-m two", 2, "** illegal value ** option -m takes a number, not 'two'"),
        ("-c 0", 2, "** illegal value ** option -c goes from 0.001 to 100, not 0"),
        ("-c 101", 2, "** illegal value ** option -c goes from 0.001 to 100, not 101"),
        ("-c nan", 2, "** illegal value ** option -c goes from 0.001 to 100, not nan"),
        ("-t 10001", 2, "** illegal value ** option -t goes from 1 to 10000, not 10001"),
        ("-w 0", 2, "** illegal value ** option -w goes from 1 to 1000000, not 0"),
        ("-i -5", 2, "** illegal value ** option -i goes from 1 to 1000000, not -5"),
    ],
)
def test_wrong_options(ctree_command, words, status, message):
    answer = ctree_command("c4.5", *words.split())
    assert (answer.status, answer.out, answer.err) == (status, "", f"ctree c4.5: {message}\n")


@pytest.mark.parametrize("word", ["-h", "--help"])
def test_help(ctree_command, word):
    answer = ctree_command("c4.5", word)
    assert answer.status == 0
    assert answer.out.startswith("usage: ctree c4.5 [-f STEM]")
    assert answer.err == ""


def test_a_missing_file(ctree_command):
    answer = ctree_command("c4.5", "-f", "nothing")
    assert answer.status == 1
    assert answer.err.startswith("ctree c4.5: ")
    assert "nothing.names" in answer.err
    assert answer.err.count("\n") == 1


def test_a_missing_test_file(ctree_command):
    answer = ctree_command("c4.5", "-f", "golf", "-u")
    assert answer.status == 1
    assert "golf.test" in answer.err


def test_the_heading_names_the_options(ctree_command):
    answer = ctree_command("c4.5", "-f", "golf", "-g", "-s", "-m", "3", "-c", "12.5")
    lines = answer.out.splitlines()
    assert lines[1].startswith("C4.5 [release 8] decision tree generator")
    assert lines[2:10] == [
        "-" * 40,
        "",
        "    Options:",
        "\tFile stem <golf>",
        "\tGain criterion used",
        "\tTests on discrete attribute groups",
        "\tSensible test requires 2 branches with >=3 cases",
        "\tPruning confidence level 12.5%",
    ]


GOLF = """\
Read 14 cases (4 attributes) from golf.data

Decision Tree:

outlook = overcast: Play (4.0)
outlook = sunny:
|   humidity <= 75 : Play (2.0)
|   humidity > 75 : Don't Play (3.0)
outlook = rain:
|   windy = true: Don't Play (2.0)
|   windy = false: Play (3.0)



Evaluation on training data (14 items):

\t Before Pruning           After Pruning
\t----------------   ---------------------------
\tSize      Errors   Size      Errors   Estimate

\t   8    0( 0.0%)      8    0( 0.0%)    (38.5%)   <<
"""


def test_golf(ctree_command):
    answer = ctree_command("c4.5", "-f", "golf")
    assert (answer.status, answer.err) == (0, "")
    assert answer.out[answer.out.index("Read ") :] == GOLF


SOFT_GOLF = """\
Softened Decision Tree:

outlook = overcast: Play (4.0/1.2)
outlook = sunny:
|   humidity <= 75 [70,80.155]: Play (2.0/1.0)
|   humidity > 75 [70,80.155]: Don't Play (3.0/1.1)
outlook = rain:
|   windy = true: Don't Play (2.0/1.0)
|   windy = false: Play (3.0/1.1)

"""


def test_soft_thresholds_add_a_tree_and_change_nothing_else(ctree_command):
    answer = ctree_command("c4.5", "-f", "golf", "-p")
    assert (answer.status, answer.err) == (0, "")
    assert "\tSoft thresholds computed\n" in answer.out
    assert SOFT_GOLF in answer.out
    output = answer.out.replace("\n" + SOFT_GOLF, "")
    assert output[output.index("Read ") :] == GOLF


def test_of_several_trials_only_the_saved_tree_is_softened(ctree_command):
    answer = ctree_command("c4.5", "-f", "golf", "-p", "-t", "3", "-w", "6")
    assert answer.status == 0
    assert answer.out.count("Softened Decision Tree:") == 1
    assert answer.out.index("Softened") > answer.out.index("Trial 2\n")


def test_the_confusion_matrix_leaves_zeros_blank(ctree_command, tmp_path):
    (tmp_path / "golf.test").write_text("overcast,70,70,true,Play\novercast,70,70,true,Don't Play\n")
    answer = ctree_command("c4.5", "-f", "golf", "-u")
    tail = answer.out[answer.out.index("Evaluation on test data (2 items)") :]
    assert "\t   8    1(50.0%)      8    1(50.0%)    (38.5%)   <<\n" in tail
    assert "\t  (a)  (b)\t<-classified as\n\t ---- ----\n" in tail
    assert "\t    1     \t(a): class Play\n\t    1     \t(b): class Don't Play\n" in tail


def test_windowing_prints_its_trials(ctree_command):
    answer = ctree_command("c4.5", "-f", "golf", "-t", "3", "-w", "6", "-i", "2")
    assert answer.status == 0
    assert "\tWindowing enabled with 3 trials\n" in answer.out
    assert "\tInitial window size of 6 items\n" in answer.out
    assert "\tMaximum window increment of 2 items\n" in answer.out
    assert [f"Trial {k}\n" in answer.out for k in range(4)] == [True, True, True, False]
    assert answer.out.count("<<") == 1
