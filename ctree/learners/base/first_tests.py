"""Tests that come first: what they may be, and what they are for the attributes of some cases."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ctree.data.schema import Attribute, Kind, Schema
from ctree.domains.domain import Domain
from ctree.domains.numeric import Number
from ctree.domains.plain import is_list, plain
from ctree.errors import NamingError, ParameterError
from ctree.wording import abbreviated, no_such, shortened, unquoted
from ctree_ext.base.node_arrays import NodeArrays, Test


class FirstTests(Domain):
    """Attributes in an order, some with a threshold or with groups of values; whether there are such is seen in `fit`.

    Examples
    --------
    >>> FirstTests().read("first_tests", "age:30.5, region:north|south/east, sex")
    [('age', 30.5), ('region', [['north', 'south'], ['east']]), 'sex']
    """

    names_attributes = True
    metavar = "A,B:N,C:V|W/X"

    def accepts(self, value: Any) -> bool:
        return isinstance(value, list | tuple) and all(isinstance(entry, str) or _is_detailed(entry) for entry in value)

    def words(self) -> list[str]:
        return ["a list of attributes, or of pairs of an attribute with a threshold or with lists of values"]

    def typed(self) -> list[str]:
        return ["attributes, with a threshold or with groups of values if they are given, as in age:30.5,sex:m|d/f"]

    def type_text(self) -> str:
        return "list"

    def parse(self, text: str) -> list[Any]:
        return [_parsed(entry.strip()) for entry in text.strip("[] ").split(",") if entry.strip()]

    def spelled(self, value: Any) -> str:
        return ",".join(entry if isinstance(entry, str) else f"{entry[0]}:{_spelled(entry[1])}" for entry in value)

    def to_plain(self, value: Any) -> Any:
        return [
            entry
            if isinstance(entry, str)
            else [entry[0], [[plain(v) for v in group] for group in entry[1]] if is_list(entry[1]) else plain(entry[1])]
            for entry in value
        ]

    def from_plain(self, value: Any) -> Any:
        if not self.accepts(value):
            return value
        return [entry if isinstance(entry, str) else tuple(entry) for entry in value]


def _is_detailed(entry: Any) -> bool:
    if not is_list(entry) or len(entry) != 2 or not isinstance(entry[0], str):
        return False
    return Number().accepts(entry[1]) or (is_list(entry[1]) and all(is_list(group) for group in entry[1]))


def _parsed(text: str) -> Any:
    name, colon, rest = text.partition(":")
    if not colon:
        return unquoted(text)
    try:
        return unquoted(name.strip()), float(rest)
    except ValueError:
        groups = [[unquoted(value.strip()) for value in group.split("|")] for group in rest.split("/")]
        return unquoted(name.strip()), groups


def _spelled(detail: Any) -> str:
    return "/".join("|".join(map(str, group)) for group in detail) if is_list(detail) else f"{detail:g}"


class FirstTest(NamedTuple):
    """A test that comes first, by the places of attributes and values."""

    attribute: int
    threshold: float | None = None
    group: tuple[int, ...] | None = None

    def is_at(self, arrays: NodeArrays, node: int) -> bool:
        """Whether a node makes this test."""
        if arrays.attribute[node] != self.attribute or arrays.test[node] == Test.LEAF:
            return False
        if self.group is not None:
            start = arrays.group_start[node]
            return start >= 0 and tuple(arrays.group[start : start + len(self.group)].tolist()) == self.group
        return self.threshold is None or bool(arrays.threshold[node] == self.threshold)


def first_tests_of(schema: Schema, entries: Any, single: bool = False) -> tuple[FirstTest, ...]:
    """The tests that are asked for, for cases with these attributes; thresholds in 32 bits if they are so."""
    pairs = [(entry, None) if isinstance(entry, str) else entry for entry in entries or ()]
    return tuple(_first_test(schema, name, detail, single) for name, detail in pairs)


def _first_test(schema: Schema, name: str, detail: Any, single: bool) -> FirstTest:
    if name not in schema.names:
        raise NamingError(f"first_tests names '{abbreviated(name)}', but {no_such('attribute', name, schema.names)}")
    place = schema.names.index(name)
    attribute = schema[place]
    if attribute.kind is Kind.IGNORE:
        raise NamingError(
            f"first_tests names '{abbreviated(name)}', which is ignored: leave it out, or do not ignore it"
        )
    if detail is None:
        return FirstTest(place)
    if is_list(detail):
        return FirstTest(place, group=_groups(attribute, detail))
    if attribute.kind is not Kind.CONTINUOUS:
        raise ParameterError(
            f"first_tests has the threshold {shortened(detail)} for '{abbreviated(name)}', which has no numbers: name "
            "it without one, or with lists of its values"
        )
    threshold = float(detail)
    if single:  # no case lies between
        rounded = np.float32(threshold)
        threshold = float(np.nextafter(rounded, np.float32(-np.inf)) if rounded > threshold else rounded)
    return FirstTest(place, threshold)


def _groups(attribute: Attribute, groups: Any) -> tuple[int, ...]:
    """The group of each value."""
    where = f"first_tests of '{abbreviated(attribute.name)}'"
    if attribute.kind is not Kind.DISCRETE:
        raise ParameterError(f"{where} has lists of values, but it is not discrete: give it a threshold, or neither")
    branches = [-1] * len(attribute.values)
    for number, group in enumerate(groups):
        for value in group:
            if value not in attribute.values:
                raise NamingError(f"{where}: {no_such('value', value, attribute.values)}")
            code = attribute.values.index(value)
            if branches[code] >= 0:
                raise ParameterError(f"{where} has the value {shortened(value)} twice: each belongs to one list")
            branches[code] = number
    if -1 in branches:
        left = attribute.values[branches.index(-1)]
        raise ParameterError(f"{where} leaves out the value {shortened(left)}: each has to be in one of the lists")
    if len(set(branches)) != len(groups) or len(groups) < 2:
        raise ParameterError(f"{where} should have at least two lists of values, none of them empty")
    return tuple(branches)
