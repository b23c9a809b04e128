"""What the subcommands' options share: checked numbers, help in one form, warnings."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from typing import TypeAlias

EXIT_STATUS = "exit status: 0 success; 1 failure, with one sentence on standard error; 2 wrong usage"

Subparsers: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
Group: TypeAlias = "argparse._ArgumentGroup"


class HelpFormatter(argparse.HelpFormatter):
    """Fills the lines of a paragraph, and leaves examples as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if "\n  " in text else super()._fill_text(text, width, indent)


def add_command(
    subparsers: Subparsers, name: str, operands: str, description: str, examples: str
) -> argparse.ArgumentParser:
    """The parser of a subcommand, with its description before and its examples after the options."""
    return subparsers.add_parser(
        name,
        usage=f"ctree {name} {operands} [options]",
        description=description,
        epilog=f"{examples}\n\n{EXIT_STATUS}",
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )


def number(*, above: float = -math.inf, most: float = math.inf) -> Callable[[str], float]:
    """An option's type: a number within bounds."""

    def convert(text: str) -> float:
        bound = f" greater than {above:g}" if above > -math.inf else ""
        bound += f" and at most {most:g}" if most < math.inf else ""
        try:
            value = float(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"it should be a number{bound}, not '{text}'") from None
        if not (above < value <= most and math.isfinite(value)):
            raise argparse.ArgumentTypeError(f"it should be a number{bound}, not {text}")
        return int(value) if value.is_integer() else value

    return convert


def integer(*, least: int) -> Callable[[str], int]:
    """An option's type: a whole number from a bound on."""

    def convert(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if value < least:
            raise argparse.ArgumentTypeError(f"it should be a whole number of at least {least}, not '{text}'")
        return value

    return convert


def threads(text: str) -> int:
    """An option's type: a number of threads, -1 for all cores."""
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value == 0:
        raise argparse.ArgumentTypeError(f"it should be a whole number, or -1 for all cores, not '{text}'")
    return value


def names(text: str) -> list[str]:
    """An option's type: names with commas between them."""
    return [name.strip() for name in text.split(",") if name.strip()]


def add_reading_options(group: Group) -> None:
    """The options of how files of cases are read."""
    group.add_argument(
        "--class", dest="class_name", metavar="NAME", help="class column of a .csv or .arff file (default: the last)"
    )
    group.add_argument(
        "--discrete",
        "--categorical-features",
        type=names,
        action="extend",
        default=[],
        metavar="A,B",
        help="numeric columns of a .csv file to treat as discrete",
    )
    group.add_argument(
        "--unknown-class",
        choices=("error", "drop"),
        default="error",
        help="a case whose class is ?: refuse the file, or skip the case (default: %(default)s)",
    )


def warn(message: str) -> None:
    print(f"ctree: warning: {message}", file=sys.stderr)
