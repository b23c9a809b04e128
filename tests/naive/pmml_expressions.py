"""Expressions of PMML by the letter of the standard."""

from __future__ import annotations

NS = "{http://www.dmg.org/PMML-4_4}"


def value(element, fields):
    """What an expression says of a case, None for missing."""
    kind = element.tag.removeprefix(NS)
    if kind == "Constant":
        return element.text if element.get("dataType") == "string" else float(element.text)
    if kind == "FieldRef":
        return fields[element.get("field")]
    if kind == "NormDiscrete":
        found = fields[element.get("field")]
        return None if found is None else float(found == element.get("value"))
    if kind == "Discretize":
        found = fields[element.get("field")]
        return None if found is None else next(b.get("binValue") for b in element if _is_in(found, b[0]))
    function, arguments = element.get("function"), list(element)
    if function == "if":
        holds = value(arguments[0], fields)
        if holds is None or (not holds and len(arguments) == 2):
            return None
        return value(arguments[1 if holds else 2], fields)
    known = [value(argument, fields) for argument in arguments]
    if function == "isMissing":
        return known[0] is None
    if None in known:
        return None
    if function in ("and", "or"):
        return (all if function == "and" else any)(known)
    a, b = known
    return {"*": a * b, "+": a + b, "equal": a == b, "greaterThan": a > b, "lessOrEqual": a <= b}[function]


def _is_in(number, interval):
    low, high, closure = (interval.get(name) for name in ("leftMargin", "rightMargin", "closure"))
    above = low is None or number > float(low) or (closure.startswith("closed") and number == float(low))
    return above and (high is None or number < float(high) or (closure.endswith("Closed") and number == float(high)))
