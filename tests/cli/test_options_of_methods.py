"""What the help of a method lists is taken by it, and says what its words mean."""

from __future__ import annotations

import re

import pytest

from ctree.learners.registry import COMMITTEES, METHODS, RELATIONAL_COMMITTEES, RELATIONAL_METHODS
from tests.cli.conftest import EXAMPLES
from tests.cli.test_help_examples import help_text

KINDS = [
    *(["--method", name] for name in METHODS),
    *(["--relational", "--method", name] for name in RELATIONAL_METHODS),
    *(["--committee", name] for name in COMMITTEES),
    *(["--relational", "--committee", name] for name in RELATIONAL_COMMITTEES),
]

TAKEN = {"X": "0.5", "N": "2", "SIZE": "1GB", "X,X,...": "0.25,0.25,0.25,0.25", "A,B": "count,mean", "none": "none"}
"""A value for each placeholder."""

OF_CHAINS = {"--samples": "10", "--burn-in": "50"}


def listed(words):
    """The options that the help of a method lists, each with its placeholder and its text."""
    text = help_text("learn", *words).partition("options of --method")[2].partition("\n\nexamples:")[0]
    found = re.findall(r"^  (-\S.*?)(?:\n|   )((?:.|\n(?!  -|\n))*)", text, re.MULTILINE)
    assert len(found) > 3
    result = []
    for head, rest in found:
        options = re.findall(r"--[\w-]+", head)
        placeholder = re.sub(r"^-\S+ ?", "", head.split(", -")[0])
        result.append((options[0], placeholder, " ".join(rest.split())))
    return result


def needed(text):
    """The options with which an option has an effect, by its text."""
    pairs = re.findall(r"(?:, with| and) (--[\w-]+)(?: ([\w.-]+))?", text)  # without a value if it is yes or no
    return [word for pair in pairs for word in pair if word]


@pytest.mark.parametrize("words", KINDS, ids=" ".join)
def test_every_option_that_the_help_lists_is_taken(words, ctree_command):
    source = str(EXAMPLES / "shop") if "--relational" in words else "golf"
    for option, placeholder, text in listed(words):
        if option in ("--resume", "--save-every"):  # of the command, not of the learner
            continue
        value = re.split(r"[|,]", placeholder.strip("{}"))[0] if placeholder.startswith("{") else None
        value = value or (TAKEN.get(placeholder) or TAKEN[placeholder.split("|")[0]] if placeholder else None)
        value = "1" if option == "--lookahead" else value
        given = [option, *([value] if value else []), *needed(text)]
        if option == "--threshold-spacing":
            given += ["--max-thresholds", "2"]
        if "mcmc" in words:
            given += [word for pair in OF_CHAINS.items() if pair[0] not in given for word in pair]
        if option == "--max-steps":
            given = ["--max-steps", "100", "--samples", "10"]
        if option == "--members":
            given = ["--members", "2"]
        elif "--committee" in words:
            given += ["--members", "1"]
        answer = ctree_command("learn", source, *words, *given)
        assert answer.status == 0, (given, answer.err)


@pytest.mark.parametrize("words", KINDS, ids=" ".join)
def test_the_help_says_what_words_and_none_mean(words):
    for option, placeholder, text in listed(words):
        told, _, default = text.rpartition(" (default: ")
        if placeholder.startswith("{"):
            for word in placeholder.strip("{}").split(","):
                if word not in ("yes", "no"):
                    assert re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", told), (option, word, told)
        if default == "none)" and option != "--aggregates":  # of which there are none
            assert re.search(r"\bnone\b", told), (option, told)
        assert "paper" not in re.sub(r"sweep-paper", "", told), (option, told)


@pytest.mark.parametrize(
    ("words", "without"),
    [
        (["--method", "c4.4"], ["--approach", "--confidence", "--subtree-raising", "--significance"]),
        (["--method", "chi2"], ["--confidence", "--approach"]),
        (["--method", "dl8"], ["--tree-prior", "--gamma", "--delta", "--test-prior", "--objective"]),
        (["--relational", "--method", "chi2"], ["--confidence"]),
        (["--relational", "--method", "c4.5"], ["--significance", "--present-classes"]),
    ],
)
def test_options_without_effect_are_not_listed_and_not_taken(words, without, ctree_command):
    have = [option for option, _, _ in listed(words)]
    assert not set(have) & set(without)
    source = str(EXAMPLES / "shop") if "--relational" in words else "golf"
    for option in without:
        answer = ctree_command("learn", source, *words, option, "0.5")
        assert answer.status == 2
        assert f"{option} is " in answer.err


def test_the_general_help_has_the_methods_first_and_no_options_of_one():
    for words, methods in (([], METHODS), (["--relational"], RELATIONAL_METHODS)):
        text = help_text("learn", *words)
        assert len(text.splitlines()) < 110
        assert "--min-cases X" not in text
        places = [text.index(f"\n  {name} ") for name in methods]
        assert places == sorted(places)
        assert text.index("\n  -o MODEL") < places[0] < text.index(" are read:\n")
    assert "\noptions of --committee bagging:\n  --members N " in help_text("learn", "--relational")


def test_lines_are_not_broken_within_an_option():
    for words in KINDS:
        assert not re.search(r"--[a-z]*(?:-[a-z]+)*-\n", help_text("learn", *words))
