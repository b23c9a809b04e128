"""Parameters and fitted attributes of a learner, each declared once, in the body of its class.

::

    class MajorityClassifier(Classifier):
        '''Predicts the most frequent class.'''

        smoothing: float = parameter(1.0, Number(least=0), "What is added to the count of every class.")
        counts_: Floats = fitted("array (classes,)", "The weight of the cases of each class.")

From this follow the constructor, with an ordinary signature of keywords; the check in `fit`; the sections of the
docstring; the option ``--smoothing`` of the command; the specification ``majority(smoothing=2)`` in comparisons; and
the field of a saved model.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from textwrap import fill, indent
from typing import Any, Literal, overload

from ctree.data.fields import Fields, shown_json
from ctree.data.files.text_file import abbreviated
from ctree.domains.domain import Domain
from ctree.errors import ModelError, ParameterError

UNCHANGED = object()

EXPLAINS = re.compile(r'(?:(?:``"[^"]+"``(?:, )?)+|None):')
"""How a sentence begins that tells what a value means, or several."""

WIDTH = 116
"""Of the lines of a docstring."""


@dataclass(frozen=True)
class Parameter:
    """What there is to know of a parameter.

    Parameters
    ----------
    default : object
    domain : Domain
        What it may be.
    help : str
        What it does: the first sentence is for the command's help, and so are those that begin with a value, as in
        ``None: no limit.``; all of them are for the documentation.
    only_if : mapping of str to tuple
        The values of other parameters with which it has an effect; always, if empty.
    aliases : tuple of str
        Further names of its option on the command line, as they are typed.
    on_command_line : bool
        Whether it has an option there.
    name : str
        Given by the class.
    """

    default: Any
    domain: Domain
    help: str
    only_if: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    on_command_line: bool = True
    name: str = ""

    def check(self, value: Any) -> None:
        """Refuse a value that the parameter may not have."""
        self.domain.check(self.name, value)

    def read(self, text: str) -> Any:
        """The value that a text on the command line or in a specification stands for."""
        return self.domain.read(self.name, text)

    @property
    def summary(self) -> str:
        """The first sentence of the help, without its period."""
        return re.split(r"(?<=[.])\s", self.help, maxsplit=1)[0].removesuffix(".")

    @property
    def explained(self) -> list[str]:
        """The sentences of the help that tell what single values mean, each beginning with them, without periods."""
        sentences = re.split(r"(?<=[.])\s", self.help)[1:]
        return [sentence.removesuffix(".") for sentence in sentences if EXPLAINS.match(sentence)]

    @property
    def condition(self) -> str:
        """With which values of other parameters it has an effect, in words; empty if with all."""
        domains = [f"{name}={' or '.join(repr(value) for value in values)}" for name, values in self.only_if.items()]
        return " and ".join(domains)


@dataclass(frozen=True)
class Fitted:
    """An attribute that `fit` sets; without a text it is nobody's business but the learner's."""

    type_text: str = ""
    help: str = ""


@dataclass(frozen=True)
class _Changed:
    """A parameter of a parent class with another default, domain or text."""

    changes: dict[str, Any]


def parameter(
    default: Any,
    domain: Domain,
    help: str,
    *,
    only_if: Mapping[str, tuple[Any, ...]] | None = None,
    aliases: tuple[str, ...] = (),
    on_command_line: bool = True,
) -> Any:
    """Declare a parameter in the body of a learner's class; see `Parameter`."""
    return Parameter(default, domain, help, only_if or {}, aliases, on_command_line)


def changed(default: Any = UNCHANGED, **changes: Any) -> Any:
    """Declare again a parameter of a parent class, with another default or whatever else is given."""
    return _Changed(changes if default is UNCHANGED else {"default": default, **changes})


# The literal tells type checkers that such a field is no argument of the constructor.
@overload
def fitted(type_text: str = ..., help: str = ..., *, init: Literal[False] = False) -> Any: ...
@overload
def fitted(type_text: str = ..., help: str = ..., *, init: bool) -> Any: ...
def fitted(type_text: str = "", help: str = "", *, init: bool = False) -> Any:
    """Declare an attribute that `fit` sets; with its type and meaning, it is listed in the documentation."""
    return Fitted(type_text, help)


def declare(cls: Any) -> None:
    """Collect what the body of a learner's class declares, and make its constructor and docstring of it."""
    own = {name: value for name, value in vars(cls).items() if isinstance(value, Parameter | Fitted | _Changed)}
    inherited = _inherited(cls)
    declared: dict[str, Parameter | Fitted] = {}
    for name, value in own.items():
        delattr(cls, name)
        if isinstance(value, _Changed):
            value = replace(inherited[name], **value.changes)
        declared[name] = replace(value, name=name) if isinstance(value, Parameter) else value
    cls._declared = declared
    # its own before those that it shares with other learners
    everything = {name: value for name, value in declared.items() if name not in inherited}
    everything |= {name: declared.get(name, value) for name, value in inherited.items()}
    cls._parameters = {name: value for name, value in everything.items() if isinstance(value, Parameter)}
    if "__init__" not in vars(cls):
        cls.__init__ = _constructor(cls._parameters, cls.__qualname__)
    if vars(cls).get("__doc__") is not None:
        cls.__doc__ = _Documentation(cls.__doc__, everything)


