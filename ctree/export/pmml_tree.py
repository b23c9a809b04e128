"""A tree as a TreeModel of PMML, with parts of cases where values are unknown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ctree.data.schema import Schema
from ctree.errors import ModelError
from ctree.export.plan import Plan, Question
from ctree.export.pmml_document import model_fields
from ctree.export.pmml_words import any_of, apply, data_type, equal, groups_of, interval, one_of, quoted, text_of

MAX_INDENT = 40
"""Deeper nodes are not indented further: the blanks of a deep tree would be its depth squared."""


def check_tree(plan: Plan, tolerance: float) -> None:
    """Refuse a tree whose branches share the cases of a node only roughly, as an unknown value would be shared so."""
    for node, question in enumerate(plan.questions):
        if question is None or (plan.fillers[question.attribute] is not None and -1 not in question.branch_of):
            continue  # never unknown
        parts = sum(plan.cases[branch] for branch in plan.branches(node))
        off = abs(parts / plan.cases[node] - 1)
        if off > tolerance:
            raise ModelError(
                f"the branches of node {node} do not add up to its cases: they differ by {off:.1g} of them, and the "
                f"tolerance is {tolerance:g}; a greater one lets the probabilities of cases with unknown values differ "
                "by about as much, and form='shares' has them exactly"
            )


def tree_model(plan: Plan, target: str) -> Iterable[str]:
    """The lines of the model."""
    yield (
        '  <TreeModel modelName="ctree" functionName="classification" splitCharacteristic="multiSplit" '
        'missingValueStrategy="weightedConfidence" noTrueChildStrategy="returnNullPrediction">'
    )
    yield from model_fields(plan.schema, plan.attributes, plan.fillers, target, plan.worth)
    narrowed = _narrowed(plan, target)
    if narrowed:
        yield "    <LocalTransformations>"
        for (attribute, codes), name in narrowed.items():
            yield from _narrowed_field(plan.schema, attribute, codes, name)
        yield "    </LocalTransformations>"
    yield from _nodes(plan, narrowed)
    yield "  </TreeModel>"


Narrowed = Mapping[tuple[int, tuple[int, ...]], str]
"""Of attributes with the codes that have a branch, where others have none: the name of a field."""


def _narrowed(plan: Plan, target: str) -> Narrowed:
    """A value that has no branch is as if unknown: the node asks for a field that has no such value."""
    prefix = "known"
    while any(name.startswith(prefix) for name in (*plan.schema.names, target)):
        prefix += "_"
    result: dict[tuple[int, tuple[int, ...]], str] = {}
    for question in plan.questions:
        if question is not None and -1 in question.branch_of:
            result.setdefault((question.attribute, _codes(question)), f"{prefix}{len(result)}")
    return result


def _codes(question: Question) -> tuple[int, ...]:
    return tuple(code for code, branch in enumerate(question.branch_of) if branch >= 0)


def _narrowed_field(schema: Schema, attribute: int, codes: tuple[int, ...], name: str) -> Iterable[str]:
    entry = schema[attribute]
    kind = data_type(entry.values, entry.name)
    meant = any_of([equal(entry, entry.values[code]) for code in codes])
    yield f'      <DerivedField name="{name}" optype="categorical" dataType="{kind}">'
    # without a third argument the result of "if" is missing where the first does not hold
    yield f"        {apply('if', meant, f'<FieldRef field={quoted(entry.name)}/>')}"
    yield "      </DerivedField>"


def _nodes(plan: Plan, narrowed: Narrowed) -> Iterable[str]:
    """The nodes one within the other, without recursion: a tree may be deep."""
    waiting: list[tuple[int, str, int] | str] = [(0, "<True/>", 2)]
    while waiting:
        entry = waiting.pop()
        if isinstance(entry, str):
            yield entry
            continue
        node, predicate, depth = entry
        indent, question, p = "  " * min(depth, MAX_INDENT), plan.questions[node], plan.probabilities[node]
        best = quoted(text_of(plan.schema.classes[p.index(max(p))]))
        yield f'{indent}<Node id="{node}" score={best} recordCount="{plan.cases[node]!r}">{predicate}'
        if question is None:
            for label, share in zip(plan.schema.classes, p, strict=True):
                count = share * plan.cases[node] if plan.cases[node] > 0 else share
                yield (
                    f'{indent}  <ScoreDistribution value={quoted(text_of(label))} recordCount="{count!r}" '
                    f'confidence="{share!r}" probability="{share!r}"/>'
                )
            yield f"{indent}</Node>"
            continue
        waiting.append(f"{indent}</Node>")
        branches = zip(plan.branches(node), _predicates(plan, question, plan.n_branches[node], narrowed), strict=True)
        waiting.extend(reversed([(branch, predicate, depth + 1) for branch, predicate in branches]))


def _predicates(plan: Plan, question: Question, n_branches: int, narrowed: Narrowed) -> list[str]:
    attribute = plan.schema[question.attribute]
    field = quoted(attribute.name)
    if attribute.has_order:
        bounds = [None, *question.cuts, None]
        return [interval(field, bounds[i], bounds[i + 1]) for i in range(n_branches)]
    if -1 in question.branch_of:
        field = quoted(narrowed[question.attribute, _codes(question)])
    groups = groups_of(attribute, question.branch_of, n_branches)
    return [one_of(field, attribute, group) for group in groups]
