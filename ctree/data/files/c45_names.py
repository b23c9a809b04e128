"""The `.names` files of C4.5: the classes, then each attribute with its values.

::

    Play, Don't Play.          | the classes

    outlook: sunny, overcast, rain.
    temperature: continuous.
    colour: discrete 12.       | the values are those of the .data file, 12 at the most
    size: [ordered] small, medium, large.
    since: date.               | as are time and timestamp
    number: label.             | what the cases are called
    case weight: continuous.
    id: ignore.

`[ordered]`, dates and times, `label` and `case weight` are C5.0's.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ctree.data.files.text_file import BOM, abbreviated, path_text, read_utf8
from ctree.data.schema import Attribute, Kind, Label, Schema
from ctree.errors import DataError
from ctree.wording import shortened


@dataclass(frozen=True)
class Token:
    """A name, value or class as it stands in a file."""

    text: str
    delimiter: str  # what ended it: "," or ":", or "." for everything else
    escaped: bool  # whether it has a backslash, and so is never a keyword
    line: int
    mark: str = ""  # what stands before it behind a colon: "[ordered]", or "=" of a formula


@dataclass(frozen=True)
class NamesFile:
    """What a `.names` file says.

    Parameters
    ----------
    schema : Schema
        An attribute whose values are to be collected from the data has none here.
    limits : tuple of int
        For each attribute the N of `discrete N`, 0 where the values are listed.
    weight : int or None
        The place of the attribute that has the weights of the cases, which is an ignored one.
    """

    schema: Schema
    limits: tuple[int, ...]
    weight: int | None = None


WEIGHT = "case weight"
"""What the attribute is called that has the weights of the cases."""

ORDERED, FORMULA = MARKS = ("[ordered]", "=")
"""What may stand behind a colon, before values or in their place."""

MOMENT_WORDS = {"date": Kind.DATE, "time": Kind.TIME, "timestamp": Kind.TIMESTAMP}


def read_names(path: str | os.PathLike[str]) -> Schema:
    """Read a `.names` file.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    Schema
        An attribute declared `discrete N` is a discrete one without values: those are in the `.data` file, from which
        `read_c45` completes the schema.

    Examples
    --------
    >>> import ctree, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "golf.names")
    >>> _ = path.write_text("Play, Don't Play. outlook: sunny, overcast, rain. humidity: continuous.")
    >>> schema = ctree.read_names(path)
    >>> schema.classes, schema.names
    (('Play', "Don't Play"), ('outlook', 'humidity'))
    """
    return parse_names(path).schema


def parse_names(path: str | os.PathLike[str]) -> NamesFile:
    """Read a `.names` file with the limits of its `discrete N` attributes."""
    file = path_text(path)
    text = read_utf8(file)
    tokens = list(tokens_of(text))
    if not tokens:
        raise DataError("the file is empty; it should list the classes and the attributes", file)
    classes, rest = _take_list(tokens, 0)
    if classes[-1].delimiter == ":":
        message = f"the classes should come first, but '{abbreviated(classes[-1].text)}' is followed by a colon"
        raise DataError(message, file, classes[-1].line)
    _check_list(classes, "the list of classes", file)
    attributes: list[Attribute] = []
    limits: list[int] = []
    names: set[str] = set()
    weight: int | None = None
    while rest < len(tokens):
        name = tokens[rest]
        _check_name(name, names, file)
        names.add(name.text)
        values, rest = _take_list(tokens, rest + 1)
        attribute, limit = _attribute(name, values, file)
        if name.text == WEIGHT and attribute.is_continuous:
            weight, attribute = len(attributes), Attribute(WEIGHT, Kind.IGNORE)
        attributes.append(attribute)
        limits.append(limit)
    if not attributes:
        raise DataError("there are no attributes after the classes", file, tokens[-1].line)
    return NamesFile(Schema(tuple(attributes), tuple(t.text for t in classes)), tuple(limits), weight)


def _take_list(tokens: Sequence[Token], start: int) -> tuple[Sequence[Token], int]:
    """The tokens from `start` as long as commas join them, and where the next begins."""
    stop = start
    while stop < len(tokens) and tokens[stop].delimiter == ",":
        stop += 1
    stop = min(stop + 1, len(tokens))
    return tokens[start:stop], stop


def _check_name(name: Token, names: set[str], file: str) -> None:
    if not name.text:
        raise DataError("an attribute has no name before its colon", file, name.line)
    if name.delimiter != ":":
        raise DataError(f"a colon is expected after the attribute name '{abbreviated(name.text)}'", file, name.line)
    if name.text in names:
        raise DataError(f"two attributes are called '{abbreviated(name.text)}'", file, name.line)


def _check_list(tokens: Sequence[Token], what: str, file: str) -> None:
    if tokens[-1].delimiter == ",":
        message = f"the file ends after the comma behind '{abbreviated(tokens[-1].text)}'; {what} should go on"
        raise DataError(message, file, tokens[-1].line)
    seen: set[str] = set()
    for token in tokens:
        if not token.text:
            raise DataError(f"{what} has an empty name between its commas", file, token.line)
        if token.text in seen:
            raise DataError(f"{what} has '{abbreviated(token.text)}' twice", file, token.line)
        seen.add(token.text)


def _attribute(name: Token, values: Sequence[Token], file: str) -> tuple[Attribute, int]:
    """The attribute that a name and what follows its colon stand for, and its limit if it is `discrete N`."""
    shown_name = abbreviated(name.text)
    if not values:
        message = f"the file ends after the name of attribute '{shown_name}'; its values are missing"
        raise DataError(message, file, name.line)
    if values[0].mark == FORMULA:
        message = (
            f"attribute '{shown_name}' is defined by a formula, which is not supported: compute it where the cases are "
            f"made, write it as a field of the .data file, and declare it as '{shown_name}: continuous.'"
        )
        raise DataError(message, file, name.line)
    if values[-1].delimiter == ":":
        message = (
            f"the values of attribute '{shown_name}' do not end before the colon after '{abbreviated(values[-1].text)}'"
        )
        raise DataError(message, file, values[-1].line)
    only = values[0]
    if len(values) == 1 and not only.escaped and not only.mark and only.delimiter == ".":
        if only.text == "continuous":
            return Attribute(name.text, Kind.CONTINUOUS), 0
        if only.text in ("ignore", "label"):
            return Attribute(name.text, Kind.IGNORE, is_label=only.text == "label"), 0
        if only.text in MOMENT_WORDS:
            return Attribute(name.text, MOMENT_WORDS[only.text]), 0
        if re.match(r"discrete(\s|\d|$)", only.text):
            return Attribute(name.text, Kind.DISCRETE), _limit(name, only, file)
    kind = Kind.DISCRETE
    if only.mark == ORDERED:
        kind = Kind.ORDERED
        if len(values) == 1 and not only.text:
            message = (
                f"attribute '{shown_name}' is [ordered] but lists no values; they should follow in their order, as in "
                "'size: [ordered] small, medium, large.'"
            )
            raise DataError(message, file, only.line)
    _check_list(values, f"attribute '{shown_name}'", file)
    return Attribute(name.text, kind, tuple(t.text for t in values)), 0


def _limit(name: Token, declaration: Token, file: str) -> int:
    """The N of `discrete N`."""
    digits = declaration.text.removeprefix("discrete").strip()
    if not re.fullmatch(r"[0-9]{1,9}", digits) or int(digits) < 1:
        message = (
            f"attribute '{abbreviated(name.text)}' is declared '{abbreviated(declaration.text)}', "
            "but 'discrete' needs the greatest number of values, as in 'discrete 10'"
        )
        raise DataError(message, file, declaration.line)
    return int(digits)


_PLAIN = re.compile(r"[^,:\n|.\\ ]+")
_WHITE = " \t\r\n"


def tokens_of(text: bytes) -> Iterator[Token]:
    """The tokens of a `.names` file."""
    string = text.removeprefix(BOM).decode("utf-8")
    line, counted, position = 1, 0, 0
    delimiter = ""
    while True:
        position = _skip_white(string, position)
        if position >= len(string):
            return
        line += string.count("\n", counted, position)
        counted = position
        mark = next((mark for mark in MARKS if delimiter == ":" and string.startswith(mark, position)), "")
        if mark == FORMULA and string[position - 1] != ":":
            mark = ""  # a value that begins with this sign
        if mark:
            position = _skip_white(string, position + len(mark))
        word, stop, escaped = _scan(string, position)
        position, delimiter = _delimiter(string, stop)
        yield Token(word.rstrip(_WHITE), delimiter, escaped, line, mark)


def _skip_white(string: str, position: int) -> int:
    while position < len(string):
        if string[position] == "|":
            newline = string.find("\n", position)
            position = len(string) if newline < 0 else newline
        elif string[position] not in _WHITE:
            break
        else:
            position += 1
    return position


def _scan(string: str, start: int) -> tuple[str, int, bool]:
    """The token at `start` without its escapes and runs of spaces, where it stops, and whether it was escaped."""
    parts: list[str] = []
    escaped = False
    i, end = start, len(string)
    while i < end:
        if plain := _PLAIN.match(string, i):
            parts.append(plain.group())
            i = plain.end()
            continue
        c, following = string[i], string[i + 1 : i + 2]
        if c == "." and following and following not in _WHITE + "|":
            # The character after a period is ordinary, be it a period or a backslash; a comma or colon still ends.
            parts.append(c if following in ",:" else c + following)
            i += len(parts[-1])
        elif c == "\\" and following:
            escaped = True
            parts.append(following)
            i += 2
        elif c == "\\":
            parts.append(c)
            i += 1
        elif c == " ":
            if not parts or not parts[-1].endswith(" "):
                parts.append(c)
            i += 1
        else:
            break
    return "".join(parts), i, escaped


def _delimiter(string: str, stop: int) -> tuple[int, str]:
    """Where to read on after a token, and the kind of its delimiter."""
    c = string[stop : stop + 1]
    if c and c in ",:":
        return stop + 1, c
    return (stop + 1 if c == "." else stop), "."


def escape(label: Label, what: str) -> str:
    """A label in the form in which it is read back; one that no escape can save is a `DataError`."""
    text = str(label)
    if not text:
        raise DataError(f"{what} is empty, which a C4.5 file cannot express")
    if text[-1] in _WHITE:
        raise DataError(
            f"{what} is '{abbreviated(text)}' with white space at its end, which a C4.5 file cannot express"
        )
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise DataError(f"{what} is '{abbreviated(text)}', which is not Unicode text") from None
    # Special characters anywhere; at the start also what would be skipped; a second space in a row.
    escaped = re.sub(r"([,:|.?\\\n])", r"\\\1", text)
    escaped = re.sub(r"^([ \t\r\ufeff])", r"\\\1", escaped)
    return re.sub(r"(?<= ) ", r"\\ ", escaped)


def names_text(schema: Schema, weighted: bool = False) -> str:
    """The text of the `.names` file of a schema; of one whose cases have weights, if it has an attribute for them."""
    if not schema.attributes:
        raise DataError("a schema without attributes cannot be written as a C4.5 file")
    if not schema.classes:
        raise DataError("a schema without classes cannot be written as a C4.5 file")
    lines = [", ".join(escape_all(schema.classes, "a class")) + ".", ""]
    for name, attribute in zip(escape_all(schema.names, "an attribute name"), schema, strict=True):
        is_weight = weighted and attribute.name == WEIGHT
        lines.append(f"{name}: {'continuous' if is_weight else _values_text(attribute)}.")
    return "\n".join(lines) + "\n"


def escape_all(labels: Sequence[Label], what: str) -> list[str]:
    """Labels in the form in which they are read back; two that would become one are a `DataError`."""
    written: dict[str, Label] = {}
    for label in labels:
        text = escape(label, what)
        if text in written:
            both = f"{what} is {shortened(written[text])} and another is {shortened(label)}"
            raise DataError(f"{both}, which a C4.5 file cannot tell apart")
        written[text] = label
    return list(written)


def _values_text(attribute: Attribute) -> str:
    if attribute.kind not in (Kind.DISCRETE, Kind.ORDERED):
        return "label" if attribute.is_label else str(attribute.kind.value)
    if not attribute.values:
        return "discrete 1"  # whatever the number, no value will be collected
    values = escape_all(attribute.values, f"a value of attribute '{abbreviated(attribute.name)}'")
    if attribute.is_ordered:
        return f"{ORDERED} {', '.join(values)}"
    words = r"discrete|(continuous|ignore|label|date|time|timestamp)$"
    is_word = len(values) == 1 and "\\" not in values[0] and re.match(words, values[0])
    if is_word or values[0].startswith(MARKS):
        values[0] = "\\" + values[0]
    return ", ".join(values)
