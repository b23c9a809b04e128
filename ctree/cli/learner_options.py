"""The parameters of learners as options of the command, as each is declared."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ctree.cli.options import Group, unrecognized
from ctree.domains.domain import AnyOf, Flag
from ctree.errors import ParameterError
from ctree.learners.base.parameters import Parameter
from ctree.learners.registry import Method, committees_for, methods_for, methods_with
from ctree.wording import nearest

PREFIX = "parameter "
"""Before the names of parameters among the parsed arguments: no option of a command can have the same."""

PROPER_NAMES = ("Dirichlet",)
"""Words that keep their capital letter at the beginning of a help text."""

TAKEN = ("method",)
"""Parameters whose option `ctree learn` has itself: a learner that has one is given it by the entry of its method."""


def option_name(name: str) -> str:
    """The option that sets a parameter."""
    return "--" + name.replace("_", "-")


def add_learner_options(group: Group, method: Method) -> None:
    """Add an option for each parameter of a method; what is not given is left to the learner."""
    add_parameters(group, method.parameters())


def add_parameters(group: Group, parameters: Mapping[str, Parameter]) -> None:
    """Add an option for each of these."""
    for name, parameter in parameters.items():
        if parameter.on_command_line and name not in TAKEN:
            _add_option(group, name, parameter, _help(parameter, parameters))


def given_parameters(args: argparse.Namespace) -> dict[str, Any]:
    """The parameters that were given, by name."""
    return {key.removeprefix(PREFIX): value for key, value in vars(args).items() if key.startswith(PREFIX)}


def explain_unknown(
    method: str, extras: Sequence[str], relational: bool = False, own: Iterable[str] = ()
) -> str | None:
    """Why an option is not known, if another method has it, or one for the other kind of data."""
    option = next((text.partition("=")[0] for text in extras if text.startswith("--")), None)
    if option is None:
        return None
    name = option.removeprefix("--").removeprefix("no-").replace("-", "_")
    having = methods_with(name, relational)
    if (relational or not having) and _is_of_committees(option, relational):
        return f"{option} is for committees, which need --committee"
    fixed = methods_for(relational)[method].fixed
    if name in fixed:
        return f"{option} is determined by --method {method}: {name} is {fixed[name]}"
    if having:
        longer = [other for other in own if other.startswith(f"{option}-")]
        also = f"; there are also {' and '.join(longer)}" if longer else ""
        return f"{option} is not an option of --method {method}, but of {', '.join(having)}{also}"
    if methods_with(name, not relational):
        others = "tables of cases" if relational else "linked tables (--relational)"
        return f"{option} is not an option of --method {method}, but of methods for {others}"
    return None


def explain_misspelt(method: str, extras: Sequence[str], own: Iterable[str], relational: bool = False) -> str | None:
    """What to say of a misspelt option that looks like one of another method, and like none of its own."""
    option = next((text.partition("=")[0] for text in extras if text.startswith("--")), None)
    others = [option_name(name) for other in methods_for(relational).values() for name in other.parameters()]
    meant = None if nearest(option, own) is not None else nearest(option, others)
    if meant is None:
        return None
    return f"{unrecognized(extras, others)}; {explain_unknown(method, [meant], relational)}"


def _is_of_committees(option: str, relational: bool) -> bool:
    """Whether it sets a parameter that only committees have."""
    declared = [item for one in committees_for(relational).values() for item in one.own_parameters().items()]
    return any(option in (option_name(name), *parameter.aliases) for name, parameter in declared)


def _add_option(group: Group, name: str, parameter: Parameter, text: str) -> None:
    shared: dict[str, Any] = {"dest": PREFIX + name, "default": argparse.SUPPRESS}
    option = option_name(name)
    if isinstance(parameter.domain, Flag):
        group.add_argument(option, *parameter.aliases, action=argparse.BooleanOptionalAction, help=text, **shared)
        return
    group.add_argument(
        *parameter.aliases[::-1],
        option,
        type=_reader(parameter),
        metavar=parameter.domain.metavar,
        help=text,
        **shared,
    )
    if isinstance(parameter.domain, AnyOf) and any(isinstance(domain, Flag) for domain in parameter.domain.domains):
        group.add_argument("--no-" + option[2:], action="store_false", help=f"the same as {option} no", **shared)


def _reader(parameter: Parameter) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        try:
            return parameter.domain.read_typed(text)
        except ParameterError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return read


def _help(parameter: Parameter, others: Mapping[str, Parameter]) -> str:
    """The help of a parameter's option, in which others go by their options, too."""
    text = parameter.summary
    if not text[1:2].isupper() and not text.startswith(PROPER_NAMES):
        text = text[0].lower() + text[1:]
    conditions = [_spelled(others[name], values) for name, values in parameter.only_if.items() if name in others]
    text = "; ".join(
        [", with ".join([text, *([" and ".join(conditions)] if conditions else [])]), *parameter.explained]
    )
    text = text.replace("`tree_`", "the tree").replace('``"', "").replace('"``', "").replace("``", "")
    text = re.sub(r"`(\w+)`", lambda m: option_name(m[1]) if m[1] in others else m[1], text)
    text = re.sub(r"\b[a-z]+_[a-z_]+\b", lambda m: option_name(m[0]) if m[0] in others else m[0], text)
    text = re.sub(r"\bNone\b", "none", text.replace("`", "").replace("%", "%%"))
    return f"{text} (default: {parameter.domain.spelled(parameter.default)})"


def _spelled(parameter: Parameter, values: Sequence[Any]) -> str:
    if isinstance(parameter.domain, Flag):
        return option_name(parameter.name if values == (True,) else f"no_{parameter.name}")
    spelling = {True: "yes", False: "no", None: "none"}
    words = [spelling[value] if value is None or isinstance(value, bool) else str(value) for value in values]
    return f"{option_name(parameter.name)} {' or '.join(words)}"


def methods_text(methods: Mapping[str, Method]) -> str:
    """The methods with what they learn, a line each."""
    width = max(map(len, methods))
    return "\n".join(f"  {name:<{width}}  {method.summary}" for name, method in methods.items())
