"""How exports say which class has the least expected cost, given the probabilities."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from ctree.data.costs import TIE
from ctree.data.schema import Label, Schema
from ctree.export.c_words import matrix
from ctree.export.dialects import Dialect
from ctree.export.pmml_words import apply, constant, data_type, quoted, text_of
from ctree.export.python_words import in_lines
from ctree.export.sql_columns import added, most_probable

Worth = tuple[tuple[float, ...], ...]
"""A row for each true class; see `ctree.data.costs.worth`."""

WHAT = "what each prediction (column) is worth by the true class (row): 1 less its cost, as a share of the greatest"

PYTHON = '''

# {what}
WORTH = {rows}


def predict(case):
    """The class of a case: the first of least expected cost."""
    p = predict_proba(case)
    votes = [sum(p[i] * WORTH[i][c] for i in range(len(p))) for c in range(len(p))]
    best = 0
    for c in range(1, len(votes)):
        if votes[c] - votes[best] > {tie!r}:
            best = c
    return CLASSES[best]
'''

C = """\

/* {what} */
{rows}
/* The first class of least expected cost. */
int {n}_predict(const double *x)
{{
    double p[{N}_N_CLASSES], vote, most = 0.0;
    int best = 0, c, i;
    {n}_predict_proba(x, p);
    for (c = 0; c < {N}_N_CLASSES; c++) {{
        vote = 0.0;
        for (i = 0; i < {N}_N_CLASSES; i++)
            vote += p[i] * {n}_worth[i][c];
        if (c == 0 || vote - most > {tie!r}) {{
            best = c;
            most = vote;
        }}
    }}
    return best;
}}
"""


def worth_of(model: Any) -> Worth | None:
    """What the predictions of a fitted learner go by, if by costs."""
    worth = model._worths()
    return None if worth is None else tuple(map(tuple, worth.tolist()))


def votes_of(probabilities: Sequence[float], worth: Worth | None) -> Sequence[float]:
    """What a class needs most of to be predicted."""
    if worth is None:
        return probabilities
    classes = range(len(probabilities))
    return [sum(probabilities[i] * worth[i][c] for i in classes) for c in classes]


def python_predict(worth: Worth) -> str:
    """The function `predict` of a Python module."""
    return PYTHON.format(what=WHAT, rows=in_lines(map(repr, worth)), tie=TIE)


def c_predict(worth: Worth, n: str) -> str:
    """The function that predicts of a C file."""
    rows = matrix(f"{n}_worth", f"{n.upper()}_N_CLASSES", (map(repr, row) for row in worth))
    return C.format(what=WHAT, rows=rows, n=n, N=n.upper(), tie=TIE)


def sql_votes(sums: Sequence[str], worth: Worth | None, dialect: Dialect) -> list[str]:
    """What a class needs most of to be predicted, given expressions that are as its probabilities but for a factor."""
    if worth is None:
        return list(sums)
    result = []
    for c in range(len(sums)):
        terms = [f"{s} * {dialect.literal(row[c])}" for s, row in zip(sums, worth, strict=True) if row[c] != 0]
        result.append(f"({added(terms)})")
    return result


def sql_predicted(
    labels: Sequence[Label],
    sums: Sequence[str],
    total: str,
    most: str,
    worth: Worth | None,
    tie: float,
    dialect: Dialect,
) -> str:
    """The predicted class, given sums that are probabilities times a total, and the greatest of `sql_votes`."""
    shares = [f"{vote} / {total}" for vote in sql_votes(sums, worth, dialect)]
    return most_probable(labels, shares, f"{most} / {total}", tie if worth is None else TIE, dialect)


def pmml_outputs(schema: Schema, target: str, worth: Worth | None) -> Iterable[str]:
    """The output fields with what each class costs, as a share of the greatest cost, and with the class of least."""
    if worth is None:
        return
    labels = [text_of(label) for label in schema.classes]
    taken = {*schema.names, target}
    end = ""
    while any(f"{name}{end}" in taken for name in ("prediction", *(f"cost({label})" for label in labels))):
        end += "_"
    costs = [f"cost({label}){end}" for label in labels]
    for c, name in enumerate(costs):
        terms = [
            apply("*", _field(f"probability({label})"), constant(1 - row[c], "double"))
            for label, row in zip(labels, worth, strict=True)
            if row[c] != 1
        ] or [constant(0.0, "double")]
        total = terms[0]
        for term in terms[1:]:
            total = apply("+", total, term)
        yield (
            f'      <OutputField name={quoted(name)} optype="continuous" dataType="double" '
            f'feature="transformedValue">{total}</OutputField>'
        )
    kind = data_type(schema.classes, "the class")
    chosen = _label(labels[-1], kind)
    for c in range(len(labels) - 2, -1, -1):
        near = apply("+", _field(costs[c]), constant(-TIE, "double"))
        others = [apply("lessOrEqual", near, _field(other)) for other in costs[c + 1 :]]
        best = others[0] if len(others) == 1 else apply("and", *others)
        chosen = apply("if", best, _label(labels[c], kind), chosen)
    yield (
        f'      <OutputField name={quoted(f"prediction{end}")} optype="categorical" dataType="{kind}" '
        f'feature="transformedValue">{chosen}</OutputField>'
    )


def _field(name: str) -> str:
    return f"<FieldRef field={quoted(name)}/>"


def _label(text: str, kind: str) -> str:
    return f'<Constant dataType="{kind}">{escape(text, quote=False)}</Constant>'
