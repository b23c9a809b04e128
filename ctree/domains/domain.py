"""What a parameter may be: its check, its spelling in a file and on the command line, its description."""

from __future__ import annotations

from typing import Any

from ctree.domains.plain import is_list, plain
from ctree.errors import ParameterError
from ctree.wording import abbreviated, either, near_match, shortened, unquoted


class Domain:
    """The values that a parameter may have, `names` among them, one of which may be misspelt."""

    metavar = "VALUE"
    names: tuple[str, ...] = ()
    names_attributes = False
    """Whether a value names attributes of the cases, so that there has to be each of them."""

    def accepts(self, value: Any) -> bool:
        """Whether a value is one of them."""
        raise NotImplementedError

    def words(self) -> list[str]:
        """The values in words, kind by kind."""
        raise NotImplementedError

    def describe(self) -> str:
        """The values in words, as in "must be ..."."""
        return either(self.words())

    def type_text(self) -> str:
        """The values as the head of an entry in a docstring says them."""
        return self.describe()

    def typed(self) -> list[str]:
        """The values in words, as they are typed on the command line."""
        return self.words()

    def typed_values(self) -> tuple[str, ...]:
        """Those of them that are words on the command line."""
        return self.names

    def parse(self, text: str) -> Any:
        """The value that a text stands for; a ValueError if it has not the form of one."""
        raise NotImplementedError

    def spelled(self, value: Any) -> str:
        """A value as `parse` takes it."""
        return f"{value:g}" if isinstance(value, float) else str(value)

    def to_plain(self, value: Any) -> Any:
        """A value in the types of JSON."""
        return plain(value)

    def from_plain(self, value: Any) -> Any:
        """The value that `to_plain` gave, or whatever stands in its place: `check` is for the caller."""
        return value

    def check(self, name: str, value: Any) -> None:
        """Refuse a value that is not one of them."""
        if not self.accepts(value):
            raise self._refusal(name, value)

    def read(self, name: str, text: str) -> Any:
        """The value that a text stands for, or an error that says what would be right."""
        try:
            value = self.parse(text.strip())
        except ValueError:
            raise self._refusal(name, text) from None
        self.check(name, value)
        return value

    def read_typed(self, text: str) -> Any:
        """The same for what is typed on the command line, where the message begins with the option."""
        try:
            value = self.parse(text.strip())
            if self.accepts(value):
                return value
        except ValueError:
            value = text
        words = "".join(self._hints(value))
        raise ParameterError(f"it should be {either(self.typed())}, not '{abbreviated(text.strip())}'{words}")

    def _hints(self, value: Any) -> list[str]:
        """At what was probably meant, if a name is misspelt."""
        entries = value if is_list(value) else [value]
        return [near_match(e, self.names, 0.8) for e in entries if isinstance(e, str) and e not in self.names][:1]

    def _refusal(self, name: str, value: Any) -> ParameterError:
        return ParameterError(f"{name} must be {self.describe()}, not {shortened(value)}{''.join(self._hints(value))}")


class Flag(Domain):
    """True or False.

    Examples
    --------
    >>> Flag().read("prune", "no")
    False
    """

    metavar = "{yes,no}"
    spellings = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}  # noqa: RUF012

    def accepts(self, value: Any) -> bool:
        if isinstance(value, bool):
            return True
        return getattr(getattr(value, "dtype", None), "kind", "") == "b" and getattr(value, "shape", None) == ()

    def words(self) -> list[str]:
        return ["True", "False"]

    def typed(self) -> list[str]:
        return ["yes", "no"]

    def typed_values(self) -> tuple[str, ...]:
        return ("yes", "no")

    def type_text(self) -> str:
        return "bool"

    def parse(self, text: str) -> bool:
        if text.lower() not in self.spellings:
            raise ValueError
        return self.spellings[text.lower()]

    def spelled(self, value: Any) -> str:
        return "yes" if value else "no"


class Nothing(Domain):
    """None, where that means something."""

    metavar = "none"

    def accepts(self, value: Any) -> bool:
        return value is None

    def words(self) -> list[str]:
        return ["None"]

    def typed(self) -> list[str]:
        return ["none"]

    def typed_values(self) -> tuple[str, ...]:
        return ("none",)

    def parse(self, text: str) -> None:
        if text.lower() != "none":
            raise ValueError

    def spelled(self, value: Any) -> str:
        return "none"


class Choice(Domain):
    """One of some names.

    Examples
    --------
    >>> Choice("gain-ratio", "gain").check("criterion", "gini")
    Traceback (most recent call last):
    ...
    ctree.errors.ParameterError: criterion must be 'gain-ratio' or 'gain', not 'gini'
    """

    def __init__(self, *names: str) -> None:
        self.names = names

    @property
    def metavar(self) -> str:  # type: ignore[override]
        return "{" + ",".join(self.names) + "}"

    def accepts(self, value: Any) -> bool:
        return isinstance(value, str) and value in self.names

    def words(self) -> list[str]:
        return [f"'{name}'" for name in self.names]

    def typed(self) -> list[str]:
        return list(self.names)

    def type_text(self) -> str:
        if len(self.names) == 1:
            return f'"{self.names[0]}"'
        return "{" + ", ".join(f'"{name}"' for name in self.names) + "}"

    def parse(self, text: str) -> str:
        return unquoted(text)


class AnyOf(Domain):
    """The values of several domains.

    Examples
    --------
    >>> from ctree.domains.numeric import Integer
    >>> bins = AnyOf(Integer(least=1), Nothing())
    >>> bins.read("bins", "none"), bins.read("bins", "5"), bins.describe()
    (None, 5, 'a whole number of at least 1 or None')
    """

    def __init__(self, *domains: Domain) -> None:
        self.domains = domains
        self.names = tuple(name for domain in domains for name in domain.names)
        self.names_attributes = any(domain.names_attributes for domain in domains)

    @property
    def metavar(self) -> str:  # type: ignore[override]
        parts = [word for domain in self.domains for word in domain.typed_values() or (domain.metavar,)]
        only_words = all(domain.typed_values() for domain in self.domains)
        return "{" + ",".join(parts) + "}" if only_words else "|".join(parts)

    def accepts(self, value: Any) -> bool:
        return any(domain.accepts(value) for domain in self.domains)

    def words(self) -> list[str]:
        return [word for domain in self.domains for word in domain.words()]

    def typed(self) -> list[str]:
        return [word for domain in self.domains for word in domain.typed()]

    def typed_values(self) -> tuple[str, ...]:
        return tuple(value for domain in self.domains for value in domain.typed_values())

    def type_text(self) -> str:
        return either([domain.type_text() for domain in self.domains])

    def parse(self, text: str) -> Any:
        found = []
        for domain in self.domains:
            try:
                found.append(domain.parse(text))
            except ValueError:
                continue
        for value in found:
            if self.accepts(value):
                return value
        if not found:
            raise ValueError
        return found[0]

    def spelled(self, value: Any) -> str:
        return next((d.spelled(value) for d in self.domains if d.accepts(value)), str(value))

    def to_plain(self, value: Any) -> Any:
        return next((d.to_plain(value) for d in self.domains if d.accepts(value)), plain(value))

    def from_plain(self, value: Any) -> Any:
        for domain in self.domains:
            result = domain.from_plain(value)
            if domain.accepts(result):
                return result
        return value
