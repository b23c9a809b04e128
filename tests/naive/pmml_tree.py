"""A TreeModel of PMML by the letter of the standard: weightedConfidence, recursive, a class at a time."""

from __future__ import annotations

from xml.etree import ElementTree

from naive.pmml_expressions import NS
from naive.pmml_expressions import value as value_of


class TreeModel:
    def __init__(self, text):
        root = ElementTree.fromstring(text)
        self.model = root.find(f"{NS}TreeModel")
        self.strategy = self.model.get("missingValueStrategy")
        assert self.strategy in ("weightedConfidence", "none")
        self.classes = [f.get("value") for f in self.model.find(f"{NS}Output")]
        self.types, self.values = {}, {}
        for field in root.find(f"{NS}DataDictionary"):
            self.types[field.get("name")] = field.get("dataType")
            self.values[field.get("name")] = [v.get("value") for v in field]
        self.replacements = {
            f.get("name"): f.get("missingValueReplacement") for f in self.model.find(f"{NS}MiningSchema")
        }

    def probabilities(self, case):
        """By class, of a case that maps names to texts, numbers or None."""
        known = {}
        for name, value in case.items():
            if name not in self.types:
                continue
            if value is not None and self.types[name] != "double" and str(value) not in self.values[name]:
                value = None  # asMissing
            if value is None:
                value = self.replacements[name]
            known[name] = None if value is None else float(value) if self.types[name] == "double" else str(value)
        for derived in self.model.findall(f"{NS}LocalTransformations/{NS}DerivedField"):
            known[derived.get("name")] = value_of(derived[0], known)
        return self.score(self.model.find(f"{NS}Node"), known)

    def score(self, node, case):
        children = node.findall(f"{NS}Node")
        if not children:
            found = {s.get("value"): float(s.get("confidence")) for s in node.findall(f"{NS}ScoreDistribution")}
            return [found[c] for c in self.classes]
        outcomes = [self.holds(child[0], case) for child in children]
        if self.strategy == "none":  # unknown is as good as false
            return self.score(children[outcomes.index(True)], case)
        if True in outcomes and None not in outcomes[: outcomes.index(True)]:
            return self.score(children[outcomes.index(True)], case)
        # of those that are not false, each by its share of the records
        open_ = [child for child, outcome in zip(children, outcomes, strict=True) if outcome is not False]
        counts = [float(child.get("recordCount")) for child in open_]
        sums = [0.0] * len(self.classes)
        for child, count in zip(open_, counts, strict=True):
            if count > 0:
                for c, p in enumerate(self.score(child, case)):
                    sums[c] += p * count / sum(counts)
        return sums

    def holds(self, predicate, case):
        """True, False, or None for unknown."""
        kind = predicate.tag.removeprefix(NS)
        if kind in ("True", "False"):
            return kind == "True"
        if kind == "CompoundPredicate":
            outcomes = [self.holds(part, case) for part in predicate]
            decisive = predicate.get("booleanOperator") == "or"
            if decisive in outcomes:
                return decisive
            return None if None in outcomes else not decisive
        value, operator, wanted = case[predicate.get("field")], predicate.get("operator"), predicate.get("value")
        if value is None:
            return None
        if operator in ("equal", "notEqual"):
            same = value == float(wanted) if isinstance(value, float) else value == wanted
            return same == (operator == "equal")
        return value <= float(wanted) if operator == "lessOrEqual" else value > float(wanted)
