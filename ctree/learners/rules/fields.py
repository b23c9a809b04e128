"""Lists of rules as plain fields, and back.

::

    "rules": {
      "default": "Play",
      "rules": [
        {"number": 2, "if": [{"attribute": "outlook", "values": ["overcast"]}], "class": "Play", "error": ...},
        ...
      ],
      "probabilities": [[...], ...]
    },
    "selected": "rules",
    "trees": {"tree": {...}}

A condition has ``values``, ``at_most`` or ``above``; the last row of ``probabilities`` is for the default.
``selected`` has the same fields where rules have been dropped.
"""

from __future__ import annotations

from typing import Any

from ctree.data.fields import Fields, shown_json
from ctree.data.files.text_file import abbreviated
from ctree.data.schema import Label, Schema
from ctree.errors import ModelError
from ctree.tree.fields import check_distributions, label_to_json, matrix_of
from ctree.tree.rule_list import RuleList
from ctree.tree.rules import Condition, Rule

MAX_NUMBER = (1 << 31) - 1


def rule_list_to_dict(rules: RuleList) -> dict[str, Any]:
    return {
        "default": label_to_json(rules.default),
        "rules": [_rule_to_dict(rule) for rule in rules],
        "probabilities": rules.probabilities.tolist(),
    }


def _rule_to_dict(rule: Rule) -> dict[str, Any]:
    return {
        "number": rule.number,
        "if": [_condition_to_dict(condition) for condition in rule.conditions],
        "class": label_to_json(rule.prediction),
        "error": rule.error,
        "cases": rule.cases,
        "errors": rule.errors,
    }


def _condition_to_dict(condition: Condition) -> dict[str, Any]:
    entry: dict[str, Any] = {"attribute": str(condition.attribute)}
    if condition.at_most is not None:
        entry["at_most"] = float(condition.at_most)
    elif condition.above is not None:
        entry["above"] = float(condition.above)
    else:
        entry["values"] = [label_to_json(value) for value in condition.values]
    return entry


def rule_list_from_dict(fields: Fields, schema: Schema, float32: bool) -> RuleList:
    entries = fields.get("rules", list)
    labels = _Labels(schema)
    rules = [_rule(Fields(entry, fields.place_of(f"rules[{i}]")), labels) for i, entry in enumerate(entries)]
    default = _label(fields.value("default"), labels.classes, fields.place_of("default"))
    place = fields.place_of("probabilities")
    p = matrix_of(fields.get("probabilities", list), schema.n_classes, place)
    check_distributions(p, place)
    return RuleList(schema, rules, default, p, float32=float32)


class _Labels:
    """The labels of a schema, each by itself: looked for in a tuple, many of them would take forever."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.classes = {label: label for label in schema.classes}
        self.attributes = {attribute.name: attribute for attribute in schema}
        self._values: dict[str, dict[Label, Label]] = {}

    def values(self, attribute: str) -> dict[Label, Label]:
        if attribute not in self._values:
            self._values[attribute] = {label: label for label in self.attributes[attribute].values}
        return self._values[attribute]


def _rule(fields: Fields, labels: _Labels) -> Rule:
    entries = fields.get("if", list)
    conditions = [_condition(Fields(e, fields.place_of(f"if[{i}]")), labels) for i, e in enumerate(entries)]
    number, error = fields.get("number", int), fields.get("error", float)
    cases, errors = fields.get("cases", float), fields.get("errors", float)
    if not 0 <= number <= MAX_NUMBER:
        raise ModelError(f"'{fields.place_of('number')}' should be from 0 to {MAX_NUMBER}, not {shown_json(number)}")
    if not 0 <= error <= 1:
        raise ModelError(f"'{fields.place_of('error')}' should be from 0 to 1, not {shown_json(error)}")
    if not 0 <= errors <= cases:
        raise ModelError(f"'{fields.place_of('errors')}' should be from 0 to the number of cases")
    prediction = _label(fields.value("class"), labels.classes, fields.place_of("class"))
    return Rule(number, tuple(conditions), prediction, error, cases, errors)


def _condition(fields: Fields, labels: _Labels) -> Condition:
    name = fields.get("attribute", str)
    if name not in labels.attributes:
        raise ModelError(
            f"'{fields.place_of('attribute')}' should be an attribute of the schema, not '{abbreviated(name)}'"
        )
    demands = [demand for demand in ("values", "at_most", "above") if demand in fields]
    if len(demands) != 1:
        raise ModelError(f"'{fields.place}' should have one of values, at_most and above")
    if demands[0] == "at_most":
        return Condition(name, at_most=labels.attributes[name].bound(fields.get("at_most", float)))
    if demands[0] == "above":
        return Condition(name, above=labels.attributes[name].bound(fields.get("above", float)))
    known, place = labels.values(name), fields.place_of("values")
    return Condition(name, values=tuple(_label(v, known, place) for v in fields.get("values", list)))


def _label(value: Any, known: dict[Label, Label], place: str) -> Label:
    """The label of the schema that this is."""
    if not isinstance(value, str | int | float) or value not in known:
        raise ModelError(f"'{place}' has {shown_json(value)}, which the schema does not have")
    return known[value]
