"""Rules as a TreeModel of PMML: below the root a leaf for each rule, of which the first that applies is taken."""

from __future__ import annotations

import math
from collections.abc import Iterable

from ctree.export.pmml_document import model_fields
from ctree.export.pmml_words import compound, interval, one_of, quoted, text_of
from ctree.export.rule_plan import Demand, RulePlan


def rules_model(plan: RulePlan, target: str) -> Iterable[str]:
    """The lines of the model."""
    # Without a strategy for missing values a predicate on one does not hold, as in rules.
    yield (
        '  <TreeModel modelName="ctree" functionName="classification" splitCharacteristic="multiSplit" '
        'missingValueStrategy="none" noTrueChildStrategy="returnNullPrediction">'
    )
    yield from model_fields(plan.schema, plan.attributes, [None] * len(plan.schema), target)
    default = quoted(text_of(plan.schema.classes[plan.best[-1]]))
    yield f'    <Node id="root" score={default}><True/>'
    predicates = [_predicate(plan, rule) for rule in plan.rules]
    for i, predicate in enumerate([*predicates, "<True/>"]):
        yield f'      <Node id="{i}" score={quoted(text_of(plan.schema.classes[plan.best[i]]))}>{predicate}'
        for label, share in zip(plan.schema.classes, plan.probabilities[i], strict=True):
            yield (
                f'        <ScoreDistribution value={quoted(text_of(label))} recordCount="{share!r}" '
                f'confidence="{share!r}" probability="{share!r}"/>'
            )
        yield "      </Node>"
    yield "    </Node>"
    yield "  </TreeModel>"


def _predicate(plan: RulePlan, rule: tuple[Demand, ...]) -> str:
    parts = []
    for demand in rule:
        entry = plan.schema[demand.attribute]
        field = quoted(entry.name)
        if entry.is_discrete:
            parts.append(one_of(field, entry, [entry.values[code] for code in demand.codes]))
        else:
            low = None if math.isinf(demand.low) else demand.low
            high = None if math.isinf(demand.high) else demand.high
            parts.append(interval(field, low, high))
    return "<True/>" if not parts else parts[0] if len(parts) == 1 else compound("and", parts)
