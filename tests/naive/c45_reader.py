"""The C4.5 case file read character by character: slow, obvious, and independent of the compiled reader.

A file becomes a list of lines of tokens; a case is made of one line, or of several where a line ends with a comma.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ctree.data.schema import Kind, Schema

BLANKS = " \t\r"
WHITE = BLANKS + "\n"


class WrongFile(Exception):  # noqa: N818
    """The file is not in order; the message names the kind of fault."""


@dataclass
class Token:
    """A token, whether a backslash stood in it, and whether it ended at a comma or colon."""

    text: str
    escaped: bool
    comma: bool


def cases_of_tokens(text: str, n_fields: int) -> list[list[Token]]:
    """The tokens of each case; a comma at the end of a line is of no account if the case is complete."""
    text = text.removeprefix("\ufeff")
    cases: list[list[Token]] = []
    open_case = False  # whether the last case goes on in the next line
    position = 0
    while position < len(text):
        line, position = tokens_of_line(text, position)
        if not line:
            continue  # blank, or only a comment: does not end an open case
        if open_case:
            cases[-1].extend(line)
        else:
            cases.append(line)
        open_case = line[-1].comma and len(cases[-1]) < n_fields
    return cases


def tokens_of_line(text: str, position: int) -> tuple[list[Token], int]:
    """The tokens up to the next newline that is not part of one, and the position after it."""
    tokens: list[Token] = []
    while True:
        while position < len(text) and text[position] in BLANKS:
            position += 1
        if position == len(text):
            return tokens, position
        if text[position] == "\n":
            return tokens, position + 1
        if text[position] == "|":
            while position < len(text) and text[position] != "\n":
                position += 1
            continue
        token, position = one_token(text, position)
        tokens.append(token)


def one_token(text: str, position: int) -> tuple[Token, int]:
    """The token that starts here, and the position of what is to be read next."""
    letters: list[str] = []
    escaped = False
    while position < len(text):
        letter = text[position]
        following = text[position + 1 : position + 2]
        if letter in ",:":
            return Token("".join(letters).rstrip(WHITE), escaped, True), position + 1
        if letter in "\n|":
            break
        if letter == ".":
            if following == "" or following in WHITE or following == "|":
                position += 1
                break
            letters.append(".")
            position += 1
            if following not in ",:":
                letters.append(following)
                position += 1
        elif letter == "\\" and following:
            escaped = True
            letters.append(following)
            position += 2
        elif letter == " " and letters and letters[-1] == " ":
            position += 1
        else:
            letters.append(letter)
            position += 1
    # A token that ends at a newline or comment leaves it for the line; one that is followed by nothing ends the file.
    return Token("".join(letters).rstrip(WHITE), escaped, False), position


def number(text: str) -> float:
    """A decimal number, by Python's own float."""
    if not re.fullmatch(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?", text):
        raise WrongFile("not a number")
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise WrongFile("too large")
    return value


def read_cases(text: str, schema: Schema) -> tuple[list[list[object]], list[object]]:
    """For each case the list of its values (None for unknown), and the list of classes."""
    rows: list[list[object]] = []
    classes: list[object] = []
    for tokens in cases_of_tokens(text, len(schema) + 1):
        row = [cell(token, attribute) for token, attribute in zip(tokens, schema, strict=False)]
        if len(tokens) <= len(schema):
            raise WrongFile("short")
        label = tokens[len(schema)]
        if label.text == "?" and not label.escaped:
            raise WrongFile("unknown class")
        if label.text not in schema.classes:
            raise WrongFile("no such class")
        if len(tokens) > len(schema) + 1:
            raise WrongFile("long")
        rows.append(row)
        classes.append(label.text)
    if not rows:
        raise WrongFile("no cases")
    return rows, classes


def cell(token: Token, attribute: object) -> object:
    """One value as the schema means it."""
    kind = attribute.kind  # type: ignore[attr-defined]
    if kind is Kind.IGNORE or (token.text == "?" and not token.escaped):
        return None
    if kind is Kind.CONTINUOUS:
        return None if token.text == "N/A" and not token.escaped else number(token.text)
    if token.text not in attribute.values:  # type: ignore[attr-defined]
        if token.text == "N/A" and not token.escaped:
            return None
        raise WrongFile("no such value")
    return token.text
