"""A RegressionModel of PMML over derived fields, by the letter of the standard: one field after the other."""

from __future__ import annotations

from xml.etree import ElementTree

NS = "{http://www.dmg.org/PMML-4_4}"


class RegressionModel:
    def __init__(self, text):
        root = ElementTree.fromstring(text)
        self.model = root.find(f"{NS}RegressionModel")
        assert self.model.get("normalizationMethod") == "simplemax"
        self.classes = [f.get("value") for f in self.model.find(f"{NS}Output")]
        self.values = {f.get("name"): [v.get("value") for v in f] for f in root.find(f"{NS}DataDictionary")}
        self.replacements = {
            f.get("name"): f.get("missingValueReplacement") for f in self.model.find(f"{NS}MiningSchema")
        }

    def probabilities(self, case):
        """By class, of a case that maps names to labels, numbers or None."""
        fields = {}
        for name, values in self.values.items():
            value = case.get(name)
            if values and value is not None and str(value) not in values:
                value = None  # asMissing
            value = self.replacements.get(name) if value is None else value
            fields[name] = None if value is None else str(value) if values else float(value)
        for derived in self.model.find(f"{NS}LocalTransformations"):
            fields[derived.get("name")] = self.value(derived[0], fields)
        tables = {t.get("targetCategory"): t for t in self.model.findall(f"{NS}RegressionTable")}
        sums = [
            sum(fields[p.get("name")] * float(p.get("coefficient")) for p in tables[c].findall(f"{NS}NumericPredictor"))
            for c in self.classes
        ]
        return [s / sum(sums) for s in sums]

    def value(self, element, fields):
        kind = element.tag.removeprefix(NS)
        if kind == "Constant":
            return float(element.text)
        if kind == "FieldRef":
            return fields[element.get("field")]
        if kind == "NormDiscrete":
            value = fields[element.get("field")]
            return None if value is None else float(value == element.get("value"))
        function, arguments = element.get("function"), list(element)
        if function == "if":
            return self.value(arguments[1 if self.value(arguments[0], fields) else 2], fields)
        known = [self.value(argument, fields) for argument in arguments]
        if function == "isMissing":
            return known[0] is None
        if None in known:
            return None
        if function in ("and", "or"):
            return (all if function == "and" else any)(known)
        a, b = known
        return {"*": a * b, "equal": a == b, "greaterThan": a > b, "lessOrEqual": a <= b}[function]
