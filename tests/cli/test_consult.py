"""`ctree consult`, at a pseudo-terminal and from a pipe."""

from __future__ import annotations

import os
import pathlib
import select
import signal
import subprocess
import sys
import time

import pytest

import ctree
from ctree.tree.soft_thresholds import softened

PROJECT = pathlib.Path(__file__).parents[2]
WORKED_ANSWER = "Don't Play  CF = 0.60  [ 0.38 - 0.80 ]"
AGAIN = "Retry, new case or quit [r, n, q]: "
OUTLOOK = "outlook (sunny, overcast, rain): "
LONGEST = 60.0


class Person:
    """Somebody at a terminal, who waits for a prompt before typing."""

    def __init__(self, *words: str) -> None:
        self.master, slave = os.openpty()
        environment = {**os.environ, "PYTHONPATH": str(PROJECT), "PYTHONIOENCODING": "utf-8"}
        command = [sys.executable, "-m", "ctree.cli.main", "consult", *words]
        # Its own session makes the pseudo-terminal the one that controls it, so that Ctrl-C comes as a signal.
        self.process = subprocess.Popen(
            [sys.executable, "-c", LEAD_SESSION, *command], stdin=slave, stdout=slave, stderr=slave, env=environment
        )
        os.close(slave)
        self.seen = ""

    def reads(self, text: str) -> str:
        """Wait until the screen shows a text; what came before it since the last time."""
        end = time.monotonic() + LONGEST
        while text not in self.seen:
            if not self.listen(end - time.monotonic()):
                raise AssertionError(f"{text!r} does not come; the screen shows {self.seen!r}")
        before, _, self.seen = self.seen.partition(text)
        return before

    def listen(self, seconds: float) -> bool:
        """Take in what the screen shows; whether there was anything."""
        if not select.select([self.master], [], [], max(0.0, seconds))[0]:
            return False
        try:
            data = os.read(self.master, 4096)
        except OSError:  # the other end is closed
            return False
        self.seen += data.decode("utf-8").replace("\r\n", "\n")
        return bool(data)

    def types(self, text: str) -> None:
        os.write(self.master, text.encode())

    def leaves(self) -> int:
        """The exit status of the program, when the screen has shown all."""
        end = time.monotonic() + LONGEST
        while self.listen(end - time.monotonic()):
            pass
        return self.process.wait(timeout=LONGEST)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        os.close(self.master)


