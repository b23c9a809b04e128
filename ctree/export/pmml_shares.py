"""A tree as a RegressionModel of PMML: the share of a case at each node is a field of its own."""

from __future__ import annotations

from collections.abc import Iterable

from ctree.export.plan import Plan, Question
from ctree.export.pmml_document import model_fields
from ctree.export.pmml_words import any_of, apply, constant, equal, groups_of, quoted, text_of


def regression_model(plan: Plan, target: str) -> Iterable[str]:
    """The lines of the model."""
    prefix = "share"
    while any(name.startswith(prefix) for name in (*plan.schema.names, target)):
        prefix += "_"
    yield (
        '  <RegressionModel modelName="ctree" functionName="classification" normalizationMethod="simplemax" '
        f"targetFieldName={quoted(target)}>"
    )
    yield from model_fields(plan.schema, plan.attributes, plan.fillers, target, plan.worth)
    yield "    <LocalTransformations>"
    yield f'      <DerivedField name="{prefix}0" optype="continuous" dataType="double">'
    yield '        <Constant dataType="double">1.0</Constant>'
    yield "      </DerivedField>"
    for node, question in enumerate(plan.questions):
        if question is not None:
            yield from _shares(plan, node, question, prefix)
    yield "    </LocalTransformations>"
    for c, label in enumerate(plan.schema.classes):
        yield f'    <RegressionTable intercept="0" targetCategory={quoted(text_of(label))}>'
        for leaf in plan.leaves:
            p = plan.probabilities[leaf][c]
            if p > 0:
                yield f'      <NumericPredictor name="{prefix}{leaf}" coefficient="{p!r}"/>'
        yield "    </RegressionTable>"
    yield "  </RegressionModel>"


def _shares(plan: Plan, node: int, question: Question, prefix: str) -> Iterable[str]:
    """For each branch of a node the share of the case that comes to it, given that of the node."""
    attribute = plan.schema[question.attribute]
    field, above = f"<FieldRef field={quoted(attribute.name)}/>", f'<FieldRef field="{prefix}{node}"/>'
    unknown = apply("isMissing", field)
    branch_of = zip(attribute.values, question.branch_of, strict=False)
    # A value without a branch is as if unknown; not in one "or" with isMissing, of which evaluators may look at all.
    odd = any_of([equal(attribute, value) for value, branch in branch_of if branch < 0])
    groups = groups_of(attribute, question.branch_of, plan.n_branches[node])
    for i, branch in enumerate(plan.branches(node)):
        part = plan.cases[branch] / plan.cases[node]
        shared = apply("*", above, constant(part, "double"))
        if attribute.is_discrete:
            meets = any_of([equal(attribute, v) for v in groups[i]])
        else:
            bounds = [None, *question.cuts, None]
            low, high = bounds[i], bounds[i + 1]
            parts = [] if low is None else [apply("greaterThan", field, constant(low, "double"))]
            parts += [] if high is None else [apply("lessOrEqual", field, constant(high, "double"))]
            meets = parts[0] if len(parts) == 1 else apply("and", *parts)
        known = apply("if", meets, above, constant(0.0, "double")) if meets else constant(0.0, "double")
        yield f'      <DerivedField name="{prefix}{branch}" optype="continuous" dataType="double">'
        known = apply("if", odd, shared, known) if odd else known
        yield f"        {apply('if', unknown, shared, known)}"
        yield "      </DerivedField>"
