"""A RegressionModel of PMML over derived fields, by the letter of the standard: one field after the other."""

from __future__ import annotations

import math
from xml.etree import ElementTree

from naive.pmml_expressions import NS, value


class RegressionModel:
    def __init__(self, text):
        root = ElementTree.fromstring(text)
        self.model = root.find(f"{NS}RegressionModel")
        self.method = self.model.get("normalizationMethod")
        assert self.method in ("simplemax", "softmax")
        self.classes = [f.get("value") for f in self.model.find(f"{NS}Output")]
        self.values = {f.get("name"): [v.get("value") for v in f] for f in root.find(f"{NS}DataDictionary")}
        self.replacements = {
            f.get("name"): f.get("missingValueReplacement") for f in self.model.find(f"{NS}MiningSchema")
        }

    def probabilities(self, case):
        """By class, of a case that maps names to labels, numbers or None."""
        fields = {}
        for name, values in self.values.items():
            given = case.get(name)
            if values and given is not None and str(given) not in values:
                given = None  # asMissing
            given = self.replacements.get(name) if given is None else given
            fields[name] = None if given is None else str(given) if values else float(given)
        for derived in self.model.findall(f"{NS}LocalTransformations/{NS}DerivedField"):
            fields[derived.get("name")] = value(derived[0], fields)
        tables = {t.get("targetCategory"): t for t in self.model.findall(f"{NS}RegressionTable")}
        sums = [
            sum(fields[p.get("name")] * float(p.get("coefficient")) for p in tables[c].findall(f"{NS}NumericPredictor"))
            for c in self.classes
        ]
        if self.method == "softmax":
            sums = [math.exp(s + self.added(tables[c], fields)) for s, c in zip(sums, self.classes, strict=True)]
        return [s / sum(sums) for s in sums]

    def added(self, table, fields):
        """The intercept, and the coefficients of the values that the case has."""
        found = [p for p in table.findall(f"{NS}CategoricalPredictor") if fields[p.get("name")] == p.get("value")]
        return float(table.get("intercept")) + sum(float(p.get("coefficient")) for p in found)
