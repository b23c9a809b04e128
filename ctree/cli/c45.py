"""`ctree c4.5`: Quinlan's options, and what his program prints."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from ctree.errors import CtreeError

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

OUT_OF_RANGE = 1
USAGE = 2


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


class OptionError(Exception):
    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


def run_c45(arguments: list[str]) -> int:
    """Run the command; the exit status."""
    if any(a in ("-h", "--help") for a in arguments):
        print(HELP, end="")
        return 0
    try:
        options = parse(arguments)
    except OptionError as problem:
        print(f"ctree c4.5: {problem}", file=sys.stderr)
        return problem.status
    from ctree.cli.c45_output import report

    try:
        report(options)
    except CtreeError as error:
        print(f"ctree c4.5: {error}", file=sys.stderr)
        return 1
    return 0


def parse(arguments: list[str]) -> Options:
    """Quinlan's options, one an argument, values attached or following."""
    options = Options()
    flags = {"u": "unseen", "s": "group_values", "g": "gain_only", "p": "soft_thresholds"}
    whole = {"m": ("min_cases", 10**6), "t": ("trials", 10**4), "w": ("window", 10**6), "i": ("increment", 10**6)}
    rest = list(arguments)
    while rest:
        argument = rest.pop(0)
        letter = argument[1:2]
        if not argument.startswith("-") or letter not in "fusgbvmcptwi" or not letter:
            raise OptionError(f"unknown option '{argument}'; `ctree c4.5 --help` lists the options", USAGE)
        if letter in flags or letter == "b":
            if len(argument) > 2:
                raise OptionError(f"'{argument}': option -{letter} takes no value; give one option an argument", USAGE)
            if letter == "b":
                options.windowing = False
            else:
                setattr(options, flags[letter], True)
            continue
        if len(argument) == 2 and not rest:
            raise OptionError(f"option -{letter} needs a value", USAGE)
        value = argument[2:] or rest.pop(0)
        if letter == "f":
            options.stem = value
        elif letter == "c":
            options.confidence = number_in(letter, value, 0.001, 100)
        elif letter == "v":
            whole_in(letter, value, 0, 10**6)
        else:
            name, most = whole[letter]
            setattr(options, name, whole_in(letter, value, 1, most))
            options.windowing = options.windowing or letter in "twi"
    return options


def number_in(letter: str, text: str, least: float, most: float) -> float:
    try:
        value = float(text)
    except ValueError:
        raise OptionError(f"** illegal value ** option -{letter} takes a number, not '{text}'", OUT_OF_RANGE) from None
    if not least <= value <= most:
        raise OptionError(f"** illegal value ** option -{letter} goes from {least} to {most}, not {text}", OUT_OF_RANGE)
    return value


def whole_in(letter: str, text: str, least: int, most: int) -> int:
    value = number_in(letter, text, least, most)
    if value != int(value):
        raise OptionError(f"** illegal value ** option -{letter} takes a whole number, not '{text}'", OUT_OF_RANGE)
    return int(value)
