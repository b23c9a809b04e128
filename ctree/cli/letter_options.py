"""Options of one letter, as the original programs have them, and how a command that takes them is run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ctree.cli.streams import say
from ctree.errors import CtreeError, ParameterError
from ctree.wording import abbreviated, near_match

USAGE = 2


class OptionError(Exception):
    """A wrong option."""


def run_program(
    name: str, text: str, arguments: list[str], parse: Callable[[list[str]], Any], report: Callable[[Any], None]
) -> int:
    """Show the help `text`, or parse the arguments and report what they ask for; the exit status."""
    if any(a in ("-h", "--help") for a in arguments):
        print(text, end="")
        return 0
    try:
        options = parse(arguments)
    except OptionError as problem:
        say(f"ctree {name}: {abbreviated(problem, 400)}")
        return USAGE
    try:
        report(options)
    except CtreeError as error:
        say(f"ctree {name}: {error}")
        return USAGE if isinstance(error, ParameterError) else 1
    return 0


def read_letters(
    name: str,
    arguments: Sequence[str],
    flags: Mapping[str, Callable[[], None]],
    values: Mapping[str, Callable[[str], None]],
) -> list[str]:
    """Quinlan's options, one an argument, values attached or following; the letters given, in their order.

    `flags` and `values` say what to do about each letter without and with a value.
    """
    rest = list(arguments)
    given: dict[str, None] = {}
    while rest:
        argument = rest.pop(0)
        letter = argument[1:2]
        if not argument.startswith("-") or letter not in {*flags, *values}:
            hint = near_match(argument[:2], [f"-{known}" for known in (*flags, *values)])
            raise OptionError(
                f"unknown option '{abbreviated(argument)}'{hint}; `ctree {name} --help` lists the options"
            )
        given[letter] = None
        if letter in flags:
            if len(argument) > 2:
                raise OptionError(
                    f"'{abbreviated(argument)}': option -{letter} takes no value; give one option an argument"
                )
            flags[letter]()
            continue
        if len(argument) == 2 and not rest:
            raise OptionError(f"option -{letter} needs a value")
        values[letter](argument[2:] or rest.pop(0))
    return list(given)


def number_in(letter: str, text: str, least: float, most: float) -> float:
    """The number that an option was given, within the bounds that Quinlan's programs have for it."""
    try:
        value = float(text)
    except ValueError:
        raise OptionError(f"** illegal value ** option -{letter} takes a number, not '{abbreviated(text)}'") from None
    if not least <= value <= most:
        raise OptionError(f"** illegal value ** option -{letter} goes from {least} to {most}, not {abbreviated(text)}")
    return value


def integer_in(letter: str, text: str, least: int, most: int) -> int:
    """The same for a whole number."""
    value = number_in(letter, text, least, most)
    if value != int(value):
        raise OptionError(f"** illegal value ** option -{letter} takes a whole number, not '{abbreviated(text)}'")
    return int(value)


def check_verbosity(text: str) -> None:
    """Option -v, which is accepted and has no effect."""
    integer_in("v", text, 0, 10**6)
