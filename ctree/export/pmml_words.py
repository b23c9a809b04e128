"""The words of PMML: names and values in XML, expressions and predicates."""

from __future__ import annotations

from xml.sax.saxutils import quoteattr

from ctree.data.schema import Attribute, Label
from ctree.export.texts import check_distinct


def apply(function: str, *arguments: str) -> str:
    """An expression: a function of others."""
    return f'<Apply function="{function}">{"".join(arguments)}</Apply>'


def equal(attribute: Attribute, value: Label) -> str:
    """Whether an attribute has a value, which stands in an attribute of XML: pmml4s loses signs such as < in a text."""
    indicator = f"<NormDiscrete field={quoted(attribute.name)} value={quoted(text_of(value))}/>"
    return apply("equal", indicator, constant(1.0, "double"))


def any_of(conditions: list[str]) -> str:
    """Whether one of the conditions holds; nothing where there are none."""
    return "" if not conditions else conditions[0] if len(conditions) == 1 else apply("or", *conditions)


def constant(value: float, kind: str) -> str:
    """A number in an expression."""
    return f'<Constant dataType="{kind}">{value!r}</Constant>'


def interval(field: str, low: float | None, high: float | None) -> str:
    """The predicate that a field, in quotes, lies above one number and not above another."""
    parts = []
    if low is not None:
        parts.append(f'<SimplePredicate field={field} operator="greaterThan" value="{low!r}"/>')
    if high is not None:
        parts.append(f'<SimplePredicate field={field} operator="lessOrEqual" value="{high!r}"/>')
    return parts[0] if len(parts) == 1 else compound("and", parts)


def one_of(field: str, attribute: Attribute, group: list[Label]) -> str:
    """The predicate that a field, in quotes, has one of these values of the attribute."""
    if len(group) > 1 and len(group) == len(attribute.values) - 1:
        inside = set(group)
        other = next(value for value in attribute.values if value not in inside)
        return f'<SimplePredicate field={field} operator="notEqual" value={quoted(text_of(other))}/>'
    parts = [f'<SimplePredicate field={field} operator="equal" value={quoted(text_of(value))}/>' for value in group]
    if not parts:
        return "<False/>"
    return parts[0] if len(parts) == 1 else compound("or", parts)


def compound(operator: str, parts: list[str]) -> str:
    """Predicates in one."""
    return f'<CompoundPredicate booleanOperator="{operator}">{"".join(parts)}</CompoundPredicate>'


def groups_of(attribute: Attribute, branch_of: tuple[int, ...], n_branches: int) -> list[list[Label]]:
    """The values of each branch."""
    groups: list[list[Label]] = [[] for _ in range(n_branches)]
    for value, branch in zip(attribute.values, branch_of, strict=False):
        if branch >= 0:
            groups[branch].append(value)
    return groups


def data_type(values: tuple[Label, ...], what: str) -> str:
    """The type of the values; texts and numbers together are texts, if these differ."""
    kinds = {type(v) for v in values}
    if kinds <= {bool} and kinds:
        return "boolean"
    if kinds <= {int} and kinds:
        return "integer"
    if kinds <= {int, float} and kinds:
        return "double"
    check_distinct(values, what, "PMML", text_of)
    return "string"


def text_of(value: Label) -> str:
    """A value as PMML writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def quoted(text: str) -> str:
    """A text as the value of an attribute of XML, in quotes."""
    return quoteattr(text, {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})
