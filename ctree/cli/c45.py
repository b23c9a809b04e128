"""`ctree c4.5`: Quinlan's options, and what his program prints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from ctree.cli.letter_options import check_verbosity, integer_in, number_in, read_letters, run_program

HELP = """\
usage: ctree c4.5 [-f STEM] [-u] [-s] [-p] [-g] [-m N] [-c PERCENT] [-t N] [-w N] [-i N] [-b] [-v N]

C4.5 release 8: reads STEM.names and STEM.data, grows and prunes a tree, and prints what Quinlan's program prints.
One option per argument; its value follows, attached (-m5) or as the next argument (-m 5).

  -f STEM     the file stem (default: DF)
  -u          evaluate on the cases of STEM.test as well
  -s          test groups of values of discrete attributes
  -p          print the tree once more with soft thresholds, each with its bounds
  -g          choose tests by gain instead of gain ratio
  -m N        two branches of every test must have N cases (1 to 1000000, default 2)
  -c PERCENT  pruning confidence; the smaller, the more is pruned (0.001 to 100, default 25)
  -t N        windowing, with N trials (1 to 10000, default 10)
  -w N        windowing, the first window of N cases (1 to 1000000)
  -i N        windowing, at most N cases added at a time (1 to 1000000)
  -b          no windowing (the default)
  -v N        accepted for compatibility, without effect
  -h, --help  show this text

example: ctree c4.5 -f examples/golf -m 2 -c 25

A more convenient command, with long options and saved models, is `ctree learn`.
"""


@dataclass
class Options:
    """What the arguments ask for; None where they do not say."""

    stem: str = "DF"
    unseen: bool = False
    group_values: bool = False
    gain_only: bool = False
    soft_thresholds: bool = False
    min_cases: int | None = None
    confidence: float | None = None
    windowing: bool = False
    trials: int | None = None
    window: int | None = None
    increment: int | None = None
    given: list[str] = field(default_factory=list, compare=False)  # the letters, in the order of the arguments


def run_c45(arguments: list[str]) -> int:
    """Run the command; the exit status."""
    return run_program("c4.5", HELP, arguments, parse, _report)


def _report(options: Options) -> None:
    from ctree.cli.c45_output import report  # numpy and the kernels wait until the options are right

    report(options)


def parse(arguments: list[str]) -> Options:
    """What Quinlan's options ask for."""
    options = Options()

    def window(name: str, letter: str, most: int) -> Callable[[str], None]:
        def setting(text: str) -> None:
            setattr(options, name, integer_in(letter, text, 1, most))
            options.windowing = True

        return setting

    flags = {"u": "unseen", "s": "group_values", "g": "gain_only", "p": "soft_thresholds"}
    options.given = read_letters(
        "c4.5",
        arguments,
        {letter: partial(setattr, options, name, True) for letter, name in flags.items()}
        | {"b": partial(setattr, options, "windowing", False)},
        {
            "f": partial(setattr, options, "stem"),
            "m": lambda text: setattr(options, "min_cases", integer_in("m", text, 1, 10**6)),
            "c": lambda text: setattr(options, "confidence", number_in("c", text, 0.001, 100)),
            "v": check_verbosity,
            "t": window("trials", "t", 10**4),
            "w": window("window", "w", 10**6),
            "i": window("increment", "i", 10**6),
        },
    )
    return options
