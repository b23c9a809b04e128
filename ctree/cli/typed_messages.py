"""What learners and functions say of their parameters, in the words of a person who types options.

Errors and warnings name parameters as Python does, `min_cases` and ``estimate='m'``. Here, and nowhere else, they
become ``--min-cases`` and ``--estimate m``, by the options that the command has.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from functools import cache

from ctree.learners.registry import CALLED

_VALUE = r"""(?:'[^']*'|"[^"]*"|\[[^]]*\]|\([^)]*\)|True|False|None|[-+]?[0-9][\w.+-]*)"""
_DATA = re.compile(r" among | columns are | classes are ")
"""After this come names from the data, which may be like those of parameters."""

_WORDS = {"True": "yes", "False": "no", "None": "none"}

Options = Mapping[str, argparse.Action]


def as_typed(message: str, options: Options, about_data: bool = False) -> str:
    """A message with these options, by their names with dashes, in the place of parameters.

    Where it is `about_data`, words that stand alone are those of the data; only ``estimate='m'`` is a parameter.

    Examples
    --------
    >>> parser = argparse.ArgumentParser()
    >>> _ = parser.add_argument("--min-cases"), parser.add_argument("--estimate")
    >>> as_typed("min_cases must be a number or None, not 'm'", parser._option_string_actions)
    "--min-cases must be a number or none, not 'm'"
    >>> as_typed("m has an effect only with estimate='m' or 'm-branch'", parser._option_string_actions)
    'm has an effect only with --estimate m or m-branch'
    >>> as_typed("a C45Classifier has no chains to continue", {})
    'a C4.5 tree has no chains to continue'
    """
    by_name: dict[str, argparse.Action] = {}
    for option, action in options.items():
        if option.startswith("--"):
            by_name.setdefault(option[2:].replace("-", "_"), action)
            by_name.setdefault(action.dest.split()[-1], action)

    def typed(found: re.Match[str]) -> str:
        kind, text = found.lastgroup, found[0]
        if kind == "none":
            return text if about_data else "none"
        if kind == "model":
            return CALLED[found["model"]]
        name = found["set"] or found["by"] or found["name"] or found["begins"]
        if name is None or name not in by_name or (about_data and found["values"] is None):
            return text
        option = _option(by_name[name])
        if found["values"] is not None:
            return _with_values(option, found["values"], f"--no-{option[2:]}" in options, by_name[name].nargs == 0)
        return option if found["key"] is None else f"{option} {found['key']}"

    end = _DATA.search(message)
    head, tail = (message, "") if end is None else (message[: end.start()], message[end.start() :])
    return _phrases().sub(typed, head) + tail


@cache
def _phrases() -> re.Pattern[str]:
    """What may be a parameter; made for the first message, as most commands have none."""
    return re.compile(
        rf"""\b(?P<set>[a-z]\w*)=(?P<values>{_VALUE}(?:\ or\ {_VALUE})*)  # estimate='m' or 'm-branch'
        | \b(?P<by>[a-z]\w*)\['(?P<key>[^']*)'\]                        # links['order.product']
        | (?<!\w)(?P<quoted>'[^']*'|"[^"]*")(?!\w)                      # of files, columns and values
        | \b(?P<name>[a-z]+_\w+)\b                                      # min_cases
        | (?:^|(?<=;\ ))(?P<begins>[a-z]\w*)(?=\ (?:must|is|has|names|should|allows)\b)  # moves must be
        | \b(?P<none>None)\b
        | \b(?:[Aa]n?|[Tt]his)\ (?P<model>{"|".join(CALLED)})\b         # a C45Classifier
        """,
        re.VERBOSE,
    )


def _option(action: argparse.Action) -> str:
    """The option as it is shown first, with two dashes."""
    return next(option for option in action.option_strings if option.startswith("--"))


def _with_values(option: str, values: str, can_be_denied: bool, is_switch: bool) -> str:
    """An option with what it is set to."""
    words = re.findall(_VALUE, values)
    if is_switch and len(words) == 1:
        return f"--no-{option[2:]}" if words == ["False"] and can_be_denied else option
    return f"{option} {' or '.join(_WORDS.get(word, word.strip(chr(39) + chr(34))) for word in words)}"
