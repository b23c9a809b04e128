"""What the subcommands' options share: checked numbers, and help in one form."""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from textwrap import fill, wrap
from typing import Any, NoReturn, TypeAlias

from ctree.errors import LONGEST, ParameterError
from ctree.wording import abbreviated, abbreviated_path, near_match

EXIT_STATUS = "exit status: 0 success; 1 failure, with one sentence on standard error; 2 wrong usage; 130 Ctrl-C"

OPTIONS = "known options"
"""Where the options of the parser that did its work stand among the parsed arguments, each with its action."""

Subparsers: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
Group: TypeAlias = "argparse._ArgumentGroup"


WHOLE: dict[str, Any] = {"break_on_hyphens": False, "break_long_words": False}
"""How lines are broken: an option stays in one piece."""


class HelpFormatter(argparse.HelpFormatter):
    """Fills the lines of a paragraph, and leaves examples as they are."""

    def __init__(self, prog: str, **options: Any) -> None:
        super().__init__(prog, **{"width": _width(), **options})

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if "\n  " in text else fill(text, width, initial_indent=indent, subsequent_indent=indent, **WHOLE)

    def _split_lines(self, text: str, width: int) -> list[str]:
        return wrap(" ".join(text.split()), width, **WHOLE)


def _width() -> int:
    """That of the terminal, less two. `shutil`, which argparse asks, would be loaded with all kinds of archives."""
    columns = 0
    with suppress(KeyError, ValueError):
        columns = int(os.environ["COLUMNS"])
    if columns <= 0:
        with suppress(AttributeError, ValueError, OSError):  # the output is closed, or no terminal
            columns = os.get_terminal_size(sys.__stdout__.fileno()).columns  # type: ignore[union-attr]
    return (columns if columns > 0 else 80) - 2


class Parser(argparse.ArgumentParser):
    """A parser whose help fails, as any other output does, where it cannot be written; it knows `--option=--`."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        self._words = [] if args is None else list(args)
        namespace, extras = super().parse_known_args(args, namespace)
        if not hasattr(namespace, OPTIONS):  # that of the subcommand comes first
            setattr(namespace, OPTIONS, dict(self._option_string_actions))
        for action in self._actions:  # argparse takes the value of `--option=--` away and leaves an empty list
            value = getattr(namespace, action.dest, None)
            if action.option_strings and action.nargs is None and value != action.default and value in ([], [[]]):
                self.error(f"argument {'/'.join(action.option_strings)}: expected one argument")
        return namespace, extras

    def _print_message(self, message: str, file: Any = None) -> None:
        if message and file is sys.stdout:
            file.write(message)
        else:
            super()._print_message(message, file)

    def error(self, message: str) -> NoReturn:
        if message.startswith("the following arguments are required"):
            # argparse says nothing of a misspelt option if one is missing, which may be the same
            words = self._words[: self._words.index("--") if "--" in self._words else None]
            known = self._option_string_actions
            unknown = [word for word in words if word.startswith("--") and word.partition("=")[0] not in known]
            if unknown:
                message = f"{unrecognized(unknown[:1], known)}, and {message}"
        super().error(abbreviated(message, LONGEST))

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            hint = near_match(value, action.choices)
            known = ", ".join(map(str, action.choices))
            raise argparse.ArgumentError(action, f"invalid choice: '{abbreviated(value)}'{hint}; choose from {known}")


def unrecognized(arguments: Sequence[str], known: Iterable[str]) -> str:
    """What to say of arguments that a parser with these options did not take."""
    option = next((text.partition("=")[0] for text in arguments if text.startswith("-")), None)
    return f"unrecognized arguments: {abbreviated(' '.join(arguments), 200)}{near_match(option, known)}"


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
            raise argparse.ArgumentTypeError(f"it should be a number{bound}, not '{abbreviated(text)}'") from None
        if not (above < value <= most and math.isfinite(value)):
            raise argparse.ArgumentTypeError(f"it should be a number{bound}, not {abbreviated(text)}")
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
            raise argparse.ArgumentTypeError(
                f"it should be a whole number of at least {least}, not '{abbreviated(text)}'"
            )
        return value

    return convert


def memory_size(text: str) -> int:
    """An option's type: a number of bytes, such as 500MB."""
    from ctree.domains.numeric import Memory

    try:
        return int(Memory(least=1 << 20).read("memory", text))
    except ParameterError:
        raise argparse.ArgumentTypeError(
            f"it should be a size such as 500MB or 2GB, not '{abbreviated(text)}'"
        ) from None


def threads(text: str) -> int:
    """An option's type: a number of threads, -1 for all cores."""
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value == 0:
        raise argparse.ArgumentTypeError(f"it should be a whole number, or -1 for all cores, not '{abbreviated(text)}'")
    return value


def names(text: str) -> list[str]:
    """An option's type: names with commas between them."""
    return [name.strip() for name in text.split(",") if name.strip()]


def add_reading_options(group: Group, parquet: bool = False) -> None:
    """The options of how files of cases are read, Parquet files among them or not."""
    last = "class column of a .csv or .arff file (default: the last)"
    group.add_argument(
        "--class",
        dest="class_name",
        metavar="NAME",
        help=f"{last}, or of Parquet files, which need it" if parquet else last,
    )
    group.add_argument(
        "--discrete",
        "--categorical-features",
        type=names,
        action="extend",
        default=[],
        metavar="A,B",
        help=f"numeric columns of a .csv file{' or of Parquet files' if parquet else ''} to treat as discrete",
    )
    add_unknown_class(group, "a case whose class is ?: refuse the file, or skip the case")


def add_unknown_class(group: Group, what: str) -> None:
    """The option of what becomes of those without a class."""
    group.add_argument(
        "--unknown-class", choices=("error", "drop"), default="error", help=f"{what} (default: %(default)s)"
    )


def add_safe_csv(group: argparse._ActionsContainer) -> None:
    """The option of what a spreadsheet may not run."""
    group.add_argument(
        "--safe-csv",
        action="store_true",
        help="put an apostrophe before text in CSV that a spreadsheet would run as a formula (=, +, -, @)",
    )


def misuse(message: str, path: str) -> ParameterError:
    """That options, or a path, are not for a file like this: wrong usage, whatever is in the file."""
    return ParameterError(f"{abbreviated_path(path)}: {message}")