LEAD_SESSION = """\
import fcntl, os, sys, termios
os.setsid()
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""


@pytest.fixture
def person():
    if not hasattr(os, "openpty") or sys.platform == "win32":
        pytest.skip("there are no pseudo-terminals here")
    people = []

    def at_terminal(*words: str) -> Person:
        people.append(Person(*words))
        return people[-1]

    yield at_terminal
    for one in people:
        one.close()


@pytest.fixture
def piped(golf_model):
    """Run with answers from a pipe."""

    def run(answers: bytes, *words: str) -> subprocess.CompletedProcess:
        environment = {**os.environ, "PYTHONPATH": str(PROJECT), "PYTHONIOENCODING": "utf-8"}
        command = [sys.executable, "-m", "ctree.cli.main", "consult", *(words or (golf_model,))]
        return subprocess.run(command, input=answers, capture_output=True, env=environment, timeout=LONGEST)

    return run


def test_the_worked_answer_at_a_terminal(person, golf_model):
    terminal = person(golf_model)
    terminal.reads(OUTLOOK)
    terminal.types("sunny\n")
    terminal.reads("humidity: ")
    terminal.types("?\n")
    lines = terminal.reads(AGAIN).splitlines()
    assert WORKED_ANSWER in lines
    terminal.types("q\n")
    assert terminal.leaves() == 0


def test_probabilities_and_ranges(person, golf_model):
    terminal = person(golf_model)
    terminal.reads(OUTLOOK)
    terminal.types("sunny: 0.5, rain: 0.5\n")
    terminal.reads("humidity: ")
    terminal.types("70 - 80\n")
    terminal.reads("windy (true, false): ")
    terminal.types("true: 0.2\n")
    # Play: 0.25 of the leaf (2.0/1.0) and 0.4 of (3.0/1.11); not: 0.25 of (3.0/1.11) and 0.1 of (2.0/1.0).
    assert "Play  CF = 0.65  [ 0.38 - 0.79 ]" in terminal.reads(AGAIN).splitlines()


def test_a_wrong_answer_is_explained_and_asked_for_again(person, golf_model):
    terminal = person(golf_model)
    terminal.reads(OUTLOOK)
    terminal.types("suny\n")
    complaint = terminal.reads(OUTLOOK)
    assert (
        "'suny' is not a value of 'outlook' (did you mean 'sunny'?); its values are sunny, overcast, rain." in complaint
    )
    terminal.types("\n")
    assert "there is no answer for 'outlook'; if it is unknown, enter ?." in terminal.reads(OUTLOOK)
    terminal.types("help\n")
    assert "Enter one of sunny, overcast, rain, several with their probabilities" in terminal.reads(OUTLOOK)
    terminal.types("sunny\n")
    terminal.reads("humidity: ")
    terminal.types("80 - 70\n")
    assert "the range 80 - 70 runs backwards; the lower end comes first." in terminal.reads("humidity: ")
    terminal.types("90\n")
    lines = terminal.reads(AGAIN).splitlines()
    assert "Don't Play  CF = 1.00  [ 0.63 - 1.00 ]" in lines
    assert "because outlook = sunny and humidity > 75 (3 training cases)" in lines
    terminal.types("what\n")
    assert "Give r to change answers of this case, n for a new one, q to end." in terminal.reads(AGAIN)


def test_a_retry_offers_the_answers_again_and_a_new_case_does_not(person, golf_model):
    terminal = person(golf_model)
    terminal.reads(OUTLOOK)
    terminal.types("sunny\n")
    terminal.reads("humidity: ")
    terminal.types("90\n")
    terminal.reads(AGAIN)
    terminal.types("r\n")
    terminal.reads("outlook (sunny, overcast, rain) [sunny]: ")
    terminal.types("\n")
    terminal.reads("humidity [90]: ")
    terminal.types("?\n")
    assert WORKED_ANSWER in terminal.reads(AGAIN).splitlines()
    terminal.types("new case\n")
    terminal.reads(OUTLOOK)
    terminal.types("overcast\n")
    assert "Play  CF = 1.00  [ 0.71 - 1.00 ]" in terminal.reads(AGAIN).splitlines()


@pytest.mark.parametrize("answers", [[], ["sunny\n"], ["overcast\n"]])
def test_ctrl_d_ends_it(person, golf_model, answers):
    terminal = person(golf_model)
    terminal.reads(OUTLOOK)
    for answer in answers:
        terminal.types(answer)
        terminal.reads(": ")
    terminal.types("\x04")
    assert terminal.leaves() == 0
    assert "Traceback" not in terminal.seen


def test_ctrl_c_interrupts_it(person, golf_model):
    terminal = person(golf_model)
    terminal.reads(OUTLOOK)
    terminal.types("\x03")
    try:
        terminal.process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        # It came just before the program began to wait for the answer, as Python looks for signals only now and then.
        terminal.types("\x03")
    assert terminal.leaves() == 130
    assert terminal.seen.endswith("ctree: interrupted\n")


def test_the_tree_is_shown_on_demand(person, golf_model):
    terminal = person(golf_model, "--tree")
    shown = terminal.reads(OUTLOOK)
    assert "|   humidity <= 75 : Play (2.0/1.0)\n" in shown


def test_answers_from_a_pipe_bring_nothing_but_results(piped):
    done = piped(b"sunny\n?\nr\n\n90\nn\novercast\n")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode().splitlines() == [
        WORKED_ANSWER,
        "Don't Play  CF = 1.00  [ 0.63 - 1.00 ]",
        "because outlook = sunny and humidity > 75 (3 training cases)",
        "Play  CF = 1.00  [ 0.71 - 1.00 ]",
        "because outlook = overcast (4 training cases)",
    ]


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        (b"", "the input ends before there is an answer for 'outlook'"),
        (b"sunny\n", "the input ends before there is an answer for 'humidity'"),
        (
            b"sunny\nhigh\n",
            "'high' is not a number for 'humidity'; enter a number such as 75, a range such as",
        ),
        (b"\xff\n", "'\N{REPLACEMENT CHARACTER}' is not a value of 'outlook'"),
        (b"overcast\nmore\n", "after a result the input should have r, n or q, not 'more'"),
    ],
)
def test_wrong_answers_from_a_pipe_are_failures(piped, answers, message):
    done = piped(answers)
    assert done.returncode == 1
    assert done.stderr.decode().startswith(f"ctree: {message}")
    assert done.stderr.count(b"\n") == 1


def test_soft_thresholds_are_used(piped, golf_model):
    golf = ctree.read_c45("golf")
    ctree.save(softened(ctree.load(golf_model).tree_, golf), "soft.json")
    assert piped(b"sunny\n77\n", "soft.json").stdout.decode().startswith("Don't Play  CF = 0.69")
    assert piped(b"sunny\n77\n").stdout.decode().startswith("Don't Play  CF = 1.00")


def test_more_than_two_classes_are_listed(piped):
    table = {"x": ["a"] * 10 + ["b"] * 200}
    labels = ["first"] * 6 + ["the second"] * 3 + ["third"] + ["third"] * 199 + ["first"]
    ctree.save(ctree.C45Classifier(prune=False, confidence=1.0).fit(ctree.from_arrays(table, labels)), "three.json")
    assert piped(b"a\n", "three.json").stdout.decode().splitlines() == [
        "first       CF = 0.60  [ 0.55 - 1.00 ]",
        "the second  CF = 0.30  [ 0.00 - 0.45 ]",
        "third       CF = 0.10  [ 0.00 - 0.45 ]",
        "because x = a (10 training cases)",
    ]
    assert piped(b"b\n", "three.json").stdout.decode().splitlines() == [
        "third  CF = 0.99  [ 0.99 - 1.00 ]",
        "because x = b (200 training cases)",
    ]


def test_a_tree_without_tests_has_no_questions(piped):
    model = ctree.C45Classifier(min_cases=100).fit(ctree.read_c45("golf"))
    ctree.save(model, "leaf.json")
    done = piped(b"", "leaf.json")
    assert done.returncode == 0
    assert done.stdout.decode().splitlines() == [
        "Play  CF = 0.64  [ 0.51 - 1.00 ]",
        "whatever the case (14 training cases)",
    ]


def test_a_missing_model(ctree_command):
    answer = ctree_command("consult", "nothing.json")
    assert (answer.status, answer.out) == (1, "")
    assert answer.err.startswith("ctree: nothing.json: ")


def test_help(ctree_command):
    answer = ctree_command("consult", "--help")
    assert answer.status == 0
    assert answer.out.startswith("usage: ctree consult MODEL [options]")


def test_rules_are_consulted(piped):
    ctree.save(ctree.C45RulesClassifier().fit(ctree.read_c45("golf")), "rules.json")
    done = piped(b"sunny\n90\nn\nrain\n?\nq\n", "-t", "rules.json")
    assert done.returncode == 0
    rules, first, second = done.stdout.decode().split("Don't Play  CF")[0], *done.stdout.decode().split("CF = ")[1:]
    assert rules.startswith("Rule 2:")
    assert "class Don't Play [63.0%] by rule 1:\n    outlook = sunny\n    humidity > 75 (it is 90)" in first
    assert "class Play [75.0%] by default, as no rule applies" in second


def test_naive_bayes_is_consulted(piped):
    model = ctree.NaiveBayesClassifier().fit(ctree.read_c45("golf"))
    ctree.save(model, "bayes.json")
    done = piped(b"sunny\n?\n90\ntrue\nq\n", "bayes.json")
    case = {"outlook": ["sunny"], "temperature": [None], "humidity": [90], "windy": ["true"]}
    p = model.predict_proba(case)[0].max()
    assert done.stdout.decode().startswith(f"Don't Play  CF = {p:.2f}\n{model.explain(case)}")


def test_numbers_are_put_into_their_bins(piped, tmp_path):
    data = ctree.read_c45(str(PROJECT / "examples" / "golf"))
    model = ctree.BayesianTreeClassifier().fit(data)
    ctree.save(model, tmp_path / "bayesian.json")
    day = {"outlook": ["sunny"], "temperature": [None], "humidity": [91], "windy": [None]}
    expected = max(model.predict_proba(day)[0])
    answer = piped(b"sunny\n91\nq\n", str(tmp_path / "bayesian.json")).stdout.decode()
    assert answer.startswith(f"Don't Play  CF = {expected:.2f}  [ ")
    # half of the range is in the bin up to 70, half in the next
    halves = [model.predict_proba({**day, "humidity": [h]})[0, 0] for h in (69, 71)]
    answer = piped(b"sunny\n69 - 71\nq\n", str(tmp_path / "bayesian.json")).stdout.decode()
    assert f"Play  CF = {sum(halves) / 2:.2f}  [ " in answer


def test_probability_trees_are_consulted(piped, tmp_path):
    model = ctree.ProbabilityTreeClassifier(min_cases=2).fit(ctree.read_c45(str(PROJECT / "examples" / "golf")))
    ctree.save(model, tmp_path / "probability.json")
    assert model.tree_.n_leaves > 1
    first = piped(b"?\n" * 4 + b"q\n", str(tmp_path / "probability.json")).stdout.decode()
    assert "CF = " in first
