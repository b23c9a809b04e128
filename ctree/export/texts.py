"""Names, values and classes that a language cannot express, which an export refuses in one sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from ctree.data.files.text_file import abbreviated
from ctree.data.schema import Attribute, Label, Schema
from ctree.errors import ModelError

NO_TEXT = re.compile("[\0\ud800-\udfff]")
"""What no text of C or SQL has: it ends at a NUL, and half of a surrogate pair is not UTF-8."""

NO_XML = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""What a document of XML 1.0 may not have, not even as a reference."""


def check_texts(
    schema: Schema,
    attributes: Iterable[Attribute],
    forbidden: re.Pattern[str],
    language: str,
    others: Sequence[tuple[str, str]] = (),
) -> None:
    """Refuse the classes, and the names and values of these attributes, if one has a character that is forbidden.

    Parameters
    ----------
    schema : Schema
    attributes : iterable of Attribute
    forbidden : pattern of a character
    language : str
        What cannot represent it.
    others : sequence of pairs of str
        Further texts, each after what it is.
    """
    for what, text in others:
        check_text(what, text, forbidden, language)
    for label in schema.classes:
        check_text("the class", str(label), forbidden, language)
    for attribute in attributes:
        check_text("the attribute", attribute.name, forbidden, language)
        for value in attribute.values:
            check_text(f"attribute '{abbreviated(attribute.name)}': the value", str(value), forbidden, language)


def check_text(what: str, text: str, forbidden: re.Pattern[str], language: str) -> None:
    """Refuse a text that has a forbidden character; an error says what it is."""
    found = forbidden.search(text)
    if found is not None:
        character = f"U+{ord(found.group()):04X}"
        raise ModelError(
            f"{what} '{abbreviated(text)}' has the character {character}, which {language} cannot represent"
        )


def check_distinct(labels: Sequence[Label], what: str, language: str, text: Callable[[Label], str] = str) -> None:
    """Refuse labels of which two would be one text, as 1 and "1" are."""
    seen: set[str] = set()
    for label in labels:
        written = text(label)
        if written in seen:
            raise ModelError(f"{what} has two labels that {language} would both call '{abbreviated(written)}'")
        seen.add(written)