def check_parameters(parameters: Mapping[str, Parameter], values: Mapping[str, Any]) -> None:
    """Refuse the first value that its parameter may not have."""
    for name, declared in parameters.items():
        declared.check(values[name])


def check_effect(parameters: Mapping[str, Parameter], given: Mapping[str, Any]) -> None:
    """Refuse a parameter that was given though it has no effect with the values of the others."""
    for name in given:
        for other, values in parameters[name].only_if.items():
            value = given.get(other, parameters[other].default)
            if value not in values:
                raise ParameterError(f"{name} has an effect only with {parameters[name].condition}")


def plain_parameters(parameters: Mapping[str, Parameter], values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of parameters in the types of JSON."""
    return {name: declared.domain.to_plain(values[name]) for name, declared in parameters.items()}


def parameters_from_fields(parameters: Mapping[str, Parameter], fields: Fields, owner: str) -> dict[str, Any]:
    """The parameters of a saved model; one that the file does not have keeps its default."""
    result = {}
    for name in fields:
        if name not in parameters:
            raise ModelError(f"{owner} has no parameter '{abbreviated(name)}'")
        value = parameters[name].domain.from_plain(fields.value(name))
        if not parameters[name].domain.accepts(value):
            expected = parameters[name].domain.describe()
            raise ModelError(f"'{fields.place_of(name)}' should be {expected}, not {shown_json(fields.value(name))}")
        result[name] = value
    return result


def _inherited(cls: Any) -> dict[str, Any]:
    """What the parents declare, the nearest parent first; what is declared again stands where it was first."""
    order: dict[str, Any] = {}
    nearest: dict[str, Any] = {}
    for base in cls.__mro__[1:]:
        for name, value in vars(base).get("_declared", {}).items():
            nearest.setdefault(name, value)
            order.pop(name, None)
            order[name] = value
    return {name: nearest[name] for name in order}


def _constructor(parameters: Mapping[str, Parameter], owner: str) -> Any:
    """An `__init__` that sets the parameters and does nothing else, as scikit-learn asks."""
    arguments = "".join(f", {name}=defaults[{name!r}]" for name in parameters)
    lines = [f"self.{name} = {name}" for name in parameters] or ["pass"]
    source = f"def __init__(self{', *' if parameters else ''}{arguments}):\n" + indent("\n".join(lines), "    ")
    names: dict[str, Any] = {"defaults": {name: declared.default for name, declared in parameters.items()}}
    exec(source, names)  # as dataclasses does it
    made = names["__init__"]
    made.__qualname__ = f"{owner}.__init__"
    made.__doc__ = "Set the parameters; see the class."
    return made


class _Documentation:
    """The docstring of a class, put together when somebody reads it: nobody does in most processes."""

    def __init__(self, text: str, declared: Mapping[str, Parameter | Fitted]) -> None:
        self.text = text
        self.declared = declared
        self.made: str | None = None

    def __get__(self, instance: object, owner: Any) -> str:
        if self.made is None:
            self.made = _with_sections(self.text, owner, self.declared)
        return self.made


def _with_sections(text: str, cls: Any, declared: Mapping[str, Parameter | Fitted]) -> str:
    """A docstring with the parameters and attributes of its class, before the sections that it has already."""
    text = inspect.cleandoc(text)
    found = re.search(r"^\w[\w ]*\n-{3,}$", text, re.MULTILINE)
    head, tail = (text[: found.start()].rstrip(), text[found.start() :]) if found else (text, "")
    parameters = [_parameter_entry(value) for value in declared.values() if isinstance(value, Parameter)]
    attributes = [
        _entry(f"{name} : {value.type_text}", value.help)
        for name, value in declared.items()
        if isinstance(value, Fitted) and value.help
    ]
    attributes += [_entry(name, inspect.getdoc(value) or "") for name, value in _properties(cls)]
    sections = [_section("Parameters", parameters)] if parameters else []
    sections += [_section("Attributes", attributes)] if attributes else []
    return "\n\n".join([head, *sections, *([tail] if tail else [])])


def _properties(cls: Any) -> list[tuple[str, Any]]:
    """What a fitted model gives when it is asked."""
    # not by `inspect.getmembers`, which would ask for the docstring that is being made
    found = [(n, getattr(cls, n)) for n in dir(cls) if n.endswith("_") and not n.startswith("_")]
    return [(n, p) for n, p in found if isinstance(p, property) and p.__doc__]


def _section(title: str, entries: list[str]) -> str:
    return "\n".join([title, "-" * len(title), *entries])


def _parameter_entry(declared: Parameter) -> str:
    text = declared.help
    if declared.condition:
        text += f" Only with ``{declared.condition}``."
    return _entry(f"{declared.name} : {declared.domain.type_text()}, default={_literal(declared.default)}", text)


def _entry(head: str, text: str) -> str:
    paragraphs = [fill(part, WIDTH - 4, break_long_words=False) for part in text.split("\n\n")]
    return "\n".join([head, indent("\n\n".join(paragraphs), "    ")]).rstrip()


def _literal(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)
