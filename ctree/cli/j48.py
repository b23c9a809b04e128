"""`ctree j48`: Weka's options of J48, and the tree as it prints it."""

from __future__ import annotations

from typing import Any

from ctree.cli.letter_options import OptionError, run_program
from ctree.wording import abbreviated, near_match

HELP = """\
usage: ctree j48 [-f STEM] [-u] [-U | -C CF | -R [-N FOLDS]] [-M N] [-O] [-S] [-B] [-A] [-J] [-Q SEED]
                 [-doNotMakeSplitPointActualValue]

Weka's J48: reads STEM.names and STEM.data, grows and prunes a tree, and prints it as J48 does, then how many cases it
misclassifies. In a leaf's (n/e), n training cases reach it, of which e are wrong.

  -f STEM     the file stem (default: DF)
  -u          count the errors on the cases of STEM.test as well
  -U          do not prune
  -O          do not collapse tests that save no training errors
  -C CF       pruning confidence, between 0 and 1; the smaller, the more is pruned (default 0.25)
  -M N        two branches of every test must have N cases (at least 1, default 2)
  -R          reduced-error pruning
  -N FOLDS    for -R: one of so many folds is kept for pruning (at least 2, default 3)
  -S          do not raise subtrees when pruning
  -B          test discrete attributes for one value against the others
  -A          Laplace estimates of class probabilities; the tree and its classes stay the same
  -J          do not charge thresholds for being chosen among many
  -Q SEED     accepted for compatibility, without effect
  -doNotMakeSplitPointActualValue
              use midpoints between two values as thresholds
  -h, --help  show this text

example: ctree j48 -f examples/golf -M 2 -C 0.25

A more convenient command, with long options and saved models, is `ctree learn --variant j48`.
"""

FLAGS: dict[str, dict[str, Any]] = {
    "-U": {"prune": False},
    "-O": {"collapse": False},
    "-R": {"prune": "reduced-error"},
    "-S": {"subtree_raising": False},
    "-B": {"binary_splits": True},
    "-A": {"estimate": "laplace"},
    "-J": {"mdl_correction": False},
    "-doNotMakeSplitPointActualValue": {"actual_thresholds": False},
}
"""What each option means to `C45Classifier`."""

VALUED = ("-f", "-C", "-M", "-N", "-Q")
"""Options that a value follows."""

EXCLUSIVE = (("-U", "-S"), ("-U", "-R"), ("-U", "-C"), ("-R", "-C"))


def run_j48(arguments: list[str]) -> int:
    """Run the command; the exit status."""
    return run_program("j48", HELP, arguments, parse, lambda options: report(*options))


def report(stem: str, unseen: bool, parameters: dict[str, Any]) -> None:
    """Read the cases, learn, and print."""
    from ctree.data.files.c45_files import read_c45
    from ctree.learners.c45.classifier import C45Classifier
    from ctree.render.j48_text import j48_text

    data = read_c45(stem, unknown_class="keep")  # their values count, though they have no class
    test = read_c45(stem, "test", unknown_class="drop") if unseen else None
    model = C45Classifier(variant="j48", **parameters).fit(data)
    print(j48_text(model.tree_, pruned=model.prune is not False, full_cuts=model.binary_splits))
    for name, cases in (("training", data), ("test", test)):
        if cases is None or cases.classes is None:
            continue
        cases = cases.take(cases.classes >= 0)
        if cases.n_cases:
            wrong = round((1 - model.score(cases)) * cases.n_cases)
            print(f"Errors on {name} data: {wrong} of {cases.n_cases} ({100 * wrong / cases.n_cases:.1f}%)")


def parse(arguments: list[str]) -> tuple[str, bool, dict[str, Any]]:
    """The stem, whether to use the test cases, and the parameters of the learner."""
    stem, unseen, given = "DF", False, set()
    parameters: dict[str, Any] = {}
    rest = list(arguments)
    while rest:
        option = rest.pop(0)
        given.add(option)
        if option in FLAGS:
            parameters.update(FLAGS[option])
        elif option == "-u":
            unseen = True
        elif option not in VALUED:
            hint = near_match(option, (*FLAGS, "-u", *VALUED))
            raise OptionError(f"unknown option '{abbreviated(option)}'{hint}; `ctree j48 --help` lists the options")
        elif not rest:
            raise OptionError(f"option {option} needs a value")
        elif option == "-f":
            stem = rest.pop(0)
        elif option == "-C":
            parameters["confidence"] = _number(option, rest.pop(0))
            if not 0 < parameters["confidence"] < 1:
                raise OptionError("option -C takes a number between 0 and 1, both excluded")
        elif option == "-M":
            parameters["min_cases"] = _integer(option, rest.pop(0), 1)
        elif option == "-N":
            parameters["n_folds"] = _integer(option, rest.pop(0), 2)
        else:
            _number(option, rest.pop(0))
    for one, other in EXCLUSIVE:
        if one in given and other in given:
            raise OptionError(f"{one} and {other} are mutually exclusive")
    if "-N" in given and "-R" not in given:
        raise OptionError("-N is the number of folds for -R, which is not given")
    return stem, unseen, parameters


def _number(option: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise OptionError(f"option {option} takes a number, not '{abbreviated(text)}'") from None


def _integer(option: str, text: str, least: int) -> int:
    value = _number(option, text)
    if not least <= value < 1e15 or value != int(value):
        raise OptionError(f"option {option} takes a whole number of at least {least}, not '{abbreviated(text)}'")
    return int(value)
