"""`ctree c4.5rules`: Quinlan's options, and what his program prints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from ctree.cli.letter_options import OptionError, check_verbosity, integer_in, number_in, read_letters, run_program

HELP = """\
usage: ctree c4.5rules [-f STEM] [-u] [-c PERCENT] [-r N] [-F PERCENT] [-s] [-g] [-m N] [-v N]

C4.5 release 8, rules: reads STEM.names and STEM.data, grows a tree as `ctree c4.5` does, makes rules of it before it is
pruned, and prints what Quinlan's c4.5rules prints. (His reads the tree from STEM.unpruned.)
One option per argument; its value follows, attached (-c10) or as the next argument (-c 10).

  -f STEM     the file stem (default: DF)
  -u          evaluate on the cases of STEM.test as well
  -c PERCENT  confidence; the smaller, the more conditions are deleted (0.001 to 100, default 25)
  -r N        redundancy; greater if attributes are redundant, to keep more rules (0.001 to 1000, default 1)
  -F PERCENT  delete conditions also by Fisher's test, at this level (0.001 to 100, default: no test)
  -v N        accepted for compatibility, without effect
  -h, --help  show this text

The tree may be grown with these options of `ctree c4.5`, which Quinlan's c4.5rules does not have:

  -s          test groups of values of discrete attributes
  -g          choose tests by gain instead of gain ratio
  -m N        two branches of every test must have N cases (1 to 1000000, default 2)

example: ctree c4.5rules -f examples/golf

A more convenient command, with long options and saved models, is `ctree learn --method c4.5rules`.
"""


@dataclass
class Options:
    """What the arguments ask for."""

    stem: str = "DF"
    unseen: bool = False
    confidence: float = 25
    redundancy: float = 1.0
    fisher: float | None = None
    group_values: bool = False
    gain_only: bool = False
    min_cases: int = 2


def run_c45rules(arguments: list[str]) -> int:
    """Run the command; the exit status."""
    return run_program("c4.5rules", HELP, arguments, parse, _report)


def _report(options: Options) -> None:
    from ctree.cli.c45rules_output import report  # numpy and the kernels wait until the options are right

    report(options)


def parse(arguments: list[str]) -> Options:
    """What Quinlan's options ask for."""
    options = Options()

    def annealing() -> None:
        raise OptionError("option -a (simulated annealing) is not available")

    def number(name: str, letter: str, most: float) -> Callable[[str], None]:
        return lambda text: setattr(options, name, number_in(letter, text, 0.001, most))

    flags = {"u": "unseen", "s": "group_values", "g": "gain_only"}
    read_letters(
        "c4.5rules",
        arguments,
        {letter: partial(setattr, options, name, True) for letter, name in flags.items()} | {"a": annealing},
        {
            "f": partial(setattr, options, "stem"),
            "m": lambda text: setattr(options, "min_cases", integer_in("m", text, 1, 10**6)),
            "v": check_verbosity,
            "c": number("confidence", "c", 100),
            "r": number("redundancy", "r", 1000),
            "F": number("fisher", "F", 100),
        },
    )
    return options
