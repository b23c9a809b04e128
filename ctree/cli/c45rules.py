"""`ctree c4.5rules`: Quinlan's options, and what his program prints."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from ctree.cli.c45 import USAGE, OptionError, number_in, whole_in
from ctree.errors import CtreeError

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
    if any(a in ("-h", "--help") for a in arguments):
        print(HELP, end="")
        return 0
    try:
        options = parse(arguments)
    except OptionError as problem:
        print(f"ctree c4.5rules: {problem}", file=sys.stderr)
        return problem.status
    from ctree.cli.c45rules_output import report

    try:
        report(options)
    except CtreeError as error:
        print(f"ctree c4.5rules: {error}", file=sys.stderr)
        return 1
    return 0


def parse(arguments: list[str]) -> Options:
    """Quinlan's options, one an argument, values attached or following."""
    options = Options()
    flags = {"u": "unseen", "s": "group_values", "g": "gain_only"}
    numbers = {"c": ("confidence", 0.001, 100), "r": ("redundancy", 0.001, 1000), "F": ("fisher", 0.001, 100)}
    rest = list(arguments)
    while rest:
        argument = rest.pop(0)
        letter = argument[1:2]
        if not argument.startswith("-") or letter not in "fuvcrFasgm" or not letter:
            raise OptionError(f"unknown option '{argument}'; `ctree c4.5rules --help` lists the options", USAGE)
        if letter == "a":
            raise OptionError("option -a (simulated annealing) is not available", USAGE)
        if letter in flags:
            if len(argument) > 2:
                raise OptionError(f"'{argument}': option -{letter} takes no value; give one option an argument", USAGE)
            setattr(options, flags[letter], True)
            continue
        if len(argument) == 2 and not rest:
            raise OptionError(f"option -{letter} needs a value", USAGE)
        value = argument[2:] or rest.pop(0)
        if letter == "f":
            options.stem = value
        elif letter == "v":
            whole_in(letter, value, 0, 10**6)
        elif letter == "m":
            options.min_cases = whole_in(letter, value, 1, 10**6)
        else:
            name, least, most = numbers[letter]
            setattr(options, name, number_in(letter, value, least, most))
    return options
