"""A tree as PMML 4.4: a TreeModel of many branches, or the share of a case at each node as a field of its own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from xml.sax.saxutils import quoteattr

from ctree.data.files.text_file import abbreviated
from ctree.data.schema import Attribute, Label
from ctree.domains import Choice, Number
from ctree.errors import ModelError, ParameterError
from ctree.export.plan import Plan, Question, plan_of
from ctree.export.texts import NO_XML, check_distinct, check_texts

NAMESPACE = "http://www.dmg.org/PMML-4_4"


FORMS = ("tree", "shares")

MAX_INDENT = 40
"""Deeper nodes are not indented further: the blanks of a deep tree would be its depth squared."""


def to_pmml(model: Any, form: str = "tree", target: str | None = None, tolerance: float = 1e-10) -> str:
    """A tree as a PMML 4.4 document, for evaluators of that standard.

    Parameters
    ----------
    model : a fitted learner of one tree, or a `Tree`
    form : {"tree", "shares"}
        ``"tree"``: a TreeModel with ``splitCharacteristic="multiSplit"`` and
        ``missingValueStrategy="weightedConfidence"``. Few evaluators know this strategy in full.
        ``"shares"``: for each node a derived field that has the share of the case which comes there, and a
        RegressionModel that adds up the leaves (``normalizationMethod="simplemax"``). Larger and harder to read, but
        any evaluator gives the same as `predict_proba`, unknown values included, and every tree can be said so.
    target : str, optional
        What the class is called; no attribute may be. By default "class", with underscores if there is one.
    tolerance : float
        For ``form="tree"``: the branches of a node have to share its cases, up to so much of them. In PMML the shares
        of an unknown value add up to 1 at each node; in `predict_proba` only in the end. In C4.5's arithmetic of 32
        bits both may differ by some 1e-8, and such a tree is refused unless the tolerance is greater.

    Returns
    -------
    str
        The output fields ``probability(<class>)`` have the probabilities. A discrete value that the model does not
        have is missing (``asMissing``).

    Raises
    ------
    ModelError
        Where PMML cannot express the model: names with control characters; for ``form="tree"`` a known value
        that has no branch (grouped values), and branches that do not share the cases of their node.

    Examples
    --------
    >>> import ctree
    >>> text = ctree.to_pmml(ctree.C45Classifier().fit(ctree.load_golf()))
    >>> 'missingValueStrategy="weightedConfidence"' in text
    True
    """
    Choice(*FORMS).check("form", form)
    Number(above=0).check("tolerance", tolerance)
    plan = plan_of(model)
    if target is None:
        target = "class"
        while target in plan.schema.names:
            target += "_"
    if target in plan.schema.names:
        raise ParameterError(f"target must not be the name of an attribute, as '{target}' is; choose another name")
    _check_texts(plan, target)
    if form == "tree":
        _check_tree(plan, float(tolerance))
        body = _tree_model(plan, target)
    else:
        body = _regression_model(plan, target)
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', *_document(plan, target, body)]) + "\n"


def _check_texts(plan: Plan, target: str) -> None:
    asked = [plan.schema[a] for a in plan.attributes]
    check_texts(plan.schema, asked, NO_XML, "XML", [("the target", target)])
    for attribute in asked:
        _data_type(attribute.values, f"attribute '{abbreviated(attribute.name)}'")
    _data_type(plan.schema.classes, "the class")


def _check_tree(plan: Plan, tolerance: float) -> None:
    for node, question in enumerate(plan.questions):
        if question is None:
            continue
        attribute = plan.schema[question.attribute]
        if attribute.is_discrete and -1 in question.branch_of:
            value = attribute.values[question.branch_of.index(-1)]
            raise ModelError(
                f"PMML cannot express that the value '{abbreviated(value)}' of '{abbreviated(attribute.name)}' has no "
                f"branch at node {node} and is treated as unknown there; form='shares' can"
            )
        if plan.fillers[question.attribute] is not None:
            continue  # never unknown
        parts = sum(plan.cases[branch] for branch in plan.branches(node))
        if abs(parts - plan.cases[node]) > tolerance * plan.cases[node]:
            off = abs(parts / plan.cases[node] - 1)
            raise ModelError(
                f"PMML cannot express node {node}, whose branches do not add up to its cases (they differ by {off:.1g} "
                "of them); if that is acceptable, pass a greater tolerance"
            )


def _document(plan: Plan, target: str, body: Iterable[str]) -> Iterable[str]:
    used = plan.attributes
    yield f'<PMML xmlns="{NAMESPACE}" version="4.4">'
    yield '  <Header><Application name="ctree"/></Header>'
    yield f'  <DataDictionary numberOfFields="{len(used) + 1}">'
    for attribute in used:
        entry = plan.schema[attribute]
        if entry.is_continuous:
            yield f'    <DataField name={_quoted(entry.name)} optype="continuous" dataType="double"/>'
        else:
            yield from _categorical(entry.name, entry.values)
    yield from _categorical(target, plan.schema.classes)
    yield "  </DataDictionary>"
    yield from body
    yield "</PMML>"


def _fields(plan: Plan, target: str) -> Iterable[str]:
    """What goes into a model, and what comes out of it."""
    yield "    <MiningSchema>"
    for attribute in plan.attributes:
        yield f"      {_mining_field(plan, attribute)}"
    yield f'      <MiningField name={_quoted(target)} usageType="target"/>'
    yield "    </MiningSchema>"
    yield "    <Output>"
    for label in plan.schema.classes:
        text = _text(label)
        yield (
            f'      <OutputField name={_quoted(f"probability({text})")} optype="continuous" dataType="double" '
            f'feature="probability" value={_quoted(text)}/>'
        )
    yield "    </Output>"


def _tree_model(plan: Plan, target: str) -> Iterable[str]:
    yield (
        '  <TreeModel modelName="ctree" functionName="classification" splitCharacteristic="multiSplit" '
        'missingValueStrategy="weightedConfidence" noTrueChildStrategy="returnNullPrediction">'
    )
    yield from _fields(plan, target)
    yield from _nodes(plan)
    yield "  </TreeModel>"


def _regression_model(plan: Plan, target: str) -> Iterable[str]:
    prefix = "share"
    while any(name.startswith(prefix) for name in (*plan.schema.names, target)):
        prefix += "_"
    yield (
        '  <RegressionModel modelName="ctree" functionName="classification" normalizationMethod="simplemax" '
        f"targetFieldName={_quoted(target)}>"
    )
    yield from _fields(plan, target)
    yield "    <LocalTransformations>"
    yield f'      <DerivedField name="{prefix}0" optype="continuous" dataType="double">'
    yield '        <Constant dataType="double">1.0</Constant>'
    yield "      </DerivedField>"
    for node, question in enumerate(plan.questions):
        if question is not None:
            yield from _shares(plan, node, question, prefix)
    yield "    </LocalTransformations>"
    for c, label in enumerate(plan.schema.classes):
        yield f'    <RegressionTable intercept="0" targetCategory={_quoted(_text(label))}>'
        for leaf in plan.leaves:
            p = plan.probabilities[leaf][c]
            if p > 0:
                yield f'      <NumericPredictor name="{prefix}{leaf}" coefficient="{p!r}"/>'
        yield "    </RegressionTable>"
    yield "  </RegressionModel>"


def _shares(plan: Plan, node: int, question: Question, prefix: str) -> Iterable[str]:
    """For each branch of a node the share of the case that comes to it, given that of the node."""
    attribute = plan.schema[question.attribute]
    field, above = f"<FieldRef field={_quoted(attribute.name)}/>", f'<FieldRef field="{prefix}{node}"/>'
    unknown = _apply("isMissing", field)
    branch_of = zip(attribute.values, question.branch_of, strict=False)
    # A value without a branch is as if unknown; not in one "or" with isMissing, of which evaluators may look at all.
    odd = _any([_equal(attribute, value) for value, branch in branch_of if branch < 0])
    groups = _groups(attribute, question.branch_of, plan.n_branches[node])
    for i, branch in enumerate(plan.branches(node)):
        part = plan.cases[branch] / plan.cases[node]
        shared = _apply("*", above, _constant(part, "double"))
        if attribute.is_discrete:
            meets = _any([_equal(attribute, v) for v in groups[i]])
        else:
            bounds = [None, *question.cuts, None]
            low, high = bounds[i], bounds[i + 1]
            parts = [] if low is None else [_apply("greaterThan", field, _constant(low, "double"))]
            parts += [] if high is None else [_apply("lessOrEqual", field, _constant(high, "double"))]
            meets = parts[0] if len(parts) == 1 else _apply("and", *parts)
        known = _apply("if", meets, above, _constant(0.0, "double")) if meets else _constant(0.0, "double")
        yield f'      <DerivedField name="{prefix}{branch}" optype="continuous" dataType="double">'
        known = _apply("if", odd, shared, known) if odd else known
        yield f"        {_apply('if', unknown, shared, known)}"
        yield "      </DerivedField>"


def _apply(function: str, *arguments: str) -> str:
    return f'<Apply function="{function}">{"".join(arguments)}</Apply>'


def _equal(attribute: Attribute, value: Label) -> str:
    """Whether an attribute has a value, which stands in an attribute of XML: pmml4s loses signs such as < in a text."""
    indicator = f"<NormDiscrete field={_quoted(attribute.name)} value={_quoted(_text(value))}/>"
    return _apply("equal", indicator, _constant(1.0, "double"))


def _any(conditions: list[str]) -> str:
    return "" if not conditions else conditions[0] if len(conditions) == 1 else _apply("or", *conditions)


def _constant(value: float, kind: str) -> str:
    return f'<Constant dataType="{kind}">{value!r}</Constant>'


def _mining_field(plan: Plan, attribute: int) -> str:
    entry, filler = plan.schema[attribute], plan.fillers[attribute]
    text = f"<MiningField name={_quoted(entry.name)} "
    if entry.is_discrete:
        text += 'invalidValueTreatment="asMissing" '
    if filler is not None:
        value = _text(entry.values[int(filler)]) if entry.is_discrete else repr(float(filler))
        text += f'missingValueReplacement={_quoted(value)} missingValueTreatment="asValue" '
    return f'{text}usageType="active"/>'


def _categorical(name: str, values: tuple[Label, ...]) -> Iterable[str]:
    yield f'    <DataField name={_quoted(name)} optype="categorical" dataType="{_data_type(values, name)}">'
    for value in values:
        yield f"      <Value value={_quoted(_text(value))}/>"
    yield "    </DataField>"


def _nodes(plan: Plan) -> Iterable[str]:
    """The nodes one within the other, without recursion: a tree may be deep."""
    waiting: list[tuple[int, str, int] | str] = [(0, "<True/>", 2)]
    while waiting:
        entry = waiting.pop()
        if isinstance(entry, str):
            yield entry
            continue
        node, predicate, depth = entry
        indent, question, p = "  " * min(depth, MAX_INDENT), plan.questions[node], plan.probabilities[node]
        best = _quoted(_text(plan.schema.classes[p.index(max(p))]))
        yield f'{indent}<Node id="{node}" score={best} recordCount="{plan.cases[node]!r}">{predicate}'
        if question is None:
            for label, share in zip(plan.schema.classes, p, strict=True):
                count = share * plan.cases[node] if plan.cases[node] > 0 else share
                yield (
                    f'{indent}  <ScoreDistribution value={_quoted(_text(label))} recordCount="{count!r}" '
                    f'confidence="{share!r}" probability="{share!r}"/>'
                )
            yield f"{indent}</Node>"
            continue
        waiting.append(f"{indent}</Node>")
        branches = zip(plan.branches(node), _predicates(plan, question, plan.n_branches[node]), strict=True)
        waiting.extend(reversed([(branch, predicate, depth + 1) for branch, predicate in branches]))


def _predicates(plan: Plan, question: Question, n_branches: int) -> list[str]:
    attribute = plan.schema[question.attribute]
    field = _quoted(attribute.name)
    if attribute.is_continuous:
        bounds = [None, *question.cuts, None]
        return [_interval(field, bounds[i], bounds[i + 1]) for i in range(n_branches)]
    groups = _groups(attribute, question.branch_of, n_branches)
    return [_one_of(field, attribute, group) for group in groups]


def _groups(attribute: Attribute, branch_of: tuple[int, ...], n_branches: int) -> list[list[Label]]:
    """The values of each branch."""
    groups: list[list[Label]] = [[] for _ in range(n_branches)]
    for value, branch in zip(attribute.values, branch_of, strict=False):
        if branch >= 0:
            groups[branch].append(value)
    return groups


def _interval(field: str, low: float | None, high: float | None) -> str:
    parts = []
    if low is not None:
        parts.append(f'<SimplePredicate field={field} operator="greaterThan" value="{low!r}"/>')
    if high is not None:
        parts.append(f'<SimplePredicate field={field} operator="lessOrEqual" value="{high!r}"/>')
    return parts[0] if len(parts) == 1 else _compound("and", parts)


def _one_of(field: str, attribute: Attribute, group: list[Label]) -> str:
    if len(group) > 1 and len(group) == len(attribute.values) - 1:
        inside = set(group)
        other = next(value for value in attribute.values if value not in inside)
        return f'<SimplePredicate field={field} operator="notEqual" value={_quoted(_text(other))}/>'
    parts = [f'<SimplePredicate field={field} operator="equal" value={_quoted(_text(value))}/>' for value in group]
    if not parts:
        return "<False/>"
    return parts[0] if len(parts) == 1 else _compound("or", parts)


def _compound(operator: str, parts: list[str]) -> str:
    return f'<CompoundPredicate booleanOperator="{operator}">{"".join(parts)}</CompoundPredicate>'


def _data_type(values: tuple[Label, ...], what: str) -> str:
    """The type of the values; texts and numbers together are texts, if these differ."""
    kinds = {type(v) for v in values}
    if kinds <= {bool} and kinds:
        return "boolean"
    if kinds <= {int} and kinds:
        return "integer"
    if kinds <= {int, float} and kinds:
        return "double"
    check_distinct(values, what, "PMML", _text)
    return "string"


def _text(value: Label) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _quoted(text: str) -> str:
    return quoteattr(text, {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})
