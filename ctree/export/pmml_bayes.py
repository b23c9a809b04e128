"""Naive Bayes as a RegressionModel of PMML: what each value adds to the logarithm of a class."""

from __future__ import annotations

import math
from collections.abc import Iterable

from ctree.errors import ModelError
from ctree.export.bayes_plan import BayesPlan
from ctree.export.pmml_document import model_fields
from ctree.export.pmml_words import quoted, text_of


def bayes_model(plan: BayesPlan, target: str) -> Iterable[str]:
    """The lines of the model."""
    _check(plan)
    prefix = "bin"
    while any(name.startswith(prefix) for name in (*plan.schema.names, target)):
        prefix += "_"
    yield (
        '  <RegressionModel modelName="ctree" functionName="classification" normalizationMethod="softmax" '
        f"targetFieldName={quoted(target)}>"
    )
    yield from model_fields(plan.schema, plan.attributes, [None] * len(plan.schema), target, plan.worth)
    bins = {a: f"{prefix}{a}" for a in plan.attributes if plan.cuts[a] is not None}
    if bins:
        yield "    <LocalTransformations>"
        for a, name in bins.items():
            yield from _bins(plan, a, name)
        yield "    </LocalTransformations>"
    for c, label in enumerate(plan.schema.classes):
        yield f'    <RegressionTable intercept="{plan.log_priors[c]!r}" targetCategory={quoted(text_of(label))}>'
        for a in plan.attributes:
            # Of a missing value no predictor is 1, and so nothing is added.
            for code, row in enumerate(plan.logs[a] or ()):
                value = str(code) if a in bins else text_of(plan.schema[a].values[code])
                name = bins.get(a, plan.schema[a].name)
                yield (
                    f'      <CategoricalPredictor name={quoted(name)} value={quoted(value)} coefficient="{row[c]!r}"/>'
                )
        yield "    </RegressionTable>"
    yield "  </RegressionModel>"


def _bins(plan: BayesPlan, attribute: int, name: str) -> Iterable[str]:
    """A field that has the number of the bin of a continuous attribute."""
    bounds = [None, *(plan.cuts[attribute] or ()), None]
    yield f'      <DerivedField name="{name}" optype="categorical" dataType="string">'
    yield f"        <Discretize field={quoted(plan.schema[attribute].name)}>"
    for i in range(len(bounds) - 1):
        low, high = bounds[i], bounds[i + 1]
        margins = "" if low is None else f' leftMargin="{low!r}"'
        margins += "" if high is None else f' rightMargin="{high!r}"'
        closure = "openClosed" if high is not None else "openOpen"
        yield f'          <DiscretizeBin binValue="{i}"><Interval closure="{closure}"{margins}/></DiscretizeBin>'
    yield "        </Discretize>"
    yield "      </DerivedField>"


def _check(plan: BayesPlan) -> None:
    rows = [row for a in plan.attributes for row in plan.logs[a] or ()]
    if any(-math.inf in row for row in (plan.log_priors, *rows)):
        raise ModelError(
            "PMML cannot express that a value rules out a class, as it does by estimate='frequency'; learn with "
            "estimate='m', or export the model as SQL, Python or C"
        )
